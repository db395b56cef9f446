"""WAG and HOUSE-01: the wagon, which moves on after its feature is scored."""

import pytest

from carc_env.engine.core.codes import Kind, Phase
from carc_env.engine.core.tiles import DESIGN, LINKED, SEGMENT_KIND
from carc_env.rules import Rules

from .looks import figures, names, offered, score_log, targets, wagons
from .positions import Table, then
from .scenario import play

TABLE = Table("wagons: true", sets="base, abbey, bridges")
position, played = TABLE.position, TABLE.played


def waits_for(game):
    """Return whose wagon moves next, or None if no wagon waits."""
    return "ABC"[game.decider] if game.phase == Phase.WAGON else None


@pytest.mark.rule("WAG-04")
@pytest.mark.parametrize(
    ("theirs", "scores"),
    [("B meeple S", (6, 6)), ("B meeple S, B meeple S", (0, 6)), ("B wagon S", (6, 6))],
)
def test_wag_01_a_wagon_has_strength_one(theirs, scores):
    assert (
        played(
            f"bg-cap-straight 0,0 r0: A wagon N; bg-span 0,-1 r0; bg-cap 0,-2 r2: {theirs}", "pass"
        ).scores
        == scores
    )


def test_wag_02_the_start_design_takes_a_wagon_in_its_city_and_on_its_road():
    game = played("bg-cap-straight 0,0 r0", "bg-cap-straight 1,0 r0")
    assert offered(game, "wagon") == {"N", "E"}
    assert offered(game, "meeple") == {"N", "E", "En", "Es"}
    game.apply("wagon N")
    assert (figures(game), wagons(game, "A")) == ({"A wagon 1,0 N"}, 0)
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)


@pytest.mark.parametrize("figure", ["meeple", "wagon"])
def test_wag_02_an_occupied_feature_takes_no_wagon_and_a_wagon_occupies(figure):
    game = played(f"bg-cap-straight 0,0 r0: B {figure} E", "bg-straight 1,0 r0")
    assert names(game) == {"meeple Nw", "meeple Es", "pass"}


def test_wag_03_gardens_take_no_wagon():
    game = played("bg-cap-straight 0,0 r0", "bg-curve-garden 1,0 r0")
    assert offered(game, "wagon") == {"S"}
    assert offered(game, "abbot") == {"mid"}


#: The tile in the east completes a road of three tiles between two monasteries.
ROAD = "bg-cap-straight 0,0 r0: A wagon E; bg-monastery-road -1,0 r2"
ROAD_TURN = {"turn": "A places bg-monastery-road"}
ROAD_END = "bg-monastery-road 1,0 r0"


def test_wag_04_a_scored_wagon_may_go_home_or_move_on():
    game = played(ROAD, ROAD_END, "pass", **ROAD_TURN)
    assert score_log(game) == [("A", 3, Kind.ROAD)]
    assert (game.phase, game.decider, game.turn_player) == (Phase.WAGON, 0, 0)
    assert names(game) == {"home", "wagon 0,0 N", "wagon -1,0 mid", "wagon 1,0 mid"}
    home, moved = game.clone(), game.clone()
    home.apply("home")
    assert (figures(home), wagons(home, "A")) == (set(), 1)
    moved.apply("wagon 1,0 mid")
    assert (figures(moved), wagons(moved, "A")) == ({"A wagon 1,0 mid"}, 0)
    for after in (home, moved):
        assert (after.phase, after.decider, after.scores) == (Phase.PLACE_TILE, 1, (3, 0))


def test_wag_04_a_wagon_on_an_incomplete_feature_stays():
    game = played(ROAD, "bg-straight 1,0 r0; pass")
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)
    assert (figures(game), game.scores) == ({"A wagon 0,0 E"}, (0, 0))


@pytest.mark.rule("WAG-07")
def test_wag_05_its_own_tile_and_the_eight_around_it():
    tiles = """
        bg-cap-straight 0,0 r0: A wagon E; bg-monastery-road -1,0 r2
        bg-cap 0,1 r3; bg-monastery 1,1 r0; bg-monastery 2,1 r0
        bg-monastery 1,2 r0
        """
    game = played(tiles, ROAD_END, "pass", turn="B places bg-monastery-road")
    assert waits_for(game) == "A"
    # The monasteries at (2, 1) and (1, 2) are no targets.
    assert targets(game) == {"0,0 N", "-1,0 mid", "1,0 mid", "1,1 mid", "0,1 W"}


