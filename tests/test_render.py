"""Pictures of positions agree with the tile facts and with the position."""

import re
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from carc_env.engine.core.codes import SIDE_SPOTS, Figure, Good, Kind, Phase, Spot
from carc_env.engine.core.tiles import (
    AXES,
    FACTS,
    FORMS,
    HALVES,
    N_DESIGNS,
    SEGMENT_SPOT,
    SIDES,
    TILE_ID,
    segments_of,
)
from carc_env.game.game import Game
from carc_env.game.notation import parse_position
from carc_env.position import Bazaar, Lot, PlacedFigure, PlacedTile, Position, Tower, halves_of
from carc_env.render import Window, board_png, board_rgb, board_svg, board_text, stand_of, tile_svg
from carc_env.render.bridge_art import DECKS, distance_beyond
from carc_env.render.castle_art import middle_of
from carc_env.render.declaring import drawings
from carc_env.render.figure_art import figure_form
from carc_env.render.lettering import text_svg, text_width
from carc_env.render.palette import (
    CITY_GROUND,
    GOLD,
    GRASS,
    PRECINCT,
    RIVER,
    ROAD,
    SEATS,
    TEAL,
    WALL_LINE,
    WINE,
)
from carc_env.render.panel import card_height
from carc_env.render.plan import form_of, plan_of, turned_axis
from carc_env.render.raster import png_from_svg, rgb_from_svg
from carc_env.render.shapes import SIZE, distance_to_line
from carc_env.render.sites import sites_of
from carc_env.render.survey import CITY, FIELD, OTHER, STEP, cell_of_half, components, ground
from carc_env.render.symbols import known_drawings
from carc_env.render.text import LETTERS_OF_BASE
from carc_env.render.tile_art import CLIP
from carc_env.rules import Rules
from carc_env.systems import QUESTIONS, figures_in_play
from tests.goods import goods_of

pytestmark = pytest.mark.once

OF_THE_BAG = TILE_ID[: len(FACTS)]
BRIDGED_FORMS = FORMS[N_DESIGNS:]
SVG = "{http://www.w3.org/2000/svg}"

# The bridge of a city splits an enclosed field into two visible parts (note in the tile facts).
BRIDGED_CITIES = {row["id"] for row in FACTS if row.get("crossing") == "cities"}


def read(text: str, n_left: int) -> Position:
    """Parse a position and put ``n_left`` curves into its bag."""
    return replace(parse_position(text), bag=("bg-curve",) * n_left)


@pytest.fixture
def position() -> Position:
    """Return a position after six tiles, with figures.

    They are a monk, an abbot in a garden, a knight, a highwayman and a farmer.
    """
    text = """[carc_env position 1]
        [rules {n_players: 3}]
        [scores 12:7:130]
        [turn B places bg-crossroads]
        bg-cap-straight 0,0 r0: A meeple E
        bg-cap 0,-1 r2: A meeple S, B meeple Nw
        bg-straight-garden 1,0 r0: B abbot mid
        bg-monastery 0,1 r0: C meeple mid
        bg-curve -1,0 r3
        bg-monastery 1,1 r0
        """
    return read(text, n_left=42)


@pytest.fixture
def mayors_day() -> Position:
    """Return a position with everything from Abbey & Mayor.

    It has an abbey on the board, a wagon that moves, a barn and a mayor.
    """
    text = """[carc_env position 1]
        [rules {preset: abbey-mayor, n_players: 3}]
        [scores 3:10:0]
        [abbeys 1:1:0]
        [wagons B 0,0 E, A 1,1 mid]
        [turn A moves]
        bg-cap-straight 0,0 r0
        bg-cap 0,-1 r2: A mayor S
        bg-straight 1,0 r0: C meeple Nw
        bg-monastery 1,1 r0
        bg-monastery 0,1 r0: B barn NE
        am-abbey 2,0 r0: C wagon mid
        """
    return read(text, n_left=9)


@pytest.fixture
def market_day() -> Position:
    """Return a position with Bridges, Castles & Bazaars.

    It has two bridges, a castle with its lord, a castle that has scored, and a town.
    """
    text = """[carc_env position 1]
        [rules {preset: bridges, n_players: 3}]
        [scores 3:-4:10]
        [abbeys 1:1:1]
        [bridges 2:1:3]
        [tokens 2:2:3]
        [castles 0,0 N, 1,1 W]
        [town C 3,1 W]
        [turn A decides]
        bg-cap-straight 0,0 r0
        bg-cap 0,-1 r2: A meeple S
        bg-monastery 1,0 r0 bridge EW: B meeple E
        bg-straight 2,0 r0 bridge NS
        bg-cap 0,1 r1
        bg-cap 1,1 r3
        bg-cap 2,1 r1: C mayor E
        bcb-cap-road-bazaar 3,1 r3
        """
    return read(text, n_left=20)


@pytest.fixture
def travellers_day() -> Position:
    """Return a position with Inns & Cathedrals.

    Large meeples are a knight, a monk and a farmer; one is still in hand.
    """
    text = """[carc_env position 1]
        [rules {preset: inns, n_players: 4}]
        [scores 0:4:12:7]
        [turn D places ic-junction-inn]
        bg-cap-straight 0,0 r0
        ic-cathedral 0,-1 r0: A large N
        ic-straight-inn 1,0 r0: B large Nw, B meeple Es
        bg-monastery 1,1 r0: C large mid
        """
    return read(text, n_left=30)


@pytest.fixture
def merchants_day() -> Position:
    """Return a position with the River and Traders & Builders.

    It has builders in a city and on a road, a pig, and tokens of all goods.
    """
    text = """[carc_env position 1]
        [rules {preset: traders, n_players: 3, sets: [base, river1, traders]}]
        [scores 3:10:0]
        [wine 2:0:0]
        [grain 0:3:0]
        [cloth 1:0:0]
        [turn A places tb-corner-grain]
        rv-source 0,0 r0
        rv-road-bridge -1,0 r0: A meeple N
        rv-lake -2,0 r2: C meeple Nw
        bg-straight -1,1 r1: A builder N
        bg-cap -3,1 r1: B meeple E
        tb-span-wine -2,1 r1: B builder E, C pig Nw
        """
    return read(text, n_left=40)


OFFER = (Lot("bg-cap", 2), Lot("bg-curve"), Lot("bcb-bazaar"))


@pytest.fixture
def auction(market_day: Position) -> Position:
    """Return an auction in which B offers the second tile, C's bid is highest, and A decides."""
    return replace(
        market_day,
        phase=Phase.BAZAAR_BID,
        decider=0,
        town=None,
        bazaar=Bazaar(0, 0, OFFER, chooser=1, lot=1, price=5, bidder=2),
    )


@pytest.fixture
def pixels() -> None:
    """Skip the test if the extra is not installed."""
    pytest.importorskip("resvg_py")
    pytest.importorskip("pygame")


def form_name(row: dict) -> str:
    """Return the id of a design, followed by the bridge over it, if any."""
    return " ".join([row["id"], *([row["bridge"]] if "bridge" in row else [])])


def elements(svg: str, name: str) -> list[ET.Element]:
    return [e for e in ET.fromstring(svg).iter() if e.get("class") == name]


def words(svg: str) -> list[str | None]:
    """Return all words in a picture."""
    return [e.get("data-text") for e in elements(svg, "text")]


def lies(figure: ET.Element) -> bool:
    """Return whether a figure is drawn on its side, as farmers are."""
    return any("rotate(-90)" in (e.get("transform") or "") for e in figure.iter())


# -------------------------------------------------------------------------------------- tiles


@pytest.mark.parametrize("tile", TILE_ID)
def test_every_design_draws_valid_xml_and_always_the_same(tile: str) -> None:
    for rotation in range(4):
        svg = tile_svg(tile, rotation)
        root = ET.fromstring(svg)
        assert root.get("data-tile") == tile
        assert "nan" not in svg
        assert svg == tile_svg.__wrapped__(tile, rotation)


@pytest.mark.parametrize("row", FACTS, ids=OF_THE_BAG)
def test_everything_that_the_facts_list_is_drawn(row: dict) -> None:
    root = ET.fromstring(tile_svg(row["id"]))
    drawn = [e.get("class") for e in root.iter() if e.get("class")]
    cities = row.get("cities", [])
    assert drawn.count("city") == len(cities)
    assert drawn.count("shield") == sum(c.get("shields", 0) for c in cities)
    for goods in ("wine", "grain", "cloth"):
        assert drawn.count(goods) == sum(c.get("goods") == goods for c in cities)
    assert drawn.count("cathedral") == sum(bool(c.get("cathedral")) for c in cities)
    assert drawn.count("inn") == sum(bool(r.get("inn")) for r in row.get("roads", []))
    assert drawn.count("river") == ("river" in row)
    for sign in ("monastery", "garden", "bazaar", "shrine", "volcano"):
        assert drawn.count(sign) == bool(row.get(sign))


@pytest.mark.parametrize("row", [*FACTS, *BRIDGED_FORMS], ids=form_name)
def test_the_drawn_fields_are_those_of_the_facts(row: dict) -> None:
    """The drawn walls, roads and rivers split the meadow exactly as in the tile facts."""
    parts = components(ground(plan_of(row["id"], row.get("bridge"))) == FIELD)
    owner = {}
    for i, field in enumerate(row["fields"]):
        for half in field["at"].split():
            cell = cell_of_half(HALVES.index(half))
            found = [k for k, part in enumerate(parts) if part[cell]]
            assert len(found) == 1, f"no meadow at {half}"
            assert owner.setdefault(found[0], i) == i, f"two fields run together at {half}"
    if row.get("crossing") == "city over river":  # its fields pass below the city
        assert len(owner) == len(parts) == 2 * len(row["fields"])
        return
    n_open = sum(bool(field["at"]) for field in row["fields"])
    assert len(owner) == n_open
    if row["id"] in BRIDGED_CITIES:
        assert len(parts) > len(row["fields"])
    else:
        assert len(parts) == len(row["fields"])


