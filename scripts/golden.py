"""Write the golden games: ``python scripts/golden.py``.

``tests/golden`` contains random games with fixed seeds. Any change in the behaviour of the engine,
the draws or the notation changes these files: run this script and look at the difference.
``environments.yaml`` pins the behaviour of each environment ID, as explained in docs/citing.md.
"""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

import numpy as np
import tyro
import yaml

from carc_env import Game, Rules, carcassonne_v1
from carc_env.envs.registration import ENV_ID
from carc_env.game.records import write_record

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "golden"

PLAN = yaml.safe_load((FOLDER / "games.yaml").read_text(encoding="utf-8"))
"""The rules of golden and other games that tests play; the file explains its parts."""
GAMES = {
    name: (Rules.from_dict({k: v for k, v in told.items() if k != "seed"}), told["seed"])
    for name, told in PLAN["golden"].items()
}
"""Rules and seed by file name."""
ENVIRONMENTS = {name: Rules.from_dict(rules) for name, rules in PLAN["environments"].items()}
"""Rules whose environments are pinned."""


def shown(rules: Rules, seed: int = 0) -> str:
    """Return a hash of everything that the PettingZoo environment shows in a random game.

    Floats are rounded to four decimal places, so that the hash is the same on every machine.
    """
    rng, digest, env = random.Random(seed), hashlib.sha256(), carcassonne_v1.env(rules)
    env.reset(seed=seed)
    for _ in env.agent_iter():
        observation, reward, is_over, is_cut, _ = env.last()
        seen, mask = observation["observation"], observation["action_mask"]
        for name in sorted(seen):
            digest.update(np.round(seen[name].astype(np.float64) * 10_000).astype("<i4").tobytes())
        digest.update(mask.astype(np.int8).tobytes() + f"{reward:.4f}".encode())
        legal = np.flatnonzero(mask)
        env.step(None if is_over or is_cut else int(legal[int(rng.random() * len(legal))]))
    return digest.hexdigest()[:16]


def play(rules: Rules, seed: int) -> Game:
    """Return a game with uniformly random decisions."""
    rng = random.Random(seed)
    game = Game(rules, seed=seed)
    while not game.is_over:
        actions = game.legal_actions()
        # Of all random methods, only random() gives the same sequence in every Python version.
        game.apply(actions[int(rng.random() * len(actions))])
    return game


def write_all(folder: Path) -> None:
    """Write all games to a folder, removing records that are no longer in the list."""
    folder.mkdir(parents=True, exist_ok=True)
    for stale in set(folder.glob("*.carc")) - {folder / f"{name}.carc" for name in GAMES}:
        stale.unlink()
    for name, (rules, seed) in GAMES.items():
        write_record(folder / f"{name}.carc", play(rules, seed))
    hashes = {ENV_ID: {name: shown(rules) for name, rules in ENVIRONMENTS.items()}}
    (folder / "environments.yaml").write_text(yaml.safe_dump(hashes), encoding="utf-8")


def main() -> None:
    """Rewrite all games."""
    write_all(FOLDER)
    print(f"written: {len(GAMES)} games, {len(ENVIRONMENTS)} environments in tests/golden")


if __name__ == "__main__":
    tyro.cli(main)
