"""INN: large meeples, inns and cathedrals, and how they interact with other expansions."""

import pytest

from carc_env.engine.core.codes import Figure, Kind, Phase
from carc_env.game.game import Game
from carc_env.rules import Rules

from .looks import figures, in_supply, meeples, names, offered, score_log, targets
from .positions import START_LINE, Table, then
from .scenario import play

LARGE = "large_meeples: true"
INNS = "inns: true"
NEW_FIGURES = "mayors: true, wagons: true, barns: true"
C1 = "edition: C1, abbot: false"

TABLE = Table(sets="base, inns", rules=f"{LARGE}, {INNS}")
position, played, at_the_end = TABLE.position, TABLE.played, TABLE.at_the_end


def large(game, seat):
    return in_supply(game, seat, Figure.LARGE)


@pytest.mark.rule("SET-06")
def test_inn_01_nobody_has_one_where_they_are_not_in_play():
    game = Game(Rules(sets=("base", "inns"), inns=True), seed=1)
    assert (large(game, "A"), large(game, "B")) == (0, 0)
    assert names(played(START_LINE, "ic-cathedral 0,-1 r0", rules=INNS)) == {"meeple N", "pass"}


#: All but the last tile of a five-tile city without coats of arms.
CITY = """
    bg-cap-straight 0,0 r0: {knights}
    bg-corner 0,-1 r1; bg-corner 1,-1 r3
    bg-corner-garden 1,-2 r2
    """


@pytest.mark.rule("BASE-16", "BASE-17")
@pytest.mark.parametrize(
    ("knights", "scores"),
    [
        ("A large N", (10, 0)),
        ("A large N, B meeple N", (10, 0)),
        ("A large N, B meeple N, B meeple N", (10, 10)),
        ("A large N, B meeple N, B meeple N, B meeple N", (0, 10)),
        ("A large N, B large N", (10, 10)),
        ("A large N, A meeple N, B large N", (10, 0)),
        ("A large N, A meeple N, B large N, B meeple N", (10, 10)),
    ],
)
def test_inn_01_a_large_knight_has_strength_two_and_goes_home(knights, scores):
    game = played(CITY.format(knights=knights), "bg-cap 0,-2 r1; pass")
    assert (game.scores, figures(game)) == (scores, set())
    assert (large(game, "A"), large(game, "B"), meeples(game, "B")) == (1, 1, 7)


@pytest.mark.parametrize(("thieves", "points"), [(1, (4, 0)), (2, (4, 4)), (3, (0, 4))])
def test_inn_01_strength_two_on_roads(thieves, points):
    tiles = f"""
        bg-cap-straight 0,0 r0: A large E{", B meeple E" * thieves}
        bg-monastery-road -1,0 r2; bg-straight 1,0 r0
        """
    assert played(tiles, "bg-monastery-road 2,0 r0; pass").scores == points


@pytest.mark.parametrize(("others", "scores"), [(1, (2, 0)), (2, (2, 2)), (3, (0, 2))])
def test_inn_01_strength_two_on_monasteries_and_at_the_end(others, scores):
    tiles = f"{START_LINE}\nbg-monastery 0,1 r0: A large mid{', B meeple mid' * others}"
    assert at_the_end(tiles) == scores


@pytest.mark.rule("BASE-24")
@pytest.mark.parametrize(("others", "scores"), [(1, (3, 0)), (2, (3, 3)), (3, (0, 3))])
def test_inn_01_strength_two_in_fields(others, scores):
    tiles = f"bg-cap-straight 0,0 r0: A large En{', B meeple En' * others}\nbg-cap 0,-1 r2"
    assert at_the_end(tiles) == scores


