"""Translate the words of the independent engine: tiles, spots, figures, actions and setups.

Words that are not in the tables below raise :class:`UnknownWord`, so a new configuration is either
translated completely or not replayed at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from carc_env.engine.core.codes import Figure, Good, Kind, Phase, Spot
from carc_env.game.game import Score
from carc_env.game.jcloisterzone import (  # noqa: F401 - words that both modules translate
    BRIDGES,
    BROKEN,
    CARCASSONNE,
    CORNER_AT,
    CORNERS,
    ENCLOSED,
    FIGURES,
    HALVES,
    QUARTER,
    QUARTERS,
    SIDES,
    SOURCE,
    START,
    TILES,
    TRAPS,
    WHOLE,
    UnknownWord,
    board_turns,
    look_up,
    placed_tile,
    rules,
    spot,
    tile_id,
)
from carc_env.game.jcz import BUILDINGS, FIGURE_IDS
from carc_env.game.notation import format_place
from carc_env.position import (
    Castle,
    Lot,
    Place,
    PlacedFigure,
    PlacedTile,
    Position,
    Prisoner,
    Trapped,
    Waiting,
)
from carc_env.words import SEATS, format_cell

Cell = tuple[int, int]
Direction = Literal["NS", "EW"]

DATA = Path(__file__).parents[1] / "data" / "peer"

PHASES = {
    "AbbeyPhase": {Phase.DRAW_OR_ABBEY},
    "TilePhase": {Phase.PLACE_TILE},
    "GoldPiecePhase": {Phase.INGOT},
    "MageAndWitchPhase": {Phase.MAGIC},
    "ActionPhase": {Phase.FIGURE, Phase.LANDING},
    "TowerCapturePhase": {Phase.CAPTURE, Phase.EXCHANGE},
    "PhantomPhase": {Phase.SECOND, Phase.LANDING},
    "TunnelPhase": {Phase.TUNNEL},
    "PlaceFerryPhase": {Phase.FERRY},
    "ChangeFerriesPhase": {Phase.FERRIES},
    "DragonMovePhase": {Phase.FLIGHT},
    "ShepherdPhase": {Phase.FLOCK},
    "CastlePhase": {Phase.CASTLE},
    "CocScoringPhase": {Phase.JOIN},
    "WagonPhase": {Phase.WAGON},
    "CocFollowerPhase": {Phase.ENTER},
    "CocCountPhase": {Phase.COUNT},
    "CornCirclePhase": {Phase.CIRCLE, Phase.SOW, Phase.REAP},
    "EscapePhase": {Phase.ESCAPE},
    "BazaarPhase": {Phase.BAZAAR_PICK, Phase.BAZAAR_BID, Phase.BAZAAR_DEAL},
    "AbbeyEndGamePhase": {Phase.DRAW_OR_ABBEY},
    "CocFinalScoringPhase": {Phase.JOIN},
    "GameOverPhase": {Phase.GAME_OVER},
}
"""Their phases with a decision, and their phase when the game is over -> our phases."""

CIRCLES = {Phase.SOW: "DEPLOY", Phase.REAP: "REMOVE"}
"""Our phase at a corn circle -> the choice in their state, which is None before it is made."""

ABBEY, BRIDGE, TOKEN, FLOOR = "ABBEY_TILE", "BRIDGE", "CASTLE", "TOWER_PIECE"
INGOT = "GOLD"
DIGGERS = ("TUNNEL_A", "TUNNEL_B", "TUNNEL_C")
"""Items in their supplies that are not figures."""

MACHINE = "FlyingMachine"
"""Their feature that fliers board."""

TOWER = "Tower"
"""The feature on which they put meeples on towers."""

NAMES_WITH_CELLS = (
    *("fairy ", "remove ", "floor ", "top ", "unseat ", "return ", "seize "),
    *("mage ", "witch "),
)
"""Prefixes of our names for actions on a chosen cell, if the name contains that cell."""

ROSES = ("WR/CFR", "WR/Rr")
"""The tiles with a whole wind rose."""

TAKEN_OFF = {"PRINCESS": "remove", "FESTIVAL": "return"}
"""Their reason for returning a figure from a feature -> our word for the action."""

KINDS_TAKEN_OFF = {"SIEGE_ESCAPE": "escape", "CORN_CIRCLE": "reap"}
"""The same, for actions whose name contains the kind of the figure."""

MARKERS = ("KING", "ROBBER")
"""Markers that one player holds, also listed in their supplies."""

GOODS = {"WINE": Good.WINE, "GRAIN": Good.GRAIN, "CLOTH": Good.CLOTH}
"""Goods tokens in their supplies -> our goods."""

PASSES = {
    "AbbeyPhase": "draw",
    "AbbeyEndGamePhase": "draw",
    "TilePhase": "aside",
    "CastlePhase": "score",
    "WagonPhase": "home",
    "CocCountPhase": "stay",
}
"""Their phases in which we have a special name for passing -> that name."""

STEPS = {Spot.N: (0, -1), Spot.E: (1, 0), Spot.S: (0, 1), Spot.W: (-1, 0)}
"""Side of a tile -> steps to the tile beyond it."""

OPPOSITE = {Spot.N: Spot.S, Spot.E: Spot.W, Spot.S: Spot.N, Spot.W: Spot.E}

KINDS = {
    "city": Kind.CITY,
    "road": Kind.ROAD,
    "monastery": Kind.MONASTERY,
    "shrine": Kind.MONASTERY,
    "garden": Kind.GARDEN,
    "field": Kind.FIELD,
    "castle": Kind.CASTLE,
    "trade-goods": Kind.GOODS,
    "king": Kind.KING,
    "robber": Kind.ROBBER,
    "fairy": Kind.FAIRY,
    "flock": Kind.FLOCK,
    "gold": Kind.GOLD,
    "watchtower": Kind.WATCHTOWER,
    "wind-rose": Kind.WIND_ROSE,
    "church": Kind.CHURCH,
    "yaga-hut": Kind.MONASTERY,
    "vodyanoy": Kind.TRAP,
    "special-monastery": Kind.LINES,
}
"""First word of the name in their score events -> our kind of score."""


def _place_action(words: Sequence[str], _last: Cell, _phase: str) -> str:
    name, x, y, rotation, *bridge = words
    if bridge and (len(bridge) != 4 or bridge[0] != "BRIDGE" or bridge[3] not in BRIDGES):
        raise UnknownWord("tile placement", " ".join(words))
    return format_place(placed_tile(name, int(x), int(y), int(rotation)))


def _figure_action(words: Sequence[str], last: Cell, phase: str) -> str:
    name, column, row, feature, place, *source = words
    figure, x, y = look_up(FIGURES, "figure", name), int(column), int(row)
    word = figure.name.lower()
    if feature == QUARTER:
        return f"enter {word} {_quarter(place)}"
    if feature == TOWER:
        return f"top {word} {x},{y}"
    if feature == MACHINE:
        return f"fly {word}"
    where = spot(feature, place)
    if source:
        _check_source(*source)
        return f"{word} {where.name} at {x},{y}"
    if phase == "WagonPhase":
        return f"{word} {x},{y} {where.name}"
    if figure == Figure.BARN:
        steps = (x - last[0], y - last[1])
        if steps in CORNER_AT:
            return f"{word} {CORNER_AT[steps].name}"
    elif (x, y) == last and phase != "CornCirclePhase":
        return f"{word} {where.name}"
    return f"{word} {where.name} at {x},{y}"


def _quarter(place: str) -> str:
    return str(look_up(QUARTERS, "quarter", place).name.lower())


def _check_source(word: str, place: str) -> None:
    """Refuse a figure that comes from anywhere but a quarter of Carcassonne."""
    if word != "FROM" or place not in QUARTERS:
        raise UnknownWord("source of a figure", f"{word} {place}")


def _count_action(words: Sequence[str], _last: Cell, _phase: str) -> str:
    [place] = words
    return f"count {_quarter(place)}"


def _at_figure(word: str, words: Sequence[str]) -> str:
    _id, x, y, feature, place = words
    if feature == QUARTER:
        return f"{word} in the {_quarter(place)}"
    return f"{word} {x},{y} {spot(feature, place).name}"


def _fairy_action(words: Sequence[str], _last: Cell, _phase: str) -> str:
    _id, x, y, feature, _place = words
    if feature in (TOWER, *TRAPS):
        return f"fairy {'top' if feature == TOWER else 'trap'} {x},{y}"
    return _at_figure("fairy", words)


def _floor_action(words: Sequence[str], _last: Cell, _phase: str) -> str:
    return "floor {},{}".format(*words)


def _capture_action(words: Sequence[str], _last: Cell, _phase: str) -> str:
    number, x, y, feature, _place = words
    if feature in TRAPS:
        owner = SEATS[int(number.split(".")[0])]
        return f"seize {_of_id(number).name.lower()} {x},{y} from {owner}"
    return f"unseat {x},{y}" if feature == TOWER else _at_figure("remove", words)


def name_of_one(text: str, name: str) -> str:
    """Return the long name of an action that removes a figure, with the figure's kind and owner.

    Our engine uses this name if several figures share a spot: ``return meeple 0,1 N``, ``remove
    meeple 0,1 N from A``.
    """
    number = text.split()[1 if text.startswith("CAPTURE") else 2]
    word, place = name.split(" ", 1)
    whole = f"{word} {_of_id(number).name.lower()} {place}"
    return f"{whole} from {SEATS[int(number.split('.')[0])]}" if word == "remove" else whole


def watched_builders(
    events: Iterable[Sequence[Any]], figures: Iterable[Sequence[Any]]
) -> Iterator[tuple[int, int]]:
    """Yield seats and points for builders beside a watchtower whose seat has no one else there."""
    standing = [(seat, (x, y, kind, place), name) for name, seat, x, y, kind, place in figures]
    rows = [row for name, *found in events if name == "score" for row in found]
    for seat, points, what, place in rows:
        if what == "watchtower":
            there = {n for owner, at, n in standing if owner == seat and at == tuple(place)}
            if there == {"Builder"}:
                yield seat, points


def _exchange_action(words: Sequence[str], _last: Cell, _phase: str) -> str:
    return f"exchange {look_up(FIGURES, 'figure', words[0]).name.lower()}"


def _ransom_action(words: Sequence[str], _last: Cell, _phase: str) -> str:
    jailer, name, _id = words
    return f"ransom {look_up(FIGURES, 'figure', name).name.lower()} from {SEATS[int(jailer)]}"


def _ingot_action(words: Sequence[str], _last: Cell, _phase: str) -> str:
    return "ingot {},{}".format(*words)


def _magic_action(who: str, words: Sequence[str]) -> str:
    if words == ["REMOVE"]:
        return f"{who} off"
    x, y, feature, place = words
    return f"{who} {x},{y} {spot(feature, place).name}"


def _mage_action(words: Sequence[str], _last: Cell, _phase: str) -> str:
    return _magic_action("mage", words)


def _witch_action(words: Sequence[str], _last: Cell, _phase: str) -> str:
    return _magic_action("witch", words)


def _token_action(words: Sequence[str], _last: Cell, _phase: str) -> str:
    token, x, y, place = words
    if token not in DIGGERS:
        raise UnknownWord("token", token)
    return f"tunnel {x},{y} {spot('Road', place).name} {token}"


def _building_action(words: Sequence[str], last: Cell, _phase: str) -> str:
    name, x, y = words
    built = f"build {look_up(BUILDINGS, 'building', name)}"
    return built if (int(x), int(y)) == last else f"{built} at {x},{y}"


def _ferry_action(words: Sequence[str], _last: Cell, _phase: str) -> str:
    x, y, place = words
    return f"ferry {x},{y} {sides(place)}"


def _step_action(words: Sequence[str], _last: Cell, _phase: str) -> str:
    return "dragon {},{}".format(*words)


def _return_action(words: Sequence[str], _last: Cell, _phase: str) -> str:
    if words[0] in ("TRAP", "FESTIVAL") and words[4] in TRAPS:
        _reason, figure, _x, _y, feature, _place = words
        return f"free {TRAPS[feature]} {_of_id(figure).name.lower()}"
    if words[0] == "FESTIVAL" and words[4] == TOWER:
        return f"return top {words[2]},{words[3]}"
    if words[0] == "FESTIVAL" and words[4] == QUARTER:
        return f"fetch {_of_id(words[1]).name.lower()} {_quarter(words[5])}"
    if words[0] in TAKEN_OFF:
        _reason, figure, x, y, *_ = words
        if ".shepherd." in figure:
            return f"{TAKEN_OFF[words[0]]} shepherd {x},{y}"
        if ".barn." in figure:
            return f"{TAKEN_OFF[words[0]]} {x},{y} {Spot.NW.name}"
        return _at_figure(TAKEN_OFF[words[0]], words[1:])
    if words[0] in KINDS_TAKEN_OFF:
        return _own_action(KINDS_TAKEN_OFF[words[0]], *words[1:])
    return str(look_up({"ABBOT_RETURN": "recall"}, "return", words[0]))


def _own_action(word: str, number: str, x: str, y: str, feature: str, place: str) -> str:
    return f"{word} {_of_id(number).name.lower()} {spot(feature, place).name} at {x},{y}"


def _of_id(number: str) -> Figure:
    """Return the kind of a figure from its id in a message."""
    kind: Figure = look_up(FIGURE_IDS, "figure", number.split(".")[1])
    return kind


def _bridge_action(words: Sequence[str], _last: Cell, _phase: str) -> str:
    x, y, direction = words
    return f"bridge {x},{y} {look_up(BRIDGES, 'bridge', direction)}"


def _bid_action(words: Sequence[str], _last: Cell, _phase: str) -> str:
    _, price = words
    return f"bid {price}"


def _pass_action(_words: Sequence[str], _last: Cell, phase: str) -> str:
    return PASSES.get(phase, "pass")


def _circle_action(words: Sequence[str], _last: Cell, _phase: str) -> str:
    return str(look_up({"DEPLOY": "all sow", "REMOVE": "all reap"}, "circle", *words))


def _flock_action(words: Sequence[str], _last: Cell, _phase: str) -> str:
    return str(look_up({"EXPAND": "grow", "SCORE": "herd"}, "flock", words[0]))


ACTIONS: dict[str, Callable[[Sequence[str], Cell, str], str]] = {
    "TILE": _place_action,
    "MEEPLE": _figure_action,
    "RETURN": _return_action,
    "FAIRY": _fairy_action,
    "DRAGON": _step_action,
    "GOLD": _ingot_action,
    "MAGE": _mage_action,
    "WITCH": _witch_action,
    "TUNNEL": _token_action,
    "FERRY": _ferry_action,
    "BUILDING": _building_action,
    "TOWER": _floor_action,
    "CAPTURE": _capture_action,
    "EXCHANGE": _exchange_action,
    "RANSOM": _ransom_action,
    "BRIDGE": _bridge_action,
    "BAZAAR_BID": _bid_action,
    "BAZAAR_BUY": lambda _words, _last, _phase: "buy",
    "BAZAAR_SELL": lambda _words, _last, _phase: "sell",
    "PASS": _pass_action,
    "CIRCLE": _circle_action,
    "FLOCK": _flock_action,
    "COUNT": _count_action,
}


def action_name(text: str, last: Cell, phase: str = "ActionPhase") -> str:
    """Return our name of an action.

    Parameters
    ----------
    text : str
        The compact action of the log.
    last : tuple of int
        Cell of the tile placed last. Our notation omits this cell for figures. An action on another
        tile gets a name that contains the cell and that none of our actions has.
    phase : str
        Their phase. It determines the name of passing and whether a wagon is placed or moves.
    """
    kind, *words = text.split()
    translate: Callable[[Sequence[str], Cell, str], str] = look_up(ACTIONS, "action", kind)
    return translate(words, last, phase)


def town(text: str) -> Place:
    """Return the town that an action turns into a castle, by its segment on the last tile."""
    kind, x, y, place = text.split()
    if kind != "CASTLE":
        raise UnknownWord("action", text)
    return int(x), int(y), spot("Castle", place)


def lot(text: str) -> tuple[int, int]:
    """Return the tile number, from 0, and the opening bid of an action that chooses a tile."""
    kind, number, price = text.split()
    if kind != "BAZAAR_SELECT":
        raise UnknownWord("action", text)
    return int(number), int(price)


def offer(rows: Iterable[Sequence[Any]]) -> list[Lot]:
    """Return the tiles of a bazaar that are not in hand yet, with their owners."""
    return [Lot(tile_id(name), owner) for name, _, _, owner in rows]


def auction(
    rows: Sequence[Sequence[Any]], lot: int | None
) -> tuple[int | None, int | None, int | None]:
    """Return the number of the tile up for auction, the highest bid and the highest bidder."""
    return (None, None, None) if lot is None else (lot, rows[lot][1], rows[lot][2])


def figures(rows: Iterable[Sequence[Any]]) -> list[PlacedFigure]:
    """Return the figures on segments, sorted; barns have the place that :func:`one_name` gives."""
    found = []
    for name, seat, x, y, feature, place in rows:
        if feature in (TOWER, QUARTER, *TRAPS):
            continue
        figure, where = look_up(FIGURES, "figure", name), spot(feature, place)
        if figure == Figure.BARN:
            where = Spot.NW
        found.append(PlacedFigure(seat, figure, x, y, where))
    return sort_figures(found)


def own_source(tile: PlacedTile, start: str) -> PlacedTile:
    """Return a tile, but name their source, which both rivers share, like our start tile."""
    return replace(tile, tile=start) if tile.tile == tile_id(SOURCE[0]["tile"]) else tile


def south_east(x: int, y: int, corner: Spot) -> Cell:
    """Return the cell whose north-west corner is a given corner of another cell."""
    dx, dy = CORNERS[corner]
    return x + dx, y + dy


def one_name(figure: PlacedFigure) -> PlacedFigure:
    """Return a barn by the tile whose north-west corner it stands on; other figures unchanged."""
    if figure.figure != Figure.BARN:
        return figure
    x, y = south_east(figure.x, figure.y, figure.spot)
    return replace(figure, x=x, y=y, spot=Spot.NW)


BARN_CORNERS = {corner.name for corner in CORNERS}


def one_name_of_action(name: str) -> str:
    """Rename the return of a barn in line with :func:`one_name`; return other names unchanged."""
    match name.replace(",", " ").split():
        case ["return", x, y, corner] if corner in BARN_CORNERS:
            cell = south_east(int(x), int(y), Spot[corner])
            return f"return {format_cell(cell)} {Spot.NW.name}"
    return name


def sort_figures(found: Iterable[PlacedFigure]) -> list[PlacedFigure]:
    """Sort figures in an order that does not depend on history."""
    return sorted(found, key=lambda f: (f.x, f.y, f.spot, f.seat, f.figure))


def scores(events: Iterable[Sequence[Any]]) -> list[Score]:
    """Return the scores in the events of a message, including features that give 0 points."""
    rows = [row for name, *rest in events if name in ("score", "score-final") for row in rest]
    return [
        Score(seat, points, look_up(KINDS, "score", name.partition(".")[0]))
        for seat, points, name, _ in rows
    ]


SHEEP = {"WOLF": 0, **{f"SHEEP_{n}X": n for n in range(1, 5)}}
"""Their sheep tokens -> number of sheep on them."""


def brought(events: Iterable[Sequence[Any]]) -> int | None:
    """Return the number of sheep on the token that a message has drawn, 0 for a wolf."""
    drawn = (SHEEP[rest[0]] for name, *rest in events if name == "token" and rest[0] in SHEEP)
    return next(drawn, None)


def rolled(events: Iterable[Sequence[Any]]) -> int | None:
    """Return how far a figure flies, by the die roll in a message."""
    return next((int(rest[-1]) for name, *rest in events if name == "flier"), None)


ADDED_UP = (Kind.GOODS, Kind.WATCHTOWER)
"""Kinds of scores that we add up for each seat: all its goods, and all its watchtowers."""


def added_up(found: Iterable[Score]) -> list[Score]:
    """Return the scores, with a single one per seat for each kind that we add up."""
    rows = list(found)
    features = [score for score in rows if score.kind not in ADDED_UP]
    points: Counter[tuple[int, Kind]] = Counter()
    for score in rows:
        if score.kind in ADDED_UP:
            points[score.seat, score.kind] += score.points
    return features + [Score(seat, n, kind) for (seat, kind), n in sorted(points.items())]


def trapped(rows: Iterable[Sequence[Any]]) -> list[Trapped]:
    """Return the figures in traps, sorted."""
    return sorted(
        Trapped(seat, TRAPS[feature], look_up(FIGURES, "figure", name))
        for name, seat, _, _, feature, _ in rows
        if feature in TRAPS
    )


def supply(counts: dict[str, int]) -> dict[Figure, int]:
    """Return the supply of a seat; figures that the log omits count as 0."""
    others = (ABBEY, BRIDGE, TOKEN, FLOOR, INGOT, *DIGGERS, *MARKERS, *GOODS, *BUILDINGS)
    names = [name for name in counts if name not in others]
    found = {look_up(FIGURES, "figure", name): counts[name] for name in names}
    return {figure: found.get(figure, 0) for figure in Figure}


def goods(counts: dict[str, int]) -> dict[Good, int]:
    """Return the goods tokens of a seat; goods that the log omits count as 0."""
    return {good: counts.get(name, 0) for name, good in GOODS.items()}


def unbuilt(counts: dict[str, int]) -> tuple[int, ...]:
    """Return the little buildings that a seat has left; those that the log omits count as 0."""
    return tuple(counts.get(name, 0) for name in BUILDINGS)


def buildings(rows: Iterable[Sequence[Any]]) -> set[tuple[Cell, str]]:
    """Return the little buildings on the board."""
    return {((x, y), look_up(BUILDINGS, "building", name)) for x, y, name in rows}


def magic(place: Sequence[Any] | None) -> Place | None:
    """Return where the mage or the witch is; None if it is beside the board."""
    return None if place is None else (place[0], place[1], spot(place[2], place[3]))


def rose(position: Position, x: int, y: int, rotation: int) -> PlacedTile:
    """Return the tile with their wind rose; if we have none, a tile that is not on the board."""
    laid = [placed_tile(name, x, y, rotation) for name in ROSES]
    return next((tile for tile in laid if tile in position.tiles), laid[0])


def tunnels(rows: Iterable[Sequence[Any]]) -> dict[Place, tuple[int, str] | None]:
    """Return the tunnel mouths, each with the owner and the letter of its token."""
    return {
        (x, y, spot("Road", place)): None if token is None else (owner, token)
        for x, y, place, owner, token in rows
    }


def sides(place: str) -> str:
    """Return the two sides that a ferry connects, in our order."""
    return "".join(sorted(look_up(SIDES, "Road", place), key="NESW".index))


def ferries(rows: Iterable[Sequence[Any]]) -> dict[Cell, str]:
    """Return the ferries on the board: cell -> the sides that the ferry connects."""
    return {(x, y): sides(place) for x, y, place in rows}


def bridges(events: Iterable[Sequence[Any]]) -> dict[Cell, Direction]:
    """Return the bridges that a message has built, by cell."""
    found = {}
    for name, *rest in events:
        if name == "token" and rest[0] == BRIDGE:
            x, y, _, direction = rest[1]
            found[x, y] = look_up(BRIDGES, "bridge", direction)
    return found


def castles(events: Iterable[Sequence[Any]]) -> list[frozenset[Place]]:
    """Return the castles that a message has built, each as its two segments."""
    return [
        frozenset((x, y, spot(feature, place)) for x, y, feature, place in ends)
        for name, *ends in events
        if name == "castle"
    ]


def fairy(place: Sequence[Any] | None) -> tuple[Cell | None, Spot | None, bool]:
    """Return the fairy's cell, the spot of its meeple, and whether that is on a tower or in a trap.

    In the quarters of Carcassonne, our fairy is beside nobody.
    """
    if place is None:
        return None, None, False
    x, y, feature, where, figure = place
    if figure is None or feature in (QUARTER, TOWER, *TRAPS):
        return (x, y), None, figure is not None and feature in (TOWER, *TRAPS)
    return (x, y), spot(feature, where), False


def heights(rows: Iterable[Sequence[int]]) -> list[tuple[int, int, int]]:
    """Return the cells and heights of towers that have at least one floor."""
    return sorted((x, y, height) for x, y, height in rows if height > 0)


def tops(rows: Iterable[Sequence[Any]]) -> list[tuple[int, Figure, int, int]]:
    """Return the owners, kinds and cells of meeples on towers."""
    return sorted(
        (seat, look_up(FIGURES, "figure", name), x, y)
        for name, seat, x, y, feature, _ in rows
        if feature == TOWER
    )


def waiting(rows: Iterable[Sequence[Any]]) -> list[Waiting]:
    """Return the meeples that wait in the quarters of Carcassonne, sorted."""
    return sorted(
        Waiting(seat, look_up(QUARTERS, "quarter", place), look_up(FIGURES, "figure", name))
        for name, seat, _x, _y, feature, place in rows
        if feature == QUARTER
    )


def prisoners(rows: Iterable[Iterable[Sequence[Any]]]) -> list[Prisoner]:
    """Return all prisoners with their jailers, sorted."""
    return sorted(
        Prisoner(jailer, owner, look_up(FIGURES, "figure", name))
        for jailer, held in enumerate(rows)
        for name, owner, _ in held
    )


def both_ends(castle: Castle) -> frozenset[Place]:
    """Return the two segments of one of our castles."""
    dx, dy = STEPS[castle.spot]
    x, y, side = castle.x, castle.y, castle.spot
    return frozenset({(x, y, side), (x + dx, y + dy, OPPOSITE[side])})
