"""A whole game in the order of docs/rules/base.md, TURN-01: legal actions and their results.

Actions have the names of the notation. To apply an action, the bag of the position must be known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache

from carc_env.engine.core.codes import Figure, Phase, Quarter, Spot
from carc_env.position import PlacedFigure, PlacedTile, Position

from . import (
    bazaars,
    bridges,
    builders,
    castles,
    corn_circles,
    count,
    dragon,
    ferries,
    festival,
    flier,
    gold,
    goods,
    hills,
    king_robber,
    labyrinth,
    little_buildings,
    mage_witch,
    monasteries,
    naive,
    phantom,
    russian_promos,
    siege,
    tower,
    tunnel,
    wagons,
    watchtowers,
    wind_roses,
)
from .board import completed, features
from .tiles import ABBEY, Cell, Place

DRAWS = " draws "


@lru_cache(maxsize=8)
def legal(position: Position) -> frozenset[str]:
    """Return the names of the decider's legal actions."""
    return frozenset(LEGAL[position.phase](position))


def following(position: Position, name: str) -> Position:
    """Apply the decider's action, and everything after it that needs no decision.

    ``grow draws 3`` names the sheep token that is drawn; 0 is a wolf.
    """
    if name.partition(DRAWS)[0] not in legal(position):
        raise ValueError(f"{name} is not legal")
    position = dragon.fairy_left(FOLLOWING[position.phase](position, name))
    return russian_promos.still_spared(position)


def settled(position: Position) -> Position:
    """Apply actions as long as there is no choice, as ``auto_single`` does."""
    while len(names := legal(position)) == 1:
        position = following(position, *names)
    return position


# --- Abbey or tile ------------------------------------------------------------------------------


def begun(position: Position, seat: int) -> Position:
    """Begin the turn of a seat, with its abbey or a tile (ABB-02)."""
    position = replace(position, phase=Phase.DRAW_OR_ABBEY, turn_player=seat, decider=seat)
    return position if naive.abbey_places(position) else drawn(position)


def second_part(position: Position, first: Cell) -> Position:
    """Begin the second part of a turn; ``first`` is the first tile's cell (TRA-07, TRA-11)."""
    return begun(replace(position, first_part=first), position.turn_player)


def legal_abbeys(position: Position) -> set[str]:
    return {"draw", *(f"{ABBEY} {x},{y} r0" for x, y in naive.abbey_places(position))}


def follow_abbey(position: Position, name: str) -> Position:
    if name == "draw":
        return drawn(position) if position.last_round is None else ended(position, False)
    hands = list(position.abbeys)
    hands[position.decider] -= 1
    return placed(replace(position, abbeys=tuple(hands)), ABBEY, name)


def drawn(position: Position) -> Position:
    """Draw a tile; if none is left, the turn is over (BASE-22)."""
    if not position.bag:
        return ended(position, False)
    tile, *rest = position.bag
    return with_tile(replace(position, bag=tuple(rest)), tile)


def with_tile(position: Position, tile: str) -> Position:
    """Take a tile in hand; put it aside if it fits nowhere (BASE-05)."""
    position = replace(position, phase=Phase.PLACE_TILE, tile_in_hand=tile)
    return position if bridges.all_placements(position, tile) else put_aside(position)


def put_aside(position: Position) -> Position:
    """Put the tile in hand aside and draw another one (BASE-05, BAZ-27)."""
    tile, was_bought = position.tile_in_hand, position.is_bought
    position = replace(
        position, aside=(*position.aside, tile or ""), tile_in_hand=None, is_bought=False
    )
    if was_bought and position.rules.bazaar_unplaceable == "skip":
        return ended(position, False)
    return drawn(position)


def legal_placements(position: Position) -> set[str]:
    tile = position.tile_in_hand or ""
    names = {f"{tile} {x},{y} r{r}" for x, y, r in bridges.all_placements(position, tile)}
    if position.rules.ransom_timing == "turn_start":
        names |= tower.ransoms(position)
    return names | ({"aside"} if bridges.may_put_aside(position, tile) else set())


def follow_placement(position: Position, name: str) -> Position:
    if name == "aside":
        return put_aside(position)
    if name.startswith("ransom "):
        return tower.ransomed(position, name)
    return placed(position, position.tile_in_hand or "", name)


def placed(position: Position, tile_id: str, name: str) -> Position:
    """Place a tile, with the bridge that it needs (BRI-08)."""
    _, cell, rotation = name.split()
    where = (*cell_of(cell), int(rotation.removeprefix("r")))
    bridge = bridges.all_placements(position, tile_id)[where]
    tiles = (*position.tiles, PlacedTile(tile_id, *where))
    position = replace(position, tiles=tiles, tile_in_hand=None, phase=Phase.FIGURE)
    position = wind_roses.paid(hills.covered(dragon.brought(russian_promos.woken(position))))
    position = position if bridge is None else bridges.built(position, bridge)
    position = russian_promos.sprung(position)
    return mage_witch.called(gold.brought(position))


