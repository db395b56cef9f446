"""BASE: the base game without gardens and abbots, entry by entry."""

from collections import Counter

import pytest

from carc_env.engine.core.codes import Kind, Phase
from carc_env.game.game import Game
from carc_env.rules import Rules

from .scenario import (
    BASE_TILES,
    LAST_NEIGHBOUR,
    START,
    bag_of,
    figures,
    first_place,
    meeples,
    names,
    play,
    play_to_the_end,
    score_log,
    set_of_tiles,
    surrounded,
)

#: A city of six tiles without coats of arms, worth 12, that the tile at (0, 2) will complete with
#: both of its caps: two knights of A, one of B.
RING = """
    [carc_env position 1]
    [rules {n_players: 2, auto_single: false}]
    [scores 0:0]
    [turn B places bg-caps-opposite]
    bg-cap-straight 0,0 r0
    bg-corner 0,1 r1: A meeple E
    bg-corner 1,1 r2: B meeple S
    bg-span 1,2 r0
    bg-corner-curve 1,3 r3: A meeple N
    bg-corner-garden 0,3 r0
    """


@pytest.mark.rule("BASE-01")
@pytest.mark.parametrize("n_players", [2, 3, 4, 5, 6])
def test_base_01_every_player_can_place_seven_meeples(n_players):
    game = Game(Rules(n_players=n_players), seed=1)
    assert [meeples(game, seat) for seat in "ABCDEF"[:n_players]] == [7] * n_players
    assert figures(game) == set()
    assert game.scores == (0,) * n_players


@pytest.mark.rule("BASE-01")
def test_base_01_an_eighth_meeple_is_refused():
    text = """
        [carc_env position 1]
        [rules {n_players: 2, auto_single: false}]
        [scores 0:0]
        [turn A acts]
        bg-cap-straight 0,0 r0: A meeple N, A meeple E, A meeple En, A meeple Es
        bg-junction 1,0 r0: A meeple E, A meeple S, A meeple Es
        bg-straight -1,0 r0
        """
    assert meeples(play(text), "A") == 0
    with pytest.raises(ValueError, match="supply"):
        play(text.replace("A meeple S,", "A meeple S, A meeple Sw,"))


@pytest.mark.rule("BASE-02")
def test_base_02_one_start_tile_lies_open_and_71_are_in_the_stack():
    game = Game(Rules(auto_single=False), seed=1)
    position = game.position()
    assert [(t.tile, t.x, t.y) for t in position.tiles] == [(START, 0, 0)]
    assert len(bag_of(game)) == 71
    assert game.n_tiles_left == 70  # one is in the hand of the first player
    assert Counter(bag_of(game)) == set_of_tiles(game.rules) - Counter([START])
    assert bag_of(game).count(START) == 3


@pytest.mark.rule("BASE-03")
def test_base_03_turns_go_clockwise():
    game = Game(Rules(n_players=3, auto_single=False), seed=1)
    order = []
    for _ in range(4):
        order.append(game.decider)
        game.apply(first_place(game))
        game.apply("pass")
    assert order == [0, 1, 2, 0]


def n_places_beside_the_start(tile):
    game = play(
        f"""
        [carc_env position 1]
        [rules {{n_players: 2, auto_single: false}}]
        [scores 0:0]
        [turn A places {tile}]
        bg-cap-straight 0,0 r0
        """
    )
    assert len(names(game)) == len(game.legal_actions())
    return len(names(game))


@pytest.mark.rule("BASE-04")
@pytest.mark.parametrize(
    ("tile", "n_places"),
    [
        ("bg-monastery", 1),
        ("bg-curve", 6),
        ("bg-junction", 7),
        ("bg-straight", 3),
        ("bg-caps-opposite", 2),
        ("bg-monastery-road", 5),
    ],
)
def test_base_04_places_beside_the_start_tile(tile, n_places):
    assert n_places_beside_the_start(tile) == n_places


@pytest.mark.rule("BASE-04")
def test_base_04_places_of_all_tiles_beside_the_start_tile():
    found = {tile: n_places_beside_the_start(tile) for tile in BASE_TILES}
    # A city side fits in the north, a road side in the east and west, a field side in the south.
    assert found == {
        tile: (sum({"C": 1, "R": 2, "F": 1}[edge] for edge in facts.edges) * facts.n_rotations) // 4
        for tile, facts in BASE_TILES.items()
    }
    stack = set_of_tiles(Rules()) - Counter([START])
    assert sum(found[tile] * n for tile, n in stack.items()) == 319