@pytest.mark.parametrize(
    ("tiles", "target"),
    [
        ("bg-cap -1,-1 r3", "-1,-1 W"),
        ("bg-cap-garden 0,-1 r2\nbg-cap 1,-1 r1", "1,-1 E"),
        ("bg-cap -1,1 r3", "-1,1 W"),
        ("bg-cap-garden 0,1 r2\nbg-cap 1,1 r1", "1,1 E"),
    ],
)
def test_wag_05_diagonal_neighbours_count(tiles, target):
    game = played(f"{ROAD}\n{tiles}", ROAD_END, "pass", **ROAD_TURN)
    assert target in targets(game)
    assert targets(game) <= {target, "0,0 N", "0,1 S", "-1,0 mid", "1,0 mid"}


#: A five-tile city in a column, with a monastery at its upper end and a road at its lower end.
ROW = """
    bg-cap-straight 0,0 r0
    bg-span 0,-1 r0
    bg-span-shield 0,-2 r0
    bg-span-shield 0,-3 r0; bg-monastery 1,-3 r0
    bg-cap 0,-4 r2
    """


@pytest.mark.parametrize(
    ("cell", "around"),
    [("0,0", {"0,0 E"}), ("0,-1", {"0,0 E"}), ("0,-2", {"1,-3 mid"}), ("0,-4", {"1,-3 mid"})],
)
def test_wag_06_only_the_wagons_own_tile_matters(cell, around):
    lines = [
        f"{line}: A wagon {'S' if cell == '0,-4' else 'N'}" if f" {cell} " in line else line
        for line in ROW.splitlines()
    ]
    game = played("\n".join(lines), "pass")
    assert game.scores == (14, 0)
    assert targets(game) == around


def test_wag_07_it_crosses_fields_roads_and_walls():
    # From the city, across the start tile's road and a field, to the monastery in the south-east.
    tiles = """
        bg-cap-straight 0,0 r0: A wagon N, B meeple E; bg-straight 1,0 r0
        bg-monastery 1,1 r0
        bg-cap 0,-1 r2
        """
    game = played(tiles, "pass")
    assert targets(game) == {"1,1 mid"}


#: A's wagon on a road of three tiles; south of it lies another road, open to the east.
TWO_ROADS = """
    bg-cap-straight 0,0 r0: A wagon E; bg-city3-gate -1,0 r2
    bg-monastery-road 0,1 r2; bg-straight 1,1 r0
    """


@pytest.mark.rule("WAG-05")
@pytest.mark.parametrize(
    ("target", "around"),
    [
        ("1,1 E", {"0,0 N", "1,0 N", "1,0 E", "0,1 mid", "2,1 mid"}),
        ("0,1 E", {"0,0 N", "1,0 N", "1,0 E", "0,1 mid", "-1,0 N"}),
    ],
)
def test_wag_08_its_place_on_the_new_feature_counts_for_its_next_move(target, around):
    game = played(
        TWO_ROADS, "bg-junction 1,0 r2; pass", bag=("bg-monastery-road", "bg-curve", "bg-curve")
    )
    assert targets(game) == {
        "0,0 N", "-1,0 N", "1,0 N", "1,0 E", "0,1 mid", "0,1 E", "1,1 E"
    }  # fmt: skip
    game.apply(f"wagon {target}")
    assert figures(game) == {f"A wagon {target}"}
    then(game, "bg-monastery-road 2,1 r0; pass")
    assert score_log(game) == [("A", 3, Kind.ROAD)]
    assert (waits_for(game), game.turn_player) == ("A", 1)
    assert targets(game) == around


@pytest.mark.parametrize("knight", ["A meeple", "B meeple", "B wagon"])
def test_wag_09_the_whole_connected_feature_must_be_unoccupied(knight):
    # A three-tile road runs south of the wagon; a figure stands on it, out of range.
    tiles = f"""
        bg-cap-straight 0,0 r0: A wagon N, A meeple E
        bg-straight 0,1 r0; bg-straight 1,1 r0; bg-straight 2,1 r0: {knight} E
        bg-cap 0,-1 r2
        """
    game = played(tiles, "pass")
    assert (waits_for(game), wagons(game, "A")) == (None, 1)
    free = played(tiles.replace(f": {knight} E", ""), "pass")
    assert targets(free) == {"0,1 E", "1,1 E"}


def test_wag_09_complete_features_are_no_targets():
    tiles = """
        bg-cap-straight 0,0 r0: A wagon N; bg-monastery-road -1,0 r2; bg-monastery-road 1,0 r0
        bg-cap 0,-1 r2
        """
    assert targets(played(tiles, "pass")) == {"-1,0 mid", "1,0 mid"}


def test_wag_10_without_a_target_the_wagon_returns_and_nobody_is_asked():
    tiles = "bg-cap-straight 0,0 r0: A wagon N, B meeple E; bg-cap 0,-1 r2"
    game = played(tiles, "pass")
    assert (game.phase, game.decider, game.scores) == (Phase.PLACE_TILE, 1, (4, 0))
    assert (wagons(game, "A"), figures(game)) == (1, {"B meeple 0,0 E"})


