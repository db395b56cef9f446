"""Ratings and sequential tests on simulated games between agents of known strength."""

import math

import numpy as np
import pytest
from carc_env.agents.arena import Played
from carc_env.agents.intervals import Estimate
from carc_env.agents.ratings import PRIOR, fit, ratings, wins_by_deck
from carc_env.agents.sprt import Sequence, Sprt, log_likelihood_ratio, share_at

pytestmark = pytest.mark.once

ELO = {"a": 0.0, "b": 100.0, "c": 300.0}


def made_up(rng, line_up, deck, elo):
    """Return a deck with random points: the stronger agent has more as often as the model says."""
    n = len(line_up)
    noise = rng.gumbel(size=(n, n)) * 400 / math.log(10)
    points = np.array([elo[name] for name in line_up]) + noise
    return Played(line_up, deck, points.astype(int).tolist(), [1] * n, [0.0] * n, [0.0] * n)


def tournament(rng, n_decks, n_seats):
    pairs = [(a, b) for a in ELO for b in ELO if a < b]
    return [
        made_up(rng, (a, *[b] * (n_seats - 1)), deck, ELO)
        for deck in range(n_decks)
        for a, b in pairs
    ]


@pytest.mark.parametrize("n_seats", [2, 4])
def test_ratings_find_known_strengths(n_seats):
    pytest.importorskip("choix")
    rng = np.random.default_rng(20 + n_seats)
    found = ratings(wins_by_deck(tournament(rng, 400, n_seats), [*ELO]), zero=0)
    for estimate, elo in zip(found, ELO.values(), strict=True):
        assert estimate.value == pytest.approx(elo, abs=40)
        assert estimate.low <= elo <= estimate.high
        assert estimate.high - estimate.low < 120
    assert found[0].low == found[0].high == 0


def test_intervals_of_ratings_hold_what_they_promise():
    pytest.importorskip("choix")
    rng = np.random.default_rng(1)
    hits = []
    for _ in range(20):
        _, _, c = ratings(wins_by_deck(tournament(rng, 40, 2), [*ELO]), zero=0)
        hits.append(c.low <= ELO["c"] <= c.high)
    assert sum(hits) >= 16


def test_who_wins_everything_has_a_rating_with_an_end():
    """The near end is the bound after 200 won decks: a loss rate of 1 - 0.025 ** (1 / 200)."""
    pytest.importorskip("choix")
    wins = np.zeros((200, 2, 2))
    wins[:, 0, 1] = 2
    strong, weak = ratings(wins, zero=0)
    assert strong == Estimate(0, 0, 0)
    assert weak.value == pytest.approx(-400 * math.log10((200 + PRIOR) / PRIOR))
    lost = 1 - 0.025 ** (1 / 200)
    assert weak.high == pytest.approx(400 * math.log10(lost / (1 - lost)), abs=40)
    assert -2000 < weak.low < weak.value - 300


def test_more_who_win_everything_tell_nothing_more_of_who_loses():
    pytest.importorskip("choix")
    wins = np.zeros((200, 4, 4))
    wins[:, 0, 1:] = 2
    wins[:, 1:, 1:] = 1 - np.eye(3)
    one_of_three = ratings(wins, zero=1)[0]
    alone = ratings(wins[:, :2, :2], zero=1)[0]
    assert one_of_three.low == pytest.approx(alone.low + 400 * math.log10(3), abs=80)


def test_equal_points_are_half_a_win_each():
    decks = [
        Played(
            ("a", "b", "b"), 7, [[5, 5, 4], [1, 2, 3], [6, 2, 6]], [1] * 3, [0.0] * 3, [0.0] * 3
        ),
        Played(("b", "a", "a"), 3, [[1, 0, 0]] * 3, [1] * 3, [0.0] * 3, [0.0] * 3),
    ]
    np.testing.assert_array_equal(
        wins_by_deck(decks, ["a", "b"]), [[[0, 0], [6, 0]], [[0, 3], [3, 0]]]
    )


def test_the_fit_is_that_of_the_formula_for_two():
    pytest.importorskip("choix")
    strong, weak = fit(np.array([[0.0, 30.0], [10.0, 0.0]]))
    assert strong - weak == pytest.approx(math.log(3))


# Sequential tests.


def test_shares_of_elo():
    assert share_at(0, 2) == 0.5
    assert share_at(0, 4) == 0.25
    assert share_at(400, 2) == pytest.approx(10 / 11)


def test_the_ratio_of_single_games_is_that_of_coins():
    """If all shares are 0 or 1, the distributions have one parameter, as in Wald's usual ratio."""
    values, counts = np.array([0.0, 1.0]), np.array([30.0, 50.0])
    wald = 50 * math.log(0.55 / 0.5) + 30 * math.log(0.45 / 0.5)
    assert log_likelihood_ratio(values, counts, 0.5, 0.55) == pytest.approx(wald)


@pytest.mark.parametrize(("mean", "right"), [("elo0", "elo0"), ("elo1", "elo1")])
def test_a_sequential_test_errs_as_rarely_as_it_says(mean, right):
    """With 80 tests at 5%, four errors are expected; more than 10 occur once in 300 times."""
    rng = np.random.default_rng(11)
    sprt = Sprt(0, 60)
    decisions, lengths = [], []
    for _ in range(80):
        test = Sequence(sprt, 2)
        share = share_at(getattr(sprt, mean), 2)
        for x in rng.choice([0, 0.25, 0.5, 0.75, 1], size=4000, p=pentanomial(share)):
            test.add(x)
            if test.decision is not None:
                break
        decisions.append(test.decision)
        lengths.append(test.n_decks)
    assert None not in decisions
    assert sum(decision != right for decision in decisions) <= 10
    assert np.mean(lengths) < 300


def pentanomial(mean):
    """Return probabilities of a deck's five shares with a given mean; its games are correlated."""
    base = np.array([0.2, 0.1, 0.4, 0.1, 0.2])
    values = np.array([0, 0.25, 0.5, 0.75, 1])
    tilted = base * (1 + (mean - 0.5) / (base @ (values - 0.5) ** 2) * (values - 0.5))
    assert tilted @ values == pytest.approx(mean)
    return tilted


def test_after_the_decision_nothing_changes():
    test = Sequence(Sprt(0, 100), 2)
    for _ in range(1000):
        test.add(1.0)
    assert test.decision == "elo1"
    assert test.n_decks < 50
    assert test.llr >= test.sprt.bounds[1]


@pytest.mark.parametrize(
    ("settings", "words"),
    [((5, 5), "elo0 must be less than elo1"), ((0, 5, 0.5), "alpha must be between 0 and 0.5")],
)
def test_hypotheses_that_make_no_sense(settings, words):
    with pytest.raises(ValueError, match=words):
        Sprt(*settings)
