"""ABT: abbots on monasteries and gardens, which score on completion or on recall.

Every test that takes ``edition`` also runs under the winter edition (WIN-01).
"""

import pytest

from carc_env.engine.core.codes import Kind, Phase
from carc_env.game.game import Game
from carc_env.rules import Rules

from .looks import abbots, figures, meeples, names, score_log
from .positions import START_LINE, Table, first_place, then
from .scenario import LAST_NEIGHBOUR, TILES, play, play_to_the_end, surrounded

TABLE = Table()
position, played = TABLE.position, TABLE.played

PLACES = {"garden": Kind.GARDEN, "monastery": Kind.MONASTERY}
LAST_TILE = {place: name.split()[0] for place, name in LAST_NEIGHBOUR.items()}


@pytest.fixture(params=["C2", pytest.param("WE3", marks=pytest.mark.rule("WIN-01"))])
def edition(request):
    return request.param


def fresh(tile, edition, rules=""):
    """Let A place the tile somewhere beside the start tile and return the game."""
    game = played(START_LINE, rules=rules, turn=f"A places {tile}", edition=edition)
    game.apply(first_place(game))
    return game


@pytest.mark.parametrize("n_players", [2, 3, 4, 5, 6])
def test_abt_01_every_player_has_one_abbot_and_still_seven_meeples(n_players, edition):
    game = Game(Rules(n_players=n_players, edition=edition), seed=1)
    seats = "ABCDEF"[:n_players]
    assert [(abbots(game, seat), meeples(game, seat)) for seat in seats] == [(1, 7)] * n_players


def test_abt_02_a_garden_offers_the_abbot_a_monastery_abbot_and_meeple(edition):
    assert {"abbot mid"} == {n for n in names(fresh("bg-cap-garden", edition)) if "mid" in n}
    game = fresh("bg-monastery", edition)
    assert names(game) == {"abbot mid", "meeple mid", "meeple Nw", "pass"}
    game.apply("abbot mid")
    assert figures(game) == {"A abbot 0,1 mid"}
    assert (abbots(game, "A"), meeples(game, "A")) == (0, 7)


def test_abt_02_an_abbot_on_the_board_is_not_offered_a_second_time(edition):
    game = played(
        "bg-cap-straight 0,0 r0; bg-monastery-road 1,0 r0: A abbot mid",
        "bg-monastery 0,1 r0",
        edition=edition,
    )
    assert "meeple mid" in names(game)
    assert "abbot mid" not in names(game)


@pytest.mark.parametrize("tile", TILES["base"])
def test_abt_03_the_abbot_is_offered_on_monasteries_and_gardens_only(tile, edition):
    game = fresh(tile, edition)
    has_place = "monastery" in tile or "garden" in tile
    offered = {name for name in names(game) if name.startswith("abbot")}
    assert offered == ({"abbot mid"} if has_place else set())


@pytest.mark.parametrize("figure", ["meeple", "abbot"])
def test_abt_04_the_place_must_be_unoccupied(figure):
    assert names(
        played(f"""
        bg-cap-straight 0,0 r0
        bg-monastery 0,1 r0: B {figure} mid
        """)
    ) == {"meeple Nw", "pass"}


@pytest.mark.parametrize("place", PLACES)
def test_abt_05_the_eighth_neighbour_pays_nine_and_sends_the_abbot_home(place, edition):
    text = surrounded(place, 7, "A abbot mid", turn=f"B places {LAST_TILE[place]}")
    game = play(text, LAST_NEIGHBOUR[place], edition=edition)
    assert (game.scores, abbots(game, "A")) == ((0, 0), 0)
    game.apply("pass")
    assert score_log(game) == [("A", 9, PLACES[place])]
    assert (game.scores, abbots(game, "A"), figures(game)) == ((9, 0), 1, set())


