"""LAB: a maze in which four arms of one road meet; each arm can be occupied separately."""

from __future__ import annotations

import pytest

from carc_env.engine.core.codes import Figure, Kind
from carc_env.engine.core.tiles import FACTS
from carc_env.game.game import Game
from carc_env.layout.observations import plane_names
from carc_env.rules import Rules

from .looks import asked, bag_of, figures, in_supply, names, offered, score_log, targets
from .positions import Table, reread, then
from .scenario import TILES

pytestmark = pytest.mark.interpreted

SETS = "base, labyrinth"
TABLE = Table("labyrinth: true", sets=SETS)
BASIC = Table(sets=SETS)
played, at_the_end = TABLE.played, TABLE.at_the_end

START = ["bg-cap-straight 0,0 r0", "bg-monastery 0,1 r0"]
MAZE = "la-maze -1,2 r0"
EAST = "bg-monastery-road 0,2 r0"
NORTH = "bg-junction -1,1 r1"
SOUTH = "bg-junction -1,3 r2"
WEST = "bg-monastery-road -2,2 r2"
LONG_WEST = "bg-straight -2,2 r0"
END = "bg-junction -3,2 r0"
"""The tile beyond the long arm in the west."""


def land(east="", maze="", *more):
    """Return the start tile, the eastern arm and the maze with figures, then other tiles."""
    return [*START, f"{EAST}: {east}", f"{MAZE}: {maze}", *more]


def roads(game, figure="meeple"):
    """Return the roads of the tile just placed on which a figure may stand."""
    return offered(game, figure) & set("NESW")


@pytest.mark.parametrize("edition", ["C1", "C2"])
@pytest.mark.parametrize("n", [1, 2])
def test_lab_01_one_tile_or_two(edition, n):
    rules = Rules.preset(
        "labyrinth", labyrinth_tiles=n, edition=edition, abbot=edition == "C2", auto_single=False
    )
    drawn = bag_of(Game(rules, seed=1))
    assert len(drawn) == 71 + n
    assert [tile for tile in drawn if tile in TILES["labyrinth"]] == ["la-maze"] * n
    (row,) = (row for row in FACTS if row["set"] == "labyrinth")
    assert (row["edges"], [road["at"] for road in row["roads"]]) == ("RRRR", ["NESW"])
    assert len(row["fields"]) == 4
    assert Rules.preset("labyrinth").labyrinth_tiles == 1


@pytest.mark.rule("SET-06")
def test_lab_01_a_switch_without_its_tile_says_so():
    with pytest.warns(UserWarning, match="labyrinth=True has no effect"):
        Rules(labyrinth=True)
    with pytest.raises(ValueError, match="labyrinth_tiles"):
        Rules.preset("labyrinth", labyrinth_tiles=3)


@pytest.mark.rule("LAB-08")
@pytest.mark.parametrize("table", [TABLE, BASIC])
def test_lab_02_the_maze_is_no_crossing(table):
    """Three arms are closed and one is open, so the road does not score."""
    game = table.played(land("A meeple W", "", NORTH), WEST, "pass")
    assert (asked(game), score_log(game)) == ("B PLACE_TILE", [])
    assert game.standings[0] == 4


def test_lab_02_its_four_fields_are_apart():
    game = played([*START, EAST], MAZE)
    assert offered(game, "meeple") == {"N", "Nw", "Ne", "Es", "Sw"}
    then(game, "meeple Es")
    game = played([*START, f"{EAST}: B meeple Nw"], MAZE)
    assert offered(game, "meeple") == {"N", "Nw", "Sw"}


@pytest.mark.rule("SET-06")
def test_lab_03_the_basic_rules():
    game = BASIC.played(land("A meeple W", "", NORTH, WEST), SOUTH)
    assert roads(game) == {"E", "W"}
    then(game, "pass")
    assert score_log(game) == [("A", 5, Kind.ROAD)]
    assert "labyrinth" not in plane_names(game.rules)


