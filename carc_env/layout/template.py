"""The record of a new game under given rules, which every reset copies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.engine.compiler.memory import WORD
from carc_env.engine.compiler.moments import is_any_on, linked
from carc_env.engine.core.codes import Block, Plane
from carc_env.engine.core.fields import ABSENT, write_empty
from carc_env.engine.core.state import FIGURE_SLOTS, GAME, new_states
from carc_env.engine.core.tiles import DESIGN, LAYER
from carc_env.engine.flow.legal import MAX_LEGAL
from carc_env.engine.flow.steps import BEFORE, BEHIND
from carc_env.engine.sight.marks import MAX_PLANES
from carc_env.engine.sight.planes import N_FIXED_PLANES
from carc_env.layout.actions import action_layout
from carc_env.layout.observations import n_seats, seat_planes
from carc_env.layout.shared import check_layout
from carc_env.rules import Rules
from carc_env.systems import (
    SYSTEMS,
    figures_in_play,
    figures_laid_out,
    phases_of,
    planes_laid_out,
    planes_of,
    supplies_of,
)
from carc_env.systems.declaring import title_of
from carc_env.systems.designs import start_tiles
from carc_env.systems.places import cell_of
from carc_env.systems.stock import put_in_hand


@lru_cache(maxsize=1024)
def template(rules: Rules) -> npt.NDArray[Any]:
    """Return a read-only one-record array: full supplies, an unshuffled bag, an empty table.

    Raises
    ------
    ValueError
        The rules do not fit into their layout.
    """
    check_layout(rules)
    states = new_states(1)
    s = states[0]
    write_empty(s, GAME)
    _write_switches(s.rules, rules)
    _write_actions(s.rules, rules)
    _write_planes(s.rules, rules)
    _write_moments(s.rules)
    _fill_bag(s, rules)
    for player in s.players[: rules.n_players]:
        player.supply[:] = s.rules.owned
        player.stock[:] = s.rules.stock
    for supply in supplies_of(rules):
        if supply.dealt is not None:
            put_in_hand(states, supply.stock, supply.dealt(rules))
    states.flags.writeable = False
    return states


def _write_switches(record: Any, rules: Rules) -> None:
    for figure in figures_in_play(rules):
        record.owned[figure] = FIGURE_SLOTS.count(figure)
    for supply in supplies_of(rules):
        record.stock[supply.stock] = supply.each(rules)
        record.unit[supply.stock] = supply.unit(rules)
    for system in SYSTEMS:
        system.set_switches(record, rules)


def _write_actions(record: Any, rules: Rules) -> None:
    layout = action_layout(rules)
    for block in Block:
        record.first_action[block] = layout.first(title_of(block))


def _write_planes(record: Any, rules: Rules) -> None:
    record.first_plane[:] = ABSENT
    n = N_FIXED_PLANES
    for added in planes_laid_out(rules):
        record.first_plane[added.group] = n
        n += len(added.names)
    own = {added.group: len(added.names) for added in planes_of(rules)}
    record.has_plane[[*own]] = 1
    record.n_set_planes = max(
        [N_FIXED_PLANES, *(record.first_plane[group] + size for group, size in own.items())]
    )
    record.first_plane[Plane.SEATS] = n
    record.n_phases = len(phases_of(rules))
    record.phase_slot[:] = ABSENT
    record.phase_slot[list(phases_of(rules))] = range(len(phases_of(rules)))
    of_seat = seat_planes(rules)
    _check_room("planes a seat", WORD, len(of_seat), 3 * WORD)  # see swap_blocks
    _check_room("planes", 0, n + n_seats(rules) * len(of_seat), MAX_PLANES)
    record.planes_per_seat = len(of_seat)
    record.figure_plane[:] = ABSENT
    for figure in figures_laid_out(rules):
        record.figure_plane[figure] = of_seat.index(figure.name.lower())


def _write_moments(record: Any) -> None:
    bits = np.packbits([*linked(record).values()], bitorder="little")
    _check_room("bytes for moments", 0, len(bits), len(record.linked))
    record.linked[: len(bits)] = bits
    record.steps_before = is_any_on(record, BEFORE)
    record.steps_behind = is_any_on(record, BEHIND)


def _check_room(what: str, at_least: int, n: int, at_most: int) -> None:
    """Raise an error if a system needs more space than the engine has."""
    if not at_least <= n <= at_most:
        raise ValueError(f"{n} {what}: the engine has room for {at_least} to {at_most}")


def _fill_bag(s: Any, rules: Rules) -> None:
    counts = rules.tile_counts
    s.rules.n_designs = np.count_nonzero(counts)
    s.rules.design_slot[:] = ABSENT
    s.rules.design_slot[counts > 0] = np.arange(s.rules.n_designs)
    s.rules.slot_copies[: s.rules.n_designs] = counts[counts > 0]
    s.rules.n_start = len(start_tiles(rules))
    for place, tile in zip(s.rules.start, start_tiles(rules), strict=False):
        place.design, place.rotation = DESIGN[tile.tile], tile.rotation
        place.cell = cell_of(tile.x, tile.y)
        counts[place.design] -= 1
    s.n_bag = counts.sum()
    s.rules.n_left_out = 0 if rules.deck_size is None else s.n_bag - rules.deck_size
    designs = np.repeat(np.arange(len(counts)), counts)
    s.bag[: s.n_bag] = designs[np.argsort(LAYER[designs], kind="stable")]


def difference(tiles: Iterable[str], expected: Iterable[str]) -> str:
    """Return which tiles are missing or surplus, with counts; empty if there is no difference."""
    found, wanted = Counter(tiles), Counter(expected)
    return "; ".join(
        f"{what}: {', '.join(f'{n} {tile}' for tile, n in sorted(odd.items()))}"
        for what, odd in (("missing", wanted - found), ("too many", found - wanted))
        if odd
    )


def total_in_bag(rules: Rules) -> int:
    """Return the number of tiles in the bag at the start of a game."""
    return int(template(rules)[0].n_bag)


def legal_buffer() -> npt.NDArray[np.int64]:
    """Return a new buffer for the legal actions that engine entry points write."""
    return np.empty(MAX_LEGAL, np.int64)
