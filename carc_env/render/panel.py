"""The side panel: scores, supplies, who is to move, the next tile or the bazaar, the tiles left."""

from __future__ import annotations

from carc_env.engine.core.codes import Figure, Good, Phase
from carc_env.engine.core.state import FIGURE_SLOTS
from carc_env.engine.core.tiles import ABBEY
from carc_env.position import Bazaar, Lot, PlacedFigure, Position, Prisoner, Tower
from carc_env.render import palette as p
from carc_env.render.brush import shape
from carc_env.render.figure_art import LETTERS, figure_svg, supply_svg
from carc_env.render.lettering import text_svg
from carc_env.render.pieces import Box, Group, Piece
from carc_env.render.shapes import SIZE, Point, number
from carc_env.render.symbols import MEEPLE_RADIUS, symbol
from carc_env.render.tile_art import EMBLEM, back_svg, tile_svg
from carc_env.systems import QUESTIONS, figures_in_play, markers_of

WIDTH = 220.0
"""Width of the panel in its own units; the board scales it."""

CARD_HEIGHT = 60.0
ROW_HEIGHT = 20.0
"""What a row below the meeples adds to a card."""
CARD_GAP = 8.0
TOP = 40.0
HAND_HEIGHT = 122.0
BESIDE = 12.0
"""Room for what stands beside the cards."""

SUPPLY_LEFT = 64.0
SUPPLY_STEP = 15.0
LOWER_ROW, UPPER_ROW = 46.0, 21.0
FIRST_EXTRA_ROW = 65.0
N_SLOTS = 7
"""Places of a row of small pieces."""
N_ROOMY = 5
"""More kinds than these stand closer together, so that they keep off the score."""
UPPER_ROOM = 93.0
"""From the first to the last of those, for a score of three digits."""
N_CROWDED = 6
"""More kinds than these leave builder and pig to the row of the goods."""
TRADERS = (Figure.BUILDER, Figure.PIG)
GOODS_LEFT, GOODS_STEP = 103.0, 25.0
FLOORS_ABOVE = 1.0
"""How far floors and prisoners stand below the row above them."""
NOTE_STEP = 8.8

MEEPLE_SCALE = 1.35

LOT_GAP, LOT_ROW_GAP = 8.0, 17.0
LOTS_TOP = 112.0

AUCTION = (Phase.BAZAAR_PICK, Phase.BAZAAR_BID, Phase.BAZAAR_DEAL)

# Pieces that all players have alike, on a width of 24 units.
STOCK_PATHS = {
    "bridge": "M-11.5,7V-1.5C-6,-8 6,-8 11.5,-1.5V7H7.4C7.4,-0.5 -7.4,-0.5 -7.4,7Z",
    "castle": EMBLEM,
}


def panel_height(position: Position) -> float:
    """Height that the panel needs in all positions of the game, in its own units."""
    cards = len(position.scores) * (card_height(position) + CARD_GAP)
    return TOP + cards + hand_height(position)


