"""The terms in which a system declares what it adds to the interface of the game."""

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
    """Return True: under all rules that have the system."""
    return True


@dataclass(frozen=True)
class Question:
    """A phase, and its names where people read and write.

    ``verb`` precedes the subject of the question in the notation, ``[turn B acts]``: a field of
    positions that holds a tile or a cell, ``[turn B places bg-cap]``. ``heading`` stands over the
    players of a picture; ``decider`` names who is asked, and ``asks`` asks them. Passing, accepting
    and declining take their meaning from the names of these actions.
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
    """The origin of the cells of a block of actions."""

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
    """An action in parts; those that it does not have are None.

    Attributes
    ----------
    kind : str
        The block of the action, such as ``"tile"``, ``"meeple"`` or ``"bid"``.
    cell : tuple of int
        ``(x, y)``: on the table in a game; in a layout counted from the block's :class:`Anchor`.
    rotation : int
        Clockwise quarter turns of the tile.
    figure : Figure
        The figure to be placed.
    spot : Spot
        Its place on the tile.
    axis : {"NS", "EW", "NE", "NW", "ES", "SW"}
        The direction of a bridge, or the sides between which a ferry lies.
    number : int
        The number of a tile on offer, or of a pair of tokens, from 1; or the points of a bid.
    seat : int
        The owner of a prisoner; in a layout counted clockwise from the decider.
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
    """Return the title of a block of actions."""
    return block.name.lower().replace("_", " ")


@dataclass(frozen=True)
class Actions:
    """A block of actions.

    Attributes
    ----------
    block
        Its code, which also determines its place among the others.
    meaning
        The effect of its actions, for the tables of the documentation.
    size
        How many actions it has.
    choice
        The parts of the k-th action; by default only the block itself.
    anchor
        The origin of the cells of its choices.
    word
        The name of its actions in a game, if it is not the name of the block.
    when
        A condition on rules that have the system.
    """

    block: Block
    meaning: str
    size: Callable[[Rules], int] = lambda _: 1
    choice: Callable[[int, Rules], Choice] | None = None
    anchor: Anchor | None = None
    word: str = ""
    when: When = always

    def at(self, k: int, rules: Rules) -> Choice:
        """Return the k-th action of the block, its cell counted from the anchor."""
        return self.choice(k, rules) if self.choice else Choice(title_of(self.block))


def name_of(choice: Choice, word: str = "") -> str:
    """Return the name of a choice: ``tile 15,16 r2``, ``bridge 0,-1 EW``, ``bid 7``."""
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
    """Consecutive planes of the board; the engine finds them by their group.

    ``values`` describes their content where the meaning holds.
    """

    group: Plane
    names: tuple[str, ...]
    meaning: str
    values: str = "1"


@dataclass(frozen=True)
class Supply:
    """Things besides figures that every player has or collects.

    ``each`` is how many a player begins with, or the most if players begin with different numbers:
    then ``dealt`` has the numbers by seat. ``unit`` is the amount that the globals show as 1,
    ``symbol`` how the page draws them, as ``worth`` things each; markers have none.
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
    """A kind of figure in words: where its actions put it, and the content of its plane.

    By default that is 1 for the figure.
    """

    places: str
    values: str = "1"
    shows: str = ""


Fields = dict[str, Any]
"""Fields of a position by name."""


@dataclass(frozen=True)
class Text:
    """The headers of a system in a position.

    Attributes
    ----------
    words
        The first word of each header.
    read
        Returns the fields that they fill; may include ``"decider"`` if they name who is asked.
    write
        Returns the headers, without brackets.
    """

    words: tuple[str, ...]
    read: Callable[[Page], Fields]
    write: Callable[[Position], Iterator[str]]


@dataclass(frozen=True)
class Record:
    """The place of a system in the engine's record.

    Attributes
    ----------
    read
        Returns the fields of a position from game i of an array.
    write
        Writes a position into an array of one game that already has its tiles and figures; raises
        a ``ValueError`` with the reason if it cannot.
    same
        For fields of the record with numbers or an order that depend on the history: tells whether
        a game and the one that was set up from its position agree in them.
    """

    read: Callable[[npt.NDArray[Any], int], Fields]
    write: Callable[[npt.NDArray[Any], Position], None]
    same: Mapping[str, Callable[[Any, Any], bool]] = field(default_factory=dict)


def _nothing(_: Rules) -> tuple[str, ...]:
    return ()


def _no_marker(_: Position, __: int) -> tuple[str, ...]:
    return ()


def _as_it_is(_: Any, __: Rules) -> None:
    """Leave the engine's switches as they are."""


@dataclass(frozen=True)
class System:
    """Everything that a system of rules adds to the interface, and to the engine's switches.

    Attributes
    ----------
    name
        Also the name of its page in ``docs/rules``.
    is_on
        Whether the rules have it.
    switches
        Its fields of :class:`carc_env.rules.Rules`, which describe them.
    figures, questions, actions, planes, supplies
        See above; only under rules that have the system.
    outcomes
        The possible outcomes of chance beside the bag, and their numbers in games and records.
    brought
        The first words of the names of actions that have such outcomes, and the verb between the
        action and the number in records: ``fly large rolls 2``.
    numbers
        The names of its globals after those of seats and tiles, in the order in which its
        ``sight.py`` writes them at the moment ``numbers_written``.
    meanings
        The meanings of these numbers: pairs of a name, in which ``#`` stands for a number and
        ``TILE`` for a design, and words, ``("lot # TILE", "the design of this tile on offer")``.
    problems
        What each problem of the record means for the text of a position.
    set_switches
        Writes the values that kernels read into the ``rules`` of a new record; always called.
    markers
        A seat's markers, by the names of drawings in ``render/symbols.py``: text names them in its
        supply, pictures draw them upon its meeple. Always called.
    text, record
        What it adds to positions as text, and its place in the record; always called.
    check
        Raises a ``ValueError`` for a position whose question offers no choice, or that breaks a
        rule of the system which the engine does not check. It gets the array of one game, the
        position and the number of legal actions; always called.
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
