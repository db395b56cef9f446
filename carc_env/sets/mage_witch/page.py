"""The mage and the witch on the page."""

from itertools import product

from carc_env.engine.core.codes import Kind
from carc_env.sets.mage_witch.record import MAGE, WITCH
from carc_env.systems.worth import Feature, Ways


def changed(feature: Feature) -> Ways:
    """Add a point per tile for the mage, then halve the points for the witch (MW-08, MW-09).

    The mage and witch have already left completed features (MW-13).
    """
    here = [(feature.holds(feature.s.magic[[WITCH]]), feature.holds(feature.s.magic[[MAGE]]))]
    may_have_left = feature.is_scored and feature.kind in (Kind.CITY, Kind.ROAD)
    for has_witch, has_mage in product((False, True), repeat=2) if may_have_left else here:
        n = int(feature.record.n_tiles)
        way = feature.plus(n, "magic", 1) if has_mage else feature
        yield way.plus(way.total // 2, "halved", -1) if has_witch else way
