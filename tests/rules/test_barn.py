"""BARN: barns on points where four fields meet, and the fields that they score."""

import pytest

from carc_env.engine.core.codes import Figure, Kind, Phase

from .looks import figures, in_supply, meeples, names, offered, score_log
from .positions import JOIN, LAND, Table, by_cell, without
from .scenario import play

TABLE = Table("barns: true", sets="base, abbey")


def barns(game, seat):
    return in_supply(game, seat, Figure.BARN)


def position(tiles, figures=None, turn="A acts", last=None):
    return TABLE.position(by_cell(tiles, figures, last), turn=turn)


def joining(figures, tiles=LAND, seat="A"):
    """Return a position in which a seat is about to join both fields."""
    return position(tiles, figures, turn=f"{seat} places bg-monastery-road")


@pytest.mark.rule("BARN-11")
@pytest.mark.parametrize(
    ("farmers", "scores"),
    [("B meeple En", (0, 6)), ("A meeple En, B meeple En", (6, 6)), ("A meeple En", (6, 0))],
)
def test_barn_01_a_barn_has_no_part_in_the_majority(farmers, scores):
    text = position(LAND, {"0,0": farmers}, last="-2,-1")
    assert play(text, "barn SE").scores == scores


@pytest.mark.rule("TURN-03")
def test_barn_02_a_barn_is_placed_instead_of_a_meeple():
    game = play(position(LAND, last="1,1"))
    assert names(game) == {"meeple Nw", "meeple mid", "abbot mid", "barn NW", "pass"}
    game.apply("barn NW")
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)
    assert figures(game) == {"A barn 1,1 NW"}
    assert (barns(game, "A"), barns(game, "B"), meeples(game, "A")) == (0, 1, 7)


def test_barn_02_a_barn_on_the_board_is_not_offered_a_second_time():
    text = position(LAND, {"-1,0": "A barn NW"}, last="1,1")
    assert offered(play(text), "barn") == set()
    assert offered(play(text.replace("A barn", "B barn")), "barn") == {"NW"}


SQUARE = {
    "0,0": "bg-cap-straight r0",
    "1,0": "bg-straight r0",
    "0,1": "bg-monastery r0",
    "1,1": "bg-monastery r0",
    "0,2": "bg-monastery r0",
    "1,2": "bg-monastery r0",
}


@pytest.mark.parametrize(
    ("last", "spots"),
    [("1,2", {"NW"}), ("0,2", {"NE"}), ("1,1", {"SW", "NW"}), ("0,1", {"SE", "NE"})],
)
def test_barn_03_a_point_where_four_tiles_with_one_of_them_just_placed_meet(last, spots):
    assert offered(play(position(SQUARE, last=last)), "barn") == spots


def test_barn_03_a_square_of_monasteries_offers_exactly_one_point():
    tiles = without(SQUARE, "1,0")
    assert offered(play(position(tiles, last="1,2")), "barn") == {"NW"}
    assert offered(play(position(without(tiles, "1,2"), last="1,1")), "barn") == set()
    assert offered(play(position(without(tiles, "1,2"), last="0,2")), "barn") == set()


def test_barn_04_the_booklets_two_lower_tiles_with_a_city_at_the_point():
    tiles = SQUARE | {"0,2": "bg-cap r1", "1,2": "bg-cap r3"}
    assert offered(play(position(tiles, last="1,2")), "barn") == set()


#: Straight roads around the point between (0, 1) and (1, 2).
STRAIGHTS = {
    "0,0": "bg-cap-straight r0",
    "0,1": "bg-straight r0",
    "1,1": "bg-straight r0",
    "0,2": "bg-straight r0",
}


@pytest.mark.parametrize(
    ("tile", "spots"),
    [
        ("bg-straight r0", {"NW"}),
        ("bg-junction r0", {"NW"}),
        ("bg-curve r0", {"NW"}),
        ("bg-monastery-road r0", {"NW"}),
        ("bg-cap-straight r2", {"NW"}),
        ("bg-cap-curve-right r1", {"NW"}),
        ("am-road-end-garden r0", {"NW"}),
        ("am-road-three-way r0", {"NW"}),
    ],
)
def test_barn_04_roads_do_not_touch_a_corner(tile, spots):
    game = play(position(STRAIGHTS | {"1,2": tile}, last="1,2"))
    assert offered(game, "barn") == spots


