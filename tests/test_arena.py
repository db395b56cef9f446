"""Tournaments: schedules, workers, files that survive a kill, sequential tests, reports."""

import importlib
import io
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from carc_env.agents import AgentError, make_agent, register_agent, workers
from carc_env.agents.arena import Arena, Played, Player, clock_of, play_match
from carc_env.agents.commands import bar
from carc_env.agents.commands.tournament import progress
from carc_env.agents.process_agent import ProcessAgent
from carc_env.agents.report import (
    Report,
    Row,
    crosstable_rows,
    draw_crosstable,
    markdown,
    new_console,
    pages,
    report_of,
    rich_table,
    sprt_words,
    times_of,
)
from carc_env.agents.sprt import Sprt
from carc_env.agents.tournament import GameFile, Tournament, heading, line_ups, make_players
from rich.console import Console

from carc_env import Rules, read_record
from carc_env.__main__ import main
from carc_env.envs import naming
from carc_env.envs.naming import AgentSpec
from carc_env.game.table import Table
from tests.full_disk import full_disk

pytestmark = pytest.mark.once

SCRIPTS = Path(__file__).parent.parent / "scripts"
RULES = Rules(view=16)


class Seeded:
    """Takes an action chosen by its seed; records the seed."""

    seeds: list[int] = []  # noqa: RUF012

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.seeds.append(seed)

    def act(self, table: Table) -> int:
        actions = table.legal_actions()
        return actions[self.seed % len(actions)]


class Slow:
    """Not a built-in player, so that workers get its games one deck at a time."""

    def act(self, table: Table) -> int:
        return table.legal_actions()[0]


class Crashes(Slow):
    def act(self, table: Table) -> int:
        if table.n_tiles_left < 60:
            raise KeyError("no such idea")
        return super().act(table)


class Cheats(Slow):
    def act(self, table: Table) -> int:
        return -1 if table.n_tiles_left < 60 else super().act(table)


class NoAnswer(Slow):
    def act(self, table: Table) -> Any:
        return None


def tournament(
    *agents: str,
    n_decks: int = 4,
    rules: Rules = RULES,
    form: Any = "round-robin",
    sprt: Sprt | None = None,
    records: bool = False,
) -> Tournament:
    players = make_players(agents, rules)
    met = line_ups(agents, rules.n_players, form)
    return Tournament(Arena(players, rules, 7, records), met, n_decks, sprt)


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(naming, "ENTRY_POINTS", {**naming.ENTRY_POINTS})
    for factory in (Seeded, Slow, Crashes, Cheats):
        register_agent(factory.__name__.lower(), factory)
    register_agent("none", NoAnswer)


def games_of(played: Tournament) -> list[Any]:
    return [(deck.line_up, deck.deck, deck.scores, deck.decisions) for deck in played.played]


# Line-ups.


def test_line_ups() -> None:
    abc = ("a", "b", "c")
    assert line_ups(abc, 2, "round-robin") == [("a", "b"), ("a", "c"), ("b", "c")]
    assert line_ups(abc, 2, "gauntlet") == [("a", "b"), ("a", "c")]
    assert line_ups(abc, 4, "gauntlet") == [("a", "b", "b", "b"), ("a", "c", "c", "c")]
    three = line_ups(abc, 3, "round-robin")
    assert len(three) == 6 and ("b", "a", "a") in three and ("a", "b", "b") in three
    assert line_ups(abc[:2], 5, "table") == [("a", "b", "b", "b", "b")]
    assert line_ups(("a", "a"), 2, "table") == [("a", "a")]


