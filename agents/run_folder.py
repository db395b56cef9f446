"""The folder of a training run: what is written there, and who may write."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from carc_env import __version__
from carc_env.game.records import leftovers, replace_file

from .checkpoint import SUFFIX
from .claim import LOCK, claimed
from .curve import Row, draw_png, read_csv, write_csv

LATEST, BEST = f"latest{SUFFIX}", f"best{SUFFIX}"
CONFIG, CURVE, PICTURE = "config.yaml", "curve.csv", "curve.png"
TIMES, ORIGIN = "times.csv", "origin.yaml"
FILES = (LATEST, BEST, CONFIG, CURVE, PICTURE, TIMES, ORIGIN)
STEPS = f"step-*{SUFFIX}"
"""The checkpoints that ``keep_checkpoints`` leaves."""
TENSORBOARD, WANDB = "tensorboard", "wandb"
"""Folders of logs, each under a name of its own; another run beside them overwrites nothing."""


@contextmanager
def claim_folder(folder: Path, checkpoint: Path | None, *, overwrite: bool) -> Iterator[None]:
    """The folder for a run, for the time of a ``with`` block: made, and this run's alone.

    One with files that the run could overwrite is refused, and so is one that another run writes
    to. Nothing is deleted but the temporary files of a run that was killed while it wrote.

    Parameters
    ----------
    folder : Path
        Where the run is going to write.
    checkpoint : Path, optional
        Where the run goes on from. With the latest checkpoint of the folder itself it may go on
        there; with any other it needs a free folder, as a run that begins.
    overwrite : bool
        Take the folder whatever it holds.

    Raises
    ------
    ValueError
        The folder is not free.
    """
    goes_on = checkpoint is not None and checkpoint.resolve() == (folder / LATEST).resolve()
    with claimed(folder):
        if not (goes_on or overwrite):
            check_is_free(folder)
        for left in _leftovers_in(folder):
            left.unlink()
        yield


def write_settings(folder: Path, settings: dict[str, Any]) -> None:
    """Write the settings of a run as YAML."""
    replace_file(folder / CONFIG, yaml.safe_dump(settings, sort_keys=False).encode())


def write_origin(folder: Path, command: str, commit: str, machine: str) -> None:
    """Write what a run was begun with, the version of carc_env included, and where."""
    origin = {
        "command": command,
        "carc_env": __version__,
        "commit": commit,
        "machine": machine,
    }
    replace_file(folder / ORIGIN, yaml.safe_dump(origin, sort_keys=False).encode())


def write_curve(folder: Path, curve: Sequence[Row]) -> None:
    """Write and draw the curve of a run, if there is any yet."""
    if curve:
        write_csv(folder / CURVE, curve)
        draw_png(folder / PICTURE, curve)


class Times:
    """How many seconds a run has taken: ``times.csv``, beside a curve that does not know them.

    A row is written at every evaluation and checkpoint: steps, seconds with evaluations, and the
    processor seconds of learning alone, which other work on the machine does not lengthen. A run
    that goes on counts on from its checkpoint; the time that it stood still, or that was lost with
    steps behind the checkpoint, does not count.

    Parameters
    ----------
    folder : Path
        Of the run.
    checkpoint : Path, optional
        Where it goes on from.
    steps : int
        How far it had come there.
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
        """Write that so many steps are done now; nothing if the run began before there were times.

        The first time of a step counts.

        Parameters
        ----------
        steps : int
            How far the run has come.
        processor_seconds : float
            What learning took since it began or went on.
        """
        if self._is_known and steps not in (row["steps"] for row in self._rows):
            seconds, processor = self._before
            seconds += time.monotonic() - self._began
            row = {"seconds": seconds, "processor_seconds": processor + processor_seconds}
            self._rows.append({"steps": steps} | {k: round(v, 3) for k, v in row.items()})
            write_csv(self._path, self._rows)


def check_is_free(folder: Path, ours: Collection[str] = ()) -> None:
    """Refuse a folder in which there is more than logs and files that may be replaced.

    A run writes its origin first, so nothing is lost with one that has no checkpoint beside it.

    Parameters
    ----------
    folder : Path
        It need not exist.
    ours : collection of str
        Names of files that may be replaced.

    Raises
    ------
    ValueError
        There is more; the message says what to do.
    """
    if not folder.exists():
        return
    found = {path.name for path in {*folder.iterdir()} - {*_leftovers_in(folder)}}
    strange = sorted(found - {TENSORBOARD, WANDB, LOCK, ORIGIN, *ours})
    if LATEST in strange:
        raise ValueError(
            f"{folder} holds a run already: go on with it by naming {folder / LATEST} to the "
            "script that began it, choose another --folder, or pass --overwrite"
        )
    if strange:
        raise ValueError(
            f"{folder} holds files already ({', '.join(strange[:3])}): choose another --folder, or "
            f"pass --overwrite, which replaces {', '.join(FILES)} and whatever else a run of its "
            "kind writes, and leaves all others alone"
        )


def _leftovers_in(folder: Path) -> list[Path]:
    return [left for name in (*FILES, STEPS) for left in leftovers(folder, name)]
