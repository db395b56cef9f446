"""``ppo.py``: short, easy to copy, and correct in what it observes and what each seat earns."""

import json
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: install carc_env[train]")

import gymnasium  # noqa: E402
from carc_env.agents import make_agent, play_match  # noqa: E402
from carc_env.agents.recipes import ppo  # noqa: E402

from carc_env import Layout, OneOf, Rules, Table  # noqa: E402
from carc_env.layout.encodings import make_encoding  # noqa: E402
from carc_env.layout.observations import feature_names, plane_names  # noqa: E402

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("one_thread")]

SMALL = Rules(view=12, deck_size=12)
SIDES, KINDS = "NESW", ("city", "road")


def observed(tables):
    """Return what the network sees of games, and their legal actions."""
    form = make_encoding(tables[0].rules, "features", legal_list=True)
    rows = [table.observe(encoding=form) for table in tables]
    seen = {name: np.stack([one[name] for one in rows]) for name in rows[0]}
    return ppo.observe(seen, tables[0].rules.view, "cpu"), seen["legal"]


def settings(**changes):
    return ppo.Settings(**{"games": 6, "steps": 40, "batch": 64, **changes})


def games_of(a, rules, **options):
    envs = gymnasium.make_vec(
        "carc_env/Carcassonne-v1", a.games, rules=rules, opponents="self", **{**ppo.ENV, **options}
    )
    return envs, *envs.reset(seed=1)


def test_a_placement_sees_the_sides_and_features_that_it_touches():
    rules, rng, n_checked = Rules(view=20), np.random.default_rng(3), 0
    planes, columns = plane_names(rules), feature_names(rules)
    table, fields = Table(rules, seed=3), {}
    while not table.is_over:
        seen, legal = observed([table])
        tiles, features = seen["tokens"][0], seen["features"][0]
        rows = seen["places"][0].long()
        for row, action in zip(rows[1:], legal[0], strict=False):
            if action >= 4 * 20 * 20:
                assert not row.any()
                continue
            turns = int(row[-1]) - 1
            assert turns == action % 4 and row[4] == 0 and row[:9].any()
            for side, cell in enumerate((1, 5, 7, 3)):
                if row[cell]:
                    tile, facing = tiles[row[cell] - 1], SIDES[(side + turns + 2) % 4]
                    shown = [int(tile[planes.index(f"{kind} {facing}")]) for kind in KINDS]
                    feature = features[row[9 + side] - 1] if row[9 + side] else 0 * features[0]
                    assert shown == [int(feature[columns.index(kind)]) for kind in KINDS]
                    n_checked += 1
            for half in range(8):  # at a half-edge, a tile only ever touches fields
                if row[13 + half]:
                    kind = int(features[row[13 + half] - 1, columns.index("field")])
                    assert fields.setdefault((table.tile_in_hand, half), kind) == 1
        last = rows[0]
        assert tiles[last[4] - 1, planes.index("last tile")] or len(tiles) == 1
        table.step(int(rng.choice(table.legal_actions())))
    assert n_checked > 500


def test_others_are_numbered_behind_the_placements():
    table = Table(SMALL, seed=1)
    while table.layout.first("pass") not in table.legal_actions():
        table.step(table.legal_actions()[0])
    seen, legal = observed([table])
    n = len(table.legal_actions())
    assert seen["others"][0, :n].tolist() == (legal[0, :n] - 4 * 12 * 12 + 1).tolist()


