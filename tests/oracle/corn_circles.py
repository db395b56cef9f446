"""Corn circles (docs/rules/corn-circles.md): the meeples that they concern, and the choices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from carc_env.engine.core.codes import Figure, Kind, Phase, Spot
from carc_env.position import PlacedFigure, Position

from . import dragon, naive
from .board import MEEPLES, feature_at
from .tiles import FACTS, Cell

#: Kind of feature that each corn circle concerns (CRN-02).
KINDS = {"field": Kind.FIELD, "road": Kind.ROAD, "city": Kind.CITY}
#: Figures that can be added on each kind of feature (CRN-10).
WELCOME = {
    Kind.FIELD: {Figure.MEEPLE, Figure.LARGE, Figure.PHANTOM},
    Kind.ROAD: {Figure.MEEPLE, Figure.LARGE, Figure.PHANTOM, Figure.WAGON},
    Kind.CITY: {Figure.MEEPLE, Figure.LARGE, Figure.PHANTOM, Figure.WAGON, Figure.MAYOR},
}
ASKS_ALL = (Phase.SOW, Phase.SOW_SPOT, Phase.REAP, Phase.REAP_SPOT)


def kind(position: Position) -> Kind | None:
    """Return the kind of feature of the circle on the tile just placed, if there is a circle."""
    shown = FACTS[position.tiles[-1].tile].get("circle")
    return KINDS[shown] if shown and position.rules.crop_circles else None


def is_out(position: Position) -> bool:
    """Return whether any meeple is on the board (CRN-04)."""
    return bool(dragon.tops(position)) or any(f.figure in MEEPLES for f in position.figures)


def asks(position: Position) -> bool:
    """Return whether the turn player must choose what all players do."""
    return kind(position) is not None and is_out(position)


def called(position: Position, seat: int) -> set[PlacedFigure]:
    """Return a seat's meeples that the circle concerns (CRN-11, CRN-13, CRN-16)."""
    return {
        figure
        for figure in position.figures
        if figure.seat == seat and figure.figure in MEEPLES
        if feature_at(position, figure.x, figure.y, figure.spot).kind == kind(position)
    }


def newcomers(position: Position, seat: int) -> set[Figure]:
    """Return the kinds of meeples that a seat can add (CRN-09, CRN-10)."""
    found = kind(position)
    assert found is not None
    in_hand = naive.supply(position, seat)
    return {figure for figure in WELCOME[found] if in_hand[figure] > 0}


def ways(position: Position, phase: Phase, seat: int) -> set[tuple[Cell, str]]:
    """Return a seat's actions with their cells (CRN-07, CRN-08).

    Meeples cannot be added on the dragon's cell (PD-06).
    """
    own = called(position, seat)
    if phase == Phase.REAP:
        return {((f.x, f.y), f"reap {f.figure.name.lower()} {f.spot.name}") for f in own}
    return {
        ((f.x, f.y), f"{newcomer.name.lower()} {f.spot.name}")
        for f in own
        for newcomer in newcomers(position, seat)
        if (f.x, f.y) != position.dragon
    }


def asked(position: Position, phase: Phase, seats: list[int]) -> Position:
    """Ask the first of these seats that has an action (CRN-05, CRN-09).

    If no seat has one, the escape phase follows.
    """
    able = [seat for seat in seats if ways(position, phase, seat)]
    if not able:
        return replace(position, phase=Phase.ESCAPE, decider=position.turn_player)
    return replace(position, phase=phase, decider=able[0])


def order(position: Position) -> list[int]:
    """List the seats, the turn player last (CRN-05)."""
    n = position.rules.n_players
    return [(position.turn_player + k) % n for k in range(1, n + 1)]


def legal(position: Position) -> set[str]:
    """Return the decider's legal actions for the circle."""
    phase = position.phase
    if phase == Phase.CIRCLE:
        return {"all sow", "all reap"}
    basic = Phase.SOW if phase in (Phase.SOW, Phase.SOW_SPOT) else Phase.REAP
    found = ways(position, basic, position.decider)
    if phase != basic:
        return {name for cell, name in found if cell == position.chosen_cell}
    may_pass = phase == Phase.SOW and position.rules.crop_add == "may"  # CRN-06, CRN-08
    return {f"to {x},{y}" for (x, y), _ in found} | ({"pass"} if may_pass else set())


def following(position: Position, name: str) -> Position:
    """Apply an action for the circle and ask the next seat."""
    if name.startswith("all "):
        return asked(position, Phase[name.split()[1].upper()], order(position))
    if name.startswith("to "):
        x, y = map(int, name.removeprefix("to ").split(","))
        spot = Phase[f"{position.phase.name}_SPOT"]
        return replace(position, phase=spot, chosen_cell=(x, y))
    phase = Phase[position.phase.name.removesuffix("_SPOT")]
    others = order(position)[order(position).index(position.decider) + 1 :]
    done = position if name == "pass" else changed(position, name)
    return asked(done, phase, others)


def changed(position: Position, name: str) -> Position:
    """Add a meeple on the chosen cell, or return one from there (CRN-12)."""
    assert position.chosen_cell is not None
    *_, kind_, spot = name.split()
    figure = PlacedFigure(
        position.decider, Figure[kind_.upper()], *position.chosen_cell, Spot[spot]
    )
    position = replace(position, chosen_cell=None)
    if name.startswith("reap "):
        return dragon.without(position, [figure])
    return replace(position, figures=(*position.figures, figure))


def wrong_circles(position: Position) -> Iterator[str]:
    """Report circle phases without a circle, or without anything to do."""
    if position.phase == Phase.CIRCLE:
        if not asks(position):
            yield "there is no circle, or nobody on the board"
        if position.decider != position.turn_player:
            yield f"seat {position.decider} chooses what all do"
    elif position.phase in ASKS_ALL:
        if kind(position) is None:
            yield "the tile just placed shows no corn circle"
        elif not legal(position) - {"pass"}:
            yield f"seat {position.decider} has nothing to do about the circle"
