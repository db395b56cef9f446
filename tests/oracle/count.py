"""The Count of Carcassonne (docs/rules/count.md): meeples that enter and leave the city.

Meeples that wait in the city are neither in a supply nor on a feature.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from carc_env.engine.core.codes import Figure, Kind, Phase, Quarter, Spot
from carc_env.position import PlacedFigure, Position, Waiting
from carc_env.rules import Rules

from . import dragon, naive, wind_roses
from .board import Feature, completed, features
from .phases import BAZAAR
from .russian_promos import is_hut
from .tiles import Cell

#: Quarter from which meeples may move to each kind of feature (COU-11); none may move to gardens
#: and castles (XCK-16, XCK-09).
QUARTER_FOR = {
    Kind.CITY: Quarter.CASTLE,
    Kind.FIELD: Quarter.MARKET,
    Kind.ROAD: Quarter.BLACKSMITH,
    Kind.MONASTERY: Quarter.CATHEDRAL,
}

#: Quarters that each figure may enter (COU-09); no other figure may enter the city.
MAY_WAIT = {
    Figure.MEEPLE: set(Quarter),
    Figure.LARGE: set(Quarter),
    Figure.ABBOT: {Quarter.CATHEDRAL},  # XCK-15
    Figure.MAYOR: {Quarter.CASTLE},  # XCK-08
    Figure.WAGON: {Quarter.CASTLE, Quarter.BLACKSMITH, Quarter.CATHEDRAL},  # XCK-08
    Figure.PHANTOM: set(Quarter),  # PHA-14
}

#: Quarters (COU-03) in the order in which the count moves if he moves by himself (COU-30).
ROUND = (Quarter.CASTLE, Quarter.MARKET, Quarter.BLACKSMITH, Quarter.CATHEDRAL)


def has_carcassonne(rules: Rules) -> bool:
    """Return whether the city of Carcassonne is on the board (COU-01)."""
    return "count" in rules.sets


def is_in_play(rules: Rules) -> bool:
    """Return whether meeples can enter and leave the city."""
    return rules.count and has_carcassonne(rules)


def seats_from(position: Position, first: int) -> list[int]:
    """List all seats clockwise, beginning with ``first``."""
    n_players = position.rules.n_players
    return [(first + k) % n_players for k in range(n_players)]


# --- Leaving the city ---------------------------------------------------------------------------


def entries(position: Position) -> list[Feature]:
    """List the features that meeples may move to now (COU-12), or at the end (COU-18)."""
    rules = position.rules
    if position.leaves_last:
        all_kinds = rules.count_final == "any" or (
            rules.count_final is None and rules.edition == "C1"
        )
        found = [
            feature
            for feature in features(position)
            if not feature.is_complete and (all_kinds or feature.kind == Kind.FIELD)
        ]
    else:
        last = position.tiles[-1]
        found = [
            *completed(position),
            *(field for field, _ in naive.barn_fields(position)),  # XCK-06
            *(
                field
                for field in features(position)
                if rules.count_join_unoccupied and not field.meeples  # A new barn is enough.
                if any((barn.x, barn.y) == (last.x, last.y) for barn in field.barns)
            ),
        ]
    return [
        feature
        for feature in found
        if feature.kind in QUARTER_FOR
        if feature.meeples or feature.barns or rules.count_join_unoccupied  # COU-15, XCK-07, MON-10
    ]


def leavings(position: Position, seat: int) -> set[tuple[Cell, Figure, Spot]]:
    """Return where a seat may move a meeple from the city: cell, figure and spot (COU-16)."""
    if not is_in_play(position.rules):
        return set()
    own = {
        (waiting.quarter, waiting.figure)
        for waiting in position.waiting
        if waiting.seat == seat and waiting.quarter != position.count  # COU-13
    }
    return {
        ((x, y), figure, spot)
        for feature in (entries(position) if own else ())
        if feature.kind != Kind.MONASTERY or not is_hut(position, *feature.tiles)
        for quarter, figure in own
        if quarter == QUARTER_FOR[feature.kind]
        for x, y, spot in feature.segments
        if (x, y) not in dragon.barred(position)  # PD-06, RUS-14
    }


def asked(position: Position, seats: Iterable[int]) -> int | None:
    """Return the first of these seats that can move a meeple out of the city."""
    return next((seat for seat in seats if leavings(position, seat)), None)


def seats_to_ask(position: Position) -> list[int]:
    """List the seats that may still move, in order.

    In a turn, the list begins with the decider, and the turn player comes last (COU-14). At the
    end, the seats after the decider move one meeple each, and a seat that has passed is not asked
    again (COU-19).
    """
    if position.leaves_last:
        seats = seats_from(position, position.decider + 1)
        return [seat for seat in seats if seat not in position.declined]
    seats = seats_from(position, position.turn_player + 1)
    return seats[seats.index(position.decider) :]


def moved_out(position: Position, figure: Figure, spot: Spot) -> Position:
    """Move one of the decider's meeples from its quarter to the chosen cell."""
    assert position.chosen_cell is not None
    x, y = position.chosen_cell
    (feature,) = (f for f in features(position) if (x, y, spot) in f.segments)
    waiting = list(position.waiting)
    waiting.remove(Waiting(position.decider, QUARTER_FOR[feature.kind], figure))
    new = PlacedFigure(position.decider, figure, x, y, spot)
    position = dragon.kept_apart(position)
    return replace(
        position,
        waiting=tuple(waiting),
        figures=(*position.figures, new),
        chosen_cell=None,
        phase=Phase.JOIN,
    )