@pytest.mark.parametrize(
    ("tile", "spots"),
    [
        ("bg-monastery r0", {"NW"}),
        ("bg-cap r2", {"NW"}),
        ("bg-corner r1", {"NW"}),
        ("bg-caps-adjacent r1", {"NW"}),
        # Its city reaches the corner although both sides show fields.
        ("am-cap-triangle-shield r2", set()),
        ("am-cap-triangle-shield r1", set()),
    ],
)
def test_barn_04_a_city_at_one_of_the_four_corners_forbids_it(tile, spots):
    game = play(position(SQUARE | {"1,2": tile}, last="1,2"))
    assert offered(game, "barn") == spots


@pytest.mark.parametrize("cell", ["0,1", "1,1", "0,2"])
def test_barn_04_the_other_three_corners_count_as_well(cell):
    # The triangle's tip touches the point, whichever cell the triangle is on.
    rotation = {"0,1": "r3", "1,1": "r1", "0,2": "r3"}[cell]
    tiles = without(SQUARE, "1,0") | {cell: f"am-cap-triangle-shield {rotation}"}
    assert offered(play(position(tiles, last="1,2")), "barn") == set()


@pytest.mark.rule("BARN-16")
@pytest.mark.parametrize("corner", ["0,1 SE", "1,1 SW", "0,2 NE", "1,2 NW"])
@pytest.mark.parametrize(
    ("cell", "spots"),
    [
        ("2,1", {"E", "Nw"}),  # the barn is south of this road
        ("2,2", {"E", "Es"}),  # the barn is north of this road
        ("-1,1", {"E", "Nw"}),
        ("-1,2", {"E", "Es"}),
    ],
)
def test_barn_05_the_four_corners_are_one_field_and_the_barn_lies_in_it(corner, cell, spots):
    cell_of_barn, spot = corner.split()
    tiles = STRAIGHTS | {"1,2": "bg-straight r0"}
    text = position(tiles, {cell_of_barn: f"B barn {spot}"}, turn="A places bg-straight")
    game = play(text, f"bg-straight {cell} r0")
    # All roads are unoccupied.
    assert offered(game, "meeple") == spots


@pytest.mark.parametrize("farmers", ["A meeple En", "B meeple En", "A meeple En, B meeple En"])
def test_barn_06_farmers_do_not_prevent_a_barn(farmers):
    game = play(position(LAND, {"0,0": farmers}, last="-2,-1"))
    assert offered(game, "barn") == {"SE"}


@pytest.mark.parametrize(
    ("tile", "spots"), [("bg-monastery-road 2,0 r0", set()), ("bg-straight 2,0 r0", {"SW"})]
)
def test_barn_07_a_field_with_a_barn_takes_no_other_barn(tile, spots):
    # B's barn is in the north. The new point is in the south, which only the first tile joins.
    tiles = LAND | {"2,1": "bg-monastery r0"}
    text = position(tiles, {"-1,0": "B barn NW"}, turn=f"A places {tile.split()[0]}")
    assert offered(play(text, tile), "barn") == spots


def test_barn_07_the_other_barn_may_be_far_away():
    tiles = LAND | {"2,0": "bg-straight r0", "2,1": "bg-monastery r0"}
    tiles |= {"1,2": "bg-monastery-road r3", "2,2": "bg-curve r3"}
    text = position(tiles, {"0,0": "B barn SE"}, last="2,2")
    assert offered(play(text), "barn") == set()
    assert offered(play(text.replace(": B barn SE", "")), "barn") == {"NW"}


def test_barn_08_fields_with_barns_may_be_joined_and_nothing_happens():
    game = play(joining({"-1,0": "A barn NW", "0,0": "B barn SE"}), JOIN, "pass")
    assert figures(game) == {"A barn -1,0 NW", "B barn 0,0 SE"}
    assert (game.scores, score_log(game)) == ((0, 0), [])


def test_barn_09_a_barn_stays_to_the_end():
    text = position(LAND, {"0,0": "B meeple En"}, last="-2,-1")
    game = play(text, "barn SE", bag=("bg-monastery-road", "bg-curve"))
    assert figures(game) == {"A barn -2,-1 SE"}
    game.apply(JOIN)
    game.apply("meeple mid")
    assert "A barn -2,-1 SE" in figures(game)
    assert barns(game, "A") == 0


@pytest.mark.rule("BARN-11", "BASE-20")
def test_barn_10_the_booklets_field_with_two_cities_pays_six_when_a_barn_comes():
    game = play(position(LAND, {"0,0": "B meeple En"}, last="-2,-1"))
    assert game.scores == (0, 0)
    game.apply("barn SE")
    assert score_log(game) == [("B", 6, Kind.FIELD)]
    assert game.scores == (0, 6)
    assert (meeples(game, "B"), figures(game)) == (7, {"A barn -2,-1 SE"})


