"""The side panel: scores, supplies, who moves next, the next tile or the bazaar, the tiles left."""

from __future__ import annotations

from carc_env.engine.core.codes import Figure, Phase
from carc_env.engine.core.state import FIGURE_SLOTS
from carc_env.position import Position
from carc_env.render import palette as p
from carc_env.render.brush import shape
from carc_env.render.card import (
    HAND_HEIGHT,
    NOTE_LEFT,
    STOCK_PATHS,
    SUPPLY_LEFT,
    SUPPLY_STEP,
    WIDTH,
    count_svg,
    large_tile_svg,
)
from carc_env.render.declaring import Row, Thing, Token, drawing_of, drawings
from carc_env.render.figure_art import LETTERS, figure_svg, supply_svg
from carc_env.render.lettering import text_svg
from carc_env.render.pieces import Group, Piece, around
from carc_env.render.shapes import number
from carc_env.render.symbols import MEEPLE_RADIUS, symbol
from carc_env.systems import QUESTIONS, figures_in_play, markers_of

CARD_HEIGHT = 60.0
ROW_HEIGHT = 20.0
"""Height that each row below the meeples adds to a card."""
CARD_GAP = 8.0
TOP = 40.0
BESIDE = 12.0
"""Space for things beside the cards."""

LOWER_ROW, UPPER_ROW = 46.0, 21.0
FIRST_EXTRA_ROW = 65.0
N_SLOTS = 7
"""Number of places in a row of small pieces."""
N_ROOMY = 5
"""With more kinds than this, they stand closer together, so that they do not reach the score."""
UPPER_ROOM = 93.0
"""Distance from the first to the last of these kinds, for a three-digit score."""
N_CROWDED = 6
"""With more kinds than this, some move to a lower row."""
LOWER_STEP = 18.0
NOTE_STEP = 8.8

MEEPLE_SCALE = 1.35


def panel_height(position: Position) -> float:
    """Return the height that the panel needs in all positions of the game, in its own units."""
    cards = len(position.scores) * (card_height(position) + CARD_GAP)
    return TOP + cards + hand_height(position)


def hand_height(position: Position) -> float:
    """Return the height of the part below the cards: the tile in hand and the tiles on offer."""
    return HAND_HEIGHT + sum(drawing.offer_height(position) for drawing in drawings())


def card_height(position: Position) -> float:
    """Return the height of a player's card, with rows for small things and for collected things."""
    n_rows = bool(_things(position)) + _has_shared_row(position) + len(_rows(position))
    return CARD_HEIGHT + ROW_HEIGHT * n_rows


def _things(position: Position) -> list[Thing]:
    found = (drawing.thing for drawing in drawings())
    return [thing for thing in found if thing and thing.in_hand(position)]


def _tokens(position: Position) -> list[Token]:
    found = (drawing.token for drawing in drawings())
    return [token for token in found if token and token.is_there(position)]


def _rows(position: Position, *, has_figures: bool = False) -> list[Row]:
    found = (drawing.row for drawing in drawings())
    return [r for r in found if r and r.has_figures == has_figures and r.is_there(position)]


def _has_shared_row(position: Position) -> bool:
    """Return whether figures that make room have a row: a shared row, or their own."""
    n_kinds = len(figures_in_play(position.rules)[1:]) + len(_tokens(position))
    return bool(_rows(position, has_figures=True)) or n_kinds > N_CROWDED


def _lower_figures(position: Position) -> list[Figure]:
    """Return the kinds of figures that make room for other figures."""
    if not _has_shared_row(position):
        return []
    return [figure for figure in figures_in_play(position.rules) if drawing_of(figure).makes_room]


def supply_of(position: Position, seat: int, figure: Figure) -> int:
    """Return how many figures of a kind a player has left to place."""
    n_owned = FIGURE_SLOTS.count(figure) if figure in figures_in_play(position.rules) else 0
    on_board = sum(f.seat == seat and f.figure == figure for f in position.figures)
    away = sum(gone == (seat, figure) for d in drawings() for gone in d.away(position))
    return n_owned - on_board - away


def marked_seats(position: Position) -> tuple[int, ...]:
    """Return the seat that decides next; after the game, the seats with the most points."""
    if position.phase == Phase.GAME_OVER:
        best = max(position.scores)
        return tuple(seat for seat, score in enumerate(position.scores) if score == best)
    return (position.decider,)


