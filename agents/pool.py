"""A learner's opponents: named agents, itself, and its past versions.

A spec is an agent's name, ``self`` for the current network, or ``past`` for copies of it taken at
intervals. A suffix such as ``@40-100`` gives the part of the run, in percent, in which the opponent
appears. For example, ``greedy@0-50 value@30-100 self@60-100 past@60-100`` begins with greedy and
ends with self-play.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch

from carc_env.envs.naming import make_agent
from carc_env.envs.opponents import Opponent
from carc_env.game.table import Table
from carc_env.rules import Rules

from .checkpoint import Arrays
from .network_agent import NetworkAgent
from .networks import Network

SELF, PAST = "self", "past"
N_PAST = 4
"""Number of past copies of the network to keep; a new copy replaces the oldest."""
MEMORY = 100
"""Number of games after which a result's weight in the win rate has fallen to 1/e."""
EASIEST = 0.1
"""With ``by_rating``, weight of an opponent that always loses; one that always wins has 1 more."""

_WORD = re.compile(r"(?P<name>.+?)(@(?P<first>\d+)-(?P<last>\d+))?")


class Spell(NamedTuple):
    """An opponent and its part of a run, as fractions."""

    name: str
    first: float
    last: float


def read_word(word: str) -> Spell:
    """Parse the spec of an opponent.

    Raises
    ------
    ValueError
        The part of the run is invalid.
    """
    found = _WORD.fullmatch(word)
    if found is None or found["first"] is None:
        return Spell(word, 0.0, 1.0)
    first, last = int(found["first"]), int(found["last"])
    if not first < last <= 100:
        raise ValueError(f"opponent {word!r}: expected @FIRST-LAST in percent, such as @0-50")
    return Spell(found["name"], first / 100, last / 100)


def check_words(words: Sequence[str]) -> None:
    """Raise a ``ValueError`` unless there is an opponent in every part of a run.

    Copies of the network exist only once the first has been taken, so ``past`` alone is not enough.
    """
    spells = [spell for word in words if (spell := read_word(word)).name != PAST]
    covered = 0.0
    for spell in sorted(spells, key=lambda spell: spell.first):
        if spell.first <= covered:
            covered = max(covered, spell.last)
    if covered < 1.0:
        raise ValueError(
            f"opponents: there is none after {covered:.0%} of the run; {PAST!r} does not count, "
            f"got {list(words)}"
        )


class Stand:
    """A placeholder for an opponent played by a network."""

    def __init__(self) -> None:
        self.agent: NetworkAgent | None = None

    def act(self, table: Table) -> int:
        """Return the network's action."""
        return self.act_many([table])[0]

    def act_many(self, tables: Sequence[Table]) -> list[int]:
        """Return the network's action at each table."""
        if self.agent is None:
            raise RuntimeError("this opponent has no network yet")
        return self.agent.act_many(tables)


@dataclass
class Member:
    """An opponent of a pool."""

    spell: Spell
    agent: Opponent
    won: float = 0.5
    """The learner's recent win rate against it; a draw counts half."""
    n_games: int = 0


class Pool:
    """Assigns opponents to games as they begin.

    Parameters
    ----------
    words : sequence of str
        Opponent specs, as described in the module docstring.
    rules : Rules
        The rules of the games.
    by_rating : bool
        Choose opponents that the learner seldom beats more often; otherwise choose all equally
        often.

    Raises
    ------
    ValueError
        A spec names no agent, or a part of the run has no opponent.
    """

    def __init__(self, words: Sequence[str], rules: Rules, *, by_rating: bool = False) -> None:
        check_words(words)
        self.rules, self.by_rating = rules, by_rating
        self.done = 0.0
        """The completed fraction of the run."""
        self.n_kept = 0
        """Number of copies taken so far."""
        self.members: list[Member] = []
        for spell in map(read_word, words):
            if spell.name in (SELF, PAST):
                n = N_PAST if spell.name == PAST else 1
                self.members += [Member(spell, Stand()) for _ in range(n)]
            else:
                self.members.append(Member(spell, make_agent(spell.name, rules)))

    @property
    def opponents(self) -> list[str | Opponent]:
        """The opponents: networks as agents, all others as specs, to make for changing rules."""
        return [m.agent if isinstance(m.agent, Stand) else m.spell.name for m in self.members]

    def follow(self, network: Network) -> None:
        """Set the network that plays ``self``; later changes to it take effect, too."""
        for member in self.members:
            if member.spell.name == SELF:
                _take_place(member, network, self.rules)

    def keep(self, network: Network) -> None:
        """Store a copy of a network, replacing the oldest copy."""
        past = [member for member in self.members if member.spell.name == PAST]
        if past:
            member = past[self.n_kept % len(past)]
            _take_place(member, copy.deepcopy(network), self.rules)
            member.won, member.n_games = 0.5, 0
            self.n_kept += 1

    def deal(self, random: np.random.Generator) -> int:
        """Draw an opponent for a new game; return its index."""
        there = [k for k, member in enumerate(self.members) if self._is_there(member)]
        if len(there) == 1:
            return there[0]
        weights = np.ones(len(there))
        if self.by_rating:
            weights = np.array([1.0 + EASIEST - self.members[k].won for k in there])
        return there[int(random.choice(len(there), p=weights / weights.sum()))]

    def note(self, k: int, won: float) -> None:
        """Record a game's result for the learner: 1, 0, or 0.5 for a draw."""
        member = self.members[k]
        member.n_games += 1
        member.won += (won - member.won) / min(member.n_games + 1, MEMORY)

    def _is_there(self, member: Member) -> bool:
        if isinstance(member.agent, Stand) and member.agent.agent is None:
            return False
        return member.spell.first <= self.done < member.spell.last or (
            self.done >= 1.0 and member.spell.last == 1.0
        )

    # Saving and restoring the pool.

    def save(self) -> tuple[dict[str, Any], Arrays]:
        """Return the pool's complete state, as plain values and arrays."""
        arrays: Arrays = {}
        for k, member in enumerate(self.members):
            if member.spell.name == PAST and isinstance(member.agent, Stand) and member.agent.agent:
                state = member.agent.agent.network.state_dict()
                arrays |= {
                    f"past/{k}/{name}": tensor.cpu().numpy() for name, tensor in state.items()
                }
        results = [[member.won, member.n_games] for member in self.members]
        return {"n_kept": self.n_kept, "results": results}, arrays

    def restore(self, saved: dict[str, Any], arrays: Arrays, like: Network) -> None:
        """Restore the result of :meth:`save`.

        Raises
        ------
        KeyError, ValueError, RuntimeError
            The saved pool has other opponents.
        """
        self.n_kept = int(saved["n_kept"])
        for k, (member, (won, n)) in enumerate(zip(self.members, saved["results"], strict=True)):
            member.won, member.n_games = float(won), int(n)
            prefix = f"past/{k}/"
            state = {
                name.removeprefix(prefix): torch.from_numpy(array)
                for name, array in arrays.items()
                if name.startswith(prefix)
            }
            if state:
                network = copy.deepcopy(like)
                network.load_state_dict(state)
                _take_place(member, network, self.rules)


def _take_place(member: Member, network: Network, rules: Rules) -> None:
    assert isinstance(member.agent, Stand)
    member.agent.agent = NetworkAgent(network, rules)
