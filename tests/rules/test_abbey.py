"""ABB: abbey tiles, which fill holes, close the features around them and are monasteries."""

import pytest

from carc_env.engine.core.codes import Figure, Kind, Phase
from carc_env.game.game import Game
from carc_env.rules import Rules

from .looks import abbots, bag_of, figures, in_supply, meeples, names, offered, score_log
from .positions import RING, Table, first_place, then
from .scenario import ABBEY, each, play

ALL_FIGURES = "abbeys: true, mayors: true, barns: true, wagons: true"

TABLE = Table(rules="abbeys: true")
position, played = TABLE.position, TABLE.played

DIAGONALS = ("-1,0", "1,0", "-1,2", "1,2")


def without(tiles, *cells):
    return tuple(tile for tile in each(tiles) if tile.split()[1] not in cells)


def hall(n_holes, abbeys, turn="A acts", rules=""):
    """Return a position with three cells in a row, (0, 1), (2, 1) and (4, 1).

    Eight tiles surround each cell. The first ``n_holes`` cells are empty. The next cells have the
    abbeys that no player still has in hand, and any other cell has a monastery.
    """
    in_hand = [int(n) for n in abbeys.split(":")]
    n_placed = len(in_hand) - sum(in_hand)
    cells = [f"{x},1 r0" for x in (0, 2, 4)[n_holes:]]
    return position(
        (
            "bg-cap-straight 0,0 r0",
            *(f"bg-straight {x},0 r0" for x in (-1, 1, 2, 3, 4, 5)),
            "bg-monastery -1,1 r0; bg-straight 1,1 r0; bg-monastery 3,1 r0; bg-monastery 5,1 r0",
            *(f"bg-cap {x},2 r2" for x in (-1, 0, 1, 2)),
            "bg-cap-garden 3,2 r2; bg-monastery-road 4,2 r3",
            *(f"{ABBEY} {cell}" for cell in cells[:n_placed]),
            *(f"bg-monastery {cell}" for cell in cells[n_placed:]),
            "bg-monastery-road 5,2 r3",
        ),
        turn=turn,
        rules=", ".join(filter(None, ("abbeys: true", rules))),
        n_players=len(in_hand),
        headers=[f"[abbeys {abbeys}]"],
        scores=":".join("0" * len(in_hand)),
    )


def places_of_the_abbey(game):
    return {name for name in names(game) if name.startswith(ABBEY)}


@pytest.mark.parametrize("n_players", [2, 4, 6])
def test_abb_01_every_player_begins_with_one_abbey(n_players):
    game = Game(Rules.preset("abbey-mayor", n_players=n_players), seed=1)
    assert game.position().abbeys == (1,) * n_players
    assert ABBEY not in bag_of(game)
    assert len(bag_of(game)) == 83
    assert Game(Rules(n_players=n_players), seed=1).position().abbeys == ()


def test_abb_01_an_abbey_too_many_is_refused():
    assert play(hall(2, "0:1:1")).position().abbeys == (0, 1, 1)
    with pytest.raises(ValueError, match="abbey"):
        play(hall(2, "0:1:1").replace("0:1:1", "1:1:1"))  # and one is on the board
    with pytest.raises(ValueError, match="abbey"):
        play(hall(2, "0:1:1").replace("0:1:1", "0:2:0"))


def test_abb_02_the_abbey_takes_the_place_of_the_draw():
    game = played(RING, "pass", seat="B", bag=("bg-curve", "bg-cap"))
    assert (game.phase, game.decider) == (Phase.DRAW_OR_ABBEY, 0)
    assert names(game) == {"am-abbey 0,1 r0", "draw"}
    assert (game.n_tiles_left, game.tile_in_hand) == (2, None)
    game.apply("am-abbey 0,1 r0")
    assert (game.phase, game.decider, game.n_tiles_left) == (Phase.FIGURE, 0, 2)
    assert game.position().abbeys == (0, 1)
    game.apply("pass")
    assert (game.phase, game.decider, game.n_tiles_left) == (Phase.PLACE_TILE, 1, 1)
    assert game.tile_in_hand == "bg-curve"


