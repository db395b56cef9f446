"""Search with a network, and learning from it: nothing leaks or is lost, nobody gets worse."""

from __future__ import annotations

import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from carc_env import Rules, Table

torch = pytest.importorskip("torch", reason="torch is not installed")
from carc_env.agents import zero  # noqa: E402
from carc_env.agents.checkpoint import CheckpointError, read_checkpoint, write_checkpoint  # noqa: E402
from carc_env.agents.config import NetworkConfig, ZeroConfig  # noqa: E402
from carc_env.agents.curve import read_csv  # noqa: E402
from carc_env.agents.interrupt import Stopped  # noqa: E402
from carc_env.agents.network_agent import imitation  # noqa: E402
from carc_env.agents.networks import Network  # noqa: E402
from carc_env.agents.run_folder import TIMES  # noqa: E402
from carc_env.agents.zero import Played, Replay, SelfPlay, ZeroLearner, decisions_of  # noqa: E402
from carc_env.agents.zero_search import (  # noqa: E402
    Forest,
    Judge,
    NetworkSearch,
    Plan,
    ZeroAgent,
    leads_of,
    visit_order,
)

from carc_env.engine.core.state import new_states  # noqa: E402
from carc_env.envs.naming import make_agent  # noqa: E402
from carc_env.game.endgames import shipped_endgames  # noqa: E402
from carc_env.rules import Layout  # noqa: E402
from carc_env.seeds import Stream  # noqa: E402
from tests.resuming import WITH_TENSORBOARD, check_resuming, files_in, finished  # noqa: E402
from tests.scripts import run_here  # noqa: E402
from tests.search.test_every_agent import decisions  # noqa: E402

ROOT = Path(__file__).parent.parent
SHIPPED = ROOT / "agents" / "shipped" / "imitation.ckpt"
TINY = NetworkConfig(channels=4, blocks=1, hidden=8)
RULES = Rules(view=14)
LIKE_SHIPPED = ZeroConfig(gate_games=10, threads=1)
"""Settings with the network that comes with the package."""


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """Threads that wait for each other take most of the time of small networks."""
    torch.set_num_threads(1)


def settings(**changes: object) -> ZeroConfig:
    return ZeroConfig(
        rules=RULES,
        network=TINY,
        total_steps=700,
        n_envs=2,
        round_games=2,
        sims=3,
        considered=2,
        batch_size=32,
        replay_size=300,
        gate_every=250,
        gate_games=2,
        eval_every=400,
        eval_games=2,
        threads=1,
    ).replace(**changes)


def network_of(rules: Rules, seed: int = 0) -> Network:
    """A network that knows nothing, with opinions all the same."""
    torch.manual_seed(seed)
    network = Network(rules, TINY)
    for head in (network.tile_head, network.figure_head):
        torch.nn.init.normal_(head.weight, std=1.0)
    return network


# The search.


def test_visits_are_halved_and_all_are_spent() -> None:
    for n_considered in range(1, 20):
        for n_sims in (1, 2, 7, 16, 50, 200):
            order, visits = visit_order(n_considered, n_sims), Counter[int]()
            assert len(order) == n_sims
            for wanted in order:  # somebody has so many visits at each simulation
                place = next(k for k in range(n_considered) if visits[k] == wanted)
                visits[place] += 1
    assert visit_order(4, 16) == (*[0] * 4, *[1] * 4, *[2, 2, 3, 3, 4, 4, 5, 5])


def test_leads_are_over_the_best_rival() -> None:
    assert leads_of(np.array([[30, 20], [5, 9]])).tolist() == [[10, -10], [-4, 4]]
    assert leads_of(np.array([7, 10, 4])).tolist() == [-3, 3, -6]


def test_a_search_is_better_than_what_it_searches_with() -> None:
    """On endgames that are solved, by points given away."""
    found = shipped_endgames()["base-2"]
    endgames = found.endgames[:120]
    tables = [endgame.game(seed=endgame.number) for endgame in endgames]
    regrets = {}
    network = imitation(found.rules).network
    plans = {"bare": None, "searched": Plan(16, 8)}
    for name, plan in plans.items():
        agent = imitation(found.rules) if plan is None else ZeroAgent(network, found.rules, plan)
        regrets[name] = np.mean(
            [
                endgame.regret(table.legal_actions().index(action))
                for endgame, table, action in zip(
                    endgames, tables, agent.act_many(tables), strict=True
                )
            ]
        )
    assert regrets["searched"] < 0.9 * regrets["bare"], regrets


