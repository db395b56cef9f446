"""``td.py``: short, easy to copy, and correct in what it computes incrementally."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: install carc_env[train]")

from carc_env.agents import make_agent  # noqa: E402
from carc_env.agents.recipes import td  # noqa: E402

from carc_env import AfterstateEncoder, Everything, Layout, Rules, Table  # noqa: E402


def settings(**changed):
    return td.Settings(**changed)


def random_net(encoder, **changed):
    torch.manual_seed(1)
    net = td.Net(encoder, settings(**changed))
    torch.nn.init.normal_(net.head.weight)
    return net


def test_what_differs_gives_the_values_of_whole_afterstates():
    encoder = AfterstateEncoder(Rules(n_players=3))
    net = random_net(encoder)
    tables, states = Table.side_by_side(encoder.rules, range(4))
    for _ in range(30):
        for table in tables:
            table.step(table.greedy_action())
    found = encoder.changes(states, range(4))
    games, actions = found.decision_of.copy(), found.actions[found.action_of]
    values = net(found.tensors())
    whole = net(encoder.whole(states, games, actions).tensors())
    torch.testing.assert_close(values, whole, rtol=1e-4, atol=1e-4)
    assert values.shape == (len(actions), 3) and values.std() > 0.01


@pytest.mark.parametrize("features", [0, 1])
def test_features_count_unless_they_are_hidden(features):
    encoder = AfterstateEncoder(Rules())
    net = random_net(encoder, features=features)
    adam = torch.optim.Adam(net.parameters())
    batch = encoder.changes(Table(Rules(), seed=1).states, [0]).tensors()
    for _ in range(2):  # before and after a step
        others = net(batch._replace(features=batch.features + 1))
        assert torch.equal(net(batch), others) == (not features)
        net(batch).sum().backward()
        adam.step()


def test_the_rules_are_told_unless_they_are_hidden():
    layout = Everything().layout
    rules = [Rules.preset("base", abbot_recall_lying=v, layout=layout) for v in ("allow", "forbid")]
    encoder = AfterstateEncoder(rules[0])
    _, states = Table.side_by_side(rules, [1, 1])
    for shows_rules in (0, 1):
        net = random_net(encoder, shows_rules=shows_rules)
        values = [net(encoder.changes(states, [k], [rules[k]]).tensors()) for k in range(2)]
        assert torch.equal(*values) == (not shows_rules)


def test_returns_are_those_of_the_definition():
    """Targets mix the scores expected next with the later return, unless a try follows.

    In that case, only the expected scores count. A gain that all seats share does not count,
    and absent seats gain nothing.
    """

    def sample(seat, best, scores, is_try=False):
        shown = SimpleNamespace(scores=np.array([[*scores, 0]], np.float32))
        return SimpleNamespace(seat=seat, best=np.array(best), shown=shown, is_try=is_try)

    trace = [
        sample(0, [1, 2, 3], [0, 0, 0]),
        sample(1, [4, 5, 6], [1, 1, 1]),
        sample(2, [7, 8, 9], [0, 0, 0], is_try=True),
        sample(1, [10, 20, 30], [5, 0, 0]),
    ]
    td.returns(trace, SimpleNamespace(scores=[30, 50, 45]), 0.75)
    first, second, third, last = (one.target * td.POINTS for one in trace)
    gains = np.array([50 - 5, 45, 30])  # of seats 1, 2 and 0; seat 1 had 5 points
    assert last == pytest.approx([*(gains - gains.mean()), 0])
    # expected: 10 for seat 1, 20 for 2, 30 for 0; a quarter of that, three quarters of the end
    seats = 0.25 * np.array([30, 10, 20]) + 0.75 * np.array([30, 50, 45])
    assert third == pytest.approx([*(seats - seats.mean())[[2, 0, 1]], 0])
    expected = np.array([8, 9, 7])  # of seats 0, 1, 2 after the best action; seat 2 tried another
    assert second == pytest.approx([*(expected - 8)[[1, 2, 0]], 0])
    seats = 0.25 * np.array([6, 4, 5]) + 0.75 * expected
    assert first == pytest.approx([*(seats - seats.mean()), 0])


@pytest.mark.parametrize("game", [["--rules", "base"], ["--task", "mix-players-v1"]])
def test_a_run_learns_and_continues(game, tmp_path, monkeypatch):
    short = ["--games", "8", "--replay", "256", "--eval-games", "2", "--batch", "32"]
    short += ["--eval-every", "100000"]

    def run(decisions):
        arguments = ["td.py", "--folder", str(tmp_path), "--decisions", str(decisions), *short]
        monkeypatch.setattr(sys, "argv", [*arguments, *game])
        td.main()
        return torch.load(tmp_path / "td.pt")

    first, more = run(1_600), run(3_200)
    assert first["row"]["decisions"] == 1_600 and more["row"]["decisions"] == 3_200
    assert first["row"]["loss"] > 0 and 0 <= more["row"]["greedy"] <= 1
    assert len((tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines()) == 2
    weights = first["net"]["tile.weight"]
    assert np.isfinite(weights.numpy()).all() and (weights != more["net"]["tile.weight"]).any()
    agent = make_agent(f"carc_env.agents.recipes.td:Agent?path={tmp_path / 'td.pt'}")
    table = Table(Rules.from_dict(more["rules"]), seed=1)
    assert agent.act(table) in table.legal_actions()


def test_an_agent_of_the_largest_layout_is_loaded(tmp_path):
    encoder = AfterstateEncoder(Rules(layout=Layout.everything(range(2, 7))))
    saved = {"settings": vars(settings()), "rules": encoder.rules.to_dict()}
    torch.save(saved | {"net": random_net(encoder).state_dict()}, tmp_path / "td.pt")
    assert td.Agent(tmp_path / "td.pt").rules == encoder.rules


def test_an_agent_plays_in_any_layout(tmp_path):
    encoder = AfterstateEncoder(Rules(layout=Layout("base", "inns")))
    saved = {"settings": vars(settings()), "rules": encoder.rules.to_dict()}
    torch.save(saved | {"net": random_net(encoder).state_dict()}, tmp_path / "td.pt")
    agent = td.Agent(tmp_path / "td.pt")
    own = [Table(Rules.preset(name), seed=3) for name in ("base", "inns")]
    for _ in range(10):
        twins = [table.in_layout(encoder.rules.layout) for table in own]
        actions = zip(agent.act_many(own), agent.act_many(twins), strict=True)
        for table, twin, (action, other) in zip(own, twins, actions, strict=True):
            assert table.layout.name(action) == twin.layout.name(other)
            table.step(action)
    with pytest.raises(ValueError, match="no room for the set 'traders'"):
        agent.act(Table(Rules.preset("traders"), seed=3))