def test_barn_10_without_the_barn_nothing_is_scored():
    game = play(position(LAND, {"0,0": "B meeple En"}, last="-2,-1"), "pass")
    assert (game.scores, figures(game)) == ((0, 0), {"B meeple 0,0 En"})


def test_barn_10_open_cities_do_not_count_and_other_fields_stay():
    tiles = without(LAND, "-1,-2")
    text = position(tiles, {"0,0": "B meeple En, B meeple Es"}, last="-2,-1")
    game = play(text, "barn SE")
    assert game.scores == (0, 3)
    assert figures(game) == {"B meeple 0,0 Es", "A barn -2,-1 SE"}


@pytest.mark.rule("BASE-20")
def test_barn_12_all_farmers_return_those_without_majority_too():
    text = position(LAND, {"0,0": "A meeple En, B meeple En", "1,0": "A meeple Nw"}, last="-2,-1")
    game = play(text)
    assert (meeples(game, "A"), meeples(game, "B")) == (5, 6)
    game.apply("barn SE")
    assert game.scores == (6, 0)
    assert (meeples(game, "A"), meeples(game, "B")) == (7, 7)
    assert figures(game) == {"A barn -2,-1 SE"}


#: The tile at (-1, -1) completes the second city of the northern field.
COMPLETING = position(
    without(LAND, "-1,-1") | {"-2,-2": "bg-monastery r0"},
    {"0,0": "B meeple En", "-1,-2": "B meeple S"},
    turn="A places bg-cap",
)


@pytest.mark.rule("BARN-14")
def test_barn_13_the_field_is_scored_together_with_the_completed_features():
    game = play(COMPLETING, "bg-cap -1,-1 r0")
    assert {"barn SW"} == {name for name in names(game) if name.startswith("barn")}
    assert game.scores == (0, 0)
    game.apply("barn SW")
    assert sorted(score_log(game)) == [("B", 4, Kind.CITY), ("B", 6, Kind.FIELD)]
    assert game.scores == (0, 10)
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)


def test_barn_14_cities_completed_by_the_same_tile_count_at_a_connection_too():
    # The cap in the east completes a city of four tiles and joins the fields around it.
    tiles = {
        "0,0": "bg-cap-straight r0",
        "1,0": "bg-straight r0",
        "2,0": "bg-city3-gate r0",
        "0,1": "bg-monastery r0",
        "1,1": "bg-monastery r0",
        "1,-1": "bg-monastery r0",
        "3,-1": "bg-monastery r0",
        "2,-1": "bg-cap r2",
        "2,1": "bg-cap r0",
        "3,1": "bg-curve r3",
    }
    text = position(tiles, {"0,0": "A barn SE", "1,0": "B meeple Nw"}, turn="A places bg-cap")
    game = play(text, "bg-cap 3,0 r3", "pass")
    assert score_log(game) == [("B", 1, Kind.FIELD)]
    assert figures(game) == {"A barn 0,0 SE"}


def test_barn_15_without_farmers_placing_a_barn_scores_nothing():
    game = play(position(LAND, last="-2,-1"), "barn SE")
    assert (game.scores, score_log(game)) == ((0, 0), [])


@pytest.mark.parametrize("owner", ["A", "B"])
def test_barn_16_a_field_with_a_barn_takes_no_farmers(owner):
    text = position(LAND, {"-1,0": f"{owner} barn NW"}, turn="A places bg-straight")
    assert offered(play(text, "bg-straight 2,0 r0"), "meeple") == {"E", "Es"}
    free = text.replace(f": {owner} barn NW", "")
    assert offered(play(free, "bg-straight 2,0 r0"), "meeple") == {"E", "Nw", "Es"}


def test_barn_16_the_tile_that_joins_a_barns_field_takes_no_farmer():
    text = joining({"-1,0": "B barn NW"})
    assert offered(play(text, JOIN), "meeple") == {"W", "mid"}


@pytest.mark.rule("BARN-18", "BASE-20")
def test_barn_17_the_booklets_two_farmers_get_two_points_each_by_a_connection():
    # One complete city in each field; A's barn is in the north, both farmers are in the south.
    tiles = without(LAND, "-1,-2")
    text = joining({"-1,0": "A barn NW", "0,0": "A meeple Es", "1,0": "B meeple Es"}, tiles)
    game = play(text, JOIN)
    assert game.scores == (0, 0)
    game.apply("pass")
    assert sorted(score_log(game)) == [("A", 2, Kind.FIELD), ("B", 2, Kind.FIELD)]
    assert (game.scores, meeples(game, "A"), meeples(game, "B")) == ((2, 2), 7, 7)
    assert figures(game) == {"A barn -1,0 NW"}


