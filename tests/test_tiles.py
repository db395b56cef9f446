"""The tile data is consistent, and the tables built from it contain the same facts.

A check is a function that returns a list of problems. Most checks look at one row of the data file,
some at all rows, and the last one at a table. Each check runs on the real data, where it must find
nothing, and on a copy with one changed fact, where it must complain. docs/tiles.md explains the
notation.
"""

import copy
import hashlib
import itertools
import json
from collections import Counter
from collections.abc import Callable
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import yaml

import carc_env.sets
from carc_env.engine.core import tiles
from carc_env.engine.core.codes import (
    EDGE_CITY,
    EDGE_FIELD,
    EDGE_RIVER,
    EDGE_ROAD,
    EDGE_WALL,
    Good,
    Kind,
    Spot,
)
from carc_env.rules import TILE_SETS
from carc_env.sets import BOXES

pytestmark = pytest.mark.once

Row = dict[str, Any]

FOLDER = Path(__file__).parent

FILES = [
    files(tiles) / "tiles.json",
    *(files(carc_env.sets).joinpath(box, "tiles.json") for box in BOXES),
]
DATA = [json.loads(file.read_text(encoding="utf-8")) for file in FILES]
HEADS = {set_id: head for told in DATA for set_id, head in told["sets"].items()}
ROWS: list[Row] = [row for told in DATA for row in told["tiles"]]
ROW = {row["id"]: row for row in ROWS}
IDS = list(ROW)
EDITIONS = ("C1", "C2")

SIDES = "NESW"
HALVES = "Nw Ne En Es Se Sw Ws Wn".split()
QUARTER_TURN = str.maketrans("NESWnesw", "ESWNeswn")  # where each direction points after it


# --- Expected numbers, from the published tile lists: never computed from the tile files.

CENSUS = {
    name: yaml.safe_load((FOLDER / "census" / f"{name}.yaml").read_text(encoding="utf-8"))
    for name in TILE_SETS
}
"""For each set, the content of its file in ``tests/census``.

``totals``
    Number of copies in the second edition and what they show; what is not listed does not occur.
    C, F, R, V and K are sides, ``arms`` coats of arms; ``on_n_arms`` is the number of tiles that
    show any.
``keys``
    Keys that no earlier set uses, and values that a key takes for the first time.
``fingerprint``
    Guards facts that follow from no rule, such as which city has the wine. After you correct a set
    on purpose, enter the value that the failing test prints.
"""
CLASSIC = CENSUS["base"]["classic"]
TOTALS = (
    *("designs", "tiles", "C", "F", "R", "V", "K", "on_n_fields", "fields", "on_n_roads", "roads"),
    *("on_n_cities", "cities", "on_n_arms", "arms", "monasteries", "gardens", "bazaars"),
    *("inns", "cathedrals", "wine", "grain", "cloth"),
)


# --- Reading a row


def cities_of(row: Row) -> list[Row]:
    return list(row.get("cities", []))


def roads_of(row: Row) -> list[Row]:
    return list(row.get("roads", []))


def side_owners(row: Row) -> dict[str, list[str]]:
    """Return, for each side, the names of the segments that claim it: c0, r1, river."""
    owners: dict[str, list[str]] = {side: [] for side in SIDES}
    for initial, parts in (("c", cities_of(row)), ("r", roads_of(row))):
        for number, part in enumerate(parts):
            for side in part["at"]:
                owners[side].append(f"{initial}{number}")
    for side in row.get("river", ""):
        owners[side].append("river")
    return owners


def half_owners(row: Row) -> dict[str, list[str]]:
    """Return, for each half-edge, the names of the fields that claim it."""
    owners: dict[str, list[str]] = {half: [] for half in HALVES}
    for number, field in enumerate(row["fields"]):
        for half in field["at"].split():
            owners.setdefault(half, []).append(f"f{number}")
    return owners


def city_at(row: Row) -> dict[str, int]:
    return {side: number for number, city in enumerate(cities_of(row)) for side in city["at"]}


#: Directions in which flying machines fly, clockwise.
DIRECTIONS = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")


def in_order(places: str) -> str:
    """Return sides, or half-edges with blanks between them, in the order that the file uses."""
    if " " in places or places in HALVES:
        return " ".join(sorted(places.split(), key=HALVES.index))
    return "".join(sorted(places, key=SIDES.index))


def turned(row: Row, quarters: int) -> Row:
    """Return the tile's row after clockwise quarter turns; its segments keep their numbers."""
    row = copy.deepcopy(row)
    for _ in range(quarters):
        row["edges"] = row["edges"][-1] + row["edges"][:-1]
        for part in [*cities_of(row), *roads_of(row), *row["fields"]]:
            part["at"] = in_order(part["at"].translate(QUARTER_TURN))
            if "shared" in part:
                part["shared"] = part["shared"].translate(QUARTER_TURN)
        if "river" in row:
            row["river"] = in_order(row["river"].translate(QUARTER_TURN))
        if "flier" in row:
            row["flier"] = DIRECTIONS[(DIRECTIONS.index(row["flier"]) + 2) % 8]
    return row


def picture(row: Row) -> str:
    """Return all that a player sees of the tile in this rotation, with segments named by place."""
    at = {f"c{i}": f"c{city['at']}" for i, city in enumerate(cities_of(row))}
    at |= {f"r{i}": f"r{road['at']}" for i, road in enumerate(roads_of(row))}
    fields = [
        (f["at"], sorted(at[f"c{c}"] for c in f["cities"]), "pig_herd" in f) for f in row["fields"]
    ]
    links = [sorted(at.get(name, name) for name in group) for group in row.get("links", [])]
    parts = [sorted(part.items()) for part in [*cities_of(row), *roads_of(row)]]
    signs = ("monastery", "garden", "bazaar", "shrine", "hill", "vineyard", "dragon", "portal")
    centre = [key for key in signs if row.get(key)]
    river = (row.get("river"), row.get("river_role"), row.get("volcano"), row.get("flier"))
    centre += [str(row[key]) for key in ("watchtower", "wind_rose") if key in row]
    return repr((row["edges"], river, sorted(parts), sorted(fields), sorted(links), centre))


