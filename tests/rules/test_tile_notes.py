"""TILE: the land tiles of Abbey & Mayor that the booklet explains."""

import pytest

from carc_env.engine.core.codes import Kind
from carc_env.game.game import Game
from carc_env.rules import Rules

from .looks import bag_of, figures, meeples, names, offered, score_log
from .positions import START_LINE, Table
from .scenario import GARDEN_TILES, TILES, play

TABLE = Table(sets="base, abbey")
position, played = TABLE.position, TABLE.played


def test_tile_01_the_set_is_in_the_stack_only_where_it_is_chosen():
    rules = Rules(abbeys=True, mayors=True, barns=True, wagons=True)
    assert len(bag_of(Game(rules, seed=1))) == 71


@pytest.mark.rule("BASE-04")
def test_tile_01_new_tiles_are_placed_like_base_tiles():
    for tile, facts in TILES["abbey"].items():
        if facts["n"]["C2"]:
            game = played("bg-cap-straight 0,0 r0", turn=f"A places {tile}")
            # A city side fits in the north, a road side in the east and west, a field in the south.
            fits = sum({"C": 1, "R": 2, "F": 1}[edge] for edge in facts["edges"])
            assert len(names(game)) == fits * facts["rot"] // 4, tile


@pytest.mark.rule("GAR-08")
def test_tile_01_the_set_has_one_garden():
    gardens = {tile for tile in TILES["abbey"] if tile.endswith("-garden")}
    assert gardens == {"am-road-end-garden"}
    bag = bag_of(Game(Rules(sets=("base", "abbey")), seed=1))
    assert sum(tile.endswith("-garden") for tile in bag) == 8 + 1
    assert set(GARDEN_TILES) <= set(bag)
    game = played(START_LINE, "am-road-end-garden 1,0 r0")
    assert offered(game, "abbot") == {"mid"}
    assert "mid" not in offered(game, "meeple")


@pytest.mark.parametrize(("right", "points"), [("bg-cap 1,-1 r3", 6), ("bg-straight 1,0 r0", 3)])
@pytest.mark.parametrize("field", ["Ws", "in0"])
def test_tile_02_both_fields_of_the_tile_touch_both_of_its_cities(field, right, points):
    # The city from north to south is complete; only the cap in the east completes the other one.
    tiles = f"""
        bg-cap-straight 0,0 r0
        am-span-and-bridged-cap-shield 0,-1 r0: A meeple {field}
        bg-cap 0,-2 r2
        {right}
        """
    game = played(tiles, "pass", bag=())
    assert game.scores == (points, 0)


def test_tile_02_the_two_cities_are_separate():
    tiles = "bg-cap-straight 0,0 r0: A meeple N; am-span-and-bridged-cap-shield 0,-1 r0: B meeple E"
    text = position(tiles, turn="A places bg-cap")
    # The eastern city has two tiles and its coat of arms.
    assert play(text, "bg-cap 1,-1 r3", "pass").scores == (0, 6)
    # The city from north to south has three tiles.
    assert play(text, "bg-cap 0,-2 r2", "pass").scores == (6, 0)


def test_tile_02_two_cities_and_two_fields_can_be_claimed():
    game = played(START_LINE, "am-span-and-bridged-cap-shield 0,-1 r0")
    assert offered(game, "meeple") == {"N", "E", "Ws", "in0"}


def test_tile_03_two_cities_cross_and_can_have_different_owners():
    game = played(START_LINE, "am-spans-crossing-shield 0,-1 r0")
    assert offered(game, "meeple") == {"N", "E", "in0", "in1"}
    tiles = "bg-cap-straight 0,0 r0: B meeple N"
    game = played(tiles, "am-spans-crossing-shield 0,-1 r0")
    assert offered(game, "meeple") == {"E", "in0", "in1"}
    game.apply("meeple E")
    assert figures(game) == {"A meeple 0,-1 E", "B meeple 0,0 N"}


@pytest.mark.parametrize(("rotation", "scores"), [("r0", (6, 8)), ("r1", (8, 6))])
def test_tile_03_each_city_counts_its_own_tiles_and_coats_of_arms(rotation, scores):
    # On the unrotated tile, the city from north to south has the coat of arms.
    tiles = f"""
        bg-cap-straight 0,0 r0: B meeple N
        am-spans-crossing-shield 0,-1 {rotation}: A meeple E
        bg-cap 1,-1 r3
        """
    text = position(tiles, turn="A places bg-cap")
    assert play(text, "bg-cap -1,-1 r1", "pass").scores == (scores[0], 0)
    assert play(text, "bg-cap 0,-2 r2", "pass").scores == (0, scores[1])


@pytest.mark.parametrize(("last", "points"), [("bg-cap 0,-2 r2", 6), ("bg-curve 0,1 r0", 3)])
def test_tile_03_each_enclosed_field_touches_both_cities(last, points):
    tiles = f"""
        bg-cap-straight 0,0 r0
        am-spans-crossing-shield 0,-1 r0: A meeple in0, B meeple in1; bg-cap 1,-1 r3
        bg-cap -1,-1 r1
        {last}
        """
    game = played(tiles, "pass", bag=())
    assert game.scores == (points, points)


