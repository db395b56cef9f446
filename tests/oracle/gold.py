"""Gold mines (docs/rules/gold.md): ingots on tiles, who may take them, and their points."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from carc_env.engine.core.codes import Kind, Phase
from carc_env.position import Pile, Position

from .board import Feature, around, occupied_cells
from .tiles import FACTS, Cell


def is_mine(tile_id: str) -> bool:
    """Return whether a tile shows a gold mine (GOL-01)."""
    return bool(FACTS[tile_id].get("goldmine"))


def neighbours(position: Position) -> set[Cell]:
    """Return the occupied cells around the tile just placed (GOL-02, GOL-19)."""
    last = position.tiles[-1]
    return around(last.x, last.y) & occupied_cells(position)


def with_ingot(position: Position, cell: Cell) -> Position:
    """Put one more ingot on a tile (GOL-04)."""
    lying = {(pile.x, pile.y): pile for pile in position.gold}
    lying[cell] = replace(lying.get(cell, Pile(*cell, 0)), ingots=n_on(position, cell) + 1)
    order = [(tile.x, tile.y) for tile in position.tiles]
    return replace(position, gold=tuple(lying[cell] for cell in sorted(lying, key=order.index)))


def n_on(position: Position, cell: Cell) -> int:
    """Count the ingots on a tile."""
    return sum(pile.ingots for pile in position.gold if (pile.x, pile.y) == cell)


def brought(position: Position) -> Position:
    """Put an ingot on the gold mine just placed, and the second one on an only neighbour (GOL-03).

    If there are several neighbours, the position asks for one.
    """
    last = position.tiles[-1]
    if not position.rules.gold or not is_mine(last.tile):
        return position
    position = with_ingot(position, (last.x, last.y))
    beside = neighbours(position)
    if len(beside) == 1:
        return with_ingot(position, *beside)
    return replace(position, phase=Phase.INGOT)


# --- Taking ingots ------------------------------------------------------------------------------


def reach(feature: Feature) -> frozenset[Cell]:
    """Return the cells whose ingots a feature gives (GOL-06, XGO-02); a field has none (GOL-10)."""
    if feature.kind == Kind.FIELD:
        return frozenset()
    if feature.kind in (Kind.MONASTERY, Kind.GARDEN):
        ((x, y),) = feature.tiles
        return frozenset({(x, y)} | around(x, y))
    return feature.tiles


def claimed(position: Position, cells: Collection[Cell], seats: Collection[int]) -> Position:
    """Entitle seats to the ingots on some cells, in addition to earlier claims (GOL-07)."""
    piles = (
        replace(pile, seats=tuple(sorted({*pile.seats, *seats})))
        if (pile.x, pile.y) in cells
        else pile
        for pile in position.gold
    )
    return replace(position, gold=tuple(piles))


def open_to(position: Position, seat: int) -> list[Pile]:
    """List the piles that a seat may take from."""
    return [pile for pile in position.gold if seat in pile.seats]


def taken(position: Position, seat: int, cell: Cell) -> Position:
    """Give a seat one ingot from a tile."""
    gold = (
        replace(pile, ingots=pile.ingots - ((pile.x, pile.y) == cell)) for pile in position.gold
    )
    ingots = (n + (k == seat) for k, n in enumerate(position.ingots))
    return replace(position, gold=tuple(p for p in gold if p.ingots), ingots=tuple(ingots))


def shared(position: Position, seat: int) -> Position:
    """Let entitled seats take ingots one by one, beginning with ``seat`` (GOL-07, GOL-08).

    Stop to ask a seat if its piles have different sets of entitled seats.
    """
    while any(pile.seats for pile in position.gold):
        found = open_to(position, seat)
        if position.rules.gold_choice == "ask" and len({pile.seats for pile in found}) > 1:
            return replace(position, phase=Phase.SHARE, decider=seat)
        if found:
            most = max(found, key=lambda pile: len(pile.seats))  # The first one wins ties.
            position = taken(position, seat, (most.x, most.y))
        seat = (seat + 1) % position.rules.n_players
    return replace(position, decider=position.turn_player)


def points(position: Position) -> tuple[int, ...]:
    """Return each player's points for ingots at the end (GOL-12)."""
    return tuple(n * (1 + (n > 3) + (n > 6) + (n > 9)) for n in position.ingots) or (
        (0,) * position.rules.n_players
    )


# --- Impossible positions -----------------------------------------------------------------------


def wrong_gold(position: Position) -> Iterator[str]:
    """Report impossible ingots, and seats that may take ingots at the wrong time."""
    n_players, rules = position.rules.n_players, position.rules
    if len(position.ingots) != n_players * rules.gold or (position.gold and not rules.gold):
        yield f"{position.gold} on the board and {position.ingots} in hand"
        return
    cells = [(pile.x, pile.y) for pile in position.gold]
    if not set(cells) <= occupied_cells(position) or len(set(cells)) < len(cells):
        yield f"ingots lie on {cells}"
    numbers = [*(pile.ingots for pile in position.gold), *position.ingots]
    n_mines = sum(is_mine(tile.tile) for tile in position.tiles)
    is_laid = position.phase == Phase.INGOT
    if sum(numbers) > 2 * n_mines - is_laid:
        yield f"{sum(numbers)} ingots of {n_mines} gold mines"
    if min(numbers, default=0) < 0 or any(pile.ingots < 1 for pile in position.gold):
        yield f"{numbers} ingots"
    entitled = {seat for pile in position.gold for seat in pile.seats}
    if entitled and position.phase not in (Phase.CASTLE_CHOICE, Phase.SHARE):
        yield f"{entitled} may take ingots in phase {position.phase.name}"
    if not entitled <= set(range(n_players)):
        yield f"{entitled} may take ingots"
    if is_laid and not (
        is_mine(position.tiles[-1].tile)
        and n_on(position, (position.tiles[-1].x, position.tiles[-1].y))
        and len(neighbours(position)) > 1
    ):
        yield "there is no choice for a second ingot"
    if position.phase == Phase.SHARE:
        own = {pile.seats for pile in open_to(position, position.decider)}
        if rules.gold_choice != "ask" or len(own) < 2:
            yield f"seat {position.decider} has no choice of ingots"
