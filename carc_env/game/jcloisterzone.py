"""JCloisterZone 5's vocabulary for tiles, figures, places and setups, translated into ours."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Any

from carc_env.engine.core.codes import MAX_PLAYERS, Figure, Quarter, Spot
from carc_env.engine.core.tiles import FACTS, ROWS
from carc_env.position import PlacedTile
from carc_env.rules import MAX_VIEW, MIN_PLAYERS, Rules
from carc_env.sets import read_all
from carc_env.words import counted

OF_SETS = read_all("peer.json")
"""Each set's vocabulary: its tiles, figures, elements and rules in JCloisterZone, and our
equivalents.

A rule has no effect unless the first of its elements is in play. The first value of a rule is the
client's default. ``enforces`` names elements that the client adds for a set when the engine starts.
A game with the set must have one of the elements in ``needs_any``, since the set would otherwise
have no rules. ``without`` holds switches for elements that a game with the set lacks. ``needs``
and, for a game with the set, ``set_needs`` name elements that are refused without another element.
"""

TILES: dict[str, tuple[str, int]] = json.loads(
    (files("carc_env.game") / "jcloisterzone_tiles.json").read_text(encoding="utf-8")
)
"""Their tile -> our tile and the quarter turns to add to its rotation."""
for _told in OF_SETS:
    TILES |= _told.get("tiles", {})

BROKEN = "/broken"
"""Suffix of their name for a tile whose road breaks under a city (TUN-16); their road runs on."""
_INSTEAD = {row["instead_of"]: row["id"] for row in FACTS if "instead_of" in row}
WHOLE = {name: _INSTEAD[ours] for name, (ours, _) in TILES.items() if ours in _INSTEAD}
"""Their tile with such a road -> our tile with two mouths."""
TILES |= {name + BROKEN: (ours, TILES[name][1]) for name, ours in WHOLE.items()}

_SYMMETRY = {row["id"]: row["rot"] for row in ROWS}
"""Our tile -> number of distinct-looking rotations."""

FIGURES = {
    "SmallFollower": Figure.MEEPLE,
    **{name: Figure[ours] for told in OF_SETS for name, ours in told.get("figures", {}).items()},
}

CORNERS = {Spot.NW: (0, 0), Spot.NE: (1, 0), Spot.SE: (1, 1), Spot.SW: (0, 1)}
"""Tile corner -> offset to the tile that has it as its north-west corner."""

CORNER_AT = {steps: corner for corner, steps in CORNERS.items()}

SIDES = {
    "NW": "NW", "NE": "NE", "SE": "ES", "SW": "SW", "NS": "NS", "WE": "EW",
    "_N": "ESW", "_E": "NSW", "_S": "NEW", "_W": "NES", "NWSE": "NESW",
    "N": "N", "E": "E", "S": "S", "W": "W",
}  # fmt: skip
"""Their name for the sides of a road or city -> the sides in the order N E S W."""

BRIDGES = {"NS": "NS", "WE": "EW"}
"""Their name for a bridge direction -> ours."""

HALVES = {
    "NL": Spot.Nw, "NR": Spot.Ne, "EL": Spot.En, "ER": Spot.Es,
    "SL": Spot.Se, "SR": Spot.Sw, "WL": Spot.Ws, "WR": Spot.Wn,
}  # fmt: skip
"""Half-edges, left and right as seen from the tile's centre; ours also count clockwise."""

LYING = "AS_ABBOT"
"""Location of meeples that lie on special monasteries."""

ENCLOSED = {"I": Spot.in0, "II": Spot.in1}
"""Fields that touch no edge of their tile."""

SETS: dict[str, str] = {
    "basic:2": "base",
    **{name: ours for told in OF_SETS for name, ours in told.get("sets", {}).items()},
}
"""Their set -> ours. The name of a set with gardens includes its edition."""

FIRST, SECOND = ":1", ":2"
"""Name suffixes: sets without gardens, sets with gardens."""

SETS |= {
    name.removesuffix(SECOND) + FIRST: ours for name, ours in SETS.items() if name.endswith(SECOND)
}

BOXES: list[tuple[list[str], dict[str, Any]]] = [
    (names, switches) for told in OF_SETS for names, switches in told.get("boxes", ())
]
"""Groups of their sets that make up one of our sets sold in several boxes -> switches in our rules;
later entries win."""

CATHEDRALS, INNS_ALONE = "inns", {"bridges", "river2"}
"""Our sets whose tiles have both inns and cathedrals, and sets with inns only."""

NEEDED_ELEMENTS = {"small-follower": 7, "farmers": True}
"""Elements that our rules always include; a setup without them cannot be translated."""

