"""The oracle against the figures of RULES.md: positions written out by hand, one rule each.

A tile is written ``"id x y rotation"``, a figure ``"seat meeple|abbot x y spot"``.
"""

import random
from collections import Counter
from dataclasses import replace

import pytest

from carc_env.engine.codes import Figure, Kind, Phase, Spot
from carc_env.position import PlacedFigure, PlacedTile, Position
from carc_env.rules import Rules

from . import naive

START = "bg-cap-straight 0 0 0"
MEEPLE, ABBOT = Figure.MEEPLE, Figure.ABBOT


def position(*tiles, figures=(), phase=Phase.ACTION, player=0, hand=None, scores=None, **switches):
    """Make a position in which ``player`` is to move; ``switches`` are those of ``Rules``."""
    rules = Rules(**switches)
    made = []
    for name, x, y, rotation in map(str.split, tiles):
        made.append(PlacedTile(name, int(x), int(y), int(rotation)))
    standing = []
    for seat, figure, x, y, spot in map(str.split, figures):
        standing.append(PlacedFigure(int(seat), Figure[figure.upper()], int(x), int(y), Spot[spot]))
    return Position(
        rules=rules,
        tiles=tuple(made),
        figures=tuple(standing),
        scores=scores or (0,) * rules.n_players,
        phase=phase,
        turn_player=player,
        decider=player,
        tile_in_hand=hand,
    )


def legal(*tiles, **rest):
    """Make a position and make sure that nothing in it is impossible."""
    made = position(*tiles, **rest)
    assert naive.problems(made) == []
    return made


def worth(made, x, y, spot, final=False):
    return naive.value(made, naive.feature_at(made, x, y, Spot[spot]), final)


def spots(choices, figure):
    return {spot.name for placed, spot in choices if placed == figure}


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
    counts = naive.tile_counts(Rules(**switches))
    assert sum(counts.values()) == 72
    assert sum(n for name, n in counts.items() if naive.FACTS[name].get("garden")) == n_gardens


def test_spots_are_named_in_board_orientation():
    (tile,) = position("bg-cap-curve-right 0 0 1").tiles  # C on E, road from S to W.
    named = {(s.kind, s.spot.name, s.at) for s in naive.segments_of(tile)}
    assert named == {
        (Kind.CITY, "E", frozenset("E")),
        (Kind.ROAD, "S", frozenset("SW")),
        (Kind.FIELD, "Nw", frozenset({"Nw", "Ne", "Se", "Wn"})),
        (Kind.FIELD, "Sw", frozenset({"Sw", "Ws"})),
    }
    assert [naive.edge(tile, side) for side in "NESW"] == list("FCRR")


def test_half_edges_meet_as_the_tile_facts_say():
    assert naive.across(0, 0, "Nw") == (0, -1, "Sw")
    assert naive.across(0, 0, "En") == (1, 0, "Wn")
    assert naive.across(3, 4, "S") == (3, 5, "N")


# --- Placing a tile -----------------------------------------------------------------------------


def test_base_04_placements_beside_the_start_tile():
    start = position(START, phase=Phase.PLACE_TILE)
    n = {name: len(naive.placements(start, name)) for name in naive.tile_counts(start.rules)}
    assert n["bg-monastery"] == 1
    assert n["bg-curve"] == 6
    assert n["bg-junction"] == 7
    assert n["bg-straight"] == 3
    assert n["bg-caps-opposite"] == 2
    assert n["bg-monastery-road"] == 5
    left = Counter(naive.tile_counts(start.rules)) - Counter(["bg-cap-straight"])
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
    assert naive.problems(made) == ["bg-monastery fits nowhere and should be aside"]
    assert naive.problems(replace(made, tile_in_hand="bg-cap")) == []


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
    road = naive.feature_at(made, 0, 0, Spot.E)
    assert road.is_complete
    assert road.tiles == {(-1, 0), (0, 0), (1, 0), (2, 0)}
    assert naive.value(made, road, final=False) == 4
    assert worth(made, 2, 0, "S") == 0  # Another arm of the junction, still open.


def test_base_11_a_loop_is_complete():
    made = legal(START, "bg-curve 0 1 3", "bg-curve 1 1 0", "bg-curve 1 2 1", "bg-curve 0 2 2")
    assert naive.feature_at(made, 0, 1, Spot.E).is_complete
    assert worth(made, 0, 1, "E") == 4


def test_base_12_a_city_with_a_coat_of_arms():
    made = legal(START, "bg-span-shield 0 -1 0", "bg-span 0 -2 0", "bg-cap 0 -3 2")
    assert naive.feature_at(made, 0, 0, Spot.N).coats == 1
    assert worth(made, 0, 0, "N") == 10


