"""Tasks that evaluate under other rules than they train on: rules, results, tables and plan."""

import json
from copy import deepcopy
from dataclasses import replace

import gymnasium
import numpy as np
import pytest
import results
import yaml
from carc_env.agents import known_results, make_agent
from carc_env.agents.arena import play_decks
from carc_env.agents.commands.task import in_turn, main
from carc_env.agents.foreign_games import checked_games
from carc_env.agents.task_results import Training, outscored, read_result, table_of

from carc_env import Game, format_record
from carc_env.envs.opponents import act
from carc_env.freezing import differences
from carc_env.layout.shared import check_layout
from carc_env.seeds import Stream
from carc_env.tasks import TASKS, frozen_tasks, task

pytestmark = pytest.mark.once

MIXED = [name for name, one in TASKS.items() if one.tests]
PLAYERS = task("mix-players-v1")


# Rules.


@pytest.mark.parametrize("name", MIXED)
def test_training_never_draws_test_rules_but_has_room_for_them(name):
    asked, rng = task(name), np.random.default_rng(0)
    assert asked.rivals == ("greedy", "value") and asked.n_adapting == 100_000
    assert len({*asked.tests.values()}) == len(asked.tests)
    drawn = {asked.rules.sample(rng).plain for _ in range(300)}
    assert len(drawn) > 1 and not drawn & {*asked.tests.values()}
    for rules, plain in zip(asked.test_rules, asked.tests.values(), strict=True):
        check_layout(rules)
        assert (rules.layout, rules.plain) == (asked.env_rules.layout, plain)


def test_tests_combine_expansions_of_which_training_shows_one_at_a_time():
    asked, rng = task("mix-combinations-v1"), np.random.default_rng(0)

    def n_parts(rules):
        names = rules.sets[1:] + ("abbot",) * rules.abbot + ("phantom",) * rules.phantom
        return len(names)

    assert {n_parts(asked.rules.sample(rng)) for _ in range(100)} == {0, 1}
    assert sorted(map(n_parts, asked.test_rules)) == [5, 5, 5, 6, 6, 6, 6, 7]


def test_every_test_variant_has_two_things_that_training_never_shows():
    asked, rng = task("mix-variants-v1"), np.random.default_rng(0)
    drawn = [asked.rules.sample(rng) for _ in range(400)]
    kinds = [
        lambda rules: rules.king_robber_scoring,
        lambda rules: rules.abbey_endgame,
        lambda rules: (rules.wagon_adjacency, rules.small_city_points),
        lambda rules: rules.deck_size,
    ]
    known = [{kind(rules) for rules in drawn} for kind in kinds]
    for rules in asked.test_rules:
        assert sum(kind(rules) not in seen for kind, seen in zip(kinds, known, strict=True)) >= 2


def test_two_tasks_have_the_same_training():
    one, other = task("mix-combinations-v1"), task("mix-new-sets-v1")
    assert one.rules is other.rules and one.env_rules == other.env_rules


def test_environments_draw_rules_with_two_and_three_seats():
    envs = gymnasium.make_vec(PLAYERS.id, num_envs=16)
    _, info = envs.reset(seed=1)
    assert {*info["n_players"]} == {2, 3}
    shown = Game(PLAYERS.rules_of(0), seed=1).observe()
    spaces = envs.single_observation_space.spaces
    assert spaces.keys() == shown.keys()
    assert {name: box.shape for name, box in spaces.items()} == {
        "board": (shown["board"].size,),
        "globals": shown["globals"].shape,
    }
    envs.close()


def test_decks_are_under_all_test_rules_in_turn():
    assert [PLAYERS.rules_of(deck).n_players for deck in range(4)] == [4, 5, 4, 5]
    assert PLAYERS.deck_seed(2) == PLAYERS.deck_seed(3) != PLAYERS.deck_seed(1)
    assert PLAYERS.deck(3) == Game(PLAYERS.tests["5-players"], seed=PLAYERS.deck_seed(3)).draw
    assert in_turn([[1, 4, 6], [2, 5], [3]]) == [1, 2, 3, 4, 5, 6]


def test_a_change_of_drawn_rules_or_test_rules_is_told():
    frozen = frozen_tasks()[PLAYERS.name]
    fewer = dict([*PLAYERS.tests.items()][:1])
    told = differences(replace(PLAYERS, tests=fewer), frozen)
    assert any("settings: tests" in one for one in told)
    weighted = type(PLAYERS.rules)(
        PLAYERS.rules.rules, weights=[1, 3], layout=PLAYERS.env_rules.layout
    )
    told = differences(replace(PLAYERS, rules=weighted), frozen)
    assert any("hashes: draws" in one for one in told)


