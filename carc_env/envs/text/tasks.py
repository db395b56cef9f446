"""Frozen tasks for language models: endgames, questions about the rules, and whole games.

A task consists of items, and each item is a conversation: a :class:`Session`. A published task
never changes; its fingerprint in ``tasks.json`` covers every prompt and every right answer.

::

    from carc_env.envs.text.tasks import text_task

    for item in text_task("text-endgames-v1").items():
        session = item.start()
        while not session.is_over:
            session.answer(model(session.system, session.prompt()))
        print(item.name, session.result())
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count, islice
from typing import Any, Literal, Protocol

from carc_env.choices import check_choice
from carc_env.envs.naming import make_agent
from carc_env.envs.text.game import TextGame
from carc_env.envs.text.prompt import rules_text
from carc_env.envs.text.questions import Question, shipped_questions
from carc_env.freezing import games_of
from carc_env.game.endgames import ALMOST, Endgame, shipped_endgames
from carc_env.rules import Rules
from carc_env.seeds import Stream, seed_of
from carc_env.tasks import fingerprint_of
from carc_env.words import SEATS

AIM = (
    "The game is almost over. Choose the action with the highest expected lead over your strongest "
    "opponent at the end of the game, provided that all players maximize their own lead."
)
RULES = Rules(view=20)
"""The rules of whole games, as in the other tasks of the base game."""
Result = dict[str, float]
"""Numbers about a session, by name."""


class Session(Protocol):
    """A conversation with a model about an item."""

    @property
    def system(self) -> str:
        """The system prompt."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more is asked."""

    @property
    def is_retry(self) -> bool:
        """Whether the next prompt only gives the reason why the last answer was illegal."""

    def prompt(self, remembers: bool = False) -> str:
        """Return the next prompt, see :meth:`carc_env.envs.text.TextGame.prompt`."""

    def answer(self, text: str) -> object:
        """Take the model's answer."""

    def result(self) -> Result:
        """Return what came out, once the session is over."""


class GameSession(TextGame):
    """A whole game of one seat against agents."""

    def result(self) -> Result:
        """Return win, margin and illegal answers of the seat."""
        seat = next(k for k in range(self.rules.n_players) if k not in self.agents)
        return {
            "won": self.outcome(seat),
            "margin": self.margin(seat),
            "answers": self.n_questions + self.n_illegal - self.n_replaced,
            "illegal": self.n_illegal,
            "replaced": self.n_replaced,
        }


class EndgameSession(TextGame):
    """One decision in a solved endgame."""

    def __init__(self, endgame: Endgame) -> None:
        super().__init__(game=endgame.game(seed=endgame.number))
        self.endgame = endgame

    @property
    def is_over(self) -> bool:
        """Whether the decision is made."""
        return bool(self.game.moves)

    def prompt(self, remembers: bool = False) -> str:
        """Return the next prompt, with the aim if it is the first one."""
        prompt = super().prompt(remembers)
        return prompt if self.is_retry else f"{AIM}\n\n{prompt}"

    def result(self) -> Result:
        """Return the regret in points, whether the action is a best one, and illegal answers."""
        regret = self.endgame.regret(self.endgame.actions.index(self.game.moves[0].name))
        return {
            "regret": regret,
            "best": float(regret < ALMOST),
            "answers": self.n_questions + self.n_illegal - self.n_replaced,
            "illegal": self.n_illegal,
            "replaced": self.n_replaced,
        }


class QuestionSession:
    """A question about the rules, with a single answer."""

    is_retry = False

    def __init__(self, question: Question) -> None:
        self.question = question
        self.given: str | None = None

    @property
    def system(self) -> str:
        """The rules in words."""
        return rules_text(self.question.rules)

    @property
    def is_over(self) -> bool:
        """Whether there is an answer."""
        return self.given is not None

    def prompt(self, remembers: bool = False) -> str:
        """Return the question."""
        return self.question.prompt()

    def answer(self, text: str) -> None:
        """Take the model's answer."""
        self.given = text

    def result(self) -> Result:
        """Return whether the answer is right."""
        return {"right": float(self.question.is_right(self.given or ""))}


@dataclass(frozen=True)
class Item:
    """A conversation that has not begun."""

    name: str
    """Its name, unique in the task."""
    group: str
    """Items of the same group are also summarized on their own: a set, a kind or an opponent."""
    start: Callable[[], Session]


@dataclass(frozen=True)
class TextTask:
    """A task for language models.

    Attributes
    ----------
    name, title, measures : str
        The name with its version, the title, and what is measured, in words.
    kind : str
        ``"endgames"``, ``"rules"`` or ``"games"``.
    n_items : int
        The number of items.
    number : int
        The seed of its decks in :attr:`carc_env.seeds.Stream.TASKS`.
    rivals : tuple of str
        The opponents in whole games.
    """

    name: str
    title: str
    measures: str
    kind: Literal["endgames", "rules", "games"]
    n_items: int
    number: int = 0
    rivals: tuple[str, ...] = ()

    @property
    def rules(self) -> Rules:
        """The rules of whole games."""
        return RULES

    @property
    def fingerprint(self) -> str:
        """The hash of everything that is asked, and of the right answers.

        Raises
        ------
        ValueError
            The task is not frozen yet.
        """
        return fingerprint_of(self.name)

    def deck_seed(self, deck: int) -> int:
        """Return the game seed for an evaluation deck, counted from 0."""
        return seed_of(Stream.TASKS, self.number, deck)

    def items(self) -> list[Item]:
        """Return all items; any number of the first ones is a fair sample of the groups."""
        found = {"endgames": _endgames, "rules": _questions, "games": _games}[self.kind](self)
        return found[: self.n_items]

    def lessons(self) -> Iterator[Item]:
        """Yield items to learn from, none of which is evaluated; those of games never end.

        Raises
        ------
        ValueError
            The task has no such items.
        """
        if self.kind == "rules":
            raise ValueError(
                f"{self.name} has no items to learn from: make questions with another seed, see "
                "scripts/make_rules_questions.py"
            )
        yield from (_other_endgames if self.kind == "endgames" else _other_games)(self)