@pytest.mark.parametrize("points", [4, 2])
def test_base_13_a_city_of_two_tiles(points):
    made = legal(START, "bg-cap 0 -1 2", small_city_points=points)
    assert worth(made, 0, 0, "N") == worth(made, 0, 0, "N", final=True) == points
    larger = legal(START, "bg-span 0 -1 0", "bg-cap 0 -2 2", small_city_points=points)
    assert worth(larger, 0, 0, "N") == 6


def test_base_14_the_eighth_neighbour_completes_a_monastery_in_another_turn():
    seven = legal(START, MONASTERY, *AROUND_MONASTERY[1:7], figures=["0 meeple 0 1 mid"], player=1)
    assert not naive.feature_at(seven, 0, 1, Spot.mid).is_complete
    assert naive.after(seven, None) == ((0, 0), seven.figures)
    eight = legal(START, MONASTERY, *AROUND_MONASTERY[1:], figures=["0 meeple 0 1 mid"], player=1)
    assert naive.after(eight, None) == ((9, 0), ())


def test_base_15_a_tile_counts_once():
    made = legal(*RING)
    city = naive.feature_at(made, 0, 2, Spot.N)
    assert (len(city.tiles), len(city.segments)) == (6, 7)
    assert city.is_complete
    assert naive.value(made, city, final=False) == 12


def test_base_16_base_18_the_majority_takes_all_and_everybody_goes_home():
    knights = ["0 meeple 0 1 E", "0 meeple 1 1 S", "1 meeple 1 2 N", "1 meeple 0 3 Se"]
    made = legal(*RING, figures=knights)
    assert naive.majority(naive.feature_at(made, 0, 2, Spot.S)) == [0]
    scores, figures = naive.score_turn(made)
    assert scores == (12, 0)
    assert figures == made.figures[3:]  # BASE-20: the farmer stays.


def test_base_07_base_17_a_tie_pays_everyone_in_full():
    knights = ["0 meeple 0 1 E", "2 meeple 1 2 N"]
    made = legal(*RING, figures=knights, n_players=3, scores=(5, 6, 7))
    assert naive.majority(naive.feature_at(made, 0, 2, Spot.S)) == [0, 2]
    assert naive.score_turn(made) == ((17, 6, 19), ())


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
    assert naive.score_turn(made) == ((3, 8), ())
    assert {f.kind for f in naive.completed(made)} == {Kind.ROAD, Kind.CITY}


def test_base_23_what_is_incomplete_at_the_end():
    made = legal(START, "bg-span-shield 0 -1 0", "bg-span 0 -2 0", figures=["1 meeple 0 -1 N"])
    assert worth(made, 0, 0, "N") == 0
    assert worth(made, 0, 0, "N", final=True) == 4
    assert worth(made, 0, 0, "E", final=True) == 1
    assert naive.final_scores(made) == naive.projected_scores(made) == (0, 4)
    assert naive.score_turn(made) == ((0, 0), made.figures)
    monastery = legal(START, MONASTERY, *AROUND_MONASTERY[1:6])
    assert worth(monastery, 0, 1, "mid", final=True) == 7


def test_base_23_the_majority_counts_at_the_end_as_well():
    knights = ["0 meeple 0 1 E", "0 meeple 1 1 S", "1 meeple 1 2 N"]
    made = legal(*RING[:6], figures=knights, scores=(1, 1), phase=Phase.PLACE_TILE)
    assert naive.final_scores(made) == (1 + 5, 1)


@pytest.mark.parametrize(("n_neighbours", "points"), [(0, 1), (5, 6), (8, 9)])
def test_gar_04_a_garden_counts_its_neighbours(n_neighbours, points):
    made = position(GARDEN, *AROUND_GARDEN[:n_neighbours])
    assert naive.feature_at(made, 0, 1, Spot.mid).kind == Kind.GARDEN
    assert worth(made, 0, 1, "mid", final=True) == points
    assert worth(made, 0, 1, "mid") == (9 if n_neighbours == 8 else 0)


def test_abt_05_abt_16_the_abbot_scores_like_a_monk():
    eight = legal(START, GARDEN, *AROUND_GARDEN[1:], figures=["1 abbot 0 1 mid"])
    assert naive.after(eight, None) == ((0, 9), ())
    seven = legal(START, GARDEN, *AROUND_GARDEN[1:7], figures=["1 abbot 0 1 mid"])
    assert naive.final_scores(seven) == (0, 8)


