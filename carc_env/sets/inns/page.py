"""Inns and cathedrals on the page."""

from carc_env.engine.core.codes import Kind
from carc_env.systems.worth import Feature, Ways

EACH = {Kind.ROAD: 2, Kind.CITY: 3}
"""Points per tile of a complete feature; an incomplete one scores nothing."""


def terms(feature: Feature) -> Ways:
    """Change the points per tile of a road or city (INN-02 to INN-04)."""
    counts = feature.kind in EACH and feature.record.bonus > 0
    yield feature.with_each(EACH[feature.kind] * feature.is_complete) if counts else feature
