"""Little buildings on the page."""

import numpy as np

from carc_env.engine.core.codes import Kind
from carc_env.systems.worth import Feature, Ways


def added(feature: Feature) -> Ways:
    """Add the points of buildings on a feature's tiles, or around its centre (LB-05, LB-06)."""
    s, is_around = feature.s, feature.kind in (Kind.MONASTERY, Kind.GARDEN, Kind.LINES)
    built = s.built[: int(s.n_built)]
    counts = np.isin(built["tile"], feature.around if is_around else feature.tiles)
    n = int(s.rules.building_points[built["kind"][counts]].sum())
    yield feature.plus(n, "buildings", 1) if n else feature
    if n and is_around and feature.is_scored:  # XLB-01: a recalled abbot
        yield feature
