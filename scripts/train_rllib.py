"""Train a network by self-play with RLlib's PPO; workers on a Ray cluster play the games.

    python scripts/train_rllib.py --workers 2                           a local Ray
    python scripts/train_rllib.py --address 10.0.0.1:6379 --workers 40 --n-envs 640    a cluster
    python scripts/train_rllib.py --rules "{n_players: 3, view: 20}" --network.channels 32
    python scripts/train_rllib.py runs/rllib/latest.ckpt --total-steps 800000   continue a run
    python scripts/train_rllib.py --help                                all settings

Requires the ``ray`` extra. The folder of the run receives ``latest.ckpt``, which ``carc-env
evaluate`` can play, ``best.ckpt``, ``config.yaml``, ``curve.csv``, ``curve.png`` and, if
TensorBoard is installed, its logs. Workers that die are replaced. Ctrl-C or SIGTERM ends the run
after the update in progress, with a checkpoint from which it continues with new games.
"""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are being imported

from carc_env.agents.cluster import connected
from carc_env.agents.commands import training
from carc_env.agents.commands.training import Script, carry_out, console
from carc_env.agents.cpu import prepare_cpu
from carc_env.agents.interrupt import end_quietly

from carc_env.extras import extras_named

if TYPE_CHECKING:
    from carc_env.agents.rllib import RllibConfig


@contextmanager
def cluster_of(config: RllibConfig) -> Iterator[None]:
    """Connect to the Ray given in the settings, for the duration of a run."""
    logging.getLogger("ray.rllib").setLevel(logging.ERROR)
    console.print(f"Connecting to {config.address or 'a Ray on this machine'} ...")
    with connected(config.address or None, n_cpus=config.workers):
        console.print(f"Starting {config.workers} workers ...")
        yield


def script() -> Script[Any]:
    """Return the specific parts of this training script; imports torch and Ray."""
    from carc_env.agents.rllib import NAME, RllibConfig, RllibLearner

    return Script(
        program=f"python scripts/{NAME}",
        settings=RllibConfig,
        begin=RllibLearner.begin,
        intro=training.who_learns,
        news=training.numbers_in,
        needs_file=False,
        around=cluster_of,
    )


def main(arguments: list[str]) -> int:
    """Run the command line; return the exit status."""
    prepare_cpu()
    try:
        with extras_named():
            own = script()
    except ImportError as error:
        console.print(f"error: {error}", markup=False)
        return 1
    return carry_out(own, __doc__, arguments)


if __name__ == "__main__":
    end_quietly()
    sys.exit(main(sys.argv[1:]))
