"""Pigs and pig-herds on the page."""

from dataclasses import replace

from carc_env.engine.core.codes import Figure
from carc_env.systems.worth import Feature, Ways


def per_city(field: Feature) -> Ways:
    """Add a point for the pig of a leading seat, and one for a pig-herd (TRA-13, RIV2-10)."""
    is_there = any(f == Figure.PIG and seat in field.leaders for seat, f in field.figures)
    for has_pig in (False, True) if field.is_scored else [is_there]:
        yield replace(field, more=has_pig + field.holds(field.s.pig_herd))
