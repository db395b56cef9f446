"""The Darmstadtium on the page."""

from carc_env.engine.core.codes import Kind
from carc_env.engine.core.tiles import HAS_DARMSTADTIUM
from carc_env.sets.darmstadt.kernels import POINTS
from carc_env.systems.worth import Feature, Ways


def terms(feature: Feature) -> Ways:
    """Add its points to a complete city (DAR-03)."""
    counts = feature.rules.darmstadt and feature.kind == Kind.CITY and feature.is_complete
    has_it = counts and feature.shows(HAS_DARMSTADTIUM)
    yield feature.plus(1, "darmstadtium", POINTS) if has_it else feature
