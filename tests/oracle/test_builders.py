"""The oracle's builders against docs/rules/traders.md: where they stand, second parts.

What they have to do with bazaars is in ``test_builders_in_bazaars``.
"""

from dataclasses import replace

import pytest

from carc_env.engine.core.codes import Phase, Spot

from . import naive, turns
from .board import feature_at
from .positions import BUILDER, MEEPLE, START, placed_figures, position, spots
from .positions import legal as legal_position
from .problems import problems

pytestmark = pytest.mark.once

BUILDERS = {"builders": True, "large_meeples": True}

#: The first seat has a meeple and his builder on the road of the start tile, open at both ends.
ROAD = (START, "bg-straight 1 0 0", "bg-straight 2 0 0")
PAIR = ["0 meeple 1 0 E", "0 builder 2 0 E"]

BAG = ("bg-curve", "bg-junction", "bg-curve", "bg-curve")


def legal(*tiles, **rest):
    """Make a position with builders in which nothing is impossible."""
    return legal_position(*tiles, **BUILDERS | rest)


def play(made, *names, bag=BAG):
    """Play some actions with this bag, without problems on the way."""
    made = replace(made, bag=bag)
    for name in names:
        assert problems(replace(made, bag=None)) == []
        made = turns.following(made, name)
    assert problems(replace(made, bag=None)) == []
    return made


# --- Where a builder may stand ------------------------------------------------------------------


@pytest.mark.parametrize("figure", ["meeple", "large", "wagon"])
def test_tra_05_a_builder_joins_his_owner(figure):
    made = legal(*ROAD, figures=[f"0 {figure} 1 0 E"], wagons=True)
    choices = naive.figure_choices(made)
    assert spots(choices, BUILDER) == {"E"} and "E" not in spots(choices, MEEPLE)
    other = replace(made, turn_player=1, decider=1)
    assert spots(naive.figure_choices(other), BUILDER) == set()
    after = play(made, "builder E")
    assert after.figures[-1:] == placed_figures("0 builder 2 0 E")
    assert naive.supply(after, 0)[BUILDER] == 0


def test_tra_05_strength_0_and_beside_others():
    city = (START, "bg-span 0 -1 0", "bg-span-shield 0 -2 0")
    made = legal(*city, figures=["0 wagon 0 0 N", "1 meeple 0 -1 N"], wagons=True)
    assert spots(naive.figure_choices(made), BUILDER) == {"N"}
    built = play(made, "builder N")
    assert naive.majority(feature_at(built, 0, 0, Spot.N)) == [0, 1]


@pytest.mark.parametrize(
    ("tiles", "people"),
    [
        ((START, "bg-straight 1 0 0", "bg-monastery 1 1 0"), ["0 meeple 1 0 Es"]),
        ((START, "bg-monastery 0 1 0", "bg-straight 1 0 0"), ["0 meeple 0 1 mid"]),
        ((START, "bg-straight 1 0 0", "bg-straight 2 0 0"), ["0 meeple 1 0 Es"]),
    ],
)
def test_tra_05_only_on_roads_and_in_cities(tiles, people):
    assert spots(naive.figure_choices(legal(*tiles, figures=people)), BUILDER) == set()


def test_tra_05_there_is_one():
    used = legal(*ROAD, "bg-straight 3 0 0", figures=PAIR)
    assert spots(naive.figure_choices(used), BUILDER) == set()
    without = legal(*ROAD, figures=PAIR[:1], builders=False)
    assert spots(naive.figure_choices(without), BUILDER) == set()


def test_may_15_a_mayor_is_enough():
    city = (START, "bg-span 0 -1 0", "bg-span-shield 0 -2 0")
    made = legal(*city, figures=["0 mayor 0 -1 N"], mayors=True)
    assert spots(naive.figure_choices(made), BUILDER) == {"N"}


def test_tra_05_bri_11_a_builder_on_a_bridge():
    made = legal(*ROAD[:2], "bg-monastery 2 0 0 EW", figures=PAIR[:1], bridges=True)
    assert spots(naive.figure_choices(made), BUILDER) == {"E"}


