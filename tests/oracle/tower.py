"""Towers (docs/rules/tower.md): floors, captures, exchanges and ransoms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from carc_env.engine.core.codes import Figure, Kind, Phase
from carc_env.position import Position, Prisoner, Tower
from carc_env.words import SEATS

from . import dragon, flier, naive, russian_promos
from .board import MEEPLES, feature_at
from .tiles import FACTS, Cell

RANSOM = 3
TOPS = (Figure.MEEPLE, Figure.LARGE, Figure.PHANTOM)


class Target(NamedTuple):
    """A meeple in range: on a segment, on a tower or in a trap."""

    name: str
    cell: Cell
    seat: int
    figure: Figure


def foundations(position: Position) -> list[Cell]:
    """List the cells with a foundation (TOW-01)."""
    if not position.rules.towers:
        return []
    return [(t.x, t.y) for t in position.tiles if FACTS[t.tile].get("tower")]


def tower_on(position: Position, cell: Cell) -> Tower:
    """Return the tower on a foundation; a bare foundation has height 0."""
    found = [tower for tower in position.towers if (tower.x, tower.y) == cell]
    return found[0] if found else Tower(*cell, 0)


def with_tower(position: Position, changed: Tower) -> Position:
    """Replace a tower, and keep the towers in the order of their tiles."""
    others = [t for t in position.towers if (t.x, t.y) != (changed.x, changed.y)]
    order = foundations(position)
    towers = sorted([*others, changed], key=lambda tower: order.index((tower.x, tower.y)))
    return replace(position, towers=tuple(towers))


# --- The figure action --------------------------------------------------------------------------


def actions_at(position: Position, cell: Cell) -> set[str]:
    """Return the decider's actions at a tower (TOW-02, TOW-04, TOW-05, TOW-16 to 18)."""
    if cell not in foundations(position):
        return set()
    x, y = cell
    tower, seat = tower_on(position, cell), position.decider
    if tower.figure is not None:
        return set()
    names = {f"floor {x},{y}"} if position.floors[seat] > 0 else set()
    if tower.height > 0:
        in_supply = naive.supply(position, seat)
        names |= {f"top {f.name.lower()} {x},{y}" for f in TOPS if in_supply.get(f, 0) > 0}
    return names


def cells(position: Position) -> set[Cell]:
    """Return the cells of the towers that the decider may change."""
    return {cell for cell in foundations(position) if actions_at(position, cell)}


def with_floor(position: Position, cell: Cell) -> Position:
    """Put one of the decider's floors on a tower, and ask for a capture if one is possible."""
    tower, floors = tower_on(position, cell), list(position.floors)
    floors[position.decider] -= 1
    position = with_tower(position, replace(tower, height=tower.height + 1))
    position = replace(position, floors=tuple(floors), captures=cell)
    if targets(position):
        return replace(position, phase=Phase.CAPTURE)
    return replace(position, captures=None)


def closed(position: Position, cell: Cell, figure: Figure) -> Position:
    """Put one of the decider's meeples on a tower (TOW-16)."""
    return with_tower(
        position, replace(tower_on(position, cell), seat=position.decider, figure=figure)
    )


def eaten(position: Position) -> Position:
    """Let the dragon eat the meeple on a tower on its cell (TOW-21)."""
    if position.dragon not in foundations(position) or position.rules.tower_top_dragon != "allow":
        return position
    tower = tower_on(position, position.dragon)
    if tower.figure is None:
        return position
    return with_tower(position, replace(tower, seat=None, figure=None))


# --- Captures -----------------------------------------------------------------------------------


def targets(position: Position) -> list[Target]:
    """List the meeples in range of the capturing tower (TOW-06 to TOW-10, TOW-20, XTO-08)."""
    rules = position.rules
    assert position.captures is not None
    tower = tower_on(position, position.captures)
    safe = {Figure.MAYOR} if rules.house_mayor_safe_tower else set()
    safe |= {Figure.WAGON} if rules.house_wagon_safe else set()
    found = []
    for f in position.figures:
        if f.figure in MEEPLES and f.figure not in safe and reaches(tower, (f.x, f.y)):
            if feature_at(position, f.x, f.y, f.spot).kind != Kind.CASTLE:
                found.append(Target(flier.removal(position, f), (f.x, f.y), f.seat, f.figure))
    for other in position.towers if rules.tower_top_capture == "allow" else ():
        if other.seat is not None and other.figure is not None:
            if reaches(tower, (other.x, other.y)):
                name = f"unseat {other.x},{other.y}"
                found.append(Target(name, (other.x, other.y), other.seat, other.figure))
    for name, (cell, trapped) in russian_promos.captives(position).items():
        if trapped.figure not in safe and reaches(tower, cell):
            found.append(Target(name, cell, trapped.seat, trapped.figure))
    return found


def reaches(tower: Tower, cell: Cell) -> bool:
    """Return whether a cell is in the tower's row or column, no further away than its height."""
    dx, dy = abs(cell[0] - tower.x), abs(cell[1] - tower.y)
    return 0 in (dx, dy) and dx + dy <= tower.height