@pytest.mark.rule("BASE-04")
def test_base_04_every_touching_side_must_match():
    game = play(
        """
        [carc_env position 1]
        [rules {n_players: 2, auto_single: false}]
        [scores 0:0]
        [turn A places bg-curve]
        bg-cap-straight 0,0 r0
        bg-cap 0,1 r2
        bg-curve 1,0 r0
        """
    )
    # (1, 1) touches a road in the north and a field in the west: the curve fits one way only.
    assert {name for name in names(game) if " 1,1 " in name} == {"bg-curve 1,1 r2"}
    # The other cells touch one side each; a curve has two rotations for either kind.
    assert names(game) == {
        "bg-curve 1,1 r2",
        *(f"bg-curve -1,1 r{r}" for r in (0, 1)),
        *(f"bg-curve -1,0 r{r}" for r in (2, 3)),
        *(f"bg-curve 2,0 r{r}" for r in (2, 3)),
        *(f"bg-curve 1,-1 r{r}" for r in (1, 2)),
    }


#: Every cell that touches the board needs a city or a road, so a monastery fits nowhere.
NO_PLACE_FOR_A_MONASTERY = """
    [carc_env position 1]
    [rules {n_players: 2, auto_single: false}]
    [scores 0:0]
    [turn A acts]
    bg-cap-straight 0,0 r0: A meeple E
    bg-junction 0,1 r0
    """


@pytest.mark.rule("BASE-05")
def test_base_05_a_tile_without_a_place_is_put_aside_and_another_one_is_drawn():
    game = play(
        NO_PLACE_FOR_A_MONASTERY, "pass", bag=("bg-monastery", "bg-curve", "bg-cap", "bg-monastery")
    )
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)
    assert game.tile_in_hand == "bg-curve"
    assert game.n_tiles_left == 2
    assert "bg-monastery" in game.position().aside
    game.apply(first_place(game))
    assert game.moves[-1].aside == ("bg-monastery",)
    assert game.position().tiles[-1].tile == "bg-curve"


@pytest.mark.rule("BASE-05")
def test_base_05_a_tile_put_aside_never_returns():
    # Beside the curve a monastery would fit, but it is out of the game.
    game = play(NO_PLACE_FOR_A_MONASTERY, "pass", bag=("bg-monastery", "bg-curve", "bg-cap"))
    while not game.is_over:
        assert game.tile_in_hand != "bg-monastery"
        game.apply(first_place(game))
        game.apply("pass")
    assert [t.tile for t in game.position().tiles] == [START, "bg-junction", "bg-curve", "bg-cap"]


@pytest.mark.rule("BASE-06")
@pytest.mark.parametrize("owner", ["A", "B"])
def test_base_06_an_occupied_city_is_not_offered_however_far_away_the_knight_is(owner):
    game = play(
        f"""
        [carc_env position 1]
        [rules {{n_players: 2, auto_single: false}}]
        [scores 0:0]
        [turn A places bg-caps-adjacent]
        bg-cap-straight 0,0 r0: {owner} meeple N
        bg-span 0,-1 r0
        bg-span-shield 0,-2 r0
        bg-span-shield 0,-3 r0
        bg-city3 0,-4 r0
        """,
        "bg-caps-adjacent 0,-5 r1",
    )
    assert names(game) == {"meeple E", "meeple Nw", "pass"}


@pytest.mark.rule("BASE-06")
def test_base_06_a_meeple_goes_on_the_tile_just_placed_only():
    game = play(
        """
        [carc_env position 1]
        [rules {n_players: 2, abbot: false, auto_single: false}]
        [scores 0:0]
        [turn A places bg-straight]
        bg-cap-straight 0,0 r0
        bg-monastery 0,1 r0
        """,
        "bg-straight 1,0 r0",
    )
    # Neither the monastery nor the city of the start tile is offered.
    assert names(game) == {"meeple E", "meeple Nw", "meeple Es", "pass"}
    game.apply("meeple E")
    assert figures(game) == {"A meeple 1,0 E"}


