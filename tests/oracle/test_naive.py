"""The oracle against docs/rules: positions written out by hand, one rule each.

The base game with gardens and abbots, and Abbey & Mayor; see ``positions`` for what is written.
"""

from collections import Counter
from dataclasses import replace

import pytest

from carc_env.engine.core.codes import Kind, Phase, Spot
from carc_env.position import PlacedTile
from carc_env.rules import Rules

from . import naive, turns
from .board import completed, feature_at
from .positions import (
    ABBOT,
    BARN,
    BLOCK,
    JOINT,
    MAYOR,
    MEEPLE,
    NORTH,
    START,
    WAGON,
    legal,
    placed_figures,
    position,
    spots,
    worth,
)
from .problems import order_problems, problems
from .tiles import FACTS, OPPOSITE, across, edge, links_of, segments_of, tile_counts
from .wagons import moved, wagon_targets

pytestmark = pytest.mark.once

#: A monastery at (0, 1) with its eight neighbours, the start tile among them.
MONASTERY = "bg-monastery 0 1 0"
AROUND_MONASTERY = (
    START,
    "bg-straight 1 0 0",
    "bg-straight -1 0 0",
    "bg-cap 1 1 1",
    "bg-cap -1 1 3",
    "bg-cap 0 2 2",
    "bg-cap 1 2 1",
    "bg-curve -1 2 0",
)

#: The same around a garden, whose tile shares a small city with the tile south of it.
GARDEN = "bg-cap-garden 0 1 2"
AROUND_GARDEN = (*AROUND_MONASTERY[:5], "bg-cap 0 2 0", *AROUND_MONASTERY[6:])

#: A city of six tiles that bites its own tail: both caps of (0, 2) belong to it.
RING = (
    START,
    "bg-corner 0 1 1",
    "bg-corner 1 1 2",
    "bg-span 1 2 0",
    "bg-corner-curve 1 3 3",
    "bg-corner-garden 0 3 0",
    "bg-caps-opposite 0 2 0",
)

#: A row of three caps whose cities touch one field; the two in the west are complete.
THREE_CAPS = (
    START,
    "bg-cap-straight 1 0 0",
    "bg-cap-straight 2 0 0",
    "bg-cap 0 -1 2",
    "bg-cap 1 -1 2",
)


# --- Tile facts and notation --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("switches", "n_gardens"),
    [
        ({}, 8),
        ({"edition": "C1", "abbot": False}, 0),
        ({"edition": "WE3"}, 8),
        ({"edition": "WE3", "winter_gardens": "none"}, 0),
    ],
)
def test_base_02_gar_08_gar_09_win_03_there_are_72_tiles(switches, n_gardens):
    counts = tile_counts(Rules(**switches))
    assert sum(counts.values()) == 72
    assert sum(n for name, n in counts.items() if FACTS[name].get("garden")) == n_gardens


def test_spots_are_named_in_board_orientation():
    (tile,) = position("bg-cap-curve-right 0 0 1").tiles  # C on E, road from S to W.
    named = {(s.kind, s.spot.name, s.at) for s in segments_of(tile)}
    assert named == {
        (Kind.CITY, "E", frozenset("E")),
        (Kind.ROAD, "S", frozenset("SW")),
        (Kind.FIELD, "Nw", frozenset({"Nw", "Ne", "Se", "Wn"})),
        (Kind.FIELD, "Sw", frozenset({"Sw", "Ws"})),
    }
    assert [edge(tile, side) for side in "NESW"] == list("FCRR")


def test_half_edges_meet_as_the_tile_facts_say():
    assert across(0, 0, "Nw") == (0, -1, "Sw")
    assert across(0, 0, "En") == (1, 0, "Wn")
    assert across(3, 4, "S") == (3, 5, "N")


# --- Placing a tile -----------------------------------------------------------------------------


def test_base_04_placements_beside_the_start_tile():
    start = position(START, phase=Phase.PLACE_TILE)
    n = {name: len(naive.placements(start, name)) for name in tile_counts(start.rules)}
    assert n["bg-monastery"] == 1
    assert n["bg-curve"] == 6
    assert n["bg-junction"] == 7
    assert n["bg-straight"] == 3
    assert n["bg-caps-opposite"] == 2
    assert n["bg-monastery-road"] == 5
    left = Counter(tile_counts(start.rules)) - Counter(["bg-cap-straight"])
    assert left.total() == 71
    assert sum(n[name] * copies for name, copies in left.items()) == 319


def test_base_04_every_touching_side_must_match():
    # (1, 1) has a straight road to its north-west (field side) and a junction to its west (road).
    made = position(START, "bg-straight 1 0 0", "bg-junction 0 1 0", phase=Phase.PLACE_TILE)
    assert (1, 1, 0) in naive.placements(made, "bg-monastery-road")
    assert (1, 1, 1) not in naive.placements(made, "bg-monastery-road")
    assert not any(cell[:2] == (1, 1) for cell in naive.placements(made, "bg-monastery"))


def test_base_05_a_tile_that_fits_nowhere_is_not_kept_in_hand():
    # Every free cell beside these five tiles touches a city.
    tiles = (
        START,
        "bg-cap 0 1 2",
        "bg-city3-gate 1 0 0",
        "bg-city3-gate-shield -1 0 2",
        "bg-city4-shield 0 -1 0",
    )
    made = position(*tiles, phase=Phase.PLACE_TILE, hand="bg-monastery")
    free = {cell[:2] for cell in naive.placements(made, "bg-curve")}
    assert naive.placements(made, "bg-monastery") == set() == free
    assert problems(made) == ["bg-monastery fits nowhere and should be aside"]
    assert problems(replace(made, tile_in_hand="bg-cap")) == []


def test_gar_02_a_garden_is_no_edge():
    made = position(*THREE_CAPS, phase=Phase.PLACE_TILE)
    assert naive.placements(made, "bg-cap") == naive.placements(made, "bg-cap-garden")
    assert len(naive.placements(made, "bg-cap")) > 10


def test_the_table_ends_where_the_view_ends():
    row = [START]
    row += [f"bg-cap-straight {x} 0 0" for x in (1, 2, 3)]
    row += [f"bg-straight {x} 0 0" for x in range(4, 11)]
    ten, eleven = (
        position(*row[:n], phase=Phase.PLACE_TILE, view=12) for n in (len(row) - 1, len(row))
    )
    assert (naive.window(ten), naive.window(eleven)) == ((-1, -6), (-1, -6))
    columns = {x for x, y, _ in naive.placements(eleven, "bg-straight-garden") if y == 0}
    assert columns == {-1}  # The box reaches from 0 to 10, the view from -1 to 10.
    columns = {x for x, y, _ in naive.placements(ten, "bg-straight-garden") if y == 0}
    assert columns == {-1, 10}
    wide = replace(eleven, rules=Rules(view=14))
    columns = {x for x, y, _ in naive.placements(wide, "bg-straight-garden") if y == 0}
    assert columns == {-1, 11}


def test_the_table_has_an_empty_frame():
    far_east = position("bg-straight 30 0 0", phase=Phase.PLACE_TILE)
    assert {x for x, *_ in naive.placements(far_east, "bg-straight")} == {29, 30}
    far_north = position("bg-straight 0 -31 0", phase=Phase.PLACE_TILE)
    assert {y for _, y, _ in naive.placements(far_north, "bg-straight")} == {-31, -30}


# --- Roads, cities, monasteries, gardens --------------------------------------------------------


def test_base_11_a_road_between_a_monastery_and_a_junction():
    made = legal(START, "bg-straight 1 0 0", "bg-monastery-road -1 0 2", "bg-junction 2 0 0")
    road = feature_at(made, 0, 0, Spot.E)
    assert road.is_complete
    assert road.tiles == {(-1, 0), (0, 0), (1, 0), (2, 0)}
    assert naive.value(made, road, final=False) == 4
    assert worth(made, 2, 0, "S") == 0  # Another arm of the junction, still open.


def test_base_11_a_loop_is_complete():
    made = legal(START, "bg-curve 0 1 3", "bg-curve 1 1 0", "bg-curve 1 2 1", "bg-curve 0 2 2")
    assert feature_at(made, 0, 1, Spot.E).is_complete
    assert worth(made, 0, 1, "E") == 4


def test_base_12_a_city_with_a_coat_of_arms():
    made = legal(START, "bg-span-shield 0 -1 0", "bg-span 0 -2 0", "bg-cap 0 -3 2")
    assert feature_at(made, 0, 0, Spot.N).coats == 1
    assert worth(made, 0, 0, "N") == 10


