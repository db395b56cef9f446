"""Puzzles as text, the puzzles in the package, and decisions tried with the server."""

from datetime import date, timedelta
from random import Random

import pytest

from carc_env import Game, Rules, format_position, format_record, load_record
from carc_env.game.endgames import shipped_endgames
from carc_env.game.puzzles import Puzzle, format_puzzle, parse_puzzle
from carc_env.web import hub as hubs
from carc_env.web.coach import judge, losses
from carc_env.web.puzzles import (
    DAILY,
    NEAR,
    POOL,
    difficulty,
    name_of_day,
    next_name,
    puzzle_called,
)
from carc_env.web.workers import WorkerDied
from carc_env.words import NotationError
from tests.test_web import played
from tests.web_server import page, serving

pytestmark = pytest.mark.once

DAY = date(2026, 11, 24)


def careless_game() -> Game:
    """Return a short game of random moves."""
    game, random = Game(Rules(deck_size=7), seed=4), Random(3)
    while not game.is_over:
        game.apply(random.choice(game.legal_actions()))
    return game


# ------------------------------------------------------------------------------------ as text


@pytest.mark.parametrize("pool", POOL)
def test_a_puzzle_is_read_back_as_it_was_written(pool):
    for number in range(0, 500, 20):
        puzzle = puzzle_called(f"{pool}/{number}")
        endgame = shipped_endgames()[pool].endgames[number]
        assert parse_puzzle(format_puzzle(puzzle)) == puzzle
        assert puzzle.is_exact and [*puzzle.values] == [*endgame.actions]
        assert [*puzzle.values.values()] == pytest.approx(endgame.values, abs=1e-4)


def test_values_and_difficulty_may_be_missing():
    text = format_puzzle(Puzzle(format_position(Game(seed=1).position()), "by hand"))
    found = parse_puzzle(f"# tried by hand\n{text}")
    assert (found.source, found.values, found.difficulty) == ("by hand", {}, None)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("puzzle 1", "puzzle 2", r"line 1: expected \[carc_env puzzle 1\]"),
        ("[difficulty 3]", "[difficulty 6]", "line 3: expected"),
        ("[difficulty 3]", "[level 3]", "line 3: unknown header"),
        ("[difficulty 3]\n", "[values exact]\n", r"line 4: a second \[values"),
        ("[values exact]\n", "", "line 4: expected the value of an action"),
        ("+16 meeple N", "16 meeple N", "line 5: expected the value of an action"),
        ("+16 meeple N", "+14 meeple En", "line 6: a second value of 'meeple En'"),
        ("+16 meeple N\n", "", "2 actions have values, but 3 are legal; they differ by meeple N"),
        ("[source solved endgames base-2, number 17]\n", "", r"\[source ...\] is missing"),
        ("[carc_env position 1]", "", "line 9: unknown header"),
        ("bg-curve -1,0 r2", "bg-curve -1,0 r7", "line 15: expected a tile"),
        ("bg-curve -1,0 r2", "bg-curve 9,9 r2", "9,9"),
    ],
)
def test_a_puzzle_that_is_none_is_refused_with_the_reason(old, new, said):
    text = format_puzzle(puzzle_called("base-2/17"))
    assert text.count(old) == 1
    with pytest.raises((NotationError, ValueError), match=said):
        parse_puzzle(text.replace(old, new))


def test_a_source_is_one_line():
    for source in ("", " x", "a\nb", "a]", "#1", "x" * 201):
        with pytest.raises(ValueError, match="a source is a line"):
            Puzzle("", source)


# ------------------------------------------------------------------------------ in the package


def test_every_day_has_a_clear_puzzle_that_is_not_soon_the_same():
    names = [name_of_day(DAY + timedelta(days=k)) for k in range(600)]
    assert {name.split("/")[0] for name in names} == {*DAILY} and len({*names}) > 100
    assert all(name not in names[k + 1 : k + 40] for k, name in enumerate(names))
    for name in {*names[:50]}:
        puzzle = puzzle_called(name)
        game, (best, second, *_) = puzzle.game(), sorted(puzzle.values.values(), reverse=True)
        assert best - second >= 3
        assert puzzle.values[game.name(game.greedy_action())] < best


def test_difficulty_counts_what_simple_agents_miss():
    for pool in POOL:
        for number in range(0, 100, 10):
            endgame = shipped_endgames()[pool].endgames[number]
            game, puzzle = endgame.game(), puzzle_called(f"{pool}/{number}")
            regret = endgame.regret(game.legal_actions().index(game.greedy_action()))
            n_near = sum(value > max(endgame.values) - NEAR for value in endgame.values)
            share = n_near / len(endgame.values)
            low = 1 + (regret >= NEAR) + (share < 0.25) + (share < 0.1)
            assert puzzle.difficulty == difficulty(game, puzzle.values)
            assert puzzle.difficulty - low in (0, 1)  # 1 if `value` misses, too


