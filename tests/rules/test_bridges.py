"""BRI: bridges, which carry a road over a tile, and the tiles of their set."""

from collections import Counter

import pytest

from carc_env.engine.core.codes import Kind, Phase
from carc_env.engine.core.tiles import DESIGN, ROWS
from carc_env.game.game import Game
from carc_env.rules import Rules

from .looks import bag_of, bridges_offered, figures, meeples, names, offered, score_log, targets
from .positions import START_LINE, Table, then
from .scenario import ABBEY, TILES, each, in_order, play


class BridgeTable(Table):
    """Positions where B built the bridges on the board by default; all others are in hand."""

    def position(self, tiles, *args, hand=None, headers="", **options):
        n_built = "\n".join([tiles] if isinstance(tiles, str) else tiles).count(" bridge ")
        headers = f"[bridges {hand or f'3:{3 - n_built}'}]\n{headers}"
        return super().position(tiles, *args, headers=headers, **options)


TABLE = BridgeTable("bridges: true", sets="base, bridges")
position, played = TABLE.position, TABLE.played


def without_bridges(text):
    """Return the same position without bridges in play."""
    return text.replace("bridges: true, ", "").replace("[bridges 3:3]", "")


def built(game):
    """Return the bridges on the board, as cell and direction."""
    return {f"{tile.x},{tile.y} {tile.bridge}" for tile in game.position().tiles if tile.bridge}


def in_hand(game):
    return game.stock(0).get("bridges", 0), game.stock(1).get("bridges", 0)


def is_open_to(game):
    """Return the seat that must place a tile, or None if the decision is another one."""
    return "AB"[game.decider] if game.phase == Phase.PLACE_TILE else None


@pytest.mark.rule("SET-04")
@pytest.mark.parametrize(("n_players", "each"), [(2, 3), (3, 3), (4, 3), (5, 2), (6, 2)])
def test_bri_01_three_bridges_each_or_two_with_five_and_six_players(n_players, each):
    rules = Rules(n_players=n_players, bridges=True)
    game = Game(rules, seed=1)
    assert rules.bridges_each == each
    assert [game.stock(seat)["bridges"] for seat in range(n_players)] == [each] * n_players
    assert game.position().bridges == (each,) * n_players


@pytest.mark.rule("SET-06")
def test_bri_01_nobody_has_bridges_where_they_are_not_in_play():
    rules = Rules(sets=("base", "bridges"))
    game = Game(rules, seed=1)
    assert (rules.bridges_each, in_hand(game), game.position().bridges) == (0, (0, 0), ())


def test_bri_01_without_a_word_everybody_has_his_full_supply():
    text = position(START_LINE, turn="A places bg-monastery")
    game = play(text.replace("[bridges 3:3]", ""))
    assert in_hand(game) == (3, 3)
    assert names(game) == names(play(text))


def test_bri_01_more_bridges_than_there_are_are_refused():
    with pytest.raises(ValueError, match="bridge"):
        played(START_LINE, turn="A places bg-cap", hand="4:2")
    tiles = (START_LINE, "bg-monastery 1,0 r0 bridge EW", "bg-cap 0,-1 r2")
    assert in_hand(played(tiles)) == (3, 2)
    with pytest.raises(ValueError, match=r"every seat has . in total"):
        played(tiles, hand="3:3")
    with pytest.raises(ValueError, match=r"every seat has . in total"):
        play(position(tiles).replace("[bridges 3:2]", ""))


@pytest.mark.rule("TILE-01", "BASE-02")
@pytest.mark.parametrize(
    ("sets", "n_tiles"), [(("base", "bridges"), 83), (("base", "abbey", "bridges"), 95)]
)
def test_bri_02_the_new_tiles_are_shuffled_into_the_stack(sets, n_tiles):
    orders = [bag_of(Game(Rules(sets=sets), seed=seed)) for seed in range(30)]
    assert {len(order) for order in orders} == {n_tiles}
    firsts = [next(k for k, tile in enumerate(o) if tile.startswith("bcb-")) for o in orders]
    assert len(set(firsts)) > 3
    assert min(firsts) < 10


@pytest.mark.rule("SET-06")
def test_bri_02_tiles_and_bridges_are_chosen_apart():
    base = played(START_LINE, turn="A places bg-monastery", sets="base")
    assert names(base) == names(played(START_LINE, turn="A places bg-monastery"))
    assert len(bag_of(Game(Rules(bridges=True), seed=1))) == 71


@pytest.mark.rule("TURN-03")
def test_bri_03_a_bridge_comes_in_addition_to_tile_and_figure():
    game = played(START_LINE, "bg-monastery 0,1 r0")
    assert names(game) == {"meeple mid", "meeple Nw", "abbot mid", "bridge 0,1 EW", "pass"}
    game.apply("bridge 0,1 EW")
    assert (game.phase, game.decider, game.turn_player) == (Phase.FIGURE, 0, 0)
    assert (built(game), in_hand(game)) == ({"0,1 EW"}, (2, 3))
    assert names(game) == {"meeple mid", "meeple Nw", "meeple E", "abbot mid", "pass"}
    game.apply("meeple mid")
    assert (is_open_to(game), game.scores) == ("B", (0, 0))
    assert (built(game), figures(game)) == ({"0,1 EW"}, {"A meeple 0,1 mid"})


def test_bri_03_one_bridge_in_a_placement():
    game = played((START_LINE, "bg-straight 1,0 r0"), "bg-straight 2,0 r0")
    assert not game.position().has_bridged
    assert bridges_offered(game) == {"1,0 NS", "2,0 NS"}
    game.apply("bridge 2,0 NS")
    assert game.position().has_bridged
    assert (bridges_offered(game), in_hand(game)) == (set(), (2, 3))
    game.apply("pass")
    assert not game.position().has_bridged


@pytest.mark.rule("BRI-08")
def test_bri_03_a_needed_bridge_is_that_one():
    # A second bridge would fit over the straight road.
    game = played((START_LINE, "bg-straight 1,0 r0"), "bg-monastery 2,0 r0")
    assert (built(game), game.position().has_bridged) == ({"2,0 EW"}, True)
    assert (bridges_offered(game), in_hand(game)) == (set(), (2, 3))
    game.apply("pass")
    assert (is_open_to(game), game.position().has_bridged) == ("B", False)


@pytest.mark.rule("BRI-14")
def test_bri_03_in_his_next_turn_he_may_build_again():
    game = played(
        START_LINE,
        "bg-monastery 0,1 r0; bridge 0,1 EW; pass; bg-monastery 0,2 r0",
        bag=("bg-monastery", "bg-monastery", "bg-curve"),
    )
    assert bridges_offered(game) == {"0,2 EW"}
    then(game, "pass; bg-monastery 0,3 r0")
    assert game.turn_player == 0
    assert bridges_offered(game) == {"0,2 EW", "0,3 EW"}
    game.apply("bridge 0,2 EW")
    assert (bridges_offered(game), in_hand(game)) == (set(), (1, 3))


@pytest.mark.parametrize(("header", "bridges"), [("", {"0,2 EW"}), ("[bridged]", set())])
def test_bri_03_that_the_bridge_is_built_can_be_written_down(header, bridges):
    tiles = (START_LINE, "bg-monastery 0,1 r0 bridge EW", "bg-monastery 0,2 r0")
    game = played(tiles, hand="2:3", headers=header)
    assert (bridges_offered(game), game.position().has_bridged) == (bridges, bool(header))


#: A loop of straight roads. All cells north and south of the three tiles in the middle of its upper
#: side are empty.
LONG_LOOP = (
    START_LINE,
    "bg-straight 1,0 r0",
    "bg-monastery-road 0,1 r3",
    "bg-curve 0,2 r2; bg-straight 1,2 r0; bg-straight 2,2 r0; bg-straight 3,2 r0; bg-curve 4,2 r1",
    "bg-straight 4,1 r1",
    "bg-curve 4,0 r0; bg-straight 3,0 r0",
)


