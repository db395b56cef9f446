"""The Tunnel: tokens on tunnel mouths."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from carc_env.engine import entry
from carc_env.engine.core.codes import Block, Phase, Plane, Problem, Stock
from carc_env.position import Place, Position, Token
from carc_env.rules import Rules
from carc_env.sets.tunnel.record import (
    MAX_PAIRS,
    N_MOUTHS,
    NO_MOUTH,
    NO_TOKEN,
    TOKENS_PER_PAIR,
)
from carc_env.systems.declaring import (
    Actions,
    Anchor,
    Choice,
    Fields,
    Planes,
    Question,
    Record,
    Supply,
    System,
    Text,
)
from carc_env.systems.places import named
from carc_env.words import (
    CELL,
    SEATS,
    NotationError,
    Page,
    format_segment,
    parse_segment,
)

NOW, BEFORE = "now", "before"
_TOKEN = re.compile(rf"(?P<place>{CELL} [NESW]) (?P<seat>[A-F])(?P<pair>[1-{MAX_PAIRS}])")


def n_mouths(rules: Rules) -> int:
    """Return how many mouths a game's tiles show."""
    return int(rules.tile_counts @ N_MOUTHS) if rules.tunnels else 0


def _set_switches(record: Any, rules: Rules) -> None:
    record.lays_pairs = rules.room.tunnel_pairs


def _size(rules: Rules) -> int:
    return n_mouths(rules) * rules.tunnel_pairs


def _token(k: int, rules: Rules) -> Choice:
    mouth, pair = divmod(k, rules.tunnel_pairs or 1)
    return Choice("tunnel", (mouth, 0), number=pair + 1)


def _each(rules: Rules) -> int:
    return rules.tunnel_pairs * TOKENS_PER_PAIR


def _has_owed(rules: Rules) -> bool:
    return rules.bazaars and rules.builders


# Positions as text.


def _read(page: Page) -> Fields:
    fields: Fields = {
        "tunnels": tuple(_parse_token(text, line) for line, text in page.listed("tunnels"))
    }
    for line, text in page.listed("dug"):
        if text == BEFORE:
            fields["had_dug"] = True
            continue
        fields["has_dug"] = True
        if text != NOW:
            fields["dug_at"] = parse_segment(text, line)
    return fields


def _parse_token(text: str, line: int) -> Token:
    if not (match := _TOKEN.fullmatch(text)):
        raise NotationError(line, f"expected a token such as '3,-1 N A1', found {text!r}")
    x, y, spot = parse_segment(match["place"], line)
    return Token(x, y, spot, SEATS.index(match["seat"]), int(match["pair"]))


def _write(position: Position) -> Iterator[str]:
    if position.tunnels:
        yield f"tunnels {', '.join(map(_format_token, position.tunnels))}"
    dug = [format_segment(position.dug_at) if position.dug_at else NOW] * position.has_dug
    if dug := [*dug, *[BEFORE] * position.had_dug]:
        yield f"dug {', '.join(dug)}"


def _format_token(token: Token) -> str:
    return f"{format_segment((token.x, token.y, token.spot))} {SEATS[token.seat]}{token.pair}"


# Positions in the record.


def _of_record(states: npt.NDArray[Any], i: int) -> Fields:
    s = states[i]
    mouths = s.mouths[: int(s.n_mouths)]
    new = int(s.new_mouth)
    return {
        "tunnels": tuple(_token_of(s, mouth) for mouth in mouths if mouth.token != NO_TOKEN),
        "has_dug": bool(s.dug),
        "dug_at": None if new == NO_MOUTH else named(s, int(mouths[new].segment)),
        "had_dug": bool(s.owed_dug),
    }


def _token_of(s: Any, mouth: Any) -> Token:
    seat, pair = divmod(int(mouth.token), MAX_PAIRS)
    return Token(*named(s, int(mouth.segment)), seat, pair + 1)


