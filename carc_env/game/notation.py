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
spots (:class:`carc_env.engine.core.codes.Spot`). Tiles are in the order of placement. ``[turn B acts]``
means that the last tile has just been placed and B may act, ``[turn B begins]`` that B may place
his abbey instead of drawing; ``[over B]`` ends a game. Optional: ``[aside ...]``, tiles out of the
game, and ``[bag ...]``, the draw order. ``#`` starts a comment.

Abbey & Mayor adds ``[abbeys 1:0]``, abbeys in hand (without it everybody has his, if none lies on
the board), ``[last round 2]``, the seats still to be asked in the round of abbeys after the last
tile, and ``[wagons B 3,4 N, A 5,6 mid]``: wagons just scored, where they stood, in the order in
which their owners decide. Then ``[turn A moves]``: in A's turn the owner of the first wagon
decides; ``[turn A moves to 5,6]``: he has chosen the cell and now chooses the spot (the first
edition's rule); ``[rolled 3,4 N]``: features that it has left in this move (house rule).

Bridges, Castles & Bazaars adds the bridge of a tile, ``bg-cap 0,-1 r2 bridge EW``, a road named by
its first side; ``[bridges 3:2]`` and ``[tokens 3:2]``, bridges and castle tokens in hand (without
them everybody has all his, if none is on the board); ``[bridged]``: the bridge of this placement is
built; ``[castles 0,0 N, 5,3 E =8]``: castles by one of their segments, with the points that one
has taken in the scoring that is going on. Turns: ``[turn A bridges]`` after the figure;
``[turn A decides]`` on a town and ``[turn A takes]`` a feature for a castle, where
``[town B 3,4 N]`` says who is asked about which. Of a bazaar: ``[bazaar A: bg-cap B, bg-curve]``,
its starter and the tiles on offer with their owners, ``[bazaar B after A: ...]`` when A's turn goes
on after it, ``[bazaar A takes: ...]`` without auction; ``[auction B]``, ``[auction B 2]`` or
``[auction B 2: 5 C]`` (chooser, number of the tile, highest bid), ``... next D]`` when D is asked,
with the turns ``picks``, ``bids`` and ``deals``; ``[bought]``: the tile in hand or just placed
comes from it; ``[delayed B, C]``: whose bazaars wait.

Traders & Builders adds ``[wine 2:0]``, ``[grain 1:0]`` and ``[cloth 0:1]``, tokens by seat (without
them nobody has any); ``[second part 3,4]``: this is the second part of a turn, in the first the
tile at 3,4 was placed; ``[extended]``: the tile just placed brings a second part. Together with
bazaars: ``[bazaar A waits: ...]``, its tiles lie face down until the second part is over; ``[owed
3,4]``, ``[owed 3,4 bridged]``: a second part follows the bazaar (and the bridge of that turn is
built).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from carc_env.engine.core.codes import MAX_PLAYERS, Figure, Good, Phase, Spot
from carc_env.game.position import Bazaar, Castle, Lot, Place, PlacedFigure, PlacedTile, Position
from carc_env.rules import Rules

POSITION_HEADER = "carc_env position 1"
SEATS = "ABCDEF"
assert len(SEATS) == MAX_PLAYERS

_TILE = re.compile(
    r"(?P<tile>[a-z0-9-]+) (?P<x>-?\d+),(?P<y>-?\d+) r(?P<rotation>[0-3])"
    r"(?: bridge (?P<bridge>NS|EW))?"
)
_FIGURE = re.compile(r"(?P<seat>[A-F]) (?P<figure>[a-z]+) (?P<spot>\w+)")
_TURN = re.compile(
    r"(?P<seat>[A-F]) (?:places (?P<tile>[a-z0-9-]+)|moves to (?P<x>-?\d+),(?P<y>-?\d+)"
    r"|(?P<verb>[a-z]+))"
)
_SEGMENT = re.compile(r"(?P<x>-?\d+),(?P<y>-?\d+) (?P<spot>\w+)")
_CASTLE = re.compile(r"(?P<segment>-?\d+,-?\d+ \w+)(?: =(?P<points>\d+))?")
_BAZAAR = re.compile(
    r"(?P<starter>[A-F])(?: after (?P<resumes>[A-F]))?"
    r"(?: (?P<state>takes|waits))?:(?P<offer>.*)"
)
_OWED = re.compile(r"(?P<cell>-?\d+,-?\d+)(?P<bridged> bridged)?")
_LOT = re.compile(r"(?P<tile>[a-z0-9-]+)(?: (?P<owner>[A-F]))?")
_AUCTION = re.compile(
    r"(?P<chooser>[A-F])(?: (?P<lot>[1-6])"
    r"(?:: (?P<price>\d+) (?P<bidder>[A-F])(?: next (?P<next>[A-F]))?)?)?"
)
_VERBS = {
    "begins": Phase.DRAW_OR_ABBEY,
    "acts": Phase.FIGURE,
    "bridges": Phase.BRIDGE,
    "decides": Phase.CASTLE,
    "takes": Phase.CASTLE_CHOICE,
    "moves": Phase.WAGON,
    "picks": Phase.BAZAAR_PICK,
    "bids": Phase.BAZAAR_BID,
    "deals": Phase.BAZAAR_DEAL,
}
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
    bridge = f" bridge {tile.bridge}" if tile.bridge else ""
    return f"{tile.tile} {tile.x},{tile.y} r{tile.rotation}{bridge}"