@pytest.mark.rule("BASE-06")
@pytest.mark.parametrize(
    ("occupied", "closed"), [("E", "meeple E"), ("En", "meeple Nw"), ("Es", "meeple Es")]
)
def test_base_06_roads_and_fields_are_closed_to_others_too(occupied, closed):
    game = play(
        f"""
        [carc_env position 1]
        [rules {{n_players: 2, abbot: false, auto_single: false}}]
        [scores 0:0]
        [turn A places bg-straight]
        bg-cap-straight 0,0 r0: B meeple {occupied}
        """,
        "bg-straight 1,0 r0",
    )
    assert names(game) == {"meeple E", "meeple Nw", "meeple Es", "pass"} - {closed}


@pytest.mark.rule("BASE-07")
def test_base_07_a_tile_joins_two_occupied_cities_and_both_owners_score():
    game = play(
        """
        [carc_env position 1]
        [rules {n_players: 2, auto_single: false}]
        [scores 0:0]
        [turn A places bg-corner]
        bg-cap-straight 0,0 r0: A meeple N
        bg-span 0,-1 r0
        bg-cap 1,-1 r0
        bg-corner 1,-2 r2: B meeple S
        """,
        "bg-corner 0,-2 r1",
    )
    assert figures(game) == {"A meeple 0,0 N", "B meeple 1,-2 S"}
    assert "meeple E" not in names(game)
    game.apply("pass")
    assert game.scores == (10, 10)


@pytest.mark.rule("BASE-07")
def test_base_07_joined_and_still_open_nobody_is_removed():
    game = play(
        """
        [carc_env position 1]
        [rules {n_players: 2, auto_single: false}]
        [scores 0:0]
        [turn A places bg-city3]
        bg-cap-straight 0,0 r0: A meeple N
        bg-span 0,-1 r0
        bg-cap 1,-1 r0
        bg-corner 1,-2 r2: B meeple S
        """,
        "bg-city3 0,-2 r0",
        "pass",
    )
    assert figures(game) == {"A meeple 0,0 N", "B meeple 1,-2 S"}
    assert game.scores == (0, 0)


@pytest.mark.rule("BASE-08")
def test_base_08_a_meeple_on_a_feature_completed_by_the_same_tile_scores_and_returns():
    game = play(
        """
        [carc_env position 1]
        [rules {n_players: 2, auto_single: false}]
        [scores 0:0]
        [turn A places bg-cap]
        bg-cap-straight 0,0 r0
        """,
        "bg-cap 0,-1 r2",
        "meeple S",
    )
    assert game.scores == (4, 0)
    assert meeples(game, "A") == 7
    assert figures(game) == set()


@pytest.mark.rule("BASE-09")
def test_base_09_without_supply_only_pass_is_offered():
    text = """
        [carc_env position 1]
        [rules {n_players: 2, abbot: false, auto_single: false}]
        [scores 0:0]
        [turn A places bg-straight]
        bg-cap-straight 0,0 r0: A meeple N, A meeple E, A meeple En, A meeple Es
        bg-junction 1,0 r0: A meeple E, A meeple S, A meeple Es
        """
    assert names(play(text, "bg-straight 0,1 r0")) == {"pass"}
    one_left = text.replace("A meeple Es\n", "B meeple Es\n", 1)
    assert "meeple E" in names(play(one_left, "bg-straight 0,1 r0"))


@pytest.mark.rule("BASE-09")
def test_base_09_placing_is_optional():
    game = play(
        """
        [carc_env position 1]
        [rules {n_players: 2, auto_single: false}]
        [scores 0:0]
        [turn A places bg-curve]
        bg-cap-straight 0,0 r0
        """,
        "bg-curve 1,0 r0",
    )
    assert names(game) == {"meeple S", "meeple Nw", "meeple Sw", "pass"}
    game.apply("pass")
    assert (figures(game), meeples(game, "A")) == (set(), 7)


@pytest.mark.rule("BASE-10")
def test_base_10_meeples_cannot_be_taken_back():
    game = play(
        """
        [carc_env position 1]
        [rules {n_players: 2, auto_single: false}]
        [scores 0:0]
        [turn A places bg-straight]
        bg-cap-straight 0,0 r0: A meeple N
        bg-monastery 0,1 r0: A meeple mid
        """,
        "bg-straight 1,0 r0",
    )
    assert names(game) == {"meeple E", "meeple Nw", "meeple Es", "pass"}


