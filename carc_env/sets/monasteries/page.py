"""Special monasteries on the page."""

from carc_env.engine.core.board import STEP
from carc_env.engine.core.codes import Kind
from carc_env.systems.worth import Feature, Ways


def terms(feature: Feature) -> Ways:
    """Count the tiles in the row and the column (MON-06)."""
    if feature.kind == Kind.LINES:
        n = 1
        for step in STEP:
            near = feature.cell + step
            while feature.s.board[near] > 0:
                n, near = n + 1, near + step
        feature = feature.plus(n, "tiles", 1)
    yield feature
