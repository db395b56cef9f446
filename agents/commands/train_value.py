"""Learn a value from self-play: tables, no network, no torch; two minutes beat greedy.

    carc-env train value value-base               begin a run
    carc-env train value value-base --rules all --total-games 50000
    carc-env train value runs/value-base/latest.ckpt           go on with a run
    carc-env train value value-base --ray --address HOST:PORT
    carc-env train value value-base --help        all settings

Every setting of the YAML file is also an option of the command line. ``--rules`` takes a preset or
YAML in place of all rules of the file; with ``--ray``, Ray plays the games, on this machine or on
the cluster at ``--address``. The folder of the run receives ``value.npz``, which plays as
``value:weights=.../value.npz`` wherever agents are named, ``latest.ckpt``, ``config.yaml``,
``curve.csv`` and ``curve.png``. Ctrl-C or SIGTERM ends the run after the round of games in
progress, with a checkpoint from which it continues exactly.
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
from .training import Script, carry_out_anywhere


def begin_on_cluster(config: ValueConfig, checkpoint: Path | None) -> ValueLearner:
    """Begin, or continue from a checkpoint, with games that Ray plays."""
    from ..cluster import ClusterGames

    return ValueLearner.begin(config, checkpoint, ClusterGames(config.rules, config.evaluation))


def intro(learner: ValueLearner) -> str:
    """Return a description of the training."""
    config = learner.config
    return (
        f"a value learns by self-play, {config.rules.n_players} players, up to "
        f"{config.total_games:,} games"
    )


def news(row: Row) -> str:
    """Return the error of the values."""
    return f"error {row['error']:.1f} points" if "error" in row else ""


def write(learner: ValueLearner, folder: Path) -> None:
    """Write the current weights."""
    replace_file(folder / VALUE, learner.packed())


def hints(folder: Path) -> tuple[str, ...]:
    """What to do next."""
    return (f"carc-env evaluate value:weights={folder / VALUE} greedy --games 400",)


def script(on_cluster: bool = False) -> Script[Any]:
    """Return what differs from other training scripts."""
    return Script(
        program="carc-env train value",
        settings=ValueConfig,
        begin=begin_on_cluster if on_cluster else ValueLearner.begin,
        intro=intro,
        news=news,
        write=write,
        hints=hints,
    )


train = partial(training.train, script())
main = partial(carry_out_anywhere, script, __doc__)
