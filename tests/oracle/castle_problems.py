"""Checks for impossible bridges and castles in a position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from carc_env.engine.core.codes import Figure, Kind, Phase
from carc_env.position import Castle, Position

from . import bridges, castles
from .board import Feature
from .naive import strength
from .phases import ACTING, is_placed
from .tiles import SIDES, across, segments_of


def wrong_bridges(position: Position) -> Iterator[str]:
    """Report bridges on impossible tiles, and wrong numbers of bridges."""
    laid = [tile for tile in position.tiles if tile.bridge is not None]
    for tile in laid:  # wrong_board checks whether the ends match.
        if not bridges.spans(replace(tile, bridge=None), tile.bridge):  # BRI-05
            yield f"the bridge of {tile} does not end on fields"
    each = bridges.each(position.rules)
    if any(not 0 <= n <= each for n in position.bridges):
        yield f"{position.bridges} bridges in hand"
    if len(laid) + sum(position.bridges) != each * position.rules.n_players:  # BRI-01, BRI-19
        yield f"{len(laid)} bridges on the board and {position.bridges} in hand"
    if position.has_bridged:
        yield from wrong_mark(position)
    if position.phase == Phase.BRIDGE and not bridges.may_follow_the_figure(position):
        yield f"seat {position.decider} can build no bridge"


def wrong_mark(position: Position) -> Iterator[str]:
    """Report contradictions about the bridge of this placement or this turn (BRI-20)."""
    is_of_turn = position.rules.bridge_limit == "per_turn"
    first = position.first_part if is_of_turn else None
    early = {*ACTING, Phase.FLOCK, Phase.FLIGHT}
    may_be_noted = is_placed(position) if is_of_turn else position.phase in early
    if not may_be_noted and not first:
        yield f"a bridge of this placement is noted in phase {position.phase.name}"
    cells = [(tile.x, tile.y) for tile in position.tiles[-1:] if is_placed(position)]
    cells += [first] if first else []
    near = {across(x, y, side)[:2] for x, y in cells for side in SIDES}.union(cells)
    if not any(tile.bridge and (tile.x, tile.y) in near for tile in position.tiles):  # BRI-04
        yield f"no bridge stands at {cells} or beside it"


def wrong_castles(position: Position) -> Iterator[str]:
    """Report castles that were not towns, impossible tokens, and impossible decisions."""
    found = [castles.castle_of(position, castle) for castle in position.castles]
    if len(set(found)) < len(found):
        yield "a castle is named twice"
    for castle, feature in zip(position.castles, found, strict=True):
        yield from wrong_castle(position, castle)
        owners = {lord.seat for lord in feature.meeples}
        if feature.figures != feature.meeples:  # CAS-42
            yield f"{feature.figures} stand in {castle}"
        if len({lord.figure for lord in feature.meeples} & {Figure.ABBOT, Figure.BARN}) > 0:
            yield f"{feature.meeples} cannot hold {castle}"
        if not owners and is_on_last_tile(position, castle):
            yield f"{castle} was built by nobody"
    each = castles.each(position.rules)
    if any(not 0 <= n <= each for n in position.tokens):
        yield f"{position.tokens} tokens in hand"
    if len(found) + sum(position.tokens) > each * position.rules.n_players:  # CAS-01, CAS-07
        yield f"{len(found)} castles and {position.tokens} tokens in hand"
    owned = Counter(seat for f in found for seat in {lord.seat for lord in f.meeples})
    owned.update(seat for city in towns(position) for seat in castles.converters(position, city))
    for seat, n in owned.items():  # CAS-38
        if n + position.tokens[seat] > each:
            yield f"seat {seat} has {n} castles and {position.tokens[seat]} tokens in hand"
    yield from wrong_question(position)
    yield from wrong_lords(position)


def towns(position: Position) -> list[Feature]:
    """List the cities of the tile just placed, with all figures there."""
    return [castles.as_city(position, place)[1] for place in castles.cities(position)]


def wrong_lords(position: Position) -> Iterator[str]:
    """Report lords that are not in a town of the tile just placed, or wait at the wrong time."""
    found = [city for city in towns(position) if castles.converters(position, city)]
    if Counter(position.lords) - Counter(f for city in found for f in city.meeples):
        yield f"{position.lords} are in no town of the tile just placed"
        return
    leaves = position.phase in (Phase.JOIN, Phase.JOIN_SPOT) and not position.leaves_last
    if position.lords and not (leaves or position.phase == Phase.CASTLE):
        yield f"{position.lords} wait in phase {position.phase.name}"
        return
    for city in found:
        if not castles.is_town(position, city):
            yield f"{city.figures} are in no town"
        elif leaves:
            yield from wrong_scorers(position, city)
        else:
            yield from wrong_converters(position, city)


def wrong_converters(position: Position, town: Feature) -> Iterator[str]:
    """Check that the lords of a town are all the meeples of seats that have decided on it."""
    seats, order = castles.converters(position, town), castles.cities(position)
    if not seats <= set(castles.occupiers(town)):  # CAS-34
        yield f"{seats} do not decide on the town of {town.figures}"
    if Counter(position.lords) != Counter(position.lords) | Counter(
        figure for figure in town.meeples if figure.seat in seats
    ):
        yield f"some of {town.figures} are no lords"
    (place,) = (place for place in order if place in town.segments)
    for seat in seats:
        now = (castles.distance(position, position.decider), order.index(position.town))
        if (castles.distance(position, seat), order.index(place)) >= now:
            yield f"seat {seat} is asked later about {place}"


def wrong_scorers(position: Position, town: Feature) -> Iterator[str]:
    """Check that a seat tied with the lords of a town scores the town (CAS-37)."""
    lords = castles.converters(position, town)
    total = {seat: [0, 0] for seat in {figure.seat for figure in town.meeples}}
    own = Counter(position.lords)
    for figure in town.meeples:
        is_lord = own[figure] > 0
        own[figure] -= is_lord
        total[figure.seat][is_lord] += strength(figure, town)
    most = max(total[seat][True] for seat in lords)
    if not any(total[seat][False] >= most for seat in set(total) - lords):
        yield f"nobody scores the town of {town.figures}"


def is_on_last_tile(position: Position, castle: Castle) -> bool:
    """Return whether a castle is on the tile just placed, before the placement is over."""
    return is_placed(position) and castles.is_new(position, castle)


def wrong_castle(position: Position, castle: Castle) -> Iterator[str]:
    """Check that a castle was a town, and that it may have the points that it took."""
    without, city = castles.as_city(position, (castle.x, castle.y, castle.spot))
    if not castles.is_town(without, city):  # CAS-02
        yield f"{castle} is no former town"
    if is_on_last_tile(position, castle) and position.phase in ACTING:
        yield f"{castle} stands there before its town was decided on"  # CAS-06
    if castle.points:
        if position.phase != Phase.CASTLE_CHOICE:
            yield f"{castle} has points in phase {position.phase.name}"
        elif is_on_last_tile(position, castle) or castles.castle_of(position, castle).meeples:
            yield f"{castle} cannot have taken points"  # CAS-12, CAS-24


def wrong_question(position: Position) -> Iterator[str]:
    """Report contradictions about the town or castle of the current decision."""
    asks = position.phase in (Phase.CASTLE, Phase.CASTLE_CHOICE)
    if asks != (position.town is not None):
        yield f"the town is {position.town} in phase {position.phase.name}"
    elif position.phase == Phase.CASTLE:
        last = position.tiles[-1]
        on_last = {s.place for s in segments_of(last) if s.kind == Kind.CITY}
        question = castles.Question(position.decider, position.town)
        if position.town not in on_last or not castles.is_open(position, question):
            yield f"seat {position.decider} cannot decide on {position.town}"
    elif position.phase == Phase.CASTLE_CHOICE:
        if position.rules.castle_choice != "ask":
            yield "no lord is ever asked"
        asked = castles.next_scored(position)
        if (asked.decider, asked.town) != (position.decider, position.town):
            yield f"seat {position.decider} cannot choose for {position.town}"
        elif asked.scores != position.scores:
            yield f"a castle should have been scored before {position.town}"
