"""Tasks for comparing results: rules, opponents, budgets and evaluation.

A published task never changes. Its behaviour is frozen in ``tasks.json``
(:mod:`carc_env.freezing`), and a changed task gets a new name, such as ``base-greedy-v2``. Version
2 of a task has the training of version 1, and an evaluation with a rating.

::

    from carc_env.tasks import TASKS, task

    env = gymnasium.make("carc_env/base-greedy-v1")
    envs = gymnasium.make_vec("carc_env/base-selfplay-v1", num_envs=64)
    env = task("base-selfplay-v1").env()              # PettingZoo
    rules = task("base-selfplay-v1").rules

The ``mix-`` tasks draw the rules of each training game from a distribution, and evaluate under test
rules that training never draws.

``docs/tasks.md`` explains each task's purpose, how agents are evaluated on it, and how to cite a
result.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib.resources import files
from types import MappingProxyType
from typing import Any

import gymnasium
import numpy as np

from carc_env.choices import check_choice
from carc_env.envs.aec import CarcassonneAEC
from carc_env.envs.distributions import (
    Dealer,
    OneOf,
    RulesDistribution,
    Subsets,
    Switches,
    read_rules,
)
from carc_env.envs.single_agent import CarcassonneEnv
from carc_env.envs.vector import SELF, CarcassonneVectorEnv
from carc_env.game.endgames import Endgames, shipped_endgames
from carc_env.game.game import Game
from carc_env.rules import PRESETS, Layout, Rules
from carc_env.seeds import Stream, seed_of

NAMESPACE = "carc_env"
FROZEN = "tasks.json"
"""The file with the tasks' frozen data."""
FILE_SUFFIX = ".json"
"""The end of the name of a file with a task of your own."""
N_DRAWN = 8
"""Number of rules of a distribution under which a recipe evaluates its agent."""
FIXED = ("rules", "opponents", "seat")
"""Environment options that define a task's game, and so cannot be changed under the task's name."""


