"""BASE: the base game without gardens and abbots, rule by rule."""

from collections import Counter

import pytest

from carc_env.engine.core.codes import Kind, Phase
from carc_env.game.game import Game
from carc_env.game.records import format_record, load_record
from carc_env.layout.observations import global_names
from carc_env.rules import Rules

from .looks import bag_of, figures, meeples, names, score_log
from .positions import START_LINE, Table, first_place, then
from .scenario import LAST_NEIGHBOUR, START, TILES, play, play_to_the_end, set_of_tiles, surrounded

TABLE = Table()
played, at_the_end = TABLE.played, TABLE.at_the_end

#: A city of six tiles without coats of arms, worth 12, with two knights of A and one of B. The tile
#: at (0, 2) will complete it with both of its caps.
RING = """
    {start}
    bg-corner 0,1 r1: A meeple E; bg-corner 1,1 r2: B meeple S
    bg-span 1,2 r0: {third}
    bg-corner-curve 1,3 r3: {fourth}; bg-corner-garden 0,3 r0: {fifth}
    """
LAST_OF_RING = "bg-caps-opposite 0,2 r0"


def ring(start=START_LINE, third="", fourth="A meeple N", fifth=""):
    return RING.format(start=start, third=third, fourth=fourth, fifth=fifth)


@pytest.mark.parametrize("n_players", [2, 3, 4, 5, 6])
def test_base_01_every_player_can_place_seven_meeples(n_players):
    game = Game(Rules(n_players=n_players), seed=1)
    assert [meeples(game, seat) for seat in "ABCDEF"[:n_players]] == [7] * n_players
    assert figures(game) == set()
    assert game.scores == (0,) * n_players


#: All seven meeples of A.
SEVEN = (
    "bg-cap-straight 0,0 r0: A meeple N, A meeple E, A meeple En, A meeple Es",
    "bg-junction 1,0 r0: A meeple E, A meeple S, A meeple Es",
)


def test_base_01_an_eighth_meeple_is_refused():
    assert meeples(played(SEVEN), "A") == 0
    with pytest.raises(ValueError, match="supply"):
        played((SEVEN[0], f"{SEVEN[1]}, A meeple Sw"))


def test_base_02_one_start_tile_lies_open_and_71_are_in_the_stack():
    game = Game(Rules(auto_single=False), seed=1)
    position = game.position()
    assert [(t.tile, t.x, t.y) for t in position.tiles] == [(START, 0, 0)]
    assert len(bag_of(game)) == 71
    assert game.n_tiles_left == 70  # the first player holds one
    assert Counter(bag_of(game)) == set_of_tiles(game.rules) - Counter([START])
    assert bag_of(game).count(START) == 3


def test_base_03_turns_go_clockwise():
    game = Game(Rules(n_players=3, auto_single=False), seed=1)
    order = []
    for _ in range(4):
        order.append(game.decider)
        then(game, first_place(game), "pass")
    assert order == [0, 1, 2, 0]


def n_places_beside_the_start(tile):
    game = played(START_LINE, turn=f"A places {tile}")
    assert len(names(game)) == len(game.legal_actions())
    return len(names(game))


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


def test_base_04_places_of_all_tiles_beside_the_start_tile():
    found = {tile: n_places_beside_the_start(tile) for tile in TILES["base"]}
    # A city side fits in the north, a road side in the east and west, a field side in the south.
    assert found == {
        tile: (sum({"C": 1, "R": 2, "F": 1}[edge] for edge in facts["edges"]) * facts["rot"]) // 4
        for tile, facts in TILES["base"].items()
    }
    stack = set_of_tiles(Rules()) - Counter([START])
    assert sum(found[tile] * n for tile, n in stack.items()) == 319


