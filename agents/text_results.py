"""Evaluating models on text tasks: the conversations, the result file, and how it is checked.

The file contains every answer, so a check repeats all conversations and compares the numbers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from carc_env.envs.text.tasks import Item, Result, TextTask, replayed, text_task
from carc_env.game.lines import add_lines, whole_lines
from carc_env.game.records import replace_file
from carc_env.plain_json import first_problem, read_json

from .chat import Model
from .intervals import Estimate, mean_interval, share_interval

FORMAT: Literal["carc_env text result"] = "carc_env text result"
VERSION: Literal[1] = 1
ALL = "all"
"""The group of all items."""
SHARES = ("won", "best", "right")
"""Numbers from 0 to 1."""


@dataclass(frozen=True)
class Conversation:
    """A finished conversation about an item."""

    item: str
    answers: list[str]
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True)
class TextResult:
    """A model's result on a text task."""

    task: str
    fingerprint: str
    """Fingerprint of the task when it was evaluated."""
    carc_env: str
    """Version of carc_env that evaluated the model."""
    model: str
    options: dict[str, float | int | str]
    """Options of the requests, such as the temperature."""
    notes: str
    conversations: list[Conversation]
    format: Literal["carc_env text result"] = FORMAT
    version: Literal[1] = VERSION

    @property
    def tokens(self) -> tuple[int, int]:
        """Tokens of all prompts and of all answers."""
        talks = self.conversations
        return sum(one.tokens_in for one in talks), sum(one.tokens_out for one in talks)

    def summary(self) -> dict[str, dict[str, Estimate]]:
        """Repeat all conversations; return the mean of each number, by group.

        Raises
        ------
        ValueError
            An item is unknown, or its answers do not end it.
        """
        items = {item.name: item for item in text_task(self.task).items()}
        results: dict[str, list[Result]] = {ALL: []}
        for talk in self.conversations:
            if talk.item not in items:
                raise ValueError(f"{self.task} has no item {talk.item!r}")
            result = replayed(items[talk.item], talk.answers)
            results[ALL].append(result)
            results.setdefault(items[talk.item].group, []).append(result)
        return {group: _means(told) for group, told in results.items() if told}

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, with the summary."""
        means = {
            group: {name: asdict(one) for name, one in told.items()}
            for group, told in self.summary().items()
        }
        return {**asdict(self), "summary": means}


def _means(results: Sequence[Result]) -> dict[str, Estimate]:
    """Return means over items; illegal answers are a share of all answers."""
    counted = ("answers", "illegal", "replaced")
    means = {
        name: (share_interval if name in SHARES else mean_interval)([one[name] for one in results])
        for name in results[0]
        if name not in counted
    }
    if "answers" in results[0]:
        n_answers = sum(one["answers"] for one in results)
        share = sum(one["illegal"] for one in results) / n_answers
        means["illegal"] = Estimate(share, share, share)
    return means


_FORM = TypeAdapter(TextResult)


def write_text_result(path: Path, result: TextResult) -> None:
    """Write a result file."""
    replace_file(path, (json.dumps(result.to_dict()) + "\n").encode())


def is_text_result(values: Any) -> bool:
    """Return whether a file's values claim to be a result on a text task."""
    return isinstance(values, dict) and values.get("format") == FORMAT


def read_text_result(path: Path) -> TextResult:
    """Read a result file, repeat its conversations, and check its summary.

    Raises
    ------
    ValueError
        The file is not a result, the task is unknown or has changed, an item is missing or occurs
        twice, or the summary does not follow from the answers.
    OSError
        It cannot be read.
    """
    values = read_json(str(path), path.read_bytes())
    if not is_text_result(values):
        raise ValueError(f"{path} is no result of a text task")
    told = values.pop("summary", None)
    try:
        found = _FORM.validate_json(json.dumps(values), strict=True)
    except ValidationError as error:
        raise ValueError(f"{path} is no result of a text task: {first_problem(error)}") from None
    task = text_task(found.task)
    if found.fingerprint != task.fingerprint:
        raise ValueError(
            f"{path}: {task.name} had the fingerprint {found.fingerprint}, but here it has "
            f"{task.fingerprint}: it was another task"
        )
    asked = [talk.item for talk in found.conversations]
    if not asked or asked != [item.name for item in task.items()[: len(asked)]]:
        raise ValueError(f"{path}: its items are not the first {len(asked)} of {task.name}")
    try:
        follows = json.loads(json.dumps(found.to_dict()))["summary"]
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if told != follows:
        raise ValueError(f"{path}: its summary does not follow from its answers: it was edited")
    return found


# Conversations.


def converse(item: Item, model: Model) -> Conversation:
    """Return a model's conversation about an item.

    Each question is asked on its own: the model sees the rules, the question, and its illegal
    answers to this question.

    Raises
    ------
    ConnectionError
        The model does not answer.
    """
    session, answers, used = item.start(), [], [0, 0]
    messages: list[dict[str, str]] = []
    while not session.is_over:
        if not session.is_retry:
            messages = [{"role": "system", "content": session.system}]
        messages.append({"role": "user", "content": session.prompt()})
        reply = model.reply(messages)
        used = [used[0] + reply.tokens_in, used[1] + reply.tokens_out]
        answers.append(reply.text)
        session.answer(reply.text)
        messages.append({"role": "assistant", "content": reply.text})
    return Conversation(item.name, answers, *used)


def conversations_of(
    task: TextTask,
    model: Model,
    n: int,
    path: Path,
    parallel: int,
    done: Callable[[Conversation], object],
    is_wanted: Callable[[], bool] = lambda: True,
) -> list[Conversation]:
    """Return the conversations about a task's first n items, those in a file first.

    Parameters
    ----------
    path : Path
        A file to which each finished conversation is appended; what is there is not asked again.
    parallel : int
        Conversations at the same time.
    done : callable
        Called with each finished conversation.
    is_wanted : callable
        Whether to go on; otherwise, conversations in progress are finished, and no new one begins.

    Raises
    ------
    ConnectionError
        The model does not answer; what was finished is in the file.
    ValueError, OSError
        The file is damaged or cannot be written.
    """
    found = {talk.item: talk for talk in _kept(path)}
    items = task.items()[:n]
    todo = iter([item for item in items if item.name not in found])
    with ThreadPoolExecutor(parallel) as pool:
        running = {pool.submit(converse, item, model) for item in islice(todo, parallel)}
        while running:
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                talk = future.result()
                add_lines(path, [asdict(talk)])
                found[talk.item] = talk
                done(talk)
                if is_wanted() and (item := next(todo, None)) is not None:
                    running.add(pool.submit(converse, item, model))
    return [found[item.name] for item in items if item.name in found]


def _kept(path: Path) -> Iterable[Conversation]:
    path.touch()
    form = TypeAdapter(Conversation)
    for line in whole_lines(path.read_bytes()):
        if line.strip():
            try:
                yield form.validate_json(line)
            except ValidationError as error:
                raise ValueError(f"{path}: {first_problem(error)}") from None


def rows_of(results: Mapping[str, Mapping[str, Estimate]]) -> list[list[str]]:
    """Return a table of a summary, with a row per group."""
    names = list(results[ALL])
    rows = [["", *names]]
    for group, told in results.items():
        rows.append(
            [group, *(f"{told[name].value:.3f} ± {_half(told[name]):.3f}" for name in names)]
        )
    return rows


def _half(one: Estimate) -> float:
    return (one.high - one.low) / 2