@pytest.mark.parametrize(("table", "places"), [(TABLE, {"N"}), (BASIC, set())])
def test_lab_04_a_meeple_on_the_maze_though_arms_are_occupied(table, places):
    game = table.played([*START, f"{EAST}: B meeple W"], MAZE)
    assert roads(game) == places
    if places:
        then(game, "meeple N")
        assert figures(game) == {"B meeple 0,2 W", "A meeple -1,2 N"}


@pytest.mark.parametrize(
    ("west", "tile", "places"),
    [
        ("", "bg-straight -3,2 r0", {"E"}),
        ("B meeple E", "bg-straight -3,2 r0", set()),
        ("B meeple Nw", "bg-straight -3,2 r0", {"E"}),
        ("B meeple E", "bg-straight -1,1 r1", {"N"}),
    ],
)
@pytest.mark.parametrize("maze", ["", "A meeple N"])
def test_lab_05_an_arm_is_free_if_nobody_stands_on_it(west, tile, places, maze):
    """B is always on the eastern arm."""
    game = played(land("B meeple W", maze, f"{LONG_WEST}: {west}"), tile)
    assert roads(game) == roads(reread(game)) == places
    basic = BASIC.played(land("B meeple W", maze, f"{LONG_WEST}: {west}"), tile)
    assert roads(basic) == set()


def test_lab_05_arms_that_meet_elsewhere_are_one():
    """A curve joins the free western arm to the northern arm, so B now occupies both."""
    tiles = land("", "", "bg-curve -1,1 r0: B meeple S", LONG_WEST)
    assert roads(played(tiles, "bg-straight -3,2 r0")) == {"E"}
    tiles = land("", "", "bg-curve -1,1 r0: B meeple S", "bg-curve -2,2 r2")
    game = played(tiles, "bg-curve -2,1 r3")
    assert roads(game) == set()


@pytest.mark.rule("LAB-09", "TRA-05")
def test_lab_05_a_builder_occupies_no_arm():
    rules = "builders: true"
    tiles = land("A meeple W", "", f"{LONG_WEST}: A builder E")
    game = played(tiles, "bg-straight -3,2 r0", rules=rules, seat="B")
    assert (asked(game), roads(game)) == ("B FIGURE", {"E"})


def test_lab_05_between_two_mazes():
    tiles = land("B meeple W", "", LONG_WEST, "la-maze -3,2 r0: B meeple N")
    game = played(tiles, "bg-straight -3,1 r1", rules="labyrinth_tiles: 2")
    assert roads(game) == {"N"}


PORTAL = "pd-junction-portal 1,0 r0"


@pytest.mark.rule("LAB-11")
@pytest.mark.parametrize(
    ("maze", "places"), [("", {"meeple N"}), ("B meeple N", set()), ("A meeple N", set())]
)
def test_lab_06_a_portal_leads_into_the_maze_if_nobody_is_there(maze, places):
    tiles = land("B meeple W", maze, f"{NORTH}: A meeple S")
    game = played(tiles, PORTAL, sets="base, princess, labyrinth", rules="portals: true")
    then(game, "to -1,2")
    assert names(game) & {"meeple N", "meeple E", "meeple S", "meeple W"} == places


@pytest.mark.parametrize(("west", "is_free"), [("", True), ("B meeple E", False)])
def test_lab_11_a_portal_leads_to_a_free_arm(west, is_free):
    tiles = land("B meeple W", "B meeple N", f"{LONG_WEST}: {west}")
    game = played(tiles, PORTAL, sets="base, princess, labyrinth", rules="portals: true")
    then(game, "to -2,2")
    assert ("meeple E" in names(game)) == is_free