#: A three-tile city with the wagons of A and C; the only free feature around is a monastery.
TWO_WAGONS = """
    bg-cap-straight 0,0 r0: C wagon N, B meeple E
    bg-span 0,-1 r0: A wagon N; bg-monastery 1,-1 r0
    bg-cap 0,-2 r2
    """


@pytest.mark.parametrize(("active", "first", "second"), [("A", "A", "C"), ("B", "C", "A")])
def test_wag_11_owners_decide_clockwise_from_the_active_player(active, first, second):
    game = played(TWO_WAGONS, "pass", turn=f"{active} acts", n_players=3)
    assert game.scores == (6, 0, 6)
    assert waits_for(game) == first
    assert ["ABC"[wagon.seat] for wagon in game.position().wagons] == [first, second]
    assert targets(game) == {"1,-1 mid"}
    home, moved = game.clone(), game
    moved.apply("wagon 1,-1 mid")
    assert (waits_for(moved), wagons(moved, second)) == (None, 1)
    assert figures(moved) == {"B meeple 0,0 E", f"{first} wagon 1,-1 mid"}
    home.apply("home")
    assert waits_for(home) == second
    assert targets(home) == {"1,-1 mid"}
    home.apply("wagon 1,-1 mid")
    assert (waits_for(home), wagons(home, first), wagons(home, second)) == (None, 1, 0)
    for after in (home, moved):
        assert after.decider == (("ABC".index(active) + 1) % 3)


def test_wag_11_the_active_player_first_then_on_around_the_table():
    game = played(TWO_WAGONS, "pass; home", seat="C", n_players=3)
    assert [move.seat for move in game.moves] == [2, 2]
    assert waits_for(game) == "A"


def test_wag_11_wagons_of_different_features_wait_together():
    # The tile completes A's road and B's city at once; both wagons could move onto its other roads.
    tiles = """
        bg-cap-straight 0,0 r0: A wagon E; bg-city3-gate-shield -1,0 r2: A meeple N
        bg-cap 0,-1 r2; bg-cap 1,-1 r2: B wagon S; bg-monastery 2,-1 r0
        """
    game = played(tiles, "bg-cap-junction 1,0 r0; pass", seat="B")
    assert sorted(score_log(game)) == [("A", 3, Kind.ROAD), ("B", 4, Kind.CITY)]
    assert waits_for(game) == "B"
    assert targets(game) == {"2,-1 mid", "1,0 E", "1,0 S"}
    game.apply("wagon 1,0 S")
    assert waits_for(game) == "A"
    assert targets(game) == {"1,0 E"}


def test_wag_12_placed_scored_and_moved_in_one_turn():
    game = played("bg-cap-straight 0,0 r0", "bg-cap 0,-1 r2; wagon S")
    assert (game.scores, waits_for(game)) == ((4, 0), "A")
    assert targets(game) == {"0,0 E"}
    game.apply("wagon 0,0 E")
    assert figures(game) == {"A wagon 0,0 E"}
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)


def test_wag_12_the_move_does_not_replace_a_placement():
    game = played(ROAD, ROAD_END, "meeple mid", **ROAD_TURN)
    assert targets(game) == {"0,0 N", "-1,0 mid"}
    game.apply("wagon -1,0 mid")
    assert figures(game) == {"A meeple 1,0 mid", "A wagon -1,0 mid"}


def test_wag_13_a_wagon_that_scored_nothing_moves_too():
    tiles = """
        bg-cap-straight 0,0 r0: A wagon N
        bg-span 0,-1 r0: B meeple N, B meeple N
        bg-cap 0,-2 r2
        """
    game = played(tiles, "pass")
    assert (game.scores, waits_for(game)) == ((0, 6), "A")
    assert targets(game) == {"0,0 E"}


def by_the_abbey(eighth="", monk=""):
    """Return a position where a wagon leaves a completed road among all kinds of features."""
    tiles = f"""
        bg-cap-straight 0,0 r0; bg-monastery-road -1,0 r2
        bg-cap-garden -1,1 r3
        {eighth}
        bg-monastery-road 1,0 r0
        bg-cap 1,1 r1
        bg-cap 1,2 r1; bg-cap 0,2 r2
        am-abbey 0,1 r0{monk}
        """
    return position(
        tiles,
        turn="A moves",
        rules="abbeys: true",
        headers="[abbeys 0:1]\n        [wagons A 0,0 E]",
    )


@pytest.mark.rule("WAG-03", "GAR-05", "ABB-15")
def test_wag_14_cities_monasteries_and_abbeys_but_no_gardens_and_no_fields():
    game = play(by_the_abbey())
    assert targets(game) == {"0,0 N", "-1,0 mid", "1,0 mid", "-1,1 W", "1,1 E", "0,1 mid"}
    game.apply("wagon 0,1 mid")
    assert figures(game) == {"A wagon 0,1 mid"}