@pytest.mark.parametrize("place", PLACES)
def test_abt_06_a_recall_scores_what_the_place_is_worth_now(place, edition):
    game = play(surrounded(place, 5, "A abbot mid"), "recall", edition=edition)
    assert score_log(game) == [("A", 6, PLACES[place])]
    assert game.scores == (6, 0)
    assert (abbots(game, "A"), figures(game)) == (1, set())
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)


def test_abt_06_a_recalled_abbot_is_available_again_next_turn(edition):
    text = surrounded("garden", 5, "A abbot mid")
    game = play(text, "recall", bag=("bg-curve", "bg-monastery", "bg-cap"), edition=edition)
    then(game, first_place(game), "pass")
    game.apply(first_place(game))
    assert "abbot mid" in names(game)
    assert "recall" not in names(game)


def test_abt_06_only_the_own_abbot_in_the_own_turn(edition):
    text = surrounded("garden", 5, "A abbot mid")
    assert "recall" in names(play(text, edition=edition))
    assert "recall" not in names(play(text.replace("A acts", "B acts"), edition=edition))
    assert "recall" not in names(play(text.replace(": A abbot mid", ""), edition=edition))


def test_abt_06_each_player_recalls_his_own_abbot(edition):
    text = surrounded("garden", 5, "A abbot mid") + "\nbg-monastery-road 2,0 r0: B abbot mid"
    game = play(
        text.replace("A acts", "B places bg-cap"), "bg-cap 3,0 r1", "recall", edition=edition
    )
    assert game.scores == (0, 4)  # its neighbours are at (1, 0), (1, 1) and (3, 0)
    assert figures(game) == {"A abbot 0,1 mid"}


@pytest.mark.rule("GAR-04")
def test_abt_06_the_tile_placed_in_this_turn_counts(edition):
    text = surrounded("garden", 5, "A abbot mid", turn="A places bg-straight")
    assert play(text, "bg-straight 0,2 r0", "recall", edition=edition).scores == (7, 0)
    assert play(text, "bg-straight 2,0 r0", "recall", edition=edition).scores == (6, 0)


#: All seven meeples of A are on the board, and A's abbot is in a garden with three neighbours.
NO_MEEPLES = """
    [carc_env position 1]
    [rules {n_players: 2, auto_single: false}]
    [scores 0:0]
    [turn A acts]
    bg-cap-straight 0,0 r0: A meeple N, A meeple E, A meeple En, A meeple Es
    bg-straight-garden 0,1 r0: A abbot mid, A meeple E, A meeple Es
    bg-junction 1,0 r0: A meeple E
    bg-straight -1,0 r0
    """


def test_abt_07_a_recall_needs_no_meeple_in_supply(edition):
    game = play(NO_MEEPLES, edition=edition)
    assert meeples(game, "A") == 0
    assert names(game) == {"recall", "pass"}
    game.apply("recall")
    assert game.scores == (4, 0)


def test_abt_07_a_recall_needs_no_empty_supply_either(edition):
    game = play(surrounded("garden", 2, "A abbot mid"), edition=edition)
    assert meeples(game, "A") == 7
    assert {"recall", "meeple E"} <= names(game)


@pytest.mark.parametrize("tile", ["bg-monastery", "bg-cap-garden"])
def test_abt_08_an_abbot_placed_this_turn_cannot_be_recalled_this_turn(tile, edition):
    game = fresh(tile, edition)
    assert "recall" not in names(game)
    game.apply("abbot mid")
    assert (game.phase, game.decider, game.scores) == (Phase.PLACE_TILE, 1, (0, 0))
    assert len(figures(game)) == 1
    assert all(name.startswith("bg-") for name in names(game))


@pytest.mark.parametrize("action", ["meeple E", "meeple Nw", "pass"])
def test_abt_09_after_a_meeple_or_nothing_there_is_no_recall(action):
    game = play(surrounded("garden", 3, "A abbot mid"), action)
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)
    assert "A abbot 0,1 mid" in figures(game)
    assert abbots(game, "A") == 0