@pytest.mark.rule("LAB-06")
@pytest.mark.parametrize(
    ("maze", "west", "places"),
    [
        ("", "", {"-1,2 N", "-2,2 E"}),
        ("B meeple N", "", {"-2,2 E"}),
        ("", "B meeple E", {"-1,2 N"}),
        ("B meeple N", "B meeple E", set()),
    ],
)
def test_lab_11_a_wagon_rolls_on_to_what_is_free(maze, west, places):
    tiles = land("B meeple W", maze, f"{LONG_WEST}: {west}", "bg-monastery -2,1 r0")
    tiles += ["bg-cap -3,1 r0: A wagon N"]
    game = played(tiles, "bg-cap -3,0 r2", "pass", rules="wagons: true")
    rolls = {target for target in targets(game) if target.split()[0] in ("-1,2", "-2,2")}
    assert rolls == {place for place in places if place.startswith("-2,2")}


@pytest.mark.rule("LAB-11")
def test_lab_06_a_wagon_beside_the_maze_rolls_into_it():
    tiles = land("B meeple W", "", f"{LONG_WEST}: B meeple E", "bg-cap -2,1 r0: A wagon N")
    game = played(tiles, "bg-cap -2,0 r2", "pass", rules="wagons: true")
    assert targets(game) == {"-1,2 N"}


@pytest.mark.rule("LAB-06", "FLY-20")
@pytest.mark.parametrize("maze", ["", "B meeple N"])
def test_lab_11_who_flies_lands_in_the_maze_and_on_arms(maze):
    tiles = land("B meeple W", maze, "bg-straight -2,2 r0", "bg-straight -3,2 r0")
    options = {"sets": "base, flier, labyrinth", "rules": "flier: true"}
    machine = "fl-straight-e -4,2 r0"
    game = played(tiles, machine, "fly meeple rolls 3", **options)
    assert (asked(game), names(game)) == ("A LANDING", {"meeple N"})
    then(game, "meeple N")
    assert "A meeple -1,2 N" in figures(game)
    game = played(tiles, machine, "fly meeple rolls 1", **options)
    assert names(game) == {"meeple E"}


@pytest.mark.parametrize(
    ("east", "maze", "west", "scores"),
    [
        ("A meeple W", "A meeple N", "B meeple E", [("A", 12)]),
        ("A meeple W", "", "B meeple E", [("A", 10), ("B", 10)]),
        ("A meeple W", "", "", [("A", 8)]),
        ("", "B meeple N", "", [("B", 8)]),
        ("A meeple W", "B meeple N, B meeple N", "", [("B", 12)]),
        ("", "", "", []),
    ],
)
def test_lab_07_two_points_for_each_meeple_on_the_whole_road(east, maze, west, scores):
    tiles = land(east, maze, NORTH, SOUTH, f"{LONG_WEST}: {west}")
    game = played(tiles, END, "pass")
    assert sorted(score_log(game)) == [(seat, points, Kind.ROAD) for seat, points in scores]
    assert in_supply(game, "A", Figure.MEEPLE) == in_supply(game, "B", Figure.MEEPLE) == 7
    basic = BASIC.played(tiles, END, "pass")
    assert {points for _, points, _ in score_log(basic)} <= {6}


def test_lab_07_who_comes_with_the_last_tile_counts_as_well():
    game = played(land("A meeple W", "", NORTH, SOUTH, LONG_WEST), END)
    assert game.standings == (8, 0)
    assert "E" in roads(game)
    then(game, "meeple E")
    assert sorted(score_log(game)) == [("A", 10, Kind.ROAD)]


def test_lab_07_two_mazes_bring_the_points_for_a_meeple_once():
    tiles = land("A meeple W", "", NORTH, SOUTH, LONG_WEST, "la-maze -3,2 r0: A meeple N")
    tiles += ["bg-junction -3,1 r0", "bg-monastery-road -4,2 r2"]
    game = played(tiles, "bg-junction -3,3 r2", "pass", rules="labyrinth_tiles: 2")
    assert score_log(game) == [("A", 13, Kind.ROAD)]


