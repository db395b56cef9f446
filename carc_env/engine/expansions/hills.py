"""Hills: a tile lies under each that nobody sees (docs/rules/hills-sheep.md).

That they break ties is in ``figures.leaders``; vineyards are in ``scoring.monastery_value``. The
tile under a hill stays in ``bag``, where it was drawn from, and its place there is noted.
"""

from carc_env.engine.compiler.jit import b1, kernel, void
from carc_env.engine.core.bag import draw, random_below, swap_tiles
from carc_env.engine.core.state import NO_HILLS, State
from carc_env.engine.core.tiles import IS_HILL


@kernel(void(State))
def hide_tile(s):
    """Put the next tile of the bag under the hill that was just placed, if there is one (HS-02)."""
    if not IS_HILL[s.tiles[s.n_tiles - 1].design] or s.n_bag == 0:
        return
    draw(s)
    s.hidden[s.n_hidden] = s.n_bag
    s.n_hidden += 1


@kernel(void(State))
def exchange_hidden(s):
    """Exchange the tiles under hills with others that nobody has seen."""
    for k in range(s.n_hidden):
        other = random_below(s, s.n_bag + s.n_hidden - k)
        if other >= s.n_bag:
            other = s.hidden[k + other - s.n_bag]
        swap_tiles(s, s.hidden[k], other)


@kernel(b1(State))
def has_wrong_hidden(s):
    """Under each hill lies one tile at most, and each was drawn from a place of its own (HS-02)."""
    n_hills = 0
    for tile in range(s.n_tiles):
        n_hills += IS_HILL[s.tiles[tile].design]
    if not 0 <= s.n_hidden <= n_hills * (s.rules.hills != NO_HILLS):
        return True
    n_in_all = -1
    for slot in range(s.rules.n_designs):
        n_in_all += s.rules.slot_copies[slot]
    for k in range(s.n_hidden):
        if not s.n_bag <= s.hidden[k] < n_in_all:
            return True
        for other in range(k):
            if s.hidden[other] == s.hidden[k]:
                return True
    return False
