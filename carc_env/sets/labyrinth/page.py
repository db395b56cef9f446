"""Labyrinth roads on the page."""

from carc_env.engine.core.codes import N_MEEPLES
from carc_env.engine.core.state import MAX_FIGURES
from carc_env.sets.labyrinth.kernels import POINTS_PER_MEEPLE
from carc_env.systems.worth import Feature, Ways


def terms(feature: Feature) -> Ways:
    """Add the points for meeples before the witch halves them (MW-12)."""
    return _added(feature, is_now=feature.rules.witch_halves_labyrinth)


def changed(feature: Feature) -> Ways:
    """Add the points for meeples after all other changes to tile points (LAB-07, X2-01)."""
    return _added(feature, is_now=not feature.rules.witch_halves_labyrinth)


def _added(road: Feature, is_now: bool) -> Ways:
    counts = is_now and road.is_complete and road.holds(road.s.mazes)
    standing = sum(figure < N_MEEPLES for _, figure in road.figures) if counts else 0
    for n in range(1, MAX_FIGURES) if counts and road.is_scored else [standing]:
        yield road.plus(n, "thieves", POINTS_PER_MEEPLE) if n else road
