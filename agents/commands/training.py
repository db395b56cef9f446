"""Common code for the training scripts: command line, run folders, progress, signals.

A script declares its settings and how its learner begins and continues; :func:`carry_out` does the
rest. This module is not itself a script.
"""

from __future__ import annotations

import json
import os
import platform
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

import tyro
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from tyro.constructors import ConstructorRegistry, PrimitiveConstructorSpec, PrimitiveTypeInfo

from carc_env.extras import check_installed, extras_named
from carc_env.files import user_path
from carc_env.plain_yaml import read_yaml
from carc_env.rules import Layout

from ..checkpoint import SUFFIX, read_checkpoint
from ..cpu import prepare_cpu
from ..curve import Row, evaluated_in, is_best, passed, rivals_in, write_csv
from ..interrupt import Interruption
from ..logs import Logs
from ..named_settings import settings_file, settings_of_the_package, training_of
from ..run import Run
from ..run_folder import (
    BEST,
    CURVE,
    LATEST,
    ORIGIN,
    PICTURE,
    TENSORBOARD,
    Times,
    claim_folder,
    write_curve,
    write_origin,
    write_settings,
)
from ..settings import RunSettings, with_game
from ..workers import WorkerError
from .bar import SECONDS_BETWEEN_LINES
from .program import described

console = Console(highlight=False, soft_wrap=True)


C = TypeVar("C", bound=RunSettings)


@dataclass(frozen=True)
class Script(Generic[C]):
    """The specific parts of a training script.

    Parameters
    ----------
    program : str
        How to call it, such as "carc-env train value".
    settings : type
        The class of its settings.
    learner : str
        Module and class of the learner, which are imported when a run begins.
    learns : callable
        Returns a text about the settings: how it learns, and from what.
    news : callable
        Returns a short text about a learner and a row of its curve.
    write : callable
        Writes a run's files other than its checkpoint.
    hints : callable
        Returns the next commands to try with a run's folder.
    """

    program: str
    settings: type[C]
    learner: str
    learns: Callable[[Any], str]
    news: Callable[[Any, Row], str]
    write: Callable[[Any, Path], object] = lambda _, __: None
    hints: Callable[[Path], Sequence[str]] = lambda folder: (
        f"carc-env evaluate {folder / LATEST} greedy --games 400",
    )

    def begin(self, config: C, checkpoint: Path | None) -> Run[Any]:
        """Begin a run, or continue from a checkpoint."""
        if hasattr(config, "network"):
            console.print("Loading torch ...")
        module, _, name = self.learner.partition(":")
        of: type[Run[Any]] = getattr(import_module(f"carc_env.agents.{module}"), name)
        return of.begin(config, checkpoint)

    def intro(self, learner: Any) -> str:
        """Return a description of a run."""
        config = learner.config
        who = "a value"
        if hasattr(config, "network"):
            who = f"a {config.network.extractor!r} network ({learner.n_parameters:,} parameters)"
        return f"{who} {self.learns(config)}, up to {config.total:,} {config.UNIT}"

    @property
    def named_settings(self) -> list[str]:
        """Names of the settings for this script that come with the package."""
        training = self.program.rpartition(" ")[2]
        return [name for name in settings_of_the_package() if training_of(name) == training]


def train(script: Script[Any], config: Any, checkpoint: Path | None = None) -> tuple[Any, int]:
    """Train: begin a run, or continue from a checkpoint.

    Returns
    -------
    learner : Run
        The learner at the end of the run or at a signal.
    status : int
        0, or the exit status for the signal.

    Raises
    ------
    ValueError
        The checkpoint is refused, the folder contains other files, or another run is writing there.
    """
    prepare_cpu()  # before a learner or an opponent imports torch
    check_installed("matplotlib")  # for the curve; report a missing package before learning begins
    claim = claim_folder(user_path(config.folder), checkpoint, overwrite=config.overwrite)
    with claim:
        return _carry_on(script, config, checkpoint)


