"""The Count of Carcassonne: the city on the table, its quarters, and the count."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from carc_env.engine.core.codes import (
    N_MEEPLES,
    N_QUARTERS,
    Block,
    Figure,
    Phase,
    Plane,
    Problem,
    Quarter,
)
from carc_env.position import Position, Waiting
from carc_env.rules import Rules
from carc_env.sets.count.kernels import MAY_WAIT, WELCOME
from carc_env.sets.count.record import BY_PLAYER, CLOCKWISE, FOLLOWS, IN_PLAY
from carc_env.systems.declaring import (
    Actions,
    Choice,
    Fields,
    Planes,
    Question,
    Record,
    System,
    Text,
)
from carc_env.words import (
    FIGURE_OF,
    SEATS,
    NotationError,
    Page,
    format_cell,
    parse_seat,
    split_words,
)

MEEPLES = tuple(WELCOME)
MOVES = {"player": BY_PLAYER, "clockwise": CLOCKWISE, "follow": FOLLOWS}
QUARTER_NAMED = {quarter.name.lower(): quarter for quarter in Quarter}
AT_THE_END = " at the end"
NOW, BEFORE = "now", "before"
"""When a meeple entered: in this turn, in the turn that continues after the bazaar, or in both."""
_WAITING = re.compile(r"(?P<seat>[A-F]) (?P<figure>[a-z]+) (?P<quarter>[a-z]+)")


def _enter(k: int, _: Rules) -> Choice:
    kind, quarter = divmod(k, N_QUARTERS)
    return Choice("enter", figure=MEEPLES[kind], quarter=Quarter(quarter))


def _count(k: int, _: Rules) -> Choice:
    return Choice("count", quarter=Quarter(k))


def owes_entry(rules: Rules) -> bool:
    """Return whether a turn that a bazaar interrupts must remember a meeple's entry."""
    return rules.bazaars and rules.builders and rules.count_per_turn == "turn"


def places_in_play(rules: Rules) -> tuple[tuple[Figure, Quarter], ...]:
    """Return the kinds of meeples that players have, with each quarter where they may wait."""
    return tuple((figure, quarter) for figure in rules.meeples for quarter in WELCOME[figure])


def _numbers(rules: Rules) -> tuple[str, ...]:
    names = [f"count {quarter.name.lower()}" for quarter in Quarter]
    names += ["entered", *["entered before"] * owes_entry(rules), "last moves"]
    for seat in range(rules.n_players):
        names += [f"scored {seat}", f"declined {seat}"]
        names += [
            f"{figure.name.lower()}s {seat} {quarter.name.lower()}"
            for figure, quarter in places_in_play(rules)
        ]
    return tuple(names)


def _set_switches(record: Any, rules: Rules) -> None:
    record.carcassonne = rules.has_carcassonne
    record.block_buildable = rules.block_buildable
    record.count = rules.has_count
    record.enters_each_part = rules.count_per_turn == "placement"
    record.joins_unoccupied = rules.count_join_unoccupied
    record.any_leaves_last = rules.last_to_leave == "any"
    record.count_move = MOVES[rules.count_move]
    record.count_without_joins = not rules.count_on_connection


# Positions as text.


def _read(page: Page) -> Fields:
    fields: Fields = {"count": Quarter.CASTLE if page.rules.has_count else None}
    if found := page.find("count"):
        fields["count"] = _parse_quarter(found[1], found[0])
    waiting = [_parse_waiting(text, line) for line, text in page.listed("quarters")]
    fields["waiting"] = tuple(sorted(waiting))
    fields["scored"] = _read_seats(page, "scored")
    fields["declined"] = _read_seats(page, "declined")
    if found := page.find("entered"):
        when = found[1].split(", ") if found[1] else [NOW]
        if not set(when) <= {NOW, BEFORE}:
            raise NotationError(found[0], f"expected [entered] or [entered before], not {when}")
        fields["has_entered"], fields["had_entered"] = NOW in when, BEFORE in when
    asks = page.phase in (Phase.JOIN, Phase.JOIN_SPOT)
    if asks != ((found := page.find("leaves")) is not None):
        raise NotationError(
            page.turn_line, "[leaves ...] goes with a turn that joins: write both, or neither"
        )
    if found:
        seat = found[1].removesuffix(AT_THE_END)
        fields["decider"] = parse_seat(seat, found[0])
        fields["leaves_last"] = seat != found[1]
    return fields


def _read_seats(page: Page, word: str) -> tuple[int, ...]:
    if not (found := page.find(word)):
        return ()
    return tuple(sorted({parse_seat(seat, found[0]) for seat in split_words(found[1])}))


def _parse_quarter(text: str, line: int) -> Quarter:
    if text not in QUARTER_NAMED:
        raise NotationError(line, f"expected a quarter from {', '.join(QUARTER_NAMED)}: {text!r}")
    return QUARTER_NAMED[text]