def test_abb_02_once_a_tile_is_drawn_there_is_no_abbey_in_this_turn():
    game = played(RING, "pass; draw", seat="B", bag=("bg-curve", "bg-junction"))
    assert (game.phase, game.decider, game.tile_in_hand) == (Phase.PLACE_TILE, 0, "bg-curve")
    assert places_of_the_abbey(game) == set()
    game.apply(first_place(game))
    assert places_of_the_abbey(game) == set()
    game.apply("pass")
    assert (game.phase, game.decider) == (Phase.DRAW_OR_ABBEY, 1)
    assert game.position().abbeys == (1, 1)


@pytest.mark.rule("BASE-05")
def test_abb_02_a_tile_that_fits_nowhere_does_not_bring_the_question_back():
    text = position((*RING, "bg-cap 0,-1 r2"), turn="B acts")
    game = play(text, "pass", "draw", bag=("bg-city4-shield", "bg-curve"))
    assert (game.phase, game.decider, game.tile_in_hand) == (Phase.PLACE_TILE, 0, "bg-curve")
    assert "bg-city4-shield" in game.position().aside
    assert places_of_the_abbey(game) == set()


def test_abb_03_a_ring_of_eight_tiles_has_one_cell_for_the_abbey():
    assert places_of_the_abbey(played(RING, "pass", seat="B")) == {"am-abbey 0,1 r0"}


@pytest.mark.rule("ABB-05")
@pytest.mark.parametrize("side", ["-1,1", "1,1", "0,2"])
def test_abb_03_a_cell_with_a_side_neighbour_missing_is_no_hole(side):
    game = played(without(RING, side), "pass", seat="B")
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 0)
    assert places_of_the_abbey(game) == set()


@pytest.mark.parametrize("diagonal", DIAGONALS)
def test_abb_03_missing_diagonals_do_not_matter(diagonal):
    game = played(without(RING, diagonal), "pass", seat="B")
    assert names(game) == {"am-abbey 0,1 r0", "draw"}


def test_abb_03_every_hole_is_offered():
    game = play(hall(3, "1:1:1"), "pass")
    assert places_of_the_abbey(game) == {f"am-abbey {x},1 r0" for x in (0, 2, 4)}


#: The edges around the hole at (0, 1): field, city, road, city.
MIXED = (
    "bg-cap-straight 0,0 r0; bg-straight -1,0 r0; bg-straight 1,0 r0",
    "bg-cap -1,1 r1; bg-cap 1,1 r3",
    "bg-monastery 1,2 r0; bg-straight 0,2 r1",
)


def test_abb_04_it_fits_beside_every_edge_in_one_rotation():
    game = played(MIXED, "pass", seat="B")
    assert names(game) == {"am-abbey 0,1 r0", "draw"}
    game.apply("am-abbey 0,1 r0")
    last = game.position().tiles[-1]
    assert (last.tile, last.x, last.y, last.rotation) == (ABBEY, 0, 1, 0)


def test_abb_05_without_a_hole_the_tile_is_drawn_at_once():
    text = position(("bg-cap-straight 0,0 r0", "bg-straight 1,0 r0"), turn="B acts")
    game = play(text, "pass", bag=("bg-curve", "bg-cap"))
    assert (game.phase, game.decider, game.tile_in_hand) == (Phase.PLACE_TILE, 0, "bg-curve")
    assert game.position().abbeys == (1, 1)


def test_abb_06_a_used_abbey_is_never_offered_again():
    text = hall(3, "1:1", turn="B acts")
    game = play(text, "pass", bag=("bg-curve", "bg-junction", "bg-curve"))
    assert names(game) == {"am-abbey 0,1 r0", "am-abbey 2,1 r0", "am-abbey 4,1 r0", "draw"}
    then(game, "am-abbey 0,1 r0; pass")
    assert (game.phase, game.decider) == (Phase.DRAW_OR_ABBEY, 1)
    assert names(game) == {"am-abbey 2,1 r0", "am-abbey 4,1 r0", "draw"}
    game.apply("draw")
    then(game, first_place(game), "pass")
    # A has no abbey left and therefore draws, although there are holes.
    assert (game.phase, game.decider, game.position().abbeys) == (Phase.PLACE_TILE, 0, (0, 1))
    then(game, first_place(game), "pass")
    assert (game.phase, game.decider) == (Phase.DRAW_OR_ABBEY, 1)


