"""The side panel: scores, supplies, who is to move, the tile in hand, the tiles left."""

from __future__ import annotations

from carc_env.actions import figures_in_play
from carc_env.engine.codes import Figure, Phase
from carc_env.engine.state import FIGURE_SLOTS
from carc_env.engine.tiles import ABBEY
from carc_env.position import Position
from carc_env.render import palette as p
from carc_env.render.figures import figure_svg, supply_svg
from carc_env.render.lettering import text_svg
from carc_env.render.shapes import SIZE, Point, number
from carc_env.render.tile_art import tile_svg

WIDTH = 220.0
"""Width of the panel in its own units; the board scales it."""

CARD_HEIGHT = 60.0
CARD_GAP = 8.0
TOP = 40.0
HAND_HEIGHT = 122.0

SUPPLY_LEFT = 64.0
SUPPLY_STEP = 15.0
LOWER_ROW, UPPER_ROW = 46.0, 21.0

HEADINGS = {
    Phase.DRAW_OR_ABBEY: "ABBEY OR DRAW",
    Phase.PLACE_TILE: "PLACE THE TILE",
    Phase.ACTION: "PLACE A FIGURE",
    Phase.WAGON: "MOVE THE WAGON",
    Phase.WAGON_SPOT: "PLACE THE WAGON",
    Phase.GAME_OVER: "GAME OVER",
}


def panel_height(n_players: int) -> float:
    """Height that the panel needs, in its own units."""
    return TOP + n_players * (CARD_HEIGHT + CARD_GAP) + HAND_HEIGHT


def supply_of(position: Position, seat: int, figure: Figure) -> int:
    """How many figures of a kind a player has left to place."""
    n_owned = FIGURE_SLOTS.count(figure) if figure in figures_in_play(position.rules) else 0
    on_board = sum(f.seat == seat and f.figure == figure for f in position.figures)
    return n_owned - on_board


def marked_seats(position: Position) -> tuple[int, ...]:
    """Who decides next; after the game, who has the most points."""
    if position.phase == Phase.GAME_OVER:
        best = max(position.scores)
        return tuple(seat for seat, score in enumerate(position.scores) if score == best)
    return (position.decider,)


def _heading(position: Position) -> str:
    """What the marked player is to do; in the last round there is nothing left to draw."""
    if position.phase == Phase.DRAW_OR_ABBEY and position.last_round is not None:
        return "ABBEY OR PASS"
    return HEADINGS[position.phase]


def panel_svg(position: Position) -> str:
    """The panel as an SVG group of the width ``WIDTH``, its top left corner at the origin."""
    parts = [text_svg(_heading(position), 2, 22, 9.5, color=p.FAINT_INK, spacing=1.35)]
    y = TOP
    marked = marked_seats(position)
    for seat in range(len(position.scores)):
        parts.append(_card(position, seat, y, is_marked=seat in marked))
        y += CARD_HEIGHT + CARD_GAP
    parts.append(_hand(position, y + 6))
    return f'<g class="panel">{"".join(parts)}</g>'


def _card(position: Position, seat: int, y: float, *, is_marked: bool) -> str:
    """A player: figure, supply and score; the player to move has a golden frame."""
    line, width = (p.ACCENT, 2.6) if is_marked else (p.CARD_LINE, 1.0)
    fill = "#fffdf6" if is_marked else p.CARD
    score = position.scores[seat]
    parts = [
        f'<rect x="1" y="1" width="{WIDTH - 2:g}" height="{CARD_HEIGHT - 2:g}" rx="7"'
        f' fill="{fill}" stroke="{line}" stroke-width="{width}"/>',
        f'<rect x="8" y="9" width="5" height="{CARD_HEIGHT - 18:g}" rx="2.5"'
        f' fill="{p.SEATS[seat]}"/>',
        figure_svg(seat, Figure.MEEPLE, (35, 29.5), scale=1.35),
        text_svg(str(score), WIDTH - 14, 31, 19, color=p.INK, anchor="end", weight=1.35),
        _supply(position, seat),
    ]
    if is_marked:
        parts.append(f'<path d="M-9,{CARD_HEIGHT / 2 - 6:g}l8,6l-8,6Z" fill="{p.ACCENT}"/>')
    return (
        f'<g class="player" data-seat="{seat}" data-score="{score}"'
        f' data-marked="{int(is_marked)}" transform="translate(0 {number(y)})">'
        f"{''.join(parts)}</g>"
    )


