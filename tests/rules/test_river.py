"""BASE-40 to BASE-42: the river, which is placed before all other tiles, and what is beside it."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from carc_env.engine.core.codes import Kind, Phase
from carc_env.game.game import Game
from carc_env.layout.observations import plane_names
from carc_env.rules import Rules

from .looks import abbots, bag_of, figures, meeples, names, offered, score_log, sides_with, targets
from .positions import Table, first_place, then
from .scenario import (
    ABBEY,
    LAKE,
    RIVER,
    SOURCE,
    START,
    TILES,
    play,
    play_to_the_end,
    set_of_tiles,
    stack,
)

SOURCE_LINE = "rv-source 0,0 r0"
C1 = "edition: C1, abbot: false"

TABLE = Table(sets="base, river1")
position, played = TABLE.position, TABLE.played

#: The ten tiles between source and lake in each edition.
MIDDLE = {
    "C1": (*(tile for tile in TILES["river1"] if tile not in (SOURCE, LAKE, "rv-bend-garden")),),
    "C2": (*(tile for tile in TILES["river1"] if tile not in (SOURCE, LAKE)),),
}
BENDS = ("rv-bend", "rv-bend-garden", "rv-road-bend", "rv-corner-bend")

#: Side -> offset from a cell to its neighbour on that side.
COMPASS = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}


def with_figures(tiles, **on):
    """Add figures on some cells to tile lines; ``m2_0`` is the cell -2,0."""
    cells = {key.replace("m", "-").replace("_", ","): value for key, value in on.items()}
    found = [line.split()[1] for line in tiles]
    assert not cells.keys() - set(found)
    return tuple(
        f"{line}: {cells[cell]}" if cell in cells else line
        for line, cell in zip(tiles, found, strict=True)
    )


def edge(tile, rotation, side):
    """Return the edge that a placed tile shows on a side, from the written-out tables."""
    return TILES["river1"][tile]["edges"][("NESW".index(side) - rotation) % 4]


def course(game):
    """Return the river from the source on: tile, cell and the side where it leaves the tile."""
    lying = {
        (t.x, t.y): t
        for t in game.position().tiles
        if t.tile in TILES["river1"] and t.tile != SOURCE
    }
    x, y, side, found = 0, 0, "W", []
    while True:
        dx, dy = COMPASS[side]
        x, y = x + dx, y + dy
        if (x, y) not in lying:
            assert not lying, f"river tiles beside the river: {lying}"
            return found
        tile = lying.pop((x, y))
        came_from = "NESW"[("NESW".index(side) + 2) % 4]
        wet = [s for s in "NESW" if edge(tile.tile, tile.rotation, s) == "V"]
        assert came_from in wet
        beyond = [s for s in wet if s != came_from]
        found.append((tile.tile, (x, y), beyond[0] if beyond else None))
        if not beyond:
            assert tile.tile == LAKE
            assert not lying
            return found
        side = beyond[0]


# BASE-40: the tiles and their order.


@pytest.mark.rule("BASE-02", "WIN-01")
@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"edition": "C1", "abbot": False},
        {"edition": "WE3"},
        {"edition": "WE3", "winter_gardens": "none"},
    ],
)
def test_base_40_source_then_ten_tiles_the_lake_and_the_stack(rules):
    rules = Rules(sets=("base", "river1"), **rules)
    game = Game(rules, seed=1)
    first = game.initial_position.tiles[0]
    assert (first.tile, first.x, first.y, first.rotation) == (SOURCE, 0, 0, 0)
    bag = bag_of(game)
    assert len(bag) == 11 + 72
    river = Counter({tile: n for tile, n in set_of_tiles(rules).items() if tile in TILES["river1"]})
    assert Counter(bag[:10]) == river - Counter([SOURCE, LAKE])
    assert bag[10] == LAKE
    assert Counter(bag[11:]) == set_of_tiles(rules.replace(sets=("base",)))
    assert bag[11:].count(START) == 4


@pytest.mark.rule("SET-03", "TILE-01")
def test_base_40_all_other_sets_are_shuffled_into_the_stack():
    rules = Rules(sets=("base", "river1", "inns", "traders", "abbey", "bridges"))
    bags = [bag_of(Game(rules, seed=seed)) for seed in range(40)]
    others = TILES["inns"], TILES["traders"], TILES["abbey"], TILES["bridges"]
    for bag in bags:
        assert len(bag) == 11 + 72 + 18 + 24 + 12 + 12
        assert set(bag[:11]) <= TILES["river1"].keys()
        assert bag[10] == LAKE
        assert not set(bag[11:]) & TILES["river1"].keys()
    for tiles in (TILES["base"], *others):
        firsts = [next(k for k, tile in enumerate(bag) if tile in tiles) for bag in bags]
        assert len(set(firsts)) > 1
        assert min(firsts) < 20


@pytest.mark.rule("SET-03")
def test_base_40_the_ten_tiles_are_shuffled():
    n_games = 1000
    rules = Rules(sets=("base", "river1"))
    orders = [bag_of(Game(rules, seed=seed))[:10] for seed in range(n_games)]
    chi2 = 0.0
    for tile in MIDDLE["C2"]:
        expected = n_games * TILES["river1"][tile]["n"]["C2"] / 10
        found = Counter(place for order in orders for place in range(10) if order[place] == tile)
        chi2 += sum((found[place] - expected) ** 2 / expected for place in range(10))
    assert 40 < chi2 < 140  # about 80 by chance


@pytest.mark.rule("SET-03")
def test_base_40_the_stack_behind_the_river_is_shuffled():
    rules = Rules(sets=("base", "river1"))
    stacks = [bag_of(Game(rules, seed=seed))[11:] for seed in range(600)]
    places = [order.index("bg-crossroads") for order in stacks]
    assert abs(sum(places) / 600 - 35.5) < 4.5  # five standard errors
    assert len(set(places)) > 60
    starts = Counter(place for order in stacks for place in range(72) if order[place] == START)
    expected = 600 * 4 / 72
    chi2 = sum((starts[k] - expected) ** 2 / expected for k in range(72))
    assert 30 < chi2 < 125  # 71 degrees of freedom


def test_base_40_what_is_hidden_stays_in_this_order_when_it_is_shuffled_again():
    game = Game(Rules(sets=("base", "river1"), auto_single=False), seed=4)
    for _ in range(3):
        then(game, first_place(game), "pass")
    before = game.position().bag
    orders = []
    for seed in range(20):
        game.reshuffle(seed)
        orders.append(game.position().bag)
        assert Counter(orders[-1][:6]) == Counter(before[:6])
        assert orders[-1][6] == LAKE
        assert Counter(orders[-1][7:]) == Counter(before[7:])
    assert len({order[:6] for order in orders}) > 10
    assert len({order[7:] for order in orders}) == 20


def test_base_40_a_bag_of_unknown_order_begins_with_the_river():
    text = position("rv-source 0,0 r0\nrv-bend -1,0 r2\nrv-straight -1,-1 r1")
    left = Counter(MIDDLE["C2"]) + Counter(["rv-straight"]) - Counter(["rv-bend", "rv-straight"])
    for _ in range(3):
        bag = play(text).position().bag
        assert Counter(bag[:8]) == left
        assert bag[8] == LAKE
        assert len(bag) == 9 + 72


def test_base_40_a_draw_order_begins_with_the_river():
    rules = Rules(sets=("base", "river1"), auto_single=False)
    order = stack(rules, "rv-cap-gate", "rv-bend", "rv-straight", "rv-bend-garden")
    game = Game(rules, draw=order)
    assert bag_of(game) == tuple(order)
    assert order[:3] == ["rv-cap-gate", "rv-bend", "rv-straight"]
    for tile in order[:4]:
        assert game.tile_in_hand == tile
        then(game, first_place(game), "pass")


def swapped(order, i, j):
    order = list(order)
    order[i], order[j] = order[j], order[i]
    return order


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda order: swapped(order, 10, 11), "river|rv-"),  # a land tile before the lake
        (lambda order: swapped(order, 0, 82), "river|rv-"),  # a river tile at the very end
        (lambda order: swapped(order, 9, 10), "river|rv-"),  # the lake is second to last
        (lambda order: swapped(order, 0, 10), "river|rv-"),  # the lake comes first
        (lambda order: order[::-1], "river|rv-"),
        (lambda order: order[1:], "draw"),
        (lambda order: [SOURCE, *order], "draw"),
        (lambda order: [SOURCE, *order[1:]], "draw"),
        (lambda order: order[11:], "draw"),
    ],
)
def test_base_40_another_draw_order_is_refused(spoil, reason):
    rules = Rules(sets=("base", "river1"))
    order = stack(rules)
    assert bag_of(Game(rules, draw=order)) == tuple(order)
    with pytest.raises(ValueError, match=reason):
        Game(rules, draw=spoil(order))


@pytest.mark.parametrize(
    "bag",
    [
        ("bg-curve", "rv-straight", LAKE),
        ("rv-straight", "bg-curve", LAKE),
        (LAKE, "rv-straight"),
        ("rv-straight", LAKE, "rv-bend"),
    ],
)
def test_base_40_a_bag_in_another_order_is_refused(bag):
    text = position("rv-source 0,0 r0\nrv-road-bridge -1,0 r0")
    assert play(text, bag=("rv-straight", "rv-bend", LAKE, "bg-curve")).position().bag[2] == LAKE
    with pytest.raises(ValueError, match=r"river|rv-"):
        play(text, bag=bag)


@pytest.mark.rule("BASE-41")
@pytest.mark.parametrize(
    ("tiles", "sets", "reason"),
    [
        ("bg-cap-straight 0,0 r0", "base, river1", SOURCE),
        ("rv-straight 0,0 r0", "base, river1", SOURCE),
        ("rv-source 0,0 r1", "base, river1", SOURCE),
        ("rv-source 0,0 r0", "base", "rv-source|bg-cap-straight"),
        ("bg-cap-straight 0,0 r0\nrv-straight 0,1 r0", "base", "rv-straight"),
        ("rv-source 0,0 r0\nrv-lake -1,0 r2\nrv-lake 0,1 r0", "base, river1", LAKE),
        # A field to the river, and the river to a field.
        ("rv-source 0,0 r0\nrv-straight -1,0 r1", "base, river1", "rv-straight"),
        ("rv-source 0,0 r0\nrv-straight 1,0 r0", "base, river1", "rv-straight"),
        # Field to field, but it does not continue the river.
        ("rv-source 0,0 r0\nrv-straight 0,1 r0", "base, river1", "rv-straight"),
        # Two right bends in a row.
        ("rv-source 0,0 r0\nrv-bend -1,0 r2\nrv-road-bend -1,-1 r3", "base, river1", "rv-road-b"),
    ],
)
def test_base_40_impossible_rivers_are_refused(tiles, sets, reason):
    with pytest.raises(ValueError, match=reason):
        played(tiles, sets=sets)


@pytest.mark.rule("SET-06")
def test_base_40_without_the_set_there_is_no_river():
    game = Game(Rules(sets=("base", "traders", "inns")), seed=1)
    assert game.initial_position.tiles[0].tile == START
    assert not set(bag_of(game)) & TILES["river1"].keys()


def test_base_40_a_game_in_its_river_can_be_written_down_and_read():
    game = Game(Rules(sets=("base", "river1"), auto_single=False), seed=9)
    for _ in range(14):
        again = play(str(game))
        assert str(again) == str(game)
        assert names(again) == names(game)
        then(game, first_place(game), "pass")
    assert len(course(game)) == 11


# BASE-41: where the next tile goes.


@pytest.mark.rule("BASE-04")
@pytest.mark.parametrize("tile", [*MIDDLE["C2"], LAKE])
def test_base_41_a_river_tile_continues_the_river(tile):
    # Wherever the tile shows a field, it would also fit beside the source.
    game = played(SOURCE_LINE, turn=f"A places {tile}")
    rotations = range(TILES["river1"][tile]["rot"])
    assert names(game) == {f"{tile} -1,0 r{r}" for r in rotations if edge(tile, r, "E") == "V"}
    assert len(names(game)) == (2 if tile in BENDS or tile.endswith(("gate", "ery-road")) else 1)


@pytest.mark.parametrize(
    ("tiles", "tile", "expected"),
    [
        ("rv-bend -1,0 r2", "rv-straight", {"rv-straight -1,-1 r1"}),
        ("rv-bend -1,0 r3", "rv-straight", {"rv-straight -1,1 r1"}),
        ("rv-road-bridge -1,0 r0", "rv-straight", {"rv-straight -2,0 r0"}),
        ("rv-bend -1,0 r2", "rv-cap-gate", {"rv-cap-gate -1,-1 r1", "rv-cap-gate -1,-1 r3"}),
        ("rv-bend -1,0 r2", "rv-lake", {"rv-lake -1,-1 r3"}),
        ("rv-bend -1,0 r3", "rv-lake", {"rv-lake -1,1 r1"}),
    ],
)
def test_base_41_only_at_its_open_end(tiles, tile, expected):
    assert names(played(f"{SOURCE_LINE}\n{tiles}", turn=f"A places {tile}")) == expected


@pytest.mark.parametrize(("first", "second"), list(permutations(BENDS, 2)))
@pytest.mark.parametrize(("way", "cell", "left_or_right"), [(2, "-1,-1", 0), (3, "-1,1", 1)])
def test_base_41_no_immediate_u_turn(first, second, way, cell, left_or_right):
    # The first bend turns right to the north or left to the south. The second bend may then only
    # turn back to the west.
    tiles = f"{SOURCE_LINE}\n{first} -1,0 r{way}"
    game = played(tiles, turn=f"A places {second}")
    assert names(game) == {f"{second} {cell} r{left_or_right}"}


@pytest.mark.parametrize(
    "between", ["rv-straight -1,-1 r1", "rv-road-bridge -1,-1 r1", "rv-caps-opposite -1,-1 r1"]
)
def test_base_41_after_a_straight_tile_it_may_bend_that_way_again(between):
    tiles = f"{SOURCE_LINE}\nrv-bend -1,0 r2\n{between}"
    game = played(tiles, turn="A places rv-road-bend")
    assert names(game) == {"rv-road-bend -1,-2 r0", "rv-road-bend -1,-2 r3"}


def test_base_41_after_a_bend_the_other_way_it_may_bend_that_way_again():
    tiles = f"{SOURCE_LINE}\nrv-bend -1,0 r2\nrv-road-bend -1,-1 r0"
    game = played(tiles, turn="A places rv-bend-garden")
    assert names(game) == {"rv-bend-garden -2,-1 r2"}  # a right bend; a left bend would be a U-turn


def test_base_41_the_first_bend_may_go_either_way():
    game = played(SOURCE_LINE, turn="A places rv-bend")
    assert names(game) == {"rv-bend -1,0 r2", "rv-bend -1,0 r3"}


#: A river that has turned right three times. A tile at its open end, (1, 0), continues it from the
#: north and must show a field towards the source; (0, -1) is a hole with fields on all sides.
COIL = (
    "rv-source 0,0 r0",
    "rv-bend -1,0 r2",
    "rv-straight -1,-1 r1",
    "rv-road-bend -1,-2 r3",
    "rv-straight 0,-2 r0",
    "rv-corner-bend 1,-2 r0",
    "rv-monastery-road 1,-1 r3",
)


@pytest.mark.rule("BASE-05")
def test_base_41_a_river_tile_without_a_place_is_put_aside():
    bag = ("rv-caps-opposite", "rv-road-bridge", "rv-bend-garden", "bg-curve")
    game = played(COIL, "pass", bag=bag)
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)
    assert game.tile_in_hand == "rv-bend-garden"
    assert {"rv-caps-opposite", "rv-road-bridge"} <= set(game.position().aside)
    assert names(game) == {"rv-bend-garden 1,0 r2"}
    game.apply("rv-bend-garden 1,0 r2")
    assert game.moves[-1].aside == ("rv-caps-opposite", "rv-road-bridge")
    assert [tile for tile, _, _ in course(game)][-2:] == ["rv-monastery-road", "rv-bend-garden"]


@pytest.mark.rule("BASE-40")
def test_base_41_the_lake_ends_the_river():
    bag = (LAKE, "bg-monastery", "bg-curve")
    game = played(RIVER[:-1], "pass", bag=bag)
    assert names(game) == {"rv-lake -9,-2 r2"}
    game.apply("rv-lake -9,-2 r2")
    assert len(course(game)) == 11
    game.apply("pass")
    # The first land tile fits wherever there are fields.
    assert game.tile_in_hand == "bg-monastery"
    assert {"bg-monastery 1,0 r0", "bg-monastery -10,-2 r0", "bg-monastery -1,1 r0"} <= names(game)


@pytest.mark.rule("BASE-04")
@pytest.mark.parametrize(
    "tile", [tile for tile, facts in TILES["base"].items() if facts["n"]["C2"]]
)
def test_base_41_no_land_tile_goes_where_the_river_is_open(tile):
    game = played(COIL, "pass", bag=(tile,))
    assert not any(" 1,0 " in name for name in names(game))
    has_field = "F" in TILES["base"][tile]["edges"]
    assert any(" 0,1 " in name for name in names(game)) == has_field


def test_base_41_a_long_straight_river_stays_in_the_middle_of_the_view():
    straight = (
        "rv-straight",
        "rv-monastery-road",
        "rv-road-bridge",
        "rv-caps-opposite",
        "rv-cap-gate",
        "rv-straight",
        LAKE,
    )
    text = position(SOURCE_LINE, turn=f"A places {straight[0]}", rules="view: 12")
    game = play(text, bag=(*straight[1:], "bg-curve"))
    for n, tile in enumerate(straight, start=1):
        place = f"{tile} {-n},0 r{2 if tile == LAKE else 0}"
        assert place in names(game)
        assert all(f" {-n},0 " in name for name in names(game))
        game.apply(place)
        planes = dict(zip(plane_names(game.rules), game.observe()["board"], strict=True))
        occupied = np.argwhere(planes["occupied"])
        assert len(occupied) == n + 1
        columns = occupied[:, 1]
        assert abs(columns.min() - (11 - columns.max())) <= 1
        game.apply("pass")
    assert len(course(game)) == 7
    assert {name.split()[1] for name in names(game)} >= {"1,0", "-8,0"}


# BASE-42: figures, and what a river separates.


@pytest.mark.rule("GAR-01", "ABT-02")
@pytest.mark.parametrize(
    ("place", "spots"),
    [
        ("rv-straight -1,0 r0", {"Nw", "Es"}),
        ("rv-caps-opposite -1,0 r0", {"N", "S", "En", "Es"}),
        ("rv-cap-gate -1,0 r0", {"N", "S", "En", "Es", "Sw", "Wn"}),
        ("rv-cap-gate -1,0 r2", {"N", "S", "Nw", "Ne", "Es", "Ws"}),
        ("rv-monastery-road -1,0 r0", {"S", "mid", "Nw", "Es", "Sw"}),
        ("rv-road-bridge -1,0 r0", {"N", "Nw", "Ne", "Es", "Sw"}),
        ("rv-corner-bend -1,0 r2", {"S", "Nw", "Ne"}),
        ("rv-road-bend -1,0 r2", {"S", "Nw", "Ne", "Sw"}),
        ("rv-bend -1,0 r2", {"Nw", "Ne"}),
        ("rv-bend-garden -1,0 r3", {"Nw", "Es"}),
    ],
)
def test_base_42_figures_on_river_tiles_from_the_first_turn_and_never_on_the_river(place, spots):
    game = Game(
        Rules(sets=("base", "river1"), auto_single=False),
        draw=stack(Rules(sets=("base", "river1")), place.split()[0]),
    )
    game.apply(place)
    assert offered(game, "meeple") == spots
    assert not spots & sides_with(game, "V")
    has_centre = "monastery" in place or "garden" in place
    assert offered(game, "abbot") == ({"mid"} if has_centre else set())


@pytest.mark.rule("BASE-21")
@pytest.mark.parametrize(
    ("place", "spots"), [("rv-straight -2,0 r0", {"Es"}), ("rv-lake -2,0 r2", set())]
)
def test_base_42_a_lake_has_one_field_and_a_straight_river_two(place, spots):
    # The road cuts both banks off from the source. The northern bank already has a farmer.
    tiles = f"{SOURCE_LINE}\nrv-road-bridge -1,0 r0: B meeple Nw"
    free = played(tiles.replace(": B meeple Nw", ""), place)
    taken = played(tiles, place)
    assert offered(free, "meeple") == ({"Nw", "Es"} if spots else {"Nw"})
    assert offered(taken, "meeple") == spots


@pytest.mark.rule("BASE-21", "BASE-06")
def test_base_42_around_the_source_both_banks_are_one_field():
    game = played(f"{SOURCE_LINE}: B meeple Nw", "rv-straight -1,0 r0")
    assert offered(game, "meeple") == set()


#: Two banks with a complete city each. A road keeps them from being one field around the source.
BANKS = (
    "rv-source 0,0 r0",
    "rv-road-bridge -1,0 r0",
    "rv-caps-opposite -2,0 r0",
    "rv-straight -3,0 r0",
    "bg-cap -2,-1 r2",
    "bg-cap-garden -2,1 r0",
)
CLOSED_BY_LAKE = tuple(line.replace("rv-straight -3,0 r0", "rv-lake -3,0 r2") for line in BANKS)


@pytest.mark.rule("BASE-42", "BASE-24")
@pytest.mark.parametrize(
    ("tiles", "scores"), [(BANKS, (3, 3)), (CLOSED_BY_LAKE, (6, 6))], ids=["open", "lake"]
)
def test_base_21_a_river_is_the_border_of_fields(tiles, scores):
    tiles = with_figures(tiles, m2_0="A meeple En, B meeple Es")
    assert played(tiles).standings == scores
    assert play_to_the_end(position(tiles)).scores == scores


@pytest.mark.rule("BASE-42")
def test_base_21_around_the_source_a_field_touches_the_cities_of_both_banks():
    tiles = with_figures(
        (*(line.replace("rv-road-bridge", "rv-straight") for line in BANKS[:3]), *BANKS[4:]),
        m2_0="A meeple En",
    )
    assert play_to_the_end(position(tiles)).scores == (6, 0)


@pytest.mark.parametrize(("spot", "free"), [("Nw", {"Ne"}), ("Ne", {"Nw"}), ("Sw", {"Ne", "Nw"})])
def test_base_21_river_and_road_of_one_tile_make_three_fields(spot, free):
    # The gate cuts both banks off from the source. The bend has a field on each bank and a third
    # one that its road cuts off.
    tiles = f"""
        {SOURCE_LINE}
        rv-cap-gate -1,0 r0; rv-caps-opposite -2,0 r0; rv-road-bend -3,0 r2: B meeple {spot}
        """
    assert offered(played(tiles, "rv-straight -3,-1 r1"), "meeple") == free


# Features on river tiles.


@pytest.mark.rule("BASE-42")
def test_base_14_a_monastery_at_the_river_is_complete_with_eight_neighbours():
    tiles = (
        *with_figures(RIVER, m3_0="B meeple mid"),
        "bg-monastery -3,-1 r0",
        "bg-cap -2,-1 r0",
        "bg-straight -3,1 r1",
        "bg-cap-garden -2,1 r2",
    )
    assert played(tiles).standings == (0, 8)
    game = played(tiles, "bg-cap -4,1 r2; pass")
    assert score_log(game) == [("B", 9, Kind.MONASTERY)]
    assert meeples(game, "B") == 7


@pytest.mark.rule("BASE-42")
def test_base_11_a_road_over_the_river_is_not_interrupted():
    tiles = (*with_figures(RIVER, m5_m1="B meeple N"), "bg-monastery-road -5,0 r1")
    assert played(tiles).standings == (0, 2)
    game = played(tiles, "bg-monastery-road -5,-2 r3; pass")
    assert score_log(game) == [("B", 3, Kind.ROAD)]


@pytest.mark.rule("BASE-42")
@pytest.mark.parametrize(("spot", "place"), [("N", "-6,-2 r2"), ("S", "-6,0 r0")])
def test_base_13_the_cities_of_both_banks_are_two(spot, place):
    tiles = with_figures(RIVER, m6_m1=f"B meeple {spot}")
    assert score_log(played(tiles, f"bg-cap {place}; pass")) == [("B", 4, Kind.CITY)]
    other = {"-6,-2 r2": "-6,0 r0", "-6,0 r0": "-6,-2 r2"}[place]
    assert score_log(played(tiles, f"bg-cap {other}; pass")) == []


@pytest.mark.rule("BASE-42")
def test_base_12_a_city_in_the_bend_of_the_river():
    tiles = (*with_figures(RIVER, m8_m1="B meeple S"), "bg-cap -8,0 r0")
    assert played(tiles).standings == (0, 2)
    assert score_log(played(tiles, "bg-cap -9,-1 r1; pass")) == [("B", 6, Kind.CITY)]


@pytest.mark.rule("BASE-42")
@pytest.mark.parametrize(
    ("cell", "spot", "place"),
    [
        ("m6_m1", "N", "bg-cap -6,-2 r2"),
        ("m6_m1", "S", "bg-cap -6,0 r0"),
        ("m7_m1", "N", "bg-cap-curve-right -7,-2 r2"),
    ],
)
def test_cas_02_caps_at_the_river_are_half_of_a_castle(cell, spot, place):
    tiles = with_figures(RIVER, **{cell: f"B meeple {spot}"})
    game = played(tiles, place, "pass", rules="castles: true")
    assert (game.phase, game.decider) == (Phase.CASTLE, 1)


@pytest.mark.rule("ABT-13")
def test_gar_04_river_tiles_around_a_garden_count():
    tiles = with_figures(RIVER, m4_m1="A abbot mid")
    game = played(tiles, "recall")
    # The river tiles before and after it, and the monastery at one of its corners.
    assert score_log(game) == [("A", 4, Kind.GARDEN)]
    assert abbots(game, "A") == 1


@pytest.mark.rule("ABT-02", "ABT-06")
def test_win_01_abbots_at_the_winter_river():
    rules = Rules(sets=("base", "river1"), edition="WE3", auto_single=False)
    order = stack(rules, "rv-bend-garden", "rv-straight", "rv-monastery-road")
    game = Game(rules, draw=order)
    game.apply("rv-bend-garden -1,0 r2")
    assert {"abbot mid", "meeple Nw", "meeple Ne"} <= names(game)
    assert "meeple mid" not in names(game)
    then(game, "abbot mid; rv-straight -1,-1 r1; pass")
    then(game, next(name for name in sorted(names(game))), "recall")
    assert score_log(game) == [("A", 3, Kind.GARDEN)]


@pytest.mark.rule("SET-03", "TILE-01")
@pytest.mark.parametrize(
    ("rules", "n_gardens"),
    [
        ({}, 1),
        ({"edition": "C1", "abbot": False}, 0),
        ({"edition": "WE3"}, 1),
        ({"edition": "WE3", "winter_gardens": "none"}, 0),
    ],
)
@pytest.mark.parametrize("name", ["river1", "traders"])
def test_gar_08_gardens_of_river_and_traders(name, rules, n_gardens):
    rules = Rules(sets=("base", name), **rules)
    game = Game(rules, seed=1)
    start = [tile.tile for tile in game.initial_position.tiles[:1]]
    found = Counter([*bag_of(game), *start])
    assert found == set_of_tiles(rules)
    new = Counter({tile: n for tile, n in found.items() if tile in TILES[name]})
    assert new.total() == {"river1": 12, "traders": 24}[name]
    gardens = sum(n for tile, n in new.items() if tile.endswith("-garden"))
    assert gardens == n_gardens * {"river1": 1, "traders": 2}[name]


# Barns, abbeys, wagons and bridges at the river.

#: Two banks with a complete city each; three tiles surround a point on the northern bank.
BARN_BANKS = (
    "rv-source 0,0 r0",
    "rv-road-bridge -1,0 r0",
    "rv-straight -2,0 r0",
    "rv-straight -3,0 r0",
    "bg-cap -2,-1 r0",
    "bg-cap -2,-2 r2",
    "bg-cap -2,1 r2",
    "bg-cap-garden -2,2 r0",
)


@pytest.mark.rule("BARN-10", "BASE-21")
def test_barn_03_a_barn_scores_the_bank_where_it_stands():
    tiles = with_figures(BARN_BANKS, m2_0="A meeple Nw, B meeple Es")
    game = played(tiles, "bg-monastery -3,-1 r0", rules="barns: true")
    assert offered(game, "barn") == {"SE"}
    game.apply("barn SE")
    assert game.scores == (3, 0)
    assert figures(game) == {"A barn -3,-1 SE", "B meeple -2,0 Es"}


@pytest.mark.rule("BASE-42")
def test_barn_10_around_the_lake_it_scores_both():
    tiles = with_figures(
        (*BARN_BANKS[:4], "rv-lake -4,0 r2", *BARN_BANKS[4:]), m2_0="A meeple Nw, B meeple Es"
    )
    game = played(tiles, "bg-monastery -3,-1 r0; barn SE", rules="barns: true")
    assert game.scores == (6, 6)
    assert figures(game) == {"A barn -3,-1 SE"}


@pytest.mark.rule("BASE-42")
def test_barn_17_the_lake_joins_the_banks():
    tiles = with_figures(
        (*BARN_BANKS, "bg-monastery -3,-1 r0"), m2_0="B meeple Es", m3_m1="A barn SE"
    )
    game = played(tiles, "rv-lake -4,0 r2; pass", rules="barns: true")
    assert score_log(game) == [("B", 2, Kind.FIELD)]
    assert figures(game) == {"A barn -3,-1 SE"}


@pytest.mark.parametrize(
    ("bend", "spots"), [("rv-corner-bend", {"SW"}), ("rv-bend", {"SW"}), ("rv-road-bend", {"SW"})]
)
def test_barn_04_a_point_on_the_inner_side_of_a_bend(bend, spots):
    tiles = (SOURCE_LINE, f"{bend} -1,0 r2", "rv-straight -1,-1 r1")
    game = played(tiles, "bg-monastery 0,-1 r0", rules="barns: true")
    assert offered(game, "barn") == spots


@pytest.mark.parametrize(("bend", "spots"), [("rv-corner-bend", set()), ("rv-bend", {"NE"})])
def test_barn_04_a_city_in_the_bend_leaves_no_point_outside(bend, spots):
    # The point is at the south-western corner of the bend, where ``rv-corner-bend`` has its city.
    tiles = (
        SOURCE_LINE,
        f"{bend} -1,0 r2",
        *(
            ("bg-cap -1,1 r0", "bg-cap -2,0 r1")
            if bend == "rv-corner-bend"
            else ("bg-cap -1,1 r2", "bg-cap -2,0 r3")
        ),
    )
    game = played(tiles, "bg-monastery -2,1 r0", rules="barns: true")
    assert offered(game, "barn") == spots


@pytest.mark.rule("ABB-03")
def test_abb_24_an_abbey_in_a_hole_of_the_river_changes_nothing_of_it():
    bag = ("rv-bend-garden", "rv-cap-gate", LAKE)
    game = played(COIL, "pass", seat="B", rules="abbeys: true", sets="base, river1, abbey", bag=bag)
    assert (game.phase, game.decider) == (Phase.DRAW_OR_ABBEY, 0)
    assert names(game) == {"am-abbey 0,-1 r0", "draw"}
    drawn = game.clone()
    drawn.apply("draw")
    assert drawn.tile_in_hand == "rv-bend-garden"
    game.apply("am-abbey 0,-1 r0")
    assert names(game) == {"meeple mid", "abbot mid", "pass"}
    game.apply("pass")
    assert (game.decider, game.tile_in_hand) == (1, "rv-bend-garden")
    assert names(game) == {"rv-bend-garden 1,0 r2"}


#: An open river whose next cell, (-1, 0), is a hole between four tiles.
DAMMED = (
    "rv-source 0,0 r0",
    "bg-monastery 0,-1 r0",
    "bg-monastery 0,1 r0",
    "bg-monastery -1,-1 r0",
    "bg-monastery -1,1 r0",
    "bg-cap -2,-1 r0",
    "bg-cap -2,0 r3",
)


@pytest.mark.rule("ABB-04")
def test_abb_24_an_abbey_may_dam_the_river():
    text = position(DAMMED, turn="B acts", rules="abbeys: true", sets="base, river1, abbey")
    game = play(text, "pass", bag=("bg-curve", "bg-straight"))
    assert names(game) == {"am-abbey -1,0 r0", "draw"}
    game.apply("am-abbey -1,0 r0")
    assert not game.position().has_bridged
    game.apply("meeple mid")
    assert game.position().tiles[-1].tile == ABBEY
    assert (game.phase, game.tile_in_hand) == (Phase.PLACE_TILE, "bg-curve")


@pytest.mark.rule("BASE-42")
def test_wag_21_through_the_gate_at_the_river():
    river = (line.replace("bend-garden", "bend") for line in RIVER)
    tiles = with_figures(tuple(river), m7_m1="A wagon S")
    game = played(tiles, "bg-monastery-road -7,0 r1; pass", rules=f"wagons: true, {C1}")
    assert score_log(game) == [("A", 2, Kind.ROAD)]
    assert targets(game) == {"-7,-1 N", "-7,0 mid"}


def bridges_on(game, cell):
    """Return the directions of the bridges offered on a cell."""
    words = [name.split() for name in names(game)]
    return {word[2] for word in words if word[0] == "bridge" and word[1] == cell}


@pytest.mark.rule("BRI-05", "BRI-06")
@pytest.mark.parametrize("tile", [*MIDDLE["C2"], LAKE])
def test_bri_22_a_bridge_crosses_a_river_from_field_to_field(tile):
    game = played(SOURCE_LINE, turn=f"A places {tile}", rules="bridges: true")
    for place in sorted(names(game)):
        there = game.clone()
        there.apply(place)
        fields = sides_with(there, "F")
        axes = {axis for axis in ("NS", "EW") if set(axis) <= fields}
        assert bridges_on(there, "-1,0") == axes
        assert axes == ({"NS"} if tile in ("rv-straight", LAKE) else set())
        assert bridges_on(there, "0,0") == {"NS"}  # over the neighbouring source


@pytest.mark.rule("BRI-11")
def test_bri_22_a_thief_may_stand_on_the_bridge():
    tiles = f"{SOURCE_LINE}\nrv-road-bridge -1,0 r0"
    game = played(tiles, "rv-straight -2,0 r0", rules="bridges: true")
    assert offered(game, "meeple") == {"Nw", "Es"}
    game.apply("bridge -2,0 NS")
    assert offered(game, "meeple") == {"N", "Nw", "Es"}


@pytest.mark.rule("BRI-07")
def test_bri_22_the_road_over_the_river_scores():
    river = tuple(line.replace("-2,0 r0", "-2,0 r0 bridge NS") for line in RIVER)
    river = tuple(f"{line}: A meeple N" if " bridge " in line else line for line in river)
    tiles = (*river, "bg-monastery-road -2,1 r1")
    options = {"rules": "bridges: true", "headers": "[bridges 2:3]"}
    assert played(tiles, **options).standings == (2, 0)
    game = played(tiles, "bg-monastery-road -2,-1 r3; pass", **options)
    assert score_log(game) == [("A", 3, Kind.ROAD)]


@pytest.mark.rule("BRI-08", "BRI-05")
def test_bri_22_a_tile_may_need_a_bridge_over_the_river():
    places = {"bg-monastery-road -2,1 r1", "bg-monastery-road -1,-1 r3"}
    for rules, expected in (("bridges: true", places), ("", set())):
        game = played(RIVER, turn="A places bg-monastery-road", rules=rules)
        assert names(game) & places == expected
    game = played(RIVER, "bg-monastery-road -2,1 r1", rules="bridges: true")
    assert [(t.x, t.y, t.bridge) for t in game.position().tiles if t.bridge] == [(-2, 0, "NS")]


#: A river whose open end, (0, -1), is north of its source.
BACK = (
    "rv-source 0,0 r0",
    "rv-straight -1,0 r0",
    "rv-bend -2,0 r2",
    "rv-straight -2,-1 r1",
    "rv-bend-garden -2,-2 r3",
    "rv-monastery-road -1,-2 r2",
    "rv-corner-bend 0,-2 r0",
)


@pytest.mark.rule("BRI-08", "BRI-09")
def test_base_41_with_a_bridge_a_river_tile_makes_no_u_turn_either():
    bag = ("rv-road-bend", "rv-cap-gate", LAKE, "bg-curve")
    # The southern road of the ``rv-road-bend`` meets the field of the source, so it needs a bridge
    # there. If the river turned west, it would turn right once more.
    game = played(BACK, "pass", rules="bridges: true", bag=bag)
    assert names(game) == {"rv-road-bend 0,-1 r2", "aside"}
    without = played(BACK, "pass", bag=bag)
    assert names(without) == {"rv-lake 0,-1 r1"}
    assert {"rv-road-bend", "rv-cap-gate"} <= set(without.position().aside)


@pytest.mark.rule("BRI-13", "BASE-21")
def test_bri_22_a_bridge_over_the_river_joins_no_banks():
    tiles = with_figures(BANKS[:4], m1_0="B meeple Nw")
    for bridge in ("", " bridge NS"):
        bridged = (*tiles[:3], f"rv-straight -3,0 r0{bridge}")
        hand = "[bridges 2:3]" if bridge else ""
        game = played(bridged, "rv-bend -4,0 r2", rules="bridges: true", headers=hand)
        # The southern bank leads around the bend to the west; the northern one is taken.
        assert offered(game, "meeple") == {"Nw"}