@pytest.mark.parametrize("pool", POOL)
def test_there_are_puzzles_of_every_difficulty(pool):
    for wanted in range(1, 6):
        first = next_name(pool, wanted, None)
        second = next_name(pool, wanted, int(first.split("/")[1]))
        assert first != second
        assert {puzzle_called(name).difficulty for name in (first, second)} == {wanted}
        best, other, *_ = sorted(puzzle_called(second).values.values(), reverse=True)
        assert best - other >= 3


# ------------------------------------------------------------------------------ with the server


def test_a_puzzle_is_tried_and_nothing_of_its_answer_told_before(tmp_path):
    with serving(tmp_path) as port, page(port) as tab:
        tab.ask("puzzle", called=DAY.isoformat(), name="Ann")
        told = tab.hear("entered")["exercise"]
        puzzle = puzzle_called(name_of_day(DAY))
        assert (told["day"], told["called"]) == ("2026-11-24", name_of_day(DAY))
        assert (told["state"], told["tried"], told["lines"]) == ("open", None, None)
        tab.hear("state")
        tab.ask("save", format="puzzle", ply=0)
        assert tab.skip_to("error")["why"] == "try_first"
        ranked = sorted(puzzle.values, key=lambda name: puzzle.values[name])
        game = puzzle.game()
        for name in (ranked[0], ranked[-1]):
            tab.ask("act", ply=0, action=game.action(name))
            told = tab.hear("exercise", when=lambda one: one["state"] == "tried")
            lost = puzzle.values[ranked[-1]] - puzzle.values[name]
            assert told["tried"]["lost"] == pytest.approx(lost) and told["lines"] is None
            tab.ask("act", ply=1, action=0)
            assert tab.skip_to("error")["why"] == "gone_on"
            tab.ask("again")
            assert tab.hear("exercise")["state"] == "open" and tab.view["ply"] == 0
        tab.ask("answer")
        lines = tab.hear("exercise")["lines"]
        assert {line["name"]: line["value"] for line in lines} == puzzle.values
        tab.ask("save", format="puzzle", ply=0)
        text = tab.hear("saved")["text"]
        assert parse_puzzle(text) == puzzle
        tab.ask("read_puzzle", text=text, name="Ann")
        assert tab.hear("entered")["exercise"]["source"] == puzzle.source
        tab.ask("next_puzzle", pool="base-2", difficulty=4, after=None, name="Ann")
        assert tab.hear("entered")["exercise"]["difficulty"] == 4
        for what, content, said in (
            ("puzzle", {"called": "2026-13-40"}, "is not a day"),
            ("puzzle", {"called": "base-2/500"}, "there is no puzzle"),
            ("read_puzzle", {"text": "[carc_env puzzle 1]"}, "is missing"),
        ):
            tab.ask(what, name="Ann", **content)
            assert said in tab.skip_to("error")["text"]
        tab.ask("coach", ply=0)
        assert tab.skip_to("error")["why"] == "exercise"
    assert [*tmp_path.iterdir()] == []


def reviewed(tab):
    """Have a careless game reviewed; return its verdicts."""
    tab.ask("load", text=format_record(careless_game(), ("Ann", "Ben")))
    tab.hear("state")
    tab.ask("retry", ply=0)
    assert tab.skip_to("error")["why"] == "not_reviewed"
    tab.ask("review")
    return tab.hear("review")["verdicts"]


def test_a_mistake_is_tried_again_and_the_game_stays(tmp_path):
    with serving(tmp_path) as port, page(port) as tab:
        verdicts = reviewed(tab)
        game, before = tab.game, dict(tab.view)
        verdict = max(verdicts, key=lambda one: one["lost"])
        tab.ask("retry", ply=verdict["ply"])
        assert tab.hear("entered")["exercise"]["state"] == "open"
        tab.hear("state")
        assert tab.view["ply"] == verdict["ply"]
        tab.ask("act", ply=verdict["ply"], action=verdict["bestAction"])
        told = tab.hear("exercise", when=lambda one: one["state"] == "tried")
        assert told["tried"]["lost"] == 0 and told["lines"] is None
        assert told["before"]["lost"] == pytest.approx(verdict["lost"], abs=0.01)
        assert told["before"]["move"] == verdict["move"]
        tab.ask("answer")
        lines = tab.hear("exercise")["lines"]
        assert lines[0]["action"] == verdict["bestAction"]
        tab.ask("save", format="puzzle", ply=verdict["ply"])
        puzzle = parse_puzzle(tab.hear("saved")["text"])
        assert not puzzle.is_exact and puzzle.source == f"Ann, Ben, decision {verdict['ply'] + 1}"
        tab.ask("open", game=game)
        assert tab.hear("review")["verdicts"] == verdicts
        tab.hear("state")
        assert tab.view == before
        tab.ask("save", format="puzzle", ply=verdict["ply"])
        assert parse_puzzle(tab.hear("saved")["text"]) == puzzle
    assert len([*tmp_path.glob("*.jsonl")]) == 1


