"""The complete game in one numpy record.

A batch of games is an array of :data:`STATE`. Copying a record clones the game (the random numbers
are inside), writing its bytes saves it. Whatever only reads it writes nothing into it, not for a
moment: two games in the same position with the same history have the same bytes.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from carc_env.engine.compiler.python_ints import Record
from carc_env.engine.core.codes import (
    MAX_PLAYERS,
    N_FIGURES,
    N_GOODS,
    N_MARKERS,
    N_MEEPLES,
    N_STOCKS,
    Block,
    Figure,
    Kind,
    Phase,
    Plane,
)
from carc_env.engine.core.tiles import N_DESIGNS, ROWS, SEGMENTS

BOARD = 64
"""Cells per row and column of the table; the start tile lies at row and column ``CENTRE_LINE``."""
CENTRE_LINE = BOARD // 2
START_CELL = CENTRE_LINE * BOARD + CENTRE_LINE

MAX_BAG = max(
    sum(row["n"][edition] + row.get("promo", 0) for row in ROWS) for edition in ("C1", "C2")
)
MAX_TILES = MAX_BAG + MAX_PLAYERS
"""All tiles of the bag and an abbey for everybody."""
MAX_SEGMENTS = 2 * MAX_PLAYERS + max(
    sum(
        (row["n"][edition] + row.get("promo", 0)) * (len(found) + 1)
        for row, found in zip(ROWS, SEGMENTS, strict=True)
    )
    for edition in ("C1", "C2")
)
"""Printed segments, and room behind those of every tile for a bridge, abbeys included."""
N_WORDS = (MAX_SEGMENTS + 63) // 64
"""64-bit words of a set of features."""
MAX_FRONTIER = 2 * MAX_TILES + 2
MAX_CASTLES = 12
"""Castle tokens in the box (SET-04)."""
MAX_BAZAARS = max(
    sum(row["n"][edition] for row in ROWS if row.get("bazaar")) for edition in ("C1", "C2")
)
"""Bazaar tiles of the game."""
MAX_HILLS = max(
    sum(row["n"][edition] for row in ROWS if row.get("hill")) for edition in ("C1", "C2")
)
"""Hill tiles of the game."""

MAX_TOWERS = max(
    sum(row["n"][edition] for row in ROWS if row.get("tower")) for edition in ("C1", "C2")
)
"""Foundations of towers in the game."""

FIGURE_SLOTS = (
    *(Figure.MEEPLE,) * 7,
    *(
        Figure.LARGE,
        Figure.ABBOT,
        Figure.MAYOR,
        Figure.WAGON,
        Figure.BUILDER,
        Figure.PIG,
        Figure.BARN,
        Figure.SHEPHERD,
    ),
)
"""The figure kind of each of a seat's slots: 7 normal meeples (BASE-01), one of each other kind."""
SLOTS_PER_SEAT = len(FIGURE_SLOTS)
MAX_FIGURES = MAX_PLAYERS * SLOTS_PER_SEAT
MAX_EVENTS = 2 * MAX_FIGURES + MAX_PLAYERS * N_GOODS + N_MARKERS + 1
"""What one decision can score: it ends one placement at most, and the game behind it. No figure is
scored twice in it, with the fairy or not, no seat twice for a good, each marker has one holder, and
the fairy gives a point to the next player."""

NO_TILE = -1
NO_SEGMENT = -1
NO_FIGURE = -1
NO_DESIGN = -1
NO_CORNER = -1
NO_CELL = -1
NO_ROUND = -1
NO_SEAT = -1
NO_LOT = -1
NO_SIDE = -1
NO_TOWER = -1
ONE_ROUND, UNTIL_BLOCKED, LOST = 0, 1, 2
"""Values of ``rules.abbey_endgame``."""
NO_INNS, RIVER_INNS, ALL_INNS = range(3)
"""Values of ``rules.inns``; the inn of The River II may count alone (RIV2-09)."""
DRAGON_STEPS = 6
"""Steps of a flight, whatever the number of players (PD-10)."""
NO_PRINCESS, MAY_REMOVE, MUST_REMOVE = range(3)
"""Values of ``rules.princesses``."""
NO_TOKEN = -1
NO_HILLS, ANY_HILL, MOST_HILLS = range(3)
"""Values of ``rules.hills``."""
NO_MARKERS, PER_FEATURE, TEN_EACH, FIFTEEN_FORTY, RUNNING = range(5)
"""Values of ``rules.king_robber``."""

