"""Builders (docs/rules/traders.md, TRA-05 to TRA-11): what brings a second part.

Where a builder may stand is told in ``naive``, what the second part is put before in ``turns``.
"""

from __future__ import annotations

from dataclasses import replace

from carc_env.engine.core.codes import Figure
from carc_env.position import Position

from .board import Feature, features


def of_turn_player(position: Position) -> Feature | None:
    """Find the road or city whose extension brings the turn player a second part.

    Not in a second part, nor if the builder was placed with this very tile (TRA-08).
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
    """Note whether the tile just placed has become part of the builder's road or city.

    By a bridge too (TRA-07, TRA-09, BRI-23). An abbey shows neither (TRA-10).
    ``builder_bridge_trigger`` makes no difference: a bridge built by choice has empty cells at both
    ends, for a road that ended there would not match its tile, and one that a placement needs makes
    the tile just placed part of its road.
    """
    last, feature = position.tiles[-1], of_turn_player(position)
    has_extended = feature is not None and (last.x, last.y) in feature.tiles
    return replace(position, has_extended=has_extended)