def cell_of(text: str) -> Cell:
    x, y = text.split(",")
    return int(x), int(y)


# --- Gold mine -----------------------------------------------------------------------------------


def legal_ingots(position: Position) -> set[str]:
    return {f"ingot {x},{y}" for x, y in gold.neighbours(position)}


def follow_ingot(position: Position, name: str) -> Position:
    position = gold.with_ingot(position, cell_of(name.removeprefix("ingot ")))
    return mage_witch.called(replace(position, phase=Phase.FIGURE))


# --- Mage and witch ------------------------------------------------------------------------------


def follow_magic(position: Position, name: str) -> Position:
    """Choose a cell, or move the mage or witch and resume the interrupted phase (MW-06)."""
    if name.startswith("to "):
        return replace(at_cell(position, name), phase=Phase.MAGIC_SPOT)
    phase = mage_witch.going_on(position)
    position = replace(mage_witch.moved(position, name), phase=phase, joined=None)
    if phase == Phase.SECOND:
        return asked_for_second(position)
    return position if phase == Phase.FIGURE else asked_for_ferry(position)


# --- Bridge and figure --------------------------------------------------------------------------


def legal_bridges(position: Position) -> set[str]:
    return {"pass", *(f"bridge {x},{y} {axis}" for x, y, axis in bridges.optional(position))}


def elsewhere(position: Position) -> dict[Cell, set[str]]:
    """Return the actions that need a chosen cell, by cell (PD-30, PD-50, PD-65)."""
    found = defaultdict(set)
    if position.captures is not None:
        for target in tower.targets(position):
            found[target.cell].add(target.name)
        return found
    for knight in dragon.knights(position):
        found[knight.x, knight.y].add(flier.removal(position, knight))
    if dragon.must_remove(position):
        return found
    for (x, y), spot in dragon.fairy_targets(position):
        found[x, y].add(f"fairy {x},{y} {spot.name}")
    for x, y in dragon.fairy_tops(position):
        found[x, y].add(f"fairy top {x},{y}")
    for x, y in dragon.fairy_traps(position):
        found[x, y].add(f"fairy trap {x},{y}")
    supply = naive.supply(position, position.decider)
    for cell, figure, spot in dragon.portal_places(position, supply, naive.MAY_STAND):
        found[cell].add(f"{figure.name.lower()} {spot.name}")
    for cell in tower.cells(position):
        found[cell] |= tower.actions_at(position, cell)
    for name, cell in festival.on_tiles(position).items():
        found[cell].add(name)
    return found


def legal_elsewhere(position: Position) -> set[str]:
    assert position.chosen_cell is not None
    return elsewhere(position)[position.chosen_cell]


def legal_figures(position: Position) -> set[str]:
    names = legal_bridges(position)
    names |= {f"to {x},{y}" for x, y in elsewhere(position)} | tower.ransoms(position)
    names |= tunnel.tokens(position)
    if dragon.must_remove(position):
        return names - {"pass"}
    names |= festival.waiting(position) | flier.flights(position) | little_buildings.legal(position)
    names |= russian_promos.releases(position)
    for choice in naive.choices(position) - {None}:
        if choice == "recall":
            names.add(choice)
        else:
            figure, spot = choice
            names.add(f"{figure.name.lower()} {spot.name}")
    return names


def with_bridge(position: Position, name: str) -> Position:
    _, cell, axis = name.split()
    (bridge,) = (b for b in bridges.optional(position) if (*cell_of(cell), axis) == b)
    return bridges.built(position, bridge)


def follow_figure(position: Position, name: str) -> Position:
    if name == "pass":
        return asked_for_second(position)
    if name.startswith("bridge "):
        return with_bridge(position, name)
    if name.startswith("ransom "):
        return tower.ransomed(position, name)
    if name.startswith("tunnel "):
        return mage_witch.parted(with_token(position, name))
    if name.startswith("to "):
        return at_cell(position, name)
    if name.startswith("fetch "):
        return after_figure(festival.fetched(position, name))
    if name.startswith("free "):
        return after_figure(russian_promos.freed(position, name))
    if name.startswith("fly "):
        return follow_flight(position, name)
    if name.startswith("build "):
        return after_figure(little_buildings.built(position, name))
    if name == "recall":
        position = naive.acted(position, "recall")
    else:
        name, _, token = name.partition(DRAWS)
        figure, spot = name.split()
        position = naive.acted(position, (Figure[figure.upper()], Spot[spot]))
        if token:
            position = hills.grown(position, position.decider, int(token))  # HS-26
    return after_figure(position)


def follow_flight(position: Position, name: str) -> Position:
    """Let a meeple fly as far as the die shows, and land if possible (FLY-04, FLY-08)."""
    name, _, distance = name.partition(DRAWS)
    flown = flier.flown(position, name, int(distance))
    if flown is not None:
        return flown
    if position.phase == Phase.SECOND:
        return asked_for_token(replace(position, used=None))
    return after_figure(replace(position, used="machine" if position.rules.phantom else None))