@pytest.mark.rule("WAG-09")
@pytest.mark.parametrize(
    ("eighth", "monk"), [("bg-cap -1,2 r3", ""), ("", ": B meeple mid"), ("", ": A abbot mid")]
)
def test_wag_14_a_complete_or_occupied_abbey_is_no_target(eighth, monk):
    game = play(by_the_abbey(eighth, monk))
    assert targets(game) == {"0,0 N", "-1,0 mid", "1,0 mid", "-1,1 W", "1,1 E"}


def test_wag_15_after_the_move_the_target_is_closed_to_others():
    game = played(ROAD, ROAD_END, "pass", **ROAD_TURN, bag=("bg-span", "bg-curve"))
    stay = game.clone()
    game.apply("wagon 0,0 N")
    assert (game.scores, score_log(game)) == ((3, 0), [])
    stay.apply("home")
    for after, spots in ((game, {"En", "Ws"}), (stay, {"N", "En", "Ws"})):
        after.apply("bg-span 0,-1 r0")
        assert offered(after, "meeple") == spots


def test_wag_16_the_final_scoring_moves_no_wagon():
    game = played(ROAD, "bg-straight 1,0 r0; pass", bag=())
    assert game.is_over
    assert game.scores == (3, 0)


def test_wag_16_after_the_last_tile_a_wagon_scored_in_play_moves_and_scores_again():
    game = played(ROAD, ROAD_END, "pass", **ROAD_TURN, bag=())
    assert (game.is_over, waits_for(game), game.scores) == (False, "A", (3, 0))
    game.apply("wagon 1,0 mid")
    assert game.is_over
    assert game.scores == (3 + 2, 0)  # the monastery and the tile west of it


C1 = "wagon_adjacency: C1"


def test_wag_20_the_edition_decides_unless_the_switch_does():
    assert Rules().wagon_range == "C2"
    assert Rules(edition="C1", abbot=False).wagon_range == "C1"
    assert Rules(wagon_adjacency="C1").wagon_range == "C1"
    assert Rules(edition="C1", abbot=False, wagon_adjacency="C2").wagon_range == "C2"


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("", {"0,0 N", "-1,0 mid", "1,0 N", "1,0 E"}),
        (C1, {"-1,0 mid", "1,0 N", "1,0 E"}),
        ("edition: C1, abbot: false", {"-1,0 mid", "1,0 N", "1,0 E"}),
    ],
)
def test_wag_20_in_the_first_edition_the_features_must_be_connected(rules, expected):
    # The city of the start tile is near the wagon, but no road leads there.
    game = played(ROAD, "bg-junction 1,0 r2; pass", rules=rules)
    assert targets(game) == expected


@pytest.mark.rule("WAG-28")
def test_wag_20_first_the_cell_then_the_place_on_it():
    game = played(ROAD, "bg-junction 1,0 r2; pass", rules=C1)
    assert names(game) == {"home", "to -1,0", "to 1,0"}
    game.apply("to 1,0")
    assert (game.phase, game.decider) == (Phase.WAGON_SPOT, 0)
    assert names(game) == {"wagon 1,0 N", "wagon 1,0 E"}
    assert game.position().wagon_target == (1, 0)
    game.apply("wagon 1,0 E")
    assert figures(game) == {"A wagon 1,0 E"}
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)


@pytest.mark.rule("WAG-09")
def test_wag_20_occupied_and_complete_features_are_no_targets_either():
    tiles = """
        bg-cap-straight 0,0 r0: A wagon E; bg-monastery-road -1,0 r2: B meeple mid
        bg-straight 0,1 r0; bg-straight 1,1 r0; bg-straight 2,1 r0
        bg-monastery-road 2,0 r0
        """
    game = played(tiles, "bg-junction 1,0 r2; pass", rules=C1)
    # The eastern arm of the junction ends at the monastery: it is a complete road of two tiles.
    assert targets(game) == {"1,0 N"}


def after_the_road(east, west="bg-monastery-road -1,0 r2", more="", wagon="A wagon E", rules=C1):
    """Return the targets of A's wagon; ``east`` and ``west`` are the ends of its road."""
    tiles = f"bg-cap-straight 0,0 r0: {wagon}; {west}; {more}"
    game = played(tiles, east, "pass", seat="B", rules=rules)
    assert score_log(game)
    assert waits_for(game) in ("A", None)
    return targets(game)


