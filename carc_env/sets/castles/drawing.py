"""Castles with their lords, and the town to be decided on."""

from __future__ import annotations

from collections.abc import Iterator

from carc_env.engine.core.codes import Kind, Phase
from carc_env.position import Place, Position, halves_of
from carc_env.render import palette as p
from carc_env.render.castle_art import castle_svg, frame_svg, middle_of, stand_of_lords
from carc_env.render.declaring import Court, Drawing, Thing
from carc_env.render.pieces import Piece, around

REACH = 64.0  # from the centre of a castle, in hundredths of a tile
COURT_STEP = 13.0  # between the lords


def _courts(position: Position) -> dict[Place, Court]:
    return {
        half: Court(Kind.CASTLE, stand_of_lords(castle), COURT_STEP, "^")
        for castle in position.castles
        for half in halves_of((castle.x, castle.y, castle.spot))
    }


def _below(position: Position) -> Iterator[Piece]:
    """Draw all castles from north to south with their lords' banners, and a frame at the town."""
    places = [(castle.x, castle.y, castle.spot) for castle in position.castles]
    for place in sorted(places, key=lambda place: middle_of(place)[1]):
        seats = tuple(f.seat for f in position.figures if (f.x, f.y, f.spot) in halves_of(place))
        yield Piece(castle_svg(place, seats), around(*middle_of(place), REACH))
    if position.town is not None:
        svg = frame_svg(position.town, p.SEATS[position.decider])
        yield Piece(svg, around(*middle_of(position.town), REACH))


def _task(position: Position) -> str:
    if position.town is None or position.phase not in (Phase.CASTLE, Phase.CASTLE_CHOICE):
        return ""
    x, y, spot = position.town
    if position.phase == Phase.CASTLE:
        return f"makes the town at {x},{y} {spot.name} a castle or scores it"
    return f"chooses a feature for the castle at {x},{y} {spot.name}"


DRAWING = Drawing(
    courts=_courts,
    below=_below,
    thing=Thing("castle", lambda position: position.tokens, lambda rules: rules.tokens_each, True),
    task=_task,
)
