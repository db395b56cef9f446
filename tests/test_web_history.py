"""What the server tells about stored games and about the people who played them."""

import json
import logging
import os
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from carc_env import Rules
from carc_env.web.guests import QUICK, check_name
from carc_env.web.history import Entry, History, about, levels, rating, suggested
from carc_env.web.history import Meeting as Met
from carc_env.web.journal import Journal
from carc_env.web.play import Play, Sitter, Start
from tests.test_web import played
from tests.web_server import page, serving

pytestmark = pytest.mark.once

ME = Sitter("Ann")


def ended(game: int, rival: str | None, mine: int, theirs: int, **more) -> Entry:
    sitters = (ME, Sitter("Other", rival))
    return Entry(f"{game:010x}", float(game), (), sitters, 70, (mine, theirs), **more)


def test_more_games_than_a_page_holds_are_found(tmp_path, caplog):
    journal = Journal(tmp_path)
    for k in range(45):
        names = (Sitter(f"Zoë {k}"), Sitter("Bot", "greedy" if k % 2 else "value"))
        rules = Rules.preset("tower") if k % 5 == 0 else Rules()
        journal.write_all(f"{k:010x}", Play(Start(rules, k), names))
    journal.write_all("f" * 10, played(Rules(), 1000))
    (tmp_path / ("e" * 10 + ".jsonl")).write_text("no game")
    with serving(tmp_path) as port, page(port) as tab:

        def found(**wanted):
            tab.ask("games", **wanted)
            message = tab.hear("games")
            return [row["game"] for row in message["games"]], message["of"]

        first, of = found()
        assert of == 46 and len(first) == 20
        rest = found(first=20)[0] + found(first=40)[0]
        assert len({*first, *rest}) == 46 and found(first=60) == ([], 46)
        assert found(text="ZOË 41") == ([f"{41:010x}"], 1)
        assert found(text="greedy bot")[1] == 22
        assert found(set_name="tower")[1] == 9 and found(text="tower greedy")[1] == 4
        assert found(state="over") == (["f" * 10], 1) and found(state="running")[1] == 45
        tab.ask("games", state="over")
        [row] = tab.hear("games")["games"]
        end = played(Rules(), 1000).game.scores
        assert (row["over"], row["scores"]) == (True, list(end)) and row["begun"] > 1_600_000_000
        tab.ask("games", state="won")
        assert tab.hear("error")["text"].startswith("games.state: ")
    assert caplog.text.count("is no game") == 1  # logged only once


def test_how_a_game_ended_and_was_reviewed_is_in_its_file_until_it_is_taken_back(tmp_path):
    journal, play = Journal(tmp_path), played(Rules(deck_size=6), 100)
    history, game = History(journal), "a" * 10
    journal.write_all(game, play)
    journal.note_review(game, play, [91, None])
    [entry] = history.entries()
    assert (entry.scores, entry.accuracy) == (play.game.scores, (91, None))
    assert entry.ply == play.ply and journal.read(game).game.is_over
    journal.add(game, {"undo": play.ply - 1})
    [entry] = history.entries()
    assert (entry.scores, entry.accuracy, entry.ply) == (None, None, play.ply - 1)


def test_a_game_that_ended_before_files_said_so_is_over(tmp_path):
    journal, play = Journal(tmp_path), played(Rules(deck_size=6), 100)
    journal.write_all("a" * 10, play)
    path = journal.file("a" * 10)
    head, *lines = path.read_text().splitlines()
    old = {key: value for key, value in json.loads(head).items() if key != "begun"}
    path.write_text("\n".join([json.dumps(old), *lines[:-1], ""]))
    assert History(journal).entries()[0].scores is None
    journal.finish("a" * 10, play)
    path.write_text("\n".join([json.dumps(old), *lines[:-1], ""]))
    record = journal.record("a" * 10)
    later = path.stat().st_mtime + 1
    os.utime(record, (later, later))
    assert History(journal).entries()[0].scores == play.game.scores