@pytest.mark.parametrize(
    ("east", "expected"),
    [
        ("bg-junction 1,0 r2", {"1,0 N", "1,0 E"}),
        ("bg-junction 1,0 r0", {"1,0 E", "1,0 S"}),
        ("bg-crossroads 1,0 r0", {"1,0 N", "1,0 E", "1,0 S"}),
        ("bg-cap-junction 1,0 r0", {"1,0 E", "1,0 S"}),
        ("bg-city3-gate 1,0 r0", {"1,0 N"}),
        ("bg-city3-gate-shield 1,0 r0", {"1,0 N"}),
        ("bg-monastery-road 1,0 r0", {"1,0 mid"}),
        ("am-monastery-four-roads 1,0 r0", {"1,0 mid"}),
        ("am-cap-gate-left 1,0 r0", {"1,0 N"}),
        ("am-caps-adjacent-two-gates 1,0 r0", {"1,0 N"}),
        ("am-caps-adjacent-two-gates 1,0 r1", {"1,0 S"}),
        ("am-road-end-garden 1,0 r0", set()),
    ],
)
def test_wag_21_from_a_road_over_a_crossing_or_to_where_it_leads(east, expected):
    assert after_the_road(east) == {"-1,0 mid"} | expected


def test_wag_21_from_a_city_through_its_gate_to_the_road():
    # The city of the gate tile is completed; the wagon leaves it by the gate.
    tiles = "bg-cap-straight 0,0 r0; bg-city3-gate 1,0 r0: A wagon N; bg-cap 1,-1 r2; bg-cap 1,1 r0"
    game = played(tiles, "bg-cap 2,0 r3; pass", rules=C1)
    assert game.scores == (8, 0)
    assert targets(game) == {"0,0 E", "1,0 W"}


@pytest.mark.parametrize(
    ("gate", "city", "cap", "expected"),
    [
        ("am-caps-adjacent-two-gates 1,0 r0", "N", "bg-cap 1,-1 r2", {"1,0 W", "0,0 E"}),
        ("am-caps-adjacent-two-gates 1,0 r0", "E", "bg-cap 2,0 r3", {"1,0 S"}),
        ("am-cap-gate-left 1,0 r0", "N", "bg-cap 1,-1 r2", {"1,0 W", "0,0 E"}),
    ],
)
def test_wag_21_every_city_has_its_own_gate(gate, city, cap, expected):
    tiles = f"bg-cap-straight 0,0 r0; {gate}: A wagon {city}"
    game = played(tiles, cap, "pass", turn="A places bg-cap", rules=C1)
    assert game.scores == (4, 0)
    assert targets(game) == expected


def test_wag_21_from_a_monastery_to_its_road():
    tiles = """
        bg-cap-straight 0,0 r0; bg-straight -1,0 r0; bg-straight 1,0 r0
        bg-monastery -1,1 r0; bg-monastery-road 0,1 r2: A wagon mid; bg-straight 1,1 r0
        bg-cap -1,2 r2; bg-cap 0,2 r2
        """
    game = played(tiles, "bg-cap 1,2 r2; pass", seat="B", rules=C1)
    assert game.scores == (9, 0)
    assert targets(game) == {"0,1 E", "1,1 E"}


#: The hole at (0, 1) between a city in the west and a road in the east.
CITY_AND_ROAD = """
    bg-cap-straight 0,0 r0; bg-straight -1,0 r0; bg-straight 1,0 r0
    bg-span -1,1 r1{city}; bg-cap -2,1 r1; bg-straight 1,1 r0{road}
    bg-monastery -1,2 r0
    {east}
    bg-cap 0,2 r2
    """


def beside_the_abbey(city="", road="", east="", monk="pass"):
    """Let A place the abbey; ``east`` closes the other end of the road east of it."""
    tiles = CITY_AND_ROAD.format(city=city, road=road, east=east)
    return played(tiles, "pass; am-abbey 0,1 r0", monk, seat="B", rules=f"abbeys: true, {C1}")


def test_wag_22_from_a_city_to_the_abbey_that_closed_it():
    # The road on the other side of the abbey is one feature too far.
    game = beside_the_abbey(city=": B wagon E")
    assert (game.scores, waits_for(game)) == ((0, 4), "B")
    assert targets(game) == {"0,1 mid"}
    then(game, "to 0,1; wagon 0,1 mid")
    assert figures(game) == {"B wagon 0,1 mid"}


@pytest.mark.rule("WAG-09")
def test_wag_22_not_to_an_abbey_with_a_monk():
    game = beside_the_abbey(city=": B wagon E", monk="meeple mid")
    assert (game.scores, waits_for(game), wagons(game, "B")) == ((0, 4), None, 1)


@pytest.mark.rule("WAG-21")
def test_wag_22_from_a_road_to_the_abbey_that_closed_it():
    game = beside_the_abbey(road=": B wagon E", east="bg-monastery-road 2,1 r0")
    assert game.scores == (0, 2)
    assert targets(game) == {"0,1 mid", "2,1 mid"}


