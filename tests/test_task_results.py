"""Evaluating agents on tasks: in this process, as programs, by games from elsewhere; tables."""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from carc_env.agents import known_results, make_agent, play_match
from carc_env.agents.arena import AgentError, play_decks
from carc_env.agents.commands.task import main
from carc_env.agents.foreign_games import checked_games
from carc_env.agents.process_agent import ProcessAgent
from carc_env.agents.task_results import (
    MARKS,
    OLD,
    Training,
    read_result,
    table_of,
    write_result,
)
from jsonschema import Draft202012Validator
from write_schemas import FOLDER

from carc_env import Game, Rules, format_record, parse_position
from carc_env.envs.naming import GROUP
from carc_env.envs.opponents import act
from carc_env.position import UNKNOWN_TILE
from carc_env.seeds import Stream
from carc_env.tasks import task

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[1]
TASK = task("short-greedy-v1")
RIVALS = {name: make_agent(name, TASK.rules) for name in TASK.rivals}


def evaluated(folder, *options, agent="greedy", name=TASK.name):
    """Evaluate an agent on two decks; return the result."""
    given = ["evaluate", name, agent, "--decks", "2", "--workers", "1", "--folder", str(folder)]
    assert main([*given, *options]) == 0
    return read_result(folder / "result.json")


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return evaluated(tmp_path_factory.mktemp("result"), "--name", "Greedy", "--seed", "0")


# An evaluation.


def test_an_evaluation_is_of_the_decks_of_the_task(result):
    for rival, scores in result.scores.items():
        players = [RIVALS["greedy"], RIVALS[rival]]
        numbers = {"seed": TASK.number, "stream": Stream.TASKS}
        match = play_match(players, ["a", "b"], TASK.rules, 4, **numbers)
        assert scores == match.scores.tolist()
        assert result.summary()[rival].win_rate == match.standings[0].win_rate


def test_the_file_of_a_result_has_the_form_of_its_schema(result, tmp_path):
    write_result(tmp_path / "again.json", result)
    values = json.loads((tmp_path / "again.json").read_text())
    schema = json.loads((FOLDER / "result.schema.json").read_text())
    Draft202012Validator(schema).validate(values)
    assert read_result(tmp_path / "again.json") == result


def test_an_evaluation_goes_on(tmp_path, capsys):
    evaluated(tmp_path)
    games = (tmp_path / "games.jsonl").read_text()
    longer = evaluated(tmp_path, "--decks", "4")
    assert longer.decks == 4
    assert "12 of 24 games were played before" in capsys.readouterr().out
    assert (tmp_path / "games.jsonl").read_text().startswith(games)


@pytest.mark.parametrize("changed", ["weights.txt", "changing.py"])
def test_the_games_of_an_agent_are_not_those_of_a_later_one(changed, tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "changing", raising=False)
    (tmp_path / "weights.txt").write_text("one")
    (tmp_path / "changing.py").write_text(
        "class Bot:\n"
        "    def __init__(self, path: str) -> None:\n"
        "        pass\n"
        "    def act(self, table):\n"
        "        return table.legal_actions()[0]\n"
    )
    word = f"changing:Bot?path={tmp_path / 'weights.txt'}"
    evaluated(tmp_path / "mine", agent=word)
    evaluated(tmp_path / "mine", agent=word)  # resumes
    (tmp_path / changed).write_text((tmp_path / changed).read_text() + "# more\n")
    given = ["evaluate", TASK.name, word, "--decks", "2", "--folder", str(tmp_path / "mine")]
    assert main(given) == 1
    assert "is another agent now" in " ".join(capsys.readouterr().out.split())


