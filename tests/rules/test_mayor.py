"""MAY: the mayor, a knight as strong as his city has coats of arms."""

import pytest

from carc_env.engine.core.codes import Figure, Kind, Phase
from carc_env.game.game import Game
from carc_env.rules import Rules

from .scenario import (
    ABBEY_TILES,
    BASE_TILES,
    figures,
    first_place,
    in_supply,
    meeples,
    names,
    offered,
    play,
    score_log,
    sides_with,
    targets,
)

HEAD = """
    [carc_env position 1]
    [rules {n_players: 2, sets: [base, abbey], mayors: true, wagons: true, auto_single: false}]
    [scores 0:0]
    """


def mayors(game, seat):
    return in_supply(game, seat, Figure.MAYOR)


@pytest.mark.rule("MAY-01")
@pytest.mark.parametrize("n_players", [2, 6])
def test_may_01_every_player_has_one_mayor(n_players):
    game = Game(Rules(n_players=n_players, mayors=True), seed=1)
    assert [mayors(game, seat) for seat in "ABCDEF"[:n_players]] == [1] * n_players
    assert meeples(game, "A") == 7
    assert mayors(Game(Rules(), seed=1), "A") == 0


@pytest.mark.rule("MAY-01")
def test_may_01_a_mayor_is_placed_counts_and_returns_like_a_meeple():
    text = f"""{HEAD}
        [turn A places bg-span-shield]
        bg-cap-straight 0,0 r0
        """
    game = play(text, "bg-span-shield 0,-1 r0", bag=("bg-cap", "bg-cap"))
    assert "mayor N" in names(game)
    game.apply("mayor N")
    assert (figures(game), mayors(game, "A")) == ({"A mayor 0,-1 N"}, 0)
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)
    game.apply("bg-cap 0,-2 r2")
    game.apply("pass")
    assert score_log(game) == [("A", 8, Kind.CITY)]
    assert (game.scores, mayors(game, "A"), figures(game)) == ((8, 0), 1, set())


@pytest.mark.rule("MAY-01")
def test_may_01_a_mayor_on_the_board_is_not_offered_a_second_time():
    text = f"""{HEAD}
        [turn A places bg-cap]
        bg-cap-straight 0,0 r0: A mayor N
        """
    assert offered(play(text, "bg-cap 0,1 r1"), "mayor") == set()
    assert offered(play(text.replace("A mayor", "B mayor"), "bg-cap 0,1 r1"), "mayor") == {"E"}


@pytest.mark.rule("MAY-02")
@pytest.mark.parametrize("tile", [*BASE_TILES, *ABBEY_TILES])
def test_may_02_a_mayor_goes_on_cities_and_on_nothing_else(tile):
    edition = "C1, abbot: false" if tile == "am-road-end" else "C2"
    rules = f"n_players: 2, sets: [base, abbey], edition: {edition}, mayors: true"
    text = f"""
        [carc_env position 1]
        [rules {{{rules}, auto_single: false}}]
        [scores 0:0]
        [turn A places {tile}]
        bg-cap-straight 0,0 r0
        """
    game = play(text)
    game.apply(first_place(game))
    cities = offered(game, "meeple") & sides_with(game, "C")
    assert offered(game, "mayor") == cities
    assert bool(cities) == ("C" in (BASE_TILES | ABBEY_TILES)[tile].edges)


@pytest.mark.rule("MAY-02", "MAY-03", "MAY-04", "WAG-01")
@pytest.mark.parametrize("knight", ["meeple", "mayor", "wagon"])
@pytest.mark.parametrize("owner", ["A", "B"])
def test_may_02_a_city_with_any_knight_takes_no_other_figure(owner, knight):
    text = f"""{HEAD}
        [turn A places bg-span]
        bg-cap-straight 0,0 r0: {owner} {knight} N
        """
    game = play(text, "bg-span 0,-1 r0")
    assert names(game) == {"meeple En", "meeple Ws", "pass"}
    free = play(text.replace(f": {owner} {knight} N", ""), "bg-span 0,-1 r0")
    assert {"meeple N", "mayor N", "wagon N"} <= names(free)


@pytest.mark.rule("MAY-03", "MAY-04")
@pytest.mark.parametrize("knight", ["mayor", "wagon"])
def test_may_03_the_knight_may_be_far_away_in_the_same_city(knight):
    text = f"""{HEAD}
        [turn A places bg-caps-adjacent]
        bg-cap-straight 0,0 r0: B {knight} N
        bg-span 0,-1 r0
        bg-span-shield 0,-2 r0
        bg-city3 0,-3 r0
        """
    game = play(text, "bg-caps-adjacent 0,-4 r1")
    assert (offered(game, "mayor"), offered(game, "wagon")) == ({"E"}, {"E"})
    assert offered(game, "meeple") == {"E", "Nw"}


