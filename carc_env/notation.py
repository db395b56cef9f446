"""Positions as text and back.

A position reads::

    [carc_env position 1]
    [rules {n_players: 2}]
    [scores 12:7]
    [turn B places bg-curve]
    bg-cap-straight 0,0 r0
    bg-cap 0,-1 r2: A meeple S
    bg-monastery 0,1 r0: B abbot mid

Seats are letters from A. A tile line gives the tile, its cell ``x,y`` (the start tile is 0,0, x
grows to the east, y to the south), its clockwise quarter turns, and the figures on it with their
spots (:class:`carc_env.engine.codes.Spot`). Tiles are in the order of placement. ``[turn B acts]``
means that the last tile has just been placed and B may act, ``[turn B begins]`` that B may place
his abbey instead of drawing; ``[over B]`` ends a game. Optional: ``[aside ...]``, tiles out of the
game, and ``[bag ...]``, the draw order. ``#`` starts a comment.

Abbey & Mayor adds ``[abbeys 1:0]``, abbeys in hand (without it everybody has his, if none lies on
the board), ``[last round 2]``, the seats still to be asked in the round of abbeys after the last
tile, and ``[wagons B 3,4 N, A 5,6 mid]``: wagons just scored, where they stood, in the order in
which their owners decide. Then ``[turn A moves]``: in A's turn the owner of the first wagon
decides; ``[turn A moves to 5,6]``: he has chosen the cell and now chooses the spot (the first
edition's rule); ``[rolled 3,4 N]``: features that it has left in this move (house rule).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from carc_env.engine.codes import MAX_PLAYERS, Figure, Phase, Spot
from carc_env.position import Place, PlacedFigure, PlacedTile, Position
from carc_env.rules import Rules

POSITION_HEADER = "carc_env position 1"
SEATS = "ABCDEF"
assert len(SEATS) == MAX_PLAYERS

_TILE = re.compile(r"(?P<tile>[a-z0-9-]+) (?P<x>-?\d+),(?P<y>-?\d+) r(?P<rotation>[0-3])")
_FIGURE = re.compile(r"(?P<seat>[A-F]) (?P<figure>[a-z]+) (?P<spot>\w+)")
_TURN = re.compile(
    r"(?P<seat>[A-F]) (?:places (?P<tile>[a-z0-9-]+)|moves to (?P<x>-?\d+),(?P<y>-?\d+)"
    r"|(?P<verb>begins|acts|moves))"
)
_SEGMENT = re.compile(r"(?P<x>-?\d+),(?P<y>-?\d+) (?P<spot>\w+)")
_VERBS = {"begins": Phase.DRAW_OR_ABBEY, "acts": Phase.ACTION, "moves": Phase.WAGON}
_SPOTS = {spot.name: spot for spot in Spot}
_FIGURES = {figure.name.lower(): figure for figure in Figure}


class NotationError(ValueError):
    """Text that is not in our notation; the message begins with the line number."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


def format_place(tile: PlacedTile) -> str:
    """A tile and where it lies: ``bg-cap 0,-1 r2``."""
    return f"{tile.tile} {tile.x},{tile.y} r{tile.rotation}"


def format_position(position: Position) -> str:
    """A position as text; :func:`parse_position` reads it back."""
    lines = [f"[{POSITION_HEADER}]", f"[rules {position.rules.to_yaml()}]"]
    lines.append(f"[scores {_format_numbers(position.scores)}]")
    if position.abbeys:
        lines.append(f"[abbeys {_format_numbers(position.abbeys)}]")
    if position.last_round is not None:
        lines.append(f"[last round {position.last_round}]")
    if position.wagons:
        waiting = [f"{SEATS[w.seat]} {w.x},{w.y} {w.spot.name}" for w in position.wagons]
        lines.append(f"[wagons {', '.join(waiting)}]")
    if position.rolled:
        left = [f"{x},{y} {spot.name}" for x, y, spot in position.rolled]
        lines.append(f"[rolled {', '.join(left)}]")
    lines.append(_format_turn(position))
    if position.aside:
        lines.append(f"[aside {' '.join(position.aside)}]")
    if position.bag is not None:
        lines.append(f"[bag {' '.join(position.bag)}]".replace(" ]", "]"))
    for tile in position.tiles:
        figures = [
            f"{SEATS[f.seat]} {f.figure.name.lower()} {f.spot.name}"
            for f in position.figures
            if (f.x, f.y) == (tile.x, tile.y)
        ]
        lines.append(format_place(tile) + (f": {', '.join(figures)}" if figures else ""))
    return "\n".join(lines) + "\n"


