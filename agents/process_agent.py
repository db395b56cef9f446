r"""An agent in any language: a program that reads positions and answers with action names.

    carc-env evaluate "carc_env.agents.process_agent:ProcessAgent?command=python my_bot.py" greedy

For each decision, the program gets one line of JSON on standard input and answers with one line on
standard output, which it must flush:

    -> {"position": "[carc_env position 1]\n...", "seat": 0, "actions": ["bg-cap 0,-1 r2", ...]}
    <- {"action": "bg-cap 0,-1 r2"}

The position and the action names are text in the notation of docs/notation.md, without the order of
tiles in the bag. The program shares our standard error. Its input ends when there are no more
decisions. A command cannot contain a comma, which separates options; use a script instead.
"""

from __future__ import annotations

import json
import queue
import shlex
import subprocess
import threading
from typing import Any

from carc_env.envs.opponents import ContractError
from carc_env.envs.text.view import as_seen
from carc_env.game.game import Game
from carc_env.game.notation import format_position
from carc_env.game.table import Table
from carc_env.plain_json import read_json

PATIENCE = 5.0
"""Seconds that a program may take to exit after its input has ended."""


class ProcessAgent:
    """A program that plays.

    Parameters
    ----------
    command : str
        The command line; the program is started at the first decision.
    seconds : float
        Time limit per decision.

    Raises
    ------
    ValueError
        The command is empty, or the time is not positive.
    """

    is_program = True
    """It decides in a process of its own, see :func:`carc_env.agents.arena.clock_of`."""

    def __init__(self, command: str, seconds: float = 60.0) -> None:
        if not shlex.split(command) or not seconds > 0:
            raise ValueError(
                f"a program needs a command and a positive time, got {command!r}, {seconds!r}"
            )
        self.command, self.seconds = command, seconds
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.SimpleQueue[str]

    @property
    def name(self) -> str:
        """The program's name in messages."""
        return self.command

    def act(self, table: Table) -> int:
        """Return the program's action.

        Raises
        ------
        ContractError
            The program cannot be started, has exited, is too slow, or does not return a legal
            action.
        """
        game = Game.at(table.rules, table.states)
        names = {game.name(action): action for action in table.legal_actions()}
        position = format_position(as_seen(table.position()))
        question = {"position": position, "seat": table.decider, "actions": [*names]}
        answer = self._ask(json.dumps(question))
        try:
            name = read_json("its answer", answer)["action"]
        except (ValueError, KeyError, TypeError):
            raise ContractError(
                f'{self.command}: expected {{"action": ...}}, got {answer[:80]!r}'
            ) from None
        if name not in names:
            some = ", ".join([*names][:8])
            raise ContractError(
                f"{self.command}: {name!r} is none of the {len(names)} legal actions: {some} ..."
            )
        return names[name]

    def _ask(self, question: str) -> str:
        """Send a line to the program and return its answer.

        Raises
        ------
        ContractError
            The program does not answer.
        """
        process = self._running()
        assert process.stdin is not None
        try:
            process.stdin.write(question + "\n")
            process.stdin.flush()
            answer: str = self._answers.get(timeout=self.seconds)
        except queue.Empty:
            process.kill()
            self.close()
            raise ContractError(
                f"{self.command}: no answer within {self.seconds:g} s; does it flush its output?"
            ) from None
        except BrokenPipeError:
            answer = ""
        if not answer:
            self.close()
            raise ContractError(
                f"{self.command}: the program has ended, with exit status {process.returncode}"
            )
        return answer

    def _running(self) -> subprocess.Popen[str]:
        """Return the running program, starting it if necessary.

        Raises
        ------
        ContractError
            The program cannot be started.
        """
        if self._process is None:
            try:
                self._process = subprocess.Popen(
                    shlex.split(self.command),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    encoding="utf-8",
                )
            except OSError as error:
                raise ContractError(
                    f"{self.command}: the program cannot be started: {error}"
                ) from error
            self._answers = queue.SimpleQueue()
            listening = (self._process, self._answers)
            self._listener = threading.Thread(target=_listen, args=listening, daemon=True)
            self._listener.start()
        return self._process

    def close(self) -> None:
        """Close the program's input, and kill it if it keeps running."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        try:
            process.stdin.close()
            process.wait(PATIENCE)
        except (subprocess.TimeoutExpired, BrokenPipeError):
            process.kill()
            process.wait()
        self._listener.join(PATIENCE)

    def __del__(self) -> None:
        if hasattr(self, "_process"):
            self.close()

    def __getstate__(self) -> dict[str, Any]:
        return {"command": self.command, "seconds": self.seconds}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]


def _listen(process: subprocess.Popen[str], answers: queue.SimpleQueue[str]) -> None:
    """Queue the program's lines as they arrive; an empty string marks the end."""
    assert process.stdout is not None
    with process.stdout as lines:
        for line in lines:
            answers.put(line)
    answers.put("")
