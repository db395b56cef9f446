"""Known differences between the independent engine and ours, in rules and in the steps of a turn.

A comparison leaves out only what is named here. "We" and "our" refer to carc_env, "they" and
"their" to the independent engine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import product
from typing import Any

from carc_env.engine.core.codes import Kind, Phase, Spot
from carc_env.game.game import Game, Score
from carc_env.position import Place, Position
from carc_env.words import format_cell, parse_cell
from tests.oracle.naive import feature_at
from tests.oracle.tiles import ABBEY, SIDES, across, segments_of
from tests.peer import promos, roads
from tests.peer.draws import begins_second_part, has_placed_bazaar, waiting_bazaar
from tests.peer.inside import CAPTURE, FAIRY
from tests.peer.translate import PHASES, Cell, both_ends

Line = dict[str, Any]


class Skip(StrEnum):
    """Reason why an action or a state of one engine has no exact counterpart in the other.

    A report counts each reason and gives an example. A reason that begins with "our" names
    something that they do not know.
    """

    COMMIT = "COMMIT, which only ends a phase of theirs"
    ONLY_PASS = "our decision with nothing but pass, where they skip the phase"
    ONLY_RANSOM = "our ransom where no figure action is left, where they skip the phase (TOW-25)"
    SECOND_ONLY = (
        "our second figure where none was placed before, which they do not ask for (PHA-03)"
    )
    TOWERS_ONLY = "our second figure where only towers are open to it, which they do not ask for"
    BEFORE_SCORING = "state between the last decision and the scoring, which we never stop at"
    BEFORE_DRAWING = "state between declining the abbey and the draw, which we never stop at"
    AFTER_WAGON = "state between a wagon's move and what follows, which we never stop at"
    AFTER_CIRCLE = "state between what a seat does at a corn circle and what follows"
    NEIGHBOUR_BRIDGE = "our optional bridge on a neighbour of the tile just placed (BRI-04)"
    COMPLETE_FEATURE = "our builder in a feature that this tile completes (TRA-05)"
    ONE_TOWN = "our town of a seat that turns another one: they let it turn only one (CAS-03)"
    AFTER_DECLINED = "our town of a seat after one that declined: they stop asking (CAS-04)"
    WAGON_FROM_CASTLE = "our move of a wagon that comes home from a castle (WAG-17)"
    LYING_WAGON = "our wagon that lies down on a surrounded special monastery (MON-12)"
    LIMITED_BID = "our bid or purchase beyond the limits that their players kept (BAZ-12)"
    PICKED_AHEAD = "state while they pick the tiles that we pick one placement at a time (BAZ-23)"
    ONE_BAZAAR = "our bazaar, delayed by another one that goes on or waits (BAZ-18, BAZ-21)"
    LAST_BAZAAR = (
        "our bazaar of the last tiles, of which they draw one for the second part (BAZ-21)"
    )
    SHARED_TOWN = "our castle in a town with several meeples, where they offer none (CAS-34)"
    FAIRY_STAYS = (
        "their fairy to another meeple of the seat on the spot where she is, which changes nothing"
    )
    CASTLE_OF_CASTLE = "our points of a castle for another one, where they choose less (CAS-22)"
    ABBEY_FOR_BOUGHT = "their question for an abbey to a seat that has bought a tile (BAZ-24)"
    LAST_LOT = "our pick of the last tile of a bazaar, which they give without asking"
    TAKEN_BACK = "abbey declined in the last round by a seat that they ask again (ABB-23)"
    ASKED_AGAIN = "abbey declined in the last round by a seat that we do not ask again (ABB-23)"
    OTHER_ROUND = "state inside their repeated last round"
    ROUND_AGAIN = "last round that goes on, for an abbey of a seat that has declined (ABB-23)"
    TURNED_BOARD = "game rotated so that its source has the same direction as ours"
    DRAWN_LATER = "bazaar tiles that they draw after the second part, we before it (BAZ-21)"
    GOODS_TOGETHER = "points for one kind of goods that we add to those for the others"
    WATCHTOWERS_TOGETHER = "points of one watchtower that we add to those of the others"
    NO_POINTS = "score of 0 points, which we leave out"
    TURN_OF_PICK = "pick in a turn that they have not begun yet (BAZ-23)"
    OFFER_ORDER = "order of tiles with owners; theirs is the order of placement"
    PICKED_OWNER = "owner of a tile that we pick only later (BAZ-23)"
    AFTER_LEAVING = "state between a seat's last move out of Carcassonne and what follows"
    ABBOT_INSIDE = "our abbot into Carcassonne (XCK-15)"
    TURN_AT_THE_END = "turn in the moves at the end; ours belongs to the next seat (COU-19)"
    TURN_AFTER_ABBEYS = "their first seat in these moves, after the last one with an abbey"
    FAIRY_INSIDE = "their fairy to a meeple inside Carcassonne, which we do not offer (PD-41)"
    CAPTURE_INSIDE = "their capture inside Carcassonne, which we do not offer (TOW-33)"
    BEFORE_CAPTURE = "state before a capture for which they ask and nobody else is in range"
    DONE_BY_HAND = "their move inside Carcassonne, applied to our game by hand"
    POINTS_BY_HAND = "their points for the fairy inside Carcassonne, given by hand"
    OTHER_INGOTS = (
        "an ingot taken from another of several piles that as many may take from (GOL-08)"
    )
    ABBOT_IN_HUT = "our abbot into the hut, which they do not offer, or let fly there (RUS-16)"
    TRAPS_ASLEEP = "our trap, which sleeps with them while a seat declines to move on (RUS-10)"
    FERRY_BEHIND_TOKEN = "their ferry on a road that a token of this placement has joined (TUN-12)"
    BUILDER_BESIDE = "their points for a builder beside a watchtower (WT-03)"
    BRIDGE_OVER_TREE = "what follows once a bridge leads over the tree (RUS-06)"
    BEFORE_SHEEP = "state between a shepherd and the sheep, which they draw after all figures"
    PART_AT_THE_END = "second part of a turn for which no tile is left, in the moves at the end"
    BUILDER_ALONE = "their builder that a ferry has cut off, which goes home with us (FER-15)"
    BUILDER_IN_BONUS = "their points for a builder on the road of a labyrinth (LAB-09)"
    BESIDE_BUILDER = "our meeple on an arm of a labyrinth with a builder alone (LAB-05)"
    MAGIC_IN_CASTLE = "their mage or witch in a town that has become a castle (MW-18)"
    JOINED_BY_TOKEN = (
        "our meeple to a road that a token or a ferry completes, without the last tile (COU-12)"
    )
    SHARED_SIDE = "our meeple to the second of two cities that an abbey closes on one side (HS-40)"
    WAGON_INTO_MAZE = "our wagon into a free maze with somebody on an arm (LAB-06)"
    CONSOLED_FOR_BUILDER = (
        "their meeple into Carcassonne, and the count, when a builder has got points (COU-04)"
    )
    FAIRY_ALONE = "their fairy alone, where another meeple of its owner stands on the spot"
    FAIRY_OF_MOVED = (
        "their fairy beside a meeple that was where she is until a trap or a move took it (PD-40)"
    )
    AFTER_DIFFERENCE = "after a difference in the same game"


ONLY_CHOICES = {Skip.ONLY_PASS, Skip.LAST_LOT}
"""Reasons that apply only if our decision has no other legal action."""

TRAP = "RussianPromosTrapPhase"

COMMIT_PHASES = {"CommitActionPhase", "CommitAbbeyPassPhase", TRAP}
"""Phases without any choice."""

LAST_ROUND = "AbbeyEndGamePhase"
CIRCLE = "CornCirclePhase"

FIGURES_AND_FERRIES = (
    *("ActionPhase", "PhantomPhase", "TunnelPhase", "PlaceFerryPhase", "ChangeFerriesPhase"),
)
"""Phases after which traps act."""

BETWEEN = {
    ("ActionPhase", "CommitActionPhase"): Skip.BEFORE_SCORING,
    **dict.fromkeys(product(FIGURES_AND_FERRIES, [TRAP]), Skip.BEFORE_SCORING),
    (TRAP, "CommitActionPhase"): Skip.BEFORE_SCORING,
    ("CastlePhase", "CommitActionPhase"): Skip.BEFORE_SCORING,
    ("TowerCapturePhase", "CommitActionPhase"): Skip.BEFORE_SCORING,
    ("PhantomPhase", "CommitActionPhase"): Skip.BEFORE_SCORING,
    ("TunnelPhase", "CommitActionPhase"): Skip.BEFORE_SCORING,
    ("PlaceFerryPhase", "CommitActionPhase"): Skip.BEFORE_SCORING,
    ("ChangeFerriesPhase", "CommitActionPhase"): Skip.BEFORE_SCORING,
    ("DragonMovePhase", "CommitActionPhase"): Skip.BEFORE_SCORING,
    ("ShepherdPhase", "CommitActionPhase"): Skip.BEFORE_SCORING,
    ("AbbeyPhase", "CommitAbbeyPassPhase"): Skip.BEFORE_DRAWING,
}
"""Phases before and after a message -> why the state after it has no counterpart of ours."""


def their_own_actions(names: set[str], position: Position) -> Iterator[tuple[Skip, set[str]]]:
    """Yield their actions that we do not offer, by reason."""
    for reason, word in ((Skip.FAIRY_INSIDE, FAIRY), (Skip.CAPTURE_INSIDE, CAPTURE)):
        yield reason, {name for name in names if name.startswith(word)}
    yield Skip.FAIRY_STAYS, {name for name in names if does_nothing(name, position)}


def does_nothing(name: str, position: Position) -> bool:
    """Return whether an action moves the fairy to another meeple of the decider on her spot."""
    if not name.startswith("fairy ") or not is_beside_own(position):
        return False
    cell, spot = format_cell(position.fairy or (0, 0)), position.fairy_beside
    return name == (f"fairy {cell} {spot.name}" if spot is not None else f"fairy trap {cell}")


def is_beside_own(position: Position) -> bool:
    """Return whether the fairy is beside a meeple of the decider."""
    if position.fairy_seat is not None or position.fairy is None:
        return position.fairy_seat == position.decider
    place = (*position.fairy, position.fairy_beside)
    return position.decider in {f.seat for f in position.figures if (f.x, f.y, f.spot) == place}


def decision_skip(line: Line, before: Line) -> Skip | None:
    """Return why none of our decisions corresponds to a message; None if one does.

    Parameters
    ----------
    line : dict
        The message.
    before : dict
        Their state before it.
    """
    if line["act"] == "COMMIT":
        return Skip.COMMIT
    is_declined = line["phase"] == "AbbeyPhase" and line["act"] == "PASS"
    return Skip.ABBEY_FOR_BOUGHT if is_declined and owns_a_lot(before) else None


def owns_a_lot(st: Line) -> bool:
    """Return whether the turn player has bought a tile that is not in hand yet."""
    return any(owner == st["turn"] for _, _, _, owner in st.get("bazaar", []))


def has_herded(line: Line) -> bool:
    """Return whether a message has scored a flock."""
    scores = [row for name, *rest in line["st"].get("ev", []) if name == "score" for row in rest]
    return any(name == "flock" for _, _, name, _ in scores)


def state_skip(messages: Sequence[Line], index: int) -> Skip | None:
    """Return why the state after a message cannot be compared; None if it can.

    If nobody can place a figure, our game still waits for a pass while theirs has already herded
    the flocks.
    """
    line = messages[index]
    if line["phase"] == "CocScoringPhase" and is_committed(messages, index + 1):
        return Skip.AFTER_LEAVING
    if line["st"]["phase"] == "CommitActionPhase" and has_herded(line):
        return Skip.BEFORE_SCORING
    if line["phase"] == "WagonPhase" and line["act"].startswith("MEEPLE"):
        return Skip.AFTER_WAGON
    if line["phase"] == CIRCLE and line["act"].startswith(("MEEPLE", "RETURN")):
        return Skip.AFTER_CIRCLE
    if line["st"]["phase"] == "AbbeyPhase" and owns_a_lot(line["st"]):
        return Skip.ABBEY_FOR_BOUGHT
    return BETWEEN.get((line["phase"], line["st"]["phase"]))


def is_committed(messages: Sequence[Line], index: int) -> bool:
    """Return whether a seat commits because it can move no more meeples out of Carcassonne."""
    line = messages[index] if index < len(messages) else {"phase": None}
    return line["phase"] == "CocScoringPhase" and line["act"] == "COMMIT"


def unknown_actions(game: Game, names: set[str], last: Cell) -> Iterator[tuple[Skip, set[str]]]:
    """Yield our legal actions that they do not offer, by reason.

    Parameters
    ----------
    game : Game
        Our game.
    names : set of str
        All our legal actions.
    last : tuple of int
        Cell of the tile placed last.
    """
    ransoms = {name for name in names if name.startswith("ransom ")}
    if game.phase == Phase.FIGURE and names - ransoms == {"pass"}:
        yield Skip.ONLY_RANSOM, ransoms
    yield Skip.ABBOT_INSIDE, {name for name in names if name.startswith("enter abbot ")}
    if game.phase == Phase.FIGURE and game.rules.russian_promos:
        yield Skip.ABBOT_IN_HUT, names & promos.abbots_in_huts(game.position(), last)
    yield Skip.NEIGHBOUR_BRIDGE, neighbour_bridges(names, last)
    if any(name.startswith("builder ") for name in names):
        yield Skip.COMPLETE_FEATURE, builders_in_complete_features(names, last, game.position())
    if game.phase == Phase.WAGON:
        yield Skip.LYING_WAGON, lying_down(names, game.position())
        if game.rules.labyrinth:
            yield Skip.WAGON_INTO_MAZE, roads.wagons_into_mazes(names, game.position())
    if game.rules.labyrinth and game.phase == Phase.FIGURE:
        yield Skip.BESIDE_BUILDER, roads.beside_builders(names, last, game.position())
    if game.phase == Phase.JOIN and not game.position().leaves_last:
        yield Skip.JOINED_BY_TOKEN, moves_elsewhere(names, game.position(), Kind.ROAD)
        yield Skip.SHARED_SIDE, moves_elsewhere(names, game.position(), Kind.CITY)
    if game.phase in (Phase.BAZAAR_BID, Phase.BAZAAR_DEAL) and (now := game.position().bazaar):
        points = game.scores[game.decider]
        yield Skip.LIMITED_BID, answers_beyond_limits(names, now.price, points)


def neighbour_bridges(names: Iterable[str], last: Cell) -> set[str]:
    """Return the optional bridges on tiles other than the one placed last.

    They build a bridge on such a tile only if the placement needs it.
    """
    x, y = last
    here = f"bridge {x},{y} "
    return {name for name in names if name.startswith("bridge ") and not name.startswith(here)}


def builders_in_complete_features(names: Iterable[str], last: Cell, position: Position) -> set[str]:
    """Return our actions that place the builder in a feature that the last tile has completed."""
    spots = {name: Spot[name.split()[1]] for name in names if name.startswith("builder ")}
    return {name for name, spot in spots.items() if feature_at(position, *last, spot).is_complete}


def moves_elsewhere(names: set[str], position: Position, kind: Kind) -> set[str]:
    """Return our moves out of Carcassonne to roads or cities that they do not regard as completed.

    They ask only about features on the tile placed last and features that an abbey closes.
    """
    asked, found = asked_about(position), set()
    for name in names - {"pass"}:
        _, spot, _, cell = name.split()
        feature = feature_at(position, *parse_cell(cell), Spot[spot])
        if feature.kind == kind and asked.isdisjoint(feature.segments):
            found.add(name)
    return found


def asked_about(position: Position) -> set[Place]:
    """Return the roads and cities of the tile placed last; for an abbey, one on each side.

    If two cities open onto the same side, they know only the first one (HS-40).
    """
    last = position.tiles[-1]
    if last.tile != ABBEY:
        return {segment.place for segment in segments_of(last)}
    tiles = {(tile.x, tile.y): tile for tile in position.tiles}
    found = set()
    for x, y, side in (across(last.x, last.y, side) for side in SIDES):
        segments = segments_of(tiles[x, y]) if (x, y) in tiles else ()
        found |= {*[segment.place for segment in segments if side in segment.at][:1]}
    return found


def is_kept_from_opening(messages: Sequence[Line], index: int) -> bool:
    """Return whether a message places a bazaar tile that another bazaar keeps from starting one.

    The other bazaar is under way or waits for this second part of the turn. They forget the new
    bazaar; ours follows the other one (BAZ-18, BAZ-21).
    """
    if not has_placed_bazaar(messages, index):
        return False
    if "bazaar" in messages[index]["st"]:
        return True
    second = begins_second_part(messages, index)
    return second is not None and second < index and waiting_bazaar(messages, second) is not None


def is_short_of_tiles(messages: Sequence[Line], index: int) -> bool:
    """Return whether a message places a bazaar tile that starts nothing because a tile is missing.

    We set the bazaar tiles aside before the second part of the turn; they first draw the tile for
    that part (BAZ-21).
    """
    st = messages[index]["st"]
    if not has_placed_bazaar(messages, index) or "bazaar" in st or st["pack"] < len(st["scores"]):
        return False
    second = begins_second_part(messages, index)
    return second is not None and second > index and waiting_bazaar(messages, second) is None


def castle_of_castle(ours: Counter[Score], theirs: Counter[Score]) -> tuple[Score, Score] | None:
    """Return our and their scores of a castle if only ours takes the points of another castle."""
    for our in ours - theirs:
        for their in theirs - ours:
            is_less = our.kind == their.kind == Kind.CASTLE and our.points > their.points
            others = [score for score in theirs if score.kind == Kind.CASTLE and score != their]
            if is_less and our.seat == their.seat and our.points in {s.points for s in others}:
                return our, their
    return None


def answers_beyond_limits(names: Iterable[str], price: int | None, points: int) -> set[str]:
    """Return the bids and purchases that the players in their games never consider.

    These players open with 0 to 3 and raise by 1 to 3. They never bid or buy for more points than
    they have. Their engine itself has no limit.

    Parameters
    ----------
    names : iterable of str
        Our legal actions.
    price : int or None
        The highest bid; None before the opening bid.
    points : int
        The points of the seat.
    """
    first, most = (0, max(0, min(3, points))) if price is None else (price + 1, price + 3)
    bids = {f"bid {bid}" for bid in range(first, most + 1) if bid == 0 or bid <= points}
    kept = bids | {"pass", "sell", "buy"}
    if price is not None and price > points:
        kept.discard("buy")
    return set(names) - kept


def is_shared_town(game: Game) -> bool:
    """Return whether the current decision is about a town with several meeples."""
    town = game.position().town if game.phase == Phase.CASTLE else None
    return town is not None and len(feature_at(game.position(), *town).meeples) > 1


def is_from_castle(game: Game) -> bool:
    """Return whether the wagon that we must decide on comes home from a castle."""
    position = game.position()
    wagon = position.wagons[0]
    castles = [both_ends(castle) for castle in position.castles]
    return any((wagon.x, wagon.y, wagon.spot) in ends for ends in castles)


def lying_down(names: Iterable[str], position: Position) -> set[str]:
    """Return the moves that lay a wagon down on a surrounded special monastery."""
    spots = {name: name.split()[1:] for name in names if name.endswith(f" {Spot.lying.name}")}
    cells = {name: parse_cell(cell) for name, (cell, _) in spots.items()}
    return {
        name for name, cell in cells.items() if feature_at(position, *cell, Spot.mid).is_complete
    }


BEHIND_FIGURE = ("CastlePhase", "ShepherdPhase", "PlaceFerryPhase", "ChangeFerriesPhase")
"""Phases that they reach without asking for a figure if none can be placed."""


def left_out(game: Game, st: Line) -> tuple[str, Skip] | None:
    """Return the action that we must take before we can compare the state after a message, and why.

    They do not ask for this decision. None if there is no such decision.
    """
    if game.phase == Phase.FIGURE and st["phase"] in BEHIND_FIGURE:
        return "pass", Skip.ONLY_PASS
    is_asked = game.phase in PHASES.get(st["phase"], ()) and game.decider == st["active"]
    if not is_asked and is_shared_town(game):
        return "score", Skip.SHARED_TOWN
    if game.phase == Phase.ENTER and st["phase"] != "CocFollowerPhase":
        return "pass", Skip.ONLY_PASS
    if game.phase == Phase.JOIN and not is_asked and not game.position().leaves_last:
        return "pass", Skip.ONLY_PASS
    if game.phase == Phase.WAGON and not is_asked and is_from_castle(game):
        return "home", Skip.WAGON_FROM_CASTLE
    if game.phase == Phase.WAGON and not is_asked:
        names = {game.name(action) for action in game.legal_actions()} - {"home"}
        if names == lying_down(names, game.position()):
            return "home", Skip.LYING_WAGON
    return None


def second_left_out(names: set[str], st: Line) -> Skip | None:
    """Return why we ask for a second figure and they do not; None if they should ask.

    With them, passing rules out the second figure for the rest of the part (PHA-03). They offer an
    open tower only along with places on the tile just placed or reached through a portal, so they
    never ask if only towers are open (PHA-09). They ask for tokens in a separate, later phase.

    Parameters
    ----------
    names : set of str
        Our legal actions.
    st : dict
        Their state.
    """
    if "no_phantom" in st:
        return Skip.SECOND_ONLY
    others = ("top ", "tunnel ") if st["phase"] == "TunnelPhase" else ("top ",)
    is_only_towers = all(name == "pass" or name.startswith(others) for name in names)
    return Skip.TOWERS_ONLY if is_only_towers and st["phase"] != "PhantomPhase" else None


def is_behind(game: Game, line: Line) -> bool:
    """Return whether our game waits for a decision that they skipped on the way to a message."""
    if line["act"] == "COMMIT":
        asked = (Phase.FIGURE, Phase.SECOND)
        return line["phase"] == "CommitActionPhase" and game.phase in asked
    return game.phase not in PHASES[line["phase"]]


def last_round_skips(messages: Sequence[Line]) -> dict[int, Skip] | None:
    """Return the messages that their last round repeats (ABB-23): index -> reason to skip.

    While the last turn player has an abbey, they go round until abbeys or holes are used up; we
    ask each seat once. Declining does not change the board. If a seat declines and places its abbey
    in a later round, our game places it in the first round and skips all answers that declined
    since then. Seats that declined before it are not asked again in our game; in theirs, they may
    decline again. If one of them places its abbey later, no order of answers in one round leads to
    the same game, and the result is None.
    """
    skips: dict[int, Skip] = {}
    asked: set[int] = set()
    declined: list[int] = []
    for index, line in enumerate(messages):
        if line["phase"] != LAST_ROUND:
            continue
        seat = line["player"]
        if line["act"] == "PASS" and seat in asked:
            skips[index] = Skip.ASKED_AGAIN
        elif line["act"] == "PASS":
            declined.append(index)
        elif seat in asked:
            return None
        else:
            seats = [messages[k]["player"] for k in declined]
            first = seats.index(seat) if seat in seats else len(seats)
            asked |= {*seats[:first], seat}
            for k in declined[first:]:
                is_asked = messages[k]["player"] in seats[:first]
                skips[k] = Skip.ASKED_AGAIN if is_asked else Skip.TAKEN_BACK
            declined = []
    return skips


def is_other_round(messages: Sequence[Line], index: int, skips: dict[int, Skip]) -> bool:
    """Return whether the state after a message belongs to a repeated part of their last round."""
    if messages[index]["st"]["phase"] == "GameOverPhase":
        return False
    return index in skips or skips.get(index + 1) == Skip.ASKED_AGAIN
