"""Intervals over runs and decks, ratings against anchors, and the deck-level results they need."""

import json
from dataclasses import replace

import anchors
import numpy as np
import pytest
from carc_env.agents.deck_rows import FIRST, packed, unpacked
from carc_env.agents.intervals import (
    gap_interval,
    iqm_interval,
    two_level_interval,
    weighted_mean,
)
from carc_env.agents.ratings import PRIOR_DECKS, rating_against
from carc_env.agents.task_results import (
    Result,
    Training,
    column_of,
    shares_in,
    table_of,
    track_of,
)

from carc_env.tasks import TASKS, task

pytestmark = pytest.mark.once

RATED = task("base-selfplay-v2")
FOUR = task("all-greedy-v2")


def interval(shares):
    return two_level_interval([weighted_mean(row[None]) for row in shares], shares.shape[1])


def test_an_interval_over_runs_and_decks_holds_what_it_promises():
    """An interval over runs alone is too narrow if decks matter."""
    rng, hits, narrow = np.random.default_rng(0), 0, 0
    for _ in range(60):
        decks, runs = rng.normal(0, 0.3, 60), rng.normal(0, 0.05, (12, 1))
        shares = 0.5 + decks + runs + rng.normal(0, 0.2, (12, 60))
        both, over_runs = interval(shares), iqm_interval(shares.mean(axis=1))
        hits += both.low <= 0.5 <= both.high
        narrow += over_runs.low <= 0.5 <= over_runs.high
    assert 0.9 < hits / 60 <= 1 and narrow / 60 < 0.7


def test_the_mean_over_line_ups_leaves_out_decks_that_one_has_not_played():
    mean = weighted_mean(np.array([[1, 0, 1], [0.5, 0.5, np.nan]]))
    assert mean(np.ones((1, 3))) == pytest.approx([(2 / 3 + 0.5) / 2])
    assert mean(np.array([[2.0, 0, 1]])) == pytest.approx([(1 + 0.5) / 2])


@pytest.mark.parametrize("n_runs", [1, 20])
def test_a_gap_is_between_means_over_rules_on_the_same_decks(n_runs):
    rng, hits = np.random.default_rng(3), 0
    for _ in range(60):
        decks, runs = rng.normal(0, 0.3, 80), rng.normal(0, 0.05, (n_runs, 1, 1))
        noise = [rng.normal(0, 0.3, (n_runs, n, 80)) for n in (3, 2)]
        trained, held_out = (0.6 + decks + runs + noise[0], 0.5 + decks + runs + noise[1])
        gap = gap_interval(trained, held_out)
        assert gap.value == pytest.approx(trained.mean() - held_out.mean(), abs=0.02)
        hits += gap.low <= 0.1 <= gap.high
    assert hits / 60 >= 0.88 and gap.high - gap.low < 0.2
    first = gap_interval(trained[:1], held_out[:1])
    assert gap_interval(trained[0], held_out[0]) == first
    with pytest.raises(ValueError, match="the same runs and decks"):
        gap_interval(trained, held_out[:, :, 1:])


def test_one_run_under_several_rules_has_an_interval_on_both_sides():
    """Prior decks, added once for all rules, would only shift it (50 decks each, 200 in total)."""
    asked, rng, above, below = task("mix-combinations-v1"), np.random.default_rng(4), 0, 0
    n = 50 * len(asked.test_rules)
    for _ in range(200):
        run = {"greedy": rng.binomial(2, 0.8, n) / 2}
        found = shares_in(asked, [run], ["greedy"])
        above, below = above + (found.low > 0.8), below + (found.high < 0.8)
    assert 0 < above <= 12 and 0 < below <= 12


@pytest.mark.parametrize("elo", [700, 1500, 1900])
def test_a_rating_finds_a_known_strength(elo):
    anchors = [1000, 1500, 1650]
    rng, n = np.random.default_rng(elo), 1_000
    p = 1 / (1 + 10 ** ((np.array(anchors)[:, None] - elo) / 400))
    rating = rating_against(rng.binomial(2, p, (3, n)) / 2, anchors)
    found = two_level_interval([rating], n + PRIOR_DECKS)
    assert found.value == pytest.approx(elo, abs=40) and found.low <= elo <= found.high
    assert 15 < found.high - found.low < 120


def test_who_wins_everything_has_a_finite_rating_that_grows_with_the_decks():
    values = [
        rating_against(np.ones((2, n)), [1000, 1500])(np.ones((1, n + PRIOR_DECKS)))[0]
        for n in (10, 100, 1_000)
    ]
    assert 1500 < values[0] < values[1] < values[2] < 4_000


