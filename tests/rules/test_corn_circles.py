"""CRN: corn circles, where all players add or take back a farmer, a thief or a knight."""

from __future__ import annotations

import pytest

from carc_env.engine.core.codes import Figure, Kind
from carc_env.engine.core.tiles import FACTS
from carc_env.game.game import Game
from carc_env.game.notation import NotationError
from carc_env.layout.observations import plane_names
from carc_env.rules import Rules

from .looks import asked, bag_of, figures, in_supply, meeples, names, score_log
from .positions import START_LINE, Table, carcassonne, reread, then
from .scenario import TILES, play

pytestmark = pytest.mark.interpreted

SETS = "base, inns, traders, abbey, bridges, princess, tower, festival, siege, corn"
TABLE = Table("crop_circles: true, crop_circle_tiles: both", sets=SETS)
played = TABLE.played

ROAD = "cc-road-curve 1,0 r0; pass"
"""A circle for thieves, on a tile that continues the road of the start tile."""
CITY = "cc-city-corner 0,-1 r1; pass"
"""A circle for knights, on a tile that continues the city of the start tile."""
FIELD = "cc-field-cap-two-roads 1,0 r0; pass"
"""A circle for farmers, on a tile beside the fields of the start tile."""


def start(placed=""):
    return f"{START_LINE}: {placed}"


# --- Tiles --------------------------------------------------------------------------------------


@pytest.mark.rule("TILE-01")
@pytest.mark.parametrize(("chosen", "n"), [("II", 77), ("I", 77), ("both", 83)])
def test_crn_01_six_tiles_of_either_box_or_all(chosen, n):
    drawn = bag_of(Game(Rules.preset("corn-circles", crop_circle_tiles=chosen), seed=1))
    assert len(drawn) == n
    boxes = {row["box"] for row in FACTS if row["set"] == "corn" and row["id"] in drawn}
    assert boxes == ({"I", "II"} if chosen == "both" else {chosen})
    assert len([tile for tile in drawn if tile in TILES["corn"]]) == n - 71


@pytest.mark.rule("X2-04")
def test_crn_02_two_of_each_kind_in_a_box():
    found = sorted((row["box"], row["circle"]) for row in FACTS if "circle" in row)
    kinds = ("city", "city", "field", "field", "road", "road")
    assert found == [(box, kind) for box in ("I", "II") for kind in kinds]


@pytest.mark.parametrize(
    ("tile", "who"), [(FIELD, "A meeple Es"), (ROAD, "A meeple E"), (CITY, "A meeple N")]
)
def test_crn_02_rake_club_and_shield(tile, who):
    game = played([start("A meeple Es, A meeple E, A meeple N")], tile, "all reap; to 0,0")
    assert names(game) == {f"reap {who.removeprefix('A ')}"}
    shown = {FIELD: 1, ROAD: 2, CITY: 3}[tile]
    assert game.observe(0)["board"][plane_names(game.rules).index("circle")].max() == shown


@pytest.mark.parametrize(
    ("tile", "spots"),
    [
        ("cc-field-cap-two-roads 1,0 r0", {"N", "E", "W", "En", "Es"}),
        ("cc-field-cap-road-right 1,0 r2", {"S", "W", "Nw"}),
        ("cc-road-junction 1,0 r0", {"E", "S", "W", "Nw", "Es", "Sw"}),
        ("cc-road-curve-and-two-ends 1,0 r0", {"N", "E", "S", "Nw", "Ne", "Sw"}),
        ("cc-city-caps-opposite-touching 0,-1 r0", {"N", "S", "En", "Ws"}),
        ("cc-city-corner-corner 0,-1 r0", {"N", "S"}),
    ],
)
def test_crn_17_the_circle_parts_roads_and_is_no_place(tile, spots):
    game = played([START_LINE], tile)
    assert names(game) == {"pass", *(f"meeple {spot}" for spot in spots)}


# --- The choice ---------------------------------------------------------------------------------


