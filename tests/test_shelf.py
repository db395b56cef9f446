"""The disk cache for drawings: its results are found again, and nothing depends on it."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from carc_env.render import shelf
from carc_env.render.shelf import kept

pytestmark = pytest.mark.once

WRITER = """
from carc_env.render.shelf import kept
for number in range(200):
    assert kept(f"{number}", lambda: b"%d" % number) == b"%d" % number
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(shelf, "cache_root", lambda: tmp_path / "kernels")
    shelf._shelf.cache_clear()
    yield tmp_path / shelf.SUBFOLDER
    shelf._shelf.cache_clear()


def later_process() -> None:
    shelf._shelf.cache_clear()


def never() -> bytes:
    raise AssertionError("it is on the shelf")


def test_a_later_process_finds_what_was_worked_out() -> None:
    assert kept("art", lambda: b"a tile") == b"a tile"
    later_process()
    assert kept("art", never) == b"a tile"
    assert kept("other", lambda: b"another") == b"another"


def test_without_a_folder_everything_is_worked_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a file").write_text("")
    monkeypatch.setattr(shelf, "cache_root", lambda: tmp_path / "a file" / "kernels")
    later_process()
    assert kept("art", lambda: b"one") == b"one"
    assert kept("art", lambda: b"two") == b"two"


def test_a_damaged_result_is_worked_out_again(folder: Path) -> None:
    kept("art", lambda: b"whole")
    (path,) = folder.iterdir()
    with sqlite3.connect(path) as database:
        database.execute("UPDATE kept SET content = x'77'")
    later_process()
    assert kept("art", lambda: b"whole") == b"whole"
    assert kept("art", never) == b"whole"


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + bytes(999)])
def test_a_damaged_file_does_no_harm(folder: Path, content: bytes) -> None:
    kept("art", lambda: b"before")
    (path,) = folder.iterdir()
    later_process()
    path.write_bytes(content)
    assert kept("art", lambda: b"after") == b"after"


def test_processes_write_at_the_same_time(folder: Path) -> None:
    environment = {**os.environ, "CARC_ENV_CACHE_DIR": str(folder.parent)}
    environment["NUMBA_DISABLE_JIT"] = "1"  # no kernel is needed, so do not compile any
    command = [sys.executable, "-c", WRITER]
    writers = [subprocess.Popen(command, env=environment) for _ in range(3)]
    assert [writer.wait(timeout=600) for writer in writers] == [0, 0, 0]
    (path,) = folder.glob("*.sqlite")
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT count(*) FROM kept").fetchone() == (200,)


def test_older_versions_go_and_nothing_else(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    foreign = folder / "mine.sqlite"
    sqlite3.connect(foreign).execute("CREATE TABLE mine (a)").connection.close()
    for number, key in enumerate(("old", "older", "oldest")):
        monkeypatch.setattr(shelf, "_key", lambda key=key: key)
        later_process()
        kept("art", lambda: b"")
        if (path := folder / f"{key}.sqlite").exists():
            os.utime(path, (1000 - number, 1000 - number))
    monkeypatch.setattr(shelf, "_key", lambda: "new")
    later_process()
    kept("art", lambda: b"")
    assert {path.name for path in folder.iterdir()} == {"mine.sqlite", "new.sqlite", "old.sqlite"}
