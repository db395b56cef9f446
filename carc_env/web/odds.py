"""Every seat's chance of winning, from the leads that the learned value function expects.

A seat's chance is a logistic function of its expected lead over its strongest opponent, divided by
``near + far * sqrt(tiles left)``; the chances are then scaled to add up to one. Both coefficients
were fitted to games of ``value`` against itself by ``scripts/fit_odds.py``, which wrote
``odds.json``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from carc_env.engine.core.codes import Phase
from carc_env.game.game import Game
from carc_env.game.table import Table
from carc_env.rules import Rules
from carc_env.search.players import ValuePlayer
from carc_env.search.weights import distance

SEED = 1
"""Seed for the assumed order of hidden tiles."""
LONGEST_TURN = 12
"""Number of decisions after which a turn is no longer followed."""

Leads = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Fit:
    """Two coefficients, and the rules for which they were fitted."""

    rules: Rules
    near: float
    far: float

    def chances(self, leads: Leads, n_left: int) -> Leads:
        """Return every seat's chance; ``leads`` are over each seat's strongest opponent."""
        scaled = leads / (self.near + self.far * np.sqrt(n_left))
        alone = 1.0 / (1.0 + np.exp(-np.clip(scaled, -40, 40)))
        chances: Leads = alone / alone.sum()
        return chances


@cache
def fits() -> tuple[Fit, ...]:
    """Return the fits that come with the package."""
    content = json.loads((files("carc_env.web") / "odds.json").read_text())
    return tuple(
        Fit(Rules.from_dict(row["rules"]), row["near"], row["far"]) for row in content["fits"]
    )


def fit_for(rules: Rules) -> Fit:
    """Return the fit with the most similar rules."""
    return min(fits(), key=lambda fit: distance(rules, fit.rules))


class Odds:
    """Chances of winning under given rules; for a single thread.

    Parameters
    ----------
    rules : Rules
        The rules of the games.
    """

    def __init__(self, rules: Rules) -> None:
        self._player = ValuePlayer(rules=rules)
        self._fit = fit_for(rules)

    def of(self, game: Game) -> list[float]:
        """Return every seat's chance; after the game, the winners share it."""
        n = game.rules.n_players
        if game.is_over:
            return [(seat in game.winners) / len(game.winners) for seat in range(n)]
        leads = leads_of(self._player, game)
        return [round(float(p), 4) for p in self._fit.chances(leads, game.n_tiles_left)]

    def leads(self, game: Game) -> list[float]:
        """Return every seat's expected lead over its strongest opponent, in points."""
        return [round(float(lead), 1) for lead in leads_of(self._player, game)]


def leads_of(player: ValuePlayer, game: Table) -> Leads:
    """Return every seat's expected lead in points, once this turn has been played well.

    Hidden tiles are reordered first, so nothing depends on their order.
    """
    turn = Table.at(game.rules, game.states).clone()
    turn.reshuffle(SEED)
    first, value = turn.turn_player, player.evaluation.under(game.rules)
    for _ in range(LONGEST_TURN):
        if turn.is_over or turn.turn_player != first:
            break
        turn.step(player.act(turn))
        if turn.phase == Phase.PLACE_TILE:
            break
    if turn.is_over:
        return leads_by(np.array(turn.scores, np.float64))
    state = turn.states[0]
    seats = range(game.rules.n_players)
    return np.array([value.function(state, seat, value.weights) for seat in seats])


def leads_by(points: Leads) -> Leads:
    """Return every seat's lead over its strongest opponent."""
    return np.array([p - np.delete(points, seat).max() for seat, p in enumerate(points)])