@pytest.mark.rule("BASE-06", "BASE-09")
def test_inn_01_placed_it_occupies_and_is_not_offered_again():
    text = position(START_LINE, turn="A places bg-span")
    game = play(text, "bg-span 0,-1 r0", "large N", bag=("bg-span-shield", "bg-cap", "bg-curve"))
    assert (figures(game), large(game, "A"), large(game, "B")) == ({"A large 0,-1 N"}, 0, 1)
    game.apply("bg-span-shield 0,-2 r0")
    assert names(game) == {"meeple En", "meeple Ws", "large En", "large Ws", "pass"}
    then(game, "pass; bg-cap 0,-3 r2")
    assert names(game) == {"meeple Nw", "pass"}
    game.apply("pass")
    assert score_log(game) == [("A", 10, Kind.CITY)]
    assert (figures(game), large(game, "A")) == (set(), 1)


def test_inn_01_a_second_one_is_refused():
    with pytest.raises(ValueError, match="large"):
        played("bg-cap-straight 0,0 r0: A large N, A large E")
    with pytest.raises(ValueError, match="large"):
        played("bg-cap-straight 0,0 r0: A large N", rules=INNS)


#: A road that begins at a monastery and crosses the start tile.
ROAD = """
    bg-cap-straight 0,0 r0: A meeple E; bg-monastery-road -1,0 r2
    """


@pytest.mark.rule("SET-06")
@pytest.mark.parametrize(
    ("middle", "end", "points"),
    [
        ("ic-straight-inn-garden", "ic-corner-gate-left-inn", 8),
        ("ic-straight-inn-garden", "bg-monastery-road", 8),
        ("bg-straight", "ic-corner-gate-left-inn", 8),
        ("bg-straight", "bg-monastery-road", 4),
    ],
)
def test_inn_02_a_complete_road_with_inns_scores_two_for_each_tile(middle, end, points):
    tiles = f"{ROAD}\n{middle} 1,0 r0"
    game = played(tiles, f"{end} 2,0 r0; pass")
    assert score_log(game) == [("A", points, Kind.ROAD)]
    assert meeples(game, "A") == 7
    # If the rules leave inns out, the inns drawn on the tiles have no effect.
    assert played(tiles, f"{end} 2,0 r0; pass", rules=LARGE).scores == (4, 0)


@pytest.mark.rule("BASE-17")
def test_inn_02_tied_players_get_all_of_it():
    tiles = ROAD.replace("A meeple E", "A meeple E, B meeple E") + "ic-straight-inn-garden 1,0 r0"
    assert played(tiles, "bg-monastery-road 2,0 r0; pass").scores == (8, 8)


@pytest.mark.parametrize("tile", ["ic-curve-inn", "ic-corner-curve-shield-inn"])
def test_inn_02_curves_have_inns_too(tile):
    # A curve leads the road from the start tile to the south, where it ends.
    tiles = f"{ROAD}\n{tile} 1,0 r0"
    assert played(tiles, "bg-monastery-road 1,1 r1; pass").scores == (8, 0)


def test_inn_02_the_inn_may_come_last():
    tiles = f"""{ROAD}
        bg-curve 1,0 r0
        bg-monastery 0,1 r0
        bg-monastery 0,2 r0; bg-monastery-road 1,2 r1
        """
    game = played(tiles, "ic-straight-inn-garden 1,1 r1; pass")
    assert score_log(game) == [("A", 10, Kind.ROAD)]


@pytest.mark.rule("BASE-23", "SET-06")
@pytest.mark.parametrize(
    ("tile", "rules", "points"),
    [
        ("ic-straight-inn-garden", INNS, 0),
        ("ic-straight-inn-garden", "inns: false", 5),
        ("bg-straight", INNS, 5),
    ],
)
def test_inn_03_an_incomplete_road_with_an_inn_scores_nothing(tile, rules, points):
    tiles = f"{ROAD}\n{tile} 1,0 r0\nbg-straight 2,0 r0\nbg-straight 3,0 r0"
    assert at_the_end(tiles, rules=rules) == (points, 0)