@pytest.mark.parametrize("points", [4, 2])
def test_base_13_a_city_of_two_tiles(points):
    made = legal(START, "bg-cap 0 -1 2", small_city_points=points)
    assert worth(made, 0, 0, "N") == worth(made, 0, 0, "N", final=True) == points
    rules = {"small_city_points": points, "sets": ("base", "abbey")}
    with_coat = legal(START, "am-cap-triangle-shield 0 -1 2", **rules)
    assert worth(with_coat, 0, 0, "N") == points // 2 * 3
    larger = legal(START, "bg-span 0 -1 0", "bg-cap 0 -2 2", small_city_points=points)
    assert worth(larger, 0, 0, "N") == 6


def test_base_14_the_eighth_neighbour_completes_a_monastery_in_another_turn():
    seven = legal(START, MONASTERY, *AROUND_MONASTERY[1:7], figures=["0 meeple 0 1 mid"], player=1)
    assert not feature_at(seven, 0, 1, Spot.mid).is_complete
    assert naive.after(seven, None) == ((0, 0), seven.figures, ())
    eight = legal(START, MONASTERY, *AROUND_MONASTERY[1:], figures=["0 meeple 0 1 mid"], player=1)
    assert naive.after(eight, None) == ((9, 0), (), ())


def test_base_15_a_tile_counts_once():
    made = legal(*RING)
    city = feature_at(made, 0, 2, Spot.N)
    assert (len(city.tiles), len(city.segments)) == (6, 7)
    assert city.is_complete
    assert naive.value(made, city, final=False) == 12


def test_base_16_base_18_the_majority_takes_all_and_everybody_goes_home():
    knights = ["0 meeple 0 1 E", "0 meeple 1 1 S", "1 meeple 1 2 N", "1 meeple 0 3 Se"]
    made = legal(*RING, figures=knights)
    assert naive.majority(feature_at(made, 0, 2, Spot.S)) == [0]
    scores, figures, _ = naive.score_turn(made)
    assert scores == (12, 0)
    assert figures == made.figures[3:]  # BASE-20: the farmer stays.


def test_base_07_base_17_a_tie_pays_everyone_in_full():
    knights = ["0 meeple 0 1 E", "2 meeple 1 2 N"]
    made = legal(*RING, figures=knights, n_players=3, scores=(5, 6, 7))
    assert naive.majority(feature_at(made, 0, 2, Spot.S)) == [0, 2]
    assert naive.score_turn(made) == ((17, 6, 19), (), ())


def test_base_19_one_tile_completes_a_road_and_a_city():
    made = legal(
        START,
        "bg-span-shield 0 -1 0",
        "bg-monastery -1 -1 0",
        "bg-straight -1 -2 0",
        "bg-monastery-road -2 -2 2",
        "bg-cap-junction 0 -2 2",
        figures=["0 meeple -1 -2 E", "1 meeple 0 -1 N"],
    )
    assert naive.score_turn(made) == ((3, 8), (), ())
    assert {f.kind for f in completed(made)} == {Kind.ROAD, Kind.CITY}


def test_base_23_what_is_incomplete_at_the_end():
    made = legal(START, "bg-span-shield 0 -1 0", "bg-span 0 -2 0", figures=["1 meeple 0 -1 N"])
    assert worth(made, 0, 0, "N") == 0
    assert worth(made, 0, 0, "N", final=True) == 4
    assert worth(made, 0, 0, "E", final=True) == 1
    assert naive.final_scores(made) == naive.projected_scores(made) == (0, 4)
    assert naive.score_turn(made) == ((0, 0), made.figures, ())
    monastery = legal(START, MONASTERY, *AROUND_MONASTERY[1:6])
    assert worth(monastery, 0, 1, "mid", final=True) == 7


def test_base_23_the_majority_counts_at_the_end_as_well():
    knights = ["0 meeple 0 1 E", "0 meeple 1 1 S", "1 meeple 1 2 N"]
    made = legal(*RING[:6], figures=knights, scores=(1, 1), phase=Phase.PLACE_TILE)
    assert naive.final_scores(made) == (1 + 5, 1)


@pytest.mark.parametrize(("n_neighbours", "points"), [(0, 1), (5, 6), (8, 9)])
def test_gar_04_a_garden_counts_its_neighbours(n_neighbours, points):
    made = position(GARDEN, *AROUND_GARDEN[:n_neighbours])
    assert feature_at(made, 0, 1, Spot.mid).kind == Kind.GARDEN
    assert worth(made, 0, 1, "mid", final=True) == points
    assert worth(made, 0, 1, "mid") == (9 if n_neighbours == 8 else 0)


def test_abt_05_abt_16_the_abbot_scores_like_a_monk():
    eight = legal(START, GARDEN, *AROUND_GARDEN[1:], figures=["1 abbot 0 1 mid"])
    assert naive.after(eight, None) == ((0, 9), (), ())
    seven = legal(START, GARDEN, *AROUND_GARDEN[1:7], figures=["1 abbot 0 1 mid"])
    assert naive.final_scores(seven) == (0, 8)


def test_abt_17_an_abbot_has_strength_1():
    # Out of reach without fliers, but the majority does not ask how they came there.
    both = ["0 abbot 0 1 mid", "1 meeple 0 1 mid"]
    made = position(START, MONASTERY, *AROUND_MONASTERY[1:], figures=both)
    assert naive.score_turn(made) == ((9, 9), (), ())


# --- Fields -------------------------------------------------------------------------------------


def test_base_20_farmers_are_not_scored_during_play():
    made = legal(START, "bg-cap 0 -1 2", figures=["0 meeple 0 -1 Nw"], phase=Phase.PLACE_TILE)
    made = replace(made, phase=Phase.FIGURE)
    assert worth(made, 0, -1, "Nw") == 0
    assert naive.score_turn(made) == ((0, 0), made.figures, ())


def test_base_21_a_road_splits_fields_and_an_end_joins_them():
    made = legal(START, "bg-straight 1 0 0", "bg-monastery-road 2 0 0")
    north = feature_at(made, 0, 0, Spot.En)
    south = feature_at(made, 0, 0, Spot.Es)
    assert north == south  # Round the monastery at the end of the road.
    without_end = legal(START, "bg-straight 1 0 0")
    assert (1, 0, Spot.Nw) in feature_at(without_end, 0, 0, Spot.En).segments
    assert (1, 0, Spot.Es) not in feature_at(without_end, 0, 0, Spot.En).segments


def test_base_24_base_27_three_points_for_each_complete_city():
    made = legal(*THREE_CAPS, figures=["0 meeple 1 0 En"])
    field = feature_at(made, 0, 0, Spot.En)
    assert sorted(city.is_complete for city in field.cities) == [False, True, True]
    assert naive.value(made, field, final=True) == 6
    assert naive.final_scores(made) == (6, 0)


def test_base_24_the_majority_of_the_field_takes_all():
    farmers = ["0 meeple 1 0 En", "1 meeple 2 0 En"]
    assert naive.final_scores(legal(*THREE_CAPS, figures=farmers)) == (6, 6)
    longer = (*THREE_CAPS[:3], "bg-straight 3 0 0", *THREE_CAPS[3:])
    more = legal(*longer, figures=[*farmers, "1 meeple 3 0 Nw"])
    assert naive.final_scores(more) == (0, 6)


def test_base_25_a_city_counts_for_several_fields():
    farmers = ["0 meeple 1 0 En", "1 meeple 0 -1 Nw"]
    made = legal(*THREE_CAPS, figures=farmers)
    assert naive.final_scores(made) == (6, 6)


def test_base_25_a_city_counts_once_for_a_field():
    made = legal(
        START,
        "bg-span 0 -1 0",
        "bg-straight 1 0 0",
        "bg-monastery 1 -1 0",
        "bg-cap 0 -2 2",
        figures=["0 meeple 1 -1 Nw"],
        phase=Phase.PLACE_TILE,
    )
    field = feature_at(made, 1, -1, Spot.Nw)
    assert {(0, 0, Spot.En), (0, -1, Spot.En)} <= field.segments
    assert naive.final_scores(made) == (3, 0)


def test_base_26_a_field_beyond_the_road_does_not_touch_the_city():
    made = legal(START, "bg-cap 0 -1 2")
    assert feature_at(made, 0, 0, Spot.Es).cities == frozenset()
    assert worth(made, 0, 0, "Es", final=True) == 0
    assert worth(made, 0, 0, "En", final=True) == 3


def test_base_28_equal_points_share_the_win():
    assert naive.winners((70, 70, 64)) == [0, 1]
    assert naive.winners((1, 2)) == [1]


# --- The figure action --------------------------------------------------------------------------