def follow_landing(position: Position, name: str) -> Position:
    is_second = flier.is_second(position)
    position = flier.landed(dragon.kept_apart(position), name)
    position = replace(position, used=None) if is_second else position
    return asked_for_token(position) if is_second else after_figure(position)


def at_cell(position: Position, name: str) -> Position:
    """Choose the cell of an action."""
    return replace(position, phase=Phase.ELSEWHERE, chosen_cell=cell_of(name.removeprefix("to ")))


def after_figure(position: Position) -> Position:
    if bridges.may_follow_the_figure(position):
        return replace(position, phase=Phase.BRIDGE)
    return asked_for_second(position)


def follow_elsewhere(position: Position, name: str) -> Position:
    """Apply an action to a figure or tower on the chosen cell, or put a meeple there."""
    words, cell = name.split(), position.chosen_cell or (0, 0)
    leaves = words[0] in ("remove", "unseat", "return") and words[:2] != ["return", "top"]
    if leaves:  # XW-02: record the extension before the builder can return.
        extended = position.has_extended or builders.noted(position).has_extended
        position = replace(position, has_extended=extended)
    position, is_capture = phantom.noted(position, name), position.captures is not None
    position = replace(position, chosen_cell=None, phase=Phase.FIGURE)
    if is_capture:
        position = tower.captured(position, name)
    elif words[0] == "remove":
        position = dragon.without(position, [flier.removed(position, name)])
    elif words[:2] == ["fairy", "top"]:
        is_beside = position.rules.fairy_placement == "next_to"
        position = replace(
            position, fairy=cell, fairy_beside=None, fairy_seat=None, fairy_on_top=is_beside
        )
    elif words[:2] == ["fairy", "trap"]:
        is_beside = position.rules.fairy_placement == "next_to"
        whose = position.decider if is_beside else None
        position = replace(
            position, fairy=cell, fairy_beside=None, fairy_seat=whose, fairy_on_top=is_beside
        )
    elif words[0] == "floor":
        position = tower.with_floor(position, cell)
    elif words[0] == "top":
        position = tower.closed(position, cell, Figure[words[1].upper()])
    elif words[0] == "return":
        position = festival.returned(position, name)
    else:
        position = with_figure(position, words[0], cell, Spot[words[-1]])
    return after_figure(position) if position.phase == Phase.FIGURE else position


def with_figure(position: Position, word: str, cell: Cell, spot: Spot) -> Position:
    """Move the fairy, or put a meeple on a cell."""
    seat, figures = position.decider, position.figures
    if word == "fairy":
        is_beside = position.rules.fairy_placement == "next_to"
        beside = spot if is_beside else None
        whose = seat if is_beside else None  # in case others stand on that spot (XW-05)
        return replace(
            position, fairy=cell, fairy_beside=beside, fairy_seat=whose, fairy_on_top=False
        )
    new = PlacedFigure(seat, Figure[word.upper()], *cell, spot)
    return replace(position, figures=(*figures, new))


def legal_captures(position: Position) -> set[str]:
    return {"pass", *("to {},{}".format(*target.cell) for target in tower.targets(position))}


def follow_capture(position: Position, name: str) -> Position:
    if name != "pass":
        return at_cell(position, name)
    return after_figure(replace(position, phase=Phase.FIGURE, captures=None))


def follow_exchange(position: Position, name: str) -> Position:
    position = tower.exchanged(position, Figure[name.split()[1].upper()])
    return after_figure(replace(position, phase=Phase.FIGURE))


def follow_bridge(position: Position, name: str) -> Position:
    return asked_for_second(position if name == "pass" else with_bridge(position, name))


def asked_for_second(position: Position) -> Position:
    """Ask whether the phantom follows as second figure (PHA-02), or go on.

    The traps act first (RUS-10).
    """
    position = russian_promos.sprung(position)
    if position.rules.phantom and phantom.may_follow(position):
        return replace(position, phase=Phase.SECOND)
    return asked_for_token(replace(position, used=None))


def legal_seconds(position: Position) -> set[str]:
    cells = {f"to {x},{y}" for x, y in phantom.elsewhere(position)}
    found = phantom.here(position) | cells | flier.flights(position)
    return {"pass"} | found | tunnel.tokens(position)  # TUN-05


def follow_second(position: Position, name: str) -> Position:
    if name.startswith("to "):
        return replace(at_cell(position, name), phase=Phase.SECOND_SPOT)
    if name.startswith("fly "):
        return follow_flight(position, name)
    if name.startswith("tunnel "):
        position = mage_witch.parted(with_token(position, name), "early token")
        return asked_for_second(position) if position.phase == Phase.SECOND else position
    cell, position = position.chosen_cell, replace(position, used=None, chosen_cell=None)
    if name == "pass":
        return asked_for_token(position)
    word, *_, where = name.split()
    if word == "top":
        return asked_for_token(tower.closed(position, cell_of(where), Figure.PHANTOM))
    last = position.tiles[-1]
    return asked_for_token(with_figure(position, word, cell or (last.x, last.y), Spot[where]))