@pytest.mark.rule("BASE-11")
@pytest.mark.parametrize(
    "end",
    [
        "bg-monastery-road -1,0 r2",
        "bg-junction -1,0 r0",
        "bg-crossroads -1,0 r0",
        "bg-cap-junction -1,0 r0",
        "bg-city3-gate -1,0 r2",
        "bg-city3-gate-shield -1,0 r2",
    ],
)
def test_base_11_crossings_gates_and_monasteries_end_a_road(end):
    game = play(
        f"""
        [carc_env position 1]
        [rules {{n_players: 2, auto_single: false}}]
        [scores 0:0]
        [turn A places bg-monastery-road]
        bg-cap-straight 0,0 r0: A meeple E
        {end}
        """,
        "bg-monastery-road 1,0 r0",
        "pass",
    )
    assert game.scores == (3, 0)
    assert meeples(game, "A") == 7


@pytest.mark.rule("BASE-11")
@pytest.mark.parametrize("end", ["bg-straight -1,0 r0", "bg-curve -1,0 r3"])
def test_base_11_a_road_that_goes_on_is_not_complete(end):
    game = play(
        f"""
        [carc_env position 1]
        [rules {{n_players: 2, auto_single: false}}]
        [scores 0:0]
        [turn A places bg-monastery-road]
        bg-cap-straight 0,0 r0: A meeple E
        {end}
        """,
        "bg-monastery-road 1,0 r0",
        "pass",
    )
    assert game.scores == (0, 0)
    assert figures(game) == {"A meeple 0,0 E"}


@pytest.mark.rule("BASE-11")
def test_base_11_a_road_of_four_tiles_between_a_monastery_and_a_junction():
    game = play(
        """
        [carc_env position 1]
        [rules {n_players: 2, auto_single: false}]
        [scores 0:0]
        [turn A places bg-junction]
        bg-cap-straight 0,0 r0
        bg-monastery-road -1,0 r2
        bg-straight 1,0 r0
        """,
        "bg-junction 2,0 r0",
        "meeple W",
    )
    assert game.scores == (4, 0)


@pytest.mark.rule("BASE-11")
def test_base_11_a_loop_of_four_curves():
    game = play(
        """
        [carc_env position 1]
        [rules {n_players: 2, auto_single: false}]
        [scores 0:0]
        [turn A places bg-curve]
        bg-cap-straight 0,0 r0
        bg-curve 0,1 r3
        bg-curve 1,1 r0
        bg-curve 0,2 r2
        """,
        "bg-curve 1,2 r1",
        "meeple N",
    )
    assert game.scores == (4, 0)
    assert meeples(game, "A") == 7


@pytest.mark.rule("BASE-11", "BASE-15")
def test_base_11_a_loop_from_a_junction_back_to_it_counts_the_junction_once():
    game = play(
        """
        [carc_env position 1]
        [rules {n_players: 2, auto_single: false}]
        [scores 0:0]
        [turn A places bg-curve]
        bg-cap-straight 0,0 r0
        bg-junction 0,1 r0
        bg-curve 1,1 r0
        bg-curve 0,2 r2
        """,
        "bg-curve 1,2 r1",
        "meeple N",
    )
    assert game.scores == (4, 0)


@pytest.mark.rule("BASE-12")
@pytest.mark.parametrize(
    ("tile", "points"), [("bg-span-shield 0,-1 r0", 10), ("bg-span 0,-1 r0", 8)]
)
def test_base_12_a_complete_city_of_four_tiles_with_and_without_a_coat_of_arms(tile, points):
    game = play(
        f"""
        [carc_env position 1]
        [rules {{n_players: 2, auto_single: false}}]
        [scores 0:0]
        [turn A places bg-cap]
        bg-cap-straight 0,0 r0
        {tile}
        bg-corner 0,-2 r1
        """,
        "bg-cap 1,-2 r3",
        "meeple W",
    )
    assert game.scores == (points, 0)


