"""Distributions of rules: an environment draws the rules of each game when the game begins.

Pass one wherever an environment takes rules. :class:`OneOf`, :class:`Subsets` and :class:`Switches`
are built in; any object with a ``layout`` and ``sample(rng)`` will do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import lru_cache
from inspect import signature
from itertools import product
from typing import Any, Protocol, runtime_checkable

import numpy as np

from carc_env.choices import check_choice
from carc_env.engine.core.tiles import FORKED_RIVER_SET, RIVER_SET
from carc_env.entry_points import ENTRY_POINT, imported
from carc_env.envs.starts import Start
from carc_env.layout.shared import check_layout
from carc_env.plain_yaml import read_yaml
from carc_env.rules import CHOICES, PRESETS, Layout, Rules, RulesLike, counts_of
from carc_env.systems import systems_in

Part = Mapping[str, Any]
"""What an expansion adds: fields of :class:`Rules`, among them its ``sets``."""
MAX_DRAWS = 10_000
"""Draws of left-out combinations in a row before an error."""
NOTHING_LEFT = f"{MAX_DRAWS:,} draws in a row gave combinations that `without` leaves out"


@runtime_checkable
class RulesDistribution(Protocol):
    """Draws rules that share a layout."""

    @property
    def layout(self) -> Layout:
        """The layout of all rules that are drawn."""

    def sample(self, rng: np.random.Generator) -> Rules:
        """Return the rules of a new game, with ``layout`` as their layout.

        They must depend on nothing but ``rng``, so that games can be repeated.
        """


class OneOf:
    """One of the given rules.

    Parameters
    ----------
    rules : sequence of Rules, str or dict
        The rules.
    weights : sequence of float, optional
        How likely each is, relative to the others. Default: all are equally likely.
    layout : Layout, optional
        Default: the smallest for these rules. Agents can only play other rules, for example those
        of a test, in a layout that has room for them.

    Raises
    ------
    ValueError
        There are no rules, their number and that of the weights differ, a weight is negative, or
        all are zero.
    """

    def __init__(
        self,
        rules: Sequence[RulesLike],
        *,
        weights: Sequence[float] | None = None,
        layout: Layout | None = None,
    ) -> None:
        _check_list("rules", rules)
        found = [Rules.of(one) for one in rules]
        if not found:
            raise ValueError("rules are missing: give one or more")
        self.layout = layout or Layout(*found)
        self.rules = [one.replace(layout=self.layout) for one in found]
        for one in self.rules:
            check_layout(one)
        try:
            shares = np.array([1.0] * len(found) if weights is None else weights, np.float64)
            is_fine = shares.shape == (len(found),) and (shares >= 0).all() and shares.sum() > 0
        except (TypeError, ValueError):
            is_fine = False
        if not is_fine:
            raise ValueError(
                f"weights must be {len(found)} numbers, one for each of the rules, none of them "
                f"negative and not all 0; got {weights!r}"
            )
        self._shares = shares / shares.sum()

    def sample(self, rng: np.random.Generator) -> Rules:
        """Return one of the rules."""
        return self.rules[int(rng.choice(len(self.rules), p=self._shares))]


class Subsets:
    """Base rules with some of several expansions.

    Expansions that set a switch to different values are never drawn together.

    Parameters
    ----------
    parts : sequence of str, or mapping of str to mapping
        The expansions: names of presets, or names of your own with the fields of :class:`Rules`
        that each changes. Sets are added to those of the base.
    base : Rules, str or dict, optional
        The rules of every game, without expansions.
    n_players : int or sequence of int
        The numbers of players, all equally likely.
    n_parts : int or tuple of int, optional
        The number of expansions in a game, or the least and the most; all numbers between them are
        equally likely. Default: each expansion is in every second game.
    without : iterable of iterables of str
        Combinations of expansions that are never drawn, for example because a test holds them out.
    layout : Layout, optional
        Default: the smallest with room for all combinations, also for those never drawn.

    Raises
    ------
    ValueError
        There is no such preset, the number of expansions is out of range, or the base and an
        expansion contradict each other.
    """

    def __init__(
        self,
        parts: Sequence[str] | Mapping[str, Part],
        *,
        base: RulesLike = None,
        n_players: int | Sequence[int] = 2,
        n_parts: int | tuple[int, int] | None = None,
        without: Iterable[Iterable[str]] = (),
        layout: Layout | None = None,
    ) -> None:
        _check_list("parts", parts)
        self.parts: dict[str, Part] = (
            {**parts} if isinstance(parts, Mapping) else {name: _preset(name) for name in parts}
        )
        self.base = Rules.of(base)
        for name, part in self.parts.items():
            if not isinstance(part, Mapping):
                raise ValueError(
                    f"{name!r} must be the fields of Rules that it changes, got {part!r}"
                )
        self.n_players = counts_of(n_players)
        limits = (0, len(self.parts)) if n_parts is None else n_parts
        limits = (limits, limits) if isinstance(limits, int) else limits
        match limits:
            case (int() as least, int() as most) if 0 <= least <= most <= len(self.parts):
                self.n_parts = None if n_parts is None else (least, most)
            case _:
                raise ValueError(
                    f"n_parts must be a number of the {len(self.parts)} expansions, or the least "
                    f"and the most; got {n_parts}"
                )
        self.without = {self._names(one) for one in without}
        self.layout = layout or Layout(*self._extremes(None))
        for one in self._extremes(self.layout):
            check_layout(one)

    def of(self, *names: str, n_players: int | None = None) -> Rules:
        """Return the base rules with exactly these expansions, whether or not they are drawn.

        Raises
        ------
        ValueError
            No expansion has such a name, or they contradict each other.
        """
        n = self.n_players[0] if n_players is None else n_players
        asked = self._names(names)
        if clash := self._clash(asked):
            raise ValueError(f"expansions set {clash} to different values: {sorted(asked)}")
        return self._combine(asked, n, self.layout)

    def sample(self, rng: np.random.Generator) -> Rules:
        """Return the base rules with some of the expansions."""
        n_players = self.n_players[int(rng.integers(len(self.n_players)))]
        for _ in range(MAX_DRAWS):
            if self.n_parts is None:
                drawn = rng.random(len(self.parts)) < 0.5
            else:
                least, most = self.n_parts
                drawn = rng.permutation(len(self.parts)) < rng.integers(least, most + 1)
            names = frozenset(name for name, is_in in zip(self.parts, drawn, strict=True) if is_in)
            if names not in self.without and not self._clash(names):
                return self._combine(names, n_players, self.layout)
        raise ValueError(NOTHING_LEFT)

    def _names(self, names: Iterable[str]) -> frozenset[str]:
        if isinstance(names, str):
            raise ValueError(f"a combination is a list of expansions, got {names!r}")
        found = frozenset(names)
        if unknown := found - self.parts.keys():
            raise ValueError(f"no expansion is called {sorted(unknown)[0]!r}: {[*self.parts]}")
        return found

    def _combine(self, names: frozenset[str], n_players: int, layout: Layout | None) -> Rules:
        sets, changes = {*self.base.sets}, dict[str, Any]()
        for name in names:
            sets |= {*self.parts[name].get("sets", ())}
            changes |= {k: v for k, v in self.parts[name].items() if k != "sets"}
        if "count" in sets and sets & {RIVER_SET, FORKED_RIVER_SET}:
            changes.setdefault("count_with_river", "allow")
        changes |= {"sets": (*sorted(sets),), "n_players": n_players, "layout": layout}
        return _replaced(self.base, **changes)

    def _clash(self, names: frozenset[str]) -> str:
        """Return a switch that these expansions set to different values, or an empty text."""
        found: dict[str, Any] = {}
        for field, value in (item for name in names for item in self.parts[name].items()):
            if field != "sets" and found.setdefault(field, value) != value:
                return field
        return ""

    def _fullest(self, names: frozenset[str]) -> frozenset[str]:
        """Return these expansions together with all others that fit."""
        for other in self.parts:
            if not self._clash(names | {other}):
                names |= {other}
        return names

    def _extremes(self, layout: Layout | None) -> list[Rules]:
        """Return rules with as many expansions as fit together, with none, and with each alone.

        Those with a single expansion are needed because some replace tiles.
        """
        alone = [frozenset((name,)) for name in self.parts]
        kinds = dict.fromkeys([*map(self._fullest, alone), frozenset[str](), *alone])
        return [self._combine(one, n, layout) for one, n in product(kinds, self.n_players)]


class Switches:
    """Base rules with switches drawn at random.

    Parameters
    ----------
    switches : mapping of str to sequence
        The values of each switch, all equally likely: ``{"deck_size": range(36, 72)}``.
    base : Rules, str or dict, optional
        The rules that the switches change.
    without : iterable of mappings
        Combinations of values that are never drawn: ``[{"wagon_adjacency": "C1"}]``.
    layout : Layout, optional
        Default: the smallest with room for all values.

    Raises
    ------
    ValueError
        A switch is unknown, has no such value, or no values, or ``without`` names a switch or a
        value that is not drawn.
    """

    def __init__(
        self,
        switches: Mapping[str, Sequence[Any]],
        *,
        base: RulesLike = None,
        without: Iterable[Mapping[str, Any]] = (),
        layout: Layout | None = None,
    ) -> None:
        for name, values in switches.items():
            _check_list(name, values)
        self.switches = {name: (*map(_frozen, values),) for name, values in switches.items()}
        self.base = Rules.of(base)
        self.without = [{k: _frozen(v) for k, v in one.items()} for one in without]
        for name, values in self.switches.items():
            if not values:
                raise ValueError(f"{name} has no values to draw")
        for name, value in (item for one in self.without for item in one.items()):
            if value not in self.switches.get(name, ()):
                raise ValueError(f"without leaves out {name}: {value!r}, which is never drawn")
        singles = [
            self.base.replace(**{name: value})
            for name, values in self.switches.items()
            for value in values
        ]
        self.layout = layout or Layout(self.base, *singles)
        for one in singles:
            check_layout(one.replace(layout=self.layout))

    def sample(self, rng: np.random.Generator) -> Rules:
        """Return the base rules with a value drawn for each switch."""
        for _ in range(MAX_DRAWS):
            drawn = {name: v[int(rng.integers(len(v)))] for name, v in self.switches.items()}
            if not any(one.items() <= drawn.items() for one in self.without):
                return _replaced(self.base, layout=self.layout, **drawn)
        raise ValueError(NOTHING_LEFT)


class Everything:
    """Any rules: a preset, or up to four together; in every second game with other switches.

    Then three switches are drawn at random. In every fourth game, the deck is shorter.

    Parameters
    ----------
    n_players : int or sequence of int
        The numbers of players, all equally likely.
    layout : Layout, optional
        Default: ``Layout.everything(n_players)``. Give one with another view, or one that hides the
        rules.
    """

    def __init__(self, n_players: int | Sequence[int] = 2, *, layout: Layout | None = None) -> None:
        self.n_players = counts_of(n_players)
        self.layout = layout or Layout.everything(n_players=self.n_players)

    def sample(self, rng: np.random.Generator) -> Rules:
        """Return rules; presets and switches that contradict each other are drawn again."""
        for _ in range(MAX_DRAWS):
            try:
                found = self._draw(rng)
                if rng.random() < 0.5:
                    found = self._vary(found, rng)
                return found.replace(layout=self.layout)
            except ValueError:
                continue
        raise ValueError(f"{MAX_DRAWS:,} draws in a row gave rules that contradict each other")

    def _draw(self, rng: np.random.Generator) -> Rules:
        """Return the rules of one preset or of several together."""
        fields: dict[str, Any] = {"n_players": int(rng.choice(self.n_players))}
        sets: set[str] = set()
        for name in rng.choice([*PRESETS], int(rng.choice([1, 1, 1, 2, 3, 4])), replace=False):
            fields |= PRESETS[str(name)]
            sets |= {*PRESETS[str(name)].get("sets", Rules().sets)}
        if rng.random() < 0.25:
            fields["deck_size"] = int(rng.integers(24, 72))
        return Rules.of({**fields, "sets": (*sets,), "view": self.layout.view})

    def _vary(self, rules: Rules, rng: np.random.Generator) -> Rules:
        """Return the rules with new values for up to three switches that matter in them."""
        names = {name for system in systems_in(rules) for name in system.switches} & {*CHOICES}
        drawn = rng.choice(sorted(names), min(3, len(names)), replace=False)
        changes = {
            str(name): CHOICES[name][int(rng.integers(len(CHOICES[name])))] for name in drawn
        }
        return rules.replace(**changes)


EVERYTHING = "everything"
FIELDS = {"preset", *(field.name for field in fields(Rules))}
DISTRIBUTIONS: dict[str, Callable[..., RulesDistribution]] = {
    "one_of": OneOf,
    "subsets": Subsets,
    "switches": Switches,
    EVERYTHING: Everything,
}
"""Built-in distributions by their names in YAML: ``{subsets: {parts: [inns, river]}}``."""


def is_distribution(value: Any) -> bool:
    """Return whether a value from YAML is meant as a distribution rather than as rules."""
    named = value.items() if isinstance(value, dict) else ()
    return any(k in DISTRIBUTIONS or (isinstance(v, dict) and k not in FIELDS) for k, v in named)


def distribution_of(value: dict[str, Any], layout: Layout | None = None) -> RulesDistribution:
    """Return the distribution that a value from YAML describes: one name with its arguments.

    Parameters
    ----------
    value : dict
        The name in :data:`DISTRIBUTIONS` with the arguments.
    layout : Layout, optional
        Default: that of the distribution.

    Raises
    ------
    ValueError
        A name or an argument is unknown or refused.
    """
    ((name, arguments),) = value.items() if len(value) == 1 else [("rules", "")]
    arguments = {} if arguments is None else arguments
    if not isinstance(arguments, dict):
        raise ValueError(
            "rules: a distribution is one name with its arguments, such as "
            f"{{one_of: {{rules: [base, inns]}}}}, got {value!r}"
        )
    check_choice("distribution of rules", name, DISTRIBUTIONS)
    for one in arguments:
        allowed = [*signature(DISTRIBUTIONS[name]).parameters]
        check_choice(f"argument of {name}", one, [x for x in allowed if x != "layout"])
    try:
        return DISTRIBUTIONS[name](**arguments, **({"layout": layout} if layout else {}))
    except TypeError as error:
        raise ValueError(f"rules: {name}: {error}") from None


def read_rules(text: str) -> Rules | RulesDistribution:
    """Return rules or a distribution from text.

    Parameters
    ----------
    text : str
        A preset, ``everything``, or YAML of rules or of a distribution, such as ``{subsets: {parts:
        [inns, river]}}``; or ``module:name`` or ``file.py:name`` of a distribution of your own, or
        of a class or function that makes it without arguments.

    Raises
    ------
    ValueError, ImportError
        The rules or the distribution are refused.
    """
    if text == EVERYTHING:
        return Everything()
    if not ENTRY_POINT.fullmatch(text):
        value = read_yaml("rules", text)
        if isinstance(value, str):
            check_choice("rules", value, [*PRESETS, EVERYTHING])
        return distribution_of(value) if is_distribution(value) else Rules.from_yaml(text)
    found: Any = imported(f"rules {text!r}", text)
    if callable(found):
        try:
            found = found()
        except TypeError as error:
            raise ValueError(f"rules {text!r}, called without arguments: {error}") from error
    dealer = Dealer(found)
    return dealer.distribution or dealer.rules


@lru_cache(maxsize=4096)
def _replaced(base: Rules, **changes: Any) -> Rules:
    return base.replace(**changes)


def _check_list(name: str, values: Any) -> None:
    """Refuse text, which is a sequence of letters, and what has no values."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ValueError(f"{name} must be a list, got {values!r}")