def test_a_search_plays_games_under_many_rules_at_once() -> None:
    """What the network thinks of a position does not depend on the layout."""
    kinds = [RULES, Rules.preset("inns", view=14, n_players=3), RULES.replace(deck_size=30)]
    layouts = Layout(*kinds), Layout(*kinds, Rules.preset("tower", view=14))
    network = network_of(RULES.replace(layout=layouts[0]))
    agent = ZeroAgent(network, RULES, Plan(4, 2))
    tables = [Table(r.replace(layout=own), seed=7) for r in kinds for own in (None, *layouts)]
    for _ in range(4):
        chosen = agent.act_many(tables)
        assert chosen == [agent.act(table) for table in tables]
        thoughts = []
        for table in tables:
            forest = Forest(Judge(network, table.rules), Plan(1, 1), new_states(2), [table], [0])
            root = np.zeros(1, np.int64)
            logs = forest.raised(root, root, np.zeros((1, 1)))[0]
            thoughts.append(sorted(logs[np.isfinite(logs)]))
            assert len(thoughts[-1]) == len(table.legal_actions()) > 1
        for k in range(0, len(tables), 3):
            for other in thoughts[k + 1 : k + 3]:
                assert other == pytest.approx(thoughts[k], abs=1e-4)
            name = tables[k].layout.name(chosen[k])
            for table in tables[k : k + 3]:
                table.step(table.layout.index(name))


def test_the_last_decision_is_right_whatever_the_network_thinks() -> None:
    """With no tile left to draw, the ends of all actions are seen."""
    checked = 0
    for seed in range(12):
        table, last = Table(RULES, seed=seed), None
        while not table.is_over:
            if len(table.legal_actions()) > 1:
                last = table.clone()
            table.step(table.random_action())
        assert last is not None
        leads = {}
        for action in last.legal_actions():
            after = last.clone()
            after.step(action)
            if not after.is_over:
                break
            leads[action] = float(leads_of(np.array(after.scores))[last.decider])
        else:
            n = len(leads)
            agent = ZeroAgent(network_of(RULES, seed), RULES, Plan(4 * n, n, temperature=0.01))
            lines = agent.analyse(last)
            assert lines[0].action == agent.act(last)
            assert lines[0].value == max(leads.values())
            assert {line.action: line.value for line in lines} == leads
            checked += 1
    assert checked > 5, checked


def side_by_side(tables: Iterable[Table], size: int) -> Iterator[list[Table]]:
    """Copies of tables of the same rules, at most `size` at a time."""
    waiting: dict[Rules, list[Table]] = defaultdict(list)
    for table in tables:
        waiting[table.rules].append(table.clone())
        if len(waiting[table.rules]) == size:
            yield waiting.pop(table.rules)
    yield from waiting.values()


@pytest.mark.parametrize("n", [250, pytest.param(2_000, marks=pytest.mark.long)])
def test_hidden_tiles_never_matter_and_the_table_stays_as_it_is(n: int) -> None:
    agents, phases = {}, set()
    for tables in side_by_side(islice(decisions(), n), 64):
        rules = tables[0].rules
        if rules not in agents:
            agents[rules] = ZeroAgent(network_of(rules), rules, Plan(6, 3))
        twins = [table.clone() for table in tables]
        for k, twin in enumerate(twins):
            twin.reshuffle(k)
        before = [table.states.tobytes() for table in (*tables, *twins)]
        choices = agents[rules].act_many(tables)
        assert agents[rules].act_many(twins) == choices
        assert all(c in t.legal_actions() for c, t in zip(choices, tables, strict=True))
        assert [table.states.tobytes() for table in (*tables, *twins)] == before
        phases.update(table.phase for table in tables)
    assert len(phases) >= 8


def test_games_side_by_side_are_searched_as_alone() -> None:
    tables = [Table(RULES, seed=seed) for seed in range(5)]
    for k, table in enumerate(tables):
        for _ in range(20 * k):
            table.step(table.random_action())
    agent = ZeroAgent(network_of(RULES), RULES, Plan(12, 4), seed=3)
    assert agent.act_many(tables) == [agent.act(table) for table in tables]
    found = agent.look_at(tables)
    for k in range(5):
        assert found[k].visits.sum() == 12
        assert np.exp(found[k].logs).sum() == pytest.approx(1.0)