@pytest.mark.rule("BASE-13")
@pytest.mark.parametrize(("switch", "points"), [(4, 4), (2, 2)])
def test_base_13_a_complete_city_of_two_tiles(switch, points):
    game = play(
        f"""
        [carc_env position 1]
        [rules {{n_players: 2, small_city_points: {switch}, auto_single: false}}]
        [scores 0:0]
        [turn A places bg-cap]
        bg-cap-straight 0,0 r0: B meeple N
        """,
        "bg-cap 0,-1 r2",
        "pass",
    )
    assert game.scores == (0, points)
    assert Rules().small_city_points == 4


@pytest.mark.rule("BASE-13")
@pytest.mark.parametrize("switch", [4, 2])
def test_base_13_the_switch_leaves_larger_and_incomplete_cities_alone(switch):
    text = f"""
        [carc_env position 1]
        [rules {{n_players: 2, small_city_points: {switch}, auto_single: false}}]
        [scores 0:0]
        [turn A places bg-cap]
        bg-cap-straight 0,0 r0: B meeple N
        bg-span 0,-1 r0
        """
    assert play(text, "bg-cap 0,-2 r2", "pass").scores == (0, 6)
    assert play(text, "bg-cap 0,1 r1", "pass", bag=()).scores == (0, 2)


@pytest.mark.rule("BASE-14")
def test_base_14_the_eighth_neighbour_completes_a_monastery_in_any_players_turn():
    text = surrounded("monastery", 7, "A meeple mid", turn="B places bg-curve")
    game = play(text, LAST_NEIGHBOUR["monastery"])
    assert game.scores == (0, 0)
    game.apply("pass")
    assert score_log(game) == [("A", 9, Kind.MONASTERY)]
    assert game.scores == (9, 0)
    assert meeples(game, "A") == 7


@pytest.mark.rule("BASE-14")
def test_base_14_seven_neighbours_do_not_complete_a_monastery():
    game = play(surrounded("monastery", 7, "A meeple mid"), "pass")
    assert game.scores == (0, 0)
    assert figures(game) == {"A meeple 0,1 mid"}


@pytest.mark.rule("BASE-14")
def test_base_14_a_monk_placed_into_the_last_gap_scores_at_once():
    game = play(
        """
        [carc_env position 1]
        [rules {n_players: 2, auto_single: false}]
        [scores 0:0]
        [turn B places bg-monastery]
        bg-cap-straight 0,0 r0
        bg-straight -1,0 r0
        bg-straight 1,0 r0
        bg-curve -1,1 r0
        bg-curve -1,2 r2
        bg-straight 0,2 r0
        bg-curve 1,2 r1
        bg-curve 1,1 r3
        """,
        "bg-monastery 0,1 r0",
        "meeple mid",
    )
    assert game.scores == (0, 9)


@pytest.mark.rule("BASE-15")
def test_base_15_a_tile_with_both_caps_in_one_city_counts_once():
    game = play(RING, "bg-caps-opposite 0,2 r0", "pass")
    assert game.scores == (12, 0)


@pytest.mark.rule("BASE-16", "BASE-18")
def test_base_16_the_majority_takes_all_and_every_knight_goes_home():
    game = play(RING, "bg-caps-opposite 0,2 r0")
    assert (meeples(game, "A"), meeples(game, "B")) == (5, 6)
    game.apply("pass")
    assert score_log(game) == [("A", 12, Kind.CITY)]
    assert game.scores == (12, 0)
    assert (meeples(game, "A"), meeples(game, "B")) == (7, 7)
    assert figures(game) == set()


@pytest.mark.rule("BASE-17", "BASE-18")
def test_base_17_a_tie_pays_both_in_full():
    text = RING.replace("1,3 r3: A meeple N", "1,3 r3")
    game = play(text, "bg-caps-opposite 0,2 r0", "pass")
    assert game.scores == (12, 12)
    assert (meeples(game, "A"), meeples(game, "B")) == (7, 7)


@pytest.mark.rule("BASE-17")
def test_base_17_two_tied_players_do_not_share_with_the_third():
    text = """
        [carc_env position 1]
        [rules {n_players: 3, auto_single: false}]
        [scores 1:2:3]
        [turn B places bg-caps-opposite]
        bg-cap-straight 0,0 r0
        bg-corner 0,1 r1: A meeple E
        bg-corner 1,1 r2: B meeple S
        bg-span 1,2 r0: C meeple N
        bg-corner-curve 1,3 r3: A meeple N
        bg-corner-garden 0,3 r0: B meeple N
        """
    game = play(text, "bg-caps-opposite 0,2 r0", "pass")
    assert game.scores == (13, 14, 3)