def test_crn_03_the_active_player_chooses_behind_the_scoring():
    tiles = [start("A meeple N, B meeple E"), "bg-monastery-road -1,0 r2"]
    game = played(tiles, "cc-city-caps-adjacent 0,-1 r1; meeple E")
    assert (game.scores, asked(game)) == ((4, 0), "A CIRCLE")
    assert names(game) == {"all sow", "all reap"}
    reread(game)
    assert names(then(game, "all sow")) == {"to 0,-1", "pass"}, "the meeple just placed"


@pytest.mark.rule("CRN-03")
def test_crn_16_a_city_that_this_tile_has_completed_is_gone():
    tiles = [start("A meeple N, B meeple E")]
    game = played(tiles, "cc-city-caps-adjacent 0,-1 r1; pass")
    assert (game.scores, asked(game)) == ((4, 0), "A CIRCLE")
    then(game, "all reap")
    assert (asked(game), figures(game)) == ("B PLACE_TILE", {"B meeple 0,0 E"})


def test_crn_04_without_any_meeple_on_the_board_nobody_chooses():
    assert asked(played([START_LINE], ROAD)) == "B PLACE_TILE"
    assert asked(played([start("B meeple N")], ROAD)) == "A CIRCLE", "of whatever kind"


@pytest.mark.rule("W2T-06")
def test_crn_05_the_next_player_first_the_active_one_last():
    tiles = [start("A meeple E, B meeple E, C meeple E")]
    game = played(tiles, ROAD, "all sow", n_players=3)
    seen = []
    for _ in range(3):
        assert names(game) == {"to 0,0", "pass"}
        assert game.turn_player == 0
        reread(game)
        seen.append(asked(game))
        then(game, "pass")
    assert seen == ["B SOW", "C SOW", "A SOW"]
    assert asked(game) == "B PLACE_TILE"


@pytest.mark.rule("W2T-03")
def test_crn_15_in_each_part_of_a_turn_before_the_next_tile():
    tiles = [start("A meeple E, B meeple E"), "bg-straight 1,0 r0: A builder E"]
    options = {"rules": "builders: true", "bag": ("cc-road-curve", "bg-cap")}
    game = played(tiles, "cc-road-curve-and-end 2,0 r0; pass", **options)
    assert (asked(game), game.position().has_extended) == ("A CIRCLE", True)
    reread(game)
    then(game, "all sow; to 0,0; meeple E; pass")
    assert (asked(game), game.position().first_part) == ("A PLACE_TILE", (2, 0))
    then(game, "cc-road-curve 2,1 r1; pass")
    assert (asked(game), game.position().first_part) == ("A CIRCLE", (2, 0))
    then(game, "all reap; to 0,0; reap meeple E; to 0,0; reap meeple E")
    assert (asked(game), figures(game)) == ("B PLACE_TILE", {"B meeple 0,0 E"})


def test_crn_15_a_second_part_comes_although_the_builder_is_gone():
    tiles = [start("A meeple E"), "bg-straight 1,0 r0: A builder E"]
    options = {"rules": "builders: true", "bag": ("bg-cap", "bg-cap")}
    game = played(tiles, "cc-road-curve 2,0 r0; pass; all reap; to 0,0; reap meeple E", **options)
    assert (asked(game), figures(game)) == ("A PLACE_TILE", set())
    assert game.position().first_part == (2, 0)


@pytest.mark.rule("CRN-13")
def test_crn_18_behind_the_way_into_carcassonne_who_waits_there_is_no_knight():
    tiles = carcassonne("bg-monastery -3,1 r0", "bg-corner -4,1 r2: A meeple S", co_9="B meeple S")
    options = {"rules": "count: true", "sets": "base, count, corn", "headers": "[count market]"}
    game = played(tiles, "cc-city-caps-adjacent -2,2 r0; pass", **options)
    assert (asked(game), game.scores[0]) == ("A ENTER", 0)
    then(game, "enter meeple castle; stay")
    assert asked(game) == "A CIRCLE"
    reread(game)
    then(game, "all reap")
    assert (asked(game), names(game)) == ("A REAP", {"to -4,1"})
    reread(game)