def format_position(position: Position) -> str:
    """A position as text; :func:`parse_position` reads it back."""
    lines = [f"[{POSITION_HEADER}]", f"[rules {position.rules.to_yaml()}]"]
    lines.append(f"[scores {format_scores(position.scores)}]")
    if position.abbeys:
        lines.append(f"[abbeys {format_scores(position.abbeys)}]")
    if position.last_round is not None:
        lines.append(f"[last round {position.last_round}]")
    if position.wagons:
        waiting = [f"{SEATS[w.seat]} {w.x},{w.y} {w.spot.name}" for w in position.wagons]
        lines.append(f"[wagons {', '.join(waiting)}]")
    if position.rolled:
        lines.append(f"[rolled {', '.join(map(_format_segment, position.rolled))}]")
    lines += _format_goods_and_parts(position)
    lines += _format_bridges_and_castles(position)
    lines += _format_bazaar(position)
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


def _format_segment(place: Place) -> str:
    return f"{place[0]},{place[1]} {place[2].name}"


def _format_cell(cell: tuple[int, int]) -> str:
    return f"{cell[0]},{cell[1]}"


def _format_goods_and_parts(position: Position) -> Iterator[str]:
    for good in Good:
        tokens = tuple(goods[good] for goods in position.goods)
        if any(tokens):
            yield f"[{good.name.lower()} {format_scores(tokens)}]"
    if position.first_part is not None:
        yield f"[second part {_format_cell(position.first_part)}]"
    if position.has_extended:
        yield "[extended]"


def _format_bridges_and_castles(position: Position) -> Iterator[str]:
    if position.bridges:
        yield f"[bridges {format_scores(position.bridges)}]"
    if position.has_bridged:
        yield "[bridged]"
    if position.tokens:
        yield f"[tokens {format_scores(position.tokens)}]"
    if position.castles:
        castles = [
            _format_segment((c.x, c.y, c.spot)) + (f" ={c.points}" if c.points else "")
            for c in position.castles
        ]
        yield f"[castles {', '.join(castles)}]"
    if position.town is not None:
        yield f"[town {SEATS[position.decider]} {_format_segment(position.town)}]"


def _format_bazaar(position: Position) -> Iterator[str]:
    if position.is_bought:
        yield "[bought]"
    if (bazaar := position.bazaar) is None:
        return
    is_delayed = bazaar.starter != bazaar.resumes
    head = SEATS[bazaar.starter] + (f" after {SEATS[bazaar.resumes]}" if is_delayed else "")
    offer = [
        lot.tile + ("" if lot.owner is None else f" {SEATS[lot.owner]}") for lot in bazaar.offer
    ]
    state = " takes" if bazaar.takes else " waits" if bazaar.waits else ""
    yield f"[bazaar {head}{state}: {', '.join(offer)}]".replace(" ]", "]")
    if bazaar.owed is not None:
        yield f"[owed {_format_cell(bazaar.owed)}{' bridged' * bazaar.owed_bridged}]"
    if bazaar.chooser is not None:
        sale = SEATS[bazaar.chooser]
        sale += "" if bazaar.lot is None else f" {bazaar.lot + 1}"
        if bazaar.bidder is not None:
            sale += f": {bazaar.price} {SEATS[bazaar.bidder]}"
            if position.phase == Phase.BAZAAR_BID:
                sale += f" next {SEATS[position.decider]}"
        yield f"[auction {sale}]"
    if position.delayed:
        yield f"[delayed {', '.join(SEATS[seat] for seat in position.delayed)}]"


def format_scores(numbers: tuple[int, ...]) -> str:
    """Scores, or other numbers by seat: ``12:7``."""
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
    return PlacedTile(match["tile"], x, y, rotation, match["bridge"])  # type: ignore[arg-type]


def parse_rules(text: str, line: int) -> Rules:
    """Read the rules of a header line."""
    try:
        return Rules.from_yaml(text)
    except ValueError as error:
        raise NotationError(line, str(error)) from error