def test_base_06_a_feature_with_anybodys_figure_is_closed_to_all():
    spans = ("bg-span-shield 0 -1 0", "bg-span-shield 0 -2 0", "bg-span 0 -3 0")
    empty = legal(START, *spans)
    assert spots(naive.figure_choices(empty), MEEPLE) == {"N", "En", "Ws"}
    for seat in (0, 1):
        taken = legal(START, *spans, figures=[f"{seat} meeple 0 -1 N"])
        assert spots(naive.figure_choices(taken), MEEPLE) == {"En", "Ws"}
    row = (START, "bg-straight 1 0 0", "bg-straight 2 0 0")
    farmer = legal(*row, figures=["1 meeple 1 0 Nw"])
    assert spots(naive.figure_choices(farmer), MEEPLE) == {"E", "Es"}


def test_turn_03_figures_are_placed_in_the_figure_phase_only():
    made = position(START, MONASTERY, phase=Phase.PLACE_TILE)
    assert naive.figure_choices(made) == naive.choices(made) == set()


def test_base_08_a_figure_on_what_the_tile_completes_scores_at_once():
    made = legal(START, "bg-cap 0 -1 2", player=1)
    assert naive.after(made, (MEEPLE, Spot.S)) == ((0, 4), (), ())


def test_base_09_base_10_without_supply_nothing_can_be_placed():
    seven = [f"0 meeple {x} 0 Es" for x in range(1, 8)]
    row = (START, *[f"bg-straight {x} 0 0" for x in range(1, 8)], "bg-monastery-road -1 0 2")
    made = legal(*row, figures=seven, abbot=False)
    assert not any(naive.supply(made, 0).values())
    assert naive.choices(made) == {None}
    with pytest.raises(ValueError, match="not allowed"):
        naive.after(made, (MEEPLE, Spot.mid))
    assert naive.choices(replace(made, turn_player=1, decider=1)) == {
        None,
        (MEEPLE, Spot.E),
        (MEEPLE, Spot.mid),
    }
    six = legal(*row, figures=seven[:6])
    assert spots(naive.figure_choices(six), MEEPLE) == {"E", "mid"}


def test_gar_01_abt_02_abt_03_where_an_abbot_may_stand():
    start = position(START)
    for name in tile_counts(start.rules):
        x, y, rotation = min(naive.placements(start, name))
        made = legal(START, f"{name} {x} {y} {rotation}")
        offered = naive.figure_choices(made)
        facts = FACTS[name]
        has_monastery, has_garden = bool(facts.get("monastery")), bool(facts.get("garden"))
        assert spots(offered, ABBOT) == ({"mid"} if has_monastery or has_garden else set())
        assert ("mid" in spots(offered, MEEPLE)) == has_monastery
        without = replace(made, rules=Rules(abbot=False))  # SET-05
        assert spots(naive.figure_choices(without), ABBOT) == set()
        assert spots(naive.figure_choices(without), MEEPLE) == spots(offered, MEEPLE)


def test_abt_01_there_is_one_abbot():
    made = legal(START, GARDEN, "bg-monastery 1 1 0", figures=["0 abbot 0 1 mid"])
    assert spots(naive.figure_choices(made), ABBOT) == set()
    other = replace(made, turn_player=1, decider=1)
    assert spots(naive.figure_choices(other), ABBOT) == {"mid"}


def test_abt_06_a_recall_scores_the_neighbours():
    made = legal(START, GARDEN, *AROUND_GARDEN[1:5], figures=["0 abbot 0 1 mid"])
    assert naive.recall_value(made, 0) == 6
    assert naive.recall_value(made, 1) is None
    assert "recall" in naive.choices(made)
    assert naive.after(made, "recall") == ((6, 0), (), ())
    assert naive.supply(naive.acted(made, "recall"), 0)[ABBOT] == 1


def test_abt_06_only_in_the_own_turn_and_figure_phase():
    made = legal(START, GARDEN, *AROUND_GARDEN[1:5], figures=["0 abbot 0 1 mid"], player=1)
    assert naive.recall_value(made, 0) is None
    assert "recall" not in naive.choices(made)
    assert naive.recall_value(replace(made, decider=0, phase=Phase.PLACE_TILE), 0) is None


def test_abt_07_a_recall_needs_no_meeple_in_supply():
    farmers = [f"0 meeple {x} 0 Es" for x in range(1, 8)]
    row = (START, MONASTERY, *[f"bg-straight {x} 0 0" for x in range(1, 8)], "bg-curve 8 0 0")
    made = legal(*row, figures=[*farmers, "0 abbot 0 1 mid"])
    assert naive.choices(made) == {None, "recall"}
    assert naive.recall_value(made, 0) == 3


def test_abt_08_an_abbot_placed_in_this_turn_stays():
    made = position(START, MONASTERY, figures=["0 abbot 0 1 mid"])
    assert naive.recall_value(made, 0) is None


def test_abt_10_the_recall_is_scored_before_the_turn():
    both = ["0 abbot 0 1 mid", "0 meeple 0 -1 N"]
    made = legal(START, MONASTERY, "bg-span 0 -1 0", "bg-cap 0 -2 2", figures=both)
    assert naive.acted(made, "recall").scores == (2, 0)
    assert naive.after(made, "recall") == ((2 + 6, 0), (), ())


def test_abt_11_a_recall_compares_no_majority():
    both = ["0 abbot 0 1 mid", "1 meeple 0 1 mid", "1 meeple 0 1 mid"]
    made = position(START, MONASTERY, *AROUND_MONASTERY[1:4], figures=both)
    assert naive.after(made, "recall") == ((5, 0), made.figures[1:], ())


def test_abt_14_recall_from_a_place_that_this_tile_completes():
    made = legal(START, GARDEN, *AROUND_GARDEN[1:], figures=["0 abbot 0 1 mid"])
    assert naive.recall_value(made, 0) is None
    assert naive.after(made, None) == ((9, 0), (), ())
    allowed = replace(made, rules=Rules(abbot_recall_completed="allow"))
    assert naive.recall_value(allowed, 0) == 9
    assert naive.after(allowed, "recall") == ((9, 0), (), ())  # ABT-18: not scored twice.
    assert naive.after(allowed, None) == ((9, 0), (), ())


# --- Abbey & Mayor: the board -------------------------------------------------------------------

ABBEY_AND_MAYOR = {
    "sets": ("base", "abbey"),
    "abbeys": True,
    "mayors": True,
    "barns": True,
    "wagons": True,
}


def am(*tiles, **rest):
    """Make a position with all of Abbey & Mayor, in which nothing is impossible."""
    return legal(*tiles, **ABBEY_AND_MAYOR | rest)


def targets(made, wagon, rolled=()):
    """List where a wagon may go, as texts like ``1 0 E``."""
    (wagon,) = placed_figures(wagon)
    found = wagon_targets(made, wagon, rolled)
    return {f"{x} {y} {spot.name}" for x, y, spot in found}


#: A hole at (1, 0) between a road in the west and, by default, fields and cities of one tile.
RIM = (START, "bg-cap 0 -1 2", "bg-monastery 2 -1 0", "bg-cap 2 0 1", "bg-monastery 0 1 0")
HOLE = (*RIM, "bg-cap 1 -1 2", "bg-cap 1 1 0")
ABBEY = "am-abbey 1 0 0"

#: A city of seven tiles with three coats of arms; the last tile completes it.
SEVEN = (
    START,
    "am-city4-two-shields 0 -1 0",
    "bg-span-shield 1 -1 1",
    "bg-cap 2 -1 3",
    "bg-span -1 -1 1",
    "bg-cap -2 -1 1",
    "bg-cap 0 -2 2",
)

#: A road of three tiles from a monastery over the start to a junction.
ROAD = (START, "bg-monastery-road -1 0 2", "bg-junction 1 0 0")


def test_tile_01_set_02_the_set_has_twelve_tiles():
    for edition, abbot in (("C2", True), ("C1", False)):
        counts = tile_counts(Rules(sets=("base", "abbey"), edition=edition, abbot=abbot))
        assert sum(counts.values()) == 84
        assert "am-abbey" not in counts


@pytest.mark.parametrize("name", ["abbeys", "mayors", "barns", "wagons"])
def test_set_01_set_06_each_system_can_be_switched_on_alone(name):
    made = legal(*BLOCK, **{name: True})
    owned = {figure for figure, n in naive.supply(made, 0).items() if n}
    expected = {"mayors": {MAYOR}, "barns": {BARN}, "wagons": {WAGON}, "abbeys": set()}
    assert owned == {MEEPLE, ABBOT} | expected[name]
    assert len(made.abbeys) == (2 if name == "abbeys" else 0)