def test_bri_04_on_the_tile_just_placed_and_on_both_sides_of_it():
    game = played(LONG_LOOP, "bg-straight 2,0 r0")
    assert bridges_offered(game) == {"1,0 NS", "2,0 NS", "3,0 NS"}
    game.apply("bridge 3,0 NS")
    assert (built(game), in_hand(game)) == ({"3,0 NS"}, (2, 3))


def test_bri_04_on_no_tile_further_away():
    tiles = (START_LINE, "bg-monastery 0,1 r0", "bg-monastery 0,2 r0")
    game = played(tiles, "bg-monastery 0,3 r0")
    assert bridges_offered(game) == {"0,2 EW", "0,3 EW"}


def test_bri_04_on_no_diagonal_neighbour():
    game = played(START_LINE, "bg-monastery 0,1 r0")
    assert bridges_offered(game) == {"0,1 EW"}
    tiles = (START_LINE, "bg-monastery 0,1 r0")
    assert bridges_offered(played(tiles, "bg-straight 1,0 r0")) == {"1,0 NS"}


#: A hole with a monastery to the east and one to the south; all its diagonal cells are empty.
OPEN_DIAGONALS = (
    START_LINE,
    "bg-cap 0,-1 r2; bg-straight 1,-1 r1; bg-curve 2,-1 r2",
    "bg-straight 2,0 r0",
    "bg-monastery-road 2,1 r2; bg-monastery 1,1 r0",
    "bg-straight 2,2 r0",
    "bg-curve 2,3 r3; bg-monastery 1,3 r0; bg-cap 0,3 r2",
    "bg-monastery 0,2 r0",
    "bg-straight -1,3 r1; bg-curve -2,3 r0",
    "bg-monastery -2,2 r0",
    "bg-cap -2,1 r3; bg-straight -1,1 r1",
)


@pytest.mark.rule("BRI-21", "ABB-24")
@pytest.mark.parametrize("bridge", ["1,1 NS", "0,2 EW"])
def test_bri_04_beside_an_abbey_just_placed(bridge):
    game = played(OPEN_DIAGONALS, "pass; am-abbey 0,1 r0", seat="B", rules="abbeys: true")
    assert not game.position().has_bridged
    # No bridge can cross the abbey or end against it.
    assert bridges_offered(game) == {"1,1 NS", "0,2 EW"}
    game.apply(f"bridge {bridge}")
    assert (built(game), in_hand(game), game.position().abbeys) == ({bridge}, (2, 3), (0, 1))
    assert names(game) == {"meeple mid", "abbot mid", "pass"}


@pytest.mark.parametrize(
    ("place", "bridges"),
    [
        ("bg-straight 1,0 r0", {"NS"}),
        ("bg-straight-garden -1,0 r0", {"NS"}),
        ("bg-monastery-road 1,0 r0", {"NS"}),
        ("bg-cap-straight 1,0 r2", set()),
        ("bg-curve 1,0 r0", set()),
        ("bg-junction 1,0 r0", set()),
        ("bg-crossroads 1,0 r0", set()),
        ("bg-cap 0,-1 r2", {"EW"}),
        ("bg-cap 0,1 r2", {"EW"}),
        ("bg-cap 0,1 r1", set()),
        ("bg-corner 0,1 r1", set()),
        ("bg-corner 0,1 r2", set()),
        ("bg-span 0,-1 r0", {"EW"}),
        ("bg-caps-opposite 0,-1 r0", {"EW"}),
        ("bg-city3 0,-1 r0", set()),
        ("bg-city4-shield 0,-1 r0", set()),
        ("bg-monastery-road 0,1 r0", set()),
        ("bg-monastery-road 0,1 r2", set()),
        ("bg-monastery-road 0,1 r3", {"EW"}),
        ("bg-junction 0,1 r0", set()),
        ("bcb-span-bazaar 0,-1 r0", {"EW"}),
        ("bcb-span-monastery 0,-1 r0", {"EW"}),
        ("bcb-cap-road-bazaar 0,-1 r2", {"EW"}),
        ("bcb-cap-triangle-gate-garden 0,-1 r2", {"EW"}),
        ("bcb-caps-three-gate 0,-1 r0", set()),
        ("bcb-city4-bazaar 0,-1 r0", set()),
        ("bcb-bazaar 0,1 r0", {"EW"}),
        ("bcb-roads-bazaar 1,0 r0", {"NS"}),
        ("bcb-road-bazaar-inn 1,0 r0", {"NS"}),
        ("bcb-monastery-straight -1,0 r0", {"NS"}),
    ],
)
def test_bri_05_both_ends_lie_on_field_sides(place, bridges):
    cell = place.split()[1]
    assert bridges_offered(played(START_LINE, place)) == {f"{cell} {bridge}" for bridge in bridges}


@pytest.mark.parametrize(
    "line",
    [
        "bg-straight 1,0 r0 bridge EW",  # road
        "bg-cap 0,-1 r2 bridge NS",  # city
        "bg-corner 0,1 r2 bridge EW",  # city and field
        "bg-monastery-road 0,1 r0 bridge EW",  # road and field
        "bg-cap-straight 1,0 r0 bridge NS",  # city and field
    ],
)
def test_bri_05_a_bridge_with_an_end_on_anything_else_is_refused(line):
    with pytest.raises(ValueError, match=r"bridge|fit"):
        played((START_LINE, line, "bg-straight -1,0 r0"))


#: Tiles that put a field against one side of the monastery at (0, 1).
FIELD_IN_THE = {
    "west": ("bg-straight -1,0 r0", "bg-cap -1,1 r2"),
    "east": ("bg-straight 1,0 r0", "bg-cap-garden 1,1 r2"),
}


@pytest.mark.parametrize("sides", [("west",), ("east",), ("west", "east")])
def test_bri_06_an_end_against_a_field_forbids_it(sides):
    tiles = [START_LINE, *(line for side in sides for line in FIELD_IN_THE[side])]
    assert bridges_offered(played(tiles, "bg-monastery 0,1 r0")) == set()
    # The same applies to a neighbour of the tile just placed.
    tiles.append("bg-monastery 0,1 r0")
    assert bridges_offered(played(tiles, "bg-monastery 0,2 r0")) == {"0,2 EW"}


def test_bri_06_a_diagonal_neighbour_beyond_the_end_does_not_matter():
    tiles = (START_LINE, "bg-straight -1,0 r0", "bg-straight 1,0 r0")
    assert bridges_offered(played(tiles, "bg-monastery 0,1 r0")) == {"0,1 EW"}


def test_bri_06_a_bridge_against_a_field_is_refused_in_a_position():
    with pytest.raises(ValueError, match=r"bridge|fit"):
        played((START_LINE, "bg-monastery 0,1 r0 bridge NS", "bg-straight -1,0 r0"))


#: A gap with a road on one side. The tile on the opposite side is still missing, and all other
#: sides are field.
EAST = (START_LINE, "bg-monastery 0,1 r0", "bg-monastery 1,1 r0", "bg-cap 2,1 r2")
WEST = (START_LINE, "bg-monastery 0,1 r0", "bg-monastery -1,1 r0", "bg-cap -2,1 r2")
SOUTH = (START_LINE, "bg-monastery 0,1 r0", "bg-monastery 0,2 r0", "bg-curve 1,0 r0")


