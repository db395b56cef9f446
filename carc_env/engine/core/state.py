"""The complete game in one numpy record.

A batch of games is an array of :data:`STATE`. Copying a record clones the game, including its
random number generator; writing its bytes saves it. Functions that only read a record never write
to it, not even temporarily: two games in the same position with the same history have the same
bytes.

The fields below belong to every game; each set declares its own fields in its ``record.py``. A
field has the narrowest type that holds every value that can occur in a game, because searches and
training spend much of their time copying games.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from carc_env.engine.compiler.moments import N_LINKED
from carc_env.engine.compiler.python_ints import Record
from carc_env.engine.core.codes import (
    MAX_PLAYERS,
    N_CORNERS,
    N_FIGURES,
    N_OUTCOMES,
    N_ROTATIONS,
    N_STOCKS,
    Block,
    Figure,
    Kind,
    Phase,
    Plane,
)
from carc_env.engine.core.fields import ABSENT, Field, Fields, Part, layout_of
from carc_env.engine.core.sizes import MAX_BAG, MAX_SEGMENTS, MAX_START, MAX_TILES
from carc_env.engine.core.tiles import ABBEY_DESIGN, N_DESIGNS, N_FORMS
from carc_env.sets import import_all

# The outermost cells stay empty, so every tile has all its neighbours: kernels don't check the rim.
BOARD = 64
"""Number of rows and columns of the table; the start tile is at row and column ``CENTRE_LINE``."""
CENTRE_LINE = BOARD // 2
MAX_FRONTIER = 2 * MAX_TILES + 2

FIGURE_SLOTS = ((Figure.MEEPLE,) * 7) + tuple(Figure)[1:]
"""The figure kind in each of a seat's slots: 7 normal meeples (BASE-01), one of each other kind."""
SLOTS_PER_SEAT = len(FIGURE_SLOTS)
MAX_FIGURES = MAX_PLAYERS * SLOTS_PER_SEAT
NO_TILE = ABSENT
NO_SEGMENT = ABSENT
NO_FIGURE = ABSENT
NO_DESIGN = ABSENT
NO_CORNER = ABSENT
NO_CELL = ABSENT
NO_SEAT = ABSENT
NO_SIDE = ABSENT
NO_OUTCOME = ABSENT
NO_ROUND = ABSENT

PARTS: tuple[Part, ...] = tuple(found.PART for found in import_all("record"))
"""The record parts that sets declare, in the order of the set list."""
MAX_EVENTS = MAX_FIGURES + sum(part.events for part in PARTS)
"""Most scoring events in one decision. A decision ends at most one placement, and then perhaps the
game. No figure is scored twice in it, and sets declare their other scoring events."""

