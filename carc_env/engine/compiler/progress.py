"""How far compilation has got: a bar in the terminal, lines elsewhere, and a call for the page."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

WIDTH = 30
"""Width of the bar in characters."""
SECONDS_BETWEEN_LINES = 15
"""Seconds between two lines if there is no terminal for a bar."""
listeners: list[Callable[[float], None]] = []
"""Called with the finished part, from 0 to 1, in the thread that compiles."""


class Progress:
    """The progress of a compilation.

    Parameters
    ----------
    what : str
        What is compiled.
    total : float
        The amount of work, in any unit.
    """

    def __init__(self, what: str, total: float) -> None:
        self._total, self._done, self._told = total, 0.0, time.monotonic()
        self._is_terminal = sys.stderr.isatty()
        say(f"compiling {what} ...")
        self.advance(0)

    def advance(self, work: float) -> None:
        """Add finished work and show it."""
        self._done += work
        part = min(1.0, self._done / self._total)
        for listener in listeners:
            listener(part)
        now = time.monotonic()
        if self._is_terminal:
            done = round(WIDTH * part)
            bar = "#" * done + "-" * (WIDTH - done)
            print(f"\r[{bar}] {part:4.0%}", end="", file=sys.stderr, flush=True)
        elif now - self._told > SECONDS_BETWEEN_LINES:
            self._told = now
            say(f"compiling: {part:.0%}")

    def end(self, sentence: str) -> None:
        """Report the end."""
        if self._is_terminal:
            print("\r" + " " * (WIDTH + 8), end="\r", file=sys.stderr)
        say(sentence)


def say(sentence: str) -> None:
    """Tell the user why something takes long, or what to do."""
    print(f"carc_env: {sentence}", file=sys.stderr, flush=True)
