"""Phases, kinds, goods, figures and spots: one name for each code, in kernels and in Python.

Records hold the numbers. Kernels compare and store members directly: ``s.phase == Phase.CASTLE``.
Only Python can convert a number back, ``Phase(s.phase).name``, and iterate over an enum.
"""

from enum import IntEnum, IntFlag


class Code(IntEnum):
    """An integer code for kernels that prints as its name."""

    def __str__(self) -> str:
        return self.name


class Phase(Code):
    """The question that the decider must answer (TURN-01, docs/rules/base.md)."""

    DRAW_OR_ABBEY = 0
    PLACE_TILE = 1
    FIGURE = 2
    INGOT = 3
    MAGIC = 4
    MAGIC_SPOT = 5
    ELSEWHERE = 6
    CAPTURE = 7
    EXCHANGE = 8
    BRIDGE = 9
    LANDING = 10
    SECOND = 11
    SECOND_SPOT = 12
    TUNNEL = 13
    FERRY = 14
    FERRIES = 15
    FLOCK = 16
    FLIGHT = 17
    CASTLE = 18
    JOIN = 19
    JOIN_SPOT = 20
    CASTLE_CHOICE = 21
    SHARE = 22
    WAGON = 23
    WAGON_SPOT = 24
    ENTER = 25
    COUNT = 26
    CIRCLE = 27
    SOW = 28
    SOW_SPOT = 29
    REAP = 30
    REAP_SPOT = 31
    ESCAPE = 32
    ESCAPE_SPOT = 33
    BAZAAR_PICK = 34
    BAZAAR_BID = 35
    BAZAAR_DEAL = 36
    GAME_OVER = 37


class Kind(Code):
    """The type of a tile segment or feature. ``NOTHING`` pads tables.

    No tile shows a ``CASTLE``: a city can become one (CAS-07). ``GOODS`` (TRA-02), ``KING`` and
    ``ROBBER`` (KR-09), ``FLOCK`` (HS-31), ``FAIRY`` (PD-34, PD-36), ``GOLD`` (GOL-12),
    ``WATCHTOWER`` (WT-03), ``WIND_ROSE`` (WR-04), ``CHURCH`` (DAR-05) and ``TRAP`` (RUS-13) only
    label what the points were scored for. ``LINES`` are the row and column of a special monastery:
    meeples that lie on it are on a segment of this kind (MON-03, MON-06).
    """

    NOTHING = 0
    FIELD = 1
    ROAD = 2
    CITY = 3
    MONASTERY = 4
    GARDEN = 5
    CASTLE = 6
    GOODS = 7
    KING = 8
    ROBBER = 9
    FLOCK = 10
    FAIRY = 11
    GOLD = 12
    WATCHTOWER = 13
    WIND_ROSE = 14
    CHURCH = 15
    TRAP = 16
    LINES = 17


class Quarter(Code):
    """The quarters of the city of Carcassonne, clockwise (COU-03)."""

    CASTLE = 0
    MARKET = 1
    BLACKSMITH = 2
    CATHEDRAL = 3


class Good(Code):
    """Trade goods: symbols in cities, and tokens given to players who complete them (TRA-01)."""

    WINE = 0
    GRAIN = 1
    CLOTH = 2


class Figure(Code):
    """The pieces that a player can put on the board."""

    MEEPLE = 0
    LARGE = 1
    ABBOT = 2
    MAYOR = 3
    WAGON = 4
    PHANTOM = 5
    BUILDER = 6
    PIG = 7
    BARN = 8
    SHEPHERD = 9


class Stock(Code):
    """What players have in hand or collect, apart from figures."""

    ABBEY = 0
    BRIDGE = 1
    TOKEN = 2
    FLOOR = 3
    WINE = 4
    GRAIN = 5
    CLOTH = 6
    KING = 7
    ROBBER = 8
    SHEEP_1 = 9
    SHEEP_2 = 10
    SHEEP_3 = 11
    SHEEP_4 = 12
    INGOT = 13
    TUNNEL = 14
    SHED = 15
    HOUSE = 16
    TOWER = 17


class Block(Code):
    """Action blocks in the order of their numbers; figure blocks follow the order of ``Figure``."""

    TILE = 0
    MEEPLE = 1
    LARGE = 2
    ABBOT = 3
    MAYOR = 4
    WAGON = 5
    PHANTOM = 6
    BUILDER = 7
    PIG = 8
    BARN = 9
    SHEPHERD = 10
    RECALL = 11
    BRIDGE = 12
    WAGON_MOVE = 13
    TAKE = 14
    ACCEPT = 15
    DECLINE = 16
    PICK = 17
    BID = 18
    FAIRY = 19
    REMOVE = 20
    DRAGON = 21
    FLOOR = 22
    TOP = 23
    UNSEAT = 24
    FAIRY_TOP = 25
    EXCHANGE = 26
    RANSOM = 27
    ENTER = 28
    COUNT = 29
    RETURN = 30
    RETURN_TOP = 31
    RETURN_SHEPHERD = 32
    FETCH = 33
    ESCAPE = 34
    INGOT = 35
    SHARE = 36
    FLY = 37
    REMOVE_ONE = 38
    RETURN_ONE = 39
    MAGE = 40
    WITCH = 41
    MAGE_OFF = 42
    WITCH_OFF = 43
    TUNNEL = 44
    FERRY = 45
    ALL_SOW = 46
    ALL_REAP = 47
    REAP = 48
    BUILDING = 49
    FREE_TREE = 50
    FREE_WATER = 51
    SEIZE = 52
    FAIRY_TRAP = 53
    PASS = 54


