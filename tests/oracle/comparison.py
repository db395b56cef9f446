"""Comparison of the engine with the oracle, for each position and each move.

When array bounds are checked, the same games are played with the same calls to the engine, but
without the oracle, which would only repeat its results from the run without bounds checks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import takewhile
from typing import Any, Self

from carc_env import Game
from carc_env.engine.compiler.jit import BOUNDS_CHECK
from carc_env.engine.core.codes import Good, Phase
from carc_env.position import Place, PlacedFigure, Position
from tests.goods import goods_of

from . import naive, tunnel, turns
from .board import feature_at
from .problems import problems, unplayed
from .tiles import FACTS


class ComparedGame(Game):
    """A game of the engine that is compared with the oracle after each move."""

    @classmethod
    def from_position(cls, position: Position, *, seed: int = 0) -> Self:
        """Start from a position that both the engine and the oracle accept, or that both refuse."""
        try:
            game = super().from_position(position, seed=seed)
        except ValueError as refusal:
            assert BOUNDS_CHECK or problems(position), refusal
            raise
        compare(game, game.position())
        return game

    def step_unchecked(self, action: int) -> None:
        """Apply a legal action and compare the resulting position."""
        before, name, n_moves = self.position(), self.name(action), len(self.moves)
        super().step_unchecked(action)
        compare(self, compare_move(self, before, with_token(self, n_moves, name)))


#: Phases in which points change hands between players and no feature is scored.
PAYMENTS = (Phase.BAZAAR_BID, Phase.BAZAAR_DEAL)


def with_token(game: Game, n_moves: int, name: str) -> str:
    """Return the name of an action with the sheep token that was drawn, if there was one."""
    token = game.moves[n_moves].token
    return name if token is None else f"{name}{turns.DRAWS}{token}"


def compare(game: Game, position: Position) -> None:
    """Compare the legal actions by name, then everything else."""
    compare_legal(game, position)
    compare_the_rest(game, position)


def compare_legal(game: Game, position: Position) -> None:
    """Compare the legal actions by name."""
    offered = set(map(game.name, game.legal_actions()))
    wanted = offered if BOUNDS_CHECK else turns.legal(position)
    assert offered == wanted, offered ^ wanted


def compare_the_rest(game: Game, position: Position) -> None:
    """Compare winners, projected scores and supplies, and check that the position is possible."""
    found = game.winners if game.is_over else game.standings
    if BOUNDS_CHECK:
        return
    if game.is_over:
        assert list(found) == naive.winners(position.scores)
    else:
        assert found == naive.projected_scores(position), position
    for seat in range(game.rules.n_players):
        owned, supply, stock = naive.supply(position, seat), game.supply(seat), game.stock(seat)
        assert supply.items() <= owned.items()
        assert not any(n for figure, n in owned.items() if figure not in supply)
        for name in ("abbeys", "bridges", "tokens", "floors", "ingots"):
            hands = getattr(position, name)
            assert stock.get(name, 0) == (hands[seat] if hands else 0)
        if game.rules.tunnels:
            n_lying = sum(token.seat == seat for token in position.tunnels)
            in_hand = 2 * tunnel.n_pairs(game.rules) - n_lying
            assert stock["tunnel tokens"] == in_hand
        if game.rules.goods:
            assert goods_of(game, seat) == dict(zip(Good, position.goods[seat], strict=True))
    odd = problems(position)
    assert not odd, odd


def compare_move(game: Game, before: Position, name: str) -> Position:
    """Compare the position after a move and forced moves, check its scores, and return it."""
    position = game.position()
    if BOUNDS_CHECK:
        return position
    wanted = turns.following(in_drawn_order(before, game.draw), name)
    if game.rules.auto_single:
        wanted = turns.settled(wanted)
    assert not (odd := differences(position, wanted)), (odd, name, before)
    assert not (found := unplayed(position)) or unplayed(before), found
    if before.phase not in PAYMENTS and not name.startswith("ransom "):
        for seat, score in enumerate(game.scores):
            scored = sum(event.points for event in game.last_scores if event.seat == seat)
            assert score == before.scores[seat] + scored
    return position


def in_drawn_order(before: Position, draw: tuple[str, ...]) -> Position:
    """Return the position with its bag in the final drawing order.

    A dragon tile that is drawn before the dragon is in play goes back into the bag. The next other
    tile is drawn, and the rest is shuffled with a volcano before all dragon tiles (PD-07). A short
    deck may have no volcano left.
    """
    bag = before.bag or ()
    now = draw[len(draw) - len(bag) :]
    if now == bag:
        return before
    k = next(place for place, tile in enumerate(bag) if now[place] != tile)
    others = [tile for tile in bag[k:] if not FACTS[tile].get("dragon")]
    assert before.rules.dragon and before.rules.dragon_tiles_before_volcano == "withhold"
    assert before.dragon is None and bag[k] not in others and now[k] == others[0]
    before_volcano = [*takewhile(lambda tile: not FACTS[tile].get("volcano"), now[k:])]
    if len(before_volcano) < len(now[k:]):
        assert not any(FACTS[tile].get("dragon") for tile in before_volcano)
    assert sorted(now) == sorted(bag)
    return replace(before, bag=now)


def differences(position: Position, wanted: Position) -> dict[str, Any]:
    """Return the fields in which two positions differ, with both values."""
    if position == wanted:
        return {}
    position, wanted = comparable(position), comparable(wanted)
    return {
        name: (getattr(position, name), getattr(wanted, name))
        for name in Position.__slots__
        if getattr(position, name) != getattr(wanted, name)
    }


def in_place(figures: Iterable[PlacedFigure]) -> tuple[PlacedFigure, ...]:
    """Sort figures by their places."""
    return tuple(sorted(figures, key=lambda f: (f.x, f.y, f.spot, f.seat, f.figure)))


def comparable(position: Position) -> Position:
    """Normalise a position, so that equivalent positions compare equal.

    A castle can be named by either segment and a feature by any segment. Tiles aside have no order.
    After the end of the game, nobody is to move.
    """
    places = {(c.x, c.y, c.spot) for c in position.castles}
    named = {place: named_first(position, place) for place in {*places, *position.rolled}}
    found = [replace(c, **named[c.x, c.y, c.spot]) for c in position.castles]
    rolled = {tuple(named[place].values()) for place in position.rolled}
    position = replace(
        position,
        figures=in_place(position.figures),
        lords=in_place(position.lords),
        aside=tuple(sorted(position.aside)),
        castles=tuple(found),
        rolled=tuple(sorted(rolled)),
    )
    if position.phase == Phase.CASTLE_CHOICE:
        position = replace(position, town=tuple(named[position.town].values()))
    if position.phase == Phase.GAME_OVER:
        position = replace(position, turn_player=0, decider=0)
    return position


def named_first(position: Position, place: Place) -> dict[str, Any]:
    """Return the place of a feature's first segment, as keyword arguments."""
    x, y, spot = min(feature_at(position, *place).segments)
    return {"x": x, "y": y, "spot": spot}
