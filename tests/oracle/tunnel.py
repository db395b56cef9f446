"""The Tunnel (docs/rules/tunnel.md): mouths, the tokens on them, and the roads that they join."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace

from carc_env.engine.core.codes import Phase, Spot
from carc_env.position import Position, Token
from carc_env.rules import Rules

from .phases import is_placed, is_unscored
from .tiles import Place, segments_of

Joined = tuple[tuple[Place, Place], ...]


def n_pairs(rules: Rules) -> int:
    """Return how many pairs of tokens a player has (TUN-02)."""
    if not rules.tunnels:
        return 0
    few = {"3/2": (3, 2), "2/1": (2, 1), "1/1": (1, 1)}[rules.tunnel_sets]
    return few[rules.n_players - 2] if rules.n_players < 4 else 1


def mouths(position: Position) -> list[Place]:
    """List the tunnel mouths on the board, tile by tile (TUN-01)."""
    if not position.rules.tunnels:
        return []
    return [s.place for tile in position.tiles for s in segments_of(tile) if s.is_mouth]


def place_of(token: Token) -> Place:
    return token.x, token.y, token.spot


def lying(position: Position) -> dict[tuple[int, int], list[Place]]:
    """Return the places of the tokens of each pair, by seat and pair number."""
    found = defaultdict(list)
    for token in position.tunnels:
        found[token.seat, token.pair].append(place_of(token))
    return found


def joined(position: Position) -> Joined:
    """List the pairs of mouths that tokens join (TUN-07)."""
    found = (tuple(places) for places in lying(position).values())
    return tuple(pair for pair in found if len(pair) == 2)


def open_mouths(position: Position) -> set[Place]:
    """Return the mouths where roads are open: all mouths that are not joined (TUN-06)."""
    return set(mouths(position)) - {place for pair in joined(position) for place in pair}


def choices(position: Position) -> set[tuple[Place, int]]:
    """Return the mouths where the decider may lay a token, with its pair (TUN-03, TUN-04).

    Unused pairs are equivalent, so only the first of them is listed.
    """
    seat, n = position.decider, n_pairs(position.rules)
    if position.has_dug:
        return set()
    n_lying = {pair: len(lying(position)[seat, pair]) for pair in range(1, n + 1)}
    unused = [pair for pair in n_lying if n_lying[pair] == 0]
    pairs = {pair for pair in n_lying if n_lying[pair] == 1} | set(unused[:1])
    free = set(mouths(position)) - set(map(place_of, position.tunnels))
    return {(place, pair) for place in free for pair in pairs}


def tokens(position: Position) -> set[str]:
    """Return the names of the tokens that the decider may lay."""
    return {f"tunnel {x},{y} {spot.name} {pair}" for (x, y, spot), pair in choices(position)}


def laid(position: Position, name: str) -> Position:
    """Lay the named token."""
    _, cell, spot, pair = name.split()
    x, y = map(int, cell.split(","))
    place = (x, y, Spot[spot])
    found = [*position.tunnels, Token(*place, position.decider, int(pair))]
    order = mouths(position)
    found.sort(key=lambda token: order.index(place_of(token)))
    return replace(position, tunnels=tuple(found), has_dug=True, dug_at=place)


# --- Impossible positions -----------------------------------------------------------------------


def wrong_tunnels(position: Position) -> Iterator[str]:
    """Report tokens that do not exist or are on impossible places, and wrong records."""
    rules, there = position.rules, mouths(position)
    for seat, pair in lying(position):
        if not (0 <= seat < rules.n_players and 1 <= pair <= n_pairs(rules)):
            yield f"seat {seat} has no pair {pair}"
        elif pair > 1 and not lying(position)[seat, pair - 1]:
            yield f"seat {seat} has begun pair {pair} first"
    if any(len(places) > 2 for places in lying(position).values()):
        yield f"{position.tunnels} are more than two of a pair"
    for place, n in Counter(map(place_of, position.tunnels)).items():
        if place not in there or n > 1:
            yield f"{n} tokens lie at {place}"
    yield from wrong_notes(position)
    if position.phase == Phase.TUNNEL and not choices(position):
        yield f"seat {position.decider} can lay no token"


def wrong_notes(position: Position) -> Iterator[str]:
    """Report impossible records of a turn (TUN-04)."""
    has_laid = {token.seat for token in position.tunnels}
    if position.dug_at is not None:
        own = [place_of(t) for t in position.tunnels if t.seat == position.turn_player]
        if not position.has_dug or position.dug_at not in own or not is_due(position):
            yield f"a token was laid at {position.dug_at}"
    if position.has_dug:
        begins = position.phase in (Phase.DRAW_OR_ABBEY, Phase.PLACE_TILE, Phase.INGOT)
        is_new = position.dug_at is None and (begins or is_due(position))
        if is_new and position.first_part is None:
            yield "a token was laid in no part of this turn"
        if position.turn_player not in has_laid or position.phase == Phase.GAME_OVER:
            yield "a token was laid by nobody"
    if position.had_dug:
        bazaar = position.bazaar
        if bazaar is None or bazaar.owed is None or bazaar.resumes not in has_laid:
            yield "a token was laid in no first part"


def is_due(position: Position) -> bool:
    """Return whether a road completed by this placement's token may still be scored."""
    if position.phase == Phase.FLIGHT and position.rules.dragon_timing == "after_scoring":
        return False
    scoring = position.phase in (Phase.CASTLE_CHOICE, Phase.SHARE)
    return is_placed(position) and (is_unscored(position) or scoring)