def test_noise_changes_what_is_looked_at() -> None:
    table = Table(RULES, seed=1)
    search = NetworkSearch(Judge(network_of(RULES), RULES), Plan(4, 2))
    n = len(table.legal_actions())
    looked_at = set()
    for k in range(n):
        noise = np.zeros(n)
        noise[k] = 100.0
        (found,) = search.search([table], [1], [noise])
        looked_at.add(found.best)
        assert found.visits[found.best] >= 2
    assert looked_at == set(range(n))


def test_a_search_with_seconds_ends(tmp_path: Path) -> None:
    agent = make_agent("zero:seconds=0.05,seed=2", Rules(view=20))
    table = Table(Rules(view=20), seed=4)
    for _ in range(3):
        lines = agent.analyse(table)  # type: ignore[attr-defined]
        assert sum(line.visits for line in lines) >= 4
        table.step(agent.act(table))
    with pytest.raises(ValueError, match="seconds must be more than 0"):
        make_agent("zero:seconds=0", Rules(view=20))
    with pytest.raises(ValueError, match="the network was not made for turn 2, decides 2"):
        make_agent("zero", Rules(n_players=3))
    with pytest.raises(ValueError, match="the network was not made for turn 2, decides 2"):
        agent.act(Table(Rules(n_players=3)))
    meta, arrays = read_checkpoint(SHIPPED)
    write_checkpoint(tmp_path / "ppo.ckpt", meta | {"about": {}}, arrays)
    with pytest.raises(CheckpointError, match="its value is not the lead at the end"):
        make_agent(f"zero:checkpoint={tmp_path / 'ppo.ckpt'}")


# What is learned from.


@pytest.fixture(scope="module")
def games() -> list[Played]:
    torch.set_num_threads(1)
    players = SelfPlay(network_of(RULES), RULES, Plan(3, 2), 0.0)
    return players.play([11, 12, 13])[0]


def test_a_game_is_a_function_of_its_seed(games: list[Played]) -> None:
    again = SelfPlay(network_of(RULES), RULES, Plan(3, 2), 0.0).play([11, 12, 13])[0]
    for one, other in zip(games, again, strict=True):
        assert one.seed == other.seed
        for a, b in zip(one[1:], other[1:], strict=True):
            assert np.array_equal(a, b)


def test_decisions_are_made_again_of_actions(games: list[Played]) -> None:
    game = games[1]
    found, mixed = (decisions_of(game, RULES, share) for share in (0.0, 0.25))
    table = Table(RULES, seed=12)
    for k in range(found.n):
        while len(table.legal_actions()) == 1:
            table.step(table.legal_actions()[0])
        part = found.pick(np.array([k]))
        assert part.legal.tolist() == table.legal_actions()
        assert np.exp(part.values).sum() == pytest.approx(1.0, abs=1e-5)
        board = table.observe()["board"].transpose(1, 2, 0).ravel()
        assert np.array_equal(np.flatnonzero(board), part.indices)
        assert np.array_equal(board[part.indices], part.weights)
        assert found.seats[k] == table.decider
        table.step(int(found.actions[k]))
    ends = leads_of(np.array(table.scores))[found.seats]
    assert np.array_equal(found.margins, ends)
    assert mixed.margins == pytest.approx(0.75 * ends + 0.25 * game.values)
    with pytest.raises(ValueError, match="legal actions are expected"):
        decisions_of(game._replace(seed=99), RULES)


def test_batches_come_from_the_latest_games(games: list[Played]) -> None:
    lengths = [len(game.actions) for game in games]
    replay = Replay(RULES, lengths[1] + lengths[2])
    for game in games:
        replay.add(game)
    assert [game.seed for game in replay.games] == [12, 13]
    assert replay.n == sum(lengths[1:])
    whole = [decisions_of(game, RULES) for game in games[1:]]
    keys = {part.globals[k].tobytes(): i for i, part in enumerate(whole) for k in range(part.n)}
    drawn = replay.draw(4000, np.random.default_rng(1))
    counts = Counter(row.tobytes() for row in drawn.globals)
    assert counts.keys() <= keys.keys() and len(counts) > 0.99 * len(keys)
    share = sum(n for key, n in counts.items() if keys[key] == 0) / 4000
    assert share == pytest.approx(lengths[1] / replay.n, abs=0.05)
    other = Replay(RULES, replay.n)
    other.restore(replay.save())
    for a, b in zip(drawn, other.draw(4000, np.random.default_rng(1)), strict=True):
        assert np.array_equal(a, b)


