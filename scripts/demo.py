"""Train a small network until it beats random play, then show how well it plays (``make demo``).

    python scripts/demo.py [settings of train_ppo.py]

Takes some minutes on two CPU cores. ``runs/demo/`` receives the checkpoint, the learning curve, the
results of the matches and a game to look at.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import tyro
from evaluate import console, match_between, table_of
from train_ppo import train

from agents.arena import play_game
from agents.config import TrainConfig
from agents.players import make_agent
from carc_env import records
from carc_env.render import board_svg

CONFIG = Path(__file__).parent.parent / "configs" / "demo.yaml"
GOAL = 0.95
GAMES = 200
SEED = 2026
"""Decks of the last matches: neither those of training nor those of its evaluations."""


def main() -> int:
    """Train, evaluate, draw; returns the exit status."""
    config = tyro.cli(TrainConfig, default=TrainConfig.read(CONFIG), description=__doc__)
    console.print(
        "A small network learns Carcassonne by playing against random play, from nothing but the "
        "planes of the board. This takes some minutes; Ctrl-C saves and ends."
    )
    _, is_interrupted = train(config)
    folder = Path(config.folder)
    checkpoint = folder / "latest.ckpt"
    if is_interrupted:
        console.print(f"Go on with:  python scripts/train_ppo.py {checkpoint}")
        return 130
    console.print(f"\nHow well it plays, {GAMES} games on decks it has not seen:")
    agent = str(checkpoint)
    matches = {
        rival: match_between((agent, rival), None, GAMES, SEED) for rival in ("random", "greedy")
    }
    for match in matches.values():
        console.print(table_of(match))
    results = {rival: match.to_dict() for rival, match in matches.items()}
    records.replace_file(folder / "matches.json", (json.dumps(results) + "\n").encode())
    rules = matches["random"].rules
    players = [make_agent(agent, rules), *[make_agent("greedy")] * (rules.n_players - 1)]
    game = play_game(players, rules, seed=SEED)
    records.write(folder / "game.carc", game)
    records.replace_file(folder / "game.svg", board_svg(game.position()).encode())
    console.print("\nWhat to look at next:")
    console.print(f"  {folder / 'curve.png'}   how it learned (numbers: curve.csv)")
    console.print(
        f"  {folder / 'game.svg'}    the end of a game against greedy (record: game.carc)"
    )
    console.print(f"  {folder / 'matches.json'}  every score of the matches above")
    console.print("  configs/base-light.yaml   the next step: python scripts/train_ppo.py on it")
    rate = matches["random"].standings[0].win_rate.value
    if rate < GOAL:
        console.print(f"It wins {rate:.1%} against random, less than the {GOAL:.0%} aimed at.")
        return 1
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ValueError, OSError) as error:
        console.print(f"error: {error}", markup=False)
        sys.exit(1)
    except KeyboardInterrupt:
        console.print("Ended at once.")
        sys.exit(130)