_RULES = [
    ("n_players", "i2"),
    ("view_size", "i2"),  # cells per row and column of the window
    ("owned", "i2", (N_FIGURES,)),  # figures of each kind that a seat has
    ("stock", "i2", (N_STOCKS,)),  # what a seat begins with besides figures
    ("unit", "i2", (N_STOCKS,)),  # how much of it the globals show as 1; 0: not in play
    ("small_city_points", "i2"),  # 4 or 2 (BASE-13)
    ("abbot_recall_completed", "i2"),  # 1: allowed (ABT-14)
    ("abbot_recall_second_part", "i2"),  # 1: allowed (ABT-21)
    ("abbey_endgame", "i2"),  # ONE_ROUND, UNTIL_BLOCKED or LOST (ABB-20)
    ("wagon_links", "i2"),  # 1: wagons move along links, first edition (WAG-20)
    ("wagon_rolls", "i2"),  # 1: wagons roll over complete features (HOUSE-01)
    ("inns", "i2"),  # NO_INNS, RIVER_INNS or ALL_INNS: which inns and cathedrals count (INN-02)
    ("goods", "i2"),  # 1: trade goods are collected (TRA-01)
    ("one_bridge_a_turn", "i2"),  # 1: in all parts of a turn together (BRI-20)
    ("late_bridges", "i2"),  # 1: a bridge may follow the figure (BRI-10)
    ("castle_cap", "i2"),  # the least that half of a castle must be, see tiles.CAP (CAS-02)
    ("fief_in_row", "i2"),  # 1: the fief lies west and east of tiles side by side (CAS-15)
    ("asks_castles", "i2"),  # 1: lords choose what their castle takes (CAS-22)
    ("wagon_neighbours", "i2"),  # 1: wagons leave a castle to its neighbours (WAG-17)
    ("bazaars", "i2"),  # 1: bazaar tiles start bazaars
    ("bazaar_takes", "i2"),  # 1: without auction (BAZ-23)
    ("builder_first", "i2"),  # 1: the second part of a turn comes before its bazaar (BAZ-21)
    ("forbids_overbids", "i2"),  # 1: no bid above the own score (BAZ-12)
    ("seller_again", "i2"),  # 1: who sold is the next chooser (BAZ-09)
    ("skips_unplaceable", "i2"),  # 1: no other tile for a bought one without a place (BAZ-27)
    ("bid_limit", "i2"),
    ("king_robber", "i2"),  # how King and Robber score (KR-16), or NO_MARKERS
    ("shrines", "i2"),  # 1: shrines and monasteries are rivals (CULT-03, CULT-06)
    ("losers_move", "i2"),  # 1: a wagon that loses a challenge may move on (CULT-19)
    ("clear_ahead", "i2"),  # 1: a river needs free cells ahead (RIV2-04)
    ("river_bars_abbeys", "i2"),  # 1: no abbey while the river is being laid (RIV2-15)
    ("pig_herd", "i2"),  # 1: the pig-herd helps farmers (RIV2-10)
    ("pig_herd_for_barns", "i2"),  # 1: and barns (HOUSE-05)
    ("hills", "i2"),  # who wins ties on hills: ANY_HILL, MOST_HILLS; or NO_HILLS (HS-03)
    ("vineyards", "i2"),  # 1: vineyards count for monasteries (HS-15)
    ("acts_elsewhere", "i2"),  # 1: figure actions reach other tiles than the one just placed
    ("dragon", "i2"),  # 1: volcanoes bring the dragon, dragon tiles let it fly (PD-03, PD-09)
    ("dragon_late", "i2"),  # 1: it flies after scoring (PD-09)
    ("withholds_dragons", "i2"),  # 1: no dragon tile is drawn before a volcano lies (PD-07)
    ("fairy", "i2"),  # 1: the fairy is in play (PD-30)
    ("fairy_on_tile", "i2"),  # 1: it stands on a tile, not beside a meeple (PD-31)
    ("fairy_in_castle", "i2"),  # 1: it may stand beside a lord (XPD-14)
    ("fairy_on_tower", "i2"),  # 1: it may stand beside a meeple on a tower (PD-42)
    ("princesses", "i2"),  # NO_PRINCESS, MAY_REMOVE or MUST_REMOVE (PD-51)
    ("wagon_safe", "i2"),  # 1: the dragon does not eat wagons (HOUSE-03)
    ("portals", "i2"),  # 1: magic portals lead to other tiles (PD-65)
    ("captures_tops", "i2"),  # 1: towers reach meeples on other ones (TOW-20)
    ("eats_tops", "i2"),  # 1: the dragon eats meeples on towers (TOW-21)
    ("early_ransom", "i2"),  # 1: a ransom may be paid before the tile is placed (TOW-25)
    ("mayor_safe", "i2"),  # 1: towers do not capture mayors (HOUSE-02)
    ("auto_single", "i2"),  # 1: settle() takes decisions with one choice itself
    ("first_action", "i4", (len(Block),)),  # of each block, -1 where it is absent
    # Tile designs in play:
    ("start_design", "i2"),
    ("n_designs", "i2"),
    ("design_slot", "i2", (N_DESIGNS,)),  # number among the designs in play
    ("copies", "i2", (N_DESIGNS,)),  # copies of each design, the start tile included
    ("slot_copies", "i2", (N_DESIGNS,)),  # the same by number among the designs in play
    # Observations: numbers of the planes that depend on the rules, -1 where absent:
    ("figure_plane", "i2", (N_FIGURES,)),  # among the planes of a seat
    ("planes_per_seat", "i2"),
    ("n_phases", "i2"),  # phases that can occur
    ("phase_slot", "i2", (len(Phase),)),  # number among them
    ("first_plane", "i2", (len(Plane),)),  # of each group that depends on the rules
]
_PLAYER = [
    ("score", "i4"),
    ("supply", "i2", (N_FIGURES,)),  # figures not on the board, by kind
    ("stock", "i2", (N_STOCKS,)),  # what it has in hand or has collected besides figures
    ("prisoners", "i2", (MAX_PLAYERS, N_MEEPLES)),  # held of each seat, by kind (TOW-11)
    ("wagon_from", "i2"),  # segment that the wagon was scored on and may move from, or NO_SEGMENT
]
_TILE = [
    ("design", "i2"),  # its form: the design, or the design with a bridge over it
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
    ("n_tiles", "i2"),  # of a road or city: each tile once (BASE-15); of a field: meaningless
    ("n_open", "i2"),  # open sides of a city or road, empty neighbours of a monastery or garden
    ("shields", "i2"),  # coats of arms of a city; complete cities and castles beside a field
    ("bonus", "i2"),  # inns of a road, cathedrals of a city, where they count; castles of a field
    ("figure", "i2"),  # a figure on it, or NO_FIGURE: the entry to the ring of all of them
]
_COMPLETED = [
    ("n_features", "i2"),  # how many roads or cities are complete
    ("largest", "i2"),  # tiles of the largest of them, 0 without any
    ("n_largest", "i2"),  # how many have that many tiles
]
_FIGURE = [
    ("segment", "i2"),  # where it stands, or NO_SEGMENT: in the supply
    ("next", "i2"),  # next figure on the same feature, in a ring
    ("corner", "i2"),  # of the segment's tile, where a barn stands; else NO_CORNER
]
_FRONTIER = [
    ("cell", "i2"),  # empty cell with a tile beside it
    ("edges", "u2"),  # edge kinds that a tile there must show, four bits a side, 0: any
]
_CASTLE = [
    ("segment", "i2"),  # one of its two
    ("points", "i2"),  # what it has taken in the scoring that is going on
]
_TOWER = [
    ("tile", "i2"),  # with its foundation
    ("height", "i2"),  # floors
    ("seat", "i2"),  # owner of the meeple that closes it (TOW-16), or NO_SEAT
    ("figure", "i2"),  # its kind, or NO_FIGURE
]
_LOT = [
    ("design", "i2"),  # NO_DESIGN when its owner has taken it in hand
    ("owner", "i2"),  # seat that has bought it, or NO_SEAT
]
_BAZAAR = [
    ("starter", "i2"),  # seat whose bazaar it is; NO_SEAT without a bazaar
    ("resumes", "i2"),  # seat whose normal turn it is
    ("waits", "i2"),  # 1: its tiles lie face down until the second part of the turn (BAZ-21)
    ("place", "i2"),  # then the place in the bag from which the first of them was drawn
    ("owed_part", "i2"),  # first_part of the second part that follows it, or NO_TILE (BAZ-20)
    ("owed_bridged", "i2"),  # has_bridged of that part
    ("owed_ransomed", "i2"),  # ransomed of the turn that it belongs to (TOW-26)
    ("takes", "i2"),  # 1: tiles are taken, not auctioned
    ("lots", _LOT, (MAX_PLAYERS,)),
    ("chooser", "i2"),  # seat that has put a lot up for sale or is about to; NO_SEAT: no auction
    ("lot", "i2"),  # number of the lot, or NO_LOT
    ("price", "i2"),  # highest bid
    ("bidder", "i2"),  # whose it is, or NO_SEAT before the first
    ("n_delayed", "i2"),
    ("delayed", "i2", (MAX_BAZAARS,)),  # seats whose bazaars wait, the next one first
]
_EVENT = [
    ("kind", "i2"),  # kind of the feature that was scored
    ("seat", "i2"),  # who got the points
    ("points", "i2"),
    ("feature", "i2"),  # which one, or NO_SEGMENT
    ("figure", "i2"),  # kind of the seat's figures that were scored for it, or NO_FIGURE
]


