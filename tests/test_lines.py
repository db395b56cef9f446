"""Files that grow line by line: complete entries survive, wherever a file is cut off."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import results
from carc_env.agents import tournament
from carc_env.agents.arena import Arena, Played
from carc_env.agents.curve import read_csv, write_csv
from carc_env.agents.known_results import read_rows
from carc_env.agents.tournament import GameFile, heading

from carc_env import Game, Rules
from carc_env.game.archive import Archive
from carc_env.game.lines import add_lines
from carc_env.web.history import History
from carc_env.web.journal import Journal, line_of
from carc_env.web.play import Play, Start, sitters_for
from tests.full_disk import full_disk

pytestmark = pytest.mark.once

GAME = "0123456789"
HEAD = heading(Arena({"a": None, "b": None}, Rules()))  # type: ignore[dict-item]


class Kind(NamedTuple):
    """How a kind of file is written: ``add`` appends the k-th entry, ``read`` returns entries."""

    file: str
    begin: Callable[[Path], Any]
    add: Callable[[Path, int], Any]
    read: Callable[[Path], list[Any]]
    of_json: bool = True
    """Whether the last entry is complete without its line end."""


def decisions(n: int) -> list[str]:
    game = Game(seed=3)
    for _ in range(n):
        game.step(game.legal_actions()[0])
    return [move.name for move in game.moves if not move.aside][:n]


NAMES = decisions(3)


def begin_game(folder: Path) -> None:
    Journal(folder).write_all(GAME, Play(Start(Rules(), seed=3), sitters_for(2)))


def add_decision(folder: Path, k: int) -> None:
    Journal(folder).add(GAME, line_of(NAMES[k], None))


def decisions_kept(folder: Path) -> list[Any]:
    actions, play = Journal(folder).read(GAME).actions, Play(Start(Rules(), seed=3), sitters_for(2))
    for action in actions:
        play.act(action)
    (entry,) = History(Journal(folder)).entries()
    assert entry.ply == play.ply
    return [move.name for move in play.game.moves][: play.ply]


def games_file(folder: Path) -> GameFile:
    return GameFile(folder / "games.jsonl", HEAD)


def add_deck(folder: Path, k: int) -> None:
    played = Played(("a", "b"), k, [[k, 4], [5, 6]], [9, 9], [0.5, 0.5], [0.1, 0.1])
    games_file(folder).add([played])


def add_to_curve(folder: Path, k: int) -> None:
    path = folder / "curve.csv"
    write_csv(path, [*read_csv(path), {"steps": 1000.0 + k, "score": 12.5 * k}])


def add_result(folder: Path, k: int) -> None:
    key = {"task": "base", "training": "ppo", "budget": "1000", "seed": str(k)}
    results.keep(folder / "runs.csv", [key | {"decks": f"{1234 + k}"}], key)


KINDS = {
    "game": Kind(f"{GAME}.jsonl", begin_game, add_decision, decisions_kept),
    "tournament": Kind(
        "games.jsonl", games_file, add_deck, lambda f: [d.deck for d in games_file(f).played]
    ),
    "curve": Kind(
        "curve.csv",
        lambda f: write_csv(f / "curve.csv", []),
        add_to_curve,
        lambda f: [(row["steps"], row.get("score", 0.0)) for row in read_csv(f / "curve.csv")],
        of_json=False,
    ),
    "results": Kind(
        "runs.csv",
        lambda _: None,
        add_result,
        lambda f: [(row["seed"], row["decks"]) for row in read_rows(f / "runs.csv")],
        of_json=False,
    ),
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_what_is_whole_is_kept_wherever_a_file_was_cut_off(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tournament, "_check_same", lambda *_: None)  # slow, and concerns only rules
    kind.begin(tmp_path)
    for k in range(2):
        kind.add(tmp_path, k)
    path, whole = tmp_path / kind.file, kind.read(tmp_path)
    content = path.read_bytes()
    kind.add(tmp_path, 2)
    third = kind.read(tmp_path)[2]
    first = content.index(b"\n") + 1
    assert len(whole) == 2
    for size in range(first, len(content) + 1):
        path.write_bytes(content[:size])
        is_ended = kind.of_json and content[size : size + 1] == b"\n"
        n = content[first:size].count(b"\n") + is_ended
        assert kind.read(tmp_path) == whole[:n]
        kind.add(tmp_path, n)
        assert kind.read(tmp_path) == [*whole, third][: n + 1]
        assert path.read_bytes().startswith(content[:size][: content[:size].rfind(b"\n") + 1])


def test_a_record_that_was_cut_off_leaves_the_others_whole(tmp_path: Path):
    record = "[carc_env record 1]\n[check 0123abcd]\n"
    for _ in range(2):
        archive = Archive(tmp_path)
        first, second = archive.keep_record(record), archive.keep_record(record)
    before = content = second.read_bytes()
    for size in range(len(content)):
        second.write_bytes(content[:size])
        archive.n_kept = 1
        archive.keep_record(record)
        assert (first.read_bytes(), second.read_bytes()) == (before, content)


def test_a_full_disk_leaves_the_whole_lines(tmp_path: Path):
    path, whole = tmp_path / "file", b'{"a": 1}\n{"b": 2}\n'
    for torn in (b"", b'{"c'):
        path.write_bytes(whole + torn)
        with full_disk(len(whole) + 9), pytest.raises(OSError, match=str(path)):
            add_lines(path, [{"d": "as long as it is too long"}])
        assert path.read_bytes() == whole


def test_nothing_is_added_to_a_file_that_has_gone(tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        add_lines(tmp_path / "gone", [{}])
    assert not [*tmp_path.iterdir()]
