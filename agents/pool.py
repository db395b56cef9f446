"""Whom a learner plays against: named agents, itself, and what it was before.

A word is a name of an agent, ``self`` for the network as it is, or ``past`` for copies of it taken
now and then; ``@40-100`` behind it says in which part of the run it is met, in percent. So
``greedy@0-50 value@30-100 self@60-100 past@60-100`` begins with greedy and ends with itself.
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
"""Copies of the network that are kept; a new one takes the place of the oldest."""
MEMORY = 100
"""Games after which a result counts for 1/e in how often an opponent is beaten."""
EASIEST = 0.1
"""By rating, the weight of an opponent that is always beaten; one that never is has 1 more."""

_WORD = re.compile(r"(?P<name>.+?)(@(?P<first>\d+)-(?P<last>\d+))?")


class Spell(NamedTuple):
    """Who is met in which part of a run, as shares of it."""

    name: str
    first: float
    last: float


def read_word(word: str) -> Spell:
    """What a word says.

    Raises
    ------
    ValueError
        The part of the run is none.
    """
    found = _WORD.fullmatch(word)
    if found is None or found["first"] is None:
        return Spell(word, 0.0, 1.0)
    first, last = int(found["first"]), int(found["last"])
    if not first < last <= 100:
        raise ValueError(f"opponent {word!r}: expected @FIRST-LAST in percent, such as @0-50")
    return Spell(found["name"], first / 100, last / 100)


def check_words(words: Sequence[str]) -> None:
    """Raise a ``ValueError`` unless somebody is there to play against in every part of a run.

    Copies of the network are there once the first one was taken, so they alone are not enough.
    """
    spells = [spell for word in words if (spell := read_word(word)).name != PAST]
    covered = 0.0
    for spell in sorted(spells, key=lambda spell: spell.first):
        if spell.first <= covered:
            covered = max(covered, spell.last)
    if covered < 1.0:
        raise ValueError(
            f"opponents: nobody is there behind {covered:.0%} of the run; "
            f"{PAST!r} does not count, got {list(words)}"
        )


class Stand:
    """An opponent whose place is taken by a network."""

    def __init__(self) -> None:
        self.agent: NetworkAgent | None = None

    def act(self, table: Table) -> int:
        """What the network does."""
        return self.act_many([table])[0]

    def act_many(self, tables: Sequence[Table]) -> list[int]:
        """What the network does at each table."""
        if self.agent is None:
            raise RuntimeError("nobody has taken the place of this opponent yet")
        return self.agent.act_many(tables)


@dataclass
class Member:
    """An opponent of a pool."""

    spell: Spell
    agent: Opponent
    won: float = 0.5
    """How often the learner has won against it of late; half of it for a draw."""
    n_games: int = 0


class Pool:
    """Deals opponents out to games as they begin.

    Parameters
    ----------
    words : sequence of str
        See the module.
    rules : Rules
        What is played.
    by_rating : bool
        Meet whoever is seldom beaten more often; otherwise all are met alike.

    Raises
    ------
    ValueError
        A word says nobody, or nobody is there in a part of the run.
    """

    def __init__(self, words: Sequence[str], rules: Rules, *, by_rating: bool = False) -> None:
        check_words(words)
        self.rules, self.by_rating = rules, by_rating
        self.done = 0.0
        """The share of the run that is done."""
        self.n_kept = 0
        """Copies of the network that were taken."""
        self.members: list[Member] = []
        for spell in map(read_word, words):
            if spell.name in (SELF, PAST):
                n = N_PAST if spell.name == PAST else 1
                self.members += [Member(spell, Stand()) for _ in range(n)]
            else:
                self.members.append(Member(spell, make_agent(spell.name, rules)))

    def follow(self, network: Network) -> None:
        """Let ``self`` be a network, now and as it changes."""
        for member in self.members:
            if member.spell.name == SELF:
                _take_place(member, network, self.rules)

    def keep(self, network: Network) -> None:
        """Take a copy of a network, in place of the oldest one."""
        past = [member for member in self.members if member.spell.name == PAST]
        if past:
            member = past[self.n_kept % len(past)]
            _take_place(member, copy.deepcopy(network), self.rules)
            member.won, member.n_games = 0.5, 0
            self.n_kept += 1

    def deal(self, random: np.random.Generator) -> int:
        """The number of the opponent of a game that begins."""
        there = [k for k, member in enumerate(self.members) if self._is_there(member)]
        if len(there) == 1:
            return there[0]
        weights = np.ones(len(there))
        if self.by_rating:
            weights = np.array([1.0 + EASIEST - self.members[k].won for k in there])
        return there[int(random.choice(len(there), p=weights / weights.sum()))]

    def note(self, k: int, won: float) -> None:
        """Note the result of a game for the learner: 1, 0, or 0.5 for a draw."""
        member = self.members[k]
        member.n_games += 1
        member.won += (won - member.won) / min(member.n_games + 1, MEMORY)

    def _is_there(self, member: Member) -> bool:
        if isinstance(member.agent, Stand) and member.agent.agent is None:
            return False
        return member.spell.first <= self.done < member.spell.last or (
            self.done >= 1.0 and member.spell.last == 1.0
        )

    # The pool in a checkpoint.

    def save(self) -> tuple[dict[str, Any], Arrays]:
        """All that decides how it goes on, as plain values and arrays."""
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
        """Go to what :meth:`save` returned.

        Raises
        ------
        KeyError, ValueError, RuntimeError
            It is of other opponents.
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