def test_tra_05_a_complete_feature_takes_a_builder_too():
    tiles = ("bg-monastery-road -1 0 2", START, "bg-straight 1 0 0", "bg-monastery-road 2 0 0")
    made = legal(tiles[1], tiles[0], *tiles[2:], figures=["0 meeple 1 0 E"])
    assert spots(naive.figure_choices(made), BUILDER) == {"W"}
    done = play(made, "builder W")
    assert (done.scores, done.figures, done.first_part) == ((4, 0), (), None)  # TRA-06, 08


# --- The second part ----------------------------------------------------------------------------


def test_tra_07_who_extends_has_a_second_part():
    made = legal(*ROAD, "bg-straight 3 0 0", figures=PAIR)
    second = play(made, "pass")
    assert (second.phase, second.turn_player) == (Phase.PLACE_TILE, 0)
    assert (second.first_part, second.tile_in_hand) == ((3, 0), BAG[0])
    other = play(replace(made, turn_player=1, decider=1), "pass")
    assert (other.turn_player, other.first_part) == (0, None)
    beside = legal(*ROAD, "bg-monastery 1 1 0", figures=PAIR)
    assert play(beside, "pass").turn_player == 1


def test_tra_08_there_is_no_third_part():
    second = play(legal(*ROAD, "bg-straight 3 0 0", figures=PAIR), "pass")
    again = play(second, "bg-curve 4,0 r0", "pass", bag=second.bag)
    assert (again.turn_player, again.first_part, again.tile_in_hand) == (1, None, BAG[1])


def test_tra_08_the_tile_of_the_builder_does_not_count():
    made = play(legal(*ROAD, figures=PAIR[:1]), "builder E")
    assert (made.turn_player, made.first_part) == (1, None)


def test_tra_07_every_part_is_a_full_placement():
    made = legal(*ROAD, "bg-monastery-road 3 0 0", figures=PAIR)
    second = play(made, "meeple mid")
    done = play(second, "bg-curve -1,0 r3", "meeple Nw", bag=second.bag)
    assert placed_figures("0 meeple 3 0 mid", "0 meeple -1 0 Nw") == done.figures[2:]


def test_tra_09_an_extension_that_completes():
    end = "bg-monastery-road -1 0 2"
    made = legal(START, end, *ROAD[1:], "bg-junction 3 0 0", figures=PAIR)
    done = play(made, "pass")
    assert (done.scores, done.figures, done.first_part) == ((5, 0), (), (3, 0))


def test_tra_09_wag_04_a_wagon_moves_before_the_second_part():
    end = "bg-monastery-road -1 0 2"
    tiles = (START, end, *ROAD[1:], "bg-straight 3 0 0", "bg-junction 4 0 0")
    made = legal(*tiles, figures=[*PAIR, "0 wagon 3 0 E"], wagons=True)
    moves = play(made, "pass")
    assert (moves.phase, moves.has_extended, moves.first_part) == (Phase.WAGON, True, None)
    second = play(moves, "home")
    assert (second.phase, second.has_extended) == (Phase.PLACE_TILE, False)
    assert second.first_part == (4, 0)


def test_bri_23_a_bridge_on_the_tile_joins_it_to_the_road():
    made = legal(*ROAD, "bg-monastery 3 0 0 EW", figures=PAIR, bridges=True)
    assert play(made, "pass").first_part == (3, 0)


@pytest.mark.parametrize("trigger", ["tile_must_join", "any_extension"])
def test_bri_23_a_bridge_beside_the_tile_extends_nothing(trigger):
    """Its ends are empty cells, so that it is a road of its own."""
    tiles = (*ROAD, "bg-monastery 1 1 0", "bg-monastery 1 2 0")
    switches = {"bridges": True, "builder_bridge_trigger": trigger}
    made = legal(*tiles, figures=PAIR, **switches)
    names = turns.legal(made)
    assert {name for name in names if name.startswith("bridge")} == {
        "bridge 1,1 EW",
        "bridge 1,2 EW",
    }
    assert play(made, "bridge 1,1 EW", "pass").turn_player == 1