def test_base_04_every_touching_side_must_match():
    game = played(
        "bg-cap-straight 0,0 r0; bg-cap 0,1 r2; bg-curve 1,0 r0", turn="A places bg-curve"
    )
    # (1, 1) touches a road in the north and a field in the west, so the curve fits one way only.
    assert {name for name in names(game) if " 1,1 " in name} == {"bg-curve 1,1 r2"}
    # The other cells touch one side each; a curve fits a road or a field in two rotations.
    assert names(game) == {
        "bg-curve 1,1 r2",
        *(f"bg-curve -1,1 r{r}" for r in (0, 1)),
        *(f"bg-curve -1,0 r{r}" for r in (2, 3)),
        *(f"bg-curve 2,0 r{r}" for r in (2, 3)),
        *(f"bg-curve 1,-1 r{r}" for r in (1, 2)),
    }


#: Every cell that touches the board needs a city or a road, so a monastery fits nowhere.
NO_PLACE_FOR_A_MONASTERY = ("bg-cap-straight 0,0 r0: A meeple E", "bg-junction 0,1 r0")


def test_base_05_a_tile_without_a_place_is_put_aside_and_another_one_is_drawn():
    bag = ("bg-monastery", "bg-curve", "bg-cap", "bg-monastery")
    game = played(NO_PLACE_FOR_A_MONASTERY, "pass", bag=bag)
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)
    assert game.tile_in_hand == "bg-curve"
    assert game.n_tiles_left == 2
    assert "bg-monastery" in game.position().aside
    game.apply(first_place(game))
    assert game.moves[-1].aside == ("bg-monastery",)
    assert game.position().tiles[-1].tile == "bg-curve"


def test_base_05_a_tile_put_aside_never_returns():
    # A monastery would fit beside the curve, but it is out of the game.
    game = played(NO_PLACE_FOR_A_MONASTERY, "pass", bag=("bg-monastery", "bg-curve", "bg-cap"))
    while not game.is_over:
        assert game.tile_in_hand != "bg-monastery"
        then(game, first_place(game), "pass")
    assert [t.tile for t in game.position().tiles] == [START, "bg-junction", "bg-curve", "bg-cap"]


@pytest.mark.parametrize("owner", ["A", "B"])
def test_base_06_an_occupied_city_is_not_offered_however_far_away_the_knight_is(owner):
    game = played(
        f"""
        bg-cap-straight 0,0 r0: {owner} meeple N
        bg-span 0,-1 r0
        bg-span-shield 0,-2 r0
        bg-span-shield 0,-3 r0
        bg-city3 0,-4 r0
        """,
        "bg-caps-adjacent 0,-5 r1",
    )
    assert names(game) == {"meeple E", "meeple Nw", "pass"}


def test_base_06_a_meeple_goes_on_the_tile_just_placed_only():
    game = played(
        "bg-cap-straight 0,0 r0; bg-monastery 0,1 r0", "bg-straight 1,0 r0", rules="abbot: false"
    )
    # Neither the monastery nor the city of the start tile is offered.
    assert names(game) == {"meeple E", "meeple Nw", "meeple Es", "pass"}
    game.apply("meeple E")
    assert figures(game) == {"A meeple 1,0 E"}


@pytest.mark.parametrize(
    ("occupied", "closed"), [("E", "meeple E"), ("En", "meeple Nw"), ("Es", "meeple Es")]
)
def test_base_06_roads_and_fields_are_closed_to_others_too(occupied, closed):
    game = played(
        f"bg-cap-straight 0,0 r0: B meeple {occupied}", "bg-straight 1,0 r0", rules="abbot: false"
    )
    assert names(game) == {"meeple E", "meeple Nw", "meeple Es", "pass"} - {closed}


#: Cities of A and B that a tile at (0, -2) joins.
TWO_CITIES = """
    bg-cap-straight 0,0 r0: A meeple N
    bg-span 0,-1 r0; bg-cap 1,-1 r0
    bg-corner 1,-2 r2: B meeple S
    """


def test_base_07_a_tile_joins_two_occupied_cities_and_both_owners_score():
    game = played(TWO_CITIES, "bg-corner 0,-2 r1")
    assert figures(game) == {"A meeple 0,0 N", "B meeple 1,-2 S"}
    assert "meeple E" not in names(game)
    game.apply("pass")
    assert game.scores == (10, 10)


def test_base_07_joined_and_still_open_nobody_is_removed():
    game = played(TWO_CITIES, "bg-city3 0,-2 r0; pass")
    assert figures(game) == {"A meeple 0,0 N", "B meeple 1,-2 S"}
    assert game.scores == (0, 0)