def layout(row: Row) -> str:
    """Return a text that is equal for two rows exactly if turning makes them the same tile."""
    return min(picture(turned(row, quarters)) for quarters in range(4))


# --- Checks of one row

REQUIRED_KEYS = {"id", "set", "n", "edges", "rot", "fields"}
KEYS: dict[str, set[str]] = {"tile": set(), "cities": set(), "roads": set(), "fields": set()}
"""The keys of a tile, and the keys of its cities, roads and fields."""
ALLOWED_VALUES: dict[str, list[Any]] = {"set": [*TILE_SETS], "classic": [*CLASSIC]}
for told in CENSUS.values():
    for group, keys in told.get("keys", {}).items():
        KEYS[group] |= keys.keys()
        for key, values in keys.items():
            if values != "any":
                ALLOWED_VALUES.setdefault(key, []).extend(values)


def vocabulary_problems(row: Row) -> list[str]:
    """Check that keys are known, values are legal, and nothing empty or false is stored."""
    found = [f"key {key} is missing" for key in REQUIRED_KEYS - set(row)]
    found += [f"{key} is empty" for key in set(row) - REQUIRED_KEYS if not row[key]]
    parts = [row]
    found += [f"unknown key {key}" for key in set(row) - KEYS["tile"]]
    for group in ("cities", "roads", "fields"):
        for part in row.get(group, []):
            parts.append(part)
            found += [f"unknown key {key} in {group}" for key in set(part) - KEYS[group]]
    for part in parts:
        for key in ALLOWED_VALUES.keys() & part.keys():
            if part[key] not in ALLOWED_VALUES[key]:
                found.append(f"{key} is {part[key]!r}")
    copies = [row["n"].get(edition, -1) for edition in EDITIONS]
    n_most = max(copies) + row.get("promo", 0)
    if len(row["n"]) != 2 or min(copies) < 0 or (n_most < 1) != ("instead_of" in row):
        found.append(f"copies are {row['n']}")
    if ("classic" in row) != (row["set"] == "base"):
        found.append("a classic letter belongs to the base game, and only there")
    return found


def edge_problems(row: Row) -> list[str]:
    """Check that each side belongs to what the edge string says: a city, road or river, or nothing.

    Sides F and K belong to nothing. K is a side inside the city of Carcassonne, whose tiles are on
    the table from the beginning.
    """
    if len(row["edges"]) != 4 or set(row["edges"]) - set("CFRVK"):
        return [f"edge string {row['edges']!r}"]
    found = []
    for part in [*cities_of(row), *roads_of(row)]:
        if not part["at"] or in_order("".join(set(part["at"]))) != part["at"]:
            found.append(f"sides {part['at']!r} are empty, repeated or out of order")
    initials = {"C": "c", "R": "r", "V": "river"}
    for side, letter in zip(SIDES, row["edges"], strict=True):
        owners = side_owners(row)[side]
        wanted = [initials[letter]] if letter in initials else []
        if [name.rstrip("0123") for name in owners] != wanted:
            found.append(f"side {side} is {letter} but belongs to {owners}")
    if ("K" in row["edges"]) != ("table" in row):
        found.append(f"edges {row['edges']}, on the table at {row.get('table')}")
    return found


def half_edge_problems(row: Row) -> list[str]:
    """Check that each half-edge is in exactly one field, or on a city side in none.

    Inside Carcassonne, it is in one field or none.
    """
    found = []
    for field in row["fields"]:
        halves = field["at"].split()
        if set(halves) - set(HALVES):
            found.append(f"unknown half-edge among {halves}")
        elif halves != [half for half in HALVES if half in halves]:
            found.append(f"half-edges {halves} are repeated or out of order")
    for half in HALVES:
        owners = half_owners(row)[half]
        is_inside = row["edges"][SIDES.index(half[0])] == "K"
        if len(owners) != (half[0] not in city_at(row)) and not (is_inside and not owners):
            found.append(f"half-edge {half} lies in {owners}")
    return found


def field_side_problems(row: Row) -> list[str]:
    """Check that only the point of a city divides a plain field side into two fields (HS-41)."""
    found = []
    opposite = dict(zip(SIDES, SIDES[2:] + SIDES[:2], strict=True))
    pointed = {opposite[city["at"]] for city in cities_of(row) if city.get("castle") is False}
    for side, letter in zip(SIDES, row["edges"], strict=True):
        owners = [half_owners(row)[half] for half in HALVES if half[0] == side]
        if letter == "F" and owners[0] != owners[1] and side not in pointed:
            found.append(f"field side {side} is divided: {owners}")
    return found


def reference_problems(row: Row) -> list[str]:
    """Check that fields name cities of this tile, in order, and enclosed fields touch a city."""
    found = []
    for number, field in enumerate(row["fields"]):
        touched = field["cities"]
        if touched != [c for c in range(len(cities_of(row))) if c in touched]:
            found.append(f"field {number} touches cities {touched}")
        if not field["at"] and not touched:
            found.append(f"enclosed field {number} touches no city")
    return found


def is_stretched(row: Row) -> bool:
    """Return whether a cap reaches the far corner of the next side, around an enclosed field."""
    caps = [i for i, city in enumerate(cities_of(row)) if city.get("castle") is False]
    enclosed = [c for field in row["fields"] if not field["at"] for c in field["cities"]]
    return "crossing" not in row and any(i in enclosed for i in caps)


def corner_problems(row: Row) -> list[str]:
    """Check that a half-edge at the corner of a city side is in a field that touches the city."""
    found = []
    if is_stretched(row):
        return []
    for number, field in enumerate(row["fields"]):
        for half in field["at"].split():
            city = city_at(row).get(half[1].upper())
            if city is not None and city not in field["cities"]:
                found.append(f"field {number} meets city {city} at {half} without touching it")
    return found


