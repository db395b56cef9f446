"""The places of the mage and the witch, and when a player is asked about them."""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Kind, Phase, Problem
from carc_env.engine.core.features import cell_of, feature_of, is_complete, kind_of
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.state import State
from carc_env.sets.mage_witch.kernels import has_any_target, meet
from carc_env.sets.mage_witch.record import IS_MAGIC, MAGE, N_MAGIC, NOT_ASKED, NOWHERE, WITCH

BEHIND = (Phase.FIGURE, Phase.SECOND, Phase.TUNNEL, Phase.FERRIES)
"""Phases that continue after a question about the mage or the witch."""


@kernel(b1(State))
def is_asked(s):
    """Return whether a player is asked about the mage or the witch."""
    return s.phase == Phase.MAGIC or s.phase == Phase.MAGIC_SPOT


@kernel(b1(State))
def is_unscored(s):
    """Return whether the mage or the witch may still be on newly completed features (MW-13)."""
    is_late = s.phase == Phase.FLIGHT and s.rules.dragon_late != 0
    return Phase.FIGURE <= s.phase < Phase.WAGON and not is_late


@kernel(b1(State, i8))
def was_eaten(s, segment):
    """Return whether the dragon has visited a segment's cell in the current flight (MW-19)."""
    for k in range(1, s.n_flown):
        if s.rules.dragon_eats_magic != 0 and cell_of(s, segment) == s.flown[k]:
            return True
    return False


@kernel(b1(State, i8))
def stands_wrong(s, segment):
    """Return whether neither the mage nor the witch can be on a segment (MW-13, MW-18, MW-24)."""
    kind = kind_of(s, segment)
    if (kind != Kind.ROAD and kind != Kind.CITY) or was_eaten(s, segment):
        return True
    return is_complete(s, feature_of(s, segment)) and not is_unscored(s)


@kernel(b1(State))
def has_wrong_question(s):
    """Return whether there is no reason to ask, or nothing to choose (MW-02, MW-05, MW-06)."""
    if (s.magic_at != NOT_ASKED) != is_asked(s):
        return True
    if not is_asked(s):
        return meet(s) and s.phase != Phase.INGOT  # which is asked first
    if s.magic_at not in BEHIND:
        return True
    is_called = IS_MAGIC[s.tiles[s.n_tiles - 1].design] and s.magic_at == Phase.FIGURE
    if not (is_called or meet(s)):
        return True
    are_out = s.magic[MAGE] != NOWHERE and s.magic[WITCH] != NOWHERE
    return not (are_out or has_any_target(s))


@at(find_wrong, key=Problem.MAGIC)
@kernel(b1(State))
def has_wrong_magic(s):
    """Return whether the mage or the witch is on a wrong feature, or a question has no reason."""
    if s.rules.mage_witch == 0:
        is_there = s.magic[MAGE] != NOWHERE or s.magic[WITCH] != NOWHERE
        return is_there or s.magic_at != NOT_ASKED
    for who in range(N_MAGIC):
        if s.magic[who] != NOWHERE and stands_wrong(s, s.magic[who]):
            return True
    return has_wrong_question(s)