def asked_for_token(position: Position) -> Position:
    """Ask for a tunnel token after the figures (TUN-05), or go on."""
    if tunnel.choices(position):
        return replace(position, phase=Phase.TUNNEL)
    return asked_for_ferry(position)


def with_token(position: Position, name: str) -> Position:
    """Lay a token; joining roads does not count as extending them (TUN-12)."""
    extended = position.has_extended or builders.noted(position).has_extended
    return tunnel.laid(replace(position, has_extended=extended), name)


def follow_token(position: Position, name: str) -> Position:
    if name != "pass":
        position = mage_witch.parted(with_token(position, name), "token")
    return asked_for_ferry(position) if position.phase == Phase.TUNNEL else position


def asked_for_ferry(position: Position) -> Position:
    """Ask for the ferry of a new lake, then for ferry moves one by one (FER-11), or go on.

    The traps act first, and again after each ferry (RUS-10).
    """
    position = russian_promos.sprung(position)
    if ferries.is_due(position):
        return replace(position, phase=Phase.FERRY)
    return replace(position, phase=Phase.FERRIES) if ferries.moves(position) else acted(position)


def follow_ferry(position: Position, name: str) -> Position:
    """Lay or move a ferry; joining roads does not count as extending them (FER-14)."""
    if name == "pass":
        return acted(position)
    if position.dug_at is None and not position.ferried:
        extended = position.has_extended or builders.noted(position).has_extended
        position = replace(position, has_extended=extended)
    position = replace(ferries.laid(position, name), phase=Phase.FERRIES)
    position = mage_witch.parted(position, "ferry")  # FER-24
    return asked_for_ferry(position) if position.phase == Phase.FERRIES else position


def acted(position: Position) -> Position:
    """Ask what to do with a flock whose field was extended, or go on (HS-29)."""
    if (shepherd := hills.extended(position)) is not None:
        return replace(hills.closed_herded(position, shepherd), phase=Phase.FLOCK)
    return tended(position)


def follow_flock(position: Position, name: str) -> Position:
    name, _, token = name.partition(DRAWS)
    if token:
        return tended(hills.grown(position, position.decider, int(token)))
    shepherd = hills.extended(position)
    return tended(hills.herded(position, hills.pasture(position, shepherd)))


def tended(position: Position) -> Position:
    """End step 2 of a turn, before any builder returns (TRA-09, CAS-42)."""
    position = hills.closed_herded(position)
    if position.dug_at is None and not position.ferried:  # TUN-12, FER-14
        had_extended = position.has_extended
        position = builders.noted(position)
        position = replace(position, has_extended=position.has_extended or had_extended)
    position = bridges.put_away(position)
    if position.rules.dragon_timing == "before_scoring" and dragon.flies(position):
        return in_flight(replace(position, flown=(position.dragon,)))
    return ask_for_castles(position)


# --- The dragon ---------------------------------------------------------------------------------


def in_flight(position: Position) -> Position:
    """Ask for the next step of the dragon, or go on after its flight (PD-09, PD-10)."""
    if dragon.can_fly_on(position):
        return replace(position, phase=Phase.FLIGHT, decider=dragon.decider_of_step(position))
    position = replace(position, flown=(), decider=position.turn_player)
    if position.rules.dragon_timing == "after_scoring":
        return ask_about_circle(position)
    return ask_for_castles(position)


def legal_steps(position: Position) -> set[str]:
    return {f"dragon {x},{y}" for x, y in dragon.steps(position)}


def follow_step(position: Position, name: str) -> Position:
    position = dragon.entered(position, cell_of(name.removeprefix("dragon ")))
    return in_flight(russian_promos.eaten(tower.eaten(position)))


# --- Castles and scoring ------------------------------------------------------------------------


def ask_for_castles(position: Position) -> Position:
    """Ask the next occupier of a town, or go on to the scoring (TURN-02, CAS-06)."""
    asked = castles.Question(position.decider, position.town) if position.town else None
    later = [question for question in castles.questions(position) if question != asked]
    position = castles.settled(position, later)
    for seat, town in later[:1]:
        return replace(position, phase=Phase.CASTLE, decider=seat, town=town)
    position = replace(position, town=None, decider=position.turn_player)
    return ask_to_leave(position, count.seats_from(position, position.turn_player + 1))


def follow_castle(position: Position, name: str) -> Position:
    return ask_for_castles(castles.answered(position, name == "castle"))


def ask_to_leave(position: Position, seats: Iterable[int]) -> Position:
    """Ask the first seat that can move a meeple out of Carcassonne (COU-12), or go on."""
    seat = count.asked(position, seats)
    if seat is not None:
        return replace(position, phase=Phase.JOIN, decider=seat)
    if position.leaves_last:
        return finished(position)
    return scored(position)


def legal_leavings(position: Position) -> set[str]:
    cells = {cell for cell, _, _ in count.leavings(position, position.decider)}
    return {"pass", *(f"to {x},{y}" for x, y in cells)}