def test_tra_06_cas_42_a_builder_leaves_a_castle():
    town = (START, "bg-cap 0 -1 2")
    people = ["0 wagon 0 0 N"]
    made = legal(*town, figures=people, castles=True, wagons=True)
    built = play(made, "builder S", "castle")
    assert built.figures == placed_figures("0 wagon 0 0 N")
    assert naive.supply(built, 0)[BUILDER] == 1
    assert (built.turn_player, len(built.castles)) == (1, 1)


@pytest.mark.parametrize("answer", ["castle", "score"])
def test_tra_09_cas_42_the_builder_of_a_town_brings_a_second_part_either_way(answer):
    """No game comes to this: meeple and builder on one tile."""
    people = ["0 meeple 0 0 N", "0 builder 0 0 N"]
    made = position(START, "bg-cap 0 -1 2", figures=people, castles=True, **BUILDERS)
    made = replace(made, bag=BAG)
    asked = turns.following(made, "pass")
    assert (asked.phase, asked.has_extended) == (Phase.CASTLE, True)
    second = turns.following(asked, answer)
    assert (second.turn_player, second.first_part) == (0, (0, -1))
    assert [f.figure for f in second.figures] == ([MEEPLE] if answer == "castle" else [])


def test_cas_13_a_castle_of_the_first_part_takes_from_the_second():
    road = ("bg-monastery-road -1 0 2", "bg-straight 1 0 0", "bg-straight 2 0 0")
    # The tile in the north completes a town and extends the road of A's builder.
    west = ("bg-straight -1 -1 0", "bg-straight -2 -1 0")
    tiles = (START, *road, *west, "bg-cap-straight 0 -1 2")
    people = ["0 meeple -2 -1 E", "0 builder -1 -1 E", "0 wagon 1 0 E"]
    made = legal(*tiles, figures=people, castles=True, wagons=True)
    second = play(made, "meeple S", "castle", bag=("bg-junction", *BAG))
    assert (second.turn_player, second.first_part, second.scores) == (0, (0, -1), (0, 0))
    done = play(second, "bg-junction 3,0 r0", "pass", bag=second.bag)
    assert done.scores == (5 + 5, 0)


# --- With abbeys and abbots ---------------------------------------------------------------------

#: A hole at (1, 1) beside the road.
HOLE = ("bg-monastery 0 1 0", "bg-monastery 0 2 0", "bg-monastery 1 2 0", "bg-monastery 2 2 0")
ABBEYS = {"sets": ("base", "abbey"), "abbeys": True}


def test_tra_10_abb_18_an_abbey_extends_nothing():
    north = ("bg-cap 0 -1 2", "bg-monastery -1 -1 0", "bg-cap -2 -1 3", "bg-cap -2 0 3")
    south = ("bg-monastery 0 1 0", "bg-monastery -1 1 0")
    tiles = (*ROAD, "bg-monastery-road 3 0 0", *north, *south, "am-abbey -1 0 0")
    done = play(legal(*tiles, figures=PAIR, **ABBEYS), "pass")
    assert (done.scores, done.figures) == ((4, 0), ())
    assert (done.turn_player, done.first_part) == (1, None)


@pytest.mark.parametrize("bag", [BAG, ()])
def test_tra_11_an_abbey_in_the_second_part(bag):
    tiles = (*ROAD, *HOLE, "bg-cap 2 1 1", "bg-straight 3 0 0")
    made = legal(*tiles, figures=PAIR, **ABBEYS)
    second = play(made, "pass", bag=bag)
    assert (second.phase, second.turn_player, second.first_part) == (
        Phase.DRAW_OR_ABBEY,
        0,
        (3, 0),
    )
    assert turns.legal(second) == {"draw", "am-abbey 1,1 r0"}
    done = play(second, "am-abbey 1,1 r0", "pass", bag=bag)
    assert (done.turn_player, done.first_part) == ((1, None) if bag else (0, None))
    assert done.phase == (Phase.PLACE_TILE if bag else Phase.GAME_OVER)