def _format_numbers(numbers: tuple[int, ...]) -> str:
    return ":".join(map(str, numbers))


def _format_turn(position: Position) -> str:
    seat = SEATS[position.turn_player]
    if position.phase == Phase.GAME_OVER:
        return f"[over {seat}]"
    if position.phase == Phase.PLACE_TILE:
        return f"[turn {seat} places {position.tile_in_hand}]"
    if position.wagon_target is not None:
        return "[turn {} moves to {},{}]".format(seat, *position.wagon_target)
    verbs = {phase: verb for verb, phase in _VERBS.items()}
    return f"[turn {seat} {verbs[position.phase]}]"


def split_lines(text: str) -> Iterator[tuple[int, str]]:
    """Numbered lines without comments, surrounding blanks and empty lines."""
    for number, line in enumerate(text.splitlines(), start=1):
        if content := line.partition("#")[0].strip():
            yield number, content


def split_header(line: str) -> tuple[str, str]:
    """Name and content of a bracketed header line."""
    name, _, content = line[1:-1].partition(" ")
    return name, content.strip()


def parse_place(text: str, line: int) -> PlacedTile:
    """Read what :func:`format_place` writes."""
    if not (match := _TILE.fullmatch(text.strip())):
        raise NotationError(line, f"expected a tile such as 'bg-cap 0,-1 r2', found {text!r}")
    x, y, rotation = (int(match[key]) for key in ("x", "y", "rotation"))
    return PlacedTile(match["tile"], x, y, rotation)


def parse_rules(text: str, line: int) -> Rules:
    """Read the rules of a header line."""
    try:
        return Rules.from_yaml(text)
    except ValueError as error:
        raise NotationError(line, str(error)) from error


def parse_scores(text: str, n_players: int, line: int) -> tuple[int, ...]:
    """Read scores such as ``12:7``, one for each player."""
    if not re.fullmatch(r"-?\d+(:-?\d+)*", text) or text.count(":") != n_players - 1:
        raise NotationError(line, f"expected {n_players} scores such as '12:7', found {text!r}")
    return tuple(int(score) for score in text.split(":"))


def _parse_figure(text: str, tile: PlacedTile, line: int) -> PlacedFigure:
    match = _FIGURE.fullmatch(text.strip())
    if not match or match["spot"] not in _SPOTS or match["figure"] not in _FIGURES:
        raise NotationError(line, f"expected a figure such as 'A meeple N', found {text.strip()!r}")
    figure, spot = _FIGURES[match["figure"]], _SPOTS[match["spot"]]
    return PlacedFigure(SEATS.index(match["seat"]), figure, tile.x, tile.y, spot)


@dataclass
class _Turn:
    """What the header of the turn says."""

    phase: Phase
    seat: int
    tile: str | None = None
    target: tuple[int, int] | None = None


