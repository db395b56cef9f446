"""Lanes: what many games exchange with Python, one record beside each game."""

import numba
import numpy as np

from carc_env.engine.codes import MAX_PLAYERS
from carc_env.engine.state import as_records

ASKED, RANDOM, GREEDY = 0, 1, 2
"""Who plays a seat: whoever holds the lane, or a built-in player."""
NO_ACTION = -1

LANE = as_records(
    np.dtype(
        [
            ("action", "i8"),  # what the seat that is asked does next, or NO_ACTION
            ("seat", "i8"),  # whose view is shown
            ("players", "i8", (MAX_PLAYERS,)),  # who plays each seat
            ("n_legal", "i8"),  # legal actions of the seat that is asked; 0 when the game is over
        ],
        align=True,
    )
)

Lanes = numba.from_dtype(LANE)[::1]