def parse_scores(text: str, n_players: int, line: int) -> tuple[int, ...]:
    """Read scores such as ``12:7``, one for each player."""
    if not re.fullmatch(r"-?\d+(:-?\d+)*", text) or text.count(":") != n_players - 1:
        raise NotationError(line, f"expected {n_players} numbers such as '12:7', found {text!r}")
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
        *(good.name.lower() for good in Good),
        "second",
        "extended",
        "bridges",
        "bridged",
        "tokens",
        "castles",
        "town",
        "bazaar",
        "auction",
        "owed",
        "bought",
        "delayed",
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

    def stock(self, name: str, each: int, n_players: int) -> tuple[int, ...]:
        """What every seat has in hand; without a header all that it can have."""
        if name in self.headers:
            line, text = self.headers[name]
            return parse_scores(text, n_players, line)
        return (each,) * (n_players if each else 0)

    def flag(self, name: str) -> bool:
        if name not in self.headers:
            return False
        line, text = self.headers[name]
        if text:
            raise NotationError(line, f"expected [{name}], found '{name} {text}'")
        return True

    def castles(self) -> tuple[Castle, ...]:
        if "castles" not in self.headers:
            return ()
        line, text = self.headers["castles"]
        return tuple(_parse_castle(castle.strip(), line) for castle in text.split(", "))

    def town(self) -> tuple[int, Place] | None:
        """Who is asked, and about which town or castle."""
        if "town" not in self.headers:
            return None
        line, text = self.headers["town"]
        return _parse_seat_and_segment(text, line)

    def bazaar(self) -> tuple[Bazaar | None, int | None]:
        """The bazaar, and who answers in its auction."""
        if "bazaar" not in self.headers:
            for name in ("auction", "delayed", "owed"):
                if name in self.headers:
                    raise NotationError(self.headers[name][0], f"[{name} ...] needs [bazaar ...]")
            return None, None
        line, text = self.headers["bazaar"]
        if not (match := _BAZAAR.fullmatch(text)):
            raise NotationError(line, f"expected 'A: bg-cap B, bg-curve', found {text!r}")
        starter = SEATS.index(match["starter"])
        resumes = SEATS.index(match["resumes"]) if match["resumes"] else starter
        lots = [lot.strip() for lot in match["offer"].split(",") if lot.strip()]
        offer = tuple(_parse_lot(lot, line) for lot in lots)
        owed, owed_bridged = self._owed()
        bazaar = Bazaar(
            starter,
            resumes,
            offer,
            takes=match["state"] == "takes",
            waits=match["state"] == "waits",
            owed=owed,
            owed_bridged=owed_bridged,
        )
        if "auction" not in self.headers:
            return bazaar, None
        return _parse_auction(bazaar, *self.headers["auction"])

    def _owed(self) -> tuple[tuple[int, int] | None, bool]:
        """The tile of the first part where the second one follows the bazaar, and its bridge."""
        if "owed" not in self.headers:
            return None, False
        line, text = self.headers["owed"]
        if not (match := _OWED.fullmatch(text)):
            raise NotationError(line, f"expected [owed 3,4] or [owed 3,4 bridged], found {text!r}")
        return _parse_cell(match["cell"]), match["bridged"] is not None

    def goods(self, rules: Rules) -> tuple[tuple[int, ...], ...]:
        """The tokens of each seat."""
        by_kind = [self.stock(good.name.lower(), 0, rules.n_players) for good in Good]
        nobody = (0,) * rules.n_players
        if rules.goods or any(by_kind):
            return tuple(zip(*(tokens or nobody for tokens in by_kind), strict=True))
        return ()

    def first_part(self) -> tuple[int, int] | None:
        """The cell of the tile placed in the first part of the turn."""
        if "second" not in self.headers:
            return None
        line, text = self.headers["second"]
        if not (match := re.fullmatch(r"part (-?\d+,-?\d+)", text)):
            raise NotationError(line, f"expected [second part 3,4], found 'second {text}'")
        return _parse_cell(match[1])

    def delayed(self) -> tuple[int, ...]:
        if "delayed" not in self.headers:
            return ()
        line, text = self.headers["delayed"]
        return tuple(_parse_seat(seat.strip(), line) for seat in text.split(","))

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
            match = _TURN.fullmatch(text)
            if not match or match["verb"] not in {None, *_VERBS}:
                raise NotationError(line, f"expected 'B places bg-cap' or 'B acts', found {text!r}")
            letter, verb = match["seat"], match["verb"]
            phase = Phase.PLACE_TILE if verb is None else _VERBS[verb]
            turn = _Turn(phase, 0, match["tile"])
            if match["x"] is not None:
                turn = _Turn(Phase.WAGON_SPOT, 0, None, (int(match["x"]), int(match["y"])))
        if letter not in list(SEATS[:n_players]):
            raise NotationError(line, f"{letter!r} is none of the seats {SEATS[:n_players]}")
        turn.seat = SEATS.index(letter)
        return turn


