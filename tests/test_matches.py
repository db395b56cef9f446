"""The matches of the model cards: missing ones are played once, stored, and shown."""

import dataclasses
import json
import signal

import matches
import pytest

pytestmark = pytest.mark.once

PLAN = """
- {name: two, about: "", agents: [greedy], rival: random, players: 2, games: 6,
   rules: [base, river]}
- {name: three, about: "", agents: [greedy], rival: random, players: 3, games: 6, rules: [base]}
- {name: time, about: "", agents: ["search:seconds=0.001"], rival: random, players: 2, games: 2,
   rules: [base], picture: time.png}
"""


@pytest.fixture
def planned(tmp_path, monkeypatch):
    """Let the script read a plan and write to the test's folder."""
    monkeypatch.setattr(matches, "PLAN", tmp_path / "plan.yaml")
    monkeypatch.setattr(matches, "KEPT", tmp_path / "matches.json")
    monkeypatch.setattr(matches, "PICTURES", tmp_path)
    (tmp_path / "plan.yaml").write_text(PLAN)
    return tmp_path


def test_what_is_missing_is_played_once_and_a_larger_number_goes_on(planned, capsys):
    assert matches.main(["--missing"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "greedy against random, base: 6 games",
        "greedy against random, river: 6 games",
        "greedy against 2 random, base: 6 games",
        "search:seconds=0.001 against random, base: 2 games",
    ]
    assert matches.main(["--only", "two", "--games", "2"]) == 0
    first = matches.read_kept()["greedy against random, base"].scores
    assert [*first] == [0] and len(first[0]) == 2
    assert matches.main(["--only", "two", "three", "--workers", "2"]) == 0
    kept = matches.read_kept()
    assert {key: sorted(found.scores) for key, found in kept.items()} == {
        "greedy against random, base": [0, 1, 2],
        "greedy against random, river": [0, 1, 2],
        "greedy against 2 random, base": [0, 1],
    }
    assert kept["greedy against random, base"].scores[0] == first[0]
    assert [len(seating) for seating in kept["greedy against 2 random, base"].scores[0]] == [3] * 3
    before = (planned / "matches.json").read_bytes()
    assert matches.main(["--only", "two", "three"]) == 0
    assert (planned / "matches.json").read_bytes() == before


def test_who_has_learned_more_plays_again(planned):
    (planned / "plan.yaml").write_text(PLAN.replace("[greedy]", "[value]"))
    assert matches.main(["--only", "two", "--rules", "base"]) == 0
    (key, first), *_ = matches.read_kept().items()
    assert len(first.weights) == 8 and [*first.scores] == [0, 1, 2]
    before = dataclasses.replace(first, weights="0badcafe", scores={**first.scores, 7: [[0, 0]]})
    matches.write({key: before})
    assert matches.main(["--only", "two", "--rules", "base"]) == 0
    again = matches.read_kept()[key]
    assert (again.weights, again.scores) == (first.weights, first.scores)
    assert again.decisions == first.decisions


def test_what_greedy_does_does_not_hang_on_weights():
    asked = {
        agent: {matches.Match(agent, rival, preset, 2).weights for preset in ("base", "tower")}
        for agent, rival in (("greedy", "random"), ("value", "greedy"), ("insight", "greedy"))
    }
    assert [len(found) for found in asked.values()] == [1, 2, 2]
    assert not asked["value"] & asked["insight"]


def test_the_share_is_that_of_the_scores_and_the_weakest_stand_first(planned, monkeypatch):
    lost, won = [[1, 2], [0, 5]], [[3, 2], [2, 2]]
    rows = {
        "greedy against random, base": {"2": won, "0": won, "1": won},
        "greedy against random, river": {"0": lost, "1": won},
    }
    nothing = matches.Match("greedy", "random", "base", 2).weights
    about = {"decisions": 10, "seconds": 0.05, "made": ["here"], "weights": nothing}
    (planned / "matches.json").write_text(
        json.dumps({key: {"scores": scores, **about} for key, scores in rows.items()})
    )
    head, *table = matches.rows_of(matches.groups()["two"], matches.read_kept())
    assert [row[0] for row in table] == ["river", "base", "all alike"]
    assert [row[1:3] for row in table] == [["greedy", "4"], ["greedy", "6"], ["greedy", "10"]]
    assert [row[3].split()[0] for row in table] == ["37.5", "75.0", "56.2"]  # not 60.0
    assert [row[-1] for row in table] == ["5", "5", ""] and len(head) == len(table[0])

    plan, kept = matches.groups(), matches.read_kept()
    asked = [plan["two"], plan["three"]]
    assert matches.rows_by_preset(asked, kept) == [["preset"]]  # too few games
    monkeypatch.setattr(matches, "ENOUGH", 4)
    head, *table = matches.rows_by_preset(asked, kept)
    assert head == ["preset", "`greedy`, `random`"]
    shares = {preset: share.split()[0] for preset, share in table}
    assert shares == {"`base`": "75.0", "`river`": "37.5"}


def test_time_has_a_picture(planned):
    assert matches.main(["--only", "time"]) == 0
    assert (planned / "time.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "three", "four"], "got 'four'"),
        (["--games", "0"], "--games must be at least 1"),
        (["--workers", "0"], "--workers must be at least 1"),
    ],
)
def test_what_does_not_fit_is_said(planned, capsys, arguments, message):
    assert matches.main(arguments) != 0
    captured = capsys.readouterr()
    assert message in captured.out + captured.err


def test_ctrl_c_keeps_what_was_played(planned, monkeypatch):
    real = matches.spread

    def ended(*arguments):
        for done in real(*arguments):
            yield done
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(matches, "AT_ONCE", 1)
    monkeypatch.setattr(matches, "spread", ended)
    assert matches.main(["--only", "two"]) == 128 + signal.SIGINT
    assert {k: [*v.scores] for k, v in matches.read_kept().items()} == {
        "greedy against random, base": [0]
    }


def test_two_at_once_lose_no_match(planned, monkeypatch):
    """Results that another process stores during a run are kept and counted once."""
    base, river = (matches.Match("greedy", "random", preset, 2) for preset in ("base", "river"))
    both = [base.play([0, 1])[1], river.play([0])[1]]

    def spread(work, tasks, n_workers):
        matches.keep([(base, both[0][:1]), (river, both[1])], "elsewhere")
        yield from map(work, tasks)

    monkeypatch.setattr(matches, "spread", spread)
    assert matches.main(["--only", "two", "--rules", "base", "--games", "4"]) == 0
    kept = matches.read_kept()
    assert {key: sorted(found.scores) for key, found in kept.items()} == {
        base.key: [0, 1],
        river.key: [0],
    }
    assert kept[base.key].decisions == sum(deck.decisions[0] for deck in both[0])
    assert kept[base.key].made[0] == "elsewhere" and len(kept[base.key].made) == 2