@pytest.mark.parametrize("row", FORMS, ids=form_name)
def test_figures_stand_on_their_own_segment_apart_from_each_other(row: dict) -> None:
    tile, bridge = row["id"], row.get("bridge")
    form, plan = form_of(tile, 0, bridge), plan_of(tile, bridge)
    labels = ground(plan)
    stands = []
    n_seen = dict.fromkeys(Kind, 0)
    for j, (kind, places, *_) in enumerate(segments_of(row)):
        x, y = stand_of(tile, 0, Spot(int(SEGMENT_SPOT[form, 0, j])), bridge)
        assert 4 <= x <= 96 and 4 <= y <= 96
        stands.append((x, y))
        cell = int(y / STEP), int(x / STEP)
        here = np.array([[x, y]])
        is_on_bridge = kind == Kind.ROAD and n_seen[kind] == len(plan.roads)
        if bridge is not None:
            assert (distance_beyond(bridge, here)[0] > 0) == (not is_on_bridge)
        if is_on_bridge:
            assert distance_to_line(here, DECKS[bridge].points)[0] < 1
        elif kind == Kind.CITY:
            assert labels[cell] == CITY + n_seen[kind]
        elif kind == Kind.ROAD:
            strands = plan.roads[n_seen[kind]].strands
            assert min(distance_to_line(here, s.points)[0] for s in strands) < 1
        elif kind == Kind.FIELD:
            part = next(p for p in components(labels == FIELD) if p[cell])
            halves = {h for h in range(8) if part[cell_of_half(h)]}
            is_hidden = row.get("crossing") == "city over river"
            assert halves < set(places) if is_hidden else halves == set(places)
        n_seen[kind] += 1
    assert len(stands) == len(segments_of(row))


@pytest.mark.parametrize("row", FORMS, ids=form_name)
def test_no_two_figures_of_a_tile_cover_each_other(row: dict) -> None:
    tile = row["id"]
    for rotation in range(4):
        bridge = turned_axis(row.get("bridge"), rotation)
        form = form_of(tile, rotation, bridge)
        spots = SEGMENT_SPOT[form, rotation, : len(segments_of(row))]
        stands = [stand_of(tile, rotation, Spot(int(spot)), bridge) for spot in spots]
        for a, b in combinations(stands, 2):
            assert np.hypot(a[0] - b[0], a[1] - b[1]) > 12


def test_stands_turn_with_their_tile() -> None:
    x, y = stand_of("bg-cap", 0, Spot.N)
    assert stand_of("bg-cap", 1, Spot.E) == (100 - y, x)
    assert stand_of("bg-cap", 2, Spot.S) == (100 - x, 100 - y)


def test_a_spot_that_is_not_on_the_tile_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"'bg-cap' at rotation 1 has no segment N"):
        stand_of("bg-cap", 1, Spot.N)
    with pytest.raises(KeyError):
        tile_svg("no-such-tile")


@pytest.mark.parametrize("row", FORMS, ids=form_name)
def test_neighbours_join_without_a_step(row: dict, pixels: None) -> None:
    """At the rim, every kind of edge has its colour in the same place on all tiles."""
    rgb = rgb_from_svg(alone(tile_svg(row["id"], 0, row.get("bridge"))))
    rims = {"N": rgb[0], "E": rgb[:, -1], "S": rgb[-1], "W": rgb[:, 0]}
    inner = {
        "R": (ROAD, 47, 53),
        "V": (RIVER, 44, 56),
        "C": (CITY_GROUND, 22, 40),
        "A": (WALL_LINE, 1, 99),
    }
    for side, letter in zip(SIDES, row["edges"], strict=True):
        if letter == "K":
            check_crossed_by_a_wall(row, side, rims[side])
            continue
        is_divided = letter == "F" and not any(
            {half for half in HALVES if half[0] == side} <= {*field["at"].split()}
            for field in row["fields"]
        )  # the tip of a city reaches the middle of the side (HS-41)
        color, first, last = inner.get(letter, (GRASS, *((20, 26) if is_divided else (47, 53))))
        wanted = np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)])
        off = np.abs(rims[side][first:last].astype(int) - wanted).max(axis=1)
        # Tufts and cobbles may touch the rim here and there; they never fill it.
        assert np.median(off) <= 12, f"side {side}"


def check_crossed_by_a_wall(row: dict, side: str, rim: np.ndarray) -> None:
    """Check a side that a wall crosses: each half is a field or inside Carcassonne."""
    outer = {half for field in row["fields"] for half in field["at"].split()}
    for after, (first, last) in zip(
        "we" if side in "NS" else "ns", ((14, 36), (64, 86)), strict=True
    ):
        color = GRASS if f"{side}{after}" in outer else PRECINCT
        wanted = np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)])
        off = np.abs(rim[first:last].astype(int) - wanted).max(axis=1)
        assert np.median(off) <= 12, f"{side}{after}"


def n_drawn(tile: str, name: str, bridge: str | None = None) -> int:
    """Return how many elements of a class a tile shows."""
    return len(elements(tile_svg(tile, 0, bridge), name))


@pytest.mark.parametrize("row", FACTS, ids=OF_THE_BAG)
def test_a_road_that_passes_over_something_has_a_small_bridge_there(row: dict) -> None:
    plan = plan_of(row["id"])
    crosses = row.get("crossing") in ("roads", "road over river")
    assert n_drawn(row["id"], "bridge") == len(plan.bridges) == crosses
    for mark in plan.bridges:
        spot = np.array([mark.spot])
        below = plan.river if plan.river is not None else plan.roads[0].strands[0]
        assert distance_to_line(spot, below.points)[0] < 1
        assert distance_to_line(spot, plan.roads[-1].strands[0].points)[0] < 1
        for thing in sites_of(row["id"]).things:
            assert np.hypot(*(np.array(thing.spot) - mark.spot)) > 15, thing


@pytest.mark.parametrize("row", FACTS, ids=OF_THE_BAG)
def test_a_road_over_a_city_leads_from_rim_to_rim_on_a_bridge(row: dict, pixels: None) -> None:
    crosses = row.get("crossing") == "road over city"
    assert n_drawn(row["id"], "viaduct") == crosses
    if not crosses:
        return
    rgb = rgb_from_svg(alone(tile_svg(row["id"]))).astype(int)
    road, city = (
        np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)]) for color in (ROAD, CITY_GROUND)
    )
    assert (np.abs(rgb[50] - road).max(axis=1) < 4).all()
    assert np.median(np.abs(rgb[[2, -3], 40:60] - city).max(axis=2)) < 12
    for thing in sites_of(row["id"]).things:
        assert abs(thing.spot[1] - 50) > 12, thing


@pytest.mark.parametrize(("rotation", "has_arch"), [(0, False), (1, True), (2, False), (3, True)])
def test_one_looks_from_the_south_through_the_arch_of_a_small_bridge(
    rotation: int, has_arch: bool, pixels: None
) -> None:
    """Below the middle of a road from west to east, there is water between two piers."""
    rgb = rgb_from_svg(alone(tile_svg("rv-road-bridge", rotation)))
    ray = rgb[:, 39] if has_arch else rgb[39]
    stone = (np.abs(ray[57:66].astype(int) - [159, 145, 124]).max(axis=1) < 30).sum()
    assert (stone > 3) == has_arch
    assert rgb[64 if has_arch else 50, 50 if has_arch else 68, 2] > 150


def test_a_road_ends_at_the_stone_before_the_fork_of_another() -> None:
    plan = plan_of("ru-road-end-and-three-way")
    assert (n_drawn(plan.tile, "stone"), n_drawn(plan.tile, "village")) == (1, 0)
    end, fork = plan.roads
    assert [strand.end for strand in end.strands] == [plan.stone]
    assert plan.stone is not None
    assert all(
        distance_to_line(np.array([plan.stone]), strand.points)[0] > 8 for strand in fork.strands
    )


@pytest.mark.parametrize("bridge", [None, "NS"])
def test_the_road_passes_behind_the_tree_that_its_bridge_does_not_hide(bridge: str | None) -> None:
    tile = "ru-straight-razboynik"
    (tree,) = (thing for thing in sites_of(tile, bridge).things if thing.kind == "solovei")
    spot = np.array([tree.spot])
    assert distance_to_line(spot, plan_of(tile, bridge).roads[0].strands[0].points)[0] < 1
    if bridge is not None:
        assert distance_beyond(bridge, spot)[0] > 0
    for spot_of in (Spot.E, Spot.Nw, Spot.Es):
        x, y = stand_of(tile, 0, spot_of, bridge)
        assert np.hypot(x - tree.spot[0], y - tree.spot[1]) > 20


def alone(tile: str) -> str:
    """Return a drawn tile as a picture of 100 x 100 pixels."""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100">'
        f'<defs>{CLIP}</defs><g clip-path="url(#tile-clip)">{tile}</g></svg>'
    )


def test_the_river_begins_in_a_spring_among_rocks_and_ends_in_a_wide_lake() -> None:
    water = {}
    for row in FACTS:
        tile = row["id"]
        role = row.get("river_role")
        assert n_drawn(tile, "spring") == (role == "source")
        assert (n_drawn(tile, "rock") >= 4) == (role == "source")
        assert (n_drawn(tile, "reeds") >= 2) == (role == "lake")
        if "river" in row and not row.get("cities"):
            water[tile] = int((ground(plan_of(tile)) == OTHER).sum())
    assert min(water, key=water.__getitem__) == "rv-source"
    assert max(water, key=water.__getitem__) == "rv-lake"
    assert water["rv-lake"] > 1.5 * water["rv-straight"]