def test_the_result_of_another_agent_is_not_replaced(tmp_path, capsys):
    evaluated(tmp_path)
    before = (tmp_path / "result.json").read_bytes()
    given = ["evaluate", TASK.name, "random", "--decks", "2", "--folder", str(tmp_path)]
    assert main(given) == 1
    assert "is the result of greedy: take another --name" in " ".join(
        capsys.readouterr().out.split()
    )
    (tmp_path / "games.jsonl").write_text("")
    assert main(["count", TASK.name, str(tmp_path / "games.jsonl"), "--folder", str(tmp_path)]) == 1
    assert "is the result of greedy" in " ".join(capsys.readouterr().out.split())
    assert (tmp_path / "result.json").read_bytes() == before


def test_what_is_said_once_of_a_training_stays(tmp_path):
    evaluated(tmp_path, "--name", "Mine", "--reward", "margin", "--budget", "10", "--notes", "so")
    again = evaluated(tmp_path, "--seed", "3", "--budget", "20")
    sources = {"weights": "none", "data": "none"}  # known for a built-in agent
    assert again.agent == "Mine" and again.training == Training(3, 20, "margin", "so", **sources)
    assert evaluated(tmp_path, "--notes", "").training == Training(3, 20, "margin", "", **sources)


def test_endgames_are_asked_as_well(tmp_path):
    found = evaluated(tmp_path, agent="value", name="endgames-base-v1")
    assert (found.scores, len(found.regrets)) == ({}, 2)
    assert found.regret.value == pytest.approx(np.mean(found.regrets))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["evaluate", "base-gredy-v1", "greedy"], "did you mean 'base-greedy-v1'"),
        (["evaluate", TASK.name, "gredy"], "did you mean 'greedy'"),
        (["evaluate", TASK.name, "greedy", "--decks", "1001"], "--decks must be 1 to 1,000"),
        (["count", "endgames-base-v1", "games.jsonl"], "there are no games to count"),
        (["table", "nosuch.json"], "nosuch.json"),
    ],
)
def test_what_cannot_be_judged_is_refused(arguments, said, capsys):
    assert main(arguments) == 1
    assert said in capsys.readouterr().out


def test_tasks_are_listed_and_shown(capsys):
    assert main(["list"]) == 0
    assert main(["show", TASK.name]) == 0
    told = capsys.readouterr().out
    assert told.count(TASK.fingerprint) == 2 and "{deck_size: 12, view: 12}" in told


# Files of results that are refused.


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda v: v["summary"]["greedy"].update(wins=4), "does not follow from its scores"),
        (lambda v: v["scores"]["value"].pop(), "2 decks against random, 1 against others"),
        (lambda v: v["scores"]["value"][0][0].append(3), "does not have 2 scores from 2 seats"),
        (lambda v: v["scores"].pop("value"), "the opponents of short-greedy-v1 are"),
        (lambda v: v.update(fingerprint="0" * 16), "it was another task"),
        (lambda v: v.update(task="short-greedy-v0"), "task must be one of"),
        (lambda v: v.update(regrets=["none"]), "is no result of a task"),
        (lambda v: v.update(format="carc_env games"), "is no result of a task"),
    ],
)
def test_a_file_that_is_no_result_of_the_task_is_refused(result, change, said, tmp_path):
    values = result.to_dict()
    change(values)
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(values))
    with pytest.raises(ValueError, match=said):
        read_result(path)


# The table.


def won(result, shares, **training):
    """Return a result whose agent has won so many of four games against each opponent."""
    scores = {
        rival: [[[int(2 * deck + seat < n), 0] for seat in (0, 1)] for deck in (0, 1)]
        for rival, n in zip(result.scores, shares, strict=True)
    }
    lost = {rival: [[[a or -1, b] for a, b in d] for d in decks] for rival, decks in scores.items()}
    return replace(result, scores=lost, training=Training(**training))


