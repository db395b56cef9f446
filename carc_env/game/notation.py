"""Positions as text and back.

A position looks like this::

    [carc_env position 1]
    [rules {n_players: 2}]
    [scores 12:7]
    [turn B places bg-curve]
    bg-cap-straight 0,0 r0
    bg-cap 0,-1 r2: A meeple S
    bg-monastery 0,1 r0: B abbot mid

Seats are letters from A. A tile line gives the tile, its cell ``x,y`` (the start tile is 0,0, x
grows to the east, y to the south), its clockwise quarter turns, and the figures on it with their
spots (:class:`carc_env.engine.core.codes.Spot`). Tiles are listed in the order of placement.
``[turn B acts]`` means that the last tile has just been placed and B may act; ``[turn B begins]``
means that B may place an abbey instead of drawing. ``[over B]`` marks a finished game. Optional
headers: ``[aside ...]``, tiles out of the game, and ``[bag ...]``, the draw order. ``#`` starts a
comment. Commas or blanks separate the items in a list; some lists require commas, see
:func:`carc_env.words.split_parts`.

Abbey & Mayor adds ``[abbeys 1:0]``, abbeys in hand (by default every seat has one if none lies on
the board); ``[last round 2]``, how many seats are still to be asked in the round of abbeys after
the last tile; and ``[wagons B 3,4 N, A 5,6 mid]``, wagons just scored, with their locations, in the
order in which their owners decide. With wagons, ``[turn A moves]`` means that in A's turn the owner
of the first wagon decides; ``[turn A moves to 5,6]`` that the cell is chosen and the spot is next
(the first edition's rule); ``[rolled 3,4 N]`` lists features that the wagon has left in this move
(house rule).

Bridges, Castles & Bazaars adds the bridge of a tile, ``bg-cap 0,-1 r2 bridge EW``, a road named by
its first side; ``[bridges 3:2]`` and ``[tokens 3:2]``, bridges and castle tokens in hand (by
default every seat has all, if none is on the board); ``[bridged]``: this placement's bridge is
built; ``[castles 0,0 N, 5,3 E =8]``: castles, each identified by one of its segments, with the
points that the castle has taken in the current scoring step. Turns: ``[turn A bridges]`` after the
figure; ``[turn A decides]`` on a town and ``[turn A takes]`` a feature for a castle, where ``[town
B 3,4 N]`` gives the player who is asked and the town. For a bazaar: ``[bazaar A: bg-cap B,
bg-curve]``, the player who started it and the tiles on offer with their owners; ``[bazaar B after
A: ...]`` if A's turn continues after it; ``[bazaar A takes: ...]`` without an auction; ``[auction
B]``, ``[auction B 2]`` or ``[auction B 2: 5 C]`` (chooser, tile number, highest bid), ``... next
D]`` if D is asked, with the turns ``picks``, ``bids`` and ``deals``; ``[bought]``: the tile in hand
or just placed comes from the bazaar; ``[delayed B, C]``: the seats whose bazaars are delayed.

Traders & Builders adds ``[wine 2:0]``, ``[grain 1:0]`` and ``[cloth 0:1]``, tokens by seat (by
default nobody has any); ``[second part 3,4]``: this is the second part of a turn, and the tile at
3,4 was placed in the first; ``[extended]``: the tile just placed grants a second part. Combined
with bazaars: ``[bazaar A waits: ...]``: the bazaar's tiles lie face down until the second part is
over; ``[owed 3,4]``, ``[owed 3,4 bridged ransomed]``: a second part follows the bazaar (and that
turn's bridge is built, its ransom paid).

The headers of other systems are described on the systems' pages.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

from carc_env.engine.core.codes import Phase
from carc_env.position import Cell, PlacedFigure, PlacedTile, Position
from carc_env.rules import Rules
from carc_env.systems import QUESTIONS, SYSTEMS
from carc_env.systems.declaring import Fields, Question
from carc_env.words import (
    CELL,
    FIGURE_OF,
    SEATS,
    SPOT_OF,
    TILE,
    NotationError,
    Page,
    format_cell,
    format_scores,
    parse_cell,
    parse_scores,
    split_words,
)

POSITION_HEADER = "carc_env position 1"
OWN_WORDS = ("rules", "scores", "turn", "over", "aside", "bag")
WORDS = {*OWN_WORDS, *(word for system in SYSTEMS if system.text for word in system.text.words)}
"""The first words of all headers."""
FREE = ("[players ", "[source ")
"""Prefixes of free-text lines."""
MAX_LINE = 20_000
"""Line length limit, in characters; a bag with all sets has about 4,000."""
BOM = "\ufeff"
"""The byte order mark, which some editors put at the start of a text file."""
_END_OF_LINE = re.compile(r"\r\n?|\n")

_TILE = re.compile(
    rf"(?P<tile>{TILE}) (?P<cell>{CELL}) r(?P<rotation>[0-3])(?: bridge (?P<bridge>NS|EW))?"
)
_FIGURE = re.compile(r"(?P<seat>[A-F]) (?P<figure>[a-z]+) (?P<spot>\w+)")
_VERBS = {question.verb: question for question in QUESTIONS.values()}
_TURN = re.compile(
    rf"(?P<seat>[A-F]) (?P<verb>{'|'.join(sorted(_VERBS, key=len, reverse=True))})"
    rf"(?: (?P<about>{CELL}|{TILE}))?"
)


def format_place(tile: PlacedTile) -> str:
    """Return a tile and its cell as text: ``bg-cap 0,-1 r2``."""
    bridge = f" bridge {tile.bridge}" if tile.bridge else ""
    return f"{tile.tile} {format_cell((tile.x, tile.y))} r{tile.rotation}{bridge}"


def format_position(position: Position) -> str:
    """Return a position as text; :func:`parse_position` reads it back."""
    return "".join(f"{line}\n" for line in _lines(position))


def _lines(position: Position) -> Iterator[str]:
    yield f"[{POSITION_HEADER}]"
    yield f"[rules {position.rules.plain.to_yaml()}]"
    yield f"[scores {format_scores(position.scores)}]"
    for system in SYSTEMS:
        if system.text:
            yield from (f"[{header}]" for header in system.text.write(position))
    yield f"[{_turn(position)}]"
    if position.aside:
        yield f"[aside {' '.join(position.aside)}]"
    if position.bag is not None:
        yield f"[{' '.join(('bag', *position.bag))}]"
    figures: dict[Cell, list[str]] = defaultdict(list)
    for f in position.figures:
        figures[f.x, f.y].append(f"{SEATS[f.seat]} {f.figure.name.lower()} {f.spot.name}")
    for tile in position.tiles:
        here = figures.get((tile.x, tile.y))
        yield format_place(tile) + (f": {', '.join(here)}" if here else "")


def _turn(position: Position) -> str:
    seat = SEATS[position.turn_player]
    if position.phase == Phase.GAME_OVER:
        return f"over {seat}"
    question = QUESTIONS[position.phase]
    words = ["turn", seat, question.verb]
    if question.about is not None:
        about: str | Cell = getattr(position, question.about)
        words.append(about if isinstance(about, str) else format_cell(about))
    return " ".join(words)


def lines_of(text: str) -> list[str]:
    """Split a text into lines; names may contain characters that Unicode calls line separators."""
    return _END_OF_LINE.split(text.removeprefix(BOM))


def split_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines without comments, surrounding blanks and empty lines.

    Outside free text, tabs, other kinds of blanks and repeated blanks count as one blank.

    Raises
    ------
    NotationError
        A line is longer than any that carc_env writes.
    """
    for number, line in enumerate(lines_of(text), start=1):
        if content := line.partition("#")[0].strip():
            if len(content) > MAX_LINE:
                reason = f"a line of {len(content):,} characters, more than {MAX_LINE:,}"
                raise NotationError(number, reason)
            yield number, content if content.startswith(FREE) else " ".join(content.split())


