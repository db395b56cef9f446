"""The terms in which a set declares how it looks: on tiles, on the board, in the panel, as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from carc_env.engine.core.codes import Figure, Kind
from carc_env.position import Cell, Place, PlacedFigure, Position
from carc_env.render.pieces import Box, Piece
from carc_env.render.shapes import Point
from carc_env.render.survey import Survey
from carc_env.rules import Rules
from carc_env.sets import import_all
from carc_env.systems.declaring import Choice


@dataclass(frozen=True)
class Court:
    """A place where figures stand together on something built over their segment.

    ``stand`` is in board units, and ``step`` is the distance from one figure to the next;
    ``letter`` represents the ground there as text.
    """

    kind: Kind
    stand: Point
    step: float
    letter: str


@dataclass(frozen=True)
class Thing:
    """Small things that look the same for all players, in the first row below the meeples.

    ``in_hand`` is how many the seats have left, empty if the things are not in play; ``each`` is
    how many they begin with. The things are lined up from the left, or at the right end of the row
    if ``is_right``.
    """

    name: str
    in_hand: Callable[[Position], tuple[int, ...]]
    each: Callable[[Rules], int]
    is_right: bool = False

    def left(self, position: Position, seat: int) -> int:
        """Return how many of these things a seat has in hand."""
        in_hand = self.in_hand(position)
        return in_hand[seat] if in_hand else 0


@dataclass(frozen=True)
class Token:
    """A player's unique thing, drawn after their figures; takes position, seat, spot and size."""

    is_there: Callable[[Position], bool]
    draw: Callable[[Position, int, Point, float], str]


@dataclass(frozen=True)
class Row:
    """A row on a player's card; takes position, seat and the y of its middle.

    ``has_figures``: the row is shared with figures that make room for other figures.
    """

    is_there: Callable[[Position], bool]
    draw: Callable[[Position, int, float], str]
    has_figures: bool = False


OUTLINE = 'stroke="{dark}" stroke-width'
"""The outline of a detail on a figure, without its width."""


@dataclass(frozen=True)
class Form:
    """A figure's look: outline, details drawn on it, and the player's letter.

    ``details`` is SVG with ``{dark}`` for the player's dark colour. In text, ``brackets`` enclose
    the letter.
    """

    path: str
    details: str = ""
    letter_y: float = 5.2  # baseline
    letter_size: float = 5.4
    scale: float = 1.0
    brackets: str = ""


def _none(*_: Any) -> tuple[()]:
    return ()


def _nothing(*_: Any) -> None:
    return None


def _no_words(*_: Any) -> str:
    return ""


def _no_courts(_: Position) -> dict[Place, Court]:
    return {}


@dataclass(frozen=True)
class Drawing:
    """Everything that a set adds to pictures and text. Every part is called in all positions.

    Attributes
    ----------
    moves
        Whether the set is drawn and listed after sets whose things do not move.

    symbols
        Drawings used only by this set, by name, with their natural radius.
    directed
        The symbols that point somewhere. Each gets one of eight directions, clockwise from the
        north, which turns with the tile.
    letters
        Letters on tiles as text, by the names of drawings in ``render/symbols.py``.
    emblem
        The sign that a city's facts put into it: the name of a drawing.
    before_farmers, after_farmers
        Find room for other things on tiles; farmers stand where these things leave the most room.
    designs
        Whole tiles as text, by tile ID.

    figures
        The set's figures, and how they look.
    makes_room
        Whether its figures stand in a lower row of the panel, if a row accepts them.
    waiting
        Figures that have temporarily left the board: ghosts where they stood.
    away
        Seat and kind of each figure that is neither on the board nor in hand.
    courts
        Places for figures on something built over their segments.
    beside
        Drawings next to one of its figures at a spot; the last argument is the scale.
    target
        The cell that the decider has chosen.
    below, above
        Drawings on the board below and above the figures.
    area
        The board area of an action that names no cell.

    thing, token, row
        A player's things, on their card.
    notes
        Words on a card about who does what, if an offer needs the space.
    hand
        A drawing that replaces the tile in hand; None if the tile itself is drawn.
    hand_note
        A drawing next to the tile in hand, above the number of tiles left.
    offer_height, offer
        The maximum height of the drawings below the tile in hand, and the drawings.
    heading
        The marked player's task, used where it is clearer than ``Question``.
    part
        The part of the turn.

    has, collected
        A player's other possessions, and the things that they have collected.
    task
        The decider's task, where ``Question`` would describe it less well.
    turn, state, lines
        Facts about this turn, facts about the game, and facts on separate lines.
    """

    moves: bool = False

    symbols: Mapping[str, tuple[Callable[[int], str], float]] = field(default_factory=dict)
    directed: tuple[str, ...] = ()
    letters: Mapping[str, str] = field(default_factory=dict)
    emblem: Callable[[Mapping[str, Any]], str | None] = _nothing
    before_farmers: Callable[[Survey], None] = _nothing
    after_farmers: Callable[[Survey], None] = _nothing
    designs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    figures: Mapping[Figure, Form] = field(default_factory=dict)
    makes_room: bool = False
    waiting: Callable[[Position], tuple[PlacedFigure, ...]] = _none
    away: Callable[[Position], Iterable[tuple[int | None, Figure | None]]] = _none
    courts: Callable[[Position], Mapping[Place, Court]] = _no_courts
    beside: Callable[[Position, PlacedFigure, Point, float], str] = _no_words
    target: Callable[[Position], Cell | None] = _nothing
    below: Callable[[Position], Iterable[Piece]] = _none
    above: Callable[[Position], Iterable[Piece]] = _none
    area: Callable[[Choice], Box | None] = _nothing

    thing: Thing | None = None
    token: Token | None = None
    row: Row | None = None
    notes: Callable[[Position, int], Iterable[str]] = _none
    hand: Callable[[Position], str | None] = _nothing
    hand_note: Callable[[Position], str] = _no_words
    offer_height: Callable[[Position], float] = lambda _: 0.0
    offer: Callable[[Position], Iterable[Piece]] = _none
    heading: Callable[[Position], str] = _no_words
    part: Callable[[Position], str] = _no_words

    has: Callable[[Position, int], Iterable[str]] = _none
    collected: Callable[[Position, int], Iterable[str]] = _none
    task: Callable[[Position], str] = _no_words
    turn: Callable[[Position], str] = _no_words
    state: Callable[[Position], str] = _no_words
    lines: Callable[[Position], Iterable[str]] = _none


@cache
def drawings() -> tuple[Drawing, ...]:
    """Return all sets' drawings, in set order; sets with moving things come last."""
    found = [
        declared
        for module in import_all("drawing")
        for declared in vars(module).values()
        if isinstance(declared, Drawing)
    ]
    return tuple(sorted(found, key=lambda drawing: drawing.moves))


@cache
def drawing_of(figure: Figure) -> Drawing:
    """Return the drawing of the set that a figure belongs to; an empty one for the base game."""
    return next((drawing for drawing in drawings() if figure in drawing.figures), Drawing())


def area_of(choice: Choice) -> Box | None:
    """Return where an action without a cell is shown on the board; None for other actions."""
    return next((found for d in drawings() if (found := d.area(choice)) is not None), None)


def courts_in(position: Position) -> dict[Place, Court]:
    """Return all courts on the board."""
    return {place: court for d in drawings() for place, court in d.courts(position).items()}


def waiting_in(position: Position) -> tuple[PlacedFigure, ...]:
    """Return all figures waiting where they stood, starting with the one that moves next."""
    return tuple(figure for drawing in drawings() for figure in drawing.waiting(position))