def _frozen(value: Any) -> Any:
    """Return a list, such as that of the sets, as a tuple."""
    return (*value,) if isinstance(value, list) else value


def _preset(name: str) -> Part:
    """Return the fields of a preset."""
    Rules.preset(name)
    return PRESETS[name]


class Dealer:
    """Decides which rules are played in each row of an environment.

    Parameters
    ----------
    rules : Rules, str, dict or RulesDistribution
        The environment's argument.
    n_rows : int
        Number of rows.
    games_per_rules : int
        Number of consecutive games in a row under the same rules.

    Attributes
    ----------
    rules : Rules
        The rules, or for a distribution some that have its layout and the most seats.
    varies : bool
        Whether rows can have different rules: they are drawn, or resets can name others.
    dealt : list of Rules
        What each row plays.
    n_before : list of int
        Number of games that each row has already begun under these rules.

    Raises
    ------
    ValueError
        The rules are refused, or ``games_per_rules`` is not positive.
    """

    def __init__(
        self, rules: RulesLike | RulesDistribution, n_rows: int = 1, games_per_rules: int = 1
    ) -> None:
        if type(games_per_rules) is not int or games_per_rules < 1:
            raise ValueError(f"games_per_rules must be a positive int, got {games_per_rules!r}")
        if isinstance(rules, type) or (hasattr(rules, "sample") and not hasattr(rules, "layout")):
            raise ValueError(
                "a distribution of rules is an object, not a class, with a layout and a method "
                f"sample(rng), got {rules!r}"
            )
        self.distribution = rules if isinstance(rules, RulesDistribution) else None
        if isinstance(rules, RulesDistribution):
            if not isinstance(rules.layout, Layout):
                raise ValueError(
                    f"the layout of a distribution must be a Layout, got {rules.layout!r}"
                )
            most = max(rules.layout.covers, key=lambda one: one.n_players)
            self.rules = most.replace(layout=rules.layout)
        else:
            self.rules = Rules.of(rules)
        check_layout(self.rules)
        self.varies = self.rules.layout is not None
        self.games_per_rules = games_per_rules
        self.dealt = [self.rules] * n_rows
        self.n_before = [0] * n_rows
        self._fixed: list[Rules | None] = [None] * n_rows
        self._is_new = [True] * n_rows

    def restart(self, i: int, fixed: Rules | None, *, is_seeded: bool) -> None:
        """Prepare for a reset of row i, with the rules of all its games until the next reset."""
        if is_seeded or fixed != self._fixed[i]:
            self._is_new[i] = True
        self._fixed[i] = fixed

    def deal(self, i: int, rng: np.random.Generator, start: Start | None = None) -> Rules:
        """Return the rules of the next game in row i: those of the state at which it begins."""
        given = start.rules if start else None
        n = self.n_before[i] + 1
        keeps = given == self.dealt[i] if given else self._fixed[i] or n < self.games_per_rules
        if self._is_new[i] or not keeps:
            self.dealt[i], n = given or self._fixed[i] or self.draw(rng), 0
        self._is_new[i], self.n_before[i] = False, n
        return self.dealt[i]

    def told(self, i: int, rules: Rules) -> dict[str, Any]:
        """Return what an info says about the game in row i; nothing if all have the same rules."""
        if not self.varies:
            return {}
        n = rules.n_players
        return {"rules": rules, "n_players": n, "n_games_before": self.n_before[i]}

    def draw(self, rng: np.random.Generator) -> Rules:
        """Return the rules of a game.

        Raises
        ------
        ValueError
            The distribution gave something else, or rules that its layout has no room for.
        """
        if self.distribution is None:
            return self.rules
        rules = self.distribution.sample(rng)
        name = type(self.distribution).__name__
        if not isinstance(rules, Rules):
            raise ValueError(f"{name}.sample must return Rules, got {rules!r}")
        if rules.layout != self.rules.layout:
            raise ValueError(
                f"{name}.sample gave rules with another layout: "
                "return rules.replace(layout=self.layout)"
            )
        try:
            check_layout(rules)
        except ValueError as error:
            raise ValueError(f"{name}.sample gave rules that do not fit: {error}") from None
        return rules

    def read(self, given: RulesLike, start: Start | None = None) -> Rules | None:
        """Return the rules of a reset option in the layout of the environment.

        Raises
        ------
        ValueError
            They are refused, the environment's layout has no room for them, or the state has other
            rules.
        """
        if given is None:
            return None
        rules = Rules.of(given).replace(layout=self.rules.layout)
        if rules.layout is None and rules != self.rules:
            raise ValueError(
                "the environment has no layout for other rules; make it with a distribution, such "
                f"as OneOf([...]) (its rules -> these): {self.rules.differences(rules)}"
            )
        check_layout(rules)
        if start and (change := start.rules.differences(rules)):
            raise ValueError(f"the state has other rules than `rules` (its -> these): {change}")
        return rules