ELEMENTS: dict[tuple[str, Any], dict[str, Any]] = {
    (name, value): switches for told in OF_SETS for name, value, switches in told["elements"]
}
"""Element and its value -> switches in our rules."""

VARIANTS: dict[tuple[str, Any], dict[str, Any]] = {
    ("tiny-city-scoring", "4"): {"small_city_points": 4},
    ("tiny-city-scoring", "2"): {"small_city_points": 2},
    **{
        (name, value): switches
        for told in OF_SETS
        for name, value, switches in told.get("rules", ())
    },
}
"""Rule and its value -> switches in our rules."""

DEFAULTS: dict[str, Any] = {}
"""Rule -> the client's default, which saves leave out."""
for _name, _value in VARIANTS:
    DEFAULTS.setdefault(_name, _value)

OF_OTHER_SETS = {name for told in OF_SETS for name in told.get("of_other_sets", ())}
"""Rules that concern unsupported sets and so have no effect."""

VARIANTS_OF_ELEMENTS: dict[str, str] = {
    name: told["elements"][0][0] for told in OF_SETS for name, *_ in told.get("rules", ())
}
"""Rules that have no effect unless their element is in play."""

NEEDS: list[tuple[str, str]] = [pair for told in OF_SETS for pair in told.get("needs", {}).items()]
"""Elements that share one switch in our rules, or that have no effect without another element."""


def _laid(tile: str, x: int, y: int) -> dict[str, Any]:
    return {"tile": tile, "x": x, "y": y, "rotation": 0}


START = [_laid("BA/RCr", 0, 0)]

STARTS = {
    name: [_laid(tile, 0, 0)] for told in OF_SETS for name, tile in told.get("start", {}).items()
}
"""Start tiles that replace the usual one, by set; they lie as in our games."""

SOURCE = [_laid("RI/s", 0, 0)]
"""The cell where the river begins."""

_ON_TABLE = {row["id"]: row["table"] for row in FACTS if "table" in row}

CARCASSONNE = [
    _laid(name, *_ON_TABLE[ours]) for name, (ours, _) in TILES.items() if ours in _ON_TABLE
]
"""The tiles of the city of Carcassonne, which replace the start tile."""

SOURCE_BESIDE = [_laid("RI/s", 2, -1)]
"""The cell where the river begins next to the city."""

BESIDE = {name: _laid(*laid) for told in OF_SETS for name, laid in told.get("beside", {}).items()}
"""Other tiles next to the city, by set."""


QUARTER = "Quarter"
"""Locations of meeples in the city of Carcassonne."""

TRAPS = {"SoloveiRazboynik": "tree", "Vodyanoy": "water"}
"""Locations of figures in traps -> the trap."""

QUARTERS = {f"QUARTER_{quarter.name}": quarter for quarter in Quarter}


class UnknownWord(ValueError):
    """A game uses a term that has no translation."""

    def __init__(self, what: str, word: object) -> None:
        super().__init__(f"carc_env has no translation for {what} {word!r}")


def look_up(table: dict[str, Any], what: str, word: str) -> Any:
    """Return a table's entry for a word.

    Raises
    ------
    UnknownWord
        The table has no entry for it.
    """
    if word not in table:
        raise UnknownWord(what, word)
    return table[word]


def tile_id(name: str) -> str:
    """Return our ID for a tile."""
    return str(look_up(TILES, "tile", name)[0])


def placed_tile(name: str, x: int, y: int, rotation: int) -> PlacedTile:
    """Return a tile on the board; of rotations that look alike, use the first."""
    tile, turns = look_up(TILES, "tile", name)
    return PlacedTile(tile, x, y, (rotation + turns) % 4 % _SYMMETRY[tile])


def board_turns(start: Sequence[dict[str, Any]]) -> int:
    """Return the clockwise quarter turns of their board that align its start tile with ours."""
    tile = start[0]
    laid = placed_tile(tile["tile"], tile["x"], tile["y"], tile["rotation"])
    return 0 if start in STARTS.values() else -laid.rotation % 4


def spot(feature: str, place: str) -> Spot:
    """Return the spot that denotes a feature on its tile."""
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
    """Return the tiles on their table when a game begins."""
    has_river = "river" in setup["elements"]
    if "count" in setup["sets"]:
        beside = [laid for name, laid in BESIDE.items() if name in setup["sets"]]
        return CARCASSONNE + beside + SOURCE_BESIDE * has_river
    if has_river:
        return SOURCE
    return next((STARTS[name] for name in setup["sets"] if name in STARTS), START)