def winner_words(position: Position) -> str:
    """Return who has won, such as ``A wins by 12`` or ``A and C share the win``."""
    *others, last = (LETTERS[seat] for seat in marked_seats(position))
    names = f"{', '.join(others)} and {last}" if others else last
    best, second = sorted(position.scores, reverse=True)[:2]
    return f"{names} wins by {best - second}" if best > second else f"{names} share the win"


def _heading(position: Position) -> str:
    """Return what the marked player must do."""
    if position.phase == Phase.GAME_OVER:
        return winner_words(position).upper()
    told = (drawing.heading(position) for drawing in drawings())
    return next(filter(None, told), QUESTIONS[position.phase].heading)


def panel_pieces(position: Position) -> list[Piece | Group]:
    """Return the panel, ``WIDTH`` units wide, with its top left corner at the origin."""
    heading = text_svg(_heading(position), 2, 22, 9.5, color=p.FAINT_INK, spacing=1.35)
    if part := "".join(drawing.part(position) for drawing in drawings()):
        heading += text_svg(part, 2, 5.5, 7, color=p.ACCENT, weight=1.5, spacing=1.3)
    pieces: list[Piece | Group] = [Piece(heading, (0, -4, 2 * WIDTH, 26))]
    y = TOP
    marked = marked_seats(position)
    for seat in range(len(position.scores)):
        pieces.append(_card(position, seat, y, is_marked=seat in marked))
        y += card_height(position) + CARD_GAP
    return [*pieces, _hand(position, y + 6)]


def _card(position: Position, seat: int, y: float, *, is_marked: bool) -> Group:
    """Return a player's card: figure, supply and score; the player to move has a golden frame."""
    line, width = (p.ACCENT, 2.6) if is_marked else (p.CARD_LINE, 1.0)
    fill = "#fffdf6" if is_marked else p.CARD
    score = position.scores[seat]
    height = card_height(position)
    meeple = 35.0, height / 2 - 0.5
    ground = (
        f'<rect x="1" y="1" width="{WIDTH - 2:g}" height="{height - 2:g}" rx="7"'
        f' fill="{fill}" stroke="{line}" stroke-width="{width}"/>'
        f'<rect x="8" y="9" width="5" height="{height - 18:g}" rx="2.5" fill="{p.SEATS[seat]}"/>'
    )
    if is_marked:
        ground += f'<path d="M-9,{height / 2 - 6:g}l8,6l-8,6Z" fill="{p.ACCENT}"/>'
    owner = figure_svg(seat, Figure.MEEPLE, meeple, scale=MEEPLE_SCALE) + "".join(
        symbol(name, meeple, MEEPLE_SCALE * MEEPLE_RADIUS) for name in markers_of(position, seat)
    )
    points = text_svg(str(score), WIDTH - 14, 31, 19, color=p.INK, anchor="end", weight=1.35)
    notes = "".join(
        text_svg(
            note, WIDTH - 14, height - 12 - NOTE_STEP * i, 6.2, color=p.FAINT_INK, anchor="end"
        )
        for i, note in enumerate(note for d in drawings() for note in d.notes(position, seat))
    )
    return Group(
        f'class="player" data-seat="{seat}" data-score="{score}" data-marked="{int(is_marked)}"',
        0,
        y,
        [
            Piece(ground, (-BESIDE, -2, WIDTH + 2, height + 2)),
            Piece(owner, (10, 0, 64, height)),
            Piece(points, (WIDTH / 2, 6, WIDTH, 36)),
            *_supply(position, seat),
            Piece(notes, (WIDTH / 2, 0, WIDTH, height)),
        ],
    )


def _supply(position: Position, seat: int) -> list[Piece]:
    """Return small figures and other things: filled if in the supply, hollow if on the board.

    Normal meeples are in one row. If there is only one other kind, it follows them unless an offer
    needs the space for notes. Several other kinds are shown above the meeples, and everything else
    below.
    """
    meeples, *others = figures_in_play(position.rules)
    tokens, lower = _tokens(position), _lower_figures(position)
    others = [figure for figure in others if figure not in lower]
    row = _small_figures(position, seat, meeples)
    n_others = len(others) + len(tokens)
    if n_others == 1 and hand_height(position) == HAND_HEIGHT:
        x, y, size, step = SUPPLY_LEFT + len(row) * SUPPLY_STEP + 4, LOWER_ROW, 12.5, SUPPLY_STEP
    elif n_others <= N_ROOMY:
        x, y, size, step = SUPPLY_LEFT, UPPER_ROW, 15.0, 21.0
    else:
        step = min(17.5, UPPER_ROOM / (n_others - 1))
        x, y, size = SUPPLY_LEFT, UPPER_ROW, 13.4
    pieces = []
    for i, is_left in enumerate(row):
        spot = (SUPPLY_LEFT + i * SUPPLY_STEP, LOWER_ROW)
        small = supply_svg(seat, meeples, spot, 12.5, is_left=is_left)
        pieces.append(Piece(small, around(*spot, 12.5)))
    for figure in others:
        for is_left in _small_figures(position, seat, figure):
            small = supply_svg(seat, figure, (x, y), size, is_left=is_left)
            pieces.append(Piece(small, around(x, y, size)))
            x += step
    for token in tokens:
        pieces.append(Piece(token.draw(position, seat, (x, y), size), around(x, y, size)))
        x += step
    return pieces + _lower_rows(position, seat)