def test_base_08_a_meeple_on_a_feature_completed_by_the_same_tile_scores_and_returns():
    game = played(START_LINE, "bg-cap 0,-1 r2; meeple S")
    assert game.scores == (4, 0)
    assert meeples(game, "A") == 7
    assert figures(game) == set()


def test_base_09_without_supply_only_pass_is_offered():
    assert names(played(SEVEN, "bg-straight 0,1 r0", rules="abbot: false")) == {"pass"}
    one_left = (SEVEN[0].replace("A meeple Es", "B meeple Es"), SEVEN[1])
    assert "meeple E" in names(played(one_left, "bg-straight 0,1 r0", rules="abbot: false"))


def test_base_09_placing_is_optional():
    game = played(START_LINE, "bg-curve 1,0 r0")
    assert names(game) == {"meeple S", "meeple Nw", "meeple Sw", "pass"}
    game.apply("pass")
    assert (figures(game), meeples(game, "A")) == (set(), 7)


def test_base_10_meeples_cannot_be_taken_back():
    game = played(
        "bg-cap-straight 0,0 r0: A meeple N; bg-monastery 0,1 r0: A meeple mid",
        "bg-straight 1,0 r0",
    )
    assert names(game) == {"meeple E", "meeple Nw", "meeple Es", "pass"}


@pytest.mark.parametrize(
    ("end", "is_complete"),
    [
        ("bg-monastery-road -1,0 r2", True),
        ("bg-junction -1,0 r0", True),
        ("bg-crossroads -1,0 r0", True),
        ("bg-cap-junction -1,0 r0", True),
        ("bg-city3-gate -1,0 r2", True),
        ("bg-city3-gate-shield -1,0 r2", True),
        # On these tiles the road goes on.
        ("bg-straight -1,0 r0", False),
        ("bg-curve -1,0 r3", False),
    ],
)
def test_base_11_crossings_gates_and_monasteries_end_a_road(end, is_complete):
    tiles = ("bg-cap-straight 0,0 r0: A meeple E", end)
    game = played(tiles, "bg-monastery-road 1,0 r0; pass")
    assert game.scores == ((3, 0) if is_complete else (0, 0))
    assert figures(game) == (set() if is_complete else {"A meeple 0,0 E"})
    assert meeples(game, "A") == (7 if is_complete else 6)


@pytest.mark.rule("BASE-15")
@pytest.mark.parametrize(
    ("tiles", "moves"),
    [
        # Between a monastery and a junction.
        (
            (START_LINE, "bg-monastery-road -1,0 r2", "bg-straight 1,0 r0"),
            "bg-junction 2,0 r0; meeple W",
        ),
        # A loop of four curves.
        (
            (START_LINE, "bg-curve 0,1 r3", "bg-curve 1,1 r0", "bg-curve 0,2 r2"),
            "bg-curve 1,2 r1; meeple N",
        ),
        # A loop from a junction back to the junction counts it once.
        (
            (START_LINE, "bg-junction 0,1 r0", "bg-curve 1,1 r0", "bg-curve 0,2 r2"),
            "bg-curve 1,2 r1; meeple N",
        ),
    ],
)
def test_base_11_complete_roads_of_four_tiles(tiles, moves):
    game = played(tiles, moves)
    assert game.scores == (4, 0)
    assert meeples(game, "A") == 7


@pytest.mark.parametrize(
    ("tile", "points"), [("bg-span-shield 0,-1 r0", 10), ("bg-span 0,-1 r0", 8)]
)
def test_base_12_a_complete_city_of_four_tiles_with_and_without_a_coat_of_arms(tile, points):
    game = played((START_LINE, tile, "bg-corner 0,-2 r1"), "bg-cap 1,-2 r3; meeple W")
    assert game.scores == (points, 0)