def follow_leaving(position: Position, name: str) -> Position:
    if name != "pass":
        cell = cell_of(name.removeprefix("to "))
        return replace(position, phase=Phase.JOIN_SPOT, chosen_cell=cell)
    if position.leaves_last:
        position = replace(position, declined=tuple(sorted((*position.declined, position.decider))))
        return ask_to_leave(position, count.seats_to_ask(position))
    return ask_to_leave(russian_promos.sprung(position), count.seats_to_ask(position)[1:])  # RUS-09


def legal_arrivals(position: Position) -> set[str]:
    return {
        f"{figure.name.lower()} {spot.name}"
        for cell, figure, spot in count.leavings(position, position.decider)
        if cell == position.chosen_cell
    }


def follow_arrival(position: Position, name: str) -> Position:
    figure, spot = name.split()
    position = count.moved_out(position, Figure[figure.upper()], Spot[spot])
    seats = count.seats_to_ask(position)
    if not position.leaves_last and count.asked(position, seats[:1]) is None:
        position = russian_promos.sprung(position)  # RUS-09
    return ask_to_leave(position, seats)


def scored(position: Position) -> Position:
    """Do step 3: score features and their goods, barn fields, then castles."""
    position = replace(position, decider=position.turn_player)
    before, watched = position, watchtowers.points(position)
    scores = tuple(score + watched[seat] for seat, score in enumerate(position.scores))  # WT-03
    position = replace(position, scores=scores)
    scores, figures, scored_now, earners = naive.score_turn(position)
    waiting = naive.in_turn(position, [*position.wagons, *scored_now])
    tokens = goods.collected(position)
    figures = (*(f for f in figures if f not in before.lords), *before.lords)  # CAS-37
    position = replace(position, scores=scores, figures=figures, wagons=waiting, goods=tokens)
    position = replace(position, thieves=labyrinth.noted(before).thieves)
    position = count.noted(position, {*earners, *watched})  # WT-15
    position = monasteries.noted(position, completed(before))
    for feature in completed(before):
        if not castles.converters(before, feature):  # CAS-10
            position = gold.claimed(position, gold.reach(feature), naive.majority(feature))
    position = castles.all_founded(position)
    return after_scoring(castles.all_scored(position))


def after_scoring(position: Position) -> Position:
    if position.phase == Phase.CASTLE_CHOICE and position.town is not None:
        return position
    return with_shares(position, position.turn_player)


def with_shares(position: Position, seat: int) -> Position:
    """Let seats take ingots, beginning with ``seat``, then pass on the markers (GOL-07)."""
    position = gold.shared(position, seat)
    if position.phase == Phase.SHARE and any(pile.seats for pile in position.gold):
        return position
    position = mage_witch.sent_home(king_robber.passed_on(position))
    return move_wagons(replace(position, dug_at=None, ferried=(), thieves=(), monks=()))


def legal_shares(position: Position) -> set[str]:
    return {f"share {pile.x},{pile.y}" for pile in gold.open_to(position, position.decider)}


def follow_share(position: Position, name: str) -> Position:
    seat = position.decider
    position = gold.taken(position, seat, cell_of(name.removeprefix("share ")))
    return with_shares(position, (seat + 1) % position.rules.n_players)


def legal_takings(position: Position) -> set[str]:
    found = castles.takings(position, castles.asking(position))
    return {f"take {x},{y} {spot.name}" for x, y, spot in found}


def follow_taking(position: Position, name: str) -> Position:
    _, cell, spot = name.split()
    return after_scoring(castles.chosen(position, (*cell_of(cell), Spot[spot])))


# --- Wagons -------------------------------------------------------------------------------------


def move_wagons(position: Position) -> Position:
    """Ask for the first wagon that can move; wagons before it return (WAG-10, WAG-11)."""
    while position.wagons:
        wagon = position.wagons[0]
        if wagons.wagon_targets(position, wagon, position.rolled):
            return replace(position, phase=Phase.WAGON, decider=wagon.seat)
        position = replace(position, wagons=position.wagons[1:], rolled=())
    return ask_to_enter(replace(position, decider=position.turn_player))


# --- Entering Carcassonne -----------------------------------------------------------------------


def ask_to_enter(position: Position) -> Position:
    """Ask the turn player to put a meeple into Carcassonne, or go on (COU-04, COU-29)."""
    may_enter = count.may_enter(position)
    position = replace(position, scored=())
    return replace(position, phase=Phase.ENTER) if may_enter else fly_late(position)


def legal_entries(position: Position) -> set[str]:
    ways = count.ways_in(position)
    return {"pass", *(f"enter {f.name.lower()} {quarter.name.lower()}" for f, quarter in ways)}


def follow_entry(position: Position, name: str) -> Position:
    if name == "pass":
        return fly_late(position)
    _, figure, quarter = name.split()
    position = count.moved_in(position, Figure[figure.upper()], Quarter[quarter.upper()])
    if position.rules.count_move == "player":
        return replace(position, phase=Phase.COUNT)
    return fly_late(position)


def legal_walks(position: Position) -> set[str]:
    return {"stay", *(f"count {q.name.lower()}" for q in set(Quarter) - {position.count})}


