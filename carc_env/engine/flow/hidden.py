"""Hidden information: shuffling it before a search, and concealing it from evaluations."""

from carc_env.engine.compiler.jit import i8, kernel, u8, void
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.bag import (
    first_drawable,
    list_unseen,
    random_below,
    shuffle,
    swap_tiles,
)
from carc_env.engine.core.codes import Phase
from carc_env.engine.core.moments import draws_concealed, may_lie_face_down, unseen_exchanged
from carc_env.engine.core.sizes import MAX_BAG
from carc_env.engine.core.state import NO_DESIGN, State
from carc_env.engine.core.tiles import FORK, LAYER, N_DESIGNS


@kernel(void(State, i8[::1], i8))
def sort_unseen(s, places, n):
    """Sort the tiles at n places into an order that reveals nothing about their earlier order.

    Starting with the last place: other tiles, the lake, the river, its fork (BASE-40, RIV2-02).
    """
    counts = room_for(N_DESIGNS)
    for design in range(N_DESIGNS):
        counts[design] = 0
    for k in range(n):
        counts[s.bag[places[k]]] += 1
    for layer in range(FORK + 1):
        for design in range(N_DESIGNS):
            for _ in range(counts[design] if LAYER[design] == layer else 0):
                n -= 1
                s.bag[places[n]] = design


@kernel(i8(State, i8[::1], i8))
def random_unseen(s, places, n):
    """Return a random place for an unseen tile: in the bag, or one of n places outside it."""
    other = random_below(s, s.n_bag + n)
    return other if other < s.n_bag else places[s.n_bag + n - 1 - other]


@kernel(void(State, i8[::1], i8))
def exchange_face_down(s, places, n):
    """Swap the tiles at n places beside the bag with random unseen tiles, in or beside the bag."""
    for k in range(n):
        place = places[n - 1 - k]
        other = random_unseen(s, places, n - k)
        while not may_lie_face_down(s, k, s.bag[other]):
            other = random_unseen(s, places, n - k)
        swap_tiles(s, place, other)
    unseen_exchanged(s)


@kernel(void(State, u8))
def shuffle_hidden(s, seed):
    """Put the tiles that nobody can see in an order that depends only on the seed.

    From then on, every other outcome of chance also depends only on the seed (HS-44).
    """
    s.rng = seed
    places = room_for(MAX_BAG)
    n = list_unseen(s, places)
    sort_unseen(s, places, n)
    exchange_face_down(s, places, n - s.n_bag)
    shuffle(s)


@kernel(void(State, i8))
def put_on_top(s, design):
    """Make a design the next to be drawn, if it is among the tiles that nobody can see.

    A face-down tile is swapped with the tile on top of the bag, since nobody knows either of them.
    """
    places = room_for(MAX_BAG)
    for k in range(list_unseen(s, places) - 1 - first_drawable(s, s.n_bag), -1, -1):
        if s.bag[places[k]] == design:
            swap_tiles(s, places[k], s.n_bag - 1)
            unseen_exchanged(s)
            return


@kernel(void(State, State))
def conceal(s, before):
    """Put back the tiles drawn since a given state: from hands and from the table into the bag.

    The result contains only what an evaluation may see; the game cannot continue from it.
    """
    if s.n_bag + s.n_hidden == before.n_bag + before.n_hidden or s.phase == Phase.GAME_OVER:
        return
    s.n_bag = before.n_bag - (s.n_hidden - before.n_hidden)
    if s.is_bought == 0:
        s.hand = NO_DESIGN
    draws_concealed(s, before)
