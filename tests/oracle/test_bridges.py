"""The oracle's bridges against docs/rules/bridges.md."""

from dataclasses import replace

import pytest

from carc_env.engine.core.codes import Kind, Phase, Spot
from carc_env.position import PlacedTile
from carc_env.rules import Rules

from . import bridges, naive, turns
from .board import feature_at
from .positions import MEEPLE, START, WAGON, position, spots, worth
from .positions import legal as legal_position
from .problems import order_problems, problems
from .tiles import edge, segments_of, tile_counts

pytestmark = pytest.mark.once


def legal(*tiles, **rest):
    """Make a position with bridges in which nothing is impossible."""
    return legal_position(*tiles, **{"bridges": True} | rest)


def in_hand(tile, *tiles, **rest):
    """Make a position in which a tile is to be placed."""
    return legal(*tiles, phase=Phase.PLACE_TILE, hand=tile, **rest)


def built_by_choice(made):
    """List the bridges that are offered, as texts like ``0,1 EW``."""
    return {f"{x},{y} {axis}" for x, y, axis in bridges.optional(made)}


@pytest.mark.parametrize(("n_players", "n"), [(2, 3), (4, 3), (5, 2), (6, 2)])
def test_bri_01_set_04_bridges_per_player(n_players, n):
    rules = Rules(n_players=n_players, bridges=True)
    assert bridges.each(rules) == n and n * n_players <= 12
    assert bridges.each(replace(rules, bridges=False)) == 0


def test_bri_02_the_set_has_twelve_tiles():
    counts = tile_counts(Rules(sets=("base", "bridges")))
    assert sum(counts.values()) - 1 == 83
    assert sum(tile_counts(Rules.preset("bridges")).values()) - 1 == 95


@pytest.mark.parametrize(
    ("tile", "axes"),
    [
        ("bg-straight", {"NS"}),
        ("bg-cap", {"EW"}),
        ("bg-corner", set()),
        ("bg-monastery", {"NS", "EW"}),
        ("bcb-bazaar", {"NS", "EW"}),  # BRI-22
        ("rv-straight", {"NS"}),
        ("am-abbey", set()),
    ],
)
def test_bri_05_both_ends_lie_on_fields(tile, axes):
    assert {axis for axis in bridges.AXES if bridges.spans(PlacedTile(tile, 0, 0, 0), axis)} == axes


def test_bri_03_bri_04_bri_06_optional_bridges():
    made = legal(START, "bg-monastery 0 1 0", "bg-monastery 1 1 0")
    # The start has field in the south only; each monastery has the other one on one side.
    assert built_by_choice(made) == {"1,1 NS"}
    first = legal(START, "bg-monastery 0 1 0")
    assert built_by_choice(first) == {"0,1 EW"}
    built = turns.following(first, "bridge 0,1 EW")
    assert (built.phase, built.has_bridged, built.bridges) == (Phase.FIGURE, True, (2, 3))
    assert built_by_choice(built) == set()
    assert problems(built) == []


def test_bri_04_only_the_tile_just_placed_and_its_side_neighbours():
    column = [START, *[f"bg-monastery 0 {y} 0" for y in (1, 2, 3)]]
    assert built_by_choice(legal(*column)) == {"0,3 EW", "0,2 EW"}
    beside = legal(*column, "bg-cap 1 2 1")  # City in the east.
    assert built_by_choice(beside) == {"1,2 NS"}
    far = legal(*column, "bg-straight -1 0 0")
    assert built_by_choice(far) == {"-1,0 NS"}
    assert built_by_choice(replace(far, bridges=(0, 3))) == set()  # BRI-19


def test_bri_07_a_bridge_is_a_road_segment():
    made = legal(START, "bg-monastery 1 0 0 EW", "bg-monastery-road 2 0 0")
    assert [s.spot for s in segments_of(made.tiles[1]) if s.kind == Kind.ROAD] == [Spot.E]
    closed = legal(START, "bg-monastery 1 0 0 EW", "bg-monastery-road 2 0 0", "bg-junction -1 0 0")
    assert worth(closed, 1, 0, "E") == 4
    assert worth(made, 1, 0, "E", final=True) == 3


