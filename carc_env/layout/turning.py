"""Turning a board by quarters: which plane each plane comes from."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from carc_env.engine.core.codes import N_ROTATIONS
from carc_env.engine.core.tiles import HALVES, SIDES

ROTATIONS = tuple(f"r{turns}" for turns in range(N_ROTATIONS))
"""Words for rotations in names of planes."""


def turned_names(names: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return, for each number of clockwise quarter turns, the index that each name comes from.

    int64, shape (4, names): after one turn, ``city E`` shows what ``city N`` showed. Sides, pairs
    and halves of sides, and rotations change; all other words stay the same.
    """

    def turned(word: str, turns: int) -> str:
        if word in HALVES:
            return HALVES[(HALVES.index(word) - 2 * turns) % len(HALVES)]
        if word in ROTATIONS:
            return ROTATIONS[(ROTATIONS.index(word) - turns) % N_ROTATIONS]
        if set(word) <= set(SIDES):
            return "".join(sorted(SIDES[(SIDES.index(side) - turns) % 4] for side in word))
        return word

    def seen(name: str, turns: int) -> str:
        return " ".join(turned(word, turns) for word in name.split())

    index = {seen(name, 0): k for k, name in enumerate(names)}
    return np.array([[index[seen(name, r)] for name in names] for r in range(N_ROTATIONS)])