def planarity_problems(row: Row) -> list[str]:
    """Check that no segments alternate along a tile's edge, unless one passes over the other."""
    if "crossing" in row:
        return []
    around: list[str] = []
    for first, second in zip(HALVES[::2], HALVES[1::2], strict=True):
        fields = half_owners(row)
        around += [*fields[first], *side_owners(row)[first[0]], *fields[second]]
    found = []
    for one, other in combinations(sorted(set(around)), 2):
        pair = [name for name in around if name in (one, other)]
        if sum(name != pair[i - 1] for i, name in enumerate(pair)) > 2:
            found.append(f"{one} and {other} cross")
    return found


def castle_problems(row: Row) -> list[str]:
    """Check that exactly the cities with one side have the castle flag.

    A city that shares a second side has two sides (HS-40).
    """
    return [
        f"city {number} on {city['at']}: castle flag {city.get('castle')}"
        for number, city in enumerate(cities_of(row))
        if ("castle" in city) != (len(city["at"] + city.get("shared", "")) == 1)
    ]


def link_problems(row: Row) -> list[str]:
    """Check that links join two or more segments of this tile, and never two cities."""
    names = {f"c{i}" for i in range(len(cities_of(row)))}
    names |= {f"r{i}" for i in range(len(roads_of(row)))}
    names |= {"m"} if row.get("monastery") or row.get("shrine") or row.get("hut") else set()
    found = []
    for group in row.get("links", []):
        if len(set(group)) < 2 or len(set(group)) < len(group) or set(group) - names:
            found.append(f"link {group}")
        if sum(name.startswith("c") for name in group) > 1:
            found.append(f"link {group} joins two cities")
    return found


def river_problems(row: Row) -> list[str]:
    """Check that a river has two sides, or one at its source and its ends, or three at a fork."""
    n_sides = len(row.get("river", ""))
    roles = {0: [None], 1: ["source", "lake", "end"], 2: [None], 3: ["fork"]}
    if n_sides != row["edges"].count("V") or row.get("river_role") not in roles.get(n_sides, []):
        return [f"river on {n_sides} sides, role {row.get('river_role')}"]
    return []


def orientation_problems(row: Row) -> list[str]:
    """Check that the stored orientation gives the alphabetically first edge string.

    Tiles that are on the table from the beginning are exempt.
    """
    if "table" in row:
        return []
    smallest = min(turned(row, quarters)["edges"] for quarters in range(4))
    return [] if row["edges"] == smallest else [f"edges {row['edges']}, should be {smallest}"]


def n_orientations(row: Row) -> int:
    """Return the number of ways to see a tile; a tile that starts on the table is never turned."""
    if "table" in row:
        return 1
    return len({picture(turned(row, quarters)) for quarters in range(4)})


def rot_problems(row: Row) -> list[str]:
    """Check that ``rot`` is the number of orientations that look different."""
    n_pictures = n_orientations(row)
    return [] if row["rot"] == n_pictures else [f"rot {row['rot']}, should be {n_pictures}"]


def spot_problems(row: Row) -> list[str]:
    """Check that in every orientation, a spot names at most one segment."""
    found = []
    for quarters in range(4):
        spots = Counter(segment.spot for segment in segments(turned(row, quarters)))
        found += [f"no spot is called {spot}" for spot in spots.keys() - Spot.__members__.keys()]
        found += [f"{spot} names {n} segments" for spot, n in spots.items() if n > 1]
    return found


ROW_CHECKS: list[Callable[[Row], list[str]]] = [
    vocabulary_problems,
    edge_problems,
    half_edge_problems,
    field_side_problems,
    reference_problems,
    corner_problems,
    planarity_problems,
    castle_problems,
    link_problems,
    river_problems,
    orientation_problems,
    rot_problems,
    spot_problems,
]


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_row(row: Row) -> None:
    assert [problem for check in ROW_CHECKS for problem in check(row)] == []


class Change(NamedTuple):
    """One changed fact: the tile, the path to the fact inside the row, and the wrong value."""

    tile_id: str
    path: tuple[str | int, ...]
    value: Any


def label(value: Any) -> str | None:
    """Return the test id of a change; pytest names everything else."""
    if isinstance(value, Change):
        return ".".join([value.tile_id, *map(str, value.path)])
    return None


def changed(change: Change) -> Row:
    row = copy.deepcopy(ROW[change.tile_id])
    place: Any = row
    for key in change.path[:-1]:
        place = place[key]
    place[change.path[-1]] = change.value
    assert row != ROW[change.tile_id]
    return row


