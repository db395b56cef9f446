"""From rules to the record of a game that has not begun: what every reset copies."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.actions import action_layout
from carc_env.engine import codes
from carc_env.engine.state import (
    CENTRE_LINE,
    FIGURE_SLOTS,
    NO_DESIGN,
    NO_FIGURE,
    NO_SEGMENT,
    new_states,
)
from carc_env.engine.tiles import START_DESIGN, TILE_ID, tile_counts
from carc_env.rules import Rules


@lru_cache(maxsize=64)
def tile_ids(rules: Rules) -> tuple[str, ...]:
    """The designs in play, in the order of the tile facts."""
    counts = tile_counts(rules.sets, rules.tile_column)
    return tuple(TILE_ID[design] for design in np.flatnonzero(counts))


@lru_cache(maxsize=64)
def template(rules: Rules) -> npt.NDArray[Any]:
    """A read-only array with one record: full supplies, an unshuffled bag, an empty table."""
    states = new_states(1)
    s = states[0]
    layout = action_layout(rules)
    s.rules.n_players = rules.n_players
    s.rules.view_size = rules.view
    s.rules.abbot = rules.abbot
    s.rules.small_city_points = rules.small_city_points
    s.rules.abbot_recall_completed = rules.abbot_recall_completed == "allow"
    s.rules.auto_single = rules.auto_single
    s.rules.meeple_block = layout.first("meeple")
    s.rules.abbot_block = layout.first("abbot")
    s.rules.recall_action = layout.first("recall")
    s.rules.pass_action = layout.first("pass")
    s.rules.n_actions = layout.n_actions
    s.hand = NO_DESIGN
    s.min_row = s.max_row = s.min_column = s.max_column = CENTRE_LINE
    figures = [kind for kind in FIGURE_SLOTS if rules.abbot or kind != codes.ABBOT]
    for seat in range(rules.n_players):
        for kind in figures:
            s.players[seat].supply[kind] += 1
    s.figures["segment"] = NO_SEGMENT
    s.figures["next"] = NO_FIGURE
    s.features["figure"] = NO_FIGURE
    counts = tile_counts(rules.sets, rules.tile_column)
    s.rules.n_designs = np.count_nonzero(counts)
    s.rules.design_slot[counts > 0] = np.arange(s.rules.n_designs)
    s.rules.copies[:] = counts
    counts[START_DESIGN] -= 1
    s.n_bag = counts.sum()
    s.bag[: s.n_bag] = np.repeat(np.arange(len(counts)), counts)
    states.flags.writeable = False
    return states