@pytest.mark.rule("ABB-21", "ABB-16", "ABT-03")
def test_abb_07_meeple_abbot_and_wagon_may_stand_on_it_and_nothing_else():
    game = played(without(RING, "1,2"), "pass; am-abbey 0,1 r0", rules=ALL_FIGURES, seat="B")
    assert names(game) == {"meeple mid", "abbot mid", "wagon mid", "pass"}


@pytest.mark.rule("ABB-21")
@pytest.mark.parametrize("figure", ["meeple", "abbot", "wagon"])
def test_abb_07_a_figure_on_an_incomplete_abbey_stays(figure):
    text = position(without(RING, "1,2"), rules=ALL_FIGURES, turn="B acts")
    game = play(text, "pass", "am-abbey 0,1 r0", f"{figure} mid")
    assert figures(game) == {f"A {figure} 0,1 mid"}
    assert in_supply(game, "A", Figure[figure.upper()]) == (6 if figure == "meeple" else 0)
    assert (game.scores, game.standings) == ((0, 0), (8, 0))


@pytest.mark.rule("ABB-16")
def test_abb_21_an_abbot_elsewhere_may_be_recalled_instead():
    tiles = (*without(RING, "1,2"), "bg-monastery-road 2,0 r0: A abbot mid")
    game = played(tiles, "pass; am-abbey 0,1 r0", rules=ALL_FIGURES, seat="B")
    assert names(game) == {"meeple mid", "wagon mid", "recall", "pass"}


#: Cities on all four sides of the hole at (0, -1), including the city of the start tile.
CITIES_AROUND = (
    "bg-cap-straight 0,0 r0; bg-straight -1,0 r0; bg-straight 1,0 r0",
    "bg-cap -1,-1 r1; bg-cap 1,-1 r3",
    "bg-monastery -1,-2 r0; bg-monastery 1,-2 r0; bg-cap 0,-2 r2",
)


@pytest.mark.parametrize(
    ("tiles", "cell"), [(CITIES_AROUND, "0,-1"), (MIXED, "0,1"), (RING, "0,1")]
)
def test_abb_08_nothing_but_the_monastery_can_be_claimed_on_it(tiles, cell):
    game = played(tiles, f"pass; am-abbey {cell} r0", rules=ALL_FIGURES, seat="B")
    assert names(game) == {"meeple mid", "abbot mid", "wagon mid", "pass"}


#: A road of three tiles west of the hole and a road of two tiles east of it; both end at the hole.
ROADS = (
    "bg-cap-straight 0,0 r0; bg-straight -1,0 r0; bg-straight 1,0 r0",
    "bg-straight -1,1 r0: B meeple E; bg-straight -2,1 r0; bg-monastery-road -3,1 r2",
    "bg-straight 1,1 r0; bg-monastery-road 2,1 r0",
    "bg-cap 1,2 r2; bg-cap 0,2 r2",
)


@pytest.mark.rule("ABB-10", "BASE-11")
@pytest.mark.parametrize("action", ["pass", "meeple mid"])
def test_abb_09_the_booklets_road_of_three_is_closed_by_the_abbey(action):
    game = played(ROADS, "pass; am-abbey 0,1 r0", seat="B")
    assert game.scores == (0, 0)
    game.apply(action)
    assert score_log(game) == [("B", 3, Kind.ROAD)]
    assert game.scores == (0, 3)
    assert meeples(game, "B") == 7
    assert figures(game) == (set() if action == "pass" else {"A meeple 0,1 mid"})


def test_abb_09_a_road_with_another_open_end_stays_incomplete():
    game = played(without(ROADS, "-3,1"), "pass; am-abbey 0,1 r0; pass", seat="B")
    assert game.scores == (0, 0)
    assert figures(game) == {"B meeple -1,1 E"}


#: A city of two tiles west of the hole and a city of three tiles east of it.
CITIES = (
    "bg-cap-straight 0,0 r0; bg-straight -1,0 r0; bg-straight 1,0 r0",
    "bg-span -1,1 r1: A meeple E; bg-cap -2,1 r1; bg-corner 1,1 r2: B meeple S",
    "bg-corner 1,2 r0; bg-cap 2,2 r3; bg-monastery -1,2 r0; bg-cap 0,2 r2",
)