@pytest.mark.parametrize("row", [r for r in FORMS if "river" in r], ids=form_name)
def test_nobody_stands_in_the_water(row: dict) -> None:
    bridge = row.get("bridge")
    plan = plan_of(row["id"], bridge)
    labels = ground(plan)
    for thing in sites_of(row["id"], bridge).things:
        if thing.kind not in ("rock", "reeds"):
            assert labels[int(thing.spot[1] / STEP), int(thing.spot[0] / STEP)] != OTHER, thing
        elif bridge is not None:
            assert distance_beyond(bridge, np.array([thing.spot]))[0] > 0
    if plan.pool is None:
        return
    form = form_of(row["id"], 0, bridge)
    for j, (kind, *_) in enumerate(segments_of(row)):
        if kind == Kind.FIELD:
            stand = stand_of(row["id"], 0, Spot(int(SEGMENT_SPOT[form, 0, j])), bridge)
            assert distance_to_line(np.array([stand]), plan.pool.points)[0] > 8


def test_the_goods_of_a_city_are_told_apart_by_their_colours() -> None:
    wanted = {"wine": WINE, "grain": GOLD, "cloth": TEAL}
    for row in FACTS:
        signs = [t for t in sites_of(row["id"]).things if t.kind in wanted]
        labels = ground(plan_of(row["id"]))
        for sign in signs:
            (city,) = (i for i, c in enumerate(row["cities"]) if c.get("goods") == sign.kind)
            assert labels[int(sign.spot[1] / STEP), int(sign.spot[0] / STEP)] == CITY + city
            assert all(sign.radius < part < SIZE - sign.radius for part in sign.spot)
            (drawn,) = elements(tile_svg(row["id"]), sign.kind)
            (rim,) = {e.get("fill") for e in drawn.iter("circle")} & set(wanted.values())
            assert rim == wanted[sign.kind]


def test_the_abbey_is_closed_on_all_sides() -> None:
    root = ET.fromstring(tile_svg("am-abbey"))
    drawn = [e.get("class") for e in root.iter() if e.get("class")]
    assert drawn.count("abbey") == drawn.count("enclosure") == 1
    assert not {"city", "roads", "river", "monastery", "garden"} & set(drawn)
    assert GRASS not in tile_svg("am-abbey")
    assert (ground(plan_of("am-abbey")) == OTHER).all()


def test_the_abbey_looks_different_from_every_monastery() -> None:
    for row in FACTS:
        drawn = {e.get("class") for e in ET.fromstring(tile_svg(row["id"])).iter()}
        assert not {"abbey", "enclosure"} & drawn


@pytest.mark.parametrize("row", BRIDGED_FORMS, ids=form_name)
def test_every_bridge_lies_over_its_tile_as_on_the_board(row: dict) -> None:
    for rotation in range(4):
        bridge = turned_axis(row["bridge"], rotation)
        svg = tile_svg(row["id"], rotation, bridge)
        drawn = [e for e in ET.fromstring(svg).iter() if e.get("class")]
        assert [e.get("data-axis") for e in drawn if e.get("class") == "built-bridge"] == [bridge]
        assert "nan" not in svg
        assert svg == tile_svg.__wrapped__(row["id"], rotation, bridge)
        assert svg != tile_svg(row["id"], rotation)


@pytest.mark.parametrize("row", BRIDGED_FORMS, ids=form_name)
def test_a_bridge_hides_none_of_the_signs_of_its_tile(row: dict) -> None:
    plan = plan_of(row["id"], row["bridge"])
    signs = ("shield", "garden", "inn", "wine", "grain", "cloth")
    spots = [t.spot for t in sites_of(row["id"], row["bridge"]).things if t.kind in signs]
    spots += [plan.monastery] if plan.monastery is not None else []
    for spot in spots:
        assert distance_beyond(row["bridge"], np.array([spot]))[0] > 0


def test_bridges_meet_the_roads_of_the_neighbours_in_the_middle_of_the_side() -> None:
    assert (DECKS["NS"].start, DECKS["NS"].end) == ((50, 0), (50, 100))
    assert (DECKS["EW"].start, DECKS["EW"].end) == ((0, 50), (100, 50))
    for axis in AXES:
        for share in (0.0, 1.0):
            across = DECKS[axis].heading(share)[AXES.index(axis)]
            assert abs(across) < 0.1, "a bridge begins and ends at a right angle to the rim"


def test_a_bridge_that_cannot_stand_is_an_error() -> None:
    with pytest.raises(ValueError, match="'bg-corner' at rotation 0 cannot have a bridge NS"):
        tile_svg("bg-corner", 0, "NS")
    with pytest.raises(ValueError, match="'bg-cap' at rotation 1 cannot have a bridge EW"):
        stand_of("bg-cap", 1, Spot.E, "EW")
    with pytest.raises(ValueError, match="'bg-cap' at rotation 0 has no segment E"):
        stand_of("bg-cap", 0, Spot.E)


@pytest.mark.parametrize("row", [row for row in FORMS if row.get("bazaar")], ids=form_name)
def test_a_bazaar_is_a_market_of_four_that_no_bridge_hides(row: dict) -> None:
    bridge = row.get("bridge")
    root = ET.fromstring(tile_svg(row["id"], 0, bridge))
    drawn = [e for e in root.iter() if e.get("class")]
    names = [e.get("class") for e in drawn]
    assert (names.count("bazaar"), names.count("tent"), names.count("stall")) == (1, 2, 2)
    for e in drawn:
        if bridge == "NS" and e.get("class") in ("tent", "stall"):
            x = float(e.get("transform", "").removeprefix("translate(").split()[0])
            assert abs(x - 50) > 12


@pytest.mark.parametrize("row", [row for row in FACTS if row.get("bazaar")], ids=form_name)
def test_roads_end_at_the_ground_of_a_bazaar(row: dict) -> None:
    plan = plan_of(row["id"])
    for road in plan.roads:
        assert [strand.end for strand in road.strands] == [plan.bazaar]


def inn_tiles() -> list[dict]:
    return [row for row in FACTS if any(road.get("inn") for road in row.get("roads", []))]


@pytest.mark.parametrize("row", inn_tiles(), ids=lambda row: row["id"])
def test_an_inn_stands_beside_its_own_road(row: dict) -> None:
    plan = plan_of(row["id"])
    (inn,) = (thing for thing in sites_of(row["id"]).things if thing.kind == "inn")
    gaps = [
        min(distance_to_line(np.array([inn.spot]), strand.points)[0] for strand in road.strands)
        for road in plan.roads
    ]
    (own,) = (i for i, road in enumerate(row["roads"]) if road.get("inn"))
    assert gaps[own] < 22
    assert all(gaps[own] < gap - 5 for i, gap in enumerate(gaps) if i != own)


def test_no_house_of_the_crossing_hides_the_inn_on_one_of_its_arms() -> None:
    things = sites_of("ic-junction-inn").things
    (inn,) = (thing for thing in things if thing.kind == "inn")
    for thing in things:
        if thing is not inn:
            gap = np.hypot(inn.spot[0] - thing.spot[0], inn.spot[1] - thing.spot[1])
            assert gap > inn.radius + thing.radius, thing
    assert all(inn.radius <= part <= SIZE - inn.radius for part in inn.spot)


def test_barns_stand_where_four_tiles_meet() -> None:
    corners = {Spot.NE: (100, 0), Spot.SE: (100, 100), Spot.SW: (0, 100), Spot.NW: (0, 0)}
    for rotation in range(4):
        for spot, point in corners.items():
            assert stand_of("bg-monastery", rotation, spot) == point


def test_a_corner_without_a_field_is_no_place_for_a_barn() -> None:
    assert stand_of("bg-corner", 0, Spot.SW) == (0, 100)
    message = r"'bg-corner' at rotation 2 has no field at the corner SW"
    with pytest.raises(ValueError, match=message):
        stand_of("bg-corner", 2, Spot.SW)
    with pytest.raises(ValueError, match="no field at the corner NE"):
        stand_of("am-abbey", 0, Spot.NE)


# -------------------------------------------------------------------------------------- board


def test_all_tiles_and_figures_are_on_the_board(position: Position) -> None:
    svg = board_svg(position)
    tiles = [
        tuple(e.get(f"data-{fact}") for fact in ("tile", "x", "y", "rotation"))
        for e in elements(svg, "tile")
    ]
    assert sorted(tiles) == sorted(
        (t.tile, str(t.x), str(t.y), str(t.rotation)) for t in position.tiles
    )
    figures = {
        tuple(e.get(f"data-{fact}") for fact in ("seat", "figure", "kind", "x", "y"))
        for e in elements(svg, "figure")
    }
    assert figures == {
        ("0", "MEEPLE", "CITY", "0", "-1"),
        ("1", "ABBOT", "GARDEN", "1", "0"),
        ("2", "MEEPLE", "MONASTERY", "0", "1"),
        ("0", "MEEPLE", "ROAD", "0", "0"),
        ("1", "MEEPLE", "FIELD", "0", "-1"),
    }


def test_only_farmers_lie_down(position: Position) -> None:
    for figure in elements(board_svg(position), "figure"):
        assert lies(figure) == (figure.get("data-kind") == "FIELD")


def test_a_large_meeple_is_larger_and_lies_down_as_a_farmer(travellers_day: Position) -> None:
    figures = elements(board_svg(travellers_day), "figure")
    for figure in figures:
        assert lies(figure) == (figure.get("data-kind") == "FIELD")
    assert [f.get("data-kind") for f in figures if f.get("data-figure") == "LARGE"] == [
        "CITY",
        "FIELD",
        "MONASTERY",
    ]
    large, normal = (height(figure_form(figure).path) for figure in (Figure.LARGE, Figure.MEEPLE))
    assert 1.3 * normal < large < 1.5 * normal


def height(path: str) -> float:
    """Return the height of an outline around the origin, written in absolute coordinates."""
    ys = [float(y) for y in re.findall(r",(-?[\d.]+)", path)]
    return max(ys) - min(ys)


def test_the_same_position_gives_the_same_picture(position: Position) -> None:
    assert board_svg(position) == board_svg(replace(position))


