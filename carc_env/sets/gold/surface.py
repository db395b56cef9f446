"""The Gold Mines: ingots on tiles and in players' hands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from carc_env.engine.core.codes import Block, Phase, Plane, Problem, Stock
from carc_env.position import Pile, Position
from carc_env.rules import Rules
from carc_env.sets.gold.kernels import MORE_FROM
from carc_env.sets.gold.record import MAX_INGOTS
from carc_env.systems.declaring import (
    Actions,
    Anchor,
    Choice,
    Fields,
    Planes,
    Question,
    Record,
    Supply,
    System,
    Text,
)
from carc_env.systems.places import cell_of, coordinates_of
from carc_env.systems.stock import put_in_hand, stock_in_hand
from carc_env.words import (
    CELL,
    COUNT,
    SEATS,
    NotationError,
    Page,
    format_cell,
    format_scores,
    parse_cell,
    parse_seat,
)

NEIGHBOURS = tuple((x, y) for y in (-1, 0, 1) for x in (-1, 0, 1) if (x, y) != (0, 0))
"""Steps to the eight cells around a tile, row by row."""
_PILE = re.compile(rf"(?P<cell>{CELL}) (?P<ingots>{COUNT})(?P<seats>(?: [A-F])*)")


def _ingot(k: int, _: Rules) -> Choice:
    return Choice("ingot", NEIGHBOURS[k])


def _share(k: int, rules: Rules) -> Choice:
    row, column = divmod(k, rules.view)
    return Choice("share", (column, row))


def _asks(rules: Rules) -> bool:
    return rules.gold_choice == "ask"


def _set_switches(record: Any, rules: Rules) -> None:
    record.gold = rules.gold
    record.asks_gold = rules.gold and _asks(rules)
    record.gold_in_fiefs = rules.gold_castle


def _read(page: Page) -> Fields:
    nobody = (0,) * (page.rules.n_players * page.rules.gold)
    fields: Fields = {
        "gold": tuple(_parse_pile(text, line) for line, text in page.listed("gold")),
        "ingots": page.stock("ingots", 0) or nobody,
    }
    if (page.phase == Phase.SHARE) != ((found := page.find("takes")) is not None):
        raise NotationError(
            page.turn_line, "[takes ...] goes with a turn that shares: write both, or neither"
        )
    if found:
        fields["decider"] = parse_seat(found[1], found[0])
    return fields


def _parse_pile(text: str, line: int) -> Pile:
    if not (match := _PILE.fullmatch(text)):
        raise NotationError(line, f"expected ingots such as '3,-1 2' or '3,-1 2 A', found {text!r}")
    seats = sorted({parse_seat(seat, line) for seat in match["seats"].split()})
    return Pile(*parse_cell(match["cell"]), int(match["ingots"]), tuple(seats))


def _write(position: Position) -> Iterator[str]:
    if position.gold:
        yield f"gold {', '.join(map(_format_pile, position.gold))}"
    if any(position.ingots):
        yield f"ingots {format_scores(position.ingots)}"
    if position.phase == Phase.SHARE:
        yield f"takes {SEATS[position.decider]}"


def _format_pile(pile: Pile) -> str:
    return " ".join(
        [format_cell((pile.x, pile.y)), str(pile.ingots), *(SEATS[seat] for seat in pile.seats)]
    )


def _of_record(states: npt.NDArray[Any], i: int) -> Fields:
    s = states[i]
    piles = s.piles[: int(s.n_piles)]
    return {
        "gold": tuple(_pile_of(s, pile) for pile in piles),
        "ingots": stock_in_hand(s, Stock.INGOT),
    }


def _pile_of(s: Any, pile: Any) -> Pile:
    x, y = coordinates_of(int(s.tiles[int(pile.tile)].cell))
    seats = tuple(seat for seat in range(len(SEATS)) if int(pile.claims) >> seat & 1)
    return Pile(x, y, int(pile.ingots), seats)


def _into_record(states: npt.NDArray[Any], position: Position) -> None:
    s, rules = states[0], position.rules
    if (position.gold or position.ingots) and not rules.gold:
        raise ValueError("there are ingots, but the rules have no gold mines (GOL-01)")
    if len(position.ingots) != rules.n_players * rules.gold:
        raise ValueError(f"ingots of {len(position.ingots)} seats for {rules.n_players} players")
    numbers = [*position.ingots, *(pile.ingots for pile in position.gold)]
    if any(not 0 <= n <= MAX_INGOTS for n in numbers):
        raise ValueError(f"ingots {numbers} are out of range: there are {MAX_INGOTS} (GOL-01)")
    put_in_hand(states, Stock.INGOT, position.ingots)
    tiles = {int(tile.cell): k for k, tile in enumerate(s.tiles[: int(s.n_tiles)])}
    found = sorted((_tile_under(tiles, pile), pile) for pile in position.gold)
    s.n_piles = len(found)
    for record, (tile, pile) in zip(s.piles, found, strict=False):
        record.tile, record.ingots = tile, pile.ingots
        record.claims = sum(1 << seat for seat in pile.seats)


def _tile_under(tiles: dict[int, int], pile: Pile) -> int:
    tile = tiles.pop(cell_of(pile.x, pile.y), None)
    if tile is None:
        where = format_cell((pile.x, pile.y))
        raise ValueError(f"[gold ...]: no tile lies at {where}, or it is named twice")
    return tile


GOLD = System(
    name="gold",
    is_on=lambda rules: rules.gold,
    switches=("gold", "gold_choice", "gold_castle"),
    questions=(
        Question(
            Phase.INGOT,
            "lays",
            "LAY AN INGOT",
            "turn player",
            asks="Beside the gold mine, onto which tile do you put the second ingot?",
        ),
        Question(
            Phase.SHARE,
            "shares",
            "TAKE AN INGOT",
            "every player who may take ingots, the turn player first",
            when=_asks,
            asks="From which tile do you take an ingot?",
        ),
    ),
    actions=(
        Actions(
            Block.INGOT,
            "put the second ingot on one of the eight cells around the gold mine, row by row",
            lambda _: len(NEIGHBOURS),
            _ingot,
            Anchor.LAST_TILE,
        ),
        Actions(
            Block.SHARE,
            "take an ingot from a cell of the view, row by row",
            lambda rules: rules.view**2,
            _share,
            Anchor.VIEW,
            when=_asks,
        ),
    ),
    planes=(
        Planes(
            Plane.GOLD,
            ("ingots", "entitled"),
            "the ingots on the tile; who may take some of them now",
            "ingots; 1 for the observer, 2, 4, 8 ... for the next seats clockwise",
        ),
    ),
    supplies=(Supply(Stock.INGOT, "ingots", lambda _: 0, lambda _: MORE_FROM[-1], "ingot"),),
    problems={
        Problem.GOLD: "there are more ingots than two for each gold mine, seats are entitled to "
        "some while nothing is scored, or there is no choice of a tile (GOL-02, GOL-03, GOL-07)"
    },
    set_switches=_set_switches,
    text=Text(("gold", "ingots", "takes"), _read, _write),
    record=Record(_of_record, _into_record),
)
