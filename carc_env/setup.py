"""From rules to the record of a new game: what every reset copies."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.actions import ActionLayout, action_layout, figures_in_play
from carc_env.engine import observe
from carc_env.engine.codes import Figure
from carc_env.engine.legal import MAX_LEGAL
from carc_env.engine.state import (
    CENTRE_LINE,
    FIGURE_SLOTS,
    LOST,
    NO_CELL,
    NO_CORNER,
    NO_DESIGN,
    NO_FIGURE,
    NO_ROUND,
    NO_SEGMENT,
    ONE_ROUND,
    UNTIL_BLOCKED,
    new_states,
)
from carc_env.engine.tiles import START_DESIGN, tile_counts
from carc_env.observations import expansion_planes, seat_planes
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
    for player in s.players[: rules.n_players]:
        player.supply[:] = s.rules.owned
        player.abbeys = s.rules.abbeys
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
    record.abbey_endgame = ABBEY_ENDGAME[rules.abbey_endgame]
    record.wagon_links = rules.wagon_range == "C1"
    record.wagon_rolls = rules.house_wagon_roll
    record.auto_single = rules.auto_single


def _write_actions(record: Any, layout: ActionLayout) -> None:
    for figure in Figure:
        record.figure_block[figure] = layout.first(figure.name.lower())
    record.recall_action = layout.first("recall")
    record.move_block = layout.first("wagon move")
    record.pass_action = layout.first("pass")
    record.n_actions = layout.n_actions


def _write_planes(record: Any, rules: Rules) -> None:
    added, of_seat = expansion_planes(rules), seat_planes(rules)
    first = observe.N_FIXED_PLANES
    record.abbey_plane = first + added.index("abbey") if rules.abbeys else ABSENT
    record.wagon_plane = first + added.index("wagon from") if rules.wagons else ABSENT
    record.seat_plane = first + len(added)
    record.planes_per_seat = len(of_seat)
    record.figure_plane[:] = ABSENT
    for figure in figures_in_play(rules):
        record.figure_plane[figure] = of_seat.index(figure.name.lower())


def _fill_bag(s: Any, rules: Rules) -> None:
    counts = tile_counts(rules.sets, rules.tile_column)
    s.rules.n_designs = np.count_nonzero(counts)
    s.rules.design_slot[counts > 0] = np.arange(s.rules.n_designs)
    s.rules.copies[:] = counts
    counts[START_DESIGN] -= 1
    s.n_bag = counts.sum()
    s.bag[: s.n_bag] = np.repeat(np.arange(len(counts)), counts)


def total_in_bag(rules: Rules) -> int:
    """Tiles in the bag at the start of a game."""
    return int(template(rules)[0].n_bag)


def legal_buffer() -> npt.NDArray[np.int64]:
    """A new buffer that entry points of the engine write legal actions to."""
    return np.empty(MAX_LEGAL, np.int64)
