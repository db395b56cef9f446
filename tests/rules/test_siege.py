"""SIE: besieged cities, what they are worth, and knights who escape from them."""

from __future__ import annotations

import pytest

from carc_env.engine.core.codes import N_MEEPLES, SIDE_SPOTS, Figure, Kind
from carc_env.engine.core.tiles import FACTS
from carc_env.game.game import Game
from carc_env.layout.observations import plane_names
from carc_env.rules import Rules

from .looks import asked, bag_of, figures, in_supply, meeples, names, score_log
from .positions import JOIN, LAND, RING, START_LINE, Table, by_cell, carcassonne, reread, then
from .scenario import TILES

pytestmark = pytest.mark.interpreted

SETS = "base, inns, traders, abbey, bridges, king, cult, tower, siege"
TABLE = Table("siege: true, siege_tiles: both", sets=SETS)
played, at_the_end = TABLE.played, TABLE.at_the_end


# --- The tiles and the value of a city ----------------------------------------------------------


CATHARS = {"si-cap", "si-cap-straight", "si-corner", "si-corner-curve"}


@pytest.mark.rule("TILE-01")
@pytest.mark.parametrize(
    ("chosen", "n", "absent"),
    [
        ("besiegers", 77, CATHARS),
        ("cathars", 75, set(TILES["siege"]) - CATHARS),
        ("both", 81, set()),
    ],
)
def test_sie_01_six_tiles_of_one_box_four_of_another_or_all(chosen, n, absent):
    drawn = bag_of(Game(Rules.preset("siege", siege_tiles=chosen), seed=1))
    assert len(drawn) == n
    assert {tile for tile in drawn if tile in TILES["siege"]} == set(TILES["siege"]) - absent


def test_sie_01_each_has_one_city_which_is_besieged():
    rows = [row for row in FACTS if row["set"] == "siege"]
    assert len(rows) == len(TILES["siege"]) == 10
    assert [city["besieged"] for row in rows for city in row["cities"]] == [True] * 10
    assert {row["id"] for row in rows if "box" in row} == set(TILES["siege"])


#: All but the last tile of a six-tile city with one coat of arms.
WINDING = {
    "0,0": "bg-cap-straight r0",
    "0,-1": "bg-span-shield r0",
    "0,-2": "bg-span r0",
    "0,-3": "bg-corner r1",
    "1,-3": "bg-corner r2",
}
#: All but the last tile of such a city around a cathedral.
CROSS = {
    "0,0": "bg-cap-straight r0",
    "0,-1": "bg-span-shield r0",
    "0,-2": "ic-cathedral r0",
    "-1,-2": "bg-cap r1",
    "0,-3": "bg-cap r2",
}


def worth(tiles, last, rules=""):
    """Return what a city with a knight at (0, -1) scores when the last tile completes it."""
    lines = by_cell(tiles, {"0,-1": "A meeple N"})
    return score_log(played(lines, last, "pass", rules=rules))


@pytest.mark.rule("BASE-12")
@pytest.mark.parametrize(
    ("last", "points"), [("si-cap 1,-2 r0", 7), ("bg-cap 1,-2 r0", 14), ("si-cap-gate 1,-2 r0", 7)]
)
def test_sie_03_one_point_for_each_tile_and_coat_of_arms(last, points):
    assert worth(WINDING, last) == [("A", points, Kind.CITY)]


@pytest.mark.rule("INN-04")
@pytest.mark.parametrize(
    ("last", "inns", "points"),
    [("si-cap", "true", 14), ("bg-cap", "true", 21), ("si-cap", "false", 7)],
)
def test_sie_03_two_points_with_a_cathedral(last, inns, points):
    assert worth(CROSS, f"{last} 1,-2 r3", f"inns: {inns}") == [("A", points, Kind.CITY)]


def test_sie_02_more_than_one_siege_changes_nothing():
    tiles = WINDING | {"0,-3": "si-corner r1"}
    assert worth(tiles, "bg-cap 1,-2 r0") == [("A", 7, Kind.CITY)]
    assert worth(tiles, "si-cap 1,-2 r0") == [("A", 7, Kind.CITY)]