ROW_ERRORS = [
    (vocabulary_problems, Change("bg-cap", ("sheilds",), 1)),
    (vocabulary_problems, Change("bg-cap", ("cities", 0, "sheilds"), 1)),
    (vocabulary_problems, Change("bg-cap", ("garden",), False)),
    (vocabulary_problems, Change("bg-cap", ("roads",), [])),
    (vocabulary_problems, Change("bg-cap", ("set",), "catapult")),
    (vocabulary_problems, Change("bg-cap", ("n", "C2"), -1)),
    (vocabulary_problems, Change("bg-cap", ("n",), {"C1": 0, "C2": 0})),
    (vocabulary_problems, Change("rv-bend", ("classic",), "V")),
    (vocabulary_problems, Change("tb-span-wine", ("cities", 0, "goods"), "beer")),
    (edge_problems, Change("bg-curve", ("edges",), "FFRC")),
    (edge_problems, Change("bg-curve", ("edges",), "FFR")),
    (edge_problems, Change("bg-curve", ("edges",), "FFRX")),
    (edge_problems, Change("bg-curve", ("roads", 0, "at"), "WS")),
    (edge_problems, Change("bg-curve", ("edges",), "FKRR")),
    (edge_problems, Change("co-5", ("edges",), "CKKF")),
    (half_edge_problems, Change("co-5", ("fields", 0, "at"), "Nw Sw Ws")),
    (edge_problems, Change("bg-curve", ("roads", 0, "at"), "ESW")),
    (edge_problems, Change("bg-curve", ("roads", 0, "at"), "S")),
    (edge_problems, Change("bg-junction", ("roads", 1, "at"), "E")),
    (edge_problems, Change("rv-straight", ("river",), "NS")),
    (half_edge_problems, Change("bg-curve", ("fields", 1, "at"), "Sw")),
    (half_edge_problems, Change("bg-curve", ("fields", 1, "at"), "Ws Sw")),
    (half_edge_problems, Change("bg-curve", ("fields", 1, "at"), "Sw Sw Ws")),
    (half_edge_problems, Change("bg-curve", ("fields", 1, "at"), "Sw Ws Wn")),
    (half_edge_problems, Change("bg-curve", ("fields", 1, "at"), "Sw Ws Ww")),
    (half_edge_problems, Change("bg-span", ("fields", 0, "at"), "Ne En Es")),
    (field_side_problems, Change("bg-curve", ("fields", 0, "at"), "Nw Ne En Se Wn")),
    (reference_problems, Change("bg-cap", ("fields", 0, "cities"), [1])),
    (reference_problems, Change("bg-cap", ("fields", 0, "cities"), [0, 0])),
    (reference_problems, Change("bg-caps-opposite", ("fields", 0, "cities"), [1, 0])),
    (reference_problems, Change("tb-span-wine-and-cap", ("fields", 1, "cities"), [])),
    (corner_problems, Change("bg-span", ("fields", 0, "cities"), [])),
    (corner_problems, Change("bg-caps-adjacent", ("fields", 0, "cities"), [1])),
    (planarity_problems, Change("bg-crossroads", ("roads",), [{"at": "NS"}, {"at": "EW"}])),
    (planarity_problems, Change("bg-straight", ("fields", 0, "at"), "Nw Ne En Wn Sw")),
    (planarity_problems, Change("bg-curve", ("fields", 1, "at"), "Nw Sw Ws")),
    (castle_problems, Change("bg-span", ("cities", 0, "castle"), True)),
    (castle_problems, Change("bg-cap", ("cities", 0), {"at": "N"})),
    (link_problems, Change("bg-junction", ("links", 0), ["r0", "r1", "r3"])),
    (link_problems, Change("bg-junction", ("links", 0), ["r0"])),
    (link_problems, Change("bg-junction", ("links", 0), ["r0", "m"])),
    (link_problems, Change("ic-caps-opposite-crossing", ("links", 0), ["c0", "c1"])),
    (river_problems, Change("rv-source", ("river",), "EW")),
    (river_problems, Change("rv-straight", ("river_role",), "lake")),
    (orientation_problems, Change("bg-curve", ("edges",), "FRRF")),
    (rot_problems, Change("bg-straight", ("rot",), 4)),
    (rot_problems, Change("bcb-roads-bazaar-inn", ("rot",), 2)),
    (spot_problems, Change("bg-monastery", ("garden",), True)),
    (spot_problems, Change("ic-caps-four", ("fields",), [{"at": "", "cities": [0]}] * 3)),
]


@pytest.mark.parametrize(("check", "change"), ROW_ERRORS, ids=label)
def test_row_check_sees_a_wrong_fact(check: Callable[[Row], list[str]], change: Change) -> None:
    assert check(changed(change)) != []


def test_every_row_check_is_seen_to_fail() -> None:
    assert {check for check, _ in ROW_ERRORS} == {*ROW_CHECKS}


# --- Checks of all rows


def census(rows: list[Row], edition: str) -> Counter[str]:
    """Count everything that the expected numbers list, on all copies in an edition."""
    count: Counter[str] = Counter(designs=len(rows))
    for row in rows:
        cities, roads = cities_of(row), roads_of(row)
        on_tile: Counter[str] = Counter(row["edges"])
        on_tile += Counter(fields=len(row["fields"]), roads=len(roads), cities=len(cities))
        on_tile["arms"] = sum(city.get("shields", 0) for city in cities)
        on_tile["inns"] = sum("inn" in road for road in roads)
        on_tile["cathedrals"] = sum("cathedral" in city for city in cities)
        on_tile += Counter(city["goods"] for city in cities if "goods" in city)
        on_tile += Counter(
            tiles=1,
            monasteries="monastery" in row,
            gardens="garden" in row,
            bazaars="bazaar" in row,
        )
        for shown in ("fields", "roads", "cities", "arms"):
            on_tile[f"on_n_{shown}"] = int(on_tile[shown] > 0)
        for name, n in on_tile.items():
            count[name] += n * row["n"][edition]
    return count


def rows_of(rows: list[Row], key: str, value: str) -> list[Row]:
    return [row for row in rows if row.get(key) == value]


def set_problems(rows: list[Row], set_id: str, edition: str) -> list[str]:
    """Check that a set has the published totals; only the second edition has gardens."""
    expected = dict.fromkeys(TOTALS, 0) | CENSUS[set_id]["totals"]
    if edition == "C1":
        expected["gardens"] = 0
    count = census(rows_of(rows, "set", set_id), edition)
    found = [
        f"{set_id} {edition}: {name} {count[name]}, should be {n}"
        for name, n in expected.items()
        if count[name] != n
    ]
    if sum(count[letter] for letter in "CFRVK") != 4 * count["tiles"]:
        found.append(f"{set_id} {edition}: not four sides a tile")
    return found


def classic_problems(rows: list[Row], letter: str) -> list[str]:
    """Check the edges, segments, number of copies, and the garden, if any, of a classic layout."""
    expected = CLASSIC[letter]
    mine = rows_of(rows, "classic", letter)
    found = []
    for row in mine:
        alone = census([row | {"n": {"one": 1}}], "one")
        if row["edges"] != expected["edges"]:
            found.append(f"{row['id']}: edges {row['edges']}, should be {expected['edges']}")
        for name in ("cities", "arms", "roads", "monasteries"):
            if alone[name] != expected[name]:
                found.append(f"{row['id']}: {name} {alone[name]}, should be {expected[name]}")
    for edition in EDITIONS:
        count = census(mine, edition)
        gardens = expected["gardens"] if edition == "C2" else 0
        if (count["tiles"], count["gardens"]) != (expected["copies"], gardens):
            found.append(f"{letter} {edition}: {count['tiles']} tiles, {count['gardens']} gardens")
    return found


