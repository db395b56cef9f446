"""Learn and ship ``value`` and ``insight`` weights for presets and numbers of players.

    python scripts/ship_weights.py                          all missing weights
    python scripts/ship_weights.py --only tower-3 big-box-2 --workers 2
    python scripts/ship_weights.py --missing                only list what is missing

``configs/experiments/weights.yaml`` lists the numbers of games. A run, in
``runs/weights/PRESET-PLAYERS``, either starts from the weights that these rules have so far,
combined from the nearest rules, or learns from scratch with a network
(``carc_env/search/factored.py``). Then the new weights play against the previous ones, and the
better ones play against ``greedy``. The winners are written to ``carc_env/search/shipped`` with the
results, which ``docs/models.md`` shows. Ctrl-C ends the runs in progress; the same command
continues them.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from pathlib import Path
from typing import Annotated, Any, Literal

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are being imported

import numpy as np
import numpy.typing as npt
import pydantic
import tyro
from carc_env.agents.arena import Player, play_against
from carc_env.agents.commands.tournament import console
from carc_env.agents.curve import has_ended, read_csv
from carc_env.agents.interrupt import Interruption, end_quietly
from carc_env.agents.intervals import Estimate
from carc_env.agents.report import percent
from carc_env.agents.run_folder import CURVE, LATEST
from carc_env.agents.value_learner import SHIPPED, VALUE

from carc_env.game.records import replace_file
from carc_env.plain_yaml import read_yaml
from carc_env.rules import PRESETS, Rules
from carc_env.search.features import OFFSETS, TABLES, starting_weights
from carc_env.search.players import GreedyPlayer, OnePly, learned
from carc_env.search.weights import (
    INSIGHT,
    PLAIN,
    SUFFIX,
    Weights,
    distance,
    pack,
    shipped,
    unpack,
    weights_for,
)

ROOT = Path(__file__).resolve().parents[1]
PLAN = ROOT / "configs/experiments/weights.yaml"
KEPT = ROOT / "carc_env/search/shipped"
RUNS = Path("runs/weights")
PLAYERS = (2, 3, 4)
SEED = 20
"""Deck seed for the matches."""
STEPS = 16
"""A network's weights are rounded to 1/16 point, which makes files a third smaller."""


class Effort(pydantic.BaseModel, frozen=True, extra="forbid"):
    """The training budget for some presets."""

    presets: tuple[str, ...]
    games: Annotated[int, pydantic.Field(ge=1)]
    """Number of games to learn from."""
    evaluation: Literal["value", "insight"] = PLAIN
    """The evaluation that learns."""
    units: Annotated[int, pydantic.Field(ge=0)] = 0
    """Hidden units of a network that computes all weights and learns from scratch; 0: each weight
    is learned separately, starting from the nearest rules' weights."""
    greedy_share: Annotated[float, pydantic.Field(ge=0, le=1)] = 0.0
    """Proportion of games in which ``greedy`` has all seats but one."""
    players: tuple[Annotated[int, pydantic.Field(ge=2, le=6)], ...] = PLAYERS
    """Numbers of players."""
    matches: Annotated[int, pydantic.Field(ge=12)] = 400
    """Approximate number of games per match: every deck is played once from each seat."""


@dataclass(frozen=True)
class Job:
    """Weights for a preset and a number of players."""

    preset: str
    n_players: int
    effort: Effort

    @property
    def name(self) -> str:
        """The name of the weights."""
        name = f"{self.preset}-{self.n_players}"
        return f"{INSIGHT}-{name}" if self.effort.evaluation == INSIGHT else name

    @property
    def rules(self) -> Rules:
        """The rules of training."""
        return Rules.preset(self.preset, n_players=self.n_players)

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return RUNS / self.name

    @property
    def matches(self) -> int:
        """Number of games per match: every deck is played from every seat."""
        return self.effort.matches // self.n_players * self.n_players

    def there(self) -> tuple[str, Weights] | None:
        """Return the shipped weights for exactly these rules, with their name."""
        evaluation = self.effort.evaluation
        own = [(k, w) for k, w in shipped().items() if w.evaluation == evaluation]
        found = [(k, w) for k, w in own if distance(self.rules, w.rules) == 0]
        return found[0] if found else None

    @property
    def is_done(self) -> bool:
        """Whether there are weights and their strength has been measured."""
        found = self.there()
        return found is not None and "greedy" in found[1].about

    @property
    def is_trained(self) -> bool:
        """Whether the run is complete."""
        return has_ended(read_csv(self.folder / CURVE), self.effort.games, (), None)

    def command(self) -> list[str]:
        """Return the command that begins or continues training."""
        script = [sys.executable, "-m", "carc_env", "train", "value"]
        games = f"{self.effort.games}"
        if (latest := self.folder / LATEST).exists():
            return [*script, f"{latest}", "--total-games", games]
        rules = f"{{preset: {self.preset}, n_players: {self.n_players}}}"
        how = ("value-base", "--init", SHIPPED)
        if self.effort.units:
            how = ("value-insight", "--hidden-units", f"{self.effort.units}")
        return [
            *(*script, *how, "--rules", rules, "--folder", f"{self.folder}"),
            *("--evaluation", self.effort.evaluation),
            *("--greedy-share", f"{self.effort.greedy_share}"),
            *("--total-games", games, "--eval-every", games, "--eval-games", "12"),
            *("--threads", "1", "--checkpoint-every", f"{max(32, self.effort.games // 10)}"),
        ]

    def won(self, one: Player, other: Player) -> Estimate:
        """Return a player's win rate against copies of another."""
        match = play_against(one, other, self.rules, self.matches, seed=SEED)
        return match.standings[0].win_rate

    def measured(self, weights: Weights) -> dict[str, Any]:
        """Measure the weights' win rate against ``greedy``."""
        found = self.won(OnePly(learned(weights)), GreedyPlayer())
        return {"greedy": in_short(found), "matches": self.matches}