@pytest.mark.parametrize(
    ("agents", "form", "words"),
    [
        (("a",), "round-robin", "a round-robin needs two or more different agents, got a"),
        (("a", "b", "a"), "gauntlet", "two or more different agents, got a, b, a"),
        (("a", "b", "c"), "table", "2 seats need 1 to 2 agents, got 3"),
        (("a", "b"), "knock-out", "form must be one of 'round-robin', 'gauntlet', 'table'"),
    ],
)
def test_line_ups_that_are_none(agents: tuple[str, ...], form: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        line_ups(agents, 2, form)


def test_agents_with_a_seed_get_one_for_each_game() -> None:
    """The seed depends on the deck, the seating, the position and the ``seed`` option."""
    taken = []
    for word in ("seeded", "seeded", "seeded:seed=5"):
        played = tournament("random", word, n_decks=2)
        Seeded.seeds.clear()
        played.play()
        assert len(Seeded.seeds) == 4
        taken.append([*Seeded.seeds])
    assert taken[0] == taken[1]
    assert len({*taken[0], *taken[2]}) == 8


# Workers.


def test_results_do_not_depend_on_workers() -> None:
    here = tournament("slow", "seeded", "random", n_decks=3)
    here.play()
    there = tournament("slow", "seeded", "random", n_decks=3)
    there.play(partial(workers.spread, n_workers=2))
    assert games_of(here) == games_of(there)
    assert len(here.played) == 9 and here.n_games == 18


@pytest.mark.parametrize("n_workers", [1, 2])
@pytest.mark.parametrize(
    ("agent", "words"), [("crashes", "KeyError: 'no such idea'"), ("cheats", "action -1 is not")]
)
def test_an_agent_that_fails_is_told_with_deck_and_move(
    agent: str, words: str, n_workers: int
) -> None:
    where = rf"agent '{agent}' failed at deck \d \(seed \d+\), seating \d, seat \d, after \d+ decis"
    played = tournament(agent, "slow", n_decks=2)
    with pytest.raises(AgentError, match=rf"{where}.*{words}") as failure:
        played.play(partial(workers.spread, n_workers=n_workers))
    trace = str(failure.value.__cause__) if n_workers == 2 else repr(failure.value.__cause__)
    assert words.split(" ")[0].strip(":") in trace


@pytest.mark.parametrize(
    "command",
    [
        ["evaluate", "cheats", "slow", "--games", "2"],
        ["tournament", "cheats", "slow", "--decks", "2", "--workers", "2"],
        ["task", "evaluate", "short-greedy-v1", "none", "--decks", "2", "--workers", "1"],
        ["task", "evaluate", "endgames-base-v1", "none", "--decks", "1", "--workers", "1"],
    ],
    ids=" ".join,
)
def test_who_breaks_the_contract_is_told_in_one_line_without_a_traceback(
    command: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(command) == 1
    (line,) = filter(None, capsys.readouterr().out.splitlines())
    assert line.startswith("error: ") and re.search("action (-1|None) is not legal for seat", line)


def exits(task: int) -> int:
    if task == 1:
        os._exit(9)
    return task


def test_a_worker_that_dies_is_told() -> None:
    results = workers.spread(exits, range(8), 2)
    with pytest.raises(workers.WorkerError, match="ended with status 9 while it played 1"):
        list(results)


def fails(task: int) -> int:
    raise OSError("disk full")


def test_what_no_agent_is_to_blame_for_is_told() -> None:
    with pytest.raises(workers.WorkerError, match="OSError: disk full"):
        list(workers.spread(fails, range(3), 2))


# The file of games.


def played_file(path: Path, *agents: str, n_decks: int = 3) -> Tournament:
    played = tournament(*agents, n_decks=n_decks)
    file = GameFile(path, heading(played.arena))
    played.add(file.played)
    played.play(keep=file.add)
    return played


def test_a_full_disk_names_the_file_of_games(tmp_path: Path) -> None:
    path, more = tmp_path / "games.jsonl", tournament("slow", "random", n_decks=4)
    whole = games_of(played_file(path, "slow", "random", n_decks=2))
    with full_disk(path.stat().st_size + 9), pytest.raises(OSError, match=str(path)):
        file = GameFile(path, heading(more.arena))
        more.add(file.played)
        more.play(keep=file.add)
    again = GameFile(path, heading(more.arena))
    assert [deck.scores for deck in again.played] == [scores for _, _, scores, _ in whole]


def test_wherever_the_file_ends_the_games_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    whole = games_of(played_file(path, "slow", "random"))
    content = path.read_bytes()
    first = content.index(b"\n") + 1
    for size in [*range(first, len(content), 97), len(content) - 1, len(content)]:
        path.write_bytes(content[:size])
        again = tournament("slow", "random", n_decks=3)
        file = GameFile(path, heading(again.arena))
        is_torn = b"\n" not in content[size - 1 : size + 1]
        assert len(file.played) == content[: size + 1].count(b"\n") - 1
        assert ["cut off: it is dropped" in note for note in file.notes] == [True] * is_torn
        again.add(file.played)
        again.play(keep=file.add)
        assert games_of(again) == whole
        assert path.read_bytes().rstrip(b"\n").count(b"\n") == 3


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seed": 8}, "under other settings .*: seed: 7 -> 8"),
        ({"rules": Rules(view=18)}, "rules: .*view"),
        ({"carc_env": "9"}, "carc_env: '.*' -> '9'"),
        ({"decks": 2}, "decks: 1 -> 2"),
    ],
)
def test_games_under_other_settings_are_refused(
    tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    path = tmp_path / "games.jsonl"
    head = heading(played_file(path, "slow", "random").arena)
    before = path.read_bytes()
    rules = change.pop("rules", RULES)
    with pytest.raises(ValueError, match=words):
        GameFile(path, {**head, "rules": rules.to_dict(), **change})
    assert path.read_bytes() == before


def test_another_checkpoint_of_the_same_name_is_refused(tmp_path: Path) -> None:
    path, checkpoint = tmp_path / "games.jsonl", tmp_path / "a.ckpt"
    players: dict[str, Player] = {str(checkpoint): Slow()}
    checkpoint.write_text("one")
    GameFile(path, heading(Arena(players, RULES)))
    checkpoint.write_text("another")
    with pytest.raises(ValueError, match=r"a\.ckpt is another agent now"):
        GameFile(path, heading(Arena(players, RULES)))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "line 1: not valid JSON"),
        (b"[]\n", "line 1 is not a JSON object"),
        (b"{}\n", "line 1 does not name 'carc_env games'"),
        (b"%s{}\n", "line 2 is no deck that was played"),
        (b"%s{\n", "line 2: not valid JSON"),
    ],
)
def test_files_of_something_else_are_refused(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "games.jsonl"
    head = heading(tournament("slow", "random").arena)
    path.write_bytes(content.replace(b"%s", json.dumps(head).encode() + b"\n"))
    with pytest.raises(ValueError, match=words):
        GameFile(path, head)


def test_more_decks_and_more_agents_go_on(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    played_file(path, "slow", "random")
    more = played_file(path, "slow", "random", "greedy", n_decks=4)
    assert len(more.known) == 12
    assert path.read_bytes().count(b"\n") == 13
    assert (
        json.loads(path.read_bytes().splitlines()[0])["agents"].keys() == more.arena.players.keys()
    )
    fresh = tournament("slow", "random", "greedy", n_decks=4)
    fresh.play()
    assert games_of(more) == games_of(fresh)


# Sequential tests.


@pytest.mark.parametrize("n_workers", [1, 2])
def test_a_sequential_test_ends_early_and_alike(n_workers: int) -> None:
    played = tournament("greedy", "slow", n_decks=10_000, sprt=Sprt(0, 100))
    played.play(partial(workers.spread, n_workers=n_workers))
    assert played.test is not None and played.test.decision == "elo1"
    assert len(played.played) == played.test.n_decks == 12
    assert len(played.known) < 10_000
    assert sprt_words(played) == (
        "SPRT elo0 = 0, elo1 = 100: LLR +2.96 (-2.94 to +2.94) after 12 decks, elo1 is accepted"
    )


def test_a_sequential_test_is_of_one_against_one_other() -> None:
    with pytest.raises(ValueError, match="needs one agent against one other"):
        tournament("greedy", "slow", "random", sprt=Sprt(0, 10))
    with pytest.raises(ValueError, match="number of decks must be positive"):
        tournament("greedy", "slow", n_decks=0)


# Play until an interval is narrow.


def made_up(line_up: tuple[str, ...], decks: range, won: float, seconds: float) -> list[Played]:
    """Return decks of two games: the first agent wins both games in a share ``won``, else none."""
    scores = [[[1, 0] if deck % 10 < 10 * won else [0, 1]] * 2 for deck in decks]
    return [
        Played(line_up, deck, games, [10, 10], [10 * seconds, 0.1], [seconds, 0.01])
        for deck, games in zip(decks, scores, strict=True)
    ]


@pytest.mark.parametrize(
    ("won", "seconds", "n"), [(1, 0.5, 90), (1, 0.001, 200), (0.5, 0.5, 380), (0.5, 0.001, 380)]
)
def test_a_line_up_plays_until_its_interval_is_narrow(won: float, seconds: float, n: int) -> None:
    """Quick agents play all decks first; if both agents win half of the decks, 384 are needed."""
    played = tournament("slow", "random", n_decks=200)
    played.within, line_up = 0.05, ("slow", "random")
    asked = [played.decks_of(line_up)]
    while (wanted := played.decks_of(line_up)) > len(played.known):
        played.add(made_up(line_up, range(len(played.known), wanted), won, seconds))
        asked.append(wanted)
    assert asked[0] == 50 and n <= asked[-1] <= n + 10, asked
    assert len(played.played) == played.n_games / 2 == asked[-1]
    assert [*played.tasks()] == []
    ((_, row), (_, other)) = report_of(played.played).crosstable.items()
    for cell in (*row.values(), *other.values()):
        assert max(cell.high - cell.value, cell.value - cell.low) <= 0.05
    played.add(made_up(line_up, range(len(played.known), 1000), won, seconds))
    assert len(played.played) == asked[-1]  # further decks, from another time, do not count


def test_a_tournament_goes_on_until_all_intervals_are_narrow() -> None:
    played = tournament("slow", "seeded", "random", n_decks=4)
    played.within = 0.3
    kept: list[Played] = []
    played.play(keep=kept.extend)
    again = tournament("slow", "seeded", "random", n_decks=4)
    again.within = 0.3
    again.play(lambda work, tasks: map(work, [*tasks][::-1]))
    assert games_of(again) == games_of(played)
    assert {deck.line_up: deck.deck + 1 for deck in kept} == {
        line_up: played.decks_of(line_up) for line_up in played.line_ups
    }
    assert max(played.decks_of(line_up) for line_up in played.line_ups) > 4
    with pytest.raises(ValueError, match="the width of an interval must be positive, got 0"):
        Tournament(played.arena, played.line_ups, 1, within=0)


# The report.


def test_line_ups_count_alike_however_long_they_played() -> None:
    pytest.importorskip("choix")
    played = made_up(("a", "b"), range(100), 1, 0) + made_up(("a", "c"), range(10), 0.2, 0)
    (row,) = [row for row in report_of(played).rows if row.agent == "a"]
    assert row.win_rate.value == pytest.approx(0.6)
    assert row.lead.value == pytest.approx(0.2)
    assert row.games == 220


def test_a_report(tmp_path: Path) -> None:
    pytest.importorskip("choix")
    played = tournament("random", "greedy", n_decks=6)
    played.play()
    report = report_of(played.played, "random")
    strong, weak = report.rows
    assert (strong.agent, weak.agent) == ("greedy", "random")
    assert (report.games, report.decks, strong.games) == (12, 6, 12)
    assert strong.win_rate.value == report.crosstable["greedy"]["random"].value == 1
    assert strong.lead.value == -weak.lead.value > 50
    assert strong.rating is not None and weak.rating is not None
    assert strong.rating.low > weak.rating.value == 0
    assert 0 < strong.time.mean <= strong.time.longest
    assert json.loads(json.dumps(report.to_dict()))["games"] == 12
    assert markdown(crosstable_rows(report)).splitlines()[:3] == [
        "| % won against | greedy | random |",
        "| --- | --: | --: |",
        "| greedy | - | 100.0 (55.2-100.0) |",
    ]
    pytest.importorskip("matplotlib")
    draw_crosstable(tmp_path / "a.png", report)
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_tables_of_six_agents_fit_80_columns() -> None:
    agents = ("random", "greedy", "value", "one-ply", "mcts:sims=20,c=1.5", "search:seconds=0.05")
    deck = Played(agents, 0, [[7, 100, 90, 80, 70, 60]] * 6, [9] * 6, [0.123] * 6, [12.3] * 6)
    pairs = [
        replace(deck, line_up=(a, b), scores=[[100, 90]] * 2) for a, b in combinations(agents, 2)
    ]
    console = Console(width=80, file=io.StringIO())
    for title, rows in pages(report_of(pairs), digits=0):
        console.print(rich_table(rows, title))
    told = console.file.getvalue()
    assert max(map(len, told.splitlines())) == 80 and "…" not in told
    assert len(re.findall(r"\(\d+-\d+\) ", told)) == 30


def test_with_more_seats_one_meets_copies_of_another() -> None:
    pytest.importorskip("choix")
    played = tournament("slow", "greedy", n_decks=2, rules=Rules(n_players=3, view=16))
    played.play()
    report = report_of(played.played)
    table = report.crosstable
    assert report.games == 12 and report.seats == 3
    alone = [deck for deck in played.played if deck.line_up == ("slow", "greedy", "greedy")]
    assert len(alone) == 2 and all(len(deck.scores) == 3 for deck in alone)
    assert table["greedy"]["slow"].value > 1 / 3 > table["slow"]["greedy"].value
    assert sum(row.games for row in report.rows) == 36


def test_nothing_played_is_no_report() -> None:
    with pytest.raises(ValueError, match="no deck was played"):
        report_of(tournament("random", "greedy").played)


def test_times_are_by_decision() -> None:
    decks = [
        Played(("a", "b"), 0, [], [2, 1], [0.4, 0.3], [0.3, 0.3]),
        Played(("a", "a"), 1, [], [1, 1], [0.1, 0.7], [0.1, 0.7]),
    ]
    times = times_of(decks)
    assert (times["a"].mean, times["a"].longest) == (pytest.approx(0.3), 0.7)
    assert times["b"].in_ms() == "300 (300)"


# The command line.

BOT = """
import os, time
from pathlib import Path

class Bot:
    def __init__(self, pause: float = 0.0) -> None:
        self.pause = pause
    def act(self, table):
        (Path("pids") / str(os.getpid())).touch()
        time.sleep(self.pause)
        return table.legal_actions()[0]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bots.py").write_text(BOT)
    (tmp_path / "pids").mkdir()
    return tmp_path


def command(*arguments: object) -> list[str]:
    common = ("--rules", "{view: 16}", "--folder", "run")
    return [sys.executable, "-m", "carc_env", "tournament", *map(str, (*arguments, *common))]


def until(is_so: Callable[[], bool], seconds: float = 600) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


def lines(folder: Path) -> list[dict[str, Any]]:
    path = folder / "run" / "games.jsonl"
    content = path.read_bytes() if path.exists() else b""
    return [json.loads(line) for line in content.split(b"\n")[1:-1]]


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return b") Z" not in Path(f"/proc/{pid}/stat").read_bytes()


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_run_that_is_ended_goes_on(folder: Path, number: signal.Signals) -> None:
    pytest.importorskip("choix")
    call = command("bots:Bot?pause=0.001", "random", "--decks", 40, "--workers", 2)
    begun = subprocess.Popen(call, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    until(lambda: len(lines(folder)) >= 2 and len([*(folder / "pids").iterdir()]) == 2)
    begun.send_signal(number)
    told, _ = begun.communicate(timeout=600)
    assert begun.returncode == (-number if number == signal.SIGKILL else 128 + number)
    if number == signal.SIGTERM:
        assert b"Interrupted: run the same command again to continue." in told
        assert (folder / "run" / "report.markdown").exists()
    pids = [int(path.name) for path in (folder / "pids").iterdir()]
    assert len(pids) == 2
    until(lambda: not any(map(is_alive, pids)))
    n_before = len(lines(folder))
    assert 2 <= n_before < 40
    call[call.index("40")] = str(n_before + 3)
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "games were played before" in done.stdout
    found = sorted((line["deck"], line["scores"]) for line in lines(folder))
    other = Tournament(
        Arena({"bots:Bot?pause=0.001": Slow(), "random": make_players(["random"], None)["random"]},
              Rules(view=16)),
        [("bots:Bot?pause=0.001", "random")],
        n_before + 3
    )  # fmt: skip
    other.play()
    assert found == [(deck.deck, deck.scores) for deck in other.played]


def test_records_of_every_game(folder: Path) -> None:
    pytest.importorskip("choix")
    call = command("bots:Bot", "greedy", "--decks", 2, "--workers", 1)
    call += ["--records", "kept"]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    kept = {path.read_text().partition("\n")[0]: path for path in (folder / "kept").iterdir()}
    assert len(kept) == 4
    for line in lines(folder):
        for seating, seats in enumerate(("A bots:Bot, B greedy", "A greedy, B bots:Bot")):
            scores = read_record(kept[f"# {seats}: deck {line['deck']} of seed 0"]).scores
            assert [scores[(p + seating) % 2] for p in range(2)] == line["scores"][seating]


def test_a_match_keeps_records_without_a_folder_for_its_games(folder: Path) -> None:
    match = play_match([Slow(), Slow()], ["one", "two"], RULES, 4, records=folder / "kept")
    games = [read_record(path) for path in sorted((folder / "kept").iterdir())]
    seatings = [scores for deck in match.scores.tolist() for scores in deck]
    assert [sum(game.scores) for game in games] == [sum(scores) for scores in seatings]


def test_evaluate_takes_the_same_words(folder: Path) -> None:
    call = [sys.executable, "-m", "carc_env", "evaluate", "bots:Bot", "random", "--games", "4"]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 games" in done.stdout and "bots:Bot" in done.stdout
    call[4] = "bots:Bott"
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "error: agent 'bots:Bott': module 'bots' has no 'Bott'; did you mean" in done.stdout


def test_evaluate_draws_rules_and_continues_only_with_the_same_distribution(folder: Path) -> None:
    call = [sys.executable, "-m", "carc_env", "evaluate", "greedy", "random", "--folder", "drawn"]

    def played(rules: str, games: int) -> str:
        asked = [*call, "--games", str(games), "--rules", rules, "--json", "drawn.json"]
        done = subprocess.run(asked, cwd=folder, capture_output=True, text=True, check=False)
        return done.stdout

    few = "{one_of: {rules: [{deck_size: 6}, {deck_size: 6, preset: inns}]}}"
    assert "4 games" in played(few, 4)
    before = json.loads((folder / "drawn.json").read_text())
    assert "8 games" in played(few, 8)
    after = json.loads((folder / "drawn.json").read_text())
    assert after["scores"][:2] == before["scores"] and after["rules"][:2] == before["rules"]
    assert {len(rules["sets"]) for rules in after["rules"]} == {1, 2}
    fewer = few.replace("]}}", "], weights: [1, 0]}}")
    told = " ".join(played(fewer, 8).split())
    assert "was played under other rules than those that are drawn now (played -> drawn):" in told
    fixed = "{deck_size: 6}"
    assert "contains games under other settings (there -> here): rules:" in played(fixed, 8)


class HalfGreedy:
    """Plays like ``random`` and ``greedy`` in turn, tile by tile."""

    def __init__(self) -> None:
        self.players = make_players(["greedy", "random"], None)

    def act(self, table: Table) -> int:
        agents = [*self.players.values()]
        found: int = agents[table.n_tiles_left % 2].act(table)  # type: ignore[union-attr]
        return found


class Worst:
    """Takes the action that ``greedy`` rates lowest."""

    def __init__(self) -> None:
        self.greedy: Any = make_players(["greedy"], None)["greedy"]

    def act(self, table: Table) -> int:
        found: int = self.greedy.analyse(table)[-1].action
        return found


@pytest.fixture
def ladder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Return the ladder script, set up to write to the test's pages and to know no games."""
    pytest.importorskip("choix")
    monkeypatch.syspath_prepend(SCRIPTS)
    script = importlib.import_module("ladder")
    monkeypatch.setattr(script, "PAGE", tmp_path / "page")
    script.PAGE.write_text("# Ladder\n\n<!-- figures of ladder.py -->\n<!-- end of figures -->\n")
    monkeypatch.setattr(script, "DATA", tmp_path / "data")
    monkeypatch.setattr(script, "PICTURE", tmp_path / "elo.png")
    monkeypatch.setattr(script, "TABLES", tmp_path / "ladder.json")
    monkeypatch.setattr(script, "WITHIN", 100)
    script.TABLES.write_text("{}")
    return script


def run_ladder(script: Any, **arguments: Any) -> int:
    common = {"only": ("base",), "decks": 2, "within": 100, "machines": script.Machines(workers=1)}
    folder = script.PAGE.parent / "games"
    status: int = script.run(script.Arguments(**{**common, "folder": folder, **arguments}))
    return status


def without_times(report: Report) -> list[tuple[Any, ...]]:
    rows: list[Row] = sorted(report.rows, key=lambda row: row.agent)
    return [(row.agent, row.games, row.win_rate, row.lead) for row in rows]


@pytest.mark.parametrize(
    ("agents", "order"),
    [
        (("value",), ["value", "greedy", "random"]),
        (("halfgreedy",), ["greedy", "halfgreedy", "random"]),
        (("worst",), ["greedy", "random", "worst"]),
        (("worst", "value"), ["value", "greedy", "random", "worst"]),
    ],
)
def test_new_agents_are_placed_wherever_they_belong(
    agents: tuple[str, ...], order: list[str], ladder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the new agents' games are played; the report equals that of a full tournament."""
    register_agent("halfgreedy", HalfGreedy)
    register_agent("worst", Worst)
    shown: list[Report] = []
    monkeypatch.setattr(ladder, "show", shown.append)
    assert run_ladder(ladder, agents=("random", "greedy")) == 0
    files = {path: path.read_bytes() for path in (ladder.PAGE, ladder.DATA, ladder.TABLES)}
    folder = ladder.PAGE.parent / "new"
    assert run_ladder(ladder, place=agents, folder=folder) == 0
    assert {path: path.read_bytes() for path in files} == files
    n_pairings = len(order) * (len(order) - 1) // 2
    assert len((folder / "base" / "games.jsonl").read_bytes().splitlines()) == 2 * n_pairings - 1
    _, now = shown
    assert [row.agent for row in now.rows] == order
    played = tournament("random", "greedy", *agents, n_decks=2, rules=Rules())
    played.arena = Arena(played.arena.players, Rules())
    played.play()
    whole = report_of(played.played, "greedy")
    assert without_times(now) == without_times(whole)
    assert now.crosstable == whole.crosstable and now.games == whole.games == 4 * n_pairings
    for row in now.rows:
        (other,) = [there for there in whole.rows if there.agent == row.agent]
        assert row.rating is not None and other.rating is not None
        assert row.rating.value == pytest.approx(other.rating.value, abs=1e-3)
        assert -5000 < row.rating.low <= row.rating.value <= row.rating.high < 5000
    with pytest.raises(
        ValueError, match=r"greedy is already on the ladder, see .*use --place for other"
    ):
        run_ladder(ladder, place=("slow", "greedy"))


def test_who_lacks_a_package_is_left_out_when_somebody_is_placed(
    ladder: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    register_agent("worst", Worst)
    shown: list[Report] = []
    monkeypatch.setattr(ladder, "show", shown.append)
    assert run_ladder(ladder, agents=("random", "greedy", "worst")) == 0

    def lacking(self: Worst) -> None:
        raise ModuleNotFoundError("this needs torch, which is not installed")

    monkeypatch.setattr(Worst, "__init__", lacking)
    folder = ladder.PAGE.parent / "new"
    assert run_ladder(ladder, place=("value",), folder=folder) == 0
    assert "worst is left out: this needs torch, which is not" in capsys.readouterr().out
    assert len((folder / "base" / "games.jsonl").read_bytes().splitlines()) == 2 * 2 + 1
    assert {row.agent for row in shown[1].rows} == {"value", "greedy", "random", "worst"}
    with pytest.raises(ModuleNotFoundError, match="this needs torch"):
        run_ladder(ladder, place=("value",), agents=("worst",), folder=folder)


def test_tables_are_as_wide_as_need_be_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "my_agents:Careful?" + "price=1," * 20
    for columns, n_lines in (("80", 5), (None, 3)):
        monkeypatch.delenv("COLUMNS", raising=False)
        if columns:
            monkeypatch.setenv("COLUMNS", columns)
        new_console().print(rich_table([["agent", "% won"], [name, "50.0"]]))
        assert len(capsys.readouterr().out.splitlines()) == n_lines


def test_where_there_is_no_terminal_lines_say_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with progress() as shown:
        task = shown.add_task("games", total=4_000)
        shown.update(task, advance=1_000)
        monkeypatch.setattr(bar, "SECONDS_BETWEEN_LINES", 0)
        shown.update(task, advance=2_000)
    assert re.fullmatch(r"3,000 of 4,000 games(, [\d,]+ s left)?\n+", capsys.readouterr().out)


def test_with_more_seats_a_pairing_is_two_line_ups(
    ladder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Report] = []
    monkeypatch.setattr(ladder, "show", shown.append)
    assert run_ladder(ladder, agents=("random", "greedy"), only=("all-4",)) == 0
    assert "\n8 games, 2 decks for each pairing, on " in ladder.PAGE.read_text()
    assert (
        run_ladder(ladder, place=("slow",), only=("all-4",), folder=ladder.PAGE.parent / "n") == 0
    )
    assert (shown[0].games, shown[1].games) == (8, 24)


@pytest.mark.parametrize(
    "games",
    [slice(1), pytest.param(slice(1, None), marks=pytest.mark.long)],
    ids=["the first", "all others"],
)
def test_the_ladder_of_the_repository_is_what_its_games_say(games: slice, ladder: Any) -> None:
    root = SCRIPTS.parent
    page = (root / "docs/ladder.md").read_text(encoding="utf-8")
    data = (root / "docs/reference/ladder.md").read_text(encoding="utf-8")
    tables = json.loads((root / "docs/ladder.json").read_text(encoding="utf-8"))
    assert "base" in tables
    for game, values in [*tables.items()][games]:
        section = ladder.Section.from_dict(values)
        assert section.to_dict() == values
        assert (ladder.section_of(game, section) in page) == (game in ladder.MAIN), game
        assert ladder.section_of(game, section, in_full=True) in data, game
        of_pairing = Counter(frozenset(deck.line_up) for deck in section.played)
        assert min(of_pairing.values()) >= 200 or max(t.mean for t in section.times.values()) > 0.02
        for row in section.report.crosstable.values():
            for cell in row.values():
                assert max(cell.high - cell.value, cell.value - cell.low) <= 0.05, game


def test_whoever_stands_on_the_ladder_can_be_asked(ladder: Any) -> None:
    tables = json.loads((SCRIPTS.parent / "docs/ladder.json").read_text(encoding="utf-8"))
    assert tables.keys() == ladder.GAMES.keys()
    for game, values in tables.items():
        rules = ladder.GAMES[game][1]
        names = {name for one in values["line_ups"] for name in one["line_up"]}
        assert make_players(names, rules).keys() == names


@pytest.mark.long
def test_the_command_line_places_an_agent(folder: Path) -> None:
    pytest.importorskip("choix")
    page = SCRIPTS.parent / "docs/ladder.md"
    before = page.read_bytes()
    call = [sys.executable, str(SCRIPTS / "ladder.py"), "--place", "bots:Bot", "--only", "base"]
    call += ["--agents", "random", "greedy", "--decks", "1", "--within", "100"]
    call += ["--workers", "1", "--folder", "new"]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "bots:Bot" in done.stdout and "value" in done.stdout
    assert page.read_bytes() == before
    call[2:4] = []
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "the page has no interval beyond 5 points, got --within 100" in done.stdout


def test_a_part_of_the_ladder_is_renewed(ladder: Any) -> None:
    agents = ("random", "greedy")
    assert run_ladder(ladder, agents=agents, only=("tower", "base")) == 0
    old, old_tables = ladder.DATA.read_text().split("\n## "), json.loads(ladder.TABLES.read_text())
    assert old[1].startswith("Base game, 2 players\n\n4 games, 2 decks for each pairing, on ")
    assert old[2].startswith("The Tower, 2 players\n\n4 games")
    page = ladder.PAGE.read_text()
    assert (
        "The Tower" not in page and f"\n## {old[1].partition('| % won against')[0].strip()}" in page
    )
    assert (
        "The preset all, 4 players\n\nNot played yet: `python scripts/ladder.py --only all-4`.\n"
    ) in page
    assert run_ladder(ladder, agents=agents, decks=3) == 0
    new, new_tables = ladder.DATA.read_text().split("\n## "), json.loads(ladder.TABLES.read_text())
    assert new[1].startswith("Base game, 2 players\n\n6 games, 3 decks")
    assert new[:1] + new[2:] == old[:1] + old[2:]
    pages = ladder.PAGE.read_text(), ladder.DATA.read_text()
    for path in (ladder.PAGE, ladder.DATA):
        path.write_text(path.read_text().replace("+0 (+0, +0)", "edited"))
    assert run_ladder(ladder, page=True) == 0
    assert (ladder.PAGE.read_text(), ladder.DATA.read_text()) == pages
    assert ladder.PICTURE.read_bytes().startswith(b"\x89PNG")
    assert new_tables.pop("base") != old_tables.pop("base") and new_tables == old_tables


def test_a_spec_is_pickled_for_workers() -> None:
    spec = make_players(["seeded:seed=3"], RULES)["seeded:seed=3"]
    assert isinstance(spec, AgentSpec)
    again = pickle.loads(pickle.dumps(spec))
    assert again == spec and vars(again.make(RULES)) == {"seed": 3}


def test_decisions_are_timed_by_the_processor_unless_a_program_takes_them():
    assert clock_of(make_agent("greedy")) is time.process_time
    assert clock_of(ProcessAgent("my_bot")) is time.perf_counter