@pytest.mark.rule("SET-06")
def test_sie_02_without_the_switch_no_city_is_besieged():
    with pytest.warns(UserWarning, match="siege=True has no effect"):
        Rules(siege=True)
    lines = by_cell(WINDING, {"0,-1": "A meeple N"})
    game = Table("siege_tiles: both", sets=SETS).played(lines, "si-cap 1,-2 r0; pass")
    assert game.scores == (14, 0)


@pytest.mark.parametrize("inns", ["true", "false"])
@pytest.mark.parametrize(("corner", "points"), [("si-corner", 0), ("bg-corner", 5)])
def test_sie_04_open_at_the_end_nothing(corner, points, inns):
    tiles = {cell: tile for cell, tile in WINDING.items() if cell != "1,-3"}
    lines = by_cell(tiles | {"0,-3": f"{corner} r1"}, {"0,-1": "A meeple N"})
    assert at_the_end([*lines, "bg-monastery 0,1 r0"], rules=f"inns: {inns}") == (points, 0)


@pytest.mark.rule("BASE-13")
@pytest.mark.parametrize(("small", "points"), [(4, 2), (2, 0)])
def test_sie_05_two_tiles(small, points):
    game = played(
        f"{START_LINE}: A meeple N", "si-cap 0,-1 r2; pass", rules=f"small_city_points: {small}"
    )
    assert score_log(game) == [("A", points, Kind.CITY)]
    assert meeples(game, "A") == 7


# --- Fields -------------------------------------------------------------------------------------


@pytest.mark.rule("XSI-04")
@pytest.mark.parametrize(
    ("doubles", "pig", "points"),
    [
        ("all", "", 6),
        ("all", ", A pig Nw", 8),
        ("base_only", "", 6),
        ("base_only", ", A pig Nw", 7),
    ],
)
def test_sie_06_a_complete_city_counts_double_for_fields(doubles, pig, points):
    rules = f"pigs: true, siege_field_double: {doubles}"
    tiles = [START_LINE, f"si-cap 0,-1 r2: A meeple Nw{pig}", "bg-monastery 0,1 r0"]
    assert at_the_end(tiles, rules=rules) == (points, 0)


def test_sie_06_an_open_city_counts_nothing():
    tiles = [START_LINE, "si-corner 0,-1 r1: A meeple Nw", "bg-monastery 0,1 r0"]
    assert at_the_end(tiles) == (0, 0)


def test_sie_07_wherever_the_field_touches_it():
    tiles = [START_LINE, "bg-span 0,-1 r0: A meeple En", "si-cap 0,-2 r2", "bg-monastery 0,1 r0"]
    assert at_the_end(tiles) == (6, 0)


@pytest.mark.rule("BARN-17", "XSI-04", "BARN-24")
@pytest.mark.parametrize(
    ("doubles", "pig", "points"),
    [("all", "", 4), ("all", ", A pig En", 8), ("base_only", ", A pig En", 7)],
)
def test_sie_08_two_for_farmers_joined_to_a_barn(doubles, pig, points):
    tiles = by_cell(LAND | {"0,-1": "si-cap r2"}, {"0,0": f"A meeple En{pig}, B barn SE"})
    rules = f"barns: true, pigs: true, siege_field_double: {doubles}"
    game = played(tiles, JOIN, "pass", seat="B", rules=rules)
    assert score_log(game) == [("A", points, Kind.FIELD)]


@pytest.mark.rule("BARN-20", "XSI-04", "BARN-24")
def test_sie_08_eight_for_a_barn_at_the_end():
    tiles = by_cell(LAND | {"0,-1": "si-cap r2"}, {"0,0": "B barn SE"})
    game = played(tiles, JOIN, "pass", seat="B", rules="barns: true, pigs: true", bag=())
    assert score_log(game) == [("B", 4 + 4 + 8, Kind.FIELD)]


