"""RIV2: the river that forks, its tiles, its inn and its pig-herd."""

from __future__ import annotations

from collections import Counter

import pytest

from carc_env.engine.core.codes import Phase
from carc_env.game.game import Game
from carc_env.layout.observations import plane_names
from carc_env.rules import Rules

from .looks import bag_of, figures, names, offered
from .positions import Table, then
from .scenario import FORK, LAKE, SOURCE, TILES, VOLCANO_LAKE, stack

pytestmark = pytest.mark.interpreted

TABLE = Table(sets="base, abbey, bridges, river2")
played, at_the_end = TABLE.played, TABLE.at_the_end

SOURCE_LINE = "r2-source 0,0 r0"
FORKED = (SOURCE_LINE, "r2-fork -1,0 r0")
"""The river comes from the east; one arm continues to the west, the other to the south."""
COMPASS = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}


def river_sides(tile):
    """Return the neighbouring cells into which the river leaves a placed tile."""
    edges = (TILES["river1"] | TILES["river2"])[tile.tile]["edges"]
    wet = [side for k, side in enumerate("NESW") if edges[(k - tile.rotation) % 4] == "V"]
    return [(tile.x + COMPASS[side][0], tile.y + COMPASS[side][1]) for side in wet]


def river_of(game):
    """Return the river tiles on the board by cell."""
    return {
        (tile.x, tile.y): tile
        for tile in game.position().tiles
        if tile.tile in TILES["river1"] | TILES["river2"]
    }


def open_ends(game):
    """Count the arms that lead to each cell beyond an open end of the river."""
    river = river_of(game)
    return Counter(
        cell for tile in river.values() for cell in river_sides(tile) if cell not in river
    )


def at_the_lake(seed, sets=("base", "river2"), **switches):
    """Play a random game until its river is complete."""
    game = Game(Rules(sets=sets, **switches), seed=seed)
    while game.n_tiles_left + (game.phase == Phase.PLACE_TILE) > 72 or game.phase == Phase.FIGURE:
        game.apply(game.random_action())
    return game


# The tiles and their order.


@pytest.mark.rule("TILE-01", "BASE-02")
def test_riv2_01_twelve_tiles_come_first_and_replace_the_start_tile():
    game = Game(Rules.preset("river-2"), seed=3)
    assert [tile.tile for tile in game.position().tiles] == ["r2-source"]
    drawn = bag_of(game)
    assert len(drawn) == 11 + 72
    assert Counter(["r2-source", *drawn[:11]]) == Counter(
        {tile: facts["n"]["C2"] for tile, facts in TILES["river2"].items() if facts["n"]["C2"]}
    )
    assert "bg-cap-straight" in drawn


@pytest.mark.parametrize("seed", range(10))
def test_riv2_02_the_fork_comes_first_and_the_lake_last(seed):
    drawn = bag_of(Game(Rules.preset("river-2"), seed=seed))
    assert (drawn[0], drawn[10]) == (FORK, VOLCANO_LAKE)
    game = at_the_lake(seed)
    game.reshuffle(seed + 1)
    assert set(game.position().bag or ()).isdisjoint(TILES["river2"])


def test_riv2_02_the_others_come_in_any_order():
    orders = {bag_of(Game(Rules.preset("river-2"), seed=seed))[1:10] for seed in range(30)}
    assert len(orders) == 30
    assert {order[0] for order in orders} == {tile for order in orders for tile in order}
    game = Game(Rules.preset("river-2"), seed=0)
    twin = game.clone()
    twin.reshuffle(99)
    assert (twin.position().bag or ())[9] == VOLCANO_LAKE
    assert (twin.position().bag or ())[:9] != (game.position().bag or ())[:9]


@pytest.mark.rule("BASE-40")
@pytest.mark.parametrize("place", [0, 9, 10], ids=["fork", "lake", "land"])
def test_riv2_02_another_order_is_refused(place):
    rules = Rules.preset("river-2")
    order = stack(rules)
    order[place : place + 2] = order[place : place + 2][::-1]
    with pytest.raises(ValueError, match="RIV2-02"):
        Game(rules, draw=order)


# Where river tiles may be placed.


@pytest.mark.rule("BASE-41")
def test_riv2_03_the_player_chooses_an_arm():
    game = played(FORKED, turn="A places r2-monastery")
    assert names(game) == {"r2-monastery -2,0 r0", "r2-monastery -1,1 r1"}


@pytest.mark.rule("RIV2-03", "BASE-41")
def test_riv2_04_an_arm_does_not_turn_back_behind_the_fork():
    game = played(FORKED, turn="A places r2-road-bend")
    assert names(game) == {f"r2-road-bend {where}" for where in ("-2,0 r2", "-2,0 r3", "-1,1 r1")}