@pytest.mark.parametrize(
    ("rotation", "fields"), [("r0", {"En", "Ws", "Wn"}), ("r2", {"En", "Es", "Ws"})]
)
def test_tile_04_one_road_under_the_city_and_three_fields(rotation, fields):
    game = played(START_LINE, f"am-span-tunnel-shield 1,0 {rotation}")
    assert offered(game, "meeple") == {"N", "E"} | fields


def test_tile_04_the_road_is_unbroken():
    tiles = """
        bg-cap-straight 0,0 r0: B meeple E; bg-monastery-road -1,0 r2
        am-span-tunnel-shield 1,0 r0
        """
    game = played(tiles, "pass")
    assert game.scores == (0, 0)
    game = played(tiles, "bg-monastery-road 2,0 r0; pass")
    assert score_log(game) == [("B", 4, Kind.ROAD)]


@pytest.mark.parametrize(("rotation", "closed"), [("r0", {"Es"}), ("r2", set())])
def test_tile_04_on_one_side_the_road_does_not_part_the_fields(rotation, closed):
    # B's farmer is north of the road; the next tile shows whether its field includes the south.
    tiles = f"bg-cap-straight 0,0 r0; am-span-tunnel-shield 1,0 {rotation}: B meeple En"
    game = played(tiles, "bg-straight 2,0 r0")
    assert offered(game, "meeple") == {"E", "Es"} - closed


@pytest.mark.rule("BASE-11", "BASE-21")
@pytest.mark.parametrize(
    ("tile", "rules"), [("am-road-end-garden", ""), ("am-road-end", "edition: C1, abbot: false")]
)
def test_tile_05_a_road_ends_in_the_field_which_is_one(tile, rules):
    tiles = "bg-cap-straight 0,0 r0; bg-monastery-road 0,1 r2: B meeple Nw"
    game = played(tiles, f"{tile} 1,1 r0", rules=rules)
    assert offered(game, "meeple") == {"W"}  # the field is B's
    game.apply("meeple W")
    assert score_log(game) == [("A", 2, Kind.ROAD)]
    assert meeples(game, "A") == 7
    free = played(tiles.replace(": B meeple Nw", ""), f"{tile} 1,1 r0", rules=rules)
    assert offered(free, "meeple") == {"W", "Nw"}


@pytest.mark.parametrize(
    ("place", "spots"),
    [
        ("am-cap-curve-left-touching 1,0 r0", {"N", "S", "En", "Sw", "Wn"}),
        ("am-cap-curve-right-touching 1,0 r1", {"E", "S", "Nw", "Se", "Sw"}),
        # The base designs with the same edges have two fields each.
        ("bg-cap-curve-left 1,0 r0", {"N", "S", "En", "Sw"}),
        ("bg-cap-curve-right 1,0 r1", {"E", "S", "Nw", "Sw"}),
    ],
)
def test_tile_06_where_the_road_touches_the_city_there_are_three_fields(place, spots):
    assert offered(played(START_LINE, place), "meeple") == spots


@pytest.mark.parametrize(
    "place", ["am-cap-curve-left-touching 1,0 r0", "am-cap-curve-right-touching 1,0 r1"]
)
def test_tile_06_the_road_goes_on(place):
    tiles = "bg-cap-straight 0,0 r0: B meeple E; bg-monastery-road -1,0 r2"
    game = played(tiles, place, "pass")
    assert (game.scores, figures(game)) == ((0, 0), {"B meeple 0,0 E"})
    game = played(f"{tiles}\n{place}", "bg-monastery-road 1,1 r1; pass")
    assert game.scores == (0, 4)


#: A road that branches; its western and eastern ends are closed.
BRANCHES = """
    bg-cap-straight 0,0 r0
    am-road-three-way 0,1 r0: B meeple E; bg-monastery-road -1,1 r2; bg-monastery-road 1,1 r0
    """


def test_tile_07_three_closed_branches_make_one_road_of_four_tiles():
    game = played(BRANCHES, "pass")
    assert (game.scores, figures(game)) == ((0, 0), {"B meeple 0,1 E"})
    game = played(BRANCHES, "bg-city3-gate 0,2 r1; pass")
    assert score_log(game) == [("B", 4, Kind.ROAD)]
    assert meeples(game, "B") == 7


def test_tile_07_open_at_the_end_it_counts_its_tiles():
    game = played(BRANCHES, "pass", bag=())
    assert game.scores == (0, 3)


def test_tile_07_three_fields_and_one_road():
    game = played(START_LINE, "am-road-three-way 1,0 r0")
    assert offered(game, "meeple") == {"E", "Nw", "Es", "Sw"}
    game = played(START_LINE, "bg-junction 1,0 r0")
    assert offered(game, "meeple") == {"E", "S", "W", "Nw", "Es", "Sw"}


@pytest.mark.parametrize("place", ["bg-straight -1,1 r0", "bg-straight 1,1 r0", "bg-curve 0,2 r1"])
@pytest.mark.parametrize("branch", ["bg-straight 1,1 r0", "bg-straight -1,1 r0"])
def test_tile_08_one_meeple_occupies_all_three_branches(place, branch):
    if place == branch:
        place = "bg-curve 0,2 r2"
    tiles = f"bg-cap-straight 0,0 r0; am-road-three-way 0,1 r0; {branch}: B meeple E"
    roads = {"N", "E", "S", "W"}
    assert not offered(played(tiles, place), "meeple") & roads
    free = tiles.replace(": B meeple E", "")
    assert len(offered(played(free, place), "meeple") & roads) == 1
