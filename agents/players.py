"""Agents by name or file."""

from __future__ import annotations

import os

from carc_env.choices import did_you_mean
from carc_env.envs.opponents import BUILT_IN, Opponent, make_opponent
from carc_env.rules import Rules

Agent = Opponent
"""Anything with ``act(table) -> int``; the table must not be changed."""


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
        raise ValueError(
            f"agent {name!r} is neither built in ({built_in}) nor a checkpoint file"
            f"{did_you_mean(name, BUILT_IN)}"
        )
    from .network_agent import NetworkAgent  # torch is needed from here on

    return NetworkAgent.load(name, rules)
