"""Logging a run's curve to TensorBoard and, if requested, Weights & Biases."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .curve import Row
from .run_folder import TENSORBOARD
from .settings import RunSettings


class Logs:
    """Logs the rows of a curve as they arrive, without importing torch.

    If TensorBoard is not installed, nothing is written for it. Weights & Biases treats each start
    of a run as a separate run and groups all starts in the same folder.

    Parameters
    ----------
    folder : Path
        The folder of the run.
    settings : RunSettings
        The run's settings.

    Raises
    ------
    ImportError
        ``settings.wandb`` names a project, but the package is not installed.
    """

    def __init__(self, folder: Path, settings: RunSettings) -> None:
        self._wandb = _begin_in_wandb(folder, settings) if settings.wandb else None
        self._tensorboard: Any = None
        if find_spec("tensorboard") is not None:
            from tensorboard.summary import Writer

            self._tensorboard = Writer(str(folder / TENSORBOARD))

    def write(self, row: Row) -> None:
        """Write a row, each number under its own tag."""
        values = {_place(name): value for name, value in row.items() if name != "steps"}
        steps = int(row["steps"])
        if self._tensorboard is not None:
            for name, value in values.items():
                self._tensorboard.add_scalar(name, value, steps)
            self._tensorboard.flush()
        if self._wandb is not None:
            self._wandb.log(values, step=steps)

    def close(self) -> None:
        """Write buffered rows."""
        if self._tensorboard is not None:
            self._tensorboard.close()
        if self._wandb is not None:
            self._wandb.finish()


def _place(name: str) -> str:
    """Return a number's tag: evaluations go under the opponent, all others under ``training``."""
    rival, _, what = name.rpartition(" ")
    return f"{rival or 'training'}/{what}"


def _begin_in_wandb(folder: Path, settings: RunSettings) -> Any:
    try:
        import wandb
    except ImportError as error:
        raise ImportError(
            "the setting wandb needs the package of that name, which is not installed: pip "
            "install wandb"
        ) from error
    return wandb.init(
        project=settings.wandb, group=str(folder), dir=str(folder), config=settings.to_dict()
    )
