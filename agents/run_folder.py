"""The folder of a training run: what is written there, and who may write."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import yaml

from carc_env.game.records import leftovers, replace_file

from .checkpoint import SUFFIX
from .curve import Row, draw_png, write_csv

LATEST, BEST = f"latest{SUFFIX}", f"best{SUFFIX}"
CONFIG, CURVE, PICTURE = "config.yaml", "curve.csv", "curve.png"
FILES = (LATEST, BEST, CONFIG, CURVE, PICTURE)
STEPS = f"step-*{SUFFIX}"
"""The checkpoints that ``keep_checkpoints`` leaves."""
TENSORBOARD, WANDB = "tensorboard", "wandb"
"""Folders of logs, each under a name of its own; another run beside them overwrites nothing."""


def claim_folder(folder: Path, checkpoint: Path | None, *, overwrite: bool) -> None:
    """Make the folder for a run, or refuse one with files that the run could overwrite.

    Nothing is deleted but the temporary files of a run that was killed while it wrote.

    Parameters
    ----------
    folder : Path
        Where the run is going to write.
    checkpoint : Path, optional
        Where the run goes on from. With the latest checkpoint of the folder itself it may go on
        there; with any other it needs a free folder, as a run that begins.
    overwrite : bool
        Take the folder in any case.

    Raises
    ------
    ValueError
        The folder is not free.
    """
    goes_on = checkpoint is not None and checkpoint.resolve() == (folder / LATEST).resolve()
    if not (goes_on or overwrite):
        check_is_free(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for left in _leftovers_in(folder):
        left.unlink()


def write_settings(folder: Path, settings: dict[str, Any]) -> None:
    """Write the settings of a run as YAML."""
    replace_file(folder / CONFIG, yaml.safe_dump(settings, sort_keys=False).encode())


def write_curve(folder: Path, curve: Sequence[Row]) -> None:
    """Write and draw the curve of a run, if there is any yet."""
    if curve:
        write_csv(folder / CURVE, curve)
        draw_png(folder / PICTURE, curve)


def check_is_free(folder: Path, ours: Collection[str] = ()) -> None:
    """Refuse a folder in which there is more than logs and files that may be replaced.

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
    strange = sorted(found - {TENSORBOARD, WANDB, *ours})
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