def test_crn_18_before_anybody_escapes_from_a_siege():
    tiles = [
        START_LINE,
        "bg-straight -1,0 r0: A meeple E",
        "si-corner 0,-1 r1: A meeple E; bg-monastery -1,-1 r0",
    ]
    game = played(
        tiles, ROAD, "all reap; to -1,0; reap meeple E", rules="siege: true, siege_tiles: both"
    )
    assert asked(game) == "A ESCAPE"
    assert asked(then(game, "pass")) == "B PLACE_TILE"


@pytest.mark.rule("PD-09")
def test_crn_18_behind_a_dragon_that_flies_late():
    tiles = [start("A meeple E, B meeple N"), "pd-straight-volcano -1,0 r0"]
    rules = "dragon: true, dragon_timing: after_scoring"
    game = played(tiles, ROAD, rules=rules, headers="[dragon -1,0]")
    assert asked(game) == "A CIRCLE"


# --- Adding -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("add", "passing"), [("may", {"pass"}), ("must", set())])
def test_crn_06_one_may_or_must_add_a_meeple(add, passing):
    tiles = [start("A meeple E, B meeple E")]
    game = played(tiles, ROAD, "all sow", rules=f"crop_add: {add}")
    assert (asked(game), names(game)) == ("B SOW", {"to 0,0"} | passing)
    reread(game)
    then(game, "to 0,0")
    assert (asked(game), names(game)) == ("B SOW_SPOT", {"meeple E"})
    reread(game)
    then(game, "meeple E")
    assert (meeples(game, "B"), asked(game)) == (5, "A SOW")
    assert game.scores == (0, 0)


def test_crn_07_onto_the_very_tile_and_segment_of_one_of_theirs():
    tiles = [start("A meeple N"), "bg-span 0,-1 r0: A meeple N", "bg-corner 0,-2 r1"]
    game = played(tiles, "cc-city-caps-adjacent 1,-1 r0; pass", "all sow")
    assert names(game) == {"to 0,0", "to 0,-1", "pass"}
    then(game, "to 0,-1; meeple N")
    assert (figures(game), meeples(game, "A")) == ({"A meeple 0,0 N", "A meeple 0,-1 N"}, 4)
    assert len(game.position().figures) == 3


def test_crn_07_onto_either_field_of_a_tile():
    game = played([start("A meeple En, A meeple Es, B meeple N")], FIELD, "all sow; to 0,0")
    assert names(game) == {"meeple En", "meeple Es"}


def test_crn_09_who_has_no_such_meeple_or_none_in_hand_is_passed_over():
    game = played([start("A meeple E, B meeple N")], ROAD, "all sow")
    assert asked(game) == "A SOW", "B has no thief"
    crowd = ", ".join(["B meeple E"] * 7)
    game = played([start(f"A meeple E, {crowd}")], ROAD, "all sow")
    assert asked(game) == "A SOW", "an abbot alone is left to B"
    game = played([start(f"A meeple E, {crowd}")], ROAD, "all reap")
    assert asked(game) == "B REAP"
    game = played([start("A meeple N, B meeple N")], ROAD)
    assert asked(then(game.clone(), "all sow")) == asked(then(game, "all reap")) == "B PLACE_TILE"


EVERYBODY = "large_meeples: true, mayors: true, wagons: true, phantom: true"
BASIC = {"meeple", "large", "phantom"}


