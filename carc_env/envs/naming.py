"""Agents by name: all interfaces and command lines accept an agent spec.

========================================  ==========================================================
``greedy``                                a name in :data:`ENTRY_POINTS`
``bold:nerve=3``                          a name registered by an installed package
``mcts:sims=2000,c=1.2``                  a name with options
``runs/base/latest.ckpt``                 a checkpoint file
``bots.bold:Bold?nerve=3,calm=false``     your own class or function, with options
``bots/bold.py:Bold?nerve=3,calm=false``  the class or function in this file
========================================  ==========================================================

The options are the factory's keyword parameters whose type or default is a number, a text or a
boolean. Two parameters are special: ``rules`` receives the rules to be played, and an agent that
takes a ``seed`` gets one for each game in a match (:mod:`carc_env.agents.arena`).
"""

from __future__ import annotations

import inspect
import math
import os
import re
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from carc_env.choices import check_choice, did_you_mean
from carc_env.entry_points import ENTRY_POINT, attribute_of, imported
from carc_env.envs.opponents import Opponent, check_opponent
from carc_env.files import user_path
from carc_env.rules import Rules

Factory = Callable[..., Opponent]
"""An agent factory: a class or a function."""

ENTRY_POINTS: dict[str, str | Factory] = {
    "random": "carc_env.envs.opponents:RandomPlayer",
    "greedy": "carc_env.search.players:GreedyPlayer",
    "value": "carc_env.search.players:ValuePlayer",
    "insight": "carc_env.search.players:InsightPlayer",
    "weakened": "carc_env.search.players:WeakenedPlayer",
    "thrifty": "carc_env.search.styles:thrifty",
    "farmer": "carc_env.search.styles:farmer",
    "blocker": "carc_env.search.styles:blocker",
    "one-ply": "carc_env.search.named:one_ply",
    "search": "carc_env.search.named:search",
    "mcts": "carc_env.search.named:mcts",
    "imitation": "carc_env.agents.network_agent:imitation",
    "corrected": "carc_env.agents.corrected:CorrectedAgent",
}
"""Agent names and their factories: ``module:attribute``, imported when the name is used."""
CHECKPOINT = "carc_env.agents.network_agent:NetworkAgent.load"
"""The factory for agents from files; it is called with ``path`` and ``rules``."""

GROUP = "carc_env.agents"
"""The entry-point group through which installed packages name their agents."""
RESERVED = ("self",)
"""Names that have another meaning where agents are named."""
NOT_SET = inspect.Parameter.empty
BOOLEANS = {"true": True, "false": False}
READERS: dict[Any, Callable[[str], Any]] = {
    bool: lambda text: BOOLEANS[text.lower()],
    Path: user_path,
}
"""Parsers for options whose types do not parse our notation themselves."""
WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text", Path: "path"}
"""The types that options can have, in words."""

MAX_LINE_UPS = 128
"""Most rules for which a line-up is kept."""

_NAME = re.compile(r"[A-Za-z][\w-]*")


@dataclass(frozen=True)
class AgentSpec:
    """A parsed agent spec: a factory and its options, from which it makes the agent.

    A spec can be pickled if its factory can be imported or is from a file.
    """

    text: str
    """The original text."""
    factory: Factory
    options: Mapping[str, Any] = field(default_factory=dict)

    def __reduce__(self) -> tuple[Any, ...]:
        file = ENTRY_POINT.fullmatch(self.text.partition("?")[0])
        if file is not None and file[1].endswith(".py"):
            return parse_agent, (self.text,)
        return AgentSpec, (self.text, self.factory, self.options)

    @property
    def takes_seed(self) -> bool:
        """Whether the agent draws its own random numbers."""
        return "seed" in _parameters(self.text, self.factory)

    @property
    def takes_rules(self) -> bool:
        """Whether the agent is made for the rules of its games."""
        return "rules" in _parameters(self.text, self.factory)

    def make(self, rules: Rules | None = None, seed: int | None = None) -> Opponent:
        """Make the agent.

        Parameters
        ----------
        rules : Rules, optional
            The rules to be played. Default: any rules, or the checkpoint's rules.
        seed : int, optional
            Overrides the ``seed`` option, for an agent that takes one.

        Raises
        ------
        ValueError
            An option, a file or the rules are refused, or the factory's result cannot play.
        """
        takes, given = _parameters(self.text, self.factory), {**self.options}
        if "rules" in takes:
            given["rules"] = rules
        if "seed" in takes and seed is not None:
            given["seed"] = seed
        try:
            agent = self.factory(**given)
        except OSError as error:
            raise ValueError(f"agent {self.text!r}: {error}") from error
        check_opponent(agent)
        return agent