def test_runs_of_different_seeds_are_a_row_with_their_interquartile_mean(result):
    wins = [(0, 4, 2), (1, 4, 2), (2, 4, 2), (3, 4, 2), (4, 4, 2)]
    runs = [won(result, n, seed=k, budget=1_000_000) for k, n in enumerate(wins)]
    head, row = table_of(runs)
    assert head[:4] == ["agent", "decisions", "reward", "seeds"]
    assert row[:4] == ["Greedy (2 decks only)", "1,000,000", "-", "5"]
    middle, low, high = map(float, re.fullmatch(r"([\d.]+) \(([\d.]+)-([\d.]+)\)", row[4]).groups())
    assert middle == 50.0  # of 25, 50 and 75
    assert 0 <= low < 30 and 70 < high <= 100
    assert row[5:7] == ["100.0 (100.0-100.0)", "50.0 (0.0-100.0)"]
    assert head[7] == "ms a decision" and float(row[7]) == pytest.approx(runs[0].ms, rel=0.1)


def test_other_budgets_and_rewards_are_other_rows(result):
    runs = [
        won(result, (4, 4, 4), seed=0, budget=10_000_000),
        won(result, (1, 1, 1), seed=0, budget=1_000_000),
        won(result, (2, 2, 2), seed=0, budget=1_000_000, reward="margin"),
    ]
    rows = table_of(runs)[1:]
    assert [row[1:4] for row in rows] == [
        ["1,000,000", "-", "1"],
        ["1,000,000", "margin", "1"],
        ["10,000,000", "-", "1"],
    ]


@pytest.mark.parametrize("seeds", [(0, 0), (0, None)])
def test_runs_of_a_row_need_a_seed_each(result, seeds):
    runs = [won(result, (1, 1, 1), seed=seed) for seed in seeds]
    with pytest.raises(ValueError, match="runs of Greedy need a seed each, all different"):
        table_of(runs)


def test_the_table_names_the_task_and_its_fingerprint(result, tmp_path, capsys):
    paths = []
    for seed in (0, 1):
        paths.append(tmp_path / f"{seed}.json")
        write_result(paths[-1], won(result, (1, 2, 3), seed=seed))
    assert main(["table", *map(str, paths)]) == 0
    told = capsys.readouterr().out
    assert f"`{TASK.name}`, {TASK.fingerprint}" in told
    assert "| Greedy (2 decks only) | - | - | 2 | 25.0 (0.0-50.0) |" in told


def test_a_check_tells_what_is_not_comparable(result, tmp_path, capsys):
    for budget in (20_000, 1_000_000):
        write_result(tmp_path / f"{budget}.json", won(result, (1, 1, 1), seed=0, budget=budget))
        assert main(["check", str(tmp_path / f"{budget}.json")]) == 0
        told = capsys.readouterr().out
        assert ("not comparable: 20,000 decisions" in told) == (budget == 20_000)
    for command in ("check", "table"):
        assert main([command]) == 1
        assert "give the files of results" in capsys.readouterr().out


def cells(line):
    return [cell.strip() for cell in line.strip("|\n").split("|")]


def test_the_rows_of_this_project_stand_beside_those_of_others(result, tmp_path, capsys):
    base = task("base-greedy-v1")
    mine = won(result, (1, 2, 3), seed=0, budget=1_000_000, reward="my own")
    mine = replace(mine, task=base.name, fingerprint=base.fingerprint)
    write_result(tmp_path / "mine.json", mine)
    assert main(["table", str(tmp_path / "mine.json"), "--beside"]) == 0
    told = capsys.readouterr().out
    lines = told.split("\n\n")[1].splitlines()
    head, _, *rows = (cells(line) for line in lines if line.startswith("|"))
    assert len({len(row) for row in (head, *rows)}) == 1
    assert sum(row[0] == "Greedy (2 decks only)" for row in rows) == 1
    page = (ROOT / "docs/results.md").read_text(encoding="utf-8")
    part = page.partition(f"## {base.name}\n")[2].partition("\n## ")[0]
    listed = [cells(line) for line in part.splitlines() if line.startswith("| ")]
    there = [dict(zip(listed[0], row, strict=True)) for row in listed[2:]]
    known = [dict(zip(head, row, strict=True)) for row in rows if "carc_env" in row[0]]
    assert f"†: {MARKS[OLD]}." in told
    assert len(known) == len(there) > 5
    for row, other in zip(
        sorted(known, key=lambda row: (row["decisions"], row["agent"])),
        sorted(there, key=lambda row: (row["decisions"], row["method"])),
        strict=True,
    ):
        assert row["agent"].startswith(f"{other['method']} (carc_env ")
        shared = [name for name in head if name in other]
        assert {*shared} >= {"decisions", "% won, `value`", "regret"}
        assert [row[name] for name in shared if name != "seeds"] == [
            other[name] for name in shared if name != "seeds"
        ]
    by_name = {row["agent"].partition(" (")[0]: row["reward"] for row in known}
    assert by_name["ppo"] == "`projected`" and by_name["greedy"] == "-"