@pytest.mark.rule("CAS-16", "CAS-22")
def test_lab_07_a_castle_takes_the_points_for_meeples_too():
    """The meeples have already gone home when the castle scores."""
    tiles = ["bg-cap-straight 0,0 r0: B meeple E", "bg-cap 0,-1 r2: A meeple S"]
    tiles += ["la-maze 1,0 r0", "bg-junction 2,0 r0: B meeple W", "bg-monastery-road 1,-1 r3"]
    tiles += ["bg-junction -1,0 r0"]
    castle = {"rules": "castles: true", "headers": ["[castles 0,0 N]", "[tokens 2:3]"]}
    game = played(tiles, "bg-monastery-road 1,1 r1", "pass", **castle)
    assert sorted(score_log(game)) == [("A", 10, Kind.CASTLE), ("B", 10, Kind.ROAD)]
    assert "thieves" not in str(game)


@pytest.mark.rule("CAS-22")
def test_lab_07_a_lord_may_choose_between_that_and_another():
    tiles = ["bg-cap-straight 0,0 r0: B meeple E", "bg-cap 0,-1 r2: A meeple S"]
    tiles += ["bg-junction -1,0 r0", "la-maze 1,0 r0", "bg-junction 2,0 r0: B meeple W"]
    tiles += ["bg-monastery-road 1,1 r1", "bg-monastery-road 2,-1 r0", "bg-monastery 0,-2 r0"]
    tiles += ["bg-cap 1,-2 r2"]
    castle = {
        "rules": "castles: true, castle_choice: ask",
        "headers": ["[castles 0,0 N]", "[tokens 2:3]"],
    }
    game = played(tiles, "bg-cap-curve-right 1,-1 r0", "pass", **castle)
    assert asked(game) == "A CASTLE_CHOICE"
    assert "[thieves 1,0 2]" in str(game)
    assert score_log(game) == [("B", 11, Kind.ROAD)]
    again = reread(game)
    assert names(again) == names(game)
    for one in (game, again):
        then(one, "take 1,-1 E")
        assert ("A", 11, Kind.CASTLE) in score_log(one)
        assert "thieves" not in str(one)


@pytest.mark.parametrize("header", ["[thieves -1,2 2]", "[thieves 0,0 2]", "[thieves -1,2 x]"])
def test_lab_07_thieves_that_cannot_be(header):
    with pytest.raises(ValueError, match="thieves"):
        played(land(), turn="A places bg-cap", headers=header)


def test_lab_08_open_at_the_end_it_brings_a_point_for_each_tile():
    game = played(land("A meeple W", "A meeple N", NORTH), WEST, "pass")
    assert game.standings == (4, 0)
    assert at_the_end(land("A meeple W", "A meeple N", NORTH, WEST)) == (4, 0)


def test_lab_09_special_figures_are_no_meeples():
    tiles = land("A meeple W", "A builder N", NORTH, WEST)
    game = played(tiles, SOUTH, "pass", rules="builders: true")
    assert score_log(game) == [("A", 7, Kind.ROAD)]


@pytest.mark.rule("INN-01")
def test_lab_09_a_large_meeple_is_one():
    tiles = land("A large W", "B meeple N", NORTH, WEST)
    game = played(tiles, SOUTH, "pass", rules="large_meeples: true")
    assert score_log(game) == [("A", 9, Kind.ROAD)]


INN_WEST = "ic-straight-inn-garden -2,2 r0"
INN = {"sets": "base, inns, labyrinth", "rules": "inns: true"}


@pytest.mark.rule("X2-01")
def test_lab_10_an_inn_doubles_the_tiles_alone():
    tiles = land("A meeple W", "A meeple N", NORTH, SOUTH, INN_WEST)
    game = played(tiles, END, "pass", **INN)
    assert score_log(game) == [("A", 16, Kind.ROAD)]
    game = played(tiles[:-2] + tiles[-1:], END, "pass", **INN)
    assert (score_log(game), game.standings) == ([], (0, 0))


