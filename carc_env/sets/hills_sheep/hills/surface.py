"""Hills & Sheep: hills with tiles under them, and vineyards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from carc_env.engine.core.codes import Plane, Problem
from carc_env.engine.core.fields import is_same
from carc_env.engine.core.tiles import DESIGN, IS_HILL, TILE_ID
from carc_env.position import UNKNOWN_TILE, Position
from carc_env.rules import Rules
from carc_env.sets.hills_sheep.hills.record import ANY_HILL, MAX_HILLS, MOST_HILLS, NO_HILLS
from carc_env.systems.declaring import Fields, Planes, Record, System, Text
from carc_env.words import Page, split_words

TIEBREAK = {"any": ANY_HILL, "count": MOST_HILLS}


def _set_hills(record: Any, rules: Rules) -> None:
    record.hills = TIEBREAK[rules.hill_tiebreak] if rules.hills else NO_HILLS


def _set_vineyards(record: Any, rules: Rules) -> None:
    record.vineyards = rules.vineyards


def _read(page: Page) -> Fields:
    found = page.find("hidden")
    return {"hidden": tuple(split_words(found[1])) if found else ()}


def _write(position: Position) -> Iterator[str]:
    if position.hidden:
        unknown = [UNKNOWN_TILE] * len(position.hidden)
        yield f"hidden {' '.join(unknown if position.bag is None else position.hidden)}"


def _of_record(states: npt.NDArray[Any], i: int) -> Fields:
    s = states[i]
    places = s.hidden[: int(s.n_hidden)]
    return {"hidden": tuple(TILE_ID[design] for design in s.bag[places])}


def _into_record(states: npt.NDArray[Any], position: Position) -> None:
    """Do nothing: the tiles' positions are written with the bag."""
    n = len(position.hidden)
    if n and not position.rules.hills:
        raise ValueError("tiles lie under hills, but the rules have no hills")
    if n > MAX_HILLS:
        raise ValueError(f"{n} tiles under hills: there are {MAX_HILLS} hills")
    states[0].n_hidden = n


def _hides_the_same(s: Any, rebuilt: Any) -> bool:
    """Return whether the same tiles are under hills in the same order."""
    n = int(s.n_hidden)
    under, others = (x.bag[x.hidden[:n]] for x in (s, rebuilt))
    return is_same(under, others) and not s.hidden[n:].any()


def _check(states: npt.NDArray[Any], position: Position, _: int) -> None:
    """Raise a ``ValueError`` if a hill lacks a tile although the bag still has some.

    The bag never grows, so there was a tile for each hill.
    """
    n_hidden = len(position.hidden)
    n_hills = int(IS_HILL[[DESIGN[tile.tile] for tile in position.tiles]].sum())
    if position.rules.hills and states[0].n_bag > 0 and n_hidden < n_hills:
        unknown = " ".join([UNKNOWN_TILE] * n_hills)
        raise ValueError(
            f"{n_hidden} tiles under {n_hills} hills, although the bag is not empty: write "
            f"[hidden {unknown}] (HS-02)"
        )


HILLS = System(
    name="hills-sheep",
    is_on=lambda rules: rules.hills,
    switches=("hills", "hill_tiebreak"),
    planes=(Planes(Plane.HILL, ("hill",), "the tile shows a hill"),),
    numbers=lambda _: ("hidden",),
    meanings=(("hidden", "tiles under hills, as a share of the maximum"),),
    problems={Problem.HIDDEN: "more tiles lie under hills than there are hills (HS-02)"},
    set_switches=_set_hills,
    text=Text(("hidden",), _read, _write),
    record=Record(_of_record, _into_record, {"hidden": _hides_the_same}),
    check=_check,
)

VINEYARDS = System(
    name="hills-sheep",
    is_on=lambda rules: rules.vineyards,
    switches=("vineyards",),
    planes=(Planes(Plane.VINEYARD, ("vineyard",), "the tile shows a vineyard"),),
    set_switches=_set_vineyards,
)
