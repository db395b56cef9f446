"""Solve endgames exactly and write a set of them, with the value of every action.

    python scripts/make_endgames.py                                   500 endgames of the base game
    python scripts/make_endgames.py --rules all --out all.npz --workers 8
    python scripts/make_endgames.py --tiles 3 --max-nodes 100000000 --positions 20

Positions come from games between agents of different strength, one per game; docs/endgames.md
explains how they are chosen. The same arguments make the same set with any number of workers, as
long as the agents' play does not change. Progress is saved next to ``--out``, in a file that ends
with ``.part``, so the same command continues after Ctrl-C, SIGTERM or ``kill -9``. An existing file
is never replaced.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are being imported

import tyro
from carc_env.agents.commands.tournament import carry_out, console, progress
from carc_env.agents.endgames import Made, Recipe
from carc_env.agents.interrupt import Interruption, end_quietly
from carc_env.agents.workers import spread

from carc_env.arguments import UserPath
from carc_env.game.endgames import Endgame, Endgames, pack, unpack
from carc_env.game.records import replace_file
from carc_env.rules import Rules

PART = ".part"
SECONDS_BETWEEN_WRITES = 30


@dataclass(frozen=True)
class Arguments:
    """Make a set of solved endgames."""

    rules: str = "base"
    """A preset such as "all", or YAML such as "{preset: all, n_players: 3}"."""
    positions: int = 500
    """Number of endgames."""
    out: UserPath = Path("endgames.npz")
    """The file to write; it must not exist."""
    tiles: tuple[int, ...] = Recipe(Rules()).tiles
    """Numbers of tiles left in the positions, used in turn."""
    max_nodes: int = Recipe(Rules()).max_nodes
    """Maximum number of actions to try per position; positions that need more are skipped."""
    seed: int = 0
    """Seed of the games and choices."""
    workers: int = os.cpu_count() or 1
    """Number of processes; the set does not depend on it."""

    @property
    def problem(self) -> str | None:
        """The problem with these options, in words; None if there is none."""
        for name in ("positions", "workers"):
            if getattr(self, name) < 1:
                return f"--{name} must be at least 1, got {getattr(self, name)}"
        if self.seed < 0:
            return f"--seed must not be negative, got {self.seed}"
        if not self.out.parent.is_dir():
            return f"--out: there is no folder {self.out.parent}"
        if self.out.exists():
            return f"--out: {self.out} already exists, choose another name"
        return None


class Making:
    """A set that is being made; its progress is saved in a file."""

    def __init__(self, recipe: Recipe, path: Path) -> None:
        self.recipe, self.path = recipe, path
        self.done: dict[int, Endgame] = {}
        self.skipped: Counter[str] = Counter()
        if path.exists():
            self._go_on(unpack(str(path), path.read_bytes()))

    def _go_on(self, found: Endgames) -> None:
        """Continue from endgames made earlier by the same recipe."""
        about, ours = {**found.about}, self.recipe.to_dict()
        self.skipped.update(about.pop("skipped", {}))
        changed = [key for key in ours if about.get(key) != ours[key]]
        odd = [f"{key} {about.get(key)!r} -> {ours[key]!r}" for key in changed]
        if change := found.rules.differences(self.recipe.rules):
            odd.append(f"rules: {change}")
        if odd:
            raise ValueError(
                f"{self.path} was begun with other arguments (there -> here): {', '.join(odd)}"
            )
        self.done = {endgame.number: endgame for endgame in found.endgames}

    def add(self, made: Made) -> None:
        """Add an endgame, and count the skipped games by tiles left and reason."""
        self.done[made.endgame.number] = made.endgame
        n_left = self.recipe.tiles_of(made.endgame.number)
        for reason, n in made.skipped.items():
            self.skipped[f"{n_left} left, {reason}"] += n

    def packed(self) -> bytes:
        """Return the file content for the endgames made so far."""
        ordered = tuple(self.done[number] for number in sorted(self.done))
        about = self.recipe.to_dict() | {"skipped": dict(sorted(self.skipped.items()))}
        return pack(Endgames(self.recipe.rules, ordered, about))


def make(arguments: Arguments) -> int:
    """Make a set with a progress bar and write it; return the exit status.

    Raises
    ------
    ValueError, OSError, WorkerError
        The rules or a partial set is refused, or a worker failed.
    """
    recipe = Recipe(
        Rules.from_yaml(arguments.rules), arguments.tiles, arguments.seed, arguments.max_nodes
    )
    part = arguments.out.with_name(arguments.out.name + PART)
    making, began = Making(recipe, part), time.monotonic()
    if making.done:
        console.print(f"{len(making.done):,} endgames were made before")
    todo = [k for k in range(arguments.positions) if k not in making.done]
    n_workers = max(1, min(arguments.workers, len(todo)))
    with Interruption() as stop, progress() as bar:
        task = bar.add_task("endgames", total=arguments.positions, completed=len(making.done))
        written = time.monotonic()
        numbers = (k for k in todo if not stop.wanted)
        for made in spread(recipe.make, numbers, n_workers):
            making.add(made)
            bar.update(task, completed=len(making.done))
            if time.monotonic() - written > SECONDS_BETWEEN_WRITES:
                replace_file(part, making.packed())
                written = time.monotonic()
        replace_file(part, making.packed())
    if len(making.done) < arguments.positions:
        console.print(f"Interrupted: run the same command to continue with {part}")
        return stop.status
    os.link(part, arguments.out)  # unlike renaming, it never replaces another file
    part.unlink()
    size = arguments.out.stat().st_size / 1e3
    seconds = time.monotonic() - began
    n = len(making.done)
    console.print(f"{n:,} endgames, {size:,.0f} kB, {seconds:,.0f} s: {arguments.out}")
    for reason, n in sorted(making.skipped.items()):
        console.print(f"{n:,} games skipped: {reason}")
    return 0


def main() -> int:
    """Run the command line; return the exit status."""
    arguments = tyro.cli(Arguments, description=__doc__)
    return carry_out(arguments.problem, (), partial(make, arguments))


if __name__ == "__main__":
    end_quietly()
    sys.exit(main())