def _into_record(states: npt.NDArray[Any], position: Position) -> None:
    s, rules = states[0], position.rules
    if not rules.tunnels:
        if position.tunnels or position.has_dug or position.had_dug:
            raise ValueError("there are tokens on mouths of tunnels, but the rules have no tunnels")
        return
    segments = [int(mouth.segment) for mouth in s.mouths[: int(s.n_mouths)]]
    mouths = {named(s, segment): k for k, segment in enumerate(segments)}
    laid: dict[int, list[int]] = {}
    for token in position.tunnels:
        mouth, number = _mouth_under(s, position, token, mouths), _number_of(token)
        s.mouths[mouth].token = number
        s.players[token.seat].stock[Stock.TUNNEL] -= 1
        laid.setdefault(number, []).append(segments[mouth])
        if len(laid[number]) > TOKENS_PER_PAIR:
            raise ValueError(f"{_where(token)}: both tokens of that pair lie already (TUN-02)")
    for found in laid.values():
        if len(found) == TOKENS_PER_PAIR:
            entry.connect(states, 0, *found)
    s.dug, s.owed_dug = position.has_dug, position.had_dug
    if position.dug_at is not None:
        if position.dug_at not in mouths:
            where = format_segment(position.dug_at)
            raise ValueError(f"[dug {where}]: no mouth of a tunnel is there (TUN-03)")
        s.new_mouth = mouths[position.dug_at]


def _number_of(token: Token) -> int:
    return token.seat * MAX_PAIRS + token.pair - 1


def _where(token: Token) -> str:
    return f"token {_format_token(token)}"


def _mouth_under(s: Any, position: Position, token: Token, mouths: dict[Place, int]) -> int:
    """Return the number of the mouth on which a token lies, if it has no other token."""
    rules, place = position.rules, (token.x, token.y, token.spot)
    if not (0 <= token.seat < rules.n_players and 1 <= token.pair <= rules.tunnel_pairs):
        pairs = f"{rules.n_players} seats with {rules.tunnel_pairs} pairs each"
        raise ValueError(f"{_where(token)}: there are {pairs} (TUN-02)")
    if place not in mouths or s.mouths[mouths[place]].token != NO_TOKEN:
        raise ValueError(f"{_where(token)}: no mouth of a tunnel is free there (TUN-03)")
    return mouths[place]


def _check(_: npt.NDArray[Any], position: Position, n_legal: int) -> None:
    if position.phase == Phase.TUNNEL and n_legal < 2:
        seat = SEATS[position.turn_player]
        raise ValueError(f"{seat} cannot lay a token in this turn (TUN-03, TUN-04)")


TUNNEL = System(
    name="tunnel",
    is_on=lambda rules: rules.tunnels,
    switches=("tunnels", "tunnel_sets", "tunnel_breaks_road"),
    set_switches=_set_switches,
    questions=(
        Question(
            Phase.TUNNEL,
            "digs",
            "LAY A TOKEN",
            "turn player",
            asks="Do you lay a token on the mouth of a tunnel, and on which?",
        ),
    ),
    actions=(
        Actions(
            Block.TUNNEL,
            "put a token on a tunnel mouth: the mouths in the order in which their tiles were "
            "placed, each with the number of the pair",
            _size,
            _token,
            Anchor.MOUTH,
        ),
    ),
    planes=(
        Planes(
            Plane.TUNNEL,
            (*(f"mouth {side}" for side in "NESW"), *(f"token {side}" for side in "NESW")),
            "the road at a side ends at the mouth of a tunnel; a token lies there",
            "the number of the mouth, from 1; of the pair: 1 to 3 for the observer, then the "
            "next three for each further seat clockwise",
        ),
    ),
    supplies=(Supply(Stock.TUNNEL, "tunnel tokens", _each, _each, "tunnel"),),
    numbers=lambda rules: ("dug", *["owed dug"] * _has_owed(rules)),
    meanings=(
        ("dug", "1: a token for tunnels was laid in this turn"),
        ("owed dug", "1: a token was laid in the turn that continues after the bazaar"),
    ),
    problems={
        Problem.TUNNELS: "tokens for tunnels are lost or duplicated, a pair is begun before the "
        "previous one, or [dug ...] does not match the turn (TUN-02, TUN-04)"
    },
    text=Text(("tunnels", "dug"), _read, _write),
    record=Record(_of_record, _into_record),
    check=_check,
)
