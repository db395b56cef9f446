"""Tasks for comparing results: rules, opponents, budgets, and the evaluation.

A published task never changes. What it shows is frozen in ``tasks.json``
(:mod:`carc_env.freezing`), and a change makes a task of another name: ``base-greedy-v2``.

::

    from carc_env.tasks import TASKS, task

    env = gymnasium.make("carc_env/base-greedy-v1")
    envs = gymnasium.make_vec("carc_env/base-selfplay-v1", num_envs=64)
    env = task("base-selfplay-v1").env()              # PettingZoo
    rules = task("base-selfplay-v1").rules

docs/tasks.md explains the purpose of each, how an agent is evaluated on it, and how to cite a
result.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

import gymnasium

from carc_env.choices import check_choice
from carc_env.envs.aec import CarcassonneAEC
from carc_env.envs.single_agent import CarcassonneEnv
from carc_env.envs.vector import SELF, CarcassonneVectorEnv
from carc_env.game.endgames import Endgames, shipped_endgames
from carc_env.game.game import Game
from carc_env.rules import Rules
from carc_env.seeds import Stream, seed_of

NAMESPACE = "carc_env"
FROZEN = "tasks.json"
"""The file with the frozen data of the tasks."""
FIXED = ("rules", "opponents", "seat")
"""Options of environments that define the game of a task, and so cannot be chosen under its
name."""


@dataclass(frozen=True)
class Task:
    """A task for comparing results.

    Attributes
    ----------
    name : str
        With its version, as in ``base-greedy-v1``.
    title : str
        Its title.
    number : int
        The seed of its evaluation decks in :attr:`carc_env.seeds.Stream.TASKS`, which serves
        nothing else: training, and other tasks, never use its decks.
    rules : Rules
        The rules of its games.
    opponents : str
        The agent of the other seats during training, or ``"self"`` if every seat learns.
    seat : str
        The learner's seat in its environments: drawn for each game.
    encoding, reward : str
        The defaults of its environments. Training may use others, and its result then reports them.
    budgets : tuple of int
        Decisions of the learner, in self-play of all seats, after which results are compared.
    rivals : tuple of str
        The opponents of an agent in its evaluation, alone against copies of each; empty if it has
        only endgames.
    n_decks : int
        Evaluation decks against each of them, each played from every seat.
    endgames : str or None
        The set of solved endgames on which an agent's regret is measured.
    start : str or None
        The task on which one of its budgets is spent first, if learning there should transfer.
    """

    name: str
    title: str
    number: int
    rules: Rules
    opponents: str = SELF
    seat: str = "random"
    encoding: str = "planes"
    reward: str = "outcome"
    budgets: tuple[int, ...] = (1_000_000, 10_000_000)
    rivals: tuple[str, ...] = ("random", "greedy", "value")
    n_decks: int = 1_000
    endgames: str | None = None
    start: str | None = None

    @property
    def id(self) -> str:
        """Its name for ``gymnasium.make`` and ``gymnasium.make_vec``."""
        return f"{NAMESPACE}/{self.name}"

    @property
    def fingerprint(self) -> str:
        """The hash of all that it shows and asks, as frozen; every result contains it.

        Raises
        ------
        ValueError
            The task is not frozen yet.
        """
        frozen = frozen_tasks()
        if self.name not in frozen:
            raise ValueError(f"{self.name} is not frozen yet: run scripts/freeze_tasks.py")
        return str(frozen[self.name]["fingerprint"])

    @property
    def is_self_play(self) -> bool:
        """Whether every seat learns."""
        return self.opponents == SELF

    def deck_seed(self, deck: int) -> int:
        """Return the seed of the game of an evaluation deck, counted from 0."""
        return seed_of(Stream.TASKS, self.number, deck)

    def deck(self, deck: int) -> tuple[str, ...]:
        """Return the tiles of an evaluation deck in draw order."""
        return Game(self.rules, seed=self.deck_seed(deck)).draw

    def solved(self) -> Endgames | None:
        """Return its solved endgames, under its rules; None without any."""
        if self.endgames is None:
            return None
        return _solved(self.endgames, self.rules)

    @property
    def n_endgames(self) -> int:
        """How many endgames an agent is asked about."""
        return 0 if self.endgames is None else len(shipped_endgames()[self.endgames].endgames)

    def options(self, **chosen: Any) -> dict[str, Any]:
        """Return the arguments of its environments.

        Parameters
        ----------
        chosen
            Further ones, and replacements of its reward and encoding.

        Raises
        ------
        ValueError
            One of them would change the game.
        """
        if fixed := [name for name in FIXED if name in chosen]:
            raise ValueError(
                f"{fixed[0]} cannot be chosen in {self.id}, because it is part of the task; make "
                "the environment carc_env/Carcassonne-v1 for games of your own"
            )
        own = {name: getattr(self, name) for name in (*FIXED, "encoding", "reward")}
        return {**own, **chosen}

    def env(self, **chosen: Any) -> CarcassonneAEC:
        """Return its PettingZoo environment, which asks every agent.

        Raises
        ------
        ValueError
            An argument is refused, see :meth:`options` and :class:`CarcassonneAEC`.
        """
        given = self.options(**chosen)
        return CarcassonneAEC(**{k: v for k, v in given.items() if k not in ("opponents", "seat")})


_INNS_AND_TRADERS = {
    "sets": ["base", "inns", "traders"],
    "view": 26,
    **dict.fromkeys(("large_meeples", "inns", "builders", "pigs", "goods"), True),
}
_LISTED = (
    Task(
        "short-greedy-v1",
        "A short game for quick tests: base game, 2 players, 12 tiles, against `greedy`",
        number=1,
        rules=Rules(view=12, deck_size=12),
        opponents="greedy",
    ),
    Task(
        "base-greedy-v1",
        "Base game, 2 players, against `greedy`",
        number=2,
        rules=Rules(view=20),
        opponents="greedy",
        endgames="base-2",
    ),
    Task(
        "base-selfplay-v1",
        "Base game, 2 players, in self-play",
        number=3,
        rules=Rules(view=20),
        endgames="base-2",
    ),
    Task(
        "abbey-mayor-greedy-v1",
        "Abbey & Mayor, 2 players, against `greedy`",
        number=4,
        rules=Rules.preset("abbey-mayor", view=22),
        opponents="greedy",
    ),
    Task(
        "all-greedy-v1",
        "The preset `all`, 4 players, against three `greedy`",
        number=5,
        rules=Rules.preset("all", n_players=4, view=30),
        opponents="greedy",
    ),
    Task(
        "traders-transfer-v1",
        "From the base game to Inns & Cathedrals with Traders & Builders, 2 players, in self-play",
        number=6,
        rules=Rules.from_dict(_INNS_AND_TRADERS),
        start="base-selfplay-v1",
    ),
    Task(
        "endgames-base-v1",
        "Solved endgames of the base game, 2 players: mean regret per decision",
        number=7,
        rules=Rules(view=20),
        rivals=(),
        endgames="base-2",
    ),
    Task(
        "endgames-all-v1",
        "Solved endgames of the preset `all`, 2 players: mean regret per decision",
        number=8,
        rules=Rules.preset("all", view=30),
        rivals=(),
        endgames="everything-2",
    ),
)
TASKS: Mapping[str, Task] = MappingProxyType({task.name: task for task in _LISTED})
"""All tasks by name."""


def task(name: str) -> Task:
    """Return the task with a name.

    Raises
    ------
    ValueError
        There is no such task; the message names all, and the one that was probably meant.
    """
    return TASKS[check_choice("task", name.removeprefix(f"{NAMESPACE}/"), TASKS)]


@cache
def _solved(name: str, rules: Rules) -> Endgames:
    """Return the endgames of a set under other rules: all positions are set up anew."""
    return shipped_endgames()[name].under(rules)


@cache
def frozen_tasks() -> dict[str, Any]:
    """Return the frozen data of the tasks, by their names: see :mod:`carc_env.freezing`."""
    found: dict[str, Any] = json.loads((files("carc_env") / FROZEN).read_text(encoding="utf-8"))
    return found


# Factories for the Gymnasium ids.


def single_env(task_name: str, **chosen: Any) -> CarcassonneEnv:
    """Return the environment of a task for one learner.

    Raises
    ------
    ValueError
        Every seat learns in the task, or an argument is refused.
    """
    found = task(task_name)
    if found.is_self_play:
        raise ValueError(
            f"in {found.name} every seat learns, but a single environment asks only one: use "
            f"gymnasium.make_vec({found.id!r}), or carc_env.tasks.task({found.name!r}).env() for "
            "PettingZoo"
        )
    return CarcassonneEnv(**found.options(**chosen))


def vector_env(task_name: str, num_envs: int = 1, **chosen: Any) -> CarcassonneVectorEnv:
    """Return a vector environment with games of a task.

    Raises
    ------
    ValueError
        An argument is refused.
    """
    return CarcassonneVectorEnv(num_envs, **task(task_name).options(**chosen))


def register_tasks() -> None:
    """Register the ids of all tasks with Gymnasium; importing carc_env calls it."""
    for one in TASKS.values():
        if one.id not in gymnasium.registry:
            gymnasium.register(
                one.id,
                entry_point=f"{__name__}:{single_env.__name__}",
                vector_entry_point=f"{__name__}:{vector_env.__name__}",
                kwargs={"task_name": one.name},
            )