def follow_walk(position: Position, name: str) -> Position:
    if name != "stay":
        position = replace(position, count=Quarter[name.removeprefix("count ").upper()])
    return fly_late(position)


def fly_late(position: Position) -> Position:
    if position.rules.dragon_timing == "after_scoring" and dragon.flies(position):
        return in_flight(replace(dragon.fairy_left(position), flown=(position.dragon,)))
    return ask_about_circle(position)


# --- Corn circles -------------------------------------------------------------------------------


def ask_about_circle(position: Position) -> Position:
    """Ask the turn player what all players do, at the end of this part (CRN-03, CRN-15)."""
    position = replace(position, decider=position.turn_player)
    if corn_circles.asks(position):
        return replace(position, phase=Phase.CIRCLE)
    return ask_to_escape(position)


def follow_circle(position: Position, name: str) -> Position:
    position = corn_circles.following(position, name)
    return position if position.phase in corn_circles.ASKS_ALL else ask_to_escape(position)


# --- Escaping from a besieged city --------------------------------------------------------------


def ask_to_escape(position: Position) -> Position:
    """Ask the turn player for a knight that escapes, after all else (SIE-09, SIE-17)."""
    position = replace(position, decider=position.turn_player)
    return replace(position, phase=Phase.ESCAPE) if siege.asks(position) else ended(position, True)


def legal_escapes(position: Position) -> set[str]:
    return {"pass", *(f"to {f.x},{f.y}" for f in siege.escapers(position))}


def follow_escape(position: Position, name: str) -> Position:
    if name == "pass":
        return ended(position, True)
    cell = cell_of(name.removeprefix("to "))
    return replace(position, phase=Phase.ESCAPE_SPOT, chosen_cell=cell)


def legal_escapers(position: Position) -> set[str]:
    return {
        f"escape {f.figure.name.lower()} {f.spot.name}"
        for f in siege.escapers(position)
        if (f.x, f.y) == position.chosen_cell
    }


def follow_escaper(position: Position, name: str) -> Position:
    _, figure, spot = name.split()
    return ended(siege.escaped(position, Figure[figure.upper()], Spot[spot]), True)


def targets_of_first(position: Position) -> set[Place]:
    return wagons.wagon_targets(position, position.wagons[0], position.rolled)


def legal_moves(position: Position) -> set[str]:
    targets = targets_of_first(position)
    if wagons.names_the_cell_first(position, position.wagons[0]):
        return {"home", *(f"to {x},{y}" for x, y, _ in targets)}
    return {"home", *(f"wagon {x},{y} {spot.name}" for x, y, spot in targets)}


def legal_spots(position: Position) -> set[str]:
    return {
        f"wagon {x},{y} {spot.name}"
        for x, y, spot in targets_of_first(position)
        if (x, y) == position.wagon_target
    }


def follow_move(position: Position, name: str) -> Position:
    if name.startswith("to "):
        target = cell_of(name.split()[1])
        return replace(position, phase=Phase.WAGON_SPOT, wagon_target=target)
    wagon = position.wagons[0]
    if name == "home":
        position = replace(wagons.moved(position, None), rolled=())
        return move_wagons(russian_promos.sprung(position))
    _, cell, spot = name.split()
    after = wagons.moved(position, (*cell_of(cell), Spot[spot]))
    rolls = len(after.wagons) == len(position.wagons)  # HOUSE-01: it stands on a complete feature.
    rolled = (*position.rolled, (wagon.x, wagon.y, wagon.spot)) if rolls else ()
    after = replace(after, wagon_target=None, rolled=rolled)
    return move_wagons(after if rolls else russian_promos.sprung(after))


# --- Bazaars ------------------------------------------------------------------------------------


def ended(position: Position, has_placed: bool) -> Position:
    """End a placement: a bazaar follows (BAZ-01), a second part of the turn (TRA-07), or both."""
    position = dragon.fairy_left(position)
    seat, last = position.turn_player, position.tiles[-1]
    starts = (
        position.rules.bazaars
        and has_placed  # BAZ-02
        and not position.is_bought  # BAZ-17
        and bazaars.is_bazaar_tile(last.tile)
    )
    part = (last.x, last.y) if position.has_extended else None
    position = replace(position, is_bought=False, has_extended=False, decider=seat)
    if starts and position.bazaar is not None:  # BAZ-18, BAZ-21
        position = replace(position, delayed=(*position.delayed, seat))
    elif starts and bazaars.has_enough_tiles(position):
        position = bazaars.set_aside(position, seat, resumes=seat)
        if part is not None and position.rules.bazaar_builder_order == "bazaar_first":  # BAZ-20
            position = bazaars.with_owed(
                position, part, position.has_bridged, position.has_ransomed
            )
            position = replace(position, had_entered=position.has_entered, had_dug=position.has_dug)
            part = None
    if part is not None:  # BAZ-15, BAZ-22
        return second_part(position, part)
    return parts_over(replace(position, first_part=None, has_bridged=False))


