"""``zero.py``: it searches with public knowledge, finds the best replies, and learns from them."""

import json
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: install carc_env[train]")

from carc_env.agents import make_agent  # noqa: E402
from carc_env.agents.recipes import td, zero  # noqa: E402

from carc_env import AfterstateEncoder, Phase, Rules, Table  # noqa: E402


def searcher(rules, head=0.0, rng=None, **changed):
    """Return a search whose network adds random numbers to the engine's scores, or nothing."""
    encoder, a = AfterstateEncoder(rules), zero.Settings(**changed)
    torch.manual_seed(1)
    net = td.Net(encoder, a)
    torch.nn.init.normal_(net.head.weight, std=head)
    return zero.Search(net, encoder, a, rng)


def ends(table, seat):
    """Return the final scores for every way in which a seat can end the game."""
    if table.is_over:
        return [table.scores]
    assert table.decider == seat
    found = []
    for action in table.legal_actions():
        after = table.clone()
        after.step(action)
        found += ends(after, seat)
    return found


@pytest.mark.parametrize("n_players", [2, 3])
@pytest.mark.usefixtures("one_thread")
def test_before_the_last_tile_a_search_finds_the_best_reply(n_players):
    rules, n_found = Rules(n_players=n_players, view=12, deck_size=12), 0
    search = searcher(rules, shortlist=999, margin=99.0, considered=2)
    for seed in range(12):
        table = Table(rules, seed=seed)
        while not table.is_over and (table.n_tiles_left != 1 or table.phase != Phase.FIGURE):
            table.step(table.greedy_action())
        if table.is_over:
            continue
        ((actions,), (values,)) = search(table.states, [0], [rules])
        searched = np.isfinite(values[:, 0])
        assert searched.sum() == min(2, len(actions))
        for action, scores in zip(actions[searched], values[searched], strict=True):
            after, seat = table.clone(), table.decider
            after.step(action)
            found = ends(after, reply := after.decider)
            leads = [one[reply] - max(one[:reply] + one[reply + 1 :]) for one in found]
            ranked = zip(leads, found, strict=True)
            optimal = [np.roll(one, -seat) for lead, one in ranked if lead == max(leads)]
            assert any(scores == pytest.approx(one) for one in optimal)
            n_found += 1
    assert n_found > 8


@pytest.mark.usefixtures("one_thread")
def test_nothing_hidden_matters_and_the_rest_is_dropped():
    rules = Rules()
    search = searcher(rules, head=1.0, margin=5.0, sims=4)
    tables, states = Table.side_by_side(rules, range(8))
    for table in tables:
        for _ in range(21):
            table.step(table.greedy_action())
    before = states.copy()
    actions, values = search(states, range(8), [rules] * 8)
    for seed, table in enumerate(tables):
        table.reshuffle(seed)
    assert (states["bag"] != before["bag"]).any()
    again = search(states, range(8), [rules] * 8)
    for one, other in zip((*actions, *values), (*again[0], *again[1]), strict=True):
        assert np.array_equal(one, other)
    plain = search.plain(states, range(8), [rules] * 8)[1]
    n_searched = 0
    for found, own in zip(values, plain, strict=True):
        if not np.array_equal(found, own):
            kept = np.isfinite(found[:, 0])
            leads = td.leads(own, rules)
            assert kept.sum() == 2 and (leads[kept] >= leads.max() - 5).all()
            n_searched += 1
    assert n_searched > 3


@pytest.mark.usefixtures("one_thread")
def test_the_network_learns_what_simulations_of_an_action_found():
    rules = Rules(n_players=3)
    search = searcher(rules, 1.0, np.random.default_rng(1), searched=1.0, margin=9.0)
    table = Table(rules, seed=2)
    _, (values,) = search(table.states, [0], [rules])
    assert len(search.samples) > 2
    found = [sample.target * td.POINTS + sample.shown.scores[0] for sample in search.samples]
    found = np.array([scores - scores.mean() for scores in found])
    kept = values[np.isfinite(values[:, 0])]
    kept -= kept.mean(1, keepdims=True)
    assert len(kept) == 2
    assert all(np.isclose(scores, found, atol=1e-3).all(1).any() for scores in kept)
    search.a.searched = 0.0
    _, (values,) = search(table.states, [0], [rules])
    assert np.isfinite(values[:, 0]).sum() > 2


@pytest.mark.parametrize("rules", ["{view: 12, deck_size: 12}", "{n_players: 4, deck_size: 12}"])
@pytest.mark.usefixtures("one_thread")
def test_a_run_learns_continues_and_plays(rules, tmp_path, monkeypatch):
    short = "--games 8 --replay 256 --eval-games 2 --batch 16 --eval-every 1000 --sims 4"

    def run(decisions):
        given = ["zero.py", "--rules", rules, "--folder", f"{tmp_path}", *short.split()]
        monkeypatch.setattr(sys, "argv", [*given, "--decisions", f"{decisions}"])
        zero.main()
        return torch.load(tmp_path / "zero.pt", weights_only=True)["net"]["tile.weight"]

    first, more = run(240), run(400)
    assert first.isfinite().all() and (first != more).any()
    rows = [json.loads(row) for row in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [row["decisions"] for row in rows] == [240, 400]
    assert all(row["loss"] > 0 and 0 <= row["greedy"] <= 1 for row in rows)
    table = Table(Rules.from_yaml(rules), seed=1)
    for sims in (4, 0):
        agent = make_agent(f"{zero.__file__}:Agent?path={tmp_path / 'zero.pt'},sims={sims}")
        while table.n_tiles_left > sims:
            table.step(agent.act(table))
    assert agent.a.sims == 0