def register_agent(name: str, factory: str | Factory) -> None:
    """Register a name for an agent, for all interfaces in this process.

    Parameters
    ----------
    name : str
        Letters, digits, ``_`` and ``-``. An existing name is replaced.
    factory : str or callable
        A class or a function, or its ``module:attribute``, which is imported when the name is used.

    Raises
    ------
    ValueError
        The name does not have this form or is reserved.
    """
    if not _NAME.fullmatch(name) or name in RESERVED:
        raise ValueError(
            f"{name!r} cannot be the name of an agent: use letters, digits, _ and "
            "-, and no reserved word"
        )
    ENTRY_POINTS[name] = factory


def make_agent(
    agent: str | os.PathLike[str] | Opponent, rules: Rules | None = None, *, seed: int | None = None
) -> Opponent:
    """Make an agent from its spec, or return an agent object unchanged.

    Parameters
    ----------
    agent : str, path or Opponent
        See :mod:`carc_env.envs.naming`; a name takes precedence over a file of the same name.
    rules : Rules, optional
        The rules to be played; a checkpoint for different rules is refused. Default: any rules.
    seed : int, optional
        The seed for an agent that draws its own random numbers.

    Raises
    ------
    ValueError
        The spec names no agent, an option is unknown, missing or of the wrong type, the checkpoint
        is refused, or the object cannot play.
    ImportError
        A checkpoint needs torch, or a module needs another module, and it is not installed.
    """
    if isinstance(agent, str | os.PathLike):
        return parse_agent(os.fspath(agent)).make(rules, seed)
    check_opponent(agent)
    return agent


def seat_opponents(
    opponents: str | Opponent | Sequence[str | Opponent], rules: Rules
) -> list[Opponent]:
    """Return an opponent for each seat but the learner's, clockwise from the learner.

    An opponent that is named twice is created once and plays both seats.

    Raises
    ------
    ValueError
        A spec names no agent, or the number of opponents does not match the number of seats.
    """
    n_opponents = rules.n_players - 1
    if isinstance(opponents, str) or not isinstance(opponents, Sequence):
        opponents = [opponents] * n_opponents
    if len(opponents) != n_opponents:
        raise ValueError(
            f"opponents: there are {n_opponents} seats to fill, got {len(opponents)} players"
        )
    named = {word: make_agent(word, rules) for word in opponents if isinstance(word, str)}
    return [named[o] if isinstance(o, str) else make_agent(o) for o in opponents]


class LineUps:
    """A learner's opponents under changing rules.

    Agents given by their specs are made for each of the rules; agent objects play under all.

    Parameters
    ----------
    opponents : str, Opponent, or a sequence of them
        As for :func:`seat_opponents`. In games with fewer seats, the first of a sequence play.
    rules : Rules
        Rules with the most seats.

    Raises
    ------
    ValueError
        See :func:`seat_opponents`.
    """

    def __init__(self, opponents: str | Opponent | Sequence[str | Opponent], rules: Rules) -> None:
        self._given = opponents
        self._made = {rules.plain: seat_opponents(opponents, rules)}

    def under(self, rules: Rules) -> list[Opponent]:
        """Return the opponents under the given rules, clockwise from the learner."""
        if rules.plain not in self._made:
            if len(self._made) >= MAX_LINE_UPS:
                self._made.clear()
            given = self._given
            if isinstance(given, Sequence) and not isinstance(given, str):
                given = given[: rules.n_players - 1]
            self._made[rules.plain] = seat_opponents(given, rules)
        return self._made[rules.plain]