def test_bri_08_a_bridge_may_be_needed_on_the_tile_itself():
    made = in_hand("bg-monastery", START)
    assert bridges.all_placements(made, "bg-monastery") == {
        (0, 1, 0): None,
        (1, 0, 0): (1, 0, "EW"),
        (-1, 0, 0): (-1, 0, "EW"),
    }
    without = replace(made, bridges=(0, 3))
    assert set(bridges.all_placements(without, "bg-monastery")) == {(0, 1, 0)}
    assert turns.legal(made) == {
        "bg-monastery 0,1 r0",
        "bg-monastery 1,0 r0",
        "bg-monastery -1,0 r0",
    }
    after = turns.following(made, "bg-monastery 1,0 r0")
    assert after.tiles[-1] == PlacedTile("bg-monastery", 1, 0, 0, "EW")
    assert (after.bridges, after.has_bridged) == ((2, 3), True)
    plain = turns.following(made, "bg-monastery 0,1 r0")
    assert (plain.bridges, plain.has_bridged) == ((3, 3), False)


def test_bri_08_a_bridge_may_be_needed_on_the_neighbour():
    made = in_hand("bg-straight", START, "bg-monastery 0 1 0")
    found = bridges.all_placements(made, "bg-straight")
    assert found[1, 1, 0] == found[-1, 1, 0] == (0, 1, "EW")
    # From the south it would have to pass under the start tile, from the north over its city.
    assert (0, 2, 1) not in found and (0, -1, 1) not in found
    after = turns.following(made, "bg-straight 1,1 r0")
    assert after.tiles[1].bridge == "EW"
    assert feature_at(after, 1, 1, Spot.E).tiles == {(0, 1), (1, 1)}


def test_bri_08_the_start_tile_carries_no_bridge_from_the_south():
    assert (0, 1, 1) not in bridges.all_placements(in_hand("bg-straight", START), "bg-straight")


def test_bri_08_one_bridge_between_two_roads():
    gap = (START, "bg-straight 1 0 0", "bg-curve 2 0 0", "bg-curve 2 1 1", "bg-monastery 0 1 0")
    # The road comes back to (1, 1) from the east; in the west lies a monastery without a road.
    made = in_hand("bg-cap", *gap)
    found = bridges.all_placements(made, "bg-cap")
    assert not any(where[:2] == (1, 1) for where in found)
    open_west = in_hand("bg-cap", *gap[:-1])
    assert bridges.all_placements(open_west, "bg-cap")[1, 1, 2] == (1, 1, "EW")
    road_west = in_hand("bg-cap", *gap[:-1], "bg-monastery-road 0 1 2")
    assert bridges.all_placements(road_west, "bg-cap")[1, 1, 2] == (1, 1, "EW")


def test_bri_09_a_tile_that_needs_a_bridge_may_be_put_aside():
    # Every free cell beside these tiles touches a city or the road.
    made = in_hand("bg-monastery", START, "bg-city4-shield 0 -1 0", "bg-city3 0 1 1")
    found = bridges.all_placements(made, "bg-monastery")
    assert found and None not in found.values()
    assert "aside" in turns.legal(made)
    assert "aside" not in turns.legal(in_hand("bg-monastery", START))
    drawn = turns.following(replace(made, bag=("bg-curve", "bg-cap")), "aside")
    assert (drawn.aside, drawn.tile_in_hand) == (("bg-monastery",), "bg-curve")
    assert (drawn.turn_player, drawn.bag) == (0, ("bg-cap",))
    none_left = replace(made, bridges=(0, 3))
    assert bridges.all_placements(none_left, "bg-monastery") == {}