@pytest.mark.rule("ABB-11")
def test_abb_10_the_abbey_is_no_tile_of_the_cities_that_it_closes():
    game = played(CITIES, "pass; am-abbey 0,1 r0; pass")
    assert game.turn_player == 0
    assert game.scores == (4, 6)
    assert sorted(score_log(game)) == [("A", 4, Kind.CITY), ("B", 6, Kind.CITY)]
    assert (meeples(game, "A"), meeples(game, "B")) == (7, 7)


@pytest.mark.rule("BASE-12")
@pytest.mark.parametrize(("tile", "points"), [("bg-cap", 2), ("am-cap-triangle-shield", 4)])
def test_abb_10_a_city_of_one_tile_can_be_closed(tile, points):
    tiles = (*without(MIXED, "-1,1"), f"{tile} -1,1 r1: B meeple E")
    text = position(tiles, rules="sets: [base, abbey], abbeys: true", turn="B acts")
    game = play(text, "pass", "am-abbey 0,1 r0", "pass")
    assert score_log(game) == [("B", points, Kind.CITY)]


@pytest.mark.rule("ABB-10")
def test_abb_09_one_city_may_be_closed_on_two_sides_at_once():
    tiles = (
        "bg-cap-straight 0,0 r0; bg-straight -1,0 r0; bg-straight 1,0 r0",
        "bg-corner -1,1 r1: B meeple E",
        "bg-corner -1,2 r0; bg-corner-shield 0,2 r3",
        "bg-monastery 1,1 r0",
        "bg-cap 1,2 r1",
    )
    game = played(tiles, "pass; am-abbey 0,1 r0; pass", seat="B")
    assert score_log(game) == [("B", 8, Kind.CITY)]  # three tiles, one coat of arms


@pytest.mark.rule("ABB-10", "BASE-11")
def test_abb_09_a_road_from_the_abbey_back_to_it_is_complete():
    tiles = (
        "bg-cap-straight 0,0 r0; bg-straight -1,0 r0; bg-straight 1,0 r0",
        "bg-curve -1,1 r3: B meeple E",
        "bg-curve -1,2 r2; bg-curve 0,2 r1",
        "bg-monastery 1,1 r0",
        "bg-cap 1,2 r1",
    )
    game = played(tiles, "pass; am-abbey 0,1 r0; pass", seat="B")
    assert score_log(game) == [("B", 3, Kind.ROAD)]


def test_abb_11_roads_on_opposite_sides_stay_two_roads():
    tiles = [t.replace("1,1 r0", "1,1 r0: A meeple E") if " 1,1 " in t else t for t in ROADS]
    game = played(tiles, "pass; am-abbey 0,1 r0; pass", seat="B")
    assert game.scores == (2, 3)


def between_fields(west, tile=ABBEY):
    """Return the scores with a tile in the hole between a field of B in the west and one of A."""
    tiles = (
        "bg-cap-straight 0,0 r0; bg-straight -1,0 r0; bg-cap-straight 1,0 r2",
        f"{west}; bg-city3 1,1 r0: A meeple Ws",
        f"bg-monastery -1,2 r0; bg-cap 0,2 r2; {tile} 0,1 r0",
    )
    game = played(tiles, "pass", headers=f"[abbeys {int(tile != ABBEY)}:1]", bag=())
    assert game.is_over
    return game.scores


@pytest.mark.parametrize(("tile", "scores"), [(ABBEY, (0, 3)), ("bg-monastery", (3, 3))])
def test_abb_11_fields_on_opposite_sides_stay_two_fields(tile, scores):
    # B's field in the west touches a complete city. A monastery would join it to A's field.
    assert between_fields("bg-cap -1,1 r3: B meeple Nw; bg-cap -2,1 r1", tile) == scores


@pytest.mark.rule("BASE-26")
def test_abb_12_a_field_that_only_borders_the_abbey_does_not_touch_the_city_it_closed():
    # A's field is between the abbey and an incomplete city. B's field touches the completed city.
    assert between_fields("bg-span -1,1 r1; bg-cap -2,1 r1: B meeple Nw") == (0, 3)


