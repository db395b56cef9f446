"""The limits for a decision: seconds, nodes or both. The limit that is reached first ends it."""

from __future__ import annotations

import time


class Budget:
    """A limit of seconds, nodes or both; the time starts when the budget is created.

    Parameters
    ----------
    seconds : float, optional
        The maximum time, in seconds.
    nodes : int, optional
        The maximum number of positions to evaluate, or of simulations to run.

    Raises
    ------
    ValueError
        If there is no limit, or a limit is not above 0.
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
        """The fraction of the budget that is used up; 1 or more at the end."""
        if self._is_over:
            return 1.0
        of_nodes = 0.0 if self.nodes is None else self.n_nodes / self.nodes
        if self.seconds is None:
            return of_nodes
        return max(of_nodes, (time.perf_counter() - self._began) / self.seconds)

    @property
    def nodes_left(self) -> int:
        """The number of nodes that can still be counted, if they take as long as those so far."""
        left = [] if self.nodes is None else [self.nodes - self.n_nodes]
        if self.seconds is not None:
            passed = time.perf_counter() - self._began
            left.append(int(self.n_nodes * (self.seconds / passed - 1.0)))
        return max(0, min(left))

    def end(self) -> None:
        """Mark the whole budget as used up."""
        self._is_over = True

    def anew(self) -> Budget:
        """Return a budget with the same limits that starts now."""
        return Budget(self.seconds, self.nodes)

    def rest(self) -> Budget:
        """Return a budget that starts now with what is left of this one; it is never empty."""
        left = max(0.01, 1.0 - self.used)
        seconds = None if self.seconds is None else left * self.seconds
        return Budget(seconds, None if self.nodes is None else max(1, self.nodes - self.n_nodes))
