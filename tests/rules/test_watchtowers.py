"""WT: watchtowers, which score when a road or city on their tile is completed."""

from __future__ import annotations

import pytest

from carc_env.engine.core.codes import Kind, Phase
from carc_env.layout.observations import plane_names
from carc_env.rules import Rules

from .looks import figures, offered, score_log
from .positions import JOIN, LAND, START_LINE, Table, by_cell, carcassonne, reread
from .scenario import LORD, TILES, set_of_tiles

pytestmark = pytest.mark.interpreted

SETS = "base, watchtowers"
TABLE = Table("watchtowers: true", sets=SETS)
played, at_the_end = TABLE.played, TABLE.at_the_end

#: Completes the start tile's road in the west; with a tower in the east, it has three tiles.
CLOSE = "bg-monastery-road -1,0 r2; pass"

#: Towers east of the start tile, where its road ends, named after what they count.
FIGURES = "wt-cap-gate-figures 1,0 r1"
COATS = "wt-caps-adjacent-gate-shields 1,0 r1"
MONASTERIES = "wt-straight-split-monasteries 1,0 r0"
CITIES = "wt-cap-gate-cities 1,0 r1"
ROADS = "wt-cap-gate-left-roads 1,0 r0"

#: Two monasteries beside the tower in the east.
TWO = ("bg-monastery 1,1 r0", "bg-monastery 2,1 r0")


def watched(game):
    """Return the points that watchtowers scored in the last action, by seat."""
    return {seat: n for seat, n, kind in score_log(game) if kind == Kind.WATCHTOWER}


def brought(tower, *tiles, thief="A meeple W", **options):
    """Return what the tower in the east scores when the road that ends there is completed."""
    return watched(played([START_LINE, f"{tower}: {thief}", *tiles], CLOSE, **options))


# --- Tiles --------------------------------------------------------------------------------------


@pytest.mark.rule("TILE-01")
def test_wt_01_twelve_tiles_make_a_stack_of_83():
    rules = Rules.preset("watchtowers")
    assert sum(set_of_tiles(rules)[tile] for tile in TILES["watchtowers"]) == 12
    assert rules.tile_counts.sum() - 1 == 83


@pytest.mark.parametrize(
    ("tower", "what", "each"),
    [
        (FIGURES, "meeples", 2),
        (COATS, "coats of arms", 2),
        (MONASTERIES, "monasteries", 3),
        (CITIES, "cities", 1),
        (ROADS, "roads", 1),
    ],
)
def test_wt_01_what_a_tower_counts_and_for_how_much_is_seen(tower, what, each):
    game = played([START_LINE, tower])
    planes, board = plane_names(game.rules), game.observe(0)["board"]
    shown = {name: board[planes.index(name)] for name in planes if name.startswith("watches ")}
    assert {name for name, plane in shown.items() if plane.any()} == {f"watches {what}"}
    assert shown[f"watches {what}"].sum() == each
    assert not any(name.startswith("watches ") for name in plane_names(Rules()))


def test_wt_02_nobody_stands_on_the_tower():
    game = played([START_LINE], MONASTERIES)
    assert offered(game, "meeple") == {"E", "W", "Nw", "Es"}
    assert offered(game, "abbot") == set()


# --- When towers score, and for whom ------------------------------------------------------------


def test_wt_03_first_the_tower_then_the_road():
    game = played([START_LINE, f"{MONASTERIES}: A meeple W", *TWO], CLOSE)
    assert score_log(game) == [("A", 6, Kind.WATCHTOWER), ("A", 3, Kind.ROAD)]
    assert figures(game) == set()
    assert game.last_scores[0].place in {(-1, 0, 1), (0, 0, 1), (1, 0, 3)}


def test_wt_03_a_city_likewise():
    tiles = [START_LINE, "bg-straight 1,0 r0", "bg-monastery 1,-1 r0"]
    game = played(tiles, "wt-cap-monasteries 0,-1 r2; meeple S")
    assert score_log(game) == [("A", 3, Kind.WATCHTOWER), ("A", 4, Kind.CITY)]


@pytest.mark.parametrize(
    ("thief", "on_tower"), [("A meeple E", ""), ("A meeple E", "B meeple E"), ("", "A meeple E")]
)
def test_wt_03_only_for_who_is_on_that_road_on_the_tile_of_the_tower(thief, on_tower):
    tiles = [f"{START_LINE}: {thief}", f"{MONASTERIES}: {on_tower}", *TWO]
    assert score_log(played(tiles, CLOSE)) == [("A", 3, Kind.ROAD)] * bool(thief)


