"""Check data sets of games, or export them for other libraries.

    carc-env data check data/base           compare it with its checksums
    carc-env data minari data/base base-v0  export it, an episode per seat

docs/data.md describes data sets.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import gymnasium
import numpy as np
import tyro

import carc_env
from carc_env.arguments import UserPath
from carc_env.choices import check_choice
from carc_env.envs.rewards import Reward
from carc_env.extras import check_installed
from carc_env.layout.actions import action_layout
from carc_env.layout.encodings import ENCODINGS, make_encoding
from carc_env.plain_json import read_json

from ..dataset import CHECKSUMS, Dataset, Split, checksums_of, read_games, read_meta
from ..positions import Episode, Positions
from .program import read_subcommand
from .tournament import carry_out, console

AT_ONCE = 100
"""Number of episodes that are written at once."""


@dataclass(frozen=True)
class Check:
    """Compare a data set with its checksums, count its games and read them."""

    folder: Annotated[UserPath, tyro.conf.Positional]
    """Folder of the data set."""

    def run(self) -> int:
        """Print differences or sizes; return the exit status.

        Raises
        ------
        ValueError, OSError
            A file is damaged.
        """
        path = self.folder / CHECKSUMS
        if not path.exists():
            raise ValueError(f"{self.folder}: it contains no {CHECKSUMS}, so it is not a data set")
        expected, found = read_json(str(path), path.read_bytes()), checksums_of(self.folder)
        if expected == found:
            console.print(f"{len(found['files'])} files are unchanged: {found['all']}")
            for one in sorted({(self.folder / name).parent for name in found["files"]}):
                console.print(_figures(one))
            return 0
        before, now = expected["files"], found["files"]
        odd = sorted(name for name in {**before, **now} if before.get(name) != now.get(name))
        console.print(f"changed, missing or new files: {', '.join(odd)}", markup=False)
        return 1


def _figures(folder: Path) -> str:
    """Describe a folder's size, and how fast an epoch of its training split can be read."""
    files = Dataset([folder]).files
    games = [read_games(path) for path in files]
    n_games, n_decisions = sum(part.n for part in games), sum(len(g.actions) for g in games)
    n_bytes = sum(path.stat().st_size for path in files)
    began = time.process_time()
    n = sum(len(batch["action"]) for batch in Positions([folder]).epoch())
    took = time.process_time() - began
    return (
        f"{folder}: {n_games:,} games, {n_decisions:,} decisions, {n_bytes:,} bytes, "
        f"{n / took:,.0f} observations (planes and mask) per processor second"
    )


@dataclass(frozen=True)
class Minari:
    """Export one split to Minari's local data sets, with an episode for each seat of a game."""

    folder: Annotated[UserPath, tyro.conf.Positional]
    """Folder of the data set."""
    name: Annotated[str, tyro.conf.Positional]
    """Name in Minari, such as carcassonne/base-v0."""
    split: Split = "train"
    """The split."""
    reward: Reward = "margin"
    """Reward scheme."""
    encoding: str = "tokens"
    """Encoding of the observations, which include the action mask."""

    def run(self) -> int:
        """Write the data set; return the exit status.

        Raises
        ------
        ValueError, OSError, ImportError
            An option or a file is refused, Minari has this data set, or it is not installed.
        """
        check_installed("minari")
        check_choice("encoding", self.encoding, ENCODINGS)
        if not self.name.rpartition("-v")[2].isdecimal():
            raise ValueError(f"{self.name!r} must end with a version, such as {self.name}-v0")
        from minari.data_collector import EpisodeBuffer
        from minari.utils import create_dataset_from_buffers

        rules = Dataset([self.folder]).rules
        form = make_encoding(rules, self.encoding, flat_board=True, action_mask=True)
        positions = Positions([self.folder], self.split, encoding=form)
        episodes = positions.episodes(self.reward)
        buffers: Iterator[Any] = (EpisodeBuffer(**_arrays(episode)) for episode in episodes)
        if not (first := [*islice(buffers, AT_ONCE)]):
            raise ValueError(f"{self.folder} has no games for the split {self.split!r}")
        agents = read_meta(positions.files[0])["agents"]
        env = gymnasium.make(
            "carc_env/Carcassonne-v1",
            rules=rules.to_dict(),
            opponents=agents[0],
            reward=self.reward,
            encoding=self.encoding,
            observe_mask=True,
        )
        with warnings.catch_warnings():  # about authors and links, which a data set does not have
            warnings.simplefilter("ignore", UserWarning)
            written = create_dataset_from_buffers(
                self.name,
                first,
                env,
                observation_space=form.space(),
                action_space=gymnasium.spaces.Discrete(action_layout(rules).n_actions),
                algorithm_name=", ".join(agents),
                requirements=[f"carc_env=={carc_env.__version__}"],
                jpeg_encoding=False,
            )
        while more := [*islice(buffers, AT_ONCE)]:
            written.update_dataset_from_buffer(more)
        n, n_steps = written.total_episodes, written.total_steps
        console.print(f"{n:,} episodes, {n_steps:,} decisions: minari.load_dataset({self.name!r})")
        return 0


def _arrays(episode: Episode) -> dict[str, Any]:
    """Return an episode's arrays by the names of Minari's ``EpisodeBuffer``."""
    steps = episode.steps
    views = [step.before for step in steps] + [steps[-1].after]
    seen = {name: np.stack([view.arrays[name] for view in views]) for name in views[0].arrays}
    told = {"game": episode.game, "seat": steps[0].seat, "player": episode.player}
    return {
        "observations": seen,
        "actions": np.array([step.action for step in steps]),
        "rewards": np.array([step.reward for step in steps]),
        "terminations": np.array([step.is_last for step in steps]),
        "truncations": np.zeros(len(steps), np.bool_),
        "infos": {name: np.full(len(views), value) for name, value in told.items()},
    }


COMMANDS = {"check": Check, "minari": Minari}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    given = read_subcommand(COMMANDS, arguments, "data", __doc__)
    return 2 if given is None else carry_out(None, (), given.run)