def test_abt_17_an_abbot_has_strength_1():
    # Out of reach without fliers, but the majority does not ask how they came there.
    both = ["0 abbot 0 1 mid", "1 meeple 0 1 mid"]
    made = position(START, MONASTERY, *AROUND_MONASTERY[1:], figures=both)
    assert naive.score_turn(made) == ((9, 9), ())


# --- Fields -------------------------------------------------------------------------------------


def test_base_20_farmers_are_not_scored_during_play():
    made = legal(START, "bg-cap 0 -1 2", figures=["0 meeple 0 -1 Nw"], phase=Phase.PLACE_TILE)
    made = replace(made, phase=Phase.ACTION)
    assert worth(made, 0, -1, "Nw") == 0
    assert naive.score_turn(made) == ((0, 0), made.figures)


def test_base_21_a_road_splits_fields_and_an_end_joins_them():
    made = legal(START, "bg-straight 1 0 0", "bg-monastery-road 2 0 0")
    north = naive.feature_at(made, 0, 0, Spot.En)
    south = naive.feature_at(made, 0, 0, Spot.Es)
    assert north == south  # Round the monastery at the end of the road.
    without_end = legal(START, "bg-straight 1 0 0")
    assert (1, 0, Spot.Nw) in naive.feature_at(without_end, 0, 0, Spot.En).segments
    assert (1, 0, Spot.Es) not in naive.feature_at(without_end, 0, 0, Spot.En).segments


def test_base_24_base_27_three_points_for_each_complete_city():
    made = legal(*THREE_CAPS, figures=["0 meeple 1 0 En"])
    field = naive.feature_at(made, 0, 0, Spot.En)
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
    field = naive.feature_at(made, 1, -1, Spot.Nw)
    assert {(0, 0, Spot.En), (0, -1, Spot.En)} <= field.segments
    assert naive.final_scores(made) == (3, 0)


def test_base_26_a_field_beyond_the_road_does_not_touch_the_city():
    made = legal(START, "bg-cap 0 -1 2")
    assert naive.feature_at(made, 0, 0, Spot.Es).cities == frozenset()
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
    assert naive.after(made, (MEEPLE, Spot.S)) == ((0, 4), ())


def test_base_09_base_10_without_supply_nothing_can_be_placed():
    seven = [f"0 meeple {x} 0 Es" for x in range(1, 8)]
    row = (START, *[f"bg-straight {x} 0 0" for x in range(1, 8)], "bg-monastery-road -1 0 2")
    made = legal(*row, figures=seven, abbot=False)
    assert naive.supply(made, 0) == {MEEPLE: 0, ABBOT: 0}
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
    for name in naive.tile_counts(start.rules):
        x, y, rotation = min(naive.placements(start, name))
        made = legal(START, f"{name} {x} {y} {rotation}")
        offered = naive.figure_choices(made)
        facts = naive.FACTS[name]
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
    assert naive.after(made, "recall") == ((6, 0), ())
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
    assert naive.after(made, "recall") == ((2 + 6, 0), ())


def test_abt_11_a_recall_compares_no_majority():
    both = ["0 abbot 0 1 mid", "1 meeple 0 1 mid", "1 meeple 0 1 mid"]
    made = position(START, MONASTERY, *AROUND_MONASTERY[1:4], figures=both)
    assert naive.after(made, "recall") == ((5, 0), made.figures[1:])


def test_abt_14_recall_from_a_place_that_this_tile_completes():
    made = legal(START, GARDEN, *AROUND_GARDEN[1:], figures=["0 abbot 0 1 mid"])
    assert naive.recall_value(made, 0) is None
    assert naive.after(made, None) == ((9, 0), ())
    allowed = replace(made, rules=Rules(abbot_recall_completed="allow"))
    assert naive.recall_value(allowed, 0) == 9
    assert naive.after(allowed, "recall") == ((9, 0), ())  # ABT-18: not scored twice.
    assert naive.after(allowed, None) == ((9, 0), ())


# --- Problems -----------------------------------------------------------------------------------


