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
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..config import ZeroConfig
from ..curve import Row
from ..run_folder import BEST
from . import training
from .training import Script, carry_out_anywhere, console

if TYPE_CHECKING:
    from ..zero import ZeroLearner


def begin(config: ZeroConfig, checkpoint: Path | None, *, on_cluster: bool) -> ZeroLearner:
    """Begin a run, or continue from a checkpoint."""
    console.print("Loading torch ...")
    from ..zero import GamesOnCluster, ZeroLearner

    if on_cluster and config.workers > 1:
        raise ValueError("workers are processes of this machine: leave them out with --ray")
    games = GamesOnCluster(config.threads) if on_cluster else None
    return ZeroLearner.begin(config, checkpoint, games)


def intro(learner: ZeroLearner) -> str:
    """Return a description of the training."""
    config = learner.config
    return (
        f"a {config.network.extractor!r} network ({learner.n_parameters:,} parameters) learns from "
        f"searches of {config.sims} simulations, up to {config.total_steps:,} steps"
    )


def news(row: Row) -> str:
    """Return how well the network matches the searches, and the gate's result, as text."""
    if "loss" not in row:
        return ""
    words = f"loss {row['loss']:.3f}  agrees {row['agreement']:.1%}  margin {row['error']:.1f}"
    if "accepted" in row:
        is_in = "let in" if row["accepted"] else "rejected by the gate"
        words += f"  {is_in} with {row['accepted_rate']:.1%}"
    return words


def hints(folder: Path) -> tuple[str, ...]:
    """Return the next commands to try."""
    return (
        f"carc-env evaluate {folder / BEST} greedy --games 400",
        f"carc-env evaluate zero:checkpoint={folder / BEST} greedy --games 100",
    )


def script(on_cluster: bool = False) -> Script[Any]:
    """Return the specific parts of this training script."""
    began: list[ZeroLearner] = []

    def begin_it(config: ZeroConfig, checkpoint: Path | None) -> ZeroLearner:
        began[:] = [begin(config, checkpoint, on_cluster=on_cluster)]
        return began[0]

    return Script(
        program="carc-env train zero",
        settings=ZeroConfig,
        begin=begin_it,
        intro=intro,
        news=lambda row: "  ".join(filter(None, (news(row), began[0].speed.words()))),
        hints=hints,
    )


train = partial(training.train, script())
main = partial(carry_out_anywhere, script, __doc__)
