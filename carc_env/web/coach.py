"""The search's opinion of legal actions, and of a whole finished game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from carc_env.game.game import Game
from carc_env.game.puzzles import Puzzle
from carc_env.rules import Rules
from carc_env.search.named import search
from carc_env.search.players import ValuePlayer
from carc_env.search.searcher import ONE_PLY, Finding
from carc_env.web.odds import Odds
from carc_env.web.parts import ground_of, parts_of
from carc_env.web.puzzles import puzzle_of
from carc_env.web.why_good import reason

COACH_SECONDS = 1.5
REVIEW_SIMS = 8000
"""Positions evaluated per decision in a review: the same number on every machine."""
MISTAKE = 1.5
"""Regret from which a decision counts as a mistake, in points."""
N_WORST = 3


def opinion(game: Game, seconds: float = COACH_SECONDS) -> list[dict[str, Any]]:
    """Return every legal action with its expected lead and its regret.

    The best action comes first, followed by the others in order of regret. ``deep`` shows whether
    an action was searched as deeply as the best action; otherwise, its regret comes from looking
    one placement ahead.

    Raises
    ------
    ValueError
        The game is over.
    """
    return _lines(game, search(seconds=seconds, rules=game.rules).look(game))


def losses(game: Game) -> list[dict[str, Any]]:
    """Return what :func:`opinion` does, searched as deeply as by :func:`judge`; both agree."""
    return _lines(game, _Reviewer(game.rules).searcher.look(game))


def posed(game: Game, source: str) -> Puzzle:
    """Return a decision as a puzzle, with the values from :func:`losses`."""
    return puzzle_of(game, losses(game), source)


def _lines(game: Game, found: list[Finding]) -> list[dict[str, Any]]:
    reviewer = _Reviewer(game.rules)
    lines: list[dict[str, Any]] = []
    for f in found:
        lost, is_searched = reviewer.lost(game, found, f.action)
        line = {"action": f.action, "name": game.name(f.action), "value": round(f.value, 2)}
        lines.append(line | {"visits": f.visits, "deep": is_searched, "lost": round(lost, 2)})
    lines[0]["reason"] = reason(game, found[0].action, found[0].figure, reviewer.quick)
    return [lines[0], *sorted(lines[1:], key=lambda line: line["lost"])]


@dataclass(frozen=True)
class Verdict:
    """A review's verdict on one decision."""

    ply: int
    seat: int
    move: dict[str, Any]
    best: dict[str, Any]
    """The action taken and the best action, in parts."""
    best_action: int
    lost: float
    """Regret, in points of expected lead."""
    searched: bool
    """Whether both actions were searched equally deeply; otherwise, the regret comes from looking
    one placement ahead."""
    chance: list[float]
    at_random: float
    """Regret of a random action, in points, looking one placement ahead."""
    reason: list[dict[str, Any]]
    """The reason for the best action, if the action taken is a mistake; see :mod:`.why_good`."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for the page."""
        return {
            "ply": self.ply,
            "seat": self.seat,
            "move": self.move,
            "best": self.best,
            "bestAction": self.best_action,
            "lost": round(self.lost, 2),
            "searched": self.searched,
            "chance": self.chance,
            "reason": self.reason,
        }


@lru_cache(maxsize=4)
class _Reviewer:
    """Reviews games under given rules."""

    def __init__(self, rules: Rules) -> None:
        self.searcher = search(sims=REVIEW_SIMS, rules=rules)
        self.quick = ValuePlayer(rules=rules)
        self.odds = Odds(rules)

    def lost(self, game: Game, found: list[Finding], action: int) -> tuple[float, bool]:
        """Return by how much the best action is better, and whether the search confirms it."""
        best = found[0]
        if best.action == action:
            return 0.0, True
        chosen = next(f for f in found if f.action == action)
        if chosen.depth == best.depth and best.depth != ONE_PLY:
            return max(0.0, best.value - chosen.value), True
        quick = {line.action: line.value for line in self.quick.analyse(game)}
        return max(0.0, quick[best.action] - quick[action]), False


def judge(game: Game, ply: int, action: int) -> Verdict | None:
    """Return a decision's regret against the best action that the search finds.

    Return None if there was only one choice.
    """
    if len(game.legal_actions()) < 2:
        return None
    reviewer = _Reviewer(game.rules)
    found = reviewer.searcher.look(game)
    lost, is_searched = reviewer.lost(game, found, action)
    best = found[0].action
    move, better = (_told(game, one) for one in (action, best))
    chance = reviewer.odds.of(game)
    quick = [line.value for line in reviewer.quick.analyse(game)]
    at_random = max(quick) - sum(quick) / len(quick)
    is_mistake = lost >= MISTAKE
    why = reason(game, best, found[0].figure, reviewer.quick) if is_mistake else []
    told = (ply, game.decider, move, better, best, lost, is_searched, chance, at_random, why)
    return Verdict(*told)


def _told(game: Game, action: int) -> dict[str, Any]:
    choice = game.choice(action)
    return parts_of(choice, game.name(action)) | ground_of(game, choice)


def summary(verdicts: list[Verdict], n_players: int) -> list[dict[str, Any]]:
    """Return every seat's accuracy in percent, total regret, and worst decisions."""
    told = []
    for seat in range(n_players):
        mine = [v for v in verdicts if v.seat == seat]
        worst = sorted((v for v in mine if v.lost >= 1), key=lambda v: -v.lost)[:N_WORST]
        told.append(
            {
                "seat": seat,
                "accuracy": accuracy(mine),
                "lost": round(sum(v.lost for v in mine), 1),
                "mistakes": sum(v.lost >= MISTAKE for v in mine),
                "worst": [v.ply for v in worst],
            }
        )
    return told


def accuracy(verdicts: Sequence[Verdict]) -> int | None:
    """Return the share of the points kept that random play would lose, in percent.

    Random play has an accuracy of about 0, and the coach's own moves have 100. None means that no
    decision could lose anything.
    """
    at_random = sum(v.at_random for v in verdicts)
    if at_random <= 0:
        return None
    return round(100 * max(0.0, 1 - sum(v.lost for v in verdicts) / at_random))
