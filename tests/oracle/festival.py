"""The Festival (docs/rules/festival.md): which figures the decider may take back."""

from __future__ import annotations

from dataclasses import replace

from carc_env.engine.core.codes import Figure, Quarter
from carc_env.position import PlacedFigure, Position, Waiting

from . import dragon, flier, tower
from .board import MEEPLES
from .tiles import Cell

ALLOWED = {"meeple": set(MEEPLES), "figure": set(Figure)}
SHARING = {*MEEPLES, Figure.BUILDER}
"""Figures that can share a place."""


def is_held(position: Position) -> bool:
    """Return whether the tile just placed shows a festival (FES-02)."""
    return position.rules.festival and dragon.shows(position, "festival")


def named(position: Position, figure: PlacedFigure) -> str:
    """Return the name for taking a figure back, with its kind if the place is shared (FLY-06)."""
    cell, allowed = f"{figure.x},{figure.y}", ALLOWED[position.rules.festival_return]
    if figure.figure == Figure.SHEPHERD:
        return f"return shepherd {cell}"
    own = replace(position, figures=tuple(f for f in position.figures if f.seat == figure.seat))
    if figure.figure in SHARING and flier.others_there(own, figure, allowed & SHARING):
        return f"return {figure.figure.name.lower()} {cell} {figure.spot.name}"
    return f"return {cell} {figure.spot.name}"


def standing(position: Position) -> dict[str, PlacedFigure]:
    """Return the decider's figures on features that may come back, by name (FES-03, FES-04)."""
    allowed = ALLOWED[position.rules.festival_return]
    own = (f for f in position.figures if f.seat == position.decider and f.figure in allowed)
    return {named(position, figure): figure for figure in own}


def on_tiles(position: Position) -> dict[str, Cell]:
    """Return the cells of figures and tower meeples that may come back, by name (FES-07)."""
    if not is_held(position):
        return {}
    found = {name: (figure.x, figure.y) for name, figure in standing(position).items()}
    tops = dragon.tops(position)
    return found | {
        f"return top {x},{y}": (x, y) for x, y in tops if tops[x, y] == position.decider
    }


def waiting(position: Position) -> set[str]:
    """Return the names for fetching the decider's meeples from Carcassonne (FES-06)."""
    if not is_held(position):
        return set()
    own = (one for one in position.waiting if one.seat == position.decider)
    return {f"fetch {one.figure.name.lower()} {one.quarter.name.lower()}" for one in own}


def returned(position: Position, name: str) -> Position:
    """Take a figure back from the board (FES-09, FES-11)."""
    if name.startswith("return top"):
        top = tower.tower_on(position, on_tiles(position)[name])
        return tower.with_tower(position, replace(top, seat=None, figure=None))
    figure = standing(position)[name]
    if figure.figure == Figure.SHEPHERD:
        flocks = list(position.sheep)
        flocks[figure.seat] = ()
        position = replace(position, sheep=tuple(flocks))
    return dragon.without(position, [figure])


def fetched(position: Position, name: str) -> Position:
    """Take back a meeple that waits in Carcassonne."""
    _, figure, quarter = name.split()
    left = list(position.waiting)
    left.remove(Waiting(position.decider, Quarter[quarter.upper()], Figure[figure.upper()]))
    return replace(position, waiting=tuple(left))