@pytest.mark.rule("BRI-08")
@pytest.mark.parametrize(
    ("gap", "bridge", "tiles", "beyond", "is_legal"),
    [
        ("1,0", "EW", EAST, "", True),
        ("1,0", "EW", EAST, "bg-monastery-road 2,0 r0", True),
        ("1,0", "EW", EAST, "bg-straight 2,0 r0", True),
        ("1,0", "EW", EAST, "bg-monastery 2,0 r0 bridge EW", True),
        ("1,0", "EW", EAST, "bg-monastery 2,0 r0", False),
        ("1,0", "EW", EAST, "bg-cap 2,0 r0", False),
        ("1,0", "EW", EAST, "bg-cap 2,0 r3", False),
        ("-1,0", "EW", WEST, "", True),
        ("-1,0", "EW", WEST, "bg-monastery-road -2,0 r2", True),
        ("-1,0", "EW", WEST, "bg-monastery -2,0 r0 bridge EW", True),
        ("-1,0", "EW", WEST, "bg-monastery-road -2,0 r0", False),
        ("-1,0", "EW", WEST, "bg-cap -2,0 r1", False),
        ("1,1", "NS", SOUTH, "", True),
        ("1,1", "NS", SOUTH, "bg-monastery-road 1,2 r1", True),
        ("1,1", "NS", SOUTH, "bg-monastery 1,2 r0 bridge NS", True),
        ("1,1", "NS", SOUTH, "bg-monastery-road 1,2 r2", False),
        ("1,1", "NS", SOUTH, "bg-cap 1,2 r0", False),
    ],
)
def test_bri_06_the_far_end_of_a_needed_bridge(gap, bridge, tiles, beyond, is_legal):
    text = position((*tiles, beyond), turn="A places bg-monastery")
    before = built(play(text))
    assert (f"bg-monastery {gap} r0" in names(play(text))) == is_legal
    if is_legal:
        game = play(text, f"bg-monastery {gap} r0")
        assert built(game) - before == {f"{gap} {bridge}"}
        assert (game.stock(0)["bridges"], bridges_offered(game)) == (2, set())


@pytest.mark.rule("BASE-11")
def test_bri_07_a_bridge_counts_like_a_printed_segment_of_its_tile():
    tiles = (START_LINE, "bg-monastery-road 0,1 r2: B meeple E")
    game = played(tiles, "bg-monastery 1,1 r0; pass", bag=("bg-monastery-road", "bg-curve"))
    assert (built(game), game.scores, figures(game)) == ({"1,1 EW"}, (0, 0), {"B meeple 0,1 E"})
    then(game, "bg-monastery-road 2,1 r0; pass")
    assert score_log(game) == [("B", 3, Kind.ROAD)]
    assert (meeples(game, "B"), figures(game), built(game)) == (7, set(), {"1,1 EW"})


@pytest.mark.rule("BASE-23")
def test_bri_07_it_counts_at_the_end_too():
    tiles = ("bg-cap-straight 0,0 r0: B meeple E", "bg-monastery 1,0 r0 bridge EW")
    assert played((*tiles, "bg-cap 0,-1 r2"), "pass", bag=()).scores == (0, 2)


def test_bri_07_a_bridge_on_a_neighbour_lengthens_the_road_of_the_new_tile():
    tiles = (START_LINE, "bg-monastery 0,1 r0")
    game = played(tiles, "bg-straight 1,1 r0; meeple E", bag=())
    assert (game.is_over, built(game), game.scores) == (True, {"0,1 EW"}, (2, 0))


@pytest.mark.rule("BRI-11", "BRI-12")
def test_bri_07_a_bridge_on_a_neighbour_lengthens_the_road_of_another_player():
    # B's meeple is on the road in the east; the bridge crosses the monastery in the west.
    tiles = (START_LINE, "bg-straight 1,0 r0", "bg-straight 2,0 r0", "bg-monastery 0,1 r0")
    game = played((*tiles, "bg-monastery-road 2,1 r0: B meeple W"), "bg-straight 1,1 r0", bag=())
    assert (built(game), offered(game, "meeple")) == ({"0,1 EW"}, {"Nw", "Es"})
    game.apply("pass")
    assert (game.is_over, game.scores) == (True, (0, 3))


@pytest.mark.rule("BASE-07", "BASE-17")
def test_bri_07_it_joins_and_completes_the_roads_of_two_players():
    tiles = (
        "bg-cap-straight 0,0 r0: B meeple E; bg-monastery-road -1,0 r2",
        *EAST[1:],
        "bg-monastery-road 2,0 r0: A meeple W",
    )
    game = played(tiles, "bg-monastery 1,0 r0")
    assert offered(game, "meeple") == {"mid", "Nw"}
    game.apply("pass")
    assert sorted(score_log(game)) == [("A", 4, Kind.ROAD), ("B", 4, Kind.ROAD)]


@pytest.mark.rule("WAG-05")
def test_bri_07_a_wagon_may_move_onto_a_bridge():
    tiles = (
        "bg-cap-straight 0,0 r0: A wagon N, B meeple E",
        "bg-monastery 0,1 r0 bridge EW",
        "bg-cap 0,-1 r2",
    )
    text = position(tiles, rules="wagons: true")
    game = play(text, "pass")
    assert targets(game) == {"0,1 E", "0,1 mid"}
    game.apply("wagon 0,1 E")
    assert figures(game) == {"A wagon 0,1 E", "B meeple 0,0 E"}
    occupied = text.replace("bridge EW", "bridge EW: B meeple E")
    assert targets(play(occupied, "pass")) == {"0,1 mid"}


#: Placements beside the start tile that fit without a bridge, and placements that need one.
FIRST_PLACES = {
    "bg-monastery": ({"0,1 r0"}, {"1,0 r0", "-1,0 r0"}),
    "bg-straight": ({"1,0 r0", "-1,0 r0", "0,1 r0"}, {"1,0 r1", "-1,0 r1"}),
    "bg-curve": ({"1,0 r0", "1,0 r1", "-1,0 r2", "-1,0 r3", "0,1 r0", "0,1 r3"}, set()),
    "bg-monastery-road": (
        {"1,0 r0", "-1,0 r2", "0,1 r0", "0,1 r2", "0,1 r3"},
        {"1,0 r1", "1,0 r3", "-1,0 r1", "-1,0 r3"},
    ),
    "bg-caps-opposite": ({"0,-1 r0", "0,1 r1"}, {"1,0 r0", "-1,0 r0"}),
    "bg-cap": (
        {"0,-1 r2", "0,1 r1", "0,1 r2", "0,1 r3"},
        {"1,0 r0", "1,0 r2", "-1,0 r0", "-1,0 r2"},
    ),
    "bg-corner": ({"0,-1 r1", "0,-1 r2", "0,1 r1", "0,1 r2"}, set()),
    "bcb-bazaar": ({"0,1 r0"}, {"1,0 r0", "-1,0 r0"}),
    "bcb-cap-road-bazaar": (
        {"0,-1 r2", "0,1 r1", "0,1 r3", "1,0 r1", "-1,0 r3"},
        {"1,0 r0", "1,0 r2", "-1,0 r0", "-1,0 r2"},
    ),
}


@pytest.mark.rule("BASE-04")
@pytest.mark.parametrize("tile", FIRST_PLACES)
def test_bri_08_a_road_may_meet_a_field_if_a_bridge_continues_it(tile):
    plain, bridged = FIRST_PLACES[tile]
    text = position(START_LINE, turn=f"A places {tile}")
    assert names(play(text)) == {f"{tile} {place}" for place in plain | bridged}
    for place in bridged:
        game = play(text, f"{tile} {place}")
        assert built(game) == {f"{place.split()[0]} EW"}
        assert (in_hand(game), game.position().has_bridged) == ((2, 3), True)
    for place in plain:
        game = play(text, f"{tile} {place}")
        assert (built(game), in_hand(game), game.position().has_bridged) == (set(), (3, 3), False)