def test_the_judge_says_of_every_action_what_a_review_says():
    done = careless_game()
    half = Game(done.rules, draw=done.draw)
    for move in done.moves[:6]:
        half.apply(move)
    lines = losses(half)
    assert {line["action"] for line in lines} == {*half.legal_actions()}
    for line in lines[:3]:
        verdict = judge(half, 0, line["action"])
        assert line["lost"] == pytest.approx(verdict.lost, abs=0.01)


def test_a_judge_that_dies_is_told_and_asked_again(tmp_path, monkeypatch, caplog):
    """The decision is open again, and the next attempt gets a new process."""
    died = []
    do = hubs.Workers.do

    async def dies_once(self, work, *args, **kwargs):
        if work is losses and not died:
            died.append(True)
            raise WorkerDied("gone")
        return await do(self, work, *args, **kwargs)

    monkeypatch.setattr(hubs.Workers, "do", dies_once)
    with serving(tmp_path) as port, page(port) as tab:
        text = format_puzzle(
            Puzzle(format_position(Game(Rules(deck_size=4), seed=1).position()), "x")
        )
        tab.ask("read_puzzle", text=text, name="Ann")
        assert tab.skip_to("error")["why"] == "not_judged"
        tab.hear("exercise", when=lambda one: one["state"] == "open")
        tab.ask("act", ply=0, action=tab.view["actions"][0]["action"])
        told = tab.hear("exercise", when=lambda one: one["state"] == "tried")
        assert told["tried"]["lost"] >= 0


# ---------------------------------------------------------------------------------- variations


def test_a_variation_leaves_the_game_and_outlives_a_restart(tmp_path):
    done = careless_game()
    with serving(tmp_path) as port, page(port) as tab:
        tab.ask("load", text=format_record(done))
        tab.hear("state")
        game, before = tab.game, dict(tab.view)
        tab.ask("branch", ply=before["ply"], agents=False)
        assert tab.skip_to("error")["why"] == "over"
        tab.ask("branch", ply=4, agents=False)
        assert tab.hear("entered")["origin"] == {"game": game, "ply": 4}
        tab.hear("state")
        one, random = tab.game, Random(1)
        for _ in range(3):
            tab.act(random)
        for _ in range(3):
            tab.ask("undo")
            tab.hear("state")
        assert tab.view["ply"] == 4
        tab.ask("undo")
        assert tab.skip_to("error")["why"] == "no_undo"  # not past the branching point
        while not tab.view["over"]:
            tab.act(random)
        tab.ask("save", format="record", ply=tab.view["ply"])
        record = load_record(tab.hear("saved")["text"])
        assert record.drawn == done.drawn and record.scores != done.scores
        tab.ask("branch", ply=6, agents=False)
        tab.hear("entered")
        two = tab.game
    with serving(tmp_path) as port, page(port) as tab:
        tab.ask("open", game=two)
        tab.hear("state")
        tab.ask("branches")
        lines = tab.hear("branches")["lines"]
        assert [line["game"] for line in lines] == [game, one, two]
        assert [line["origin"] for line in lines[1:]] == [
            {"game": game, "ply": 4},
            {"game": one, "ply": 6},
        ]
        assert lines[0]["scores"] == before["scores"] and lines[0]["ply"] == before["ply"]
        assert lines[1]["leads"] == [
            record.scores[0] - record.scores[1],
            record.scores[1] - record.scores[0],
        ]
        tab.ask("save", format="record", ply=6)  # its deck is no secret
        assert load_record(tab.hear("saved")["text"]).draw == done.draw
        tab.ask("delete", game=game)
        tab.hear("games")
        tab.ask("branches")
        assert [line["game"] for line in tab.hear("branches")["lines"]] == [one, two]


@pytest.mark.parametrize("preset", ["base", "all", "big-box"])
def test_a_variation_of_a_game_that_goes_on_tells_nothing_hidden(preset):
    play = played(Rules.preset(preset), 40, seed=5)
    seen, decks = play.game.drawn, set()
    for seed in range(4):
        branch = play.branch("0" * 10, 25, play.sitters, seed)
        assert branch.log == play.log_until(25)
        assert sorted(branch.game.draw) == sorted(play.game.draw)
        if not play.game.position().hidden and play.game.position().bazaar is None:
            assert branch.game.draw[: len(seen)] == seen
        assert not branch.shows_deck
        decks.add(branch.game.draw)
    assert len(decks) == 4 and play.game.draw not in decks


def test_a_variation_of_an_unfinished_game_keeps_its_record_until_the_end(tmp_path):
    with serving(tmp_path) as port, page(port) as tab:
        tab.begin([{"name": "Ann"}, {"name": "Greedy", "agent": "greedy"}], seed=5)
        tab.ask("branch", ply=0, agents=True)
        tab.hear("entered")
        tab.hear("state")
        assert tab.view["sitters"][1]["agent"] == "greedy"
        tab.ask("save", format="record", ply=0)
        assert tab.skip_to("error")["why"] == "record_hidden"
        tab.ask("games")
        assert [row["isBranch"] for row in tab.hear("games")["games"]] == [True, False]