# Scores.


def test_the_share_of_outscored_seats_is_the_reward_of_the_final_rank():
    scores = np.random.default_rng(0).integers(5, size=(50, 5))
    more = (scores[:, None] < scores[:, :, None]).sum(2) - (
        scores[:, None] > scores[:, :, None]
    ).sum(2)
    assert outscored(scores) == pytest.approx((1 + more / 4) / 2)
    assert outscored(np.array([3, 3, 1, 0])) == pytest.approx([5 / 6, 5 / 6, 1 / 3, 0])
    assert outscored(scores).mean(axis=1) == pytest.approx(0.5)


def evaluated(folder, agent="greedy", *options, decks=2, name=PLAYERS.name):
    given = ["evaluate", name, agent, "--decks", f"{decks}", "--workers", "1"]
    assert main([*given, "--folder", str(folder), *options]) == 0
    return read_result(folder / "result.json")


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    said = ["--name", "Greedy", "--seed", "0", "--budget", "1000000"]
    return evaluated(tmp_path_factory.mktemp("mixed"), "greedy", *said)


def test_an_evaluation_is_played_under_all_test_rules(result):
    assert [len(deck) for deck in result.scores["value"]] == [4, 5]
    rivals = {name: make_agent(name) for name in PLAYERS.rivals}
    for deck, rules in enumerate(PLAYERS.tests.values()):
        for rival in PLAYERS.rivals:
            n = rules.n_players
            players = [rivals["greedy"], *[make_agent(rival, rules)] * (n - 1)]
            (played,) = play_decks(
                players, ["a"] + ["b"] * (n - 1), rules, [0], PLAYERS.number, stream=Stream.TASKS
            )
            assert result.scores[rival][deck] == played.scores


def test_equal_agents_have_half_of_the_score_with_any_number_of_seats(result):
    rates = result.rates()
    assert rates.keys() == PLAYERS.tests.keys()
    assert [one["greedy"] for one in rates.values()] == [0.5, 0.5]
    mean = np.mean([[*one.values()] for one in rates.values()])
    assert result.score.value == pytest.approx(mean, abs=1e-6)
    summary = result.summary()
    assert summary["greedy"].win_rate.value == 0.5
    assert summary["greedy"].wins + summary["greedy"].draws + summary["greedy"].losses == 9
    assert summary["value"].win_rate.value == pytest.approx(2 * result.score.value - 0.5)


def test_a_score_that_does_not_follow_is_refused(result, tmp_path):
    values = result.to_dict()
    values["score"]["value"] += 0.01
    (tmp_path / "result.json").write_text(json.dumps(values))
    with pytest.raises(ValueError, match="does not follow from its scores"):
        read_result(tmp_path / "result.json")


BOT = """
from carc_env.agents import make_agent

class Bot:
    def __init__(self, name: str):
        assert name in ("4-players", "5-players")
        self.player = make_agent("greedy")

    def act(self, table):
        return self.player.act(table)
"""


def test_an_agent_for_each_of_the_test_rules(result, tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "named_bot.py").write_text(BOT)
    found = evaluated(tmp_path / "of", "named_bot:Bot?name={rules}", "--kind", "specialists")
    assert found.scores == result.scores and found.training.kind == "specialists"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([PLAYERS.name, "{rules}/latest.ckpt"], "add --kind specialists or --kind adapted"),
        ([PLAYERS.name, "greedy", "--decks", "1"], "--decks must be 2 to 1,000, got 1"),
        (["base-greedy-v1", "{rules}.ckpt", "--kind", "adapted"], "of a mix- task"),
    ],
)
def test_what_is_no_evaluation_of_the_task_is_refused(arguments, said, capsys, tmp_path):
    assert main(["evaluate", *arguments, "--folder", str(tmp_path)]) == 1
    assert said in " ".join(capsys.readouterr().out.split())


def test_tasks_show_what_is_drawn_and_tested(capsys):
    assert main(["show", "mix-combinations-v1"]) == 0
    told = " ".join(capsys.readouterr().out.split())  # however narrow the output is
    assert "Subsets parts: abbot, inns, traders, river, king-robber" in told
    assert "without: - opponents" in told and "anchors - test:" in told
    assert "n_parts: 0, 1" in told and "test: no-king-robber-phantom" not in told
    assert "test: no-king-robber-no-phantom" in told and "n_adapting" in told


# Tables.


def shares(result, own, **training):
    """Return a result whose agent outscores everybody in ``own`` decks and ties in the others."""
    scores = {
        rival: [
            [[int(deck < own), *[0] * (n - 1)]] * n
            for deck in range(4)
            for n in [PLAYERS.rules_of(deck).n_players]
        ]
        for rival in result.scores
    }
    said = {"seed": 0, "budget": 1_000_000, **training}
    return replace(result, scores=scores, training=Training(**said))