def garden_problems(rows: list[Row], tile_id: str) -> list[str]:
    """Check that a garden replaces copies of a plain tile that is otherwise the same."""
    (garden,) = rows_of(rows, "id", tile_id)
    plain = {key: value for key, value in garden.items() if key != "garden"}
    same_set = rows_of(rows, "set", garden["set"])
    twins = [row for row in same_set if layout(row) == layout(plain)]
    if len(twins) != 1:
        return [f"{tile_id}: {len(twins)} plain twins"]
    first, second = (garden["n"][e] + twins[0]["n"][e] for e in EDITIONS)
    if garden["n"]["C1"] or first != second:
        return [f"{tile_id}: {garden['n']} beside {twins[0]['n']} plain ones"]
    return []


def double_problems(rows: list[Row]) -> list[str]:
    """Check that no id and, within a set, no layout occurs twice, except for tiles on the table."""
    ids = Counter(row["id"] for row in rows)
    layouts = Counter((row["set"], layout(row)) for row in rows if "table" not in row)
    return [str(key) for count in (ids, layouts) for key, n in count.items() if n > 1]


def river_end_problems(rows: list[Row]) -> list[str]:
    """Check that each River has one source and one lake per edition, and the second also a fork."""
    ends = [(row["set"], row["river_role"], row["n"]) for row in rows if "river_role" in row]
    roles = [("river1", role) for role in ("lake", "source")]
    roles += [("river2", role) for role in ("end", "fork", "lake", "source")]
    wanted = [(*role, dict.fromkeys(EDITIONS, 1)) for role in roles]
    return [] if sorted(ends, key=lambda end: end[:2]) == wanted else [f"river ends {ends}"]


def start_problems(rows: list[Row]) -> list[str]:
    """Check that the start tile is the classic D, and that one other can replace it (WR-01)."""
    found = [(row["set"], row.get("classic")) for row in rows if "start" in row]
    return [] if found == [("base", "D"), ("roses", None)] else [f"start tiles {found}"]


def fingerprint(rows: list[Row], set_id: str) -> str:
    """Return a hash that changes with any fact of the set; notes are free text and do not count."""
    facts = [{k: v for k, v in row.items() if k != "note"} for row in rows_of(rows, "set", set_id)]
    facts.sort(key=lambda row: row["id"])
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]


GARDENS = [row["id"] for row in ROWS if "garden" in row]


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("set_id", TILE_SETS)
def test_set(set_id: str, edition: str) -> None:
    assert set_problems(ROWS, set_id, edition) == []


@pytest.mark.parametrize("letter", CLASSIC)
def test_classic_layout(letter: str) -> None:
    assert classic_problems(ROWS, letter) == []


@pytest.mark.parametrize("tile_id", GARDENS)
def test_garden_has_a_plain_twin(tile_id: str) -> None:
    assert garden_problems(ROWS, tile_id) == []


def test_nothing_is_listed_twice() -> None:
    assert double_problems(ROWS) == []


def test_start_tile() -> None:
    assert start_problems(ROWS) == []


def test_river_ends() -> None:
    assert river_end_problems(ROWS) == []
    assert {row["set"] for row in ROWS if "river" in row} == {"river1", "river2"}
    for set_id in ("river1", "river2"):
        assert all("river" in row for row in rows_of(ROWS, "set", set_id))


@pytest.mark.parametrize("set_id", TILE_SETS)
def test_facts_are_those_that_were_checked(set_id: str) -> None:
    assert fingerprint(ROWS, set_id) == CENSUS[set_id]["fingerprint"]


def test_head_of_the_file() -> None:
    totals = {set_id: told["totals"]["tiles"] for set_id, told in CENSUS.items()}
    assert {set_id: head["total"] for set_id, head in HEADS.items()} == totals
    assert DATA[0]["half_edges"].split() == HALVES


def test_abbeys_lie_outside_the_stack() -> None:
    (abbey,) = [row for told in DATA for row in told.get("player_tiles", ())]
    assert (abbey["edges"], abbey["supply"], abbey["per_player"]) == ("AAAA", 6, 1)
    assert abbey["monastery"]
    assert abbey["id"] not in ROW


def rows_with(*changes: Change) -> list[Row]:
    replaced = {change.tile_id: changed(change) for change in changes}
    return [replaced.get(row["id"], row) for row in ROWS]


@pytest.mark.parametrize(
    ("set_id", "change"),
    [
        ("base", Change("bg-curve", ("n", "C2"), 9)),
        ("base", Change("bg-curve", ("set",), "inns")),
        ("base", Change("bg-city3-shield", ("cities", 0, "shields"), 2)),
        ("base", Change("bg-monastery", ("bazaar",), True)),
        ("river1", Change("rv-bend-garden", ("edges",), "FRVV")),
        ("inns", Change("ic-curve-inn", ("roads", 0), {"at": "SW"})),
        ("inns", Change("ic-cathedral", ("cities", 0), {"at": "NESW"})),
        ("traders", Change("tb-span-wine", ("cities", 0, "goods"), "cloth")),
        ("abbey", Change("am-city4-two-shields", ("cities", 0, "shields"), 1)),
        ("abbey", Change("am-span-tunnel-shield", ("cities", 0), {"at": "NS"})),
        ("bridges", Change("bcb-span-bazaar", ("fields",), [])),
        ("king", Change("kr-cap-monastery", ("cities", 0, "shields"), 1)),
        ("hills", Change("hs-side-road-vineyard", ("roads", 1), {"at": "S", "inn": True})),
    ],
    ids=label,
)
def test_set_check_sees_a_wrong_fact(set_id: str, change: Change) -> None:
    assert set_problems(rows_with(change), set_id, "C2") != []
    assert fingerprint(rows_with(change), set_id) != CENSUS[set_id]["fingerprint"]


