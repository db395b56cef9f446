"""Names and sizes of the planes and globals in observations.

The *planes* hold a byte for each cell in the view, row by row from its north-west corner. Cells
without a tile are zero, except for candidates. Everything is relative to the observing seat: *own*
is the observer, and *others* are all the remaining seats. Seats are counted clockwise from the
observer, who is seat 0. The *globals* are float32 numbers, scaled so that typical values lie
between 0 and 1.

The engine writes both (``observe.py`` and ``globals.py``); neither depends on hidden information.
``encodings.py`` defines the available encodings.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from carc_env.engine.core.codes import N_ROTATIONS, N_SPOTS, SEGMENT_KINDS, Figure, Spot
from carc_env.engine.core.state import FIGURE_SLOTS
from carc_env.engine.core.tiles import ABBEY_DESIGN, HALVES, MOST_SEGMENTS, PRINTED, SIDES
from carc_env.engine.flow.legal import MAX_FIGURE_ACTIONS
from carc_env.engine.sight import entities, planes
from carc_env.layout.rule_globals import RULE_MEANINGS, general_name, rule_names
from carc_env.rules import Layout, Rules
from carc_env.systems import (
    figures_in_play,
    figures_laid_out,
    phases_of,
    planes_laid_out,
    supplies_of,
    system_of,
    systems_in,
    systems_laid_out,
)
from carc_env.systems.designs import tile_ids


@dataclass(frozen=True)
class Described:
    """Planes or globals with the same meaning: their names, number and description."""

    names: tuple[str, ...]
    values: str
    meaning: str
    system: str = "base"


class DescribedNumbers(NamedTuple):
    """Numbers in ``globals`` with the same meaning; n of them share the name.

    In the name, ``#`` stands for the number of a seat or of a tile on offer, ``TILE`` for a design,
    and ``SPOT`` for a spot on the tile just placed.
    """

    name: str
    n: int
    meaning: str
    system: str


_PAIRS = tuple(SIDES[a] + SIDES[b] for a, b in planes.SIDE_PAIRS)


def _at_sides(what: str) -> tuple[str, ...]:
    return tuple(f"{what} {side}" for side in SIDES)


BOARD_PLANES = (
    Described(("occupied",), "1", "a tile lies here"),
    Described(_at_sides("city"), "1", "the side is city"),
    Described(_at_sides("road"), "1", "the side is road; one that is neither is field or river"),
    Described(
        tuple(f"link {pair}" for pair in _PAIRS),
        "1",
        "the two sides show the same city or road of the tile",
    ),
    Described(("shields",), "0 to 2", "coats of arms on the tile"),
    Described(("monastery", "garden"), "1", "the building in the centre"),
    Described(_at_sides("complete"), "1", "the city or road at the side is complete"),
    Described(
        _at_sides("worth"), "points, at most 255", "worth of the city or road if the game ended now"
    ),
    Described(
        ("worth mid",),
        "points, at most 255",
        "worth of the monastery or garden if the game ended now",
    ),
    Described(("last tile",), "1", "the tile that was placed last"),
    Described(
        tuple(f"candidate r{rotation}" for rotation in range(N_ROTATIONS)),
        "1; 2",
        "1: the tile in hand fits here in this rotation; 2: it fits with a bridge; "
        "`r0` also marks cells for an abbey or a wagon",
    ),
)
"""Board planes present in every game, before those of systems and seats."""

ROOM_FOR_MARKS = 5
"""The last tile, a wagon with its destination, and a town: games without wagons and towns reserve
the space, too."""

SEAT_PLANES = (
    Described(
        _at_sides("leads"), "1", "the seat has the majority, alone or tied, in the city or road"
    ),
    Described(
        tuple(f"leads {half}" for half in HALVES),
        "1",
        "the seat has the majority, alone or tied, in the field",
    ),
    Described(
        ("leads mid",), "1", "the seat has the majority, alone or tied, in the monastery or garden"
    ),
    Described(("meeple",), "1", "a meeple on a road, city or monastery"),
    Described(("farmer",), "1", "a meeple on a field"),
)
"""Planes that every seat has, before those of its other figures."""

GLOBAL_MEANINGS = {
    "turn #": "1: it is this seat's turn",
    "decides #": "1: this seat decides",
    "score #": "score, in hundreds of points, clipped at 10,000 points either way",
    "projected #": "score if the game ended now, in hundreds of points, clipped likewise",
    "hand TILE": "1: the tile in hand",
    "left TILE": "copies that no player has seen (in the bag, face down or under a hill), as a "
    "share of all",
    "tiles left": "tiles in the bag, as a share of those in the bag and on the board",
    "free SPOT": "1: its feature is unoccupied",
    "own SPOT": "1: the observer has the majority in its feature",
    "worth SPOT": "worth of its feature now, 20 points as 1",
    "open SPOT": "open sides, or empty neighbours, of its feature, 8 as 1",
}
"""Meanings of the globals in every game. The rest are self-explanatory, or their system explains
them."""


def _seat_planes(rules: Rules) -> tuple[Described, ...]:
    special = (figure for figure in figures_laid_out(rules) if figure != Figure.MEEPLE)
    return (*SEAT_PLANES, *map(_figure_plane, special))


def _figure_plane(figure: Figure) -> Described:
    name, system = figure.name.lower(), system_of(figure)
    stance = system.figures[figure]
    shows = stance.shows or f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
    return Described((name,), stance.values, shows, system.name)


def seat_planes(rules: Rules) -> list[str]:
    """Return each seat's planes."""
    return [name for found in _seat_planes(rules) for name in found.names]