#: All but the last tile of a six-tile city with two coats of arms.
CATHEDRAL = """
    bg-cap-straight 0,0 r0: {knights}
    ic-cathedral 0,-1 r0
    bg-corner-shield-garden 0,-2 r1; bg-corner 1,-2 r2
    bg-corner-shield 1,-1 r3
    """


@pytest.mark.rule("SET-06")
@pytest.mark.parametrize(("rules", "points"), [(INNS, 24), ("inns: false", 16)])
def test_inn_04_a_complete_city_with_a_cathedral_scores_three_for_tiles_and_coats(rules, points):
    tiles = CATHEDRAL.format(knights="A meeple N")
    game = played(tiles, "bg-cap -1,-1 r1; pass", rules=rules)
    assert score_log(game) == [("A", points, Kind.CITY)]
    assert meeples(game, "A") == 7


@pytest.mark.rule("BASE-23", "SET-06")
@pytest.mark.parametrize(("rules", "points"), [(INNS, 0), ("inns: false", 7)])
def test_inn_04_incomplete_it_scores_nothing_at_the_end(rules, points):
    assert at_the_end(CATHEDRAL.format(knights="A meeple N"), rules=rules) == (points, 0)


@pytest.mark.rule("INN-01")
def test_inn_04_the_majority_counts_as_ever():
    tiles = CATHEDRAL.format(knights="A large N, B meeple N, B meeple N, B meeple N")
    assert played(tiles, "bg-cap -1,-1 r1; pass").scores == (0, 24)
    assert at_the_end(tiles) == (0, 0)


def test_inn_04_a_second_cathedral_adds_nothing():
    tiles = """
        bg-cap-straight 0,0 r0: A meeple N
        ic-cathedral 0,-1 r0
        ic-cathedral 0,-2 r0
        bg-cap 1,-1 r3
        bg-cap 1,-2 r3
        bg-cap -1,-1 r1
        bg-cap -1,-2 r1
        """
    assert played(tiles, "bg-cap-garden 0,-3 r2; pass").scores == (24, 0)


#: A cathedral city of five tiles, closed by the start tile and caps; its last cap is missing.
SMALLEST = "{start}; ic-cathedral 0,-1 r0; bg-cap 1,-1 r3; bg-cap -1,-1 r1"


@pytest.mark.rule("BASE-13")
@pytest.mark.parametrize("small", [4, 2])
def test_inn_04_closed_by_caps_it_has_at_least_five_tiles(small):
    tiles = SMALLEST.format(start=f"{START_LINE}: A meeple N")
    rules = f"{INNS}, small_city_points: {small}"
    assert played(tiles, "bg-cap 0,-2 r2; pass", rules=rules).scores == (15, 0)


#: A cathedral in the city of the start tile with holes on its other three sides; abbeys fill two
#: of the holes.
BETWEEN_ABBEYS = """
    bg-cap-straight 0,0 r0: {knights}
    ic-cathedral 0,-1 r0
    bg-straight 1,0 r0; bg-straight 2,0 r0; bg-straight -1,0 r0; bg-straight -2,0 r0
    bg-monastery 2,-1 r0
    bg-monastery 2,-2 r0; bg-monastery 1,-2 r0
    bg-straight 1,-3 r0; bg-straight 0,-3 r0; bg-straight -1,-3 r0
    bg-monastery -1,-2 r0
    bg-cap -2,-1 r0; am-abbey 1,-1 r0; am-abbey -1,-1 r0
    """


@pytest.mark.rule("ABB-10", "BASE-13")
@pytest.mark.parametrize(("rules", "points"), [(INNS, 6), ("inns: false", 4)])
@pytest.mark.parametrize("small", [4, 2])
def test_inn_04_closed_by_abbeys_it_may_have_two_tiles(rules, points, small):
    game = played(
        BETWEEN_ABBEYS.format(knights="A meeple N"),
        "pass; am-abbey 0,-2 r0; pass",
        seat="C",
        rules=f"abbeys: true, small_city_points: {small}, {rules}",
        headers="[abbeys 1:0:0]",
        n_players=3,
    )
    is_plain_pair = points == 4 and small == 2
    assert score_log(game) == [("A", 2 if is_plain_pair else points, Kind.CITY)]