@pytest.mark.rule("SET-06")
@pytest.mark.parametrize("tile", FIRST_PLACES)
def test_bri_08_without_bridges_it_may_not(tile):
    game = play(without_bridges(position(START_LINE, turn=f"A places {tile}")))
    assert names(game) == {f"{tile} {place}" for place in FIRST_PLACES[tile][0]}
    game.apply(f"{tile} {min(FIRST_PLACES[tile][0])}")
    assert bridges_offered(game) == set()


def test_bri_08_the_bridge_may_stand_on_the_neighbour():
    tiles = (START_LINE, "bg-monastery 0,1 r0")
    text = position(tiles, turn="A places bg-straight")
    over_the_neighbour = {"bg-straight 1,1 r0", "bg-straight -1,1 r0"}
    assert names(play(text)) == over_the_neighbour | {
        "bg-straight 1,0 r0",
        "bg-straight -1,0 r0",
        "bg-straight 0,2 r0",
        "bg-straight 1,1 r1",
        "bg-straight -1,1 r1",
        "bg-straight 1,0 r1",  # with a bridge over the tile itself
        "bg-straight -1,0 r1",
    }
    for place in over_the_neighbour:
        game = play(text, place)
        assert (built(game), in_hand(game), bridges_offered(game)) == ({"0,1 EW"}, (2, 3), set())


@pytest.mark.rule("BRI-06")
@pytest.mark.parametrize(("side", "place"), [("west", "1,1 r0"), ("east", "-1,1 r0")])
def test_bri_08_the_far_end_of_a_bridge_on_the_neighbour(side, place):
    tiles = (START_LINE, *FIELD_IN_THE[side], "bg-monastery 0,1 r0")
    game = played(tiles, turn="A places bg-straight")
    assert f"bg-straight {place}" not in names(game)
    assert f"bg-straight {place[:-1]}1" in names(game)


def test_bri_08_two_bridges_at_once_are_too_many():
    # The cell (1, 1) is between two monasteries and south of a straight road.
    tiles = (START_LINE, "bg-straight 1,0 r0", "bg-straight 2,0 r0")
    tiles += ("bg-monastery 0,1 r0", "bg-monastery 2,1 r0")
    text = position(tiles, turn="A places bg-straight")
    assert "bg-straight 1,1 r0" not in names(play(text))
    # In the other rotation, the tile needs a bridge over the road in the north.
    assert built(play(text, "bg-straight 1,1 r1")) == {"1,0 NS"}


@pytest.mark.parametrize(
    ("tile", "bridges"),
    [
        # The cell (1, 1) is south of a road and east of a monastery.
        ("bg-straight", {"r1": set()}),  # r0 needs a bridge over itself and one over the monastery
        ("bg-monastery", {"r0": {"1,1 NS"}}),
        ("bg-curve", {"r1": {"0,1 EW"}, "r2": set()}),
        ("bg-cap", {"r1": {"1,1 NS"}}),
        ("bg-monastery-road", {"r1": set(), "r2": {"1,1 NS"}}),
    ],
)
def test_bri_08_a_bridge_over_itself_or_over_the_neighbour(tile, bridges):
    tiles = (START_LINE, "bg-curve 1,0 r0", "bg-monastery 0,1 r0")
    text = position(tiles, turn=f"A places {tile}")
    found = {name.split()[2] for name in names(play(text)) if name.startswith(f"{tile} 1,1 ")}
    assert found == set(bridges)
    for rotation, expected in bridges.items():
        assert built(play(text, f"{tile} 1,1 {rotation}")) == expected


def test_bri_08_one_bridge_may_carry_on_two_roads():
    tiles = (*EAST, "bg-monastery-road 2,0 r0")
    game = played(tiles, "bg-monastery 1,0 r0")
    assert (built(game), in_hand(game)) == ({"1,0 EW"}, (2, 3))


def test_bri_08_a_bridge_does_not_help_against_a_city():
    tiles = (*EAST, "bg-cap 2,0 r3")
    game = played(tiles, turn="A places bg-cap")
    # With its city in the east, the cap puts a field against the western road; no bridge fits.
    assert not {f"bg-cap 1,0 r{k}" for k in range(4)} & names(game)


#: The tile south of the start tile is a junction, so a monastery fits only with a bridge.
ROADS_ALL_AROUND = (START_LINE, "bg-junction 0,1 r0")
BRIDGED_PLACES = {f"bg-monastery {c} r0" for c in ("1,0", "-1,0", "1,1", "-1,1", "0,2")}


def test_bri_09_a_tile_that_needs_a_bridge_may_be_put_aside():
    game = played(ROADS_ALL_AROUND, turn="A places bg-monastery", bag=("bg-curve", "bg-cap"))
    assert names(game) == BRIDGED_PLACES | {"aside"}
    n_aside = Counter(game.position().aside)["bg-monastery"]
    game.apply("aside")
    assert (is_open_to(game), game.tile_in_hand, game.n_tiles_left) == ("A", "bg-curve", 1)
    assert Counter(game.position().aside)["bg-monastery"] == n_aside + 1
    assert (built(game), in_hand(game)) == (set(), (3, 3))
    assert "aside" not in names(game)


@pytest.mark.parametrize("place", sorted(BRIDGED_PLACES))
def test_bri_09_or_placed(place):
    game = played(ROADS_ALL_AROUND, place, turn="A places bg-monastery")
    cell = place.split()[1]
    assert built(game) == {f"{cell} {'NS' if cell == '0,2' else 'EW'}"}
    assert game.stock(0)["bridges"] == 2


@pytest.mark.rule("BASE-05")
def test_bri_09_the_next_tile_may_be_put_aside_as_well():
    text = position(ROADS_ALL_AROUND, turn="A places bg-monastery")
    game = play(text, "aside", bag=("bg-monastery", "bg-curve"))
    assert (is_open_to(game), game.tile_in_hand) == ("A", "bg-monastery")
    assert names(game) == BRIDGED_PLACES | {"aside"}
    game.apply("aside")
    assert (is_open_to(game), game.tile_in_hand) == ("A", "bg-curve")


@pytest.mark.rule("BASE-22")
def test_bri_09_if_it_was_the_last_tile_the_game_is_over():
    assert played(ROADS_ALL_AROUND, "aside", turn="A places bg-monastery", bag=()).is_over


def test_bri_09_a_tile_with_one_plain_place_may_not():
    game = played((START_LINE, "bg-straight 0,1 r0"), turn="A places bg-monastery")
    cells = ("0,2", "1,0", "-1,0", "1,1", "-1,1")  # only the first cell needs no bridge
    assert names(game) == {f"bg-monastery {cell} r0" for cell in cells}


@pytest.mark.rule("BASE-05", "SET-06")
def test_bri_09_without_bridges_it_is_put_aside_at_once():
    text = position(ROADS_ALL_AROUND)
    bag = ("bg-monastery", "bg-curve", "bg-cap")
    game = play(text, "pass", bag=bag)
    assert (is_open_to(game), game.tile_in_hand) == ("B", "bg-monastery")
    assert "aside" in names(game)
    game = play(without_bridges(text), "pass", bag=bag)
    assert (is_open_to(game), game.tile_in_hand) == ("B", "bg-curve")
    assert "aside" not in names(game)


#: A cap that completes a city of two tiles; a bridge over it is possible.
CAP = "bg-cap 0,-1 r2"
ANY_TIME = "bridge_timing: any_time_before_scoring"


def test_bri_10_by_default_no_bridge_after_the_figure():
    assert Rules().bridge_timing == "before_figure"
    game = played(START_LINE, CAP)
    assert bridges_offered(game) == {"0,-1 EW"}
    game.apply("meeple S")
    assert (is_open_to(game), game.scores) == ("B", (4, 0))