def test_tile_02_the_bridged_city_touches_the_field_it_ends_in():
    tile = "am-span-and-bridged-cap-shield -1 0 0"  # C C C F: nothing but field in the west.
    (placed,) = position(tile).tiles
    fields = [s for s in segments_of(placed) if s.kind == Kind.FIELD]
    assert [(f.spot.name, {c.name for c in f.cities}) for f in fields] == [
        ("Ws", {"N", "E"}),
        ("in0", {"N", "E"}),
    ]
    made = position(
        tile,
        "bg-cap -1 -1 2",
        "bg-cap -1 1 0",
        "bg-cap 0 0 3",
        figures=["0 meeple -1 0 Ws"],
        sets=("base", "abbey"),
    )
    assert naive.final_scores(made) == (6, 0)


def test_tile_03_cities_that_cross_are_separate():
    made = position("am-spans-crossing-shield 0 0 0", sets=("base", "abbey"))
    assert spots(naive.figure_choices(made), MEEPLE) == {"N", "E", "in0", "in1"}
    assert feature_at(made, 0, 0, Spot.N).coats == 1
    assert feature_at(made, 0, 0, Spot.E).coats == 0


def test_tile_04_tile_06_fields_beside_tunnel_and_wall():
    for name, n_fields in (("am-span-tunnel-shield", 3), ("am-cap-curve-left-touching", 3)):
        (tile,) = position(f"{name} 0 0 0").tiles
        kinds = Counter(segment.kind for segment in segments_of(tile))
        assert (kinds[Kind.ROAD], kinds[Kind.FIELD]) == (1, n_fields)


def test_tile_05_a_road_may_end_in_the_field():
    made = am(START, "am-road-end-garden 1 0 0", "bg-monastery-road -1 0 2")
    assert worth(made, 0, 0, "E") == 3
    assert feature_at(made, 1, 0, Spot.Nw).cities == feature_at(made, 0, 0, Spot.En).cities


def test_tile_07_tile_08_a_road_in_three_directions_is_one_road():
    three = (START, "am-road-three-way 1 0 0", "bg-monastery-road -1 0 2", "bg-junction 2 0 0")
    open_ = am(*three)
    assert worth(open_, 1, 0, "E") == 0
    closed = am(*three, "bg-crossroads 1 1 0")
    assert feature_at(closed, 1, 0, Spot.E).tiles == {(-1, 0), (0, 0), (1, 0), (2, 0), (1, 1)}
    assert worth(closed, 1, 0, "E") == 5
    occupied = am(*three, figures=["1 meeple 1 0 E"])
    assert "W" not in spots(naive.figure_choices(occupied), MEEPLE)


# --- Abbeys -------------------------------------------------------------------------------------


def test_abb_01_one_abbey_for_each_player():
    made = am(START, phase=Phase.PLACE_TILE, n_players=4)
    assert made.abbeys == (1, 1, 1, 1)
    assert problems(replace(made, abbeys=(1, 1, 1, 0))) != []
    assert problems(replace(made, abbeys=(1, 1, 2, 0))) != []
    assert problems(replace(made, abbeys=())) != []


def test_abb_02_abb_05_abb_06_when_an_abbey_is_offered():
    made = am(*HOLE, phase=Phase.DRAW_OR_ABBEY)
    assert naive.abbey_places(made) == {(1, 0)}
    assert naive.abbey_places(replace(made, phase=Phase.PLACE_TILE)) == set()
    used = replace(made, abbeys=(0, 1))
    assert naive.abbey_places(used) == set()
    assert naive.abbey_places(replace(used, turn_player=1, decider=1)) == {(1, 0)}
    without_hole = replace(made, tiles=made.tiles[:-1])
    assert naive.abbey_places(without_hole) == set()
    assert problems(without_hole) == ["seat 0 can place no abbey"]


def test_abb_03_a_hole_has_tiles_on_four_sides():
    ring = (START, *AROUND_MONASTERY[1:])
    assert naive.holes(position(*ring)) == {(0, 1)}
    assert naive.holes(position(*ring[:-1])) == {(0, 1)}  # A diagonal neighbour is missing.
    without_south = [tile for tile in ring if " 0 2 " not in tile]
    assert naive.holes(position(*without_south)) == set()


def test_abb_04_the_abbey_fits_everything_in_one_way():
    made = am(*HOLE, phase=Phase.DRAW_OR_ABBEY)
    sides = {side: edge(tile, OPPOSITE[side]) for side, tile in naive.side_neighbours(made, 1, 0)}
    assert sides == {"N": "C", "E": "F", "S": "C", "W": "R"}
    assert naive.placements(made, "am-abbey") == {(1, 0, 0)}
    assert problems(am(*HOLE, ABBEY)) == []


def test_abb_07_abb_08_abb_16_abb_21_who_may_stand_on_an_abbey():
    made = am(*HOLE, ABBEY)  # Cities in the north and south, a road in the west.
    assert naive.figure_choices(made) == {
        (MEEPLE, Spot.mid),
        (ABBOT, Spot.mid),
        (WAGON, Spot.mid),
    }


def test_abb_09_an_abbey_completes_a_road():
    west = ("bg-straight -1 0 0", "bg-monastery-road -2 0 2")
    made = am(*HOLE, *west, ABBEY, figures=["1 meeple -1 0 E"])
    assert naive.after(made, None) == ((0, 3), (), ())
    assert feature_at(made, 0, 0, Spot.E).tiles == {(0, 0), (-1, 0), (-2, 0)}


def test_abb_10_an_abbey_adds_no_tile_to_a_city():
    north = ("bg-span 1 -1 0", "am-span-and-bridged-cap-shield 1 -2 0", "bg-cap 1 -3 2")
    made = am(*RIM, *north, "bg-cap 1 1 0", ABBEY, figures=["0 meeple 1 -1 N"])
    assert naive.after(made, None) == ((6, 0), (), ())
    assert worth(made, 1, 1, "N") == 2  # A city of a single tile.


def test_abb_11_an_abbey_connects_nothing():
    north = ("bg-span 1 -1 0", "bg-cap 1 -2 2")
    south = ("bg-span-shield 1 1 0", "bg-cap-garden 1 2 0")
    knights = ["0 meeple 1 -1 N", "1 meeple 1 1 N"]
    made = am(*RIM, *north, *south, ABBEY, figures=knights)
    assert naive.score_turn(made) == ((4, 6), (), ())


def test_abb_12_a_field_beside_the_abbey_does_not_touch_the_city():
    made = am(
        START,
        "bg-cap 0 -1 2",
        "bg-corner 1 -1 1",
        "bg-caps-adjacent 2 -1 2",
        "bg-span 2 0 0",
        "bg-monastery 0 1 0",
        "bg-cap 1 1 0",
        ABBEY,
        figures=["0 meeple 2 0 Ws"],
    )
    closed = feature_at(made, 1, -1, Spot.E)
    assert closed.is_complete
    assert worth(made, 1, -1, "E") == 4
    assert closed not in feature_at(made, 2, 0, Spot.Ws).cities
    assert naive.final_scores(made) == (0, 0)


def test_abb_13_an_abbey_scores_like_a_monastery():
    full = am(START, *AROUND_MONASTERY[1:], "am-abbey 0 1 0")
    assert naive.after(full, (MEEPLE, Spot.mid)) == ((9, 0), (), ())
    seven = am(*HOLE, ABBEY, figures=["0 meeple 1 0 mid"], phase=Phase.PLACE_TILE)
    assert naive.final_scores(seven) == (8, 0)
    four = position(
        "am-abbey 0 0 0", "bg-cap 0 1 0", "bg-cap 1 0 0", "bg-cap 0 -1 0", "bg-cap -1 0 0"
    )
    assert worth(four, 0, 0, "mid", final=True) == 5


def test_abb_14_gar_07_an_abbey_is_a_neighbour():
    around = [tile for tile in AROUND_MONASTERY if " 1 1 " not in tile]
    east = ("bg-straight 2 0 0", "bg-monastery 2 1 0")
    made = am(*around, MONASTERY, *east, "am-abbey 1 1 0", figures=["1 meeple 0 1 mid"])
    assert naive.after(made, None) == ((0, 9), (), ())


def test_abb_16_an_abbot_is_recalled_from_an_abbey():
    made = am(*HOLE, ABBEY, "bg-straight -1 0 0", figures=["0 abbot 1 0 mid"], abbeys_left=(0, 1))
    assert naive.after(made, "recall").scores == (8, 0)