def first_line(text: str) -> str:
    """Return the first line that is not a comment, which identifies the format; empty if none."""
    return next(split_lines(text), (1, ""))[1]


def split_header(line: str) -> tuple[str, str]:
    """Return the first word and the content of a bracketed header line."""
    name, _, content = line[1:-1].partition(" ")
    return name, content.strip()


def parse_place(text: str, line: int) -> PlacedTile:
    """Parse a tile and cell that :func:`format_place` wrote."""
    if not (match := _TILE.fullmatch(text.strip())):
        raise NotationError(line, f"expected a tile such as 'bg-cap 0,-1 r2', found {text!r}")
    x, y = parse_cell(match["cell"])
    return PlacedTile(match["tile"], x, y, int(match["rotation"]), match["bridge"])  # type: ignore[arg-type]


def parse_rules(text: str, line: int) -> Rules:
    """Parse the rules in a header line."""
    try:
        return _rules_of(text)
    except ValueError as error:
        raise NotationError(line, str(error)) from error


@lru_cache(maxsize=256)
def _rules_of(text: str) -> Rules:
    return Rules.from_yaml(text)


def _parse_figure(text: str, tile: PlacedTile, line: int) -> PlacedFigure:
    match = _FIGURE.fullmatch(text.strip())
    if not match or match["spot"] not in SPOT_OF or match["figure"] not in FIGURE_OF:
        raise NotationError(line, f"expected a figure such as 'A meeple N', found {text.strip()!r}")
    figure, spot = FIGURE_OF[match["figure"]], SPOT_OF[match["spot"]]
    return PlacedFigure(SEATS.index(match["seat"]), figure, tile.x, tile.y, spot)