def test_every_design_used_is_defined_once(position: Position) -> None:
    root = ET.fromstring(board_svg(position))
    names = [e.get("id") for e in root.iter() if e.get("id")]
    used = {e.get("href")[1:] for e in root.iter(f"{SVG}use")}
    assert len(names) == len(set(names))
    assert used <= set(names)


def test_the_last_tile_is_outlined_unless_another_is_asked_for(position: Position) -> None:
    def outlined(svg: str) -> tuple[int, int]:
        (frame,) = elements(svg, "highlight")
        return int(frame.get("data-x")), int(frame.get("data-y"))

    assert outlined(board_svg(position)) == (1, 1)
    assert outlined(board_svg(position, highlight=(0, 0))) == (0, 0)


def test_the_panel_tells_scores_supplies_turn_and_bag(position: Position) -> None:
    svg = board_svg(position)
    players = elements(svg, "player")
    assert [int(e.get("data-score")) for e in players] == [12, 7, 130]
    assert [e.get("data-marked") for e in players] == ["0", "1", "0"]
    left = [
        sum(e.get("data-left") == "1" for e in player.iter() if e.get("class") == "supply")
        for player in players
    ]
    assert left == [5 + 1, 6 + 0, 6 + 1]  # meeples and abbot
    told = words(svg)
    assert {"12", "7", "130", "42", "TILES LEFT", "PLACE THE TILE"} <= set(told)
    assert [e.get("data-tile") for e in elements(svg, "hand")] == ["bg-crossroads"]


def test_what_is_not_known_is_not_drawn(position: Position) -> None:
    rules = Rules.preset("first-edition", n_players=3)
    svg = board_svg(replace(position, rules=rules, figures=(), bag=None))
    told = words(svg)
    assert not [word for word in told if "LEFT" in word]
    assert len(elements(svg, "supply")) == 3 * 7


@pytest.mark.parametrize(("scores", "names"), [((9, 4, 9), "A AND C"), ((9, 9, 9), "A, B AND C")])
def test_the_winners_are_marked_when_the_game_is_over(
    position: Position, scores: tuple[int, ...], names: str
) -> None:
    over = replace(position, phase=Phase.GAME_OVER, scores=scores, tile_in_hand=None, figures=())
    marked = [e.get("data-marked") for e in elements(board_svg(over), "player")]
    assert marked == [f"{score // 9}" for score in scores]
    assert f"{names} SHARE THE WIN" in words(board_svg(over))


def anchor(figure: ET.Element) -> tuple[float, float]:
    """Return where a figure is drawn, with 100 units per tile."""
    moved = figure[-1] if figure[-1].get("transform") else figure[-1][0]
    x, y = moved.get("transform", "").removeprefix("translate(").partition(")")[0].split()
    return float(x), float(y)


def test_mayors_wagons_and_barns_are_drawn_where_they_stand(mayors_day: Position) -> None:
    figures = elements(board_svg(mayors_day), "figure")
    assert [f.get("data-figure") for f in figures].count("MEEPLE") == 1
    at = {f.get("data-figure"): anchor(f) for f in figures}
    assert at["BARN"] == (100, 100)
    for kind, tile, spot, (x, y) in (
        ("MAYOR", "bg-cap", stand_of("bg-cap", 2, Spot.S), (0, -100)),
        ("WAGON", "am-abbey", stand_of("am-abbey", 0, Spot.mid), (200, 0)),
    ):
        assert at[kind] == pytest.approx((x + spot[0], y + spot[1]), abs=0.01), tile
    barn = next(f for f in figures if f.get("data-figure") == "BARN")
    assert barn.get("data-kind") == "FIELD"
    assert not lies(barn)


def test_figures_are_drawn_above_all_tiles(mayors_day: Position) -> None:
    root = ET.fromstring(board_svg(mayors_day))
    classes = [e.get("class") for e in root.iter()]
    last_tile = len(classes) - 1 - classes[::-1].index("tile")
    assert last_tile < classes.index("figure")


def test_every_kind_of_figure_has_its_own_shape(mayors_day: Position) -> None:
    figures = [PlacedFigure(1, kind, 2, 0, Spot.mid) for kind in Figure if kind != Figure.BARN]
    figures.append(PlacedFigure(1, Figure.BARN, 0, 1, Spot.NE))
    svg = board_svg(replace(mayors_day, figures=tuple(figures), wagons=()))
    outlines = [next(f.iter(f"{SVG}path")).get("d") for f in elements(svg, "figure")]
    assert len(set(outlines)) == len(Figure)
    for figure in elements(svg, "figure"):
        words = [e.get("data-text") for e in figure.iter() if e.get("class") == "text"]
        assert words == ["B"]


def test_builders_and_pigs_stand_upright_where_they_were_placed(merchants_day: Position) -> None:
    figures = elements(board_svg(merchants_day), "figure")
    seen = {}
    for figure in figures:
        kind = figure.get("data-figure")
        assert lies(figure) == (kind == "MEEPLE" and figure.get("data-kind") == "FIELD")
        seen[kind, figure.get("data-seat")] = (figure.get("data-kind"), anchor(figure))
    x, y = stand_of("bg-straight", 1, Spot.N)
    assert seen["BUILDER", "0"] == ("ROAD", pytest.approx((x - 100, y + 100), abs=0.01))
    x, y = stand_of("tb-span-wine", 1, Spot.Nw)
    assert seen["PIG", "2"] == ("FIELD", pytest.approx((x - 200, y + 100), abs=0.01))
    assert seen["BUILDER", "1"][0] == seen["MEEPLE", "1"][0] == "CITY"


def test_builder_and_pig_are_told_by_their_silhouettes() -> None:
    """The builder's top is a mallet on one side; the pig is wider than it is high."""
    builder, pig = (outline(figure_form(figure).path) for figure in (Figure.BUILDER, Figure.PIG))
    top = builder[builder[:, 1].argmin()]
    assert top[0] > 5
    assert np.ptp(builder[:, 1]) > 1.2 * height(figure_form(Figure.MEEPLE).path)
    assert np.ptp(pig[:, 0]) > 1.2 * np.ptp(pig[:, 1])


def outline(path: str) -> np.ndarray:
    """Return the points of an outline written in absolute pairs, shape (n, 2)."""
    pairs = re.findall(r"(-?[\d.]+),(-?[\d.]+)", path)
    return np.array(pairs, float)


def test_scored_wagons_wait_as_ghosts_where_they_stood(mayors_day: Position) -> None:
    svg = board_svg(mayors_day)
    waiting = {e.get("data-seat"): e for e in elements(svg, "waiting")}
    assert {s: e.get("data-next") for s, e in waiting.items()} == {"1": "1", "0": "0"}
    assert (waiting["1"].get("data-x"), waiting["1"].get("data-spot")) == ("0", "E")
    x, y = stand_of("bg-cap-straight", 0, Spot.E)
    for ring in waiting["1"].iter(f"{SVG}circle"):
        if ring.get("stroke") == SEATS[1]:
            assert (float(ring.get("cx", "")), float(ring.get("cy", ""))) == pytest.approx(
                (x, y), abs=0.01
            )
            break
    else:
        pytest.fail("no ring")
    dashed = {s: any(c.get("stroke-dasharray") for c in e) for s, e in waiting.items()}
    assert dashed == {"1": False, "0": True}
    assert not elements(board_svg(replace(mayors_day, wagons=())), "waiting")


def test_the_tile_that_a_wagon_goes_to_is_outlined(mayors_day: Position) -> None:
    assert not elements(board_svg(mayors_day), "target")
    chosen = replace(mayors_day, phase=Phase.WAGON_SPOT, wagon_target=(1, 1))
    (frame,) = elements(board_svg(chosen), "target")
    assert (frame.get("data-x"), frame.get("data-y")) == ("1", "1")
    assert frame.get("transform") == "translate(100 100)"
    assert SEATS[1] in {e.get("stroke") for e in frame}


def test_the_panel_shows_supplies_of_every_kind_and_abbeys(mayors_day: Position) -> None:
    players = elements(board_svg(mayors_day), "player")
    left = [
        {
            kind.name: [
                int(e.get("data-left", ""))
                for e in player.iter()
                if e.get("class") == "supply" and e.get("data-figure") == kind.name
            ]
            for kind in figures_in_play(mayors_day.rules)
        }
        for player in players
    ]
    # A waiting wagon is in its owner's supply.
    assert left[0] == {"MEEPLE": [1] * 7, "ABBOT": [1], "MAYOR": [0], "WAGON": [1], "BARN": [1]}
    assert left[1] == {"MEEPLE": [1] * 7, "ABBOT": [1], "MAYOR": [1], "WAGON": [1], "BARN": [0]}
    assert left[2]["WAGON"] == [0]
    assert left[2]["MEEPLE"] == [1] * 6 + [0]
    abbeys = [e for p in players for e in p.iter() if e.get("class") == "abbey-in-hand"]
    assert [e.get("data-left") for e in abbeys] == ["1", "1", "0"]
    has_tile = [any(e.get("data-tile") == "am-abbey" for e in a.iter()) for a in abbeys]
    assert has_tile == [True, True, False]


def test_the_panel_shows_only_what_is_in_play(position: Position) -> None:
    for switch, kind in (
        ("large_meeples", "LARGE"),
        ("mayors", "MAYOR"),
        ("wagons", "WAGON"),
        ("barns", "BARN"),
    ):
        rules = Rules(n_players=3, abbot=False, **{switch: True})
        svg = board_svg(replace(position, rules=rules, figures=()))
        kinds = [e.get("data-figure") for e in elements(svg, "supply")]
        assert sorted(set(kinds)) == sorted(["MEEPLE", kind])
        assert kinds.count(kind) == 3
        assert not elements(svg, "abbey-in-hand")


def test_the_panel_shows_the_large_meeples_in_hand(travellers_day: Position) -> None:
    left = [
        [e.get("data-left") for e in player.iter() if e.get("data-figure") == "LARGE"]
        for player in elements(board_svg(travellers_day), "player")
    ]
    assert left == [["0"], ["0"], ["0"], ["1"]]


