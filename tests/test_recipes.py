"""Single-file algorithms: short, easy to copy, and correct in what they compute."""

import argparse
import ast
import json
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: install carc_env[train]")
pytest.importorskip("sb3_contrib", reason="training needs sb3-contrib: install carc_env[train]")

from carc_env.agents import recipes  # noqa: E402
from carc_env.agents.dataset import Dataset, Recipe, file_name, write_file  # noqa: E402
from carc_env.agents.recipes import bc, dqn, iql, maskable_ppo  # noqa: E402
from carc_env.agents.run_folder import folder_for  # noqa: E402

from carc_env import Rules, Table  # noqa: E402

FILES = sorted(Path(recipes.__file__).parent.glob("[!_]*.py"))
SHORT = {
    "dqn": (dqn, "--games 8 --warm-up 32 --replay 512 --batch 16"),
    "dqn-opponents": (dqn, "--games 8 --warm-up 32 --replay 512 --batch 16 --opponents greedy"),
    "dqn-3": (dqn, "--games 8 --warm-up 32 --replay 512 --rules '{n_players: 3}'"),
    "dqn-task": (dqn, "--games 8 --warm-up 32 --replay 512 --batch 16 --task short-greedy-v1"),
    "maskable-ppo": (maskable_ppo, "--games 8 --steps 8 --batch 32"),
    "maskable-ppo-self": (maskable_ppo, "--games 8 --steps 8 --batch 32 --opponents self"),
    "maskable-ppo-task": (maskable_ppo, "--games 8 --steps 8 --batch 32 --task mix-players-v1"),
    "bc": (bc, "--games 0 --batch 64"),
    "iql": (iql, "--games 0 --batch 64"),
}
"""Recipes with arguments for short runs."""


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Return a folder with 20 games, one of them for validation."""
    recipe = Recipe(Rules(view=20), ("greedy",), "", explore=0, games=20)
    folder = tmp_path_factory.mktemp("data")
    write_file(folder / file_name(0), recipe, recipe.make(0))
    return folder


@pytest.mark.once
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_recipe_is_made_to_be_copied(path):
    """A recipe has at most 300 lines and imports only carc_env and the libraries it is about."""
    source = path.read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 300
    imported = {
        name.partition(".")[0]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [node.names[0].name])
    }
    known = {"carc_env", "gymnasium", "numpy", "torch", "tyro"}
    known |= {"sb3_contrib", "stable_baselines3"} if path.stem == "maskable_ppo" else set()
    assert imported - sys.stdlib_module_names <= known


@pytest.mark.parametrize("name", SHORT)
@pytest.mark.usefixtures("one_thread")
def test_a_run_learns_continues_and_plays(name, data, tmp_path, monkeypatch):
    recipe, short = SHORT[name]
    file = recipe.__name__.rpartition(".")[2]
    given = ["--folder", str(tmp_path), *shlex.split(short), "--eval-games", "3"]
    if hasattr(recipe.Settings, "data"):
        given += ["--data", str(data)]

    def run(decisions, *others):
        monkeypatch.setattr(sys, "argv", [file, *given, "--decisions", str(decisions), *others])
        recipe.main()
        return torch.load(tmp_path / f"{file}.pt", weights_only=True)

    first, more = run(64), run(192)
    assert (first["decisions"], more["decisions"]) == (64, 192)
    with pytest.raises(SystemExit, match="has a run with seed 0, not 1: choose another --folder"):
        run(320, "--seed", "1")
    rows = [json.loads(row) for row in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [row["decisions"] for row in rows] == [64, 192]
    assert all(0 <= row["greedy"] <= 1 and np.isfinite([*row.values()]).all() for row in rows)
    net = "actor" if file == "iql" else "net"
    for part, weights in first[net].items():
        assert weights.isfinite().all()
        assert (weights != more[net][part]).any() or "others" in part
    table = Table(Rules.from_dict(first["rules"]), seed=1)
    agent = recipe.Agent(tmp_path / f"{file}.pt", table.rules)
    while not table.is_over:
        table.step(agent.act(table))


def test_priorities_are_drawn_in_proportion():
    replay = dqn.Replay(6)
    priorities = np.array([3.0, 0.0, 1.0, 4.0, 0.5, 1.5])
    replay.set_priorities(np.arange(6), priorities)
    assert replay.tree[1] == 10 and replay.tree[8:].tolist() == [*priorities, 0, 0]
    assert replay.tree[2:4].tolist() == [8, 2] and replay.tree[4:8].tolist() == [3, 5, 2, 0]
    slots, probabilities = replay.draw(20, np.random.default_rng(1))
    assert np.bincount(slots, minlength=6).tolist() == (2 * priorities).tolist()
    assert np.array_equal(probabilities, priorities[slots] / 10)
    replay.set_priorities(np.array([3, 0, 3]), np.array([2.0, 0.0, 2.0]))  # slot 3 was drawn twice
    assert replay.tree[1] == 5 and {*replay.draw(50, np.random.default_rng(2))[0]} == {2, 3, 4, 5}


def test_n_steps_end_at_the_game_s_end_and_at_what_is_known():
    replay = dqn.Replay(5)
    slots = np.concatenate([replay.add(["row"], 0) for _ in range(7)])
    assert slots.tolist() == [0, 1, 2, 3, 4, 0, 1] and replay.tree[1] == 0
    for slot, reward, follows in ((2, 1.0, 3), (3, 10.0, 0), (0, 100.0, 1)):
        replay.link(np.array([slot]), reward, 0.5, np.array([follows]))
    replay.link(np.array([4]), 1000.0, 0.0, np.array([4]))
    assert replay.tree[1] == 4
    totals, following, factors = replay.returns(np.arange(5), 2)
    assert totals.tolist() == [100, 0, 6, 60, 1000]
    assert following.tolist() == [1, 1, 0, 1, 4]
    assert factors.tolist() == [0.5, 1, 0.25, 0.25, 0]
    assert replay.returns(np.array([2]), 9)[0].tolist() == [1 + 5 + 25]


@pytest.mark.parametrize("opponents", ["self", "random"])
def test_a_player_credits_each_seat_with_its_score(opponents):
    settings = {"games": 2, "opponents": opponents, "reward": "score_delta", "gamma": 1.0}
    a = argparse.Namespace(**settings, view=20, device="cpu")
    rules, replay = Rules(view=20, n_players=3), dqn.Replay(4096)
    player = dqn.Player(rules, replay, a, np.random.default_rng(1))
    firsts, n_games = {}, 0
    while n_games < 3:
        begun = player.latest < 0
        latest = player.latest.copy()
        player.step(lambda batch: torch.zeros(2, batch.most), epsilon=0.5)
        for i, seat in zip(*np.nonzero(begun), strict=True):
            if player.latest[i, seat] >= 0:
                firsts[i, seat] = player.latest[i, seat]
        if "final_info" not in player.info:
            continue
        final = player.info["final_info"]
        for i in np.flatnonzero(player.info["_final_info"]):
            seats = [seat for seat in range(3) if (i, seat) in firsts]
            slots = np.array([firsts.pop((i, seat)) for seat in seats])
            totals, _, factors = replay.returns(slots, 999)
            assert totals.tolist() == final["scores"][i][seats].tolist() and not factors.any()
            assert (latest[i, seats] >= 0).all() and (player.latest[i] == -1).all()
            assert seats == ([0, 1, 2] if opponents == "self" else [final["seat"][i]])
            n_games += 1


def test_only_legal_actions_are_judged_each_by_itself():
    torch.manual_seed(1)
    rules, tables = Rules(view=20), []
    for seed in range(4):
        tables.append(Table(rules, seed=seed))
        for _ in range(10 * seed + seed % 2):
            tables[-1].step(tables[-1].greedy_action())
    form, net = dqn.Tokens(rules, legal_list=True), dqn.Net(rules)
    seen = [table.observe(encoding=form) for table in tables]
    rows = dqn.rows_of({name: np.stack([one[name] for one in seen]) for name in seen[0]})
    values = net(dqn.batch_of(rows, 20, "cpu"))
    for row, found, table in zip(rows, values, tables, strict=True):
        n = len(row[2])
        assert sorted(row[2].tolist()) == table.legal_actions()
        assert found[:n].isfinite().all() and found[n:].isneginf().all()
        turned = (row[0], row[1], row[2][::-1].copy())
        alone = net(dqn.batch_of([turned], 20, "cpu"))[0]
        torch.testing.assert_close(alone.flip(0), found[:n], rtol=1e-4, atol=1e-5)
    assert values[:, 0].std() > 0


def test_maskable_ppo_judges_a_turned_board_alike():
    torch.manual_seed(1)
    rules, table = Rules(view=20), Table(Rules(view=20), seed=1)
    for _ in range(40):
        table.step(table.greedy_action())
    net, view = maskable_ppo.Net(rules), rules.view
    torch.nn.init.normal_(net.placement.weight)
    form = maskable_ppo.make_encoding(rules, "tokens", action_mask=True)
    seen = {name: torch.tensor(part)[None] for name, part in table.observe(encoding=form).items()}
    y, x = (seen["tokens"][..., k] for k in (-2, -1))
    tokens = [seen["tokens"][..., net.turned[1]], torch.stack((x, view - 1 - y), -1)]
    is_there = seen["tokens"][..., :1] > 0
    turned = torch.where(is_there, torch.cat(tokens, -1), seen["tokens"])

    def quarter(numbers):
        square = numbers[:, : 4 * view**2].view(1, view, view, 4)
        return torch.rot90(square, -1, (1, 2)).roll(1, 3).flatten(1)

    legal = seen["action_mask"].bool()
    assert legal[:, : 4 * view**2].any()
    logits, _ = net(seen, legal)
    found, _ = net(seen | {"tokens": turned}, quarter(legal))
    torch.testing.assert_close(found[:, : 4 * view**2], quarter(logits))
    assert quarter(logits).std() > 0


@pytest.mark.usefixtures("one_thread")
def test_a_run_of_maskable_ppo_begins_with_the_network_of_another(tmp_path, monkeypatch):
    def train(words):
        monkeypatch.setattr(sys, "argv", ["maskable_ppo", *words])
        maskable_ppo.main()

    short = "--games 8 --steps 8 --batch 32 --eval-games 2 --decisions"
    first, other = tmp_path / "first", tmp_path / "other"
    train([*shlex.split(short), "64", "--folder", str(first)])
    rules = "{preset: inns, view: 20}"
    init = ["--init", str(first / "maskable_ppo.pt"), "--rules", rules, "--lr", "1e-12"]
    train([*shlex.split(short), "64", "--folder", str(other), *init])
    was, now = (
        torch.load(folder / "maskable_ppo.pt", weights_only=True) for folder in (first, other)
    )
    for part, words in was["words"].items():
        there = [now["words"][part].index(word) for word in words]
        axis = int(not part.startswith("others"))
        found = now["net"][part].index_select(axis, torch.tensor(there))
        torch.testing.assert_close(found, was["net"][part], rtol=0, atol=1e-6)
    with pytest.raises(ValueError, match="trained without"):
        maskable_ppo.Agent(first / "maskable_ppo.pt", Rules.from_yaml(rules))
    table = Table(Rules(view=20), seed=1)
    agent = maskable_ppo.Agent(other / "maskable_ppo.pt", table.rules)  # knows the base game, too
    assert table.is_legal(agent.act(table))


def test_missing_games_are_made_once(tmp_path):
    a = argparse.Namespace(
        task="", rules="{view: 20}", teacher="greedy", games=100, data=tmp_path / "data"
    )
    bc.make_data(a)
    files = Dataset([a.data]).files
    times = [path.stat().st_mtime_ns for path in files]
    assert len(files) == 2
    iql.make_data(a)
    assert [path.stat().st_mtime_ns for path in files] == times


@pytest.mark.parametrize("recipe", [bc, iql])
def test_a_task_gives_the_rules_of_the_games(recipe, tmp_path):
    data = f"{tmp_path / 'data'}"
    recipe.make_data(
        argparse.Namespace(
            task="short-greedy-v1", rules="base", teacher="greedy", games=50, data=data
        )
    )
    assert Dataset([data]).rules == Rules(view=12, deck_size=12)


def test_a_run_tells_whether_it_continues_or_has_finished(tmp_path, capsys):
    now = argparse.Namespace(folder=f"{tmp_path}", decisions=500, eval_every=1_000, seed=0)
    folder_for(now)
    assert "gets a new run: results after every 500 decisions" in capsys.readouterr().out
    (tmp_path / "log.jsonl").write_text('{"decisions": 512}\n{"decisi')
    folder_for(now)
    assert "has a finished run of 512 decisions" in capsys.readouterr().out
    now.decisions = 2_000
    folder_for(now)
    assert "which continues: results after every 1,000 decisions" in capsys.readouterr().out
    now.seed = 1
    with pytest.raises(SystemExit, match="has a run with seed 0, not 1"):
        folder_for(now)
