"""An agent's regret per move on endgames whose every action is solved exactly.

The *regret* of an action is the value of the best action minus that of the action, where values are
expected final leads in points. *Kendall's tau* (variant b, which handles ties) measures how well an
agent ranks the actions of a decision: 1 is the correct order, 0 no correlation. It is reported for
agents with ``analyse(table)``, over the actions that ``analyse`` lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from carc_env.envs.naming import AgentSpec
from carc_env.envs.opponents import act
from carc_env.extras import extras_named
from carc_env.game.endgames import ALMOST, Endgame, Endgames
from carc_env.game.table import Table

from .arena import Agent, Player, agent_error, clock_of
from .intervals import Estimate, mean_interval, wilson

AT_ONCE = 20
"""Endgames per worker task."""
Task = tuple[str, range]
"""An agent, and the indices of the endgames that it is asked about."""


@dataclass(frozen=True)
class Answer:
    """An agent's answer to one endgame."""

    agent: str
    place: int
    """Index of the endgame in its set."""
    regret: float
    """Regret in points."""
    tau: float | None
    """Kendall's tau; None without ``analyse``, or if all listed actions are equal, either exactly
    or according to the agent."""
    seconds: float
    """Decision time."""


@dataclass(frozen=True)
class Regret:
    """An agent's results on a set; all intervals are over endgames."""

    agent: str
    n: int
    """Number of endgames."""
    regret: Estimate
    """Mean regret per decision, in points."""
    worst: float
    """Largest regret."""
    best: Estimate
    """Proportion of decisions without regret."""
    tau: Estimate | None
    """Mean tau; None for an agent that ranks nothing."""
    n_ranked: int
    """Number of endgames with a tau."""
    seconds: float
    """Mean decision time."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Questions:
    """Puts endgames to agents; workers call :meth:`ask`.

    Parameters
    ----------
    found : Endgames
        The endgames.
    players : dict of str to Player
        The agents; those that take a seed are created anew for each endgame, as for each game of a
        match.
    ranks : bool
        Also ask for the order of actions, which costs a searching agent a second search.
    """

    found: Endgames
    players: dict[str, Player]
    ranks: bool = True

    def tasks(self, n: int) -> list[Task]:
        """Return all tasks for the first n endgames."""
        parts = [range(k, min(k + AT_ONCE, n)) for k in range(0, n, AT_ONCE)]
        return [(name, part) for name in self.players for part in parts]

    def ask(self, task: Task) -> list[Answer]:
        """Return an agent's answers to the endgames of a task.

        Raises
        ------
        AgentError
            The agent crashes, takes an illegal action or changes a table.
        ValueError
            An endgame is not valid under the rules of this version.
        ImportError
            The library that computes tau is not installed.
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
        """Return an agent's action, the tau of its ranking, and the time taken for the action."""
        clock = clock_of(agent)
        began = clock()
        action = act(agent, table)
        seconds = clock() - began
        analyse = getattr(agent, "analyse", None)
        if analyse is None or not self.ranks:
            return action, None, seconds
        thought = {int(line.action): float(line.value) for line in analyse(table.clone())}
        worth = dict(zip(table.legal_actions(), endgame.values.tolist(), strict=True))
        return action, tau_b([*thought.values()], [worth[a] for a in thought]), seconds


def tau_b(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return Kendall's tau-b for two lists of numbers; None if either is constant.

    Raises
    ------
    ImportError
        The library that computes it is not installed.
    """
    with extras_named():
        from scipy.stats import kendalltau
    lists = [_with_ties(np.asarray(numbers, float)) for numbers in (one, other)]
    if any(np.unique(numbers).size < 2 for numbers in lists):
        return None
    return float(kendalltau(*lists).statistic)


def _with_ties(numbers: Any) -> Any:
    """Return the numbers with almost equal ones made equal."""
    return np.rint(numbers / ALMOST)


def regret_of(answers: Sequence[Answer]) -> Regret:
    """Return an agent's results from its answers.

    Raises
    ------
    ValueError
        There are no answers.
    """
    if not answers:
        raise ValueError("there are no answers")
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
