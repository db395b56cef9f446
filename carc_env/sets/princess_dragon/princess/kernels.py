"""The princess: a knight leaves her city instead of a figure action (PD-50 to PD-60)."""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Phase
from carc_env.engine.core.elsewhere import add_cell, add_removal
from carc_env.engine.core.features import cell_of, feature_of
from carc_env.engine.core.figures import ANY, has_meeple, is_meeple
from carc_env.engine.core.moments import offer_cells, offer_only, offer_spots
from carc_env.engine.core.state import NO_FIGURE, NO_SEGMENT, State
from carc_env.engine.core.tiles import PRINCESS
from carc_env.sets.princess_dragon.princess.record import MUST_REMOVE, NO_PRINCESS


@kernel(i8(State))
def princess_city(s):
    """Return the city with the princess on the tile just placed, or NO_SEGMENT (PD-54)."""
    tile = s.tiles[s.n_tiles - 1]
    j = PRINCESS[tile.design]
    if s.rules.princesses == NO_PRINCESS or j < 0:
        return NO_SEGMENT
    return feature_of(s, tile.first_segment + j)


@kernel(i8(State))
def first_in_city(s):
    """Return the first figure in the ring of the princess's city, or NO_FIGURE."""
    city = princess_city(s)
    return NO_FIGURE if city == NO_SEGMENT else s.features[city].figure


@kernel(b1(State))
def must_remove(s):
    """Return whether a knight must leave (PD-51)."""
    if s.rules.princesses != MUST_REMOVE:
        return False
    city = princess_city(s)
    return city != NO_SEGMENT and has_meeple(s, city, ANY)


@at(offer_spots, "princesses", key=3)
@at(offer_cells, "princesses", key=3)
@kernel(i8(State, i8, i8[::1]))
def offer_knights(s, n, actions):
    """Add the cells of all knights in the princess's city, whatever their seat (PD-52).

    If a cell has already been chosen, add the knights on it instead.
    """
    entry = first_in_city(s)
    figure = entry
    while figure != NO_FIGURE:
        segment = s.figures[figure].segment
        if is_meeple(figure) and s.phase == Phase.FIGURE:
            n = add_cell(s, cell_of(s, segment), n, actions)
        elif is_meeple(figure) and cell_of(s, segment) == s.chosen_cell:
            n = add_removal(s, figure, n, actions)
        figure = s.figures[figure].next
        if figure == entry:
            return n
    return n


@at(offer_only, "princesses", key=1)
@kernel(i8(State, i8[::1]))
def offer_only_knights(s, actions):
    """If a knight must leave, write the knights' cells or those on the chosen cell (PD-51)."""
    return offer_knights(s, 0, actions) if must_remove(s) else 0