@pytest.mark.parametrize("switch", [4, 2])
def test_base_13_a_complete_city_of_two_tiles(switch):
    tiles = ("bg-cap-straight 0,0 r0: B meeple N",)
    rules = f"small_city_points: {switch}"
    assert played(tiles, "bg-cap 0,-1 r2; pass", rules=rules).scores == (0, switch)
    assert Rules().small_city_points == 4
    # The switch does not affect larger cities or incomplete ones.
    larger = (*tiles, "bg-span 0,-1 r0")
    assert played(larger, "bg-cap 0,-2 r2; pass", rules=rules).scores == (0, 6)
    assert played(larger, "bg-cap 0,1 r1; pass", rules=rules, bag=()).scores == (0, 2)


def test_base_14_the_eighth_neighbour_completes_a_monastery_in_any_players_turn():
    text = surrounded("monastery", 7, "A meeple mid", turn="B places bg-curve")
    game = play(text, LAST_NEIGHBOUR["monastery"])
    assert game.scores == (0, 0)
    game.apply("pass")
    assert score_log(game) == [("A", 9, Kind.MONASTERY)]
    assert game.scores == (9, 0)
    assert meeples(game, "A") == 7


def test_base_14_seven_neighbours_do_not_complete_a_monastery():
    game = play(surrounded("monastery", 7, "A meeple mid"), "pass")
    assert game.scores == (0, 0)
    assert figures(game) == {"A meeple 0,1 mid"}


def test_base_14_a_monk_placed_into_the_last_gap_scores_at_once():
    game = played(
        """
        bg-cap-straight 0,0 r0; bg-straight -1,0 r0; bg-straight 1,0 r0
        bg-curve -1,1 r0
        bg-curve -1,2 r2; bg-straight 0,2 r0; bg-curve 1,2 r1
        bg-curve 1,1 r3
        """,
        "bg-monastery 0,1 r0; meeple mid",
        seat="B",
    )
    assert game.scores == (0, 9)


@pytest.mark.rule("BASE-15", "BASE-18")
def test_base_16_the_majority_takes_all_and_every_knight_goes_home():
    # The last tile has both caps in the city and counts once.
    game = played(ring(), LAST_OF_RING, seat="B")
    assert (meeples(game, "A"), meeples(game, "B")) == (5, 6)
    game.apply("pass")
    assert score_log(game) == [("A", 12, Kind.CITY)]
    assert game.scores == (12, 0)
    assert (meeples(game, "A"), meeples(game, "B")) == (7, 7)
    assert figures(game) == set()


@pytest.mark.rule("BASE-18")
def test_base_17_a_tie_pays_both_in_full():
    game = played(ring(fourth=""), LAST_OF_RING, "pass", seat="B")
    assert game.scores == (12, 12)
    assert (meeples(game, "A"), meeples(game, "B")) == (7, 7)


def test_base_17_two_tied_players_do_not_share_with_the_third():
    tiles = ring(third="C meeple N", fifth="B meeple N")
    game = played(tiles, LAST_OF_RING, "pass", seat="B", n_players=3, scores="1:2:3")
    assert game.scores == (13, 14, 3)


def test_base_18_figures_in_other_features_stay():
    tiles = ring(start="bg-cap-straight 0,0 r0: A meeple N, B meeple E")
    game = played(tiles, LAST_OF_RING, "pass", seat="B")
    assert figures(game) == {"A meeple 0,0 N", "B meeple 0,0 E"}


@pytest.mark.parametrize(
    ("thief", "knight", "log"),
    [
        ("A meeple E", "B meeple N", [("A", 3, Kind.ROAD), ("B", 8, Kind.CITY)]),
        ("", "", []),  # nobody scores
    ],
)
def test_base_19_one_tile_completes_a_road_and_a_city_of_different_owners(thief, knight, log):
    tiles = f"""
        bg-cap-straight 0,0 r0: {thief}; bg-monastery-road -1,0 r2
        bg-cap 0,-1 r2; bg-span 1,-1 r0: {knight}
        bg-corner 1,-2 r1; bg-cap 2,-2 r3
        """
    game = played(tiles, "bg-cap-junction 1,0 r0; pass")
    assert sorted(score_log(game)) == log
    assert game.scores == ((3, 8) if log else (0, 0))