@pytest.mark.rule("TURN-04")
@pytest.mark.parametrize("action", ["bridge 0,-1 EW", "pass"])
def test_bri_10_at_any_time_before_the_scoring(action):
    game = played(START_LINE, CAP, "meeple S", rules=ANY_TIME)
    assert (game.phase, game.decider, game.turn_player) == (Phase.BRIDGE, 0, 0)
    assert names(game) == {"bridge 0,-1 EW", "pass"}
    assert (game.scores, figures(game)) == ((0, 0), {"A meeple 0,-1 S"})
    game.apply(action)
    assert score_log(game) == [("A", 4, Kind.CITY)]
    assert (is_open_to(game), figures(game), meeples(game, "A")) == ("B", set(), 7)
    expected = (set(), (3, 3)) if action == "pass" else ({"0,-1 EW"}, (2, 3))
    assert (built(game), in_hand(game)) == expected


@pytest.mark.parametrize("rules", ["", ANY_TIME])
def test_bri_10_the_bridge_may_come_first_under_both_values(rules):
    game = played(START_LINE, CAP, rules=rules)
    assert "bridge 0,-1 EW" in names(game)
    game.apply("bridge 0,-1 EW")
    assert (game.phase, bridges_offered(game)) == (Phase.FIGURE, set())
    assert "meeple E" in names(game)
    game.apply("meeple E")
    assert (is_open_to(game), figures(game)) == ("B", {"A meeple 0,-1 E"})


@pytest.mark.parametrize("figure", ["abbot mid", "meeple Nw", "meeple mid"])
def test_bri_10_after_every_figure(figure):
    game = played(START_LINE, "bg-monastery 0,1 r0", figure, rules=ANY_TIME)
    assert names(game) == {"bridge 0,1 EW", "pass"}


@pytest.mark.rule("TURN-05", "ABT-06")
def test_bri_10_after_a_recall_which_is_scored_at_once():
    tiles = (START_LINE, "bg-straight-garden 0,1 r0: A abbot mid")
    game = played(tiles, CAP, "recall", rules=ANY_TIME)
    assert (game.phase, game.scores) == (Phase.BRIDGE, (2, 0))
    game.apply("bridge 0,-1 EW")
    assert (is_open_to(game), built(game)) == ("B", {"0,-1 EW"})


@pytest.mark.rule("BRI-11")
def test_bri_10_on_a_bridge_after_the_figure_nobody_can_be_placed():
    game = played(START_LINE, "bg-monastery 0,1 r0; meeple mid; bridge 0,1 EW", rules=ANY_TIME)
    assert (is_open_to(game), figures(game)) == ("B", {"A meeple 0,1 mid"})


@pytest.mark.parametrize(
    ("place", "action"),
    [
        (CAP, "pass"),  # a player who passes has already had the chance
        ("bg-corner 0,1 r2", "meeple S"),  # no bridge is possible
        ("bg-monastery 1,0 r0", "meeple mid"),  # A has already built the needed bridge
    ],
)
def test_bri_10_nobody_is_asked_in_vain(place, action):
    game = played(START_LINE, place, action, rules=ANY_TIME)
    assert is_open_to(game) == "B"


#: Three bridges in a row, all built by one player.
THREE_BRIDGES = (START_LINE, *(f"bg-monastery {x},0 r0 bridge EW" for x in (1, 2, 3)))


@pytest.mark.rule("BRI-19")
def test_bri_10_nobody_is_asked_without_a_bridge():
    game = played(THREE_BRIDGES, CAP, rules=ANY_TIME, hand="0:3")
    assert bridges_offered(game) == set()
    game.apply("meeple S")
    assert (is_open_to(game), game.scores) == ("B", (4, 0))


@pytest.mark.rule("BASE-06")
@pytest.mark.parametrize(
    ("tiles", "place", "spot"),
    [
        (("bg-cap-straight 0,0 r0: {} E",), "bg-monastery 1,0 r0", "E"),
        (("bg-cap-straight 0,0 r0: {} E",), "bg-monastery -1,0 r0", "E"),
        ((START_LINE, "bg-curve 1,0 r0: {} S"), "bg-monastery 1,1 r0", "N"),
        # The occupied road may be at the other end.
        ((*EAST, "bg-straight 2,0 r0: {} E"), "bg-monastery 1,0 r0", "E"),
        ((*EAST, "bg-monastery 2,0 r0 bridge EW: {} E"), "bg-monastery 1,0 r0", "E"),
    ],
)
@pytest.mark.parametrize("figure", ["A meeple", "B meeple"])
def test_bri_11_a_meeple_may_stand_on_the_bridge_of_a_free_road(tiles, place, spot, figure):
    occupied = "\n".join(tiles).replace("{}", figure)
    assert offered(played(occupied, place), "meeple") == {"mid", "Nw"}
    free = "\n".join(tiles).replace(": {} E", "").replace(": {} S", "")
    game = played(free, place)
    assert offered(game, "meeple") == {"mid", "Nw", spot}
    game.apply(f"meeple {spot}")
    cell = place.split()[1]
    assert (figures(game), meeples(game, "A")) == ({f"A meeple {cell} {spot}"}, 6)


def test_bri_11_on_an_optional_bridge_too_but_not_before_it_is_built():
    game = played(START_LINE, "bg-straight 1,0 r0")
    assert offered(game, "meeple") == {"E", "Nw", "Es"}
    game.apply("bridge 1,0 NS")
    assert offered(game, "meeple") == {"N", "E", "Nw", "Es"}


@pytest.mark.rule("BASE-08")
def test_bri_11_the_road_that_the_bridge_completes_is_scored_at_once():
    tiles = (*EAST, "bg-monastery-road -1,0 r2", "bg-monastery-road 2,0 r0")
    game = played(tiles, "bg-monastery 1,0 r0; meeple E")
    assert score_log(game) == [("A", 4, Kind.ROAD)]
    assert (figures(game), meeples(game, "A")) == (set(), 7)


@pytest.mark.rule("WAG-02", "MAY-02", "ABT-03")
def test_bri_11_a_bridge_is_a_road_for_the_other_figures():
    game = played(START_LINE, "bg-monastery 1,0 r0", rules="wagons: true, mayors: true")
    assert names(game) == {
        "meeple mid",
        "meeple Nw",
        "meeple E",
        "abbot mid",
        "wagon mid",
        "wagon E",
        "pass",
    }
    game.apply("wagon E")
    assert figures(game) == {"A wagon 1,0 E"}


def test_bri_11_a_figure_on_a_bridge_occupies_the_road():
    tiles = (START_LINE, "bg-monastery 0,1 r0 bridge EW: B meeple E")
    assert offered(played(tiles, "bg-straight 1,1 r0"), "meeple") == {"Nw", "Es"}


def test_bri_12_a_needed_bridge_on_the_neighbour_takes_no_figure():
    tiles = (START_LINE, "bg-monastery 0,1 r0")
    game = played(tiles, "bg-straight 1,1 r0")
    assert built(game) == {"0,1 EW"}
    # All spots are on the new tile, whose road continues over the bridge.
    assert names(game) == {"meeple E", "meeple Nw", "meeple Es", "pass"}
    game.apply("meeple E")
    assert figures(game) == {"A meeple 1,1 E"}


def test_bri_12_an_optional_bridge_on_the_neighbour_takes_no_figure():
    game = played((START_LINE, "bg-monastery 0,1 r0"), "bg-monastery 0,2 r0")
    before = names(game)
    game.apply("bridge 0,1 EW")
    assert names(game) == before - {"bridge 0,1 EW", "bridge 0,2 EW"}
    assert offered(game, "meeple") == {"mid", "Nw"}


@pytest.mark.rule("BASE-24")
@pytest.mark.parametrize("bridge", ["", " bridge EW"])
def test_bri_13_the_field_under_a_bridge_still_touches_both_cities(bridge):
    tiles = (
        START_LINE,
        f"bg-caps-opposite 0,-1 r0{bridge}: A meeple En",
        "bg-cap 0,-2 r2",
    )
    assert played(tiles, "pass", bag=()).scores == (6, 0)


