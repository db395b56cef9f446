"""Networks, the learner, its checkpoints, and the training script."""

import csv
import dataclasses
import importlib
import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import yaml

torch = pytest.importorskip("torch", reason="training needs torch: install carc_env[train]")
pytest.importorskip("sb3_contrib", reason="training needs sb3-contrib: install carc_env[train]")

from carc_env.agents import CheckpointError, make_agent, play_match  # noqa: E402
from carc_env.agents.checkpoint import read_checkpoint, write_checkpoint  # noqa: E402
from carc_env.agents.config import NetworkConfig, TrainConfig  # noqa: E402
from carc_env.agents.learner import Learner  # noqa: E402
from carc_env.agents.named_settings import settings_file, settings_of_the_package, training_of  # noqa: E402
from carc_env.agents.network_agent import SHIPPED, NetworkAgent, shipped  # noqa: E402
from carc_env.agents.networks import EXTRACTORS, Network  # noqa: E402
from carc_env.agents.training_env import TrainingEnv  # noqa: E402
from carc_env.agents.value_config import ValueConfig  # noqa: E402

from carc_env import Rules  # noqa: E402
from carc_env.envs import games, naming  # noqa: E402
from carc_env.envs.distributions import OneOf  # noqa: E402
from carc_env.envs.opponents import GreedyPlayer, RandomPlayer  # noqa: E402
from carc_env.envs.rewards import Projected  # noqa: E402
from carc_env.envs.single_agent import CarcassonneEnv  # noqa: E402
from carc_env.game.table import Table  # noqa: E402
from carc_env.layout.actions import action_layout  # noqa: E402
from carc_env.layout.encodings import Planes  # noqa: E402
from carc_env.layout.observations import plane_names  # noqa: E402
from carc_env.search.features import N_WEIGHTS  # noqa: E402
from carc_env.search.players import ValuePlayer  # noqa: E402
from carc_env.seeds import seeds_of  # noqa: E402
from tests.resuming import WITH_TENSORBOARD, check_resuming, files_in, finished  # noqa: E402
from tests.scripts import run_here  # noqa: E402

pytestmark = pytest.mark.once

ROOT = Path(__file__).parent.parent
SMALL = TrainConfig(
    rules=Rules(view=12),
    network=NetworkConfig(channels=4, hidden=16),
    total_steps=2048,
    opponents=("random", "greedy"),
    n_envs=8,
    n_steps=32,
    batch_size=64,
    n_epochs=2,
    eval_every=512,
    eval_games=4,
    threads=1,
)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Learner, Path, Path]:
    """A learner after all steps, with its checkpoints from half-way and from the end."""
    folder = tmp_path_factory.mktemp("run")
    learner = finished(Learner(SMALL), folder / "half.ckpt", n_rows=5)
    learner.save(folder / "end.ckpt")
    return learner, folder / "half.ckpt", folder / "end.ckpt"


class Passer:
    """Places the tile at the first legal place and never puts down a figure."""

    def act(self, table: Table) -> int:
        passing = table.layout.first("pass")
        return passing if table.is_legal(passing) else table.legal_actions()[0]


# Networks.


def observe(table: Table) -> tuple["torch.Tensor", "torch.Tensor"]:
    """The board as one vector, and the globals, each as a batch of one."""
    seen = table.observe(encoding=Planes(table.rules, flat_board=True))
    board, numbers = (torch.from_numpy(seen[name])[None] for name in ("board", "globals"))
    return board, numbers


@pytest.mark.parametrize("extractor", EXTRACTORS)
@pytest.mark.parametrize("rules", [Rules(view=12), Rules.preset("first-edition", n_players=4)])
def test_networks_answer_for_every_action(extractor: str, rules: Rules) -> None:
    config = NetworkConfig(extractor=extractor, channels=8, blocks=2, hidden=8)  # type: ignore[arg-type]
    board, numbers = observe(Table(rules, seed=1))
    network = Network(rules, config)
    logits, values = network(board, numbers)
    assert logits.shape == (1, action_layout(rules).n_actions)
    assert values.shape == (1, 1)
    square, _ = network(board.view(1, *network.lens(rules).board_shape), numbers)
    torch.testing.assert_close(square, logits)