def test_wag_22_from_a_city_to_an_abbey_that_was_there_before():
    tiles = """
        bg-cap-straight 0,0 r0; bg-straight -1,0 r0; bg-straight 1,0 r0
        bg-span -1,1 r1: A wagon E; bg-straight 1,1 r0
        bg-monastery -1,2 r0; bg-cap 0,2 r2
        am-abbey 0,1 r0
        """
    game = played(
        tiles, "bg-cap -2,1 r1; pass", seat="B", rules=f"abbeys: true, {C1}", headers="[abbeys 0:1]"
    )
    assert game.scores == (4, 0)
    assert targets(game) == {"0,1 mid"}


@pytest.mark.rule("WAG-14", "ABB-21")
@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (C1, {"1,1 E"}),
        ("", {"0,0 N", "-1,0 E", "0,0 E", "1,0 E", "1,1 E", "-1,2 W", "0,2 S", "1,2 S"}),
    ],
)
def test_wag_12_a_wagon_on_an_abbey_that_is_complete_at_once(rules, expected):
    tiles = """
        bg-cap-straight 0,0 r0; bg-straight -1,0 r0; bg-straight 1,0 r0
        bg-cap -1,1 r3: B meeple W; bg-straight 1,1 r0
        bg-cap-garden -1,2 r3; bg-cap 0,2 r2; bg-cap 1,2 r2
        """
    text = position(tiles, turn="B acts", rules=", ".join(filter(None, ("abbeys: true", rules))))
    game = play(text, "pass", "am-abbey 0,1 r0", "wagon mid")
    assert (game.scores, waits_for(game)) == ((9, 0), "A")
    assert targets(game) == expected


@pytest.mark.rule("WAG-21")
def test_wag_22_from_a_completed_abbey_to_what_lies_beside_it():
    # The city beside the abbey has another open side, and so does the road.
    tiles = """
        bg-cap-straight 0,0 r0; bg-straight -1,0 r0; bg-straight 1,0 r0
        bg-span -1,1 r1; bg-straight 1,1 r0
        bg-monastery -1,2 r0; bg-cap 0,2 r2
        am-abbey 0,1 r0: A wagon mid
        """
    game = played(
        tiles, "bg-cap 1,2 r2; pass", seat="B", rules=f"abbeys: true, {C1}", headers="[abbeys 0:1]"
    )
    assert game.scores == (9, 0)
    # No targets: the monastery diagonal to the abbey, the road north of it, the city south of it.
    assert targets(game) == {"-1,1 E", "1,1 E"}


def after_the_city(tiles, last="bg-cap 0,-2 r2", rules=C1):
    """Return the targets after B completes the city of A's wagon north of the start tile."""
    game = played(
        f"bg-cap-straight 0,0 r0: A wagon N\n{tiles}", last, "pass", seat="B", rules=rules
    )
    assert game.scores[0] > 0
    return targets(game)


def test_wag_22_from_a_city_to_the_monastery_inside_it():
    tile = "bcb-span-monastery 0,-1 r0"
    assert after_the_city(tile) == {"0,-1 mid"}
    assert after_the_city(tile, rules="") == {"0,-1 mid", "0,0 E"}
    assert after_the_city(f"{tile}: B meeple mid") == set()


@pytest.mark.rule("WAG-28")
def test_wag_22_from_a_monastery_to_the_city_around_it():
    # The city is open in the east; no road leads away from the monastery.
    tiles = """
        bg-cap-straight 0,0 r0; bg-straight -1,0 r0; bg-straight 1,0 r0
        bg-cap -1,1 r1
        bcb-span-monastery 0,1 r1: A wagon mid
        bg-span 1,1 r1
        bg-monastery -1,2 r0; bg-cap 0,2 r2
        """
    game = played(tiles, "bg-cap 1,2 r2; pass", seat="B", rules=C1)
    assert game.scores == (9, 0)
    assert targets(game) == {"-1,1 E", "0,1 E", "1,1 E"}


def test_wag_23_not_to_a_city_whose_wall_or_tip_touches():
    last = "bg-caps-adjacent 0,-1 r1"
    assert after_the_city("", last) == set()
    assert after_the_city("", last, rules="") == {"0,0 E", "0,-1 E"}
    # On two tiles, the open city in the east and the completed city touch at the corner.
    beside = "bg-cap-straight 1,0 r0\nbg-span 1,-1 r0"
    assert after_the_city(beside, "bg-cap 0,-1 r2") == set()
    assert after_the_city(beside, "bg-cap 0,-1 r2", rules="") == {
        "0,0 E",
        "1,0 E",
        "1,0 N",
        "1,-1 N",
    }


@pytest.mark.parametrize(
    "tile",
    [
        "am-spans-crossing-shield 0,-1 r0",
        "am-spans-crossing-shield 0,-1 r1",
        "am-span-and-bridged-cap-shield 0,-1 r0",
    ],
)
def test_wag_25_not_to_a_city_that_crosses_by_a_bridge(tile):
    assert after_the_city(tile) == set()
    assert after_the_city(tile, rules="") == {"0,0 E", "0,-1 E"}