def as_records(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The same layout with :class:`Record` scalars at every level, for use without the JIT."""
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


STATE = as_records(
    np.dtype(
        [
            ("rng", "u8"),  # state of the generator (bag.py)
            ("rules", _RULES),
            ("phase", "i2"),  # Phase
            ("turn", "i2"),  # turns completed
            ("turn_player", "i2"),
            ("decider", "i2"),  # seat that decides now; need not be the turn player
            ("hand", "i2"),  # design in the turn player's hand, or NO_DESIGN
            ("first_part", "i2"),  # tile of the first part in the second of a turn, else NO_TILE
            ("extends", "i2"),  # 1: this placement extended the turn player's builder's feature
            ("is_bought", "i2"),  # 1: the tile in hand or just placed comes from a bazaar
            ("has_bridged", "i2"),  # 1: the bridge of this placement or turn is built
            ("town", "i2"),  # segment of the town or castle that is decided on, or NO_SEGMENT
            ("pig_herd", "i2"),  # segment of its field, or NO_SEGMENT before it lies
            ("wagon_cell", "i2"),  # cell chosen for a wagon in phase WAGON_SPOT, or NO_CELL
            ("chosen_cell", "i2"),  # cell chosen for a figure in phase ELSEWHERE, or NO_CELL
            ("dragon", "i2"),  # cell of the dragon, or NO_CELL before the first volcano (PD-02)
            ("n_flown", "i2"),  # cells in flown, 0 when the dragon does not fly
            ("flown", "i2", (DRAGON_STEPS + 1,)),  # cells of its flight, the first one included
            ("fairy", "i2"),  # cell of the fairy, or NO_CELL
            ("fairy_figure", "i2"),  # the meeple beside it, or NO_FIGURE
            ("fairy_top", "i2"),  # 1: it stands beside the meeple on the tower of its cell
            ("tower", "i2"),  # number of the tower that may capture now, or NO_TOWER
            ("ransomed", "i2"),  # 1: the ransom of this turn is paid (TOW-26)
            ("last_round", "i2"),  # seats still to be asked for their abbey, or NO_ROUND
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
            ("n_castles", "i2"),
            ("n_towers", "i2"),
            ("n_hidden", "i2"),  # tiles under hills (HS-02)
            ("hidden", "i2", (MAX_HILLS,)),  # the places in the bag from which they were drawn
            ("token", "i2"),  # kind of sheep token that the last decision drew, or NO_TOKEN
            ("next_token", "i2"),  # kind of sheep token that is drawn next, NO_TOKEN: at random
            ("n_events", "i2"),
            ("players", _PLAYER, (MAX_PLAYERS,)),
            ("bag", "i2", (MAX_BAG,)),  # designs; bag[n_bag - 1] is next, from n_bag on: drawn
            ("tiles", _TILE, (MAX_TILES,)),  # in the order of placement
            ("segments", _SEGMENT, (MAX_SEGMENTS,)),
            ("features", _FEATURE, (MAX_SEGMENTS,)),
            ("completed", _COMPLETED, (Kind.CITY + 1,)),  # by kind: ROAD and CITY (KR-09, KR-10)
            ("figures", _FIGURE, (MAX_FIGURES,)),  # slot of seat p: p * SLOTS_PER_SEAT + slot
            ("frontier", _FRONTIER, (MAX_FRONTIER,)),
            ("board", "i2", (BOARD * BOARD,)),  # 0 empty, t + 1 tile t, -(f + 1) frontier entry f
            ("castles", _CASTLE, (MAX_CASTLES,)),  # in order of age
            ("towers", _TOWER, (MAX_TOWERS,)),  # in the order in which foundations were placed
            ("bazaar", _BAZAAR),
            ("events", _EVENT, (MAX_EVENTS,)),  # what the last decision scored, in order
            ("rolled", "u8", (N_WORDS,)),  # set of features that the moving wagon rolled over
        ],
        align=True,
    )
)

State = numba.from_dtype(STATE)
States = State[::1]
Template = numba.types.Array(State, 1, "C", readonly=True)


def new_states(n: int) -> npt.NDArray[Any]:
    """An array of ``n`` zeroed game records; :func:`carc_env.engine.entry.begin` fills them."""
    return np.zeros(n, STATE)


def states_from_bytes(content: bytes) -> npt.NDArray[Any]:
    """A writable array of the records that ``states.tobytes()`` gave.

    Copy records this way: numpy's own copy leaves the padding between fields undefined, and then
    equal games would not have equal bytes.
    """
    return np.frombuffer(bytearray(content), STATE)