def test_the_gap_is_to_the_specialists_of_the_same_budget(result):
    rows = table_of(
        [
            *(shares(result, own, seed=own) for own in (0, 2)),
            shares(result, 4, kind="specialists"),
            shares(result, 1, kind="specialists", budget=10_000_000),
            shares(result, 3, kind="adapted"),
        ]
    )
    head = rows[0]
    at = {name: head.index(name) for name in head}
    assert {"% outscored, `greedy`", "% outscored, `value`"} < {*head}
    named = {(row[0].partition(" decks")[0], row[1]): row for row in rows[1:]}
    row = named["Greedy (4", "1,000,000"]
    assert row[at["score"]].startswith("62.5 (") and row[at["seeds"]] == "2"
    assert row[at["gap to specialists"]].startswith("37.5 (")
    assert row[at["score, adapted"]] == "87.5"
    assert named["Greedy (specialists, 4", "1,000,000"][at["score"]].startswith("100.0")
    assert named["Greedy (specialists, 4", "10,000,000"][at["gap to specialists"]] == "-"


def kept(path, kind="specialists", training="ppo", seeds=(0, 1), left_out=(), **changes):
    """Write a table of agents under test rules; seed k has a score of 60 + 10k percent."""
    rows = [
        {
            **{"task": PLAYERS.name, "fingerprint": PLAYERS.fingerprint, "kind": kind},
            **{"training": training, "budget": "1000000", "seed": f"{seed}", "rules": name},
            **{"decks": f"{PLAYERS.n_decks}", "greedy win_rate": f"{0.7 + seed / 10}"},
            **{"value win_rate": f"{0.5 + seed / 10}", **changes},
        }
        for seed in seeds
        for name in PLAYERS.tests
        if (seed, name) not in left_out
    ]
    results.keep(path, rows, {"kind": kind, "training": training})


def test_shipped_specialists_are_the_yardstick_of_others(result, tmp_path, monkeypatch):
    monkeypatch.setattr(known_results, "FOLDER", tmp_path)
    whole = replace(result, scores={rival: decks * 500 for rival, decks in result.scores.items()})
    assert whole.is_whole
    head, row = table_of([whole])
    assert row[head.index("gap to specialists")] == "-"
    path = tmp_path / known_results.UNDER_TEST_RULES
    kept(path, training=known_results.REFERENCE)
    head, row = table_of([whole])
    gap = 65 - 100 * whole.score.value
    assert row[head.index("gap to specialists")] == f"{gap:.1f}"
    assert row[head.index("score, adapted")] == "-"
    kept(path, training="Greedy", seeds=(3,))
    assert table_of([whole])[1][head.index("gap to specialists")] == f"{gap + 25:.1f}"


def test_a_seed_without_all_test_rules_and_another_task_have_no_score(tmp_path, monkeypatch):
    monkeypatch.setattr(known_results, "FOLDER", tmp_path)
    path = tmp_path / known_results.UNDER_TEST_RULES

    def found(kind="specialists"):
        return known_results.scores_of(PLAYERS, kind, "ppo", 1_000_000)

    kept(path, left_out=[(1, "5-players")])
    assert found() == pytest.approx([0.6]) and found("adapted") == []
    kept(path, fingerprint="0" * 16)
    assert found() == []
    kept(path, decks="4")
    assert found() == []


# Games that were played elsewhere.


def test_games_from_elsewhere_are_checked_under_their_rules(result):
    lines = []
    for name in PLAYERS.rivals:
        for deck in range(2):
            rules = PLAYERS.rules_of(deck)
            own, rival = make_agent("greedy"), make_agent(name, rules)
            for seat in range(rules.n_players):
                game = Game(rules.plain, seed=PLAYERS.deck_seed(deck))
                while not game.is_over:
                    game.step(act(own if game.decider == seat else rival, game))
                line = {"rival": name, "deck": deck, "seat": seat, "record": format_record(game)}
                lines.append(line)
    assert checked_games(PLAYERS, map(json.dumps, lines)) == result.scores
    swapped = [{**lines[0], "deck": 1}]
    with pytest.raises(ValueError, match=r"other rules .*n_players: 4 -> 5"):
        checked_games(PLAYERS, map(json.dumps, swapped))
    with pytest.raises(ValueError, match="deck 0 has 4 seats, not a seat 4"):
        checked_games(PLAYERS, [json.dumps({**lines[0], "seat": 4})])
    with pytest.raises(ValueError, match="deck 1 from seat 4 against value is missing"):
        checked_games(PLAYERS, map(json.dumps, lines[:-1]))


