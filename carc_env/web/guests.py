"""The agents that the page may seat.

An agent spec can load files and import modules. The page may therefore name only registered agents,
with options that are numbers or fixed words; the person who starts the server must allow any others
(``--agents``).
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec

from carc_env.choices import did_you_mean
from carc_env.envs import opponents
from carc_env.envs.naming import ENTRY_POINTS, make_agent, parse_agent
from carc_env.envs.opponents import Opponent
from carc_env.game.table import Table
from carc_env.rules import Rules
from carc_env.search.named import EVALUATIONS
from carc_env.web.history import levels

MAX_SECONDS = 10
MAX_SIMS = {"search": 1_000_000, "mcts": 5_000}
"""Simulations that take an agent some seconds per decision, with four players and all sets."""
NEEDS_TORCH = ("imitation", "corrected")
SUGGESTED = ("value", "insight", "search:seconds=0.5", "search:seconds=2", "greedy", "random")
"""Agents that the page offers first; the strongest is not a good start."""
QUICK = frozenset(
    (
        "random",
        "greedy",
        "value",
        "insight",
        *(one.agent for one in levels() if "weakened" in one.agent),
    )
)
"""Agents that decide within two milliseconds, so they need no process of their own."""
LIMITS = {"seconds": MAX_SECONDS, "threads": 1}
"""Maximum values for other options that cost time; all of them take numbers."""


def offered(allowed: Sequence[str]) -> list[str]:
    """Return the agent names that the page offers for seats."""
    has_torch = find_spec("torch") is not None
    networks = [name for name in NEEDS_TORCH if has_torch]
    return [*dict.fromkeys((*allowed, *SUGGESTED, "mcts:sims=500", *networks))]


def check_word(name: str, allowed: Sequence[str]) -> None:
    """Refuse an agent that is neither allowed nor registered, without importing anything.

    Raises
    ------
    ValueError
        The agent is neither.
    """
    word = name.partition(":")[0]
    if name not in allowed and word not in ENTRY_POINTS:
        raise ValueError(
            f"agent {name!r} is not one of "
            f"{', '.join(ENTRY_POINTS)}{did_you_mean(word, ENTRY_POINTS)}; others must be named "
            "with --agents when the server is started"
        )


def check_name(name: str, allowed: Sequence[str]) -> None:
    """Refuse an agent that the page may not seat; this imports its factory and possibly torch.

    Raises
    ------
    ValueError
        The name is neither allowed nor registered, or an option is a path or out of range.
    """
    check_word(name, allowed)
    if name in allowed:
        return
    limits = LIMITS | {"sims": MAX_SIMS.get(name.partition(":")[0], 0)}
    for option, value in parse_agent(name).options.items():
        if option == "evaluation":
            if value not in EVALUATIONS:
                raise ValueError(f"agent {name!r}: evaluation must be one of {EVALUATIONS}")
        elif not isinstance(value, int | float | None):
            raise ValueError(f"agent {name!r}: the page may not set the option {option!r}")
        elif value is not None and not value <= limits.get(option, float("inf")):
            raise ValueError(f"agent {name!r}: {option} must be at most {limits[option]:,}")


@lru_cache(maxsize=16)
def seat_agent(name: str, rules: Rules) -> Opponent:
    """Return the agent with a name that :func:`check_name` accepts, shared by this process's games.

    Raises
    ------
    ValueError, ImportError
        As for :func:`carc_env.envs.naming.make_agent`.
    """
    return make_agent(name, rules, seed=secrets.randbits(32))


def check_agent(name: str, rules: Rules, allowed: Sequence[str]) -> None:
    """Raise the errors of :func:`check_name` and :func:`seat_agent`."""
    check_name(name, allowed)
    seat_agent(name, rules)


def decide(name: str, rules: Rules, table: Table) -> int:
    """Return an agent's action.

    Raises
    ------
    ValueError
        The action is not legal.
    """
    return int(opponents.act(seat_agent(name, rules), table))
