"""Besieged cities on the page."""

from dataclasses import replace

from carc_env.engine.core.codes import Kind
from carc_env.engine.core.tiles import CITIES_TOUCHED, IS_BESIEGED
from carc_env.systems.places import segments_of
from carc_env.systems.worth import Feature, Ways


def terms(feature: Feature) -> Ways:
    """Subtract a point per tile and coat of arms of a besieged city; double it for a field.

    See SIE-03 and SIE-06.
    """
    if feature.rules.siege and feature.kind == Kind.CITY and feature.shows(IS_BESIEGED):
        feature = feature.with_each(max(feature.terms[0]["each"] - 1, 0))
    elif feature.rules.siege and feature.kind == Kind.FIELD and (n := _n_besieged(feature)):
        more = feature.more * (feature.rules.siege_field_double == "all")
        feature = feature.plus(n, "besieged", feature.each + more)
    yield feature


def _n_besieged(field: Feature) -> int:
    """Return how many complete besieged cities border a field, not counting castles (SIE-07)."""
    s, beside = field.s, set()
    for segment in segments_of(s, field.number):
        tile = s.tiles[int(s.segments[segment].tile)]
        first = int(tile.first_segment)
        touched = int(CITIES_TOUCHED[int(tile.design), segment - first])
        near = (first + j for j in range(touched.bit_length()) if touched >> j & 1)
        beside |= {int(s.segments[city].feature) for city in near}
    cities = (f for f in beside if s.features[f].kind == Kind.CITY and s.features[f].n_open == 0)
    return sum(replace(field, number=city).shows(IS_BESIEGED) for city in cities)
