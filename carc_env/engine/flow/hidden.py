"""What nobody can see: put in another order before a search, and hidden from evaluations."""

from carc_env.engine.compiler.jit import i8, kernel, u8, void
from carc_env.engine.core.bag import first_drawable, shuffle, swap_tiles
from carc_env.engine.core.codes import Phase
from carc_env.engine.core.state import NO_DESIGN, State
from carc_env.sets.bazaars.kernels import (
    exchange_face_down,
    hidden_place,
    is_open,
    n_out_of_sight,
    note_face_down,
    sort_hidden,
)


@kernel(void(State, u8))
def shuffle_hidden(s, seed):
    """Put the tiles that nobody can see in an order that depends on the seed alone.

    So do the sheep tokens that will be drawn (HS-44).
    """
    s.rng = seed
    sort_hidden(s)
    exchange_face_down(s)
    shuffle(s)


@kernel(void(State, i8))
def put_on_top(s, design):
    """Let a design be drawn next, if it is among the tiles that nobody can see.

    One that lies face down changes places with the top of the bag: nobody knows either.
    """
    for k in range(first_drawable(s, s.n_bag), s.n_bag + n_out_of_sight(s)):
        place = hidden_place(s, k)
        if s.bag[place] == design:
            swap_tiles(s, place, s.n_bag - 1)
            note_face_down(s)
            return


@kernel(void(State, State))
def conceal(s, before):
    """Put back what was drawn since a state: into the bag, out of hands, off the bazaar.

    What an evaluation may see; the game cannot go on from it.
    """
    if s.n_bag + s.n_hidden == before.n_bag + before.n_hidden or s.phase == Phase.GAME_OVER:
        return
    s.n_bag = before.n_bag - (s.n_hidden - before.n_hidden)
    if s.is_bought == 0:
        s.hand = NO_DESIGN
    if is_open(s) and not is_open(before):
        for lot in range(s.rules.n_players):
            s.bazaar.lots[lot].design = NO_DESIGN
