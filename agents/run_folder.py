"""The folder of a training run: its files, and who may write them."""

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
"""Folders of logs, each under its own name; another run beside them overwrites nothing."""


@contextmanager
def claim_folder(folder: Path, checkpoint: Path | None, *, overwrite: bool) -> Iterator[None]:
    """Create the folder of a run, and claim it for the duration of a ``with`` block.

    A folder with files that the run could overwrite is refused, and so is one that another run
    writes to. Nothing is deleted except temporary files of a run that was killed while writing.

    Parameters
    ----------
    folder : Path
        The folder of the run.
    checkpoint : Path, optional
        The checkpoint to continue from. With the latest checkpoint of the folder itself, the run
        may continue there; with any other it needs a free folder, like a new run.
    overwrite : bool
        Take the folder regardless of its content.

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
    """Write the command, version, commit and machine of a run."""
    origin = {
        "command": command,
        "carc_env": __version__,
        "commit": commit,
        "machine": machine,
    }
    replace_file(folder / ORIGIN, yaml.safe_dump(origin, sort_keys=False).encode())


def write_curve(folder: Path, curve: Sequence[Row]) -> None:
    """Write and draw the curve of a run, if it has one yet."""
    if curve:
        write_csv(folder / CURVE, curve)
        draw_png(folder / PICTURE, curve)


class Times:
    """The seconds of a run: ``times.csv``, beside a curve without times.

    A row is written at every evaluation and checkpoint: steps, seconds with evaluations, and the
    processor seconds of learning alone, which other work on the machine does not lengthen. A
    resumed run continues from the times of its checkpoint; time while it stood still, or that was
    lost with steps after the checkpoint, does not count.

    Parameters
    ----------
    folder : Path
        The folder of the run.
    checkpoint : Path, optional
        The checkpoint that it continues from.
    steps : int
        Its number of steps there.
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
        """Write that so many steps are done; do nothing if the run began before there were times.

        The first time of a step counts.

        Parameters
        ----------
        steps : int
            The steps of the run so far.
        processor_seconds : float
            Learning time since it began or resumed.
        """
        if self._is_known and steps not in (row["steps"] for row in self._rows):
            seconds, processor = self._before
            seconds += time.monotonic() - self._began
            row = {"seconds": seconds, "processor_seconds": processor + processor_seconds}
            self._rows.append({"steps": steps} | {k: round(v, 3) for k, v in row.items()})
            write_csv(self._path, self._rows)


def check_is_free(folder: Path, ours: Collection[str] = ()) -> None:
    """Refuse a folder that has more than logs and files that may be replaced.

    A run writes its origin first, so a folder without a checkpoint beside it can be replaced
    without loss.

    Parameters
    ----------
    folder : Path
        It does not need to exist.
    ours : collection of str
        Names of files that may be replaced.

    Raises
    ------
    ValueError
        There are other files; the message explains what to do.
    """
    if not folder.exists():
        return
    found = {path.name for path in {*folder.iterdir()} - {*_leftovers_in(folder)}}
    strange = sorted(found - {TENSORBOARD, WANDB, LOCK, ORIGIN, *ours})
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
    return [left for name in (*FILES, STEPS) for left in leftovers(folder, name)]