def test_wag_26_not_to_a_road_on_the_other_side_of_a_monastery():
    found = after_the_road("am-monastery-four-roads 1,0 r0")
    assert found == {"-1,0 mid", "1,0 mid"}
    near = after_the_road("am-monastery-four-roads 1,0 r0", rules="")
    assert near == {"0,0 N", "-1,0 mid", "1,0 mid", "1,0 N", "1,0 E", "1,0 S"}


def test_wag_26_not_even_to_the_other_roads_if_the_monastery_is_taken():
    tiles = "bg-cap-straight 0,0 r0: A wagon E; am-monastery-four-roads 1,0 r0: B meeple mid"
    game = played(tiles, "bg-monastery-road -1,0 r2; pass", seat="B", rules=C1)
    assert targets(game) == {"-1,0 mid"}


@pytest.mark.rule("WAG-26")
@pytest.mark.parametrize(
    "east",
    ["bcb-roads-bazaar 1,0 r0", "bcb-roads-bazaar-inn 1,0 r0", "bcb-roads-bazaar-inn 1,0 r2"],
)
def test_wag_29_not_to_the_road_on_the_other_side_of_a_bazaar(east):
    assert after_the_road(east) == {"-1,0 mid"}
    assert after_the_road(east, rules="") == {"0,0 N", "-1,0 mid", "1,0 E"}


@pytest.mark.rule("WAG-27")
def test_wag_29_not_to_the_city_behind_a_bazaar():
    east = "bcb-cap-road-bazaar 1,0 r1"
    assert after_the_road(east) == {"-1,0 mid"}
    assert after_the_road(east, rules="") == {"0,0 N", "-1,0 mid", "1,0 E"}


@pytest.mark.parametrize(
    ("middle", "end"),
    [
        ("am-span-tunnel-shield 1,0 r0", "bg-monastery-road 2,0 r0"),
        ("am-span-tunnel-shield 1,0 r2", "bg-monastery-road 2,0 r0"),
        ("am-cap-curve-left-touching 1,0 r0", "bg-monastery-road 1,1 r1"),
        ("am-cap-curve-right-touching 1,0 r1", "bg-monastery-road 1,1 r1"),
        ("bg-cap-straight 1,0 r0", "bg-monastery-road 2,0 r0"),
    ],
)
def test_wag_27_not_from_a_road_to_a_city_without_a_gate(middle, end):
    x, y = end.split()[1].split(",")
    west = "bg-city3-gate -1,0 r2: B meeple N"
    assert after_the_road(end, west=west, more=middle) == {f"{x},{y} mid"}


def test_wag_27_not_from_a_city_to_a_road_that_passes_through_it():
    tiles = "am-span-tunnel-shield 0,-1 r0"
    assert after_the_city(tiles) == set()
    assert after_the_city(tiles, rules="") == {"0,0 E", "0,-1 E"}


def test_wag_28_the_wagon_may_go_to_any_tile_of_the_feature():
    tiles = """
        bg-cap-straight 0,0 r0: A wagon E; bg-city3-gate -1,0 r2: B meeple N
        bg-straight 0,1 r0; bg-straight 1,1 r0; bg-straight 2,1 r0
        bg-straight 2,0 r0; bg-straight 3,0 r0; bg-straight 4,0 r0
        """
    text = position(tiles, turn="A places bg-junction", rules=C1)
    game = play(text, "bg-junction 1,0 r2", "pass")
    assert targets(game) == {"1,0 N", "1,0 E", "2,0 E", "3,0 E", "4,0 E"}
    assert names(game) == {"home", *(f"to {x},0" for x in (1, 2, 3, 4))}
    then(game, "to 4,0; wagon 4,0 E")
    assert figures(game) == {"A wagon 4,0 E", "B meeple -1,0 N"}
    # In the second edition only the tiles around the wagon count, connected or not.
    game = play(text.replace(f", {C1}", ""), "bg-junction 1,0 r2", "pass")
    assert targets(game) == {"0,0 N", "0,1 E", "1,1 E", "1,0 N", "1,0 E"}


@pytest.mark.parametrize(
    ("rules", "expected"), [(C1, {"-1,0 mid", "2,0 N", "2,0 E"}), ("", {"-1,0 mid", "0,0 N"})]
)
def test_wag_31_the_link_may_lie_on_any_tile_of_the_completed_feature(rules, expected):
    tiles = "bg-cap-straight 0,0 r0; bg-monastery-road -1,0 r2: A wagon E; bg-straight 1,0 r0"
    game = played(tiles, "bg-junction 2,0 r2; pass", rules=rules)
    assert game.scores == (4, 0)
    assert targets(game) == expected


