"""Learn a value from self-play: tables, no network, no torch; two minutes beat greedy.

    python scripts/train_value.py configs/value-base.yaml               begin a run
    python scripts/train_value.py configs/value-base.yaml --rules all --total-games 50000
    python scripts/train_value.py runs/value-base/latest.ckpt           go on with a run
    python scripts/train_value.py configs/value-base.yaml --ray --address HOST:PORT
    python scripts/train_value.py configs/value-base.yaml --help        all settings

Every setting of the YAML file can be given on the command line. ``--rules`` takes a preset or YAML
in place of all rules of the file; ``--ray`` has the games played by Ray, on this machine or on the
cluster at ``--address``. The folder of the run receives ``value.npz``, which plays as
``value:weights=.../value.npz`` wherever agents are named, ``latest.ckpt``, ``config.yaml``,
``curve.csv`` and ``curve.png``. Ctrl-C or SIGTERM ends the run after the round of games in
progress, with a checkpoint that goes on as if nothing had happened.
"""

from __future__ import annotations

import argparse
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are loaded

import training
from carc_env.agents.curve import Row
from carc_env.agents.interrupt import end_quietly
from carc_env.agents.value_learner import VALUE, ValueConfig, ValueLearner, saved_config
from training import Script, carry_out, console

from carc_env.game.records import replace_file


def begin(config: ValueConfig, checkpoint: Path | None, *, on_cluster: bool) -> ValueLearner:
    """Begin, or go on from a checkpoint."""
    games = None
    if on_cluster:
        from carc_env.agents.cluster import ClusterGames

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
    return (f"python scripts/evaluate.py value:weights={folder / VALUE} greedy --games 400",)


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
        from carc_env.agents.cluster import connected

        with connected(given.address):
            return carry_out(script(on_cluster=True), __doc__, others)
    except (ValueError, OSError, ImportError) as error:
        console.print(f"error: {error}", markup=False)
        return 1


if __name__ == "__main__":
    end_quietly()
    sys.exit(main(sys.argv[1:]))