@pytest.mark.rule("BASE-18")
def test_base_18_figures_in_other_features_stay():
    text = RING.replace("bg-cap-straight 0,0 r0", "bg-cap-straight 0,0 r0: A meeple N, B meeple E")
    game = play(text, "bg-caps-opposite 0,2 r0", "pass")
    assert figures(game) == {"A meeple 0,0 N", "B meeple 0,0 E"}


#: The tile at (1, 0) completes a road of three tiles and a city of four.
ROAD_AND_CITY = """
    [carc_env position 1]
    [rules {n_players: 2, auto_single: false}]
    [scores 0:0]
    [turn A places bg-cap-junction]
    bg-cap-straight 0,0 r0: A meeple E
    bg-monastery-road -1,0 r2
    bg-cap 0,-1 r2
    bg-span 1,-1 r0: B meeple N
    bg-corner 1,-2 r1
    bg-cap 2,-2 r3
    """


@pytest.mark.rule("BASE-19")
def test_base_19_one_tile_completes_a_road_and_a_city_of_different_owners():
    game = play(ROAD_AND_CITY, "bg-cap-junction 1,0 r0", "pass")
    assert game.scores == (3, 8)
    assert sorted(score_log(game)) == [("A", 3, Kind.ROAD), ("B", 8, Kind.CITY)]


@pytest.mark.rule("BASE-19")
def test_base_19_unoccupied_completed_features_give_nothing():
    text = ROAD_AND_CITY.replace(": A meeple E", "").replace(": B meeple N", "")
    game = play(text, "bg-cap-junction 1,0 r0", "pass")
    assert game.scores == (0, 0)
    assert score_log(game) == []


@pytest.mark.rule("BASE-20")
def test_base_20_farmers_are_not_scored_in_play_and_stay_to_the_end():
    text = """
        [carc_env position 1]
        [rules {n_players: 2, auto_single: false}]
        [scores 0:0]
        [turn A places bg-cap]
        bg-cap-straight 0,0 r0: A meeple En
        """
    game = play(text, "bg-cap 0,-1 r2", "pass")
    assert game.scores == (0, 0)
    assert figures(game) == {"A meeple 0,0 En"}
    assert meeples(game, "A") == 6
    game = play(text, "bg-cap 0,-1 r2", "pass", bag=())
    assert game.scores == (3, 0)


@pytest.mark.rule("BASE-21")
@pytest.mark.parametrize(
    ("tile", "fields"),
    [
        ("bg-straight 1,0 r0", {"Nw", "Es"}),
        ("bg-curve 1,0 r0", {"Nw", "Sw"}),
        ("bg-monastery-road 1,0 r0", {"Nw"}),
        ("bg-junction 1,0 r0", {"Nw", "Es", "Sw"}),
        ("bg-crossroads 1,0 r0", {"Nw", "Ne", "Es", "Sw"}),
        ("bg-monastery 0,1 r0", {"Nw"}),
        ("bg-span 0,1 r1", {"Nw", "Se"}),
        ("bg-caps-opposite 0,1 r1", {"Nw"}),
        ("bg-city3 0,1 r1", {"Nw"}),
        ("bg-city3-gate 1,0 r0", {"Ws", "Wn"}),
        ("bg-city4-shield 0,-1 r0", set()),
        ("bg-cap-curve-right 0,-1 r2", {"Nw", "Ne"}),
        ("bg-corner-curve 1,0 r0", {"Se", "Sw"}),
        ("bg-cap-junction 1,0 r0", {"En", "Es", "Sw"}),
    ],
)
def test_base_21_the_fields_of_a_tile(tile, fields):
    game = play(
        f"""
        [carc_env position 1]
        [rules {{n_players: 2, auto_single: false}}]
        [scores 0:0]
        [turn A places {tile.split()[0]}]
        bg-cap-straight 0,0 r0
        """,
        tile,
    )
    spots = {name.split()[1] for name in names(game) if name.startswith("meeple")}
    assert spots - {"N", "E", "S", "W", "mid"} == fields