@pytest.mark.rule("TRA-05", "TRA-07")
@pytest.mark.parametrize("tile", ["bg-straight -1,1 r1", "bg-straight -3,2 r0"])
def test_lab_12_any_arm_extends_the_road_of_a_builder(tile):
    tiles = land("A meeple W", "", f"{LONG_WEST}: A builder E")
    game = played(tiles, tile, "pass", rules="builders: true")
    assert asked(game) == "A PLACE_TILE"


@pytest.mark.rule("TRA-05")
@pytest.mark.parametrize(("east", "places"), [("A meeple W", {"N"}), ("B meeple W", set())])
def test_lab_12_it_needs_a_meeple_of_its_owner_anywhere_on_it(east, places):
    game = played(land(east), "bg-straight -1,1 r1", rules="builders: true")
    assert roads(game, "builder") == places


@pytest.mark.rule("KR-07")
@pytest.mark.parametrize(("end", "robber"), [((), 1), (("bg-straight 2,0 r0",), 0)])
def test_lab_13_its_length_for_the_robber_is_all_tiles(end, robber):
    """The labyrinth's road has five tiles; the start tile's road has four or five."""
    ends = ["bg-crossroads -1,0 r0", "bg-straight 1,0 r0", f"bg-junction {2 + len(end)},0 r0"]
    tiles = [*land("A meeple W", "", NORTH, WEST), *ends, *end]
    game = played(
        tiles,
        SOUTH,
        "pass",
        seat="B",
        headers="[robber A]",
        rules="king_robber: true",
        sets="base, king, labyrinth",
    )
    assert game.position().robber == robber


def test_lab_14_a_second_figure_counts():
    tiles = land("A meeple W", "", NORTH, SOUTH)
    game = played(tiles, WEST, "meeple mid; phantom E", rules="phantom: true")
    assert score_log(game) == [("A", 9, Kind.ROAD)]


@pytest.mark.rule("FLY-20")
def test_lab_14_so_does_who_has_flown_there():
    tiles = land("A meeple W", "", NORTH, LONG_WEST)
    moves = "fly meeple rolls 2; meeple N; bg-junction -1,3 r2; pass"
    moves += "; bg-monastery-road -4,2 r2; pass"
    options = {"sets": "base, flier, labyrinth", "rules": "flier: true"}
    bag = ("bg-junction", "bg-monastery-road", "bg-cap")
    game = played(tiles, "fl-straight-e -3,2 r0", moves, bag=bag, **options)
    assert score_log(game) == [("A", 11, Kind.ROAD)]


@pytest.mark.rule("CRN-03")
def test_lab_14_a_meeple_added_at_a_corn_circle_counts():
    tiles = land("A meeple W", "", NORTH, SOUTH, f"{LONG_WEST}: ")
    moves = "pass; all sow; to 0,2; large W"
    options = {"sets": "base, corn, labyrinth", "bag": ("bg-junction", "bg-cap")}
    rules = "crop_circles: true, crop_circle_tiles: both, large_meeples: true"
    game = played(tiles, "cc-road-curve 1,0 r0", moves, rules=rules, **options)
    assert figures(game) == {"A meeple 0,2 W", "A large 0,2 W"}
    then(game, f"{END}; pass")
    assert score_log(game) == [("A", 6 + 2 * 2, Kind.ROAD)]


ORDER = {"sets": "base, inns, mage, labyrinth"}