def describe_planes(rules: Rules) -> tuple[Described, ...]:
    """Return the planes of ``board`` in groups, in order; ``#`` stands for a seat's number."""
    added = [
        Described(planes_.names, planes_.values, planes_.meaning, system.name)
        for planes_, system in sorted(
            ((planes_, system) for system in systems_laid_out(rules) for planes_ in system.planes),
            key=lambda pair: pair[0].group,
        )
    ]
    seats = [
        replace(found, names=tuple(f"{name} #" for name in found.names))
        for found in _seat_planes(rules)
    ]
    return (*BOARD_PLANES, *added, *seats)


@lru_cache(maxsize=64)
def plane_names(rules: Rules) -> tuple[str, ...]:
    """Return the names of the planes in ``board``; :func:`describe_planes` explains them.

    Seats are counted clockwise from the observer, who is seat 0.
    """
    names = [name for found in BOARD_PLANES for name in found.names]
    names += [name for added in planes_laid_out(rules) for name in added.names]
    for seat in range(n_seats(rules)):
        names += [f"{name} {seat}" for name in seat_planes(rules)]
    return tuple(names)


def n_seats(rules: Rules) -> int:
    """Return the most seats that the rules' layout has."""
    return rules.layout.n_players if rules.layout else rules.n_players


def global_names(rules: Rules) -> tuple[str, ...]:
    """Return the names of the numbers in ``globals``; :func:`describe_globals` explains them.

    Seats are counted clockwise from the observer, who is seat 0. Numbers for spots are 0 except in
    the figure phase. A shared layout has the numbers of all its rules and then, unless it hides
    them, those that say which rules are played.
    """
    return _names_in(rules.layout) if rules.layout else own_global_names(rules)


@lru_cache(maxsize=16)
def _names_in(layout: Layout) -> tuple[str, ...]:
    names = dict.fromkeys(name for one in layout.covers for name in own_global_names(one))
    return (*names, *rule_names(layout))


@lru_cache(maxsize=64)
def own_global_names(rules: Rules) -> tuple[str, ...]:
    """Return the names of the globals that the rules themselves have, in the engine's order."""
    names = [f"phase {phase.name.lower()}" for phase in phases_of(rules)]
    for seat in range(rules.n_players):
        names += [f"{what} {seat}" for what in ("turn", "decides", "score", "projected")]
        names += [f"{figure.name.lower()}s {seat}" for figure in figures_in_play(rules)]
        names += [f"{supply.name} {seat}" for supply in supplies_of(rules)]
    names += [f"hand {tile}" for tile in tile_ids(rules)]
    names += [f"left {tile}" for tile in tile_ids(rules)]
    names.append("tiles left")
    for system in systems_in(rules):
        names += system.numbers(rules)
    kinds = [kind.name.lower() for kind in SEGMENT_KINDS]
    for spot in tuple(Spot)[:N_SPOTS]:
        names += [f"{what} {spot.name}" for what in (*kinds, "free", "own", "worth", "open")]
    return tuple(names)


def describe_globals(rules: Rules) -> tuple[DescribedNumbers, ...]:
    """Return the numbers in ``globals`` in groups, ordered by their first members.

    Raises
    ------
    ValueError
        A system has not declared what one of its numbers means.
    """
    said = {name: (words, "base") for name, words in GLOBAL_MEANINGS.items()}
    for kind in SEGMENT_KINDS:
        said[f"{kind.name.lower()} SPOT"] = ("1: the spot names a segment of this kind", "base")
    for system in systems_laid_out(rules):
        for question in system.questions:
            words = "1: the decision is in this phase"
            said[f"phase {question.phase.name.lower()}"] = (words, system.name)
        for figure in system.figures:
            said[f"{figure.name.lower()}s #"] = (
                "figures in the supply, as a share of all of this kind",
                system.name,
            )
        for supply in system.supplies:
            units = sorted({supply.unit(one) for one in rules.laid_out if system.is_on(one)})
            words = "number that the seat has"
            if len(units) > 1:
                words += f", {units[0]} to {units[-1]} as 1, depending on the rules"
            elif units[0] > 1:
                words += f", {units[0]} as 1"
            said[f"{supply.name} #"] = (words, system.name)
        said |= {name: (words, system.name) for name, words in system.meanings}
    said |= {name: (words, "base") for name, words in RULE_MEANINGS.items()}
    tiles = {tile for one in rules.laid_out for tile in tile_ids(one)}
    spots = {spot.name for spot in Spot}
    counts: dict[str, int] = {}
    for name in global_names(rules):
        words_ = name.split(" ")
        if words_[0] in ("rule", "set"):
            general = general_name(name)
            counts[general] = counts.get(general, 0) + 1
            continue
        general = " ".join(
            "TILE" if w in tiles else "#" if w.isdigit() else "SPOT" if w in spots else w
            for w in words_
        )
        counts[general] = counts.get(general, 0) + 1
    if silent := counts.keys() - said.keys():
        raise ValueError(f"no system says what these globals mean: {', '.join(sorted(silent))}")
    return tuple(DescribedNumbers(name, n, *said[name]) for name, n in counts.items())


