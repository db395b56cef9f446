"""Train a network with PPO (sb3-contrib's MaskablePPO).

    carc-env train maskable-ppo base-light                 begin a run
    carc-env train maskable-ppo base-light --seed 3 --rules.view 24
    carc-env train maskable-ppo base-light --rules all --rules.view 26
    carc-env train maskable-ppo base-light --init runs/mine/latest.ckpt
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
from typing import Any

from ..config import TrainConfig
from ..curve import Row
from . import training
from .training import Script, carry_out


def news(_: object, row: Row) -> str:
    """Return the results of the latest training games, as text."""
    if "score" not in row:
        return "no game over yet"
    return f"points {row['score']:.0f}:{row['rival_score']:.0f}  wins {row['win_rate']:.0%}"


SCRIPT: Script[Any] = Script(
    program="carc-env train maskable-ppo",
    settings=TrainConfig,
    learner="learner:Learner",
    learns=lambda config: (
        f"learns against {', '.join(config.opponents)}, {config.rules.n_players} players"
    ),
    news=news,
)

train = partial(training.train, SCRIPT)
main = partial(carry_out, SCRIPT, __doc__)