@pytest.mark.rule("PHA-14")
@pytest.mark.parametrize(
    ("tile", "spot", "kinds"),
    [
        (FIELD, "Es", BASIC),
        (ROAD, "E", BASIC | {"wagon"}),
        (CITY, "N", BASIC | {"wagon", "mayor"}),
    ],
)
def test_crn_10_meeples_where_they_may_stand_but_no_abbot(tile, spot, kinds):
    tiles = [start(f"B meeple {spot}")]
    game = played(tiles, tile, "pass; all sow; to 0,0", rules=EVERYBODY)
    assert asked(game) == "B SOW_SPOT"
    assert names(game) == {f"{kind} {spot}" for kind in kinds}
    then(game, f"phantom {spot}")
    assert f"B phantom 0,0 {spot}" in figures(game)
    assert in_supply(game, "B", Figure.PHANTOM) == 0
    assert not any(name.startswith("wagon") for name in names(game))


@pytest.mark.parametrize("figure", ["large", "mayor", "wagon"])
def test_crn_10_beside_a_meeple_of_any_kind(figure):
    game = played([start(f"B {figure} N")], CITY, "pass; all sow; to 0,0", rules=EVERYBODY)
    assert "meeple N" in names(game)


@pytest.mark.rule("BASE-17")
def test_crn_14_onto_an_occupied_feature_whose_majority_changes_at_once():
    game = played([start("A meeple N, B meeple N")], CITY)
    assert game.standings == (2, 2)
    then(game, "all sow; pass; to 0,0; meeple N")
    assert game.standings == (2, 0)
    assert (asked(game), score_log(game)) == ("B PLACE_TILE", [])


@pytest.mark.rule("PD-06", "HOUSE-03")
def test_crn_07_nobody_comes_to_the_dragon():
    rules = "wagons: true, dragon: true, house_wagon_safe: true"
    tiles = [START_LINE, "pd-straight-volcano -1,0 r0: A wagon E"]
    options = {"rules": rules, "headers": "[dragon -1,0]"}
    game = played(tiles, ROAD, "all sow", **options)
    assert asked(game) == "B PLACE_TILE"
    assert asked(played(tiles, ROAD, "all reap", **options)) == "A REAP"


@pytest.mark.rule("WT-04")
def test_crn_20_two_meeples_on_one_watchtower_bring_its_points_twice():
    tower = "wt-cap-gate-figures 1,0 r1: A meeple W"
    game = played(
        [START_LINE, tower],
        "cc-road-curve 0,1 r0; pass",
        "all sow; to 1,0; meeple W",
        "bg-monastery-road -1,0 r2; pass",
        sets="base, watchtowers, corn",
        rules="watchtowers: true",
        bag=("bg-monastery-road",),
    )
    assert score_log(game) == [("A", 2 * 2 * 2, Kind.WATCHTOWER), ("A", 3, Kind.ROAD)]


# --- Taking back --------------------------------------------------------------------------------


def test_crn_08_one_has_to_take_a_meeple_back():
    tiles = [start("A meeple E, B meeple E"), "bg-straight -1,0 r0: A meeple E"]
    game = played(tiles, ROAD, "all reap")
    assert (asked(game), names(game)) == ("B REAP", {"to 0,0"})
    then(game, "to 0,0")
    assert (asked(game), names(game)) == ("B REAP_SPOT", {"reap meeple E"})
    reread(game)
    then(game, "reap meeple E")
    assert (asked(game), names(game)) == ("A REAP", {"to 0,0", "to -1,0"})
    reread(game)
    then(game, "to -1,0; reap meeple E")
    assert (figures(game), game.scores) == ({"A meeple 0,0 E"}, (0, 0))
    assert (meeples(game, "A"), meeples(game, "B")) == (6, 7)


def test_crn_11_meeples_alone():
    rules = "pigs: true, barns: true, builders: true, large_meeples: true"
    tiles = [start("B meeple Es, B large Es"), "bg-straight -1,0 r0: B pig Es, B meeple Nw"]
    game = played(tiles, FIELD, "all reap", rules=rules)
    assert names(game) == {"to 0,0", "to -1,0"}
    assert names(then(game.clone(), "to 0,0")) == {"reap meeple Es", "reap large Es"}
    assert names(then(game, "to -1,0")) == {"reap meeple Nw"}


