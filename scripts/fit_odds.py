"""Fit the page's winning chances on games of ``value`` against itself.

    python scripts/fit_odds.py --games 300

Each game begins with some random decisions, so that one side is ahead. At intervals, the script
records the leads that the learned value function expects, the number of tiles left and, later, who
won. The two coefficients of :mod:`carc_env.web.odds` maximize the likelihood of these results.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tyro
from scipy.optimize import minimize

import carc_env.web
from carc_env import Table
from carc_env.arguments import UserPath
from carc_env.engine.core.codes import Phase
from carc_env.rules import Rules
from carc_env.search.players import ValuePlayer
from carc_env.seeds import Stream, seed_of
from carc_env.web.odds import Fit, leads_of

PLAYED: tuple[dict[str, Any], ...] = (
    {"preset": "base"},
    {"preset": "base", "n_players": 4},
    {"preset": "all"},
    {"preset": "all", "n_players": 4},
)
MOST_RANDOM = 60
EVERY = 4
"""One placement in this many is recorded, since consecutive placements are similar."""
LEAST = 1e-9
LEAST_NEAR = 0.5
"""Minimum spread in points; at the very end, a lead is almost exact, but never quite."""


@dataclass(frozen=True)
class Settings:
    """Fit the page's winning chances."""

    games: int = 300
    """Number of games for each set of rules."""
    seed: int = 1
    out: UserPath = Path(carc_env.web.__path__[0]) / "odds.json"
    """Output file for the coefficients."""


@dataclass(frozen=True)
class Sample:
    """A moment in a game, and who won in the end."""

    leads: npt.NDArray[np.float64]
    n_left: int
    won: npt.NDArray[np.float64]


def play(rules: Rules, seed: int) -> list[Sample]:
    """Return the samples of one game."""
    player, random = ValuePlayer(rules=rules), np.random.default_rng(seed)
    table, n_random = Table(rules, seed=seed), int(random.integers(MOST_RANDOM))
    moments: list[tuple[npt.NDArray[np.float64], int]] = []
    n_decisions = n_placements = 0
    while not table.is_over:
        if n_decisions < n_random:
            action = table.random_action()
        else:
            if table.phase == Phase.PLACE_TILE:
                n_placements += 1
                if n_placements % EVERY == 0:
                    moments.append((leads_of(player, table), table.n_tiles_left))
            action = player.act(table)
        table.step(action)
        n_decisions += 1
    won = np.zeros(rules.n_players)
    won[list(table.winners)] = 1 / len(table.winners)
    return [Sample(leads, n_left, won) for leads, n_left in moments]


def fit(rules: Rules, samples: list[Sample]) -> tuple[Fit, float]:
    """Return the maximum-likelihood coefficients and the mean log loss."""

    def loss(logs: npt.NDArray[np.float64]) -> float:
        found = _from_logs(rules, logs)
        shares = [
            s.won @ np.log(np.maximum(found.chances(s.leads, s.n_left), LEAST)) for s in samples
        ]
        return -float(np.mean(shares))

    best = minimize(loss, np.log([4.0, 2.0]), method="Nelder-Mead")
    return _from_logs(rules, best.x), float(best.fun)


def _from_logs(rules: Rules, logs: npt.NDArray[np.float64]) -> Fit:
    near, far = np.exp(logs)
    return Fit(rules, round(max(LEAST_NEAR, float(near)), 3), round(float(far), 3))


def main(settings: Settings) -> None:
    """Play, fit and write."""
    rows = []
    for switches in PLAYED:
        rules = Rules.from_dict(switches)
        samples = [
            sample
            for k in range(settings.games)
            for sample in play(rules, seed_of(Stream.TRAINING, settings.seed, k))
        ]
        found, loss = fit(rules, samples)
        row = {"rules": switches, "near": found.near, "far": found.far}
        rows.append({**row, "samples": len(samples), "log_loss": round(loss, 4)})
        print(rows[-1], flush=True)
    about = {"command": f"python scripts/fit_odds.py --games {settings.games}"}
    about["seed"] = asdict(settings)["seed"]
    content = {"about": about, "fits": rows}
    settings.out.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(tyro.cli(Settings))
