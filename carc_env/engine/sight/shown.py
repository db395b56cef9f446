"""What a buffer shows already: beside every board that is kept up to date."""

import numba
import numpy as np

from carc_env.engine.core.sizes import MAX_SEGMENTS
from carc_env.engine.core.state import MAX_FIGURES, MAX_FRONTIER, as_records
from carc_env.sets.castles.record import MAX_CASTLES
from carc_env.sets.princess_dragon.dragon.record import DRAGON_STEPS
from carc_env.sets.tower.record import MAX_TOWERS

MAX_MARKS = 4 * MAX_FRONTIER + 2 * MAX_CASTLES + DRAGON_STEPS + 12 + 2 * MAX_TOWERS
"""Candidates, castles and what is decided on, the last tile, a wagon, dragon, fairy, towers."""

SHOWN = as_records(
    np.dtype(
        [
            ("seat", "i2"),  # whose view it is
            ("by_tile", "i2"),  # 1: the board has a row for each tile, 0: for each cell of the view
            ("n_tiles", "i2"),  # 0: nothing is shown yet
            ("view_row", "i2"),
            ("view_column", "i2"),
            ("n_castles", "i2"),
            ("n_bridges", "i2"),  # bridges that stand
            ("segments", "i2", (MAX_FIGURES,)),  # where each figure stands
            ("looks", "u2", (MAX_SEGMENTS,)),  # what is shown of each segment's feature
            ("n_marks", "i4"),
            ("marks", "i4", (MAX_MARKS,)),  # places of what holds for one decision alone
        ],
        align=True,
    )
)

Shown = numba.from_dtype(SHOWN)