def five_tiles(ours, theirs, last="bg-cap"):
    """A city of five tiles with two coats of arms on one of them, perhaps a third one above."""
    return f"""{HEAD}
        [turn A places bg-cap]
        bg-cap-straight 0,0 r0: {ours}
        am-city4-two-shields 0,-1 r0
        {last} 0,-2 r2: {theirs}
        bg-cap 1,-1 r3
        """


@pytest.mark.rule("MAY-05")
@pytest.mark.parametrize(("n_theirs", "scores"), [(2, (16, 0)), (3, (16, 16)), (4, (0, 16))])
def test_may_05_every_coat_of_arms_of_the_city_counts(n_theirs, scores):
    theirs = ", ".join(["B meeple S"] * n_theirs)
    text = five_tiles("A mayor N", theirs, last="am-cap-triangle-shield")
    game = play(text, "bg-cap -1,-1 r1", "pass")
    assert game.scores == scores
    assert (mayors(game, "A"), meeples(game, "B"), figures(game)) == (1, 7, set())


@pytest.mark.rule("MAY-05")
def test_may_05_the_coats_of_arms_at_the_moment_of_scoring_count():
    # When the mayor came, his city had none; the tile that completes it brings the first.
    text = f"""{HEAD}
        [turn A places am-cap-triangle-shield]
        bg-cap-straight 0,0 r0: A mayor N
        bg-span 0,-1 r0: B meeple N
        """
    game = play(text, "am-cap-triangle-shield 0,-2 r2", "pass")
    assert game.scores == (8, 8)


@pytest.mark.rule("MAY-05")
def test_may_05_coats_of_arms_of_other_cities_do_not_count():
    # The two cities cross on one tile; the coat of arms belongs to the other one.
    text = f"""{HEAD}
        [turn A places bg-cap]
        bg-cap-straight 0,0 r0: A mayor N
        am-spans-crossing-shield 0,-1 r1
        """
    assert play(text, "bg-cap 0,-2 r2", "pass").scores == (0, 0)
    own = text.replace("0,-1 r1", "0,-1 r0")
    assert play(own, "bg-cap 0,-2 r2", "pass").scores == (8, 0)


@pytest.mark.rule("MAY-06", "WAG-01")
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
    text = five_tiles("A mayor N, B meeple E", theirs, last="am-cap-triangle-shield")
    game = play(text, "bg-cap -1,-1 r1", "pass")
    assert game.scores == scores


@pytest.mark.rule("MAY-06")
def test_may_06_two_mayors_have_the_same_strength():
    text = five_tiles("A mayor N", "B mayor S")
    game = play(text, "bg-cap -1,-1 r1", "pass")
    assert (game.scores, mayors(game, "A"), mayors(game, "B")) == ((14, 14), 1, 1)


@pytest.mark.rule("MAY-07")
@pytest.mark.parametrize(("n_theirs", "scores"), [(2, (14, 0)), (3, (14, 14)), (4, (0, 14))])
def test_may_07_mayor_and_meeple_of_one_player_add_up(n_theirs, scores):
    theirs = ", ".join(["B meeple S"] * n_theirs)
    text = five_tiles("A mayor N, A meeple N", theirs)
    assert play(text, "bg-cap -1,-1 r1", "pass").scores == scores


#: The booklet's city: seven tiles, three coats of arms, a mayor against two meeples.
BOOKLET = f"""{HEAD}
    [turn B places bg-cap]
    bg-cap-straight 0,0 r0: A mayor N
    bg-span-shield 0,-1 r0
    bg-span-shield 0,-2 r0
    bg-corner-shield 0,-3 r1: B meeple E
    bg-corner 1,-3 r2: B meeple S
    bg-span 1,-2 r0
    """


@pytest.mark.rule("MAY-08", "MAY-05")
def test_may_08_the_booklets_city_of_seven_tiles_pays_twenty_to_the_mayor_alone():
    game = play(BOOKLET, "bg-cap 1,-1 r0", "pass")
    assert score_log(game) == [("A", 20, Kind.CITY)]
    assert game.scores == (20, 0)
    assert (mayors(game, "A"), meeples(game, "B")) == (1, 7)


@pytest.mark.rule("MAY-08")
def test_may_08_without_the_mayor_the_city_is_worth_the_same():
    game = play(BOOKLET.replace(": A mayor N", ""), "bg-cap 1,-1 r0", "pass")
    assert game.scores == (0, 20)