def _endgames(task: TextTask) -> list[Item]:
    return [*islice(_all_endgames(), task.n_items)]


def _other_endgames(task: TextTask) -> Iterator[Item]:
    return islice(_all_endgames(), task.n_items, None)


def _all_endgames() -> Iterator[Item]:
    """Yield the shipped endgames, one set after the other in turn."""
    sets = {name: found.endgames for name, found in shipped_endgames().items()}
    for ends in zip(*sets.values(), strict=True):
        for name, end in zip(sets, ends, strict=True):
            yield Item(f"{name}/{end.number}", name, partial(EndgameSession, end))


def _questions(task: TextTask) -> list[Item]:
    asked: dict[str, list[Question]] = {}
    for question in shipped_questions():
        asked.setdefault(question.about, []).append(question)
    return [
        Item(f"{room}/{k}", questions[k].kind, partial(QuestionSession, questions[k]))
        for k in range(task.n_items // len(asked))
        for room, questions in asked.items()
    ]


def _games(task: TextTask) -> list[Item]:
    seats = range(task.rules.n_players)
    n_decks = task.n_items // len(task.rivals) // len(seats)
    return [
        Item(
            f"{rival}/{deck}/{SEATS[seat]}",
            rival,
            partial(_game, task, rival, task.deck_seed(deck), seat),
        )
        for deck in range(n_decks)
        for seat in seats
        for rival in task.rivals
    ]


def _other_games(task: TextTask) -> Iterator[Item]:
    for deck in count():
        seed = seed_of(Stream.TRAINING, task.number, deck)
        for seat in range(task.rules.n_players):
            for rival in task.rivals:
                name = f"{rival}/{deck}/{SEATS[seat]}"
                yield Item(name, rival, partial(_game, task, rival, seed, seat))


def _game(task: TextTask, rival: str, seed: int, seat: int) -> GameSession:
    agents = {k: make_agent(rival, task.rules) for k in range(task.rules.n_players) if k != seat}
    return GameSession(task.rules, agents, seed=seed)


def reward_of(result: Result) -> float:
    """Return the reward for a result: minus the regret, or whether it is right or won."""
    if "regret" in result:
        return -result["regret"]
    return result["right"] if "right" in result else result["won"]


def replayed(item: Item, answers: Sequence[str]) -> Result:
    """Return the result of an item with the given answers.

    Raises
    ------
    ValueError
        There are too few or too many answers.
    """
    session = item.start()
    for k, text in enumerate(answers):
        if session.is_over:
            raise ValueError(f"{item.name}: {len(answers)} answers, but {k} end it")
        session.answer(text)
    if not session.is_over:
        raise ValueError(f"{item.name}: {len(answers)} answers do not end it")
    return session.result()


_LISTED = (
    TextTask(
        "text-endgames-v1",
        "decisions in six sets of solved endgames",
        "regret, share of best actions",
        "endgames",
        200,
    ),
    TextTask(
        "text-rules-v1",
        "questions about 34 sets: is this legal, what are the scores, who has the majority, what "
        "is asked next",
        "share of right answers",
        "rules",
        340,
    ),
    TextTask(
        "text-base-v1",
        "games of the base game, from both seats, against `random`, `greedy` and `value`",
        "share of wins, margin",
        "games",
        60,
        number=9,
        rivals=("random", "greedy", "value"),
    ),
)
TEXT_TASKS: Mapping[str, TextTask] = {task.name: task for task in _LISTED}
"""All tasks for language models, by name."""


def text_task(name: str) -> TextTask:
    """Return the task with the given name.

    Raises
    ------
    ValueError
        There is no such task; the message lists all tasks.
    """
    return TEXT_TASKS[check_choice("task", name, TEXT_TASKS)]


# What is frozen.


def frozen_of(task: TextTask) -> dict[str, Any]:
    """Return the data about a task that ``tasks.json`` stores."""
    items = task.items()
    sessions = [item.start() for item in items]
    hashes = {
        "items": _hash(item.name for item in items),
        "rules": _hash(dict.fromkeys(session.system for session in sessions)),
        "prompts": _hash(session.prompt() for session in sessions),
        "answers": _hash(map(_right, sessions)),
        **{
            f"rival {rival}": games_of([(task.rules, task.deck_seed(0))], rival)
            for rival in task.rivals
        },
    }
    return {"fingerprint": _hash([task.name, *hashes.values()]), "hashes": hashes}


def _right(session: Session) -> str:
    """Return what an answer is compared with."""
    if isinstance(session, QuestionSession):
        return session.question.answer
    if isinstance(session, EndgameSession):
        return f"{session.endgame.actions}{session.endgame.values.round(6).tolist()}"
    assert isinstance(session, GameSession)
    return " ".join(session.game.draw)


def differences(task: TextTask, frozen: dict[str, Any]) -> list[str]:
    """Describe how a task differs from its frozen data."""
    now = frozen_of(task)["hashes"]
    before = frozen["hashes"]
    return [
        f"{name}: {before.get(name)!r} -> {now.get(name)!r}"
        for name in {**before, **now}
        if before.get(name) != now.get(name)
    ]


def _hash(texts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]
