"""Games that are played in text: views go out, answers come in, agents play the other seats."""

from __future__ import annotations

from collections import Counter

import numpy as np

from carc_env.choices import check_seed
from carc_env.envs.distributions import Dealer, RulesDistribution
from carc_env.envs.opponents import Opponent, act
from carc_env.envs.text.answers import Answer, read_answer
from carc_env.envs.text.prompt import rules_text
from carc_env.envs.text.view import Length, text_view, tiles_in
from carc_env.game.game import Game
from carc_env.rules import Rules, RulesLike
from carc_env.words import SEATS

TRIES = 3
"""Answers to a question before a random legal action replaces them."""


class TextGame:
    """A game in text.

    ::

        game = TextGame("inns", {1: make_agent("greedy")}, seed=7)
        while not game.is_over:
            game.answer(model(game.system, game.prompt()))
        print(game.game.scores, game.n_illegal)

    An illegal answer gets its reason in the next prompt. After ``tries`` illegal answers to a
    question, a random legal action is played. Nothing that a model answers raises an exception.

    Parameters
    ----------
    rules : Rules, str, dict or RulesDistribution, optional
        The rules, or a distribution from which the seed draws them. Default: the base game for two
        players.
    agents : mapping of int to Opponent, optional
        The agents by seat; text answers for all other seats.
    seed : int, optional
        Shuffles the bag, and draws rules. Default: a random seed.
    game : Game, optional
        A game to continue, instead of rules and a seed.
    length : {"short", "long"}
        The length of views, see :func:`text_view`.
    strict : bool
        Only read actions in double square brackets, see :func:`read_answer`.
    tries : int
        Answers to each question.
    """

    def __init__(
        self,
        rules: RulesLike | RulesDistribution = None,
        agents: dict[int, Opponent] | None = None,
        *,
        seed: int | None = None,
        game: Game | None = None,
        length: Length = "short",
        strict: bool = False,
        tries: int = TRIES,
    ) -> None:
        if tries < 1:
            raise ValueError(f"tries must be at least 1, got {tries}")
        if game is None:
            seed = check_seed(seed)
            game = Game(Dealer(rules).draw(np.random.default_rng(seed)), seed=seed)
        self.game = game
        self.length, self.strict, self.tries = length, strict, tries
        self.agents = agents or {}
        self.n_questions = self.n_illegal = self.n_replaced = 0
        self.last = Answer(None)
        self._known: dict[int, dict[str, None]] = {}
        self._n_read: Counter[int] = Counter()
        self._n_tried = 0
        self._play_agents()

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self.game.rules

    @property
    def system(self) -> str:
        """The rules in words, for the system prompt."""
        return rules_text(self.game.rules)

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.game.is_over

    @property
    def is_retry(self) -> bool:
        """Whether the last answer was illegal, so that the next prompt only gives the reason."""
        return self._n_tried > 0

    @property
    def seat(self) -> int:
        """The seat whose answer is awaited."""
        return self.game.decider

    def prompt(self, remembers: bool = False) -> str:
        """Return the question for :attr:`seat`, or after an illegal answer, its reason.

        Parameters
        ----------
        remembers : bool
            The model still sees its earlier prompts, so the view leaves out tiles that were
            explained to this seat, and begins with the moves since its last question.
        """
        if self.is_retry:
            return f"{self.last.reason} Tries left: {self.tries - self._n_tried}."
        known = self._known.setdefault(self.seat, {})
        view = text_view(self.game, self.seat, self.length, known if remembers else ())
        known |= tiles_in(self.game.position())
        return f"{self._news()}{view}" if remembers else view

    def _news(self) -> str:
        moves = self.game.moves
        new, self._n_read[self.seat] = moves[self._n_read[self.seat] :], len(moves)
        told = [f"{SEATS[move.seat]} {move.name}" for move in new]
        return f"Moves since your last question: {', '.join(told)}.\n\n" if told else ""

    def answer(self, text: str | None) -> Answer:
        """Carry out a model's answer, and the agents' decisions that follow.

        None, which clients return for an answer without text, is an empty answer.

        Raises
        ------
        ValueError
            The game is over.
        """
        self.game._check_running()
        self.n_questions += not self._n_tried
        self.last = read_answer(self.game, text or "", self.strict)
        action = self.last.action
        if action is None:
            self.n_illegal += 1
            self._n_tried += 1
            if self._n_tried < self.tries:
                return self.last
            action = self.game.random_action()
            self.n_replaced += 1
        self._n_tried = 0
        self.game.apply(action)
        self._play_agents()
        return self.last

    def _play_agents(self) -> None:
        while not self.game.is_over and (agent := self.agents.get(self.game.decider)) is not None:
            self.game.apply(act(agent, self.game))

    def margin(self, seat: int) -> int:
        """Return a seat's lead over its best opponent, in points."""
        scores = self.game.scores
        return scores[seat] - max(score for k, score in enumerate(scores) if k != seat)

    def outcome(self, seat: int) -> float:
        """Return 1 for a sole win, 0 for a loss, and 1/k for a first place shared by k seats."""
        best = max(self.game.scores)
        first = [k for k, score in enumerate(self.game.scores) if score == best]
        return 1 / len(first) if seat in first else 0.0