@pytest.mark.parametrize("large_meeples", [False, True])
@pytest.mark.parametrize("bazaars", [False, True])
@pytest.mark.parametrize(
    ("preset", "n_stock", "n_goods"),
    [("abbey-mayor", 0, 0), ("bridges", 4, 0), ("traders", 0, 3), ("all", 4, 3)],
)
@pytest.mark.filterwarnings("ignore:.* has no effect")
def test_nothing_of_a_full_panel_overlaps(
    mayors_day: Position,
    preset: str,
    n_stock: int,
    n_goods: int,
    bazaars: bool,
    large_meeples: bool,
) -> None:
    switches = {"large_meeples": large_meeples, "bazaars": bazaars}
    check_full_panel(mayors_day, Rules.preset(preset, n_players=6, **switches), n_stock, n_goods)


def test_figures_of_every_kind_find_room_without_any_goods(mayors_day: Position) -> None:
    rules = Rules.preset("all", n_players=6, goods=False, bridges=False, castles=False)
    check_full_panel(mayors_day, rules, 0, 0)


def check_full_panel(position: Position, rules: Rules, n_stock: int, n_goods: int) -> None:
    """Check that a full card's items keep their distance from each other and from the score."""
    six = replace(
        position,
        rules=rules,
        scores=(188,) * 6,
        abbeys=(1,) * 6 * rules.abbeys,
        bridges=(2,) * 6 if n_stock else (),
        tokens=(2,) * 6 if n_stock else (),
        goods=((9, 6, 5),) * 6 if n_goods else (),
        figures=(),
        wagons=(),
        phase=Phase.PLACE_TILE,
    )
    for player in elements(board_svg(six), "player"):
        names = ("supply", "abbey-in-hand", "stock", "goods")
        small = [e for e in player.iter() if e.get("class") in names]
        n_figures = 7 + len(figures_in_play(rules)) - 1 + rules.abbeys
        assert len(small) == n_figures + n_stock + n_goods
        spots = []
        for e in small:
            x, y = e.get("transform", "").removeprefix("translate(").partition(")")[0].split()
            spots.append((float(x), float(y)))
        assert all(np.hypot(a[0] - b[0], a[1] - b[1]) > 11 for a, b in combinations(spots, 2))
        score = next(e for e in player.iter() if e.get("data-text") == "188")
        left = float(score.get("transform", "").removeprefix("translate(").split()[0])
        assert all(x + 8 < left for x, y in spots if y < 40)
        assert all(9 < y < card_height(six) - 9 for _, y in spots)


def test_the_panel_counts_goods_and_shows_builders_and_pigs_in_hand(
    merchants_day: Position,
) -> None:
    players = elements(board_svg(merchants_day), "player")
    for seat, player in enumerate(players):
        goods = {
            e.get("data-good"): (int(e.get("data-count", "")), e.get("data-count"))
            for e in player.iter()
            if e.get("class") == "goods"
        }
        counts = merchants_day.goods[seat]
        assert goods == {g.name.lower(): (counts[g], str(counts[g])) for g in Good}
        for sign in (e for e in player.iter() if e.get("class") == "goods"):
            words = [e.get("data-text") for e in sign.iter() if e.get("class") == "text"]
            assert words == [sign.get("data-count")]
            is_faint = any(e.get("opacity") for e in sign)
            assert is_faint == (sign.get("data-count") == "0")
    left = [
        [
            int(e.get("data-left", ""))
            for e in player.iter()
            if e.get("data-figure") in ("BUILDER", "PIG")
        ]
        for player in players
    ]
    assert left == [[0, 1], [0, 1], [1, 0]]


def test_the_panel_shows_no_goods_that_are_not_in_play(merchants_day: Position) -> None:
    rules = Rules(n_players=3, sets=("base", "river1", "traders"), builders=True)
    plain = replace(merchants_day, rules=rules, goods=(), figures=())
    svg = board_svg(plain)
    assert not elements(svg, "goods")
    assert {e.get("data-figure") for e in elements(svg, "supply")} == {"MEEPLE", "ABBOT", "BUILDER"}
    assert card_height(plain) < card_height(merchants_day)


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({}, []),
        ({"first_part": (-1, 0)}, ["SECOND PART"]),
        ({"has_extended": True, "phase": Phase.WAGON}, ["SECOND PART FOLLOWS"]),
    ],
)
def test_the_panel_tells_the_second_part_of_a_turn(
    merchants_day: Position, change: dict[str, object], part: list[str]
) -> None:
    words = [
        e.get("data-text") for e in elements(board_svg(replace(merchants_day, **change)), "text")
    ]
    assert [word for word in words if "PART" in (word or "")] == part


@pytest.mark.parametrize(
    ("phase", "last_round", "heading"),
    [
        (Phase.DRAW_OR_ABBEY, None, "ABBEY OR DRAW"),
        (Phase.DRAW_OR_ABBEY, 2, "ABBEY OR PASS"),
        (Phase.PLACE_TILE, None, "PLACE THE TILE"),
        (Phase.FIGURE, 2, "PLACE A FIGURE"),
        (Phase.WAGON, None, "MOVE THE WAGON"),
        (Phase.WAGON_SPOT, None, "PLACE THE WAGON"),
        (Phase.GAME_OVER, 0, "B WINS BY 7"),
    ],
)
def test_the_panel_says_what_is_to_be_decided(
    mayors_day: Position, phase: Phase, last_round: int | None, heading: str
) -> None:
    svg = board_svg(replace(mayors_day, phase=phase, last_round=last_round))
    told = words(svg)
    assert heading in told
    assert ("LAST ROUND" in told) == (last_round == 2) == ("2 TO COME" in told)
    offers = [e.get("data-tile") for e in elements(svg, "offer")]
    assert offers == ["am-abbey"] * (phase == Phase.DRAW_OR_ABBEY)


@pytest.mark.parametrize("adjacency", ["C1", "C2"])
def test_every_position_of_a_game_with_everything_can_be_drawn(adjacency: str) -> None:
    rules = Rules.preset("abbey-mayor", n_players=6, wagon_adjacency=adjacency)
    game = Game(rules, seed=11)
    n_decisions = 0
    while not game.is_over:
        position = game.position()
        if n_decisions % 25 == 0 or position.phase in (Phase.WAGON, Phase.WAGON_SPOT):
            svg = board_svg(position)
            assert svg == board_svg(game.position())
            assert len(elements(svg, "figure")) == len(position.figures)
            assert len(elements(svg, "waiting")) == len(position.wagons)
            for seat, player in enumerate(elements(svg, "player")):
                left = [e for e in player.iter() if e.get("class") == "supply"]
                n_left = sum(e.get("data-left") == "1" for e in left)
                assert n_left == sum(game.supply(seat).values())
            assert board_text(position)
        game.step_unchecked(game.random_action())
        n_decisions += 1


# ---------------------------------------------------------------- bridges, castles & bazaars


def test_bridges_are_drawn_once_for_every_form(market_day: Position) -> None:
    svg = board_svg(market_day)
    bridges = {e.get("data-tile"): e.get("data-bridge") for e in elements(svg, "tile")}
    assert {tile: axis for tile, axis in bridges.items() if axis} == {
        "bg-monastery": "EW",
        "bg-straight": "NS",
    }
    plain = PlacedTile("bg-monastery", 1, -1, 0)
    other = PlacedTile("bg-monastery", 2, -1, 0, "NS")
    svg = board_svg(replace(market_day, tiles=(*market_day.tiles, plain, other)))
    names = {e.get("id") for e in ET.fromstring(svg).iter() if e.get("id")}
    assert {"bg-monastery-0", "bg-monastery-0-NS", "bg-monastery-0-EW"} <= names
    assert len(elements(svg, "built-bridge")) == 3


def test_figures_stand_on_bridges_as_on_roads(market_day: Position) -> None:
    (figure,) = [f for f in elements(board_svg(market_day), "figure") if f.get("data-seat") == "1"]
    assert (figure.get("data-kind"), figure.get("data-spot")) == ("ROAD", "E")
    x, y = stand_of("bg-monastery", 0, Spot.E, "EW")
    assert anchor(figure) == pytest.approx((100 + x, y), abs=0.01)
    assert not lies(figure)


@pytest.mark.parametrize("spot", SIDE_SPOTS)
def test_a_castle_lies_over_the_two_caps_of_its_town(spot: Spot) -> None:
    place = (3, -2, spot)
    one, other = halves_of(place)
    assert one == place
    assert halves_of(other)[1] == place
    assert middle_of(one) == middle_of(other)
    assert abs(other[0] - 3) + abs(other[1] + 2) == 1


def test_castles_tell_whether_they_still_wait(market_day: Position) -> None:
    svg = board_svg(market_day)
    held, done = elements(svg, "castle")
    assert [(c.get("data-x"), c.get("data-y"), c.get("data-done")) for c in (held, done)] == [
        ("0", "0", "0"),
        ("1", "1", "1"),
    ]
    assert held.get("transform") == "translate(50 0)"
    assert done.get("transform") == "translate(100 150)"
    banners = [{e.get("fill") for e in castle.iter()} & set(SEATS) for castle in (held, done)]
    assert banners == [{SEATS[0]}, set()]


def test_lords_stand_in_the_court_of_their_castle(market_day: Position) -> None:
    lords = (
        PlacedFigure(0, Figure.MEEPLE, 0, -1, Spot.S),
        PlacedFigure(1, Figure.MEEPLE, 0, 0, Spot.N),
        PlacedFigure(0, Figure.WAGON, 1, 1, Spot.W),
    )
    svg = board_svg(replace(market_day, figures=lords))
    figures = elements(svg, "figure")
    assert [f.get("data-kind") for f in figures] == ["CASTLE"] * 3
    spots = {(f.get("data-seat"), f.get("data-figure")): anchor(f) for f in figures}
    left, right = spots["0", "MEEPLE"], spots["1", "MEEPLE"]
    assert left[1] == right[1] and right[0] - left[0] > 12
    for (x, y), (wanted_x, wanted_y) in (
        (left, (50, 0)),
        (right, (50, 0)),
        (spots["0", "WAGON"], (100, 150)),
    ):
        assert abs(x - wanted_x) < 20 and abs(y - wanted_y) < 20
    assert [c.get("data-done") for c in elements(svg, "castle")] == ["0", "0"]


