"""Train a network by self-play with RLlib's PPO, its games played by workers on a Ray cluster.

    python scripts/train_rllib.py --workers 2                           a Ray on this machine
    python scripts/train_rllib.py --address 10.0.0.1:6379 --workers 40  a cluster
    python scripts/train_rllib.py --rules "{n_players: 3, view: 20}" --network.channels 32
    python scripts/train_rllib.py runs/rllib/latest.ckpt --iterations 200   go on with a run
    python scripts/train_rllib.py --help                                all settings

Needs the extra ``ray``. The folder of the run receives ``latest.ckpt``, which scripts/evaluate.py
plays, and ``curve.csv``, both after every iteration. A worker that dies is replaced. Ctrl-C or
SIGTERM ends the run after the iteration in progress.
"""

from __future__ import annotations

import logging
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are loaded

import tyro
from carc_env.agents.cluster import connected
from carc_env.agents.cpu import prepare_cpu
from carc_env.agents.curve import Row, rivals_in, write_csv
from carc_env.agents.interrupt import Interruption, end_quietly
from carc_env.agents.run_folder import CURVE, LATEST, claim_folder
from rich.console import Console

if TYPE_CHECKING:
    from carc_env.agents.rllib import RllibConfig

console = Console(highlight=False, soft_wrap=True)


def train(config: RllibConfig, checkpoint: Path | None = None) -> int:
    """Begin a run, or go on from a checkpoint, on the cluster at ``config.address``.

    Returns 0, or the exit status for the signal that ended it.

    Raises
    ------
    ValueError, ConnectionError
        The checkpoint is refused, the folder holds another run, or there is no such cluster.
    """
    from carc_env.agents.rllib import RllibLearner

    folder = Path(config.folder)
    claim_folder(folder, checkpoint, overwrite=config.overwrite)
    logging.getLogger("ray.rllib").setLevel(logging.ERROR)
    console.print(f"Connecting to {config.address or 'a Ray on this machine'} ...")
    with connected(config.address, n_cpus=config.workers), Interruption() as stop:
        console.print(f"Starting {config.workers} workers ...")
        if checkpoint is None:
            learner = RllibLearner(config)
        else:
            learner = RllibLearner.resume(checkpoint, config)
        while learner.iteration < config.iterations and not stop.wanted:
            before, started = learner.steps, time.monotonic()
            row = learner.update()
            fps = (learner.steps - before) / (time.monotonic() - started)
            console.print(f"{learner.iteration:>5}/{config.iterations}  {_news(row, fps)}")
            learner.save(folder / LATEST)
            write_csv(folder / CURVE, learner.curve)
        learner.close()
    console.print(
        f"{'Interrupted' if stop.wanted else 'Done'} after iteration {learner.iteration}."
    )
    return stop.status


def _news(row: Row, fps: float) -> str:
    """A row for people."""
    parts = [f"{row['steps']:>11,.0f} steps {fps:>7,.0f}/s", f"{row['workers']:.0f} workers"]
    if "score" in row:
        parts.append(f"points {row['score']:.0f}, winners {row['best_score']:.0f}")
    for agent in rivals_in(row):
        parts.append(
            f"[bold]against {agent}: wins {row[f'{agent} win_rate']:.0%}, points "
            f"{row[f'{agent} score']:.0f}:{row[f'{agent} rival_score']:.0f}[/bold]"
        )
    return "  ".join(parts)


def main(arguments: list[str]) -> int:
    """Run the command line; returns the exit status."""
    prepare_cpu()
    source = Path(arguments.pop(0)) if arguments and not arguments[0].startswith("-") else None
    try:
        from carc_env.agents.rllib import RllibConfig  # imports torch, after the settings for it

        default = RllibConfig() if source is None else RllibConfig.of_checkpoint(source)
        config = tyro.cli(RllibConfig, default=default, args=arguments, description=__doc__)
        status = train(config, source)
    except ImportError as error:
        console.print(
            f"error: {error}; RLlib comes with: pip install 'carc_env[ray]'", markup=False
        )
        return 1
    except (ValueError, OSError) as error:
        console.print(f"error: {error}", markup=False)
        return 1
    latest = Path(config.folder) / LATEST
    if not latest.exists():
        return status  # interrupted before the first iteration
    console.print("What to look at next:")
    console.print(f"  python scripts/evaluate.py {latest} greedy --games 600 --ray")
    console.print(f"  python scripts/train_rllib.py {latest} --iterations N   to go on")
    return status


if __name__ == "__main__":
    end_quietly()
    sys.exit(main(sys.argv[1:]))