@pytest.mark.rule("BASE-21")
def test_base_21_a_straight_road_splits_north_from_south():
    text = """
        [carc_env position 1]
        [rules {n_players: 2, auto_single: false}]
        [scores 0:0]
        [turn A places bg-curve]
        bg-cap-straight 0,0 r0: B meeple Es
        bg-straight 1,0 r0
        """
    assert names(play(text, "bg-curve 2,0 r0")) == {"meeple S", "meeple Nw", "pass"}
    north = text.replace("B meeple Es", "B meeple En")
    assert names(play(north, "bg-curve 2,0 r0")) == {"meeple S", "meeple Sw", "pass"}


@pytest.mark.rule("BASE-22")
def test_base_22_the_last_tile_ends_the_game_after_the_scoring_of_its_turn():
    text = """
        [carc_env position 1]
        [rules {n_players: 2, auto_single: false}]
        [scores 10:20]
        [turn A places bg-cap]
        bg-cap-straight 0,0 r0: B meeple E
        """
    game = play(text, "bg-cap 0,-1 r2", bag=())
    assert (game.phase, game.decider, game.winners) == (Phase.FIGURE, 0, ())
    game.apply("meeple S")
    assert game.is_over
    assert names(game) == set()
    assert game.scores == (14, 21)
    assert score_log(game) == [("A", 4, Kind.CITY), ("B", 1, Kind.ROAD)]
    assert [move.seat for move in game.moves] == [0, 0]


@pytest.mark.rule("BASE-22", "BASE-05")
def test_base_22_a_last_tile_put_aside_ends_the_game():
    game = play(NO_PLACE_FOR_A_MONASTERY, "pass", bag=("bg-monastery",))
    assert game.is_over
    assert game.n_tiles_left == 0
    assert "bg-monastery" in game.position().aside
    assert game.scores == (1, 0)


@pytest.mark.rule("BASE-22")
def test_base_22_one_tile_left_gives_the_next_player_a_turn():
    game = play(NO_PLACE_FOR_A_MONASTERY, "pass", bag=("bg-curve",))
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)


@pytest.mark.rule("BASE-23")
@pytest.mark.parametrize(
    ("figures_at_the_start", "scores"),
    [
        ("A meeple N", (4, 0)),  # a city of three tiles with one coat of arms
        ("B meeple E", (0, 2)),  # a road of two tiles
        ("A meeple N, B meeple E", (4, 2)),
        ("A meeple N, B meeple N", (4, 4)),
        ("A meeple N, B meeple N, B meeple N", (0, 4)),
    ],
)
def test_base_23_incomplete_cities_and_roads_at_the_end(figures_at_the_start, scores):
    game = play_to_the_end(
        f"""
        [carc_env position 1]
        [rules {{n_players: 2, auto_single: false}}]
        [scores 0:0]
        [turn A acts]
        bg-cap-straight 0,0 r0: {figures_at_the_start}
        bg-span-shield 0,-1 r0
        bg-city3 0,-2 r0
        bg-straight 1,0 r0
        """
    )
    assert game.scores == scores


@pytest.mark.rule("BASE-23")
@pytest.mark.parametrize("n_neighbours", range(2, 8))
def test_base_23_an_incomplete_monastery_at_the_end(n_neighbours):
    game = play_to_the_end(surrounded("monastery", n_neighbours, "B meeple mid"))
    assert game.scores == (0, 1 + n_neighbours)


@pytest.mark.rule("BASE-23")
def test_base_23_standings_are_what_the_end_would_pay_now():
    game = play(surrounded("monastery", 6, "B meeple mid"))
    assert (game.scores, game.standings) == ((0, 0), (0, 7))


#: The field south of the start tile touches two complete cities and an open one.
THREE_CITIES = """
    [carc_env position 1]
    [rules {n_players: 2, auto_single: false}]
    [scores 0:0]
    [turn A acts]
    bg-cap-straight 0,0 r0: A meeple Es
    bg-cap 0,1 r2
    bg-cap 0,2 r0
    bg-cap 1,1 r1
    bg-cap 2,1 r3
    bg-cap-garden -1,1 r3
    """


@pytest.mark.rule("BASE-24")
def test_base_24_a_field_scores_three_for_each_complete_city():
    assert play_to_the_end(THREE_CITIES).scores == (6, 0)