def _parse_cell(text: str) -> tuple[int, int]:
    x, y = map(int, text.split(","))
    return x, y


def _parse_segment(text: str, line: int) -> Place:
    match = _SEGMENT.fullmatch(text)
    if not match or match["spot"] not in _SPOTS:
        raise NotationError(line, f"expected a segment such as '3,4 N', found {text!r}")
    return int(match["x"]), int(match["y"]), _SPOTS[match["spot"]]


def _parse_seat(text: str, line: int) -> int:
    if text not in list(SEATS):
        raise NotationError(line, f"expected a seat from {SEATS[0]} to {SEATS[-1]}, found {text!r}")
    return SEATS.index(text)


def _parse_seat_and_segment(text: str, line: int) -> tuple[int, Place]:
    seat, _, segment = text.partition(" ")
    return _parse_seat(seat, line), _parse_segment(segment, line)


def _parse_wagon(text: str, line: int) -> PlacedFigure:
    seat, place = _parse_seat_and_segment(text, line)
    return PlacedFigure(seat, Figure.WAGON, *place)


def _parse_castle(text: str, line: int) -> Castle:
    if not (match := _CASTLE.fullmatch(text)):
        raise NotationError(
            line, f"expected a castle such as '3,4 N' or '3,4 N =8', found {text!r}"
        )
    return Castle(*_parse_segment(match["segment"], line), int(match["points"] or 0))


def _parse_lot(text: str, line: int) -> Lot:
    if not (match := _LOT.fullmatch(text)):
        raise NotationError(line, f"expected a tile such as 'bg-cap' or 'bg-cap B', found {text!r}")
    return Lot(match["tile"], SEATS.index(match["owner"]) if match["owner"] else None)


def _parse_auction(bazaar: Bazaar, line: int, text: str) -> tuple[Bazaar, int]:
    """The bazaar with its auction, and who answers."""
    if not (match := _AUCTION.fullmatch(text)):
        raise NotationError(line, f"expected 'B', 'B 2' or 'B 2: 5 C next D', found {text!r}")
    chooser = SEATS.index(match["chooser"])
    asked = SEATS.index(match["next"]) if match["next"] else chooser
    if match["lot"] and int(match["lot"]) > len(bazaar.offer):
        raise NotationError(line, f"there is no tile {match['lot']} on offer")
    return replace(
        bazaar,
        chooser=chooser,
        lot=int(match["lot"]) - 1 if match["lot"] else None,
        price=int(match["price"]) if match["price"] else None,
        bidder=SEATS.index(match["bidder"]) if match["bidder"] else None,
    ), asked


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
    turn, wagons, town = reader.turn(rules.n_players), reader.wagons(), reader.town()
    bazaar, asked = reader.bazaar()
    moves = turn.phase in (Phase.WAGON, Phase.WAGON_SPOT)
    if moves != bool(wagons) and town is None:
        raise NotationError(line, "[wagons ...] and a turn that moves go together")
    if moves:
        asked = wagons[0].seat
    if (turn.phase in (Phase.CASTLE, Phase.CASTLE_CHOICE)) != (town is not None):
        raise NotationError(line, "[town ...] and a turn that decides or takes go together")
    if town is not None:
        asked = town[0]
    return Position(
        rules=rules,
        tiles=tuple(reader.tiles),
        figures=tuple(reader.figures),
        scores=parse_scores(content, rules.n_players, line),
        phase=turn.phase,
        turn_player=turn.seat,
        decider=turn.seat if asked is None else asked,
        tile_in_hand=turn.tile,
        aside=reader.names("aside") or (),
        bag=reader.names("bag"),
        abbeys=reader.stock("abbeys", int(rules.abbeys), rules.n_players),
        wagons=wagons,
        wagon_target=turn.target,
        last_round=reader.last_round(),
        rolled=reader.rolled(),
        bridges=reader.stock("bridges", rules.bridges_each, rules.n_players),
        has_bridged=reader.flag("bridged"),
        castles=reader.castles(),
        tokens=reader.stock("tokens", rules.tokens_each, rules.n_players),
        town=None if town is None else town[1],
        bazaar=bazaar,
        is_bought=reader.flag("bought"),
        delayed=reader.delayed(),
        goods=reader.goods(rules),
        first_part=reader.first_part(),
        has_extended=reader.flag("extended"),
    )