@pytest.mark.rule("HS-37")
def test_crn_11_no_shepherd():
    options = {"rules": "shepherds: true", "sets": "base, hills, corn", "headers": "[sheep B 1]"}
    tiles = [start("B meeple Es"), "bg-straight -1,0 r0: B shepherd Es"]
    game = played(tiles, FIELD, "all reap", **options)
    assert names(game) == {"to 0,0"}


@pytest.mark.rule("TRA-06")
@pytest.mark.parametrize(
    ("thieves", "left"),
    [
        ("B meeple E", set()),
        ("B meeple E, A meeple E", {"A meeple 0,0 E"}),
        ("B meeple E, B large E", {"B large 0,0 E", "B builder -1,0 E"}),
    ],
)
def test_crn_12_a_builder_follows_the_last_meeple_home(thieves, left):
    tiles = [start(thieves), "bg-straight -1,0 r0: B builder E"]
    rules = "builders: true, large_meeples: true"
    game = played(tiles, ROAD, "all reap; to 0,0; reap meeple E", rules=rules)
    assert figures(game) == left


@pytest.mark.rule("TRA-16")
def test_crn_12_and_so_does_a_pig():
    tiles = [start("B meeple Es"), "bg-straight -1,0 r0: B pig Es"]
    game = played(tiles, FIELD, "all reap; to 0,0; reap meeple Es", rules="pigs: true")
    assert (figures(game), in_supply(game, "B", Figure.PIG)) == (set(), 1)


@pytest.mark.rule("WAG-04")
def test_crn_12_a_wagon_does_not_move_on():
    game = played(
        [start("B wagon E")], ROAD, "all reap; to 0,0; reap wagon E", rules="wagons: true"
    )
    assert (asked(game), figures(game), game.scores) == ("B PLACE_TILE", set(), (0, 0))


@pytest.mark.rule("CAS-10")
def test_crn_13_a_lord_is_no_knight():
    tiles = [start("B meeple N"), "bg-cap 0,-1 r2"]
    options = {"rules": "castles: true", "headers": ["[castles 0,0 N]", "[tokens 3:2]"]}
    game = played(tiles, "cc-city-corner 0,1 r1; pass", **options)
    assert asked(game) == "A CIRCLE"
    assert asked(then(game.clone(), "all sow")) == "B PLACE_TILE"
    assert asked(then(game, "all reap")) == "B PLACE_TILE"


@pytest.mark.rule("TOW-18")
def test_crn_13_nor_who_stands_on_a_tower():
    tiles = [START_LINE, "to-field-garden 0,1 r0", "bg-straight -1,0 r0"]
    options = {"rules": "towers: true", "headers": ["[towers 0,1 1 B meeple]", "[floors 9:10]"]}
    game = played(tiles, FIELD, **options)
    assert asked(game) == "A CIRCLE"
    assert asked(then(game, "all reap")) == "B PLACE_TILE"


@pytest.mark.rule("CRN-12", "PD-40")
def test_crn_19_the_fairy_stays_alone():
    options = {"rules": "fairy: true", "headers": "[fairy 0,0 E]"}
    tiles = [start("B meeple E"), "bg-straight -1,0 r0"]
    game = played(tiles, ROAD, "all reap; to 0,0; reap meeple E", **options)
    position = game.position()
    assert (position.fairy, position.fairy_beside) == ((0, 0), None)


@pytest.mark.rule("PHA-14")
def test_crn_11_of_several_on_a_spot_one_is_chosen():
    rules = "phantom: true, large_meeples: true"
    tiles = [start("B meeple Es, B meeple Es, B large Es, B phantom Es, A meeple Es")]
    game = played(tiles, FIELD, "pass; all reap; to 0,0", rules=rules)
    assert names(game) == {f"reap {kind} Es" for kind in ("meeple", "large", "phantom")}
    then(game, "reap phantom Es")
    assert in_supply(game, "B", Figure.PHANTOM) == 1
    assert len(game.position().figures) == 4