@pytest.mark.rule("BASE-24")
@pytest.mark.parametrize("rules", [INNS, "inns: false"])
@pytest.mark.parametrize("middle", ["ic-cathedral", "bg-city4-shield"])
def test_inn_05_for_a_field_it_is_a_city_like_any_other(rules, middle):
    tiles = SMALLEST.format(start=f"{START_LINE}: A meeple En").replace("ic-cathedral", middle)
    assert at_the_end(tiles, rules=rules) == (0, 0)
    assert at_the_end(f"{tiles}\nbg-cap 0,-2 r2", rules=rules) == (3, 0)


#: Roads that will meet at (1, 0). With the tile there, each has three tiles. A owns the western and
#: the southern road, B the eastern one.
ARMS = """
    bg-cap-straight 0,0 r0: A meeple E; bg-monastery-road -1,0 r2
    bg-monastery 0,1 r0; bg-straight 1,1 r1: A meeple N
    bg-junction 1,2 r1
    bg-monastery 2,1 r0
    bg-straight 2,0 r0: B meeple E; bg-junction 3,0 r0
    """


@pytest.mark.rule("INN-02")
@pytest.mark.parametrize(("rules", "points"), [(INNS, 6), ("inns: false", 3)])
def test_inn_06_the_inn_of_the_junction_stands_at_one_of_its_arms(rules, points):
    game = played(ARMS, "ic-junction-inn 1,0 r0; pass", rules=rules)
    log = [("A", 3, Kind.ROAD), ("A", 3, Kind.ROAD), ("B", points, Kind.ROAD)]
    assert sorted(score_log(game)) == log


@pytest.mark.rule("INN-03")
def test_inn_06_at_the_end_that_arm_alone_scores_nothing():
    tiles = ARMS.replace("bg-monastery-road -1,0 r2", "").replace("bg-junction 1,2 r1", "")
    tiles = tiles.replace("bg-junction 3,0 r0", "") + "ic-junction-inn 1,0 r0"
    assert at_the_end(tiles, rules=INNS) == (4, 0)
    assert at_the_end(tiles, rules="inns: false") == (4, 2)


@pytest.mark.rule("BAZ-25", "SET-06")
@pytest.mark.parametrize(
    ("place", "points"),
    [
        ("bcb-roads-bazaar-inn 1,0 r0", 3),
        ("bcb-roads-bazaar-inn 1,0 r2", 6),
        ("bcb-road-bazaar-inn 1,0 r0", 6),
        ("bcb-roads-bazaar 1,0 r0", 3),
    ],
)
def test_inn_06_at_a_bazaar_it_stands_at_one_road(place, points):
    assert played(ROAD, place, "pass", rules=INNS, sets="base, bridges").scores == (points, 0)
    assert played(ROAD, place, "pass", rules=LARGE, sets="base, bridges").scores == (3, 0)


@pytest.mark.rule("BRI-25", "BRI-17")
def test_inn_07_the_inn_of_a_road_does_not_affect_the_bridge_across_it():
    tiles = f"{START_LINE}\nbg-monastery-road 0,1 r2"
    game = played(
        tiles,
        "ic-straight-inn-garden 1,1 r1; meeple E; bg-monastery-road 2,1 r0; pass",
        rules="inns: true, bridges: true",
        bag=("bg-monastery-road", "bg-curve"),
    )
    assert game.stock(0)["bridges"] == 2
    assert score_log(game) == [("A", 3, Kind.ROAD)]


@pytest.mark.rule("BRI-25")
@pytest.mark.parametrize(("spot", "points"), [("N", 0), ("E", 2)])
def test_inn_07_the_road_below_keeps_its_inn(spot, points):
    tiles = f"""
        {START_LINE}
        bg-monastery-road 0,1 r2; ic-straight-inn-garden 1,1 r1 bridge EW: A meeple {spot}
        """
    rules, hand = "inns: true, bridges: true", "[bridges 2:3]"
    assert at_the_end(tiles, rules=rules, headers=hand) == (points, 0)