@pytest.mark.parametrize(
    ("farmers", "scores"),
    [("A meeple Es", (3, 0)), ("B meeple Es", (0, 3)), ("A meeple Es, A meeple Es", (3, 0))],
)
def test_barn_17_the_majority_gets_one_for_each_city_of_the_joined_field(farmers, scores):
    assert play(joining({"-1,0": "B barn NW", "0,0": farmers}), JOIN, "pass").scores == scores


def test_barn_17_after_the_figure_action_of_the_turn():
    game = play(joining({"-1,0": "B barn NW", "0,0": "A meeple Es"}), JOIN, "meeple mid")
    assert game.scores == (3, 0)
    assert figures(game) == {"B barn -1,0 NW", "A meeple 2,0 mid"}


def test_barn_17_a_farmer_who_is_not_joined_stays():
    text = position(LAND, {"-1,0": "B barn NW", "0,0": "A meeple Es"}, turn="A places bg-straight")
    game = play(text, "bg-straight 2,0 r0", "pass")
    assert (game.scores, figures(game)) == ((0, 0), {"B barn -1,0 NW", "A meeple 0,0 Es"})


@pytest.mark.rule("BARN-10")
def test_barn_17_the_barn_may_be_in_either_of_the_two_fields():
    # The farmer is in the north and the barn in the south; the same three cities count.
    game = play(joining({"0,0": "B meeple En, A barn SE"}), JOIN, "pass")
    assert game.scores == (0, 3)


def test_barn_18_then_all_its_farmers_return_and_the_barn_stays():
    text = joining({"-1,0": "B barn NW", "0,0": "A meeple Es, A meeple Es, B meeple Es"})
    game = play(text, JOIN)
    assert (meeples(game, "A"), meeples(game, "B")) == (5, 6)
    game.apply("pass")
    assert (meeples(game, "A"), meeples(game, "B")) == (7, 7)
    assert figures(game) == {"B barn -1,0 NW"}


@pytest.mark.parametrize(
    ("ours", "theirs", "scores"), [(1, 2, (0, 3)), (2, 1, (3, 0)), (2, 2, (3, 3))]
)
def test_barn_19_several_fields_joined_at_once_are_scored_as_one(ours, theirs, scores):
    # A third field at (2, -1), beyond the city of four tiles, touches the same city.
    tiles = without(LAND, "0,-1")
    tiles |= {"0,-1": "bg-corner r1", "1,-1": "bg-span r1", "2,-1": "bg-cap r3"}
    text = joining(
        {
            "0,0": ", ".join(["A meeple En"] * ours + ["A barn SE"]),
            "2,-1": ", ".join(["B meeple Nw"] * theirs),
        },
        tiles,
    )
    game = play(text, JOIN, "pass")
    assert game.scores == scores
    assert figures(game) == {"A barn 0,0 SE"}
    assert (meeples(game, "A"), meeples(game, "B")) == (7, 7)


#: The northern field touches three complete cities and an open one.
THREE_CITIES = {
    "0,0": "bg-cap-straight r0",
    "-1,0": "bg-straight r0",
    "-2,0": "bg-straight r0",
    "1,0": "bg-straight r0",
    "0,-1": "bg-cap r2",
    "-1,-1": "bg-cap r0",
    "-1,-2": "bg-cap r2",
    "-2,-1": "bg-cap r3",
    "-3,-1": "bg-cap-garden r1",
    "1,-1": "bg-corner r0",
}


@pytest.mark.rule("BARN-10", "BARN-24")
def test_barn_17_a_connection_and_a_new_barn_in_one_turn():
    # North of the road at (2, 0), the tile joins the field of A's farmer to the field of B's barn.
    # South of the road, A places a barn on the field of B's farmer.
    tiles = without(LAND, "0,-1") | {"2,1": "bg-monastery r0"}
    tiles |= {"0,-1": "bg-corner r1", "1,-1": "bg-span r1", "2,-1": "bg-cap r3"}
    text = position(
        tiles,
        {"-1,0": "B barn NW", "2,-1": "A meeple Nw", "0,0": "B meeple Es"},
        turn="A places bg-straight",
    )
    game = play(text, "bg-straight 2,0 r0")
    assert names(game) == {"meeple E", "barn SW", "pass"}
    game.apply("barn SW")
    assert sorted(score_log(game)) == [("A", 2, Kind.FIELD), ("B", 3, Kind.FIELD)]
    assert figures(game) == {"B barn -1,0 NW", "A barn 2,0 SW"}
    without_barn = play(text, "bg-straight 2,0 r0", "pass")
    assert without_barn.scores == (2, 0)
    assert figures(without_barn) == {"B barn -1,0 NW", "B meeple 0,0 Es"}