def test_abt_09_after_a_recall_there_is_no_meeple_and_no_abbot():
    game = played(
        "bg-cap-straight 0,0 r0; bg-monastery-road 1,0 r0: A abbot mid",
        "bg-monastery 0,1 r0; recall",
    )
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)
    assert (figures(game), abbots(game, "A"), meeples(game, "A")) == (set(), 1, 7)
    assert game.scores == (3, 0)  # its neighbours are the start tile and the new monastery


def test_abt_10_the_recall_precedes_all_scoring_of_the_turn(edition):
    # A's tile completes B's road of three tiles; then A recalls the abbot.
    game = played(
        """
        bg-cap-straight 0,0 r0: B meeple E
        bg-straight-garden 0,1 r0: A abbot mid
        bg-junction -1,0 r0
        """,
        "bg-junction 1,0 r0; recall",
        edition=edition,
    )
    assert score_log(game) == [("A", 4, Kind.GARDEN), ("B", 3, Kind.ROAD)]
    assert game.scores == (4, 3)


@pytest.mark.rule("ABT-15")
def test_abt_11_a_recall_scores_the_abbot_not_the_feature(edition):
    text = surrounded("monastery", 4, "A abbot mid, B meeple mid, B meeple mid")
    game = play(text, "recall", edition=edition)
    assert score_log(game) == [("A", 5, Kind.MONASTERY)]
    assert game.scores == (5, 0)
    assert figures(game) == {"B meeple 0,1 mid"}
    assert (abbots(game, "A"), meeples(game, "B")) == (1, 5)


@pytest.mark.rule("ABT-12", "GAR-04")
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("n_neighbours", range(2, 8))
def test_abt_13_one_for_the_cell_and_one_for_each_neighbour(place, n_neighbours, edition):
    game = play(surrounded(place, n_neighbours, "A abbot mid"), "recall", edition=edition)
    assert score_log(game) == [("A", 1 + n_neighbours, PLACES[place])]
    assert game.scores == (1 + n_neighbours, 0)


def test_abt_13_whatever_kind_of_tile_the_neighbours_are():
    text = position(
        """
        bg-cap-straight 0,0 r0
        bg-straight-garden 0,1 r0: A abbot mid
        bg-cap-straight -1,0 r0; bg-curve 1,0 r0
        bg-monastery-road -1,1 r2; bg-crossroads 1,1 r0
        bg-monastery 0,2 r0; bg-cap-garden -1,2 r3
        """,
        rules="abbot_recall_completed: allow",
        turn="A places bg-curve-garden",
    )
    assert play(text, "bg-curve-garden 1,2 r2", "recall").scores == (9, 0)
    assert play(text, "bg-curve-garden 2,0 r2", "recall").scores == (8, 0)


@pytest.mark.parametrize("place", PLACES)
def test_abt_14_forbid_no_recall_from_a_place_that_this_tile_completed(place, edition):
    text = surrounded(place, 7, "A abbot mid", turn=f"A places {LAST_TILE[place]}")
    game = play(text, LAST_NEIGHBOUR[place], edition=edition)
    assert game.rules.abbot_recall_completed == "forbid"
    assert "recall" not in names(game)
    game.apply("pass")
    assert score_log(game) == [("A", 9, PLACES[place])]
    assert game.scores == (9, 0)


def test_abt_14_forbid_a_meeple_may_be_placed_in_the_turn_that_completes_the_place():
    text = surrounded("garden", 7, "A abbot mid", turn="A places bg-straight")
    game = play(text, LAST_NEIGHBOUR["garden"], "meeple E")
    assert game.scores == (9, 0)
    assert figures(game) == {"A meeple 1,2 E"}