def test_a_review_is_kept_with_the_game(tmp_path, monkeypatch):
    monkeypatch.setattr("carc_env.web.coach.REVIEW_SIMS", 200)
    seats = [{"name": "Ann"}, {"name": "Level 1", "agent": "random"}]
    with serving(tmp_path) as port, page(port) as tab:
        tab.begin(seats, deck_size=4)
        tab.ask("pace", delay=0)
        while not tab.view["over"]:
            tab.wait_for_a_person()
            if not tab.view["over"]:
                tab.act(Random(1))
        tab.ask("review")
        percent = tab.hear("review")["seats"][0]["accuracy"]
    with serving(tmp_path) as port, page(port) as tab:
        tab.ask("about", name="Ann")
        told = tab.hear("about")
        assert [one["percent"] for one in told["accuracy"]] == [percent]
        assert [(row["agent"], row["games"]) for row in told["against"]] == [("random", 1)]
        assert told["names"] == ["Ann"] and told["rated"] == 1


def test_results_are_counted_for_each_agent():
    games = [ended(1, "greedy", 80, 60), ended(2, "greedy", 50, 50), ended(3, "greedy", 40, 70)]
    games += [ended(4, "value", 30, 90), ended(5, None, 10, 5), ended(6, "mcts:sims=9", 1, 0)]
    three = (ME, Sitter("G", "greedy"), Sitter("V", "value"))
    games.append(Entry("7" * 10, 7.0, (), three, 70, (50, 40, 60)))
    games.append(Entry("8" * 10, 8.0, (), (ME, Sitter("G", "greedy"))))  # not over yet
    told = about("Ann", games)
    rows = {row.pop("agent"): [*row.values()] for row in told["against"]}
    assert rows == {
        "greedy": [4, 2, 1, 1, 0.0],
        "mcts:sims=9": [1, 1, 0, 0, 1.0],
        "value": [2, 0, 0, 2, -35.0],
    }
    assert told["rated"] == 4  # value and mcts are not levels
    assert about("Ben", games)["against"] == []


def test_accuracy_is_in_the_order_of_games():
    games = [ended(9, "greedy", 1, 0, accuracy=(70, 90)), ended(2, None, 1, 0, accuracy=(60, 80))]
    games.append(replace(games[0], game="f" * 10, accuracy=(None, 50)))
    assert [one["percent"] for one in about("Ann", games)["accuracy"]] == [60, 70]


def test_the_levels_are_a_scale_of_about_even_steps():
    elos = [level.elo for level in levels()]
    steps = [high - low for low, high in pairwise(elos)]
    mean = elos[-1] / len(steps)
    assert 5 <= len(steps) <= 8 and elos[0] == 0
    assert all(0.75 <= step / mean <= 1.25 for step in steps)
    assert levels()[0].agent == "random" and levels()[-1].agent.startswith("search:")
    for level in levels():
        check_name(level.agent, ())
    assert sum(level.agent in QUICK for level in levels()) == len(levels()) - 1


@pytest.mark.parametrize("k", range(len(levels())))
def test_half_the_games_against_a_level_suggest_it(k):
    met = [Met(levels()[k].agent, margin) for margin in [5, -5] * 15]
    assert suggested(rating(met)) == k + 1


def test_who_wins_is_suggested_more_and_who_is_new_a_weak_level():
    assert suggested(rating([])) == 3
    found = [rating([Met(levels()[3].agent, 1)] * n) for n in range(12)]
    assert found == sorted(found) and len({*found}) == 12
    assert rating([Met("mcts:sims=9", -1)] * 9) == rating([])


def test_a_file_is_read_again_only_when_it_has_changed(tmp_path, monkeypatch, caplog):
    caplog.set_level(logging.WARNING)
    journal, play = Journal(tmp_path), played(Rules(), 5)
    journal.write_all("a" * 10, play)
    history = History(journal)
    before = history.entries()
    read = []
    whole = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda *a: read.append(a) or whole(*a))
    assert history.entries() == before and read == []
    journal.add("a" * 10, {"seat": 0, "agent": "greedy"})
    assert history.entries()[0].sitters[0].agent == "greedy" and len(read) == 1