# --- Together with other rules that take a figure off a spot ------------------------------------


@pytest.mark.rule("FES-03")
def test_crn_07_a_festival_takes_one_of_several_farmers_back():
    tiles = [start("A meeple Es, A meeple Es, A large Es, A pig En")]
    rules = "festival: true, large_meeples: true, pigs: true"
    game = played([*tiles, "bg-straight -1,0 r0: A meeple Nw"], "fe-two-curves 1,0 r1", rules=rules)
    then(game, "to 0,0")
    assert names(game) == {"return meeple 0,0 Es", "return large 0,0 Es", "return 0,0 En"}
    then(game, "return large 0,0 Es")
    assert in_supply(game, "A", Figure.LARGE) == 1


@pytest.mark.rule("TOW-16")
def test_crn_07_a_tower_captures_one_of_several_farmers():
    tiles = [start("B meeple Es, B large Es, A meeple Es"), "to-field-garden 0,1 r0"]
    rules = "towers: true, large_meeples: true"
    game = played(tiles, "bg-straight 1,0 r0", "to 0,1; floor 0,1; to 0,0", rules=rules)
    assert {name for name in names(game) if "from B" in name} == {
        "remove meeple 0,0 Es from B",
        "remove large 0,0 Es from B",
    }
    then(game, "remove large 0,0 Es from B")
    assert figures(game) == {"A meeple 0,0 Es", "B meeple 0,0 Es"}


@pytest.mark.rule("CRN-03", "CRN-05")
def test_w2t_04_whoever_bought_a_corn_circle_chooses():
    options = {
        "rules": "bazaars: true, bazaar_mode: take",
        "bag": ("cc-road-curve", "bg-curve", "bg-curve"),
    }
    moves = "bcb-bazaar 0,1 r0; pass; pick 1; cc-road-curve 1,0 r0; pass"
    game = played([start("A meeple E, B meeple E")], moves, **options)
    assert (asked(game), game.turn_player) == ("B CIRCLE", 1)
    assert asked(then(game, "all sow")) == "A SOW"


@pytest.mark.rule("BASE-05")
def test_w2t_08_a_corn_circle_that_is_put_aside_asks_nothing():
    ends = ("bg-cap 0,-1 r2", "bg-monastery-road 1,0 r0", "bg-monastery-road -1,0 r2: A meeple mid")
    bag = ("cc-city-corner-corner", "bg-monastery")
    game = played([START_LINE, *ends], "pass", bag=bag)
    assert game.position().aside.count("cc-city-corner-corner") == 1
    assert (asked(game), game.tile_in_hand) == ("B PLACE_TILE", "bg-monastery")


# --- Positions ----------------------------------------------------------------------------------


@pytest.mark.rule("CRN-05")
@pytest.mark.parametrize(
    ("tiles", "turn", "headers", "reason"),
    [
        (["cc-road-curve 1,0 r0: A meeple S"], "A sows", "", "goes with a turn"),
        (["cc-road-curve 1,0 r0: A meeple S"], "A circles", "[circle A]", "goes with a turn"),
        (["cc-road-curve 1,0 r0: A meeple S"], "A sows", "[circle B]", "CRN-09"),
        (["cc-road-curve 1,0 r0: A meeple Nw"], "A reaps", "[circle A]", "CRN-09"),
        (["cc-road-curve 1,0 r0"], "A circles", "", "CRN-04"),
        (["cc-road-curve 1,0 r0: A meeple S"], "A sows at 0,0", "[circle A]", "CRN-07"),
        (["bg-curve 1,0 r0: A meeple S"], "A circles", "", "are inconsistent"),
    ],
)
def test_crn_03_positions_that_cannot_be(tiles, turn, headers, reason):
    text = TABLE.position("\n".join([START_LINE, *tiles]), turn=turn, headers=headers)
    with pytest.raises((ValueError, NotationError), match=reason):
        play(text)