@pytest.mark.parametrize(("middle", "offered"), [("bg-monastery", {"NW"}), ("am-abbey", set())])
def test_abb_17_no_barn_at_a_corner_of_an_abbey(middle, offered):
    south_east = "bg-cap 1 2 1"
    around = [tile for tile in AROUND_MONASTERY if tile != south_east]
    made = am(*around, f"{middle} 0 1 0", south_east)
    assert spots(naive.figure_choices(made), BARN) == offered


def test_abb_20_abb_23_the_round_of_abbeys():
    last = am(*HOLE, n_players=3, abbeys_left=(1, 1, 1), phase=Phase.FIGURE)
    assert turns.next_in_last_round(last) == (1, 2)
    without_b = replace(last, abbeys=(1, 0, 1))
    assert turns.next_in_last_round(without_b) == (2, 1)
    c_declines = replace(without_b, turn_player=2, last_round=1)
    assert turns.next_in_last_round(c_declines) == (0, 0)
    c_places = replace(c_declines, tiles=(*last.tiles, PlacedTile("am-abbey", 1, 0, 0)))
    assert turns.next_in_last_round(c_places) is None
    a_declines = replace(without_b, turn_player=0, last_round=0)
    assert turns.next_in_last_round(a_declines) is None


@pytest.mark.parametrize(("endgame", "first"), [("none", None), ("until_blocked", (1, 2))])
def test_abb_20_other_rulings(endgame, first):
    made = am(*HOLE, n_players=3, abbey_endgame=endgame, abbeys_left=(1, 1, 1))
    assert turns.next_in_last_round(made) == first
    assert turns.next_in_last_round(replace(made, abbeys=(1, 0, 1))) is None


def test_abb_22_an_abbey_of_the_last_round_is_scored_at_once():
    full = (START, *AROUND_MONASTERY[1:], "am-abbey 0 1 0")
    made = am(*full, player=1, last_round=0, abbeys_left=(1, 0))
    scores, figures, _ = naive.after(made, (MEEPLE, Spot.mid))
    assert (scores, figures) == ((0, 9), ())
    assert naive.final_scores(replace(made, scores=scores, figures=figures)) == (0, 9)


# --- Mayors -------------------------------------------------------------------------------------


def test_may_01_wag_01_barn_01_supplies():
    for n_players in (2, 6):
        made = am(START, phase=Phase.PLACE_TILE, n_players=n_players)
        for seat in range(n_players):
            each = {MEEPLE: 7, **dict.fromkeys((ABBOT, MAYOR, WAGON, BARN), 1)}
            assert Counter(naive.supply(made, seat)) == Counter(each)
    one = am(*SEVEN[:-1], figures=["0 mayor 0 -1 N"], phase=Phase.PLACE_TILE)
    assert naive.supply(one, 0)[MAYOR] == 0


def test_may_02_wag_02_wag_03_where_mayors_and_wagons_may_stand():
    start = am(START, phase=Phase.PLACE_TILE)
    for name in tile_counts(start.rules):
        x, y, rotation = min(naive.placements(start, name))
        made = am(START, f"{name} {x} {y} {rotation}")
        found = segments_of(made.tiles[-1])
        offered = naive.figure_choices(made)
        for figure, kinds in (
            (MAYOR, {Kind.CITY}),
            (WAGON, {Kind.CITY, Kind.ROAD, Kind.MONASTERY}),
        ):
            assert spots(offered, figure) == {s.spot.name for s in found if s.kind in kinds}


@pytest.mark.parametrize("figure", ["mayor", "wagon", "meeple"])
def test_may_02_may_03_may_04_a_city_is_occupied_by_any_meeple(figure):
    made = am(*SEVEN[:3], figures=[f"1 {figure} 0 -1 N"])
    offered = naive.figure_choices(made)
    for other in (MEEPLE, MAYOR, WAGON):
        assert "E" not in spots(offered, other)
    assert "E" in spots(naive.figure_choices(am(*SEVEN[:3])), MAYOR)


def test_may_05_may_08_the_booklet_city():
    knights = ["0 mayor 0 -1 N", "1 meeple 1 -1 E", "1 meeple -1 -1 E"]
    made = am(*SEVEN, figures=knights)
    city = feature_at(made, 0, 0, Spot.N)
    assert [naive.strength(figure, city) for figure in city.figures] == [3, 1, 1]
    assert naive.score_turn(made) == ((20, 0), (), ())


def test_may_06_wag_01_a_wagon_has_strength_1():
    knights = ["0 mayor 0 -1 N", "1 meeple 1 -1 E", "1 meeple -1 -1 E", "1 wagon 2 -1 W"]
    scores, figures, wagons = naive.score_turn(am(*SEVEN, figures=knights))
    assert (scores, figures) == ((20, 20), ())
    assert wagons == placed_figures("1 wagon 2 -1 W")


def test_may_07_strengths_are_added():
    three = ["1 meeple 1 -1 E", "1 meeple -1 -1 E", "1 meeple 2 -1 W"]
    four = ["0 mayor 0 -1 N", "0 meeple -2 -1 E"]
    assert naive.score_turn(am(*SEVEN, figures=[*four, *three])).scores == (20, 0)
    tie = am(*SEVEN, figures=[*four, *three, "1 wagon 0 0 N"])
    assert naive.score_turn(tie).scores == (20, 20)


def test_may_09_may_12_a_mayor_without_coats_scores_nothing():
    made = am(*RING, figures=["0 mayor 0 1 E"])
    assert naive.score_turn(made) == ((0, 0), (), ())
    before = am(*RING[:2], "bg-corner 1 1 2", figures=["0 mayor 0 1 E"], player=1)
    assert spots(naive.figure_choices(before), MEEPLE) == {"Nw"}


def test_may_10_may_11_strength_0_never_wins():
    two = am(*RING, figures=["0 mayor 0 1 E", "1 mayor 1 1 S"])
    assert naive.score_turn(two) == ((0, 0), (), ())
    wagon = am(*RING, figures=["0 mayor 0 1 E", "1 wagon 1 1 S"])
    assert naive.score_turn(wagon).scores == (0, 12)


def test_may_13_strength_in_the_final_scoring():
    open_city = (START, "bg-span-shield 0 -1 0", "bg-span 0 -2 0")
    made = am(*open_city, figures=["0 mayor 0 -1 N", "1 meeple 0 -2 N"], phase=Phase.PLACE_TILE)
    assert naive.final_scores(made) == naive.projected_scores(made) == (4, 4)
    no_coat = am(START, "bg-span 0 -1 0", figures=["0 mayor 0 -1 N"], phase=Phase.PLACE_TILE)
    assert naive.final_scores(no_coat) == (0, 0)


# --- Barns --------------------------------------------------------------------------------------


def test_barn_01_a_barn_is_no_meeple():
    people = ["1 barn 1 2 NW", "0 meeple 0 1 Nw"]
    made = position(*BLOCK, figures=people, **ABBEY_AND_MAYOR)
    field = feature_at(made, 0, 1, Spot.Nw)
    assert naive.majority(field) == [0]
    assert [figure.figure for figure in field.figures] == [BARN, MEEPLE]


def test_barn_02_barn_03_a_point_where_four_tiles_meet():
    four = (START, *(f"bg-monastery {x} {y} 0" for x, y in ((0, 1), (0, 2), (1, 1), (1, 2))))
    assert spots(naive.figure_choices(am(*four)), BARN) == {"NW"}
    assert spots(naive.figure_choices(am(*four[:-1])), BARN) == set()
    acted = naive.acted(am(*four), (BARN, Spot.NW))
    assert acted.figures == placed_figures("0 barn 1 2 NW")
    assert naive.supply(acted, 0)[BARN] == 0


def test_barn_04_nothing_but_field_at_the_four_corners():
    upper = (START, "bg-monastery 0 1 0", "bg-monastery 1 1 0")
    cities = am(*upper, "bg-cap 0 2 1", "bg-cap 1 2 3")  # The lower two share a city.
    assert spots(naive.figure_choices(cities), BARN) == set()
    roads = am(*upper, "bg-monastery-road 0 2 2", "bg-straight 1 2 0")
    assert spots(naive.figure_choices(roads), BARN) == {"NW"}
    # The city in the south reaches to both northern corners, between two fields.
    wall = am(*upper, "bg-monastery 0 2 0", "am-cap-triangle-shield 1 2 2")
    assert spots(naive.figure_choices(wall), MEEPLE) == {"S", "Nw", "En", "Ws"}
    assert spots(naive.figure_choices(wall), BARN) == set()


