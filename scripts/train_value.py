"""Learn a value from self-play: tables, no network, no torch; two minutes beat greedy.

    python scripts/train_value.py configs/value-base.yaml               begin a run
    python scripts/train_value.py configs/value-base.yaml --rules all --total-games 50000
    python scripts/train_value.py runs/value-base/latest.ckpt           go on with a run
    python scripts/train_value.py configs/value-base.yaml --ray --address HOST:PORT
    python scripts/train_value.py configs/value-base.yaml --help        all settings

Every setting of the YAML file can be given on the command line. ``--rules`` takes a preset or YAML
in place of all rules of the file; ``--ray`` alone uses a Ray of this machine. The folder of the run
receives ``value.npz``, which plays as ``value:weights=.../value.npz`` wherever agents are named,
``latest.ckpt``, ``config.yaml``, ``curve.csv`` and ``curve.png``. Ctrl-C or SIGTERM ends the run
after the round of games in progress, with a checkpoint that goes on as if nothing had happened.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from pathlib import Path

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are loaded

import tyro
from carc_env.agents.checkpoint import SUFFIX, read_checkpoint
from carc_env.agents.curve import Row, evaluated_in, write_csv
from carc_env.agents.interrupt import Interruption, end_quietly
from carc_env.agents.run_folder import (
    CURVE,
    LATEST,
    PICTURE,
    claim_folder,
    write_curve,
    write_settings,
)
from carc_env.agents.settings import with_rules
from carc_env.agents.value_learner import VALUE, Games, ValueConfig, ValueLearner, saved_config
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from carc_env.game.records import replace_file

console = Console(highlight=False, soft_wrap=True)


def train(
    config: ValueConfig, checkpoint: Path | None = None, games: Games | None = None
) -> tuple[ValueLearner, int]:
    """Begin a run, or go on from a checkpoint.

    Returns
    -------
    learner : ValueLearner
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
    if checkpoint is None:
        learner = ValueLearner(config, games)
    else:
        learner = ValueLearner.resume(checkpoint, config, games)
    console.print(
        f"{'Learning' if checkpoint is None else f'Going on at game {learner.games:,} with'} "
        f"a value by self-play, {config.rules.n_players} players, up to "
        f"{config.total_games:,} games, into {folder}/"
    )
    bar = Progress(
        TextColumn("{task.completed:>9,.0f} games"),
        BarColumn(bar_width=None),
        TextColumn("{task.fields[news]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
    )
    task = bar.add_task("train", total=config.total_games, completed=learner.games, news="")
    first, started = learner.games, time.monotonic()
    with Interruption() as stop:
        _write(learner)
        write_settings(folder, config.to_dict())
        with bar:
            while not (learner.is_done or stop.wanted):
                before = learner.games
                row = learner.update()
                bar.update(task, completed=learner.games, news=f"error {row['error']:.1f} points")
                _tell(learner, row)
                if learner.passed(config.checkpoint_every, before):
                    learner.save(folder / LATEST)
        _write(learner)
    learner.close()
    seconds = time.monotonic() - started
    console.print(
        f"{'Interrupted' if stop.wanted else 'Done'} at game {learner.games:,} after "
        f"{seconds:.0f} s ({(learner.games - first) / max(seconds, 1e-9):,.0f} games/s)."
    )
    return learner, stop.status


def _tell(learner: ValueLearner, row: Row) -> None:
    """Print what an evaluation found, and write the curve."""
    if found := evaluated_in(row):
        console.print(f"{learner.games:>9,} games  {found}")
        write_csv(Path(learner.config.folder) / CURVE, learner.curve)


def _write(learner: ValueLearner) -> None:
    """Write everything as it is now."""
    folder = Path(learner.config.folder)
    learner.save(folder / LATEST)
    replace_file(folder / VALUE, learner.packed())
    write_curve(folder, learner.curve)


def main(arguments: list[str]) -> int:
    """Run the command line; returns the exit status."""
    if not arguments or arguments[0].startswith("-"):
        console.print(__doc__, markup=False)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    source = Path(arguments[0])
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--ray", action="store_true")
    parser.add_argument("--address")
    try:
        is_checkpoint = source.suffix == SUFFIX
        if is_checkpoint:
            config = saved_config(source, read_checkpoint(source)[0])
        else:
            config = ValueConfig.read(source)
        given, others = parser.parse_known_args(arguments[1:])
        config, others = with_rules(config, others)
        config = tyro.cli(
            ValueConfig,
            default=config,
            args=others,
            prog=f"train_value.py {source}",
            description="All settings. --rules takes a preset or YAML in place of all rules; "
            "--ray has the games played by Ray, on this machine or on the cluster at --address.",
        )
        checkpoint = source if is_checkpoint else None
        if given.ray:
            from carc_env.agents.cluster import ClusterGames, connected

            with connected(given.address):
                learner, status = train(config, checkpoint, ClusterGames(config.rules))
        else:
            learner, status = train(config, checkpoint)
    except (ValueError, OSError, ImportError) as error:
        console.print(f"error: {error}", markup=False)
        return 1
    folder = Path(config.folder)
    console.print("What to look at next:")
    console.print(f"  {folder / PICTURE}")
    console.print(f"  python scripts/evaluate.py value:weights={folder / VALUE} greedy --games 400")
    if not learner.is_done:
        console.print(f"  python scripts/train_value.py {folder / LATEST}   to go on")
    return status


if __name__ == "__main__":
    end_quietly()
    sys.exit(main(sys.argv[1:]))
