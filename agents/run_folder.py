"""The folder of a training run: its files, and which process may write them."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from carc_env import __version__
from carc_env.game.records import leftovers, replace_file
from carc_env.plain_json import read_json

from .checkpoint import SUFFIX
from .claim import LOCK, claimed
from .curve import Row, draw_png, read_csv, write_csv

LATEST, BEST = f"latest{SUFFIX}", f"best{SUFFIX}"
CONFIG, CURVE, PICTURE = "config.yaml", "curve.csv", "curve.png"
TIMES, ORIGIN = "times.csv", "origin.yaml"
FILES = (LATEST, BEST, CONFIG, CURVE, PICTURE, TIMES, ORIGIN)
SETTINGS = "settings.json"
"""What a recipe keeps of its settings."""
LOG = "log.jsonl"
"""What a recipe keeps of its evaluations."""
FREE = {"folder", "decisions", "device", "eval_every", "eval_games"}
"""The settings of a recipe that a run may change when it continues."""


def folder_for(settings: Any) -> Path:
    """Return the folder of a recipe's run, which is new or continues with the same settings.

    Raises
    ------
    SystemExit
        The folder has a run with other settings; the message names them.
    """
    folder, now = Path(settings.folder).expanduser(), {**vars(settings)}
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / SETTINGS
    there = read_json(f"{path}", path.read_text(encoding="utf-8")) if path.exists() else {}
    if other := [k for k in there if k in now and k not in FREE and there[k] != now[k]]:
        said = ", ".join(f"{k} {there[k]!r}, not {now[k]!r}" for k in other)
        raise SystemExit(f"{folder} has a run with {said}: choose another --folder")
    begins = "has a run with these settings, which continues" if there else "gets a new run"
    if (done := _done(folder / LOG)) >= now["decisions"]:
        print(f"{folder} has a finished run of {done:,} decisions", flush=True)
    else:
        every = min(now["eval_every"], now["decisions"])
        print(f"{folder} {begins}: results after every {every:,} decisions", flush=True)
    replace_file(path, json.dumps(now, indent=1).encode() + b"\n")
    return folder


def _done(log: Path) -> int:
    """Return the number of decisions after which the last results in a recipe's log came."""
    text = log.read_text(encoding="utf-8") if log.exists() else ""
    lines = text.split("\n")[:-1]  # the last one may be cut off
    return int(json.loads(lines[-1])["decisions"]) if lines else 0


@contextmanager
def claim_folder(folder: Path, checkpoint: Path | None, *, overwrite: bool) -> Iterator[None]:
    """Create a run's folder and claim it for the duration of a ``with`` block.

    A folder is refused if it contains files that the run could overwrite, or if another run writes
    to it. Nothing is deleted except temporary files of a run that was killed while writing.

    Parameters
    ----------
    folder : Path
        The folder of the run.
    checkpoint : Path, optional
        The checkpoint to continue from. If it is the folder's own latest checkpoint, the run may
        continue there; otherwise it needs a free folder, like a new run.
    overwrite : bool
        Use the folder regardless of its content.

    Raises
    ------
    ValueError
        The folder is not free.
    """
    goes_on = checkpoint is not None and checkpoint.resolve() == (folder / LATEST).resolve()
    with claimed(folder):
        if not (goes_on or overwrite):
            _check_is_free(folder)
        for left in _leftovers_in(folder):
            left.unlink()
        yield


def write_settings(folder: Path, settings: dict[str, Any]) -> None:
    """Write a run's settings as YAML."""
    replace_file(folder / CONFIG, yaml.safe_dump(settings, sort_keys=False).encode())


def write_origin(folder: Path, command: str, commit: str, machine: str) -> None:
    """Write a run's command, version, commit and machine."""
    origin = {
        "command": command,
        "carc_env": __version__,
        "commit": commit,
        "machine": machine,
    }
    replace_file(folder / ORIGIN, yaml.safe_dump(origin, sort_keys=False).encode())


def commit() -> str:
    """Return the commit of the code, and whether the code has changed since.

    The result is "unknown" without git and for installed packages, even inside another project's
    repository. The pages in ``docs``, to which results are written, do not count as code.
    """
    here = Path(__file__).resolve()

    def git(*command: str) -> str:
        done = subprocess.run(
            ["git", *command], cwd=here.parent, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    try:
        git("ls-files", "--error-unmatch", "--", str(here))
        code = ":/", ":(top,exclude)docs"
        changed = git("status", "--porcelain", "--untracked-files=no", "--", *code)
        return git("rev-parse", "--short=12", "HEAD") + (" with changes" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def machine() -> str:
    """Return a description of this machine's cores."""
    return f"{os.cpu_count()} cores ({platform.machine()})"


def write_curve(folder: Path, curve: Sequence[Row]) -> None:
    """Write and draw a run's curve, if it has one yet."""
    if curve:
        write_csv(folder / CURVE, curve)
        draw_png(folder / PICTURE, curve)


class Times:
    """The times of a run in ``times.csv``, kept apart from the curve.

    A row is written at every evaluation and checkpoint: steps, seconds including evaluations, and
    processor seconds of learning alone, which do not depend on other work on the machine. A resumed
    run continues from its checkpoint's times; neither the time between runs nor the time spent on
    steps after the checkpoint counts.

    Parameters
    ----------
    folder : Path
        The folder of the run.
    checkpoint : Path, optional
        The checkpoint that the run continues from.
    steps : int
        The number of steps at that point.
    """

    def __init__(self, folder: Path, checkpoint: Path | None, steps: float) -> None:
        self._path = folder / TIMES
        self._rows: list[Row] = []
        before = checkpoint and checkpoint.parent / TIMES
        if before:
            self._rows = [row for row in read_csv(before) if row["steps"] <= steps]
        self._is_known = not before or bool(self._rows) or steps == 0
        last = self._rows[-1] if self._rows else {}
        self._before = last.get("seconds", 0.0), last.get("processor_seconds", 0.0)
        self._began = time.monotonic()

    def note(self, steps: float, processor_seconds: float) -> None:
        """Record the time at a step count; do nothing if the run began before times were recorded.

        If a step count is recorded twice, the first time counts.

        Parameters
        ----------
        steps : int
            The run's steps so far.
        processor_seconds : float
            Processor seconds of learning since the run began or resumed.
        """
        if self._is_known and steps not in (row["steps"] for row in self._rows):
            seconds, processor = self._before
            seconds += time.monotonic() - self._began
            row = {"seconds": seconds, "processor_seconds": processor + processor_seconds}
            self._rows.append({"steps": steps} | {k: round(v, 3) for k, v in row.items()})
            write_csv(self._path, self._rows)


def _check_is_free(folder: Path) -> None:
    """Raise a ``ValueError`` if a folder contains anything but what a start left.

    A run writes its origin file first, so a folder with an origin but no checkpoint can be replaced
    without loss.
    """
    if not folder.exists():
        return
    found = {path.name for path in {*folder.iterdir()} - {*_leftovers_in(folder)}}
    strange = sorted(found - {LOCK, ORIGIN})
    if LATEST in strange:
        raise ValueError(
            f"{folder} already contains a run: continue it by passing {folder / LATEST} to the "
            "script that began it, choose another --folder, or pass --overwrite"
        )
    if strange:
        raise ValueError(
            f"{folder} already contains files ({', '.join(strange[:3])}): choose another "
            f"--folder, or pass --overwrite, which replaces {', '.join(FILES)} and other files "
            "that a run of its kind writes, and leaves all others alone"
        )


def _leftovers_in(folder: Path) -> list[Path]:
    return [left for name in FILES for left in leftovers(folder, name)]
