"""How many points an agent gives away a move, on endgames whose every action is solved exactly.

The *regret* of an action is what the best action is worth more, in points that the decider can
expect to be ahead at the end. *Kendall's tau* (its variant b, for ties) says how far an agent ranks
the actions of a decision as they are worth: 1 is the same order, 0 no connection. It is told of
agents with ``analyse(table)``, over the actions that this lists.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from carc_env.envs.naming import AgentSpec
from carc_env.envs.opponents import act
from carc_env.extras import extras_named
from carc_env.game.endgames import ALMOST, Endgame, Endgames
from carc_env.game.table import Table

from .arena import Agent, Player, agent_error
from .intervals import Estimate, mean_interval, wilson

AT_ONCE = 20
"""Endgames that a worker is handed."""
Task = tuple[str, range]
"""An agent, and the endgames that it is asked about, by their places in the set."""


@dataclass(frozen=True)
class Answer:
    """What an agent did in one endgame."""

    agent: str
    place: int
    """Of the endgame in its set."""
    regret: float
    """Points given away."""
    tau: float | None
    """None without ``analyse``, or where all actions listed are worth the same or seem to be."""
    seconds: float
    """Time of the decision."""


@dataclass(frozen=True)
class Regret:
    """How an agent did on a set; all intervals are over endgames."""

    agent: str
    n: int
    """Endgames."""
    regret: Estimate
    """Points given away a decision."""
    worst: float
    """The most points given away."""
    best: Estimate
    """Share of decisions that gave nothing away."""
    tau: Estimate | None
    """None for an agent that ranks nothing."""
    n_ranked: int
    """Endgames that tau is a mean of."""
    seconds: float
    """Mean time of a decision."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Questions:
    """Endgames for agents; :meth:`ask` is what workers do.

    Parameters
    ----------
    found : Endgames
        The endgames.
    players : dict of str to Player
        The agents; those that take a seed are made anew for each endgame, as for each game of a
        match.
    ranks : bool
        Ask for the order of actions, too, which a searching agent searches a second time for.
    """

    found: Endgames
    players: dict[str, Player]
    ranks: bool = True

    def tasks(self, n: int) -> list[Task]:
        """All there is to do about the first n endgames."""
        parts = [range(k, min(k + AT_ONCE, n)) for k in range(0, n, AT_ONCE)]
        return [(name, part) for name in self.players for part in parts]

    def ask(self, task: Task) -> list[Answer]:
        """What an agent does in some endgames.

        Raises
        ------
        AgentError
            It crashes, takes an illegal action or changes a table.
        ValueError
            An endgame is none under the rules of this version.
        ImportError
            The library for tau is not installed.
        """
        name, places = task
        player, answers = self.players[name], []
        for place in places:
            endgame = self.found.endgames[place]
            table = endgame.game(seed=endgame.number)
            try:
                agent = player
                if isinstance(agent, AgentSpec):
                    agent = agent.make(self.found.rules, seed=endgame.number)
                action, tau, seconds = self._ask(agent, endgame, table)
            except ImportError:
                raise
            except Exception as error:
                raise agent_error(f"{name} in endgame {endgame.number}", error) from error
            regret = endgame.regret(table.legal_actions().index(action))
            answers.append(Answer(name, place, regret, tau, seconds))
        return answers

    def _ask(self, agent: Agent, endgame: Endgame, table: Table) -> tuple[int, float | None, float]:
        """An agent's action, how it ranks all of them, and how long it took over the action."""
        began = time.perf_counter()
        action = act(agent, table)
        seconds = time.perf_counter() - began
        analyse = getattr(agent, "analyse", None)
        if analyse is None or not self.ranks:
            return action, None, seconds
        thought = {int(line.action): float(line.value) for line in analyse(table.clone())}
        worth = dict(zip(table.legal_actions(), endgame.values.tolist(), strict=True))
        return action, tau_b([*thought.values()], [worth[a] for a in thought]), seconds


def tau_b(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Kendall's tau-b of two lists of numbers; None where one of them is constant.

    Raises
    ------
    ImportError
        The library for it is not installed.
    """
    with extras_named():
        from scipy.stats import kendalltau
    lists = [_with_ties(np.asarray(numbers, float)) for numbers in (one, other)]
    if any(np.unique(numbers).size < 2 for numbers in lists):
        return None
    return float(kendalltau(*lists).statistic)


def _with_ties(numbers: Any) -> Any:
    """Numbers of which those that stand for the same one are equal."""
    return np.rint(numbers / ALMOST)


def regret_of(answers: Sequence[Answer]) -> Regret:
    """How an agent did, of at least one answer.

    Raises
    ------
    ValueError
        There is none.
    """
    if not answers:
        raise ValueError("nothing was asked")
    regrets = np.array([answer.regret for answer in answers])
    taus = [answer.tau for answer in answers if answer.tau is not None]
    return Regret(
        agent=answers[0].agent,
        n=len(answers),
        regret=mean_interval(regrets),
        worst=float(regrets.max()),
        best=wilson(int((regrets < ALMOST).sum()), len(answers)),
        tau=mean_interval(taus) if taus else None,
        n_ranked=len(taus),
        seconds=float(np.mean([answer.seconds for answer in answers])),
    )