def test_barn_05_the_four_corners_are_one_field():
    made = am(*BLOCK)
    corners = naive.point(1, 2, Spot.NW)
    assert corners == {(1, 2, Spot.NW), (0, 2, Spot.NE), (0, 1, Spot.SE), (1, 1, Spot.SW)}
    assert all(naive.point(*corner) == corners for corner in corners)
    assert len({feature_at(made, *corner) for corner in corners}) == 1
    barn = replace(made, figures=placed_figures("0 barn 1 2 NW"))
    assert feature_at(barn, 0, 1, Spot.Nw).barns == barn.figures


def test_barn_06_barn_27_farmers_do_not_prevent_a_barn():
    made = am(*BLOCK, figures=["1 meeple 0 1 Nw"])
    offered = naive.figure_choices(made)
    assert spots(offered, BARN) == {"NW"}
    assert spots(offered, MEEPLE) == {"mid"}


def test_barn_07_one_barn_keeps_others_away():
    made = am(*BLOCK, figures=["1 barn -1 2 NE"])
    assert spots(naive.figure_choices(made), BARN) == set()
    own = am(*BLOCK, "bg-straight 2 1 1", "bg-straight 2 2 1", figures=["0 barn 1 2 NW"])
    assert spots(naive.figure_choices(own), BARN) == set()


def test_barn_26_only_points_of_the_tile_just_placed():
    made = am(*BLOCK, "bg-straight 2 1 1")  # It touches no point of four tiles.
    assert spots(naive.figure_choices(made), BARN) == set()
    two = am(*BLOCK[:-1], "bg-straight 2 1 1", "bg-straight 2 2 1", BLOCK[-1])
    assert spots(naive.figure_choices(two), BARN) == {"NW", "NE"}


def test_barn_09_barn_10_barn_11_the_booklet_placement():
    made = am(*BLOCK, figures=["1 meeple -1 1 Nw"])
    scores, figures, _ = naive.after(made, (BARN, Spot.NW))
    assert scores == (0, 6)
    assert figures == placed_figures("0 barn 1 2 NW")


def test_barn_12_all_farmers_of_the_field_go_home():
    farmers = ["0 meeple -1 1 Nw", "0 meeple -1 2 Nw", "1 meeple 0 2 Nw", "1 meeple -2 1 Nw"]
    made = am(*BLOCK, figures=farmers)
    scores, figures, _ = naive.after(made, (BARN, Spot.NW))
    assert scores == (6, 0)
    # The fourth lies in another field, west of the cities.
    assert figures == placed_figures("1 meeple -2 1 Nw", "0 barn 1 2 NW")


def test_barn_13_barn_14_cities_of_this_tile_count():
    ordered = [tile for tile in BLOCK if tile != "bg-cap -1 2 3"]
    people = ["0 meeple -2 2 E", "1 meeple 0 1 Nw"]
    made = am(*ordered, "bg-cap -1 2 3", figures=people)
    scores, figures, _ = naive.after(made, (BARN, Spot.NE))
    assert scores == (4, 6)
    assert figures == placed_figures("0 barn -1 2 NE")


def test_barn_15_without_farmers_a_barn_scores_nothing():
    assert naive.after(am(*BLOCK), (BARN, Spot.NW)).scores == (0, 0)


def test_barn_16_no_farmers_beside_a_barn():
    east = "bg-straight 2 1 1"  # Fields Nw (west of the road) and Ne.
    made = am(*BLOCK, east, figures=["1 barn 1 2 NW"])
    assert spots(naive.figure_choices(made), MEEPLE) == {"N", "Ne"}
    without = am(*BLOCK, east)
    assert spots(naive.figure_choices(without), MEEPLE) == {"N", "Ne", "Nw"}


def test_barn_17_barn_18_the_booklet_connection():
    people = ["0 barn 1 2 NW", "0 meeple 1 0 Nw", "1 meeple -1 0 Nw"]
    before = am(*BLOCK, *NORTH, figures=people)
    assert naive.score_turn(before) == ((0, 0), before.figures, ())
    made = am(*BLOCK, *NORTH, JOINT, figures=people)
    assert naive.score_turn(made) == ((2, 2), made.figures[:1], ())


def test_barn_19_the_joined_field_is_scored_once():
    cap = "bg-cap-garden 0 -1 2"  # Completes a third city, which touches the northern field.
    people = ["0 meeple 1 0 Nw", "1 meeple -1 0 Nw", "1 meeple -2 0 Nw", "0 barn 1 2 NW"]
    made = am(*BLOCK, cap, *NORTH, JOINT, figures=people)
    assert naive.score_turn(made) == ((0, 3), made.figures[-1:], ())


def test_barn_17_a_barn_placed_in_the_joining_turn_is_not_possible():
    east = "bg-cap-garden 2 1 1"
    made = am(*BLOCK, *NORTH, east, JOINT, figures=["0 barn 1 2 NW"], player=1)
    assert spots(naive.figure_choices(made), BARN) == set()
    free = replace(made, figures=())
    assert spots(naive.figure_choices(free), BARN) == {"SW"}


def test_barn_20_barn_22_four_points_for_each_complete_city():
    more = ("bg-cap-garden 2 1 1", "bg-caps-opposite 3 1 1", "bg-corner 0 3 1")
    made = am(*BLOCK, *more, figures=["1 barn 1 2 NW"], phase=Phase.PLACE_TILE)
    field = feature_at(made, 1, 2, Spot.NW)
    assert Counter(city.is_complete for city in field.cities) == {True: 3, False: 1}
    assert naive.final_scores(made) == (0, 12)


def test_barn_08_barn_21_several_barns_score_in_full():
    barns = ["0 barn 1 2 NW", "1 barn -1 2 NE"]
    made = am(*BLOCK, figures=barns, phase=Phase.PLACE_TILE)
    assert naive.final_scores(made) == (8, 8)


def test_barn_25_a_city_counts_again_and_again():
    made = am(*BLOCK, figures=["0 meeple -1 1 Nw"])
    scores, figures, _ = naive.after(made, (BARN, Spot.NW))
    assert scores == (6, 0)
    farmer = placed_figures("1 meeple 1 0 Nw")
    joined = am(*BLOCK, *NORTH, JOINT, player=1)
    joined = replace(joined, scores=scores, figures=figures + farmer)
    scores, figures, _ = naive.score_turn(joined)
    assert scores == (6, 2)
    assert naive.final_scores(replace(joined, scores=scores, figures=figures)) == (14, 2)


def test_barns_and_farmers_are_projected_side_by_side():
    people = ["0 barn 1 2 NW", "0 meeple 1 0 Nw", "1 meeple -1 0 Nw"]
    made = am(*BLOCK, *NORTH, JOINT, figures=people)
    assert naive.projected_scores(made) == (8 + 6, 6)


# --- Wagons -------------------------------------------------------------------------------------


def test_wag_04_wag_05_wag_12_scored_first_then_free_to_move():
    made = am(*ROAD, figures=["0 wagon 0 0 E"])
    scores, figures, wagons = naive.score_turn(made)
    assert (scores, figures) == ((3, 0), ())
    assert wagons == placed_figures("0 wagon 0 0 E")
    assert targets(replace(made, figures=()), "0 wagon 0 0 E") == {
        "0 0 N",
        "-1 0 mid",
        "1 0 E",
        "1 0 S",
    }
    in_one_turn = naive.after(am(*ROAD), (WAGON, Spot.W))
    assert in_one_turn == ((3, 0), (), placed_figures("0 wagon 1 0 W"))


def test_wag_05_wag_06_only_the_tile_of_the_wagon_matters():
    made = am(*ROAD)
    assert targets(made, "0 wagon -1 0 E") == {"-1 0 mid", "0 0 N"}
    assert targets(made, "0 wagon 1 0 W") == {"0 0 N", "1 0 E", "1 0 S"}


def test_wag_07_it_crosses_fields():
    made = am(*ROAD, "bg-monastery -1 1 0")
    assert "-1 1 mid" in targets(made, "0 wagon 0 0 E")
    assert "-1 1 mid" not in targets(made, "0 wagon 1 0 W")


def test_wag_08_wag_15_it_stands_on_the_chosen_segment():
    east = ("bg-straight 2 0 0", "bg-straight 3 0 0")
    made = am(*ROAD, *east)
    assert targets(made, "0 wagon 1 0 W") == {"0 0 N", "1 0 E", "1 0 S", "2 0 E"}
    waiting = replace(made, phase=Phase.WAGON, wagons=placed_figures("0 wagon 1 0 W"))
    gone = moved(waiting, (2, 0, Spot.E))
    assert gone.figures == placed_figures("0 wagon 2 0 E")
    assert gone.wagons == ()
    home = moved(waiting, None)
    assert (home.figures, home.wagons) == ((), ())
    nearer = am(*ROAD, *east, "bg-straight 4 0 0", figures=["0 wagon 2 0 E"])
    assert spots(naive.figure_choices(nearer), MEEPLE) == {"Nw", "Es"}