def test_bri_10_the_timing():
    early, late = (
        replace(legal(START, "bg-monastery 0 1 0", bridge_timing=timing), bag=("bg-curve",))
        for timing in ("before_figure", "any_time_before_scoring")
    )
    assert turns.following(early, "meeple mid").phase == Phase.PLACE_TILE
    assert "bridge 0,1 EW" in turns.legal(late)
    asked = turns.following(late, "meeple mid")
    assert (asked.phase, asked.decider) == (Phase.BRIDGE, 0)
    assert problems(replace(asked, bag=None)) == []
    assert turns.legal(asked) == {"pass", "bridge 0,1 EW"}
    assert turns.following(asked, "pass").tiles[-1].bridge is None
    built = turns.following(asked, "bridge 0,1 EW")
    assert built.tiles[-1].bridge == "EW"
    assert (built.phase, built.has_bridged, built.turn_player) == (Phase.PLACE_TILE, False, 1)
    assert turns.following(late, "pass").phase == Phase.PLACE_TILE
    bridged = turns.following(late, "bridge 0,1 EW")
    assert turns.following(bridged, "meeple mid").phase == Phase.PLACE_TILE


def test_bri_11_figures_stand_on_a_bridge_of_the_tile_just_placed():
    made = legal(START, "bg-monastery 1 0 0 EW", has_bridged=True, wagons=True)
    offered = naive.figure_choices(made)
    assert {(MEEPLE, Spot.E), (WAGON, Spot.E)} <= offered
    road = (START, "bg-straight -1 0 0", "bg-monastery 1 0 0 EW")
    taken = legal(*road, figures=["1 meeple -1 0 E"], has_bridged=True)
    assert spots(naive.figure_choices(taken), MEEPLE) == {"Nw", "mid"}


def test_bri_12_no_figure_on_a_bridge_beside_the_tile_just_placed():
    made = legal(START, "bg-monastery 0 1 0 EW", "bg-monastery 0 2 0", has_bridged=True)
    assert spots(naive.figure_choices(made), MEEPLE) == {"Nw", "mid"}


def test_bri_13_a_bridge_divides_nothing():
    plain, over = PlacedTile("bg-caps-opposite", 0, 0, 0), None
    over = replace(plain, bridge="EW")
    fields = [[s for s in segments_of(t) if s.kind == Kind.FIELD] for t in (plain, over)]
    assert fields[0] == fields[1] and len(fields[0]) == 1
    assert len(fields[0][0].cities) == 2
    monastery = PlacedTile("bg-monastery", 0, 0, 0, "EW")
    (field,) = (s for s in segments_of(monastery) if s.kind == Kind.FIELD)
    assert len(field.corners) == 4


def test_bri_14_one_bridge_continues_another():
    made = legal(START, "bg-monastery 1 0 0 EW", "bg-monastery 2 0 0 EW", has_bridged=True)
    assert worth(made, 2, 0, "E", final=True) == 3


def test_bri_15_bridges_do_not_cross():
    made = legal(START, "bg-monastery 0 1 0 EW", "bg-monastery 0 2 0")
    assert built_by_choice(made) == {"0,2 EW"}
    assert not bridges.spans(made.tiles[1], "NS")


def test_bri_16_bri_17_a_tile_counts_once_on_a_road_that_crosses_itself():
    eight = (
        "bg-straight 1 0 0 NS",
        "bg-curve 2 0 1",
        "bg-curve 2 -1 0",
        "bg-curve 1 -1 3",
        "bg-curve 1 1 1",
        "bg-curve 0 1 2",
        "bg-curve 0 0 3",
    )
    made = position(*eight, bridges=True)
    assert worth(made, 1, 0, "N") == 7
    two = feature_at(position(*eight[:1], bridges=True), 1, 0, Spot.N)
    assert two.segments == {(1, 0, Spot.N)}


def test_bri_18_the_bridged_sides_are_road_sides():
    tile = PlacedTile("bg-monastery", 0, 0, 0, "EW")
    assert [edge(tile, side) for side in "NESW"] == list("FRFR")
    made = in_hand("bg-curve", START, "bg-monastery 0 1 0 EW")
    rotations = {r for x, y, r in naive.placements(made, "bg-curve") if (x, y) == (1, 1)}
    assert rotations == {0, 1}  # A road in the west and the south, or in the west and the north.


