"""Train a network with PPO (sb3-contrib's MaskablePPO).

    python scripts/train_ppo.py configs/base-light.yaml                 begin a run
    python scripts/train_ppo.py configs/base-light.yaml --seed 3 --rules.view 24
    python scripts/train_ppo.py configs/base-light.yaml --rules all --rules.view 26
    python scripts/train_ppo.py runs/base-light/latest.ckpt             go on with a run
    python scripts/train_ppo.py configs/base-light.yaml --help          all settings

Every setting of the YAML file can be given on the command line. ``--rules`` takes a preset or YAML
in place of all rules of the file; ``--rules.view`` and the like change single ones. The folder of
the run receives ``latest.ckpt``, ``config.yaml``, ``curve.csv``, ``curve.png`` and TensorBoard
logs. Ctrl-C or SIGTERM ends the run after the update in progress, with a checkpoint that goes on as
if nothing had happened.
"""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are loaded

import tyro
from carc_env.agents.checkpoint import SUFFIX, read_checkpoint
from carc_env.agents.config import TrainConfig, saved_config
from carc_env.agents.cpu import prepare_cpu
from carc_env.agents.curve import Row, evaluated_in, write_csv
from carc_env.agents.interrupt import Interruption, end_quietly
from carc_env.agents.run_folder import (
    CURVE,
    LATEST,
    PICTURE,
    TENSORBOARD,
    claim_folder,
    write_curve,
    write_settings,
)
from carc_env.agents.settings import with_rules
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from carc_env.agents.learner import Learner

console = Console(highlight=False, soft_wrap=True)


def train(config: TrainConfig, checkpoint: Path | None = None) -> tuple[Learner, int]:
    """Begin a run, or go on from a checkpoint.

    Returns
    -------
    learner : Learner
        What has been learned, up to a signal if there was one.
    status : int
        0, or the exit status for the signal.

    Raises
    ------
    ValueError
        The checkpoint is refused, or the folder holds other files.
    """
    folder = Path(config.folder)
    claim_folder(folder, checkpoint, overwrite=config.overwrite)
    prepare_cpu()
    console.print("Loading torch ...")
    from carc_env.agents.learner import Learner  # imports torch, after the settings for it

    bar = _progress_bar()
    task = bar.add_task("train", total=config.total_steps, fps=0.0, news="")
    options = {"tensorboard": folder / TENSORBOARD, "on_steps": lambda n: bar.advance(task, n)}
    if checkpoint is None:
        learner = Learner(config, **options)
    else:
        learner = Learner.resume(checkpoint, config, **options)
    console.print(
        f"{'Training' if checkpoint is None else f'Going on at step {learner.steps:,} with'} "
        f"a {config.network.extractor!r} network ({learner.n_parameters:,} parameters) against "
        f"{', '.join(config.opponents)}, {config.rules.n_players} players, up to "
        f"{config.total_steps:,} steps, into {folder}/"
    )
    bar.update(task, completed=learner.steps)
    first, started = learner.steps, time.monotonic()
    with Interruption() as stop:
        _begin_files(learner)
        with bar:
            while not (learner.is_done or stop.wanted):
                row = _update(learner)
                fps = (learner.steps - first) / (time.monotonic() - started)
                bar.update(task, fps=fps, news=_news(row))
        _end_files(learner)
    seconds = time.monotonic() - started
    console.print(
        f"{'Interrupted' if stop.wanted else 'Done'} at step {learner.steps:,} after "
        f"{seconds:.0f} s ({(learner.steps - first) / max(seconds, 1e-9):,.0f} steps/s)."
    )
    return learner, stop.status


def _progress_bar() -> Progress:
    return Progress(
        TextColumn("{task.completed:>9,.0f} steps"),
        BarColumn(bar_width=None),
        TextColumn("{task.fields[fps]:,.0f}/s  {task.fields[news]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
    )


def _begin_files(learner: Learner) -> None:
    """Write what makes the folder one of this run, so that it can be gone on with from here on."""
    folder = Path(learner.config.folder)
    learner.save(folder / LATEST)
    write_settings(folder, learner.config.to_dict())


def _update(learner: Learner) -> Row:
    """Do an update, and write and tell what is due behind it."""
    config, folder, before = learner.config, Path(learner.config.folder), learner.steps
    row = learner.update()
    if evaluated := evaluated_in(row):
        console.print(f"{learner.steps:>9,} steps  {evaluated}")
        write_csv(folder / CURVE, learner.curve)
    if learner.passed(config.checkpoint_every, before):
        learner.save(folder / LATEST)
        if config.keep_checkpoints:
            learner.save(folder / f"step-{learner.steps:09d}{SUFFIX}")
    return row


def _end_files(learner: Learner) -> None:
    """Write everything as it is now."""
    folder = Path(learner.config.folder)
    learner.save(folder / LATEST)
    learner.close()
    write_curve(folder, learner.curve)


def _news(row: Row) -> str:
    """How the last training games went."""
    if "score" not in row:
        return "no game over yet"
    return f"points {row['score']:.0f}:{row['rival_score']:.0f}  wins {row['win_rate']:.0%}"


def main(arguments: list[str]) -> int:
    """Run the command line; returns the exit status."""
    if not arguments or arguments[0].startswith("-"):
        console.print(__doc__, markup=False)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    source = Path(arguments[0])
    try:
        is_checkpoint = source.suffix == SUFFIX
        if is_checkpoint:
            config = saved_config(source, read_checkpoint(source)[0])
        else:
            config = TrainConfig.read(source)
        config, others = with_rules(config, arguments[1:])
        config = tyro.cli(
            TrainConfig,
            default=config,
            args=others,
            prog=f"train_ppo.py {source}",
            description="All settings. --rules takes a preset or YAML in place of all rules.",
        )
        learner, status = train(config, source if is_checkpoint else None)
    except (ValueError, OSError) as error:
        console.print(f"error: {error}", markup=False)
        return 1
    folder = Path(config.folder)
    console.print("What to look at next:")
    console.print(f"  {folder / PICTURE}  and  tensorboard --logdir {folder / TENSORBOARD}")
    console.print(f"  python scripts/evaluate.py {folder / LATEST} greedy --games 600")
    if not learner.is_done:
        console.print(f"  python scripts/train_ppo.py {folder / LATEST}   to go on")
    return status


if __name__ == "__main__":
    end_quietly()
    sys.exit(main(sys.argv[1:]))