class Plane(Code):
    """Groups of planes that some rules add after the fixed ones, in order."""

    BONUS = 0
    GOODS = 1
    RIVER = 2
    ABBEY = 3
    WAGON = 4
    BRIDGE = 5
    CASTLE = 6
    SHRINE = 7
    PIG_HERD = 8
    HILL = 9
    VINEYARD = 10
    ELSEWHERE = 11
    DRAGON = 12
    FAIRY = 13
    TOWER = 14
    CARCASSONNE = 15
    SIEGE = 16
    GOLD = 17
    FLIER = 18
    TUNNEL = 19
    FERRY = 20
    MAGIC = 21
    WATCHTOWER = 22
    WIND_ROSE = 23
    CIRCLE = 24
    DARMSTADT = 25
    BUILDING = 26
    PROMOS = 27
    LABYRINTH = 28
    LINES = 29
    SEATS = 30


class Spot(Code):
    """A spot on a placed tile where a figure can stand, in board orientation.

    Cities and roads are named by their first side, and fields by their first half-edge (clockwise
    from the north-west corner). Monasteries and gardens are ``mid``; fields that touch no edge of
    the tile are ``in0`` and ``in1``. The corners ``NE`` to ``NW`` are for barns and stand for the
    field there. On special monasteries, meeples stand on ``mid`` or are ``lying``.
    """

    N = 0
    E = 1
    S = 2
    W = 3
    Nw = 4
    Ne = 5
    En = 6
    Es = 7
    Se = 8
    Sw = 9
    Ws = 10
    Wn = 11
    mid = 12
    in0 = 13
    in1 = 14
    NE = 15
    SE = 16
    SW = 17
    NW = 18
    lying = 19


class Outcome(Code):
    """Outcomes of chance outside the bag, in the order in which random numbers map to them."""

    ONE_SHEEP = 0
    TWO_SHEEP = 1
    THREE_SHEEP = 2
    FOUR_SHEEP = 3
    WOLF = 4
    ONE_CELL = 5
    TWO_CELLS = 6
    THREE_CELLS = 7


N_KINDS = len(Kind)
N_OUTCOMES = len(Outcome)
SEGMENT_KINDS = tuple(Kind)[Kind.FIELD : Kind.GARDEN + 1]
"""Kinds of tile segments, except ``LINES``."""
N_QUARTERS = len(Quarter)
N_GOODS = len(Good)
N_MARKERS = len((Stock.KING, Stock.ROBBER))
N_FIGURES = len(Figure)
N_MEEPLES = int(Figure.BUILDER)
"""Number of meeple kinds; they come first in ``Figure``."""
N_STOCKS = len(Stock)
FIRST_FIGURE = int(Block.MEEPLE)
"""The block of the first figure kind."""
FIRST_GOOD = int(Stock.WINE)
"""The first good among the items that players collect."""
FIRST_SHEEP = int(Stock.SHEEP_1)
"""The first kind of sheep token among the items that players collect."""
N_SHEEP = len((Stock.SHEEP_1, Stock.SHEEP_2, Stock.SHEEP_3, Stock.SHEEP_4))
N_CORNERS = 4
N_ROTATIONS = 4
N_SPOTS = int(Spot.NE)
"""Number of spots that name a segment, except ``lying``; the corners follow them."""
FIRST_HALF = int(Spot.Nw)
FIRST_ENCLOSED = int(Spot.in0)
FIRST_CORNER = int(Spot.NE)

# Edge kinds, one bit each, so that a tile's four edges fit into sixteen bits.
EDGE_FIELD, EDGE_ROAD, EDGE_CITY, EDGE_RIVER = 1, 2, 4, 8
EDGE_WALL = EDGE_ROAD | EDGE_CITY
"""An edge inside the city of Carcassonne, whose tiles lie there before the game begins (COU-01)."""
EDGE_ABBEY = 0
"""The abbey's edge: no bits, because it fits beside any edge and closes it (ABB-04, ABB-09)."""

AT_A_CELL = (
    *(Phase.MAGIC_SPOT, Phase.ELSEWHERE, Phase.LANDING, Phase.SECOND_SPOT),
    *(Phase.JOIN_SPOT, Phase.SOW_SPOT, Phase.REAP_SPOT, Phase.ESCAPE_SPOT),
)
"""Questions about a cell that was chosen, or rolled, for a figure."""
GOES_ON = (*AT_A_CELL, Phase.CAPTURE, Phase.EXCHANGE, Phase.FERRY, Phase.COUNT)
"""Questions that only ask how a choice continues: on another tile, across a lake, or with the
count."""
BEFORE_FIGURE = (Phase.INGOT, Phase.MAGIC, Phase.MAGIC_SPOT)
"""Questions between placing a tile and the figure action; those about magic can also follow a token
or a ferry."""
AFTER_FIGURE = (Phase.SECOND, Phase.TUNNEL, Phase.FERRIES)
"""Questions that can follow the figure action before anything is scored."""
LAST_BEFORE_SCORING = Phase.JOIN_SPOT
"""The last question before the features completed by the latest tile are scored."""
LAST_OF_PLACEMENT = Phase.ESCAPE_SPOT
"""The last question about the tile just placed; the first one is ``FIGURE``."""

