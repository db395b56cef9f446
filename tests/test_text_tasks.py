"""Tasks for language models: items, results, and models on servers."""

import json
from collections import Counter
from dataclasses import replace

import pytest
from carc_env.agents.chat import AgentModel, ChatModel
from carc_env.agents.commands import task as task_command
from carc_env.agents.commands import text as text_command
from carc_env.agents.rules_questions import ROOMS_ASKED, make_questions
from carc_env.agents.text_results import converse, read_text_result

from carc_env import Game, parse_position
from carc_env.envs.text.questions import KINDS, shipped_questions
from carc_env.envs.text.tasks import (
    TEXT_TASKS,
    differences,
    frozen_of,
    replayed,
    text_task,
)
from carc_env.tasks import frozen_tasks
from tests.chat_server import chat_server, first_action

NAMES = [*TEXT_TASKS]


@pytest.mark.once
@pytest.mark.parametrize("name", NAMES)
def test_a_text_task_is_what_it_was(name):
    """If this fails, give the changed task a new name, because results exist for the old task."""
    assert differences(text_task(name), frozen_tasks()[name]) == []


def test_a_change_of_a_text_task_is_told():
    task = replace(text_task("text-endgames-v1"), n_items=6)
    frozen = frozen_of(task)
    changed = {**frozen, "hashes": {**frozen["hashes"], "prompts": "other"}}
    assert differences(task, changed) == [f"prompts: 'other' -> {frozen['hashes']['prompts']!r}"]


@pytest.mark.parametrize("name", NAMES)
def test_items_have_names_and_groups_in_turn(name):
    task = text_task(name)
    items = task.items()
    assert len({item.name for item in items}) == len(items) == task.n_items
    groups = Counter(item.group for item in items)
    if task.kind != "rules":
        assert max(groups.values()) - min(groups.values()) <= 1
        assert len({item.group for item in items[: len(groups)]}) == len(groups)


def test_ten_questions_about_each_set_come_with_the_package():
    questions = shipped_questions()
    assert Counter(one.about for one in questions) == dict.fromkeys(ROOMS_ASKED, 10)
    assert {one.kind for one in questions} == {*KINDS} and len(ROOMS_ASKED) == 34
    assert len({(one.position, one.asks) for one in questions}) == len(questions)
    legal = Counter(one.answer for one in questions if one.kind == "legal")
    assert min(legal.values()) > 0.4 * legal.total()


def test_the_engine_confirms_the_shipped_answers():
    for one in shipped_questions():
        game = Game.from_position(parse_position(one.position))
        names = [game.name(action) for action in game.legal_actions()]
        if one.kind == "legal":
            name = one.asks.split("`")[1]
            assert (name in names) == (one.answer == "yes"), one
        elif one.kind == "points":
            game.apply(one.asks.split("`")[1])
            assert ":".join(map(str, game.scores)) == one.answer, one
        assert one.is_right(f"So: [[{one.answer}]]") and not one.is_right("[[42]]")


def test_questions_are_made_again_alike():
    (first, *_) = [one for one in shipped_questions() if one.about == "traders"]
    assert make_questions("traders")[0] == first


@pytest.mark.parametrize(
    ("text", "is_right"),
    [
        ("[[A B]]", True),
        ("[[b]] no, [[ a, b ]].", True),
        ("[[A]]", False),
        ("A B", False),
        ("[[A B", False),
        ("", False),
    ],
)
def test_the_last_brackets_answer_a_question(text, is_right):
    (question,) = [one for one in shipped_questions() if one.answer == "A B"][:1]
    assert question.is_right(text) == is_right


def test_an_agent_plays_endgames_through_the_text():
    regrets = {}
    for name in ("random", "search:seconds=0.2"):
        model = AgentModel(name)
        items = text_task("text-endgames-v1").items()[:6]
        results = [replayed(item, converse(item, model).answers) for item in items]
        assert not any(result["illegal"] for result in results)
        regrets[name] = sum(result["regret"] for result in results)
    assert regrets["search:seconds=0.2"] == 0 < regrets["random"]


def test_replayed_answers_must_end_an_item():
    item = text_task("text-endgames-v1").items()[0]
    assert replayed(item, ["?", "?", "?"])["replaced"] == 1
    with pytest.raises(ValueError, match="2 answers do not end it"):
        replayed(item, ["?", "?"])
    with pytest.raises(ValueError, match="4 answers, but 3 end it"):
        replayed(item, ["?"] * 4)


def run(*words):
    return text_command.main([str(word) for word in words])