#: A hole with four side neighbours and no diagonal ones; a path further out joins the neighbours.
SMALLEST = (
    "bg-cap-straight 0,0 r0",
    "bg-cap 0,-1 r2; bg-straight 1,-1 r1; bg-curve 2,-1 r2",
    "bg-straight 2,0 r0",
    "bg-monastery-road 2,1 r2; bg-straight 1,1 r1",
    "bg-straight 2,2 r0",
    "bg-curve 2,3 r3; bg-monastery 1,3 r0; bg-cap 0,3 r2",
    "bg-straight 0,2 r0",
    "bg-straight -1,3 r1; bg-curve -2,3 r0",
    "bg-monastery -2,2 r0",
    "bg-cap -2,1 r3; bg-straight -1,1 r1",
)


def test_abb_13_in_a_full_ring_a_monk_scores_nine_at_once():
    game = played(RING, "pass; am-abbey 0,1 r0; meeple mid", seat="B")
    assert score_log(game) == [("A", 9, Kind.MONASTERY)]
    assert (game.scores, meeples(game, "A"), figures(game)) == ((9, 0), 7, set())


def test_abb_13_the_smallest_value_at_the_end_is_five():
    game = played(
        (*SMALLEST, "am-abbey 0,1 r0: A meeple mid"),
        "pass",
        rules="abbeys: true, abbey_endgame: none",
        headers=["[abbeys 0:1]"],
        bag=(),
    )
    assert game.is_over
    assert score_log(game) == [("A", 5, Kind.MONASTERY)]


@pytest.mark.parametrize("missing", DIAGONALS)
def test_abb_13_at_the_end_one_and_one_for_each_neighbour(missing):
    tiles = (*without(RING, missing), "am-abbey 0,1 r0: B meeple mid")
    game = played(tiles, "pass", headers=["[abbeys 0:1]"], bag=())
    assert game.scores == (0, 8)


def test_abb_13_a_later_eighth_neighbour_completes_it():
    tiles = (*without(RING, "1,2"), "am-abbey 0,1 r0: B meeple mid")
    game = played(tiles, "bg-curve 1,2 r1; pass", headers=["[abbeys 1:0]"])
    assert score_log(game) == [("B", 9, Kind.MONASTERY)]
    assert (game.scores, meeples(game, "B")) == ((0, 9), 7)


def test_abb_14_the_abbey_is_the_eighth_neighbour_of_a_monastery():
    tiles = (
        *without(RING, "1,1"),
        "bg-monastery 0,1 r0: B meeple mid",
        "bg-straight 2,0 r0",
        "bg-cap 2,1 r1",
    )
    game = played(tiles, "pass; am-abbey 1,1 r0; pass", seat="B")
    assert score_log(game) == [("B", 9, Kind.MONASTERY)]


@pytest.mark.rule("GAR-07")
def test_abb_14_the_abbey_is_the_eighth_neighbour_of_a_garden():
    tiles = (
        "bg-cap-straight 0,0 r0",
        "bg-straight-garden 0,1 r0: B abbot mid",
        *(
            f"bg-straight {cell} r0"
            for cell in ("-1,0", "1,0", "-1,1", "-1,2", "0,2", "1,2", "2,0")
        ),
        "bg-cap 2,1 r1",
    )
    game = played(tiles, "pass; am-abbey 1,1 r0; pass", seat="B")
    assert score_log(game) == [("B", 9, Kind.GARDEN)]
    assert abbots(game, "B") == 1


def test_abb_14_the_abbey_is_the_eighth_neighbour_of_an_abbey():
    tiles = (
        "bg-cap-straight 0,0 r0; bg-straight -1,0 r0; bg-straight 1,0 r0",
        "bg-monastery -1,1 r0; bg-monastery 1,1 r0",
        "bg-cap -1,2 r3; bg-monastery 0,2 r0",
        "bg-cap 2,1 r1",
        "bg-curve 2,2 r3",
        "bg-cap 0,3 r2",
        "am-abbey 0,1 r0: B meeple mid",
        "bg-cap 1,3 r2",
    )
    game = played(tiles, "pass; am-abbey 1,2 r0; pass", headers=["[abbeys 1:0]"], seat="B")
    assert score_log(game) == [("B", 9, Kind.MONASTERY)]