def hand_height(position: Position) -> float:
    """Height of what lies below the cards: with bazaars there is room for the tiles on offer."""
    if not position.rules.bazaars:
        return HAND_HEIGHT
    n_rows = -(-len(position.scores) // _lot_columns(position))
    return HAND_HEIGHT + n_rows * (_lot_size(position) + LOT_ROW_GAP)


def _lot_columns(position: Position) -> int:
    """How many tiles on offer lie side by side."""
    return 4 if len(position.scores) == 4 else 3


def _lot_size(position: Position) -> float:
    n_gaps = _lot_columns(position) - 1
    return (WIDTH - LOT_GAP * n_gaps) / (n_gaps + 1)


def card_height(position: Position) -> float:
    """Height of the card of a player: stock and goods take rows of their own."""
    n_rows = _has_stock(position) + _has_trade_row(position) + bool(position.floors)
    return CARD_HEIGHT + ROW_HEIGHT * n_rows


def _has_stock(position: Position) -> bool:
    return bool(position.bridges or position.tokens)


def _has_trade_row(position: Position) -> bool:
    """Whether builder and pig stand in a row of their own, with the goods if there are any."""
    n_kinds = len(figures_in_play(position.rules)[1:]) + bool(position.abbeys)
    return bool(position.goods) or n_kinds > N_CROWDED


def can_build(position: Position) -> bool:
    """Whether the decider still has the bridge of this placement."""
    return (
        bool(position.bridges)
        and position.bridges[position.decider] > 0
        and not position.has_bridged
    )


def supply_of(position: Position, seat: int, figure: Figure) -> int:
    """How many figures of a kind a player has left to place."""
    n_owned = FIGURE_SLOTS.count(figure) if figure in figures_in_play(position.rules) else 0
    away: list[PlacedFigure | Tower | Prisoner] = [*position.figures, *position.towers]
    away += position.prisoners
    on_board = sum(f.seat == seat and f.figure == figure for f in away)
    return n_owned - on_board


def marked_seats(position: Position) -> tuple[int, ...]:
    """Who decides next; after the game, who has the most points."""
    if position.phase == Phase.GAME_OVER:
        best = max(position.scores)
        return tuple(seat for seat, score in enumerate(position.scores) if score == best)
    return (position.decider,)


def winner_words(position: Position) -> str:
    """Who has won, such as ``A wins by 12`` or ``A C share the win``."""
    names = " ".join(LETTERS[seat] for seat in marked_seats(position))
    best, second = sorted(position.scores, reverse=True)[:2]
    return f"{names} wins by {best - second}" if best > second else f"{names} share the win"


def _heading(position: Position) -> str:
    """What the marked player is to do; in the last round there is nothing left to draw."""
    if position.phase == Phase.GAME_OVER:
        return winner_words(position).upper()
    if position.phase == Phase.DRAW_OR_ABBEY and position.last_round is not None:
        return "ABBEY OR PASS"
    if position.phase == Phase.FIGURE and can_build(position):
        return "FIGURE OR BRIDGE"
    if position.phase == Phase.BAZAAR_BID and position.bazaar and position.bazaar.bidder is None:
        return "OPEN THE BIDDING"
    return QUESTIONS[position.phase].heading


def _part(position: Position) -> str:
    """Which part of a builder's turn it is, where that is not plain."""
    if position.first_part is not None:
        return "SECOND PART"
    return "SECOND PART FOLLOWS" if position.has_extended else ""


def panel_pieces(position: Position) -> list[Piece | Group]:
    """The panel, of the width ``WIDTH``, its top left corner at the origin."""
    heading = text_svg(_heading(position), 2, 22, 9.5, color=p.FAINT_INK, spacing=1.35)
    if part := _part(position):
        heading += text_svg(part, 2, 5.5, 7, color=p.ACCENT, weight=1.5, spacing=1.3)
    pieces: list[Piece | Group] = [Piece(heading, (0, -4, 2 * WIDTH, 26))]
    y = TOP
    marked = marked_seats(position)
    for seat in range(len(position.scores)):
        pieces.append(_card(position, seat, y, is_marked=seat in marked))
        y += card_height(position) + CARD_GAP
    return [*pieces, _hand(position, y + 6)]


def _card(position: Position, seat: int, y: float, *, is_marked: bool) -> Group:
    """A player: figure, supply and score; the player to move has a golden frame."""
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
        for i, note in enumerate(_notes(position, seat))
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


def _notes(position: Position, seat: int) -> list[str]:
    """What is to be known of a player in a bazaar besides who is asked, and what is owed."""
    bazaar = position.bazaar
    notes = []
    if bazaar is not None and bazaar.chooser == seat != position.decider:
        notes.append("CHOOSER")
    if seat in position.delayed:
        notes.append("BAZAAR")
    if bazaar is not None and bazaar.owed is not None and bazaar.resumes == seat:
        notes.append("BUILDER")
    return notes


def _supply(position: Position, seat: int) -> list[Piece]:
    """Small figures, abbeys, bridges, castles and goods: filled in the supply, hollow on the board.

    Normal meeples are in one row. A single other figure lies behind them where no bazaar leaves
    notes there, several lie above; bridges and castles lie below, then builder, pig and goods.
    """
    meeples, *others = figures_in_play(position.rules)
    lower = (SUPPLY_LEFT - 12, LOWER_ROW, WIDTH, card_height(position))
    rows = [Piece(_stock(position, seat), lower)]
    if position.floors:
        rows.append(Piece(_floors(position, seat), lower))
    if _has_trade_row(position):
        traders = [figure for figure in others if figure in TRADERS]
        rows.append(Piece(_trade(position, seat, traders), lower))
        others = [figure for figure in others if figure not in TRADERS]
    row = _small_figures(position, seat, meeples)
    n_others = len(others) + bool(position.abbeys)
    if n_others == 1 and not position.rules.bazaars:
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
        pieces.append(Piece(small, _around(spot, 12.5)))
    for figure in others:
        for is_left in _small_figures(position, seat, figure):
            small = supply_svg(seat, figure, (x, y), size, is_left=is_left)
            pieces.append(Piece(small, _around((x, y), size)))
            x += step
    if position.abbeys:
        abbey = _small_abbey((x, y), size, n_left=position.abbeys[seat])
        pieces.append(Piece(abbey, _around((x, y), size)))
    return pieces + rows


def _around(spot: Point, reach: float) -> Box:
    """The box round a spot."""
    return spot[0] - reach, spot[1] - reach, spot[0] + reach, spot[1] + reach


def _small_figures(position: Position, seat: int, figure: Figure) -> list[bool]:
    """For every figure of a kind that a player owns, whether it is left."""
    n_left = supply_of(position, seat, figure)
    return [i < n_left for i in range(FIGURE_SLOTS.count(figure))]


def _stock(position: Position, seat: int) -> str:
    """Bridges from the left, castles to the right end of the row."""
    parts = []
    for kind, in_hand, n_each in (
        ("bridge", position.bridges, position.rules.bridges_each),
        ("castle", position.tokens, position.rules.tokens_each),
    ):
        first = N_SLOTS - n_each if kind == "castle" else 0
        for i in range(n_each if in_hand else 0):
            is_left = i < in_hand[seat]
            x = SUPPLY_LEFT + (first + i) * SUPPLY_STEP
            place = f"{number(x)} {number(FIRST_EXTRA_ROW)}"
            fill, line = (p.WALL_STONE, p.WALL_LINE) if is_left else ("none", p.CARD_LINE)
            parts.append(
                f'<g class="stock" data-thing="{kind}" data-left="{int(is_left)}"'
                f' transform="translate({place}) scale(0.52)">'
                f"{shape(STOCK_PATHS[kind], fill, line, 1.8)}</g>"
            )
    return "".join(parts)


def _trade(position: Position, seat: int, figures: list[Figure]) -> str:
    """Builder and pig from the left, then how many goods of each kind the player has."""
    y = FIRST_EXTRA_ROW + ROW_HEIGHT * _has_stock(position)
    parts, x = [], SUPPLY_LEFT
    for figure in figures:
        (is_left,) = _small_figures(position, seat, figure)
        parts.append(supply_svg(seat, figure, (x, y + 1), 13.4, is_left=is_left))
        x += 18.0
    for good in Good if position.goods else ():
        n = position.goods[seat][good]
        x = GOODS_LEFT + GOODS_STEP * good
        color, faint = (p.INK, "") if n else (p.CARD_LINE, ' opacity="0.3"')
        parts.append(
            f'<g class="goods" data-good="{good.name.lower()}" data-count="{n}"'
            f' transform="translate({number(x)} {number(y)})">'
            f"<g{faint}>{symbol(good.name.lower(), (0, 0), 7)}</g>"
            f"{text_svg(str(n), 9.6, 3.8, 7.6, color=color, weight=1.5)}</g>"
        )
    return "".join(parts)


def _floors(position: Position, seat: int) -> str:
    """How many floors a player has left, then the prisoners, in the colours of their owners."""
    y = card_height(position) - ROW_HEIGHT + FLOORS_ABOVE
    n, x = position.floors[seat], SUPPLY_LEFT
    parts = [
        f'<g class="floors" data-count="{n}">{symbol("floor", (x, y), 6.5)}'
        f"{text_svg(str(n), x + 9.6, y + 3.8, 7.6, color=p.INK, weight=1.5)}</g>"
    ]
    held = [prisoner for prisoner in position.prisoners if prisoner.captor == seat]
    step = min(SUPPLY_STEP, (WIDTH - 14 - GOODS_LEFT) / max(len(held), 1))
    for i, prisoner in enumerate(held):
        spot = (GOODS_LEFT + step * i, y)
        bars = "".join(f"M{spot[0] + dx:g},{y - 6.5:g}v13" for dx in (-3.6, 0, 3.6))
        parts.append(
            f'<g class="prisoner" data-seat="{prisoner.seat}" data-figure="{prisoner.figure.name}">'
            f"{supply_svg(prisoner.seat, prisoner.figure, spot, 12.5, is_left=True)}"
            f'<path d="{bars}" stroke="{p.WALL_LINE}" stroke-width="1"/></g>'
        )
    return "".join(parts)


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


def _hand(position: Position, y: float) -> Group:
    """The tile in hand, the abbey that may be placed or the auction, and what is still to come."""
    is_auction = position.phase in AUCTION
    told = ""
    if position.last_round is not None and position.phase != Phase.GAME_OVER:
        told += text_svg("LAST ROUND", 114, 14, 8.4, color=p.ACCENT, spacing=1.3)
        to_come = f"{position.last_round} TO COME"
        told += text_svg(to_come, 114, 30, 8.4, color=p.FAINT_INK, spacing=1.3)
    if position.bag is not None:
        left = len(position.bag)
        label = "TILE LEFT" if left == 1 else "TILES LEFT"
        told += _count(str(left), label, 114)
    lots = [] if position.bazaar is None else _lots(position, position.bazaar)
    upper = _bid(position) if is_auction else _next_tile(position)
    return Group(
        'class="next"',
        0,
        y,
        [
            Piece(upper, (-4, -4, WIDTH / 2 + 4, 104)),
            *lots,
            Piece(told, (WIDTH / 2, -4, WIDTH + BESIDE, 104)),
        ],
    )


def _count(value: str, label: str, x: float) -> str:
    return text_svg(value, x, 76, 21, color=p.INK, weight=1.3) + text_svg(
        label, x, 96, 8.4, color=p.FAINT_INK, spacing=1.3
    )


def _next_tile(position: Position) -> str:
    if position.tile_in_hand is not None:
        return _large_tile("hand", position.tile_in_hand)
    if position.phase == Phase.DRAW_OR_ABBEY:
        return _large_tile("offer", ABBEY["id"])
    if position.phase == Phase.GAME_OVER:
        return ""
    return (
        f'<rect x="3" y="3" width="94" height="94" rx="6" fill="none" stroke="{p.CARD_LINE}"'
        ' stroke-width="1.5" stroke-dasharray="5 4"/>'
    )


def _bid(position: Position) -> str:
    """The highest bid of an auction, and whose it is."""
    bazaar = position.bazaar
    if bazaar is None or bazaar.bidder is None:
        return ""
    bidder = figure_svg(bazaar.bidder, Figure.MEEPLE, (11, 65.5), scale=0.92)
    return bidder + _count(str(bazaar.price), "TOP BID", 28)


def _lots(position: Position, bazaar: Bazaar) -> list[Piece]:
    """The tiles of a bazaar with their numbers or owners and the one for sale, or face down."""
    size, columns = _lot_size(position), _lot_columns(position)
    pieces = []
    for i, lot in enumerate(bazaar.offer):
        row, column = divmod(i, columns)
        corner = (column * (size + LOT_GAP), LOTS_TOP + row * (size + LOT_ROW_GAP))
        if bazaar.waits:
            svg = _framed(back_svg(), corner, size, p.INK, 0.8)
        else:
            svg = _lot(lot, i, corner, size, is_for_sale=i == bazaar.lot)
        x, y = corner
        pieces.append(Piece(svg, (x - 4, y - 4, x + size + 4, y + size + LOT_ROW_GAP)))
    return pieces


def _lot(lot: Lot, i: int, corner: Point, size: float, *, is_for_sale: bool) -> str:
    """A tile on offer, with its owner or else its number on its lower rim."""
    line, width = (p.ACCENT, 3.4) if is_for_sale else (p.INK, 0.8)
    x, y = corner[0] + size / 2, corner[1] + size + 1.5
    if lot.owner is not None:
        below = supply_svg(lot.owner, Figure.MEEPLE, (x, y), 15, is_left=True)
    else:
        fill, ink = (p.ACCENT, p.CARD) if is_for_sale else (p.CARD, p.INK)
        below = (
            f'<circle cx="{number(x)}" cy="{number(y)}" r="6" fill="{fill}" stroke="{line}"'
            ' stroke-width="0.8"/>'
        ) + text_svg(str(i + 1), x, y + 3.2, 6.4, color=ink, anchor="middle", weight=1.5)
    owner = "" if lot.owner is None else f' data-owner="{lot.owner}"'
    return (
        f'<g class="lot" data-tile="{lot.tile}"{owner} data-for-sale="{int(is_for_sale)}">'
        f"{_framed(tile_svg(lot.tile), corner, size, line, width)}{below}</g>"
    )


def _framed(tile: str, corner: Point, size: float, line: str, width: float) -> str:
    """A drawn tile with its corner at a point; the outline's width is in units of the panel."""
    scale = size / SIZE
    return (
        f'<g transform="translate({number(corner[0])} {number(corner[1])}) scale({scale:.4f})">'
        f'<g clip-path="url(#tile-clip)">{tile}</g>'
        f'<rect width="100" height="100" rx="2" fill="none" stroke="{line}"'
        f' stroke-width="{number(width / scale)}"/></g>'
    )


def _large_tile(name: str, tile: str) -> str:
    return (
        '<g transform="translate(2 2) scale(0.96)"><rect x="2" y="3" width="100" height="100"'
        ' rx="3" fill="#3b2f1a" fill-opacity="0.22"/>'
        f'<g class="{name}" data-tile="{tile}" clip-path="url(#tile-clip)">'
        f"{tile_svg(tile)}</g>"
        f'<rect width="100" height="100" rx="1.5" fill="none" stroke="{p.INK}"'
        ' stroke-width="1.2" stroke-opacity="0.65"/></g>'
    )