@pytest.mark.rule("BRI-25", "BRI-07")
@pytest.mark.parametrize(
    ("end", "points"), [("ic-corner-gate-left-inn", 8), ("bg-monastery-road", 4)]
)
def test_inn_08_a_bridge_of_a_road_with_an_inn_counts_two(end, points):
    tiles = f"{ROAD}\nbg-monastery 1,0 r0 bridge EW"
    options = {"rules": "inns: true, bridges: true", "headers": "[bridges 3:2]"}
    assert played(tiles, f"{end} 2,0 r0; pass", **options).scores == (points, 0)


@pytest.mark.rule("BRI-25")
def test_inn_08_and_nothing_while_the_road_is_open():
    tiles = f"{ROAD}\nbg-monastery 1,0 r0 bridge EW\nic-straight-inn-garden 2,0 r0"
    options = {"headers": "[bridges 3:2]"}
    assert at_the_end(tiles, rules="inns: true, bridges: true", **options) == (0, 0)
    assert at_the_end(tiles, rules="bridges: true", **options) == (4, 0)


@pytest.mark.rule("ABT-03")
def test_inn_09_a_cathedral_takes_knights_and_no_abbot():
    game = played(START_LINE, "ic-cathedral 0,-1 r0", rules=f"{LARGE}, {INNS}, {NEW_FIGURES}")
    assert names(game) == {"meeple N", "large N", "mayor N", "wagon N", "pass"}


#: All but the last tile of a five-tile city with a mayor and three coats of arms.
MAYOR = """
    bg-cap-straight 0,0 r0: A mayor N
    am-city4-two-shields 0,-1 r0
    am-cap-triangle-shield 0,-2 r2: {theirs}
    bg-cap 1,-1 r3
    """


@pytest.mark.rule("INN-01")
@pytest.mark.parametrize(
    ("theirs", "scores"),
    [
        ("B large S", (16, 0)),
        ("B large S, B wagon S", (16, 16)),
        ("B large S, B meeple S", (16, 16)),
        ("B large S, B wagon S, B meeple S", (0, 16)),
    ],
)
def test_may_06_a_large_meeple_has_strength_two_against_a_mayor(theirs, scores):
    rules = f"{LARGE}, mayors: true, wagons: true"
    tiles = MAYOR.format(theirs=theirs)
    game = played(tiles, "bg-cap -1,-1 r1; pass", rules=rules, sets="base, abbey")
    assert game.scores == scores


@pytest.mark.rule("INN-01")
@pytest.mark.parametrize(("knight", "word"), [("large", "mayor"), ("mayor", "large")])
def test_may_03_a_city_with_one_of_them_is_closed_to_the_other(knight, word):
    rules = f"{LARGE}, mayors: true"
    free = played(START_LINE, "bg-span 0,-1 r0", rules=rules)
    taken = played(f"{START_LINE}: B {knight} N", "bg-span 0,-1 r0", rules=rules)
    assert "N" in offered(free, word)
    assert "N" not in offered(taken, word)


@pytest.mark.rule("INN-04")
@pytest.mark.parametrize(
    ("theirs", "scores"),
    [
        ("B meeple S", (18, 18)),
        ("B meeple S, B meeple S", (0, 18)),
        ("B large S", (0, 18)),
    ],
)
def test_may_14_a_cathedral_does_not_change_the_strength_of_a_mayor(theirs, scores):
    tiles = MAYOR.format(theirs=theirs).replace("am-city4-two-shields", "ic-cathedral")
    rules = f"{LARGE}, {INNS}, mayors: true"
    game = played(tiles, "bg-cap -1,-1 r1; pass", rules=rules, sets="base, inns, abbey")
    assert game.scores == scores


