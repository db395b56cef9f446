"""Abbeys on the board and in hand, and the last round."""

from __future__ import annotations

from collections.abc import Iterator

from carc_env.engine.core.codes import Phase
from carc_env.engine.core.tiles import ABBEY
from carc_env.position import Position
from carc_env.render import palette as p
from carc_env.render.card import NOTE_LEFT, large_tile_svg
from carc_env.render.declaring import Drawing, Token
from carc_env.render.lettering import text_svg
from carc_env.render.shapes import SIZE, Point, number
from carc_env.render.tile_art import tile_svg


def _is_last_round(position: Position) -> bool:
    return position.last_round is not None and position.phase != Phase.GAME_OVER


def _token(position: Position, seat: int, spot: Point, size: float) -> str:
    """Return the abbey that a player has in hand, or an empty frame."""
    n_left = position.abbeys[seat]
    tile = tile_svg(ABBEY["id"]) if n_left > 0 else ""
    line = p.INK if n_left > 0 else p.CARD_LINE
    return (
        f'<g class="abbey-in-hand" data-left="{n_left}"'
        f' transform="translate({number(spot[0] - size / 2)} {number(spot[1] - size / 2)})'
        f' scale({size / SIZE:.4f})">{tile}<rect width="100" height="100" rx="4" fill="none"'
        f' stroke="{line}" stroke-width="7"/></g>'
    )


def _hand(position: Position) -> str | None:
    if position.phase == Phase.DRAW_OR_ABBEY and position.tile_in_hand is None:
        return large_tile_svg("offer", ABBEY["id"])
    return None


def _hand_note(position: Position) -> str:
    if not _is_last_round(position):
        return ""
    to_come = f"{position.last_round} TO COME"
    return text_svg("LAST ROUND", NOTE_LEFT, 14, 8.4, color=p.ACCENT, spacing=1.3) + text_svg(
        to_come, NOTE_LEFT, 30, 8.4, color=p.FAINT_INK, spacing=1.3
    )


def _heading(position: Position) -> str:
    """Return the heading: in the last round, there is nothing left to draw."""
    is_asked = position.phase == Phase.DRAW_OR_ABBEY and position.last_round is not None
    return "ABBEY OR PASS" if is_asked else ""


def _has(position: Position, seat: int) -> Iterator[str]:
    if position.abbeys:
        yield from ["abbey"] * position.abbeys[seat]


def _task(position: Position) -> str:
    if position.phase != Phase.DRAW_OR_ABBEY:
        return ""
    return "places the abbey or " + ("draws" if position.last_round is None else "passes")


def _state(position: Position) -> str:
    return f", last round, {position.last_round} to come" if _is_last_round(position) else ""


DRAWING = Drawing(
    designs={ABBEY["id"]: ("╔═════╗", "║ M   ║", "╚═════╝")},
    token=Token(lambda position: bool(position.abbeys), _token),
    hand=_hand,
    hand_note=_hand_note,
    heading=_heading,
    has=_has,
    task=_task,
    state=_state,
)