def test_wt_03_all_towers_of_a_feature():
    tiles = [
        START_LINE,
        f"{FIGURES}: A meeple W",
        *("bg-monastery 0,1 r0: B meeple mid", "bg-monastery -1,1 r0", "bg-monastery -2,1 r0"),
        "wt-straight-split-monasteries -2,0 r0: A meeple E",
    ]
    game = played(tiles, "bg-straight -1,0 r0; pass")
    assert score_log(game) == [("A", 4 + 6, Kind.WATCHTOWER), ("A", 4, Kind.ROAD)]


@pytest.mark.rule("WT-06")
def test_wt_03_all_towers_before_all_features():
    # B's thief, whose road is scored with the same tile, still counts for A's tower.
    tiles = [
        f"{START_LINE}: B meeple E",
        *("bg-monastery-road -1,0 r2", "bg-monastery 0,1 r0", "bg-monastery 1,1 r0"),
        *("bg-monastery 2,1 r0", "bg-cap 2,0 r3"),
    ]
    game = played(tiles, f"{FIGURES}; meeple E")
    assert score_log(game)[0] == ("A", 4, Kind.WATCHTOWER)
    assert set(score_log(game)[1:]) == {("B", 3, Kind.ROAD), ("A", 4, Kind.CITY)}


@pytest.mark.parametrize(
    ("thieves", "towers", "road"),
    [
        ("A meeple W, A meeple W", {"A": 12}, ["A"]),
        ("A meeple W, B meeple W", {"A": 6, "B": 6}, ["A", "B"]),
        ("A large W, B meeple W", {"A": 6, "B": 6}, ["A"]),
    ],
)
def test_wt_04_every_meeple_brings_its_owner_points_majority_or_not(thieves, towers, road):
    tiles = [START_LINE, f"{FIGURES}: {thieves}", "bg-monastery 1,1 r0: B meeple mid"]
    game = played(tiles, CLOSE, rules="large_meeples: true")
    assert watched(game) == towers
    assert score_log(game)[len(towers) :] == [(seat, 3, Kind.ROAD) for seat in road]
    assert game.scores[0] == towers["A"] + 3


# --- What towers count --------------------------------------------------------------------------


def test_wt_05_the_cell_of_the_tower_and_its_eight_neighbours():
    coats = ("bg-city4-shield 2,0 r0", "bg-span-shield 2,-1 r0", "bg-span-shield 1,1 r0")
    assert brought(COATS) == {}
    assert brought(COATS, *coats) == {"A": 6}
    assert brought(COATS, *coats, "bg-corner-shield 2,-2 r2") == {"A": 6}  # two cells away


@pytest.mark.parametrize(
    ("thieves", "points"),
    [
        ("A meeple W", 4 * 2),
        ("A meeple W, A builder W", 4 * 2),
        ("A large W", 4 * 2),
        ("A meeple W, A meeple Nw, A pig Nw", 5 * 2),
        ("A meeple W, B meeple Nw", 5 * 2),
    ],
)
def test_wt_06_meeples_of_all_players_and_no_special_figures(thieves, points):
    around = ["bg-monastery 1,1 r0: B abbot mid", "bg-straight 1,-1 r0: B meeple E"]
    around += ["bg-monastery 2,1 r0: A meeple mid"]
    far = ["bg-monastery 3,1 r0: B meeple mid"]
    options = {"rules": "builders: true, pigs: true, large_meeples: true"}
    options["sets"] = "base, traders, watchtowers"
    assert brought(FIGURES, *around, *far, thief=thieves, **options) == {"A": points}


def test_wt_06_who_closes_a_tower_stands_on_its_tile_too():
    options = {"rules": "towers: true", "sets": "base, tower, watchtowers"}
    options["headers"] = ["[floors 10:9]", "[towers 1,1 1 B meeple]"]
    assert brought(FIGURES, "to-monastery 1,1 r0", "bg-monastery 2,1 r0", **options) == {"A": 4}


@pytest.mark.rule("RUS-11")
def test_wt_06_who_is_in_a_trap_is_on_its_tile():
    options = {"rules": "russian_promos: true", "sets": "base, russian, watchtowers"}
    options["headers"] = ["[trapped B meeple tree]"]
    tree = "ru-straight-razboynik 1,1 r0"
    assert brought(FIGURES, tree, **options) == {"A": 4}


