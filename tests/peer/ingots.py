"""Ingot totals that are possible if a seat may choose between several ingots (GOL-08)."""

from __future__ import annotations

from dataclasses import replace

from carc_env.engine.core.codes import Phase, Stock
from carc_env.game.game import Game


def shares(game: Game, action: int) -> set[tuple[int, ...]]:
    """Return all ingot totals that the seats can have after an action.

    A seat takes an ingot from the pile that most other seats may also take from. If there are
    several such piles, our rules may choose another one than theirs.
    """
    position, name = game.position(), game.name(action)
    asking = replace(position, rules=position.rules.replace(gold_choice="ask"))
    return _shares_behind(Game.from_position(asking), name)


def _shares_behind(game: Game, name: str) -> set[tuple[int, ...]]:
    there = game.clone()
    there.apply(name)
    if there.phase != Phase.SHARE:
        return {tuple(there.stock(seat)["ingots"] for seat in range(there.rules.n_players))}
    claims = {f"share {pile.x},{pile.y}": len(pile.seats) for pile in there.position().gold}
    names = {there.name(share) for share in there.legal_actions()}
    most = max(claims[share] for share in names)
    found = (_shares_behind(there, share) for share in names if claims[share] == most)
    return set().union(*found)


def give(game: Game, ingots: list[int]) -> None:
    """Set the number of ingots of each seat."""
    game._states["players"]["stock"][0, : len(ingots), Stock.INGOT] = ingots