def test_problems_of_tiles():
    def said(*tiles, **rest):
        return " / ".join(naive.problems(position(*tiles, **rest)))

    assert "do not match" in said(START, "bg-monastery 1 0 0")
    assert "not connected" in said(START, "bg-monastery 1 1 0")
    assert "2 tiles lie on" in said(START, "bg-monastery 0 1 0", "bg-cap 0 1 2")
    assert "5 copies of bg-monastery" in said(
        START, *[f"bg-monastery 0 {y} 0" for y in range(1, 6)]
    )
    assert "not part of this game" in said(START, GARDEN, edition="C1", abbot=False)
    assert "turned by 1" in said(START, "bg-monastery 0 1 1")
    assert "the first tile" in said("bg-cap 0 0 0", "bg-monastery 0 1 0")
    assert "in hand in phase ACTION" in said(START, MONASTERY, hand="bg-cap")
    column = [START, *[f"bg-monastery 0 {y} 0" for y in range(1, 5)]]
    column += ["bg-span 0 5 1", "bg-span-shield 0 6 1", "bg-span-shield 0 7 1"]
    column += [f"bg-straight 0 {y} 0" for y in range(8, 12)]
    assert said(*column, view=12) == ""
    assert "beyond the rim" in said(*column, "bg-straight 0 12 0", view=12)


def test_problems_of_a_known_bag():
    made = position(START, MONASTERY)
    bag = Counter(naive.tile_counts(made.rules))
    bag.subtract(["bg-cap-straight", "bg-monastery", "bg-curve"])
    known = replace(made, bag=tuple(bag.elements()), aside=("bg-curve",))
    assert naive.problems(known) == []
    assert naive.problems(replace(known, aside=())) == ["1 copies of bg-curve are lost"]
    assert naive.problems(replace(known, aside=("bg-curve", "bg-cap")))[0].startswith("5 copies")
    assert "is over with" in naive.problems(replace(known, phase=Phase.GAME_OVER))[0]


def test_problems_of_figures():
    def said(*figures, tiles=(START, MONASTERY, "bg-cap-garden 1 1 1"), **rest):
        return " / ".join(naive.problems(position(*tiles, figures=figures, **rest)))

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
    assert naive.order_problems(made) == []
    (wrong_seat,) = naive.order_problems(replace(made, turn_player=1))
    assert "another seat" in wrong_seat
    start, first, second = made.tiles
    (too_early,) = naive.order_problems(replace(made, tiles=(start, second, first), figures=()))
    assert "could not be placed as tile 1" in too_early


# --- Whole games --------------------------------------------------------------------------------


def quarter_turned(made):
    """Turn the whole board clockwise, figures dropped."""
    return replace(
        made,
        figures=(),
        tiles=tuple(
            PlacedTile(t.tile, -t.y, t.x, (t.rotation + 1) % naive.FACTS[t.tile]["rot"])
            for t in made.tiles
        ),
    )


def counted(made):
    return Counter(
        (f.kind, len(f.segments), len(f.tiles), f.coats, f.is_complete, naive.value(made, f, True))
        for f in naive.features(made)
    )


@pytest.mark.parametrize("seed", range(3))
def test_random_games_have_no_problems(seed):
    rng = random.Random(seed)
    switches = {"n_players": 2 + seed, "small_city_points": rng.choice([2, 4])}
    made = position(START, phase=Phase.PLACE_TILE, **switches)
    bag = Counter(naive.tile_counts(made.rules)) - Counter(["bg-cap-straight"])
    stack = sorted(bag.elements())
    rng.shuffle(stack)
    player = 0
    while stack:
        name, *stack = stack
        made = replace(made, phase=Phase.PLACE_TILE, turn_player=player, decider=player)
        places = sorted(naive.placements(made, name))
        if not places:  # BASE-05
            made = replace(made, aside=(*made.aside, name))
            continue
        made = replace(made, tile_in_hand=name, bag=tuple(stack))
        assert naive.problems(made) == []
        tile = PlacedTile(name, *rng.choice(places))
        made = replace(made, tile_in_hand=None, tiles=(*made.tiles, tile), phase=Phase.ACTION)
        assert naive.problems(made) == []
        projected = naive.projected_scores(made)
        scores, figures = naive.after(made, None)
        made = replace(made, phase=Phase.PLACE_TILE)
        # Scoring what is complete moves points from the projection to the scores, no more.
        assert naive.projected_scores(replace(made, scores=scores, figures=figures)) == projected
        made = replace(made, phase=Phase.ACTION)
        choice = rng.choice(sorted(naive.choices(made), key=str))
        scores, figures = naive.after(made, choice)
        assert all(new >= old for new, old in zip(scores, made.scores, strict=True))
        made = replace(made, scores=scores, figures=figures)
        player = (player + 1) % made.rules.n_players
    made = replace(made, phase=Phase.GAME_OVER, bag=())
    assert naive.problems(made) == []
    assert naive.order_problems(made) == []
    assert counted(made) == counted(quarter_turned(made))
    assert sum(naive.final_scores(made)) > 20