def test_wt_07_tiles_with_a_city_once_each():
    assert brought(CITIES) == {"A": 2}  # its own tile and the start tile
    assert brought(CITIES, "bg-caps-opposite 1,1 r1") == {"A": 3}
    assert brought(CITIES, "bg-caps-opposite 1,1 r1", "bg-span 2,0 r1", "bg-cap 3,0 r3") == {"A": 4}


def test_wt_07_tiles_with_a_road_once_each():
    assert brought(ROADS) == {"A": 2}
    assert brought(ROADS, "bg-straight 1,1 r0", "bg-junction 2,1 r0") == {"A": 4}


@pytest.mark.rule("XWT-01")
def test_wt_08_monasteries_and_shrines_but_no_gardens():
    options = {"rules": "shrines: true", "sets": "base, cult, watchtowers"}
    assert brought(MONASTERIES, "bg-monastery 1,1 r0", "cu-shrine 2,1 r0", **options) == {"A": 6}
    assert brought(MONASTERIES, "bg-straight-garden 1,1 r0") == {}


@pytest.mark.rule("RUS-04")
def test_wt_08_a_hut_is_no_monastery():
    options = {"rules": "russian_promos: true", "sets": "base, russian, watchtowers"}
    assert brought(MONASTERIES, "ru-yaga-hut 1,1 r0", **options) == {}
    assert brought(MONASTERIES, "bg-monastery 1,1 r0", **options) == {"A": 3}


def test_wt_08_an_abbey_is_a_monastery_complete_or_not():
    hole = ("bg-monastery 0,1 r0", "bg-monastery 0,2 r0", "bg-cap 1,2 r2")
    beside = ("bg-cap 2,2 r2", "bg-monastery 2,1 r0", "am-abbey 1,1 r0")
    options = {"rules": "abbeys: true", "sets": "base, abbey, watchtowers"}
    assert brought(MONASTERIES, *hole, *beside, headers="[abbeys 0:1]", **options) == {"A": 9}


def test_xwt_01_a_garden_beside_a_tower_is_worth_nine_and_no_more():
    tiles = [
        *(START_LINE, "bg-monastery-road -1,0 r2", "bg-curve 1,0 r0", "bg-curve 1,1 r1"),
        *("bg-straight-garden 0,1 r0: A abbot mid", "bg-straight -1,1 r0"),
        *("bg-straight -1,2 r0", "bg-straight 1,2 r0"),
    ]
    game = played(tiles, "wt-straight-split-monasteries 0,2 r0; pass")
    assert score_log(game) == [("A", 9, Kind.GARDEN)]


def test_wt_09_nobody_on_a_field_triggers_one():
    tiles = [f"{START_LINE}: A meeple E", f"{MONASTERIES}: B meeple Nw", *TWO]
    assert score_log(played(tiles, CLOSE)) == [("A", 3, Kind.ROAD)]


def test_wt_09_not_even_where_a_barn_has_the_field_scored():
    land = {**LAND, "-1,-1": "wt-cap-monasteries r0"}
    tiles = by_cell(land, {"0,0": "A barn SE", "-1,-1": "B meeple En"})
    game = played(tiles, f"{JOIN}; pass", rules="barns: true")
    assert {kind for _, _, kind in score_log(game)} == {Kind.FIELD}


def test_wt_10_nothing_at_the_end():
    road = [START_LINE, f"{MONASTERIES}: A meeple W", *TWO]
    assert at_the_end(road) == (2, 0)
    city = ("bg-straight 1,0 r0", "wt-cap-monasteries 1,-1 r0: A meeple N", "bg-monastery 2,-1 r0")
    assert at_the_end([START_LINE, *city]) == (1, 0)


# --- With other sets ----------------------------------------------------------------------------

#: A tower south-east of the start tile, beside the castle or city on 0,1 and 0,2.
BESIDE = [
    START_LINE,
    "bg-curve 1,0 r0",
    *("bg-cap 0,1 r2", "bg-cap 0,2 r0: A meeple N", "wt-cap-gate-cities 1,1 r2: B meeple N"),
]
WITH_CASTLE = {"rules": "castles: true", "sets": "base, bridges, watchtowers"}


def test_wt_11_the_tiles_of_a_castle_are_no_city_tiles():
    without = [line.partition(": A")[0] for line in BESIDE]
    assert watched(played(without, CLOSE, **WITH_CASTLE)) == {"B": 4}
    assert watched(played(BESIDE, CLOSE, headers=LORD, **WITH_CASTLE)) == {"B": 2}