_START: Fields = (Field("design", "i2"), Field("rotation", "i2"), Field("cell", "i2"))
RULES: Fields = (
    Field("n_players", "i1"),
    Field("view_size", "i1"),  # cells per row and column in the window
    Field("owned", "i1", (N_FIGURES,)),  # figures of each kind that a seat has
    Field("stock", "i1", (N_STOCKS,)),  # what a seat starts with apart from figures
    Field("unit", "i1", (N_STOCKS,)),  # the amount shown as 1 in the globals; 0: not in play
    Field("small_city_points", "i1"),  # 4 or 2 (BASE-13)
    Field("rivals", "i1"),  # 1: shrines and monasteries are rivals (CULT-03, CULT-06)
    Field("acts_elsewhere", "i1"),  # 1: figure actions reach tiles other than the one just placed
    Field("shares_spots", "i1"),  # 1: several figures can stand on one spot (FLY-06, CRN-07)
    Field("auto_single", "i1"),  # 1: settle() makes decisions with a single choice itself
    *(field for part in PARTS for field in part.rules),
    Field("linked", "u1", (N_LINKED,)),  # a bit for each moment: whether a set in play is linked
    # 1: sets in play have steps before and after scoring (flow/steps.py)
    Field("steps_before", "i1"),
    Field("steps_behind", "i1"),
    Field("first_action", "i2", (len(Block),)),  # of each block; -1 if absent
    # Tile designs in play:
    Field("n_left_out", "i2"),  # tiles face up beside the table from the start (BASE-29)
    Field("n_start", "i1"),  # tiles on the table when a game begins
    Field("start", _START, (MAX_START,)),
    Field("n_designs", "i2"),
    # Index among the designs in play, -1 for all other designs:
    Field("design_slot", "i2", (N_DESIGNS,)),
    Field("slot_copies", "i1", (N_DESIGNS,)),  # by that index, including the start tile
    # Observations: indices of the planes that depend on the rules, -1 if absent:
    Field("figure_plane", "i1", (N_FIGURES,)),  # among a seat's planes
    Field("planes_per_seat", "i2"),
    Field("n_set_planes", "i2"),  # planes up to the last that a set in play has
    Field("n_phases", "i1"),  # phases that can occur
    Field("phase_slot", "i1", (len(Phase),)),  # index among them
    Field("first_plane", "i2", (len(Plane),)),  # of each rule-dependent group
    # 1: the rules themselves have the group; a shared layout can have more:
    Field("has_plane", "i1", (len(Plane),)),
)
_PLAYER: Fields = (
    Field("score", "i4"),
    Field("supply", "i1", (N_FIGURES,)),  # figures not on the board, by kind
    Field("stock", "i2", (N_STOCKS,)),  # what it has in hand or has collected, apart from figures
    *(field for part in PARTS for field in part.player),
)
_TILE: Fields = (
    # The tile's form: its design, or the design with a bridge over it
    Field("design", "i2", most=N_FORMS - 1),
    Field("rotation", "i2", most=N_ROTATIONS - 1),  # clockwise quarter turns
    Field("cell", "i2"),  # row * BOARD + column
    Field("first_segment", "i2"),  # number of its first segment
)
# A feature takes only eight bytes: searches and training spend much of their time on copying.
MOST_SEGMENTS_COUNTED = 255
"""Largest segment count that the record stores for a feature; the ring contains all segments."""
_SEGMENT: Fields = (
    Field("tile", "i2", most="tiles"),
    Field("feature", "i2", most="segments"),  # the connected feature that it belongs to
    Field("next", "i2", most="segments"),  # next segment of the feature, in a ring
)
_FEATURE: Fields = (  # indexed by one of its segments; n_segments is 0 for unused numbers
    Field("n_tiles", "i2"),  # for a road or city: each tile once (BASE-15); meaningless for fields
    Field("n_segments", "u1"),  # counted up to MOST_SEGMENTS_COUNTED
    Field("shields", "u1"),  # a city's coats of arms; complete cities and castles beside a field
    # A road's inns or a city's cathedrals, where they count; a field's castles:
    Field("bonus", "i1"),
    # A city's or road's open ends, a monastery's or garden's empty neighbours:
    Field("n_open", "i1"),
    Field("kind", "i1"),
    # A figure on it, or NO_FIGURE: the entry to the ring of all its figures
    Field("figure", "i1", most="figures", empty=NO_FIGURE),
)
_COMPLETED: Fields = (
    Field("n_features", "i2"),  # number of complete roads or cities
    Field("largest", "i2"),  # number of tiles of the largest one; 0 if there is none
    Field("n_largest", "i2"),  # number of features with that many tiles
)
_FIGURE: Fields = (
    # Where it stands; NO_SEGMENT if it is in the supply
    Field("segment", "i2", most="segments", empty=NO_SEGMENT),
    Field("next", "i1", most="figures", empty=NO_FIGURE),  # on the same feature, in a ring
    # For a barn, the corner of the segment's tile where it stands; else NO_CORNER
    Field("corner", "i1", most=N_CORNERS - 1, empty=NO_CORNER),
)
_FRONTIER: Fields = (
    Field("cell", "i2"),  # empty cell with a tile beside it
    Field("edges", "u2"),  # edge kinds that a tile there must show, four bits per side; 0: any
)
_EVENT: Fields = (
    Field("points", "i2"),
    Field("feature", "i2"),  # the feature that was scored, or NO_SEGMENT
    Field("kind", "i1"),  # its kind
    Field("seat", "i1"),  # the seat that scored
    Field("figure", "i1"),  # kind of the seat's figures that scored it, or NO_FIGURE
)
GAME: Fields = (
    Field("rng", "u8", is_history=True),  # state of the generator (bag.py)
    Field("rules", RULES),
    Field("phase", "i1", most=int(Phase.GAME_OVER)),
    Field("turn", "i2", most=2 * MAX_TILES, is_history=True),  # turns completed
    Field("turn_player", "i1", most="players"),
    Field("decider", "i1", most="players"),  # seat that decides now; not always the turn player
    # Design in the turn player's hand, or NO_DESIGN:
    Field("hand", "i2", most="designs", empty=NO_DESIGN),
    # The turn, and the round of the last abbeys that follows the last land tile:
    Field("first_part", "i2", most="tiles", empty=NO_TILE),  # in a second part: tile of the first
    Field("has_bridged", "i1"),  # 1: this placement or turn has had its bridge (BRI-03, BRI-20)
    Field("is_bought", "i1"),  # 1: the tile in hand or just placed came from a bazaar
    Field("last_round", "i1", empty=NO_ROUND),  # seats still to be asked for their abbey
    # Cell chosen for a figure in phase ELSEWHERE, or NO_CELL:
    Field("chosen_cell", "i2", most="cells", empty=NO_CELL),
    # Outcome of chance outside the bag (chance.py), or NO_OUTCOME: that of the last decision, and
    # the one chosen in advance for the next
    Field("token", "i1", most=N_OUTCOMES - 1, empty=NO_OUTCOME, is_history=True),
    Field("next_token", "i1", most=N_OUTCOMES - 1, empty=NO_OUTCOME),
    Field("view_row", "i2"),  # first row and column of the window
    Field("view_column", "i2"),
    Field("min_row", "i2", empty=CENTRE_LINE),  # bounding box of the tiles
    Field("max_row", "i2", empty=CENTRE_LINE),
    Field("min_column", "i2", empty=CENTRE_LINE),
    Field("max_column", "i2", empty=CENTRE_LINE),
    Field("n_bag", "i2", most=MAX_BAG),
    Field("n_tiles", "i2", most=MAX_TILES, least=1),
    Field("n_segments", "i2", most=MAX_SEGMENTS, least=1),
    Field("n_frontier", "i2", most=MAX_FRONTIER),
    Field("n_events", "i2", most=MAX_EVENTS, is_history=True),
    Field("players", _PLAYER, (MAX_PLAYERS,)),
    *(field for part in PARTS for field in part.game),
    # Designs; bag[n_bag - 1] is drawn next, those from n_bag on have been drawn
    Field("bag", "i2", (MAX_BAG,), most="designs", least=0),
    Field("tiles", _TILE, (MAX_TILES,)),  # in placement order
    Field("segments", _SEGMENT, (MAX_SEGMENTS,)),
    Field("features", _FEATURE, (MAX_SEGMENTS,)),
    Field("completed", _COMPLETED, (Kind.CITY + 1,)),  # by kind: ROAD and CITY (KR-09, KR-10)
    Field("figures", _FIGURE, (MAX_FIGURES,)),  # seat p's slots start at p * SLOTS_PER_SEAT
    Field("frontier", _FRONTIER, (MAX_FRONTIER,)),
    # 0: empty; t + 1: tile t; -(f + 1): frontier entry f
    Field("board", "i2", (BOARD * BOARD,)),
    Field("events", _EVENT, (MAX_EVENTS,), is_history=True),  # of the last decision, in order
)
COUNTED = {"cells": BOARD * BOARD, "figures": MAX_FIGURES, "designs": ABBEY_DESIGN}
"""Upper limits for items that records do not count, by the names used in field declarations."""