class _Reader:
    """Collects the parts of a position line by line."""

    def __init__(self) -> None:
        self.headers: dict[str, tuple[int, str]] = {}
        self.tiles: dict[Cell, PlacedTile] = {}
        self.figures: list[PlacedFigure] = []
        self.last_line = 1

    def read(self, line: int, content: str) -> None:
        self.last_line = line
        if content.startswith("["):
            self._read_header(line, content)
            return
        place, colon, figures = content.partition(":")
        tile = parse_place(place, line)
        if (cell := (tile.x, tile.y)) in self.tiles:
            raise NotationError(line, f"a second tile at {format_cell(cell)}")
        self.tiles[cell] = tile
        if colon:
            found = [_parse_figure(text, tile, line) for text in figures.split(",")]
            self.figures += sorted(found, key=lambda f: (f.spot, f.seat, f.figure))

    def _read_header(self, line: int, content: str) -> None:
        name, rest = split_header(content)
        if not content.endswith("]") or name not in WORDS:
            raise NotationError(line, f"unknown header {content!r}")
        if name in self.headers:
            raise NotationError(line, f"a second [{name} ...]")
        self.headers[name] = (line, rest)

    def header(self, name: str) -> tuple[int, str]:
        if name not in self.headers:
            raise NotationError(self.last_line, f"[{name} ...] is missing; is the text cut off?")
        return self.headers[name]

    def names(self, name: str) -> tuple[str, ...] | None:
        return tuple(split_words(self.headers[name][1])) if name in self.headers else None

    def turn(self, n_players: int) -> tuple[Phase, int, Fields]:
        """Return the phase, the turn player, and the subject of the question."""
        name = "over" if "over" in self.headers else "turn"
        line, text = self.header(name)
        letter, phase, fields = text, Phase.GAME_OVER, Fields()
        if name == "turn":
            if not (match := _TURN.fullmatch(text)):
                raise NotationError(line, f"expected 'B places bg-cap' or 'B acts', found {text!r}")
            letter, phase = match["seat"], _VERBS[match["verb"]].phase
            fields = _what_about(_VERBS[match["verb"]], match["about"], line)
        if letter not in list(SEATS[:n_players]):
            raise NotationError(line, f"{letter!r} is none of the seats {SEATS[:n_players]}")
        return phase, SEATS.index(letter), fields


def _what_about(question: Question, text: str | None, line: int) -> Fields:
    """Return the position field that a question is about."""
    if question.about is None and text is None:
        return {}
    if question.about == "tile_in_hand" and text is not None:
        return {question.about: text}
    is_cell = question.about in ("wagon_target", "chosen_cell")
    if is_cell and text is not None and re.fullmatch(CELL, text):
        return {str(question.about): parse_cell(text)}
    raise NotationError(line, f"'{question.verb} {text or ''}': expected 'places bg-cap' or 'acts'")


def parse_position(text: str) -> Position:
    """Parse a position written by :func:`format_position` or by hand.

    Raises
    ------
    NotationError
        The text is not a position; the message gives the line number and the reason. Rules are
        checked only when a game is made from the position.
    """
    reader = _Reader()
    lines = split_lines(text)
    number, first = next(lines, (1, ""))
    if first != f"[{POSITION_HEADER}]":
        raise NotationError(number, f"expected [{POSITION_HEADER}], found {first!r}")
    for number, content in lines:
        reader.read(number, content)
    line, content = reader.header("rules")
    rules = parse_rules(content, line)
    line, content = reader.header("scores")
    phase, seat, fields = reader.turn(rules.n_players)
    turn_line = reader.headers["over" if phase == Phase.GAME_OVER else "turn"][0]
    page = Page(rules, phase, turn_line, reader.headers)
    asked: Fields = {"decider": seat, **fields}
    for system in SYSTEMS:
        if system.text:
            asked |= system.text.read(page)
    return Position(
        rules=rules,
        tiles=tuple(reader.tiles.values()),
        figures=tuple(reader.figures),
        scores=parse_scores(content, rules.n_players, line),
        phase=phase,
        turn_player=seat,
        aside=reader.names("aside") or (),
        bag=reader.names("bag"),
        **asked,
    )
