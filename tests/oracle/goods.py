"""Trade goods (docs/rules/traders.md, TRA-01 to TRA-04): tokens for cities, points for the most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from carc_env.engine.core.codes import Good
from carc_env.position import Position

from .board import Feature, completed

POINTS_FOR_MOST = 10


def shown(cities: Iterable[Feature]) -> Counter[Good]:
    """Count the goods that cities show; castles show none (TRA-03)."""
    return Counter(good for city in cities for good in city.goods)


def collected(position: Position) -> tuple[tuple[int, ...], ...]:
    """Return the tokens after the turn player takes the goods of the cities that they completed.

    It does not matter who owns the cities (TRA-01). Completion by an abbey counts too (TRA-04).
    """
    new = shown(completed(position))
    return tuple(
        tuple(own[good] + new[good] * (seat == position.turn_player) for good in Good)
        for seat, own in enumerate(position.goods)
    )


def points(position: Position) -> tuple[int, ...]:
    """Return each player's points for tokens at the end; tied players score in full (TRA-02)."""
    total = [0] * position.rules.n_players
    for hands in zip(*position.goods, strict=True):
        for seat, n in enumerate(hands):
            total[seat] += POINTS_FOR_MOST * (n == max(hands) and n > 0)
    return tuple(total)