class _Reader:
    """Collects the parts of a position line by line."""

    KNOWN = (
        "rules",
        "scores",
        "abbeys",
        "last",
        "wagons",
        "rolled",
        "turn",
        "over",
        "aside",
        "bag",
    )

    def __init__(self) -> None:
        self.headers: dict[str, tuple[int, str]] = {}
        self.tiles: list[PlacedTile] = []
        self.figures: list[PlacedFigure] = []
        self.last_line = 1

    def read(self, line: int, content: str) -> None:
        self.last_line = line
        if content.startswith("["):
            self._read_header(line, content)
            return
        place, colon, figures = content.partition(":")
        tile = parse_place(place, line)
        self.tiles.append(tile)
        if colon:
            found = [_parse_figure(text, tile, line) for text in figures.split(",")]
            self.figures += sorted(found, key=lambda f: (f.spot, f.seat, f.figure))

    def _read_header(self, line: int, content: str) -> None:
        name, rest = split_header(content)
        if not content.endswith("]") or name not in self.KNOWN:
            raise NotationError(line, f"unknown header {content!r}")
        if name in self.headers:
            raise NotationError(line, f"a second [{name} ...]")
        self.headers[name] = (line, rest)

    def header(self, name: str) -> tuple[int, str]:
        if name not in self.headers:
            raise NotationError(self.last_line, f"[{name} ...] is missing; is the text cut off?")
        return self.headers[name]

    def names(self, name: str) -> tuple[str, ...] | None:
        return tuple(self.headers[name][1].split()) if name in self.headers else None

    def abbeys(self, rules: Rules) -> tuple[int, ...]:
        if "abbeys" in self.headers:
            line, text = self.headers["abbeys"]
            return parse_scores(text, rules.n_players, line)
        return (1,) * (rules.n_players * rules.abbeys)

    def last_round(self) -> int | None:
        if "last" not in self.headers:
            return None
        line, text = self.headers["last"]
        if not (match := re.fullmatch(r"round (\d+)", text)):
            raise NotationError(line, f"expected [last round 2], found 'last {text}'")
        return int(match[1])

    def wagons(self) -> tuple[PlacedFigure, ...]:
        if "wagons" not in self.headers:
            return ()
        line, text = self.headers["wagons"]
        return tuple(_parse_wagon(wagon.strip(), line) for wagon in text.split(", "))

    def rolled(self) -> tuple[Place, ...]:
        if "rolled" not in self.headers:
            return ()
        line, text = self.headers["rolled"]
        return tuple(_parse_segment(segment.strip(), line) for segment in text.split(", "))

    def turn(self, n_players: int) -> _Turn:
        name = "over" if "over" in self.headers else "turn"
        line, text = self.header(name)
        letter, turn = text, _Turn(Phase.GAME_OVER, 0)
        if name == "turn":
            if not (match := _TURN.fullmatch(text)):
                raise NotationError(line, f"expected 'B places bg-cap' or 'B acts', found {text!r}")
            letter = match["seat"]
            turn = _Turn(_VERBS.get(match["verb"], Phase.PLACE_TILE), 0, match["tile"])
            if match["x"] is not None:
                turn = _Turn(Phase.WAGON_SPOT, 0, None, (int(match["x"]), int(match["y"])))
        if letter not in list(SEATS[:n_players]):
            raise NotationError(line, f"{letter!r} is none of the seats {SEATS[:n_players]}")
        turn.seat = SEATS.index(letter)
        return turn


def _parse_segment(text: str, line: int) -> Place:
    match = _SEGMENT.fullmatch(text)
    if not match or match["spot"] not in _SPOTS:
        raise NotationError(line, f"expected a segment such as '3,4 N', found {text!r}")
    return int(match["x"]), int(match["y"]), _SPOTS[match["spot"]]


def _parse_wagon(text: str, line: int) -> PlacedFigure:
    seat, _, segment = text.partition(" ")
    if seat not in list(SEATS):
        raise NotationError(line, f"expected a wagon such as 'B 3,4 N', found {text!r}")
    return PlacedFigure(SEATS.index(seat), Figure.WAGON, *_parse_segment(segment, line))


def parse_position(text: str) -> Position:
    """Read what :func:`format_position` or a person wrote.

    Raises
    ------
    NotationError
        With the number of the line and the reason. Whether the position obeys the rules is checked
        when a game is made from it.
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
    turn, wagons = reader.turn(rules.n_players), reader.wagons()
    moves = turn.phase in (Phase.WAGON, Phase.WAGON_SPOT)
    if moves != bool(wagons):
        raise NotationError(line, "[wagons ...] and a turn that moves go together")
    return Position(
        rules=rules,
        tiles=tuple(reader.tiles),
        figures=tuple(reader.figures),
        scores=parse_scores(content, rules.n_players, line),
        phase=turn.phase,
        turn_player=turn.seat,
        decider=wagons[0].seat if wagons else turn.seat,
        tile_in_hand=turn.tile,
        aside=reader.names("aside") or (),
        bag=reader.names("bag"),
        abbeys=reader.abbeys(rules),
        wagons=wagons,
        wagon_target=turn.target,
        last_round=reader.last_round(),
        rolled=reader.rolled(),
    )
