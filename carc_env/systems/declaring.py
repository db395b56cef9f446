"""The terms in which a system declares its additions to the game's interface."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal

import numpy.typing as npt

from carc_env.engine.core.codes import (
    Block,
    Figure,
    Outcome,
    Phase,
    Plane,
    Problem,
    Quarter,
    Spot,
    Stock,
)
from carc_env.position import Position, Sides
from carc_env.rules import Rules
from carc_env.words import SEATS, Page

When = Callable[[Rules], bool]


def always(_: Rules) -> bool:
    """Return True: the condition for all rules that have the system."""
    return True


@dataclass(frozen=True)
class Question:
    """A phase and its human-readable names.

    ``verb`` precedes the question's subject in the notation, as in ``[turn B acts]``. The subject
    is a position field that holds a tile or a cell, as in ``[turn B places bg-cap]``. ``heading``
    appears above the players in a picture; ``decider`` names the player who is asked, and ``asks``
    is the question itself. Passing, accepting and declining get their meaning from the names of
    these actions.
    """

    phase: Phase
    verb: str
    heading: str
    decider: str
    when: When = always
    about: Literal["tile_in_hand", "wagon_target", "chosen_cell"] | None = None
    passing: str = "pass"
    accepting: str = "accept"
    declining: str = "decline"
    asks: str = ""


class Anchor(Enum):
    """The origin that an action block's cells are relative to."""

    VIEW = "the north-west corner of the view"
    LAST_TILE = "the tile just placed"
    WAGON = "the tile of the moving wagon, or the one that was chosen for it"
    CHOSEN = "the tile that was chosen for a figure"
    DRAGON = "the dragon"
    DECIDER = "the decider: seats count clockwise"
    FIEF = "the castle that takes a feature: x is the number of the cell in its fief"
    MOUTH = "the mouths of tunnels in the order of their tiles: x is the number of the mouth"
    LAKE = "the lakes in the order of their tiles: x is the number of the lake"


@dataclass(frozen=True, slots=True)
class Choice:
    """An action as its parts; parts that it does not have are None.

    Attributes
    ----------
    kind : str
        The action's block, such as ``"tile"``, ``"meeple"`` or ``"bid"``.
    cell : tuple of int
        ``(x, y)``: table coordinates in a game; relative to the block's :class:`Anchor` in a
        layout.
    rotation : int
        Clockwise quarter turns of the tile.
    figure : Figure
        The figure to place.
    spot : Spot
        The figure's location on the tile.
    axis : {"NS", "EW", "NE", "NW", "ES", "SW"}
        The direction of a bridge, or the sides that a ferry connects.
    number : int
        The number of a tile on offer or of a pair of tokens, from 1; or the points in a bid.
    seat : int
        The prisoner's owner; in a layout, counted clockwise from the decider.
    quarter : Quarter
        A quarter of the city of Carcassonne.
    """

    kind: str
    cell: tuple[int, int] | None = None
    rotation: int | None = None
    figure: Figure | None = None
    spot: Spot | None = None
    axis: Sides | None = None
    number: int | None = None
    seat: int | None = None
    quarter: Quarter | None = None


def title_of(block: Block) -> str:
    """Return the title of an action block."""
    return block.name.lower().replace("_", " ")


@dataclass(frozen=True)
class Actions:
    """An action block.

    Attributes
    ----------
    block
        The block's code, which also determines its position among the blocks.
    meaning
        What its actions do, for the tables in the documentation.
    size
        The number of actions.
    choice
        The parts of the k-th action; by default, only the block itself.
    anchor
        The origin that its cells are relative to.
    word
        The name of its actions in a game, if it differs from the block's name.
    when
        An additional condition on rules that have the system.
    """

    block: Block
    meaning: str
    size: Callable[[Rules], int] = lambda _: 1
    choice: Callable[[int, Rules], Choice] | None = None
    anchor: Anchor | None = None
    word: str = ""
    when: When = always

    def at(self, k: int, rules: Rules) -> Choice:
        """Return the block's k-th action, with its cell relative to the anchor."""
        return self.choice(k, rules) if self.choice else Choice(title_of(self.block))


def name_of(choice: Choice, word: str = "") -> str:
    """Return a choice's name: ``tile 15,16 r2``, ``bridge 0,-1 EW``, ``bid 7``."""
    parts = [word or choice.kind]
    if choice.figure is not None and choice.figure.name.lower() != choice.kind:
        parts.append(choice.figure.name.lower())
    if choice.cell is not None:
        parts.append("{},{}".format(*choice.cell))
    if choice.rotation is not None:
        parts.append(f"r{choice.rotation}")
    if choice.spot is not None:
        parts.append(choice.spot.name)
    if choice.axis is not None:
        parts.append(choice.axis)
    if choice.number is not None:
        parts.append(str(choice.number))
    if choice.seat is not None:
        parts.append(f"from {SEATS[choice.seat]}")
    if choice.quarter is not None:
        parts.append(choice.quarter.name.lower())
    return " ".join(parts)