def test_wag_09_occupied_and_complete_features_are_no_targets():
    city = (START, "bg-span 0 -1 0", "bg-span-shield 0 -2 0")
    made = am(*city, *ROAD[1:], figures=["1 meeple 0 -2 N"])
    assert targets(made, "0 wagon 0 0 E") == {"-1 0 mid", "1 0 E", "1 0 S"}
    complete = am(*ROAD, "bg-cap 0 -1 2")
    assert targets(complete, "0 wagon 0 0 E") == {"-1 0 mid", "1 0 E", "1 0 S"}


def test_wag_10_without_a_target_it_goes_home():
    ends = ("bg-monastery-road -1 0 2", "am-road-end-garden 1 0 0", "bg-cap 0 -1 2")
    made = am(START, *ends, figures=["1 meeple -1 0 mid"], player=1)
    assert targets(made, "0 wagon 0 0 E") == set()
    waiting = position(
        START, *ends, phase=Phase.WAGON, waiting=["0 wagon 1 0 W"], **ABBEY_AND_MAYOR
    )
    assert any("nowhere to go" in problem for problem in problems(waiting))


def test_wag_11_clockwise_from_the_turn_player():
    people = ["0 wagon 0 1 E", "1 wagon 1 2 N", "2 wagon 1 1 S"]
    made = am(*RING, figures=people, n_players=3, player=1)
    scores, _, wagons = naive.score_turn(made)
    assert scores == (12, 12, 12)
    assert [wagon.seat for wagon in wagons] == [1, 2, 0]


def test_wag_11_a_move_is_done_before_the_next_decision():
    wagons = ["0 wagon -1 0 E", "1 wagon 0 0 E"]
    made = am(*ROAD, waiting=wagons, phase=Phase.WAGON)
    assert "-1 0 mid" in targets(made, wagons[1])
    then = moved(made, (-1, 0, Spot.mid))
    assert then.wagons == placed_figures(wagons[1])
    assert targets(then, wagons[1]) == {"0 0 N", "1 0 E", "1 0 S"}


def test_wag_13_it_moves_without_the_majority():
    people = ["0 wagon 0 1 E", "1 meeple 1 2 N", "1 meeple 1 1 S"]
    scores, _, wagons = naive.score_turn(am(*RING, figures=people))
    assert scores == (0, 12)
    assert len(wagons) == 1


def test_wag_14_abbeys_are_targets_gardens_and_fields_are_not():
    west = ("bg-straight -1 0 0", "bg-monastery-road -2 0 2")
    made = am(*HOLE, *west, ABBEY)
    assert targets(made, "0 wagon 0 0 E") == {"1 0 mid", "0 1 mid"}
    garden = am(START, "bg-monastery-road -1 0 2", "am-road-end-garden 1 0 0")
    assert targets(garden, "0 wagon 0 0 E") == {"0 0 N", "-1 0 mid"}


def test_wag_16_no_wagon_moves_in_the_final_scoring():
    made = am(START, "bg-straight 1 0 0", figures=["0 wagon 1 0 E"], phase=Phase.PLACE_TILE)
    assert naive.final_scores(made) == (2, 0)


def test_wag_30_the_booklet_road():
    made = am(
        START,
        "am-road-end-garden -1 0 2",
        "bg-cap 0 -1 2",
        "bg-cap 0 1 2",
        "bg-monastery-road 1 0 0",
        figures=["0 wagon 0 0 E"],
    )
    scores, _, (wagon,) = naive.score_turn(made)
    assert scores == (3, 0)
    assert wagon.seat == 0
    assert targets(replace(made, figures=()), "0 wagon 0 0 E") == {"1 0 mid", "0 1 S"}


def test_wag_30_the_booklet_city():
    made = am(
        START,
        "bg-span 0 -1 0",
        "bg-cap -1 -1 3",
        "bg-cap-straight 0 -2 2",
        "am-road-end-garden -1 -2 2",
        "bg-monastery-road 1 -2 0",
        figures=["1 meeple -1 -1 W"],
    )
    assert worth(made, 0, -1, "N") == 6
    assert worth(made, 0, -2, "E") == 3  # The upper road is complete.
    assert targets(made, "0 wagon 0 -1 N") == {"1 -2 mid", "0 0 E"}


def test_wag_20_wag_21_wag_31_along_the_links():
    made = am(*ROAD, wagon_adjacency="C1")
    everywhere = {"-1 0 mid", "1 0 E", "1 0 S"}  # Not the city, which has no gate.
    for wagon in ("0 wagon -1 0 E", "0 wagon 0 0 E", "0 wagon 1 0 W"):
        assert targets(made, wagon) == everywhere
    gate = am(START, "bg-monastery-road -1 0 2", "bg-city3-gate 1 0 0", wagon_adjacency="C1")
    assert targets(gate, "0 wagon 0 0 E") == {"-1 0 mid", "1 0 N"}


def test_wag_20_the_first_edition_has_its_own_range():
    rules = {"edition": "C1", "abbot": False}
    assert targets(am(*ROAD, **rules), "0 wagon 1 0 W") == {"-1 0 mid", "1 0 E", "1 0 S"}
    second = am(*ROAD, wagon_adjacency="C2", **rules)
    assert targets(second, "0 wagon 1 0 W") == {"0 0 N", "1 0 E", "1 0 S"}


def test_wag_21_from_a_city_through_its_gate():
    made = am(START, "am-cap-gate-left 0 -1 2", wagon_adjacency="C1")
    assert targets(made, "0 wagon 0 0 N") == {"0 -1 E"}


def test_wag_22_wag_21_to_an_abbey_and_back():
    made = am(*HOLE, ABBEY, wagon_adjacency="C1")
    assert targets(made, "0 wagon 1 -1 S") == {"1 0 mid"}
    assert targets(made, "0 wagon 1 1 N") == {"1 0 mid"}
    open_road = am(*HOLE, ABBEY, "bg-monastery 2 1 0", wagon_adjacency="C1")
    assert targets(open_road, "0 wagon 1 0 mid") == {"0 0 E"}


@pytest.mark.parametrize(
    ("tile", "linked"),
    [
        ("bg-caps-adjacent", []),  # WAG-23
        ("ic-caps-opposite-crossing", ["E N W", "E S W"]),  # WAG-24
        ("am-spans-crossing-shield", []),  # WAG-25
        ("ic-monastery-two-roads", ["E mid", "W mid"]),  # WAG-26
        ("am-cap-curve-left-touching", []),  # WAG-27
        ("am-span-tunnel-shield", []),  # WAG-27
        ("bcb-roads-bazaar", []),  # WAG-29
        ("bcb-span-monastery", ["N mid"]),  # WAG-22
        ("bg-junction", ["E S W"]),  # WAG-21
        ("am-caps-adjacent-two-gates", ["E S", "N W"]),
        ("am-monastery-four-roads", ["E mid", "N mid", "S mid", "W mid"]),
    ],
)
def test_wag_21_to_wag_29_links_of_a_tile(tile, linked):
    groups = links_of(PlacedTile(tile, 3, 4, 0))
    assert all((x, y) == (3, 4) for group in groups for x, y, _ in group)
    assert sorted(" ".join(sorted(s.name for *_, s in group)) for group in groups) == linked


def test_wag_28_any_tile_of_the_chosen_feature():
    east = [f"bg-straight {x} 0 0" for x in (2, 3, 4)]
    made = am(*ROAD, *east, wagon_adjacency="C1")
    found = targets(made, "0 wagon -1 0 E")
    assert found == {"-1 0 mid", "1 0 S", "1 0 E", "2 0 E", "3 0 E", "4 0 E"}


def test_house_01_a_wagon_rolls_over_complete_features():
    made = position(*ROAD, "bg-cap 0 -1 2", house_wagon_roll=True, **ABBEY_AND_MAYOR)
    found = targets(made, "0 wagon 1 0 W")
    assert found == {"0 0 N", "0 -1 S", "1 0 E", "1 0 S"}  # Not the road it comes from.
    waiting = replace(made, wagons=placed_figures("0 wagon 1 0 W"), phase=Phase.WAGON)
    rolling = moved(waiting, (0, 0, Spot.N))
    assert rolling.figures == ()
    assert rolling.wagons == placed_figures("0 wagon 0 0 N")
    rolled = [(1, 0, Spot.W)]
    assert targets(rolling, "0 wagon 0 0 N", rolled) == {"-1 0 mid", "1 0 E", "1 0 S"}
    stopped = moved(rolling, (-1, 0, Spot.mid))
    assert (stopped.figures, stopped.wagons) == (placed_figures("0 wagon -1 0 mid"), ())


