"""The reason for a move, as facts about what it changes; nothing here is a guess.

A reason is a list of facts, the most important ones first. ``why`` names the page's words for a
fact; the other entries are its parameters.
"""

from __future__ import annotations

from typing import Any

from carc_env.game.game import Game, Score
from carc_env.search.players import ValuePlayer
from carc_env.web.parts import ground_of

Fact = dict[str, Any]
MAX_FACTS = 2
SMALL = 2
"""Changes of the projected scores that are not worth mentioning, in points."""


def reason(game: Game, action: int, figure: int, player: ValuePlayer) -> list[Fact]:
    """Return the facts for an action, up to the end of the turn.

    Parameters
    ----------
    game : Game
        The game before the action.
    action : int
        The action.
    figure : int
        The action that the search would take after a tile placement, or -1.
    player : ValuePlayer
        Takes the remaining decisions of the turn.
    """
    seat, turn, then = game.decider, int(game.states[0].turn), game.clone()
    scores, placed = _take(then, action)
    while not then.is_over and then.decider == seat and int(then.states[0].turn) == turn:
        chosen = figure if figure in then.legal_actions() else player.act(then)
        figure = -1
        more, others = _take(then, chosen)
        scores, placed = scores + more, placed + others
    return sorted(_facts(game, then, seat, scores, placed), key=lambda fact: -fact.pop("weight"))[
        :MAX_FACTS
    ]


def _take(game: Game, action: int) -> tuple[list[Score], list[str]]:
    """Take an action; return the scores, and the ground under figures that were placed."""
    choice = game.choice(action)
    ground = ground_of(game, choice).get("on") if choice.figure is not None else None
    game.apply(action)
    return [*game.last_scores], [ground] if ground else []


def _facts(game: Game, then: Game, seat: int, scores: list[Score], placed: list[str]) -> list[Fact]:
    found: list[Fact] = []
    mine = [score for score in scores if score.seat == seat and score.points > 0]
    for score in mine:
        told = {"why": "scores", "kind": score.kind.name, "points": score.points}
        found.append(told | {"weight": score.points})
    most = max((score.points for score in mine), default=6)
    returned = _hands(then, seat) - _hands(game, seat) + len(placed)
    if returned > 0:
        found.append({"why": "frees", "points": returned, "weight": most - 0.5})
    at_once = [score.kind.name for score in mine]
    claimed = [kind for kind in placed if kind not in at_once]
    found += [{"why": "claims", "kind": kind, "weight": 3} for kind in claimed]
    gains = [new - old for new, old in zip(_open(then), _open(game), strict=True)]
    if gains[seat] >= SMALL:
        found.append({"why": "grows", "points": gains[seat], "weight": gains[seat]})
    for other, gain in enumerate(gains):
        if other != seat and gain <= -SMALL and not any(s.seat == other for s in scores):
            found.append({"why": "costs", "seat": other, "points": -gain, "weight": 2 - gain})
    return found


def _hands(game: Game, seat: int) -> int:
    """Return the number of figures in a seat's supply."""
    return sum(game.supply(seat).values())


def _open(game: Game) -> list[int]:
    """Return the points that every seat would score if the game ended now."""
    return [then - now for then, now in zip(game.standings, game.scores, strict=True)]
