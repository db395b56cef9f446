"""``corrected``: expectations of ``value``, corrected by a network, for any two-player rules."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="networks need torch: install carc_env[train]")

import torch
from carc_env.agents import make_agent, play_match
from carc_env.agents.corrected import ValueEncoder
from carc_env.agents.recipes import td
from ship_network import ship

from carc_env import Layout, Phase, Rules, Table

NAMES = ("base", "inns", "tower", "hills-sheep", "big-box")


def test_without_a_correction_it_plays_like_value():
    layout, value = Layout.everything(2), make_agent("value")
    rules = [Rules.preset(name, layout=layout) for name in NAMES]
    encoder = ValueEncoder(rules[0])
    settings = td.Settings()
    judge = td.Judge(td.Net(encoder, settings), encoder, settings)
    tables, _ = Table.side_by_side(rules, range(len(rules)))
    for _ in range(30):
        wanted, chosen = [value.act(table) for table in tables], judge.act_many(tables)
        for name, table, action, own in zip(NAMES, tables, wanted, chosen, strict=True):
            # with towers, it looks further ahead than value: to the choice of the captured figure
            if name not in ("tower", "big-box") or table.phase != Phase.PLACE_TILE:
                expected = {line.action: line.value for line in value.analyse(table)}
                assert expected[own] == pytest.approx(expected[action], abs=1e-3)
            table.step(action)


@pytest.fixture(scope="module")
def corrected():
    return make_agent("corrected")


def test_it_plays_the_same_in_any_layout(corrected):
    layout = Layout.everything(2)
    own = [Table(Rules.preset(name), seed=5) for name in NAMES]
    for _ in range(12):
        shared = [table.in_layout(layout) for table in own]
        actions = zip(corrected.act_many(own), corrected.act_many(shared), strict=True)
        for table, twin, (action, other) in zip(own, shared, actions, strict=True):
            assert table.layout.name(action) == twin.layout.name(other)
            table.step(action)


def test_it_does_not_see_what_is_hidden(corrected):
    for name in NAMES:
        table = Table(Rules.preset(name), seed=7)
        for _ in range(10):
            action = corrected.act(table)
            twin = table.clone()
            twin.reshuffle(1)
            assert corrected.act(twin) == action
            table.step(action)


def test_it_knows_rules_for_two_players(corrected):
    with pytest.raises(ValueError, match="no room for 3 players"):
        corrected.act(Table(Rules(n_players=3), seed=1))
    with pytest.raises(ValueError, match="corrected plays games for 2, not for 3"):
        make_agent("corrected", Rules(n_players=3))


@pytest.mark.long
def test_it_beats_value_where_there_are_towers(corrected):
    players = [corrected, make_agent("value")]
    match = play_match(players, ["corrected", "value"], Rules.preset("tower"), 200)
    assert match.standings[0].win_rate.low > 0.5


def test_leads_are_what_value_expects():
    table, encoder = Table("inns", seed=3), ValueEncoder("inns")
    for _ in range(20):
        lines = {line.action: line.value for line in make_agent("value").analyse(table)}
        batch = encoder.changes(table.states, [0])
        expected = [lines[action] for action in batch.actions.tolist()]
        assert np.allclose(2 * batch.scores[:, 0], np.array(expected)[batch.action_of], atol=1e-4)
        assert np.allclose(batch.scores[:, 1], -batch.scores[:, 0])
        action = table.random_action()
        whole = encoder.whole(table.states, [0], [action])
        assert 2 * whole.scores[0, 0] == pytest.approx(lines[action], abs=1e-4)
        table.step(action)


def test_a_network_is_shipped_without_what_trains_it_and_names_no_folders(tmp_path):
    weight, settings = torch.tensor([1.0, 1 / 3]), {"folder": "runs/td", "lr": 0.1}
    more = {"row": {"decisions": 5}, "rules": "{}"}
    saved = {"net": {"w": weight}, "settings": settings, "adam": {}} | more
    torch.save(saved, tmp_path / "td.pt")
    ship(tmp_path / "td.pt", tmp_path / "net.pt")
    found = torch.load(tmp_path / "net.pt", weights_only=True)
    assert torch.equal(found.pop("net")["w"], weight.half())
    assert found == {"settings": {"folder": "td", "lr": 0.1}} | more
    with pytest.raises(FileExistsError, match="already exists"):
        ship(tmp_path / "td.pt", tmp_path / "net.pt")
