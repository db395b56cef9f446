"""The page's puzzles: the package's solved endgames, including a puzzle of the day."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import cache, lru_cache
from typing import Any

import numpy as np

from carc_env.game.endgames import Endgame, shipped_endgames
from carc_env.game.game import Game
from carc_env.game.notation import format_position
from carc_env.game.puzzles import DIGITS, Puzzle
from carc_env.rules import Rules
from carc_env.search.players import ValuePlayer

POOL = ("base-2", "everything-2")
"""The pools to choose from."""
DAILY = (*POOL, "hills-sheep-2", "princess-dragon-2", "tower-2")
"""The pools of the puzzles of the day, in turn."""
STEP = 189
"""Step from one puzzle in a set to the next; coprime to the number of endgames, so that all come
up."""
NEAR = 0.5
"""Regret up to which an action is nearly as good as the best action, and an agent is right."""
CLEAR = 3.0
"""Minimum lead of a puzzle's best action over the second best, in points."""
FEW, VERY_FEW = 1 / 4, 1 / 10
"""Proportions of such actions below which a puzzle is one step, or two steps, more difficult."""


def difficulty(game: Game, values: Mapping[str, float]) -> int:
    """Return the difficulty of a decision, from 1 to 5.

    It starts at one and increases by one for each of these conditions: ``greedy`` has a regret of
    at least half a point; ``value`` does, too; fewer than a quarter of the actions are nearly as
    good as the best action; fewer than a tenth are.

    Parameters
    ----------
    game : Game
        The game at the decision.
    values : mapping of str to float
        Expected points after each legal action, by its name.
    """
    best = max(values.values())
    chosen = game.greedy_action(), _value(game.rules).act(game)
    misses = sum(best - values[game.name(action)] >= NEAR for action in chosen)
    share = near_share(values)
    return 1 + misses + (share < FEW) + (share < VERY_FEW)


@lru_cache(maxsize=4)
def _value(rules: Rules) -> ValuePlayer:
    return ValuePlayer(rules=rules)


def near_share(values: Mapping[str, float]) -> float:
    """Return the proportion of actions that are nearly as good as the best action."""
    found = np.array([*values.values()])
    return float((found > found.max() - NEAR).mean())


@cache
def puzzle_called(name: str) -> Puzzle:
    """Return a puzzle by name, such as ``base-2/17``, with its difficulty.

    Raises
    ------
    ValueError
        There is no such puzzle.
    """
    match = re.fullmatch(r"([a-z0-9-]+)/(\d{1,6})", name)
    if not match or match[1] not in DAILY or int(match[2]) >= _size(match[1]):
        known = " or ".join(f"{pool}/0 to {pool}/{_size(pool) - 1}" for pool in DAILY)
        raise ValueError(f"there is no puzzle {name[:40]!r}, only {known}")
    endgame = _endgame(match[1], int(match[2]))
    source = f"solved endgames {match[1]}, number {match[2]}"
    rated = difficulty(endgame.game(), Puzzle.of(endgame, source).values)
    return Puzzle.of(endgame, source, rated)


def puzzle_asked(called: str) -> tuple[Puzzle, dict[str, Any]]:
    """Return the puzzle for a day, such as ``2026-11-24``, or with a name; also return its name.

    Raises
    ------
    ValueError
        There is no such day or puzzle.
    """
    if not re.fullmatch(r"[\d-]+", called):
        return puzzle_called(called), {"called": called}
    try:
        day = date.fromisoformat(called)
    except ValueError:
        raise ValueError(f"{called!r} is not a day such as 2026-11-24") from None
    return puzzle_called(name := name_of_day(day)), {"called": name, "day": day.isoformat()}


def name_of_day(day: date) -> str:
    """Return the name of a day's puzzle: the same for everybody, with the pools in turn.

    Only puzzles are chosen that :func:`_clear_ones` offers and ``greedy`` does not solve.
    """
    turn, pool = divmod(day.toordinal(), len(DAILY))
    numbers = _hard_ones(DAILY[pool])
    return f"{DAILY[pool]}/{numbers[turn % len(numbers)]}"


@cache
def _clear_ones(pool: str) -> list[int]:
    """Return a pool's puzzles whose best action is clearly better than all others, in order."""
    n, found = _size(pool), []
    for number in (k * STEP % n for k in range(n)):
        best, second, *_ = [*sorted(_values(pool, number).values(), reverse=True), -np.inf]
        if best - second >= CLEAR:
            found.append(number)
    return found


@cache
def _hard_ones(pool: str) -> list[int]:
    """Return the clear puzzles of a pool that ``greedy`` does not solve, in order."""
    found = []
    for number in _clear_ones(pool):
        values, game = _values(pool, number), _endgame(pool, number).game()
        if values[game.name(game.greedy_action())] < max(values.values()):
            found.append(number)
    return found


def _values(pool: str, number: int) -> Mapping[str, float]:
    return Puzzle.of(_endgame(pool, number), pool).values


def next_name(pool: str, wanted: int, after: int | None) -> str:
    """Return the next puzzle of a given difficulty after another puzzle in its pool.

    Parameters
    ----------
    pool : str
        One of ``POOL``.
    wanted : int
        The difficulty.
    after : int, optional
        The number of that other puzzle. Default: search from the start of the pool. Only puzzles
        whose best action is at least ``CLEAR`` points better than the others are offered.

    Raises
    ------
    ValueError
        No puzzle in the pool has this difficulty.
    """
    numbers = _clear_ones(pool)
    first = numbers.index(after) + 1 if after in numbers else 0
    for number in numbers[first:] + numbers[:first]:
        name = f"{pool}/{number}"
        if puzzle_called(name).difficulty == wanted:
            return name
    raise ValueError(f"no puzzle of {pool} has difficulty {wanted}")


def puzzle_of(game: Game, lines: Sequence[Mapping[str, Any]], source: str) -> Puzzle:
    """Return a decision as a puzzle, with the coach's values for all actions.

    Raises
    ------
    ValueError
        There is only one choice.
    """
    values = {str(line["name"]): lines[0]["value"] - line["lost"] for line in lines}
    position = format_position(replace(game.position(), bag=None))
    puzzle = Puzzle(position, source, values, difficulty=difficulty(game, values))
    puzzle.game()
    return puzzle


def lines_of(puzzle: Puzzle, game: Game) -> list[dict[str, Any]]:
    """Return a puzzle's values in the form that the coach reports: the best action first."""
    ranked = sorted(puzzle.values.items(), key=lambda one: -one[1])
    best = ranked[0][1]
    return [
        {
            "action": game.action(name),
            "name": name,
            "value": value,
            "lost": round(best - value, DIGITS),
            "deep": True,
        }
        for name, value in ranked
    ]


def _endgame(pool: str, k: int) -> Endgame:
    return shipped_endgames()[pool].endgames[k]


def _size(pool: str) -> int:
    return len(shipped_endgames()[pool].endgames)