@pytest.mark.rule("XSI-04", "BARN-10")
@pytest.mark.parametrize(
    ("doubles", "pig", "points"),
    [
        ("all", "", 3 + 6 + 4),
        ("all", ", A pig En", 4 + 8 + 5),
        ("base_only", ", A pig En", 4 + 7 + 5),
    ],
)
@pytest.mark.parametrize("is_over", [True, False])
def test_barn_24_two_cities_one_of_them_besieged_and_a_castle(doubles, pig, points, is_over):
    tiles = LAND | {"0,-1": "si-cap r2", "2,0": "bg-monastery-road r0"}
    rules = f"barns: true, pigs: true, castles: true, siege_field_double: {doubles}"
    headers = "[castles 0,1 S]\n[tokens 2:3]"
    lines = by_cell(tiles, {"0,0": f"A meeple En{pig}"}, "-2,-1")
    if is_over:
        assert at_the_end("\n".join(lines), rules=rules, headers=headers) == (points, 0)
    else:
        game = played("\n".join(lines), "barn SE", seat="B", rules=rules, headers=headers)
        assert score_log(game) == [("A", points, Kind.FIELD)]


# --- Rules that depend on completed cities ------------------------------------------------------


@pytest.mark.rule("TRA-01", "KR-02")
def test_sie_18_king_and_goods_as_for_any_complete_city():
    rules = "goods: true, king_robber: true"
    tiles = [f"{START_LINE}: B meeple N", "tb-span-wine 0,-1 r0"]
    game = played(tiles, "si-cap 0,-2 r2; pass", rules=rules)
    assert game.scores == (0, 3)
    assert game.position().king == 0
    assert game.position().goods == ((1, 0, 0), (0, 0, 0))


@pytest.mark.rule("GOL-06")
def test_sie_18_gold_as_for_any_complete_city():
    tiles = [f"{START_LINE}: A meeple N", "gm-two-curves -1,0 r0"]
    options = {"rules": "gold: true", "sets": "base, gold, siege", "headers": "[gold 0,0 2]"}
    game = played(tiles, "si-cap 0,-1 r2; pass", **options)
    assert (game.scores, game.position().ingots) == ((2, 0), (2, 0))


@pytest.mark.rule("XSI-05", "CAS-33")
def test_sie_19_a_besieged_town_may_become_a_castle_and_is_not_besieged_any_more():
    options = {"rules": "castles: true, siege_escape: any_tile", "bag": ("bg-cap", "bg-curve")}
    tiles = [f"{START_LINE}: A meeple N", "bg-monastery -1,-1 r0", "bg-straight -1,0 r0"]
    game = played(tiles, "si-cap 0,-1 r2; meeple Nw", **options)
    assert asked(game) == "A CASTLE"
    assert then(game.clone(), "score").scores == (2, 0)
    then(game, "castle")
    assert game.scores == (0, 0)
    assert asked(game) == "B PLACE_TILE", "no lord escapes from a castle"
    assert game.standings == (4, 0), "a castle beside the field"


@pytest.mark.rule("CAS-37")
def test_sie_19_who_scores_the_town_gets_the_points_of_a_besieged_one():
    tiles = f"{START_LINE}: A meeple N, B meeple N"
    game = played(tiles, "si-cap 0,-1 r2; pass; castle; score", rules="castles: true")
    assert game.scores == (0, 2)
    assert figures(game) == {"A meeple 0,0 N"}


@pytest.mark.rule("MAY-14")
@pytest.mark.parametrize(
    ("last", "theirs", "scores"),
    [
        ("si-cap", "B meeple N", (7, 7)),
        ("bg-cap", "B meeple N", (14, 14)),
        ("si-cap", "B large N", (0, 7)),
    ],
)
def test_sie_20_the_strength_of_a_mayor_is_the_number_of_coats_of_arms(last, theirs, scores):
    rules = "mayors: true, large_meeples: true"
    lines = by_cell(WINDING, {"0,-1": f"A mayor N, {theirs}"})
    assert played(lines, f"{last} 1,-2 r0; pass", rules=rules).scores == scores


# --- Escapes ------------------------------------------------------------------------------------

PLACE = "bg-straight 1,0 r0; pass"
"""Place a tile that does not affect the city."""


def city(knights="A meeple E", building="bg-monastery -1,-1 r0"):
    """Return an open besieged two-tile city and a building beside its siege tile."""
    return [START_LINE, "bg-straight -1,0 r0", f"si-corner 0,-1 r1: {knights}", building]


