"""Train a network to do what a teacher would, from a data set that ``make_dataset.py`` wrote.

    python scripts/make_dataset.py data/base --games 7000               first the data
    python scripts/train_imitation.py configs/imitation-base.yaml       begin a run
    python scripts/train_imitation.py configs/imitation-base.yaml --data data/a data/b
    python scripts/train_imitation.py runs/imitation-base/latest.ckpt   go on with a run
    python scripts/train_imitation.py configs/imitation-base.yaml --help   all settings

The folder of the run receives ``latest.ckpt``, which plays wherever agents are named and with which
``train_ppo.py`` can begin, ``config.yaml``, ``curve.csv`` and ``curve.png``. Ctrl-C or SIGTERM ends
the run after the update in progress, with a checkpoint that goes on as if nothing had happened.
"""

from __future__ import annotations

import signal
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are loaded

import training
from carc_env.agents.config import ImitationConfig, saved_imitation
from carc_env.agents.cpu import prepare_cpu
from carc_env.agents.curve import Row
from carc_env.agents.interrupt import end_quietly
from training import Script, carry_out, console

if TYPE_CHECKING:
    from carc_env.agents.imitation import ImitationLearner


def begin(config: ImitationConfig, checkpoint: Path | None) -> ImitationLearner:
    """Begin, or go on from a checkpoint."""
    prepare_cpu()
    console.print("Loading torch ...")
    from carc_env.agents.imitation import ImitationLearner

    if checkpoint is None:
        return ImitationLearner(config)
    return ImitationLearner.resume(checkpoint, config)


def intro(learner: ImitationLearner) -> str:
    """What is trained."""
    config = learner.config
    return (
        f"a {config.network.extractor!r} network ({learner.n_parameters:,} parameters) imitates "
        f"what is in {', '.join(config.data)}, up to {config.total_steps:,} steps"
    )


def news(row: Row) -> str:
    """How well it imitates."""
    if "loss" not in row:
        return ""
    return (
        f"loss {row['loss']:.3f}  agrees {row['agreement']:.1%}  margin within {row['error']:.1f}"
    )


SCRIPT: Script[Any] = Script(
    name="train_imitation.py",
    settings=ImitationConfig,
    saved=saved_imitation,
    begin=begin,
    intro=intro,
    news=news,
    total=lambda config: config.total_steps,
)

train = partial(training.train, SCRIPT)
main = partial(carry_out, SCRIPT, __doc__)

if __name__ == "__main__":
    end_quietly()
    sys.exit(main(sys.argv[1:]))
