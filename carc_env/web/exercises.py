"""Exercises: unsaved games in which a person acts and the server judges the actions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from carc_env.game.game import Game
from carc_env.game.puzzles import Puzzle
from carc_env.web.parts import ground_of, parts_of
from carc_env.web.play import Play, Sitter, Start
from carc_env.web.puzzles import lines_of, puzzle_of
from carc_env.words import SEATS

Line = dict[str, Any]
"""An action with its regret, as the coach reports it."""


class Exercise(ABC):
    """A game's task, and the answers so far.

    Attributes
    ----------
    play
        The game.
    state
        ``"open"`` as long as the person may act; other values depend on the exercise.
    """

    play: Play
    state: str

    @abstractmethod
    def hear(self, action: int) -> None:
        """Judge an action that is about to be carried out."""

    @abstractmethod
    def told(self) -> dict[str, Any]:
        """Return the page's data: its ``task``, its ``state``, and the related details."""


@dataclass
class Trial(Exercise):
    """A single decision that can be tried repeatedly: a puzzle, or a mistake in a game.

    The state is ``"judging"`` until an attempt has been judged, then ``"tried"``; it becomes
    ``"answered"`` if the page asks for the values of all actions.

    Attributes
    ----------
    about
        The page's data about where the decision comes from; its ``task`` is ``"puzzle"`` or
        ``"retry"``.
    source
        The same in one line, for a puzzle made from the decision.
    lines
        All legal actions, best first; None until they have been judged.
    puzzle
        The puzzle, if the decision is one.
    before
        The action taken in the original game.
    """

    play: Play
    about: dict[str, Any]
    source: str
    lines: Sequence[Line] | None = None
    puzzle: Puzzle | None = None
    before: int | None = None
    state: str = "open"
    tried: int | None = None

    def __post_init__(self) -> None:
        self.ply = self.play.ply

    @classmethod
    def of_puzzle(cls, puzzle: Puzzle, name: str, **about: Any) -> Trial:
        """Return a trial for a puzzle.

        Raises
        ------
        ValueError
            The puzzle breaks a rule.
        """
        game = puzzle.game()
        start = Start(game.rules, position=puzzle.position)
        sitters = [Sitter(SEATS[seat], "value") for seat in range(game.rules.n_players)]
        sitters[game.decider] = Sitter(name)
        told = {"source": puzzle.source, "difficulty": puzzle.difficulty, "exact": puzzle.is_exact}
        lines = lines_of(puzzle, game) if puzzle.values else None
        about = {"task": "puzzle", **told, **about}
        return cls(Play(start, tuple(sitters)), about, puzzle.source, lines, puzzle)

    @property
    def game(self) -> Game:
        """The game at the decision; do not change it."""
        return self.play.at(self.ply)

    def hear(self, action: int) -> None:
        """Store the attempt."""
        self.tried = action
        self.state = "judging" if self.lines is None else "tried"

    def settle(self, lines: Sequence[Line]) -> None:
        """Receive the regret of every action."""
        self.lines = lines
        if self.state == "judging":
            self.state = "tried"

    def again(self) -> None:
        """Take back the attempt."""
        self.play.rewind(self.ply)
        self.state, self.tried = "open", None

    def answer(self) -> None:
        """Show every action's regret at the decision."""
        self.play.rewind(self.ply)
        self.state = "answered"

    def posed(self) -> Puzzle:
        """Return the decision as a puzzle, once it has been judged."""
        if self.puzzle is not None and self.puzzle.values:
            return self.puzzle
        return puzzle_of(self.game, self.lines or (), self.source)

    def told(self) -> dict[str, Any]:
        """Return the page's data; it includes the best actions only on request."""
        is_judged = self.state in ("tried", "answered")
        return self.about | {
            "state": self.state,
            "tried": self._about(self.tried) if is_judged else None,
            "before": self._about(self.before) if is_judged else None,
            "lines": self.lines if self.state == "answered" else None,
        }

    def _about(self, action: int | None) -> dict[str, Any] | None:
        """Return an action in parts, with its regret."""
        if action is None or self.lines is None:
            return None
        choice = self.game.choice(action)
        [line] = [line for line in self.lines if line["action"] == action]
        move = parts_of(choice, line["name"]) | ground_of(self.game, choice)
        return {"move": move, "lost": line["lost"], "deep": line["deep"]}
