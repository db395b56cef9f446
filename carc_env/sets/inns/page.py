"""Inns and cathedrals on the page."""

from carc_env.engine.core.codes import Kind
from carc_env.systems.worth import Feature, Ways

EACH = {Kind.ROAD: 2, Kind.CITY: 3}
"""What a tile is worth if they are complete; nothing if they are not."""


def terms(feature: Feature) -> Ways:
    """Change what each tile of a road or city is worth (INN-02 to INN-04)."""
    counts = feature.kind in EACH and feature.record.bonus > 0
    yield feature.with_each(EACH[feature.kind] * feature.is_complete) if counts else feature