#: A city that will have four tiles and no coat of arms.
PLAIN = f"""{HEAD}
    [turn B places bg-cap]
    bg-cap-straight 0,0 r0: A mayor N
    bg-span 0,-1 r0
    bg-corner 0,-2 r1
    """


@pytest.mark.rule("MAY-09", "MAY-12")
def test_may_09_without_coats_of_arms_he_occupies_the_city_but_scores_nothing():
    game = play(PLAIN, "bg-cap 1,-2 r3")
    assert "meeple W" not in names(game)
    assert offered(game, "meeple") == {"Nw"}
    assert (offered(game, "mayor"), offered(game, "wagon")) == (set(), set())
    game.apply("pass")
    assert game.scores == (0, 0)
    assert (mayors(game, "A"), figures(game)) == (1, set())


@pytest.mark.rule("MAY-10", "MAY-12")
def test_may_10_several_mayors_without_coats_of_arms_score_nothing():
    text = PLAIN.replace("bg-corner 0,-2 r1", "bg-corner 0,-2 r1: B mayor E")
    game = play(text, "bg-cap 1,-2 r3", "pass")
    assert game.scores == (0, 0)
    assert (mayors(game, "A"), mayors(game, "B"), figures(game)) == (1, 1, set())


@pytest.mark.rule("MAY-11", "MAY-12")
@pytest.mark.parametrize("rival", ["wagon", "meeple"])
def test_may_11_a_strength_of_zero_never_ties_with_one(rival):
    # Around the last tile there is nothing that a scored wagon could move to.
    text = PLAIN.replace("bg-corner 0,-2 r1", f"bg-corner 0,-2 r1: B {rival} E")
    game = play(text, "bg-cap 1,-2 r3", "pass")
    assert score_log(game) == [("B", 8, Kind.CITY)]
    assert (game.scores, mayors(game, "A"), figures(game)) == ((0, 8), 1, set())


@pytest.mark.rule("MAY-12")
def test_may_12_a_mayor_who_lost_the_majority_returns_too():
    game = play(five_tiles("A mayor N", "B meeple S, B meeple S, B meeple S"), "bg-cap -1,-1 r1")
    assert mayors(game, "A") == 0
    game.apply("pass")
    assert (game.scores, mayors(game, "A"), figures(game)) == ((0, 14), 1, set())


#: Three tiles of an open city.
OPEN = """{head}
    [turn A acts]
    bg-cap-straight 0,0 r0: {figures}
    {middle} 0,-1 r0
    bg-city3 0,-2 r0
    """


@pytest.mark.rule("MAY-13")
@pytest.mark.parametrize(
    ("middle", "figures", "scores"),
    [
        ("bg-span-shield", "A mayor N, B meeple N", (4, 4)),
        ("bg-span-shield", "A mayor N, B meeple N, B meeple N", (0, 4)),
        ("bg-span-shield", "A mayor N", (4, 0)),
        ("bg-span", "A mayor N, B meeple N", (0, 3)),
        ("bg-span", "A mayor N", (0, 0)),
        ("bg-span", "A mayor N, B mayor N", (0, 0)),
    ],
)
def test_may_13_the_same_strength_in_the_final_scoring(middle, figures, scores):
    game = play(OPEN.format(head=HEAD, middle=middle, figures=figures))
    assert (game.scores, game.standings) == ((0, 0), scores)
    game = play(OPEN.format(head=HEAD, middle=middle, figures=figures), "pass", bag=())
    assert game.is_over
    assert game.scores == scores


@pytest.mark.rule("MAY-14")
def test_may_14_a_coat_of_arms_gives_two_points_but_one_strength():
    text = f"""{HEAD}
        [turn A places bg-cap]
        bg-cap-straight 0,0 r0: A mayor N
        bg-span-shield 0,-1 r0: B meeple N, B meeple N
        """
    assert play(text, "bg-cap 0,-2 r2", "pass").scores == (0, 8)
    tie = text.replace("B meeple N, B meeple N", "B meeple N")
    assert play(tie, "bg-cap 0,-2 r2", "pass").scores == (8, 8)


@pytest.mark.rule("MAY-03", "WAG-09")
@pytest.mark.parametrize(("knight", "targets_there"), [("B mayor", set()), (None, {"1,0 N"})])
def test_may_03_a_wagon_does_not_move_to_the_city_of_a_mayor(knight, targets_there):
    text = f"""{HEAD}
        [turn A acts]
        bg-cap-straight 0,0 r0: A wagon N, B meeple E
        bg-cap-straight 1,0 r0{f": {knight} N" if knight else ""}
        bg-cap 0,-1 r2
        """
    assert targets(play(text, "pass")) == targets_there