@pytest.mark.rule("ABT-14")
@pytest.mark.parametrize("switch", ["forbid", "allow"])
def test_abb_14_an_abbey_completes_the_garden_of_an_abbot_like_any_tile(switch):
    tiles = (
        "bg-cap-straight 0,0 r0",
        "bg-straight-garden 0,1 r0: A abbot mid",
        *(f"bg-straight {cell} r0" for cell in ("-1,0", "1,0", "-1,1", "-1,2", "0,2")),
        "bg-straight 1,2 r0",
        "bg-straight 2,0 r0",
        "bg-cap 2,1 r1",
    )
    text = position(tiles, rules=f"abbeys: true, abbot_recall_completed: {switch}", turn="B acts")
    game = play(text, "pass", "am-abbey 1,1 r0")
    assert ("recall" in names(game)) == (switch == "allow")
    game.apply("meeple mid")
    assert (game.scores, abbots(game, "A")) == ((9, 0), 1)


def test_abb_15_it_is_a_monastery_for_monks_abbots_and_scoring():
    text = position(without(RING, "1,2"), turn="B acts")
    for figure in ("meeple", "abbot"):
        moves = ("pass", "am-abbey 0,1 r0", f"{figure} mid", "bg-curve 1,2 r1", "pass")
        game = play(text, *moves, bag=("bg-curve", "bg-cap"))
        assert score_log(game) == [("A", 9, Kind.MONASTERY)]


@pytest.mark.rule("ABT-06")
def test_abb_16_an_abbot_on_an_abbey_can_be_recalled():
    text = position(without(RING, "1,2"), turn="B acts")
    game = play(text, "pass", "am-abbey 0,1 r0", "abbot mid", bag=("bg-junction", "bg-cap"))
    assert figures(game) == {"A abbot 0,1 mid"}
    then(game, "bg-junction 2,0 r0; pass; bg-cap 0,-1 r2; recall")
    assert score_log(game) == [("A", 8, Kind.MONASTERY)]
    assert (game.scores, abbots(game, "A")) == ((8, 0), 1)


@pytest.mark.parametrize(("tile", "spots"), [("bg-monastery", {"NW"}), (ABBEY, set())])
def test_abb_17_no_barn_at_a_corner_of_an_abbey(tile, spots):
    tiles = (
        "bg-cap-straight 0,0 r0; bg-straight -1,0 r0; bg-straight 1,0 r0",
        "bg-monastery -1,1 r0; bg-monastery 1,1 r0",
        "bg-cap -1,2 r3; bg-monastery 0,2 r0",
        f"{tile} 0,1 r0",
    )
    game = played(
        tiles,
        "bg-curve 1,2 r3",
        rules="abbeys: true, barns: true",
        headers=["[abbeys 0:1]" if tile == ABBEY else "[abbeys 1:1]"],
    )
    assert offered(game, "barn") == spots
    assert {"E", "Nw"} & offered(game, "meeple")


def test_abb_17_no_barn_at_a_corner_of_the_abbey_just_placed():
    # Without the abbey, the four points around it would have three open corners each.
    game = played(RING, "pass; am-abbey 0,1 r0", rules="abbeys: true, barns: true", seat="B")
    assert offered(game, "barn") == set()


@pytest.mark.parametrize("action", ["pass", "meeple mid", "abbot mid"])
def test_abb_18_after_an_abbey_the_next_player_has_his_turn(action):
    # A's own abbey completes A's road, but the turn has no second part.
    tiles = [tile.replace("B meeple", "A meeple") for tile in ROADS]
    game = played(tiles, "pass; am-abbey 0,1 r0", action, seat="B")
    assert game.scores == (3, 0)
    assert (game.phase, game.turn_player, game.decider) == (Phase.PLACE_TILE, 1, 1)


