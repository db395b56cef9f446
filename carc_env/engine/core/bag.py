"""The bag of face-down tiles and the random number generator; both are part of the state."""

import numpy as np

from carc_env.engine.compiler.jit import i8, kernel, u8, void
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.moments import bag_shuffled, draw_begins, list_face_down
from carc_env.engine.core.sizes import MAX_BAG
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import FORK, LAYER, ON_LAND

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_U27, _U30, _U31, _U32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@kernel(u8(State))
def next_random(s):
    """Return 64 random bits (splitmix64) and advance the game's generator."""
    z = u8(s.rng) + _GAMMA
    s.rng = z
    z = (z ^ (z >> _U30)) * _MIX_1
    z = (z ^ (z >> _U27)) * _MIX_2
    return z ^ (z >> _U31)


@kernel(i8(State, i8))
def random_below(s, n):
    """Return a random number from 0 to n - 1."""
    return int(((next_random(s) >> _U32) * u8(n)) >> _U32)


@kernel(void(State, i8, i8))
def swap_tiles(s, one, other):
    """Swap two tiles in the bag."""
    design = s.bag[one]
    s.bag[one] = s.bag[other]
    s.bag[other] = design


@kernel(void(State, i8, i8))
def shuffle_range(s, first, end):
    """Shuffle the tiles in a range of bag positions."""
    for i in range(end - 1, first, -1):
        swap_tiles(s, i, first + random_below(s, i - first + 1))


@kernel(i8(State, i8))
def lake_below(s, end):
    """Return the bag position at which the river tiles directly below ``end`` begin: the lake.

    If there are none, it is ``end``.

    River tiles are drawn first and lie on top of the lake, which is the last of them (BASE-40).
    """
    while end > 0 and LAYER[s.bag[end - 1]] != ON_LAND:
        end -= 1
    return end


@kernel(i8(State, i8))
def fork_below(s, end):
    """Return a bag position, minus 1 if the tile directly below it is a fork (RIV2-02)."""
    return end - 1 if end > 0 and LAYER[s.bag[end - 1]] == FORK else end


@kernel(i8(State, i8))
def first_drawable(s, end):
    """Return the first bag position that the draw at ``end - 1`` can come from.

    BASE-40, RIV2-02.
    """
    lake, top = lake_below(s, end), fork_below(s, end)
    if top < end:
        return top
    return 0 if lake == end else min(lake + 1, end - 1)


@kernel(void(State))
def shuffle(s):
    """Shuffle the tiles that are still in the bag (SET-03); the lake and the fork stay in place."""
    lake = lake_below(s, s.n_bag)
    shuffle_range(s, 0, lake)
    shuffle_range(s, lake + 1, fork_below(s, s.n_bag))
    bag_shuffled(s, lake)


@kernel(void(State))
def shuffle_again(s):
    """Reorder the bag deterministically, as a function of its current order.

    A game that continues from a position that stores no random numbers is therefore always the
    same.
    """
    rng = s.rng
    s.rng = u8(0)
    for place in range(s.n_bag):
        s.rng = next_random(s) ^ u8(s.bag[place])
    shuffle(s)
    s.rng = rng


@kernel(i8(State), inline=True)
def draw(s):
    """Take the next tile from the bag, which must not be empty."""
    draw_begins(s)
    s.n_bag -= 1
    return s.bag[s.n_bag]


# Tiles that nobody can see, either in the bag or face down beside it.


@kernel(i8(State, i8[::1]))
def list_unseen(s, places):
    """Write the ``bag`` positions of the tiles that nobody can see; return how many there are.

    They are in draw order, as if the tiles beside the bag had been put back on top of it.
    """
    n = list_face_down(s, places)
    for k in range(s.n_bag):
        places[n + k] = s.n_bag - 1 - k
    return n + s.n_bag


@kernel(i8(State))
def n_face_down(s):
    """Return how many tiles lie face down beside the bag."""
    return list_face_down(s, room_for(MAX_BAG))