@pytest.mark.rule("BASE-06")
@pytest.mark.parametrize("bridge", ["", " bridge EW"])
def test_bri_13_the_field_north_of_a_bridge_goes_on_in_the_south(bridge):
    # B's farmer is on the start tile, south or north of its road.
    for farmer, spots in (("Es", {"S"}), ("En", {"S", "Nw"})):
        tiles = (f"bg-cap-straight 0,0 r0: B meeple {farmer}", f"bg-monastery 0,1 r0{bridge}")
        assert offered(played(tiles, "bg-cap 0,2 r2"), "meeple") == spots


def test_bri_13_the_tile_just_bridged_has_one_field():
    game = played(START_LINE, "bg-monastery 1,0 r0")
    assert offered(game, "meeple") == {"mid", "E", "Nw"}
    game = played(START_LINE, "bg-caps-opposite 0,-1 r0; bridge 0,-1 EW")
    assert offered(game, "meeple") == {"N", "S", "E", "En"}


@pytest.mark.parametrize("bridge", ["", " bridge NS"])
def test_bri_13_a_bridge_over_a_road_divides_neither_of_its_fields(bridge):
    # B's farmer is west of the bridge; the new tile in the east continues the farmer's field.
    for farmer, spots in (("En", {"E", "Es"}), ("Es", {"E", "Nw"})):
        tiles = (f"bg-cap-straight 0,0 r0: B meeple {farmer}", f"bg-straight 1,0 r0{bridge}")
        assert offered(played(tiles, "bg-straight 2,0 r0"), "meeple") == spots


@pytest.mark.rule("BASE-12")
def test_bri_13_a_city_under_a_bridge_is_not_divided():
    tiles = ("bg-cap-straight 0,0 r0: B meeple N", "bg-span 0,-1 r0 bridge EW")
    game = played(tiles, "bg-cap 0,-2 r2")
    assert "meeple S" not in names(game)
    game.apply("pass")
    assert score_log(game) == [("B", 6, Kind.CITY)]


@pytest.mark.rule("BARN-03", "BARN-04")
@pytest.mark.parametrize(
    ("last", "spots"),
    [("bg-monastery 1,2 r0", {"NW"}), ("bg-cap 1,2 r2", {"NW"}), ("bg-cap 1,2 r3", set())],
)
@pytest.mark.parametrize("bridge", ["", " bridge EW"])
def test_bri_13_the_corners_for_barns_are_unchanged(bridge, last, spots):
    tiles = (
        START_LINE,
        "bg-straight 1,0 r0",
        f"bg-monastery 0,1 r0{bridge}",
        f"bg-monastery 1,1 r0{bridge}",
        "bg-cap 0,2 r1" if last.endswith("r3") else "bg-monastery 0,2 r0",
        last,
    )
    assert offered(played(tiles, rules="barns: true"), "barn") == spots


@pytest.mark.rule("BARN-03", "BARN-12")
def test_bri_13_a_barn_at_the_corner_of_a_tile_just_bridged():
    tiles = (
        START_LINE,
        "bg-straight 1,0 r0",
        "bg-monastery 0,1 r0 bridge EW",
        "bg-monastery 0,2 r0: B meeple Nw; bg-cap 1,2 r2",
    )
    game = played(tiles, "bg-monastery 1,1 r0", rules="barns: true")
    assert built(game) == {"0,1 EW", "1,1 EW"}
    assert offered(game, "barn") == {"NW", "SW"}
    # The barn is north of both bridges, B's farmer south of them. It is one field, so the farmer
    # returns.
    game.apply("barn NW")
    assert (figures(game), meeples(game, "B")) == ({"A barn 1,1 NW"}, 7)


@pytest.mark.rule("BRI-07")
def test_bri_14_a_bridge_may_continue_a_bridge():
    tiles = ("bg-cap-straight 0,0 r0: B meeple E", "bg-monastery-road -1,0 r2")
    game = played(
        tiles,
        "bg-monastery 1,0 r0; pass; bg-monastery 2,0 r0; pass",
        bag=("bg-monastery", "bg-monastery-road", "bg-curve"),
    )
    assert (built(game), in_hand(game)) == ({"1,0 EW", "2,0 EW"}, (2, 2))
    then(game, "bg-monastery-road 3,0 r0; pass")
    assert score_log(game) == [("B", 5, Kind.ROAD)]
    assert (built(game), in_hand(game)) == ({"1,0 EW", "2,0 EW"}, (2, 2))


def test_bri_14_a_bridge_may_be_continued_over_the_tile_that_is_placed_later():
    # The road of A's meeple crosses the first bridge; the bridge on the new tile continues it.
    tiles = (START_LINE, "bg-monastery 0,1 r0 bridge EW", "bg-straight 1,1 r0: A meeple E")
    game = played(tiles, "bg-monastery -1,1 r0; pass", seat="B", bag=())
    assert (built(game), game.scores) == ({"0,1 EW", "-1,1 EW"}, (3, 0))


def test_bri_14_bridges_side_by_side_are_two_roads():
    tiles = (START_LINE, "bg-monastery 0,1 r0 bridge EW: B meeple E")
    game = played(tiles, "bg-monastery 0,2 r0; bridge 0,2 EW")
    assert built(game) == {"0,1 EW", "0,2 EW"}
    assert offered(game, "meeple") == {"mid", "Nw", "E"}
    end = played(tiles, "bg-monastery 0,2 r0; bridge 0,2 EW; meeple E", bag=())
    assert end.scores == (1, 1)


def test_bri_15_no_optional_bridge_crosses_another_one():
    beside = "bg-straight 2,0 r0"
    tiles = (START_LINE, "bg-monastery 1,0 r0 bridge EW")
    assert bridges_offered(played(tiles, beside)) == {"2,0 NS"}
    tiles = (START_LINE, "bg-straight 1,0 r0")
    assert bridges_offered(played(tiles, beside)) == {"1,0 NS", "2,0 NS"}


@pytest.mark.rule("BRI-08")
@pytest.mark.parametrize(
    ("line", "is_legal"), [("bg-monastery 1,0 r0 bridge EW", False), ("bg-straight 1,0 r0", True)]
)
@pytest.mark.parametrize("place", ["bg-straight 1,1 r1", "bg-straight 1,-1 r1"])
def test_bri_15_no_needed_bridge_crosses_another_one(line, is_legal, place):
    text = position((START_LINE, line), turn="A places bg-straight")
    assert (place in names(play(text))) == is_legal
    if is_legal:
        assert built(play(text, place)) == {"1,0 NS"}


@pytest.mark.rule("BRI-08")
def test_bri_15_a_tile_that_needs_both_directions_does_not_fit():
    # One road reaches (1, 1) from the north and one from the west.
    tiles = (START_LINE, "bg-curve 1,0 r0", "bg-monastery-road 0,1 r2")
    game = played(tiles, turn="A places bg-monastery")
    assert "bg-monastery 1,1 r0" not in names(game)


#: Two loops beside the cell (0, 2): one in the north-east and one in the south-west.
NORTH_EAST = (START_LINE, "bg-curve 0,1 r3", "bg-curve 1,1 r0", "bg-curve 1,2 r1: B meeple N")
SOUTH_WEST = ("bg-curve 0,3 r1", "bg-curve -1,3 r2", "bg-curve -1,2 r3")

#: Both loops without the cell in the middle; a monastery connects them.
EIGHT = (*NORTH_EAST, "bg-monastery 1,3 r0", *SOUTH_WEST)


@pytest.mark.rule("BASE-15")
@pytest.mark.parametrize(("rotation", "bridge"), [("r0", "NS"), ("r1", "EW")])
def test_bri_16_a_figure_of_eight_counts_its_crossing_once(rotation, bridge):
    game = played(EIGHT, f"bg-straight 0,2 {rotation}")
    assert built(game) == {f"0,2 {bridge}"}
    assert not offered(game, "meeple") & {"N", "E"}
    game.apply("pass")
    assert score_log(game) == [("B", 7, Kind.ROAD)]
    assert figures(game) == set()