def test_castles_are_drawn_between_tiles_and_figures(market_day: Position) -> None:
    classes = [e.get("class") for e in ET.fromstring(board_svg(market_day)).iter()]
    last_tile = len(classes) - 1 - classes[::-1].index("tile")
    assert last_tile < classes.index("castle") < classes.index("figure")


@pytest.mark.parametrize("phase", [Phase.CASTLE, Phase.CASTLE_CHOICE])
def test_the_town_that_is_asked_about_is_framed(market_day: Position, phase: Phase) -> None:
    place = (3, 1, Spot.W) if phase == Phase.CASTLE else (0, 0, Spot.N)
    (frame,) = elements(board_svg(replace(market_day, phase=phase, town=place)), "town")
    assert (frame.get("data-x"), frame.get("data-y")) == (str(place[0]), str(place[1]))
    assert SEATS[2] in {e.get("stroke") for e in frame}
    assert not elements(board_svg(replace(market_day, town=None)), "town")


def test_a_wagon_that_leaves_a_castle_waits_in_its_court(market_day: Position) -> None:
    wagon = PlacedFigure(1, Figure.WAGON, 1, 1, Spot.W)
    moved = replace(market_day, phase=Phase.WAGON, decider=1, town=None, wagons=(wagon,))
    (ghost,) = elements(board_svg(moved), "waiting")
    assert ghost.get("data-kind") == "CASTLE"


def test_the_panel_shows_bridges_and_castles_in_hand(market_day: Position) -> None:
    for seat, player in enumerate(elements(board_svg(market_day), "player")):
        stock = {
            thing: [
                int(e.get("data-left", ""))
                for e in player.iter()
                if e.get("class") == "stock" and e.get("data-thing") == thing
            ]
            for thing in ("bridge", "castle")
        }
        for thing, in_hand in (("bridge", market_day.bridges), ("castle", market_day.tokens)):
            assert stock[thing] == [1] * in_hand[seat] + [0] * (3 - in_hand[seat])


def test_the_panel_shows_no_stock_that_is_not_in_play(market_day: Position) -> None:
    rules = Rules(n_players=3, sets=("base", "bridges"), castles=True)
    svg = board_svg(replace(market_day, rules=rules, figures=(), bridges=(), castles=()))
    assert {e.get("data-thing") for e in elements(svg, "stock")} == {"castle"}


def test_the_panel_shows_the_tiles_of_an_auction(auction: Position) -> None:
    svg = board_svg(auction)
    lots = elements(svg, "lot")
    assert [(e.get("data-tile"), e.get("data-owner"), e.get("data-for-sale")) for e in lots] == [
        ("bg-cap", "2", "0"),
        ("bg-curve", None, "1"),
        ("bcb-bazaar", None, "0"),
    ]
    told = words(svg)
    assert {"BID MORE OR PASS", "5", "TOP BID", "CHOOSER", "20", "TILES LEFT"} <= set(told)
    notes = {
        e.get("data-seat")
        for e in elements(svg, "player")
        if "CHOOSER" in [t.get("data-text") for t in e.iter()]
    }
    assert notes == {"1"}
    assert [e.get("data-marked") for e in elements(svg, "player")] == ["1", "0", "0"]


def test_bought_tiles_wait_beside_the_tile_in_hand(auction: Position) -> None:
    placing = replace(
        auction,
        phase=Phase.PLACE_TILE,
        tile_in_hand="bg-curve",
        bazaar=Bazaar(0, 0, (Lot("bg-cap", 2), Lot("bcb-bazaar", 0))),
        delayed=(2,),
        is_bought=True,
    )
    svg = board_svg(placing)
    assert [e.get("data-tile") for e in elements(svg, "hand")] == ["bg-curve"]
    assert [e.get("data-owner") for e in elements(svg, "lot")] == ["2", "0"]
    told = words(svg)
    assert told.count("BAZAAR") == 1
    assert "TOP BID" not in told


def test_tiles_that_lie_face_down_are_backs(auction: Position) -> None:
    hidden = (Lot("bcb-bazaar"), Lot("bg-span"), Lot("bg-city4-shield"))
    bazaar = Bazaar(0, 0, hidden, waits=True)
    change = {"phase": Phase.PLACE_TILE, "tile_in_hand": "bg-curve", "bazaar": bazaar}
    svg = board_svg(replace(auction, **change))
    assert len(elements(svg, "back")) == 3
    assert not elements(svg, "lot")
    assert not {e.get("data-tile") for e in ET.fromstring(svg).iter()} & {
        lot.tile for lot in hidden
    }
    turned_up = replace(bazaar, waits=False)
    svg = board_svg(replace(auction, **{**change, "bazaar": turned_up}))
    assert [e.get("data-tile") for e in elements(svg, "lot")] == [lot.tile for lot in hidden]
    assert not elements(svg, "back")


def test_a_note_tells_who_is_owed_the_second_part_of_his_turn(auction: Position) -> None:
    assert auction.bazaar is not None
    bazaar = replace(auction.bazaar, resumes=2, owed=(0, 1))
    notes = [
        [e.get("data-text") for e in player.iter() if e.get("data-text") in ("BUILDER", "CHOOSER")]
        for player in elements(board_svg(replace(auction, bazaar=bazaar)), "player")
    ]
    assert notes == [[], ["CHOOSER"], ["BUILDER"]]
    assert "BUILDER" not in board_svg(auction)


@pytest.mark.parametrize("n_lots", range(1, 7))
@pytest.mark.parametrize("phase", [Phase.BAZAAR_PICK, Phase.PLACE_TILE])
def test_the_tiles_of_a_bazaar_lie_side_by_side(
    auction: Position, n_lots: int, phase: Phase
) -> None:
    bazaar = Bazaar(0, 0, (Lot("bg-cap", 2), *[Lot("bg-curve")] * (n_lots - 1)), chooser=1)
    svg = board_svg(replace(auction, phase=phase, bazaar=bazaar, tile_in_hand="bg-cap"))
    corners = []
    for lot in elements(svg, "lot"):
        place, _, scale = lot[0].get("transform", "").partition(" scale(")
        x, y = place.removeprefix("translate(").removesuffix(")").split()
        corners.append((float(x), float(y), 100 * float(scale.removesuffix(")"))))
    assert len(corners) == n_lots
    assert all(x + size <= 220.5 and y >= 100 and size > 60 for x, y, size in corners)
    for (x, y, size), (other_x, other_y, _) in combinations(corners, 2):
        assert max(abs(x - other_x), abs(y - other_y)) > size + 4


@pytest.mark.parametrize("phase", Phase)
def test_the_panel_has_words_for_every_phase(market_day: Position, phase: Phase) -> None:
    words = [
        e.get("data-text") for e in elements(board_svg(replace(market_day, phase=phase)), "text")
    ]
    special = {Phase.FIGURE: "FIGURE OR BRIDGE", Phase.GAME_OVER: "C WINS BY 7"}
    wanted = special.get(phase, QUESTIONS[phase].heading)
    assert wanted in words
    assert text_width(wanted, 9.5, 1.35) < 216


@pytest.mark.parametrize(
    ("change", "heading"),
    [
        ({"phase": Phase.FIGURE}, "FIGURE OR BRIDGE"),
        ({"phase": Phase.FIGURE, "has_bridged": True}, "PLACE A FIGURE"),
        ({"phase": Phase.FIGURE, "bridges": (2, 1, 0)}, "PLACE A FIGURE"),
        ({"phase": Phase.FIGURE, "bridges": ()}, "PLACE A FIGURE"),
        ({"phase": Phase.BAZAAR_BID, "bazaar": Bazaar(0, 0, OFFER, lot=1)}, "OPEN THE BIDDING"),
    ],
)
def test_the_panel_says_what_is_open(
    market_day: Position, change: dict[str, object], heading: str
) -> None:
    svg = board_svg(replace(market_day, town=None, **change))
    assert heading in words(svg)


@pytest.mark.parametrize(
    "switches",
    [
        pytest.param({}, marks=pytest.mark.long),
        pytest.param(
            {"castle_choice": "ask", "bridge_timing": "any_time_before_scoring"},
            marks=pytest.mark.long,
        ),
        pytest.param({"bazaar_mode": "take", "castle_fief": "row"}, marks=pytest.mark.long),
        pytest.param(
            {"bazaar_overbid": "forbid", "castle_base": "any_end_segment", "n_players": 6},
            marks=pytest.mark.long,
        ),
    ],
)
def test_every_position_of_a_game_with_bridges_castles_and_bazaars_can_be_drawn(
    switches: dict[str, object],
) -> None:
    game = Game(Rules.preset("bridges", **{"n_players": 3, **switches}), seed=5)
    seen: Counter[Phase] = Counter()
    while not game.is_over:
        seen[game.phase] += 1
        position = game.position()
        is_rare = game.phase not in (Phase.PLACE_TILE, Phase.FIGURE) and seen[game.phase] <= 6
        if is_rare or seen[game.phase] % 20 == 0:
            check_picture(game, position)
        action = game.random_action() if seen.total() % 3 == 0 else game.greedy_action()
        game.step_unchecked(game.action("castle") if game.phase == Phase.CASTLE else action)
    check_picture(game, game.position())
    assert game.position().castles
    assert {Phase.CASTLE, Phase.BAZAAR_PICK} <= set(seen)