def test_base_20_farmers_are_not_scored_in_play_and_stay_to_the_end():
    tiles = "bg-cap-straight 0,0 r0: A meeple En"
    game = played(tiles, "bg-cap 0,-1 r2; pass")
    assert game.scores == (0, 0)
    assert figures(game) == {"A meeple 0,0 En"}
    assert meeples(game, "A") == 6
    assert played(tiles, "bg-cap 0,-1 r2; pass", bag=()).scores == (3, 0)


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


@pytest.mark.parametrize(("farmer", "free"), [("Es", "Nw"), ("En", "Sw")])
def test_base_21_a_straight_road_splits_north_from_south(farmer, free):
    tiles = (f"bg-cap-straight 0,0 r0: B meeple {farmer}", "bg-straight 1,0 r0")
    assert names(played(tiles, "bg-curve 2,0 r0")) == {"meeple S", f"meeple {free}", "pass"}


def test_base_22_the_last_tile_ends_the_game_after_the_scoring_of_its_turn():
    game = played("bg-cap-straight 0,0 r0: B meeple E", "bg-cap 0,-1 r2", scores="10:20", bag=())
    assert (game.phase, game.decider, game.winners) == (Phase.FIGURE, 0, ())
    game.apply("meeple S")
    assert game.is_over
    assert names(game) == set()
    assert game.scores == (14, 21)
    assert score_log(game) == [("A", 4, Kind.CITY), ("B", 1, Kind.ROAD)]
    assert [move.seat for move in game.moves] == [0, 0]


@pytest.mark.rule("BASE-05")
def test_base_22_a_last_tile_put_aside_ends_the_game():
    game = played(NO_PLACE_FOR_A_MONASTERY, "pass", bag=("bg-monastery",))
    assert game.is_over
    assert game.n_tiles_left == 0
    assert "bg-monastery" in game.position().aside
    assert game.scores == (1, 0)


def test_base_22_one_tile_left_gives_the_next_player_a_turn():
    game = played(NO_PLACE_FOR_A_MONASTERY, "pass", bag=("bg-curve",))
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)


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
    start = f"bg-cap-straight 0,0 r0: {figures_at_the_start}"
    others = ("bg-span-shield 0,-1 r0", "bg-city3 0,-2 r0", "bg-straight 1,0 r0")
    assert at_the_end((start, *others)) == scores


@pytest.mark.parametrize("n_neighbours", range(2, 8))
def test_base_23_an_incomplete_monastery_at_the_end(n_neighbours):
    game = play_to_the_end(surrounded("monastery", n_neighbours, "B meeple mid"))
    assert game.scores == (0, 1 + n_neighbours)


def test_base_23_standings_are_what_the_end_would_pay_now():
    game = play(surrounded("monastery", 6, "B meeple mid"))
    assert (game.scores, game.standings) == ((0, 0), (0, 7))


@pytest.mark.parametrize(
    ("farmers", "scores"),
    [
        ("A meeple Es", (6, 0)),
        ("A meeple Es, B meeple Es", (6, 6)),
        ("A meeple Es, B meeple Es, B meeple Es", (0, 6)),
    ],
)
def test_base_24_the_majority_of_a_field_scores_three_for_each_complete_city(farmers, scores):
    # The field south of the start tile touches two complete cities and an incomplete one.
    tiles = f"""
        bg-cap-straight 0,0 r0: {farmers}
        bg-cap 0,1 r2
        bg-cap 0,2 r0
        bg-cap 1,1 r1; bg-cap 2,1 r3; bg-cap-garden -1,1 r3
        """
    assert at_the_end(tiles) == scores


def test_base_25_one_city_counts_for_two_fields():
    tiles = ("bg-cap-straight 0,0 r0: A meeple En", "bg-cap-straight 0,-1 r2: B meeple Es")
    assert at_the_end(tiles) == (3, 3)


def test_base_25_a_city_counts_once_for_a_field_that_touches_it_with_two_tiles():
    farmers = ("bg-cap-straight 0,0 r0: A meeple En", "bg-cap 0,-1 r2: A meeple Nw")
    assert at_the_end((*farmers, "bg-curve 1,0 r0", "bg-monastery 1,-1 r0")) == (3, 0)


