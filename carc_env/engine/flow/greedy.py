"""The greedy player, who looks one placement ahead.

He looks at every tile placement together with every figure action after it and takes what
leaves the best projected final score compared with the strongest rival, less a price for each of
his figures in use that falls to nothing towards the end of the game. He does not see what a tile of
a bazaar is worth: he takes the first one, bids nothing for it and never overbids.
"""

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.codes import MAX_PLAYERS, Figure, Phase
from carc_env.engine.core.state import FIGURE_SLOTS, State, States
from carc_env.engine.flow.legal import MAX_FIGURE_ACTIONS, legal_actions
from carc_env.engine.flow.standings import write_standings
from carc_env.engine.flow.turn import apply

SCRATCH_GAMES = 2
"""Records of scratch memory that :func:`greedy_action` needs."""

CENTIPOINTS = 100
MEEPLE_PRICE = 600
"""What a meeple on the board costs at the start of the game, in hundredths of a point."""
N_MEEPLES = FIGURE_SLOTS.count(Figure.MEEPLE)


@kernel(i8(State))
def meeple_price(s):
    """Return what a meeple on the board costs now: nothing any more when the bag is empty."""
    return MEEPLE_PRICE * s.n_bag // (s.n_bag + s.n_tiles)


@kernel(i8(State, i8, i8))
def worth(s, seat, price):
    """Return how good a state is for a seat, in hundredths of a point; an open bid is as paid."""
    points = room_for(MAX_PLAYERS)
    write_standings(s, points)
    best_rival = -(10**6)
    for rival in range(s.rules.n_players):
        if rival != seat:
            best_rival = max(best_rival, points[rival])
    in_use = N_MEEPLES - s.players[seat].supply[Figure.MEEPLE]
    in_use += s.rules.owned[Figure.LARGE] - s.players[seat].supply[Figure.LARGE]
    open_bid = s.bazaar.price if s.bazaar.bidder == seat else 0
    return CENTIPOINTS * (points[seat] - open_bid - best_rival) - price * in_use


@kernel(i8(State, States, i8, i8))
def best_figure_worth(s, scratch, seat, price):
    """Return the worth of the best figure action after a placement; s is in the figure phase."""
    best = -(10**9)
    actions = room_for(MAX_FIGURE_ACTIONS)
    for k in range(legal_actions(s, actions)):
        scratch[1] = s
        apply(scratch[1], actions[k])
        best = max(best, worth(scratch[1], seat, price))
    return best


@kernel(i8(State, States, i8[::1]))
def greedy_action(s, scratch, actions):
    """Return the best action by one-ply search; ``actions`` is room for the legal list.

    What is drawn after the action does not count: worth and price do not see the bag.
    """
    seat, price = s.decider, meeple_price(s)
    chosen, best = -1, -(10**9)
    for k in range(legal_actions(s, actions)):
        scratch[0] = s
        apply(scratch[0], actions[k])
        is_mine = scratch[0].decider == seat and scratch[0].phase == Phase.FIGURE
        if is_mine:
            found = best_figure_worth(scratch[0], scratch, seat, price)
        else:
            found = worth(scratch[0], seat, price)
        if found > best:
            chosen, best = actions[k], found
    return chosen
