"""Barns on the page."""

from dataclasses import replace

from carc_env.engine.core.codes import Figure
from carc_env.sets.barn.kernels import POINTS_AT_THE_END, POINTS_WHEN_JOINED
from carc_env.systems.worth import Feature, Ways


def per_city(field: Feature) -> Ways:
    """Return the points per city for a barn, or for farmers joined to it (BARN-17, BARN-20)."""
    has_barn = any(figure == Figure.BARN for _, figure in field.figures)
    if field.is_scored or not has_barn:
        yield field
    if field.is_scored and has_barn:
        yield replace(field, each=POINTS_WHEN_JOINED)
    if has_barn:  # HOUSE-05
        herd = field.rules.house_pigherd_barn and field.holds(field.s.pig_herd)
        yield replace(field, each=POINTS_AT_THE_END + herd, more=0)