# The run.


@pytest.mark.long
@pytest.mark.once
def test_a_run_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    whole = finished(ZeroLearner(settings()), tmp_path / "half.ckpt", n_rows=3)
    rows = whole.curve
    assert len(rows) >= 4 and rows[0]["steps"] == 0 and "greedy win_rate" in rows[0]
    assert "greedy win_rate" in rows[-1] and "accepted" in rows[-1]
    check_resuming(whole, tmp_path / "half.ckpt")
    assert whole.speed.games == whole.games and "games/s" in whole.speed.words()
    agent = make_agent(f"zero:checkpoint={tmp_path / 'whole.ckpt'},sims=4", RULES)
    table = Table(RULES, seed=5)
    assert agent.act(table) in table.legal_actions()
    assert make_agent(tmp_path / "whole.ckpt").act(table) == whole.agent.act(table)


@pytest.mark.once
def test_wherever_it_is_stopped_a_run_goes_on_with_the_same_curve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A share takes about 120 searches; matches and evaluations as many decisions."""
    config = settings(total_steps=200, n_envs=1, sims=1, considered=1, reuse=0.3)
    whole = finished(ZeroLearner(config))
    whole.save(tmp_path / "whole.ckpt")
    calls = Counter[str]()
    where, when = "", 0

    def stop() -> None:
        name = sys._getframe(1).f_code.co_name
        calls[name] += 1
        if (name, calls[name]) == (where, when):
            raise Stopped

    monkeypatch.setattr("carc_env.agents.zero.stop_if_wanted", stop)
    run, n_games = ZeroLearner(config), []
    stops = [("act_many", 10), ("play", 160), ("_learn_all", 2), ("act_many", 10)]
    for where, when in [*stops, ("act_many", 120)]:  # noqa: B007
        calls.clear()
        with pytest.raises(Stopped):
            while not run.is_done:
                run.update()
        n_games.append(run.games)
        run.save(tmp_path / "part.ckpt")
        run = ZeroLearner.resume(tmp_path / "part.ckpt")
    assert n_games == [0, 1, 2, 2, 2]
    finished(run).save(tmp_path / "part.ckpt")
    assert run.curve == whole.curve
    assert (tmp_path / "part.ckpt").read_bytes() == (tmp_path / "whole.ckpt").read_bytes()


@pytest.mark.long
@pytest.mark.once
def test_with_workers_a_run_is_the_same_wherever_it_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = settings(total_steps=300, n_envs=1)
    whole, run = ZeroLearner(config), ZeroLearner(config.replace(workers=2))
    finished(whole)
    run.update()
    with monkeypatch.context() as patch, closing(run):
        patch.setattr(zero, "stop_if_wanted", Mock(side_effect=Stopped))
        with pytest.raises(Stopped):
            run.update()
        run.save(tmp_path / "part.ckpt")
    run = ZeroLearner.resume(tmp_path / "part.ckpt")
    with closing(run):
        while not run.is_done:
            run.update()
        assert run.processor_seconds > whole.processor_seconds / 3  # playing counts, too
    for one, other in zip(whole.replay.games, run.replay.games, strict=True):
        assert np.array_equal(one.actions, other.actions)
    assert run.curve == whole.curve


def test_the_gate_keeps_a_worse_network_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """On decks that are no evaluation's."""
    watched = Mock(wraps=zero.play_match)
    monkeypatch.setattr(zero, "play_match", watched)
    learner = ZeroLearner(LIKE_SHIPPED)
    learner.begin_with("imitation")
    before = {name: tensor.clone() for name, tensor in learner._plays.state_dict().items()}
    row = learner._gate()  # against a copy of itself: half of every deck
    assert row == {"accepted": 1.0, "accepted_rate": 0.5}
    with torch.no_grad():
        learner._learns.tile_head.weight.neg_()
    row = learner._gate()
    assert row["accepted"] == 0.0 and row["accepted_rate"] < 0.2
    assert [call.kwargs["stream"] for call in watched.call_args_list] == [Stream.GATE] * 2
    for name, tensor in learner._plays.state_dict().items():
        assert torch.equal(tensor, before[name])
    learner.config = LIKE_SHIPPED.replace(gate_games=0)
    assert learner._gate() == {}
    assert torch.equal(learner._plays.tile_head.weight, learner._learns.tile_head.weight)


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    learner = ZeroLearner(settings())
    with pytest.raises(CheckpointError, match="another network"):
        learner.begin_with(SHIPPED)
    with pytest.raises(CheckpointError, match=r"not a checkpoint of carc-env train zero"):
        ZeroLearner.resume(SHIPPED)
    learner.save(tmp_path / "run.ckpt")
    for changes, message in (
        ({"rules": Rules(view=16)}, "rules cannot change"),
        ({"network": NetworkConfig(channels=8)}, "network cannot change"),
    ):
        with pytest.raises(CheckpointError, match=message):
            ZeroLearner.resume(tmp_path / "run.ckpt", settings(**changes))
    meta, arrays = read_checkpoint(tmp_path / "run.ckpt")
    write_checkpoint(tmp_path / "older.ckpt", {**meta, "decks": 0}, arrays)
    with pytest.raises(CheckpointError, match="its run has decks of version 0"):
        ZeroLearner.resume(tmp_path / "older.ckpt")
    for wrong in ({"root_weight": 2.0}, {"gate_games": 3}, {"sims": 0}, {"workers": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            settings(**wrong)
    with pytest.raises(ValueError, match=r"at least n_envs \* workers = 4, .* got 2"):
        settings(workers=2)
    meta, arrays = read_checkpoint(SHIPPED)
    write_checkpoint(tmp_path / "ppo.ckpt", meta | {"about": {}}, arrays)
    warm = ZeroLearner(LIKE_SHIPPED)
    warm.begin_with(tmp_path / "ppo.ckpt")
    assert not warm._plays.value_head.weight.any() and warm._plays.tile_head.weight.any()


@pytest.mark.long
@pytest.mark.once
def test_the_script_trains_and_goes_on(tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(
        "{total_steps: 200, n_envs: 2, round_games: 2, sims: 2, batch_size: 32, eval_games: 2, "
        "gate_games: 2, threads: 1, rules: {view: 14}, "
        "network: {channels: 4, blocks: 1, hidden: 8}}"
    )
    to = tmp_path / "run"
    done = run_here("train_zero", tmp_path / "small.yaml", "--folder", to)
    assert done.returncode == 0, done.stdout
    assert files_in(to) == WITH_TENSORBOARD
    assert read_csv(to / TIMES)[-1]["processor_seconds"] > 0
    done = run_here("train_zero", to / "latest.ckpt", "--total-steps", 500)
    assert done.returncode == 0 and "Continuing at step" in done.stdout, done.stdout
    done = run_here("train_zero", "zero-base", "--init", tmp_path / "none.ckpt")
    assert done.returncode == 1 and "error:" in done.stdout


@pytest.mark.once
def test_a_signal_ends_the_script_before_the_next_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "small.yaml").write_text(
        "{total_steps: 300, n_envs: 2, round_games: 2, sims: 2, batch_size: 32, eval_games: 2, "
        "gate_games: 2, threads: 1, rules: {view: 14}, "
        "network: {channels: 4, blocks: 1, hidden: 8}}"
    )
    search, n_searches = NetworkSearch.search, 0

    def counted(*arguments: Any, **others: Any) -> Any:
        nonlocal n_searches
        n_searches += 1
        if n_searches == 5:
            signal.raise_signal(signal.SIGTERM)
        return search(*arguments, **others)

    monkeypatch.setattr(NetworkSearch, "search", counted)
    done = run_here("train_zero", tmp_path / "small.yaml", "--folder", tmp_path / "run")
    assert (done.returncode, n_searches) == (128 + signal.SIGTERM, 5), done.stdout
    assert "Interrupted at step 0 after" in done.stdout and "to continue" in done.stdout
    meta, _ = read_checkpoint(tmp_path / "run" / "latest.ckpt")
    assert (meta["steps"], len(meta["curve"])) == (0, 1)