@pytest.mark.rule("CAS-19")
def test_wt_13_a_castle_gets_the_points_of_the_road_alone():
    game = played(BESIDE, CLOSE, headers=LORD, **WITH_CASTLE)
    told = [("B", 2, Kind.WATCHTOWER), ("B", 4, Kind.ROAD), ("A", 4, Kind.CASTLE)]
    assert score_log(game) == told


@pytest.mark.rule("MW-11")
@pytest.mark.parametrize(("who", "road"), [("witch", 2), ("mage", 6)])
def test_wt_13_mage_and_witch_leave_them_alone(who, road):
    tiles = [START_LINE, f"{MONASTERIES}: A meeple W", *TWO]
    options = {"rules": "mage_witch: true", "sets": "base, mage, watchtowers"}
    game = played(tiles, CLOSE, headers=[f"[{who} 0,0 E]"], **options)
    assert score_log(game) == [("A", 6, Kind.WATCHTOWER), ("A", road, Kind.ROAD)]


def test_wt_13_and_so_does_the_fairy():
    tiles = [START_LINE, f"{MONASTERIES}: A meeple W", *TWO]
    options = {"rules": "fairy: true", "sets": "base, princess, watchtowers"}
    game = played(tiles, CLOSE, headers=["[fairy 1,0 W]"], seat="B", **options)
    assert score_log(game)[0] == ("A", 6, Kind.WATCHTOWER)
    assert set(score_log(game)[1:]) == {("A", 3, Kind.ROAD), ("A", 3, Kind.FAIRY)}


def test_wt_12_a_bridge_makes_its_tile_one_with_a_road():
    options = {"rules": "bridges: true", "sets": "base, bridges, watchtowers"}
    assert brought(ROADS, "bg-monastery 1,1 r0", headers="[bridges 3:3]", **options) == {"A": 2}
    bridge = "bg-monastery 1,1 r0 bridge EW"
    assert brought(ROADS, bridge, headers="[bridges 3:2]", **options) == {"A": 3}


IN_THE_CITY = {"rules": "count: true, large_meeples: true", "sets": "base, count, watchtowers"}


def test_wt_12_of_carcassonne_counts_what_its_tiles_show():
    game = played(carcassonne(), "wt-cap-gate-cities -2,2 r0; meeple N", **IN_THE_CITY)
    assert watched(game) == {"A": 2}  # its own tile and co-9; the walls of co-10 are no city


def test_wt_14_who_comes_from_carcassonne_onto_that_tile_counts():
    game = played(
        carcassonne(co_9="A meeple S"),
        "wt-cap-gate-figures -2,2 r0; pass; to -2,2; meeple N",
        headers=["[count market]", "[quarters B meeple castle]"],
        **IN_THE_CITY,
    )
    assert watched(game) == {"B": 4}
    assert game.scores == (4, 8)


@pytest.mark.rule("COU-04")
@pytest.mark.parametrize(
    ("tile", "points", "may_enter"),
    [("wt-cap-gate-figures", 2, False), ("wt-cap-monasteries", 6, False), ("bg-cap", 0, True)],
)
def test_wt_15_who_gets_them_has_scored(tile, points, may_enter):
    beside = [f"bg-monastery -3,{y} r0" for y in (1, 2, 3)]
    tiles = carcassonne(*beside, f"{tile} -2,3 r0: A meeple N", co_9="B large S")
    game = played(tiles, "bg-span -2,2 r0; pass", **IN_THE_CITY)
    assert game.scores == (points, 6)
    assert (game.phase == Phase.ENTER) == may_enter


def test_x2_05_a_thief_whom_a_festival_returns_loses_the_tower():
    tiles = [START_LINE, f"{MONASTERIES}: A meeple W", *TWO]
    festival = "fe-cap-gate-left -1,0 r2"
    options = {"rules": "festival: true", "sets": "base, festival, watchtowers"}
    stays = played(tiles, f"{festival}; pass", **options)
    assert score_log(stays) == [("A", 6, Kind.WATCHTOWER), ("A", 3, Kind.ROAD)]
    gone = played(tiles, f"{festival}; to 1,0; return 1,0 W", **options)
    assert (score_log(gone), figures(gone)) == ([], set())


@pytest.mark.rule("TURN-01")
def test_wt_03_a_position_tells_all_that_they_need():
    game = reread(played([START_LINE, f"{MONASTERIES}: A meeple W", *TWO], CLOSE.split(";")[0]))
    game.apply("pass")
    assert game.scores == (9, 0)