@dataclass(frozen=True)
class Planes:
    """Consecutive board planes; the engine finds them by their group.

    ``values`` describes the values that the planes hold where the meaning applies.
    """

    group: Plane
    names: tuple[str, ...]
    meaning: str
    values: str = "1"


@dataclass(frozen=True)
class Supply:
    """Things other than figures that every player has or collects.

    ``each`` is how many a player begins with. If players begin with different numbers, it is the
    highest, and ``dealt`` lists the numbers by seat. ``unit`` is the amount that the globals show
    as 1. ``symbol`` is how the page draws the things, with ``worth`` things per symbol; markers
    have no symbol.
    """

    stock: Stock
    name: str
    each: Callable[[Rules], int]
    unit: Callable[[Rules], int]
    symbol: str = ""
    worth: int = 1
    dealt: Callable[[Rules], tuple[int, ...]] | None = None


@dataclass(frozen=True)
class Stance:
    """A kind of figure in words: where its actions place it, and the content of its plane.

    By default, the plane holds 1 where the figure stands.
    """

    places: str
    values: str = "1"
    shows: str = ""


Fields = dict[str, Any]
"""Position fields by name."""


@dataclass(frozen=True)
class Text:
    """A system's headers in a position.

    Attributes
    ----------
    words
        Each header's first word.
    read
        Returns the fields that the headers fill; may include ``"decider"`` if they name the player
        who is asked.
    write
        Returns the headers, without brackets.
    """

    words: tuple[str, ...]
    read: Callable[[Page], Fields]
    write: Callable[[Position], Iterator[str]]


@dataclass(frozen=True)
class Record:
    """A system's part of the engine's record.

    Attributes
    ----------
    read
        Returns the position fields of game i in an array.
    write
        Writes a position into an array of one game that already contains the tiles and figures;
        raises a ``ValueError`` with the reason if that is impossible.
    same
        For record fields whose numbering or order depends on history: returns whether a game and
        the game set up from its position agree on them.
    """

    read: Callable[[npt.NDArray[Any], int], Fields]
    write: Callable[[npt.NDArray[Any], Position], None]
    same: Mapping[str, Callable[[Any, Any], bool]] = field(default_factory=dict)


def _nothing(_: Rules) -> tuple[str, ...]:
    return ()


def _no_marker(_: Position, __: int) -> tuple[str, ...]:
    return ()


def _as_it_is(_: Any, __: Rules) -> None:
    """Leave the engine's switches unchanged."""


@dataclass(frozen=True)
class System:
    """Everything that a rules system adds to the interface and to the engine's switches.

    Attributes
    ----------
    name
        The name, which is also the name of its page in ``docs/rules``.
    is_on
        Whether the rules enable the system.
    switches
        Its fields in :class:`carc_env.rules.Rules`, where they are described.
    figures, questions, actions, planes, supplies
        See the classes above; used only under rules that enable the system.
    outcomes
        The possible chance outcomes other than tile draws, and their numbers in games and records.
    brought
        The first words of actions with such outcomes, and the verb between action and number in
        records: ``fly large rolls 2``.
    numbers
        The names of its globals, which follow those of seats and tiles, in the order in which its
        ``sight.py`` writes them at the moment ``numbers_written``.
    meanings
        The meanings of these globals, as pairs of a name and a description. In the name, ``#``
        stands for a number and ``TILE`` for a design: ``("lot # TILE", "the design of this tile on
        offer")``.
    problems
        What each problem with the record means for a position's text.
    set_switches
        Writes the values that kernels read into a new record's ``rules``; always called.
    markers
        A seat's markers, by the names of drawings in ``render/symbols.py``. Text lists them in the
        seat's supply, and pictures draw them on its meeple. Always called.
    text, record
        What the system adds to positions as text, and its part of the record; always called.
    check
        Raises a ``ValueError`` if a position's question offers no choice, or if the position breaks
        one of the system's rules that the engine does not check. It receives the array with one
        game, the position and the number of legal actions. Always called.
    """

    name: str
    is_on: When
    switches: tuple[str, ...]
    figures: Mapping[Figure, Stance] = field(default_factory=dict)
    questions: tuple[Question, ...] = ()
    actions: tuple[Actions, ...] = ()
    planes: tuple[Planes, ...] = ()
    supplies: tuple[Supply, ...] = ()
    outcomes: Mapping[Outcome, int] = field(default_factory=dict)
    brought: Mapping[str, str] = field(default_factory=dict)
    numbers: Callable[[Rules], tuple[str, ...]] = _nothing
    meanings: tuple[tuple[str, str], ...] = ()
    problems: Mapping[Problem, str] = field(default_factory=dict)
    set_switches: Callable[[Any, Rules], None] = _as_it_is
    markers: Callable[[Position, int], tuple[str, ...]] = _no_marker
    text: Text | None = None
    record: Record | None = None
    check: Callable[[npt.NDArray[Any], Position, int], None] | None = None
