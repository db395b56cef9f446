"""Players of other styles: the learned value with some of its weights changed.

They are the held-out opponents of the tasks: training never meets them. Each has the package's
weights for the rules of each game, changed as its function says, and looks one placement ahead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.rules import Rules
from carc_env.search.evaluation import Evaluation
from carc_env.search.features import (
    AHEAD,
    ALONE,
    BEHIND,
    OFFSETS,
    OWN_LINK,
    RIVAL,
    TABLES,
    TIED,
)
from carc_env.search.players import OnePly, value_with
from carc_env.search.weights import weights_for

Tables = dict[str, npt.NDArray[np.float32]]
"""The weights of each table, in the table's shape; changing them changes the player."""
OWN = 0
"""First index of ``meeples`` for the seat's own figures."""
HOLDING = 1.6
"""`thrifty`: factor on what its own meeples in hand are worth."""
FARMING = 2.5
"""`farmer`: extra points for each field that it leads or shares the lead on."""
SHARING, JOINING, CLOSING_IN = 3.0, 1.5, 2.0
"""`blocker`: points for each road or city that it shares with an opponent, for each opponent's that
it could join with one tile, and for each opponent's that at most one tile fits."""


def _hold_back(tables: Tables) -> None:
    """Raise the worth of the seat's own meeples in hand."""
    tables["meeples"][OWN] *= HOLDING


def _farm(tables: Tables) -> None:
    """Add points for fields on which the seat has at least as much as anybody else."""
    tables["field"][[ALONE, AHEAD, TIED]] += FARMING


def _block(tables: Tables) -> None:
    """Add points for sharing opponents' roads and cities, and for leaving them few tiles."""
    for kind in ("city", "road"):
        tables[kind][:, [AHEAD, TIED]] += SHARING
        tables[kind][:, [RIVAL, BEHIND], ..., :2] += CLOSING_IN
        tables[f"{kind}_link"][RIVAL, :, :, OWN_LINK] += JOINING


STYLES: dict[str, Callable[[Tables], None]] = {
    "thrifty": _hold_back,
    "farmer": _farm,
    "blocker": _block,
}
"""What changes the weights, by the name of the player."""


@dataclass(frozen=True, eq=False)
class _Styled(Evaluation):
    """The learned value with changed weights, which it exchanges with the rules."""

    style: str = ""
    rules: Rules | None = None

    def under(self, rules: Rules) -> Evaluation:
        """Return the evaluation with the weights for the given rules."""
        return styled_for(rules, self.style)

    def __reduce__(self) -> tuple[Any, ...]:
        return styled_for, (self.rules, self.style)


@lru_cache(maxsize=256)
def styled_for(rules: Rules, style: str) -> Evaluation:
    """Return the learned value in a style, with the package's weights for the given rules."""
    if rules.layout is not None:
        return styled_for(rules.plain, style)
    weights = weights_for(rules).values.copy()
    STYLES[style](
        {
            name: weights[OFFSETS[name] : OFFSETS[name] + prod(sizes)].reshape(sizes)
            for name, sizes in TABLES.items()
        }
    )
    learned = value_with(weights)
    return _Styled(style, learned.function, learned.weights, style, rules)


def thrifty(rules: Rules | None = None) -> OnePly:
    """Create a player that keeps its meeples: in hand, they are worth more to it."""
    return OnePly(styled_for(rules or Rules(), "thrifty"))


def farmer(rules: Rules | None = None) -> OnePly:
    """Create a player that claims fields: each is worth more to it."""
    return OnePly(styled_for(rules or Rules(), "farmer"))


def blocker(rules: Rules | None = None) -> OnePly:
    """Create a player that joins opponents' roads and cities, or leaves few tiles that fit them."""
    return OnePly(styled_for(rules or Rules(), "blocker"))
