"""MAY: the mayor, a knight whose strength is the number of coats of arms in the city."""

import pytest

from carc_env.engine.core.codes import Kind, Phase

from .looks import figures, mayors, meeples, names, offered, score_log, targets
from .positions import START_LINE, Table, then

TABLE = Table("mayors: true, wagons: true", sets="base, abbey")
played, at_the_end = TABLE.played, TABLE.at_the_end


def test_may_01_a_mayor_is_placed_counts_and_returns_like_a_meeple():
    game = played(START_LINE, "bg-span-shield 0,-1 r0", bag=("bg-cap", "bg-cap"))
    assert "mayor N" in names(game)
    game.apply("mayor N")
    assert (figures(game), mayors(game, "A")) == ({"A mayor 0,-1 N"}, 0)
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)
    then(game, "bg-cap 0,-2 r2; pass")
    assert score_log(game) == [("A", 8, Kind.CITY)]
    assert (game.scores, mayors(game, "A"), figures(game)) == ((8, 0), 1, set())


@pytest.mark.parametrize(("owner", "spots"), [("A", set()), ("B", {"E"})])
def test_may_01_a_mayor_on_the_board_is_not_offered_a_second_time(owner, spots):
    game = played(f"bg-cap-straight 0,0 r0: {owner} mayor N", "bg-cap 0,1 r1")
    assert offered(game, "mayor") == spots


@pytest.mark.rule("MAY-03", "MAY-04", "WAG-01")
@pytest.mark.parametrize("knight", ["meeple", "mayor", "wagon"])
@pytest.mark.parametrize("owner", ["A", "B"])
def test_may_02_a_city_with_any_knight_takes_no_other_figure(owner, knight):
    game = played(f"bg-cap-straight 0,0 r0: {owner} {knight} N", "bg-span 0,-1 r0")
    assert names(game) == {"meeple En", "meeple Ws", "pass"}
    assert {"meeple N", "mayor N", "wagon N"} <= names(played(START_LINE, "bg-span 0,-1 r0"))


@pytest.mark.rule("MAY-04")
@pytest.mark.parametrize("knight", ["mayor", "wagon"])
def test_may_03_the_knight_may_be_far_away_in_the_same_city(knight):
    game = played(
        f"""
        bg-cap-straight 0,0 r0: B {knight} N
        bg-span 0,-1 r0
        bg-span-shield 0,-2 r0
        bg-city3 0,-3 r0
        """,
        "bg-caps-adjacent 0,-4 r1",
    )
    assert (offered(game, "mayor"), offered(game, "wagon")) == ({"E"}, {"E"})
    assert offered(game, "meeple") == {"E", "Nw"}


def five_tiles(ours, theirs, last="bg-cap"):
    """Return a five-tile city without its last tile; one tile has two coats of arms.

    ``last`` may be a tile with a third coat of arms.
    """
    return f"""
        bg-cap-straight 0,0 r0: {ours}
        am-city4-two-shields 0,-1 r0
        {last} 0,-2 r2: {theirs}
        bg-cap 1,-1 r3
        """


#: The tile that completes the city of :func:`five_tiles`.
FIFTH = "bg-cap -1,-1 r1"
THIRD_COAT = "am-cap-triangle-shield"


@pytest.mark.parametrize(("n_theirs", "scores"), [(2, (16, 0)), (3, (16, 16)), (4, (0, 16))])
def test_may_05_every_coat_of_arms_of_the_city_counts(n_theirs, scores):
    theirs = ", ".join(["B meeple S"] * n_theirs)
    game = played(five_tiles("A mayor N", theirs, last=THIRD_COAT), FIFTH, "pass")
    assert game.scores == scores
    assert (mayors(game, "A"), meeples(game, "B"), figures(game)) == (1, 7, set())


def test_may_05_the_coats_of_arms_at_the_moment_of_scoring_count():
    # The mayor's city has no coat of arms until the tile that completes it adds the first one.
    tiles = ("bg-cap-straight 0,0 r0: A mayor N", "bg-span 0,-1 r0: B meeple N")
    assert played(tiles, "am-cap-triangle-shield 0,-2 r2; pass").scores == (8, 8)


@pytest.mark.parametrize(("rotation", "scores"), [("r1", (0, 0)), ("r0", (8, 0))])
def test_may_05_coats_of_arms_of_other_cities_do_not_count(rotation, scores):
    # Two cities cross on one tile; only one of them has its coat of arms.
    tiles = ("bg-cap-straight 0,0 r0: A mayor N", f"am-spans-crossing-shield 0,-1 {rotation}")
    assert played(tiles, "bg-cap 0,-2 r2; pass").scores == scores


@pytest.mark.rule("WAG-01")
@pytest.mark.parametrize(
    ("theirs", "scores"),
    [
        ("B wagon S, B meeple S, B meeple S", (16, 16)),
        ("B wagon S, B meeple S", (16, 0)),
        ("B wagon S", (16, 0)),
        ("B wagon S, B meeple S, B meeple S, B meeple S", (0, 16)),
    ],
)
def test_may_06_wagons_and_meeples_have_strength_one_each(theirs, scores):
    tiles = five_tiles("A mayor N, B meeple E", theirs, last=THIRD_COAT)
    assert played(tiles, FIFTH, "pass").scores == scores