@dataclass(frozen=True)
class Task:
    """A task for comparing results.

    Attributes
    ----------
    name : str
        The name with its version, as in ``base-greedy-v1``.
    title : str
        The title.
    number : int
        The seed of the evaluation decks in :attr:`carc_env.seeds.Stream.TASKS`. This stream is used
        for nothing else, so training and other tasks never use these decks.
    rules : Rules or RulesDistribution
        The rules of the training games, or the distribution from which each game draws them.
    opponents : str
        The agent in the other seats during training, or ``"self"`` if every seat learns.
    seat : str
        The learner's seat in the environments: drawn for each game.
    encoding, reward : str
        The environments' defaults. Training may use others; the result then reports them.
    budgets : tuple of int
        Numbers of decisions after which results are compared. The learner's decisions count, or all
        seats' decisions in self-play.
    rivals : tuple of str
        The opponents in the evaluation: the agent plays alone against copies of each. Empty if the
        task has only endgames.
    n_decks : int
        Evaluation decks against each opponent, of all test rules together; each deck is played from
        every seat.
    endgames : str or None
        The set of solved endgames on which the agent's regret is measured.
    start : str or None
        The task on which one of the budgets is spent first, for tasks that test transfer.
    tests : mapping of str to Rules
        The rules of the evaluation, by name. Empty if they are those of the training.
    n_adapting : int
        Number of decisions under each of the test rules from which an agent learns before its
        adapted evaluation; 0 if the task has none.
    held_out : tuple of str
        Further opponents in the evaluation, of styles that no training meets.
    anchors : mapping of str to int
        The fixed Elo ratings of some opponents, by which an agent is rated. Empty if the task has
        no rating.
    """

    name: str
    title: str
    number: int
    rules: Rules | RulesDistribution
    opponents: str = SELF
    seat: str = "random"
    encoding: str = "planes"
    reward: str = "outcome"
    budgets: tuple[int, ...] = (1_000_000, 10_000_000)
    rivals: tuple[str, ...] = ("random", "greedy", "value")
    n_decks: int = 1_000
    endgames: str | None = None
    start: str | None = None
    tests: Mapping[str, Rules] = field(default_factory=dict, hash=False)
    n_adapting: int = 0
    held_out: tuple[str, ...] = ()
    anchors: Mapping[str, int] = field(default_factory=dict, hash=False)

    @property
    def id(self) -> str:
        """The task's name for ``gymnasium.make`` and ``gymnasium.make_vec``."""
        return self.name if self.is_own else f"{NAMESPACE}/{self.name}"

    @property
    def is_own(self) -> bool:
        """Whether it is a task of your own, from outside the package."""
        return "/" in self.name

    @property
    def fingerprint(self) -> str:
        """The hash of the task's entire frozen behaviour; every result contains it.

        Raises
        ------
        ValueError
            The task is not frozen yet.
        """
        return fingerprint_of(self.name)

    @property
    def met(self) -> tuple[str, ...]:
        """All opponents in the evaluation."""
        return (*self.rivals, *self.held_out)

    @property
    def first(self) -> Task:
        """The first task with the same training, such as an earlier version.

        An agent that was trained for one of them can be evaluated on the other.
        """
        return next((one for one in TASKS.values() if one.training == self.training), self)

    @property
    def versions(self) -> list[Task]:
        """All versions of this task, oldest first."""
        stem = self.name.rpartition("-v")[0]
        found = [one for name, one in TASKS.items() if name.rpartition("-v")[0] == stem]
        return found or [self]

    @property
    def training(self) -> tuple[Any, ...]:
        """Everything that determines the training."""
        return self.rules, self.opponents, self.seat, self.budgets, self.start

    @property
    def is_self_play(self) -> bool:
        """Whether every seat learns."""
        return self.opponents == SELF

    @cached_property
    def _dealer(self) -> Dealer:
        return Dealer(self.rules)

    @property
    def env_rules(self) -> Rules:
        """The rules, or for a distribution some with its layout and the most seats."""
        return self._dealer.rules

    @property
    def fixed_rules(self) -> Rules:
        """The rules of all training games, for learners that can't change them.

        Raises
        ------
        ValueError
            Each game draws its rules.
        """
        if not isinstance(self.rules, Rules):
            raise ValueError("each game would draw its rules, but this plays one set of rules only")
        return self.rules

    @cached_property
    def test_rules(self) -> tuple[Rules, ...]:
        """The rules of the evaluation, in the layout of the training."""
        if not self.tests:
            return (self.env_rules,)
        return tuple(rules.replace(layout=self.env_rules.layout) for rules in self.tests.values())

    def specialised(self, test: str) -> Task:
        """Return the task of training and evaluating under one of the test rules only.

        Its name is that of this task, then a slash and the name of the test rules.

        Raises
        ------
        ValueError
            There are no test rules of that name.
        """
        if not self.tests:
            raise ValueError(f"{self.name} has no test rules, so none called {test!r}")
        own = self.tests[check_choice(f"the test rules of {self.name}", test, self.tests)]
        rules = own.replace(layout=self.env_rules.layout)
        return replace(self, name=f"{self.name}/{test}", rules=rules, tests={test: own})

    def sample(self, rng: np.random.Generator) -> Rules:
        """Return the rules of a training game."""
        return self._dealer.draw(rng)

    def rules_of(self, deck: int) -> Rules:
        """Return the rules under which an evaluation deck is played: all test rules in turn."""
        return self.test_rules[deck % len(self.test_rules)]

    def deck_seed(self, deck: int) -> int:
        """Return the game seed for an evaluation deck, counted from 0."""
        return seed_of(Stream.TASKS, self.number, deck // len(self.test_rules))

    def deck(self, deck: int) -> tuple[str, ...]:
        """Return an evaluation deck's tiles in draw order."""
        return Game(self.rules_of(deck), seed=self.deck_seed(deck)).draw

    def solved(self) -> Endgames | None:
        """Return the task's solved endgames, under its rules; None if it has none."""
        if self.endgames is None:
            return None
        return _solved(self.endgames, self.env_rules)

    @property
    def n_endgames(self) -> int:
        """Number of endgames that an agent is asked about."""
        return 0 if self.endgames is None else len(shipped_endgames()[self.endgames].endgames)

    def options(self, **chosen: Any) -> dict[str, Any]:
        """Return the arguments for the task's environments.

        Parameters
        ----------
        chosen
            Additional arguments, and replacements for the reward and the encoding.

        Raises
        ------
        ValueError
            An argument would change the game.
        """
        if fixed := [name for name in FIXED if name in chosen]:
            raise ValueError(
                f"{fixed[0]} cannot be chosen in {self.id}, because it is part of the task; make "
                "the environment carc_env/Carcassonne-v1 for games of your own"
            )
        own = {name: getattr(self, name) for name in (*FIXED, "encoding", "reward")}
        return {**own, **chosen}

    def env(self, **chosen: Any) -> CarcassonneAEC:
        """Return the task's PettingZoo environment, in which every agent is asked.

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
_PARTS: dict[str, Mapping[str, Any]] = {
    "abbot": {"abbot": True},
    **{name: PRESETS[name] for name in ("inns", "traders", "river", "king-robber")},
    **{name: PRESETS[name] for name in ("phantom", "festival")},
}
_NEW_SETS = ("shrines", "watchtowers", "river-2", "hills-sheep", "abbey-mayor")
_WITHOUT_ABBOT = Rules(view=28, abbot=False)
_COMBINATIONS = Subsets(_PARTS, base=_WITHOUT_ABBOT)
# Two networks imitated `value`: one under at most one expansion, the other also under five to
# seven, with as many decisions. Under rules that both had seen, the first had the lower log-loss;
# under these combinations of five to seven, its disadvantage was largest.
_LEFT_OUT = (
    *((), ("phantom",), ("traders",), ("king-robber",), ("festival",)),
    *(("king-robber", "phantom"), ("inns", "king-robber"), ("phantom", "festival")),
)
_MIX_TESTS = {
    "-".join(f"no-{name}" for name in left_out) or "all-seven": _COMBINATIONS.of(
        *(name for name in _PARTS if name not in left_out)
    ).plain
    for left_out in _LEFT_OUT
}
_NEW_TESTS = {name: Rules.preset(name, view=28) for name in _NEW_SETS}
_MIX = Subsets(
    _PARTS,
    base=_WITHOUT_ABBOT,
    n_parts=(0, 1),
    layout=Layout(*_COMBINATIONS.layout.covers, *_MIX_TESTS.values(), *_NEW_TESTS.values()),
)
"""The training of two tasks, so that a single run can be evaluated on both."""
_BOX = Rules.from_dict(
    {
        "sets": ["base", "abbey", "king"],
        "view": 24,
        **dict.fromkeys(("abbeys", "mayors", "barns", "wagons", "king_robber"), True),
    }
)
_VARIANTS = {
    f"{scoring}+{abbeys}+{wagons}+{points}+{n or 'all'}": _BOX.replace(
        king_robber_scoring=scoring,
        abbey_endgame=abbeys,
        wagon_adjacency=wagons,
        small_city_points=points,
        deck_size=n,
    )
    for scoring, abbeys, wagons, points, n in (
        ("running", "until_blocked", "C1", 2, None),
        ("running", "until_blocked", "C2", 4, 24),
        ("fifteen_forty", "until_blocked", "C1", 2, 72),
        ("fifteen_forty", "none", "C1", 2, 24),
        ("per_feature", "until_blocked", "C1", 2, None),
    )
}
_RATED = {
    "held_out": ("thrifty", "farmer", "blocker"),
    "rivals": ("greedy", "value", "insight"),
}
_MIX_EVALUATION: dict[str, Any] = {"rivals": ("greedy", "value"), "n_adapting": 100_000}
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
    Task(
        "mix-combinations-v1",
        "From at most one of seven expansions to five, six and all, 2 players, in self-play",
        number=9,
        rules=_MIX,
        tests=_MIX_TESTS,
        **_MIX_EVALUATION,
    ),
    Task(
        "mix-new-sets-v1",
        "From at most one of seven expansions to five other sets, 2 players, in self-play",
        number=10,
        rules=_MIX,
        tests=_NEW_TESTS,
        **_MIX_EVALUATION,
    ),
    Task(
        "mix-players-v1",
        "Base game, from 2 and 3 players to 4 and 5, in self-play",
        number=11,
        rules=OneOf(
            [Rules(view=20, n_players=n) for n in (2, 3)],
            layout=Layout(*(Rules(view=20, n_players=n) for n in (2, 3, 4, 5))),
        ),
        tests={f"{n}-players": Rules(view=20, n_players=n) for n in (4, 5)},
        **_MIX_EVALUATION,
    ),
    Task(
        "mix-variants-v1",
        "Abbey & Mayor with King & Robber Baron, from some variants and deck sizes to others, "
        "2 players, in self-play",
        number=12,
        rules=Switches(
            {
                "king_robber_scoring": ("per_feature", "ten_each"),
                "abbey_endgame": ("one_round", "none"),
                "wagon_adjacency": ("C2", "C1"),
                "small_city_points": (4, 2),
                "deck_size": range(36, 61),
            },
            base=_BOX,
            without=[{"wagon_adjacency": "C1", "small_city_points": 2}],
            layout=Layout(_BOX, *_VARIANTS.values()),
        ),
        tests=_VARIANTS,
        **_MIX_EVALUATION,
    ),
)


def _rated(name: str, number: int, n_decks: int, *ratings: int, **others: Any) -> Task:
    """Return version 2 of a task: the same training, and an evaluation without a ceiling.

    ``ratings`` are those of the opponents: docs/results/anchors.json, by scripts/anchors.py.
    """
    before = next(one for one in _LISTED if one.name == f"{name}-v1")
    changes = {"number": number, "n_decks": n_decks, **_RATED, **others}
    anchors = dict(zip(changes["rivals"], ratings, strict=True))
    return replace(before, name=f"{name}-v2", anchors=anchors, **changes)


_VERSION_2 = (
    _rated("base-greedy", 13, 500, 992, 1500, 1649),
    _rated("base-selfplay", 14, 500, 992, 1500, 1649),
    _rated("abbey-mayor-greedy", 15, 500, 1078, 1500, 1557),
    _rated("all-greedy", 16, 100, 1246, 1500, 1594),
    # `insight` has no weights for these rules.
    _rated("traders-transfer", 17, 500, 915, 1500, rivals=("greedy", "value")),
)
TASKS: Mapping[str, Task] = MappingProxyType({task.name: task for task in (*_LISTED, *_VERSION_2)})
"""All tasks by name."""


READERS: dict[str, Callable[[str], Task]] = {}
"""What reads tasks from files, by suffix: :mod:`carc_env` adds :mod:`carc_env.own_tasks`."""
_OWN: dict[str, tuple[Task, dict[str, Any]]] = {}
"""Tasks from files that this process has read, and their frozen data, by name."""


def task(name: str | os.PathLike[str]) -> Task:
    """Return the task with the given name, or from the file of a task of your own.

    A file makes its task's name and Gymnasium id known (:mod:`carc_env.own_tasks`).

    ``"TASK/TEST"`` is a task with one of its test rules only: see :meth:`Task.specialised`.

    Raises
    ------
    ValueError
        There is no such task; the message lists all tasks and the one that was probably meant. Or
        the file is refused.
    OSError
        The file cannot be read.
    """
    name = os.fspath(name)
    if name in _OWN:
        return _OWN[name][0]
    if reader := READERS.get(os.path.splitext(name)[1]):
        return reader(name)
    name = name.removeprefix(f"{NAMESPACE}/")
    whole, _, test = name.rpartition("/")
    if whole in TASKS or whole in _OWN or os.path.splitext(whole)[1] in READERS:
        return task(whole).specialised(test)
    try:
        return TASKS[check_choice("task", name, [*TASKS, *_OWN])]
    except ValueError as error:
        raise ValueError(f"{error}; a task of your own is a .json or .yaml file") from None


def training_on(name: str = "", rules: str = "base", opponents: str = SELF) -> Task:
    """Return the task with this name, or a task without decks for other rules.

    Parameters
    ----------
    name : str
        See :func:`task`. Empty: use the rules.
    rules : str
        See :func:`read_rules`. The test rules of a distribution are eight that it draws.
    opponents : str
        The agent in the other seats, or ``"self"`` if every seat learns.

    Raises
    ------
    ValueError, ImportError
        The task, the rules or the distribution are refused.
    """
    if name:
        return task(name)
    deal = read_rules(rules)
    if isinstance(deal, Rules):
        return Task("", "", 0, deal, opponents)
    dealer, rng = Dealer(deal), np.random.default_rng(0)
    tests = {f"{k}": dealer.draw(rng).plain for k in range(N_DRAWN)}
    return Task("", "", 0, deal, opponents, tests=tests)


def add_own(found: Task, frozen: dict[str, Any]) -> Task:
    """Make a task of your own known by its name, and to Gymnasium.

    Raises
    ------
    ValueError
        Another task has this name.
    """
    there = _OWN.setdefault(found.name, (found, frozen))
    if there[1]["fingerprint"] != frozen["fingerprint"]:
        raise ValueError(
            f"two tasks are called {found.name}: their fingerprints are "
            f"{there[1]['fingerprint']} and {frozen['fingerprint']}"
        )
    _register(found)
    return there[0]


def frozen_of_own(name: str) -> dict[str, Any]:
    """Return the frozen data of a task of your own that this process has read."""
    return _OWN[name][1]


@cache
def _solved(name: str, rules: Rules) -> Endgames:
    """Return a set's endgames under other rules: all positions are set up anew."""
    return shipped_endgames()[name].under(rules)


@cache
def frozen_tasks() -> dict[str, Any]:
    """Return the tasks' frozen data by task name, see :mod:`carc_env.freezing`."""
    found: dict[str, Any] = json.loads((files("carc_env") / FROZEN).read_text(encoding="utf-8"))
    return found


def fingerprint_of(name: str) -> str:
    """Return the fingerprint of a frozen task.

    Raises
    ------
    ValueError
        The task is not frozen yet.
    """
    if name in _OWN:
        return str(_OWN[name][1]["fingerprint"])
    frozen = frozen_tasks()
    if name not in frozen:
        raise ValueError(f"{name} is not frozen yet: run scripts/freeze_tasks.py")
    return str(frozen[name]["fingerprint"])


# Factories for the Gymnasium IDs.


def single_env(task_name: str, **chosen: Any) -> CarcassonneEnv:
    """Return a task's environment for one learner.

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
    """Return a vector environment with a task's games.

    Raises
    ------
    ValueError
        An argument is refused.
    """
    return vector_of(task(task_name), num_envs, **chosen)


def vector_of(asked: Task, num_envs: int = 1, **chosen: Any) -> CarcassonneVectorEnv:
    """Return a vector environment with the games of a task, which may be unknown to Gymnasium.

    Raises
    ------
    ValueError
        An argument is refused.
    """
    return CarcassonneVectorEnv(num_envs, **asked.options(**chosen))


def register_tasks() -> None:
    """Register all task IDs with Gymnasium; importing carc_env calls it."""
    for one in TASKS.values():
        _register(one)


def _register(one: Task) -> None:
    if one.id not in gymnasium.registry:
        gymnasium.register(
            one.id,
            entry_point=f"{__name__}:{single_env.__name__}",
            vector_entry_point=f"{__name__}:{vector_env.__name__}",
            kwargs={"task_name": one.name},
        )
        if one.first is not one:  # Gymnasium must not call the first version out of date
            gymnasium.registry[one.id].version = None
