"""Mage and witch: they change the points of roads and cities ([rules](../rules/mage-witch.md)).

Each stands on a segment and affects the whole feature. When features join, the moment
``features_joined`` checks whether the two have met.
"""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.answers import PENDING, resumed_step
from carc_env.engine.core.board import N_SIDES, cell_of_place, place_action, tile_at
from carc_env.engine.core.codes import Block, Kind, Phase
from carc_env.engine.core.elsewhere import chosen_tile, forget_cell, spot_of
from carc_env.engine.core.features import cell_of, feature_of, is_complete, segment_at
from carc_env.engine.core.moments import (
    WITH_MAGIC,
    answered,
    dragon_moved,
    feature_valued,
    features_joined,
    figures_begin,
    leads_like_another,
    offer,
    scoring_ends,
    town_taken,
)
from carc_env.engine.core.state import NO_SEGMENT, State
from carc_env.engine.core.tiles import N_SEGMENTS
from carc_env.sets.mage_witch.record import IS_MAGIC, MAGE, N_MAGIC, NOT_ASKED, NOWHERE, WITCH


@kernel(i8(State, i8))
def feature_with(s, who):
    """Return the feature that the mage or the witch is on, or NO_SEGMENT."""
    segment = s.magic[who]
    return NO_SEGMENT if segment == NOWHERE else feature_of(s, segment)


@kernel(b1(State, i8, i8))
def is_on(s, who, feature):
    """Return whether the mage or the witch is on a feature."""
    return feature_with(s, who) == feature


@kernel(b1(State))
def meet(s):
    """Return whether both are on one feature, which lasts only until one has moved (MW-06)."""
    mage = feature_with(s, MAGE)
    return mage != NO_SEGMENT and mage == feature_with(s, WITCH)


# Their effects.


@at(feature_valued, "mage_witch", WITH_MAGIC)
@kernel(i8(State, i8, i8))
def change_points(s, feature, n):
    """Add a point for each tile with the mage, then halve with the witch, rounding up.

    MW-08, MW-09, MW-15; other changes to tile points come first (X2-01).
    """
    if is_on(s, MAGE, feature):
        n += s.features[feature].n_tiles
    return (n + 1) // 2 if is_on(s, WITCH, feature) else n


# When they leave the board.


@at(scoring_ends, "mage_witch")
@kernel(void(State))
def send_home(s):
    """Remove the mage and the witch from a completed feature (MW-13, MW-14)."""
    for who in range(N_MAGIC):
        segment = s.magic[who]
        if segment != NOWHERE and is_complete(s, feature_of(s, segment)):
            s.magic[who] = NOWHERE


@at(town_taken, "mage_witch")
@kernel(void(State, i8))
def leave_town(s, town):
    """Remove the mage and the witch from a town that becomes a castle (MW-18)."""
    for who in range(N_MAGIC):
        if is_on(s, who, town):
            s.magic[who] = NOWHERE


@at(dragon_moved, "dragon_eats_magic")
@kernel(void(State))
def eat_magic(s):
    """Let the dragon eat the mage and the witch on its tile (MW-19)."""
    for who in range(N_MAGIC):
        if s.magic[who] != NOWHERE and cell_of(s, s.magic[who]) == s.dragon:
            s.magic[who] = NOWHERE


# Where the mage and the witch may go.


@kernel(b1(State, i8))
def is_open_way(s, feature):
    """Return whether a feature is an incomplete road or city."""
    kind = s.features[feature].kind
    return (kind == Kind.ROAD or kind == Kind.CITY) and s.features[feature].n_open > 0


@kernel(b1(State, i8))
def is_target(s, segment):
    """Return whether either figure may go to a segment (MW-02 to MW-04, MW-23, MW-24).

    It must be part of an incomplete road or city that has neither of them.
    """
    feature = feature_of(s, segment)
    is_taken = is_on(s, MAGE, feature) or is_on(s, WITCH, feature)
    return is_open_way(s, feature) and not is_taken


@kernel(b1(State, i8))
def has_target(s, tile):
    """Return whether the mage or the witch may go to any segment of a tile."""
    mage, witch = feature_with(s, MAGE), feature_with(s, WITCH)
    first = s.tiles[tile].first_segment
    for segment in range(first, first + N_SEGMENTS[s.tiles[tile].design]):
        feature = feature_of(s, segment)
        if is_open_way(s, feature) and feature != mage and feature != witch:
            return True
    return False


