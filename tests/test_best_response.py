"""Recipes that learn to beat other agents: a best response, and a population of them (PSRO)."""

import json
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: install carc_env[train]")

from carc_env.agents import make_agent  # noqa: E402
from carc_env.agents.figures import draw_population  # noqa: E402
from carc_env.agents.recipes import best_response, psro, td  # noqa: E402

from carc_env import AfterstateEncoder, Rules, Table  # noqa: E402

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("one_thread")]

SHORT = ["--games", "8", "--replay", "128", "--batch", "32", "--eval-games", "4"]
TASK = ["--task", "short-greedy-v1"]


class Noted:
    """Plays greedily and records the games and seats in which it was asked."""

    def __init__(self):
        self.asked = []

    def act(self, table):
        self.asked.append((table.states.ctypes.data, table.decider))
        return table.greedy_action()


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs a recipe in the test's folder and returns its log."""

    def go(recipe, *options):
        given = ["recipe.py", "--folder", str(tmp_path), *SHORT, *map(str, options)]
        monkeypatch.setattr(sys, "argv", given)
        recipe.main()
        return [json.loads(row) for row in (tmp_path / "log.jsonl").read_text().splitlines()]

    return go


def test_agents_play_all_seats_but_one_and_only_the_response_learns():
    a = best_response.Settings(games=6)
    encoder = AfterstateEncoder(Rules(view=12, deck_size=9, n_players=3))
    judge = td.Judge(td.Net(encoder, a), encoder, a)
    rivals, rng = [Noted(), Noted(), Noted()], np.random.default_rng(1)
    shares = [0.5, 0.5, 0.0]
    games = best_response.Games(judge, lambda rng: encoder.rules, a, rng, rivals, shares)
    samples, seats, of = [], set(), {}
    for _ in range(12):
        for k, table in enumerate(games.tables):
            assert table.decider == games.seats[k]
            seats.add(games.seats[k])
            of[table.states.ctypes.data] = k
        at = {id(rival): len(rival.asked) for rival in rivals}
        before, playing = [len(trace) for trace in games.traces], list(games.rivals)
        own = list(games.seats)
        new = games.play(0.9)
        samples += new
        for k, trace in enumerate(games.traces):
            if len(trace) == before[k] + 1:  # the same game continues
                for rival in rivals:
                    there = [s for game, s in rival.asked[at[id(rival)] :] if of[game] == k]
                    assert not there or (rival is playing[k] and own[k] not in there)
    assert seats == {0, 1, 2} and rivals[0].asked and rivals[1].asked and not rivals[2].asked
    assert len(samples) >= 18 and all(sample.seat in seats for sample in samples)
    assert all(np.isfinite(sample.target).all() for sample in samples)


@pytest.mark.parametrize("corrects", ["projected", "value"])
def test_a_response_learns_continues_and_plays(corrects, run, tmp_path):
    options = *TASK, "--against", "random", "--corrects", corrects
    (row,) = run(best_response, *options, "--decisions", 256)
    assert row["low"] <= row["win_rate"] <= row["high"] and 0 <= row["value"] <= 1
    first = torch.load(tmp_path / "best_response.pt", weights_only=True)["net"]
    rows = run(best_response, *options, "--decisions", 512)
    assert [row["decisions"] for row in rows] == [256, 512]
    assert rows[1]["processor_seconds"] > rows[0]["processor_seconds"] > 0 < rows[1]["loss"]
    path = tmp_path / "best_response.pt"
    assert (torch.load(path, weights_only=True)["net"]["tile.weight"] != first["tile.weight"]).any()
    agent = make_agent(f"{best_response.__file__}:Agent?path={path}")
    assert isinstance(agent.encoder, best_response.ENCODERS[corrects])
    table = Table(Rules(view=12, deck_size=12), seed=1)
    assert agent.act(table) in table.legal_actions()


def test_the_win_rate_is_that_against_the_mixture():
    rules, greedy = Rules(view=12, deck_size=12), make_agent("greedy")
    against = [make_agent("random"), greedy, make_agent("value")]
    found = best_response.evaluate(greedy, against[:2], [0.5, 0.5], [rules], 40)
    alone = [best_response.evaluate(greedy, [one], [1.0], [rules], 40) for one in against[:2]]
    assert found["win_rate"] == pytest.approx(np.mean([one["win_rate"] for one in alone]))
    assert alone[1]["win_rate"] == 0.5 and found["low"] < found["win_rate"] < found["high"]
    assert best_response.evaluate(greedy, against, [0, 1, 0], [rules], 40) == alone[1]


def test_the_equilibrium_cannot_be_beaten_and_nobody_dominated_has_a_share():
    beats = np.array([[0.5, 0.9, 0.2, 0.9], [0, 0.5, 0.7, 0.6], [0, 0, 0.5, 0.9], [0, 0, 0, 0.5]])
    payoffs = np.triu(beats) + np.tril(1 - beats.T, -1)
    shares = psro.equilibrium(payoffs)
    assert shares.sum() == pytest.approx(1) and shares[3] < 1e-3
    assert (payoffs @ shares).max() < 0.501
    assert shares[:3] == pytest.approx(np.array([2, 3, 4]) / 9, abs=0.01)
    assert psro.equilibrium(np.array([[0.5]])).tolist() == [1]
    assert psro.equilibrium(np.array([[0.5, 0.99], [0.01, 0.5]]), 0.01).tolist() == [1, 0]


@pytest.mark.long
def test_a_population_grows_continues_and_is_drawn(run, tmp_path):
    short = *TASK, "--decisions", 128, "--decks", 2
    rows = run(psro, *short, "--iterations", 1)
    played = (tmp_path / "games.jsonl").read_text()
    again = run(psro, *short, "--iterations", 2)
    assert again[:1] == rows and [row["response"] for row in again] == [1, 2]
    assert (tmp_path / "games.jsonl").read_text().count("\n") == 1 + 2 * 6
    assert set(played.splitlines()[1:]) <= set((tmp_path / "games.jsonl").read_text().splitlines())
    assert again[0]["shares"] == [1.0] and sum(again[1]["shares"]) == pytest.approx(1, abs=1e-3)
    assert (tmp_path / "psro.png").stat().st_size > 1000
    assert (tmp_path / "2/best_response.pt").exists()


def test_a_population_s_picture_is_drawn(tmp_path):
    rows = [
        {"response": k, "win_rate": 0.7, "low": 0.6, "high": 0.8, "outside": 0.5} for k in (1, 2)
    ]
    draw_population(
        tmp_path / "psro.png", ["random", "1", "2", "value"], np.full((4, 4), 0.5), rows
    )
    assert (tmp_path / "psro.png").stat().st_size > 1000
