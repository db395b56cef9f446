"""Players that look one placement ahead with an evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from carc_env.engine import entry
from carc_env.engine.compiler.jit import entry_point, i8, u8
from carc_env.engine.compiler.linking import linked
from carc_env.engine.core.state import States, new_states
from carc_env.engine.flow.legal import MAX_LEGAL
from carc_env.game.table import Table
from carc_env.rules import Rules
from carc_env.search.copying import copy_in_use
from carc_env.search.evaluation import Evaluation, Weights
from carc_env.search.one_ply import ONE_PLY_SCRATCH, best_of
from carc_env.search.value import value
from carc_env.search.weights import unpack, weights_for

legal, reshuffle = linked(entry.legal), linked(entry.reshuffle)

PLAYER_SCRATCH = 1 + ONE_PLY_SCRATCH
"""Records that :func:`choose` needs."""


@entry_point(i8(States, i8, States, i8[::1], i8, Weights))
def choose(states, i, scratch, actions, evaluation, weights):
    """Return the action that an evaluation likes best one placement ahead in game i.

    ``actions`` is room for the legal list, ``scratch`` holds ``PLAYER_SCRATCH`` records. The order
    of tiles that nobody can see makes no difference: they are put in another one first.
    """
    copy_in_use(scratch[0], states[i])
    reshuffle(scratch, 0, u8(0))
    n = legal(scratch, 0, actions)
    return best_of(scratch, 0, 1, actions, n, evaluation, weights)


def value_with(weights: npt.NDArray[np.float32]) -> Evaluation:
    """The learned value with some weights."""
    return Evaluation("value", value, weights)


class OnePly:
    """Looks at every placement with every figure action, and takes what an evaluation likes best.

    Parameters
    ----------
    evaluation : Evaluation
        How good a state is for a seat.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self._scratch = new_states(PLAYER_SCRATCH)
        self._actions = np.zeros(MAX_LEGAL, np.int64)

    def act(self, table: Table) -> int:
        """The action that looks best."""
        weights = self.evaluation.weights
        address = self.evaluation.address
        return int(choose(table.states, 0, self._scratch, self._actions, address, weights))

    def act_many(self, tables: Sequence[Table]) -> list[int]:
        """The action that looks best at each table."""
        return [self.act(table) for table in tables]


class ValuePlayer(OnePly):
    """Plays one ply ahead with the learned value.

    Parameters
    ----------
    weights : path, optional
        A file of weights that ``train_value.py`` wrote. Default: those of the package whose rules
        are nearest to the rules that are played.
    rules : Rules, optional
        What is played.
    """

    def __init__(self, weights: Path | None = None, rules: Rules | None = None) -> None:
        found = (
            unpack(str(weights), Path(weights).read_bytes())
            if weights
            else (weights_for(rules or Rules()))
        )
        super().__init__(value_with(found.values))