def _carry_on(script: Script[Any], config: Any, checkpoint: Path | None) -> tuple[Any, int]:
    """Implement :func:`train` in a folder that this process has claimed."""
    folder = user_path(config.folder)
    with extras_named():
        learner: Run[Any] = script.begin(config, checkpoint)
    unit = config.UNIT
    how = f"Continuing at {unit[:-1]} {learner.steps:,}: " if checkpoint else ""
    console.print(f"{how}{script.intro(learner)}, into {folder}/")
    bar = Progress(
        TextColumn(f"{{task.completed:>9,.0f}} {unit}"),
        BarColumn(bar_width=None),
        TextColumn("{task.fields[rate]:,.0f}/s  {task.fields[news]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
    )
    task = bar.add_task("train", total=config.total, completed=learner.steps, rate=0.0, news="")
    first, began = learner.steps, time.monotonic()
    told = began
    with closing(learner), closing(Logs(folder, config)) as logs, Interruption() as stop:
        times = Times(folder, checkpoint, learner.steps)
        # Written before the first checkpoint, so that even a killed run never lacks one.
        if checkpoint is None or not (folder / ORIGIN).exists():
            called = Path(sys.argv[0])
            is_script = called.parent.name == "scripts" and called.suffix == ".py"
            words = ["python", f"scripts/{called.name}"] if is_script else ["carc-env"]
            command = shlex.join([*words, *sys.argv[1:]])
            write_origin(folder, command, commit(), machine())
        _save(script, learner)
        if not learner.curve:
            learner.save(folder / BEST)
        write_settings(folder, config.to_dict())
        with bar:
            while not (learner.is_done or stop.wanted):
                before = learner.steps
                row = learner.update()
                logs.write(row)
                now = time.monotonic()
                rate = (learner.steps - first) / (now - began)
                bar.update(task, completed=learner.steps, rate=rate, news=script.news(learner, row))
                if not console.is_terminal and rate > 0 and now > told + SECONDS_BETWEEN_LINES:
                    told, left = now, (config.total - learner.steps) / rate
                    console.print(
                        f"{learner.steps:>9,} {unit}  {rate:,.0f}/s  {script.news(learner, row)}  "
                        f"{left:,.0f} s left"
                    )
                _write_what_is_due(script, learner, row, before, times)
        if learner.curve:
            times.note(learner.steps, learner.processor_seconds)
        _save(script, learner)
        write_curve(folder, learner.curve)
    seconds = time.monotonic() - began
    console.print(
        f"{'Interrupted' if stop.wanted else 'Done'} at {unit[:-1]} {learner.steps:,} after "
        f"{seconds:.0f} s ({(learner.steps - first) / max(seconds, 1e-9):,.0f} {unit}/s)."
    )
    return learner, stop.status


def _save(script: Script[Any], learner: Run[Any]) -> None:
    """Write the run's current state; the checkpoint matches the curve."""
    folder = user_path(learner.config.folder)
    learner.save(folder / LATEST)
    write_csv(folder / CURVE, learner.curve)
    script.write(learner, folder)


def _write_what_is_due(
    script: Script[Any], learner: Run[Any], row: Row, before: int, times: Times
) -> None:
    """Print and write what is due after an update.

    The time is written first; otherwise a kill could lose the time of a checkpoint.
    """
    config, folder = learner.config, user_path(learner.config.folder)
    is_due = passed(config.checkpoint_every, before, learner.steps)
    if is_due or rivals_in(row):
        times.note(learner.steps, learner.processor_seconds)
    if rivals_in(row):
        console.print(f"{learner.steps:>9,} {config.UNIT}  {evaluated_in(row)}")
        write_curve(folder, learner.curve)
        if is_best(learner.curve):
            learner.save(folder / BEST)
    if is_due:
        _save(script, learner)
        if getattr(config, "keep_checkpoints", False):
            learner.save(folder / f"step-{learner.steps:09d}{SUFFIX}")


def commit() -> str:
    """Return the commit of the code, and whether the code has changed since.

    The result is "unknown" without git and for installed packages, even inside another project's
    repository. The pages in ``docs``, to which results are written, do not count as code.
    """
    here = Path(__file__).resolve()

    def git(*command: str) -> str:
        done = subprocess.run(
            ["git", *command], cwd=here.parents[1], capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    try:
        git("ls-files", "--error-unmatch", "--", str(here))
        changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs")
        return git("rev-parse", "--short=12", "HEAD") + (" with changes" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def machine() -> str:
    """Return a description of this machine's cores."""
    return f"{os.cpu_count()} cores ({platform.machine()})"


def settings_of(script: Script[Any], source: Path, arguments: list[str]) -> Any:
    """Return settings from a file (a name or path), with command-line changes.

    Raises
    ------
    ValueError, OSError
        The file or an argument is refused.
    """
    if source.suffix == SUFFIX:
        config = script.settings.saved(source, read_checkpoint(source)[0])
    else:
        config = script.settings.read(settings_file(source))
    config, arguments = with_game(config, arguments)
    with _LAYOUTS:
        return tyro.cli(
            script.settings,
            default=config,
            args=arguments,
            prog=f"{script.program} {source}",
            description="All settings. --rules takes a preset or YAML in place of all rules, "
            "--task the name of a task.",
        )


_LAYOUTS = ConstructorRegistry()


@_LAYOUTS.primitive_rule
def _layout_option(
    info: PrimitiveTypeInfo,
) -> PrimitiveConstructorSpec[Layout] | None:
    """Let an option take a layout as YAML; tyro would make subcommands of it."""
    if info.type is not Layout:
        return None
    return PrimitiveConstructorSpec(
        nargs=1,
        metavar="YAML",
        instance_from_str=lambda texts: Layout.of(read_yaml("a layout", texts[0])),
        is_instance=lambda value: isinstance(value, Layout),
        str_from_instance=lambda layout: [json.dumps(layout.to_plain())],
    )


def carry_out(script: Script[Any], doc: str, arguments: list[str]) -> int:
    """Run a training script's command line; return the exit status."""
    if not arguments or arguments[0].startswith("-"):
        console.print(described(doc), markup=False)
        named = f"Settings that come with the package: {', '.join(script.named_settings)}."
        console.print(named, soft_wrap=False)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    source = user_path(arguments[0])
    checkpoint = source if source.suffix == SUFFIX else None
    try:
        config = settings_of(script, source, arguments[1:])
        learner, status = train(script, config, checkpoint)
    except (ValueError, OSError, ImportError, WorkerError) as error:
        console.print(f"error: {error}", markup=False)
        return 1
    folder = user_path(config.folder)
    console.print("What to look at next:")
    console.print(f"  {folder / PICTURE}")
    if (folder / TENSORBOARD).exists():
        console.print(f"  tensorboard --logdir {folder / TENSORBOARD}")
    for hint in script.hints(folder):
        console.print(f"  {hint}")
    if not learner.is_done:
        console.print(f"  {script.program} {folder / LATEST}   to continue")
    return status