MAX_PLAYERS = 6

SIDE_SPOTS = tuple(Spot(k) for k in range(4))
HALF_SPOTS = tuple(Spot(FIRST_HALF + k) for k in range(8))
CORNER_SPOTS = tuple(Spot(FIRST_CORNER + k) for k in range(N_CORNERS))
SHARED_SPOTS = (*SIDE_SPOTS, Spot.mid)
"""Spots on roads, cities, monasteries and gardens, but not on fields (FLY-07)."""
FIGURE_SPOTS: dict[Figure, tuple[Spot, ...]] = {
    Figure.MEEPLE: (*tuple(Spot)[:N_SPOTS], Spot.lying),
    Figure.LARGE: (*tuple(Spot)[:N_SPOTS], Spot.lying),
    Figure.ABBOT: (Spot.mid, Spot.lying),
    Figure.MAYOR: SIDE_SPOTS,
    Figure.WAGON: (*SHARED_SPOTS, Spot.lying),
    Figure.PHANTOM: (*tuple(Spot)[:N_SPOTS], Spot.lying),
    Figure.BUILDER: SIDE_SPOTS,
    Figure.PIG: HALF_SPOTS,
    Figure.BARN: CORNER_SPOTS,
    Figure.SHEPHERD: (*HALF_SPOTS, Spot.in0, Spot.in1),
}
"""The spots that each figure can ever stand on, in the order of its action block. For some figures
the last one is ``lying``, which exists only in games with special monasteries."""


class Problem(IntFlag):
    """Invariants that a state can violate; ``entry.problems`` returns the sum of those violated."""

    EDGES = 1
    """Adjacent tiles show different edges (BASE-04)."""
    FRONTIER = 2
    """The list of free cells or their required edges do not match the tiles."""
    FEATURES = 4
    """The segments, tiles, open sides or coats of arms of a feature, or the complete features, are
    miscounted."""
    FIGURES = 8
    """Figures are lost or duplicated, or stand where they are not allowed (GAR-01, ABT-03)."""
    TILES = 16
    """Tiles are lost or duplicated."""
    VIEW = 32
    """A tile lies outside the view."""
    TURN = 64
    """The phase, the tile in hand and the players are inconsistent."""
    UNSCORED = 128
    """A complete feature, or a field with a barn, still has its figures (BASE-18, BARN-12)."""
    STOCK = 256
    """Bridges, castle tokens, goods or markers are lost, duplicated or invented.

    BRI-01, CAS-01, TRA-01, KR-17.
    """
    CASTLES = 512
    """The castle list differs from the castles on the board, or lists a non-town (CAS-02)."""
    BAZAAR = 1024
    """The offer, owners, bids and phase are inconsistent (BAZ-03 to BAZ-11)."""
    RIVALS = 2048
    """A shrine or monastery has two rivals (CULT-03, CULT-04)."""
    DRAGON = 16384
    """Dragon and flight are inconsistent, or a figure is on the dragon's tile (PD-06, PD-11)."""
    FAIRY = 32768
    """The fairy is not beside a meeple on her tile (PD-31, PD-40)."""
    HIDDEN = 4096
    """A tile under a hill was never drawn, or appears twice (HS-02)."""
    FLOCKS = 8192
    """Sheep lack a shepherd, are lost or duplicated, or wait in a closed field (HS-01, HS-34)."""
    TOWERS = 65536
    """Floors are lost, a bare foundation is closed, or prisoners remain (TOW-04, TOW-23)."""
    COUNT = 131072
    """A meeple that may not be in Carcassonne is there, or a question has no subject (COU-09)."""
    GOLD = 262144
    """There are more ingots than gold mines have provided, or nobody can choose from them.

    GOL-02, GOL-08.
    """
    TUNNELS = 524288
    """Tunnel mouths are miscounted, or tokens are lost, duplicated or placed too early (TUN-02)."""
    FERRIES = 1048576
    """Lakes are miscounted, or roads do not run as their ferries require (FER-05)."""
    MAGIC = 2097152
    """The mage or witch stands where it cannot, or a question about them has no cause (MW-06)."""
    BUILDINGS = 4194304
    """Little buildings are lost, duplicated, or stand where nobody can have built one (LB-03)."""
    TRAPS = 8388608
    """A figure is in a trap that does not exist or cannot hold it, or too many figures are spared.

    RUS-07 to RUS-09.
    """
    LABYRINTHS = 16777216
    """A labyrinth is not listed, or meeples are counted that were on no completed road (LAB-07)."""