def parts_over(position: Position) -> Position:
    """Go on after all parts of a turn, or after the first part if the second is owed."""
    if position.bazaar is None:
        return next_turn(position, position.turn_player)
    return opened(position) if position.bazaar.waits else go_on(position)


def opened(position: Position) -> Position:
    position = bazaars.turned_up(position)
    return go_on(position) if bazaars.current(position).takes else position


def go_on(position: Position) -> Position:
    """Let the seat after the turn player place a tile of the bazaar (BAZ-14, BAZ-23)."""
    bazaar = bazaars.current(position)
    if not bazaar.offer:
        return next_bazaar(position)
    seat = (position.turn_player + 1) % position.rules.n_players
    position = of_new_turn(replace(position, turn_player=seat, decider=seat))
    position = dragon.at_turn(position, seat)
    if bazaar.takes:
        return replace(position, phase=Phase.BAZAAR_PICK)
    (number,) = (k for k, lot in enumerate(bazaar.offer) if lot.owner == seat)
    return with_bought(position, number)


def with_bought(position: Position, k: int) -> Position:
    """Take a bazaar tile in hand; the abbey cannot replace it (BAZ-24)."""
    tile = bazaars.current(position).offer[k].tile
    return with_tile(bazaars.handed_out(position, k), tile)


def next_bazaar(position: Position) -> Position:
    """Open the next delayed bazaar (BAZ-19), or go on with the turns (BAZ-20, BAZ-26)."""
    old = bazaars.current(position)
    while position.delayed:
        starter, *others = position.delayed
        position = replace(position, delayed=tuple(others))
        if bazaars.has_enough_tiles(position):  # BAZ-28
            position = bazaars.set_aside(position, starter, old.resumes)
            owed = (old.owed, old.owed_bridged, old.owed_ransomed)
            return opened(bazaars.with_owed(position, *owed))
    position = replace(position, bazaar=None, turn_player=old.resumes)
    if old.owed is None:
        return next_turn(position, old.resumes)
    is_done = {
        "has_bridged": old.owed_bridged,
        "has_ransomed": old.owed_ransomed,
        "has_entered": position.had_entered,
        "had_entered": False,
        "has_dug": position.had_dug,
        "had_dug": False,
    }
    return second_part(replace(position, **is_done), old.owed)


def legal_picks(position: Position) -> set[str]:
    return {f"pick {k + 1}" for k in bazaars.picks(position)}


def follow_pick(position: Position, name: str) -> Position:
    k = int(name.split()[1]) - 1
    if bazaars.current(position).takes:
        return with_bought(position, k)
    return bazaars.picked(position, k)


def legal_bids(position: Position) -> set[str]:
    names = {f"bid {points}" for points in bazaars.bids(position)}
    return names | ({"pass"} if bazaars.current(position).price is not None else set())


def follow_bid(position: Position, name: str) -> Position:
    points = None if name == "pass" else int(name.split()[1])
    return after_deal(bazaars.bid(position, points))


def legal_deals(position: Position) -> set[str]:
    return {"buy", "sell"} if bazaars.may_buy(position) else {"sell"}


def follow_deal(position: Position, name: str) -> Position:
    return after_deal(bazaars.dealt(position, name == "buy"))


def after_deal(position: Position) -> Position:
    return go_on(position) if bazaars.is_settled(position) else position


# --- Next turn or end of the game ---------------------------------------------------------------


def next_turn(position: Position, seat: int) -> Position:
    """Begin the turn of the next seat, or the last round if no tile is left."""
    position = of_new_turn(position)
    if position.bag:
        seat = (seat + 1) % position.rules.n_players
        return begun(dragon.at_turn(position, seat), seat)
    return in_last_round(replace(position, turn_player=seat))


def of_new_turn(position: Position) -> Position:
    """Clear the records of a single turn (TOW-26, COU-06, TUN-04)."""
    return replace(position, has_ransomed=False, has_entered=False, has_dug=False)


def in_last_round(position: Position) -> Position:
    """Ask the next seat for its abbey, or end the game (BASE-22, ABB-20)."""
    asked = next_in_last_round(position)
    if asked is None:
        return leave_last(replace(position, last_round=None))
    seat, left = asked
    return replace(
        position, phase=Phase.DRAW_OR_ABBEY, turn_player=seat, decider=seat, last_round=left
    )


def leave_last(position: Position) -> Position:
    """Let meeples leave Carcassonne before the final scoring (COU-18, COU-19).

    The first to move is the seat whose turn would be next.
    """
    first, *others = count.seats_from(position, position.turn_player + 1)
    position = replace(position, leaves_last=True, has_entered=False, turn_player=first)
    return ask_to_leave(position, [first, *others])


def finished(position: Position) -> Position:
    """Do the final scoring; meeples that wait in Carcassonne score nothing (COU-20)."""
    scores = naive.final_scores(position)
    late = [f for field in features(position) if field.barns for f in field.passing]  # XCK-07
    figures = tuple(figure for figure in position.figures if figure not in late)
    position = replace(position, scores=scores, figures=figures, phase=Phase.GAME_OVER)
    return replace(position, leaves_last=False, declined=())


