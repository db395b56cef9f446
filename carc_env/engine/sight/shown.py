"""A record of what a buffer shows, kept with every board that is updated."""

import numba
import numpy as np

from carc_env.engine.core.sizes import MAX_SEGMENTS
from carc_env.engine.core.state import MAX_FIGURES, MAX_FRONTIER, PARTS, as_records

MAX_MARKS = 4 * MAX_FRONTIER + len(("last tile", "chosen")) + sum(part.marks for part in PARTS)
"""Number of marks: candidates, the last tile, a chosen tile, and the marks made by sets."""

MAX_WATCHED = sum(part.watched for part in PARTS)
"""Number of features that sets can report because their look may have changed."""

SHOWN = as_records(
    np.dtype(
        [
            ("seat", "i2"),  # the seat whose view it is
            ("by_tile", "i2"),  # 1: the board has one row per tile; 0: one row per cell of the view
            ("n_tiles", "i2"),  # 0: nothing is shown yet
            ("view_row", "i2"),
            ("view_column", "i2"),
            ("n_castles", "i2"),
            ("n_bridges", "i2"),  # bridges on the board
            ("n_built", "i2"),  # little buildings on tiles
            ("segments", "i2", (MAX_FIGURES,)),  # where each figure stands
            # In a shared layout: globals that the rules themselves have, and runs of them there
            ("n_own", "i2"),
            ("n_runs", "i2"),
            ("looks", "u2", (MAX_SEGMENTS,)),  # look shown for each segment's feature
            ("n_watched", "i2"),
            ("watched", "i2", (MAX_WATCHED,)),  # segments of the features that sets reported
            ("n_marks", "i4"),
            ("marks", "i4", (MAX_MARKS,)),  # places of the marks for this decision
        ],
        align=True,
    )
)

Shown = numba.from_dtype(SHOWN)
