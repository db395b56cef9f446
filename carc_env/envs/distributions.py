"""Distributions of rules: an environment draws the rules of each game when the game begins.

Pass one wherever an environment takes rules. :class:`OneOf`, :class:`Subsets` and :class:`Switches`
are built in; any object with a ``layout`` and ``sample(rng)`` will do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any, Protocol, runtime_checkable

import numpy as np

from carc_env.engine.core.tiles import FORKED_RIVER_SET, RIVER_SET
from carc_env.layout.shared import check_layout
from carc_env.rules import CHOICES, PRESETS, Layout, Rules, RulesLike
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
        """Return the rules of a new game, with ``layout`` as their layout."""


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
        The numbers of rules and weights differ, a weight is negative, or all are zero.
    """

    def __init__(
        self,
        rules: Sequence[RulesLike],
        *,
        weights: Sequence[float] | None = None,
        layout: Layout | None = None,
    ) -> None:
        found = [Rules.of(one) for one in rules]
        self.layout = layout or Layout(*found)
        self.rules = [one.replace(layout=self.layout) for one in found]
        for one in self.rules:
            check_layout(one)
        shares = np.array([1.0] * len(found) if weights is None else weights, np.float64)
        if len(shares) != len(found) or (shares < 0).any() or not shares.sum() > 0:
            raise ValueError(f"weights must be a number for each of {len(found)} rules, not all 0")
        self._shares = shares / shares.sum()

    def sample(self, rng: np.random.Generator) -> Rules:
        """Return one of the rules."""
        return self.rules[int(rng.choice(len(self.rules), p=self._shares))]


class Subsets:
    """Base rules with some of several expansions.

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
        There is no such preset, or two expansions set a switch to different values.
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
        self.parts: dict[str, Part] = (
            {**parts} if isinstance(parts, Mapping) else {name: _preset(name) for name in parts}
        )
        self.base = Rules.of(base)
        self.n_players = (n_players,) if isinstance(n_players, int) else (*n_players,)
        self.n_parts = (n_parts, n_parts) if isinstance(n_parts, int) else n_parts and (*n_parts,)
        least, most = self.n_parts or (0, len(self.parts))
        if not 0 <= least <= most <= len(self.parts):
            raise ValueError(
                f"n_parts must be a number of the {len(self.parts)} expansions, or the least and "
                f"the most; got {n_parts}"
            )
        self.without = {self._names(one) for one in without}
        self._combined = lru_cache(maxsize=4096)(self._combine)
        self.layout = layout or Layout(*self._extremes(None))
        for one in self._extremes(self.layout):
            check_layout(one)

    def of(self, *names: str, n_players: int | None = None) -> Rules:
        """Return the base rules with exactly these expansions, whether or not they are drawn.

        Raises
        ------
        ValueError
            No expansion has such a name.
        """
        n = self.n_players[0] if n_players is None else n_players
        return self._combined(self._names(names), n, self.layout)

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
            if names not in self.without:
                return self._combined(names, n_players, self.layout)
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
        for name in (name for name in self.parts if name in names):
            for field, value in self.parts[name].items():
                if field == "sets":
                    sets |= {*value}
                elif changes.setdefault(field, value) != value:
                    both = f"{changes[field]!r} and {value!r}"
                    raise ValueError(f"expansions set {field} to different values: {both}")
        if "count" in sets and sets & {RIVER_SET, FORKED_RIVER_SET}:
            changes.setdefault("count_with_river", "allow")
        return self.base.replace(sets=(*sets,), n_players=n_players, layout=layout, **changes)

    def _extremes(self, layout: Layout | None) -> list[Rules]:
        """Return rules with all expansions together, none, and each alone: some replace tiles."""
        kinds = [frozenset(self.parts), frozenset(), *(frozenset((name,)) for name in self.parts)]
        return [self._combined(one, n, layout) for one, n in product(kinds, self.n_players)]


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
        A switch is unknown, or has no such value.
    """

    def __init__(
        self,
        switches: Mapping[str, Sequence[Any]],
        *,
        base: RulesLike = None,
        without: Iterable[Mapping[str, Any]] = (),
        layout: Layout | None = None,
    ) -> None:
        self.switches = {name: (*values,) for name, values in switches.items()}
        self.base, self.without = Rules.of(base), [{**one} for one in without]
        singles = [
            self.base.replace(**{name: value})
            for name, values in self.switches.items()
            for value in values
        ]
        self.layout = layout or Layout(self.base, *singles)
        for one in singles:
            check_layout(one.replace(layout=self.layout))
        self._changed = lru_cache(maxsize=4096)(self._change)

    def sample(self, rng: np.random.Generator) -> Rules:
        """Return the base rules with a value drawn for each switch."""
        for _ in range(MAX_DRAWS):
            drawn = {name: v[int(rng.integers(len(v)))] for name, v in self.switches.items()}
            if not any(one.items() <= drawn.items() for one in self.without):
                return self._changed(*drawn.items())
        raise ValueError(NOTHING_LEFT)

    def _change(self, *drawn: tuple[str, Any]) -> Rules:
        return self.base.replace(layout=self.layout, **dict(drawn))


class Everything:
    """Any rules: a preset, or up to four together; in every second game with other switches.

    Then three switches are drawn at random. In every fourth game, the deck is shorter.

    Parameters
    ----------
    n_players : int or sequence of int
        The numbers of players, all equally likely.
    """

    def __init__(self, n_players: int | Sequence[int] = 2) -> None:
        self.n_players = (n_players,) if isinstance(n_players, int) else (*n_players,)
        self.layout = Layout.everything(n_players=self.n_players)

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
        return Rules.of({**fields, "sets": (*sets,)})

    def _vary(self, rules: Rules, rng: np.random.Generator) -> Rules:
        """Return the rules with new values for up to three switches that matter in them."""
        names = {name for system in systems_in(rules) for name in system.switches} & {*CHOICES}
        drawn = rng.choice(sorted(names), min(3, len(names)), replace=False)
        changes = {
            str(name): CHOICES[name][int(rng.integers(len(CHOICES[name])))] for name in drawn
        }
        return rules.replace(**changes)


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
        Whether rules are drawn.
    dealt : list of Rules
        What each row plays.
    n_before : list of int
        Number of games that each row has already played under these rules.

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
        self.varies = self.distribution is not None
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

    def deal(self, i: int, rng: np.random.Generator) -> Rules:
        """Return the rules of the next game in row i."""
        self.n_before[i] += 1
        if self._is_new[i] or (self._fixed[i] is None and self.n_before[i] >= self.games_per_rules):
            self._is_new[i], self.n_before[i] = False, 0
            self.dealt[i] = self._fixed[i] or self.draw(rng)
        return self.dealt[i]

    def told(self, i: int, rules: Rules) -> dict[str, Any]:
        """Return what an info says about the game in row i; nothing unless rules are drawn."""
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

    def read(self, given: RulesLike) -> Rules | None:
        """Return the rules of a reset option in the layout of the environment.

        Raises
        ------
        ValueError
            They are refused, or the environment's layout has no room for them.
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
        return rules