def _lower_rows(position: Position, seat: int) -> list[Piece]:
    """Return the small things, then the row shared with figures, then further rows below."""
    things, shared = _things(position), _rows(position, has_figures=True)
    y = FIRST_EXTRA_ROW + ROW_HEIGHT * bool(things)
    below = y + ROW_HEIGHT * _has_shared_row(position)
    drawn = ["".join(_thing(thing, position, seat) for thing in things)]
    drawn += [
        row.draw(position, seat, below + ROW_HEIGHT * i) for i, row in enumerate(_rows(position))
    ]
    parts = []
    for i, figure in enumerate(_lower_figures(position)):
        (is_left,) = _small_figures(position, seat, figure)
        spot = (SUPPLY_LEFT + LOWER_STEP * i, y + 1)
        parts.append(supply_svg(seat, figure, spot, 13.4, is_left=is_left))
    drawn.append("".join((*parts, *(row.draw(position, seat, y) for row in shared))))
    box = (SUPPLY_LEFT - 12, LOWER_ROW, WIDTH, card_height(position))
    return [Piece(svg, box) for svg in drawn if svg]


def _small_figures(position: Position, seat: int, figure: Figure) -> list[bool]:
    """Return whether each figure of a kind that a player owns is left."""
    n_left = supply_of(position, seat, figure)
    return [i < n_left for i in range(FIGURE_SLOTS.count(figure))]


def _thing(thing: Thing, position: Position, seat: int) -> str:
    """Return the small things of one kind in their row."""
    n_each, n_left = thing.each(position.rules), thing.left(position, seat)
    first = N_SLOTS - n_each if thing.is_right else 0
    parts = []
    for i in range(n_each):
        is_left = i < n_left
        place = f"{number(SUPPLY_LEFT + (first + i) * SUPPLY_STEP)} {number(FIRST_EXTRA_ROW)}"
        fill, line = (p.WALL_STONE, p.WALL_LINE) if is_left else ("none", p.CARD_LINE)
        parts.append(
            f'<g class="stock" data-thing="{thing.name}" data-left="{int(is_left)}"'
            f' transform="translate({place}) scale(0.52)">'
            f"{shape(STOCK_PATHS[thing.name], fill, line, 1.8)}</g>"
        )
    return "".join(parts)


def _hand(position: Position, y: float) -> Group:
    """Return the tile in hand or its replacement, and what is still to come."""
    told = "".join(drawing.hand_note(position) for drawing in drawings())
    if position.bag is not None:
        left = len(position.bag)
        told += count_svg(str(left), "TILE LEFT" if left == 1 else "TILES LEFT", NOTE_LEFT)
    drawn = (drawing.hand(position) for drawing in drawings())
    upper = next((svg for svg in drawn if svg is not None), None)
    return Group(
        'class="next"',
        0,
        y,
        [
            Piece(_next_tile(position) if upper is None else upper, (-4, -4, WIDTH / 2 + 4, 104)),
            *(piece for drawing in drawings() for piece in drawing.offer(position)),
            Piece(told, (WIDTH / 2, -4, WIDTH + BESIDE, 104)),
        ],
    )


def _next_tile(position: Position) -> str:
    if position.tile_in_hand is not None:
        return large_tile_svg("hand", position.tile_in_hand)
    if position.phase == Phase.GAME_OVER:
        return ""
    return (
        f'<rect x="3" y="3" width="94" height="94" rx="6" fill="none" stroke="{p.CARD_LINE}"'
        ' stroke-width="1.5" stroke-dasharray="5 4"/>'
    )