@kernel(b1(State))
def has_any_target(s):
    """Return whether the mage or the witch may go anywhere (MW-05)."""
    for tile in range(s.n_tiles):
        if has_target(s, tile):
            return True
    return False


@at(offer, key=Phase.MAGIC)
@kernel(i8(State, i8[::1]))
def offer_cells(s, actions):
    """Write the cells open to the mage or witch or, if none, who may leave the board (MW-05)."""
    n = 0
    for tile in range(s.n_tiles):
        if has_target(s, tile):
            actions[n] = place_action(s, s.tiles[tile].cell, 0)
            n += 1
    if n == 0:
        for who in range(N_MAGIC):
            actions[n] = s.rules.first_action[Block.MAGE_OFF] + who
            n += s.magic[who] != NOWHERE
    return n


@at(offer, key=Phase.MAGIC_SPOT)
@kernel(i8(State, i8[::1]))
def offer_spots(s, actions):
    """Write who may go to which road or city on the chosen cell, named by its first side."""
    tile, n = chosen_tile(s), 0
    first = s.tiles[tile].first_segment
    for who in range(N_MAGIC):
        for segment in range(first, first + N_SEGMENTS[s.tiles[tile].design]):
            if is_target(s, segment):
                actions[n] = s.rules.first_action[Block.MAGE] + N_SIDES * who + spot_of(s, segment)
                n += 1
    return n


@kernel(b1(State, i8))
def is_oldest(s, segment):
    """Return whether a segment is the first of its feature."""
    other = s.segments[segment].next
    while other > segment:
        other = s.segments[other].next
    return other == segment


@at(leads_like_another, "mage_witch")
@kernel(i8(State, i8))
def is_another_cell(s, action):
    """Return 1 for a cell whose roads and cities can all be reached on older tiles.

    The place on a feature makes no difference except to the dragon (MW-20).
    """
    if s.phase != Phase.MAGIC or action >= s.rules.first_action[Block.MAGE_OFF]:
        return 0
    tile = tile_at(s, cell_of_place(s, action))
    first = s.tiles[tile].first_segment
    for segment in range(first, first + N_SEGMENTS[s.tiles[tile].design]):
        if is_target(s, segment) and is_oldest(s, segment):
            return 0
    return 1


# The question.


@kernel(b1(State))
def ask(s):
    """Ask where the mage or witch goes, or who leaves; return True if there is a choice (MW-05).

    If only one of them could leave, it does; if both are already off the board, nothing happens.
    """
    is_alone = s.magic[MAGE] == NOWHERE or s.magic[WITCH] == NOWHERE
    if is_alone and not has_any_target(s):
        s.magic[MAGE], s.magic[WITCH] = NOWHERE, NOWHERE
        return False
    s.magic_at, s.phase = s.phase, Phase.MAGIC
    return True


@at(features_joined, "mage_witch")
@kernel(i8(State))
def ask_if_they_meet(s):
    """Ask which of the two moves if joining features has brought them together (MW-06, FER-24)."""
    return meet(s) and ask(s)


@at(figures_begin, "mage_witch")
@kernel(void(State))
def call_magic(s):
    """Ask once about the mage and witch after the tile just placed (MW-02, MW-06, MW-07).

    If the tile requires another decision first, this question follows that decision.
    """
    if s.phase != Phase.FIGURE:
        return
    if IS_MAGIC[s.tiles[s.n_tiles - 1].design] or meet(s):
        ask(s)


@kernel(i8(State))
def resume(s):
    """Return to the phase that the question interrupted."""
    s.phase, s.magic_at = s.magic_at, NOT_ASKED
    return resumed_step(s)


@at(answered, key=Phase.MAGIC)
@kernel(i8(State, i8))
def choose_target(s, action):
    """Choose a cell where one of them goes, or take one off the board (MW-05)."""
    off = s.rules.first_action[Block.MAGE_OFF]
    if action >= off:
        s.magic[action - off] = NOWHERE
        return resume(s)
    s.chosen_cell, s.phase = cell_of_place(s, action), Phase.MAGIC_SPOT
    return PENDING


@at(answered, key=Phase.MAGIC_SPOT)
@kernel(i8(State, i8))
def move_there(s, action):
    """Put the mage or the witch on a road or city of the chosen cell."""
    k = action - s.rules.first_action[Block.MAGE]
    s.magic[k // N_SIDES] = segment_at(s, tile_at(s, s.chosen_cell), k % N_SIDES)
    forget_cell(s)
    return resume(s)
