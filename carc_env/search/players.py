"""Players that look one placement ahead with an evaluation."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from threading import local
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.engine import entry
from carc_env.engine.compiler.jit import without_lookup
from carc_env.engine.core.codes import Phase
from carc_env.engine.core.state import new_states
from carc_env.engine.flow.evaluation import Evaluator
from carc_env.engine.flow.legal import MAX_LEGAL
from carc_env.engine.flow.one_ply import ONE_PLY_SCRATCH
from carc_env.files import user_path
from carc_env.rules import Rules
from carc_env.search.analysis import Line
from carc_env.search.evaluation import GREEDY, Evaluation
from carc_env.search.table_like import TableLike
from carc_env.search.weights import INSIGHT, PLAIN, Weights, unpack, weights_for

choose = without_lookup(entry.choose)


def value_with(weights: npt.NDArray[np.float32], name: str = PLAIN) -> Evaluation:
    """Return the learned value, or ``insight``, with the given weights; compiled on first use."""
    return Evaluation(name, _function(name), weights)


def _function(name: str) -> Callable[..., Any]:
    found: Callable[..., Any]
    if name == INSIGHT:
        from carc_env.search.insight import insight as found
    else:
        from carc_env.search.value import value as found
    return found


def learned(weights: Weights) -> Evaluation:
    """Return the evaluation that the given weights are for, with these weights."""
    return value_with(weights.values, weights.evaluation)


@dataclass(frozen=True, eq=False)
class _Shipped(Evaluation):
    """A learned evaluation with the package's weights, which it exchanges with the rules."""

    kind: str = PLAIN
    rules: Rules = field(default_factory=Rules)

    def under(self, rules: Rules) -> Evaluation:
        """Return the evaluation with the weights for the given rules."""
        return shipped_for(rules, self.kind)

    def __reduce__(self) -> tuple[Any, ...]:
        return shipped_for, (self.rules, self.kind)


@lru_cache(maxsize=4096)  # many games side by side, each under rules of its own
def shipped_for(rules: Rules, kind: str = PLAIN) -> Evaluation:
    """Return the learned evaluation with the package's weights whose rules are closest."""
    if rules.layout is not None:
        return shipped_for(rules.plain, kind)
    found = weights_for(rules, kind)
    name = found.evaluation
    return _Shipped(name, _function(name), found.values, kind, rules)


class _Own(local):
    """Scratch for each thread that calls an agent, because kernels work in it in parallel."""

    def __init__(self) -> None:
        self.states = new_states(ONE_PLY_SCRATCH)
        self.actions = np.zeros(MAX_LEGAL, np.int64)
        self.rules: Rules | None = None
        self.evaluator: Evaluator


class OnePly:
    """Evaluates every placement with every figure action, and plays the best combination.

    Several threads can call it at the same time. Rules can differ from game to game.

    Parameters
    ----------
    evaluation : Evaluation
        The evaluation of a state for a seat.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self._own = _Own()

    def __getstate__(self) -> Evaluation:
        return self.evaluation

    def __setstate__(self, evaluation: Evaluation) -> None:
        OnePly.__init__(self, evaluation)  # addresses differ in another process

    def act(self, table: TableLike) -> int:
        """Return the action with the highest value."""
        own = self._own
        return int(choose(table.states, 0, own.states, own.actions, self._evaluator(table.rules)))

    def _evaluator(self, rules: Rules) -> Evaluator:
        own = self._own
        if own.rules is not rules:
            own.evaluator, own.rules = self.evaluation.under(rules).evaluator, rules
        return own.evaluator

    def analyse(self, table: TableLike) -> list[Line]:
        """Return the values of all legal actions, best first.

        Raises
        ------
        ValueError
            If the game is over.
        """
        scratch, actions = self._own.states, self._own.actions
        root = scratch[:1]
        root[0] = table.states[0]
        entry.reshuffle(root, 0, np.uint64(0))
        if root[0].phase == Phase.GAME_OVER:
            raise ValueError("there is nothing to analyse because the game is over")
        values = np.zeros(MAX_LEGAL)
        n = entry.one_ply_values(scratch, 0, actions, values, self._evaluator(table.rules))
        lines = [Line(int(actions[k]), float(values[k]), 1) for k in range(n)]
        return sorted(lines, key=lambda line: -line.value)


class GreedyPlayer(OnePly):
    """A one-ply search on the projected final score, with tile and figure combined."""

    def __init__(self) -> None:
        super().__init__(GREEDY)


class ValuePlayer(OnePly):
    """Plays one ply ahead with the learned value.

    Parameters
    ----------
    weights : path, optional
        A weights file written by ``carc-env train value``. The default is the package's weights
        whose rules are closest to those of each game.
    rules : Rules, optional
        The rules of the first game.
    """

    SHIPPED = PLAIN
    """The evaluation whose weights are used by default."""

    def __init__(self, weights: Path | None = None, rules: Rules | None = None) -> None:
        if weights:
            own = learned(unpack(str(weights), user_path(weights).read_bytes()))
        else:
            own = shipped_for(rules or Rules(), self.SHIPPED)
        super().__init__(own)


class InsightPlayer(ValuePlayer):
    """Plays one ply ahead using the value with insight, or like ``value`` if it was not learned."""

    SHIPPED = INSIGHT


class WeakenedPlayer(OnePly):
    """Plays by the learned value, with a random error of a few points added to every action.

    The errors depend on the seed and on what the position shows: the same decision always gets the
    same errors, however its position came about, in every layout.

    Parameters
    ----------
    noise : float
        Standard deviation of the errors, in points of lead; 0 plays like :class:`ValuePlayer`, a
        very large value plays randomly.
    seed : int
        Seed for the errors, from 0 to 2**32 - 1.
    rules : Rules, optional
        The rules of the first game.

    Raises
    ------
    ValueError
        If the noise or the seed is out of range.
    """

    def __init__(self, noise: float = 5.0, seed: int = 0, rules: Rules | None = None) -> None:
        if noise < 0:
            raise ValueError(f"noise must be 0 or more points, got {noise:g}")
        if not 0 <= seed < 2**32:
            raise ValueError(f"seed must be from 0 to 2**32 - 1, got {seed}")
        super().__init__(ValuePlayer(rules=rules).evaluation)
        self.noise, self.seed = noise, seed

    def __getstate__(self) -> Any:
        return self.evaluation, self.noise, self.seed

    def __setstate__(self, state: Any) -> None:
        evaluation, self.noise, self.seed = state
        super().__setstate__(evaluation)

    def act(self, table: TableLike) -> int:
        """Return the action with the highest value, errors included."""
        random = np.random.default_rng((self.seed, _checksum(table.states[0])))
        lines = self.analyse(table)
        mistakes = random.normal(scale=self.noise, size=len(lines))
        return max(zip(lines, mistakes, strict=True), key=lambda one: one[0].value + one[1])[
            0
        ].action


def _checksum(s: Any) -> int:
    """Return a number for the tiles, supplies and scores of a game, and for who decides what."""
    tiles, players = s["tiles"][: int(s["n_tiles"])], s["players"]
    order = np.argsort(tiles["cell"])
    parts = [tiles[name][order] for name in ("cell", "design", "rotation")]
    parts += [players["score"], players["supply"]]
    parts += [s[name] for name in ("phase", "turn_player", "decider", "hand", "chosen_cell")]
    return zlib.crc32(b"".join(np.ascontiguousarray(part).tobytes() for part in parts))