def test_bri_21_no_end_against_an_abbey():
    hole = (START, "bg-cap 0 -1 2", "bg-monastery 2 -1 0", "bg-cap 2 0 1", "bg-monastery 0 1 0")
    full = (*hole, "bg-cap 1 -1 2", "bg-cap 1 1 0", "am-abbey 1 0 0")
    made = position(*full, "bg-monastery 2 1 0", bridges=True, abbeys=True, abbeys_left=(1, 0))
    last = made.tiles[-1]
    assert not bridges.goes_on(made, replace(last, bridge="NS"))  # A city in the north.
    west = replace(made.tiles[3], rotation=0)  # At (2, 0), with the abbey in the west.
    assert bridges.spans(west, "EW") and not bridges.goes_on(made, replace(west, bridge="EW"))


def test_bri_21_an_abbey_closes_a_bridge():
    around = ("bg-straight 1 0 0", "bg-monastery 2 0 0 EW", "bg-curve 2 1 0", "bg-curve 0 1 2")
    made = position(START, *around, "bg-monastery 1 2 0", bridges=True, abbeys=True)
    assert not feature_at(made, 2, 0, Spot.E).is_complete
    east = [PlacedTile("am-abbey", 3, 0, 0), PlacedTile("bg-monastery-road", -1, 0, 2)]
    closed = replace(made, tiles=(*made.tiles, *east))
    assert feature_at(closed, 2, 0, Spot.E).is_complete
    assert worth(closed, 2, 0, "E") == 4


def test_abb_24_gap_c6_an_abbey_needs_no_bridge_but_one_may_follow():
    hole = (START, "bg-cap 0 -1 2", "bg-monastery 2 -1 0", "bg-cap 2 0 1", "bg-monastery 0 1 0")
    full = (*hole, "bg-cap 1 -1 2", "bg-cap 1 1 0")
    made = legal(*full, phase=Phase.DRAW_OR_ABBEY, abbeys=True)
    assert turns.legal(made) == {"draw", "am-abbey 1,0 r0"}
    after = turns.following(made, "am-abbey 1,0 r0")
    assert not after.has_bridged
    # East of the abbey a bridge can run from north to south only: in the north lies a monastery.
    assert built_by_choice(after) == set()


def test_problems_of_bridges():
    def said(*tiles, **rest):
        return " / ".join(problems(position(*tiles, **{"bridges": True} | rest)))

    over = (START, "bg-monastery 0 1 0 EW")
    assert said(*over, has_bridged=True) == said(*over, "bg-straight 1 0 0") == ""
    assert "does not end on fields" in said(START, "bg-monastery 0 1 0", "bg-cap 0 2 0 NS")
    assert "do not match" in said(START, "bg-monastery 0 1 0 NS")
    assert "1 bridges on the board" in said(*over, bridges_left=(3, 3))
    assert "bridges in hand" in said(*over, bridges_left=(1, 4))
    assert "0 hands of bridges" in said(*over, bridges_left=())
    assert "2 hands of bridges" in said(START, bridges=False, bridges_left=(3, 3))
    assert "or beside it" in said(START, "bg-monastery 0 1 0", has_bridged=True)
    assert "is noted in phase PLACE_TILE" in said(*over, has_bridged=True, phase=Phase.PLACE_TILE)
    late = {"phase": Phase.BRIDGE, "bridge_timing": "any_time_before_scoring"}
    assert said(START, "bg-monastery 0 1 0", **late) == ""
    assert "can build no bridge" in said(START, "bg-monastery 0 1 0", phase=Phase.BRIDGE)
    assert "can build no bridge" in said(*over, **late, has_bridged=True)


def test_order_problems_of_bridges():
    made = legal(START, "bg-monastery 1 0 0 EW", "bg-monastery-road 2 0 0", player=1)
    assert order_problems(made) == []
    start, bridged, road = made.tiles
    assert order_problems(replace(made, tiles=(start, road, bridged))) != []
    assert order_problems(replace(made, tiles=(start, replace(bridged, bridge=None), road))) != []
