"""Puzzles: a decision to find, with the value of each of its actions, as text and back.

A puzzle looks like this::

    [carc_env puzzle 1]
    [source solved endgames base-2, number 17]
    [difficulty 3]
    [values exact]
    +3.5 bg-curve 1,0 r1
    -0.25 bg-curve -1,0 r3
    [carc_env position 1]
    ...

A position follows (:mod:`carc_env.game.notation`). A value is the decider's expected final lead
over the strongest opponent, in points. Values are given either for all legal actions or for none,
and are exact or estimated. The difficulty is also optional. ``#`` starts a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from carc_env.game.endgames import Endgame
from carc_env.game.game import Game
from carc_env.game.notation import (
    POSITION_HEADER,
    format_position,
    lines_of,
    parse_position,
    split_header,
    split_lines,
)
from carc_env.words import NotationError

PUZZLE_HEADER = "carc_env puzzle 1"
KINDS = {"exact": True, "estimated": False}
HARDEST = 5
MAX_SOURCE = 200
"""Length limit for a source, in characters."""
DIGITS = 4
"""Number of decimals in a value."""
_VALUE = re.compile(rf"(?P<value>[+-]\d{{1,4}}(?:\.\d{{1,{DIGITS}}})?) (?P<name>.+)")


@dataclass(frozen=True)
class Puzzle:
    """A decision for the reader to find.

    Attributes
    ----------
    position : str
        The position as text.
    source : str
        Where the puzzle comes from, in one line.
    values : mapping of str to float
        The decider's expected final lead in points after each legal action, by action name, with at
        most four decimals; empty if unknown.
    is_exact : bool
        Whether the values are exact rather than estimated.
    difficulty : int, optional
        From 1 to 5.
    """

    position: str
    source: str
    values: Mapping[str, float] = field(default_factory=dict)
    is_exact: bool = False
    difficulty: int | None = None

    def __post_init__(self) -> None:
        if not is_source(self.source):
            raise ValueError(
                f"a source is a line of at most {MAX_SOURCE} characters without '#' and brackets, "
                f"got {self.source!r}"
            )
        rounded = {name: round(value, DIGITS) + 0.0 for name, value in self.values.items()}
        object.__setattr__(self, "values", rounded)

    @classmethod
    def of(cls, endgame: Endgame, source: str, difficulty: int | None = None) -> Puzzle:
        """Return a solved endgame as a puzzle."""
        values = dict(zip(endgame.actions, endgame.values.tolist(), strict=True))
        return cls(endgame.position, source, values, True, difficulty)

    def game(self, seed: int = 0) -> Game:
        """Return a game that begins in this position.

        Raises
        ------
        ValueError
            The position breaks a rule, there is only one choice, or the values do not belong to the
            legal actions.
        """
        game = Game.from_position(parse_position(self.position), seed=seed)
        names = {game.name(action) for action in game.legal_actions()}
        if len(names) < 2:
            raise ValueError("there is nothing to choose in this position, so it is no puzzle")
        if self.values and (odd := sorted(names ^ {*self.values})):
            raise ValueError(
                f"{len(self.values)} actions have values, but {len(names)} are legal; they "
                f"differ by {', '.join(odd[:4])}"
            )
        return game


def is_source(text: str) -> bool:
    """Return whether a text is valid as a puzzle's source."""
    is_plain = text.isprintable() and text == text.strip() and not {*"#[]"} & {*text}
    return is_plain and 0 < len(text) <= MAX_SOURCE


def format_puzzle(puzzle: Puzzle) -> str:
    """Return a puzzle as text; :func:`parse_puzzle` reads it back."""
    return "".join(f"{line}\n" for line in _lines(puzzle)) + puzzle.position


def _lines(puzzle: Puzzle) -> Iterator[str]:
    yield f"[{PUZZLE_HEADER}]"
    yield f"[source {puzzle.source}]"
    if puzzle.difficulty is not None:
        yield f"[difficulty {puzzle.difficulty}]"
    if puzzle.values:
        yield f"[values {'exact' if puzzle.is_exact else 'estimated'}]"
    for name, value in puzzle.values.items():
        yield f"{f'{value:+.{DIGITS}f}'.rstrip('0').rstrip('.')} {name}"


def parse_puzzle(text: str) -> Puzzle:
    """Parse a puzzle written by :func:`format_puzzle` or by hand.

    Raises
    ------
    NotationError
        The text is not a puzzle; the message gives the line number and the reason.
    ValueError
        The position breaks a rule, or the values are not those of its legal actions.
    """
    lines = split_lines(text)
    number, first = next(lines, (1, ""))
    if first != f"[{PUZZLE_HEADER}]":
        raise NotationError(number, f"expected [{PUZZLE_HEADER}], found {first!r}")
    headers: dict[str, str] = {}
    values: dict[str, float] = {}
    for number, line in lines:
        if line == f"[{POSITION_HEADER}]":
            break
        if line.startswith("["):
            _read_header(number, line, headers)
        else:
            _read_value(number, line, headers, values)
    else:
        raise NotationError(number, f"[{POSITION_HEADER}] is missing; is the text cut off?")
    if "source" not in headers:
        raise NotationError(number, "[source ...] is missing")
    if "values" in headers and not values:
        raise NotationError(number, "[values ...] is followed by no values")
    blank = "\n" * (number - 1)  # so that error messages give line numbers in the whole text
    position = parse_position(blank + "\n".join(lines_of(text)[number - 1 :]))
    puzzle = Puzzle(
        format_position(position),
        headers["source"],
        values,
        KINDS.get(headers.get("values", ""), False),
        int(headers["difficulty"]) if "difficulty" in headers else None,
    )
    puzzle.game()
    return puzzle


def _read_header(number: int, line: str, headers: dict[str, str]) -> None:
    name, content = split_header(line)
    fits = {
        "source": is_source(content),
        "difficulty": content in [str(k + 1) for k in range(HARDEST)],
        "values": content in KINDS,
    }
    if not line.endswith("]") or name not in fits:
        raise NotationError(number, f"unknown header {line!r}")
    if name in headers:
        raise NotationError(number, f"a second [{name} ...]")
    if not fits[name]:
        raise NotationError(
            number,
            f"expected [source ...] in a line of at most {MAX_SOURCE} characters, [difficulty 1] "
            f"to [difficulty {HARDEST}], [values exact] or [values estimated], found {line!r}",
        )
    headers[name] = content


def _read_value(number: int, line: str, headers: dict[str, str], values: dict[str, float]) -> None:
    match = _VALUE.fullmatch(line)
    if not match or "values" not in headers:
        raise NotationError(
            number,
            "expected the value of an action such as '+3.5 bg-curve 1,0 r1' after [values "
            f"exact] or [values estimated], found {line!r}",
        )
    if match["name"] in values:
        raise NotationError(number, f"a second value of {match['name']!r}")
    values[match["name"]] = float(match["value"]) + 0.0
