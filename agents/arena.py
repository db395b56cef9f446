"""Games between agents: each deck is played by a line-up from every seat.

A *line-up* names the agents clockwise. Its decks are numbered from 0, and each deck is played in as
many *seatings* as there are seats: in seating k, the agent at position p of the line-up has seat
``(p + k) % seats``. From a distribution, each deck draws its own rules. A result depends only on
the agents, the rules, the seed and the deck number, not on where it is played or what runs in
parallel.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from carc_env.envs.distributions import Dealer, RulesDistribution
from carc_env.envs.naming import AgentSpec
from carc_env.envs.opponents import (
    TRUSTED,
    BatchOpponent,
    ContractError,
    Opponent,
    act,
    act_many,
    check_opponent,
)
from carc_env.game.archive import Archive
from carc_env.game.game import Game
from carc_env.game.records import format_record
from carc_env.game.table import Table
from carc_env.rules import Rules
from carc_env.seeds import Stream, seed_of
from carc_env.words import SEATS

from .intervals import Estimate, mean_interval, share_interval

Agent = Opponent
"""Any object with ``act(table) -> int``; it must not change the table."""
Player: TypeAlias = Agent | AgentSpec
"""An agent, or a factory. If the agent takes a seed, the factory makes one for each game, with a
seed derived from the game; otherwise, it makes one for each of the rules."""
LineUp = tuple[str, ...]
"""The names of the agents in a game, clockwise."""
Task = tuple[LineUp, range]
"""A line-up, and the decks that a worker plays with it."""
RulesOfDecks: TypeAlias = Rules | RulesDistribution
"""The rules of all decks, or a distribution from which each deck draws its own."""

TABLES_AT_ONCE = 64
N_DRAWN = 1_000
"""Number of decks whose rules are drawn and checked before the first game."""
ONE_NUMBER = "a match needs rules for one number of players: play a match for each number"


class AgentError(ValueError):
    """An agent crashed or broke the contract; the message names the agent and the error."""


class AgentContractError(AgentError, ContractError):
    """An agent broke the contract, so a traceback would not help."""


def agent_error(message: str, error: Exception) -> AgentError:
    """Return an error that replaces an agent's own error and ends with its text."""
    if isinstance(error, ContractError):
        return AgentContractError(f"{message}: {error}")
    what = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
    return AgentError(f"{message}: {what}")


@dataclass(frozen=True)
class Played:
    """A deck that a line-up has played in all seatings; lists are by position in the line-up."""

    line_up: LineUp
    deck: int
    """Number of the deck."""
    scores: list[list[int]]
    """Final scores: for each seating, one per position."""
    decisions: list[int]
    """Number of decisions of each agent."""
    seconds: list[float]
    """Total time of each agent, see :func:`clock_of`."""
    slowest: list[float]
    """The longest decision, in seconds."""
    records: list[str] = field(default_factory=list)
    """The record of the game in each seating, if records are kept."""
    rules: str = ""
    """The rules as YAML, if the deck drew its own."""


