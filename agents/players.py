"""Agents by name or file, and how to ask one agent about many tables at once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from carc_env.opponents import BUILT_IN, Opponent, make_opponent
from carc_env.rules import Rules
from carc_env.table import Table

Agent = Opponent
"""Anything with ``act(table) -> int``; the table must not be changed."""


@runtime_checkable
class BatchAgent(Protocol):
    """An agent that is quicker when it is asked about many tables at once."""

    def act(self, table: Table) -> int:
        """A legal action for ``table.decider``."""

    def act_many(self, tables: Sequence[Table]) -> list[int]:
        """A legal action for the decider of each table."""


def make_agent(spec: str | os.PathLike[str], rules: Rules | None = None) -> Agent:
    """An agent from ``"random"``, ``"greedy"`` or the path of a checkpoint.

    Parameters
    ----------
    spec : str or path
        Names of built-in agents go before files of the same name.
    rules : Rules, optional
        What it shall play; a checkpoint of other rules is refused. Default: any.

    Raises
    ------
    ValueError
        There is neither an agent nor a file of that name, or the checkpoint is refused.
    ImportError
        A checkpoint needs torch, which is not installed.
    """
    name = os.fspath(spec)
    if name in BUILT_IN:
        return make_opponent(name)
    if not os.path.exists(name):
        built_in = ", ".join(map(repr, BUILT_IN))
        raise ValueError(f"agent {name!r} is neither built in ({built_in}) nor a checkpoint file")
    from agents.network_agent import NetworkAgent  # torch is needed from here on

    return NetworkAgent.load(name, rules)


def act_many(agent: Agent, tables: Sequence[Table]) -> list[int]:
    """One legal action for the decider of each table, in one call where the agent can do that."""
    if isinstance(agent, BatchAgent):
        return agent.act_many(tables)
    return [agent.act(table) for table in tables]