def board_shape(rules: Rules) -> tuple[int, int, int]:
    """Return (n_planes, view, view)."""
    return len(plane_names(rules)), rules.view, rules.view


def token_names(rules: Rules) -> tuple[str, ...]:
    """Return the column names of ``tokens``: the planes, then the row and column in the view."""
    return (*plane_names(rules), "row", "column")


FEATURE_COLUMNS = {
    **{kind.name.lower(): f"1: it is a {kind.name.lower()}" for kind in entities.COLUMN_OF_KIND},
    "lines": "1: it is the row and column of a special monastery",
    "complete": "1: it is complete",
    "worth": "points if the game ended now",
    "worth complete": "points if it were complete as it is",
    "open": "open sides of a city or road, empty neighbours of a monastery or garden",
    "tiles": "tiles; of a field, segments",
    "shields": "coats of arms",
    "bonus": "1: an inn or a cathedral counts",
    "cities": "complete cities beside a field",
    "unfinished": "other cities beside a field",
    "castles": "castles beside a field",
    "leads #": "1: the seat has the majority, alone or tied",
    "strength #": "strength of the seat's figures in the majority",
}
"""Meanings of the columns of ``features``; the seat's figures of each kind follow."""


def feature_names(rules: Rules) -> tuple[str, ...]:
    """Return the column names of ``features``; seats are counted clockwise from the observer."""
    figures = [f"{figure.name.lower()}s #" for figure in figures_laid_out(rules)]
    own = [name for name in FEATURE_COLUMNS if not name.endswith(" #")]
    of_seat = [name for name in FEATURE_COLUMNS if name.endswith(" #")] + figures
    seats = range(n_seats(rules))
    return (*own, *(name.replace("#", str(seat)) for seat in seats for name in of_seat))


def max_links(rules: Rules) -> int:
    """Return the most segments that tiles on the table can have, and so the most features."""
    return max(map(_n_links, rules.laid_out))


@lru_cache(maxsize=256)
def _n_links(rules: Rules) -> int:
    counts = rules.tile_counts
    counts[ABBEY_DESIGN] += rules.n_players * rules.abbeys
    return int(counts @ np.asarray(MOST_SEGMENTS[: len(counts)], np.int64))


def max_tiles(rules: Rules) -> int:
    """Return the most tiles that can lie on the table, abbeys included."""
    return max(map(_n_tiles, rules.laid_out))


@lru_cache(maxsize=256)
def _n_tiles(rules: Rules) -> int:
    n_land = int(rules.tile_counts.sum())
    return n_land + rules.n_players * rules.abbeys


def max_legal(rules: Rules) -> int:
    """Return the array size needed for any decision's legal actions.

    A connected board of n tiles has at most 2 n + 2 adjacent empty cells.
    """
    places = 4 * (2 * max_tiles(rules) + 2)
    return int(max(places, MAX_FIGURE_ACTIONS, rules.room.bazaar_bid_limit + 1)) + 1


def max_active(rules: Rules) -> int:
    """Return the array size needed for the nonzero planes, except candidates, of any board."""
    return max(map(_n_active, rules.laid_out))


_most_shown = lru_cache(maxsize=None)(planes.most_shown)


@lru_cache(maxsize=256)
def _n_active(rules: Rules) -> int:
    counts = rules.tile_counts
    counts[ABBEY_DESIGN] += rules.n_players * rules.abbeys
    most = np.zeros(len(counts), np.int64)
    for form, design in enumerate(PRINTED):
        if rules.bridges or form == design:
            most[design] = max(most[design], _most_shown(form, rules.n_players))
    figures = sum(FIGURE_SLOTS.count(figure) for figure in figures_in_play(rules))
    marked = ROOM_FOR_MARKS + rules.chooses_cells + planes.most_marked(rules)
    return int(counts @ most) + figures * rules.n_players + marked