def test_tra_11_abb_20_who_draws_nothing_is_asked_again_in_the_last_round():
    tiles = (*ROAD, *HOLE, "bg-cap 2 1 1", "bg-straight 3 0 0")
    made = legal(*tiles, figures=PAIR, **ABBEYS)
    asked = play(made, "pass", "draw", bag=())
    assert (asked.phase, asked.turn_player, asked.last_round) == (Phase.DRAW_OR_ABBEY, 1, 1)
    again = play(asked, "draw", bag=())
    assert (again.turn_player, again.last_round, again.first_part) == (0, 0, None)


def test_base_22_without_tiles_there_is_no_second_part():
    made = legal(*ROAD, "bg-straight 3 0 0", figures=PAIR)
    assert play(made, "pass", bag=()).phase == Phase.GAME_OVER


@pytest.mark.parametrize(("switch", "points"), [("allow", 3), ("forbid", None)])
def test_abt_21_the_abbot_of_the_first_part(switch, points):
    tiles = (*ROAD, "bg-monastery-road 3 0 0")
    made = legal(*tiles, figures=PAIR, abbot_recall_second_part=switch)
    second = play(made, "abbot mid")
    placed = play(second, "bg-curve 3,1 r0", bag=second.bag)
    assert naive.recall_value(placed, 0) == points
    assert ("recall" in turns.legal(placed)) == (switch == "allow")
    earlier = replace(placed, first_part=(2, 0))  # He was placed in another turn.
    assert naive.recall_value(earlier, 0) == 3


@pytest.mark.parametrize(("limit", "is_offered"), [("per_placement", True), ("per_turn", False)])
def test_bri_20_bridges_in_the_second_part(limit, is_offered):
    tiles = (*ROAD, "bg-monastery 1 1 0", "bg-straight 3 0 0")
    made = legal(*tiles, figures=PAIR, bridges=True, bridge_limit=limit)
    assert "bridge 2,0 NS" in turns.legal(made)
    first = play(made, "bridge 2,0 NS", "pass", bag=("bg-monastery", "bg-straight", *BAG))
    assert (first.first_part, first.has_bridged) == ((3, 0), not is_offered)
    needs_a_bridge = {name for name in turns.legal(first) if name.split()[1] == "4,0"}
    assert bool(needs_a_bridge) == is_offered
    second = play(first, "bg-monastery 1,2 r0", bag=first.bag)
    offered = {name for name in turns.legal(second) if name.startswith("bridge")}
    assert bool(offered) == is_offered
    over = play(second, "pass", bag=second.bag)
    assert (over.turn_player, over.has_bridged) == (1, False)


# --- Problems -----------------------------------------------------------------------------------


def test_problems_of_builders():
    def said(*people, **rest):
        tiles = (*ROAD, "bg-straight 3 0 0")
        return " / ".join(problems(position(*tiles, figures=people, **BUILDERS | rest)))

    assert said(*PAIR) == ""
    assert "without a meeple" in said(PAIR[1])
    assert "without a meeple" in said(PAIR[1], "1 meeple 1 0 E")
    assert "stands on a FIELD" in said(PAIR[0], "0 builder 2 0 Nw")
    assert "1 BUILDER too many" in said(*PAIR, builders=False)
    moves = {"phase": Phase.PLACE_TILE, "hand": "bg-curve"}
    assert said(*PAIR, first_part=(3, 0), **moves) == ""
    assert "no builders" in said(first_part=(3, 0), builders=False, **moves)
    assert "came between" in said(*PAIR, first_part=(2, 0), **moves)
    assert "no tile at" in said(*PAIR, first_part=(4, 0), **moves)
    assert "no tile at" in said(*PAIR, first_part=(3, 0))
    assert said(*PAIR, first_part=(2, 0)) == ""
    assert "no third part" in said(*PAIR, first_part=(2, 0), has_extended=True)
    assert "an extension is noted" in said(*PAIR, has_extended=True)
    over = {"phase": Phase.GAME_OVER}
    assert "second part in phase" in said(*PAIR, first_part=(3, 0), **over)
    field = position(START, "bg-monastery 0 1 0", phase=Phase.WAGON, has_extended=True, **BUILDERS)
    assert "has extended nothing" in " / ".join(problems(field))