@pytest.mark.rule("BASE-22")
@pytest.mark.parametrize(("n_holes", "is_a_asked"), [(1, False), (2, True)])
def test_abb_20_one_round_clockwise_from_the_left_of_who_placed_the_last_tile(n_holes, is_a_asked):
    # A has placed the last tile, and B has already used the abbey.
    game = play(hall(n_holes, "1:0:1"), "pass", bag=())
    assert game.rules.abbey_endgame == "one_round"
    assert (game.phase, game.turn_player, game.decider) == (Phase.DRAW_OR_ABBEY, 2, 2)
    assert names(game) == {"draw", *(f"am-abbey {x},1 r0" for x in (0, 2)[:n_holes])}
    assert game.position().last_round == 1  # A
    game.apply("am-abbey 0,1 r0")
    assert game.phase == Phase.FIGURE
    game.apply("pass")
    assert game.is_over == (not is_a_asked)
    if is_a_asked:
        assert (game.phase, game.turn_player, game.decider) == (Phase.DRAW_OR_ABBEY, 0, 0)
        assert names(game) == {"am-abbey 2,1 r0", "draw"}
        then(game, "am-abbey 2,1 r0; pass")
        assert game.is_over


@pytest.mark.parametrize("switch", ["until_blocked", "none"])
def test_abb_20_under_the_other_rulings_the_game_ends_here(switch):
    text = hall(2, "1:0:1", rules=f"abbey_endgame: {switch}")
    assert play(text, "pass", bag=()).is_over
    with_tiles = play(text, "pass", bag=("bg-curve",))
    assert (with_tiles.phase, with_tiles.decider) == (Phase.PLACE_TILE, 1)


def test_abb_20_until_blocked_goes_on_while_everybody_is_able():
    text = hall(2, "1:1:1", rules="abbey_endgame: until_blocked")
    game = play(text, "pass", bag=())
    assert (game.phase, game.decider) == (Phase.DRAW_OR_ABBEY, 1)
    then(game, "am-abbey 2,1 r0; pass")
    assert (game.phase, game.decider) == (Phase.DRAW_OR_ABBEY, 2)
    then(game, "am-abbey 0,1 r0; pass")
    assert game.is_over  # A still has an abbey, but no hole is left


@pytest.mark.rule("ABB-23")
def test_abb_20_until_blocked_who_declines_is_not_blocked():
    text = hall(2, "1:1:0", rules="abbey_endgame: until_blocked")
    game = play(text, "pass", bag=())
    assert (game.phase, game.decider) == (Phase.DRAW_OR_ABBEY, 1)
    game.apply("draw")
    assert game.is_over  # C has no abbey, so A is not asked
    game = play(hall(2, "0:1:1", rules="abbey_endgame: until_blocked"), "pass", "draw", bag=())
    assert (game.phase, game.decider) == (Phase.DRAW_OR_ABBEY, 2)


@pytest.mark.rule("ABB-22", "WAG-16")
def test_abb_20_a_wagon_scored_in_the_extra_round_moves_before_the_next_player_is_asked():
    tiles = (
        "bg-cap-straight 0,0 r0",
        *(f"bg-straight {x},0 r0" for x in (-1, 1, 2, 3)),
        "bg-monastery-road -1,1 r2: A wagon E; bg-monastery 1,1 r0; bg-monastery 3,1 r0",
        *(f"bg-cap {x},2 r2" for x in (0, 1, 2)),
        "bg-cap-garden 3,2 r2",
    )
    game = played(tiles, "pass", rules=ALL_FIGURES, bag=())
    assert (game.phase, game.turn_player, game.decider) == (Phase.DRAW_OR_ABBEY, 1, 1)
    then(game, "am-abbey 0,1 r0; pass")
    assert (game.phase, game.turn_player, game.decider) == (Phase.WAGON, 1, 0)
    assert game.scores == (1, 0)
    game.apply("wagon -1,1 mid")
    assert (game.phase, game.turn_player, game.decider) == (Phase.DRAW_OR_ABBEY, 0, 0)
    game.apply("draw")
    assert game.is_over
    assert game.scores == (1 + 5, 0)  # the monastery with four neighbours


@pytest.mark.parametrize("switch", ["one_round", "until_blocked"])
def test_abb_20_the_player_of_the_last_tile_is_the_last_one_asked(switch):
    game = play(hall(3, "1:1:1", rules=f"abbey_endgame: {switch}"), "pass", bag=())
    asked = []
    while not game.is_over:
        asked.append((game.decider, len(places_of_the_abbey(game))))
        then(game, sorted(places_of_the_abbey(game))[0], "pass")
    assert asked == [(1, 3), (2, 2), (0, 1)]