@pytest.mark.rule("BRI-11")
@pytest.mark.parametrize("spot", ["N", "E"])
def test_bri_16_a_figure_on_the_bridge_or_under_it_has_the_whole_road(spot):
    game = played(
        "\n".join(EIGHT).replace(": B meeple N", ""), f"bg-straight 0,2 r0; meeple {spot}"
    )
    assert score_log(game) == [("A", 7, Kind.ROAD)]


def test_bri_16_completed_by_a_curve():
    tiles = (*NORTH_EAST, "bg-straight 0,2 r0 bridge NS", *SOUTH_WEST[:0:-1])
    game = played(tiles, SOUTH_WEST[0], "pass")
    assert score_log(game) == [("B", 7, Kind.ROAD)]


@pytest.mark.rule("BASE-23")
def test_bri_16_an_incomplete_road_counts_it_once_too():
    tiles = (*NORTH_EAST, "bg-straight 0,2 r0 bridge NS", "bg-cap 0,-1 r2")
    assert played(tiles, "pass", bag=()).scores == (0, 4)


def test_bri_17_a_bridge_and_the_road_under_it_can_be_claimed_apart():
    tiles = "bg-cap-straight 0,0 r0: B meeple E"
    game = played(tiles, "bg-straight 1,0 r0")
    assert offered(game, "meeple") == {"Nw", "Es"}
    game.apply("bridge 1,0 NS")
    assert offered(game, "meeple") == {"N", "Nw", "Es"}
    game.apply("meeple N")
    assert figures(game) == {"A meeple 1,0 N", "B meeple 0,0 E"}


#: A's meeple is on the bridge, B's on the road under it.
OVERPASS = ("bg-cap-straight 0,0 r0: B meeple E", "bg-straight 1,0 r0 bridge NS: A meeple N")


@pytest.mark.rule("BASE-11")
@pytest.mark.parametrize(
    ("closed", "last", "score", "left"),
    [
        ("bg-monastery-road -1,0 r2", "bg-monastery-road 2,0 r0", ("B", 4), "A meeple 1,0 N"),
        ("bg-monastery-road 1,-1 r3", "bg-monastery-road 1,1 r1", ("A", 3), "B meeple 0,0 E"),
    ],
)
def test_bri_17_each_is_scored_for_itself(closed, last, score, left):
    game = played((*OVERPASS, closed), last, "pass")
    assert score_log(game) == [(*score, Kind.ROAD)]
    assert figures(game) == {left}


@pytest.mark.rule("BRI-22")
def test_bri_17_a_bridge_does_not_end_at_a_crossing_or_monastery_under_it():
    # The printed road ends at the monastery in the middle; the bridge passes over it.
    tiles = (
        START_LINE,
        "bg-monastery-road 1,0 r0 bridge NS: A meeple N",
        "bg-monastery-road 1,-1 r3",
    )
    game = played(tiles, "bg-crossroads 1,1 r0; pass", seat="B")
    assert score_log(game) == [("A", 3, Kind.ROAD)]


@pytest.mark.parametrize(
    "tile", [t for t, f in (TILES["base"] | TILES["bridges"]).items() if f["n"]["C2"]]
)
def test_bri_18_from_then_on_bridged_sides_are_road_sides(tile):
    bridged = (START_LINE, "bg-monastery 0,1 r0 bridge EW")
    printed = (START_LINE, "bg-straight 0,1 r0")
    places = [names(played(t, turn=f"A places {tile}")) for t in (bridged, printed)]
    assert places[0] == places[1]
    assert places[0]


def test_bri_18_a_field_against_a_bridge_needs_another_bridge():
    tiles = (START_LINE, "bg-monastery 0,1 r0 bridge EW")
    game = played(tiles, "bg-monastery 1,1 r0")
    assert (built(game), in_hand(game)) == ({"0,1 EW", "1,1 EW"}, (2, 2))


def test_bri_19_bridges_are_used_up():
    game = played(START_LINE, turn="A places bg-monastery", bag=("bg-cap", "bg-monastery") * 3)
    supply = [in_hand(game)]
    for x, cap in ((1, "bg-cap 0,-1 r2"), (2, "bg-cap 0,1 r2"), (3, "bg-cap 0,2 r0")):
        then(game, f"bg-monastery {x},0 r0; pass")
        supply.append(in_hand(game))
        then(game, cap, "pass")
    assert supply == [(3, 3), (2, 3), (1, 3), (0, 3)]
    assert built(game) == {"1,0 EW", "2,0 EW", "3,0 EW"}
    assert (is_open_to(game), game.tile_in_hand) == ("A", "bg-monastery")
    # Neither a needed bridge nor an optional one is possible.
    assert not {"bg-monastery 4,0 r0", "bg-monastery -1,0 r0", "aside"} & names(game)
    game.apply("bg-monastery 0,3 r0")
    assert bridges_offered(game) == set()


@pytest.mark.parametrize(("seat", "is_legal"), [("A", False), ("B", True)])
def test_bri_19_everybody_builds_from_his_own_supply(seat, is_legal):
    game = played(THREE_BRIDGES, turn=f"{seat} places bg-cap", hand="0:3")
    assert ("bg-cap 4,0 r0" in names(game)) == is_legal
    game.apply("bg-cap 0,1 r2")
    assert (bridges_offered(game) == {"0,1 EW"}) == is_legal
    if is_legal:
        game.apply("bridge 0,1 EW")
        assert in_hand(game) == (0, 2)


@pytest.mark.rule("BRI-09", "BASE-05")
@pytest.mark.parametrize(
    ("hand", "tile"), [("0:3", "bg-crossroads"), ("3:0", "bg-curve"), ("2:1", "bg-crossroads")]
)
def test_bri_19_without_supply_a_tile_that_needs_a_bridge_is_put_aside_at_once(hand, tile):
    # The crossroads tile fits only north or south of the two monasteries that end the road.
    tiles = ("bg-monastery-road -1,0 r2", *THREE_BRIDGES[1:], "bg-monastery-road 4,0 r0")
    game = played((START_LINE, *tiles), "pass", hand=hand, bag=("bg-crossroads", "bg-curve"))
    assert (is_open_to(game), game.tile_in_hand) == ("B", tile)
    if tile == "bg-crossroads":
        cells = ("-1,-1", "-1,1", "4,-1", "4,1")
        assert names(game) == {"aside", *(f"bg-crossroads {cell} r0" for cell in cells)}
    else:
        assert "aside" not in names(game)


@pytest.mark.parametrize("limit", ["per_placement", "per_turn"])
def test_bri_20_both_limits_are_the_same_where_every_turn_has_one_part(limit):
    assert Rules().bridge_limit == "per_placement"
    text = position(START_LINE, turn="A places bg-monastery", rules=f"bridge_limit: {limit}")
    game = play(text, bag=("bg-monastery", "bg-monastery", "bg-curve"))
    for cell, seat in (("0,1", 0), ("0,2", 1), ("0,3", 0)):
        game.apply(f"bg-monastery {cell} r0")
        assert (game.turn_player, bridges_offered(game)) == (seat, {f"{cell} EW"})
        game.apply(f"bridge {cell} EW")
        assert bridges_offered(game) == set()
        game.apply("pass")
    assert in_hand(game) == (1, 2)


#: A hole at (0, 1) with a monastery to the east and a straight road to the south.
HOLE = (
    START_LINE,
    "bg-straight -1,0 r0; bg-straight 1,0 r0",
    "bg-monastery -1,1 r0; bg-monastery 1,1 r0",
    "bg-monastery-road -1,2 r2; bg-straight 0,2 r0",
)