@pytest.mark.parametrize(
    ("letter", "change"),
    [
        ("J", Change("bg-cap-curve-right", ("edges",), "CFRR")),
        ("H", Change("bg-caps-opposite", ("cities",), [{"at": "NS"}])),
        ("S", Change("bg-city3-gate-shield", ("cities", 0), {"at": "NES"})),
        ("W", Change("bg-junction", ("n", "C1"), 3)),
        ("B", Change("bg-monastery", ("classic",), "A")),
        ("V", Change("bg-curve-garden", ("n", "C1"), 1)),
        ("G", Change("bg-span", ("garden",), True)),
    ],
    ids=label,
)
def test_classic_check_sees_a_wrong_fact(letter: str, change: Change) -> None:
    assert classic_problems(rows_with(change), letter) != []


@pytest.mark.parametrize(
    ("tile_id", "change"),
    [
        ("bg-cap-garden", Change("bg-cap-garden", ("n", "C1"), 1)),
        ("bg-cap-garden", Change("bg-cap", ("n", "C2"), 5)),
        ("bg-cap-garden", Change("bg-cap", ("cities", 0, "castle"), False)),
        ("am-road-end-garden", Change("am-road-end", ("roads", 0, "inn"), True)),
    ],
    ids=label,
)
def test_garden_check_sees_a_wrong_fact(tile_id: str, change: Change) -> None:
    assert garden_problems(rows_with(change), tile_id) != []


def test_double_check_sees_an_id_and_a_layout() -> None:
    mirrored = turned(ROW["bg-curve"], 1)
    assert len(double_problems([*ROWS, mirrored])) == 2
    assert len(double_problems([*ROWS, mirrored | {"id": "bg-bend"}])) == 1


def test_start_check_sees_none_and_two() -> None:
    assert start_problems([row for row in ROWS if "start" not in row]) != []
    assert start_problems(rows_with(Change("bg-cap", ("start",), True))) != []


def test_river_end_check_sees_a_missing_and_a_second_one() -> None:
    assert river_end_problems([row for row in ROWS if row["id"] != "rv-lake"]) != []
    assert river_end_problems(rows_with(Change("rv-source", ("n", "C1"), 2))) != []
    assert river_end_problems(rows_with(Change("rv-lake", ("river_role",), "source"))) != []


# --- The tables, computed again in the simplest way

SIDE_KINDS = (Kind.CITY, Kind.ROAD)
EDGE_CODE = {
    "F": EDGE_FIELD,
    "R": EDGE_ROAD,
    "C": EDGE_CITY,
    "V": EDGE_RIVER,
    "K": EDGE_WALL,
}
WIDTH = tiles.MAX_SEGMENTS_PER_TILE


class Segment(NamedTuple):
    kind: Kind
    at: str
    spot: str
    part: Row


def segments(row: Row) -> list[Segment]:
    """Return the segments of a tile in this rotation, in the order of the tables."""
    found = [Segment(Kind.CITY, city["at"], city["at"][0], city) for city in cities_of(row)]
    found += [Segment(Kind.ROAD, road["at"], road["at"][0], road) for road in roads_of(row)]
    n_enclosed = 0
    for field in row["fields"]:
        spot = field["at"][:2] or f"in{n_enclosed}"
        n_enclosed += not field["at"]
        found.append(Segment(Kind.FIELD, field["at"], spot, field))
    if row.get("monastery") or row.get("shrine") or row.get("hut"):
        found.append(Segment(Kind.MONASTERY, "", "mid", {}))
    if row.get("garden"):
        found.append(Segment(Kind.GARDEN, "", "mid", {}))
    if row.get("special_monastery"):
        found.append(Segment(Kind.LINES, "", "lying", {}))
    return found


def only(numbers: list[int]) -> int:
    """Return the only number in a list, or -1 if the list is empty."""
    assert len(numbers) < 2
    return numbers[0] if numbers else -1


def shown_at(row: Row, place: str, kinds: tuple[Kind, ...]) -> int:
    """Return the number of the segment of these kinds at a side or half-edge, or -1."""
    found = enumerate(segments(row))
    return only([n for n, segment in found if segment.kind in kinds and place in segment.at])


def named_by(row: Row, spot: str) -> int:
    """Return the number of the segment that a spot names, or -1."""
    return only([n for n, segment in enumerate(segments(row)) if segment.spot == spot])


def padded(values: list[int], fill: int = 0) -> list[int]:
    return values + [fill] * (WIDTH - len(values))


def good_of(city: Row) -> int:
    """Return the number of the trade good that a city shows, or -1."""
    return Good[city["goods"].upper()] if "goods" in city else -1


def sides_shown(row: Row, segment: Segment) -> int:
    """Return the bits of a segment's sides; a road side belongs to the road, not to its fields."""
    if segment.kind == Kind.FIELD:
        whole = [row["edges"][i] == "F" and HALVES[2 * i] in segment.at for i in range(4)]
        return sum(2**i for i in range(4) if whole[i])
    return sum(2**i for i, side in enumerate(SIDES) if side in segment.at)


def shown_at_corner(row: Row, *halves: str) -> int:
    """Return the field that both half-edges of a corner show, or -1."""
    fields = {shown_at(row, half, (Kind.FIELD,)) for half in halves}
    return fields.pop() if len(fields) == 1 else -1


def has_twin(row: Row, segment: Segment) -> bool:
    kinds = [other.kind for other in segments(row)]
    return segment.kind in SIDE_KINDS and kinds.count(segment.kind) >= 2


# The half-edges next to each corner.
CORNERS = {"NE": ("Ne", "En"), "SE": ("Es", "Se"), "SW": ("Sw", "Ws"), "NW": ("Wn", "Nw")}