@pytest.mark.rule("BASE-22")
def test_abb_20_none_the_abbeys_are_lost():
    game = play(hall(3, "1:1:1", rules="abbey_endgame: none"), "pass", bag=())
    assert game.is_over
    assert game.position().abbeys == (1, 1, 1)


@pytest.mark.rule("BASE-22")
def test_abb_20_a_last_tile_put_aside_ends_the_turn_of_who_drew_it():
    # The city tile fits nowhere. B drew it, so A is asked first and B last.
    tiles = (*RING, "bg-cap 0,-1 r2")
    game = played(tiles, "pass; draw", bag=("bg-city4-shield",))
    assert game.position().aside.count("bg-city4-shield") == 1
    assert (game.phase, game.decider) == (Phase.DRAW_OR_ABBEY, 0)
    game.apply("draw")
    assert (game.phase, game.decider) == (Phase.DRAW_OR_ABBEY, 1)
    then(game, "am-abbey 0,1 r0; meeple mid")
    assert game.is_over
    assert game.scores == (0, 9)


@pytest.mark.rule("BASE-22")
@pytest.mark.parametrize("switch", ["one_round", "until_blocked", "none"])
def test_abb_20_without_a_hole_the_last_tile_ends_the_game(switch):
    tiles = ("bg-cap-straight 0,0 r0: B meeple E", "bg-straight 1,0 r0")
    game = played(tiles, "pass", rules=f"abbeys: true, abbey_endgame: {switch}", bag=())
    assert game.is_over
    assert game.scores == (0, 2)


def test_abb_22_an_abbey_of_the_extra_round_scores_in_play():
    game = play(hall(3, "1:1:1"), "pass", "am-abbey 0,1 r0", "meeple mid", bag=())
    assert score_log(game) == [("B", 9, Kind.MONASTERY)]
    assert (game.scores, meeples(game, "B"), game.is_over) == ((0, 9, 0), 7, False)
    then(game, "draw; draw")
    assert game.is_over
    assert game.scores == (0, 9, 0)


def test_abb_22_a_monk_on_an_incomplete_abbey_counts_in_the_final_scoring():
    game = played(without(RING, "1,0"), "pass; am-abbey 0,1 r0; meeple mid", bag=())
    assert game.is_over
    assert game.scores == (0, 8)


@pytest.mark.rule("ABB-09")
def test_abb_22_an_abbey_of_the_extra_round_completes_what_it_touches():
    game = played(CITIES, "pass; am-abbey 0,1 r0; pass", bag=())
    assert game.is_over
    assert game.scores == (4, 6)  # incomplete, they would be worth 2 and 3


def test_abb_23_one_chance_each_and_no_duty():
    game = play(hall(3, "1:1:1"), "pass", bag=())
    assert (game.decider, "draw" in names(game)) == (1, True)
    game.apply("draw")
    assert (game.decider, "draw" in names(game)) == (2, True)
    game.apply("draw")
    assert (game.phase, game.decider) == (Phase.DRAW_OR_ABBEY, 0)
    then(game, "am-abbey 4,1 r0; pass")
    # Two holes are left, but B and C are not asked again.
    assert game.is_over
    assert game.position().abbeys == (0, 1, 1)


def test_abb_23_nobody_need_place():
    game = play(hall(3, "1:1:1"), "pass", "draw", "draw", "draw", bag=())
    assert game.is_over
    assert game.position().abbeys == (1, 1, 1)


def test_abb_24_the_turn_of_an_abbey_has_no_tile_in_hand_and_no_draw():
    game = played(RING, "pass", seat="B", bag=("bg-curve", "bg-cap", "bg-junction"))
    drawn = game.drawn
    game.apply("am-abbey 0,1 r0")
    assert (game.phase, game.tile_in_hand, game.drawn) == (Phase.FIGURE, None, drawn)
    game.apply("meeple mid")
    assert [(move.seat, move.name) for move in game.moves] == [
        (1, "pass"),
        (0, "am-abbey 0,1 r0"),
        (0, "meeple mid"),
    ]
    assert (game.decider, game.tile_in_hand) == (1, "bg-curve")