def test_a_result_is_written_checked_and_an_edited_one_refused(tmp_path, capsys):
    words = ("evaluate", "text-endgames-v1", "--agent", "greedy", "--items", 6)
    assert run(*words, "--folder", tmp_path) == 0
    path = tmp_path / text_command.RESULT
    found = read_text_result(path)
    assert len(found.conversations) == 6 and {*found.summary()} > {"all", "base-2"}
    assert task_command.main(["check", str(path)]) == 0
    assert "greedy on text-endgames-v1" in capsys.readouterr().out
    values = json.loads(path.read_text())
    values["conversations"][0]["answers"] = ["[[pass]]"] * 3
    path.write_text(json.dumps(values))
    with pytest.raises(ValueError, match="does not follow from its answers"):
        read_text_result(path)
    values["fingerprint"] = "0" * 16
    path.write_text(json.dumps(values))
    with pytest.raises(ValueError, match="it was another task"):
        read_text_result(path)


def test_options_are_checked(tmp_path, capsys):
    assert run("evaluate", "text-base-v1") == 2
    assert run("evaluate", "text-base-v1", "--model", "m") == 2
    assert run("evaluate", "text-base-v1", "--agent", "value", "--parallel", 0) == 2
    assert run("evaluate", "text-base-v1", "--agent", "value", "--items", 0) == 1
    assert run("evaluat") == 2 and run("show", "text-rules-v1", "--item", "tower/0") == 0
    assert "## The Tower" in capsys.readouterr().out


# Models on a server.


def test_a_stub_model_is_evaluated(tmp_path, capsys, monkeypatch):
    pytest.importorskip("openai")
    monkeypatch.setenv(text_command.KEY, "secret")
    with chat_server(failures=2) as (url, requests):
        words = ("--model", "stub", "--base-url", url, "--items", 12, "--temperature", 0.5)
        assert run("evaluate", "text-endgames-v1", *words, "--folder", tmp_path) == 0
    assert all(one["path"] == "/v1/chat/completions" for one in requests)
    assert all(one["key"] == "Bearer secret" and one["temperature"] == 0.5 for one in requests)
    system, user = requests[-1]["messages"][:2]
    assert system["role"] == "system" and system["content"].startswith("# Carcassonne")
    assert "Question: " in user["content"]
    found = read_text_result(tmp_path / text_command.RESULT)
    assert found.tokens == (1_200, 60) and found.options == {"temperature": 0.5}
    assert "1,200 tokens in, 60 tokens out" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("application/json", '{"error": {"code": 429}}'),
        ("application/json", "<html>"),
        ("text/html", "<html>"),
    ],
)
def test_a_server_that_answers_otherwise_is_named(kind, content):
    pytest.importorskip("openai")
    with chat_server(other=(kind, content)) as (url, _):
        with pytest.raises(ConnectionError, match=f"^{url}"):
            ChatModel("stub", url).reply([{"role": "user", "content": "?"}])


def test_illegal_answers_are_answered_with_the_reason(tmp_path):
    pytest.importorskip("openai")

    def stubborn(messages):
        return "[[meeple N]]" if len(messages) < 5 else first_action(messages)

    with chat_server(stubborn) as (url, requests):
        item = text_task("text-endgames-v1").items()[0]
        talk = converse(item, ChatModel("stub", url))
    assert len(talk.answers) == 3 and replayed(item, talk.answers)["illegal"] == 2
    roles = [message["role"] for message in requests[-1]["messages"]]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]
    assert "is not legal" in requests[-1]["messages"][3]["content"]


def test_an_evaluation_goes_on_where_it_ended(tmp_path, capsys, monkeypatch):
    pytest.importorskip("openai")
    monkeypatch.setattr("carc_env.agents.chat.RETRIES", 0)
    words = ("evaluate", "text-rules-v1", "--model", "stub", "--folder", tmp_path)
    with chat_server() as (url, requests):
        assert run(*words, "--base-url", url, "--items", 3) == 0
        assert len(requests) == 3
        assert run(*words, "--base-url", "http://127.0.0.1:9/v1", "--items", 8) == 1
        assert "error: http://127.0.0.1:9/v1" in capsys.readouterr().out
        assert run(*words, "--base-url", url, "--items", 8) == 0
        assert len(requests) == 8
        capsys.readouterr()
        assert run(*words, "--base-url", url, "--items", 8, "--temperature", 0.9) == 1
        told = " ".join(capsys.readouterr().out.split())
        assert "holds answers of {'task'" in told and "choose a --folder" in told
    assert len(read_text_result(tmp_path / text_command.RESULT).conversations) == 8
