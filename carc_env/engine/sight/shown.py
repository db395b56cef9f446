"""A record of what a buffer shows: beside every board that is kept up to date."""

import numba
import numpy as np

from carc_env.engine.core.sizes import MAX_SEGMENTS
from carc_env.engine.core.state import MAX_FIGURES, MAX_FRONTIER, PARTS, as_records

MAX_MARKS = 4 * MAX_FRONTIER + len(("last tile", "chosen")) + sum(part.marks for part in PARTS)
"""Candidates, the last tile, one that was chosen, and the marks of sets."""

MAX_WATCHED = sum(part.watched for part in PARTS)
"""Features that sets name because their look may have changed."""

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
            ("n_built", "i2"),  # little buildings on tiles
            ("segments", "i2", (MAX_FIGURES,)),  # where each figure stands
            ("looks", "u2", (MAX_SEGMENTS,)),  # the look shown of each segment's feature
            ("n_watched", "i2"),
            ("watched", "i2", (MAX_WATCHED,)),  # segments whose features sets named
            ("n_marks", "i4"),
            ("marks", "i4", (MAX_MARKS,)),  # places of marks for one decision
        ],
        align=True,
    )
)

Shown = numba.from_dtype(SHOWN)