@pytest.mark.parametrize("rule", ["two_bends", "clear_ahead"])
def test_riv2_04_the_cells_ahead_may_have_to_be_free(rule):
    tiles = [*FORKED, "r2-monastery -2,0 r0"]
    game = played(tiles, turn="A places r2-road-bend", rules=f"river_uturn: {rule}")
    near = {"r2-road-bend -1,1 r1"}  # It would run beside the monastery.
    ahead = {"r2-road-bend -3,0 r2", "r2-road-bend -3,0 r3"}
    assert names(game) == (ahead if rule == "clear_ahead" else ahead | near)


BENT_TOGETHER = [*FORKED, "r2-bend-garden -2,0 r3", "r2-road-bend -1,1 r1"]
"""Both arms lead to the same cell, (-2, 1)."""


@pytest.mark.rule("RIV2-06", "BASE-05")
def test_riv2_05_two_arms_are_not_joined_and_the_tile_is_put_aside():
    game = played(BENT_TOGETHER, "pass", bag=("r2-bend-pigherd", VOLCANO_LAKE, "bg-monastery"))
    assert game.tile_in_hand == "bg-monastery"
    assert {"r2-bend-pigherd", VOLCANO_LAKE} <= set(game.position().aside)
    assert "bg-monastery -2,1 r0" not in names(game)


def test_riv2_06_an_arm_may_end_without_a_lake():
    game = played(BENT_TOGETHER, "pass", bag=(VOLCANO_LAKE, "bg-monastery", "bg-cap"))
    game.apply("bg-monastery 1,0 r0")
    game.apply("pass")
    assert open_ends(game) == {(-2, 1): 2}
    assert game.phase == Phase.PLACE_TILE


@pytest.mark.parametrize("seed", range(40))
def test_riv2_07_both_arms_end(seed):
    game = at_the_lake(seed)
    aside = set(game.position().aside)
    assert sum(open_ends(game).values()) == len(aside & {"r2-cap-river-end", VOLCANO_LAKE})


@pytest.mark.parametrize("edition", ["C1", "C2"])
def test_riv2_11_both_rivers_are_one(edition):
    rules = Rules(sets=("base", "river1", "river2"), edition=edition, abbot=edition == "C2")
    game = Game(rules, seed=1)
    drawn = bag_of(game)
    assert len(drawn) == 21 + 72
    assert (drawn[0], drawn[20]) == (FORK, VOLCANO_LAKE)
    river = {tile for tile in drawn[:21]}
    assert river <= TILES["river1"].keys() | TILES["river2"].keys()
    assert not {SOURCE, LAKE} & set(drawn)
    assert {"rv-caps-opposite", "r2-monastery"} <= river


# The features of the tiles.


def test_riv2_08_without_the_dragon_the_volcano_is_scenery():
    tiles = [*FORKED, "r2-cap-river-end -2,0 r3"]
    game = played(tiles, "r2-lake-volcano -1,1 r1")
    assert offered(game, "meeple") == {"Nw"}


@pytest.mark.rule("PD-03")
def test_riv2_08_the_volcano_calls_the_dragon():
    tiles = [*FORKED, "r2-cap-river-end -2,0 r3"]
    options = {"rules": "dragon: true", "sets": f"{TABLE.sets}, princess"}
    game = played(tiles, "r2-lake-volcano -1,1 r1", bag=("pd-curve-dragon", "bg-cap"), **options)
    assert game.position().dragon == (-1, 1)
    assert offered(game, "meeple") == set()
    assert then(game, "pass").tile_in_hand == "pd-curve-dragon"


INN = [
    *FORKED,
    *("r2-road-bridge-inn -2,0 r0: A meeple N", "bg-monastery-road -2,-1 r3"),
    "bg-straight -2,1 r1",
]


@pytest.mark.rule("INN-02")
@pytest.mark.parametrize(
    ("rules", "points"),
    [
        ("inns: false", 4),
        ("inns: true", 8),
        ("inns: false, river_inn_needs_inns: false", 8),
        ("inns: true, river_inn_needs_inns: false", 8),
    ],
)
def test_riv2_09_the_inn_counts_where_inns_do(rules, points):
    game = played(INN, "bg-monastery-road -2,2 r1; pass", rules=rules)
    assert game.scores == (points, 0)
    assert ("bonus N" in plane_names(game.rules)) == (points == 8)


@pytest.mark.rule("INN-03")
def test_riv2_09_an_open_road_with_the_inn_is_worth_nothing():
    assert at_the_end(INN, rules="river_inn_needs_inns: false") == (0, 0)
    assert at_the_end(INN) == (3, 0)


def farm(farmer="", barn="", lord="", more=()):
    """Return the pig-herd's field beside a complete city, with room for a barn."""
    stands = ", ".join(filter(None, (farmer, barn)))
    return [
        *FORKED,
        f"r2-bend-pigherd -2,0 r2: {stands}",
        f"bg-cap -2,1 r2: {lord}",
        *(more or ("bg-cap -2,2 r0",)),
        *("bg-monastery -3,0 r0", "bg-monastery -3,1 r0"),
    ]


