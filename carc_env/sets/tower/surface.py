"""The Tower: floors, captures, prisoners and their ransom."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from carc_env.engine.core.codes import N_MEEPLES, Block, Figure, Phase, Plane, Problem, Stock
from carc_env.engine.core.state import NO_FIGURE
from carc_env.position import Cell, Position, Prisoner, Tower
from carc_env.rules import Rules
from carc_env.sets.tower import kernels
from carc_env.sets.tower.record import NO_TOWER
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
from carc_env.systems.stock import check_stock, check_sum, put_in_hand, stock_in_hand, stock_text
from carc_env.words import (
    CELL,
    COUNT,
    FIGURE_OF,
    SEATS,
    NotationError,
    Page,
    format_cell,
    parse_cell,
    parse_seat,
)

MEEPLES = tuple(Figure)[:N_MEEPLES]
TOPS = tuple(Figure(kind) for kind in kernels.TOPS)
_TOWER = re.compile(
    rf"(?P<cell>{CELL}) (?P<height>{COUNT})(?: (?P<seat>[A-F]) (?P<figure>[a-z]+))?"
)
_PRISONER = re.compile(r"(?P<captor>[A-F]) holds (?P<seat>[A-F]) (?P<figure>[a-z]+)")


def _tops(rules: Rules) -> tuple[Figure, ...]:
    return TOPS if rules.phantom else TOPS[: TOPS.index(Figure.PHANTOM)]


def _top(k: int, _: Rules) -> Choice:
    return Choice("top", (0, 0), figure=TOPS[k])


def _ransom(k: int, rules: Rules) -> Choice:
    away, kind = divmod(k, rules.n_meeples_named)
    return Choice("ransom", figure=MEEPLES[kind], seat=away + 1)


def _exchange(k: int, _: Rules) -> Choice:
    return Choice("exchange", figure=MEEPLES[k])


def _each(rules: Rules) -> int:
    return rules.floors_each


def _numbers(rules: Rules) -> tuple[str, ...]:
    pairs = [(k, (k + j) % rules.n_players) for k in range(rules.n_players) for j in _others(rules)]
    held = (f"{kind.name.lower()}s of {b} held by {a}" for a, b in pairs for kind in rules.meeples)
    owed = ("owed ransomed",) if rules.bazaars and rules.builders else ()
    return ("ransomed", *owed, *held)


def _others(rules: Rules) -> range:
    return range(1, rules.n_players)


def _set_switches(record: Any, rules: Rules) -> None:
    record.captures_tops = rules.towers and rules.tower_top_capture == "allow"
    record.eats_tops = rules.towers and rules.tower_top_dragon == "allow"
    record.early_ransom = rules.towers and rules.ransom_timing == "turn_start"
    record.n_tops = len(_tops(rules))
    record.n_ransoms = rules.room.n_meeples_named
    record.mayor_safe = rules.house_mayor_safe_tower


_IN_HAND = stock_text("floors", _each)


def _read(page: Page) -> Fields:
    fields = _IN_HAND.read(page)
    fields["towers"] = tuple(_parse_tower(text, line) for line, text in page.listed("towers"))
    held = [_parse_prisoner(text, line) for line, text in page.listed("prisoners")]
    fields["prisoners"] = tuple(sorted(held))
    fields["has_ransomed"] = page.flag("ransomed")
    if found := page.find("capture"):
        if not re.fullmatch(CELL, found[1]):
            raise NotationError(found[0], f"expected a cell such as '3,-1', found {found[1]!r}")
        fields["captures"] = parse_cell(found[1])
    if page.phase == Phase.CAPTURE and found is None:
        raise NotationError(
            page.turn_line, "a turn that captures needs [capture ...], the cell of the tower"
        )
    return fields


def _parse_tower(text: str, line: int) -> Tower:
    match = _TOWER.fullmatch(text)
    if not match or (match["figure"] and match["figure"] not in FIGURE_OF):
        raise NotationError(line, f"expected '3,-1 2' or '3,-1 2 A meeple', found {text!r}")
    seat = parse_seat(match["seat"], line) if match["seat"] else None
    figure = FIGURE_OF[match["figure"]] if match["figure"] else None
    return Tower(*parse_cell(match["cell"]), int(match["height"]), seat, figure)


def _parse_prisoner(text: str, line: int) -> Prisoner:
    match = _PRISONER.fullmatch(text)
    if not match or match["figure"] not in FIGURE_OF:
        raise NotationError(line, f"expected a prisoner such as 'A holds B meeple', found {text!r}")
    captor, seat = parse_seat(match["captor"], line), parse_seat(match["seat"], line)
    return Prisoner(captor, seat, FIGURE_OF[match["figure"]])


def _write(position: Position) -> Iterator[str]:
    yield from _IN_HAND.write(position)
    if position.towers:
        yield f"towers {', '.join(map(_format_tower, position.towers))}"
    if position.prisoners:
        held = [
            f"{SEATS[p.captor]} holds {SEATS[p.seat]} {p.figure.name.lower()}"
            for p in position.prisoners
        ]
        yield f"prisoners {', '.join(held)}"
    if position.captures is not None:
        yield f"capture {format_cell(position.captures)}"
    if position.has_ransomed:
        yield "ransomed"


def _format_tower(tower: Tower) -> str:
    top = ""
    if tower.seat is not None and tower.figure is not None:
        top = f" {SEATS[tower.seat]} {tower.figure.name.lower()}"
    return f"{format_cell((tower.x, tower.y))} {tower.height}{top}"


def _of_record(states: npt.NDArray[Any], i: int) -> Fields:
    s = states[i]
    towers = [_tower_of(s, tower) for tower in s.towers[: int(s.n_towers)]]
    n_players = int(s.rules.n_players)
    held = [
        Prisoner(captor, seat, MEEPLES[kind])
        for captor in range(n_players if s.rules.stock[Stock.FLOOR] else 0)
        for seat, kinds in enumerate(s.players[captor].prisoners[:n_players].tolist())
        for kind, n in enumerate(kinds)
        for _ in range(n)
    ]
    number = int(s.tower)
    return {
        "floors": stock_in_hand(s, Stock.FLOOR),
        "towers": tuple(tower for tower in towers if tower.height > 0),
        "prisoners": tuple(held),
        "captures": None if number == NO_TOWER else (towers[number].x, towers[number].y),
        "has_ransomed": bool(s.ransomed),
    }


def _tower_of(s: Any, tower: Any) -> Tower:
    x, y = coordinates_of(int(s.tiles[int(tower.tile)].cell))
    if tower.figure == NO_FIGURE:
        return Tower(x, y, int(tower.height))
    return Tower(x, y, int(tower.height), int(tower.seat), Figure(int(tower.figure)))


def _into_record(states: npt.NDArray[Any], position: Position) -> None:
    s, each = states[0], _each(position.rules)
    in_play = position.towers or position.prisoners or position.has_ransomed
    if in_play and not position.rules.towers:
        raise ValueError("there are towers or prisoners, but the rules have none")
    check_stock("floors", position.floors, each, position.rules)
    check_sum("floors", position.floors, sum(t.height for t in position.towers), each)
    put_in_hand(states, Stock.FLOOR, position.floors)
    cells = [int(s.tiles[int(t.tile)].cell) for t in s.towers[: int(s.n_towers)]]
    if len({(tower.x, tower.y) for tower in position.towers}) < len(position.towers):
        raise ValueError("two towers are on the same tile")
    for tower in position.towers:
        _set_tower(s, position, tower, s.towers[_number(cells, (tower.x, tower.y))])
    for prisoner in position.prisoners:
        _imprison(s, position, prisoner)
    if position.captures is not None:
        if position.phase not in (Phase.CAPTURE, Phase.ELSEWHERE):
            raise ValueError(
                f"the tower at {format_cell(position.captures)} cannot capture anybody now"
            )
        s.tower = _number(cells, position.captures)
    s.ransomed = position.has_ransomed


def _number(cells: list[int], cell: Cell) -> int:
    if cell_of(*cell) not in cells:
        raise ValueError(f"tower at {format_cell(cell)}: no foundation lies there (TOW-01)")
    return cells.index(cell_of(*cell))


def _take(s: Any, position: Position, seat: int | None, figure: Figure, where: str) -> None:
    """Take a figure from a supply."""
    if seat is None or not 0 <= seat < position.rules.n_players:
        raise ValueError(f"{where}: there are {position.rules.n_players} seats")
    if s.players[seat].supply[figure] == 0:
        raise ValueError(f"{where}: no {figure.name.lower()} is left in the supply")
    s.players[seat].supply[figure] -= 1


def _set_tower(s: Any, position: Position, tower: Tower, record: Any) -> None:
    where = f"tower at {format_cell((tower.x, tower.y))}"
    if tower.height < 1:
        raise ValueError(f"{where}: a tower needs at least one floor")
    record.height = tower.height
    if tower.figure is None:
        return
    if tower.figure not in TOPS:
        raise ValueError(f"{where}: no {tower.figure.name.lower()} can stand on it (TOW-18)")
    _take(s, position, tower.seat, tower.figure, where)
    record.seat, record.figure = tower.seat, tower.figure


def _imprison(s: Any, position: Position, prisoner: Prisoner) -> None:
    where = f"prisoner of seat {prisoner.captor}"
    if prisoner.figure not in MEEPLES:
        raise ValueError(f"{where}: a {prisoner.figure.name.lower()} cannot be captured (TOW-09)")
    if not 0 <= prisoner.captor < position.rules.n_players or prisoner.captor == prisoner.seat:
        raise ValueError(f"{where}: nobody can hold figures of their own (TOW-12)")
    _take(s, position, prisoner.seat, prisoner.figure, where)
    s.players[prisoner.captor].prisoners[prisoner.seat, prisoner.figure] += 1


def _check(_: npt.NDArray[Any], position: Position, n_legal: int) -> None:
    if not position.rules.towers:
        return
    if position.phase == Phase.EXCHANGE and n_legal < 2:
        raise ValueError("there is no choice of prisoners to exchange (TOW-24)")
    _check_captor(position)
    _check_prisoners(position)
    _check_last_tower(position)
    begins = position.phase in (Phase.DRAW_OR_ABBEY, Phase.PLACE_TILE)
    is_first = position.first_part is None and position.bazaar is None
    may_pay = position.phase == Phase.PLACE_TILE and position.rules.ransom_timing == "turn_start"
    if position.has_ransomed and (
        position.phase == Phase.GAME_OVER or (begins and is_first and not may_pay)
    ):
        raise ValueError("[ransomed], but no ransom can have been paid in this turn yet (TOW-25)")


def _check_captor(position: Position) -> None:
    """Raise a ``ValueError`` if the captor cannot have just placed a floor."""
    each = _each(position.rules)
    captures = position.captures is not None or position.phase == Phase.EXCHANGE
    if captures and position.floors[position.turn_player] == each:
        seat = SEATS[position.turn_player]
        raise ValueError(
            f"{seat} captures, but has all {each} floors in hand: one must be on a tower (TOW-06)"
        )


def _check_prisoners(position: Position) -> None:
    """Raise a ``ValueError`` if a captor has placed too few floors for its prisoners.

    Each prisoner was captured with a different floor; a floor just placed may still capture.
    """
    each = _each(position.rules)
    for seat, n_in_hand in enumerate(position.floors):
        n_held = sum(prisoner.captor == seat for prisoner in position.prisoners)
        captures = position.captures is not None and seat == position.turn_player
        if n_held > each - n_in_hand - captures:
            raise ValueError(
                f"{SEATS[seat]} holds {n_held} prisoners, but has placed {each - n_in_hand} "
                f"floors{', the last of them just now' * captures}: correct [floors ...] (TOW-06)"
            )


def _check_last_tower(position: Position) -> None:
    """Raise a ``ValueError`` if the tile placed last has more on its tower than is possible.

    The figure action may have put a floor there, and a phantom may have followed (PHA-02).
    """
    last = position.tiles[-1]
    acts = position.phase == Phase.FIGURE or (
        position.phase == Phase.ELSEWHERE and position.captures is None
    )
    for tower in position.towers:
        if (tower.x, tower.y) != (last.x, last.y):
            continue
        if acts or tower.height > 1 or tower.figure not in (None, Figure.PHANTOM):
            raise ValueError(
                f"tower at {format_cell((tower.x, tower.y))}: its tile was placed last, "
                f"{'and nothing' if acts else 'and one floor at most'} can stand on it yet (TOW-02)"
            )


TOWERS = System(
    name="tower",
    is_on=lambda rules: rules.towers,
    switches=(
        "towers",
        "tower_top_capture",
        "tower_top_dragon",
        "ransom_timing",
        "house_mayor_safe_tower",
    ),
    questions=(
        Question(
            Phase.CAPTURE,
            "captures",
            "CAPTURE A MEEPLE",
            "player who added a floor to a tower",
            asks="Whom does the tower capture, if anybody?",
        ),
        Question(
            Phase.EXCHANGE,
            "exchanges",
            "EXCHANGE PRISONERS",
            "player who captured a meeple",
            asks="You hold prisoners of each other: which of your captured figures comes back?",
        ),
    ),
    actions=(
        Actions(
            Block.FLOOR,
            "add a floor to the tower of the chosen tile",
            choice=lambda _, __: Choice("floor", (0, 0)),
            anchor=Anchor.CHOSEN,
        ),
        Actions(
            Block.TOP,
            "place a meeple, large meeple or phantom on the tower of the chosen tile",
            lambda rules: len(_tops(rules)),
            _top,
            Anchor.CHOSEN,
        ),
        Actions(
            Block.UNSEAT,
            "capture the meeple on the tower of the chosen tile",
            choice=lambda _, __: Choice("unseat", (0, 0)),
            anchor=Anchor.CHOSEN,
        ),
        Actions(
            Block.EXCHANGE,
            "choose the kind of prisoner to get back: meeple, large, abbot, mayor, wagon, phantom",
            lambda rules: rules.n_meeples_named,
            _exchange,
        ),
        Actions(
            Block.RANSOM,
            "buy a prisoner back: the seat that holds it, clockwise, and its kind",
            lambda rules: (rules.n_players - 1) * rules.n_meeples_named,
            _ransom,
            Anchor.DECIDER,
        ),
    ),
    planes=(
        Planes(
            Plane.TOWER,
            ("foundation", "tower", "top", "capturing"),
            "the tile has a foundation; the floors of its tower; the meeple on top; the tower that "
            "captures now",
            "1; floors; 1 + 2 times the seat of the owner, 1 more for a large one; with phantoms "
            "1 + 3 times the seat, 2 more for a phantom; 1",
        ),
    ),
    supplies=(Supply(Stock.FLOOR, "floors", _each, _each, "floor"),),
    numbers=_numbers,
    meanings=(
        ("ransomed", "1: the ransom of this turn is paid"),
        ("owed ransomed", "1: the ransom of the turn that continues after the bazaar is paid"),
        *(
            (
                f"{kind.name.lower()}s of # held by #",
                "prisoners of the first seat that the second one holds, as a share of all of them",
            )
            for kind in MEEPLES
        ),
    ),
    problems={
        Problem.TOWERS: "floors are lost, a bare foundation is closed, the tower that captures has "
        "nobody in range, or two seats hold prisoners of each other (TOW-04, TOW-17, TOW-23)"
    },
    set_switches=_set_switches,
    text=Text(("floors", "towers", "prisoners", "capture", "ransomed"), _read, _write),
    record=Record(_of_record, _into_record),
    check=_check,
)