#: A hole at (0, 1); a road with an inn leads from it to a monastery in the east.
HOLE = """
    bg-cap-straight 0,0 r0; bg-straight -1,0 r0; bg-straight 1,0 r0
    bg-monastery -1,1 r0; ic-straight-inn-garden 1,1 r0: B meeple E; bg-monastery-road 2,1 r0
    bg-monastery 1,2 r0; bg-monastery 0,2 r0
    """


@pytest.mark.rule("ABB-07", "INN-01")
def test_abb_21_a_large_meeple_may_stand_on_an_abbey():
    rules = f"{LARGE}, {NEW_FIGURES}, abbeys: true"
    game = played(HOLE, "pass; am-abbey 0,1 r0", seat="B", rules=rules)
    assert names(game) == {"meeple mid", "large mid", "abbot mid", "wagon mid", "pass"}
    game.apply("large mid")
    assert "A large 0,1 mid" in figures(game)
    assert (large(game, "A"), game.standings[0]) == (0, 8)


@pytest.mark.rule("ABB-10", "INN-02", "INN-03")
@pytest.mark.parametrize(("rules", "points"), [(INNS, 4), ("inns: false", 2)])
def test_abb_09_an_abbey_closes_a_road_with_an_inn(rules, points):
    text = position(HOLE, turn="B acts", rules=f"abbeys: true, {rules}")
    assert play(text).standings == (0, 0 if rules == INNS else 2)
    game = play(text, "pass", "am-abbey 0,1 r0", "pass")
    assert score_log(game) == [("B", points, Kind.ROAD)]


@pytest.mark.rule("INN-01")
def test_bri_11_a_large_meeple_may_stand_on_a_bridge():
    game = played(START_LINE, "bg-monastery 1,0 r0", rules=f"{LARGE}, bridges: true")
    assert offered(game, "large") == offered(game, "meeple") == {"mid", "Nw", "E"}
    game.apply("large E")
    assert (figures(game), game.standings) == ({"A large 1,0 E"}, (2, 0))


@pytest.mark.rule("INN-01", "CAS-07")
def test_cas_34_a_large_meeple_alone_decides_on_a_town_and_becomes_its_lord():
    tiles = f"{START_LINE}: A large N, B meeple N"
    game = played(tiles, "bg-cap 0,-1 r2; pass", rules=f"{LARGE}, castles: true")
    assert (game.phase, game.decider) == (Phase.CASTLE, 0)
    assert names(game) == {"castle", "score"}
    game.apply("castle")
    assert (game.phase, figures(game)) == (Phase.PLACE_TILE, {"A large 0,0 N"})
    assert (large(game, "A"), meeples(game, "B"), game.scores) == (0, 7, (0, 0))


@pytest.mark.rule("INN-01")
def test_cas_36_two_normal_meeples_tie_with_a_large_one():
    tiles = f"{START_LINE}: A large N, B meeple N, B meeple N"
    game = played(tiles, "bg-cap 0,-1 r2; pass", rules=f"{LARGE}, castles: true")
    assert (game.phase, game.decider) == (Phase.CASTLE, 0)
    game.apply("castle")
    assert (game.phase, game.decider) == (Phase.CASTLE, 1)
    game.apply("castle")
    assert sorted(figures(game)) == ["A large 0,0 N", "B meeple 0,0 N"]


#: A's castle on (0, 1) and (0, 2), and the tiles in its fief.
CASTLE = "bg-cap-straight 0,0 r0; bg-cap 0,1 r2; bg-cap 0,2 r0: A large N; {fief}"
#: A road of two tiles with an inn, from a crossing into the fief.
INN_ROAD = "bg-crossroads 1,0 r0\n    ic-straight-inn-garden 1,1 r1: B meeple N"
#: A four-tile city with a cathedral; one of its tiles is in the fief.
CATHEDRAL_CITY = """bg-cap 1,1 r1: B meeple E
    ic-cathedral 2,1 r0
    bg-cap-straight 2,2 r0
    bg-cap-straight 2,0 r2"""


