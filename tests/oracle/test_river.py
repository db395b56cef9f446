"""The oracle's river against docs/rules/river.md, BASE-40 to BASE-42, and BRI-22."""

from dataclasses import replace

import pytest

from carc_env.engine.core.codes import Phase, Spot
from carc_env.position import PlacedTile
from carc_env.rules import Rules

from . import bridges, naive, river, turns
from .board import feature_at, features
from .positions import MEEPLE, SOURCE, START, legal, position, spots
from .problems import order_problems, problems
from .tiles import tile_counts

pytestmark = pytest.mark.once

RIVER = {"sets": ("base", "river1")}


def in_hand(tile, *tiles, **rest):
    """Make a position in which a river tile is to be placed."""
    return legal(SOURCE, *tiles, phase=Phase.PLACE_TILE, hand=tile, **RIVER | rest)


def places(made, tile):
    return {f"{x} {y} {r}" for x, y, r in naive.placements(made, tile)}


def test_base_40_the_tiles_of_the_game():
    counts = tile_counts(Rules(**RIVER))
    of_river = {name: n for name, n in counts.items() if river.is_river_tile(name)}
    assert (sum(of_river.values()), sum(counts.values())) == (12, 12 + 72)
    assert counts["bg-cap-straight"] == 4
    assert river.start_tile(Rules(**RIVER)) == "rv-source"
    assert river.start_tile(Rules()) == "bg-cap-straight"


@pytest.mark.parametrize(
    ("tile", "found"),
    [
        ("rv-straight", {"-1 0 0"}),
        ("rv-bend", {"-1 0 2", "-1 0 3"}),  # The stored bend joins south and west.
        ("rv-cap-gate", {"-1 0 0", "-1 0 2"}),
    ],
)
def test_base_41_a_river_tile_continues_the_river(tile, found):
    """Beside the source only the cell in the west will do, although fields match all around."""
    made = in_hand(tile)
    assert places(made, tile) == found
    assert turns.legal(made) == {f"{tile} -1,0 r{place[-1]}" for place in found}
    assert len(places(in_hand("rv-straight"), "bg-monastery")) == 3


@pytest.mark.parametrize(
    ("first", "cell", "allowed", "forbidden"),
    [
        # The river goes west and bends to the right, into the north; then east is a U-turn.
        ("rv-bend -1 0 2", "-1 -1", {0}, {3}),
        # It bends to the left, into the south; then east is one.
        ("rv-bend -1 0 3", "-1 1", {1}, {2}),
    ],
)
def test_base_41_no_immediate_u_turn(first, cell, allowed, forbidden):
    made = in_hand("rv-road-bend", first)
    assert places(made, "rv-road-bend") == {f"{cell} {r}" for r in allowed}
    x, y = map(int, cell.split())
    for r in allowed | forbidden:
        turned = PlacedTile("rv-bend", x, y, r)
        assert naive.fits(made, turned)
        assert river.goes_on(made, turned) == (r in allowed)


def test_base_41_after_a_straight_tile_the_river_may_bend_the_same_way():
    made = in_hand("rv-road-bend", "rv-bend -1 0 2", "rv-straight -1 -1 1")
    assert places(made, "rv-road-bend") == {"-1 -2 0", "-1 -2 3"}


def test_base_05_base_41_a_river_tile_without_a_place_is_put_aside():
    round_ = ("rv-bend -1 0 2", "rv-straight -1 -1 1", "rv-road-bend -1 -2 3")
    back = ("rv-straight 0 -2 0", "rv-bend-garden 1 -2 0", "rv-road-bridge 1 -1 1")
    made = legal(SOURCE, *round_, *back, **RIVER)
    left = ("rv-caps-opposite", "rv-cap-gate", "rv-monastery-road", "rv-corner-bend", "rv-lake")
    drawn = turns.following(replace(made, bag=left), "pass")
    assert drawn.aside == tuple(sorted(left[:2]))  # The source shows a field to the only cell.
    assert turns.legal(drawn) == {"rv-monastery-road 1,0 r3"}


def test_base_42_meeples_stand_beside_the_river():
    made = legal(SOURCE, "rv-straight -1 0 0", **RIVER)
    assert spots(naive.figure_choices(made), MEEPLE) == {"Nw", "Es"}
    north, south = (feature_at(made, -1, 0, spot) for spot in (Spot.Nw, Spot.Es))
    assert north is feature_at(made, 0, 0, Spot.Nw) is south
    assert len(features(position(SOURCE, **RIVER))) == 1


def test_base_42_the_river_separates_fields():
    made = legal(SOURCE, "rv-bend -1 0 2", "rv-road-bridge -1 -1 1", **RIVER)
    assert spots(naive.figure_choices(made), MEEPLE) == {"Nw", "Ne", "Es", "Sw", "E"}


def test_bri_22_bridges_cross_the_river():
    made = legal(SOURCE, "rv-straight -1 0 0", bridges=True, **RIVER)
    assert set(bridges.optional(made)) == {(-1, 0, "NS"), (0, 0, "NS")}
    assert turns.legal(made) >= {"bridge -1,0 NS", "bridge 0,0 NS"}


def test_problems_of_the_river():
    def said(*tiles, **rest):
        return " / ".join(problems(position(*tiles, **RIVER | rest)))

    assert said(SOURCE, "rv-straight -1 0 0") == ""
    assert "first tile" in said(START, "bg-monastery 0 1 0")
    assert "first tile" in said("bg-cap 0 0 0", "bg-monastery 0 1 0", sets=("base",))
    assert "does not continue" in said(SOURCE, "rv-straight 0 -1 0")
    assert "does not continue" in said(SOURCE, "rv-bend -1 0 2", "rv-road-bend -1 -1 3")
    u_turn = ("rv-bend -1 0 2", "rv-road-bend -1 -1 3", "rv-straight 0 -1 0")
    assert "rv-bend" in said(SOURCE, *u_turn) and "rv-straight" not in said(SOURCE, *u_turn)
    assert "land tiles were drawn" in said(SOURCE, "bg-monastery 0 1 0")
    assert "land tiles were drawn" in said(SOURCE, phase=Phase.PLACE_TILE, hand="bg-monastery")
    assert "the lake was drawn" in said(SOURCE, phase=Phase.PLACE_TILE, hand="rv-lake")
    assert "the lake was drawn" in said(SOURCE, phase=Phase.PLACE_TILE, aside=("rv-lake",))


def test_problems_of_a_bag_with_a_river():
    start = position(SOURCE, phase=Phase.PLACE_TILE, hand="rv-bend", **RIVER)
    counts = tile_counts(start.rules)
    land = [k for k, n in counts.items() for _ in range(n) if not river.is_river_tile(k)]
    middle = [k for k, n in counts.items() for _ in range(n) if k.startswith("rv-")]
    for name in ("rv-source", "rv-lake", "rv-bend"):
        middle.remove(name)
    good = replace(start, bag=(*middle, "rv-lake", *land))
    assert problems(good) == []
    early = replace(start, bag=(*middle[1:], "rv-lake", middle[0], *land))
    mixed = replace(start, bag=(*middle, land[0], "rv-lake", *land[1:]))
    assert all("the bag begins with" in problems(made)[0] for made in (early, mixed))


def test_order_problems_of_the_river():
    made = position(SOURCE, "rv-bend -1 0 2", "rv-straight -1 -1 1", **RIVER)
    assert order_problems(made) == []
    source, bend, straight = made.tiles
    turned = replace(made, tiles=(source, straight, bend))
    assert "could not be placed as tile 1" in order_problems(turned)[0]
