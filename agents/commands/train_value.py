"""Learn a value function from self-play: tables, no network, no torch; beats greedy in two minutes.

    carc-env train value value-base               begin a run
    carc-env train value value-base --rules all --total-games 50000
    carc-env train value runs/value-base/latest.ckpt           continue a run
    carc-env train value value-base --help        all settings

Every setting in the YAML file is also a command-line option. ``--rules`` takes a preset or YAML and
replaces all of the file's rules. With ``--ray``, Ray plays the games, on this machine or on the
cluster at ``--address``. The folder of the run receives ``value.npz``, ``latest.ckpt``,
``config.yaml``, ``curve.csv`` and ``curve.png``. Wherever an agent is expected,
``value:weights=.../value.npz`` plays with the weights. Ctrl-C or SIGTERM ends the run after the
round of games in progress, with a checkpoint from which it continues exactly.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from carc_env.game.records import replace_file

from ..curve import Row
from ..value_config import ValueConfig
from ..value_learner import VALUE, ValueLearner
from . import training
from .training import Script, carry_out


def news(_: object, row: Row) -> str:
    """Return the values' error, as text."""
    return f"error {row['error']:.1f} points" if "error" in row else ""


def write(learner: ValueLearner, folder: Path) -> None:
    """Write the current weights."""
    replace_file(folder / VALUE, learner.packed())


SCRIPT: Script[Any] = Script(
    program="carc-env train value",
    settings=ValueConfig,
    learner="value_learner:ValueLearner",
    learns=lambda config: f"learns by self-play, {config.rules.n_players} players",
    news=news,
    write=write,
    hints=lambda folder: (f"carc-env evaluate value:weights={folder / VALUE} greedy --games 400",),
)

train = partial(training.train, SCRIPT)
main = partial(carry_out, SCRIPT, __doc__)
