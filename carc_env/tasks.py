"""Tasks that results are compared on: what is played, against whom, how much, and how it is judged.

A task of a name never changes. What it shows is frozen in ``tasks.json``
(:mod:`carc_env.freezing`), and a change makes a task of another name: ``base-greedy-v2``.

::

    from carc_env.tasks import TASKS, task

    env = gymnasium.make("carc_env/base-greedy-v1")
    envs = gymnasium.make_vec("carc_env/base-selfplay-v1", num_envs=64)
    env = task("base-selfplay-v1").env()              # PettingZoo
    rules = task("base-selfplay-v1").rules

docs/tasks.md says what each is for, how an agent is evaluated on it, and how a result is cited.
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
"""The file with what the tasks show."""
FIXED = ("rules", "opponents", "seat")
"""What makes the game of a task: options of environments that cannot be chosen under its name."""


@dataclass(frozen=True)
class Task:
    """A task.

    Attributes
    ----------
    name : str
        With its version, as in ``base-greedy-v1``.
    title : str
        What it is, in words.
    number : int
        The seed of its evaluation decks in :attr:`carc_env.seeds.Stream.TASKS`, which nothing else
        draws from: no deck of it comes up in a training, or in another task.
    rules : Rules
        What is played.
    opponents : str
        Who holds the other seats while one learns: an agent, or ``"self"`` where every seat learns.
    seat : str
        Where the learner sits in its environments: drawn for each game.
    encoding, reward : str
        What its environments show and pay where nothing else is said. A training may choose
        others, and says so with its result.
    budgets : tuple of int
        Decisions of the learner, in self-play of all seats, after which results are compared.
    rivals : tuple of str
        Whom an agent meets in its evaluation, alone against copies of each; nobody where only
        endgames are asked.
    n_decks : int
        Decks of the evaluation against each of them, each played from every seat.
    endgames : str or None
        The set of solved endgames on which an agent's regret is measured.
    start : str or None
        The task on which one of its budgets is spent first, where what was learned there is to
        help here.
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
        """Of all that it shows and asks, as it was frozen; stands in every result.

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
        """The seed of the game of an evaluation deck, counted from 0."""
        return seed_of(Stream.TASKS, self.number, deck)

    def deck(self, deck: int) -> tuple[str, ...]:
        """The tiles of an evaluation deck in the order in which they are drawn."""
        return Game(self.rules, seed=self.deck_seed(deck)).draw

    def solved(self) -> Endgames | None:
        """Its solved endgames, under its rules; None without any."""
        if self.endgames is None:
            return None
        return _solved(self.endgames, self.rules)

    @property
    def n_endgames(self) -> int:
        """How many endgames an agent is asked about."""
        return 0 if self.endgames is None else len(shipped_endgames()[self.endgames].endgames)

    def options(self, **chosen: Any) -> dict[str, Any]:
        """The arguments of its environments.

        Parameters
        ----------
        chosen
            Further ones, and others in place of its reward and encoding.

        Raises
        ------
        ValueError
            One of them would make another game of it.
        """
        if fixed := [name for name in FIXED if name in chosen]:
            raise ValueError(
                f"{fixed[0]} cannot be chosen in {self.id}: it is what the task is about; make "
                f"the environment carc_env/Carcassonne-v1 for games of your own"
            )
        own = {name: getattr(self, name) for name in (*FIXED, "encoding", "reward")}
        return {**own, **chosen}

    def env(self, **chosen: Any) -> CarcassonneAEC:
        """Its game for PettingZoo, where every agent is asked.

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
        "Solved endgames of the base game, 2 players: points given away a decision",
        number=7,
        rules=Rules(view=20),
        rivals=(),
        endgames="base-2",
    ),
    Task(
        "endgames-all-v1",
        "Solved endgames of the preset `all`, 2 players: points given away a decision",
        number=8,
        rules=Rules.preset("all", view=30),
        rivals=(),
        endgames="everything-2",
    ),
)
TASKS: Mapping[str, Task] = MappingProxyType({task.name: task for task in _LISTED})
"""All tasks by name."""


def task(name: str) -> Task:
    """The task of a name.

    Raises
    ------
    ValueError
        There is none; the message names all, and the one that was probably meant.
    """
    return TASKS[check_choice("task", name.removeprefix(f"{NAMESPACE}/"), TASKS)]


@cache
def _solved(name: str, rules: Rules) -> Endgames:
    """The endgames of a set under other rules: all positions are laid out anew."""
    return shipped_endgames()[name].under(rules)


@cache
def frozen_tasks() -> dict[str, Any]:
    """What is frozen of the tasks, by their names: see :mod:`carc_env.freezing`."""
    found: dict[str, Any] = json.loads((files("carc_env") / FROZEN).read_text(encoding="utf-8"))
    return found


# What the ids of Gymnasium make.


def single_env(task_name: str, **chosen: Any) -> CarcassonneEnv:
    """The environment of a task for one learner.

    Raises
    ------
    ValueError
        In the task every seat learns, or an argument is refused.
    """
    found = task(task_name)
    if found.is_self_play:
        raise ValueError(
            f"in {found.name} every seat learns, and a single environment asks one: take "
            f"gymnasium.make_vec({found.id!r}), or carc_env.tasks.task({found.name!r}).env() for "
            "PettingZoo"
        )
    return CarcassonneEnv(**found.options(**chosen))


def vector_env(task_name: str, num_envs: int = 1, **chosen: Any) -> CarcassonneVectorEnv:
    """Many games of a task at once.

    Raises
    ------
    ValueError
        An argument is refused.
    """
    return CarcassonneVectorEnv(num_envs, **task(task_name).options(**chosen))


def register_tasks() -> None:
    """Make the ids of all tasks known to Gymnasium; importing carc_env does it."""
    for one in TASKS.values():
        if one.id not in gymnasium.registry:
            gymnasium.register(
                one.id,
                entry_point=f"{__name__}:{single_env.__name__}",
                vector_entry_point=f"{__name__}:{vector_env.__name__}",
                kwargs={"task_name": one.name},
            )
