"""Castles on the page: drawings with their lords' banners."""

from __future__ import annotations

from typing import Any

from carc_env.engine.core.codes import Kind
from carc_env.game.game import Game
from carc_env.position import Castle, Position, halves_of
from carc_env.render import palette
from carc_env.render.castle_art import castle_svg, frame_svg
from carc_env.systems.worth import Feature, Ways


def told(_: Game, position: Position) -> dict[str, Any]:
    """Return all castles, and a frame around the town to be decided on, in board units."""
    color = palette.SEATS[position.decider]
    return {
        "castles": [_castle(position, castle) for castle in position.castles],
        "town": frame_svg(position.town, color) if position.town else None,
    }


def _castle(position: Position, castle: Castle) -> str:
    halves = halves_of((castle.x, castle.y, castle.spot))
    lords = (f.seat for f in position.figures if (f.x, f.y, f.spot) in halves)
    return castle_svg(halves[0], tuple(lords))


def terms(feature: Feature) -> Ways:
    """Add the castles beside a field (CAS-28)."""
    is_field = feature.kind == Kind.FIELD
    yield feature.plus(int(feature.record.bonus), "castles", 1) if is_field else feature
