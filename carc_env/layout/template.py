"""From rules to the record of a new game: what every reset copies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.engine.core.codes import Figure
from carc_env.engine.core.state import (
    CENTRE_LINE,
    FIGURE_SLOTS,
    LOST,
    NO_CELL,
    NO_CORNER,
    NO_DESIGN,
    NO_FIGURE,
    NO_LOT,
    NO_ROUND,
    NO_SEAT,
    NO_SEGMENT,
    NO_TILE,
    ONE_ROUND,
    UNTIL_BLOCKED,
    new_states,
)
from carc_env.engine.core.tiles import (
    IS_RIVER,
    LAKE_DESIGN,
    POINTED_CAP,
    SEMICIRCLE,
    SOURCE_DESIGN,
    START_DESIGN,
    tile_counts,
)
from carc_env.engine.flow.legal import MAX_LEGAL
from carc_env.engine.sight import planes
from carc_env.layout.actions import ActionLayout, action_layout, figures_in_play
from carc_env.layout.observations import expansion_planes, seat_planes
from carc_env.rules import Rules

ABSENT = -1
ABBEY_ENDGAME = {"one_round": ONE_ROUND, "until_blocked": UNTIL_BLOCKED, "none": LOST}


@lru_cache(maxsize=64)
def template(rules: Rules) -> npt.NDArray[Any]:
    """A read-only array with one record: full supplies, an unshuffled bag, an empty table."""
    states = new_states(1)
    s = states[0]
    _write_switches(s.rules, rules)
    _write_actions(s.rules, action_layout(rules))
    _write_planes(s.rules, rules)
    _fill_bag(s, rules)
    s.hand, s.wagon_cell, s.last_round = NO_DESIGN, NO_CELL, NO_ROUND
    s.min_row = s.max_row = s.min_column = s.max_column = CENTRE_LINE
    s.figures["segment"], s.figures["next"] = NO_SEGMENT, NO_FIGURE
    s.figures["corner"] = NO_CORNER
    s.features["figure"] = NO_FIGURE
    s.players["wagon_from"] = NO_SEGMENT
    s.first_part = s.bazaar.owed_part = NO_TILE
    s.town = NO_SEGMENT
    s.bazaar.starter = s.bazaar.resumes = s.bazaar.chooser = s.bazaar.bidder = NO_SEAT
    s.bazaar.lot = NO_LOT
    s.bazaar.lots["design"], s.bazaar.lots["owner"] = NO_DESIGN, NO_SEAT
    for player in s.players[: rules.n_players]:
        player.supply[:] = s.rules.owned
        player.abbeys = s.rules.abbeys
        player.bridges = s.rules.bridges
        player.tokens = s.rules.tokens
    states.flags.writeable = False
    return states


def _write_switches(record: Any, rules: Rules) -> None:
    record.n_players = rules.n_players
    record.view_size = rules.view
    for figure in figures_in_play(rules):
        record.owned[figure] = FIGURE_SLOTS.count(figure)
    record.abbeys = rules.abbeys
    record.small_city_points = rules.small_city_points
    record.abbot_recall_completed = rules.abbot_recall_completed == "allow"
    record.abbot_recall_second_part = rules.abbot_recall_second_part == "allow"
    record.abbey_endgame = ABBEY_ENDGAME[rules.abbey_endgame]
    record.wagon_links = rules.wagon_range == "C1"
    record.wagon_rolls = rules.house_wagon_roll
    record.inns = rules.inns
    record.goods = rules.goods
    record.bridges = rules.bridges_each
    record.one_bridge_a_turn = rules.bridge_limit == "per_turn"
    record.late_bridges = rules.bridge_timing == "any_time_before_scoring"
    record.tokens = rules.tokens_each
    record.castle_cap = SEMICIRCLE if rules.castle_base == "semicircle" else POINTED_CAP
    record.fief_in_row = rules.castle_fief == "row"
    record.asks_castles = rules.castle_choice == "ask"
    record.wagon_neighbours = rules.wagon_from_castle == "neighbours"
    record.bazaars = rules.bazaars
    record.bazaar_takes = rules.bazaar_mode == "take"
    record.builder_first = rules.bazaar_builder_order == "builder_first"
    record.forbids_overbids = rules.bazaar_overbid == "forbid"
    record.seller_again = rules.bazaar_next_chooser == "seller_again"
    record.skips_unplaceable = rules.bazaar_unplaceable == "skip"
    record.bid_limit = rules.bazaar_bid_limit
    record.auto_single = rules.auto_single


def _write_actions(record: Any, layout: ActionLayout) -> None:
    for figure in Figure:
        record.figure_block[figure] = layout.first(figure.name.lower())
    record.recall_action = layout.first("recall")
    record.bridge_block = layout.first("bridge")
    record.move_block = layout.first("wagon move")
    record.take_block = layout.first("take")
    record.accept_action = layout.first("accept")
    record.decline_action = layout.first("decline")
    record.pick_block = layout.first("pick")
    record.bid_block = layout.first("bid")
    record.pass_action = layout.first("pass")


FIRST_PLANES = {
    "abbey_plane": "abbey",
    "wagon_plane": "wagon from",
    "bonus_plane": "bonus N",
    "goods_plane": "wine",
    "river_plane": "river N",
    "bridge_plane": "bridge NS",
    "castle_plane": "castle",
}
"""The first of the planes that some rules add, by its field in the rules of the engine."""


def _write_planes(record: Any, rules: Rules) -> None:
    added, of_seat = expansion_planes(rules), seat_planes(rules)
    first = planes.N_FIXED_PLANES
    for field, name in FIRST_PLANES.items():
        record[field] = first + added.index(name) if name in added else ABSENT
    record.seat_plane = first + len(added)
    record.n_phases = len(rules.phases)
    record.phase_slot[:] = ABSENT
    record.phase_slot[list(rules.phases)] = range(len(rules.phases))
    record.planes_per_seat = len(of_seat)
    record.figure_plane[:] = ABSENT
    for figure in figures_in_play(rules):
        record.figure_plane[figure] = of_seat.index(figure.name.lower())


def _fill_bag(s: Any, rules: Rules) -> None:
    counts = tile_counts(rules.sets, rules.tile_column)
    s.rules.n_designs = np.count_nonzero(counts)
    s.rules.design_slot[counts > 0] = np.arange(s.rules.n_designs)
    s.rules.copies[:] = counts
    s.rules.slot_copies[: s.rules.n_designs] = counts[counts > 0]
    s.rules.start_design = SOURCE_DESIGN if rules.has_river else START_DESIGN
    counts[s.rules.start_design] -= 1
    s.n_bag = counts.sum()
    s.bag[: s.n_bag] = sorted(np.repeat(np.arange(len(counts)), counts).tolist(), key=layer)


def layer(design: int) -> int:
    """Which part of the bag a design belongs to, from the bottom: others, lake, river (BASE-40)."""
    return int(IS_RIVER[design]) + int(IS_RIVER[design] and design != LAKE_DESIGN)


def check_bag_order(designs: Sequence[int]) -> None:
    """Raise a ``ValueError`` if tiles, the next one first, are not drawn as with the River."""
    layers = [layer(design) for design in designs]
    if layers != sorted(layers, reverse=True):
        raise ValueError(
            "river tiles must be drawn before all others, rv-lake as the last of them (BASE-40)"
        )


def difference(tiles: Iterable[str], expected: Iterable[str]) -> str:
    """Which tiles are missing and which are too many, with their numbers; empty for the same."""
    found, wanted = Counter(tiles), Counter(expected)
    return "; ".join(
        f"{what}: {', '.join(f'{n} {tile}' for tile, n in sorted(odd.items()))}"
        for what, odd in (("missing", wanted - found), ("too many", found - wanted))
        if odd
    )


def total_in_bag(rules: Rules) -> int:
    """Tiles in the bag at the start of a game."""
    return int(template(rules)[0].n_bag)


def legal_buffer() -> npt.NDArray[np.int64]:
    """A new buffer that entry points of the engine write legal actions to."""
    return np.empty(MAX_LEGAL, np.int64)
