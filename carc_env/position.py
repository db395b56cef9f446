"""A position as people see it: tiles, figures, scores, who moves next. Plain values, no engine.

Coordinates are absolute: the start tile lies at (0, 0), x grows to the east, y to the south.
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
"""A segment on the board: the cell of its tile and the spot that names it there."""
BuildingKind = Literal["shed", "house", "tower"]
"""The kinds of little buildings."""
Sides = Literal["NE", "NS", "NW", "ES", "EW", "SW"]
"""Two sides of a tile."""

UNKNOWN_TILE = "?"
"""Stands for a tile that nobody has seen."""
MAX_SCORE = 1_000_000
"""More than any game reaches, and small enough that the record can add a game's points to it."""

_BEYOND = {Spot.N: (0, -1), Spot.E: (1, 0), Spot.S: (0, 1), Spot.W: (-1, 0)}


def halves_of(place: Place) -> tuple[Place, Place]:
    """Return the two segments of a town or castle, the given one first."""
    x, y, spot = place
    dx, dy = _BEYOND[spot]
    return place, (x + dx, y + dy, Spot((spot + 2) % 4))


@dataclass(frozen=True, slots=True)
class PlacedTile:
    """A tile on the board; ``rotation`` counts clockwise quarter turns of the stored layout.

    ``bridge`` is the direction of the bridge over it, in board orientation.
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
    """A castle, named by one of its two segments.

    ``points`` are those that it has taken from a feature in the current scoring.
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
    """A meeple of a seat that another seat has captured."""

    captor: int
    seat: int
    figure: Figure


@dataclass(frozen=True, slots=True, order=True)
class Waiting:
    """A meeple of a seat that waits in a quarter of Carcassonne."""

    seat: int
    quarter: Quarter
    figure: Figure


@dataclass(frozen=True, slots=True, order=True)
class Trapped:
    """A figure of a seat in a trap: Solovei's tree, or Vodyanoy's water."""

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
    """A token of a seat on the mouth of a tunnel, and the number of its pair, from 1."""

    x: int
    y: int
    spot: Spot
    seat: int
    pair: int


@dataclass(frozen=True, slots=True)
class Ferry:
    """A ferry on the lake of a tile, and the two sides between which it lies."""

    x: int
    y: int
    sides: Sides


@dataclass(frozen=True, slots=True)
class Ferried:
    """The lake of a ferry that was moved in this placement, with its former sides; None if laid."""

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
    """Number of meeples that stood on the road of a labyrinth that was just scored (LAB-07)."""

    x: int
    y: int
    n: int


@dataclass(frozen=True, slots=True)
class Lot:
    """A tile on offer in a bazaar, and the seat that already owns it."""

    tile: str
    owner: int | None = None


