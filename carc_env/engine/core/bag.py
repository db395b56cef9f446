"""The bag of face-down tiles and the random numbers: both live inside the state."""

import numpy as np

from carc_env.engine.compiler.jit import b1, i8, kernel, u8, void
from carc_env.engine.core.state import NO_CELL, NO_DESIGN, State
from carc_env.engine.core.tiles import FORK, IS_DRAGON, IS_RIVER, IS_VOLCANO, LAYER

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_U27, _U30, _U31, _U32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@kernel(u8(State))
def next_random(s):
    """Return 64 random bits (splitmix64) and step the generator of the game."""
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
    """Exchange two tiles of the bag."""
    design = s.bag[one]
    s.bag[one] = s.bag[other]
    s.bag[other] = design


@kernel(void(State, i8, i8))
def shuffle_range(s, first, end):
    """Put the tiles at some places of the bag in random order."""
    for i in range(end - 1, first, -1):
        swap_tiles(s, i, first + random_below(s, i - first + 1))


@kernel(i8(State, i8))
def lake_below(s, end):
    """Return where in the bag the river tiles on top of a place begin: the lake; ``end`` if none.

    They are drawn first and stay on top of the lake, the last of them (BASE-40).
    """
    while end > 0 and IS_RIVER[s.bag[end - 1]]:
        end -= 1
    return end


@kernel(i8(State, i8))
def fork_below(s, end):
    """Return a place in the bag without a fork on top of the tiles below it (RIV2-02)."""
    return end - 1 if end > 0 and LAYER[s.bag[end - 1]] == FORK else end


@kernel(i8(State, i8))
def first_drawable(s, end):
    """Return where in the bag the tiles begin one of which is drawn at ``end - 1``.

    BASE-40, RIV2-02.
    """
    lake, top = lake_below(s, end), fork_below(s, end)
    if top < end:
        return top
    return 0 if lake == end else min(lake + 1, end - 1)


# Dragon tiles that are not drawn before a volcano lies (PD-07).


@kernel(i8(State, i8))
def topmost_plain(s, end):
    """Return the topmost place below one in the bag with anything but a dragon tile, or -1."""
    place = end - 1
    while place >= 0 and IS_DRAGON[s.bag[place]]:
        place -= 1
    return place


@kernel(b1(State))
def withholds_dragons(s):
    """Tell whether the next tile drawn cannot be a dragon tile (PD-07).

    The dragon is not there yet, nor a volcano in hand, and there are other tiles.
    """
    if s.rules.withholds_dragons == 0 or s.dragon != NO_CELL:
        return False
    if s.hand != NO_DESIGN and IS_VOLCANO[s.hand]:
        return False
    return topmost_plain(s, s.n_bag) >= 0


@kernel(void(State, i8))
def withhold_dragons(s, end):
    """Put the dragon tiles among shuffled ones, up to a place, behind the first volcano."""
    for place in range(end - 1, -1, -1):
        plain = topmost_plain(s, place + 1)
        if plain < 0:
            return
        swap_tiles(s, place, plain)
        if IS_VOLCANO[s.bag[place]]:
            shuffle_range(s, 0, place)
            return


@kernel(void(State))
def shuffle(s):
    """Put the tiles that are still in the bag in random order (SET-03); lake and fork stay."""
    lake = lake_below(s, s.n_bag)
    shuffle_range(s, 0, lake)
    shuffle_range(s, lake + 1, fork_below(s, s.n_bag))
    if withholds_dragons(s) and not (lake < s.n_bag and IS_VOLCANO[s.bag[lake]]):
        withhold_dragons(s, lake)


@kernel(void(State))
def shuffle_again(s):
    """Put the tiles of the bag in an order that follows from the one they are in.

    So a game that goes on from a position, which knows no random numbers, becomes the same game.
    """
    rng = s.rng
    s.rng = u8(0)
    for place in range(s.n_bag):
        s.rng = next_random(s) ^ u8(s.bag[place])
    shuffle(s)
    s.rng = rng


@kernel(void(State))
def send_dragon_back(s):
    """Put another tile on top of the bag in place of a dragon tile, and shuffle what is below."""
    swap_tiles(s, topmost_plain(s, s.n_bag), s.n_bag - 1)
    s.n_bag -= 1
    shuffle_again(s)
    s.n_bag += 1


@kernel(i8(State), inline=True)
def draw(s):
    """Take the next tile out of the bag; the bag must not be empty.

    A dragon tile that comes before the first volcano lies, because another one was put aside, goes
    back: the next other tile is drawn, and all are shuffled (PD-07).
    """
    if s.rules.withholds_dragons != 0 and IS_DRAGON[s.bag[s.n_bag - 1]] and withholds_dragons(s):
        send_dragon_back(s)
    s.n_bag -= 1
    return s.bag[s.n_bag]
