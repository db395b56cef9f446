"""Train a small network until it beats random play, then show how well it plays (``make demo``).

    python scripts/demo.py [settings of train_ppo.py]

Takes some minutes on two CPU cores. ``runs/demo/`` receives the checkpoint, the learning curve, the
results of the matches and a game to look at. Again, with the same settings, it goes on where it was
interrupted, or begins anew if it was complete; a folder with anything else in it is left alone.
"""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are loaded

import tyro
from carc_env.agents.arena import play_game
from carc_env.agents.checkpoint import CheckpointError, read_checkpoint
from carc_env.agents.config import TrainConfig, saved_config
from carc_env.agents.interrupt import end_quietly
from carc_env.agents.run_folder import CURVE, FILES, LATEST, PICTURE, check_is_free
from evaluate import match_between, result_of, show
from tournament import Machines, console, play
from train_ppo import train

from carc_env.envs.naming import make_agent
from carc_env.game import records
from carc_env.render import board_svg

CONFIG = Path(__file__).parent.parent / "configs" / "demo.yaml"
GOAL = 0.95
GAMES = 200
SEED = 2026
"""Decks of the last matches: neither those of training nor those of its evaluations."""
MATCHES, GAME, END_OF_GAME = "matches.json", "game.carc", "game.svg"
"""Written in this order behind the training; with the last one the demo is complete."""


def where_it_was_left(config: TrainConfig) -> tuple[TrainConfig, Path | None]:
    """The settings to train with, and the checkpoint of the same demo to go on from, if any.

    A complete demo of the same settings is replaced. What else is in the folder, training refuses.

    Raises
    ------
    ValueError
        There are other files beside a complete demo.
    """
    folder = Path(config.folder)
    latest = folder / LATEST
    if config.overwrite or not latest.exists():
        return config, None
    try:
        meta, _ = read_checkpoint(latest)
        is_ours = saved_config(latest, meta) == config
    except CheckpointError:
        is_ours = False
    if not is_ours:
        return config, None
    if not (config.is_done(meta["curve"]) and (folder / END_OF_GAME).exists()):
        return config, latest
    check_is_free(folder, (*FILES, MATCHES, GAME, END_OF_GAME))
    return config.replace(overwrite=True), None


def main() -> int:
    """Train, evaluate, draw; returns the exit status."""
    config = tyro.cli(TrainConfig, default=TrainConfig.read(CONFIG), description=__doc__)
    console.print(
        "A small network learns Carcassonne by playing against random play, from nothing but the "
        "planes of the board. This takes some minutes; Ctrl-C saves and ends."
    )
    _, status = train(*where_it_was_left(config))
    folder = Path(config.folder)
    checkpoint = folder / LATEST
    if status:
        console.print(f"The same command{' without --overwrite' * config.overwrite} goes on.")
        return status
    console.print(f"\nHow well it plays, {GAMES} games on decks it has not seen:")
    agent = str(checkpoint)
    matches = {}
    for rival in ("random", "greedy"):
        tournament = match_between((agent, rival), config.rules, GAMES, SEED)
        if status := play(tournament, Machines(workers=1, threads=config.threads)):
            return status
        show(tournament)
        matches[rival] = result_of(tournament)
    results = {rival: match.to_dict() for rival, match in matches.items()}
    records.replace_file(folder / MATCHES, (json.dumps(results) + "\n").encode())
    rivals = [make_agent("greedy")] * (config.rules.n_players - 1)
    game = play_game([make_agent(agent, config.rules), *rivals], config.rules, seed=SEED)
    records.write_record(folder / GAME, game)
    records.replace_file(folder / END_OF_GAME, board_svg(game.position()).encode())
    console.print("\nWhat to look at next:")
    console.print(f"  {folder / PICTURE}   how it learned (numbers: {CURVE})")
    console.print(f"  {folder / END_OF_GAME}    the end of a game against greedy (record: {GAME})")
    console.print(f"  {folder / MATCHES}  every score of the matches above")
    console.print("  configs/base-light.yaml   the next step: python scripts/train_ppo.py on it")
    rate = matches["random"].standings[0].win_rate.value
    if rate < GOAL:
        console.print(f"It wins {rate:.1%} against random, less than the {GOAL:.0%} aimed at.")
        return 1
    return 0


if __name__ == "__main__":
    end_quietly()
    try:
        sys.exit(main())
    except (ValueError, OSError) as error:
        console.print(f"error: {error}", markup=False)
        sys.exit(1)