def test_tile_logits_follow_the_action_layout() -> None:
    """A light that only sees candidates points at exactly the legal placements."""
    rules = Rules(view=12)
    network = Network(rules, NetworkConfig("light", channels=4))
    table = Table(rules, seed=3)
    for action in [0, 1, 2]:
        table.step(table.legal_actions()[action % 2])
    while table.phase.name != "PLACE_TILE":
        table.step(table.legal_actions()[0])
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.zero_()
        first = plane_names(rules).index("candidate r0")
        middle = 4  # of the nine neighbours
        for rotation in range(4):
            network.cells.weight[rotation, first + rotation] = 1
            network.extractor.layers[0].weight[middle * 4 + rotation, rotation] = 1
            network.tile_head.weight[rotation, rotation] = 1
        network.hand.bias.fill_(1)
        logits, _ = network(*observe(table))
    assert torch.nonzero(logits[0])[:, 0].tolist() == table.legal_actions()


def test_unknown_networks_are_refused() -> None:
    with pytest.raises(
        ValueError,
        match="extractor should be 'turned', 'light' or 'residual', got 'mlp'",
    ):
        NetworkConfig(extractor="mlp")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="channels should be greater than or equal to 1, got 0"):
        NetworkConfig(channels=0)


# The environment of the learner.


def first_actions(env: TrainingEnv) -> "np.ndarray":
    return env.action_masks().argmax(axis=1)


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("reward", ["score_delta", "margin", "projected"])
def test_rewards_add_up(reward: str, weight: float) -> None:
    rivals = [RandomPlayer(), GreedyPlayer()]
    scheme = Projected(weight) if reward == "projected" else reward
    env = TrainingEnv(4, Rules(n_players=3, view=14), rivals, scheme, 0.5)  # type: ignore[arg-type]

    def worth(scores: tuple[int, ...], seat: int) -> float:
        rival = max(scores[:seat] + scores[seat + 1 :])
        own_alone = reward == "score_delta"
        share = 0.0 if own_alone else weight if reward == "projected" else 1.0
        return scores[seat] - share * rival

    env.reset(seed=4)
    for _ in range(2):  # games: those that begin by themselves count from zero again
        seats = env.seats.tolist()
        tables = [env.table(i).clone() for i in range(4)]
        before = [worth(t.standings, seat) for t, seat in zip(tables, seats, strict=True)]
        start = before if reward == "projected" else [0.0] * 4
        totals, found = np.zeros(4), {}
        while len(found) < 4:
            _, rewards, ended, _, info = env.step(first_actions(env))
            totals += rewards
            for i in np.flatnonzero(ended).tolist():
                assert info["final_info"]["seat"][i] == seats[i] or i in found
                scores = tuple(info["final_info"]["scores"][i].tolist())
                found.setdefault(i, (totals[i], worth(scores, seats[i])))
        for i, (total, end) in found.items():
            assert total == pytest.approx(0.5 * (end - start[i]), abs=1e-9)
        env.reset()


@pytest.mark.parametrize("weight", [0.3, 1.0])
def test_projected_rewards_are_the_change_of_what_is_projected(weight: float) -> None:
    """To the last bit, and at the end of a game what was scored."""

    def worth(points: tuple[int, ...], seat: int) -> float:
        return points[seat] - weight * max(points[:seat] + points[seat + 1 :])

    rivals = [RandomPlayer(), Passer()]
    env = TrainingEnv(4, Rules(n_players=3, view=14), rivals, Projected(weight), 0.1)
    env.reset(seed=8)
    n_ended = 0
    while n_ended < 4:
        seats = env.seats.tolist()
        before = [worth(env.table(i).standings, seat) for i, seat in enumerate(seats)]
        _, rewards, ended, _, info = env.step(first_actions(env))
        after = [worth(env.table(i).standings, seat) for i, seat in enumerate(seats)]
        for i in np.flatnonzero(ended).tolist():
            after[i] = worth(tuple(info["final_info"]["scores"][i].tolist()), seats[i])
        assert rewards.tolist() == [0.1 * (b - a) for a, b in zip(before, after, strict=True)]
        n_ended += int(ended.sum())