def parse_agent(text: str) -> AgentSpec:
    """Parse an agent spec; this looks up files and imports modules but does not make the agent.

    Raises
    ------
    ValueError, ImportError
        As for :func:`make_agent`.
    """
    name, _, rest = text.partition(":")
    if name in ENTRY_POINTS:
        return _spec(text, _registered(name), rest)
    installed = entry_points(group=GROUP)
    if name in installed.names:
        return _spec(text, installed[name].load(), rest)
    if (path := user_path(text)).exists():
        return AgentSpec(text, attribute_of(CHECKPOINT), {"path": str(path)})
    entry_point, _, rest = text.partition("?")
    if ENTRY_POINT.fullmatch(entry_point):
        return _spec(text, _imported(entry_point), rest)
    names = [*ENTRY_POINTS, *sorted(installed.names)]
    known = ", ".join(map(repr, names))
    raise ValueError(
        f"agent {text!r} is neither built in ({known}) nor a checkpoint file nor a class "
        f"module:Class or file.py:Class{did_you_mean(name, names)}"
    )


def _registered(name: str) -> Factory:
    entry = ENTRY_POINTS[name]
    return attribute_of(entry) if isinstance(entry, str) else entry


def _imported(entry_point: str) -> Factory:
    """Return a user's class or function."""
    factory: Factory = imported(f"agent {entry_point!r}", entry_point, ENTRY_POINTS)
    if not callable(factory):
        raise ValueError(f"agent {entry_point!r} is neither a class nor a function: {factory!r}")
    return factory


def _spec(text: str, factory: Factory, options: str) -> AgentSpec:
    """Return the spec for a factory and options as written: ``sims=2000,c=1.2``."""
    takes = {name: p for name, p in _parameters(text, factory).items() if name != "rules"}
    given: dict[str, Any] = {}
    for part in options.split(",") if options else []:
        name, equals, value = part.partition("=")
        if not equals:
            raise ValueError(f"agent {text!r}: expected option=value, found {part!r}")
        if name in given:
            raise ValueError(f"agent {text!r}: option {name!r} is given twice")
        if not takes:
            raise ValueError(f"agent {text!r} has no options, got {name!r}")
        try:
            check_choice("option", name, takes)
            given[name] = _read(value, _type_of(takes[name]))
        except _WrongType as error:
            raise ValueError(
                f"agent {text!r}: option {name!r} must be {error}, got {value!r}"
            ) from None
        except ValueError as error:
            raise ValueError(f"agent {text!r}: {error}") from None
    missing = [name for name, p in takes.items() if p.default is NOT_SET and name not in given]
    if missing:
        raise ValueError(f"agent {text!r} needs the options {', '.join(missing)}")
    return AgentSpec(text, factory, given)


def _parameters(text: str, factory: Factory) -> dict[str, inspect.Parameter]:
    """Return the parameters that a factory accepts by name."""
    try:
        parameters = inspect.signature(factory, eval_str=True).parameters
    except (NameError, TypeError, ValueError) as error:
        raise ValueError(f"agent {text!r}: carc_env cannot read its options: {error}") from error
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {name: p for name, p in parameters.items() if p.kind in by_name}


def _type_of(parameter: inspect.Parameter) -> Any:
    """Return an option's type: its annotation, the type of its default, or text."""
    if parameter.annotation is not NOT_SET:
        return parameter.annotation
    return str if parameter.default in (NOT_SET, None) else type(parameter.default)


class _WrongType(ValueError):
    """An option's value has the wrong type; the message names the right type."""


def _read(text: str, wanted: Any) -> Any:
    """Convert a text to a value of a type.

    Raises
    ------
    _WrongType
        The text is not a value of that type.
    """
    if get_origin(wanted) in (Union, types.UnionType):
        return _read_one_of(text, get_args(wanted))
    if get_origin(wanted) is Literal:
        choices = {str(choice): choice for choice in get_args(wanted)}
        if text not in choices:
            raise _WrongType(f"one of {', '.join(choices)}")
        return choices[text]
    if wanted not in WORDS:
        raise _WrongType("an object, which cannot be written in a spec")
    try:
        value = READERS.get(wanted, wanted)(text)
    except (KeyError, ValueError):
        raise _WrongType(WORDS[wanted]) from None
    if wanted is float and not math.isfinite(value):
        raise _WrongType("a finite number")
    return value


def _read_one_of(text: str, wanted: tuple[Any, ...]) -> Any:
    """Return the value read as the first of several types that accepts it."""
    expected = []
    for one in wanted:
        if one is types.NoneType:
            if text.lower() == "none":
                return None
            expected.append("none")
            continue
        try:
            return _read(text, one)
        except _WrongType as error:
            expected.append(str(error))
    raise _WrongType(" or ".join(expected))
