"""The names of what is in the observations, and how much room they need.

The *planes* hold a byte for each cell of the view, row by row from its north-west corner, zero
where no tile lies, candidates left out. Everything is relative to the observing seat: *own* is the
observer, *others* are all the rest; seats are counted clockwise from the observer, who is seat 0.
The *globals* are float32 numbers, scaled so that usual values lie between 0 and 1.

The engine writes both (``observe.py`` and ``globals.py``); neither depends on anything hidden. The
forms in which they can be had are in ``encodings.py``.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from carc_env.engine.core.codes import N_SPOTS, SEGMENT_KINDS, Figure, Spot
from carc_env.engine.core.state import FIGURE_SLOTS
from carc_env.engine.core.tiles import ABBEY_DESIGN, HALVES, PRINTED, SIDES
from carc_env.engine.flow.legal import MAX_FIGURE_ACTIONS
from carc_env.engine.sight import planes
from carc_env.rules import Rules
from carc_env.systems import (
    figures_in_play,
    phases_of,
    planes_of,
    supplies_of,
    systems_in,
)
from carc_env.systems.designs import tile_ids


@lru_cache(maxsize=64)
def plane_names(rules: Rules) -> tuple[str, ...]:
    """The names of the planes of ``board``, in order.

    ============================== ==============================================================
    ``occupied``                   a tile lies here
    ``city N`` .. ``road W``       kind of the side; a side without either is a field
    ``link NE`` ..                 two sides show the same city or road of the tile
    ``shields``                    coats of arms
    ``monastery``, ``garden``      in the centre
    ``complete N`` ..              the city or road at the side is complete
    ``worth N`` ..                 its points as it is now
    ``worth mid``                  points of the monastery or garden as it is now
    ``last tile``                  the tile that was placed last
    ``candidate r0`` .. ``r3``     the tile in hand fits here in this rotation; 2: with a bridge
    ``bonus N`` ..                 the road at the side has an inn, or the city a cathedral
    ``wine``, ``grain``, ``cloth`` the tile shows a symbol of trade goods
    ``river N`` ..                 the river runs to the side
    ``abbey``                      an abbey lies here; may be placed here: ``candidate r0``
    ``wagon from``, ``wagon to``   the tile that the wagon to be moved comes from; the tile chosen
    ``bridge NS``, ``bridge EW``   a bridge over the tile, which counts as road at its sides too
    ``castle``, ``town``           tiles of a castle, 1 and the points that it has just taken; of
                                   the town or castle that is decided on
    ``leads N 0``, .. ``leads 1``  the observer (seat 0) has the majority, alone or tied, in the
                                   city or road at the side; then in the fields at the half-edges
                                   (``leads Nw 0``) and in the centre (``leads mid 0``)
    ``meeple 0``, ``farmer 0``,    figures of the observer: a meeple on a road, city or monastery,
    ``abbot 0``, ..                one on a field, a large meeple (2 on a field), an abbot, mayor,
                                   wagon, builder, pig; a barn with its corner of the tile as
                                   value, from 1 for NE clockwise to 4 for NW
    ``leads N 1``, .. ``meeple 1`` the same for the seats that follow clockwise
    ============================== ==============================================================
    """
    pairs = [SIDES[a] + SIDES[b] for a, b in planes.SIDE_PAIRS]
    names = ["occupied"]
    names += [f"{kind} {side}" for kind in ("city", "road") for side in SIDES]
    names += [f"link {pair}" for pair in pairs]
    names += ["shields", "monastery", "garden"]
    names += [f"{what} {side}" for what in ("complete", "worth") for side in SIDES]
    names += ["worth mid", "last tile"]
    names += [f"candidate r{rotation}" for rotation in range(4)]
    names += [name for added in planes_of(rules) for name in added.names]
    for seat in range(rules.n_players):
        names += [f"{what} {seat}" for what in seat_planes(rules)]
    return tuple(names)


def seat_planes(rules: Rules) -> list[str]:
    """The planes of each seat."""
    leads = [f"leads {part}" for part in (*SIDES, *HALVES, "mid")]
    special = [f.name.lower() for f in figures_in_play(rules) if f != Figure.MEEPLE]
    return [*leads, "meeple", "farmer", *special]


@lru_cache(maxsize=64)
def global_names(rules: Rules) -> tuple[str, ...]:
    """The names of the numbers in ``globals``, in order.

    One for each phase that can occur; then for each seat, the observer first: whether it is its
    turn and whether it decides, score and projected final score (hundreds of points), share of
    its figures of each kind in play, and of its abbeys, bridges and castle tokens, not on the
    board, and its trade goods of each kind (in tens); the tile in hand, one number for each
    design in play; the share of each design's copies that nobody has seen; share of tiles left;
    with abbeys the share of seats still to be asked in the last round; with bridges whether the
    one of this placement is built; with builders whether this is the second part of a turn and
    whether one follows this part; with bazaars whether the tile in hand or just placed was
    bought, with builders whether its tiles lie face down until a second part is over, whether
    the bridge of an owed turn is built and which seat is owed a second part (one number for
    each seat), for each tile on offer its design and its owner (one number for each seat, the
    observer first) and whether it is up for sale, the number of bazaars of each seat that wait,
    the highest bid (in tens), whose it is and who chooses; what later systems add, which is on
    their pages; then for each spot of the tile just placed, in the figure phase only: kind of the
    segment (one number for each kind), whether its feature is free, whether the observer has the
    majority, worth (in 20 points) and open sides or empty neighbours (in eighths).
    """
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


def board_shape(rules: Rules) -> tuple[int, int, int]:
    """(n_planes, view, view)."""
    return len(plane_names(rules)), rules.view, rules.view


def token_names(rules: Rules) -> tuple[str, ...]:
    """The names of the columns of ``tokens``: those of the planes, then the place in the view."""
    return (*plane_names(rules), "row", "column")


@lru_cache(maxsize=64)
def max_tiles(rules: Rules) -> int:
    """Tiles that can lie on the table, abbeys included."""
    n_land = int(rules.tile_counts.sum())
    return n_land + rules.n_players * rules.abbeys


def max_legal(rules: Rules) -> int:
    """Room for the legal actions of any decision.

    A connected board of n tiles has at most 2 n + 2 empty cells beside it.
    """
    places = 4 * (2 * max_tiles(rules) + 2)
    return max(places, MAX_FIGURE_ACTIONS, rules.bazaar_bid_limit + 1) + 1


@lru_cache(maxsize=64)
def max_active(rules: Rules) -> int:
    """Room for all planes that are not zero, candidates left out, on any board."""
    counts = rules.tile_counts
    counts[ABBEY_DESIGN] += rules.n_players * rules.abbeys
    most = np.zeros(len(counts), np.int64)
    for form, design in enumerate(PRINTED):
        if rules.bridges or form == design:
            most[design] = max(most[design], planes.most_shown(form, rules.n_players))
    figures = sum(FIGURE_SLOTS.count(figure) for figure in figures_in_play(rules))
    on_castles = 2 * (rules.tokens_each * rules.n_players + 1)
    return (
        int(counts @ most) + figures * rules.n_players + on_castles + len(("last", "wagon", "to"))
    )