@pytest.mark.rule("BASE-24")
@pytest.mark.parametrize(
    ("farmers", "scores"),
    [("A meeple Es, B meeple Es", (6, 6)), ("A meeple Es, B meeple Es, B meeple Es", (0, 6))],
)
def test_base_24_the_majority_of_the_field_scores(farmers, scores):
    game = play_to_the_end(THREE_CITIES.replace("A meeple Es", farmers))
    assert game.scores == scores


@pytest.mark.rule("BASE-25")
def test_base_25_one_city_counts_for_two_fields():
    game = play_to_the_end(
        """
        [carc_env position 1]
        [rules {n_players: 2, auto_single: false}]
        [scores 0:0]
        [turn A acts]
        bg-cap-straight 0,0 r0: A meeple En
        bg-cap-straight 0,-1 r2: B meeple Es
        """
    )
    assert game.scores == (3, 3)


@pytest.mark.rule("BASE-25")
def test_base_25_a_city_counts_once_for_a_field_that_touches_it_with_two_tiles():
    game = play_to_the_end(
        """
        [carc_env position 1]
        [rules {n_players: 2, auto_single: false}]
        [scores 0:0]
        [turn A acts]
        bg-cap-straight 0,0 r0: A meeple En
        bg-cap 0,-1 r2: A meeple Nw
        bg-curve 1,0 r0
        bg-monastery 1,-1 r0
        """
    )
    assert game.scores == (3, 0)


@pytest.mark.rule("BASE-26")
def test_base_26_the_field_beyond_the_road_does_not_touch_the_city():
    text = """
        [carc_env position 1]
        [rules {n_players: 2, auto_single: false}]
        [scores 0:0]
        [turn A acts]
        bg-cap-straight 0,0 r0: A meeple En, B meeple Es
        bg-cap 0,-1 r2
        """
    assert play_to_the_end(text).scores == (3, 0)


@pytest.mark.rule("BASE-26")
@pytest.mark.parametrize(
    ("tile", "touching", "apart"),
    [
        ("bg-cap-junction 0,-1 r2", "Es", {"Nw", "Ne"}),
        ("bg-cap-curve-left 0,-1 r2", "Nw", {"Ne"}),
        ("bg-cap-curve-right 0,-1 r2", "Ne", {"Nw"}),
    ],
)
def test_base_26_only_contact_that_the_tile_facts_name_counts(tile, touching, apart):
    text = """
        [carc_env position 1]
        [rules {{n_players: 2, auto_single: false}}]
        [scores 0:0]
        [turn A acts]
        bg-cap-straight 0,0 r0
        {tile}: A meeple {spot}
        """
    assert play_to_the_end(text.format(tile=tile, spot=touching)).scores == (3, 0)
    for spot in apart:
        assert play_to_the_end(text.format(tile=tile, spot=spot)).scores == (0, 0)


@pytest.mark.rule("BASE-27")
@pytest.mark.parametrize("owner", ["", ", B meeple N"])
def test_base_27_who_owned_the_city_does_not_matter_for_the_field(owner):
    game = play(
        f"""
        [carc_env position 1]
        [rules {{n_players: 2, auto_single: false}}]
        [scores 0:0]
        [turn B places bg-cap]
        bg-cap-straight 0,0 r0: A meeple En{owner}
        """,
        "bg-cap 0,-1 r2",
        "pass",
        bag=(),
    )
    assert game.scores == (3, 4 if owner else 0)


@pytest.mark.rule("BASE-28")
@pytest.mark.parametrize(
    ("scores", "winners"), [("70:70:64", (0, 1)), ("70:71:64", (1,)), ("5:5:5", (0, 1, 2))]
)
def test_base_28_most_points_win_and_equal_points_share_the_win(scores, winners):
    game = play_to_the_end(
        f"""
        [carc_env position 1]
        [rules {{n_players: 3, auto_single: false}}]
        [scores {scores}]
        [turn A acts]
        bg-cap-straight 0,0 r0
        bg-cap 0,-1 r2
        """
    )
    assert game.winners == winners


@pytest.mark.rule("BASE-28")
def test_base_28_the_final_scoring_decides_who_wins():
    game = play_to_the_end(
        """
        [carc_env position 1]
        [rules {n_players: 2, auto_single: false}]
        [scores 70:69]
        [turn A acts]
        bg-cap-straight 0,0 r0: B meeple E
        bg-straight 1,0 r0
        """
    )
    assert game.scores == (70, 71)
    assert game.winners == (1,)
