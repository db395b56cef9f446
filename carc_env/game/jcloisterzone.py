"""The words of JCloisterZone 5: its tiles, figures, places and setups, and ours for them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from carc_env.engine.core.codes import Figure, Quarter, Spot
from carc_env.engine.core.tiles import FACTS, ROWS
from carc_env.position import PlacedTile
from carc_env.rules import MAX_VIEW, Rules
from carc_env.sets import read_all

OF_SETS = read_all("peer.json")
"""What sets say of themselves: their tiles, figures, elements and rules there, and ours for them.

Rules mean nothing unless the first of the elements is in play.
"""

TILES: dict[str, tuple[str, int]] = json.loads(
    (files("carc_env.game") / "jcloisterzone_tiles.json").read_text(encoding="utf-8")
)
"""Their tile -> our tile and the quarter turns to add to their rotation."""
for _told in OF_SETS:
    TILES |= _told.get("tiles", {})

BROKEN = "/broken"
"""Behind their name of a tile whose road under a city tunnels break (TUN-16); theirs stays."""
_INSTEAD = {row["instead_of"]: row["id"] for row in FACTS if "instead_of" in row}
WHOLE = {name: _INSTEAD[ours] for name, (ours, _) in TILES.items() if ours in _INSTEAD}
"""Their tile with such a road -> ours with two mouths."""
TILES |= {name + BROKEN: (ours, TILES[name][1]) for name, ours in WHOLE.items()}

_SYMMETRY = {row["id"]: row["rot"] for row in ROWS}
"""Our tile -> number of rotations that look different."""

FIGURES = {
    "SmallFollower": Figure.MEEPLE,
    **{name: Figure[ours] for told in OF_SETS for name, ours in told.get("figures", {}).items()},
}

CORNERS = {Spot.NW: (0, 0), Spot.NE: (1, 0), Spot.SE: (1, 1), Spot.SW: (0, 1)}
"""Corner of a tile -> steps to the tile that has it as its north-west corner."""

CORNER_AT = {steps: corner for corner, steps in CORNERS.items()}

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

LYING = "AS_ABBOT"
"""Where meeples lie on special monasteries."""

ENCLOSED = {"I": Spot.in0, "II": Spot.in1}
"""Fields that touch no edge of the tile."""

SETS: dict[str, str] = {
    "basic:2": "base",
    **{name: ours for told in OF_SETS for name, ours in told.get("sets", {}).items()},
}

BOXES: list[tuple[list[str], dict[str, Any]]] = [
    (names, switches) for told in OF_SETS for names, switches in told.get("boxes", ())
]
"""Sets that are one of ours in several boxes -> switches of our rules; a later one counts."""

CATHEDRALS = "inns-and-cathedrals:2"
INNS_ALONE = "bridges-castles-and-bazaars:2"
"""Sets whose tiles have both, and inns alone."""

NEEDED_ELEMENTS = {"small-follower": 7, "farmers": True}
"""What our rules always have; a setup without it cannot be translated."""

ELEMENTS: dict[tuple[str, Any], dict[str, Any]] = {
    (name, value): switches for told in OF_SETS for name, value, switches in told["elements"]
}
"""Element and its value -> switches of our rules."""

VARIANTS: dict[tuple[str, Any], dict[str, Any]] = {
    ("tiny-city-scoring", "4"): {"small_city_points": 4},
    ("tiny-city-scoring", "2"): {"small_city_points": 2},
    **{
        (name, value): switches
        for told in OF_SETS
        for name, value, switches in told.get("rules", ())
    },
}
"""Rule and its value -> switches of our rules."""

VARIANTS_OF_ELEMENTS: dict[str, str] = {
    name: told["elements"][0][0] for told in OF_SETS for name, *_ in told.get("rules", ())
}
"""Rules that mean nothing unless the element is in play."""

NEEDS: list[tuple[str, str]] = [pair for told in OF_SETS for pair in told.get("needs", {}).items()]
"""Elements that one switch of our rules stands for, or that are nothing without another one."""


def _laid(tile: str, x: int, y: int) -> dict[str, Any]:
    return {"tile": tile, "x": x, "y": y, "rotation": 0}


START = [_laid("BA/RCr", 0, 0)]

STARTS = {
    name: [_laid(tile, 0, 0)] for told in OF_SETS for name, tile in told.get("start", {}).items()
}
"""What lies there instead, by set; it lies as with us."""

SOURCE = [_laid("RI/s", 0, 0)]
"""Where the river begins."""

_ON_TABLE = {row["id"]: row["table"] for row in FACTS if "table" in row}

CARCASSONNE = [
    _laid(name, *_ON_TABLE[ours]) for name, (ours, _) in TILES.items() if ours in _ON_TABLE
]
"""The tiles of the city, which lie there instead of the start tile."""

SOURCE_BESIDE = [_laid("RI/s", 2, -1)]
"""Where the river begins beside the city."""

BESIDE = {name: _laid(*laid) for told in OF_SETS for name, laid in told.get("beside", {}).items()}
"""What else lies beside the city, by set."""


QUARTER = "Quarter"
"""What meeples in the city of Carcassonne stand on."""

TRAPS = {"SoloveiRazboynik": "tree", "Vodyanoy": "water"}
"""What figures in traps stand on -> the trap."""

QUARTERS = {f"QUARTER_{quarter.name}": quarter for quarter in Quarter}


class UnknownWord(ValueError):
    """A game says something that has no translation."""

    def __init__(self, what: str, word: object) -> None:
        super().__init__(f"no translation for {what} {word!r}")


def look_up(table: dict[str, Any], what: str, word: str) -> Any:
    """What a table says for a word.

    Raises
    ------
    UnknownWord
        It says nothing.
    """
    if word not in table:
        raise UnknownWord(what, word)
    return table[word]


def tile_id(name: str) -> str:
    """Our id of a tile."""
    return str(look_up(TILES, "tile", name)[0])


def placed_tile(name: str, x: int, y: int, rotation: int) -> PlacedTile:
    """A tile on the board; rotations that look alike become the first of them."""
    tile, turns = look_up(TILES, "tile", name)
    return PlacedTile(tile, x, y, (rotation + turns) % 4 % _SYMMETRY[tile])


def board_turns(start: Sequence[dict[str, Any]]) -> int:
    """Clockwise quarter turns of their board that put the first start tile as we have it."""
    tile = start[0]
    laid = placed_tile(tile["tile"], tile["x"], tile["y"], tile["rotation"])
    return 0 if start in STARTS.values() else -laid.rotation % 4


def spot(feature: str, place: str) -> Spot:
    """The spot that names a feature part on its tile."""
    if feature in ("Road", "City", "Castle"):
        return Spot[look_up(SIDES, feature, place)[0]]
    if feature == "Field" and place in ENCLOSED:
        return ENCLOSED[place]
    if feature == "Field":
        return Spot(min(look_up(HALVES, feature, half) for half in place.split(".")))
    if (feature, place) in (("Monastery", "I"), ("Garden", "I"), ("YagaHut", "I")):
        return Spot.mid
    if (feature, place) == ("Monastery", LYING):
        return Spot.lying
    raise UnknownWord("feature", f"{feature} {place}")


def start_of(setup: dict[str, Any]) -> list[dict[str, Any]]:
    """What lies on their table when a game begins."""
    has_river = "river" in setup["elements"]
    if "count" in setup["sets"]:
        beside = [laid for name, laid in BESIDE.items() if name in setup["sets"]]
        return CARCASSONNE + beside + SOURCE_BESIDE * has_river
    if has_river:
        return SOURCE
    return next((STARTS[name] for name in setup["sets"] if name in STARTS), START)


def rules(setup: dict[str, Any]) -> Rules:
    """Our rules for the setup of a game.

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
    if setup["start"] != start_of(setup):
        raise UnknownWord("start", setup["start"])
    switches: dict[str, Any] = {"abbot": False, "auto_single": False, "view": MAX_VIEW}
    switches |= _switches_of_elements(setup["elements"], setup["sets"]) | _switches_of_variants(
        setup
    )
    for names, of_boxes in BOXES:
        if setup["sets"].keys() >= set(names):
            switches |= of_boxes
    if "builders" in switches and "bazaars" in switches:
        switches["bazaar_builder_order"] = "builder_first"
    sets = tuple({SETS[name]: None for name in setup["sets"]})
    return Rules(n_players=setup["players"], sets=sets, **switches)


def _switches_of_elements(elements: dict[str, Any], sets: dict[str, Any]) -> dict[str, Any]:
    # Without abbots nobody can use a garden, so a game without gardens is the same.
    for name, value in NEEDED_ELEMENTS.items():
        if elements.get(name) != value:
            raise UnknownWord("element", f"{name}={elements.get(name)}")
    switches: dict[str, Any] = {}
    for name, value in elements.items():
        if name not in NEEDED_ELEMENTS:
            if (name, value) not in ELEMENTS:
                raise UnknownWord("element", f"{name}={value}")
            switches |= ELEMENTS[name, value]
    for name, needed in NEEDS:
        if name in elements and needed not in elements:
            if needed == "cathedral" and INNS_ALONE in sets and CATHEDRALS not in sets:
                continue
            raise UnknownWord("elements", f"{name} without {needed}")
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