@dataclass(frozen=True)
class Arena:
    """The players and the rules of their games; workers call :meth:`play_task`.

    Parameters
    ----------
    players : mapping of str to Player
        The players, by the names that line-ups use.
    rules : Rules or RulesDistribution
        The rules of the games.
    seed : int
        The seed that shuffles the decks.
    records : bool
        Keep the record of every game.
    stream : Stream
        The purpose of the games; different streams have unrelated decks.
    """

    players: Mapping[str, Player]
    rules: RulesOfDecks
    seed: int = 0
    records: bool = False
    stream: Stream = Stream.EVALUATION

    def play_task(self, task: Task) -> list[Played]:
        """Play decks in all seatings, several tables in parallel.

        Raises
        ------
        AgentError
            An agent crashes, takes an illegal action or changes a table.
        """
        line_up, decks = task
        players = [self.players[name] for name in line_up]
        return play_decks(
            players,
            line_up,
            self.rules,
            decks,
            self.seed,
            stream=self.stream,
            records=self.records,
        )

    def decks_at_once(self, line_up: LineUp) -> int:
        """Return how many decks a worker plays in parallel.

        Agents that can decide for many tables at once get many decks; searching agents get one deck
        at a time.
        """
        n = len(line_up)
        are_quick = all(_is_quick(self.players[name]) for name in line_up)
        return max(1, TABLES_AT_ONCE // n) if are_quick else 1


def _is_quick(player: Player) -> bool:
    return type(player) in TRUSTED or isinstance(player, BatchOpponent)


def deck_seed(seed: int, deck: int, stream: Stream = Stream.EVALUATION) -> int:
    """Return the seed for the deck with the given number."""
    return seed_of(stream, seed, deck)


def rules_of_deck(
    dealer: Dealer, seed: int, deck: int, stream: Stream = Stream.EVALUATION
) -> Rules:
    """Return the rules of a deck.

    Raises
    ------
    ValueError
        The distribution draws rules that its layout has no room for.
    """
    return dealer.draw(np.random.default_rng(deck_seed(seed, deck, stream)))


def seats_of(
    rules: RulesOfDecks, seed: int, n_decks: int, stream: Stream = Stream.EVALUATION
) -> int:
    """Return the number of players in all games.

    Raises
    ------
    ValueError
        The distribution is refused, or draws rules for several numbers of players.
    """
    if isinstance(rules, Rules):
        return rules.n_players
    dealer, decks = Dealer(rules), range(max(1, min(n_decks, N_DRAWN)))
    if dealer.distribution is None:
        raise ValueError(f"a match needs Rules or a distribution of rules, got {rules!r}")
    counts = {rules_of_deck(dealer, seed, deck, stream).n_players for deck in decks}
    if len(counts) > 1:
        raise ValueError(f"{ONE_NUMBER}; this distribution draws rules for {sorted(counts)}")
    return counts.pop()


def play_decks(
    players: Sequence[Player],
    names: Sequence[str],
    rules: RulesOfDecks,
    decks: Iterable[int],
    seed: int,
    *,
    stream: Stream = Stream.EVALUATION,
    records: bool = False,
    on_game: Callable[[], object] | None = None,
) -> list[Played]:
    """Play decks in all seatings, several tables in parallel.

    Parameters
    ----------
    players, names
        One per seat, in line-up order.
    rules : Rules or RulesDistribution
        The rules of the games.
    decks : iterable of int
        The numbers of the decks.
    seed : int
        The seed that shuffles the decks.
    stream : Stream
        The purpose of the games.
    records : bool
        Keep the record of every game.
    on_game : callable, optional
        Called after each game.

    Raises
    ------
    AgentError
        An agent crashes, takes an illegal action or changes a table.
    ValueError
        Rules that are drawn are refused, or have another number of players.
    """
    numbers, n, dealer = [*decks], len(players), Dealer(rules)
    games = list[_Sitting]()
    made: dict[tuple[int, Rules], Agent] = {}
    for deck in numbers:
        dealt = rules_of_deck(dealer, seed, deck, stream)
        if dealt.n_players != n:
            raise ValueError(f"{ONE_NUMBER}; deck {deck} has rules for {dealt.n_players}, not {n}")
        shuffled = deck_seed(seed, deck, stream)
        games += [
            _Sitting(players, names, dealt, shuffled, deck, seating, records, made)
            for seating in range(n)
        ]
    live = games
    while live:
        _decide(live)
        if on_game:
            for _ in range(sum(game.table.is_over for game in live)):
                on_game()
        live = [game for game in live if not game.table.is_over]
    found = [_played(tuple(names), games[k * n : (k + 1) * n]) for k in range(len(numbers))]
    if dealer.distribution is not None:
        told = [game.table.rules.plain.to_yaml() for game in games[::n]]
        found = [replace(deck, rules=text) for deck, text in zip(found, told, strict=True)]
    return found


class _Sitting:
    """A game in progress, and the time its agents have used, by position."""

    def __init__(
        self,
        players: Sequence[Player],
        names: Sequence[str],
        rules: Rules,
        shuffled: int,
        deck: int,
        seating: int,
        records: bool,
        made: dict[tuple[int, Rules], Agent],
    ) -> None:
        self.names, self.shuffled, self.deck, self.seating = names, shuffled, deck, seating
        self.table = (Game if records else Table)(rules, seed=self.shuffled)
        self.agents = [self._seated(player, p, rules, made) for p, player in enumerate(players)]
        self.decisions, self.seconds, self.slowest = (np.zeros(len(players)) for _ in range(3))

    def _seated(
        self, player: Player, position: int, rules: Rules, made: dict[tuple[int, Rules], Agent]
    ) -> Agent:
        if not isinstance(player, AgentSpec):
            return player
        if not player.takes_seed:
            key = id(player), rules
            if key not in made:
                made[key] = player.make(rules)
            return made[key]
        own = player.options.get("seed") or 0
        entropy = (own, self.shuffled, self.seating, position)
        return player.make(rules, int(np.random.SeedSequence(entropy).generate_state(1)[0]))

    @property
    def position(self) -> int:
        """The decider's position in the line-up."""
        return (self.table.decider - self.seating) % len(self.agents)

    def go_on(self, action: int, seconds: float) -> None:
        """Apply a decision, and add its time."""
        p = self.position
        self.decisions[p] += 1
        self.seconds[p] += seconds
        self.slowest[p] = max(self.slowest[p], seconds)
        self.table.step_unchecked(action)

    def told(self, error: Exception, n_tables: int) -> AgentError:
        """Return an error that names the agent that was asked and the point in the game."""
        among = f"one of {n_tables} tables, the first is " if n_tables > 1 else ""
        return agent_error(
            f"agent {self.names[self.position]!r} failed at {among}deck {self.deck} (seed "
            f"{self.shuffled}), seating {self.seating}, seat {self.table.decider}, after "
            f"{int(self.decisions.sum())} decisions in the game",
            error,
        )


def _decide(games: Sequence[_Sitting]) -> None:
    """Let the agent to move in each game decide; agents with ``act_many`` are asked only once."""
    waiting: dict[int, list[_Sitting]] = {}
    for game in games:
        waiting.setdefault(id(game.agents[game.position]), []).append(game)
    for same in waiting.values():
        agent = same[0].agents[same[0].position]
        for games_at_once in [same] if isinstance(agent, BatchOpponent) else [[g] for g in same]:
            _ask(agent, games_at_once)


def _ask(agent: Agent, games: list[_Sitting]) -> None:
    """Ask an agent about several games at once and continue them, splitting the time evenly."""
    clock = clock_of(agent)
    began = clock()
    try:
        actions = act_many(agent, [game.table for game in games])
    except Exception as error:
        raise games[0].told(error, len(games)) from error
    seconds = (clock() - began) / len(games)
    for game, action in zip(games, actions, strict=True):
        game.go_on(action, seconds)


def clock_of(agent: Agent) -> Callable[[], float]:
    """Return the clock for an agent's decisions, in seconds.

    It shows processor time, which does not depend on what else the machine does. For a program,
    which has a process of its own, it shows wall-clock time.
    """
    return time.perf_counter if getattr(agent, "is_program", False) else time.process_time


def _played(line_up: LineUp, games: Sequence[_Sitting]) -> Played:
    """Return a deck's result from its games, one per seating."""
    n = len(line_up)
    return Played(
        line_up,
        games[0].deck,
        [[game.table.scores[(p + game.seating) % n] for p in range(n)] for game in games],
        np.sum([game.decisions for game in games], 0).astype(int).tolist(),
        np.sum([game.seconds for game in games], 0).round(6).tolist(),
        np.max([game.slowest for game in games], 0).round(6).tolist(),
        [format_record(game.table) for game in games if isinstance(game.table, Game)],
    )


def keep_records(archive: Archive, played: Iterable[Played], seed: int) -> None:
    """Write the records of the decks, each with a comment naming the players and the deck."""
    for deck in played:
        n = len(deck.line_up)
        for seating, record in enumerate(deck.records):
            seats = ", ".join(f"{SEATS[s]} {deck.line_up[(s - seating) % n]}" for s in range(n))
            archive.keep_record(record, f"{seats}: deck {deck.deck} of seed {seed}")


# Matches: a single line-up, given as agent objects.


@dataclass(frozen=True)
class Standing:
    """The result of one agent in a match; all intervals are over decks."""

    agent: str
    wins: int
    """Games in which the agent outscored every other seat."""
    draws: int
    """Games in which the agent tied with the best of the other seats."""
    losses: int
    win_rate: Estimate
    """Win rate: first places per game; if k seats tie for first, each counts 1/k."""
    lead: Estimate
    """Lead over the mean of the other seats, in points per game."""
    score: Estimate
    """Points per game."""


@dataclass(frozen=True)
class MatchResult:
    """The result of a match, in which every deck was played once in each seating.

    ``scores`` has the shape (decks, seatings, agents): agent k had seat (k + seating) % agents.
    """

    rules: Rules | list[Rules]
    """The rules; if each deck drew its own, those of each deck."""
    seed: int
    standings: tuple[Standing, ...]
    scores: npt.NDArray[np.int64]

    @property
    def win_rates(self) -> npt.NDArray[np.float64]:
        """Each agent's win rate on each deck, (decks, agents): a tie splits the first place."""
        rates: npt.NDArray[np.float64] = first_places(self.scores).mean(axis=1)
        return rates

    @property
    def n_games(self) -> int:
        """Number of games: decks times seatings."""
        return int(self.scores[:, :, 0].size)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, including all scores."""
        return {
            "rules": self.rules.to_dict()
            if isinstance(self.rules, Rules)
            else [rules.to_dict() for rules in self.rules],
            "seed": self.seed,
            "games": self.n_games,
            "agents": [asdict(standing) for standing in self.standings],
            "scores": self.scores.tolist(),
        }


def play_against(
    player: Player,
    rival: Player,
    rules: RulesOfDecks,
    n_games: int,
    *,
    names: tuple[str, str] = ("one", "other"),
    seed: int = 0,
    records: str | os.PathLike[str] | None = None,
) -> MatchResult:
    """Play a match of one agent against copies of another; the first agent's standing comes first.

    Parameters and errors as for :func:`play_match`.
    """
    n_rivals = seats_of(rules, seed, 1) - 1
    agents, called = [player, *[rival] * n_rivals], [names[0], *[names[1]] * n_rivals]
    return play_match(agents, called, rules, n_games, seed=seed, records=records)


def play_match(
    agents: Sequence[Player],
    names: Sequence[str],
    rules: RulesOfDecks,
    n_games: int,
    *,
    seed: int = 0,
    stream: Stream = Stream.EVALUATION,
    on_game: Callable[[], object] | None = None,
    records: str | os.PathLike[str] | None = None,
) -> MatchResult:
    """Play a match with one agent per seat, in this process.

    Parameters
    ----------
    agents, names
        One per seat.
    rules : Rules or RulesDistribution
        The rules of the games. A distribution must draw rules for one number of players.
    n_games : int
        A multiple of the number of seats: each deck is played once in every seating.
    seed : int
        The seed that shuffles the decks.
    stream : Stream
        The purpose of the match; different streams have unrelated decks.
    on_game : callable, optional
        Called after each game, for a progress bar.
    records : path, optional
        Folder for the game records.

    Raises
    ------
    ValueError
        The numbers of agents, names or games do not fit the rules, or an agent has no ``act``
        method, crashes, takes an illegal action or changes a table.
    """
    n_seats = seats_of(rules, seed, n_games, stream)
    check_match(agents, names, n_seats, n_games)
    archive = None if records is None else Archive(records)
    played: list[Played] = []
    for share in shares(n_games, n_seats):
        new = play_decks(
            agents,
            names,
            rules,
            share,
            seed,
            stream=stream,
            records=archive is not None,
            on_game=on_game,
        )
        if archive is not None:
            keep_records(archive, new, seed)
        played += new
    return match_result(names, rules, seed, played)


def check_match(agents: Sequence[Player], names: Sequence[str], n: int, n_games: int) -> None:
    """Raise :func:`play_match`'s ``ValueError`` for problems detectable before any game."""
    if len(agents) != n or len(names) != n:
        raise ValueError(f"{n} seats need {n} agents and names, got {len(agents)}, {len(names)}")
    if n_games <= 0 or n_games % n:
        raise ValueError(
            f"the number of games must be a positive multiple of {n}, the number of seats: every "
            f"deck is played from each seat; got {n_games}"
        )
    for agent in agents:
        if not isinstance(agent, AgentSpec):
            check_opponent(agent)


def shares(n_games: int, n_seats: int) -> list[range]:
    """Split a match's decks into shares for :func:`play_decks`, depending only on their number."""
    n_decks, size = n_games // n_seats, max(1, TABLES_AT_ONCE // n_seats)
    return [range(k, min(k + size, n_decks)) for k in range(0, n_decks, size)]


def match_result(
    names: Sequence[str],
    rules: RulesOfDecks,
    seed: int,
    played: Sequence[Played],
) -> MatchResult:
    """Return a match's result from its decks."""
    decks = sorted(played, key=lambda d: d.deck)
    scores = np.array([deck.scores for deck in decks], np.int64)
    standings = tuple(_standing(name, k, scores) for k, name in enumerate(names))
    if isinstance(rules, Rules):
        return MatchResult(rules, seed, standings, scores)
    return MatchResult([Rules.from_yaml(deck.rules) for deck in decks], seed, standings, scores)


def first_places(scores: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return each seat's share of first place (seats on the last axis); ties split it."""
    ahead = scores == scores.max(axis=-1, keepdims=True)
    shares: npt.NDArray[np.float64] = ahead / ahead.sum(axis=-1, keepdims=True)
    return shares


def leads(scores: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return each seat's lead over the mean of the others, in points (seats on the last axis)."""
    n = scores.shape[-1]
    more: npt.NDArray[np.float64] = (n * scores - scores.sum(axis=-1, keepdims=True)) / (n - 1)
    return more


def _standing(name: str, k: int, scores: npt.NDArray[np.int64]) -> Standing:
    own = scores[:, :, k]
    best = np.delete(scores, k, axis=2).max(axis=2)
    wins, draws = int((own > best).sum()), int((own == best).sum())
    return Standing(
        agent=name,
        wins=wins,
        draws=draws,
        losses=own.size - wins - draws,
        win_rate=share_interval(first_places(scores)[:, :, k].mean(axis=1)),
        lead=mean_interval(leads(scores)[:, :, k].mean(axis=1)),
        score=mean_interval(own.mean(axis=1)),
    )


def play_game(agents: Sequence[Agent], rules: Rules, *, seed: int) -> Game:
    """Play one game and return it with its log; agent k has seat k, and the seed shuffles the bag.

    Raises
    ------
    ValueError
        An agent has no ``act`` method, takes an illegal action or changes the table.
    """
    for agent in agents:
        check_opponent(agent)
    game = Game(rules, seed=seed)
    while not game.is_over:
        game.step_unchecked(act(agents[game.decider], game))
    return game