# --- Problems -----------------------------------------------------------------------------------


def test_problems_of_tiles():
    def said(*tiles, **rest):
        return " / ".join(problems(position(*tiles, **rest)))

    assert "do not match" in said(START, "bg-monastery 1 0 0")
    assert "not connected" in said(START, "bg-monastery 1 1 0")
    assert "2 tiles lie on" in said(START, "bg-monastery 0 1 0", "bg-cap 0 1 2")
    assert "5 copies of bg-monastery" in said(
        START, *[f"bg-monastery 0 {y} 0" for y in range(1, 6)]
    )
    assert "not part of this game" in said(START, GARDEN, edition="C1", abbot=False)
    assert "turned by 1" in said(START, "bg-monastery 0 1 1")
    assert "the first tile" in said("bg-cap 0 0 0", "bg-monastery 0 1 0")
    assert "in hand in phase FIGURE" in said(START, MONASTERY, hand="bg-cap")
    column = [START, *[f"bg-monastery 0 {y} 0" for y in range(1, 5)]]
    column += ["bg-span 0 5 1", "bg-span-shield 0 6 1", "bg-span-shield 0 7 1"]
    column += [f"bg-straight 0 {y} 0" for y in range(8, 12)]
    assert said(*column, view=12) == ""
    assert "beyond the rim" in said(*column, "bg-straight 0 12 0", view=12)


def test_problems_of_a_known_bag():
    made = position(START, MONASTERY)
    bag = Counter(tile_counts(made.rules))
    bag.subtract(["bg-cap-straight", "bg-monastery", "bg-curve"])
    known = replace(made, bag=tuple(bag.elements()), aside=("bg-curve",))
    assert problems(known) == []
    assert problems(replace(known, aside=())) == ["1 copies of bg-curve are lost"]
    assert problems(replace(known, aside=("bg-curve", "bg-cap")))[0].startswith("5 copies")
    assert "is over with" in problems(replace(known, phase=Phase.GAME_OVER))[0]


def test_problems_of_figures():
    def said(*figures, tiles=(START, MONASTERY, "bg-cap-garden 1 1 1"), **rest):
        return " / ".join(problems(position(*tiles, figures=figures, **rest)))

    assert said("0 meeple 0 1 mid") == said("0 meeple 0 1 Nw") == ""
    assert "on no segment" in said("0 meeple 0 1 N")
    assert "on no segment" in said("0 meeple 3 3 N")
    assert "stands on a FIELD" in said("0 abbot 0 1 Nw")
    assert "stands on a GARDEN" in said("0 meeple 1 1 mid")
    assert "2 figures stand" in said("0 meeple 0 1 Nw", "1 meeple 0 1 mid")
    assert "start tile" in said("0 meeple 0 0 N")
    assert "just placed" in said("0 abbot 1 1 mid")
    assert said("0 abbot 1 1 mid", phase=Phase.PLACE_TILE) == ""
    assert "1 ABBOT too many" in said("0 abbot 0 1 mid", abbot=False)
    assert "belongs to nobody" in said("2 meeple 0 1 mid")
    city = (START, "bg-cap 0 -1 2", MONASTERY)
    assert "still holds" in said("0 meeple 0 -1 S", tiles=city)
    assert "2 scores" not in said(scores=(1, 2))
    assert "3 scores" in said(scores=(1, 2, 3))


def test_order_problems():
    made = position(START, MONASTERY, "bg-cap 1 1 1", figures=["1 meeple 0 1 mid"])
    assert order_problems(made) == []
    (wrong_seat,) = order_problems(replace(made, turn_player=1))
    assert "another seat" in wrong_seat
    start, first, second = made.tiles
    (too_early,) = order_problems(replace(made, tiles=(start, second, first), figures=()))
    assert "could not be placed as tile 1" in too_early


def test_problems_of_abbey_and_mayor():
    def said(*tiles, **rest):
        return " / ".join(problems(position(*tiles, **ABBEY_AND_MAYOR | rest)))

    assert said(*HOLE, ABBEY) == ""
    assert "does not fill a hole" in said(START, "am-abbey 0 1 0")
    assert "1 abbeys on the board" in said(*HOLE, ABBEY, abbeys_left=(1, 1))
    assert "am-abbey is not part" in said(START, hand="am-abbey", phase=Phase.PLACE_TILE)
    assert said(*BLOCK, figures=["0 barn 1 2 NW"], phase=Phase.PLACE_TILE) == ""
    assert "just placed" in said(*BLOCK, figures=["0 barn 1 2 NW"])
    assert "not open field" in said(*BLOCK, "bg-straight 2 1 1", figures=["0 barn 1 2 NE"])
    assert "at no corner" in said(*BLOCK, "bg-straight 2 1 1", figures=["0 barn 1 2 Nw"])
    assert "on no segment" in said(*BLOCK, "bg-straight 2 1 1", figures=["0 meeple 1 2 NW"])
    assert "1 BARN too many" in said(
        *BLOCK, phase=Phase.PLACE_TILE, figures=["0 barn 1 2 NW", "0 barn -1 2 NE"]
    )
    shared = ["0 barn 1 2 NW", "1 meeple 0 1 Nw"]
    assert "share a field" in said(*BLOCK, phase=Phase.PLACE_TILE, figures=shared)
    assert "stands on a MONASTERY" in said(*BLOCK, figures=["0 mayor 0 1 mid"])
    assert "stands on a FIELD" in said(*BLOCK, figures=["0 wagon 0 1 Nw"])
    assert said(*BLOCK, figures=["0 wagon 0 1 mid", "1 meeple 0 1 Nw"]) == ""  # It has moved.
    assert said(START, MONASTERY, figures=["0 wagon 0 0 N"]) == ""
    assert "1 MAYOR too many" in said(*SEVEN[:-1], figures=["0 mayor 0 -1 N"], mayors=False)


def test_problems_of_waiting_wagons():
    def said(*tiles, **rest):
        return " / ".join(problems(position(*tiles, **ABBEY_AND_MAYOR | rest)))

    moves = {"phase": Phase.WAGON}
    assert said(*ROAD, waiting=["0 wagon 0 0 E"], **moves) == ""
    assert "no wagon waits" in said(*ROAD, **moves)
    assert "1 wagons wait in phase FIGURE" in said(*ROAD, waiting=["0 wagon 0 0 E"])
    both = ["0 wagon 0 0 E", "1 wagon 1 0 W"]
    assert said(*ROAD, waiting=both, **moves) == ""
    assert "wrong order" in said(*ROAD, waiting=both[::-1], **moves)
    assert "more on the board" in said(
        *ROAD, waiting=["0 wagon 0 0 E"], figures=["0 wagon -1 0 mid"], **moves
    )
    assert "not scored" in said(*ROAD, waiting=["0 wagon 1 0 E"], **moves)
    assert "nothing for wagons" in said(*ROAD, waiting=["0 wagon 1 0 Nw"], **moves)
    waiting = position(*ROAD, waiting=both, phase=Phase.WAGON_SPOT, **ABBEY_AND_MAYOR)
    assert problems(replace(waiting, wagon_target=(1, 0))) == []
    assert any("cannot go" in p for p in problems(waiting))
    assert any("decides in" in p for p in problems(replace(waiting, decider=1)))


def test_problems_of_the_last_round():
    def said(**rest):
        rest = {"phase": Phase.DRAW_OR_ABBEY, "last_round": 1} | rest
        return " / ".join(problems(position(*HOLE, **ABBEY_AND_MAYOR | rest)))

    assert said() == ""
    assert "no last round" in said(abbey_endgame="none")
    assert "2 seats are still" in said(last_round=2)
    assert "land tiles left" in said(phase=Phase.PLACE_TILE)
    assert "was placed in the last round" in said(phase=Phase.FIGURE)


def test_order_problems_of_abbeys():
    made = position(*HOLE, ABBEY, abbeys_left=(0, 1), **ABBEY_AND_MAYOR)
    assert problems(made) == []
    tiles = {(t.x, t.y): t for t in made.tiles}
    cells = [(0, 0), (0, -1), (1, -1), (2, -1), (2, 0), (0, 1), (1, 1), (1, 0)]
    ordered = replace(made, tiles=tuple(tiles[cell] for cell in cells))
    assert order_problems(ordered) == []
    (wrong,) = order_problems(replace(ordered, abbeys=(1, 0)))
    assert "has its abbey in hand" in wrong
    early = replace(made, tiles=tuple(tiles[cell] for cell in [*cells[:-2], (1, 0), (1, 1)]))
    assert any("could not be placed" in problem for problem in order_problems(early))
