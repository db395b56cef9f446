"""Learn from the network's own searches, in the manner of AlphaZero: search, learn, pass a gate.

    carc-env train zero zero-base               begin a run
    carc-env train zero zero-base --sims 32 --init runs/zero-hour/best.ckpt
    carc-env train zero runs/zero-base/latest.ckpt           continue a run
    carc-env train zero zero-base --workers 4 --n-envs 8
    carc-env train zero zero-base --ray --address HOST:PORT
    carc-env train zero zero-base --help        all settings

Every setting in the YAML file is also a command-line option. With ``--workers``, processes on this
machine play the games; with ``--ray``, Ray plays them, here or on the cluster at ``--address``. The
folder of the run receives ``latest.ckpt``, ``best.ckpt``, ``config.yaml``, ``curve.csv`` and
``curve.png``. You can use the checkpoints wherever an agent is expected;
``zero:checkpoint=.../best.ckpt`` adds the search. Ctrl-C or SIGTERM ends the run after the search
in progress, with a checkpoint from which it continues exactly.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ..config import ZeroConfig
from ..curve import Row
from ..run_folder import BEST
from . import training
from .training import Script, carry_out_anywhere


def on_cluster(config: ZeroConfig) -> object:
    """Return what plays the games on a cluster."""
    from ..zero import GamesOnCluster

    if config.workers > 1:
        raise ValueError("workers are processes of this machine: leave them out with --ray")
    return GamesOnCluster(config.threads)


def news(learner: Any, row: Row) -> str:
    """Return how well the network matches the searches, and the gate's result, as text."""
    words = []
    if "loss" in row:
        words = [f"loss {row['loss']:.3f}  agrees {row['agreement']:.1%}"]
        words += [f"margin {row['error']:.1f}"]
        if "accepted" in row:
            is_in = "let in" if row["accepted"] else "rejected by the gate"
            words += [f"{is_in} with {row['accepted_rate']:.1%}"]
    return "  ".join(filter(None, (*words, learner.speed.words())))


SCRIPT: Script[Any] = Script(
    program="carc-env train zero",
    settings=ZeroConfig,
    learner="zero:ZeroLearner",
    learns=lambda config: f"learns from searches of {config.sims} simulations",
    news=news,
    hints=lambda folder: (
        f"carc-env evaluate {folder / BEST} greedy --games 400",
        f"carc-env evaluate zero:checkpoint={folder / BEST} greedy --games 100",
    ),
)

train = partial(training.train, SCRIPT)
main = partial(carry_out_anywhere, SCRIPT, on_cluster, __doc__)
