"""Huts on the page."""

from dataclasses import replace

from carc_env.engine.core.codes import Kind
from carc_env.engine.core.tiles import IS_HUT
from carc_env.systems.worth import Feature, Ways


def terms(feature: Feature) -> Ways:
    """Count the empty cells around a hut (RUS-02)."""
    if feature.rules.russian_promos and feature.kind == Kind.MONASTERY and feature.shows(IS_HUT):
        n = 0 if feature.is_complete else int(feature.record.n_open)
        feature = replace(feature, terms=()).plus(1, "hut", 1).plus(n, "empty", 1)
    yield feature
