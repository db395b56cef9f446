"""Learn to play, then show the results: the two parts of ``make demo``.

    python scripts/demo.py value [SETTINGS]     tables that beat greedy play
    python scripts/demo.py ppo [SETTINGS]       a network that beats random play

SETTINGS are the options of ``carc-env train``. The first part needs no torch and takes about two
minutes on two CPU cores; the second takes a few minutes more. Each part has a folder,
``runs/demo-value/`` or ``runs/demo/``, which receives the checkpoint, the learning curve, the match
results and a game to look at. If you run a part again with the same settings, it continues where it
was interrupted, or starts over if it was complete. A folder with any other content is left alone.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are being imported

import tyro
from carc_env.agents.arena import Agent, play_game
from carc_env.agents.checkpoint import CheckpointError, read_checkpoint
from carc_env.agents.commands import train_maskable_ppo, train_value
from carc_env.agents.commands.evaluate import match_between, result_of, show
from carc_env.agents.commands.tournament import Machines, console, play
from carc_env.agents.config import TrainConfig
from carc_env.agents.interrupt import end_quietly
from carc_env.agents.named_settings import settings_of_the_package
from carc_env.agents.run_folder import CURVE, FILES, LATEST, PICTURE, check_is_free
from carc_env.agents.value_config import ValueConfig
from carc_env.agents.value_learner import VALUE

from carc_env.choices import check_choice
from carc_env.envs.naming import make_agent
from carc_env.files import user_path
from carc_env.game import records
from carc_env.game.game import Game
from carc_env.render import analysis_svg, board_svg
from carc_env.rules import Rules
from carc_env.search.players import ValuePlayer

PARTS = ("value", "ppo")
GOALS = {"greedy": 0.9, "random": 0.95}
"""Win rates to reach: against greedy in the first part, against random play in the second."""
GAMES = 200
SEED = 2026
"""Deck seed for the final matches, whose decks occur neither in training nor in its evaluations."""
MATCHES, GAME, END_OF_GAME = "matches.json", "game.carc", "game.svg"
THOUGHTS = "thoughts.svg"
"""Files written in this order after training; ``END_OF_GAME`` completes a part."""
SHOWN_MOVES = 60
"""Number of decisions to play before the one whose analysis is drawn."""

Config = TypeVar("Config", TrainConfig, ValueConfig)


def where_it_was_left(config: Config) -> tuple[Config, Path | None]:
    """Return the training settings, and the checkpoint of an interrupted demo to continue from.

    A complete demo with the same settings is replaced. Training refuses a folder with other
    content.

    Raises
    ------
    ValueError
        The folder contains other files besides a complete demo.
    """
    folder = user_path(config.folder)
    latest = folder / LATEST
    if config.overwrite or not latest.exists():
        return config, None
    try:
        meta, _ = read_checkpoint(latest)
        is_ours = config.saved(latest, meta) == config
    except CheckpointError:
        is_ours = False
    if not is_ours:
        return config, None
    if not (config.is_done(meta["curve"]) and (folder / END_OF_GAME).exists()):
        return config, latest
    check_is_free(folder, (*FILES, VALUE, MATCHES, GAME, THOUGHTS, END_OF_GAME))
    return config.replace(overwrite=True), None


def compare(folder: Path, agent: str, rivals: Sequence[str], rules: Rules, threads: int) -> int:
    """Play an agent against each opponent and write the results; return the exit status."""
    results = {}
    for rival in rivals:
        tournament = match_between((agent, rival), rules, GAMES, SEED)
        if status := play(tournament, Machines(workers=1, threads=threads)):
            return status
        show(tournament)
        results[rival] = result_of(tournament).to_dict()
    records.replace_file(folder / MATCHES, (json.dumps(results) + "\n").encode())
    return 0


def show_game(folder: Path, agent: Agent, rules: Rules) -> Game:
    """Play a game against greedy; write its record and a picture of its end."""
    rivals = [make_agent("greedy")] * (rules.n_players - 1)
    game = play_game([agent, *rivals], rules, seed=SEED)
    records.write_record(folder / GAME, game)
    records.replace_file(folder / END_OF_GAME, board_svg(game.position()).encode())
    return game


def learn_value(arguments: list[str]) -> int:
    """Run the first part: tables that learn by self-play."""
    default = ValueConfig.read(settings_of_the_package()["value-demo"])
    config = tyro.cli(ValueConfig, default=default, args=arguments, description=__doc__)
    console.print(
        "Part one of two: a value, tables that estimate positions, learns from games against "
        "itself. It is given only the rules; after about two minutes it beats greedy, which "
        "tries every placement and takes the most points. Ctrl-C saves and stops."
    )
    _, status = train_value.train(*where_it_was_left(config))
    folder = user_path(config.folder)
    if status:
        console.print(
            f"Run the same command{' without --overwrite' * config.overwrite} to continue."
        )
        return status
    console.print(f"\nHow well it plays, in {GAMES} games on decks that it has not seen:")
    if status := compare(folder, f"value:weights={folder / VALUE}", ["greedy"], config.rules, 1):
        return status
    agent = ValuePlayer(folder / VALUE)
    shown = Game(config.rules, seed=SEED)
    while len(shown.moves) < SHOWN_MOVES or not shown.tile_in_hand:
        shown.apply(agent.act(shown))
    drawn = analysis_svg(shown, agent.analyse(shown))
    records.replace_file(folder / THOUGHTS, drawn.encode())
    show_game(folder, agent, config.rules)
    console.print("\nWhat to look at next:")
    console.print(f"{folder / PICTURE} its learning curve (numbers: {CURVE})")
    console.print(f"{folder / THOUGHTS} its opinion of a position")
    console.print(f"  {folder / END_OF_GAME}      the end of a game against greedy, in {GAME}")
    console.print(f"{folder / VALUE} its tables; they play as the agent value:weights=...")
    return told_goal(folder, "greedy")


def learn_ppo(arguments: list[str]) -> int:
    """Run the second part: a network that learns from the board planes."""
    default = TrainConfig.read(settings_of_the_package()["demo"])
    config = tyro.cli(TrainConfig, default=default, args=arguments, description=__doc__)
    console.print(
        "Part two of two: a small network learns by playing against random play, from nothing "
        "but the planes of the board. This takes some minutes; Ctrl-C saves and stops."
    )
    _, status = train_maskable_ppo.train(*where_it_was_left(config))
    folder = user_path(config.folder)
    if status:
        console.print(
            f"Run the same command{' without --overwrite' * config.overwrite} to continue."
        )
        return status
    checkpoint = str(folder / LATEST)
    console.print(f"\nHow well it plays, in {GAMES} games on decks that it has not seen:")
    rivals = ["random", "greedy"]
    if status := compare(folder, checkpoint, rivals, config.rules, config.threads):
        return status
    show_game(folder, make_agent(checkpoint, config.rules), config.rules)
    console.print("\nWhat to look at next:")
    console.print(f"{folder / PICTURE} its learning curve (numbers: {CURVE})")
    console.print(f"  {folder / END_OF_GAME}    the end of a game against greedy (record: {GAME})")
    console.print(f"  {folder / MATCHES}  every score of the matches above")
    console.print("  carc-env train maskable-ppo base-light   the next step")
    return told_goal(folder, "random")


def told_goal(folder: Path, rival: str) -> int:
    """Return 1, after printing a message, if the win rate is below the goal, otherwise 0."""
    results = json.loads((folder / MATCHES).read_text())
    rate, goal = results[rival]["agents"][0]["win_rate"]["value"], GOALS[rival]
    if rate >= goal:
        return 0
    console.print(f"It wins {rate:.1%} against {rival}, less than the goal of {goal:.0%}.")
    return 1


def main(arguments: list[str]) -> int:
    """Run the command line; return the exit status."""
    if not arguments or arguments[0].startswith("-"):
        console.print(__doc__, markup=False)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    part = check_choice("part", arguments[0], PARTS)
    return (learn_value if part == "value" else learn_ppo)(arguments[1:])


if __name__ == "__main__":
    end_quietly()
    try:
        sys.exit(main(sys.argv[1:]))
    except (ValueError, OSError) as error:
        console.print(f"error: {error}", markup=False)
        sys.exit(1)
