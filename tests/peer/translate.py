"""From the words of the independent engine to ours: tiles, spots, figures, actions, setups.

Everything that is not in the tables below is refused with :class:`UnknownWord`, so that a new
configuration is either translated completely or not replayed at all.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from carc_env.engine.core.codes import Figure, Good, Kind, Phase, Spot
from carc_env.engine.core.tiles import ROWS
from carc_env.game.game import Score
from carc_env.game.notation import format_place
from carc_env.position import Castle, Lot, Place, PlacedFigure, PlacedTile
from carc_env.rules import MAX_VIEW, Rules

Cell = tuple[int, int]
Direction = Literal["NS", "EW"]

DATA = Path(__file__).parents[1] / "data" / "peer"

TILES: dict[str, tuple[str, int]] = json.loads((DATA / "tile_ids.json").read_text())
"""Their tile -> our tile and the quarter turns to add to their rotation."""

_SYMMETRY = {row["id"]: row["rot"] for row in ROWS}
"""Our tile -> number of rotations that look different (the abbey has one, ABB-04)."""

PHASES = {
    "AbbeyPhase": {Phase.DRAW_OR_ABBEY},
    "TilePhase": {Phase.PLACE_TILE},
    "ActionPhase": {Phase.FIGURE},
    "CastlePhase": {Phase.CASTLE},
    "WagonPhase": {Phase.WAGON},
    "BazaarPhase": {Phase.BAZAAR_PICK, Phase.BAZAAR_BID, Phase.BAZAAR_DEAL},
    "AbbeyEndGamePhase": {Phase.DRAW_OR_ABBEY},
    "GameOverPhase": {Phase.GAME_OVER},
}
"""Their phases in which somebody decides (or nobody any more) -> ours."""

FIGURES = {
    "SmallFollower": Figure.MEEPLE,
    "BigFollower": Figure.LARGE,
    "Abbot": Figure.ABBOT,
    "Mayor": Figure.MAYOR,
    "Wagon": Figure.WAGON,
    "Builder": Figure.BUILDER,
    "Pig": Figure.PIG,
    "Barn": Figure.BARN,
}

ABBEY, BRIDGE, TOKEN = "ABBEY_TILE", "BRIDGE", "CASTLE"
"""What is in hand among their supplies and no figure."""

MARKERS = ("KING", "ROBBER")
"""What one player has, also among their supplies."""

GOODS = {"WINE": Good.WINE, "GRAIN": Good.GRAIN, "CLOTH": Good.CLOTH}
"""Goods tokens among their supplies."""

PASSES = {
    "AbbeyPhase": "draw",
    "AbbeyEndGamePhase": "draw",
    "TilePhase": "aside",
    "CastlePhase": "score",
    "WagonPhase": "home",
}
"""Their phases in which passing has another name with us."""

STEPS = {Spot.N: (0, -1), Spot.E: (1, 0), Spot.S: (0, 1), Spot.W: (-1, 0)}
"""Side of a tile -> steps to the tile beyond it."""

OPPOSITE = {Spot.N: Spot.S, Spot.E: Spot.W, Spot.S: Spot.N, Spot.W: Spot.E}

CORNERS = {Spot.NW: (0, 0), Spot.NE: (1, 0), Spot.SE: (1, 1), Spot.SW: (0, 1)}
"""Corner of a tile -> steps to the tile that has it as its north-west corner."""

CORNER_AT = {steps: corner for corner, steps in CORNERS.items()}

KINDS = {
    "city": Kind.CITY,
    "road": Kind.ROAD,
    "monastery": Kind.MONASTERY,
    "garden": Kind.GARDEN,
    "field": Kind.FIELD,
    "castle": Kind.CASTLE,
    "trade-goods": Kind.GOODS,
    "king": Kind.KING,
    "robber": Kind.ROBBER,
}
"""First word of what their score events name -> kind of the feature."""

SIDES = {
    "NW": "NW", "NE": "NE", "SE": "ES", "SW": "SW", "NS": "NS", "WE": "EW",
    "_N": "ESW", "_E": "NSW", "_S": "NEW", "_W": "NES", "NWSE": "NESW",
    "N": "N", "E": "E", "S": "S", "W": "W",
}  # fmt: skip
"""Their name of the sides of a road or city -> the sides in the order N E S W."""

BRIDGES = {"NS": "NS", "WE": "EW"}
"""Their name of the direction of a bridge -> ours."""

HALVES = {
    "NL": Spot.Nw, "NR": Spot.Ne, "EL": Spot.En, "ER": Spot.Es,
    "SL": Spot.Se, "SR": Spot.Sw, "WL": Spot.Ws, "WR": Spot.Wn,
}  # fmt: skip
"""Half-edges, left and right as seen from the centre of the tile; ours count clockwise, too."""

ENCLOSED = {"I": Spot.in0, "II": Spot.in1}
"""Fields that touch no edge of the tile."""

SETS = {
    "basic:2": "base",
    "river/1:2": "river1",
    "inns-and-cathedrals:2": "inns",
    "traders-and-builders:2": "traders",
    "abbey-and-mayor:2": "abbey",
    "bridges-castles-and-bazaars:2": "bridges",
    "king-and-robber:2": "king",
}

NEEDED_ELEMENTS = {"small-follower": 7, "farmers": True, "garden": True}
"""What our rules always have; a setup without it cannot be translated."""

ELEMENTS: dict[tuple[str, Any], dict[str, Any]] = {
    ("abbot", 1): {"abbot": True, "abbot_recall_completed": "forbid"},
    ("abbey", 1): {"abbeys": True, "abbey_endgame": "one_round"},
    ("mayor", 1): {"mayors": True},
    ("wagon", 1): {"wagons": True},
    ("barn", 1): {"barns": True},
    ("bridge", 1): {"bridges": True},
    ("castle", 1): {"castles": True},
    ("bazaar", True): {"bazaars": True},
    ("big-follower", 1): {"large_meeples": True},
    ("inn", True): {"inns": True},
    ("cathedral", True): {"inns": True},
    ("builder", 1): {"builders": True},
    ("pig", 1): {"pigs": True},
    ("traders", True): {"goods": True},
    ("river", True): {},
    ("king", True): {"king_robber": True},
    ("robber", True): {"king_robber": True},
}
"""Element and its value -> switches of our rules."""

VARIANTS: dict[tuple[str, Any], dict[str, Any]] = {
    ("tiny-city-scoring", "4"): {"small_city_points": 4},
    ("tiny-city-scoring", "2"): {"small_city_points": 2},
    ("wagon-move", "C2"): {"wagon_adjacency": "C2"},
    ("barn-placement", "not-occupied"): {},
    ("bazaar-no-auction", False): {"bazaar_mode": "auction"},
    ("bazaar-no-auction", True): {"bazaar_mode": "take"},
    ("king-and-robber-scoring", "default"): {"king_robber_scoring": "per_feature"},
}
"""Rule and its value -> switches of our rules."""

VARIANTS_OF_ELEMENTS = {
    "wagon-move": "wagon",
    "barn-placement": "barn",
    "bazaar-no-auction": "bazaar",
    "king-and-robber-scoring": "king",
}
"""Rules that mean nothing unless the element is in play."""

TOGETHER = [("inn", "cathedral"), ("king", "robber")]
"""Elements that one switch of our rules stands for."""

START = [{"tile": "BA/RCr", "x": 0, "y": 0, "rotation": 0}]

SOURCE = [{"tile": "RI/s", "x": 0, "y": 0, "rotation": 0}]
"""Where the river begins."""


class UnknownWord(ValueError):
    """The log says something that has no translation yet."""

    def __init__(self, what: str, word: object) -> None:
        super().__init__(f"no translation for {what} {word!r}")


def _look_up(table: dict[str, Any], what: str, word: str) -> Any:
    if word not in table:
        raise UnknownWord(what, word)
    return table[word]


def tile_id(name: str) -> str:
    """Our id of a tile."""
    return str(_look_up(TILES, "tile", name)[0])


def placed_tile(name: str, x: int, y: int, rotation: int) -> PlacedTile:
    """A tile on the board; rotations that look alike become the first of them."""
    tile, turns = _look_up(TILES, "tile", name)
    return PlacedTile(tile, x, y, (rotation + turns) % 4 % _SYMMETRY[tile])


def board_turns(start: Sequence[dict[str, Any]]) -> int:
    """Clockwise quarter turns of their board that put the start tile as we have it."""
    [tile] = start
    laid = placed_tile(tile["tile"], tile["x"], tile["y"], tile["rotation"])
    return -laid.rotation % 4


def spot(feature: str, place: str) -> Spot:
    """The spot that names a feature part on its tile."""
    if feature in ("Road", "City", "Castle"):
        return Spot[_look_up(SIDES, feature, place)[0]]
    if feature == "Field" and place in ENCLOSED:
        return ENCLOSED[place]
    if feature == "Field":
        return Spot(min(_look_up(HALVES, feature, half) for half in place.split(".")))
    if (feature, place) in (("Monastery", "I"), ("Garden", "I")):
        return Spot.mid
    raise UnknownWord("feature", f"{feature} {place}")


def _place_action(words: Sequence[str], _last: Cell, _phase: str) -> str:
    name, x, y, rotation, *bridge = words
    if bridge and (len(bridge) != 4 or bridge[0] != "BRIDGE" or bridge[3] not in BRIDGES):
        raise UnknownWord("tile placement", " ".join(words))
    return format_place(placed_tile(name, int(x), int(y), int(rotation)))


def _figure_action(words: Sequence[str], last: Cell, phase: str) -> str:
    name, column, row, feature, place = words
    figure, x, y = _look_up(FIGURES, "figure", name), int(column), int(row)
    word = figure.name.lower()
    where = spot(feature, place)
    if phase == "WagonPhase":
        return f"{word} {x},{y} {where.name}"
    if figure == Figure.BARN:
        steps = (x - last[0], y - last[1])
        if steps in CORNER_AT:
            return f"{word} {CORNER_AT[steps].name}"
    elif (x, y) == last:
        return f"{word} {where.name}"
    return f"{word} {where.name} at {x},{y}"


def _return_action(words: Sequence[str], _last: Cell, _phase: str) -> str:
    return str(_look_up({"ABBOT_RETURN": "recall"}, "return", words[0]))


def _bridge_action(words: Sequence[str], _last: Cell, _phase: str) -> str:
    x, y, direction = words
    return f"bridge {x},{y} {_look_up(BRIDGES, 'bridge', direction)}"


def _bid_action(words: Sequence[str], _last: Cell, _phase: str) -> str:
    _, price = words
    return f"bid {price}"


def _pass_action(_words: Sequence[str], _last: Cell, phase: str) -> str:
    return PASSES.get(phase, "pass")


ACTIONS: dict[str, Callable[[Sequence[str], Cell, str], str]] = {
    "TILE": _place_action,
    "MEEPLE": _figure_action,
    "RETURN": _return_action,
    "BRIDGE": _bridge_action,
    "BAZAAR_BID": _bid_action,
    "BAZAAR_BUY": lambda _words, _last, _phase: "buy",
    "BAZAAR_SELL": lambda _words, _last, _phase: "sell",
    "PASS": _pass_action,
}


def action_name(text: str, last: Cell, phase: str = "ActionPhase") -> str:
    """Our name of an action.

    Parameters
    ----------
    text : str
        The compact action of the log.
    last : tuple of int
        Cell of the tile placed last: in our notation figures go there without saying so. Anything
        on another tile gets a name that says where and that no action of ours has.
    phase : str
        Their phase: it decides what passing is called and whether a wagon is placed or moves.
    """
    kind, *words = text.split()
    translate: Callable[[Sequence[str], Cell, str], str] = _look_up(ACTIONS, "action", kind)
    return translate(words, last, phase)


def town(text: str) -> Place:
    """The town that an action turns into a castle, by its segment on the tile placed last."""
    kind, x, y, place = text.split()
    if kind != "CASTLE":
        raise UnknownWord("action", text)
    return int(x), int(y), spot("Castle", place)


def lot(text: str) -> tuple[int, int]:
    """Number of the tile, from 0, and opening bid of an action that chooses a tile."""
    kind, number, price = text.split()
    if kind != "BAZAAR_SELECT":
        raise UnknownWord("action", text)
    return int(number), int(price)


def offer(rows: Iterable[Sequence[Any]]) -> list[Lot]:
    """The tiles of a bazaar that are not in hand yet, with their owners."""
    return [Lot(tile_id(name), owner) for name, _, _, owner in rows]


def auction(
    rows: Sequence[Sequence[Any]], lot: int | None
) -> tuple[int | None, int | None, int | None]:
    """The number of the tile under the hammer, the highest bid and who holds it."""
    return (None, None, None) if lot is None else (lot, rows[lot][1], rows[lot][2])


def figures(rows: Iterable[Sequence[Any]]) -> list[PlacedFigure]:
    """The figures on the board, sorted; barns as :func:`one_name` has them."""
    found = []
    for name, seat, x, y, feature, place in rows:
        figure, where = _look_up(FIGURES, "figure", name), spot(feature, place)
        if figure == Figure.BARN:
            where = Spot.NW
        found.append(PlacedFigure(seat, figure, x, y, where))
    return sort_figures(found)


def one_name(figure: PlacedFigure) -> PlacedFigure:
    """A barn by the tile whose north-west corner it stands on; other figures as they are."""
    if figure.figure != Figure.BARN:
        return figure
    dx, dy = CORNERS[figure.spot]
    return replace(figure, x=figure.x + dx, y=figure.y + dy, spot=Spot.NW)


def sort_figures(found: Iterable[PlacedFigure]) -> list[PlacedFigure]:
    """Figures in an order that does not depend on history."""
    return sorted(found, key=lambda f: (f.x, f.y, f.spot, f.seat, f.figure))


def scores(events: Iterable[Sequence[Any]]) -> list[Score]:
    """What the events of a message scored; some features give 0 points."""
    rows = [row for name, *rest in events if name in ("score", "score-final") for row in rest]
    return [
        Score(seat, points, _look_up(KINDS, "score", name.partition(".")[0]))
        for seat, points, name, _ in rows
    ]


def one_score_for_goods(found: Iterable[Score]) -> list[Score]:
    """The scores with one for all kinds of goods of a seat: we add them up before we pay."""
    rows = list(found)
    features = [score for score in rows if score.kind != Kind.GOODS]
    points: Counter[int] = Counter()
    for score in rows:
        if score.kind == Kind.GOODS:
            points[score.seat] += score.points
    return features + [Score(seat, n, Kind.GOODS) for seat, n in sorted(points.items())]


def supply(counts: dict[str, int]) -> dict[Figure, int]:
    """The supply of a seat; what the log leaves out is 0."""
    names = [name for name in counts if name not in (ABBEY, BRIDGE, TOKEN, *MARKERS, *GOODS)]
    found = {_look_up(FIGURES, "figure", name): counts[name] for name in names}
    return {figure: found.get(figure, 0) for figure in Figure}


def goods(counts: dict[str, int]) -> dict[Good, int]:
    """The goods tokens of a seat; what the log leaves out is 0."""
    return {good: counts.get(name, 0) for name, good in GOODS.items()}


def bridges(events: Iterable[Sequence[Any]]) -> dict[Cell, Direction]:
    """The bridges that a message has built, by cell."""
    found = {}
    for name, *rest in events:
        if name == "token" and rest[0] == BRIDGE:
            x, y, _, direction = rest[1]
            found[x, y] = _look_up(BRIDGES, "bridge", direction)
    return found


def castles(events: Iterable[Sequence[Any]]) -> list[frozenset[Place]]:
    """The castles that a message has built, each by its two segments."""
    return [
        frozenset((x, y, spot(feature, place)) for x, y, feature, place in ends)
        for name, *ends in events
        if name == "castle"
    ]


def both_ends(castle: Castle) -> frozenset[Place]:
    """A castle of ours by its two segments."""
    dx, dy = STEPS[castle.spot]
    x, y, side = castle.x, castle.y, castle.spot
    return frozenset({(x, y, side), (x + dx, y + dy, OPPOSITE[side])})


def rules(setup: dict[str, Any]) -> Rules:
    """Our rules for the setup of a log.

    The window is as large as it can be, since their table has no end, and no decision is taken
    automatically.

    Raises
    ------
    UnknownWord
        A set, an element, a rule or the start tile has no counterpart.
    """
    for name, copies in setup["sets"].items():
        if name not in SETS or copies != 1:
            raise UnknownWord("set", f"{name} x{copies}")
    if setup["start"] != (SOURCE if "river" in setup["elements"] else START):
        raise UnknownWord("start", setup["start"])
    switches: dict[str, Any] = {"abbot": False, "auto_single": False, "view": MAX_VIEW}
    switches |= _switches_of_elements(setup["elements"]) | _switches_of_variants(setup)
    if "builders" in switches and "bazaars" in switches:
        switches["bazaar_builder_order"] = "builder_first"
    sets = tuple(SETS[name] for name in setup["sets"])
    return Rules(n_players=setup["players"], sets=sets, **switches)


def _switches_of_elements(elements: dict[str, Any]) -> dict[str, Any]:
    for name, value in NEEDED_ELEMENTS.items():
        if elements.get(name) != value:
            raise UnknownWord("element", f"{name}={elements.get(name)}")
    switches: dict[str, Any] = {}
    for name, value in elements.items():
        if name not in NEEDED_ELEMENTS:
            if (name, value) not in ELEMENTS:
                raise UnknownWord("element", f"{name}={value}")
            switches |= ELEMENTS[name, value]
    for names in TOGETHER:
        if len(missing := set(names) - elements.keys()) not in (0, len(names)):
            raise UnknownWord("element without", ", ".join(sorted(missing)))
    return switches


def _switches_of_variants(setup: dict[str, Any]) -> dict[str, Any]:
    switches: dict[str, Any] = {}
    for name, value in setup["rules"].items():
        if VARIANTS_OF_ELEMENTS.get(name, name) not in (name, *setup["elements"]):
            continue
        if (name, value) not in VARIANTS:
            raise UnknownWord("rule", f"{name}={value}")
        switches |= VARIANTS[name, value]
    return switches
