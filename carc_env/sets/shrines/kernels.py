"""Shrines: a shrine and a monastery race; the first to be completed wins (CULT-06 to CULT-19)."""

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.board import N_NEIGHBOURS, cell_of_place, neighbour
from carc_env.engine.core.codes import Kind
from carc_env.engine.core.features import (
    MAX_TOUCHED,
    cell_of,
    centre_at,
    is_complete,
    is_occupied,
    touched_features,
)
from carc_env.engine.core.figures import ANY, has_figure, remove_all, send_all_home
from carc_env.engine.core.moments import offer_place, scoring_begins
from carc_env.engine.core.rivals import (
    building_at,
    is_barred,
    list_rivals,
    rival_of,
    touches_any,
)
from carc_env.engine.core.scoring import award
from carc_env.engine.core.sizes import MAX_TILES
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import BUILDING, NO_BUILDING

BEFORE_OTHERS = -1
"""Rank of links that remove places, so that later links add to the remaining ones."""


@at(offer_place, "rivals", BEFORE_OTHERS)
@kernel(i8(State, i8, i8[::1]))
def leave_out_barred(s, n, actions):
    """Keep those of n places at which shrines and monasteries stay apart (CULT-03)."""
    building = BUILDING[s.hand]
    if building == NO_BUILDING:
        return n
    cells = room_for(MAX_TILES)
    rivals = cells[: list_rivals(s, building, cells)]
    n_kept = 0
    for k in range(n):
        cell = cell_of_place(s, actions[k])
        if not (touches_any(cell, rivals) and is_barred(s, s.hand, cell)):
            actions[n_kept] = actions[k]
            n_kept += 1
    return n_kept


@kernel(void(State, i8))
def lose(s, building):
    """Send home the figures of a building that lost a challenge, without points.

    CULT-07, CULT-11. A wagon was not scored, so it does not move (CULT-19).
    """
    for seat in range(s.rules.n_players):
        if has_figure(s, building, seat):
            award(s, seat, 0, building)
    if s.rules.losers_move != 0:
        send_all_home(s, building, ANY, ANY)
    else:
        remove_all(s, building, ANY, ANY)


@kernel(void(State, i8))
def beat_rivals(s, winner):
    """Make the occupied and unfinished rivals of a building lose (CULT-06 to CULT-08)."""
    cell = cell_of(s, winner)
    rival = rival_of(building_at(s, cell))
    for i in range(N_NEIGHBOURS):
        near = neighbour(cell, i)
        if building_at(s, near) == rival:
            other = centre_at(s, near)
            if is_occupied(s, other) and not is_complete(s, other):
                lose(s, other)


@at(scoring_begins, "rivals")
@kernel(void(State))
def settle_challenges(s):
    """Before scoring, decide the challenges of buildings that the tile just placed completed.

    Their figures are still in place (CULT-06).
    """
    touched = room_for(MAX_TOUCHED)
    for k in range(touched_features(s, s.n_tiles - 1, touched)):
        feature = touched[k]
        is_building = s.features[feature].kind == Kind.MONASTERY
        if is_building and is_complete(s, feature) and is_occupied(s, feature):
            beat_rivals(s, feature)