def test_opponents_are_dealt_out_in_turn() -> None:
    """Every game is that of an environment with its opponent alone."""
    rules, rivals = Rules(view=12), [RandomPlayer(), GreedyPlayer(), Passer()]
    env = TrainingEnv(6, rules, rivals, "score_delta")
    singles = [CarcassonneEnv(rules, rivals[i % 3], reward="score_delta") for i in range(6)]
    env.reset(seed=5)
    for single, seed in zip(singles, seeds_of(5, 6), strict=True):
        single.reset(seed=seed)
    for _ in range(60):
        actions = first_actions(env)
        observations, rewards, *_ = env.step(actions)
        for i, single in enumerate(singles):
            seen, reward, over, _, _ = single.step(actions[i])
            assert reward == rewards[i]
            if over:
                seen, _ = single.reset()
            np.testing.assert_array_equal(seen["board"], observations["board"][i])


@pytest.mark.parametrize("reward", ["outcome", "score_delta", "margin", "projected"])
def test_restored_games_go_on_alike(reward: str) -> None:
    rules = Rules(n_players=3, view=14)
    rivals = [RandomPlayer(), GreedyPlayer()]
    envs = [TrainingEnv(5, rules, rivals, reward) for _ in range(2)]  # type: ignore[arg-type]
    for k, env in enumerate(envs):
        env.reset(seed=k)
    n_ended = 0
    for n_steps in (0, 1, 20, 150):  # at the start opponents may have scored already
        for _ in range(n_steps):
            envs[0].step(first_actions(envs[0]))
        envs[1].restore(*envs[0].save())
        assert envs[0].save() == envs[1].save()
        for _ in range(30):
            np.testing.assert_array_equal(*(env.action_masks() for env in envs))
            results = [env.step(first_actions(env)) for env in envs]
            (seen, *rest, _), (seen_too, *rest_too, _) = results
            for name in seen:
                np.testing.assert_array_equal(seen[name], seen_too[name])
            for one, other in zip(rest, rest_too, strict=True):
                np.testing.assert_array_equal(one, other)
            n_ended += int(rest[1].sum())
        assert envs[0].save() == envs[1].save()
    assert n_ended > 0


DEAL = OneOf(
    [
        *(Rules(view=14, n_players=n) for n in (2, 3)),
        *(Rules.preset(name, view=14, n_players=2) for name in ("inns", "tower")),
    ]
)


