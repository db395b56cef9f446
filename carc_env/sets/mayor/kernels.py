"""The mayor: a knight with the strength of the city's coats of arms (docs/rules/mayor.md).

His strength counts in every majority, so ``figures.figure_strength`` contains it (MAY-05).
"""

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Figure
from carc_env.engine.core.figures import offer_segments
from carc_env.engine.core.moments import offer_figure, owns
from carc_env.engine.core.state import State


@at(offer_figure, owns(Figure.MAYOR), key=Figure.MAYOR)
@kernel(i8(State, i8, i8[::1]))
def offer_mayor(s, n, actions):
    """Add the actions that put the mayor into a free city on the tile just placed (MAY-02)."""
    return offer_segments(s, Figure.MAYOR, n, actions)
