"""A human-readable position: tiles, figures, scores, who moves next. Plain values, no engine.

Coordinates are absolute: the start tile is at (0, 0), x grows to the east, and y grows to the
south.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from carc_env.engine.core.codes import Figure, Phase, Quarter, Spot
from carc_env.entry_points import attribute_of
from carc_env.rules import Rules

Cell = tuple[int, int]
"""Coordinates (x, y) on the table."""
Place = tuple[int, int, Spot]
"""A segment on the board: its tile's cell, and the spot that names it there."""
BuildingKind = Literal["shed", "house", "tower"]
"""The kinds of little building."""
Sides = Literal["NE", "NS", "NW", "ES", "EW", "SW"]
"""Two sides of a tile."""

UNKNOWN_TILE = "?"
"""Stands for a tile that nobody has seen."""
MAX_SCORE = 1_000_000
"""More than any game reaches, and small enough that the record can add a game's points to it."""

_BEYOND = {Spot.N: (0, -1), Spot.E: (1, 0), Spot.S: (0, 1), Spot.W: (-1, 0)}


def halves_of(place: Place) -> tuple[Place, Place]:
    """Return the two segments of a town or castle, starting with the given one."""
    x, y, spot = place
    dx, dy = _BEYOND[spot]
    return place, (x + dx, y + dy, Spot((spot + 2) % 4))


@dataclass(frozen=True, slots=True)
class PlacedTile:
    """A tile on the board; ``rotation`` is in clockwise quarter turns from the stored layout.

    ``bridge`` is the direction of the bridge across it, in board orientation.
    """

    tile: str
    x: int
    y: int
    rotation: int
    bridge: Literal["NS", "EW"] | None = None


@dataclass(frozen=True, slots=True)
class PlacedFigure:
    """A figure on the board; ``spot`` names its segment in board orientation."""

    seat: int
    figure: Figure
    x: int
    y: int
    spot: Spot


@dataclass(frozen=True, slots=True)
class Castle:
    """A castle, identified by one of its two segments.

    ``points`` are the points that it has taken from a feature in the current scoring step.
    """

    x: int
    y: int
    spot: Spot
    points: int = 0


@dataclass(frozen=True, slots=True)
class Tower:
    """A tower: its cell, its floors, and the meeple that closes it, if any, with its owner."""

    x: int
    y: int
    height: int
    seat: int | None = None
    figure: Figure | None = None


@dataclass(frozen=True, slots=True, order=True)
class Prisoner:
    """A meeple that belongs to one seat and was captured by another."""

    captor: int
    seat: int
    figure: Figure


@dataclass(frozen=True, slots=True, order=True)
class Waiting:
    """A seat's meeple that waits in a quarter of Carcassonne."""

    seat: int
    quarter: Quarter
    figure: Figure


@dataclass(frozen=True, slots=True, order=True)
class Trapped:
    """A seat's figure in a trap: Solovei's tree or Vodyanoy's water."""

    seat: int
    trap: Literal["tree", "water"]
    figure: Figure


@dataclass(frozen=True, slots=True)
class Pile:
    """Ingots on a tile, and the seats that may take some of them now."""

    x: int
    y: int
    ingots: int
    seats: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Token:
    """A seat's token on a tunnel mouth, and the number of its pair, from 1."""

    x: int
    y: int
    spot: Spot
    seat: int
    pair: int


@dataclass(frozen=True, slots=True)
class Ferry:
    """A ferry on a tile's lake, and the two sides that it connects."""

    x: int
    y: int
    sides: Sides


@dataclass(frozen=True, slots=True)
class Ferried:
    """The lake of a ferry moved in this placement, with its former sides; None if newly placed."""

    x: int
    y: int
    before: Sides | None = None


@dataclass(frozen=True, slots=True)
class Building:
    """A little building on a tile."""

    x: int
    y: int
    kind: BuildingKind


@dataclass(frozen=True, slots=True)
class Thieves:
    """Number of meeples that stood on the road of a labyrinth when it was scored (LAB-07)."""

    x: int
    y: int
    n: int


@dataclass(frozen=True, slots=True)
class Lot:
    """A tile on offer in a bazaar, and the seat that already owns it, if any."""

    tile: str
    owner: int | None = None


@dataclass(frozen=True, slots=True)
class Bazaar:
    """A bazaar in progress.

    ``starter`` placed the bazaar's tile; ``resumes`` is the seat whose normal turn it is. Tiles
    leave the ``offer`` when they are taken in hand. In an auction, the ``chooser`` has put ``lot``,
    counted from 0, up for sale, and ``bidder`` holds the highest bid, ``price``. If ``takes`` is
    set, there is no auction (BAZ-13, BAZ-23).

    While the bazaar ``waits`` for the second part of the starter's turn, its tiles lie face down
    (BAZ-21). ``owed`` is the tile of the first part if the second part follows the bazaar (BAZ-20);
    ``owed_bridged`` and ``owed_ransomed`` show whether that turn's bridge is built and its ransom
    paid.
    """

    starter: int
    resumes: int
    offer: tuple[Lot, ...] = ()
    takes: bool = False
    chooser: int | None = None
    lot: int | None = None
    price: int | None = None
    bidder: int | None = None
    waits: bool = False
    owed: tuple[int, int] | None = None
    owed_bridged: bool = False
    owed_ransomed: bool = False


