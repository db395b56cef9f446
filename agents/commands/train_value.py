"""Learn a value function from self-play: tables, no network, no torch; beats greedy in two minutes.

    carc-env train value value-base               begin a run
    carc-env train value value-base --rules all --total-games 50000
    carc-env train value runs/value-base/latest.ckpt           continue a run
    carc-env train value value-base --help        all settings

Every setting in the YAML file is also a command-line option. ``--rules`` takes a preset or YAML and
replaces all of the file's rules. The folder of the run receives ``value.npz``, ``latest.ckpt``,
``config.yaml``, ``curve.csv`` and ``curve.png``. Wherever an agent is expected,
``value:weights=.../value.npz`` plays with the weights. Ctrl-C or SIGTERM ends the run after the
round of games in progress, with a checkpoint from which it continues exactly.
"""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import tyro
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from tyro.constructors import ConstructorRegistry, PrimitiveConstructorSpec, PrimitiveTypeInfo

from carc_env.extras import check_installed, extras_named
from carc_env.files import user_path
from carc_env.game.records import replace_file
from carc_env.plain_yaml import read_yaml
from carc_env.rules import Layout

from ..checkpoint import SUFFIX, read_checkpoint
from ..cpu import prepare_cpu
from ..curve import Row, evaluated_in, is_best, passed, rivals_in, write_csv
from ..interrupt import Interruption
from ..named_settings import settings_file, settings_of_the_package
from ..run_folder import (
    BEST,
    CURVE,
    LATEST,
    ORIGIN,
    PICTURE,
    Times,
    claim_folder,
    commit,
    machine,
    write_curve,
    write_origin,
    write_settings,
)
from ..value_config import ValueConfig, with_game
from ..value_learner import VALUE, ValueLearner
from .bar import SECONDS_BETWEEN_LINES
from .program import described

PROGRAM = "carc-env train value"
console = Console(highlight=False, soft_wrap=True)


def train(config: ValueConfig, checkpoint: Path | None = None) -> tuple[ValueLearner, int]:
    """Train: begin a run, or continue from a checkpoint.

    Returns
    -------
    learner : ValueLearner
        The learner at the end of the run or at a signal.
    status : int
        0, or the exit status for the signal.

    Raises
    ------
    ValueError
        The checkpoint is refused, the folder contains other files, or another run is writing there.
    """
    prepare_cpu()  # before an opponent imports torch
    check_installed("matplotlib")  # for the curve; report a missing package before learning begins
    with claim_folder(user_path(config.folder), checkpoint, overwrite=config.overwrite):
        return _carry_on(config, checkpoint)


