"""Lakes with their ferries, and whether roads run as their ferries require."""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.compiler.memory import room_for, words_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.bitset import add
from carc_env.engine.core.board import N_SIDES
from carc_env.engine.core.codes import Phase, Problem
from carc_env.engine.core.features import feature_of, list_ways_on
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.sizes import MAX_SEGMENTS, N_WORDS
from carc_env.engine.core.state import MOST_SEGMENTS_COUNTED, NO_SEGMENT, State
from carc_env.sets.ferries.kernels import arm_at, is_pair_of, needs_ferry
from carc_env.sets.ferries.record import ALWAYS, IS_LAKE, NO_FERRIES, NO_FERRY
from carc_env.sets.mage_witch.record import NOT_ASKED

NONE_OF_THEM = 0


@kernel(b1(State))
def has_wrong_lakes(s):
    """Return whether a lake is not listed or out of order, or a ferry joins no roads (FER-01)."""
    n = 0
    for tile in range(s.n_tiles):
        if IS_LAKE[s.tiles[tile].design]:
            if n == s.n_lakes or s.lakes[n].tile != tile:
                return True
            if s.lakes[n].pair != NO_FERRY and not is_pair_of(s, n, s.lakes[n].pair):
                return True
            n += 1
    return n != s.n_lakes


@kernel(i8(State))
def going_on(s):
    """Return the phase that continues: now, or after a mage or witch question (FER-24)."""
    return s.phase if s.magic_at == NOT_ASKED else s.magic_at


@kernel(b1(State))
def is_due_now(s):
    """Return whether ferries can still be placed or moved, or are still to be scored."""
    is_late = s.phase == Phase.FLIGHT and s.rules.dragon_late != 0
    return Phase.FERRIES <= going_on(s) < Phase.WAGON and not is_late


@kernel(b1(State, i8))
def is_wrong_move(s, lake):
    """Return whether a lake's ferry cannot have been placed or moved just now (FER-11)."""
    before = s.lakes[lake].before
    if s.lakes[lake].tile == s.n_tiles - 1:
        return before != NO_FERRY
    if before == NO_FERRY or before == s.lakes[lake].pair:
        return True
    return not is_pair_of(s, lake, before)


@kernel(b1(State))
def has_wrong_moves(s):
    """Return whether an old lake lacks a ferry, or a ferry that moved is missing (FER-04)."""
    for lake in range(s.n_lakes):
        is_laid = s.lakes[lake].pair != NO_FERRY
        is_new = s.lakes[lake].tile == s.n_tiles - 1 and Phase.FIGURE <= going_on(s) <= Phase.FERRY
        if s.rules.ferries == ALWAYS and not is_laid and not is_new:
            return True
        is_ferried = s.ferried >> lake & 1 != 0
        is_moved = s.lakes[lake].before != NO_FERRY
        if (is_ferried and not is_laid) or (is_moved and not is_ferried):
            return True
        if is_ferried and is_wrong_move(s, lake):
            return True
        if is_new and is_laid:
            return True
    if s.ferried >> s.n_lakes != 0 or (s.ferried != 0 and not is_due_now(s)):
        return True
    if s.phase == Phase.FERRY:
        return not needs_ferry(s)
    return needs_ferry(s) and (s.phase == Phase.FERRIES or s.phase == Phase.FLOCK)


@kernel(i8(State, i8))
def n_reached(s, first):
    """Return how many segments a road reaches, or NONE_OF_THEM if one is in another feature."""
    reached, seen = room_for(MAX_SEGMENTS), words_for(N_WORDS)
    add(seen, first)
    reached[0], n, k = first, 1, 0
    while k < n:
        segment = reached[k]
        if feature_of(s, segment) != feature_of(s, first):
            return NONE_OF_THEM
        n = list_ways_on(s, segment, seen, n, reached)
        k += 1
    return n


@kernel(b1(State))
def has_wrong_roads(s):
    """Return whether a road at a lake differs from what can be reached from there (FER-05)."""
    for lake in range(s.n_lakes):
        for side in range(N_SIDES):
            segment = arm_at(s, lake, side)
            if segment != NO_SEGMENT:
                n = min(n_reached(s, segment), MOST_SEGMENTS_COUNTED)
                if n != s.features[feature_of(s, segment)].n_segments:
                    return True
    return False


@at(find_wrong, key=Problem.FERRIES)
@kernel(b1(State))
def has_wrong_ferries(s):
    """Return whether lakes, ferries and roads are inconsistent."""
    if s.rules.ferries == NO_FERRIES:
        return s.n_lakes != 0 or s.ferried != 0
    return has_wrong_lakes(s) or has_wrong_moves(s) or has_wrong_roads(s)