def test_every_position_of_a_game_with_inns_can_be_drawn() -> None:
    switches = {"sets": ("base", "inns", "bridges"), "bridges": True, "castles": True}
    game = Game(Rules.preset("inns", n_players=3, **switches), seed=3)
    n_decisions, n_large = 0, 0
    while not game.is_over:
        n_decisions += 1
        if n_decisions % 20 == 0:
            position = game.position()
            check_picture(game, position)
            n_large += sum(figure.figure == Figure.LARGE for figure in position.figures)
        game.step_unchecked(game.random_action())
    check_picture(game, game.position())
    assert n_large


@pytest.mark.parametrize(
    "switches",
    [
        {"sets": ("base", "river1", "traders"), "n_players": 3},
        pytest.param(
            {"bazaar_builder_order": "builder_first", "bridge_limit": "per_turn"},
            marks=pytest.mark.long,
        ),
        pytest.param(
            {"builder_bridge_trigger": "any_extension", "bridge_timing": "any_time_before_scoring"},
            marks=pytest.mark.long,
        ),
    ],
)
def test_every_position_of_a_game_with_river_and_traders_can_be_drawn(
    switches: dict[str, object],
) -> None:
    preset = "traders" if "sets" in switches else "all"
    game = Game(Rules.preset(preset, **switches), seed=4)
    n_decisions, seen = 0, Counter[str]()
    while not game.is_over:
        n_decisions += 1
        position = game.position()
        facts = {
            "second part": position.first_part is not None,
            "extended": position.has_extended,
            "waits": position.bazaar is not None and position.bazaar.waits,
            "builder": any(f.figure == Figure.BUILDER for f in position.figures),
            "pig": any(f.figure == Figure.PIG for f in position.figures),
            "goods": any(map(any, position.goods)),
        }
        if n_decisions % 25 == 0 or any(n and seen[fact] < 2 for fact, n in facts.items()):
            check_picture(game, position)
            seen.update(fact for fact, n in facts.items() if n)
        game.step_unchecked(game.greedy_action())
    check_picture(game, game.position())
    assert seen["second part"] and seen["builder"] and seen["pig"] and seen["goods"]


def check_picture(game: Game, position: Position) -> None:
    """Check that the picture shows everything in the position, and that there is a text, too."""
    svg = board_svg(position)
    assert len(elements(svg, "figure")) == len(position.figures)
    assert len(elements(svg, "castle")) == len(position.castles)
    bridged = [t for t in position.tiles if t.bridge is not None]
    assert sum(e.get("data-bridge") is not None for e in elements(svg, "tile")) == len(bridged)
    for seat, player in enumerate(elements(svg, "player")):
        stock = [e.get("data-thing") for e in player.iter() if e.get("data-left") == "1"]
        assert stock.count("bridge") == game.stock(seat).get("bridges", 0)
        assert stock.count("castle") == game.stock(seat).get("tokens", 0)
        if position.goods:
            goods = [e for e in player.iter() if e.get("class") == "goods"]
            counts = [int(e.get("data-count", "")) for e in goods]
            assert counts == list(goods_of(game, seat).values())
    bazaar = position.bazaar
    n_tiles = 0 if bazaar is None else len(bazaar.offer)
    is_hidden = bazaar is not None and bazaar.waits
    assert len(elements(svg, "lot")) == n_tiles * (not is_hidden)
    assert len(elements(svg, "back")) == n_tiles * is_hidden
    assert board_text(position)


# ------------------------------------------------------------------------------ more of boards


def test_figures_on_one_segment_stand_side_by_side(position: Position) -> None:
    crowd = tuple(PlacedFigure(seat, Figure.MEEPLE, 0, 0, Spot.E) for seat in range(3))
    figures = elements(board_svg(replace(position, figures=crowd)), "figure")
    places = {figure[0].get("transform") for figure in figures}
    assert len(places) == 3


def test_pictures_need_no_fonts(position: Position) -> None:
    root = ET.fromstring(board_svg(position))
    assert not list(root.iter(f"{SVG}text"))