# --- Entering the city --------------------------------------------------------------------------


def noted(position: Position, seats: Iterable[int]) -> Position:
    """Record seats that scored a feature because of the tile just placed (COU-04, COU-07)."""
    if not is_in_play(position.rules):
        return position
    return replace(position, scored=tuple(sorted({*position.scored, *seats})))


def ways_in(position: Position) -> set[tuple[Figure, Quarter]]:
    """Return the meeples in the turn player's supply, with the quarters that they may enter."""
    in_supply = naive.supply(position, position.turn_player)
    return {
        (figure, quarter)
        for figure, quarters in MAY_WAIT.items()
        if in_supply[figure] > 0
        for quarter in quarters
    }


def may_enter(position: Position) -> bool:
    """Return whether the turn player may put a meeple into the city (COU-04, COU-06)."""
    own = position.turn_player
    return (
        bool(position.scored)
        and own not in position.scored
        and (position.rules.count_ignores_rose or not wind_roses.has_scored(position))  # WR-07
        and not position.has_entered
        and bool(ways_in(position))
    )


def moved_in(position: Position, figure: Figure, quarter: Quarter) -> Position:
    """Put a meeple of the turn player into a quarter, and move a count that moves by himself."""
    rules = position.rules
    new = Waiting(position.turn_player, quarter, figure)
    count = position.count
    if rules.count_move == "clockwise":
        count = ROUND[(ROUND.index(count) + 1) % len(ROUND)]
    if rules.count_move == "follow":
        count = quarter
    return replace(
        position,
        waiting=tuple(sorted((*position.waiting, new))),
        count=count,
        has_entered=rules.count_per_turn == "turn",
    )


# --- Impossible positions -----------------------------------------------------------------------


def wrong_count(position: Position) -> Iterator[str]:
    """Report meeples in quarters that they may not enter, and records at the wrong time."""
    rules = position.rules
    notes = (position.scored, position.has_entered, position.had_entered, position.leaves_last)
    if not is_in_play(rules):
        if position.count is not None or position.waiting or any(notes) or position.declined:
            yield "the count is not in play"
        return
    if position.count not in set(Quarter):
        yield f"the count stands in {position.count}"
    for waiting in position.waiting:
        if not 0 <= waiting.seat < rules.n_players:
            yield f"{waiting} belongs to nobody"
        if waiting.quarter not in MAY_WAIT.get(waiting.figure, set()):
            yield f"{waiting} may not wait there"
    if any(not 0 <= seat < rules.n_players for seat in (*position.scored, *position.declined)):
        yield f"{position.scored} or {position.declined} names a seat that nobody has"
    yield from wrong_notes(position)
    yield from wrong_leaving(position)


def wrong_notes(position: Position) -> Iterator[str]:
    """Report wrong records of a turn, and wrong phases after its scoring (COU-04, COU-06)."""
    rules, phase, seat = position.rules, position.phase, position.turn_player
    asks = (Phase.CASTLE_CHOICE, Phase.SHARE, Phase.WAGON, Phase.WAGON_SPOT)
    if position.scored and phase not in asks:
        yield f"it is noted that {position.scored} have scored in phase {phase.name}"
    if (position.has_entered or position.had_entered) and rules.count_per_turn != "turn":
        yield "it is noted that a meeple has entered, although one may in each part"
    if position.has_entered and not may_have_entered(position):
        yield f"a meeple has entered before phase {phase.name}"
    if phase == Phase.ENTER and not ways_in(position):
        yield f"seat {seat} has nobody who could enter"
    if phase == Phase.COUNT:
        if not any(waiting.seat == seat for waiting in position.waiting):
            yield f"nobody of seat {seat} has entered"
        if rules.count_move != "player":
            yield "the count moves by himself"
        if rules.count_per_turn == "turn" and not position.has_entered:
            yield "nobody has entered in this turn"
    bazaar = position.bazaar
    if position.had_entered and (bazaar is None or bazaar.owed is None):
        yield "a meeple has entered in no first part"


def may_have_entered(position: Position) -> bool:
    """Return whether a meeple can have entered in this turn, after its scoring (COU-29)."""
    # The bazaar phases follow the turn.
    circle = {Phase.CIRCLE, Phase.SOW, Phase.SOW_SPOT, Phase.REAP, Phase.REAP_SPOT}
    escape = {Phase.ESCAPE, Phase.ESCAPE_SPOT}
    is_behind = position.phase in {Phase.COUNT, *circle, *escape, *BAZAAR}
    is_late = position.rules.dragon_timing == "after_scoring" and position.phase == Phase.FLIGHT
    is_second = position.first_part is not None and position.phase != Phase.ENTER
    return is_behind or is_late or is_second


def wrong_leaving(position: Position) -> Iterator[str]:
    """Report impossible moves from the city, or moves at the wrong time (COU-12, COU-19)."""
    joins = position.phase in (Phase.JOIN, Phase.JOIN_SPOT)
    if position.leaves_last and (not joins or position.bag or position.scored):
        yield f"the last moves are going on in phase {position.phase.name}"
    if position.declined and not position.leaves_last:
        yield f"{position.declined} have passed before the last moves"
    if position.decider in position.declined:
        yield f"seat {position.decider} has passed already"
    if joins:
        cells = {cell for cell, _, _ in leavings(position, position.decider)}
        if not cells:
            yield f"seat {position.decider} can move nobody"
        elif position.phase == Phase.JOIN_SPOT and position.chosen_cell not in cells:
            yield f"seat {position.decider} can move nobody to {position.chosen_cell}"
