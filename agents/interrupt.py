"""Ctrl-C and SIGTERM as requests: work in progress is finished and saved before exiting.

::

    with Interruption() as stop:
        while not (is_done() or stop.wanted):
            update()
        save()
    sys.exit(stop.status)
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from types import FrameType, TracebackType

from carc_env.plain_output import print_anywhere

SIGNALS = (signal.SIGINT, signal.SIGTERM)
STDERR = 2
FIRST = b"\nStopping as soon as everything is saved (once more: at once) ...\n"
SECOND = b"\nEnded at once; what was saved before is whole.\n"


class Interruption:
    """In a ``with`` block, makes the first of ``SIGNALS`` a request; the next one ends the program.

    The second signal raises ``SystemExit``, so that files and the terminal are cleaned up. Only the
    main thread may enter the block.

    Attributes
    ----------
    status : int
        The exit status: 0, or after a request, 128 plus the signal number.
    """

    def __init__(self) -> None:
        self.status = 0

    @property
    def wanted(self) -> bool:
        """Whether a signal has arrived."""
        return self.status != 0

    def __enter__(self) -> Interruption:
        self._before = {number: signal.signal(number, self._on_signal) for number in SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        is_second = self.wanted
        with suppress(OSError):  # stderr may be closed; print is not safe in a handler
            os.write(STDERR, SECOND if is_second else FIRST)
        if is_second:
            raise SystemExit(128 + number)
        self.status = 128 + number


def end_quietly() -> None:
    """Make an unhandled Ctrl-C end the program with a one-line message instead of a traceback.

    ``KeyboardInterrupt`` is still raised, so that files and the terminal are cleaned up. The exit
    status is 130. After this call, the program can also print in any encoding.
    """
    print_anywhere()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.excepthook = _report


def _report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        with suppress(OSError):
            os.write(STDERR, SECOND)
    else:
        sys.__excepthook__(kind, error, trace)
