"""Learn a value from self-play: tables, no network, no torch; two minutes beat greedy.

    carc-env train value value-base               begin a run
    carc-env train value value-base --rules all --total-games 50000
    carc-env train value runs/value-base/latest.ckpt           go on with a run
    carc-env train value value-base --ray --address HOST:PORT
    carc-env train value value-base --help        all settings

Every setting of the YAML file can be given on the command line. ``--rules`` takes a preset or YAML
in place of all rules of the file; ``--ray`` has the games played by Ray, on this machine or on the
cluster at ``--address``. The folder of the run receives ``value.npz``, which plays as
``value:weights=.../value.npz`` wherever agents are named, ``latest.ckpt``, ``config.yaml``,
``curve.csv`` and ``curve.png``. Ctrl-C or SIGTERM ends the run after the round of games in
progress, with a checkpoint that goes on as if nothing had happened.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from carc_env.game.records import replace_file

from ..curve import Row
from ..value_learner import VALUE, ValueConfig, ValueLearner, saved_config
from . import training
from .program import program
from .training import Script, carry_out, console


def begin(config: ValueConfig, checkpoint: Path | None, *, on_cluster: bool) -> ValueLearner:
    """Begin, or go on from a checkpoint."""
    games = None
    if on_cluster:
        from ..cluster import ClusterGames

        games = ClusterGames(config.rules)
    if checkpoint is None:
        return ValueLearner(config, games)
    return ValueLearner.resume(checkpoint, config, games)


def intro(learner: ValueLearner) -> str:
    """What is trained."""
    config = learner.config
    return (
        f"a value learns by self-play, {config.rules.n_players} players, up to "
        f"{config.total_games:,} games"
    )


def news(row: Row) -> str:
    """How far off the values are."""
    return f"error {row['error']:.1f} points" if "error" in row else ""


def write(learner: ValueLearner, folder: Path) -> None:
    """Write the weights as they are now."""
    replace_file(folder / VALUE, learner.packed())


def hints(folder: Path) -> tuple[str, ...]:
    """What to do next."""
    return (f"{program('evaluate')} value:weights={folder / VALUE} greedy --games 400",)


def script(*, on_cluster: bool = False) -> Script[Any]:
    """What is different from other trainings."""
    return Script(
        name="train_value.py",
        settings=ValueConfig,
        saved=saved_config,
        begin=partial(begin, on_cluster=on_cluster),
        intro=intro,
        news=news,
        total=lambda config: config.total_games,
        unit="games",
        write=write,
        hints=hints,
    )


train = partial(training.train, script())


def main(arguments: list[str]) -> int:
    """Run the command line; returns the exit status."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--ray", action="store_true")
    parser.add_argument("--address")
    given, others = parser.parse_known_args(arguments)
    if not given.ray:
        return carry_out(script(), __doc__, others)
    try:
        from ..cluster import connected

        with connected(given.address):
            return carry_out(script(on_cluster=True), __doc__, others)
    except (ValueError, OSError, ImportError) as error:
        console.print(f"error: {error}", markup=False)
        return 1
