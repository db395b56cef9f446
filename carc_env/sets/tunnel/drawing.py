"""Tokens on tunnel mouths and in hand, and the rocks that tunnels lead into."""

from __future__ import annotations

from collections.abc import Iterator

from carc_env.engine.core.codes import Phase
from carc_env.position import Position, Token
from carc_env.render import palette as p
from carc_env.render.brush import line, plain, shape
from carc_env.render.card import SUPPLY_LEFT
from carc_env.render.declaring import Drawing, Row
from carc_env.render.figure_art import LETTERS
from carc_env.render.lettering import text_svg
from carc_env.render.pieces import Piece, around
from carc_env.render.plan import mouth_at
from carc_env.render.shapes import SIZE, number
from carc_env.render.symbols import symbol
from carc_env.sets.tunnel.record import TOKENS_PER_PAIR
from carc_env.words import counted, format_segment

RADIUS = 7.0
PAIRED = 2.4
"""Factor by which a token's ring is wider if both tokens of its pair are placed."""


def _massif(_: int) -> str:
    """Draw rocks with steep sides, lit from the north-west."""
    return (
        plain("M-14,13.4H17L19,6L13,-3Z", p.SHADE, 0.22)
        + shape(
            "M-16,5L-15,-4L-10,-8L-8,-14L0,-16.4L7,-13L10,-8L15.6,-4L16,5L11,10L7,15L-1,16L-9,14"
            "L-11,9.4Z",
            p.WALL_STONE,
            p.WALL_LINE,
            1.1,
        )
        + plain("M-15,-4L-10,-8L-8,-14L0,-16.4L1,-9L-5,-4L-9,3Z", p.WALL_LIGHT, 0.75)
        + plain("M16,5L11,10L7,15L-1,16L3,9L9,4L10,-2Z", p.WALL_LINE, 0.3)
        + line(
            "M1,-9L-5,-4L-9,3M1,-9L10,-8M1,-9L4,-1L9,4M4,-1L-2,6L3,9M-2,6L-11,9.4", p.WALL_LINE, 0.7
        )
        + plain("M-4,-12.4L0,-16.4L3.4,-12.6L0.6,-11Z", p.GRASS_LIGHT, 0.9)
        + plain("M-12.6,-1.4L-8.4,-4.6L-7.4,-1L-10.4,1Z", p.GRASS_DARK, 0.8)
        + plain("M5.4,8L9.4,6L8.6,10.4Z", p.GRASS_DARK, 0.8)
    )


def _arch(color: str) -> str:
    """Draw the mouth of a tunnel, as on the tokens."""
    return shape("M-3.6,3.6V-0.4C-3.6,-5.4 3.6,-5.4 3.6,-0.4V3.6Z", p.SLIT, color, 1.1)


def _token(_: int) -> str:
    """Draw a token without a player's colour."""
    return f'<circle r="6.6" fill="{p.STONE}" stroke="{p.WALL_LINE}" stroke-width="1.2"/>' + _arch(
        p.WALL_LINE
    )


def _is_paired(position: Position, token: Token) -> bool:
    """Return whether both tokens of its pair are placed."""
    pair = (token.seat, token.pair)
    return sum((other.seat, other.pair) == pair for other in position.tunnels) == TOKENS_PER_PAIR


def _above(position: Position) -> Iterator[Piece]:
    """Draw tokens on mouths in their players' colours, with the number of the pair."""
    tiles = {(tile.x, tile.y): tile for tile in position.tiles}
    for token in sorted(position.tunnels, key=lambda token: token.y):
        tile = tiles[token.x, token.y]
        x, y = mouth_at(tile.tile, tile.rotation, token.spot)
        x, y = SIZE * token.x + x, SIZE * token.y + y
        yield Piece(_lying(token, x, y, _is_paired(position, token)), around(x, y, 13))


def _lying(token: Token, x: float, y: float, is_paired: bool) -> str:
    fill, dark = p.SEATS[token.seat], p.SEATS_DARK[token.seat]
    ring = (
        f'<circle r="{RADIUS + PAIRED:g}" fill="none" stroke="{p.GOLD}" stroke-width="1.8"/>'
        if is_paired
        else ""
    )
    name = text_svg(
        f"{LETTERS[token.seat]}{token.pair}",
        0,
        2.6,
        5.6,
        color=p.SEATS_LETTER[token.seat],
        anchor="middle",
        weight=1.7,
    )
    return (
        f'<g class="token" data-x="{token.x}" data-y="{token.y}" data-spot="{token.spot.name}"'
        f' data-seat="{token.seat}" data-pair="{token.pair}"'
        f' transform="translate({number(x)} {number(y)})">'
        f'<circle cx="0.8" cy="1.2" r="{RADIUS:g}" fill="{p.SHADE}" fill-opacity="0.35"/>{ring}'
        f'<circle r="{RADIUS:g}" fill="{fill}" stroke="{dark}" stroke-width="1.3"/>{name}</g>'
    )


def n_in_hand(position: Position, seat: int) -> int:
    """Return how many tokens a seat has left."""
    n_lying = sum(token.seat == seat for token in position.tunnels)
    return TOKENS_PER_PAIR * position.rules.tunnel_pairs - n_lying


def _row(position: Position, seat: int, y: float) -> str:
    """Return how many tokens a player has left."""
    n = n_in_hand(position, seat)
    color, faint = (p.INK, "") if n else (p.CARD_LINE, ' opacity="0.3"')
    return (
        f'<g class="tunnels" data-count="{n}"><g{faint}>{symbol("tunnel", (SUPPLY_LEFT, y), 6)}</g>'
        f"{text_svg(str(n), SUPPLY_LEFT + 9.6, y + 3.8, 7.6, color=color, weight=1.5)}</g>"
    )


def _has(position: Position, seat: int) -> Iterator[str]:
    if position.rules.tunnels and (n := n_in_hand(position, seat)):
        yield counted(n, "tunnel token")


def _task(position: Position) -> str:
    return "may lay a token on a mouth of a tunnel" if position.phase == Phase.TUNNEL else ""


def _turn(position: Position) -> str:
    return "token laid" if position.has_dug else ""


def _lines(position: Position) -> Iterator[str]:
    """Return the lines that list the tokens and their pairs."""
    told = [
        f"{format_segment((t.x, t.y, t.spot))} {LETTERS[t.seat]}{t.pair}" for t in position.tunnels
    ]
    if told:
        yield f"tunnels: {', '.join(told)}"


DRAWING = Drawing(
    symbols={"massif": (_massif, 18.0), "tunnel": (_token, 8.0)},
    letters={"massif": "^"},
    above=_above,
    row=Row(lambda position: position.rules.tunnels, _row),
    has=_has,
    task=_task,
    turn=_turn,
    lines=_lines,
)
