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
from typing import Any

from ..config import ImitationConfig
from ..curve import Row
from . import training
from .training import Script, carry_out


def news(_: object, row: Row) -> str:
    """Return how well the network imitates, as text."""
    if "loss" not in row:
        return ""
    return (
        f"loss {row['loss']:.3f}  agrees {row['agreement']:.1%}  margin within {row['error']:.1f}"
    )


SCRIPT: Script[Any] = Script(
    program="carc-env train imitation",
    settings=ImitationConfig,
    learner="imitation:ImitationLearner",
    learns=lambda config: f"imitates what is in {', '.join(config.data)}",
    news=news,
)

train = partial(training.train, SCRIPT)
main = partial(carry_out, SCRIPT, __doc__)
