"""Reward schemes: how scores become the reward of each seat.

A scheme maps the scores before and after a step, and whether the game is over, to one float per
seat. Rewards reach every seat at every step, whoever decided.
"""

from __future__ import annotations

from collections.abc import Callable

Scores = tuple[int, ...]
Scheme = Callable[[Scores, Scores, bool], list[float]]


def outcome(before: Scores, after: Scores, is_over: bool) -> list[float]:
    """Rank at the end, from 1 for a sole winner to -1 for a sole last; 0 before the end.

    A seat gets (seats with fewer points - seats with more points) / (n - 1): win 1, draw 0 and
    loss -1 for two players.
    """
    if not is_over:
        return [0.0] * len(after)
    rivals = len(after) - 1
    return [sum((own > other) - (own < other) for other in after) / rivals for own in after]


def score_delta(before: Scores, after: Scores, is_over: bool) -> list[float]:
    """Points that each seat got in this step; they add up to the final score."""
    return [float(new - old) for old, new in zip(before, after, strict=True)]


def margin(before: Scores, after: Scores, is_over: bool) -> list[float]:
    """Change of the lead over the best rival; adds up to the final margin."""
    leads = zip(_leads(before), _leads(after), strict=True)
    return [float(new - old) for old, new in leads]


def _leads(scores: Scores) -> list[int]:
    return [
        own - max(other for rival, other in enumerate(scores) if rival != seat)
        for seat, own in enumerate(scores)
    ]


SCHEMES: dict[str, Scheme] = {"outcome": outcome, "score_delta": score_delta, "margin": margin}


def scheme(name: str) -> Scheme:
    """The reward scheme of a name.

    Raises
    ------
    ValueError
        No scheme has the name.
    """
    if name not in SCHEMES:
        raise ValueError(f"reward must be one of {', '.join(map(repr, SCHEMES))}; got {name!r}")
    return SCHEMES[name]