def as_records(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the same layout with :class:`Record` scalars at every level, for use without JIT."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return np.dtype((as_records(base), shape))
    if dtype.fields is None or dtype.names is None:
        return dtype
    layout = {
        "names": list(dtype.names),
        "formats": [as_records(dtype.fields[name][0]) for name in dtype.names],
        "offsets": [dtype.fields[name][1] for name in dtype.names],
        "itemsize": dtype.itemsize,
    }
    plain: np.dtype[Any] = np.dtype(layout, align=True)  # type: ignore[call-overload]
    return np.dtype((Record, plain))


STATE = as_records(np.dtype(layout_of(GAME), align=True))

State = numba.from_dtype(STATE)
States = State[::1]
Template = numba.types.Array(State, 1, "C", readonly=True)


def new_states(n: int) -> npt.NDArray[Any]:
    """Return ``n`` zeroed game records; :func:`carc_env.engine.entry.begin` fills them."""
    return np.zeros(n, STATE)


def states_from_bytes(content: bytes) -> npt.NDArray[Any]:
    """Return a writable array of the records in ``states.tobytes()``.

    Copy records with this function: numpy's own copy leaves the padding between fields undefined,
    so that equal games would not have equal bytes.
    """
    return np.frombuffer(bytearray(content), STATE)
