"""The magic portal: a meeple goes to any other tile (PD-65 to PD-74)."""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.board import place_action
from carc_env.engine.core.codes import FIRST_FIGURE, N_MEEPLES
from carc_env.engine.core.elsewhere import chosen_tile, is_at_hand
from carc_env.engine.core.features import feature_of, is_complete, is_free, kind_of
from carc_env.engine.core.figures import MAY_STAND, SPOT_PLACE
from carc_env.engine.core.moments import (
    offer_cells,
    offer_cells_to_second,
    offer_spots,
    offer_spots_to_second,
)
from carc_env.engine.core.rivals import would_draw
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import IS_PORTAL, N_SEGMENTS, SEGMENT_SPOT
from carc_env.sets.phantom.record import PORTAL_USED
from carc_env.sets.russian_promos.record import WATER


@kernel(b1(State))
def is_at_portal(s):
    """Return whether the tile just placed has a portal in play that has not been used (PHA-11)."""
    has_portal = s.rules.portals != 0 and IS_PORTAL[s.tiles[s.n_tiles - 1].design]
    return has_portal and s.used != PORTAL_USED


@kernel(b1(State, i8))
def is_open_to_all(s, segment):
    """Return whether a segment is free and its feature unfinished (PD-65, PD-66, XPD-05, XPD-09).

    The feature may be complete if that would make a challenge a draw (CULT-12).
    """
    feature = feature_of(s, segment)
    is_open = not is_complete(s, feature) or would_draw(s, feature)
    return is_open and is_free(s, segment)


@kernel(b1(State, i8, i8))
def leads_to(s, kind, segment):
    """Return whether a kind of meeple may go through the portal to a segment (PD-70)."""
    return MAY_STAND[kind, kind_of(s, segment)] and is_open_to_all(s, segment)


@kernel(b1(State, i8))
def is_barred(s, tile):
    """Return whether meeples are barred from a tile by the dragon or Vodyanoy (PD-06, RUS-14)."""
    return s.tiles[tile].cell == s.dragon or tile == s.traps[WATER]


@kernel(i8(State, i8, i8, i8[::1]))
def offer_on_tile(s, tile, n, actions):
    """Add the actions that send the decider's meeples through the portal to a tile (PD-67)."""
    if is_barred(s, tile):
        return n
    design, rotation = s.tiles[tile].design, s.tiles[tile].rotation
    first = s.tiles[tile].first_segment
    for kind in range(N_MEEPLES):
        if not is_at_hand(s, kind):
            continue
        for j in range(N_SEGMENTS[design]):
            if leads_to(s, kind, first + j):
                place = SPOT_PLACE[kind, SEGMENT_SPOT[design, rotation, j]]
                actions[n] = s.rules.first_action[FIRST_FIGURE + kind] + place
                n += 1
    return n


@kernel(b1(State, i8))
def leads_to_tile(s, tile):
    """Return whether any of the decider's meeples may go through the portal to a tile."""
    if is_barred(s, tile):
        return False
    first = s.tiles[tile].first_segment
    for segment in range(first, first + N_SEGMENTS[s.tiles[tile].design]):
        if is_open_to_all(s, segment):
            for kind in range(N_MEEPLES):
                if MAY_STAND[kind, kind_of(s, segment)] and is_at_hand(s, kind):
                    return True
    return False


@at(offer_cells, "portals")
@at(offer_cells_to_second, "portals")
@kernel(i8(State, i8, i8[::1]))
def offer_portal_cells(s, n, actions):
    """Add the cells of other tiles to which the portal leads, before all other cells (PD-65)."""
    if not is_at_portal(s):
        return n
    for tile in range(s.n_tiles - 1):
        if leads_to_tile(s, tile):
            actions[n] = place_action(s, s.tiles[tile].cell, 0)
            n += 1
    return n


@at(offer_spots, "portals")
@at(offer_spots_to_second, "portals")
@kernel(i8(State, i8, i8[::1]))
def offer_portal_spots(s, n, actions):
    """Add the portal's actions on the chosen cell."""
    return offer_on_tile(s, chosen_tile(s), n, actions) if is_at_portal(s) else n