@pytest.mark.rule("X2-01")
@pytest.mark.parametrize(("switch", "points"), [("false", 9), ("true", 6)])
def test_mw_12_the_witch_leaves_the_points_for_meeples_whole(switch, points):
    rules = f"mage_witch: true, witch_halves_labyrinth: {switch}"
    tiles = land("A meeple W", "A meeple N", NORTH, SOUTH, f"{LONG_WEST}: B meeple E")
    game = played(tiles, END, "pass", headers="[witch 0,2 W]", rules=rules, **ORDER)
    assert score_log(game) == [("A", points, Kind.ROAD)]
    assert not Rules.preset("labyrinth").witch_halves_labyrinth
    headers = ["[witch 0,2 W]", "[built -1,2 shed, -2,2 house]", "[unbuilt A 2 3 3, B 3 2 3]"]
    rules += ", little_buildings: true"
    game = played(tiles, END, "pass", headers=headers, rules=rules, **ORDER)
    assert score_log(game) == [("A", points + 2, Kind.ROAD)], "these stay whole (MW-11, LB-06)"


@pytest.mark.rule("MW-12")
@pytest.mark.parametrize(
    ("headers", "switch", "points"),
    [
        ("", "false", 16),
        ("[mage 0,2 W]", "false", 22),
        ("[witch 0,2 W]", "false", 10),
        ("[mage 0,2 W]", "true", 22),
        ("[witch 0,2 W]", "true", 8),
    ],
)
def test_x2_01_the_points_for_meeples_come_last(headers, switch, points):
    rules = f"inns: true, mage_witch: true, witch_halves_labyrinth: {switch}"
    tiles = land("A meeple W", "A meeple N", NORTH, SOUTH, INN_WEST)
    game = played(tiles, END, "pass", headers=headers, rules=rules, **ORDER)
    assert score_log(game) == [("A", points, Kind.ROAD)]


@pytest.mark.parametrize(("pair", "places"), [("EW", set()), ("ES", {"E"}), ("SW", {"E"})])
def test_x2_06_what_a_ferry_joins_belongs_to_the_arm(pair, places):
    """B is on the western arm, which ends at a lake; another road begins beyond the lake."""
    tiles = land("", "A meeple N", "bg-straight -2,2 r0: B meeple E", "fr-lake-three -3,2 r0")
    options = {"sets": "base, ferries, labyrinth", "rules": "ferries: true"}
    game = played(tiles, "bg-straight -4,2 r0", headers=f"[ferries -3,2 {pair}]", **options)
    assert roads(game) == roads(reread(game)) == places


@pytest.mark.rule("FER-07")
def test_x2_06_an_arm_with_two_thieves():
    tiles = land("", "", "bg-straight -2,2 r0: B meeple E", "bg-straight -2,1 r0")
    tiles += ["bg-straight -3,1 r0", "bg-straight -4,1 r0", "bg-straight -4,2 r0: A meeple E"]
    options = {"sets": "base, ferries, labyrinth", "rules": "ferries: true"}
    joins = "pass; ferry -3,2 EW"
    game = played(tiles, "fr-lake-three -3,2 r0", joins, **options)
    assert figures(game) == {"B meeple -2,2 E", "A meeple -4,2 E"}
    moves = f"{joins}; bg-straight -5,2 r0"
    game = played(tiles, "fr-lake-three -3,2 r0", moves, bag=("bg-straight", "bg-cap"), **options)
    assert roads(game) == set()


@pytest.mark.rule("TUN-13")
@pytest.mark.parametrize(
    ("tokens", "places"), [("-2,2 W A1, -1,1 S A1", set()), ("-2,2 W A1", {"E"})]
)
def test_x2_06_what_a_tunnel_joins_belongs_to_the_arm(tokens, places):
    """B is on the northern arm; a token joins it to a road that begins beyond the western arm."""
    options = {"sets": "base, tunnel, labyrinth", "rules": "tunnels: true"}
    tiles = land("", "", "tu-two-tunnels -1,1 r0: B meeple S", "tu-cap-two-tunnels -2,2 r0")
    game = played(tiles, "bg-straight -3,2 r0", headers=f"[tunnels {tokens}]", **options)
    assert roads(game) == places


def test_lab_02_what_agents_see():
    game = played(land(), "bg-straight -1,1 r1")
    assert "labyrinth" in plane_names(game.rules)