@pytest.mark.rule("CAS-11", "INN-02", "INN-04")
@pytest.mark.parametrize(
    ("fief", "last", "rules", "points"),
    [
        (INN_ROAD, "bg-monastery-road 1,2 r1", INNS, 6),
        (INN_ROAD, "bg-monastery-road 1,2 r1", "inns: false", 3),
        (CATHEDRAL_CITY, "bg-cap 3,1 r3", INNS, 15),
        (CATHEDRAL_CITY, "bg-cap 3,1 r3", "inns: false", 10),
    ],
)
def test_cas_19_a_castle_gets_the_value_with_inn_or_cathedral(fief, last, rules, points):
    kind = Kind.ROAD if fief == INN_ROAD else Kind.CITY
    game = played(
        CASTLE.format(fief=fief),
        last,
        "pass",
        rules=f"{LARGE}, castles: true, {rules}",
        headers="[castles 0,1 S]\n[tokens 2:3]",
    )
    assert score_log(game) == [("B", points, kind), ("A", points, Kind.CASTLE)]
    assert (large(game, "A"), meeples(game, "B"), figures(game)) == (1, 7, set())


@pytest.mark.rule("CAS-19")
def test_cas_22_with_its_inn_the_smaller_road_is_the_better_one():
    # One tile completes a road of three tiles with an inn and one of five without.
    fief = f"""{INN_ROAD}
        bg-monastery 2,1 r0
        bg-straight 2,2 r0; bg-straight 3,2 r0; bg-straight 4,2 r0; bg-monastery-road 5,2 r0
        """
    for rules, points in ((INNS, 6), ("inns: false", 5)):
        game = played(
            CASTLE.format(fief=fief),
            "bg-junction 1,2 r3; pass",
            rules=f"{LARGE}, castles: true, {rules}",
            headers="[castles 0,1 S]\n[tokens 2:3]",
        )
        assert ("A", points, Kind.CASTLE) in score_log(game)


@pytest.mark.rule("INN-02")
def test_wag_04_a_wagon_scores_the_road_with_an_inn_and_may_move_on():
    tiles = ROAD.replace("A meeple", "A wagon") + "ic-straight-inn-garden 1,0 r0"
    game = played(tiles, "ic-corner-gate-left-inn 2,0 r0; pass", rules=f"{INNS}, wagons: true")
    assert score_log(game) == [("A", 8, Kind.ROAD)]
    assert targets(game) == {"-1,0 mid", "0,0 N"}


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (f"wagons: true, {C1}", {"0,-1 E", "0,-1 W"}),
        ("wagons: true", {"0,-1 N", "0,-1 E", "0,-1 W", "0,0 E"}),
    ],
)
def test_wag_24_the_wagon_does_not_follow_the_stubs_to_the_other_city(rules, expected):
    tiles = f"{START_LINE}: A wagon N"
    game = played(tiles, "ic-caps-opposite-crossing 0,-1 r0; pass", rules=rules)
    assert score_log(game) == [("A", 4, Kind.CITY)]
    assert targets(game) == expected


def test_wag_26_from_one_road_of_the_monastery_to_the_monastery_only():
    tiles = ROAD.replace("A meeple", "A wagon")
    game = played(tiles, "ic-monastery-two-roads 1,0 r0; pass", rules=f"wagons: true, {C1}")
    assert score_log(game) == [("A", 3, Kind.ROAD)]
    assert targets(game) == {"-1,0 mid", "1,0 mid"}


#: All but the last tile around a point in the field south of the road, which touches one city.
FIELD = "bg-cap-straight 0,0 r0: {farmers}; bg-straight 1,0 r0; bg-cap 0,1 r2; bg-cap-garden 0,2 r0"


