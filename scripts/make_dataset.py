"""Write games between any agents as a training data set: the moves and their values.

    python scripts/make_dataset.py data/base                            1,000 games of "value"
    python scripts/make_dataset.py data/base --games 5000 --workers 8
    python scripts/make_dataset.py data/own --agents my.py:Agent value
    python scripts/make_dataset.py data/deep --teacher search:sims=2000 --games 200
    python scripts/make_dataset.py data/games-20k --published           20,000 games: docs/data.md

The teacher assigns a value to every legal action; other agents may play. Without a teacher
(--teacher "" --explore 0), only the games are stored. The same arguments make the same files with
any number of workers, unless an agent uses a clock. The same command continues after Ctrl-C,
SIGTERM or ``kill -9``, since existing files are left unchanged. docs/data.md describes the format.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are being imported

import tyro
from carc_env.agents.commands.tournament import carry_out, console, progress
from carc_env.agents.dataset import (
    CHECKSUMS,
    PUBLISHED,
    Recipe,
    checksums_of,
    file_name,
    read_meta,
    teacher_of,
    write_file,
)
from carc_env.agents.interrupt import Interruption, end_quietly
from carc_env.agents.workers import spread

from carc_env.arguments import UserPath
from carc_env.envs.naming import make_agent
from carc_env.game.records import replace_file
from carc_env.rules import Rules


@dataclass(frozen=True)
class Arguments:
    """Write games as a data set."""

    folder: tyro.conf.Positional[UserPath]
    """Output folder; it does not need to exist."""
    games: int | None = None
    """Total number of games; a multiple of --games-per-file. Default: 1,000; published: 20,000."""
    published: bool = False
    """Make the published data set; all options except --games and --workers are then ignored."""
    rules: str = "{view: 20}"
    """A preset such as "all", or YAML such as "{preset: all, n_players: 3}"."""
    agents: tuple[str, ...] = ("value",)
    """Agents that play; each seat in each game is drawn from them."""
    teacher: str = "value"
    """Agent that values the actions."""
    explore: float = 0.1
    """Proportion of decisions that are sampled; better moves are more probable."""
    temperature: float = 2.0
    """Softmax temperature of the sampling, in points."""
    games_per_file: int = 50
    """Games per file."""
    seed: int = 1
    """Seed of decks and samples; matches use 0 by default."""
    workers: int = os.cpu_count() or 1
    """Number of processes; the files do not depend on it."""

    @property
    def problem(self) -> str | None:
        """The problem with these options, in words; None if there is none."""
        for name in ("games", "games_per_file", "workers"):
            if (n := getattr(self, name)) is not None and n < 1:
                return f"--{name.replace('_', '-')} must be at least 1, got {n}"
        return None

    @property
    def n_games(self) -> int:
        """Number of games in each folder."""
        if self.games is None:
            return 10_000 if self.published else 1000
        return self.games // len(self.recipes)

    @property
    def recipes(self) -> dict[Path, Recipe]:
        """The recipe for the files in each folder."""
        if self.published:
            return {self.folder / name: recipe for name, recipe in PUBLISHED.items()}
        own = Recipe(
            Rules.from_yaml(self.rules),
            self.agents,
            self.teacher,
            self.explore,
            self.temperature,
            self.games_per_file,
            self.seed,
        )
        return {self.folder: own}


def make_file(task: tuple[Recipe, Path, int]) -> int:
    """Make a file; return the number of decisions in it."""
    recipe, folder, number = task
    games = recipe.make(number)
    write_file(folder / file_name(number), recipe, games)
    return len(games.actions)


def is_there(recipe: Recipe, path: Path) -> bool:
    """Return whether a file has already been made by the same recipe.

    Raises
    ------
    ValueError
        The file was made by another recipe.
    """
    if not path.exists():
        return False
    theirs, ours = read_meta(path), recipe.to_dict()
    if odd := [
        f"{name} {theirs.get(name)!r} -> {ours[name]!r}"
        for name in ours
        if theirs.get(name) != ours[name]
    ]:
        raise ValueError(f"{path} was made with other arguments (there -> here): {', '.join(odd)}")
    return True


def make(arguments: Arguments) -> int:
    """Make the missing files with a progress bar; return the exit status.

    Raises
    ------
    ValueError, OSError, WorkerError
        The arguments or a file is refused, or a worker failed.
    """
    tasks = []
    for folder, recipe in arguments.recipes.items():
        if recipe.teacher:
            teacher_of(recipe)
        for name in recipe.agents:
            make_agent(name, recipe.rules)  # fails here rather than in a worker
        if arguments.n_games % recipe.games:
            n = recipe.games * len(arguments.recipes)
            raise ValueError(f"--games must be a multiple of {n}, got {arguments.games}")
        folder.mkdir(parents=True, exist_ok=True)
        tasks += [(recipe, folder, k) for k in range(arguments.n_games // recipe.games)]
    missing = [task for task in tasks if not is_there(task[0], task[1] / file_name(task[2]))]
    n_decisions = 0
    with Interruption() as stop, progress() as bar:
        shown = bar.add_task("files", total=len(tasks), completed=len(tasks) - len(missing))
        todo = (task for task in missing if not stop.wanted)
        for n in spread(make_file, todo, min(arguments.workers, max(1, len(missing)))):
            n_decisions += n
            bar.update(shown, advance=1)
    console.print(f"{n_decisions:,} more decisions, in {arguments.folder}/")
    if stop.wanted:
        console.print("Interrupted; run the same command to continue.")
        return stop.status
    found = checksums_of(arguments.folder)
    replace_file(arguments.folder / CHECKSUMS, (json.dumps(found, indent=1) + "\n").encode())
    console.print(f"checksum over all files: {found['all']}")
    if not arguments.published and arguments.teacher:
        console.print("What to do next:")
        console.print(
            f"  carc-env recipe bc > bc.py; python bc.py --data {arguments.folder} --games 0"
        )
    return 0


def main(arguments: list[str]) -> int:
    """Run the command line; return the exit status."""
    given = tyro.cli(Arguments, args=arguments, prog="make_dataset.py", description=__doc__)
    return carry_out(given.problem, (*given.agents, given.teacher), partial(make, given))


if __name__ == "__main__":
    end_quietly()
    sys.exit(main(sys.argv[1:]))