@pytest.mark.rule("SIE-17")
def test_sie_09_at_the_end_of_the_turn_a_knight_goes_home_for_no_points():
    game = played(city(), PLACE)
    assert asked(game) == "A ESCAPE"
    assert names(game) == {"to 0,-1", "pass"}
    reread(game)
    then(game, "to 0,-1")
    assert (asked(game), names(game)) == ("A ESCAPE_SPOT", {"escape meeple E"})
    reread(game)
    then(game, "escape meeple E")
    assert (figures(game), meeples(game, "A"), game.scores) == (set(), 7, (0, 0))
    assert (asked(game), score_log(game)) == ("B PLACE_TILE", [])


def test_sie_09_nobody_has_to():
    game = played(city(), PLACE, "pass")
    assert (figures(game), asked(game)) == ({"A meeple 0,-1 E"}, "B PLACE_TILE")


@pytest.mark.parametrize(
    ("tiles", "why"),
    [
        (city("B meeple E"), "the knight is another player's"),
        (city("A meeple Nw"), "a farmer is no knight"),
        (city(building="bg-cap -1,-1 r0"), "there is no monastery"),
        ([line.replace("si-", "bg-") for line in city()], "nobody besieges the city"),
    ],
)
def test_sie_09_only_own_knights_and_only_with_a_way_out(tiles, why):
    assert asked(played(tiles, PLACE)) == "B PLACE_TILE", why


def test_sie_09_in_the_turn_of_others_nobody_escapes():
    game = played(city(), PLACE, seat="B")
    assert asked(game) == "A PLACE_TILE"


def tower(monastery):
    """Return a monastery and a three-tile city, open in the north-east, besieged at its far end."""
    corner = "si-corner 0,-2 r1: A meeple E"
    return [START_LINE, "bg-span 0,-1 r0", corner, monastery]


@pytest.mark.parametrize(
    ("monastery", "by_siege", "by_any"),
    [
        ("bg-monastery 0,1 r0", False, True),
        ("bg-monastery -1,-1 r0", True, True),
        ("bg-monastery -1,-2 r0", True, True),
        ("bg-cap -1,-2 r0\nbg-monastery -2,-2 r0", False, False),
    ],
)
@pytest.mark.parametrize("reach", ["siege_tile", "any_tile"])
def test_sie_10_a_neighbour_of_a_siege_tile_also_diagonally_or_of_any_tile(
    monastery, by_siege, by_any, reach
):
    tiles = "\n".join(tower(monastery))
    game = played(tiles.splitlines(), PLACE, rules=f"siege_escape: {reach}")
    escapes = by_siege if reach == "siege_tile" else by_any
    assert asked(game) == ("A ESCAPE" if escapes else "B PLACE_TILE")


def test_sie_10_a_knight_may_stand_far_from_the_way_out():
    tiles = tower("bg-monastery -1,-2 r0")
    tiles[2] = tiles[2].partition(":")[0]
    tiles[0] += ": A meeple N"
    game = played(tiles, PLACE, "to 0,0; escape meeple N")
    assert figures(game) == set()


@pytest.mark.parametrize("monk", ["", "A meeple mid", "B meeple mid"])
def test_sie_11_whoever_has_the_monastery(monk):
    game = played(city(building=f"bg-monastery -1,-1 r0: {monk}"), PLACE)
    assert asked(game) == "A ESCAPE"


@pytest.mark.parametrize("move", ["pass", "meeple mid"])
def test_sie_11_a_new_monastery_at_once(move):
    game = played(city()[:3], "bg-monastery -1,-1 r0", move)
    assert asked(game) == "A ESCAPE"


def test_sie_11_a_complete_monastery():
    tiles = [*RING, "si-corner 0,-1 r1: A meeple E"]
    game = played(tiles, "bg-monastery 0,1 r0; meeple mid", rules="siege_escape: any_tile")
    assert (game.scores, asked(game)) == ((9, 0), "A ESCAPE")


@pytest.mark.parametrize(("reach", "who"), [("siege_tile", "B PLACE"), ("any_tile", "A ESCAPE")])
def test_sie_12_a_monastery_on_a_tile_of_the_city(reach, who):
    tiles = [
        START_LINE,
        "bcb-span-monastery 0,-1 r0",
        "bg-span 0,-2 r0",
        "si-corner 0,-3 r1: A meeple E",
    ]
    assert asked(played(tiles, PLACE, rules=f"siege_escape: {reach}")).startswith(who)