def as_started(setup: dict[str, Any]) -> dict[str, Any]:
    """Expand a saved setup to the full one that the client sends to the engine.

    A save omits elements that its sets enforce and rules that have the client's default. If it
    names no start tiles, the sets determine them.
    """
    enforced = {name: True for told in _told_of(setup["sets"]) for name in told.get("enforces", ())}
    named = {k: v for k, v in setup.get("rules", {}).items() if k not in OF_OTHER_SETS}
    started = {**setup, "elements": setup["elements"] | enforced, "rules": DEFAULTS | named}
    return {**started, "start": setup.get("start") or start_of(started)}


def _told_of(sets: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the vocabulary of the given sets."""
    ours = {SETS[name] for name in sets if name in SETS}
    return [told for told in OF_SETS if not ours.isdisjoint(told.get("sets", {}).values())]


def rules(setup: dict[str, Any]) -> Rules:
    """Return our rules for a game's setup.

    The view is as large as possible because their table is unbounded, and no decision is automatic.

    Raises
    ------
    UnknownWord
        A set, an element, a rule or the start tile has no counterpart.
    """
    for what, word in unknown_words(setup):
        raise UnknownWord(what, word)
    sets, elements = setup["sets"], setup["elements"]
    switches: dict[str, Any] = {"abbot": False, "auto_single": False, "view": MAX_VIEW}
    for name, value in elements.items():
        switches |= ELEMENTS.get((name, value), {})
    for name, value in _rules_in_play(setup):
        switches |= VARIANTS[name, value]
    for names, of_boxes in BOXES:
        if sets.keys() >= set(names):
            switches |= of_boxes
    for told in _told_of(sets):
        for name, without in told.get("without", {}).items():
            switches |= without if name not in elements else {}
    if "builders" in switches and "bazaars" in switches:
        switches["bazaar_builder_order"] = "builder_first"
    if any(name.endswith(FIRST) for name in sets):
        switches["edition"] = "C1"
    ours = tuple({SETS[name]: None for name in sets})
    return Rules(n_players=setup["players"], sets=ours, **switches)


def unknown_words(setup: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """Yield everything in a setup that has no counterpart, with its category and name."""
    yield from _unknown_sets(setup)
    if setup["start"] != start_of(setup):
        tiles = (f"{laid['tile']} at {laid['x']},{laid['y']}" for laid in setup["start"])
        yield "start", " and ".join(tiles)
    yield from _unknown_elements(setup)
    for name, value in _rules_in_play(setup):
        if (name, value) not in VARIANTS:
            yield "rule", f"{name}={value}"
    if not MIN_PLAYERS <= (n := setup["players"]) <= MAX_PLAYERS:
        yield "a game for", f"{counted(n, 'player')} (only {MIN_PLAYERS} to {MAX_PLAYERS})"


def _unknown_sets(setup: dict[str, Any]) -> Iterator[tuple[str, object]]:
    sets = setup["sets"]
    for name, copies in sets.items():
        if name not in SETS or copies != 1:
            yield "set", f"{name} x{copies}"
    if len({name[-2:] for name in sets} & {FIRST, SECOND}) > 1:
        yield "sets", "of two editions"
    for told in _told_of(sets):
        apart = told["sets"].keys() - sets.keys()
        if len(told["sets"]) > 1 and "boxes" not in told and apart:
            yield "sets", f"without {', '.join(sorted(apart))}"
        needed = told.get("needs_any", ())
        if needed and setup["elements"].keys().isdisjoint(needed):
            name = next(iter(told["sets"])).removesuffix(SECOND)
            yield "tiles of", f"{name} without {' or '.join(needed)}"


def _unknown_elements(setup: dict[str, Any]) -> Iterator[tuple[str, object]]:
    # Without abbots, nobody can use a garden, so a game without gardens plays the same.
    elements, ours = setup["elements"], {SETS.get(name) for name in setup["sets"]}
    for name, value in NEEDED_ELEMENTS.items():
        if elements.get(name) != value:
            yield "element", f"{name}={elements.get(name)}"
    for name, value in elements.items():
        if name not in NEEDED_ELEMENTS and (name, value) not in ELEMENTS:
            yield "element", f"{name}={value}"
    needs = dict.fromkeys(NEEDS)
    for told in _told_of(setup["sets"]):
        needs |= dict.fromkeys(told.get("set_needs", {}).items())
    for name, needed in needs:
        if name in elements and needed not in elements:
            if needed == "cathedral" and ours & INNS_ALONE and CATHEDRALS not in ours:
                continue
            yield "elements", f"{name} without {needed}"
    if "abbot" in elements and any(name.endswith(FIRST) for name in setup["sets"]):
        yield "elements", "abbot in a first edition"


def _rules_in_play(setup: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the rules in a setup whose elements are in play, and their values."""
    for name, value in setup["rules"].items():
        if VARIANTS_OF_ELEMENTS.get(name, name) in (name, *setup["elements"]):
            yield name, value
