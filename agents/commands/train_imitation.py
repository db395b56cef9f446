"""Train a network to imitate a teacher, on data of ``make_dataset.py``.

    python scripts/make_dataset.py data/base --games 7000   first, make the data
    carc-env train imitation imitation-base       begin a run
    carc-env train imitation imitation-base --data data/a data/b
    carc-env train imitation runs/imitation-base/latest.ckpt   continue a run
    carc-env train imitation imitation-base --help   all settings

The folder of the run receives ``latest.ckpt``, ``config.yaml``, ``curve.csv`` and ``curve.png``.
You can use the checkpoint wherever an agent is expected, and ``carc-env train maskable-ppo`` can
begin with it. Ctrl-C or SIGTERM ends the run after the update in progress, with a checkpoint from
which it continues exactly.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..config import ImitationConfig
from ..curve import Row
from . import training
from .training import Script, carry_out, console

if TYPE_CHECKING:
    from ..imitation import ImitationLearner


def begin(config: ImitationConfig, checkpoint: Path | None) -> ImitationLearner:
    """Begin a run, or continue from a checkpoint."""
    console.print("Loading torch ...")
    from ..imitation import ImitationLearner

    return ImitationLearner.begin(config, checkpoint)


def intro(learner: ImitationLearner) -> str:
    """Return a description of the training."""
    config = learner.config
    return (
        f"a {config.network.extractor!r} network ({learner.n_parameters:,} parameters) imitates "
        f"what is in {', '.join(config.data)}, up to {config.total_steps:,} steps"
    )


def news(row: Row) -> str:
    """Return how well the network imitates, as text."""
    if "loss" not in row:
        return ""
    return (
        f"loss {row['loss']:.3f}  agrees {row['agreement']:.1%}  margin within {row['error']:.1f}"
    )


SCRIPT: Script[Any] = Script(
    program="carc-env train imitation",
    settings=ImitationConfig,
    begin=begin,
    intro=intro,
    news=news,
)

train = partial(training.train, SCRIPT)
main = partial(carry_out, SCRIPT, __doc__)