@pytest.mark.rule("XPH-02", "BARN-24")
@pytest.mark.parametrize(
    ("rules", "points"),
    [
        ("", 4),
        ("pigherd_needs_traders: true", 3),
        ("pigherd_needs_traders: true, pigs: true", 4),
    ],
)
def test_riv2_10_the_pig_herd_helps_farmers_in_the_larger_field(rules, points):
    assert at_the_end(farm("A meeple Nw"), rules=rules) == (points, 0)


@pytest.mark.rule("XPH-02")
def test_riv2_10_a_pig_counts_beside_the_pig_herd():
    assert at_the_end(farm("A meeple Nw, A pig Nw"), rules="pigs: true") == (5, 0)


def test_riv2_10_the_smaller_field_has_no_pig_herd():
    # The city in the north-east is beside the small field of the bend.
    tiles = [
        *FORKED,
        *("r2-bend-pigherd -2,0 r2: A meeple Ne", "bg-cap -1,-1 r0", "bg-cap -1,-2 r2"),
    ]
    assert at_the_end(tiles) == (3, 0)


@pytest.mark.rule("HOUSE-05", "BARN-24")
@pytest.mark.parametrize(
    ("rules", "points"),
    [
        ("barns: true", 4),
        ("barns: true, house_pigherd_barn: true", 5),
        ("barns: true, house_pigherd_barn: true, pigherd_needs_traders: true", 4),
    ],
)
def test_xph_01_barns_get_nothing_from_the_pig_herd_but_by_a_house_rule(rules, points):
    assert at_the_end(farm(barn="B barn SW"), rules=rules) == (0, points)


@pytest.mark.rule("CAS-29")
def test_xph_02_the_pig_herd_counts_for_a_castle_too():
    options = {"rules": "castles: true", "headers": ("[tokens 3:2]", "[castles -2,1 S]")}
    tiles = farm("A meeple Nw", lord="B meeple S")
    assert at_the_end(tiles, **options) == (5, 0)


@pytest.mark.rule("BARN-24")
def test_xph_02_the_pig_herd_counts_where_farmers_are_joined_to_a_barn():
    tiles = farm(barn="B barn SW", more=("bg-cap -2,2 r0: A meeple En",))
    game = played(tiles, "bg-monastery -3,2 r0; pass", rules="barns: true")
    assert game.scores == (2, 0)
    assert figures(game) == {"B barn -2,0 SW"}


def test_riv2_12_the_city_over_the_river_has_both_banks():
    game = played(FORKED, "r2-span-over-river -2,0 r0")
    assert offered(game, "meeple") == {"N", "En", "Es"}
    tiles = [
        *FORKED,
        *("r2-span-over-river -2,0 r0: A meeple En, B meeple Es", "bg-cap -2,-1 r2"),
        "bg-cap -2,1 r0",
    ]
    assert at_the_end(tiles) == (3, 3)


def test_riv2_13_the_fork_parts_three_fields():
    game = played([SOURCE_LINE], "r2-fork -1,0 r0")
    assert offered(game, "meeple") == {"Nw", "Es", "Sw"}


@pytest.mark.rule("BASE-42", "BRI-22")
def test_riv2_14_figures_and_bridges_on_river_tiles():
    options = {"rules": "bridges: true", "headers": "[bridges 3:3]"}
    game = played(FORKED, "r2-monastery -2,0 r0", **options)
    assert offered(game, "meeple") == {"mid", "Nw", "Es"}
    assert "bridge -2,0 NS" in names(game)
    assert "bridge -2,0 EW" not in names(game)


HOLE = [
    *FORKED,
    *("r2-monastery -1,1 r1", "bg-monastery 1,0 r0", "bg-monastery 1,1 r0"),
    *("bg-cap 1,2 r2", "bg-cap 0,2 r2"),
]
"""A hole at (0, 1), beside the river."""


@pytest.mark.rule("ABB-02")
@pytest.mark.parametrize(
    ("rule", "river", "is_asked"),
    [
        ("forbid", ("r2-bend-pigherd", VOLCANO_LAKE), False),
        ("forbid", (VOLCANO_LAKE,), False),
        ("forbid", (), True),
        ("allow", ("r2-bend-pigherd", VOLCANO_LAKE), True),
    ],
)
def test_riv2_15_no_abbey_before_the_lake(rule, river, is_asked):
    rules = f"abbeys: true, abbey_during_river: {rule}"
    bag = (*river, "bg-cap-garden")
    game = played(HOLE, "pass", rules=rules, headers="[abbeys 1:1]", bag=bag)
    assert (game.phase == Phase.DRAW_OR_ABBEY) == is_asked


def test_riv2_10_the_pig_herd_is_shown_on_a_plane_of_its_own():
    game = played(farm(), turn="A acts")
    planes = plane_names(game.rules)
    assert game.observe()["board"][planes.index("pig-herd")].sum() == 1
    assert "pig-herd" not in plane_names(Rules.preset("river"))
