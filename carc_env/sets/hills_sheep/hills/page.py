"""Vineyards on the page."""

from carc_env.engine.core.codes import Kind
from carc_env.engine.core.tiles import IS_VINEYARD
from carc_env.sets.hills_sheep.hills.kernels import POINTS_PER_VINEYARD
from carc_env.systems.worth import Feature, Ways


def terms(feature: Feature) -> Ways:
    """Add the vineyards around a complete monastery (HS-15)."""
    counts = feature.rules.vineyards and feature.kind == Kind.MONASTERY and feature.is_complete
    n = int(IS_VINEYARD[feature.s.tiles["design"][feature.around]].sum()) if counts else 0
    yield feature.plus(n, "vineyards", POINTS_PER_VINEYARD) if counts else feature
    if n and feature.is_scored:  # XHS-01: a recalled abbot
        yield feature