@pytest.mark.rule("BARN-12", "INN-01")
@pytest.mark.parametrize(("others", "scores"), [(1, (3, 0)), (2, (3, 3)), (3, (0, 3))])
def test_barn_10_a_large_farmer_counts_two_when_a_barn_comes(others, scores):
    tiles = FIELD.format(farmers=f"A large Es{', B meeple Es' * others}")
    game = played(tiles, "bg-monastery 1,1 r0; barn NW", rules=f"{LARGE}, barns: true")
    assert (game.scores, figures(game)) == (scores, {"A barn 1,1 NW"})
    assert (large(game, "A"), meeples(game, "B")) == (1, 7)


@pytest.mark.rule("INN-01")
def test_barn_16_no_large_farmer_beside_a_barn():
    tiles = f"{FIELD.format(farmers='B meeple E')}\nbg-monastery 1,1 r0: B barn NW"
    game = played(tiles, "bg-monastery 1,2 r0", rules=f"{LARGE}, barns: true")
    assert offered(game, "large") == {"mid"}


@pytest.mark.rule("BARN-18", "INN-01")
@pytest.mark.parametrize(("others", "scores"), [(1, (1, 0)), (2, (1, 1)), (3, (0, 1))])
def test_barn_17_a_large_farmer_counts_two_when_fields_are_joined(others, scores):
    # The farmers are north of the road; the tile that ends the road joins both fields.
    farmers = f"A large En{', B meeple En' * others}"
    tiles = f"{FIELD.format(farmers=farmers)}\nbg-monastery 1,1 r0: B barn NW"
    game = played(tiles, "bg-monastery-road 2,0 r0; pass", rules=f"{LARGE}, barns: true")
    assert (game.scores, figures(game)) == (scores, {"B barn 1,1 NW"})


@pytest.mark.parametrize(
    ("east", "expected"),
    [
        ("ic-junction-inn 1,0 r0", {"1,0 E", "1,0 S"}),
        ("ic-corner-gate-left-inn 1,0 r0", {"1,0 N"}),
        ("ic-corner-gate-right 1,0 r1", {"1,0 E"}),
        ("ic-cap-gate 1,0 r1", {"1,0 E"}),
        ("ic-span-two-gates-shield 1,0 r0", {"1,0 N"}),
        ("ic-caps-opposite-crossing 1,0 r0", {"1,0 N", "1,0 E", "1,0 S"}),
    ],
)
def test_wag_21_from_the_road_through_gates_and_over_crossings(east, expected):
    tiles = ROAD.replace("A meeple", "A wagon")
    game = played(tiles, east, "pass", rules=f"wagons: true, {C1}")
    assert targets(game) == {"-1,0 mid"} | expected


@pytest.mark.parametrize(
    ("place", "is_castle"),
    [
        ("ic-caps-four-garden 0,-1 r0", True),
        ("ic-caps-three 0,-1 r1", True),
        ("ic-caps-opposite-crossing 0,-1 r0", True),
        ("ic-corner-shield-and-cap 0,-1 r2", True),
        ("ic-cap-gate 0,-1 r2", True),
        ("ic-cap-curve-left-inn 0,-1 r2", True),
        ("ic-cap-long 0,-1 r2", False),
    ],
)
def test_cas_02_caps_of_the_set_are_half_of_a_castle(place, is_castle):
    tiles = f"{START_LINE}: A meeple N"
    game = played(tiles, place, "pass", rules="castles: true")
    assert (game.phase == Phase.CASTLE) == is_castle
    stretched = played(tiles, place, "pass", rules="castles: true, castle_base: any_end_segment")
    assert stretched.phase == Phase.CASTLE


@pytest.mark.rule("INN-01")
@pytest.mark.parametrize("instead", ["large mid", "recall"])
def test_turn_03_a_large_meeple_comes_instead_of_any_other_figure(instead):
    tiles = f"{START_LINE}\nbg-monastery-road 1,0 r0: A abbot mid"
    game = played(tiles, "bg-monastery 0,1 r0", rules=LARGE)
    assert {"large mid", "meeple mid", "recall"} <= names(game)
    game.apply(instead)
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)
