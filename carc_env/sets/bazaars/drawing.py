"""Drawings of bazaars: the tiles on offer, the bidding, and the player to act."""

from __future__ import annotations

from collections.abc import Iterator

from carc_env.engine.core.codes import Figure, Phase
from carc_env.position import Bazaar, Lot, Position
from carc_env.render import palette as p
from carc_env.render.card import HAND_HEIGHT, WIDTH, count_svg, framed_svg
from carc_env.render.declaring import Drawing
from carc_env.render.figure_art import LETTERS, figure_svg, supply_svg
from carc_env.render.lettering import text_svg
from carc_env.render.pieces import Piece
from carc_env.render.shapes import Point, number
from carc_env.render.tile_art import back_svg, tile_svg
from carc_env.words import counted

LOT_GAP, LOT_ROW_GAP = 8.0, 17.0
LOTS_TOP = HAND_HEIGHT - 10.0
AUCTION = (Phase.BAZAAR_PICK, Phase.BAZAAR_BID, Phase.BAZAAR_DEAL)


# In the panel.


def _columns(position: Position) -> int:
    """Return how many of the tiles on offer fit side by side."""
    return 4 if len(position.scores) == 4 else 3


def _size(position: Position) -> float:
    n_gaps = _columns(position) - 1
    return (WIDTH - LOT_GAP * n_gaps) / (n_gaps + 1)


def _offer_height(position: Position) -> float:
    if not position.rules.bazaars:
        return 0.0
    n_rows = -(-len(position.scores) // _columns(position))
    return n_rows * (_size(position) + LOT_ROW_GAP)


def _offer(position: Position) -> Iterator[Piece]:
    """Draw a bazaar's tiles face down, or with numbers or owners and the one for sale."""
    if (bazaar := position.bazaar) is None:
        return
    size, columns = _size(position), _columns(position)
    for i, lot in enumerate(bazaar.offer):
        row, column = divmod(i, columns)
        x, y = column * (size + LOT_GAP), LOTS_TOP + row * (size + LOT_ROW_GAP)
        if bazaar.waits:
            svg = framed_svg(back_svg(), (x, y), size, p.INK, 0.8)
        else:
            svg = _lot(lot, i, (x, y), size, is_for_sale=i == bazaar.lot)
        yield Piece(svg, (x - 4, y - 4, x + size + 4, y + size + LOT_ROW_GAP))


def _lot(lot: Lot, i: int, corner: Point, size: float, *, is_for_sale: bool) -> str:
    """Draw a tile on offer, with its owner or, if it has none, its number on the lower edge."""
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
        f"{framed_svg(tile_svg(lot.tile), corner, size, line, width)}{below}</g>"
    )


def _bid(position: Position) -> str | None:
    """Draw an auction's highest bid and its bidder in place of the tile in hand."""
    bazaar = position.bazaar
    if position.phase not in AUCTION:
        return None
    if bazaar is None or bazaar.bidder is None:
        return ""
    bidder = figure_svg(bazaar.bidder, Figure.MEEPLE, (11, 65.5), scale=0.92)
    return bidder + count_svg(str(bazaar.price), "TOP BID", 28)


def _notes(position: Position, seat: int) -> Iterator[str]:
    """Return a player's notes: chooser, waiting bazaar or owed second part."""
    bazaar = position.bazaar
    if bazaar is not None and bazaar.chooser == seat != position.decider:
        yield "CHOOSER"
    if seat in position.delayed:
        yield "BAZAAR"
    if bazaar is not None and bazaar.owed is not None and bazaar.resumes == seat:
        yield "BUILDER"


def _heading(position: Position) -> str:
    bazaar = position.bazaar
    opens = position.phase == Phase.BAZAAR_BID and bazaar is not None and bazaar.bidder is None
    return "OPEN THE BIDDING" if opens else ""


# As text.


def _task(position: Position) -> str:
    bazaar = position.bazaar
    if position.phase not in AUCTION:
        return ""
    if bazaar is None or bazaar.lot is None:
        takes = bazaar is not None and bazaar.takes
        return "takes a tile of the bazaar" if takes else "chooses a tile of the bazaar"
    tile = bazaar.offer[bazaar.lot].tile
    if bazaar.bidder is None:
        return f"opens the bidding for {tile}"
    if position.phase == Phase.BAZAAR_BID:
        return f"bids more than {bazaar.price} for {tile} or passes"
    return f"buys {tile} for {bazaar.price} or sells it to {LETTERS[bazaar.bidder]}"


def _lines(position: Position) -> Iterator[str]:
    if position.bazaar is not None:
        yield from _bazaar(position.bazaar)
    if position.delayed:
        yield f"bazaars to come: {', '.join(LETTERS[seat] for seat in position.delayed)}"


def _bazaar(bazaar: Bazaar) -> Iterator[str]:
    """Describe whose bazaar it is, the tiles on offer, and the bidding."""
    whose = LETTERS[bazaar.starter]
    if bazaar.resumes != bazaar.starter:
        whose += f" in the turn of {LETTERS[bazaar.resumes]}"
    if bazaar.waits:
        yield f"bazaar of {whose}: {counted(len(bazaar.offer), 'tile')} face down"
        return
    lots = [
        f"{number} {lot.tile}" + ("" if lot.owner is None else f" for {LETTERS[lot.owner]}")
        for number, lot in enumerate(bazaar.offer, start=1)
    ]
    yield f"bazaar of {whose}: {', '.join(lots) or 'all tiles taken'}"
    if bazaar.owed is not None:
        yield f"then the second part of the turn of {LETTERS[bazaar.resumes]}"
    if bazaar.chooser is not None and bazaar.lot is not None:
        bid = "no bid yet"
        if bazaar.bidder is not None:
            bid = f"highest bid {bazaar.price} by {LETTERS[bazaar.bidder]}"
        yield f"{LETTERS[bazaar.chooser]} has chosen {bazaar.lot + 1}, {bid}"


DRAWING = Drawing(
    letters={"bazaar": "%"},
    notes=_notes,
    hand=_bid,
    offer_height=_offer_height,
    offer=_offer,
    heading=_heading,
    task=_task,
    lines=_lines,
)