def test_runs_on_a_task_that_was_another_one_do_not_stand_beside(tmp_path, monkeypatch):
    text = (known_results.FOLDER / known_results.ALL_RUNS).read_text(encoding="utf-8")
    (tmp_path / known_results.ALL_RUNS).write_text(text.replace(TASK.fingerprint, "0" * 16))
    monkeypatch.setattr(known_results, "FOLDER", tmp_path)
    assert known_results.known_runs(TASK) == {}
    assert known_results.known_runs(task("base-greedy-v1"))


# Games that were played elsewhere.


def lines_of(decks=2):
    """Yield the lines of a file with games of ``greedy``, as docs/tasks.md describes them."""
    for name, rival in RIVALS.items():
        for deck in range(decks):
            for seat in range(2):
                game = Game(TASK.rules, seed=TASK.deck_seed(deck))
                while not game.is_over:
                    player = RIVALS["greedy"] if game.decider == seat else rival
                    game.step(act(player, game))
                record = format_record(game)
                yield {"rival": name, "deck": deck, "seat": seat, "record": record}


def test_games_from_elsewhere_count_like_those_played_here(result, tmp_path):
    games = tmp_path / "games.jsonl"
    games.write_text("".join(json.dumps(line) + "\n" for line in lines_of()))
    assert main(["count", TASK.name, str(games), "--folder", str(tmp_path)]) == 0
    counted = read_result(tmp_path / "result.json")
    assert counted.scores == result.scores
    assert (counted.word, counted.ms, counted.agent) == ("games.jsonl", None, "games")


def exchanged(lines):
    lines[10]["seat"], lines[11]["seat"] = 1, 0


def other_deck(lines):
    lines[4]["deck"], lines[6]["deck"] = 1, 0


def from_the_value_player(lines):
    lines[6]["record"] = lines[10]["record"]


def unfinished(lines):
    game = Game(TASK.rules, seed=TASK.deck_seed(0))
    lines[0]["record"] = format_record(game)


def of_other_rules(lines):
    game = Game(seed=0)
    while not game.is_over:
        game.step(game.greedy_action())
    lines[0]["record"] = format_record(game)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (exchanged, "line 11, deck 1 from seat 1 against value: decision .* the opponent plays"),
        (from_the_value_player, "line 7, deck 1 from seat 0 against greedy: .* the opponent plays"),
        (other_deck, "line 5, deck 1 .* another order than those of the deck"),
        (unfinished, "line 1, .* the game is not over"),
        (of_other_rules, "line 1, .* other rules"),
        (lambda lines: lines.pop(), "deck 1 from seat 1 against value is missing"),
        (lambda lines: lines.append(lines[0]), "line 13, .* this game was listed before"),
        (lambda lines: lines[2].update(rival="mcts"), "line 3: rival 'mcts' does not exist in"),
        (lambda lines: lines[2].update(deck=1_000), "line 3: deck 1000 does not exist in"),
        (lambda lines: lines[2].pop("seat"), "line 3: expected an object with"),
        (lambda lines: lines[2].update(record="[carc_env game 1]"), "line 3, .* cut off"),
        (lambda lines: lines.clear(), "there are no games"),
    ],
)
def test_games_that_are_not_the_task_are_refused_by_name(spoil, said):
    lines = [*lines_of()]
    spoil(lines)
    with pytest.raises(ValueError, match=said):
        checked_games(TASK, map(json.dumps, lines))