def _supply(position: Position, seat: int) -> str:
    """Small figures and abbeys: filled in the supply, hollow on the board.

    Normal meeples are in one row. A single other piece lies behind them, several lie above.
    """
    meeples, *others = figures_in_play(position.rules)
    row = _small_figures(position, seat, meeples)
    if len(others) + bool(position.abbeys) == 1:
        x, y, size, step = SUPPLY_LEFT + len(row) * SUPPLY_STEP + 4, LOWER_ROW, 12.5, SUPPLY_STEP
    else:
        x, y, size, step = SUPPLY_LEFT, UPPER_ROW, 15.0, 21.0
    parts = [
        supply_svg(seat, meeples, (SUPPLY_LEFT + i * SUPPLY_STEP, LOWER_ROW), 12.5, is_left=is_left)
        for i, is_left in enumerate(row)
    ]
    for figure in others:
        for is_left in _small_figures(position, seat, figure):
            parts.append(supply_svg(seat, figure, (x, y), size, is_left=is_left))
            x += step
    if position.abbeys:
        parts.append(_small_abbey((x, y), size, n_left=position.abbeys[seat]))
    return "".join(parts)


def _small_figures(position: Position, seat: int, figure: Figure) -> list[bool]:
    """For every figure of a kind that a player owns, whether it is left."""
    n_left = supply_of(position, seat, figure)
    return [i < n_left for i in range(FIGURE_SLOTS.count(figure))]


def _small_abbey(spot: Point, size: float, *, n_left: int) -> str:
    """The abbey that a player has in hand, or an empty frame."""
    tile = tile_svg(ABBEY["id"]) if n_left > 0 else ""
    line = p.INK if n_left > 0 else p.CARD_LINE
    return (
        f'<g class="abbey-in-hand" data-left="{n_left}"'
        f' transform="translate({number(spot[0] - size / 2)} {number(spot[1] - size / 2)})'
        f' scale({size / SIZE:.4f})">{tile}<rect width="100" height="100" rx="4" fill="none"'
        f' stroke="{line}" stroke-width="7"/></g>'
    )


def _hand(position: Position, y: float) -> str:
    """The tile in hand or the abbey that may be placed, and what is still to come."""
    parts = []
    if position.tile_in_hand is not None:
        parts.append(_large_tile("hand", position.tile_in_hand))
    elif position.phase == Phase.DRAW_OR_ABBEY:
        parts.append(_large_tile("offer", ABBEY["id"]))
    elif position.phase != Phase.GAME_OVER:
        parts.append(
            f'<rect x="3" y="3" width="94" height="94" rx="6" fill="none" stroke="{p.CARD_LINE}"'
            ' stroke-width="1.5" stroke-dasharray="5 4"/>'
        )
    if position.last_round is not None and position.phase != Phase.GAME_OVER:
        parts.append(text_svg("LAST ROUND", 114, 14, 8.4, color=p.ACCENT, spacing=1.3))
        to_come = f"{position.last_round} TO COME"
        parts.append(text_svg(to_come, 114, 30, 8.4, color=p.FAINT_INK, spacing=1.3))
    if position.bag is not None:
        left = len(position.bag)
        parts.append(text_svg(str(left), 114, 76, 21, color=p.INK, weight=1.3))
        label = "TILE LEFT" if left == 1 else "TILES LEFT"
        parts.append(text_svg(label, 114, 96, 8.4, color=p.FAINT_INK, spacing=1.3))
    return f'<g transform="translate(0 {number(y)})">{"".join(parts)}</g>'


def _large_tile(name: str, tile: str) -> str:
    return (
        '<g transform="translate(2 2) scale(0.96)"><rect x="2" y="3" width="100" height="100"'
        ' rx="3" fill="#3b2f1a" fill-opacity="0.22"/>'
        f'<g class="{name}" data-tile="{tile}" clip-path="url(#tile-clip)">'
        f"{tile_svg(tile)}</g>"
        f'<rect width="100" height="100" rx="1.5" fill="none" stroke="{p.INK}"'
        ' stroke-width="1.2" stroke-opacity="0.65"/></g>'
    )