def test_letters_are_as_wide_as_they_say() -> None:
    assert text_width("", 10) == 0
    assert text_width("11", 10) == 2 * text_width("1", 10) + 2.6
    assert text_width("A4", 20) == pytest.approx(2 * text_width("A4", 10))
    with pytest.raises(KeyError):
        text_svg("ü", 0, 0, 10, color="#000000")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"tiles": (), "figures": ()}, "without tiles"),
        ({"figures": (PlacedFigure(0, Figure.MEEPLE, 5, 5, Spot.N),)}, r"no tile .* \(5, 5\)"),
        ({"figures": (PlacedFigure(0, Figure.MEEPLE, 0, 1, Spot.N),)}, "no segment N"),
    ],
)
def test_impossible_positions_are_refused(
    position: Position, change: dict[str, object], reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        board_svg(replace(position, **change))


def test_a_picture_too_small_for_the_board_is_refused(position: Position) -> None:
    with pytest.raises(ValueError, match="10 x 10 pixels are too few for 3 x 3 tiles"):
        board_svg(position, width=10, height=10)


# ------------------------------------------------------------------------------------- pixels


def test_frames_of_a_game_have_one_size(position: Position, pixels: None) -> None:
    start = replace(position, tiles=position.tiles[:1], figures=())
    for moment in (start, position):
        rgb = board_rgb(moment, width=320, height=240)
        assert rgb.shape == (240, 320, 3)
        assert rgb.dtype == np.uint8
        assert rgb.flags.c_contiguous
    assert not np.array_equal(
        board_rgb(start, width=320, height=240), board_rgb(position, width=320, height=240)
    )


def test_the_pixels_show_the_players_in_their_colours(position: Position, pixels: None) -> None:
    rgb = board_rgb(position, width=640, height=480)
    for color in SEATS[:3]:
        wanted = [int(color[k : k + 2], 16) for k in (1, 3, 5)]
        assert (rgb == wanted).all(axis=2).sum() > 40


def test_png_has_the_width_that_was_asked_for(position: Position, pixels: None) -> None:
    png = board_png(position, width=500)
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(png[16:20], "big") == 500


def test_without_the_extra_the_error_says_what_to_install(
    position: Position, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(ImportError, match=r"pip install 'carc_env\[render\]'"):
        png_from_svg("<svg/>")
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ImportError, match=r"pip install 'carc_env\[render\]'"):
        board_rgb(position)
    with pytest.raises(ImportError, match=r"pip install 'carc_env\[render\]'"):
        Window()


# --------------------------------------------------------------------------------------- text


def test_the_text_counts_one_thing_as_one() -> None:
    game = Game("tower", seed=1)
    position = replace(game.position(), bag=("bg-curve",), towers=(Tower(0, 0, 1),))
    header = board_text(position).partition("\n\n")[0]
    assert ", 1 tile left" in header and "towers: 0,0 1 floor" in header
    assert not re.search(r"\b1 (tile|floor)s", header)


def test_the_text_tells_the_whole_position(position: Position) -> None:
    header, _, picture = board_text(position).partition("\n\n")
    assert header.splitlines() == [
        "  A   12  (5 meeples + abbot)",
        "> B    7  (6 meeples)",
        "  C  130  (6 meeples + abbot)",
        "B places bg-crossroads, 42 tiles left",
    ]
    assert picture.splitlines() == [
        "     -1      0      1",
        "          .......",
        "-1        ....b..",
        "          .##A##.",
        "   ........#####..(B)...",
        " 0 ...┌──────A──────────",
        "   ...│.................",
        "          ..............",
        " 1        ...MC.....M...",
        "          ..............",
    ]


@pytest.mark.parametrize("row", FORMS, ids=form_name)
def test_every_form_has_a_text_picture(row: dict) -> None:
    alone = Position(
        rules=Rules(),
        tiles=(PlacedTile(row["id"], 0, 0, 1, turned_axis(row.get("bridge"), 1)),),
        figures=(),
        scores=(0, 0),
        phase=Phase.FIGURE,
        turn_player=0,
        decider=0,
    )
    rows = board_text(alone).splitlines()[-3:]
    assert [len(row) for row in rows] == [9, 9, 9]
    middles = {"N": (1, 8), "E": (2, 5), "S": (1, 2), "W": (0, 5)}  # after one quarter turn
    letters = {"C": "#", "R": "─│═║", "V": "~", "F": ".", "A": "═║", "K": ":"}
    for side, letter in zip(SIDES, row["edges"], strict=True):
        r, c = middles[side]
        assert rows[r][c] in letters[letter]


def test_figures_and_signs_are_told_apart_in_the_text() -> None:
    brackets = [figure_form(figure).brackets for figure in Figure]
    assert sorted(map(len, brackets)) == [0] + [2] * (len(Figure) - 1)
    assert len(set(brackets)) == len(Figure)
    signs = [LETTERS_OF_BASE, *(drawing.letters for drawing in drawings())]
    kinds = [kind for letters in signs for kind in letters]
    assert set(kinds) <= set(known_drawings()) and len(set(kinds)) == len(kinds)
    assert len({letter for letters in signs for letter in letters.values()}) == len(kinds)


def test_the_text_tells_abbeys_mayors_wagons_and_barns(mayors_day: Position) -> None:
    header, _, picture = board_text(mayors_day).partition("\n\n")
    assert header.splitlines() == [
        "  A    3  (7 meeples + abbot + wagon + barn + abbey)",
        "> B   10  (7 meeples + abbot + mayor + wagon + abbey)",
        "  C    0  (6 meeples + abbot + mayor + barn)",
        "B moves the wagon from 0,0 E, 9 tiles left",
    ]
    assert picture.splitlines() == [
        "      0      1      2",
        "   .......",
        "-1 .......",
        "   .#<A>#.",
        "   .#####..c.....╔═════╗",
        " 0 ──[b]─────────║ M[C]║",
        "   ..............╚═════╝",
        "   ..../B\\.......",
        " 1 ...M......[a].",
        "   ..............",
    ]


@pytest.mark.parametrize(
    ("change", "task"),
    [
        ({"phase": Phase.DRAW_OR_ABBEY}, "B places the abbey or draws"),
        ({"phase": Phase.FIGURE, "last_round": 0}, "B may place a figure, last round, 0 to come"),
        (
            {"phase": Phase.DRAW_OR_ABBEY, "last_round": 2},
            "B places the abbey or passes, last round, 2 to come",
        ),
        (
            {"phase": Phase.WAGON_SPOT, "wagon_target": (1, 1)},
            "B moves the wagon from 0,0 E to 1,1",
        ),
        ({"phase": Phase.GAME_OVER, "last_round": 0}, "game over, 3:10:0: B wins by 7"),
    ],
)
def test_the_text_says_what_is_to_be_decided(
    mayors_day: Position, change: dict[str, object], task: str
) -> None:
    header = board_text(replace(mayors_day, bag=None, **change)).partition("\n\n")[0]
    assert header.splitlines()[-1] == task


def test_the_text_tells_large_meeples_inns_and_cathedrals(travellers_day: Position) -> None:
    header, _, picture = board_text(travellers_day).partition("\n\n")
    assert header.splitlines() == [
        "  A    0  (7 meeples + abbot)",
        "  B    4  (6 meeples + abbot)",
        "  C   12  (7 meeples + abbot)",
        "> D    7  (7 meeples + large + abbot)",
        "D places ic-junction-inn, 30 tiles left",
    ]
    assert picture.splitlines() == [
        "      0      1",
        "   {A}####",
        "-1 ###K###",
        "   #######",
        "   .#####....{b}.",
        " 0 ─────────i────",
        "   ........b.....",
        "          .......",
        " 1        ...{C}.",
        "          .......",
    ]


def test_the_text_tells_the_river_builders_pigs_and_goods(merchants_day: Position) -> None:
    header, _, picture = board_text(merchants_day).partition("\n\n")
    assert header.splitlines() == [
        "> A    3  (6 meeples + abbot + pig; 2 wine, 1 cloth)",
        "  B   10  (6 meeples + abbot + pig; 3 grain)",
        "  C    0  (6 meeples + abbot + builder)",
        "A places tb-corner-grain, 40 tiles left",
    ]
    assert picture.splitlines() == [
        "    -3     -2     -1      0",
        "         .....c....A..........",
        "0        ...~~~~~~~│~~~~~~~...",
        "         ..........│..........",
        "  ......##.@C@.w...│...",
        "1 .....#B####!B!..!A!..",
        "  ......##.....#...│...",
    ]


@pytest.mark.parametrize(
    ("change", "task"),
    [
        ({"first_part": (-1, 0)}, ["A places tb-corner-grain in the second part of the turn"]),
        (
            {"phase": Phase.FIGURE, "has_extended": True},
            ["A may place a figure, a second part follows"],
        ),
        (
            {"first_part": (-1, 0), "bazaar": Bazaar(0, 0, OFFER, waits=True)},
            [
                "A places tb-corner-grain in the second part of the turn",
                "bazaar of A: 3 tiles face down",
            ],
        ),
        (
            {"bazaar": Bazaar(0, 1, OFFER[1:], owed=(-1, 0))},
            [
                "A places tb-corner-grain",
                "bazaar of A in the turn of B: 1 bg-curve, 2 bcb-bazaar",
                "then the second part of the turn of B",
            ],
        ),
    ],
)
def test_the_text_tells_the_parts_of_a_turn(
    merchants_day: Position, change: dict[str, object], task: list[str]
) -> None:
    header = board_text(replace(merchants_day, bag=None, **change)).partition("\n\n")[0]
    assert header.splitlines()[3:] == task


def test_the_text_tells_bridges_and_castles(market_day: Position) -> None:
    header, _, picture = board_text(market_day).partition("\n\n")
    assert header.splitlines() == [
        "  A    3  (6 meeples + abbot + mayor + wagon + barn + abbey + 2 bridges + 2 castles)",
        "  B   -4  (6 meeples + abbot + mayor + wagon + barn + abbey + 1 bridge + 2 castles)",
        "> C   10  (7 meeples + abbot + wagon + barn + abbey + 3 bridges + 3 castles)",
        "C makes the town at 3,1 W a castle or scores it, 20 tiles left",
    ]
    assert picture.splitlines() == [
        "      0      1      2      3",
        "   .......",
        "-1 .......",
        "   .^^A^^.",
        "   .^^^^^...........║...",
        " 0 ───────════B══───╫───",
        "   ...........M.....║...",
        "   ......^^............##......",
        " 1 .....^^^^.........<C>##.%───",
        "   ......^^............##......",
    ]


@pytest.mark.parametrize(
    ("change", "task"),
    [
        ({"phase": Phase.BRIDGE}, ["C may build a bridge"]),
        ({"phase": Phase.FIGURE}, ["C may place a figure or build a bridge"]),
        ({"phase": Phase.FIGURE, "has_bridged": True}, ["C may place a figure"]),
        (
            {"phase": Phase.CASTLE_CHOICE, "town": (0, 0, Spot.N)},
            ["C chooses a feature for the castle at 0,0 N"],
        ),
        (
            {"phase": Phase.BAZAAR_PICK, "bazaar": Bazaar(1, 1, OFFER, chooser=2)},
            [
                "C chooses a tile of the bazaar",
                "bazaar of B: 1 bg-cap for C, 2 bg-curve, 3 bcb-bazaar",
            ],
        ),
        (
            {
                "phase": Phase.BAZAAR_PICK,
                "bazaar": Bazaar(1, 0, OFFER[1:], takes=True),
                "delayed": (0, 2),
            },
            [
                "C takes a tile of the bazaar",
                "bazaar of B in the turn of A: 1 bg-curve, 2 bcb-bazaar",
                "bazaars to come: A, C",
            ],
        ),
        (
            {"phase": Phase.BAZAAR_BID, "bazaar": Bazaar(1, 1, OFFER[1:], chooser=2, lot=0)},
            [
                "C opens the bidding for bg-curve",
                "bazaar of B: 1 bg-curve, 2 bcb-bazaar",
                "C has chosen 1, no bid yet",
            ],
        ),
        (
            {
                "phase": Phase.BAZAAR_BID,
                "bazaar": Bazaar(1, 1, OFFER[1:], chooser=0, lot=1, price=4, bidder=0),
            },
            [
                "C bids more than 4 for bcb-bazaar or passes",
                "bazaar of B: 1 bg-curve, 2 bcb-bazaar",
                "A has chosen 2, highest bid 4 by A",
            ],
        ),
        (
            {
                "phase": Phase.BAZAAR_DEAL,
                "bazaar": Bazaar(1, 1, OFFER[1:], chooser=2, lot=1, price=4, bidder=0),
            },
            [
                "C buys bcb-bazaar for 4 or sells it to A",
                "bazaar of B: 1 bg-curve, 2 bcb-bazaar",
                "C has chosen 2, highest bid 4 by A",
            ],
        ),
        (
            {"phase": Phase.PLACE_TILE, "tile_in_hand": "bg-cap", "bazaar": Bazaar(1, 1)},
            ["C places bg-cap", "bazaar of B: all tiles taken"],
        ),
    ],
)
def test_the_text_says_what_is_to_be_decided_with_bridges_castles_and_bazaars(
    market_day: Position, change: dict[str, object], task: list[str]
) -> None:
    position = replace(market_day, **{"bag": None, "town": None, **change})
    header = board_text(position).partition("\n\n")[0]
    assert header.splitlines()[3:] == task


def test_crowded_tiles_keep_all_figures_in_the_text(position: Position) -> None:
    crowd = tuple(PlacedFigure(seat, Figure.MEEPLE, 0, 0, Spot.E) for seat in range(3))
    picture = board_text(replace(position, figures=crowd)).partition("\n\n")[2]
    assert all(picture.count(letter) == 1 for letter in "ABC")


# ------------------------------------------------------------------------------------- window


@pytest.fixture
def window(pixels: None, monkeypatch: pytest.MonkeyPatch) -> Window:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    return Window()


def test_a_window_shows_pictures_until_it_is_closed(window: Window) -> None:
    assert not window.is_open
    window.show(np.zeros((48, 64, 3), np.uint8))
    assert window.is_open
    window.show(np.full((20, 30, 3), 255, np.uint8))
    window.close()
    window.close()
    assert not window.is_open


def test_closing_the_window_by_hand_stops_no_game(window: Window) -> None:
    import pygame

    picture = np.zeros((48, 64, 3), np.uint8)
    with window:
        window.show(picture)
        pygame.event.post(pygame.event.Event(pygame.QUIT))
        window.show(picture)
        assert not window.is_open
        window.show(picture)
        assert not window.is_open


@pytest.mark.parametrize(
    "picture", [np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3)), np.zeros((4, 4, 4), np.uint8)]
)
def test_a_window_takes_pictures_only(window: Window, picture: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"shape \(height, width, 3\) and dtype uint8"):
        window.show(picture)


def test_dragon_fairy_towers_and_prisoners_are_drawn() -> None:
    text = """[carc_env position 1]
[rules {sets: [base, princess, tower], dragon: true, fairy: true, towers: true}]
[scores 12:30]
[dragon 1,1]
[fairy 0,1 top]
[floors 0:8]
[towers 0,1 10 A meeple, 0,2 2]
[prisoners B holds A meeple, B holds A abbot]
[turn B places to-cap]
bg-cap-straight 0,0 r0
to-field-garden 0,1 r0: B meeple Nw
pd-volcano 1,1 r0
to-monastery 0,2 r0
"""
    found = parse_position(text)
    svg = board_svg(found)
    towers = elements(svg, "tower")
    assert [tower.get("data-height") for tower in towers] == ["10", "2"]
    held = [(e.get("data-seat"), e.get("data-figure")) for e in elements(svg, "prisoner")]
    assert held == [("0", "MEEPLE"), ("0", "ABBOT")]
    assert len(elements(svg, "dragon")) == len(elements(svg, "fairy")) == 1
    assert svg != board_svg(replace(found, fairy_on_top=False))
    assert "fairy at 0,1 on the tower" in board_text(found)
