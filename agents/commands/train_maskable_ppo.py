"""Train a network with PPO (sb3-contrib's MaskablePPO).

    carc-env train maskable-ppo base-light                 begin a run
    carc-env train maskable-ppo base-light --seed 3 --rules.view 24
    carc-env train maskable-ppo base-light --rules all --rules.view 26
    carc-env train maskable-ppo base-warm --init runs/imitation-base/latest.ckpt
    carc-env train maskable-ppo runs/base-light/latest.ckpt       continue
    carc-env train maskable-ppo base-light --help          all settings

Every setting in the YAML file is also a command-line option. ``--rules`` takes a preset or YAML and
replaces all of the file's rules; options such as ``--rules.view`` change single rules. The folder
of the run receives ``latest.ckpt``, ``best.ckpt``, ``config.yaml``, ``curve.csv``, ``curve.png``
and logs for TensorBoard. Ctrl-C or SIGTERM ends the run after the update in progress, with a
checkpoint from which it continues exactly.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..config import TrainConfig
from ..curve import Row
from . import training
from .training import Script, carry_out, console

if TYPE_CHECKING:
    from ..learner import Learner


def begin(config: TrainConfig, checkpoint: Path | None) -> Learner:
    """Begin a run, or continue from a checkpoint."""
    console.print("Loading torch ...")
    from ..learner import Learner  # imports torch, which must follow prepare_cpu

    return Learner.begin(config, checkpoint)


def intro(learner: Learner) -> str:
    """Return a description of the training."""
    config = learner.config
    return (
        f"a {config.network.extractor!r} network ({learner.n_parameters:,} parameters) learns "
        f"against {', '.join(config.opponents)}, {config.rules.n_players} players, up to "
        f"{config.total_steps:,} steps"
    )


def news(row: Row) -> str:
    """Return the results of the latest training games, as text."""
    if "score" not in row:
        return "no game over yet"
    return f"points {row['score']:.0f}:{row['rival_score']:.0f}  wins {row['win_rate']:.0%}"


SCRIPT: Script[Any] = Script(
    program="carc-env train maskable-ppo",
    settings=TrainConfig,
    begin=begin,
    intro=intro,
    news=news,
)

train = partial(training.train, SCRIPT)
main = partial(carry_out, SCRIPT, __doc__)
