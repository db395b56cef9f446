"""Layouts that games under different rules share: what fits, and where the globals stand."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from carc_env.layout.actions import action_layout
from carc_env.layout.observations import (
    global_names,
    max_active,
    max_legal,
    max_tiles,
    own_global_names,
    plane_names,
)
from carc_env.rules import Layout, Rules

NAMED = 5
"""Most missing things that an error message names."""


@lru_cache(maxsize=4096)
def check_layout(rules: Rules) -> None:
    """Check that a shared layout has room for the rules.

    Raises
    ------
    ValueError
        The view differs, or actions, planes, globals or room for tiles are missing.
    """
    layout, own = rules.layout, rules.plain
    if layout is None or own in layout.covers:
        return
    if own.view != layout.view:
        raise ValueError(
            f"view={own.view}, but the layout has view={layout.view}: give the rules this view"
        )
    lacking = [f"the set {name!r}" for name in own.sets if name not in layout.room.sets]
    lacking += [f"{own.n_players} players"] * (own.n_players > layout.n_players)
    lacking += [name for name in own_global_names(own) if name not in _globals_in(layout)]
    lacking += [name for name in plane_names(own) if name not in _planes_in(layout)]
    lacking += _lacking_actions(rules)
    for what, room in (("tiles", max_tiles), ("actions", max_legal), ("planes", max_active)):
        if room(own) > room(rules):
            lacking.append(f"{room(own)} {what} at a time")
    if lacking:
        more = f" and {len(lacking) - NAMED} more" if len(lacking) > NAMED else ""
        raise ValueError(
            f"the layout has no room for {', '.join(lacking[:NAMED])}{more}: add these rules to "
            "the layout, or use Layout.everything()"
        )


def _lacking_actions(rules: Rules) -> list[str]:
    """Return the actions that the rules have and their layout has not."""
    own, shared = action_layout(rules.plain), action_layout(rules)
    lacking = []
    for title, run in own.blocks.items():
        there = shared.blocks.get(title)
        if there is None or there.size < run.size:
            lacking.append(title)
        elif there.size != run.size:
            assert rules.layout is not None
            names = _names_in(rules.layout, title)
            mine = (own.name(run.first + k) for k in range(run.size))
            lacking += [name for name in mine if name not in names]
    return lacking


@lru_cache(maxsize=16)
def _globals_in(layout: Layout) -> dict[str, int]:
    """Return the index of each global."""
    names = global_names(layout.covers[0].replace(layout=layout))
    return {name: k for k, name in enumerate(names)}


@lru_cache(maxsize=1024)
def _names_in(layout: Layout, block: str) -> frozenset[str]:
    """Return the names of the actions in a block."""
    shared = action_layout(layout.covers[0].replace(layout=layout))
    run = shared.blocks[block]
    return frozenset(shared.name(run.first + k) for k in range(run.size))


@lru_cache(maxsize=16)
def _planes_in(layout: Layout) -> frozenset[str]:
    return frozenset(plane_names(layout.covers[0].replace(layout=layout)))


@lru_cache(maxsize=4096)
def runs_of(rules: Rules) -> npt.NDArray[np.int32]:
    """Return where in a shared layout's globals those that the rules themselves have stand.

    Each row is a run of them: its first index there, and its length.
    """
    assert rules.layout is not None
    where = _globals_in(rules.layout)
    places = np.array([where[name] for name in own_global_names(rules.plain)])
    starts = np.flatnonzero(np.diff(places, prepend=-2) != 1)
    lengths = np.diff(starts, append=len(places))
    return np.stack([places[starts], lengths], 1).astype(np.int32)


def most_own_globals(layout: Layout) -> int:
    """Return the most globals that rules in a shared layout have themselves."""
    return len(_globals_in(layout))