def test_may_06_two_mayors_have_the_same_strength():
    game = played(five_tiles("A mayor N", "B mayor S"), FIFTH, "pass")
    assert (game.scores, mayors(game, "A"), mayors(game, "B")) == ((14, 14), 1, 1)


@pytest.mark.parametrize(("n_theirs", "scores"), [(2, (14, 0)), (3, (14, 14)), (4, (0, 14))])
def test_may_07_mayor_and_meeple_of_one_player_add_up(n_theirs, scores):
    theirs = ", ".join(["B meeple S"] * n_theirs)
    assert played(five_tiles("A mayor N, A meeple N", theirs), FIFTH, "pass").scores == scores


@pytest.mark.rule("MAY-05")
@pytest.mark.parametrize(("mayor", "winner"), [("A mayor N", "A"), ("", "B")])
def test_may_08_the_booklets_city_pays_twenty_to_the_mayor_alone(mayor, winner):
    # Seven tiles, three coats of arms, a mayor against two meeples. Without the mayor, they score.
    tiles = f"""
        bg-cap-straight 0,0 r0: {mayor}
        bg-span-shield 0,-1 r0
        bg-span-shield 0,-2 r0
        bg-corner-shield 0,-3 r1: B meeple E; bg-corner 1,-3 r2: B meeple S
        bg-span 1,-2 r0
        """
    game = played(tiles, "bg-cap 1,-1 r0; pass", seat="B")
    assert score_log(game) == [(winner, 20, Kind.CITY)]
    assert (mayors(game, "A"), meeples(game, "B")) == (1, 7)


#: A city that will have four tiles and no coat of arms, and its last tile.
PLAIN = ("bg-cap-straight 0,0 r0: A mayor N", "bg-span 0,-1 r0", "bg-corner 0,-2 r1")
LAST_OF_PLAIN = "bg-cap 1,-2 r3"


@pytest.mark.rule("MAY-12")
def test_may_09_without_coats_of_arms_he_occupies_the_city_but_scores_nothing():
    game = played(PLAIN, LAST_OF_PLAIN, seat="B")
    assert offered(game, "meeple") == {"Nw"}
    assert (offered(game, "mayor"), offered(game, "wagon")) == (set(), set())
    game.apply("pass")
    assert game.scores == (0, 0)
    assert (mayors(game, "A"), figures(game)) == (1, set())


@pytest.mark.rule("MAY-10", "MAY-12")
@pytest.mark.parametrize(
    ("rival", "log"),
    [
        ("mayor", []),
        # A scored wagon has nowhere to move to around the last tile.
        ("wagon", [("B", 8, Kind.CITY)]),
        ("meeple", [("B", 8, Kind.CITY)]),
    ],
)
def test_may_11_a_strength_of_zero_scores_nothing_and_never_ties_with_one(rival, log):
    game = played((*PLAIN[:2], f"{PLAIN[2]}: B {rival} E"), LAST_OF_PLAIN, "pass", seat="B")
    assert (score_log(game), game.scores[0]) == (log, 0)
    assert (mayors(game, "A"), mayors(game, "B"), figures(game)) == (1, 1, set())


def test_may_12_a_mayor_who_lost_the_majority_returns_too():
    game = played(five_tiles("A mayor N", "B meeple S, B meeple S, B meeple S"), FIFTH)
    assert mayors(game, "A") == 0
    game.apply("pass")
    assert (game.scores, mayors(game, "A"), figures(game)) == ((0, 14), 1, set())


@pytest.mark.parametrize(
    ("middle", "figures_there", "scores"),
    [
        ("bg-span-shield", "A mayor N, B meeple N", (4, 4)),
        ("bg-span-shield", "A mayor N, B meeple N, B meeple N", (0, 4)),
        ("bg-span-shield", "A mayor N", (4, 0)),
        ("bg-span", "A mayor N, B meeple N", (0, 3)),
        ("bg-span", "A mayor N", (0, 0)),
        ("bg-span", "A mayor N, B mayor N", (0, 0)),
    ],
)
def test_may_13_the_same_strength_in_the_final_scoring(middle, figures_there, scores):
    tiles = (f"bg-cap-straight 0,0 r0: {figures_there}", f"{middle} 0,-1 r0", "bg-city3 0,-2 r0")
    assert played(tiles).scores == (0, 0)
    assert at_the_end(tiles) == scores


@pytest.mark.parametrize(
    ("theirs", "scores"), [("B meeple N, B meeple N", (0, 8)), ("B meeple N", (8, 8))]
)
def test_may_14_a_coat_of_arms_gives_two_points_but_one_strength(theirs, scores):
    tiles = ("bg-cap-straight 0,0 r0: A mayor N", f"bg-span-shield 0,-1 r0: {theirs}")
    assert played(tiles, "bg-cap 0,-2 r2; pass").scores == scores


@pytest.mark.rule("WAG-09")
@pytest.mark.parametrize(("knight", "targets_there"), [("B mayor N", set()), ("", {"1,0 N"})])
def test_may_03_a_wagon_does_not_move_to_the_city_of_a_mayor(knight, targets_there):
    tiles = f"""
        bg-cap-straight 0,0 r0: A wagon N, B meeple E; bg-cap-straight 1,0 r0: {knight}
        bg-cap 0,-1 r2
        """
    assert targets(played(tiles, "pass")) == targets_there
