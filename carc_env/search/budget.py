"""The limits of a decision: seconds, nodes, or both; the one that is used up first ends it."""

from __future__ import annotations

import time


class Budget:
    """A limit of seconds, of nodes, or of both, which starts when it is made.

    Parameters
    ----------
    seconds : float, optional
        The most time.
    nodes : int, optional
        The most positions to be valued, or simulations to be made.

    Raises
    ------
    ValueError
        There is no limit, or one is not above 0.
    """

    def __init__(self, seconds: float | None = None, nodes: int | None = None) -> None:
        limits = [limit for limit in (seconds, nodes) if limit is not None]
        if not limits or min(limits) <= 0:
            raise ValueError(
                f"a search needs seconds or nodes above 0, got seconds={seconds!r}, nodes={nodes!r}"
            )
        self.seconds, self.nodes = seconds, nodes
        self.n_nodes = 0
        self._is_over = False
        self._began = time.perf_counter()

    @property
    def used(self) -> float:
        """The share that is used up; 1 or more at the end."""
        if self._is_over:
            return 1.0
        of_nodes = 0.0 if self.nodes is None else self.n_nodes / self.nodes
        if self.seconds is None:
            return of_nodes
        return max(of_nodes, (time.perf_counter() - self._began) / self.seconds)

    @property
    def nodes_left(self) -> int:
        """How many nodes may still be counted, if they take as long as those so far."""
        left = [] if self.nodes is None else [self.nodes - self.n_nodes]
        if self.seconds is not None:
            passed = time.perf_counter() - self._began
            left.append(int(self.n_nodes * (self.seconds / passed - 1.0)))
        return max(0, min(left))

    def end(self) -> None:
        """Mark all of it as used up."""
        self._is_over = True

    def anew(self) -> Budget:
        """Return a budget with the same limits that starts now."""
        return Budget(self.seconds, self.nodes)

    def rest(self) -> Budget:
        """Return a budget with the rest of this one that starts now; never empty."""
        left = max(0.01, 1.0 - self.used)
        seconds = None if self.seconds is None else left * self.seconds
        return Budget(seconds, None if self.nodes is None else max(1, self.nodes - self.n_nodes))