def _parse_waiting(text: str, line: int) -> Waiting:
    match = _WAITING.fullmatch(text)
    if not match or match["figure"] not in FIGURE_OF:
        raise NotationError(
            line, f"expected a waiting meeple such as 'A meeple market', found {text!r}"
        )
    quarter = _parse_quarter(match["quarter"], line)
    return Waiting(parse_seat(match["seat"], line), quarter, FIGURE_OF[match["figure"]])


def _write(position: Position) -> Iterator[str]:
    if position.count:  # he begins in the castle, whose number is 0
        yield f"count {position.count.name.lower()}"
    if position.waiting:
        waiting = [
            f"{SEATS[w.seat]} {w.figure.name.lower()} {w.quarter.name.lower()}"
            for w in position.waiting
        ]
        yield f"quarters {', '.join(waiting)}"
    if position.scored:
        yield f"scored {_format_seats(position.scored)}"
    if position.has_entered or position.had_entered:
        when = [NOW] * position.has_entered + [BEFORE] * position.had_entered
        yield "entered" if when == [NOW] else f"entered {', '.join(when)}"
    if position.phase in (Phase.JOIN, Phase.JOIN_SPOT):
        yield f"leaves {SEATS[position.decider]}{AT_THE_END * position.leaves_last}"
    if position.declined:
        yield f"declined {_format_seats(position.declined)}"


def _format_seats(seats: tuple[int, ...]) -> str:
    return " ".join(SEATS[seat] for seat in seats)


# Positions in the record.


def _seats_in(bits: int) -> tuple[int, ...]:
    return tuple(seat for seat in range(len(SEATS)) if bits >> seat & 1)


def _of_record(states: npt.NDArray[Any], i: int) -> Fields:
    s = states[i]
    is_last = int(s.declined) != IN_PLAY
    waiting = [
        Waiting(seat, Quarter(quarter), MEEPLES[kind])
        for seat, player in enumerate(s.players[: int(s.rules.n_players)])
        for quarter, kinds in enumerate(player.waiting.tolist())
        for kind, n in enumerate(kinds)
        for _ in range(n)
    ]
    return {
        "count": Quarter(int(s.count)) if s.rules.count else None,
        "waiting": tuple(waiting),
        "scored": _seats_in(int(s.scored)),
        "has_entered": bool(s.entered),
        "had_entered": bool(s.owed_entered),
        "leaves_last": is_last,
        "declined": _seats_in(int(s.declined)) if is_last else (),
    }


def _into_record(states: npt.NDArray[Any], position: Position) -> None:
    s, rules = states[0], position.rules
    if (position.count is not None) != rules.has_count:
        raise ValueError("[count ...] is for rules with the count, which need it (COU-03)")
    if not rules.has_count:
        if position.waiting or position.scored or position.has_entered or position.had_entered:
            raise ValueError("a meeple is, or may go, in Carcassonne, but the rules have no count")
        return
    s.count = position.count
    for waiting in position.waiting:
        _send(s, position, waiting)
    for name in ("scored", "declined"):
        if any(seat >= rules.n_players for seat in getattr(position, name)):
            raise ValueError(f"[{name} ...]: there are only {rules.n_players} seats")
    s.scored = sum(1 << seat for seat in position.scored)
    s.entered, s.owed_entered = position.has_entered, position.had_entered
    if position.leaves_last:
        s.declined = sum(1 << seat for seat in position.declined)
    elif position.declined:
        raise ValueError("[declined ...] belongs to moves at the end of the game (COU-19)")


def _send(s: Any, position: Position, waiting: Waiting) -> None:
    """Move a meeple from the supply to a quarter."""
    figure, quarter = waiting.figure, waiting.quarter
    where = f"{figure.name.lower()} in the {quarter.name.lower()}"
    if not 0 <= waiting.seat < position.rules.n_players:
        raise ValueError(f"{where}: there are {position.rules.n_players} seats")
    if figure >= N_MEEPLES or not MAY_WAIT[figure, quarter]:
        raise ValueError(f"{where}: it may not go there (COU-09)")
    if s.players[waiting.seat].supply[figure] == 0:
        raise ValueError(f"{where}: none is left in the supply of {SEATS[waiting.seat]}")
    s.players[waiting.seat].supply[figure] -= 1
    s.players[waiting.seat].waiting[quarter, figure] += 1


def _check_entered(position: Position) -> None:
    """Raise a ``ValueError`` unless meeples entered after scoring or in the first part (COU-06)."""
    phase, rules = position.phase, position.rules
    is_second = position.first_part is not None and phase != Phase.ENTER
    is_late = rules.dragon_timing == "after_scoring" and phase == Phase.FLIGHT
    is_behind = Phase.COUNT <= phase <= Phase.BAZAAR_DEAL
    if position.has_entered and not (is_second or is_late or is_behind):
        raise ValueError("[entered]: no meeple can have gone into Carcassonne in this turn yet")
    is_owed = position.bazaar is not None and position.bazaar.owed is not None
    if position.had_entered and not is_owed:
        raise ValueError(
            "[entered before] needs [owed ...], the part of the turn in which the meeple entered"
        )
    if phase == Phase.COUNT and rules.count_per_turn == "turn" and not position.has_entered:
        raise ValueError(
            "the player who moves the count has put a meeple into Carcassonne: write [entered]"
        )