# Table -> its content according to a row of the data file. The second group depends on rotation.
TABLES: dict[str, Callable[[Row], int | list[int]]] = {
    "N_SEGMENTS": lambda row: len(segments(row)),
    "N_DISTINCT_ROTATIONS": n_orientations,
    "IS_ON_TABLE": lambda row: "table" in row,
    "IS_CLOSED": lambda row: "closed" in row,
    "SEGMENT_KIND": lambda row: padded([segment.kind for segment in segments(row)]),
    "N_OPEN": lambda row: padded(
        [
            len(segment.at + segment.part.get("shared", ""))
            if segment.kind in SIDE_KINDS
            else int(segment.kind == Kind.LINES)  # MON-05: never complete
            for segment in segments(row)
        ]
    ),
    "SHIELDS": lambda row: padded(  # for a field: Carcassonne, which is no segment (COU-21)
        [segment.part.get("shields", "carcassonne" in segment.part) for segment in segments(row)]
    ),
    "CITIES_TOUCHED": lambda row: padded(
        [sum(2**city for city in segment.part.get("cities", [])) for segment in segments(row)]
    ),
    "HAS_TWIN": lambda row: padded([has_twin(row, segment) for segment in segments(row)]),
    "CENTRE": lambda row: named_by(row, "mid"),
    "LINES": lambda row: named_by(row, "lying"),
    "BONUS": lambda row: padded(
        [not {"inn", "cathedral"}.isdisjoint(segment.part) for segment in segments(row)]
    ),
    "GOOD": lambda row: padded([good_of(segment.part) for segment in segments(row)], -1),
    "IS_HILL": lambda row: "hill" in row,
    "IS_VINEYARD": lambda row: "vineyard" in row,
    "HAS_SHARED_SIDE": lambda row: any("shared" in city for city in cities_of(row)),
    "HAS_DIVIDED_SIDE": lambda row: any(
        half_owners(row)[a] != half_owners(row)[b]
        for a, b, letter in zip(HALVES[::2], HALVES[1::2], row["edges"], strict=True)
        if letter == "F"
    ),
    "IS_RIVER": lambda row: "river" in row,
    "LAYER": lambda row: {"lake": 1, "fork": 3}.get(row.get("river_role"), 2 * ("river" in row)),
    "IS_HUT": lambda row: "hut" in row,
    "BUILDING": lambda row: 2 * row.get("shrine", 0) + row.get("monastery", 0),
    "PIG_HERD": lambda row: next(
        (k for k, segment in enumerate(segments(row)) if "pig_herd" in segment.part), -1
    ),
}
TURNED_TABLES: dict[str, Callable[[Row], int | list[int]]] = {
    "EDGES": lambda row: sum(EDGE_CODE[letter] * 16**i for i, letter in enumerate(row["edges"])),
    "SIDE_SEGMENT": lambda row: [shown_at(row, side, SIDE_KINDS) for side in SIDES],
    "SHARED_SEGMENT": lambda row: [
        only([k for k, city in enumerate(cities_of(row)) if city.get("shared") == side])
        for side in SIDES
    ],
    "HALF_SEGMENT": lambda row: [shown_at(row, half, (Kind.FIELD,)) for half in HALVES],
    "SPOT_SEGMENT": lambda row: [named_by(row, spot.name) for spot in Spot],
    "SEGMENT_SPOT": lambda row: padded([Spot[segment.spot] for segment in segments(row)]),
    "CORNER_SEGMENT": lambda row: [shown_at_corner(row, *corner) for corner in CORNERS.values()],
    "SEGMENT_SIDES": lambda row: padded([sides_shown(row, segment) for segment in segments(row)]),
}
TABLE_NAMES = [*TABLES, *TURNED_TABLES]


def table_problems(name: str, table: np.ndarray, tile_id: str) -> list[str]:
    """Check that the entries of a design agree with its row, in every rotation."""
    if name in TABLES:
        wanted: Any = TABLES[name](ROW[tile_id])
    else:
        wanted = [TURNED_TABLES[name](turned(ROW[tile_id], quarters)) for quarters in range(4)]
    entries = np.asarray(table)[IDS.index(tile_id)].tolist()
    return [] if entries == wanted else [f"{name} of {tile_id}: {entries}, should be {wanted}"]


@pytest.mark.parametrize("tile_id", IDS)
def test_tables(tile_id: str) -> None:
    found = [table_problems(name, getattr(tiles, name), tile_id) for name in TABLE_NAMES]
    assert [problem for problems in found for problem in problems] == []


@pytest.mark.parametrize("name", TABLE_NAMES)
def test_table_check_sees_every_wrong_entry(name: str) -> None:
    for tile_id in ("bg-junction", "am-span-and-bridged-cap-shield", "tb-span-wine", "rv-cap-gate"):
        table = getattr(tiles, name).copy()
        entries = table.reshape(len(table), -1)[IDS.index(tile_id)]
        for place in range(entries.size):
            entries[place] ^= 1
            assert table_problems(name, table, tile_id) != []
            entries[place] ^= 1
        assert table_problems(name, table, tile_id) == []