@pytest.mark.parametrize(("n", "n_steps"), [(6, 120), (1, 500)])
def test_rules_are_dealt_with_opponents(
    n: int, n_steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every game is that of an environment with its opponent alone, without room for all."""
    monkeypatch.setattr(games, "MAX_WEIGHTS", 1)
    monkeypatch.setattr(naming, "MAX_LINE_UPS", 2)
    specs = ["insight", ValuePlayer(), "weakened:noise=4"]
    env = TrainingEnv(n, DEAL, specs, "margin")
    singles = [CarcassonneEnv(DEAL, specs[i % 3], reward="margin") for i in range(n)]
    env.reset(seed=5)
    told = [one.reset(seed=seed)[1] for one, seed in zip(singles, seeds_of(5, n), strict=True)]
    played = set()
    for _ in range(n_steps):
        actions = first_actions(env)
        assert [info["rules"] for info in told] == [env.rules_of(i) for i in range(n)]
        played |= {info["rules"] for info in told}
        observations, rewards, *_ = env.step(actions)
        for i, single in enumerate(singles):
            seen, reward, over, _, told[i] = single.step(actions[i])
            assert reward == rewards[i]
            if over:
                seen, told[i] = single.reset()
            for name in ("board", "globals"):
                np.testing.assert_array_equal(seen[name], observations[name][i])
    assert played == {*DEAL.rules}
    assert 0 < len(env._games._weights) <= min(6, 3 * n) * N_WEIGHTS


@pytest.mark.parametrize("opponents", [["self"], ["random", "value"]])
def test_restored_games_under_many_rules_go_on_alike(opponents: list[str]) -> None:
    envs = [TrainingEnv(6, DEAL, opponents, "projected") for _ in range(2)]
    for k, env in enumerate(envs):
        env.reset(seed=k)
    n_ended = 0
    for n_steps in (0, 30, 120):
        for _ in range(n_steps):
            envs[0].step(first_actions(envs[0]))
        envs[1].restore(*envs[0].save())
        for _ in range(30):
            assert envs[0].save() == envs[1].save()
            (seen, *rest, info), (seen_too, *rest_too, info_too) = (
                env.step(first_actions(env)) for env in envs
            )
            assert info["rules"].tolist() == info_too["rules"].tolist()
            for name in seen:
                np.testing.assert_array_equal(seen[name], seen_too[name])
            for one, other in zip(rest, rest_too, strict=True):
                np.testing.assert_array_equal(one, other)
            n_ended += int(rest[1].sum())
    assert n_ended > 0


@pytest.mark.long
def test_a_run_draws_rules_and_goes_on(tmp_path: Path) -> None:
    """Evaluations are under rules that it draws, or that it is given, and their mean."""
    pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed")
    config = SMALL.replace(
        total_steps=1024, n_envs=4, opponents=("value", "past", "self"), eval_games=6
    )
    whole = finished(Learner(config, DEAL), tmp_path / "half.ckpt", n_rows=3)
    first = whole.curve[0]
    rates = [first[f"greedy (rules {k}) win_rate"] for k in range(1, 5)]
    assert first["greedy win_rate"] == pytest.approx(np.mean(rates))
    assert [*first][:2] == ["steps", "random win_rate"]
    check_resuming(whole, tmp_path / "half.ckpt", DEAL)
    with pytest.raises(CheckpointError, match="draws rules from a distribution: pass its OneOf"):
        Learner.resume(tmp_path / "half.ckpt")
    tests = {"new": Rules(view=14, abbot=False)}
    row = Learner(config, DEAL, tests).update()
    assert row["random win_rate"] == row["random (new) win_rate"]
    with pytest.raises(ValueError, match="the network was not made for"):
        Learner(config, DEAL, {"new": Rules.preset("abbey-mayor")}).update()


def test_games_that_do_not_fit_are_refused() -> None:
    env = TrainingEnv(2, Rules(view=12), [RandomPlayer()], "projected")
    env.reset(seed=0)
    games, rest = env.save()
    with pytest.raises(ValueError, match="shorter"):
        env.restore(games[:1], rest)
    with pytest.raises(ValueError, match="cut off or edited"):
        env.restore([games[0], games[1][:-1]], rest)


# The learner and its checkpoints.


def parameters(learner: Learner) -> dict[str, "torch.Tensor"]:
    return {k: v.clone() for k, v in learner.agent.network.state_dict().items()}


def test_training_fills_the_curve(trained: tuple[Learner, Path, Path]) -> None:
    learner, _, _ = trained
    assert [row["steps"] for row in learner.curve] == list(range(0, 2049, 256))
    evaluated = [row["steps"] for row in learner.curve if "greedy win_rate" in row]
    assert evaluated == [0, 512, 1024, 1536, 2048]
    assert learner.curve[-1]["random score"] > 0
    assert learner.curve[-1]["entropy"] > 0 and "value_loss" in learner.curve[-1]


def test_a_resumed_run_equals_the_uninterrupted_one(trained: tuple[Learner, Path, Path]) -> None:
    learner, half, _ = trained
    assert read_checkpoint(half)[0]["steps"] == 1024
    check_resuming(learner, half)


@pytest.mark.parametrize("reward", ["outcome", "score_delta", "margin"])
def test_other_settings_train_too(reward: str, tmp_path: Path) -> None:
    """Three players, residual blocks, a checkpoint as opponent, other rewards."""
    three = SMALL.replace(rules=Rules(n_players=3, view=12), eval_games=3, total_steps=256)
    first = Learner(three)
    first.save(tmp_path / "rival.ckpt")
    second = Learner(
        three.replace(
            network=NetworkConfig("residual", channels=4, hidden=16),
            reward=reward,
            opponents=("random", str(tmp_path / "rival.ckpt")),
        )
    )
    assert second.update()["steps"] == 0
    row = second.update()
    assert second.is_done
    assert row["steps"] == 256
    assert 0 <= row["greedy win_rate"] <= 1


def test_a_run_is_a_function_of_its_seed(trained: tuple[Learner, Path, Path]) -> None:
    learner, _, _ = trained
    runs = []
    for config in (SMALL, SMALL.replace(seed=1)):
        runs.append(Learner(config))
        runs[-1].update()
        runs[-1].update()
    same, other = runs
    assert same.curve == learner.curve[:2]
    assert not torch.equal(
        parameters(same)["tile_head.weight"], parameters(other)["tile_head.weight"]
    )


def test_a_checkpoint_plays(trained: tuple[Learner, Path, Path]) -> None:
    learner, _, end = trained
    agent = make_agent(end, SMALL.rules)
    assert isinstance(agent, NetworkAgent)
    match = play_match([agent, make_agent("random")], ["agent", "random"], SMALL.rules, 4, seed=2)
    again = play_match([learner.agent, make_agent("random")], ["a", "r"], SMALL.rules, 4, seed=2)
    np.testing.assert_array_equal(match.scores, again.scores)
    with pytest.raises(ValueError, match="the network was not made for turn 2"):
        agent.act(Table(SMALL.rules.replace(n_players=3), seed=0))


def test_a_network_of_one_view_plays_any(trained: tuple[Learner, Path, Path]) -> None:
    """It sees the same board with more around it, where the same cells have other numbers."""
    wide = SMALL.rules.replace(view=20)
    small, large = make_agent(trained[2]), make_agent(trained[2], wide)
    narrow, table = Table(SMALL.rules, seed=3), Table(wide, seed=3)
    n, n_same = 0, 0
    while not narrow.is_over:
        chosen, other = small.act(narrow), large.act(table)
        alike = [a for a in table.legal_actions() if moved(table, a, -4) == moved(narrow, chosen)]
        if len(table.legal_actions()) != len(narrow.legal_actions()):
            break  # the rim of the narrow view is reached
        n, n_same = n + 1, n_same + (alike == [other])
        narrow.step(chosen)
        table.step(alike[0])
    assert n > 15 and n_same > 0.9 * n


def moved(table: Table, action: int, by: int = 0) -> object:
    """What an action is, its cell moved."""
    choice = table.layout.choice(action)
    if choice.cell is None:
        return choice
    return dataclasses.replace(choice, cell=(choice.cell[0] + by, choice.cell[1] + by))


def test_a_checkpoint_of_other_rules_is_refused(trained: tuple[Learner, Path, Path]) -> None:
    _, half, end = trained
    with pytest.raises(CheckpointError, match="the network was not made for turn 2"):
        make_agent(end, Rules(view=14, n_players=3))
    with pytest.raises(
        CheckpointError, match=r"rules cannot change when a run resumes: view: 12 -> 14$"
    ):
        Learner.resume(half, SMALL.replace(rules=Rules(view=14)))
    with pytest.raises(CheckpointError, match=r"n_envs cannot change .*: \d+ -> 4$"):
        Learner.resume(half, SMALL.replace(n_envs=4))


def test_a_checkpoint_that_lacks_something_is_refused(
    trained: tuple[Learner, Path, Path], tmp_path: Path
) -> None:
    meta, arrays = read_checkpoint(trained[1])
    path = tmp_path / "bad.ckpt"
    name = "network/tile_head.weight"
    for without, reason in (
        ("games", "training state is not valid: KeyError"),
        ("adam/0/exp_avg", "training state is not valid: KeyError"),
        (name, "parameters do not match the network"),
    ):
        write_checkpoint(path, meta, {k: v for k, v in arrays.items() if k != without})
        with pytest.raises(CheckpointError, match=reason):
            Learner.resume(path)
    write_checkpoint(path, meta, {**arrays, name: arrays[name][:, :2]})
    with pytest.raises(CheckpointError, match=r"'tile_head.weight' is float32 \(1, 2\), not"):
        make_agent(path)
    write_checkpoint(path, {k: v for k, v in meta.items() if k != "config"}, arrays)
    with pytest.raises(CheckpointError, match="settings are not valid here: 'config'"):
        Learner.resume(path)
    write_checkpoint(path, {k: v for k, v in meta.items() if k != "decks"}, arrays)
    with pytest.raises(CheckpointError, match=r"decks of version 0, .* begin a new run"):
        Learner.resume(path)
    assert make_agent(path).rules == SMALL.rules  # type: ignore[attr-defined]
    for rules in ({"view": 13}, {"views": 12}):
        write_checkpoint(path, {**meta, "rules": rules}, arrays)
        with pytest.raises(CheckpointError, match=r"rules or network are not valid here: .*view"):
            make_agent(path)


def test_a_run_begins_with_the_network_of_another(trained: tuple[Learner, Path, Path]) -> None:
    first, _, path = trained
    warm = Learner(SMALL)
    heads = [run.network.tile_head.weight for run in (first, warm)]
    assert not torch.equal(*heads)
    warm.begin_with(path)
    assert torch.equal(*heads)
    assert not warm.network.value_head.weight.any()  # rewards are others
    like = Learner(SMALL.replace(reward="margin", init_temperature=0.5))
    like.begin_with(path)
    assert torch.equal(like.network.tile_head.weight, 2 * heads[0])
    assert torch.equal(like.network.value_head.weight, first.network.value_head.weight)
    with pytest.raises(CheckpointError, match="another network"):
        Learner(SMALL.replace(network=NetworkConfig(channels=8))).begin_with(path)
    more = Learner(SMALL.replace(rules=Rules.preset("abbey-mayor", view=14)))
    more.begin_with(path)
    assert torch.equal(more.network.tile_head.weight, heads[0])


# Settings.


KINDS = {"maskable-ppo": TrainConfig, "value": ValueConfig}


def test_all_settings_of_the_package_are_valid() -> None:
    found = settings_of_the_package()
    assert {*found} >= {"demo", "base-light", "base-residual", "value-base"}
    folders = {"value-demo": "runs/demo-value"}
    for name, path in found.items():
        kind = KINDS[training_of(name)]
        config = kind.read(path)
        assert config.folder == folders.get(name, f"runs/{name}")
        assert kind.from_dict(yaml.safe_load(yaml.safe_dump(config.to_dict()))) == config
        init = getattr(config, "init", "")
        assert init in ("", SHIPPED) or init.startswith("runs/"), "a file that only a clone has"


def test_a_device_that_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match="torch has no device 'cuda:99' here"):
        Learner(SMALL.replace(device="cuda:99"))


def test_settings_are_found_by_name_and_by_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert TrainConfig.read(settings_file(Path("base-warm"))).folder == "runs/base-warm"
    Path("demo").write_text("folder: runs/mine")
    assert settings_file(Path("demo")) == Path("demo")
    for source in ("base-lite", "configs/base-lite.yaml"):
        with pytest.raises(ValueError, match=r"neither a file .* demo, .*; did you mean 'base-li"):
            settings_file(Path(source))


def test_the_help_of_a_training_names_its_settings() -> None:
    done = run_here("train_maskable_ppo", "--help")
    assert done.returncode == 0
    names = "base-light, base-residual, base-warm, demo, light."
    assert " ".join(done.stdout.split()).endswith(f"that come with the package: {names}")
    assert run_here("train_maskable_ppo", "demo", "--help").returncode == 0


def test_the_name_of_the_network_is_that_of_its_file() -> None:
    assert [SHIPPED] == [path.stem for path in shipped().parent.glob("*.ckpt")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "learning_rat: 1",
            r"c\.yaml: setting must be one of 'folder', .*; did you mean 'learning_rate'",
        ),
        ("network: {width: 3}", "setting of network must be one of 'extractor', 'channels'"),
        ("rules: {views: 3}", "switch must be one of .*; got 'views'; did you mean 'view'"),
        ("rules: 3", "rules must be the name of a preset or a mapping of switches, got 3"),
        ("rules: bridge", "preset must be one of .*; did you mean 'bridges'"),
        ("rules:", "rules must be the name of a preset or a mapping of switches, got None"),
        ("- 1", "the settings must be a mapping"),
        ("a: [", r"c\.yaml: settings: not valid YAML: while parsing"),
        ("{1: 2}", "setting must be one of .*; got 1"),
        ("seed: 1\nseed: 2", "settings: not valid YAML: 'seed' is given twice"),
        ("folder: !!timestamp x", "tags are not allowed"),
        ("a: " + "[" * 5000, "nested more than 8 deep"),
        ("a: &a [x, x]\nb: [*a, *a]", "anchors and aliases are not allowed"),
        ("gamma: .nan", "gamma should be a finite number, got nan"),
        (f"gamma: 1{'0' * 400}", "gamma should be a (finite|valid) number, got 10"),
        ("n_envs: many", "n_envs should be a valid integer, got 'many'"),
        ("gamma: yes", "gamma should be a valid number, got True"),
        ("opponents: random", "opponents should be a valid tuple, got 'random'"),
        ("opponents: []", "opponents must name at least one agent"),
        ("reward: points", "reward should be 'outcome', .* or 'projected', got 'points'"),
        ("opponents: [1]", r"opponents should be a valid string, got \(1,\)"),
        ("n_envs: 0", "n_envs should be greater than 0"),
        ("batch_size: 500", r"batch_size must divide n_envs \* n_steps = 2048, got 500"),
        ("eval_games: 7", "eval_games must be a multiple of rules.n_players = 2, got 7"),
    ],
)
def test_settings_that_are_wrong_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        TrainConfig.read(path)


# The script.

TINY = (
    "--rules.view 12 --network.channels 4 --network.hidden 16 --n-envs 4 --n-steps 32 "
    "--batch-size 64 --eval-games 2 --eval-every 256 --checkpoint-every 256 --threads 1 "
    "--stop-at-win-rate 2"
).split()


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "carc_env", "train", "maskable-ppo", *map(str, arguments)]


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*arguments), capture_output=True, text=True, check=False)


@pytest.mark.long
def test_train_script_begins_goes_on_and_plays(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    begin = ["base-light", *TINY, "--folder", folder]
    done = run(*begin, "--total-steps", "512")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "What to look at next" in done.stdout
    assert files_in(folder) == WITH_TENSORBOARD
    assert list((folder / "tensorboard").iterdir())
    assert TrainConfig.read(folder / "config.yaml").rules.view == 12
    done = run_here("train_maskable_ppo", *begin, "--total-steps", "512")
    assert done.returncode == 1
    assert "already contains a run" in done.stdout
    going_on = [folder / "latest.ckpt", "--total-steps", "768", "--eval-against", "random"]
    done = run_here("train_maskable_ppo", *going_on)
    assert done.returncode == 0, done.stdout
    assert "Continuing at step 512" in done.stdout
    with (folder / "curve.csv").open() as file:
        assert [row["steps"] for row in csv.DictReader(file)] == [
            str(steps) for steps in range(0, 769, 128)
        ]
    done = run_here("evaluate", folder / "latest.ckpt", "random", "--games", "4")
    assert done.returncode == 0, done.stdout
    assert "4 games" in done.stdout


def test_train_script_explains_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text("learning_rat: 1")
    done = run(path)
    assert done.returncode == 1
    assert "error: " in done.stdout
    assert "got 'learning_rat'; did you mean 'learning_rate'?" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_train_script_takes_rules_as_a_preset_or_as_yaml(tmp_path: Path) -> None:
    three = "{preset: all, n_players: 3}"
    for given, words in (
        (["--rules", "bridge"], "did you mean 'bridges'?"),
        (["--rules", three, "--eval-games", "7"], "a multiple of rules.n_players"),
    ):
        done = run_here("train_maskable_ppo", "demo", *given)
        assert done.returncode != 0
        assert words in done.stdout
    given = [*TINY, "--rules", three, "--eval-games", "3", "--eval-against", "random"]
    folder = tmp_path / "run"
    done = run_here(
        "train_maskable_ppo", "demo", *given, "--total-steps", "128", "--folder", folder
    )
    assert done.returncode == 0, done.stdout
    rules = TrainConfig.read(folder / "config.yaml").rules
    assert rules == Rules.preset("all", n_players=3, view=12)


def begin_and_send(number: signal.Signals, folder: Path) -> tuple[int, str]:
    """Begin a long run, end it after its first evaluation; the exit status and what it said."""
    settings = ["base-light", *TINY, "--total-steps", "200000"]
    process = subprocess.Popen(
        command(*settings, "--folder", folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    deadline = time.monotonic() + 600
    while not (folder / "curve.csv").exists():  # after 256 steps
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.05)
    os.kill(process.pid, number)
    output, _ = process.communicate(timeout=600)
    return process.returncode, output


def interrupt_after_updates(monkeypatch: pytest.MonkeyPatch, n: int) -> None:
    """Let a SIGTERM come in the n-th update of any learner, counted from here."""
    update, calls = Learner.update, itertools.count(1)

    def update_and_interrupt(learner: Learner) -> dict[str, float]:
        if next(calls) == n:
            signal.raise_signal(signal.SIGTERM)
        return update(learner)

    monkeypatch.setattr(Learner, "update", update_and_interrupt)


def steps_in(path: Path) -> list[int]:
    with path.open() as file:
        return [int(row["steps"]) for row in csv.DictReader(file)]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The training with PPO in this process, without its settings for the process."""
    module = importlib.import_module("carc_env.agents.commands.train_maskable_ppo")
    monkeypatch.setattr("carc_env.agents.commands.training.prepare_cpu", lambda: None)
    return module


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_leaves_a_checkpoint_on_the_same_curve(
    number: signal.Signals, tmp_path: Path, script: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    latest = folder / "latest.ckpt"
    status, output = begin_and_send(number, folder)
    assert "Traceback" not in output
    meta, _ = read_checkpoint(latest)
    if number == signal.SIGKILL:
        assert status == -number
        (folder / ".latest.ckpt.abcd1234").write_text("what a killed writer leaves")
        assert meta["steps"] % 256 == 0
    else:
        assert status == 128 + number
        assert f"Interrupted at step {meta['steps']:,}" in output
        assert "carc-env train maskable-ppo" in output and "to continue" in output
        assert steps_in(folder / "curve.csv") == [row["steps"] for row in meta["curve"]]
    config = TrainConfig.from_dict(meta["config"])
    straight = Learner(config)
    while len(straight.curve) < len(meta["curve"]):
        straight.update()
    assert straight.curve == meta["curve"]
    for _ in range(3):
        straight.update()
    interrupt_after_updates(monkeypatch, 3)
    resumed, status = script.train(config, latest)
    assert status == 128 + signal.SIGTERM
    assert resumed.curve == straight.curve
    assert steps_in(folder / "curve.csv") == [row["steps"] for row in straight.curve]
    assert [path for path in folder.iterdir() if path.name.startswith(".")] == []