def next_in_last_round(position: Position) -> tuple[int, int] | None:
    """Return the next seat to ask for an abbey, and how many seats come after it (ABB-20).

    ``position`` is the end of a turn that leaves no land tile: the last turn of the normal game, or
    a turn of the abbey round. The result is ``None`` if the game is over. No seat is asked twice
    (ABB-23); the player of the last land tile is asked last.
    """
    rules = position.rules
    if rules.abbey_endgame == "none":
        return None
    seat = position.turn_player
    left = rules.n_players if position.last_round is None else position.last_round
    while left > 0:
        seat, left = (seat + 1) % rules.n_players, left - 1
        if naive.has_abbey(position, seat) and naive.abbey_cells(position):
            return seat, left
        if rules.abbey_endgame == "until_blocked":
            return None
    return None


LEGAL: dict[Phase, Callable[[Position], set[str]]] = {
    Phase.DRAW_OR_ABBEY: legal_abbeys,
    Phase.PLACE_TILE: legal_placements,
    Phase.INGOT: legal_ingots,
    Phase.MAGIC: mage_witch.legal,
    Phase.MAGIC_SPOT: lambda position: mage_witch.by_cell(position)[position.chosen_cell],
    Phase.FIGURE: legal_figures,
    Phase.CAPTURE: legal_captures,
    Phase.EXCHANGE: tower.exchanges,
    Phase.ELSEWHERE: legal_elsewhere,
    Phase.LANDING: flier.legal_landings,
    Phase.BRIDGE: legal_bridges,
    Phase.SECOND: legal_seconds,
    Phase.SECOND_SPOT: lambda position: phantom.elsewhere(position)[position.chosen_cell],
    Phase.TUNNEL: lambda position: {"pass"} | tunnel.tokens(position),
    Phase.FERRY: lambda position: ferries.layings(position),
    Phase.FERRIES: lambda position: {"pass"} | ferries.moves(position),
    Phase.FLIGHT: legal_steps,
    Phase.FLOCK: lambda position: {"grow", "herd"},
    Phase.CASTLE: lambda position: {"castle", "score"},
    Phase.JOIN: legal_leavings,
    Phase.JOIN_SPOT: legal_arrivals,
    Phase.CASTLE_CHOICE: legal_takings,
    Phase.SHARE: legal_shares,
    Phase.WAGON: legal_moves,
    Phase.WAGON_SPOT: legal_spots,
    Phase.ENTER: legal_entries,
    Phase.COUNT: legal_walks,
    Phase.CIRCLE: corn_circles.legal,
    Phase.SOW: corn_circles.legal,
    Phase.SOW_SPOT: corn_circles.legal,
    Phase.REAP: corn_circles.legal,
    Phase.REAP_SPOT: corn_circles.legal,
    Phase.ESCAPE: legal_escapes,
    Phase.ESCAPE_SPOT: legal_escapers,
    Phase.BAZAAR_PICK: legal_picks,
    Phase.BAZAAR_BID: legal_bids,
    Phase.BAZAAR_DEAL: legal_deals,
    Phase.GAME_OVER: lambda position: set(),
}

FOLLOWING: dict[Phase, Callable[[Position, str], Position]] = {
    Phase.DRAW_OR_ABBEY: follow_abbey,
    Phase.PLACE_TILE: follow_placement,
    Phase.INGOT: follow_ingot,
    Phase.MAGIC: follow_magic,
    Phase.MAGIC_SPOT: follow_magic,
    Phase.FIGURE: follow_figure,
    Phase.CAPTURE: follow_capture,
    Phase.EXCHANGE: follow_exchange,
    Phase.ELSEWHERE: follow_elsewhere,
    Phase.LANDING: follow_landing,
    Phase.BRIDGE: follow_bridge,
    Phase.SECOND: follow_second,
    Phase.SECOND_SPOT: follow_second,
    Phase.TUNNEL: follow_token,
    Phase.FERRY: follow_ferry,
    Phase.FERRIES: follow_ferry,
    Phase.FLIGHT: follow_step,
    Phase.FLOCK: follow_flock,
    Phase.CASTLE: follow_castle,
    Phase.JOIN: follow_leaving,
    Phase.JOIN_SPOT: follow_arrival,
    Phase.CASTLE_CHOICE: follow_taking,
    Phase.SHARE: follow_share,
    Phase.WAGON: follow_move,
    Phase.WAGON_SPOT: follow_move,
    Phase.ENTER: follow_entry,
    Phase.COUNT: follow_walk,
    Phase.CIRCLE: follow_circle,
    Phase.SOW: follow_circle,
    Phase.SOW_SPOT: follow_circle,
    Phase.REAP: follow_circle,
    Phase.REAP_SPOT: follow_circle,
    Phase.ESCAPE: follow_escape,
    Phase.ESCAPE_SPOT: follow_escaper,
    Phase.BAZAAR_PICK: follow_pick,
    Phase.BAZAAR_BID: follow_bid,
    Phase.BAZAAR_DEAL: follow_deal,
}