@dataclass(frozen=True, slots=True)
class Position:
    """Everything that the players can see, and the bag order if it is known.

    ``tiles`` are in placement order: in ``Phase.FIGURE``, the last tile has just been placed.
    ``figures`` are ordered by tile, spot, seat and kind. ``aside`` lists the tiles that are out of
    the game (BASE-05), by name. ``bag`` is the draw order, first tile first, or ``None`` if it is
    unknown; a game created from the position then shuffles it.

    ``abbeys`` are the abbeys in hand by seat, empty if abbeys are not in play. ``wagons`` are the
    wagons just scored, with their places, in the order in which their owners move them; each counts
    toward its owner's supply. ``wagon_target`` is the cell chosen in ``Phase.WAGON_SPOT``.
    ``rolled`` names the features that the first of these wagons has left in this move (HOUSE-01).
    ``last_round`` is the number of seats still to be asked after this turn in the round of abbeys
    that follows the last land tile, ``None`` before that round (ABB-20).

    ``bridges`` and ``tokens`` (for castles) are in hand by seat, empty if not in play.
    ``has_bridged`` shows whether the bridge of this placement (BRI-03) or of this turn (BRI-20) is
    built. ``castles`` are ordered by age. ``town`` is the town about which the decider is asked in
    ``Phase.CASTLE``, named by its segment on the last tile, or the castle for which they choose in
    ``Phase.CASTLE_CHOICE``. ``lords`` are those among ``figures`` that have turned a town into a
    castle, as long as other players decide about it or score it (CAS-37). ``is_bought`` shows
    whether the tile in hand or just placed comes from a bazaar. ``delayed`` are the seats whose
    bazaars are delayed (BAZ-18).

    ``goods`` are every seat's wine, grain and cloth tokens, empty if goods are not in play. In the
    second part of a turn, ``first_part`` is the cell of the tile placed in the first part (TRA-07).
    ``has_extended`` shows whether the tile just placed has extended the road or city of the turn
    player's builder, so that a second part follows.

    ``chosen_cell`` is the cell chosen in ``Phase.ELSEWHERE`` or a similar phase, or the cell rolled
    in ``Phase.LANDING``. ``dragon`` is the dragon's cell, and ``flown`` are the cells of its
    current flight, from the start (PD-11). ``fairy`` is the fairy's cell, and ``fairy_beside`` is
    the spot of the meeple next to it, ``None`` if that meeple has gone (PD-40). ``fairy_seat`` is
    that meeple's owner if meeples of several seats stand on that spot (XW-05), else ``None``.
    ``fairy_on_top`` shows whether it is the meeple on the tower there (PD-42).

    ``used`` is set if the figure action before the second figure was one of three: the
    ``"portal"``, which then leads no other figure anywhere; the ``"princess"``, after whom no
    second figure follows; or the flying ``"machine"``, which carries one figure (PHA-08, PHA-11,
    FLY-16). Otherwise, it is ``None``. ``flies`` is the kind of the meeple that lands on
    ``chosen_cell`` in ``Phase.LANDING``.

    ``floors`` are tower floors in hand by seat, empty if not in play. ``towers`` are the towers
    with at least one floor, in the order in which their tiles were placed; ``prisoners`` are
    sorted. ``captures`` is the cell of the tower that captures, in ``Phase.CAPTURE`` and the
    ``Phase.ELSEWHERE`` after it. ``has_ransomed`` shows whether this turn's ransom is paid
    (TOW-26).

    ``count`` is the quarter where the count stands, ``None`` if he is not in play; ``waiting`` are
    the meeples in the quarters, sorted. ``scored`` are the seats that scored features through the
    tile just placed, until somebody is asked to enter Carcassonne (COU-04). ``has_entered`` shows
    whether a meeple entered in this turn; ``had_entered``, whether one entered in the turn that
    continues after the bazaar (COU-06). ``leaves_last`` shows whether the final moves are in
    progress, in which ``declined`` are the seats that move no more meeples (COU-19).

    ``gold`` are the ingots on the board, in the order in which their tiles were placed, and the
    seats that may take them during scoring (GOL-07). ``ingots`` are every seat's ingots, empty if
    gold mines are not in play.

    ``tunnels`` are the tokens on tunnel mouths, in the order in which their tiles were placed.
    ``has_dug`` shows whether a token was placed in this turn; ``dug_at`` is its mouth if that
    happened in this placement and is not scored yet. ``had_dug`` shows whether a token was placed
    in the turn that continues after the bazaar (TUN-04).

    ``ferries`` are the ferries on lakes, in the order in which their tiles were placed; ``ferried``
    are the ferries placed or moved in this placement, until scoring (FER-10, FER-13).

    ``thieves`` are the meeples that were on completed labyrinth roads, during the castle scoring
    that follows (LAB-07).

    ``mage`` and ``witch`` are their segments, ``None`` if they are off the board. ``joined``
    explains why they must part in ``Phase.MAGIC``: a ``"token"`` or a ``"ferry"`` after the figure
    action has joined their features; ``"early token"`` if the second figure follows. It is ``None``
    before that action (MW-06, FER-24).

    ``built`` are the little buildings on tiles, in the order in which the tiles were placed;
    ``unbuilt`` are the sheds, houses and towers that every seat has left, empty if they are not in
    play. ``trapped`` are the figures in traps, sorted. ``spared`` is the number of figures on the
    road of Solovei's tree that stood beyond the nearest figures. They stay until the road grows or
    another figure comes to it (RUS-07). ``monks`` are special monasteries that were scored in this
    placement while other meeples lie there, as long as castles have not taken them (XGM-05).

    ``king`` and ``robber`` are the seats that hold these markers, ``None`` if nobody does (KR-02).

    ``hidden`` are the tiles under hills in the order in which they were put there, ``UNKNOWN_TILE``
    for unknown tiles (HS-02); without a ``bag``, they are shuffled along with it, even if they are
    named. ``sheep`` are the sheep tokens next to every seat's shepherd, by number of sheep in
    ascending order, empty if shepherds are not in play (HS-26).
    """

    rules: Rules
    tiles: tuple[PlacedTile, ...]
    figures: tuple[PlacedFigure, ...]
    scores: tuple[int, ...]
    phase: Phase
    turn_player: int
    decider: int
    tile_in_hand: str | None = None
    aside: tuple[str, ...] = ()
    bag: tuple[str, ...] | None = None
    abbeys: tuple[int, ...] = ()
    wagons: tuple[PlacedFigure, ...] = ()
    wagon_target: tuple[int, int] | None = None
    last_round: int | None = None
    rolled: tuple[Place, ...] = ()
    bridges: tuple[int, ...] = ()
    has_bridged: bool = False
    castles: tuple[Castle, ...] = ()
    tokens: tuple[int, ...] = ()
    town: Place | None = None
    lords: tuple[PlacedFigure, ...] = ()
    bazaar: Bazaar | None = None
    is_bought: bool = False
    delayed: tuple[int, ...] = ()
    goods: tuple[tuple[int, ...], ...] = ()
    first_part: tuple[int, int] | None = None
    has_extended: bool = False
    chosen_cell: Cell | None = None
    dragon: Cell | None = None
    flown: tuple[Cell, ...] = ()
    fairy: Cell | None = None
    fairy_beside: Spot | None = None
    fairy_seat: int | None = None
    fairy_on_top: bool = False
    used: Literal["portal", "princess", "machine"] | None = None
    flies: Figure | None = None
    floors: tuple[int, ...] = ()
    towers: tuple[Tower, ...] = ()
    prisoners: tuple[Prisoner, ...] = ()
    captures: Cell | None = None
    has_ransomed: bool = False
    gold: tuple[Pile, ...] = ()
    ingots: tuple[int, ...] = ()
    tunnels: tuple[Token, ...] = ()
    has_dug: bool = False
    dug_at: Place | None = None
    had_dug: bool = False
    ferries: tuple[Ferry, ...] = ()
    ferried: tuple[Ferried, ...] = ()
    trapped: tuple[Trapped, ...] = ()
    spared: int = 0
    thieves: tuple[Thieves, ...] = ()
    mage: Place | None = None
    witch: Place | None = None
    joined: Literal["early token", "token", "ferry"] | None = None
    built: tuple[Building, ...] = ()
    unbuilt: tuple[tuple[int, ...], ...] = ()
    monks: tuple[Cell, ...] = ()
    king: int | None = None
    robber: int | None = None
    hidden: tuple[str, ...] = ()
    sheep: tuple[tuple[int, ...], ...] = ()
    count: Quarter | None = None
    waiting: tuple[Waiting, ...] = ()
    scored: tuple[int, ...] = ()
    has_entered: bool = False
    had_entered: bool = False
    leaves_last: bool = False
    declined: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "aside", tuple(sorted(self.aside)))

    def _repr_svg_(self) -> str:
        """Return a picture of the position, for notebooks."""
        svg: str = attribute_of("carc_env.render:board_svg")(self)
        return svg