# Programs, and agents of installed packages.

PROGRAM = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    {}
    print(json.dumps({{"action": {}}}), flush=True)
"""


@pytest.fixture
def program(tmp_path):
    def made(answer="asked['actions'][0]", does="pass", **options):
        path = tmp_path / "bot.py"
        path.write_text(PROGRAM.format(does, answer))
        return ProcessAgent(f"{sys.executable} {path}", **options)

    return made


def test_a_program_does_not_see_what_lies_face_down(program, tmp_path):
    """The tiles of a bazaar are face down until the starter's second part is over (BAZ-21)."""
    seen = tmp_path / "seen.txt"
    agent = program(does=f"open({str(seen)!r}, 'w').write(asked['position'])")
    game = Game(Rules.preset("all", bazaar_builder_order="builder_first"), seed=5)
    while (bazaar := game.position().bazaar) is None or not bazaar.waits:
        game.step(game.random_action())
    agent.act(game)
    agent.close()
    offer = re.search(r"^\[bazaar .*\]$", seen.read_text(), re.M)[0]
    assert UNKNOWN_TILE in offer
    assert not [lot.tile for lot in bazaar.offer if lot.tile in offer]


def test_a_program_plays_by_the_names_of_actions(program):
    agent = program()
    by_number = type("First", (), {"act": lambda self, table: table.legal_actions()[0]})()
    games = [
        play_decks([player, RIVALS["greedy"]], ["a", "b"], TASK.rules, range(2), 0)
        for player in (agent, by_number)
    ]
    agent.close()
    assert [deck.scores for deck in games[0]] == [deck.scores for deck in games[1]]


def test_a_program_is_told_the_position_but_not_the_order_of_the_bag(program, tmp_path):
    agent = program(does=f"open({str(tmp_path / 'asked')!r}, 'w').write(line)")
    game = Game(TASK.rules, seed=1)
    agent.act(game)
    agent.close()
    asked = json.loads((tmp_path / "asked").read_text())
    assert parse_position(asked["position"]) == replace(game.position(), bag=None)
    assert asked["seat"] == game.decider
    assert asked["actions"] == [game.name(action) for action in game.legal_actions()]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"answer": "'bg-cap 9,9 r0'"}, "'bg-cap 9,9 r0' is none of the 7 legal actions"),
        ({"answer": "1", "does": "print('thinking', flush=True)"}, "expected .*got 'thinking"),
        ({"does": "sys.exit(3)"}, "has ended, with exit status 3"),
        ({"does": "import time; time.sleep(60)", "seconds": 0.2}, "no answer within 0.2 s"),
    ],
)
def test_a_program_that_does_not_play_is_told(program, how, said):
    agent = program(**how)
    with pytest.raises(AgentError, match=f"agent 'bot' failed at .*{said}"):
        play_decks([agent, RIVALS["greedy"]], ["bot", "b"], TASK.rules, [0], 1)
    agent.close()


def test_a_program_that_is_not_there_is_told():
    with pytest.raises(ValueError, match="nosuch: the program cannot be started"):
        ProcessAgent("nosuch").act(Game(TASK.rules, seed=1))


def test_an_installed_package_names_its_agents(tmp_path, monkeypatch):
    metadata = tmp_path / "bold-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: bold\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[{GROUP}]\nbold = bold_bots:Bold\n")
    (tmp_path / "bold_bots.py").write_text(
        "class Bold:\n"
        "    def __init__(self, nerve: int = 1): self.nerve = nerve\n"
        "    def act(self, table): return table.legal_actions()[0]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert make_agent("bold:nerve=3").nerve == 3
    with pytest.raises(ValueError, match=r"'bold'.* did you mean 'bold'"):
        make_agent("blod")