def captured(position: Position, name: str) -> Position:
    """Capture a meeple (TOW-11, TOW-12), and exchange prisoners if there is no choice (TOW-23).

    A builder or pig left without a meeple returns (TOW-15).
    """
    (target,) = {found for found in targets(position) if found.name == name}
    position = replace(position, captures=None)
    if name.startswith("unseat"):
        top = replace(tower_on(position, target.cell), seat=None, figure=None)
        position = with_tower(position, top)
    elif name.startswith("seize"):
        _, trapped = russian_promos.captives(position)[name]
        position = russian_promos.let_go(position, [trapped])
    else:
        position = dragon.without(position, [flier.removed(position, name)])
    if target.seat == position.decider:
        return position
    prisoner = Prisoner(position.decider, target.seat, target.figure)
    position = replace(position, prisoners=tuple(sorted((*position.prisoners, prisoner))))
    kinds = kinds_held(position, target.seat, position.decider)
    if len(kinds) > 1:
        return replace(position, phase=Phase.EXCHANGE)
    return exchanged(position, *kinds) if kinds else position


# --- Prisoners ----------------------------------------------------------------------------------


def kinds_held(position: Position, captor: int, seat: int) -> set[Figure]:
    """Return the kinds of a seat's figures that a captor holds."""
    return {p.figure for p in position.prisoners if (p.captor, p.seat) == (captor, seat)}


def partner(position: Position) -> int:
    """Return the seat that the decider exchanges prisoners with."""
    own = position.decider
    seats = {p.seat for p in position.prisoners if p.captor == own}
    (seat,) = (seat for seat in seats if kinds_held(position, seat, own))
    return seat


def exchanged(position: Position, figure: Figure) -> Position:
    """Exchange the figure just captured for one of the decider's figures (TOW-23, TOW-24)."""
    own, other = position.decider, partner(position)
    (kind,) = kinds_held(position, own, other)
    held = list(position.prisoners)
    held.remove(Prisoner(own, other, kind))
    held.remove(Prisoner(other, own, figure))
    return replace(position, prisoners=tuple(held))


def exchanges(position: Position) -> set[str]:
    """Return the names of the possible exchanges (TOW-24)."""
    kinds = kinds_held(position, partner(position), position.decider)
    return {f"exchange {kind.name.lower()}" for kind in kinds}


def ransoms(position: Position) -> set[str]:
    """Return the names for buying back the decider's figures (TOW-25 to TOW-28)."""
    own = position.decider
    if position.has_ransomed or position.scores[own] < RANSOM:
        return set()
    return {
        f"ransom {p.figure.name.lower()} from {SEATS[p.captor]}"
        for p in position.prisoners
        if p.seat == own
    }


def ransomed(position: Position, name: str) -> Position:
    """Buy a figure back (TOW-25)."""
    _, figure, _, letter = name.split()
    captor, scores = SEATS.index(letter), list(position.scores)
    scores[position.decider] -= RANSOM
    scores[captor] += RANSOM
    held = list(position.prisoners)
    held.remove(Prisoner(captor, position.decider, Figure[figure.upper()]))
    return replace(position, prisoners=tuple(held), scores=tuple(scores), has_ransomed=True)


# --- Impossible positions -----------------------------------------------------------------------


def wrong_towers(position: Position) -> Iterator[str]:
    """Report impossible floors, meeples on towers, and prisoners."""
    rules = position.rules
    if not rules.towers:
        if position.floors or position.towers or position.prisoners or position.captures:
            yield "towers are not in play"
        return
    each = {2: 10, 3: 9, 4: 7, 5: 6, 6: 5}[rules.n_players]
    built = sum(tower.height for tower in position.towers)
    if sum(position.floors) + built != each * rules.n_players or min(position.floors) < 0:
        yield f"floors {position.floors} in hand and {built} on towers (TOW-01, TOW-04)"
    for tower in position.towers:
        if (tower.x, tower.y) not in foundations(position) or tower.height < 1:
            yield f"{tower} stands on no foundation, or has no floor (TOW-17)"
        if tower.figure is not None and tower.figure not in TOPS:
            yield f"{tower} is closed by what cannot stand there (TOW-18)"
    pairs = {(p.captor, p.seat) for p in position.prisoners}
    for captor, seat in pairs:
        if captor == seat or not 0 <= captor < rules.n_players:
            yield f"seat {captor} holds prisoners of seat {seat}"
        elif (seat, captor) in pairs and position.phase != Phase.EXCHANGE:
            yield f"seats {captor} and {seat} hold prisoners of each other (TOW-23)"
    if any(p.figure not in MEEPLES for p in position.prisoners):
        yield "a prisoner is no meeple (TOW-09)"
    captures = position.phase == Phase.CAPTURE or position.captures is not None
    if captures and (position.captures is None or not targets(position)):
        yield "a tower captures nobody"