def _carry_on(config: ValueConfig, checkpoint: Path | None) -> tuple[ValueLearner, int]:
    """Implement :func:`train` in a folder that this process has claimed."""
    folder = user_path(config.folder)
    with extras_named():
        learner = ValueLearner.begin(config, checkpoint)
    how = f"Continuing at game {learner.games:,}: " if checkpoint else ""
    console.print(
        f"{how}a value learns by self-play, {config.rules.n_players} players, up to "
        f"{config.total_games:,} games, into {folder}/"
    )
    bar = Progress(
        TextColumn("{task.completed:>9,.0f} games"),
        BarColumn(bar_width=None),
        TextColumn("{task.fields[rate]:,.0f}/s  {task.fields[news]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
    )
    total, first, began = config.total_games, learner.games, time.monotonic()
    task = bar.add_task("train", total=total, completed=first, rate=0.0, news="")
    told = began
    with closing(learner), Interruption() as stop:
        times = Times(folder, checkpoint, learner.games)
        # Written before the first checkpoint, so that even a killed run never lacks one.
        if checkpoint is None or not (folder / ORIGIN).exists():
            called = Path(sys.argv[0])
            is_script = called.parent.name == "scripts" and called.suffix == ".py"
            words = ["python", f"scripts/{called.name}"] if is_script else ["carc-env"]
            write_origin(folder, shlex.join([*words, *sys.argv[1:]]), commit(), machine())
        _save(learner)
        if not learner.curve:
            learner.save(folder / BEST)
        write_settings(folder, config.to_dict())
        with bar:
            while not (learner.is_done or stop.wanted):
                before = learner.games
                row = learner.update()
                now = time.monotonic()
                rate = (learner.games - first) / (now - began)
                news = f"error {row['error']:.1f} points" if "error" in row else ""
                bar.update(task, completed=learner.games, rate=rate, news=news)
                if not console.is_terminal and rate > 0 and now > told + SECONDS_BETWEEN_LINES:
                    told, left = now, (total - learner.games) / rate
                    line = f"{learner.games:>9,} games  {rate:,.0f}/s  {news}  {left:,.0f} s left"
                    console.print(line)
                _write_what_is_due(learner, row, before, times)
        if learner.curve:
            times.note(learner.games, learner.processor_seconds)
        _save(learner)
        write_curve(folder, learner.curve)
    seconds = time.monotonic() - began
    console.print(
        f"{'Interrupted' if stop.wanted else 'Done'} at game {learner.games:,} after "
        f"{seconds:.0f} s ({(learner.games - first) / max(seconds, 1e-9):,.0f} games/s)."
    )
    return learner, stop.status


def _save(learner: ValueLearner) -> None:
    """Write the run's current state; the checkpoint matches the curve."""
    folder = user_path(learner.config.folder)
    learner.save(folder / LATEST)
    write_csv(folder / CURVE, learner.curve)
    replace_file(folder / VALUE, learner.packed())


def _write_what_is_due(learner: ValueLearner, row: Row, before: int, times: Times) -> None:
    """Print and write what is due after an update.

    The time is written first; otherwise a kill could lose the time of a checkpoint.
    """
    folder = user_path(learner.config.folder)
    is_due = passed(learner.config.checkpoint_every, before, learner.games)
    if is_due or rivals_in(row):
        times.note(learner.games, learner.processor_seconds)
    if rivals_in(row):
        console.print(f"{learner.games:>9,} games  {evaluated_in(row)}")
        write_curve(folder, learner.curve)
        if is_best(learner.curve):
            learner.save(folder / BEST)
    if is_due:
        _save(learner)


def settings_of(source: Path, arguments: list[str]) -> ValueConfig:
    """Return settings from a file (a name or path), with command-line changes.

    Raises
    ------
    ValueError, OSError
        The file or an argument is refused.
    """
    if source.suffix == SUFFIX:
        config = ValueConfig.saved(source, read_checkpoint(source)[0])
    else:
        config = ValueConfig.read(settings_file(source))
    config, arguments = with_game(config, arguments)
    with _LAYOUTS:
        return tyro.cli(
            ValueConfig,
            default=config,
            args=arguments,
            prog=f"{PROGRAM} {source}",
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    arguments = [*(sys.argv[1:] if arguments is None else arguments)]
    if not arguments or arguments[0].startswith("-"):
        console.print(described(__doc__ or ""), markup=False)
        named = f"Settings that come with the package: {', '.join(settings_of_the_package())}."
        console.print(named, soft_wrap=False)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    source = user_path(arguments[0])
    checkpoint = source if source.suffix == SUFFIX else None
    try:
        config = settings_of(source, arguments[1:])
        learner, status = train(config, checkpoint)
    except (ValueError, OSError, ImportError) as error:
        console.print(f"error: {error}", markup=False)
        return 1
    folder = user_path(config.folder)
    console.print("What to look at next:")
    console.print(f"  {folder / PICTURE}")
    console.print(f"  carc-env evaluate value:weights={folder / VALUE} greedy --games 400")
    if not learner.is_done:
        console.print(f"  {PROGRAM} {folder / LATEST}   to continue")
    return status
