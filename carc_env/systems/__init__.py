"""The rules systems: each declares once what it adds to the interface.

Action and observation layouts, new records, the notation and the documentation tables are loops
over :data:`SYSTEMS`. What a system *does* is implemented by the kernels in its set, or by
``engine/core`` if it concerns majorities, scoring or tiles. To add a system, see
``docs/developers/adding-a-system.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from carc_env.engine.core.codes import FIGURE_SPOTS, Block, Figure, Phase
from carc_env.position import Position
from carc_env.rules import Rules
from carc_env.sets import import_all
from carc_env.systems.base import BASE
from carc_env.systems.declaring import (
    Actions,
    Choice,
    Planes,
    Question,
    Supply,
    System,
)
from carc_env.systems.elsewhere import ELSEWHERE

SYSTEMS: tuple[System, ...] = (
    BASE,
    ELSEWHERE,
    *(
        declared
        for surface in import_all("surface")
        for declared in vars(surface).values()
        if isinstance(declared, System)
    ),
)
"""All systems, in the order of their supplies and numbers in the globals."""

QUESTIONS: dict[Phase, Question] = {
    question.phase: question for system in SYSTEMS for question in system.questions
}


@lru_cache(maxsize=64)
def systems_in(rules: Rules) -> tuple[System, ...]:
    """Return the systems that the rules enable."""
    return tuple(system for system in SYSTEMS if system.is_on(rules))


@lru_cache(maxsize=64)
def figures_in_play(rules: Rules) -> tuple[Figure, ...]:
    """Return the kinds of figures that every seat has, in the order of their codes."""
    return tuple(sorted(figure for system in systems_in(rules) for figure in system.figures))


@lru_cache(maxsize=64)
def phases_of(rules: Rules) -> tuple[Phase, ...]:
    """Return the phases that can occur, in the order of their codes."""
    asked = (question for system in systems_in(rules) for question in system.questions)
    return tuple(sorted(question.phase for question in asked if question.when(rules)))


@lru_cache(maxsize=64)
def actions_of(rules: Rules) -> tuple[Actions, ...]:
    """Return the action blocks, in the order of their codes."""
    blocks = {found.block: found for found in _actions(rules)}
    return tuple(blocks[block] for block in sorted(blocks))


def _actions(rules: Rules) -> Iterator[Actions]:
    for figure in figures_in_play(rules):
        yield figure_actions(figure)
    for system in systems_in(rules):
        yield from (found for found in system.actions if found.when(rules))


def systems_laid_out(rules: Rules) -> tuple[System, ...]:
    """Return the systems that the rules' layout has, in their order."""
    return tuple(system for system in SYSTEMS if any(map(system.is_on, rules.laid_out)))


def figures_laid_out(rules: Rules) -> tuple[Figure, ...]:
    """Return the kinds of figures that the rules' layout has, in the order of their codes."""
    return tuple(sorted({kind for one in rules.laid_out for kind in figures_in_play(one)}))


def planes_laid_out(rules: Rules) -> tuple[Planes, ...]:
    """Return the planes of sets that the rules' layout has, in the order of their codes."""
    found = {planes.group: planes for one in rules.laid_out for planes in planes_of(one)}
    return tuple(found[group] for group in sorted(found))


def system_of(figure: Figure) -> System:
    """Return the system that introduces a kind of figure."""
    return next(system for system in SYSTEMS if figure in system.figures)


def figure_actions(figure: Figure) -> Actions:
    """Return a figure kind's action block: one action per spot that it can ever stand on."""
    spots = FIGURE_SPOTS[figure]
    title = figure.name.lower()
    words = "large meeple" if figure == Figure.LARGE else title
    return Actions(
        Block(Block.MEEPLE + figure),
        f"place {'an' if title[0] in 'aeiou' else 'a'} {words} on "
        f"{system_of(figure).figures[figure].places}",
        lambda rules: len(rules.spots_of(figure)),
        lambda k, _: Choice(title, figure=figure, spot=spots[k]),
    )


def actions_laid_out(rules: Rules) -> tuple[Actions, ...]:
    """Return the action blocks of the rules' layout, in the order of their codes."""
    blocks = {found.block: found for one in rules.laid_out for found in actions_of(one)}
    return tuple(blocks[block] for block in sorted(blocks))


@lru_cache(maxsize=64)
def planes_of(rules: Rules) -> tuple[Planes, ...]:
    """Return the planes that systems add after the fixed planes, in the order of their codes."""
    found = [planes for system in systems_in(rules) for planes in system.planes]
    return tuple(sorted(found, key=lambda planes: planes.group))


def markers_of(position: Position, seat: int) -> tuple[str, ...]:
    """Return a seat's markers; each marker has only one holder."""
    return tuple(marker for system in SYSTEMS for marker in system.markers(position, seat))


@lru_cache(maxsize=64)
def supplies_of(rules: Rules) -> tuple[Supply, ...]:
    """Return what players have or collect besides figures, in the order of their codes."""
    found = [supply for system in systems_in(rules) for supply in system.supplies]
    return tuple(sorted(found, key=lambda supply: supply.stock))