def in_short(found: Estimate) -> list[float]:
    """Return a proportion with its interval in the form used in files."""
    return [round(x, 4) for x in (found.value, found.low, found.high)]


def without_idle(
    values: npt.NDArray[np.float32], learned: npt.NDArray[np.float32], before: Weights
) -> npt.NDArray[np.float32]:
    """Return weights without tables for other rules, which training has not touched."""
    kept = starting_weights()
    for table, sizes in TABLES.items():
        own = slice(OFFSETS[table], OFFSETS[table] + prod(sizes))
        if not np.array_equal(learned[own], before.values[own]):
            kept[own] = values[own]
    return kept


def jobs() -> Iterator[Job]:
    """Yield the plan's jobs; weights that contribute to many others come first.

    Raises
    ------
    ValueError, OSError
        The plan is refused.
    """
    read = read_yaml(PLAN.name, PLAN.read_text(encoding="utf-8"))
    for effort in pydantic.TypeAdapter(list[Effort]).validate_python(read):
        for preset in effort.presets:
            if preset not in PRESETS:
                raise ValueError(f"{PLAN}: there is no preset {preset}")
            yield from (Job(preset, n_players, effort) for n_players in effort.players)


def carry_out(job: Job, stop: Interruption) -> str:
    """Train, measure and ship; return the results in words."""
    there = job.there()
    if there:
        name, best = there
        about = best.about
    else:
        if not job.is_trained:
            log = job.folder.with_suffix(".txt")
            log.parent.mkdir(parents=True, exist_ok=True)
            with log.open("a", encoding="utf-8") as told:
                done = subprocess.run(job.command(), stdout=told, stderr=told)
            if done.returncode and not stop.wanted:
                raise ValueError(f"training {job.name} failed: see {log}")
        if stop.wanted:
            return ""
        before = weights_for(job.rules, job.effort.evaluation)
        new = unpack(f"{job.folder / VALUE}", (job.folder / VALUE).read_bytes())
        if job.effort.units:
            new = replace(new, values=np.rint(new.values * STEPS) / np.float32(STEPS))
        name, players = job.name, [OnePly(learned(weights)) for weights in (new, before)]
        found = job.won(*players)
        is_better = found.value >= 1 / job.n_players
        if job.effort.units and not is_better:
            return f"{name}: won {percent(found)} against the present weights, nothing is shipped"
        best = new if is_better else before
        best = replace(best, values=without_idle(best.values, new.values, before))
        began = [] if job.effort.units else before.about.get("from", [])
        games = new.about["games"] if is_better else 0
        about = {"from": began, "games": games, "before": in_short(found)}
        if is_better and "greedy_share" in new.about:
            about["greedy_share"] = new.about["greedy_share"]
    best = replace(best, rules=job.rules, evaluation=job.effort.evaluation)
    best = replace(best, about={**about, **job.measured(best)})
    replace_file(KEPT / (name + SUFFIX), pack(best))
    shipped.cache_clear()
    weights_for.cache_clear()
    return f"{name}: {best.about}"


@dataclass(frozen=True)
class Arguments:
    """Learn weights, measure them and ship them."""

    only: tuple[str, ...] = ()
    """Weights to learn: a preset and a number of players, such as ``tower-3`` or
    ``insight-tower-3``."""
    workers: int = 1
    """Runs in parallel, each on one thread."""
    missing: bool = False
    """Only print what is missing."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    given = tyro.cli(Arguments, args=arguments, description=__doc__)
    try:
        every = list(jobs())
        if unknown := sorted(set(given.only) - {job.name for job in every}):
            raise ValueError(f"{PLAN} has no {', '.join(unknown)}")
        wanted = [job for job in every if job.name in (given.only or (job.name,))]
        wanted = [job for job in wanted if not job.is_done]
        if given.missing:
            for job in wanted:
                console.print(job.name)
            return 0
        with Interruption() as stop, ThreadPoolExecutor(given.workers) as pool:
            for found in pool.map(partial(carry_out, stop=stop), wanted):
                console.print(found, markup=False)
        return stop.status
    except (ValueError, OSError) as error:
        console.print(f"error: {error}", markup=False)
        return 1


if __name__ == "__main__":
    end_quietly()
    sys.exit(main())