@pytest.mark.parametrize("rules", [SMALL, Rules.preset("all", view=26, n_players=4)])
def test_padding_and_company_change_nothing(rules):
    torch.manual_seed(0)
    net, rng = ppo.Net(rules), np.random.default_rng(0)
    for part in net.parameters():
        torch.nn.init.normal_(part, std=0.1)
    tables = [Table(rules, seed=k) for k in range(4)]
    for k, table in enumerate(tables):
        for _ in range(6 * k):
            if not table.is_over:
                table.step(int(rng.choice(table.legal_actions())))
    tables = [table for table in tables if not table.is_over]
    logp, gains, values = net(observed(tables)[0])
    assert values.shape == (len(tables), rules.n_players) and gains.shape == logp.shape
    for k, table in enumerate(tables):
        n = len(table.legal_actions())
        alone = net(observed([table])[0])
        assert logp[k, :n].exp().sum().item() == pytest.approx(1, abs=1e-5)
        assert logp[k, n:].isneginf().all()
        torch.testing.assert_close(alone[0][0], logp[k, :n], rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(alone[2][0], values[k], rtol=1e-4, atol=1e-5)


def test_batches_join_steps_of_different_lengths():
    a = settings()
    envs, seen, info = games_of(a, SMALL)
    torch.manual_seed(0)
    net = ppo.Net(SMALL)
    batch, *_ = ppo.play(envs, net, seen, info, a)
    assert {len(part) for part in batch.values()} == {a.games * a.steps}
    with torch.no_grad():
        logp, _, values = net(batch)
    torch.testing.assert_close(logp.gather(1, batch["chosen"]), batch["logp"])
    torch.testing.assert_close(values.gather(1, batch["seats"].argsort(1)), batch["values"])


@pytest.mark.parametrize("n_players", [2, 3])
def test_every_seat_gets_its_returns(n_players):
    """With no discount and with values of 0, the returns are the points still to come."""
    rules = SMALL.replace(n_players=n_players)
    a = settings(gamma=1.0, lam=1.0)
    envs, seen, info = games_of(a, rules, reward="score_delta")
    net = ppo.Net(rules)
    net.values.requires_grad_(False)
    for part in net.values.parameters():
        part.zero_()
    batch, _, info = ppo.play(envs, net, seen, info, a)
    shape = a.steps, a.games, n_players
    returns = torch.zeros(shape).scatter(
        2, batch["seats"].view(shape), batch["returns"].view(shape) * ppo.POINTS
    )
    ended = ~batch["goes_on"].view(a.steps, a.games)
    assert ended.any(0).all()
    for game in range(a.games):
        last = int(ended[:, game].nonzero()[-1])
        begins = [0, *(ended[:-1, game].nonzero()[:, 0] + 1).tolist()]
        assert all(returns[k, game].sum() > 0 for k in begins[:-1])
        if last + 1 < a.steps:  # in the unfinished game, these points are already scored
            scores = envs.unwrapped.table(game).scores
            assert returns[last + 1, game].tolist() == pytest.approx(list(scores), abs=1e-4)
        own = batch["seats"].view(shape)[last, game, 0]
        gain = batch["gain"].view(a.steps, a.games)[last, game] * ppo.POINTS
        assert gain == returns[last, game, own]


def test_seats_that_are_not_there_are_worth_nothing():
    many = [SMALL.replace(n_players=n) for n in (2, 4)]
    drawn = OneOf([rules.replace(layout=Layout(*many)) for rules in many])
    a = settings()
    envs, seen, info = games_of(a, drawn)
    net = ppo.Net(envs.unwrapped.rules)
    net.values.requires_grad_(False)
    for part in net.values.parameters():
        part.zero_()
    batch, *_ = ppo.play(envs, net, seen, info, a)
    assert net.values.out_features == 4
    assert {*batch["seats"].sum(1).tolist()} == {6}  # each seat once
    two = (batch["seats"] == torch.tensor([1, 0, 2, 3])).all(1)  # the second of two players
    assert two.any() and not batch["returns"][two][:, 2:].any()


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return a function that runs the recipe and returns its log rows and its checkpoint's path."""
    folder = tmp_path_factory.mktemp("ppo")

    def go(*options, name="run"):
        small = "--games 8 --steps 16 --batch 64 --eval-games 2".split()
        with pytest.MonkeyPatch.context() as patch:
            words = ["ppo.py", "--folder", str(folder / name), *small, *map(str, options)]
            patch.setattr(sys, "argv", words)
            patch.setattr("carc_env.agents.cpu.ctypes", None, raising=False)
            patch.setattr(ppo, "prepare_cpu", lambda: None)
            ppo.main()
        lines = (folder / name / "log.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines], folder / name / "ppo.pt"

    return go


def test_a_run_learns_continues_and_plays(run):
    rules = ["--rules", SMALL.to_yaml()]
    rows, path = run(*rules, "--decisions", 128)
    first = torch.load(path, weights_only=True)
    rows, path = run(*rules, "--decisions", 256)
    more = torch.load(path, weights_only=True)
    assert [row["decisions"] for row in rows] == [128, 256]
    assert 0 < rows[0]["processor_seconds"] < rows[1]["processor_seconds"]
    assert all(0 <= row[name] <= 1 for row in rows for name in ("greedy", "value"))
    assert (first["net"]["tile.weight"] != more["net"]["tile.weight"]).any()
    agent = make_agent(f"{ppo.__file__}:Agent?path={path}", SMALL)
    assert all(part.isfinite().all() for part in agent.net.parameters())
    match = play_match([agent, make_agent("random")], ["ppo", "random"], SMALL, 2)
    assert match.n_games == 2
    with pytest.raises(ValueError, match="trained without"):
        make_agent(f"{ppo.__file__}:Agent?path={path}", Rules.preset("inns"))


def test_a_run_learns_from_tiles_only(run):
    rules, seen = ["--rules", SMALL.to_yaml()], observed([Table(SMALL, seed=1)])[0]
    _, path = run(*rules, "--decisions", 128, "--features", 0, name="tiles")
    _, path = run(*rules, "--decisions", 256, "--features", 0, name="tiles")
    net = make_agent(f"{ppo.__file__}:Agent?path={path}", SMALL).net
    for ours, theirs in zip(
        net(seen), net({**seen, "features": seen["features"] * 2}), strict=True
    ):
        assert torch.equal(ours, theirs)


def test_a_run_begins_with_a_network_of_other_rules(run):
    _, path = run("--rules", SMALL.to_yaml(), "--decisions", 128, name="from")
    other = Rules.preset("inns", view=12, deck_size=12)
    net, saved = ppo.Net(other), torch.load(path, weights_only=True)
    before = net.told.weight.clone()
    net.adopt(saved)
    names = net.words["told.weight"]
    for k, name in enumerate(names):
        if name in saved["words"]["told.weight"]:
            there = saved["net"]["told.weight"][:, saved["words"]["told.weight"].index(name)]
            assert torch.equal(net.told.weight[:, k], there)
        else:
            assert torch.equal(net.told.weight[:, k], before[:, k])
    rows, _ = run("--rules", other.to_yaml(), "--init", path, "--decisions", 128, name="to")
    assert rows[-1]["decisions"] == 128


def test_a_task_gives_rules_and_opponents(run, monkeypatch):
    made = []
    make_vec = gymnasium.make_vec
    monkeypatch.setattr(
        gymnasium, "make_vec", lambda *a, **options: made.append(options) or make_vec(*a, **options)
    )
    rows, path = run("--task", "short-greedy-v1", "--decisions", 128, name="task")
    assert made[0]["opponents"] == "greedy" and made[0]["rules"] == SMALL
    assert Rules.from_dict(torch.load(path, weights_only=True)["rules"]) == SMALL
    assert rows[-1]["decisions"] == 128


@pytest.mark.long
def test_a_task_with_many_rules_is_learned_and_evaluated(run):
    rows, _ = run("--task", "mix-players-v1", "--decisions", 128, name="mix")
    assert 0 <= rows[-1]["greedy"] <= 1
