"""Matches: the same decks from every seat, with win rates, mean scores and 95% intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.envs.opponents import act, ask, check_opponent
from carc_env.game.game import Game
from carc_env.game.table import Table
from carc_env.rules import Rules

from .players import Agent

Z95 = 1.959963984540054
"""Quantile of the normal distribution for 95% intervals."""
TABLES_AT_ONCE = 64


@dataclass(frozen=True)
class Estimate:
    """A number with its 95% interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Standing:
    """How one agent did in a match."""

    agent: str
    wins: int
    """Games with more points than every other seat."""
    draws: int
    """Games with as many points as the best of the other seats."""
    losses: int
    win_rate: Estimate
    """Wins per game; Wilson's interval, which takes games as independent."""
    score: Estimate
    """Points per game; normal interval over the means of the decks."""


@dataclass(frozen=True)
class MatchResult:
    """A match: every deck was played once in each seating.

    ``scores`` has the shape (decks, seatings, agents): agent k sat on seat (k + seating) % agents.
    """

    rules: Rules
    seed: int
    standings: tuple[Standing, ...]
    scores: npt.NDArray[np.int64]

    @property
    def n_games(self) -> int:
        """Decks times seatings."""
        return int(self.scores[:, :, 0].size)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; all scores included."""
        return {
            "rules": self.rules.to_dict(),
            "seed": self.seed,
            "games": self.n_games,
            "agents": [asdict(standing) for standing in self.standings],
            "scores": self.scores.tolist(),
        }


def wilson(successes: int, n: int) -> Estimate:
    """A share with Wilson's 95% interval.

    Raises
    ------
    ValueError
        ``n`` is not positive, or there are not 0 to ``n`` successes.
    """
    if not 0 <= successes <= n or n == 0:
        raise ValueError(f"{successes} successes in {n} trials")
    share, z2 = successes / n, Z95**2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = Z95 / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    # At 0 and n the bound is the share itself; do not let rounding say otherwise.
    low = 0.0 if successes == 0 else middle - half
    high = 1.0 if successes == n else middle + half
    return Estimate(share, low, high)


def mean_interval(values: npt.ArrayLike) -> Estimate:
    """A mean with its normal 95% interval; without width where there is a single value."""
    numbers = np.asarray(values, float)
    mean = float(numbers.mean())
    deviation = float(numbers.std(ddof=1)) if numbers.size > 1 else 0.0
    half = Z95 * deviation / math.sqrt(numbers.size)
    return Estimate(mean, mean - half, mean + half)


def deck_seeds(seed: int, n: int) -> list[int]:
    """Seeds of ``n`` decks; a longer list begins with the shorter one."""
    seeds: list[int] = np.random.SeedSequence(seed).generate_state(n, np.uint64).tolist()
    return seeds


def play_match(
    agents: Sequence[Agent],
    names: Sequence[str],
    rules: Rules,
    n_games: int,
    *,
    seed: int = 0,
    on_game: Callable[[], object] | None = None,
) -> MatchResult:
    """Play a match of as many agents as there are seats.

    Parameters
    ----------
    agents, names
        One for each seat.
    rules : Rules
        What is played.
    n_games : int
        A multiple of the number of seats: each deck is played once in each rotation of the seats.
    seed : int
        Shuffles the decks.
    on_game : callable, optional
        Called after each game, for a progress bar.

    Raises
    ------
    ValueError
        The numbers of agents, names or games do not fit the rules, or an agent has no method
        ``act``, takes an illegal action or changes a table.
    """
    check_match(agents, names, rules, n_games)
    scores = [
        play_share(agents, rules, share, seed=seed, on_game=on_game) for share in shares(n_games)
    ]
    return match_result(names, rules, seed, np.concatenate(scores))


def check_match(agents: Sequence[Agent], names: Sequence[str], rules: Rules, n_games: int) -> None:
    """Raise the ``ValueError`` of :func:`play_match` for what can be seen before the games."""
    n = rules.n_players
    if len(agents) != n or len(names) != n:
        raise ValueError(f"{n} seats need {n} agents and names, got {len(agents)}, {len(names)}")
    if n_games <= 0 or n_games % n:
        raise ValueError(
            f"the number of games must be a positive multiple of {n}, the number of seats: every "
            f"deck is played from each seat; got {n_games}"
        )
    for agent in agents:
        check_opponent(agent)


def shares(n_games: int) -> list[range]:
    """The games of a match, dealt out for :func:`play_share`: by their number alone."""
    return [
        range(first, min(first + TABLES_AT_ONCE, n_games))
        for first in range(0, n_games, TABLES_AT_ONCE)
    ]


def play_share(
    agents: Sequence[Agent],
    rules: Rules,
    games: range,
    *,
    seed: int,
    on_game: Callable[[], object] | None = None,
) -> npt.NDArray[np.int64]:
    """Play some games of a match, at tables side by side.

    Game g is deck g // seats in seating g % seats, whoever plays it and wherever: a share is a
    function of the arguments.

    Returns
    -------
    array
        Scores, shape (games, agents).
    """
    n = rules.n_players
    numbered = [divmod(game, n) for game in games]
    seeds = deck_seeds(seed, numbered[-1][0] + 1)
    tables = [Table(rules, seed=seeds[deck]) for deck, _ in numbered]
    _play_out(tables, [[agents[(p - k) % n] for p in range(n)] for _, k in numbered], on_game)
    return np.array(
        [
            [table.scores[(k + seating) % n] for k in range(n)]
            for table, (_, seating) in zip(tables, numbered, strict=True)
        ],
        np.int64,
    )


def match_result(
    names: Sequence[str], rules: Rules, seed: int, scores: npt.NDArray[np.int64]
) -> MatchResult:
    """The result of a match from the scores of all its games, shape (games, agents)."""
    n = rules.n_players
    by_deck = scores.reshape(-1, n, n)
    standings = tuple(_standing(name, k, by_deck) for k, name in enumerate(names))
    return MatchResult(rules, seed, standings, by_deck)


def _play_out(
    tables: Sequence[Table],
    seats: Sequence[Sequence[Agent]],
    on_game: Callable[[], object] | None,
) -> None:
    """Play all tables to their ends, each agent deciding at all its tables in one call."""
    live = list(range(len(tables)))
    while live:
        asked = [seats[k][tables[k].decider] for k in live]
        for k, action in zip(live, ask(asked, [tables[k] for k in live]), strict=True):
            tables[k].step_unchecked(action)
            if tables[k].is_over and on_game:
                on_game()
        live = [k for k in live if not tables[k].is_over]


def _standing(name: str, k: int, scores: npt.NDArray[np.int64]) -> Standing:
    own = scores[:, :, k]
    best = np.delete(scores, k, axis=2).max(axis=2)
    wins, draws = int((own > best).sum()), int((own == best).sum())
    return Standing(
        agent=name,
        wins=wins,
        draws=draws,
        losses=own.size - wins - draws,
        win_rate=wilson(wins, own.size),
        score=mean_interval(own.mean(axis=1)),
    )


def play_game(agents: Sequence[Agent], rules: Rules, *, seed: int) -> Game:
    """Play one game with its log, agent k on seat k; the seed shuffles the bag.

    Raises
    ------
    ValueError
        An agent has no method ``act``, takes an illegal action or changes the table.
    """
    for agent in agents:
        check_opponent(agent)
    game = Game(rules, seed=seed)
    while not game.is_over:
        game.step_unchecked(act(agents[game.decider], game))
    return game