#: An abbey in a hole beside the siege tile.
AROUND_ABBEY = (
    "bg-straight -2,0 r0",
    "bg-cap -2,-1 r3",
    "bg-cap -2,-2 r0; bg-cap -1,-2 r0",
    "am-abbey -1,-1 r0",
)


@pytest.mark.rule("XSI-01", "XSI-03", "ABB-15")
@pytest.mark.parametrize(
    ("buildings", "who"),
    [
        (("cu-shrine -1,-1 r0",), "A ESCAPE"),
        (AROUND_ABBEY, "A ESCAPE"),
        (AROUND_ABBEY[:-1], "B "),
        (("to-field-garden -1,-1 r0",), "B "),
    ],
)
@pytest.mark.parametrize("shrines", ["true", "false"])
def test_sie_13_abbeys_and_shrines_but_no_gardens(buildings, who, shrines):
    tiles = [*city()[:3], *buildings]
    has_abbey = AROUND_ABBEY[-1] in buildings
    headers = "[abbeys 1:0]" if has_abbey else ""
    rules = f"abbeys: true, shrines: {shrines}"
    game = played(tiles, PLACE, rules=rules, headers=headers)
    assert asked(game).startswith(who)


@pytest.mark.rule("XSI-02", "SIE-16")
@pytest.mark.parametrize("figure", ["meeple", "large", "mayor", "wagon", "phantom"])
def test_sie_13_meeples_of_all_kinds_escape(figure):
    has_phantom = str(figure == "phantom").lower()  # otherwise the phantom could be placed first
    rules = f"large_meeples: true, mayors: true, wagons: true, phantom: {has_phantom}"
    game = played(city(f"A {figure} E"), PLACE, "to 0,-1", rules=rules)
    assert names(game) == {f"escape {figure} E"}
    then(game, f"escape {figure} E")
    assert figures(game) == set()
    assert in_supply(game, "A", Figure[figure.upper()]) == (7 if figure == "meeple" else 1)


def test_sie_13_who_escapes_of_several_on_a_spot_is_a_choice():
    game = played(
        city("A meeple E, A meeple E, A large E, B meeple E"),
        PLACE,
        "to 0,-1",
        rules="large_meeples: true",
    )
    assert names(game) == {"escape meeple E", "escape large E"}
    then(game, "escape large E")
    assert in_supply(game, "A", Figure.LARGE) == 1
    assert meeples(game, "A") == 5


TWO_CITIES = (
    f"{START_LINE}: A meeple N",
    "bg-straight -1,0 r0",
    "si-corner 0,-1 r1; bg-monastery -1,-1 r0; si-cap -2,-1 r3: A meeple W",
)


def test_sie_14_one_knight_in_a_turn_of_whatever_city():
    game = played(TWO_CITIES, PLACE)
    assert names(game) == {"to 0,0", "to -2,-1", "pass"}
    then(game, "to -2,-1; escape meeple W")
    assert figures(game) == {"A meeple 0,0 N"}
    assert asked(game) == "B PLACE_TILE"


def in_two_parts(rules, *moves):
    """Play a turn in which A's builder earns a second part; two of A's knights may escape."""
    tiles = [*TWO_CITIES, "bg-straight 1,0 r0: A meeple E, A builder E"]
    bag = ("bg-curve", "bg-monastery", "bg-cap")
    options = {"rules": f"builders: true, {rules}", "bag": bag}
    return played(tiles, "bg-straight 2,0 r0; pass", *moves, **options)


@pytest.mark.rule("SIE-09")
def test_sie_15_one_in_each_part_of_a_turn():
    game = in_two_parts("escape_per: part")
    assert asked(game) == "A ESCAPE"
    reread(game)
    then(game, "to 0,0; escape meeple N")
    assert (asked(game), game.position().first_part) == ("A PLACE_TILE", (2, 0))
    then(game, "bg-curve 3,0 r1; pass")
    assert (asked(game), names(game)) == ("A ESCAPE", {"to -2,-1", "pass"})
    reread(game)
    then(game, "to -2,-1; escape meeple W")
    assert asked(game) == "B PLACE_TILE"