@dataclass(frozen=True, slots=True)
class Bazaar:
    """A bazaar in progress.

    ``starter`` placed its tile; ``resumes`` is the seat whose normal turn it is. Tiles leave the
    ``offer`` when they are taken in hand. In an auction the ``chooser`` has put ``lot``, counted
    from 0, up for sale, and ``bidder`` holds the highest bid, ``price``. With ``takes`` there is no
    auction (BAZ-13, BAZ-23).

    While it ``waits`` for the second part of the starter's turn, its tiles lie face down (BAZ-21).
    ``owed`` is the tile of the first part if the second one follows the bazaar (BAZ-20); with
    ``owed_bridged`` the bridge of that turn is built, with ``owed_ransomed`` its ransom is paid.
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
    """Everything that the players can see, and the order of the bag if it is known.

    ``tiles`` are in the order of placement: under ``Phase.FIGURE`` the last one has just been
    placed. ``figures`` are ordered by tile, spot, seat and kind. ``aside`` are tiles out of the
    game (BASE-05), by name. ``bag`` is the draw order, first tile first, or ``None`` if it is
    unknown (then a game made from the position shuffles it).

    ``abbeys`` are the abbeys in hand by seat, empty without abbeys in play. ``wagons`` were just
    scored and wait for their owners, with their places, in the order in which they move; each
    counts in its owner's supply. ``wagon_target`` is the cell chosen in ``Phase.WAGON_SPOT``.
    ``rolled`` names the features that the first of them has left in this move (HOUSE-01).
    ``last_round`` is the number of seats still to be asked after this turn in the round of abbeys
    that follows the last land tile, ``None`` before it (ABB-20).

    ``bridges`` and ``tokens`` (for castles) are in hand by seat, empty if not in play.
    ``has_bridged``: the bridge of this placement is built (BRI-03), or of this turn (BRI-20).
    ``castles`` are by age. ``town`` is the town that the decider decides on in ``Phase.CASTLE``,
    named by its segment on the last tile, or the castle for which they choose in
    ``Phase.CASTLE_CHOICE``. ``lords`` are those of ``figures`` that have made a town a castle, as
    long as others decide on it or score it (CAS-37). ``is_bought``: the tile in hand or just placed
    comes from a bazaar. ``delayed`` are the seats whose bazaars wait (BAZ-18).

    ``goods`` are the tokens of wine, grain and cloth of every seat, empty without goods in
    play. In the second part of a turn ``first_part`` is the cell of the tile placed in the
    first (TRA-07). ``has_extended``: the tile just placed has extended the turn player's
    builder's road or city, so that a second part follows.

    ``chosen_cell`` is the cell chosen in ``Phase.ELSEWHERE`` or another such phase, or rolled in
    ``Phase.LANDING``. ``dragon`` is its cell, ``flown`` are the cells of the current flight, from
    its beginning (PD-11). ``fairy`` is its cell and ``fairy_beside`` the spot of the meeple beside
    it, ``None`` if that has gone (PD-40); ``fairy_seat`` is its owner if meeples of several seats
    stand on that spot (XW-05), else ``None``; ``fairy_on_top``: it is the one on the tower there
    (PD-42).

    ``used``: the figure action before the second figure was the ``"portal"``, which then leads no
    other figure anywhere, the ``"princess"``, after whom none follows, or the flying ``"machine"``,
    which carries one figure, else ``None`` (PHA-08, PHA-11, FLY-16). ``flies`` is the kind of the
    meeple that lands on ``chosen_cell`` in ``Phase.LANDING``.

    ``floors`` of towers are in hand by seat, empty if not in play. ``towers`` are those that have
    floors, in the order in which their tiles were placed; ``prisoners`` are sorted. ``captures`` is
    the cell of the tower that captures, in ``Phase.CAPTURE`` and the ``Phase.ELSEWHERE`` after it.
    ``has_ransomed``: the ransom of this turn is paid (TOW-26).

    ``count`` is the quarter where the count stands, ``None`` if he is not in play; ``waiting`` are
    the meeples in the quarters, sorted. ``scored`` are the seats that scored features through the
    tile just placed, until somebody is asked to enter Carcassonne (COU-04). ``has_entered``: a
    meeple went there in this turn; ``had_entered``: in the turn that continues after the bazaar
    (COU-06). ``leaves_last``: the final moves are in progress, in which ``declined`` are the seats
    that move no more meeples (COU-19).

    ``gold`` are the ingots on the board, in the order in which their tiles were placed, and who may
    take them during a scoring (GOL-07). ``ingots`` are those of every seat, empty without gold
    mines in play.

    ``tunnels`` are the tokens on mouths of tunnels, in the order in which their tiles were placed.
    ``has_dug``: one was laid in this turn; ``dug_at`` is its mouth if that was in this placement
    and is not scored yet; ``had_dug``: in the turn that continues after the bazaar (TUN-04).

    ``ferries`` are those on lakes, in the order in which their tiles were placed; ``ferried`` are
    those that this placement has laid or moved, until scoring (FER-10, FER-13).

    ``thieves`` are the meeples that were on completed roads of labyrinths, during the scoring of
    castles that follows (LAB-07).

    ``mage`` and ``witch`` are their segments, ``None`` beside the board. ``joined``: they have to
    part in ``Phase.MAGIC`` because a ``"token"`` or a ``"ferry"`` after the figure action has
    joined their features, ``"early token"`` if the second figure follows; ``None`` before it
    (MW-06, FER-24).

    ``built`` are the little buildings on tiles, in the order in which the tiles were placed;
    ``unbuilt`` are the sheds, houses and towers that every seat has left, empty if they are not in
    play. ``trapped`` are the figures in traps, sorted. ``spared`` is the number of figures on the
    road of Solovei's tree that stood beyond the nearest ones, and stay until it grows or a figure
    comes to it (RUS-07). ``monks``: special monasteries that were scored in this placement while
    others lie there, as long as castles have not taken them (XGM-05).

    ``king`` and ``robber`` are the seats that have these markers, ``None`` if nobody has (KR-02).

    ``hidden`` are the tiles under hills in the order in which they went there, ``UNKNOWN_TILE`` for
    unknown ones (HS-02); without a ``bag`` they are shuffled with it, even if they are named.
    ``sheep`` are the tokens beside every seat's shepherd by their sheep, in ascending order, empty
    without shepherds in play (HS-26).
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
        """Return the picture of the position, for notebooks."""
        svg: str = attribute_of("carc_env.render:board_svg")(self)
        return svg
