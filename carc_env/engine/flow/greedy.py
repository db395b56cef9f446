"""The greedy player's evaluation: the projected final score, less a price for figures on the board.

The price of a figure falls to zero toward the end of the game.
"""

from carc_env.engine.compiler.jit import kernel
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.codes import MAX_PLAYERS, Figure
from carc_env.engine.core.moments import end_estimated
from carc_env.engine.core.state import FIGURE_SLOTS
from carc_env.engine.flow.evaluation import EVALUATION
from carc_env.engine.flow.standings import lead_of, write_standings

MEEPLE_PRICE = 6.0
"""Points that a meeple on the board costs at the start of the game."""
N_MEEPLES = FIGURE_SLOTS.count(Figure.MEEPLE)


@kernel(EVALUATION)
def worth(s, seat, weights):
    """Return a state's value for a seat, in points; an open bid counts as already paid."""
    points = room_for(MAX_PLAYERS)
    write_standings(s, points)
    end_estimated(s, points)
    in_use = N_MEEPLES - s.players[seat].supply[Figure.MEEPLE]
    in_use += s.rules.owned[Figure.LARGE] - s.players[seat].supply[Figure.LARGE]
    price = MEEPLE_PRICE * s.n_bag / (s.n_bag + s.n_tiles)
    open_bid = s.bazaar.price if s.bazaar.bidder == seat else 0
    return lead_of(s, seat, points) - open_bid - price * in_use
