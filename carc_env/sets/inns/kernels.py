"""The large meeple, which counts as two (docs/rules/inns.md).

``core/figures.py`` defines its strength, and ``core/scoring.py`` the points for inns and
cathedrals.
"""

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Figure
from carc_env.engine.core.figures import offer_segments
from carc_env.engine.core.moments import offer_figure, owns
from carc_env.engine.core.state import State


@at(offer_figure, owns(Figure.LARGE), key=Figure.LARGE)
@kernel(i8(State, i8, i8[::1]))
def offer_large(s, n, actions):
    """Add the actions that put the large meeple on the tile just placed (INN-01)."""
    return offer_segments(s, Figure.LARGE, n, actions)
