"""Lanes: the record and the buffer rows that each game exchanges with Python."""

from collections import namedtuple

import numba
import numpy as np
from numba import float32, int8, int32, uint8

from carc_env.engine.core.codes import MAX_PLAYERS
from carc_env.engine.core.state import as_records
from carc_env.engine.flow.legal import MAX_LEGAL
from carc_env.engine.sight.shown import Shown

ASKED = 0
"""The player of a seat: the lane's holder, or for others ``RANDOM`` or an evaluation's address."""
NO_ACTION, SETTLE, ANY_ACTION = (-(2**62) - k for k in range(3))
"""Used in place of an action: leave the game alone; only proceed to the next decision, as in a game
that has just begun; or take a random legal action for the seat that is asked."""

LANE = as_records(
    np.dtype(
        [
            ("action", "i8"),  # next action of the seat that is asked, or one of the codes above
            ("seat", "i8"),  # seat whose view is shown
            ("follows", "i8"),  # 1: the view is always that of the seat that is asked
            ("is_new", "i8"),  # 1: the game has begun and has not been shown yet
            ("waits", "i8"),  # 1: a seat other than the one shown must be asked first
            ("players", "i8", (MAX_PLAYERS,)),  # the player of each seat
            ("first_weight", "i8", (MAX_PLAYERS,)),  # start of the weights of its evaluation
            ("scheme", "i8"),  # reward scheme, see earnings.py
            ("rival_weight", "f8"),  # weight of the best opponent's points in the scheme
            ("scores", "i8", (MAX_PLAYERS,)),  # scores already covered by rewards
            ("standings", "i8", (MAX_PLAYERS,)),  # standings covered, if the scheme uses them
            ("rewards", "f8", (MAX_PLAYERS,)),  # what each seat earned in the last step
            ("owed", "f8", (MAX_PLAYERS,)),  # what each seat has earned since it was last shown
            ("reward", "f8"),  # what the seat shown has earned since it was last shown
            ("n_legal", "i8"),  # legal actions of the seat that is asked; 0 when the game is over
            ("legal", "u2", (MAX_LEGAL,)),  # the legal actions that are shown
            ("n_shown", "i8"),  # number of legal actions that the mask shows
        ],
        align=True,
    )
)

Lane = numba.from_dtype(LANE)
Lanes = Lane[::1]

Canvas = namedtuple(
    "Canvas", "shown boards globals masks legal n_legal indices weights n_active own places"
)
"""Buffers for what many games show; the first axis is the game.

shown: records of :data:`carc_env.engine.sight.shown.SHOWN`
boards: uint8 (n, rows, columns)
globals: float32 (n, n_globals)
masks: int8 (n, n_actions), or (n, 0) if no masks are wanted
legal, n_legal: int32 (n, max_legal), padded with -1, or (n, 0); int32 (n, 1)
indices, weights: int32 and uint8 (n, max_active), padded with n_features and 0, or (n, 0)
n_active: int32 (n, 1), the number of indices and weights
own, places: float32 (n, n_own) and int32 (n, 2 * n_own), in a shared layout: a first row of scratch
    for the globals that a game's rules have, and the runs of them in ``globals``, each with its
    first index and its length; otherwise (n, 0)
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
        float32[:, ::1],
        int32[:, ::1],
    ],
    Canvas,
)
