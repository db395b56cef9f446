"""From the words of the independent engine to ours: tiles, spots, figures, actions, setups.

Everything that is not in the tables below is refused with :class:`UnknownWord`, so that a new
configuration is either translated completely or not replayed at all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from carc_env.engine.codes import Figure, Kind, Phase, Spot
from carc_env.engine.tiles import FACTS
from carc_env.game import Score
from carc_env.notation import format_place
from carc_env.position import PlacedFigure, PlacedTile
from carc_env.rules import MAX_VIEW, Rules

Cell = tuple[int, int]

DATA = Path(__file__).parents[1] / "data" / "peer"

TILES: dict[str, tuple[str, int]] = json.loads((DATA / "tile_ids.json").read_text())
"""Their tile -> our tile and the quarter turns to add to their rotation."""

_SYMMETRY = {row["id"]: row["rot"] for row in FACTS}
"""Our tile -> number of rotations that look different."""

PHASES = {
    "TilePhase": Phase.PLACE_TILE,
    "ActionPhase": Phase.ACTION,
    "GameOverPhase": Phase.GAME_OVER,
}
"""Their phases in which somebody decides (or nobody any more) -> ours."""

FIGURES = {"SmallFollower": Figure.MEEPLE, "Abbot": Figure.ABBOT}

KINDS = {
    "city": Kind.CITY,
    "road": Kind.ROAD,
    "monastery": Kind.MONASTERY,
    "garden": Kind.GARDEN,
    "field": Kind.FIELD,
}
"""First word of what their score events name -> kind of the feature."""

SIDES = {
    "NW": "NW", "NE": "NE", "SE": "ES", "SW": "SW", "NS": "NS", "WE": "EW",
    "_N": "ESW", "_E": "NSW", "_S": "NEW", "_W": "NES", "NWSE": "NESW",
    "N": "N", "E": "E", "S": "S", "W": "W",
}  # fmt: skip
"""Their name of the sides of a road or city -> the sides in the order N E S W."""

HALVES = {
    "NL": Spot.Nw, "NR": Spot.Ne, "EL": Spot.En, "ER": Spot.Es,
    "SL": Spot.Se, "SR": Spot.Sw, "WL": Spot.Ws, "WR": Spot.Wn,
}  # fmt: skip
"""Half-edges, left and right as seen from the centre of the tile; ours count clockwise, too."""

ENCLOSED = {"I": Spot.in0, "II": Spot.in1}
"""Fields that touch no edge of the tile."""

SETS = {"basic:2": "base"}

NEEDED_ELEMENTS = {"small-follower": 7, "farmers": True, "garden": True}
"""What our rules always have; a setup without it cannot be translated."""

ELEMENTS: dict[tuple[str, Any], dict[str, Any]] = {
    ("abbot", 1): {"abbot": True, "abbot_recall_completed": "forbid"},
}
"""Element and its value -> switches of our rules."""

VARIANTS: dict[tuple[str, Any], dict[str, Any]] = {
    ("tiny-city-scoring", "4"): {"small_city_points": 4},
    ("tiny-city-scoring", "2"): {"small_city_points": 2},
}
"""Rule and its value -> switches of our rules."""

VARIANTS_OF_ELEMENTS = {
    "wagon-move": "wagon",
    "barn-placement": "barn",
    "bazaar-no-auction": "bazaar",
}
"""Rules that mean nothing unless the element is in play."""

START = [{"tile": "BA/RCr", "x": 0, "y": 0, "rotation": 0}]


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


def spot(feature: str, place: str) -> Spot:
    """The spot that names a feature part on its tile."""
    if feature in ("Road", "City"):
        return Spot[_look_up(SIDES, feature, place)[0]]
    if feature == "Field" and place in ENCLOSED:
        return ENCLOSED[place]
    if feature == "Field":
        return Spot(min(_look_up(HALVES, feature, half) for half in place.split(".")))
    if (feature, place) in (("Monastery", "I"), ("Garden", "I")):
        return Spot.mid
    raise UnknownWord("feature", f"{feature} {place}")


def _place_action(words: Sequence[str], _: Cell) -> str:
    if len(words) != 4:
        raise UnknownWord("tile placement", " ".join(words))
    name, x, y, rotation = words
    return format_place(placed_tile(name, int(x), int(y), int(rotation)))


def _figure_action(words: Sequence[str], last: Cell) -> str:
    figure, x, y, feature, place = words
    name = f"{_look_up(FIGURES, 'figure', figure).name.lower()} {spot(feature, place).name}"
    return name if (int(x), int(y)) == last else f"{name} at {x},{y}"


def _return_action(words: Sequence[str], _: Cell) -> str:
    return str(_look_up({"ABBOT_RETURN": "recall"}, "return", words[0]))


def _pass_action(_words: Sequence[str], _: Cell) -> str:
    return "pass"


ACTIONS: dict[str, Callable[[Sequence[str], Cell], str]] = {
    "TILE": _place_action,
    "MEEPLE": _figure_action,
    "RETURN": _return_action,
    "PASS": _pass_action,
}


def action_name(text: str, last: Cell) -> str:
    """Our name of an action.

    Parameters
    ----------
    text : str
        The compact action of the log.
    last : tuple of int
        Cell of the tile placed last: in our notation figures go there without saying so. Anything
        on another tile gets a name that says where and that no action of ours has.
    """
    kind, *words = text.split()
    translate: Callable[[Sequence[str], Cell], str] = _look_up(ACTIONS, "action", kind)
    return translate(words, last)


def figures(rows: Iterable[Sequence[Any]]) -> list[PlacedFigure]:
    """The figures on the board, sorted."""
    found = [
        PlacedFigure(seat, _look_up(FIGURES, "figure", name), x, y, spot(feature, place))
        for name, seat, x, y, feature, place in rows
    ]
    return sort_figures(found)


def sort_figures(found: Iterable[PlacedFigure]) -> list[PlacedFigure]:
    """Figures in an order that does not depend on history."""
    return sorted(found, key=lambda f: (f.x, f.y, f.spot, f.seat, f.figure))


def scores(events: Iterable[Sequence[Any]]) -> list[Score]:
    """What the events of a message scored, without the features that gave nothing."""
    rows = [row for name, *rest in events if name in ("score", "score-final") for row in rest]
    return [
        Score(seat, points, _look_up(KINDS, "score", name.partition(".")[0]))
        for seat, points, name, _ in rows
        if points
    ]


def supply(counts: dict[str, int]) -> dict[Figure, int]:
    """The supply of a seat; what the log leaves out is 0."""
    found = {_look_up(FIGURES, "figure", name): n for name, n in counts.items()}
    return {figure: found.get(figure, 0) for figure in Figure}


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
    if setup["start"] != START:
        raise UnknownWord("start", setup["start"])
    switches: dict[str, Any] = {"abbot": False, "auto_single": False, "view": MAX_VIEW}
    switches |= _switches_of_elements(setup["elements"]) | _switches_of_variants(setup)
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
    return switches


def _switches_of_variants(setup: dict[str, Any]) -> dict[str, Any]:
    switches: dict[str, Any] = {}
    for name, value in setup["rules"].items():
        if (name, value) in VARIANTS:
            switches |= VARIANTS[name, value]
        elif VARIANTS_OF_ELEMENTS.get(name, name) in (name, *setup["elements"]):
            raise UnknownWord("rule", f"{name}={value}")
    return switches
