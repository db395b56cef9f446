"""Making endgames: play games between agents, pick a decision near the end, solve it exactly.

An endgame depends only on the recipe, its number and how the agents play.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

import carc_env
from carc_env.engine.core.codes import Phase
from carc_env.engine.core.state import NO_DESIGN
from carc_env.envs.naming import make_agent
from carc_env.envs.opponents import Opponent
from carc_env.game.endgames import ALMOST, Endgame
from carc_env.game.game import Game
from carc_env.game.notation import format_position
from carc_env.game.table import Table
from carc_env.position import UNKNOWN_TILE, Position
from carc_env.rules import Rules
from carc_env.search.solving import Solver

PLAYERS = ("value", "value", "greedy")
"""Players: each seat gets one of these, with equal probability."""
SLIPS = (0.0, 0.05, 0.2)
"""Probabilities of playing a random action instead; each game uses one of these."""
COMMON = (Phase.PLACE_TILE, Phase.FIGURE)
"""Kinds of decisions that are used only if no other kind is available."""
UNSOLVED, EQUAL, ABSENT = "over the node limit", "all actions alike", "no such decision"
"""Reasons why a game yields no endgame."""
MAX_GAMES = 10_000
"""Number of games to try before giving up on an endgame."""


@dataclass(frozen=True)
class Made:
    """An endgame, and the number of earlier games that yielded none, by reason."""

    endgame: Endgame
    skipped: dict[str, int]


@dataclass(frozen=True)
class Recipe:
    """The recipe for a set of endgames.

    Parameters
    ----------
    rules : Rules
        The rules of the games.
    tiles : tuple of int
        Numbers of tiles left, in the bag and on offer in a bazaar, not counting the tile in hand.
        Of these n numbers, endgame k uses number k % n.
    seed : int
        Seed of the games and choices.
    max_nodes : int
        Maximum number of actions that the solver may try per position; positions that need more are
        skipped.
    """

    rules: Rules
    tiles: tuple[int, ...] = (1, 2)
    seed: int = 0
    max_nodes: int = 3_000_000

    def __post_init__(self) -> None:
        if not self.tiles or min(self.tiles) < 0:
            raise ValueError(f"tiles must be numbers from 0, got {self.tiles}")
        if self.max_nodes < 1:
            raise ValueError(f"max_nodes must be at least 1, got {self.max_nodes}")

    def to_dict(self) -> dict[str, Any]:
        """Return the endgames' parameters as plain values."""
        return {
            "carc_env": carc_env.__version__,
            "seed": self.seed,
            "tiles": list(self.tiles),
            "max_nodes": self.max_nodes,
        }

    def tiles_of(self, number: int) -> int:
        """Return the number of tiles left in the endgame with the given number."""
        return self.tiles[number % len(self.tiles)]

    def make(self, number: int) -> Made:
        """Return the endgame with the given number: the first that one of its games yields.

        Raises
        ------
        ValueError
            No game yields one.
        """
        skipped: Counter[str] = Counter()
        for game in range(MAX_GAMES):
            rng = np.random.default_rng([self.seed, number, game])
            table = self._decision(rng, self.tiles_of(number))
            found = ABSENT if table is None else self.solved(table, number)
            if isinstance(found, Endgame):
                return Made(found, dict(skipped))
            skipped[found] += 1
        raise ValueError(
            f"endgame {number}: none of {MAX_GAMES} games yields one ({dict(skipped)})"
        )

    def solved(self, table: Table, number: int = 0) -> Endgame | str:
        """Return an endgame made from a table's position, or the reason why it is unsuitable."""
        position = in_order(table.position())
        game = Game.from_position(position)
        if game.legal_actions() != table.legal_actions():
            raise ValueError(f"endgame {number}: the position has other actions than the game")
        solution = _solver(max(self.tiles)).solve(game, max_nodes=self.max_nodes)
        if solution is None:
            return UNSOLVED
        values = solution.leads[:, game.decider].copy()
        if np.ptp(values) < ALMOST:
            return EQUAL
        names = tuple(map(game.name, solution.actions.tolist()))
        return Endgame(format_position(position), names, values, number)

    def _decision(self, rng: np.random.Generator, n_left: int) -> Table | None:
        """Return a decision with ``n_left`` tiles left in a new game, preferring rare kinds."""
        table = Table(self.rules, seed=int(rng.integers(2**63)))
        seats = [_player(str(rng.choice(PLAYERS)), self.rules) for _ in range(self.rules.n_players)]
        slip = rng.choice(SLIPS)
        by_kind: dict[Phase, list[Table]] = defaultdict(list)
        while not table.is_over:
            left = tiles_left(table)
            if left == n_left and len(table.legal_actions()) > 1:
                by_kind[table.phase].append(table.clone())
            is_slip = rng.random() < slip
            table.step(table.random_action() if is_slip else seats[table.decider].act(table))
        kinds = sorted(kind for kind in by_kind if kind not in COMMON) or sorted(by_kind)
        if not kinds:
            return None
        tables = by_kind[kinds[rng.integers(len(kinds))]]
        return tables[rng.integers(len(tables))]


def tiles_left(table: Table) -> int:
    """Return the number of tiles in the bag and on offer in a bazaar, excluding the one in hand."""
    bazaar = table.states[0].bazaar
    return table.n_tiles_left + int((bazaar.lots["design"] != NO_DESIGN).sum())


def in_order(position: Position) -> Position:
    """Return the position with its hidden tiles (in the bag, under hills) in canonical order."""
    unseen = sorted([*(position.bag or ()), *position.hidden])
    under = (UNKNOWN_TILE,) * len(position.hidden)
    return replace(position, bag=tuple(unseen[: len(position.bag or ())]), hidden=under)


@lru_cache(maxsize=8)
def _player(name: str, rules: Rules) -> Opponent:
    return make_agent(name, rules)


@lru_cache(maxsize=1)
def _solver(max_tiles: int) -> Solver:
    return Solver(max_tiles)
