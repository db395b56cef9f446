"""Trade goods (docs/rules/traders.md, TRA-01 to TRA-04): tokens for cities, points for most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from carc_env.engine.core.codes import Good
from carc_env.position import Position

from .board import Feature, completed

POINTS_FOR_MOST = 10


def shown(cities: Iterable[Feature]) -> Counter[Good]:
    """Count the goods of some cities, those that are no castles (TRA-03)."""
    return Counter(good for city in cities for good in city.goods)


def collected(position: Position) -> tuple[tuple[int, ...], ...]:
    """Give the turn player a token for everything in the cities that they have completed.

    Whoever owns them (TRA-01), and with an abbey too (TRA-04).
    """
    new = shown(completed(position))
    return tuple(
        tuple(own[good] + new[good] * (seat == position.turn_player) for good in Good)
        for seat, own in enumerate(position.goods)
    )


def points(position: Position) -> tuple[int, ...]:
    """Tell what everybody gets for their tokens at the end, ties in full (TRA-02)."""
    total = [0] * position.rules.n_players
    for hands in zip(*position.goods, strict=True):
        for seat, n in enumerate(hands):
            total[seat] += POINTS_FOR_MOST * (n == max(hands) and n > 0)
    return tuple(total)