def test_specialists_train_and_test_under_the_same_rules_in_the_layout_of_the_task():
    alone = task("mix-players-v1/4-players")
    assert alone.rules == alone.env_rules == PLAYERS.test_rules[0] and alone.rules.n_players == 4
    assert alone.test_rules == (alone.rules,) and alone.rules.layout == PLAYERS.env_rules.layout
    with pytest.raises(ValueError, match="'4-players', '5-players'; got '6-players'"):
        task("mix-players-v1/6-players")
    with pytest.raises(ValueError, match="base-greedy-v1 has no test rules"):
        task("base-greedy-v1/4-players")


# The plan of results.py.


@pytest.fixture
def jobs(tmp_path, monkeypatch):
    """Plan a training run, its specialists and its adapted agents, with files in a test folder."""
    tasks = {PLAYERS.name: {1_000_000: 1}}
    plan = [
        {"name": "ppo", "about": "", "command": "ppo.py", "tasks": tasks},
        {
            **{"name": "ppo-specialists", "about": "", "command": "ppo.py", "tasks": tasks},
            **{"kind": "specialists", "of": "ppo"},
        },
        {
            **{"name": "ppo-adapted", "about": "", "tasks": tasks, "kind": "adapted", "of": "ppo"},
            "command": "ppo.py --init {after}",
        },
    ]
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump([*map(deepcopy, plan)]))
    monkeypatch.setattr(results, "PLAN", tmp_path / "plan.yaml")
    monkeypatch.setattr(results, "RUNS", tmp_path / "runs")
    monkeypatch.setattr(results, "KEPT", tmp_path)
    return {job.training.name: job for job in results.jobs_of(results.plan())}


def test_specialists_and_adapted_agents_are_trained_under_each_of_the_test_rules(jobs):
    ((*_, task_option, name), *_) = [command[:5] for command in jobs["ppo"].learning()]
    assert (task_option, name) == ("--task", PLAYERS.name)
    for job, steps in ((jobs["ppo-specialists"], 1_000_000), (jobs["ppo-adapted"], 100_000)):
        commands = [*job.learning()]
        given = [command[command.index("--task") + 1] for command in commands]
        assert given == ["mix-players-v1/4-players", "mix-players-v1/5-players"]
        folders = [command[command.index("--folder") + 1] for command in commands]
        assert folders == [f"{job.folder / name}" for name in PLAYERS.tests]
        assert all(command[command.index("--decisions") + 1] == f"{steps}" for command in commands)
        games = {int(command[command.index("--eval-games") + 1]) for command in commands}
        assert [n % seats for n in games for seats in (2, 3, 4, 5)] == [0, 0, 0, 0]
        evaluation = job.evaluation()
        assert any(word.endswith(f"path={job.folder}/{{rules}}/ppo.pt") for word in evaluation)
        assert evaluation[evaluation.index("--kind") + 1] == job.training.kind
        assert evaluation[evaluation.index("--name") + 1] == "ppo"
    before = jobs["ppo-adapted"].after
    assert before.folder == jobs["ppo"].folder
    assert f"{before.folder / 'ppo.pt'}" in next(jobs["ppo-adapted"].learning())


def test_results_under_test_rules_are_kept_by_these(jobs, result, tmp_path):
    job = jobs["ppo-specialists"]
    for part in job.parts:
        part.folder.mkdir(parents=True)
        (part.folder / "origin.yaml").write_text("machine: m\ncommit: c\n")
        (part.folder / "log.jsonl").write_text('{"decisions": 10, "processor_seconds": 2}\n')
    (job.folder / "evaluation").mkdir()
    (job.folder / "evaluation/result.json").write_text(json.dumps(result.to_dict()))
    path, key = job.stored
    assert path.name == known_results.UNDER_TEST_RULES and not results.is_kept(path, key)
    results.keep(path, job.summaries(), key)
    assert results.is_kept(path, key) and not results.is_kept(*jobs["ppo-adapted"].stored)
    rows = results.read_rows(path)
    assert [row["rules"] for row in rows] == [*PLAYERS.tests]
    assert {row["training"] for row in rows} == {"ppo"}
    assert [row["greedy win_rate"] for row in rows] == ["0.5000"] * 2


def test_a_task_without_test_rules_has_no_specialists(jobs):
    wrong = jobs["ppo-specialists"].training.model_copy(
        update={"tasks": {"base-selfplay-v1": {1_000_000: 1}}}
    )
    with pytest.raises(ValueError, match="base-selfplay-v1 has no test rules for ppo-specialists"):
        results.jobs_of([wrong])
