"""Tasks for language models: list them, show a prompt, and evaluate a model.

    carc-env text list
    carc-env text show text-endgames-v1 --item base-2/0
    carc-env text evaluate text-endgames-v1 --base-url URL --model NAME
    carc-env text evaluate text-base-v1 --agent value    an agent as a model

A server needs to speak the chat protocol of OpenAI; its key is read from OPENAI_API_KEY. The same
command continues an interrupted evaluation. ``carc-env task check FILE`` repeats all conversations
of a result and checks its numbers.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import tyro

import carc_env
from carc_env.arguments import UserPath
from carc_env.choices import check_choice
from carc_env.envs.text.tasks import TEXT_TASKS, TextTask, text_task
from carc_env.files import read_text
from carc_env.game.records import replace_file

from ..chat import NO_KEY, AgentModel, ChatModel, Model
from ..interrupt import Interruption
from ..report import markdown, rich_table
from ..text_results import TextResult, conversations_of, rows_of, write_text_result
from .program import read_subcommand
from .tournament import carry_out, console, progress

RESULT, CONVERSATIONS, ASKED = "result.json", "conversations.jsonl", "asked.json"
"""Names of the files in an evaluation's folder."""
KEY = "OPENAI_API_KEY"
"""The environment variable with the server's key."""


@dataclass(frozen=True)
class List:
    """List all tasks for language models."""

    def run(self) -> int:
        """Print all tasks; return the exit status."""
        rows = [["task", "fingerprint", "items", "description"]]
        rows += [
            [t.name, t.fingerprint, str(t.n_items), t.title.replace("`", "")]
            for t in TEXT_TASKS.values()
        ]
        console.print(rich_table(rows, justify="left"))
        return 0


@dataclass(frozen=True)
class Show:
    """Print the first prompts of an item: the rules, and the question."""

    task: Annotated[str, tyro.conf.Positional]
    """Name of the task, as shown by carc-env text list."""
    item: str | None = None
    """Name of the item. Default: the first one."""

    def run(self) -> int:
        """Print them; return the exit status.

        Raises
        ------
        ValueError
            There is no such task or item.
        """
        items = {item.name: item for item in text_task(self.task).items()}
        name = next(iter(items)) if self.item is None else check_choice("item", self.item, items)
        session = items[name].start()
        print(f"{session.system}\n\n---\n\n{session.prompt()}")
        return 0


@dataclass(frozen=True)
class Sampling:
    """Options of the requests."""

    temperature: float | None = None
    """Softmax temperature. Default: the server's."""
    max_tokens: int | None = None
    """Most tokens of an answer. Default: the server's."""
    reasoning_effort: str | None = None
    """Reasoning effort, for models that have one. Default: the server's."""

    @property
    def chosen(self) -> dict[str, float | int | str]:
        """The options that differ from the server's."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True)
class Evaluate:
    """Evaluate a model, or an agent that reads the text, and write the result file."""

    task: Annotated[str, tyro.conf.Positional]
    """Name of the task, as shown by carc-env text list."""
    model: str | None = None
    """The model's name on the server."""
    base_url: str | None = None
    """Address of the server, such as http://localhost:8000/v1."""
    agent: str | None = None
    """Agent spec, instead of a model on a server."""
    sampling: Annotated[Sampling, tyro.conf.arg(name="request")] = field(default_factory=Sampling)
    """Options of the requests."""
    items: int | None = None
    """Use only this many items; the result records this."""
    parallel: int = 8
    """Conversations at the same time."""
    seconds: float = 600.0
    """Time limit for an answer."""
    notes: str = ""
    """Anything that readers of the result should know."""
    folder: UserPath | None = None
    """Folder for the conversations and the result. Default: runs/text/TASK/MODEL."""

    @property
    def problem(self) -> str | None:
        """The problem with these options, in words; None if there is none."""
        if (self.agent is None) == (self.model is None):
            return "name either --model, with --base-url, or --agent"
        if self.model is not None and self.base_url is None:
            return "--model needs --base-url, the address of its server"
        if self.parallel < 1:
            return f"--parallel must be at least 1, got {self.parallel}"
        return None

    def run(self) -> int:
        """Ask everything; return the exit status.

        Raises
        ------
        ValueError, OSError, ImportError
            The task, the agent or a file is refused, or the server does not answer.
        """
        asked, model = text_task(self.task), self._model()
        n = asked.n_items if self.items is None else self.items
        if not 1 <= n <= asked.n_items:
            raise ValueError(f"--items must be 1 to {asked.n_items}, got {n}")
        folder = self.folder or _folder_of(asked, model.name)
        folder.mkdir(parents=True, exist_ok=True)
        self._claim(folder, {"task": asked.fingerprint, "model": model.name} | self.sampling.chosen)
        with Interruption() as stop, progress() as bar:
            shown = bar.add_task(asked.name, total=n)
            talks = conversations_of(
                asked,
                model,
                n,
                folder / CONVERSATIONS,
                self.parallel,
                lambda _: bar.update(shown, advance=1),
                lambda: not stop.wanted,
            )
        if len(talks) < n:
            console.print("Interrupted: run the same command again to continue.")
            return stop.status
        result = TextResult(
            task=asked.name,
            fingerprint=asked.fingerprint,
            carc_env=carc_env.__version__,
            model=model.name,
            options=self.sampling.chosen,
            notes=self.notes,
            conversations=talks,
        )
        write_text_result(folder / RESULT, result)
        print(report_of(result))
        console.print(f"Written: {folder / RESULT}. To check it: carc-env task check FILE")
        return 0

    @staticmethod
    def _claim(folder: Path, asked: dict[str, Any]) -> None:
        """Note what is asked in a folder; refuse to continue what was asked differently."""
        path = folder / ASKED
        before = json.loads(read_text(path)) if path.exists() else asked
        if before != asked:
            raise ValueError(
                f"{folder} holds answers of {before}, not of {asked}: choose a --folder"
            )
        replace_file(path, json.dumps(asked).encode())

    def _model(self) -> Model:
        if self.agent is not None:
            return AgentModel(self.agent)
        assert self.model is not None and self.base_url is not None
        key = os.environ.get(KEY, NO_KEY)
        return ChatModel(self.model, self.base_url, key, self.seconds, self.sampling.chosen)


def report_of(result: TextResult) -> str:
    """Return a result in words: its task, a table of its numbers, and the tokens."""
    asked, (tokens_in, tokens_out) = text_task(result.task), result.tokens
    rows = rows_of(result.summary())
    n = len(result.conversations)
    return (
        f"{result.model} on {asked.name} ({result.fingerprint}), {n} of {asked.n_items} items:\n\n"
        f"{markdown(rows)}\n\n{tokens_in:,} tokens in, {tokens_out:,} tokens out"
    )


def _folder_of(asked: TextTask, name: str) -> Path:
    plain = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "model"
    return Path("runs/text") / asked.name / plain


COMMANDS = {"list": List, "show": Show, "evaluate": Evaluate}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    given = read_subcommand(COMMANDS, arguments, "text", __doc__)
    if given is None:
        return 2
    is_evaluation = isinstance(given, Evaluate)
    agents = (given.agent,) if is_evaluation and given.agent is not None else ()
    return carry_out(given.problem if is_evaluation else None, agents, given.run)