def test_base_26_the_field_beyond_the_road_does_not_touch_the_city():
    tiles = ("bg-cap-straight 0,0 r0: A meeple En, B meeple Es", "bg-cap 0,-1 r2")
    assert at_the_end(tiles) == (3, 0)


@pytest.mark.parametrize(
    ("tile", "touching", "apart"),
    [
        ("bg-cap-junction 0,-1 r2", "Es", {"Nw", "Ne"}),
        ("bg-cap-curve-left 0,-1 r2", "Nw", {"Ne"}),
        ("bg-cap-curve-right 0,-1 r2", "Ne", {"Nw"}),
    ],
)
def test_base_26_only_contact_that_the_tile_facts_name_counts(tile, touching, apart):
    for spot in {touching} | apart:
        points = 3 if spot == touching else 0
        assert at_the_end((START_LINE, f"{tile}: A meeple {spot}")) == (points, 0)


@pytest.mark.parametrize("owner", ["", ", B meeple N"])
def test_base_27_who_owned_the_city_does_not_matter_for_the_field(owner):
    tiles = f"bg-cap-straight 0,0 r0: A meeple En{owner}"
    game = played(tiles, "bg-cap 0,-1 r2; pass", seat="B", bag=())
    assert game.scores == (3, 4 if owner else 0)


@pytest.mark.parametrize(
    ("scores", "winners"), [("70:70:64", (0, 1)), ("70:71:64", (1,)), ("5:5:5", (0, 1, 2))]
)
def test_base_28_most_points_win_and_equal_points_share_the_win(scores, winners):
    game = played(
        "bg-cap-straight 0,0 r0; bg-cap 0,-1 r2", "pass", n_players=3, scores=scores, bag=()
    )
    assert game.winners == winners


def test_base_28_the_final_scoring_decides_who_wins():
    game = played(
        "bg-cap-straight 0,0 r0: B meeple E; bg-straight 1,0 r0", "pass", scores="70:69", bag=()
    )
    assert game.scores == (70, 71)
    assert game.winners == (1,)


def finish(game):
    while not game.is_over:
        game.step(game.greedy_action())


@pytest.mark.parametrize("preset", ["base", "abbey-mayor", "count", "hills-sheep"])
def test_base_29_a_short_game_ends_when_its_tiles_are_drawn(preset):
    short = Rules.preset(preset, deck_size=9, auto_single=False)
    whole = Game(Rules.preset(preset), seed=0).draw
    left_out = set()
    for seed in range(3):
        game = Game(short, seed=seed)
        aside = Counter(game.position().aside)
        assert aside + Counter([game.tile_in_hand, *game.position().bag]) == Counter(whole)
        assert game.n_tiles_left == 8
        finish(game)
        assert Counter(game.position().aside) >= aside
        assert not game.moves[0].aside
        left_out.add(game.draw[: aside.total()])
    assert len(left_out) == 3


def test_base_29_everybody_knows_which_tiles_are_left_out():
    game = Game(Rules(deck_size=5), seed=4)
    seen = game.observe()["globals"]
    shares = dict(zip(global_names(game.rules), seen, strict=True))
    left, n_copies = Counter(game.position().bag), set_of_tiles(game.rules)
    assert left.total() == 4
    for name, share in shares.items():
        kind, _, tile = name.partition(" ")
        if kind == "left":
            assert share == pytest.approx(left[tile] / n_copies[tile])


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"deck_size": 0}, "deck_size must be an int from 1 to 71"),
        ({"deck_size": 72}, "from 1 to 71, got 72"),
        ({"deck_size": 60, "sets": ("base", "river1")}, "river"),
    ],
)
def test_base_29_a_deck_that_cannot_be_is_refused(rules, message):
    with pytest.raises(ValueError, match=message):
        Rules(**rules)


def test_base_29_records_and_positions_of_short_games_come_back():
    game = Game(Rules(deck_size=6), seed=8)
    for _ in range(5):
        game.apply(game.legal_actions()[0])
    again = Game.from_position(game.position())
    finish(game)
    finish(again)
    assert load_record(format_record(game)).scores == game.scores == again.scores