def test_anchors_have_the_ratings_of_their_cross_tables():
    """At the likeliest ratings, each anchor wins as often as the model expects, up to rounding."""
    tables = json.loads(anchors.FILE.read_text(encoding="utf-8"))
    rated = [one for one in TASKS.values() if one.anchors]
    assert len(rated) == 5
    for one in rated:
        (name,) = [name for name, (of, _) in anchors.GAMES.items() if task(of).rules == one.rules]
        kept, (of, n_decks) = tables[name], anchors.GAMES[name]
        agents = task(of).rivals
        assert (kept["anchors"], kept["decks"]) == ([*agents], n_decks)
        assert "with changes" not in kept["commit"] and one.anchors["value"] == anchors.AT
        wins, elo = np.array(kept["wins"]), np.array([one.anchors[agent] for agent in agents])
        expected = (wins + wins.T) / (1 + 10 ** ((elo - elo[:, None]) / 400))
        assert wins.sum(1) == pytest.approx(expected.sum(1), rel=0.005, abs=0.5)


def result_on(asked, seed=0, better=0):
    """Return a result of made-up scores that differ a little by seed and more by deck."""
    rng = np.random.default_rng(seed)
    n = asked.env_rules.n_players
    scores = rng.integers(60, 90, (len(asked.met), 8, n, n))
    scores[..., 0] += better
    return Result(
        task=asked.name,
        fingerprint=asked.fingerprint,
        carc_env="0.3.0",
        agent="Mine",
        word="mine",
        training=Training(seed=seed, weights="none", data="none"),
        scores=dict(zip(asked.met, scores.tolist(), strict=True)),
        regrets=[0.0, 1.25] if asked.endgames else [],
        ms=3.0,
    )


@pytest.mark.parametrize("asked", [RATED, FOUR], ids=lambda one: one.name)
def test_results_on_decks_are_kept_in_a_few_characters(asked):
    result = result_on(asked)
    found = result.by_deck()
    regrets = found.pop("regrets", None)
    cells = packed(asked, found, result.regrets)
    assert len(cells[asked.rivals[0]]) == 8
    assert (column_of(asked, "greedy") == f"greedy{FIRST}") == (asked is FOUR)
    again = unpacked(asked, cells)
    assert regrets is None or again.pop("regrets").tolist() == regrets.tolist()
    assert again.keys() == found.keys()
    for name, values in found.items():
        assert again[name] == pytest.approx(values)
        assert values.mean() == pytest.approx(again[name].mean())
    for rival, summary in result.summary().items():
        assert found[column_of(asked, rival)].mean() == pytest.approx(summary.win_rate.value)


def test_a_table_with_ratings_shows_track_and_sources_and_held_out_opponents_apart():
    runs = [result_on(RATED, seed, better=5) for seed in range(5)]
    head, row = table_of(runs)
    cells = dict(zip(head, row, strict=True))
    assert "% won, `thrifty`" not in cells and "% won, `insight`" in cells
    assert float(cells["rating"].partition(" ")[0]) > 1500
    assert [cells[name] for name in head[-4:]] == ["3", "100 ms", "none", "none"]
    held_out, apart = table_of(runs, held_out=True)
    assert held_out[4:] == ["% won, `thrifty`", "% won, `farmer`", "% won, `blocker`"]
    assert len(apart) == len(held_out)


def test_better_play_has_a_higher_rating_with_four_players_too():
    low, high = (result_on(FOUR, better=n).rating.value for n in (0, 10))
    assert high > low + 100
    assert "rating" in result_on(FOUR).to_dict()


def test_tracks_are_by_the_time_for_a_decision():
    assert [*map(track_of, (0.1, 1.05, 1.2, 100, 999, 2_000))] == [
        *("1 ms", "1 ms", "100 ms", "100 ms", "1 s", "slower")
    ]


def test_version_2_has_the_training_of_version_1_and_opponents_that_no_training_meets():
    rated = [one for one in TASKS.values() if one.anchors]
    for one in rated:
        assert one.first.name == one.name.replace("-v2", "-v1")
        assert one.training == one.first.training
        assert one.held_out == ("thrifty", "farmer", "blocker")
        assert {*one.anchors} == {*one.rivals}
    assert not {one.opponents for one in TASKS.values()} & {*rated[0].held_out}
    other = replace(rated[0], budgets=(3,))
    assert other.first is other