def _check(_: npt.NDArray[Any], position: Position, n_legal: int) -> None:
    _check_entered(position)
    if position.decider in position.declined:
        raise ValueError(f"[declined ...]: {SEATS[position.decider]} is asked again (COU-19)")
    if position.phase == Phase.JOIN and n_legal < 2:
        raise ValueError(
            f"{SEATS[position.decider]} cannot move a meeple out of Carcassonne: none waits in "
            "the quarter of what is scored, or the count is there (COU-12, COU-13)"
        )
    if position.phase == Phase.JOIN_SPOT and n_legal == 0:
        where = format_cell(position.chosen_cell) if position.chosen_cell else "no tile"
        raise ValueError(f"no meeple can go to {where} from Carcassonne (COU-16)")
    if position.phase == Phase.ENTER and n_legal < 2:
        raise ValueError("no meeple in the supply could go into Carcassonne (COU-04)")
    if position.phase == Phase.COUNT and not any(
        waiting.seat == position.turn_player for waiting in position.waiting
    ):
        raise ValueError(
            "the player who moves the count must have just put a meeple into Carcassonne (COU-05)"
        )


def _has_count(rules: Rules) -> bool:
    return rules.has_count


COUNT = System(
    name="count",
    is_on=lambda rules: rules.has_carcassonne,
    switches=(
        "count",
        "count_per_turn",
        "count_join_unoccupied",
        "count_final",
        "count_move",
        "count_on_connection",
        "count_with_river",
        "block_buildable",
        "count_start_tile",
    ),
    questions=(
        Question(
            Phase.JOIN,
            "joins",
            "LEAVE CARCASSONNE",
            "every player with meeples in the right quarter, the turn player last",
            when=_has_count,
            asks="Does one of your meeples leave Carcassonne for a feature that scores, and for "
            "which tile?",
        ),
        Question(
            Phase.JOIN_SPOT,
            "joins at",
            "LEAVE CARCASSONNE",
            "player who chose the tile",
            when=_has_count,
            about="chosen_cell",
            asks="Which meeple comes to that tile, and where does it stand?",
        ),
        Question(
            Phase.ENTER,
            "enters",
            "GO INTO CARCASSONNE",
            "turn player",
            when=_has_count,
            asks="Does one of your meeples go into Carcassonne, and into which quarter?",
        ),
        Question(
            Phase.COUNT,
            "moves the count",
            "MOVE THE COUNT",
            "player who put a meeple into Carcassonne",
            when=lambda rules: rules.has_count and rules.count_move == "player",
            passing="stay",
            asks="Where does the count go, or does he stay?",
        ),
    ),
    actions=(
        Actions(
            Block.ENTER,
            "put a meeple into a quarter of Carcassonne: its kind (meeple, large, abbot, mayor, "
            "wagon, phantom) times castle, market, blacksmith, cathedral",
            lambda rules: rules.n_meeples_named * N_QUARTERS,
            _enter,
            when=_has_count,
        ),
        Actions(
            Block.COUNT,
            "move the count to a quarter: castle, market, blacksmith, cathedral",
            lambda _: N_QUARTERS,
            _count,
            when=lambda rules: rules.has_count and rules.count_move == "player",
        ),
    ),
    planes=(
        Planes(
            Plane.CARCASSONNE,
            ("carcassonne",),
            "the tile is part of the city of Carcassonne",
            "1, or 2 in its middle, which the dragon does not enter",
        ),
    ),
    numbers=lambda rules: _numbers(rules) if rules.has_count else (),
    meanings=(
        *((f"count {name}", "1: the count stands in this quarter") for name in QUARTER_NAMED),
        ("entered", "1: a meeple entered Carcassonne in this turn"),
        ("entered before", "1: a meeple entered in the turn that continues after the bazaar"),
        ("last moves", "1: meeples leave Carcassonne for the last time, before the end"),
        ("scored #", "1: the seat has scored a feature because of the tile just placed"),
        ("declined #", "1: the seat has stopped moving meeples at the end of the game"),
        *(
            (
                f"{figure.name.lower()}s # {quarter.name.lower()}",
                "figures that wait in this quarter, as a share of all of this kind",
            )
            for figure, quarters in WELCOME.items()
            for quarter in quarters
        ),
    ),
    problems={
        Problem.COUNT: "a meeple waits in Carcassonne that may not, or [scored ...], [entered] "
        "or moves at the end do not match the turn (COU-04, COU-06, COU-09, "
        "COU-19)"
    },
    set_switches=_set_switches,
    text=Text(("count", "quarters", "scored", "entered", "leaves", "declined"), _read, _write),
    record=Record(_of_record, _into_record),
    check=_check,
)