@pytest.mark.rule("WAG-09")
def test_wag_30_the_booklets_road_of_three():
    # The wagon may go to the monastery on the right or the city below.
    tiles = """
        bg-cap-straight 0,0 r0: A wagon E; am-road-end-garden -1,0 r2
        bg-cap 0,-1 r2
        bg-cap 0,1 r2
        """
    game = played(tiles, ROAD_END, "pass", **ROAD_TURN)
    assert score_log(game) == [("A", 3, Kind.ROAD)]
    assert names(game) == {"home", "wagon 1,0 mid", "wagon 0,1 S"}


#: The booklet's city of six points, with a monastery and a completed road above it, a road below it
#: and a city with Blue's knight on the left. (Blue also has the city on the right, to make room.)
BOOKLET_CITY = """
    bg-cap-straight 0,0 r0
    bg-span 0,-1 r0: A wagon N; bg-cap -1,-1 r3: B meeple W
    am-road-end-garden -1,-2 r1
    bg-monastery-road -1,-3 r3
    bg-cap 1,-1 r1: B meeple E
    bg-monastery 1,-2 r0; bg-cap 0,-2 r2
    """


@pytest.mark.rule("WAG-09", "HOUSE-01")
def test_wag_30_the_booklets_city_of_six_points():
    game = played(BOOKLET_CITY, "pass")
    assert score_log(game) == [("A", 6, Kind.CITY)]
    assert names(game) == {"home", "wagon 1,-2 mid", "wagon 0,0 E"}


def test_house_01_off_by_default():
    assert not Rules().house_wagon_roll
    assert not Rules.preset("abbey-mayor").house_wagon_roll


def test_house_01_a_wagon_may_roll_on_over_a_complete_feature():
    game = played(BOOKLET_CITY, "pass", rules="house_wagon_roll: true")
    assert {"home", "wagon 1,-2 mid", "wagon 0,0 E", "wagon -1,-2 N"} <= names(game)
    assert not {"wagon -1,-1 W", "wagon 1,-1 E"} & names(game)  # occupied by B
    game.apply("wagon -1,-2 N")
    # The wagon is now on the completed road and must move on from there or go home.
    assert waits_for(game) == "A"
    assert {"home", "wagon -1,-3 mid"} <= names(game)
    assert not {"wagon -1,-2 N", "wagon 1,-2 mid", "wagon 0,0 E"} & names(game)
    game.apply("wagon -1,-3 mid")
    assert figures(game) == {"A wagon -1,-3 mid", "B meeple -1,-1 W", "B meeple 1,-1 E"}
    assert (game.phase, game.decider, game.scores) == (Phase.PLACE_TILE, 1, (6, 0))


def test_house_01_from_a_complete_feature_it_may_go_home():
    game = played(BOOKLET_CITY, "pass; wagon -1,-2 N; home", rules="house_wagon_roll: true")
    assert (waits_for(game), wagons(game, "A"), game.scores) == (None, 1, (6, 0))
    assert figures(game) == {"B meeple -1,-1 W", "B meeple 1,-1 E"}


def test_house_01_rolling_comes_to_an_end():
    game = played(BOOKLET_CITY, "pass", rules="house_wagon_roll: true")
    stops = []
    while complete := targets(game) & {"-1,-2 N", "0,0 N", "0,-1 N", "0,-2 S"}:
        stops.append(sorted(complete)[0])
        game.apply(f"wagon {stops[-1]}")
    # The wagon stops on one road and at most one city, once each.
    assert "-1,-2 N" in stops
    assert len(stops) <= 2
    assert "home" in names(game)


def linked(tile, one, other):
    """Return whether the engine links two segments, named c0, r1, m as in the tile facts."""
    design = DESIGN[tile]
    kinds = [kind for kind in SEGMENT_KIND[design].tolist() if kind]
    first = {"c": 0, "r": kinds.count(Kind.CITY), "m": len(kinds) - 1}
    a, b = (first[name[0]] + int(name[1:] or 0) for name in (one, other))
    assert bool(LINKED[design, a] >> b & 1) == bool(LINKED[design, b] >> a & 1)
    return bool(LINKED[design, a] >> b & 1)


def test_wag_24_stubs_of_road_do_not_link_two_cities():
    assert not linked("ic-caps-opposite-crossing", "c0", "c1")
    assert linked("ic-caps-opposite-crossing", "c0", "r0")
    assert linked("ic-caps-opposite-crossing", "r0", "r1")


def test_wag_26_a_monastery_links_its_two_roads_with_itself_alone():
    assert not linked("ic-monastery-two-roads", "r0", "r1")
    assert linked("ic-monastery-two-roads", "r0", "m")
    assert linked("ic-monastery-two-roads", "r1", "m")


@pytest.mark.parametrize("tile", ["bcb-roads-bazaar", "bcb-roads-bazaar-inn"])
def test_wag_29_there_is_no_way_past_a_bazaar(tile):
    assert not linked(tile, "r0", "r1")
    assert linked("bg-junction", "r0", "r1")
