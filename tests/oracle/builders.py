"""Builders (docs/rules/traders.md, TRA-05 to TRA-11): when the turn player gets a second part.

``naive`` defines where a builder may stand, and ``turns`` puts the second part in order.
"""

from __future__ import annotations

from dataclasses import replace

from carc_env.engine.core.codes import Figure
from carc_env.position import Position

from .board import Feature, features


def of_turn_player(position: Position) -> Feature | None:
    """Return the road or city whose extension gives the turn player a second part.

    There is none in a second part, or if the builder was placed with this tile (TRA-08).
    """
    last, seat = position.tiles[-1], position.turn_player
    if position.first_part is not None:
        return None
    for feature in features(position):
        for figure in feature.figures:
            if (figure.seat, figure.figure) == (seat, Figure.BUILDER):
                return None if (figure.x, figure.y) == (last.x, last.y) else feature
    return None


def noted(position: Position) -> Position:
    """Record whether the tile just placed has become part of the builder's road or city.

    A bridge can also connect the tile (TRA-07, TRA-09, BRI-23). An abbey shows neither a road nor
    a city (TRA-10). ``builder_bridge_trigger`` makes no difference. An optional bridge has empty
    cells at both ends, because a road that ended there would not match its tile. A bridge that a
    placement needs makes the tile just placed part of its road.
    """
    last, feature = position.tiles[-1], of_turn_player(position)
    has_extended = feature is not None and (last.x, last.y) in feature.tiles
    return replace(position, has_extended=has_extended)