def test_sie_15_or_one_at_the_end_of_the_turn():
    game = in_two_parts("escape_per: turn")
    assert (asked(game), game.position().first_part) == ("A PLACE_TILE", (2, 0))
    then(game, "bg-curve 3,0 r1; pass")
    assert asked(game) == "A ESCAPE"
    then(game, "to 0,0; escape meeple N")
    assert asked(game) == "B PLACE_TILE"


@pytest.mark.rule("TRA-06")
@pytest.mark.parametrize(
    ("knights", "left"),
    [
        ("A meeple E, A builder E", set()),
        ("A meeple E, A builder E, B meeple E", {"B meeple 0,-1 E"}),
        ("A meeple E, A large E, A builder E", {"A large 0,-1 E", "A builder 0,-1 E"}),
    ],
)
def test_sie_16_no_builder_escapes_but_it_goes_home_with_the_last_meeple(knights, left):
    rules = "builders: true, large_meeples: true"
    game = played(city(knights), PLACE, "to 0,-1", rules=rules)
    assert "escape builder E" not in names(game)
    then(game, "escape meeple E")
    assert figures(game) == left


@pytest.mark.rule("COU-29")
def test_sie_17_behind_wagons_and_the_way_into_carcassonne():
    options = {"rules": "count: true, wagons: true", "sets": "base, count, siege"}
    tiles = carcassonne("bg-monastery -3,1 r0", "si-corner -4,1 r2: A meeple S", co_9="B wagon S")
    game = played(tiles, "si-cap -2,2 r0; pass", headers="[count market]", **options)
    seen = [(asked(game), game.scores)]
    for move in (
        *("home", "enter meeple castle", "count cathedral"),
        *("to -4,1", "escape meeple S"),
    ):
        reread(game)
        then(game, move)
        seen.append((asked(game), game.scores))
    assert seen == [
        ("B WAGON", (0, 2)),
        ("A ENTER", (0, 2)),
        ("A COUNT", (0, 2)),
        ("A ESCAPE", (0, 2)),
        ("A ESCAPE_SPOT", (0, 2)),
        ("B PLACE_TILE", (0, 2)),
    ]


@pytest.mark.rule("PD-09")
@pytest.mark.parametrize("timing", ["before_scoring", "after_scoring"])
def test_sie_17_behind_the_dragon(timing):
    game = played(
        [*city(), "pd-volcano 0,1 r0"],
        "pd-straight-dragon 1,0 r0; pass",
        rules=f"dragon: true, dragon_timing: {timing}",
        sets="base, princess, siege",
        headers="[dragon 0,1]",
    )
    seen = [asked(game)]
    for move in ("dragon 0,0", "dragon 1,0"):
        then(game, move)
        seen.append(asked(game))
    assert seen == ["A FLIGHT", "B FLIGHT", "A ESCAPE"]
    reread(game)


def test_sie_09_positions_in_which_nobody_can_escape_are_refused():
    for tiles, turn, headers, why in (
        (city("B meeple E"), "A escapes", "", "no knight of A can escape"),
        (city(), "A escapes from 0,0", "", "no knight of A can escape from 0,0"),
        (
            [*TWO_CITIES, "bg-straight 1,0 r0: A meeple E, A builder E", "bg-straight 2,0 r0"],
            "A escapes",
            "[extended]",
            "a second part of the turn follows",
        ),
    ):
        with pytest.raises(ValueError, match=why):
            played(tiles, turn=turn, headers=headers, rules="builders: true, escape_per: turn")


@pytest.mark.rule("SIE-09")
def test_sie_02_what_seats_see_of_a_siege():
    game = played(city(), PLACE, "to 0,-1")
    planes = plane_names(game.rules)
    board = game.observe(0)["board"]
    shown = {name: board[planes.index(name)] for name in ("siege", "chosen")}
    assert shown["siege"].sum() == shown["chosen"].sum() == 1
    assert (shown["siege"] == shown["chosen"]).all()
    assert game.layout.blocks["escape"].size == N_MEEPLES * len(SIDE_SPOTS)
    assert "siege" not in plane_names(Rules())
    assert "escape" not in Game(Rules(), seed=1).layout.blocks
