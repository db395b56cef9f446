"""The phantom as second figure (docs/rules/phantom.md)."""

from __future__ import annotations

from dataclasses import replace

from carc_env.engine.core.codes import Figure, Phase
from carc_env.position import Position

from . import dragon, flier, naive, tower
from .tiles import Cell


def noted(position: Position, name: str) -> Position:
    """Record a figure action on the chosen cell that restricts the phantom."""
    word = name.split()[0]
    if position.rules.phantom and word.upper() in Figure.__members__:
        return replace(position, used="portal")  # PHA-11
    if position.rules.phantom and word == "remove" and position.captures is None:
        return replace(position, used="princess")  # PHA-08
    return position


def here(position: Position) -> set[str]:
    """Return where the phantom may go on the tile just placed (PHA-02, PHA-06, PHA-13)."""
    choices = naive.choices(replace(position, phase=Phase.FIGURE)) - {None, "recall"}
    return {f"phantom {spot.name}" for figure, spot in choices if figure == Figure.PHANTOM}


def elsewhere(position: Position) -> dict[Cell, set[str]]:
    """Return where the phantom may go on other tiles, by cell: by a portal or onto a tower."""
    found: dict[Cell, set[str]] = {}
    supply = naive.supply(position, position.decider)
    if position.used != "portal":
        for cell, figure, spot in dragon.portal_places(position, supply, naive.MAY_STAND):
            if figure == Figure.PHANTOM:
                found.setdefault(cell, set()).add(f"phantom {spot.name}")
    for cell in tower.cells(position):  # PHA-09
        tops = {name for name in tower.actions_at(position, cell) if name.startswith("top phantom")}
        if tops:
            found.setdefault(cell, set()).update(tops)
    return found


def may_follow(position: Position) -> bool:
    """Return whether the player is asked for a second figure (PHA-03, PHA-08)."""
    in_hand = naive.supply(position, position.decider)[Figure.PHANTOM] > 0
    aloft = flier.flights(replace(position, phase=Phase.SECOND))
    has_place = bool(here(position) or elsewhere(position) or aloft)
    return position.used != "princess" and in_hand and has_place
