"""Threads that share work, and stop when nobody is waiting for the results."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Condition
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Threads:
    """A few threads for one caller; they start when there is work, and stay for the next job.

    Parameters
    ----------
    n : int
        Maximum number of threads.
    """

    def __init__(self, n: int) -> None:
        self._n = n
        self._begin_here()

    def _begin_here(self) -> None:
        """Start over without threads in this process, as a forked child must."""
        self._process = os.getpid()
        self._pool: ThreadPoolExecutor | None = None
        self._state = Condition()
        self._call = self._n_working = 0

    def each(
        self,
        job: Callable[[Item], Result],
        items: Iterable[Item],
        *,
        stop: Callable[[], object] | None = None,
    ) -> list[Result]:
        """Run a job for each item and return the results in order.

        No thread is still working when this call ends, even if a signal handler raises in the
        meantime. Before the call raises, ``stop`` can tell the jobs to end early.
        """
        self.settle()
        call = self._call

        def work(item: Item) -> Result:
            with self._state:
                if call != self._call:
                    raise RuntimeError("nobody waits for this any more")
                self._n_working += 1
            try:
                return job(item)
            finally:
                with self._state:
                    self._n_working -= 1
                    self._state.notify_all()

        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._n)
        try:
            return [*self._pool.map(work, items)]
        except BaseException:
            if stop is not None:
                stop()
            self.settle()
            raise

    def settle(self) -> None:
        """Wait until no thread is working, and start no more jobs that are waiting.

        Only a caller that may be interrupted by several signals in a row needs to call this before
        it uses memory shared with the jobs.
        """
        if self._process != os.getpid():
            self._begin_here()
        try:
            # Threads are not joined: if a signal interrupts join(), Python believes that the thread
            # has ended.
            with self._state:
                self._call += 1
                while self._n_working:
                    self._state.wait()
        except BaseException:
            self.settle()
            raise

    def close(self) -> None:
        """Stop the threads, and wait until they have ended."""
        self.settle()
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