def test_tables_have_one_entry_a_form() -> None:
    assert {len(getattr(tiles, name)) for name in TABLE_NAMES} == {tiles.N_FORMS}
    assert tiles.N_DESIGNS == len(ROWS) + 1, "the abbey comes last"
    assert tiles.PRINTED[: tiles.N_DESIGNS].tolist() == list(range(tiles.N_DESIGNS))


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_a_bridge_is_one_more_road_of_its_tile(row: Row) -> None:
    design = tiles.DESIGN[row["id"]]
    for rotation, axis in itertools.product(range(4), range(2)):
        ends = [axis, axis + 2]
        shown = [turned(row, rotation)["edges"][side] for side in ends]
        form = int(tiles.BRIDGED[design, rotation, axis])
        assert (form != tiles.NO_FORM) == (shown == ["F", "F"])  # BRI-05
        if form == tiles.NO_FORM:
            continue
        assert (tiles.PRINTED[form], tiles.BRIDGE_AXIS[form, rotation]) == (design, axis)
        assert set(tiles.BRIDGED[form].ravel()) == {tiles.NO_FORM}  # BRI-15
        bridge = int(tiles.N_SEGMENTS[design])
        assert tiles.N_SEGMENTS[form] == bridge + 1
        assert tiles.SEGMENT_KIND[form, bridge] == Kind.ROAD and tiles.N_OPEN[form, bridge] == 2
        assert tiles.SEGMENT_SPOT[form, rotation, bridge] == axis
        for side in range(4):
            at = tiles.SIDE_SEGMENT[form, rotation, side]
            edge = tiles.EDGES[form, rotation] >> 4 * side & 15
            if side in ends:
                assert (at, edge) == (bridge, EDGE_CODE["R"])  # BRI-18
            else:
                assert at == tiles.SIDE_SEGMENT[design, rotation, side]
                assert edge == tiles.EDGES[design, rotation] >> 4 * side & 15
        for name in ("HALF_SEGMENT", "CORNER_SEGMENT"):  # BRI-13
            table = getattr(tiles, name)
            assert table[form, rotation].tolist() == table[design, rotation].tolist()
        for name in ("SEGMENT_KIND", "CITIES_TOUCHED", "SHIELDS", "LINKED", "BONUS", "GOOD"):
            table = getattr(tiles, name)
            assert table[form, :bridge].tolist() == table[design, :bridge].tolist()
        assert not tiles.BONUS[form, bridge]  # INN-07
        assert tiles.IS_RIVER[form] == tiles.IS_RIVER[design]


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_caps_and_bazaars_are_those_of_the_file(row: Row) -> None:
    design = tiles.DESIGN[row["id"]]
    assert bool(tiles.IS_BAZAAR[design]) == row.get("bazaar", False)
    caps = {None: tiles.NO_CAP, False: tiles.POINTED_CAP, True: tiles.SEMICIRCLE}
    wanted = [caps[c.get("castle")] for c in row.get("cities", [])]
    assert tiles.CAP[design, : len(wanted)].tolist() == wanted  # CAS-02


def test_designs_are_numbered_as_in_the_file() -> None:
    assert list(tiles.TILE_ID) == [*IDS, "am-abbey"]
    assert tiles.DESIGN == {tile_id: number for number, tile_id in enumerate(tiles.TILE_ID)}
    assert tiles.ABBEY_DESIGN == len(IDS)
    assert "start" in ROWS[tiles.START_DESIGN]
    for set_id in ("river1", "river2"):
        source, lake = ROWS[tiles.SOURCE_DESIGN[set_id]], ROWS[tiles.LAKE_DESIGN[set_id]]
        assert (source["set"], source["river_role"]) == (set_id, "source")
        assert (lake["set"], lake["river_role"]) == (set_id, "lake")


def test_no_tile_has_more_segments_than_the_tables_hold() -> None:
    assert max(len(segments(row)) for row in ROWS) == WIDTH


def test_the_abbey_is_a_monastery_and_nothing_else() -> None:
    abbey = tiles.ABBEY_DESIGN
    assert tiles.SEGMENT_KIND[abbey].tolist() == padded([Kind.MONASTERY])
    assert tiles.CENTRE[abbey] == 0 and tiles.N_DISTINCT_ROTATIONS[abbey] == 1
    assert not tiles.EDGES[abbey].any()
    for table in (tiles.SIDE_SEGMENT, tiles.HALF_SEGMENT, tiles.CORNER_SEGMENT):
        assert set(table[abbey].ravel().tolist()) == {-1}


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_links_are_those_of_the_file_both_ways(row: Row) -> None:
    names = [name_of_segment(row, k) for k in range(len(segments(row)))]
    linked = {
        frozenset((names[j], names[k]))
        for j in range(len(names))
        for k in range(len(names))
        if tiles.LINKED[tiles.DESIGN[row["id"]], j] >> k & 1
    }
    wanted = {
        frozenset(pair)
        for group in row.get("links", [])
        for pair in itertools.permutations(group, 2)
    }
    assert linked == wanted


def name_of_segment(row: Row, number: int) -> str:
    """Return the name that `links` gives to a segment: c0, r1, m; fields have none."""
    found = segments(row)
    kind = found[number].kind
    if kind in (Kind.MONASTERY, Kind.LINES):
        return "m"
    letter = {Kind.CITY: "c", Kind.ROAD: "r"}.get(kind, "?")
    return f"{letter}{sum(segment.kind == kind for segment in found[:number])}"


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize(
    "set_ids", [("base",), ("base", "inns"), ("base", "river1", "traders"), TILE_SETS]
)
def test_tile_counts(set_ids: tuple[str, ...], edition: str) -> None:
    counts = dict(zip(tiles.TILE_ID, tiles.tile_counts(set_ids, edition), strict=True))
    assert counts.pop("am-abbey") == 0, "abbeys are in hands, not in the bag"
    wanted = {row["id"]: row["n"][edition] if row["set"] in set_ids else 0 for row in ROWS}
    assert sum(wanted.values()) == sum(CENSUS[set_id]["totals"]["tiles"] for set_id in set_ids)
    if {"river1", "river2"} <= set(set_ids):  # RIV2-11
        wanted |= {"rv-source": 0, "rv-lake": 0}
    assert counts == wanted


def test_promos_are_counted_where_they_are_asked_for() -> None:
    alone, more = (tiles.tile_counts(("cult",), "C2", has_promos=has) for has in (False, True))
    assert [tiles.TILE_ID[k] for k in np.flatnonzero(more - alone)] == ["cu-shrine-cap-two-roads"]
    assert more.sum() == alone.sum() + 1 == 6


# --- The page about the notation

PAGE = (FOLDER.parent / "docs/tiles.md").read_text(encoding="utf-8")


def test_page_shows_a_row_of_the_file() -> None:
    example = json.loads(PAGE.split("```json")[1].split("```")[0])
    assert example == ROW[example["id"]]


@pytest.mark.parametrize("key", sorted(set().union(*KEYS.values())))
def test_page_explains_the_key(key: str) -> None:
    assert f"`{key}`" in PAGE
