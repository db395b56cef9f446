"""Hills, vineyards and shepherds (docs/rules/hills-sheep.md): ties, hidden tiles and flocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from carc_env.engine.core.codes import Figure, Phase
from carc_env.position import PlacedFigure, Position

from .board import Feature, around, feature_at
from .phases import ACTING
from .tiles import FACTS

#: Number of copies of each sheep token in the box (HS-01); 0 is a wolf.
TOKENS = {1: 4, 2: 5, 3: 5, 4: 2, 0: 2}


def winners_of_tie(
    feature: Feature, tied: list[int], fighters: Iterable[PlacedFigure]
) -> list[int]:
    """List the tied seats that win because of hills, or all if hills do not decide (HS-03, HS-04).

    ``fighters`` are the meeples with a strength above 0 (HS-07).
    """
    on_hills = Counter(f.seat for f in fighters if f.seat in tied and (f.x, f.y) in feature.hills)
    if not on_hills:
        return tied
    least = max(on_hills.values()) if feature.counts_hills else 1
    return [seat for seat in tied if on_hills[seat] >= least]


def vineyard_points(position: Position, feature: Feature) -> int:
    """Return 3 points for each vineyard around a complete monastery (HS-15, HS-16)."""
    if not (position.rules.vineyards and feature.is_complete):
        return 0
    ((x, y),) = feature.tiles
    if any((t.x, t.y) == (x, y) and FACTS[t.tile].get("hut") for t in position.tiles):
        return 0
    near = around(x, y)
    return 3 * sum(
        FACTS[tile.tile].get("vineyard", False)
        for tile in position.tiles
        if (tile.x, tile.y) in near
    )


def covered(position: Position) -> Position:
    """Put the next tile under a hill that was just placed (HS-02)."""
    is_hill = FACTS[position.tiles[-1].tile].get("hill", False)
    if not (position.rules.hills and is_hill and position.bag):
        return position
    tile, *rest = position.bag
    return replace(position, hidden=(*position.hidden, tile), bag=tuple(rest))


# --- Shepherds ----------------------------------------------------------------------------------


def shepherds(position: Position) -> list[PlacedFigure]:
    """List all shepherds on the board."""
    return [figure for figure in position.figures if figure.figure == Figure.SHEPHERD]


def pasture(position: Position, shepherd: PlacedFigure) -> Feature:
    """Return the field of a shepherd."""
    return feature_at(position, shepherd.x, shepherd.y, shepherd.spot)


def has_shepherd(feature: Feature) -> bool:
    """Return whether a field has a shepherd, so that no other may enter it (HS-27)."""
    return any(figure.figure == Figure.SHEPHERD for figure in feature.figures)


def in_bag(position: Position) -> Counter[int]:
    """Count the tokens in the bag (HS-44)."""
    return Counter(TOKENS) - Counter(n for tokens in position.sheep for n in tokens)


def gone_home(position: Position, field: Feature, points: int) -> Position:
    """Remove a field's shepherds with their tokens, and give each owner ``points``."""
    home = [figure for figure in field.figures if figure.figure == Figure.SHEPHERD]
    seats = {shepherd.seat for shepherd in home}
    return replace(
        position,
        figures=tuple(figure for figure in position.figures if figure not in home),
        sheep=tuple(() if k in seats else tokens for k, tokens in enumerate(position.sheep)),
        scores=tuple(n + points * (seat in seats) for seat, n in enumerate(position.scores)),
    )


def grown(position: Position, seat: int, token: int) -> Position:
    """Add a token to a flock; a wolf returns all shepherds of the field (HS-26, HS-30, HS-32)."""
    (shepherd,) = (f for f in shepherds(position) if f.seat == seat)
    if token == 0:
        return gone_home(position, pasture(position, shepherd), 0)
    flocks = list(position.sheep)
    flocks[seat] = tuple(sorted([*flocks[seat], token]))
    return replace(position, sheep=tuple(flocks))


def herded(position: Position, field: Feature) -> Position:
    """Score all sheep of a field for the owner of every shepherd in it (HS-31, HS-32)."""
    seats = {f.seat for f in field.figures if f.figure == Figure.SHEPHERD}
    return gone_home(position, field, sum(sum(position.sheep[seat]) for seat in seats))


def extended(position: Position) -> PlacedFigure | None:
    """Return the turn player's shepherd if the last tile extends its field (HS-29, HS-33)."""
    last = position.tiles[-1]
    here = (last.x, last.y)
    for shepherd in shepherds(position):
        is_own = shepherd.seat == position.turn_player and (shepherd.x, shepherd.y) != here
        if is_own and here in pasture(position, shepherd).tiles:
            return shepherd
    return None


def is_closed(position: Position, field: Feature) -> bool:
    """Return whether no tile can extend a field: all cells next to it are occupied (HS-34)."""
    return field.faces <= {(tile.x, tile.y) for tile in position.tiles}


def closed_herded(position: Position, asked: PlacedFigure | None = None) -> Position:
    """Herd the flocks in closed fields (HS-34, HS-35), except the field of the asked shepherd."""
    for shepherd in shepherds(position):
        field = pasture(position, shepherd)
        if shepherd in position.figures and asked not in field.figures:
            if is_closed(position, field):
                position = herded(position, field)
    return position


# --- Impossible positions -----------------------------------------------------------------------


def wrong_hills(position: Position) -> Iterator[str]:
    """Report too many tiles under hills, or too few while the bag holds tiles (HS-02)."""
    n_hills = sum(FACTS[tile.tile].get("hill", False) for tile in position.tiles)
    if len(position.hidden) > n_hills * position.rules.hills:
        yield f"{position.hidden} lie under {n_hills} hills"
    if position.bag and position.rules.hills and len(position.hidden) < n_hills:
        yield f"{n_hills} hills hide {len(position.hidden)} tiles"


def wrong_flocks(position: Position) -> Iterator[str]:
    """Report sheep without a shepherd, shepherds without sheep, too many sheep and wrong phases."""
    if any(Counter(n for tokens in position.sheep for n in tokens)[n] > TOKENS[n] for n in TOKENS):
        yield f"{position.sheep} are more sheep than there are"
    for seat, tokens in enumerate(position.sheep):
        if bool(tokens) != any(f.seat == seat for f in shepherds(position)):
            yield f"seat {seat} has {tokens} sheep"
    if position.phase == Phase.FLOCK and extended(position) is None:
        yield "no flock was extended"
    asked = extended(position) if position.phase == Phase.FLOCK else None
    if position.phase not in ACTING:
        for shepherd in shepherds(position):
            field = pasture(position, shepherd)
            if is_closed(position, field) and asked not in field.figures:
                yield f"{shepherd} waits in a closed field"
