"""Lanes: the record and rows of buffers that each game exchanges with Python."""

from collections import namedtuple

import numba
import numpy as np
from numba import float32, int8, int32, uint8

from carc_env.engine.core.codes import MAX_PLAYERS
from carc_env.engine.core.state import as_records
from carc_env.engine.flow.legal import MAX_LEGAL
from carc_env.engine.sight.shown import Shown

ASKED = 0
"""Who plays a seat: the holder of the lane; else ``RANDOM`` or the address of an evaluation."""
NO_ACTION, SETTLE, ANY_ACTION = (-(2**62) - k for k in range(3))
"""Instead of an action: leave the game alone; only go on to the next decision, as in a game that
has just begun; take a random legal action for the seat that is asked."""

LANE = as_records(
    np.dtype(
        [
            ("action", "i8"),  # next action of the seat that is asked, or one of the above
            ("seat", "i8"),  # seat whose view is shown
            ("follows", "i8"),  # 1: the view is always that of the seat that is asked
            ("is_new", "i8"),  # 1: the game has begun, and was not shown yet
            ("waits", "i8"),  # 1: another seat than the one shown must be asked first
            ("players", "i8", (MAX_PLAYERS,)),  # who plays each seat
            ("first_weight", "i8", (MAX_PLAYERS,)),  # start of its evaluation's weights
            ("scheme", "i8"),  # of the rewards, see earnings.py
            ("rival_weight", "f8"),  # weight of the best opponent's points in it
            ("scores", "i8", (MAX_PLAYERS,)),  # scores up to which rewards were given
            ("standings", "i8", (MAX_PLAYERS,)),  # the same for standings, if the scheme uses them
            ("rewards", "f8", (MAX_PLAYERS,)),  # what each seat earned in the last step
            ("owed", "f8", (MAX_PLAYERS,)),  # what each seat earned since it was shown last
            ("reward", "f8"),  # what the seat shown earned since it was shown last
            ("n_legal", "i8"),  # legal actions of the seat that is asked; 0 when the game is over
            ("legal", "u2", (MAX_LEGAL,)),  # those that are shown
            ("n_shown", "i8"),  # how many of them the mask shows
        ],
        align=True,
    )
)

Lane = numba.from_dtype(LANE)
Lanes = Lane[::1]

Canvas = namedtuple("Canvas", "shown boards globals masks legal n_legal indices weights n_active")
"""Buffers that hold what many games show; the first axis counts games.

shown: records of :data:`carc_env.engine.sight.shown.SHOWN`
boards: uint8 (n, rows, columns)
globals: float32 (n, n_globals)
masks: int8 (n, n_actions), or (n, 0) if none is wanted
legal, n_legal: int32 (n, max_legal), padded with -1, or (n, 0); int32 (n, 1)
indices, weights: int32 and uint8 (n, max_active), padded with n_features and 0, or (n, 0)
n_active: int32 (n, 1), how many of them there are
"""

CanvasType = numba.types.NamedTuple(
    [
        Shown[::1],
        uint8[:, :, ::1],
        float32[:, ::1],
        int8[:, ::1],
        int32[:, ::1],
        int32[:, ::1],
        int32[:, ::1],
        uint8[:, ::1],
        int32[:, ::1],
    ],
    Canvas,
)