@pytest.mark.rule("BARN-12")
def test_barn_18_farmers_without_any_complete_city_go_home_too():
    tiles = {
        "0,0": "bg-cap-straight r0",
        "1,0": "bg-straight r0",
        "0,1": "bg-monastery r0",
        "1,1": "bg-monastery r0",
    }
    placed = play(position(tiles, {"0,0": "B meeple Es"}, last="1,1"), "barn NW")
    assert (placed.scores, meeples(placed, "B")) == ((0, 0), 7)
    joined = play(joining({"0,0": "B meeple En, A barn SE"}, tiles), JOIN, "pass")
    assert (joined.scores, meeples(joined, "B")) == ((0, 0), 7)
    assert figures(joined) == {"A barn 0,0 SE"}


@pytest.mark.rule("BARN-22")
def test_barn_20_at_the_end_four_for_each_complete_city_of_the_field():
    game = play(position(THREE_CITIES, {"-1,0": "B barn NW"}))
    assert (game.scores, game.standings) == ((0, 0), (0, 12))
    game = play(position(THREE_CITIES, {"-1,0": "B barn NW"}), "pass", bag=())
    assert game.is_over
    assert score_log(game) == [("B", 12, Kind.FIELD)]
    assert game.scores == (0, 12)


def test_barn_20_other_fields_of_the_owner_do_not_matter():
    text = position(LAND, {"-1,0": "B barn NW", "0,0": "B meeple Es"})
    assert play(text, "pass", bag=()).scores == (0, 8 + 3)


@pytest.mark.rule("BARN-08")
def test_barn_21_several_barns_in_one_field_get_the_full_points_each():
    tiles = without(LAND, "-1,-2")
    text = joining({"-1,0": "A barn NW", "0,0": "B barn SE"}, tiles)
    game = play(text, JOIN, "pass", bag=())
    assert game.is_over
    assert game.scores == (8, 8)


def test_barn_22_at_the_end_only_the_barn_scores_its_field():
    text = joining({"-1,0": "A barn NW", "0,0": "B meeple Es"})
    game = play(text, JOIN, "pass", bag=())
    assert game.is_over
    # B's farmer scores when the fields are joined in the last turn, and A's barn scores at the
    # end. No farmer is left to score three per city.
    assert score_log(game) == [("B", 3, Kind.FIELD), ("A", 12, Kind.FIELD)]


def test_barn_25_one_city_can_count_three_times():
    tiles = without(LAND, "-1,-2", "0,2") | {"-1,-1": "bg-monastery r0", "0,1": "bg-monastery r0"}
    text = position(tiles, {"0,0": "A meeple En, B meeple Es"}, last="-2,-1")
    game = play(text, "barn SE", bag=("bg-monastery-road",))
    assert game.scores == (3, 0)
    game.apply(JOIN)
    game.apply("pass")
    assert game.is_over
    assert score_log(game) == [("B", 1, Kind.FIELD), ("A", 4, Kind.FIELD)]
    assert game.scores == (7, 1)


def test_barn_26_points_that_the_new_tile_does_not_touch_are_not_offered():
    # The points at (-1, 0) NW and (0, 0) SE are open and free.
    assert offered(play(joining({}), JOIN), "barn") == set()
    assert offered(play(position(LAND, last="0,2")), "barn") == set()
    assert offered(play(position(without(LAND, "0,2"), last="0,1")), "barn") == {"NE"}


def test_barn_27_offered_although_no_field_is_free():
    game = play(position(LAND, {"0,0": "B meeple En"}, last="-2,-1"))
    assert names(game) == {"meeple mid", "abbot mid", "barn SE", "pass"}


def test_barn_27_offered_without_a_meeple_in_supply():
    farmers = ", ".join(["A meeple En"] * 7)
    game = play(position(LAND, {"0,0": farmers}, last="-2,-1"))
    assert names(game) == {"abbot mid", "barn SE", "pass"}
    game.apply("barn SE")
    assert (game.scores, meeples(game, "A")) == ((6, 0), 7)


@pytest.mark.rule("BARN-21")
def test_barn_08_a_field_with_two_barns_can_be_written_down():
    tiles = LAND | {"2,0": "bg-monastery-road r0"}
    text = position(tiles, {"-1,0": "A barn NW", "0,0": "B barn SE"}, last="2,0")
    game = play(text)
    assert figures(game) == {"A barn -1,0 NW", "B barn 0,0 SE"}
    assert game.standings == (12, 12)
