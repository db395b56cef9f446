"""The complete game in one numpy record.

A batch of games is an array of :data:`STATE`. Copying a record clones the game (the random numbers
are inside), writing its bytes saves it. Reading never changes it: two games in the same position
with the same history have the same bytes.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from carc_env.engine import codes
from carc_env.engine.codes import MAX_PLAYERS
from carc_env.engine.tiles import FACTS, SEGMENTS

BOARD = 64
"""Cells per row and column of the table; the start tile lies at row and column ``CENTRE_LINE``."""
CENTRE_LINE = BOARD // 2
START_CELL = CENTRE_LINE * BOARD + CENTRE_LINE

MAX_TILES = max(sum(row["n"][edition] for row in FACTS) for edition in ("C1", "C2"))
MAX_SEGMENTS = max(
    sum(row["n"][edition] * len(found) for row, found in zip(FACTS, SEGMENTS, strict=True))
    for edition in ("C1", "C2")
)
MAX_FRONTIER = 2 * MAX_TILES + 2
MAX_EVENTS = 64

FIGURE_SLOTS = (codes.MEEPLE,) * 7 + (codes.ABBOT,)
"""The figure kind of each of a seat's slots: 7 normal meeples (BASE-01) and the abbot (ABT-01)."""
SLOTS_PER_SEAT = len(FIGURE_SLOTS)
MAX_FIGURES = MAX_PLAYERS * SLOTS_PER_SEAT

NO_TILE = -1
NO_SEGMENT = -1
NO_FIGURE = -1
NO_DESIGN = -1

_RULES = [
    ("n_players", "i2"),
    ("view_size", "i2"),  # cells per row and column of the window
    ("abbot", "i2"),  # 1: abbots are in play
    ("small_city_points", "i2"),  # 4 or 2 (BASE-13)
    ("abbot_recall_completed", "i2"),  # 1: allowed (ABT-14)
    ("auto_single", "i2"),  # 1: step() takes decisions with one choice itself
    # First action of each block, see actions.py:
    ("meeple_block", "i4"),
    ("abbot_block", "i4"),
    ("recall_action", "i4"),
    ("pass_action", "i4"),
    ("n_actions", "i4"),
    # Tile designs in play:
    ("n_designs", "i2"),
    ("design_slot", "i2", (len(FACTS),)),  # number among the designs in play
    ("copies", "i2", (len(FACTS),)),  # copies of each design, the start tile included
]
_PLAYER = [
    ("score", "i4"),
    ("supply", "i2", (codes.N_FIGURES,)),  # figures not on the board, by kind
]
_TILE = [
    ("design", "i2"),
    ("rotation", "i2"),  # clockwise quarter turns
    ("cell", "i2"),  # row * BOARD + column
    ("first_segment", "i2"),  # its segments are numbered from here
]
_SEGMENT = [
    ("tile", "i2"),
    ("feature", "i2"),  # the connected feature that it is part of
    ("next", "i2"),  # next segment of the feature, in a ring
]
_FEATURE = [  # at the number of one of its segments; n_segments is 0 for numbers not in use
    ("kind", "i2"),
    ("n_segments", "i2"),
    ("n_tiles", "i2"),  # each tile once, however many segments it gives (BASE-15)
    ("n_open", "i2"),  # open sides of a city or road, empty neighbours of a monastery or garden
    ("shields", "i2"),  # coats of arms
    ("figure", "i2"),  # a figure on it, or NO_FIGURE: the entry to the ring of all of them
]
_FIGURE = [
    ("segment", "i2"),  # where it stands, or NO_SEGMENT: in the supply
    ("next", "i2"),  # next figure on the same feature, in a ring
]
_FRONTIER = [
    ("cell", "i2"),  # empty cell with a tile beside it
    ("edges", "i4"),  # edge kinds that a tile there must show, four bits a side, 0: any
]
_EVENT = [
    ("kind", "i2"),  # kind of the feature that was scored
    ("seat", "i2"),  # who got the points
    ("points", "i2"),
    ("feature", "i2"),
]


def _as_records(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The same layout with ``np.record`` scalars at every level.

    Then fields are attributes with and without the JIT; plain structured scalars have none.
    """
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return np.dtype((_as_records(base), shape))
    if dtype.fields is None or dtype.names is None:
        return dtype
    layout = {
        "names": list(dtype.names),
        "formats": [_as_records(dtype.fields[name][0]) for name in dtype.names],
        "offsets": [dtype.fields[name][1] for name in dtype.names],
        "itemsize": dtype.itemsize,
    }
    plain: np.dtype[Any] = np.dtype(layout, align=True)  # type: ignore[call-overload]
    return np.dtype((np.record, plain))


STATE = _as_records(
    np.dtype(
        [
            ("rng", "u8"),  # state of the generator (bag.py)
            ("rules", _RULES),
            ("phase", "i2"),  # codes.Phase
            ("turn", "i2"),  # turns completed
            ("turn_player", "i2"),
            ("decider", "i2"),  # seat that decides now; need not be the turn player
            ("hand", "i2"),  # design in the turn player's hand, or NO_DESIGN
            ("view_row", "i2"),  # first row and column of the window
            ("view_column", "i2"),
            ("min_row", "i2"),  # bounding box of the tiles
            ("max_row", "i2"),
            ("min_column", "i2"),
            ("max_column", "i2"),
            ("n_bag", "i2"),
            ("n_tiles", "i2"),
            ("n_segments", "i2"),
            ("n_frontier", "i2"),
            ("n_events", "i2"),
            ("players", _PLAYER, (MAX_PLAYERS,)),
            ("bag", "i2", (MAX_TILES,)),  # designs; bag[n_bag - 1] is next, from n_bag on: drawn
            ("tiles", _TILE, (MAX_TILES,)),  # in the order of placement
            ("segments", _SEGMENT, (MAX_SEGMENTS,)),
            ("features", _FEATURE, (MAX_SEGMENTS,)),
            ("figures", _FIGURE, (MAX_FIGURES,)),  # slot of seat p: p * SLOTS_PER_SEAT + slot
            ("frontier", _FRONTIER, (MAX_FRONTIER,)),
            ("board", "i2", (BOARD * BOARD,)),  # 0 empty, t + 1 tile t, -(f + 1) frontier entry f
            ("events", _EVENT, (MAX_EVENTS,)),  # what the last decision scored, in order
            ("seen", "u8", ((MAX_SEGMENTS + 63) // 64,)),  # scratch of scoring.py, zero at rest
        ],
        align=True,
    )
)

State = numba.from_dtype(STATE)
States = State[::1]
Template = numba.types.Array(State, 1, "C", readonly=True)


def new_states(n: int) -> npt.NDArray[Any]:
    """An array of ``n`` zeroed game records; :func:`carc_env.engine.batch.begin` fills them."""
    return np.zeros(n, STATE)


def states_from_bytes(content: bytes) -> npt.NDArray[Any]:
    """A writable array of the records that ``states.tobytes()`` gave.

    Copy records this way: numpy's own copy leaves the padding between fields undefined, and then
    equal games would not have equal bytes.
    """
    return np.frombuffer(bytearray(content), STATE)
