"""The notation's vocabulary: parse and format seats, cells, segments and numbers by seat.

:mod:`carc_env.game.notation` describes the parts of a position in this notation.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from carc_env.engine.core.codes import MAX_PLAYERS, Figure, Phase, Spot
from carc_env.position import Cell, Place
from carc_env.rules import Rules

SEATS = "ABCDEF"
assert len(SEATS) == MAX_PLAYERS

MAX_REASON = 180
"""Length limit for messages about text that is not in our notation, in characters."""

TILE = r"[a-z0-9-]+"
COUNT = "(?:0|[1-9][0-9]{0,49})"
"""A non-negative number as we write it: ASCII digits without leading zeros."""
NUMBER = f"(?:{COUNT}|-[1-9][0-9]{{0,49}})"
CELL = f"{NUMBER},{NUMBER}"
_SEGMENT = re.compile(rf"(?P<cell>{CELL}) (?P<spot>\w+)")
_NUMBERS = re.compile(f"{NUMBER}(:{NUMBER})*")
_PARTS_AT_CELLS = re.compile(rf", | (?={CELL}(?: |$))")
_PARTS_AT_SEATS = re.compile(rf", | (?=[{SEATS}] {CELL} )")
SPOT_OF = {spot.name: spot for spot in Spot}
FIGURE_OF = {figure.name.lower(): figure for figure in Figure}


class NotationError(ValueError):
    """Text is not in our notation; the message begins with the line number."""

    def __init__(self, line: int, reason: str) -> None:
        if len(reason) > MAX_REASON:  # the quoted text may be an entire unrelated file
            reason = f"{reason[: MAX_REASON - 20]} ... {reason[-15:]}"
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


def printable(text: str) -> str:
    r"""Return the text with all invisible characters escaped as in JSON, such as ``\u2028``."""
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def counted(n: int, thing: str) -> str:
    """Return a number with its noun: ``1 tile``, ``2 tiles``."""
    return f"{n} {thing}{'s' * (n != 1)}"


def format_scores(numbers: tuple[int, ...]) -> str:
    """Return scores, or other numbers by seat, as text: ``12:7``."""
    return ":".join(map(str, numbers))


def parse_scores(text: str, n_players: int, line: int) -> tuple[int, ...]:
    """Parse scores such as ``12:7``, one per player."""
    if not _NUMBERS.fullmatch(text) or text.count(":") != n_players - 1:
        raise NotationError(line, f"expected {n_players} numbers such as '12:7', found {text!r}")
    return tuple(int(score) for score in text.split(":"))


def format_cell(cell: Cell) -> str:
    """Return a table cell as text: ``3,-1``."""
    return f"{cell[0]},{cell[1]}"


def parse_cell(text: str) -> Cell:
    """Parse a cell that :data:`CELL` has matched."""
    x, y = map(int, text.split(","))
    return x, y


def format_segment(place: Place) -> str:
    """Return a segment as text, given by its cell and its spot: ``3,-1 N``."""
    x, y, spot = place
    return f"{x},{y} {spot.name}"


def parse_segment(text: str, line: int) -> Place:
    """Parse a segment that :func:`format_segment` wrote."""
    match = _SEGMENT.fullmatch(text)
    if not match or match["spot"] not in SPOT_OF:
        raise NotationError(line, f"expected a segment such as '3,4 N', found {text!r}")
    return *parse_cell(match["cell"]), SPOT_OF[match["spot"]]


def parse_seat(text: str, line: int) -> int:
    """Parse a seat letter."""
    if text not in list(SEATS):
        raise NotationError(line, f"expected a seat from {SEATS[0]} to {SEATS[-1]}, found {text!r}")
    return SEATS.index(text)


def parse_seat_and_segment(text: str, line: int) -> tuple[int, Place]:
    """Parse a seat and a segment: ``B 3,-1 N``."""
    seat, _, segment = text.partition(" ")
    return parse_seat(seat, line), parse_segment(segment, line)


def split_words(text: str) -> list[str]:
    """Split a list of tiles, cells or seats that are separated by commas or blanks."""
    return re.split(r",? ", text) if text else []


def split_parts(text: str) -> list[str]:
    """Split a list at its commas, or at blanks if each part begins with a cell or a seat's cell."""
    at = _PARTS_AT_CELLS if re.match(CELL, text) else _PARTS_AT_SEATS
    return at.split(text)


@dataclass
class Page:
    """A position's headers while it is being parsed, and the facts known so far."""

    rules: Rules
    phase: Phase
    turn_line: int
    headers: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Line number and content, by the header's first word."""

    def find(self, word: str) -> tuple[int, str] | None:
        """Return a header's line number and content, or None if it is missing."""
        return self.headers.get(word)

    def stock(self, word: str, each: int) -> tuple[int, ...]:
        """Return each seat's number of something; without a header ``each``, or nothing for 0."""
        if found := self.find(word):
            line, text = found
            return parse_scores(text, self.rules.n_players, line)
        return (each,) * (self.rules.n_players if each else 0)

    def flag(self, word: str) -> bool:
        """Return whether a header without content is present."""
        found = self.find(word)
        if found and found[1]:
            raise NotationError(found[0], f"expected [{word}], found '{word} {found[1]}'")
        return found is not None

    def listed(self, word: str) -> list[tuple[int, str]]:
        """Return the line number and text of each item in a list header."""
        if not (found := self.find(word)):
            return []
        line, text = found
        return [(line, part.strip()) for part in split_parts(text)]