def beside_an_abbey(is_there, tile="bg-straight"):
    """Return a position where A places a tile; the hole is empty or contains A's abbey."""
    tiles = (*HOLE, f"{ABBEY} 0,1 r0") if is_there else HOLE
    abbeys = "[abbeys 0:1]" if is_there else "[abbeys 1:1]"
    return position(tiles, turn=f"A places {tile}", rules="abbeys: true", headers=abbeys)


@pytest.mark.rule("BRI-06")
@pytest.mark.parametrize(("abbey", "bridges"), [(False, {"0,2 NS", "1,1 EW"}), (True, set())])
def test_bri_21_no_optional_bridge_ends_at_an_abbey(abbey, bridges):
    game = play(beside_an_abbey(abbey), "bg-straight 1,2 r0")
    assert bridges_offered(game) == bridges


@pytest.mark.rule("BRI-08")
@pytest.mark.parametrize("abbey", [False, True])
def test_bri_21_no_needed_bridge_ends_at_an_abbey(abbey):
    text = beside_an_abbey(abbey)
    assert ("bg-straight 2,1 r0" in names(play(text))) == (not abbey)
    assert "bg-straight 2,1 r1" in names(play(text))
    if not abbey:
        assert built(play(text, "bg-straight 2,1 r0")) == {"1,1 EW"}


@pytest.mark.rule("ABB-09", "ABB-10")
def test_bri_21_an_abbey_placed_later_closes_a_bridge():
    tiles = [line for line in each(HOLE) if " 1,1 " not in line]
    tiles += ["bg-monastery 1,1 r0 bridge EW: B meeple E", "bg-monastery-road 2,1 r0"]
    game = played(in_order(tiles, "2,1"), "pass; am-abbey 0,1 r0", seat="B", rules="abbeys: true")
    assert (game.scores, built(game)) == ((0, 0), {"1,1 EW"})
    game.apply("pass")
    assert score_log(game) == [("B", 2, Kind.ROAD)]
    assert (figures(game), meeples(game, "B")) == (set(), 7)


@pytest.mark.rule("ABB-11")
def test_bri_21_bridges_on_both_sides_of_an_abbey_stay_two_roads():
    tiles = [line for line in each(HOLE) if line.split()[1] not in ("1,1", "-1,1", "-1,2")]
    tiles += [
        "bg-monastery -1,1 r0 bridge EW: A meeple E; bg-monastery-road -2,1 r2",
        "bg-monastery 1,1 r0 bridge EW: B meeple E; bg-city3-gate-shield 2,1 r0",
        "bg-junction -1,2 r0",
    ]
    game = played(in_order(tiles), "pass; am-abbey 0,1 r0; pass", seat="B", rules="abbeys: true")
    assert sorted(score_log(game)) == [("A", 2, Kind.ROAD), ("B", 2, Kind.ROAD)]


@pytest.mark.parametrize("tile", ["bg-monastery", "bcb-bazaar"])
@pytest.mark.parametrize(
    ("road", "cell", "bridge", "spot"),
    [("bg-straight 1,0 r0", "2,0", "EW", "E"), ("bg-curve 1,0 r0", "1,1", "NS", "N")],
)
def test_bri_22_monasteries_and_bazaars_can_be_crossed_both_ways(tile, road, cell, bridge, spot):
    game = played((START_LINE, road), f"{tile} {cell} r0")
    assert built(game) == {f"{cell} {bridge}"}
    monastery = {"mid"} if tile == "bg-monastery" else set()
    assert offered(game, "meeple") == {spot, "Nw"} | monastery


@pytest.mark.rule("GAR-01")
def test_bri_22_a_garden_under_a_bridge_takes_an_abbot():
    game = played(START_LINE, "bg-caps-opposite-garden 1,0 r0")
    assert built(game) == {"1,0 EW"}
    assert offered(game, "meeple") == {"N", "S", "E", "En"}
    assert offered(game, "abbot") == {"mid"}


@pytest.mark.rule("BASE-23")
@pytest.mark.parametrize("figure", ["meeple", "abbot"])
def test_bri_22_over_an_occupied_monastery(figure):
    tiles = (START_LINE, f"bg-monastery-road 1,0 r0: B {figure} mid")
    game = played(tiles, "bg-monastery 2,0 r0", bag=())
    assert bridges_offered(game) == {"1,0 NS", "2,0 NS"}
    game.apply("bridge 1,0 NS")
    assert figures(game) == {f"B {figure} 1,0 mid"}
    game.apply("pass")
    assert game.scores == (0, 3)


@pytest.mark.rule("BRI-13")
@pytest.mark.parametrize("owner", ["A", "B"])
def test_bri_22_over_an_occupied_city_and_field(owner):
    tiles = (START_LINE, f"bg-span 0,-1 r0: {owner} meeple N, B meeple En")
    game = played(tiles, "bg-cap 0,-2 r2")
    assert bridges_offered(game) == {"0,-1 EW", "0,-2 EW"}
    then(game, "bridge 0,-1 EW; pass")
    assert game.scores == ((6, 0) if owner == "A" else (0, 6))
    assert figures(game) == {"B meeple 0,-1 En"}


@pytest.mark.rule("BRI-17")
def test_bri_22_over_an_occupied_road():
    tiles = (START_LINE, "bg-straight 1,0 r0: B meeple E")
    game = played(tiles, "bg-straight 2,0 r0")
    assert bridges_offered(game) == {"1,0 NS", "2,0 NS"}
    game.apply("bridge 1,0 NS")
    assert figures(game) == {"B meeple 1,0 E"}


@pytest.mark.rule("WAG-27")
@pytest.mark.parametrize(
    ("rules", "expected"),
    [("wagon_adjacency: C1", {"2,0 mid"}), ("wagon_adjacency: C2", {"0,0 N", "1,0 mid"})],
)
def test_bri_22_no_door_leads_from_a_bridge_to_what_it_crosses(rules, expected):
    # The road is completed between a gate and a monastery and crosses another monastery between.
    tiles = (
        "bg-cap-straight 0,0 r0: A wagon E; bg-city3-gate -1,0 r2: B meeple N",
        "bg-monastery 1,0 r0 bridge EW",
    )
    game = played(tiles, "bg-monastery-road 2,0 r0; pass", rules=f"wagons: true, {rules}")
    assert score_log(game) == [("A", 4, Kind.ROAD)]
    assert targets(game) == expected


def test_tile_10_the_triangular_city_is_no_half_of_a_castle():
    for tile in ("bcb-cap-triangle-gate", "bcb-cap-triangle-gate-garden"):
        (city,) = ROWS[DESIGN[tile]]["cities"]
        assert (TILES["bridges"][tile]["edges"], city["at"], city["castle"]) == ("CFRF", "N", False)
    for tile in ("bcb-cap-road-bazaar", "bg-cap", "bg-cap-straight"):
        (city,) = ROWS[DESIGN[tile]]["cities"]
        assert city["castle"] is True


def test_tile_10_the_tile_has_three_fields():
    game = played(START_LINE, "bcb-cap-triangle-gate-garden 0,-1 r2")
    assert offered(game, "meeple") == {"N", "S", "Nw", "Ne", "Ws"}
    assert offered(game, "abbot") == {"mid"}


@pytest.mark.rule("BRI-22")
def test_baz_25_a_bridge_over_a_bazaar_goes_on():
    tiles = ("bg-cap-straight 0,0 r0: B meeple E", "bg-monastery-road -1,0 r2")
    game = played(tiles, "bcb-bazaar 1,0 r0; pass", bag=("bg-monastery-road", "bg-curve"))
    assert (game.scores, built(game)) == ((0, 0), {"1,0 EW"})
    then(game, "bg-monastery-road 2,0 r0; pass")
    assert score_log(game) == [("B", 4, Kind.ROAD)]