@pytest.mark.rule("ABT-18")
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("move", ["recall", "pass"])
def test_abt_14_allow_the_place_scores_once_with_a_recall_or_without(place, move, edition):
    turn, rules = f"A places {LAST_TILE[place]}", "abbot_recall_completed: allow"
    text = surrounded(place, 7, "A abbot mid", turn=turn, rules=rules)
    game = play(text, LAST_NEIGHBOUR[place], move, edition=edition)
    assert score_log(game) == [("A", 9, PLACES[place])]
    assert (game.scores, abbots(game, "A"), figures(game)) == ((9, 0), 1, set())


def test_abt_14_forbid_concerns_only_the_place_with_the_abbot():
    # B's monastery is completed, but A's abbot is somewhere else.
    text = surrounded("monastery", 7, "B meeple mid", turn="A places bg-curve").replace(
        "bg-straight -1,0 r0", "bg-straight -1,0 r0\nbg-monastery-road -2,0 r2: A abbot mid"
    )
    game = play(text, LAST_NEIGHBOUR["monastery"], "recall")
    assert score_log(game) == [("A", 3, Kind.MONASTERY), ("B", 9, Kind.MONASTERY)]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("n_neighbours", [2, 5, 7])
def test_abt_16_at_the_end_an_abbot_scores_like_a_monk(place, n_neighbours, edition):
    game = play_to_the_end(surrounded(place, n_neighbours, "B abbot mid"), edition=edition)
    assert score_log(game) == [("B", 1 + n_neighbours, PLACES[place])]
    assert game.scores == (0, 1 + n_neighbours)


def test_abt_17_an_abbot_has_strength_one(edition):
    text = surrounded("monastery", 7, "A abbot mid, B meeple mid", turn="B places bg-curve")
    game = play(text, LAST_NEIGHBOUR["monastery"], "pass", edition=edition)
    assert game.scores == (9, 9)
    outnumbered = text.replace("B meeple mid", "B meeple mid, B meeple mid")
    game = play(outnumbered, LAST_NEIGHBOUR["monastery"], "pass", edition=edition)
    assert game.scores == (0, 9)
    assert (abbots(game, "A"), figures(game)) == (1, set())


@pytest.mark.rule("ABT-16")
def test_abt_17_at_the_end_too():
    text = surrounded("monastery", 4, "A abbot mid, B meeple mid")
    assert play_to_the_end(text).scores == (5, 5)


def test_abt_18_a_completed_garden_whose_abbot_was_recalled_scores_for_nobody():
    text = surrounded(
        "garden",
        7,
        "A abbot mid",
        turn="A places bg-straight",
        rules="abbot_recall_completed: allow",
    )
    # Nothing completes B's road, so only the recall may score.
    text = text.replace("bg-straight -1,0 r0", "bg-straight -1,0 r0: B meeple E")
    game = play(text, LAST_NEIGHBOUR["garden"], "recall")
    assert score_log(game) == [("A", 9, Kind.GARDEN)]
    assert game.scores == (9, 0)
    assert figures(game) == {"B meeple -1,0 E"}


def test_abt_20_a_recalled_abbot_takes_part_in_no_majority():
    # A and B have one meeple each. With the abbot, A has the majority; without it, they tie.
    text = surrounded(
        "monastery",
        7,
        "A abbot mid, A meeple mid, B meeple mid",
        turn="A places bg-curve",
        rules="abbot_recall_completed: allow",
    )
    assert play(text, LAST_NEIGHBOUR["monastery"], "pass").scores == (9, 0)
    game = play(text, LAST_NEIGHBOUR["monastery"], "recall")
    assert score_log(game)[0] == ("A", 9, Kind.MONASTERY)
    assert game.scores == (18, 9)


@pytest.mark.parametrize("switch", ["allow", "forbid"])
def test_abt_21_without_builders_the_switch_changes_nothing(switch):
    rules = f"abbot_recall_second_part: {switch}"
    game = fresh("bg-monastery", "C2", rules=rules)
    game.apply("abbot mid")
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)
    game = play(surrounded("garden", 3, "A abbot mid", rules=rules), "recall")
    assert game.scores == (4, 0)
