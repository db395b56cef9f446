"""Ends of games, on boards where something rare is about to happen, to compare with the oracle."""

import random
from collections import Counter
from dataclasses import fields, replace
from typing import NamedTuple

from carc_env import Game, Rules
from carc_env.engine.core.codes import Figure, Phase
from carc_env.game.notation import parse_position
from scripts.golden import PLAN
from tests.oracle import watchtowers, wind_roses
from tests.oracle.bazaars import is_bazaar_tile
from tests.oracle.board import features
from tests.oracle.tiles import tile_counts


class ShortGame(NamedTuple):
    """The end of a game, on a board where something rare is about to happen."""

    rules: Rules
    board: str
    """Tiles with their figures, and castles, in the notation."""
    tiles: str
    """The tile in hand and the tiles drawn after it."""
    n_more: int
    """Number of further tiles in the bag, drawn at random; all other tiles are set aside."""
    seed: int
    """The seed of a game in which everything rare happens."""
    comes_to: set[str]
    """What happens in that game; see :func:`marks`."""


SHORT_GAMES = {
    name: ShortGame(
        **told | {"rules": Rules.from_dict(told["rules"]), "comes_to": {*told["comes_to"]}}
    )
    for name, told in PLAN["short"].items()
}


def marks(position):
    """Yield the phase of a position, its fields that are not empty, and what is rare about it."""
    yield position.phase.name.lower()
    yield from (f"has {field.name}" for field in fields(position) if getattr(position, field.name))
    bazaar, part = position.bazaar, position.first_part
    if part is not None:
        if position.phase == Phase.DRAW_OR_ABBEY:
            yield "abbey in a second part"
        if any(f.figure == Figure.ABBOT and (f.x, f.y) == part for f in position.figures):
            yield "abbot of the first part"
        if position.has_dug:
            yield "part after a token"
    if position.had_dug:
        yield "token before a bazaar"
    if position.joined:
        yield "parted behind a token"
    if bazaar is not None:
        if part is not None and not bazaar.waits:
            yield "part of a round"
        if bazaar.owed is not None:
            yield "owed behind another" if position.delayed else "owed"
        if bazaar.waits:
            yield "waits before another" if is_in_hand(position, is_bazaar_tile) else "waits"
    if watchtowers.points(position):
        yield "points of a tower"
    if wind_roses.has_scored(position):
        yield "a tile in its quarter"
    if any(field.barns and field.passing != field.meeples for field in features(position)):
        yield "pig beside a barn"


def is_in_hand(position, kind):
    """Return whether the tile in hand is of a kind."""
    return position.tile_in_hand is not None and kind(position.tile_in_hand)


def begun(short, seed):
    """Begin one of the short games; the seed determines the bag and all random draws."""
    hand, *first = short.tiles.split()
    made = parse_position(
        f"""
        [carc_env position 1]
        [rules {short.rules.to_yaml()}]
        [scores {":".join("0" * short.rules.n_players)}]
        [turn A places {hand}]
        {short.board}
        """
    )
    left = Counter(tile_counts(short.rules)) - Counter(tile.tile for tile in made.tiles)
    left.subtract([hand, *first])
    left = sorted(left.elements())
    random.Random(seed).shuffle(left)
    bag, aside = (*first, *left[: short.n_more]), tuple(left[short.n_more :])
    game = Game.from_position(replace(made, bag=bag, aside=aside))
    game.states["rng"] = seed
    return game
