"""Write games of any agents as a data set to learn from: what was seen, and how good what was.

    python scripts/make_dataset.py data/base                            1,000 games of "value"
    python scripts/make_dataset.py data/base --games 5000 --workers 8
    python scripts/make_dataset.py data/own --agents runs/imitation/latest.ckpt value
    python scripts/make_dataset.py data/deep --teacher search:sims=2000 --games 200

The teacher says of every legal action what it is worth; who plays may be others. The same arguments
make the same files, whatever the workers, unless somebody looks at the clock, and the same command
goes on after Ctrl-C, SIGTERM or ``kill -9``: files that are there are left as they are.
docs/formats.md describes the format.
"""

from __future__ import annotations

import math
import os
import signal
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are loaded

import tyro
from carc_env.agents.commands.tournament import carry_out, console, progress
from carc_env.agents.dataset import Recipe, file_name, read_meta, teacher_of, write_file
from carc_env.agents.interrupt import Interruption, end_quietly
from carc_env.agents.workers import spread

from carc_env.envs.naming import make_agent
from carc_env.rules import Rules


@dataclass(frozen=True)
class Arguments:
    """Write games as a data set."""

    folder: tyro.conf.Positional[Path]
    """Where the files go; it need not exist."""
    games: int = 1000
    """How many, all together; a multiple of those in a file."""
    rules: str = "{view: 20}"
    """A preset such as "all", or YAML such as "{preset: all, n_players: 3}"."""
    agents: tuple[str, ...] = ("value",)
    """Who plays: each seat of each game one of them by lot."""
    teacher: str = "value"
    """Who says how good actions are."""
    explore: float = 0.1
    """Share of decisions that are played by lot: the better a move, the more probable."""
    temperature: float = 2.0
    """Points by which a move is worse that has 1/e of the chance then."""
    games_per_file: int = 50
    """Games in a file."""
    seed: int = 1
    """Of decks and lots; matches begin with 0 if nothing else is said."""
    workers: int = os.cpu_count() or 1
    """Processes; the files do not depend on it."""

    @property
    def problem(self) -> str | None:
        """What does not fit together, in words."""
        for name in ("games", "games_per_file", "workers"):
            if getattr(self, name) < 1:
                option = name.replace("_", "-")
                return f"--{option} must be at least 1, got {getattr(self, name)}"
        if self.games % self.games_per_file:
            return f"--games must be a multiple of {self.games_per_file}, got {self.games}"
        return None

    @property
    def recipe(self) -> Recipe:
        """How the files are made."""
        return Recipe(
            Rules.from_yaml(self.rules),
            self.agents,
            self.teacher,
            self.explore,
            self.temperature,
            self.games_per_file,
            self.seed,
        )


def make_file(recipe: Recipe, folder: Path, number: int) -> int:
    """Make a file; returns how many decisions are in it."""
    decisions = recipe.make(number)
    write_file(folder / file_name(number), recipe, decisions)
    return decisions.n


def is_there(recipe: Recipe, path: Path) -> bool:
    """Whether a file has been made, by the same recipe.

    Raises
    ------
    ValueError
        It was made by another one.
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
    """Make what is missing, with a progress bar; returns the exit status.

    Raises
    ------
    ValueError, OSError, WorkerError
        The arguments or a file are refused, or a worker failed.
    """
    recipe, folder = arguments.recipe, arguments.folder
    teacher_of(recipe)
    for name in recipe.agents:
        make_agent(name, recipe.rules)  # refused here rather than in a worker
    folder.mkdir(parents=True, exist_ok=True)
    n_files = math.ceil(arguments.games / recipe.games)
    missing = [k for k in range(n_files) if not is_there(recipe, folder / file_name(k))]
    n_decisions = 0
    with Interruption() as stop, progress() as bar:
        task = bar.add_task("files", total=n_files, completed=n_files - len(missing))
        work = partial(make_file, recipe, folder)
        todo = (k for k in missing if not stop.wanted)
        for n in spread(work, todo, min(arguments.workers, max(1, len(missing)))):
            n_decisions += n
            bar.advance(task)
    console.print(f"{n_decisions:,} decisions more, in {folder}/")
    if stop.wanted:
        console.print("Interrupted; the same command goes on.")
    else:
        console.print("What to do next:")
        console.print(f"  python scripts/train_imitation.py imitation-base --data {folder}")
    return stop.status


def main(arguments: list[str]) -> int:
    """Run the command line; returns the exit status."""
    given = tyro.cli(Arguments, args=arguments, prog="make_dataset.py", description=__doc__)
    return carry_out(given.problem, (*given.agents, given.teacher), lambda: make(given))


if __name__ == "__main__":
    end_quietly()
    sys.exit(main(sys.argv[1:]))
