"""The dragon, its tiles, and volcanoes."""

from __future__ import annotations

from collections.abc import Iterator

from carc_env.engine.core.codes import Phase
from carc_env.position import Position
from carc_env.render.declaring import Drawing
from carc_env.render.pieces import Piece, around
from carc_env.render.shapes import SIZE, Point
from carc_env.render.survey import Survey
from carc_env.render.symbols import symbol
from carc_env.sets.princess_dragon.dragon.record import DRAGON_STEPS

SPOT: Point = (72.0, 30.0)
RADIUS = 24.0


def _add_signs(survey: Survey) -> None:
    """Draw a dragon or a volcano; a volcano in a lake is drawn as a building."""
    survey.add_sign("dragon", "dragon-sign")
    if not survey.plan.has_volcano:
        survey.add_sign("volcano")


def _above(position: Position) -> Iterator[Piece]:
    if position.dragon is not None:
        x, y = (SIZE * k + d for k, d in zip(position.dragon, SPOT, strict=True))
        yield Piece(symbol("dragon", (x, y), RADIUS), around(x, y, RADIUS + 2))


def _task(position: Position) -> str:
    if position.phase != Phase.FLIGHT:
        return ""
    return f"moves the dragon, step {len(position.flown)} of {DRAGON_STEPS}"


def _state(position: Position) -> str:
    return "" if position.dragon is None else "; dragon at {},{}".format(*position.dragon)


DRAWING = Drawing(
    moves=True,
    letters={"dragon-sign": "D", "volcano": "V"},
    after_farmers=_add_signs,
    above=_above,
    task=_task,
    state=_state,
)
