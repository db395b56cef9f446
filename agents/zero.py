"""Learning from the network's own searches, in the manner of AlphaZero: search, learn, gate.

In each round of self-play, the *playing* network searches every decision. The *learning* network
then learns from the latest games what the searches found and how the games ended. At intervals the
two play a match, and if the learning network is good enough, the playing network becomes a copy of
it.

A game depends only on its number and the networks, and its training data can be regenerated from
its deck and actions. So a checkpoint stores the latest games in little space, and a resumed run
equals an uninterrupted one. This also holds for games played by other processes or a cluster.
"""

from __future__ import annotations

import copy
import os
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
import numpy.typing as npt
import torch

from carc_env.game.table import Table
from carc_env.layout.encodings import Planes
from carc_env.layout.screens import Screen
from carc_env.rules import Rules
from carc_env.seeds import Stream, seed_of

from .arena import play_match
from .checkpoint import Arrays
from .config import IMITATION, ZERO, ZeroConfig
from .curve import Row
from .dataset import Decisions, joined
from .device import device_called
from .imitation import learn_from, shares_of
from .interrupt import Stopped, stop_if_wanted
from .learned import adam_arrays, network_arrays, restore_adam
from .network_agent import NETWORK, NetworkAgent, begin_with, load_network
from .networks import Network
from .run import Run
from .workers import Crew
from .zero_search import Judge, NetworkSearch, Plan, Times, kind_of, leads_of

LEARNS = "learns/"
"""Prefix of the checkpoint arrays of the learning network, which plays no games yet."""
GAMES = "games/"
"""Prefix of the checkpoint arrays of the latest games."""
BATCHES = 1
"""Separates the batches' random numbers from others that use the run's seed."""


class Played(NamedTuple):
    """A self-play game; arrays are over its decisions with a choice.

    Attributes
    ----------
    seed : int
        Seed of the deck and of all random numbers in its searches.
    actions : ndarray of int64, shape (n,)
        The actions played.
    values : ndarray of float32, shape (n,)
        The decider's expected lead, in points.
    n_legal : ndarray of int64, shape (n,)
        Number of legal actions.
    logs : ndarray of float32, shape (n_legal.sum(),)
        Logarithms of the searches' improved policy, legal actions ascending.
    """

    seed: int
    actions: npt.NDArray[np.int64]
    values: npt.NDArray[np.float32]
    n_legal: npt.NDArray[np.int64]
    logs: npt.NDArray[np.float32]


@dataclass
class Speed:
    """The work that a run has done since it began or resumed, and the time it took."""

    games: int = 0
    steps: int = 0
    playing: float = 0.0
    """Seconds spent playing, summed over processes."""
    learning: float = 0.0
    elapsed: float = 0.0
    """Wall-clock time, excluding evaluations and matches."""
    environment: float = 0.0
    """Seconds of playing and learning spent in the games, including observations."""

    def words(self) -> str:
        """Return games and decisions per second and the environment's share of time, as text."""
        if not self.elapsed:
            return ""
        share = self.environment / (self.playing + self.learning)
        return (
            f"{self.games / self.elapsed:.2f} games/s  {self.steps / self.elapsed:,.0f} decisions/s"
            f"  environment {share:.1%}"
        )


class Share(NamedTuple):
    """Part of a round: games that were played in parallel.

    Attributes
    ----------
    games : list of Played
        The games, in the order of their seeds.
    decisions : list of Decisions
        Training data from each game.
    times : Times
        The time spent in each part.
    seconds : float
        Total time.
    elsewhere : float
        Processor seconds used in another process.
    """

    games: list[Played]
    decisions: list[Decisions]
    times: Times
    seconds: float
    elsewhere: float = 0.0


@dataclass
class SelfPlay:
    """Plays games by searching with a network; workers call :meth:`play`.

    Parameters
    ----------
    network : Network
        The network that plays.
    rules : Rules
        The rules of the games.
    plan : Plan
        The size of the searches.
    root_weight : float
        The value's target, as in :func:`decisions_of`.
    """

    network: Network
    rules: Rules
    plan: Plan
    root_weight: float

    def play(self, seeds: Sequence[int]) -> Share:
        """Play the games with the given seeds in parallel.

        Raises
        ------
        Stopped
            A signal has arrived, see :func:`.interrupt.stop_if_wanted`.
        """
        began = time.perf_counter()
        judge = Judge(self.network, self.rules)
        search = NetworkSearch(judge, self.plan)
        games = [_Game(self.rules, seed) for seed in seeds]
        while going := [game for game in games if not game.table.is_over]:
            stop_if_wanted()
            lots = [game.draw() for game in going]
            tables = [game.table for game in going]
            found = search.search(tables, [lot[0] for lot in lots], [lot[1] for lot in lots])
            stepped = time.perf_counter()
            for game, one in zip(going, found, strict=True):
                game.take(int(one.actions[one.best]), one.value, one.logs)
            judge.times.environment += time.perf_counter() - stepped
        over = time.perf_counter()
        played = [game.played() for game in games]
        decisions = [decisions_of(game, self.rules, self.root_weight) for game in played]
        judge.times.environment += time.perf_counter() - over
        return Share(played, decisions, judge.times, time.perf_counter() - began)


class _Game:
    """A self-play game in progress, either at a decision with a choice or over."""

    def __init__(self, rules: Rules, seed: int) -> None:
        self.table = Table(rules, seed=seed)
        self._seed, self._rng = seed, np.random.default_rng([seed, 1])
        self._rows: list[tuple[int, float, npt.NDArray[np.float32]]] = []
        skip_single(self.table)

    def draw(self) -> tuple[int, npt.NDArray[np.float64]]:
        """Return the random numbers of the next search: a seed, and noise for each legal action."""
        n = len(self.table.legal_actions())
        return int(self._rng.integers(2**63)), self._rng.gumbel(size=n)

    def take(self, action: int, value: float, logs: npt.NDArray[np.float64]) -> None:
        """Take an action and store the search's results."""
        self._rows.append((action, value, logs.astype(np.float32)))
        self.table.step(action)
        skip_single(self.table)

    def played(self) -> Played:
        """Return the game, which must be over."""
        actions, values, logs = zip(*self._rows, strict=True)
        return Played(
            self._seed,
            np.array(actions, np.int64),
            np.array(values, np.float32),
            np.array([len(part) for part in logs], np.int64),
            np.concatenate(logs),
        )


def skip_single(table: Table) -> None:
    """Take actions while there is only one legal action."""
    while len(actions := table.legal_actions()) == 1:
        table.step(actions[0])


# Playing a round's games.


class Games(Protocol):
    """Any object that plays a round's games."""

    def play(self, players: SelfPlay, shares: Sequence[Sequence[int]]) -> Iterable[Share]:
        """Play games by their seeds; yield the shares in order."""

    def close(self) -> None:
        """End any processes that wait for the next round."""


class GamesHere:
    """Plays a round's games in this process."""

    def play(self, players: SelfPlay, shares: Sequence[Sequence[int]]) -> Iterable[Share]:
        """Play games by their seeds; yield the shares in order."""
        return map(players.play, shares)

    def close(self) -> None:
        """Do nothing: there are no processes to end."""


class GamesInProcesses:
    """Plays a round's games in several processes on this machine, one share per task.

    Parameters
    ----------
    workers : int
        Processes.
    threads : int
        Number of torch threads in each process.
    """

    def __init__(self, workers: int, threads: int = 1) -> None:
        self._crew = Crew(workers, threads=threads)

    def play(self, players: SelfPlay, shares: Sequence[Sequence[int]]) -> Iterable[Share]:
        """Play games by their seeds on the network's device; all workers share a GPU."""
        there = _There.of(players, next(players.network.parameters()).device)
        tasks = [*enumerate(shares)]
        return in_order(self._crew.spread(there.play, tasks, meanwhile=stop_if_wanted))

    def close(self) -> None:
        """End the processes."""
        self._crew.close()


class GamesOnCluster:
    """Plays a round's games on the connected Ray cluster, one share per task.

    Parameters
    ----------
    threads : int
        CPUs per task.
    """

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads

    def play(self, players: SelfPlay, shares: Sequence[Sequence[int]]) -> Iterable[Share]:
        """Play games by their seeds; the network is sent to the workers, which use no GPU."""
        from .cluster import spread

        there, tasks = _There.of(players, torch.device("cpu")), [*enumerate(shares)]
        return in_order(spread(there.play, tasks, threads=self._threads, meanwhile=stop_if_wanted))

    def close(self) -> None:
        """Do nothing: there are no processes to end."""


def in_order(numbered: Iterable[tuple[int, Share]]) -> Iterator[Share]:
    """Yield items numbered 0, 1, 2, ... in numerical order."""
    done, n = dict[int, Share](), 0
    for number, share in numbered:
        done[number] = share
        while n in done:
            yield done.pop(n)
            n += 1


@dataclass
class _There:
    """The work and device of a worker; the network is sent on the CPU."""

    players: SelfPlay
    device: torch.device

    @classmethod
    def of(cls, players: SelfPlay, device: torch.device) -> Self:
        return cls(replace(players, network=copy.deepcopy(players.network).cpu()), device)

    def play(self, task: tuple[int, Sequence[int]]) -> tuple[int, Share]:
        """Play a share of a round; return its number and the share."""
        number, seeds = task
        began = time.process_time()
        self.players.network.to(self.device)
        share = self.players.play(seeds)
        return number, share._replace(elsewhere=time.process_time() - began)


class _Stoppable:
    """An agent that plays with a network until a signal arrives."""

    def __init__(self, agent: NetworkAgent) -> None:
        self._agent = agent

    def act(self, table: Table) -> int:
        return self.act_many([table])[0]

    def act_many(self, tables: Sequence[Table]) -> list[int]:
        stop_if_wanted()
        return self._agent.act_many(tables)


# Training data.


def decisions_of(game: Played, rules: Rules, root_weight: float = 0.0) -> Decisions:
    """Regenerate a game's observations from its actions, and add the searches' results.

    ``values`` are the logarithms of the improved policy; ``margins`` mix the final margins and the
    searches' expectations.

    Raises
    ------
    ValueError
        The game is impossible under these rules or in this version.
    """
    table = Table(rules, seed=game.seed)
    screen = Screen(Planes(rules, flat_board=True))
    indices, weights, numbers, legal, seats = [], [], [], [], []
    for action, n_legal in zip(game.actions.tolist(), game.n_legal.tolist(), strict=True):
        skip_single(table)
        actions = table.legal_actions()
        if len(actions) != n_legal:
            raise ValueError(f"{n_legal} legal actions are expected, but there are {len(actions)}")
        table.show(screen)
        where = np.flatnonzero(screen.rows["board"])
        indices.append(where.astype(np.uint32))
        weights.append(screen.rows["board"][where])
        numbers.append(screen.rows["globals"].copy())
        legal.append(np.array(actions, np.int32))
        seats.append(table.decider)
        table.step(action)
    skip_single(table)
    if not table.is_over:
        raise ValueError("it is not over at its end")
    margins = leads_of(np.array(table.scores))[seats]
    n = len(seats)
    return Decisions(
        indices=np.concatenate(indices),
        weights=np.concatenate(weights),
        n_active=np.array([len(part) for part in indices], np.int32),
        globals=np.stack(numbers),
        legal=np.concatenate(legal),
        values=game.logs,
        n_legal=game.n_legal.astype(np.int32),
        actions=game.actions.astype(np.int32),
        margins=((1 - root_weight) * margins + root_weight * game.values).astype(np.float32),
        seats=np.array(seats, np.uint8),
        games=np.zeros(n, np.int32),
    )


class Replay:
    """The latest games, from which batches are drawn.

    Parameters
    ----------
    rules : Rules
        The rules of all games.
    size : int
        Number of decisions to keep: the oldest game is dropped once the others have this many.
    root_weight : float
        The value's target: from the final margin (0) to the search's expectation (1).
    """

    def __init__(self, rules: Rules, size: int, root_weight: float = 0.0) -> None:
        self._rules, self._size, self._root_weight = rules, size, root_weight
        self.games: deque[Played] = deque()
        self._decisions: deque[Decisions] = deque()
        self.n = 0
        """Number of decisions."""

    def add(self, game: Played, decisions: Decisions | None = None) -> None:
        """Add a game and drop the oldest ones; its decisions are regenerated if not given."""
        self.games.append(game)
        if decisions is None:
            decisions = decisions_of(game, self._rules, self._root_weight)
        self._decisions.append(decisions)
        self.n += self._decisions[-1].n
        while self.n - self._decisions[0].n >= self._size:
            self.games.popleft()
            self.n -= self._decisions.popleft().n

    def draw(self, size: int, rng: np.random.Generator) -> Decisions:
        """Draw decisions with equal probability; return them in the order of their games."""
        ends = np.cumsum([part.n for part in self._decisions])
        which = np.sort(rng.integers(self.n, size=size))
        owners = np.searchsorted(ends, which, side="right")
        parts = []
        for k in np.unique(owners).tolist():
            part = self._decisions[k]
            parts.append(part.pick(which[owners == k] - (ends[k] - part.n)))
        return joined(parts)

    def save(self) -> Arrays:
        """Return all games as arrays."""
        fields = {name: [getattr(g, name) for g in self.games] for name in Played._fields}
        lengths = [len(game.actions) for game in self.games]
        arrays: Arrays = {
            "seed": np.array(fields.pop("seed"), np.uint64).view(np.int64),
            "length": np.array(lengths, np.int64),
        }
        if self.games:
            arrays |= {name: np.concatenate(parts) for name, parts in fields.items()}
        return {GAMES + name: array for name, array in arrays.items()}

    def restore(self, arrays: Arrays) -> None:
        """Add all games that :meth:`save` returned.

        Raises
        ------
        KeyError, ValueError
            The arrays are not such games.
        """
        first, first_log = 0, 0
        seeds, lengths = arrays[GAMES + "seed"].view(np.uint64), arrays[GAMES + "length"]
        for seed, length in zip(seeds.tolist(), lengths.tolist(), strict=True):
            part = slice(first, first + length)
            n_legal = arrays[GAMES + "n_legal"][part]
            logs = arrays[GAMES + "logs"][first_log : first_log + int(n_legal.sum())]
            actions, values = arrays[GAMES + "actions"][part], arrays[GAMES + "values"][part]
            self.add(Played(seed, actions, values, n_legal, logs))
            first, first_log = part.stop, first_log + len(logs)


# The run.


class ZeroLearner(Run[ZeroConfig]):
    """A run that learns from its own searches; :meth:`update` plays a round and learns from it.

    Parameters
    ----------
    config : ZeroConfig
        All settings.
    games : Games, optional
        Plays the games. Default: play them in this process or in ``config.workers`` processes.
    """

    SETTINGS = ZeroConfig

    def __init__(self, config: ZeroConfig, games: Games | None = None) -> None:
        device = device_called(config.device)
        torch.set_num_threads(config.threads)
        torch.manual_seed(config.seed)
        super().__init__(config, config.rules)
        self.games = 0
        self._row: Row = {}
        """Row of an update that was stopped after learning was complete."""
        self.speed = Speed()
        default = GamesHere() if config.workers == 1 else GamesInProcesses(config.workers)
        self._games: Games = games or default
        self._learns = Network(config.rules, config.network, config.precision).to(device)
        self.network = self._learns
        self._lens = self._learns.lens(config.rules)
        self._plays = copy.deepcopy(self._learns)
        self._adam = torch.optim.Adam(self._learns.parameters(), lr=config.learning_rate)
        self.replay = Replay(config.rules, config.replay_size, config.root_weight)
        self.agent = NetworkAgent(self._plays, config.rules)
        """The playing network as an agent, without search."""

    def begin_with(self, path: str | os.PathLike[str]) -> None:
        """Load the network of a checkpoint from any kind of training, before the first update.

        A value trained with PPO is not the final lead, so it is reset to 0.

        Raises
        ------
        CheckpointError
            The checkpoint contains another kind of network.
        """
        begun = begin_with(path, self._learns, self.config.network)
        if kind_of(begun) not in (IMITATION, ZERO):
            self._learns.forget_value()
        self._let_in()

    def warm_up(self) -> None:
        """Begin with the network that ``init`` names, if any."""
        if self.config.init:
            self.begin_with(self.config.init)

    def evaluated(self) -> _Stoppable:
        """Return the playing network as an agent, without search."""
        return _Stoppable(self.agent)

    def update(self) -> Row:
        """Play a round and learn from the latest games; play a match and evaluate when due.

        The first call evaluates before any learning. A signal stops an update in the middle; the
        next update, in this run or in one resumed from the state saved then, does the rest.

        Returns
        -------
        dict
            The new row of ``curve``: ``steps``; ``games`` so far; ``loss``, how far the policy's
            cross entropy is above its minimum; ``agreement``, how often the policy's first choice
            is that of the search; ``error``, the value's root mean square error, in points; after a
            match, ``accepted`` and ``accepted_rate``: whether the learning network passed the gate,
            and its win rate; after an evaluation, the results of :func:`.evaluation.evaluate` for
            the playing network, without search.
        """
        config = self.config
        if not self.curve:
            self.curve.append({"steps": 0, **self.evaluate()})
            return self.curve[-1]
        before, row = int(self.curve[-1]["steps"]), self._row
        with self.counted():
            if not row:
                began = time.perf_counter()
                self._play()
                new = self._learn(self.steps - before)
                row |= {"steps": self.steps, "games": self.games, **new}
                self.speed.elapsed += time.perf_counter() - began
            if self.is_due(config.gate_every, before) and "accepted" not in row:
                row |= self._gate()
        if self.is_due(config.eval_every, before):
            row |= self.evaluate()
        self._row = {}
        self.curve.append(row)
        return row

    def _play(self) -> None:
        """Play a round, or the rest of it; a share counts once all of its games are over."""
        config, speed = self.config, self.speed
        end = int(self.curve[-1].get("games", 0)) + config.round_games
        seeds = [seed_of(Stream.TRAINING, config.seed, game) for game in range(self.games, end)]
        shares = [seeds[k : k + config.n_envs] for k in range(0, len(seeds), config.n_envs)]
        plan = Plan(config.sims, config.considered, config.temperature)
        players = SelfPlay(self._plays, config.rules, plan, config.root_weight)
        for share in self._games.play(players, shares):
            speed.playing += share.seconds
            speed.environment += share.times.environment
            self.processor_seconds += share.elsewhere
            for game, decisions in zip(share.games, share.decisions, strict=True):
                self.replay.add(game, decisions)
                self.steps += len(game.actions)
                speed.steps += len(game.actions)
            self.games += len(share.games)
            speed.games += len(share.games)

    def _learn(self, n_new: int) -> Row:
        """Learn from the latest games in proportion to the new decisions, fully or not at all."""
        before = copy.deepcopy((self._learns.state_dict(), self._adam.state_dict()))
        try:
            return self._learn_all(n_new)
        except Stopped:
            self._learns.load_state_dict(before[0])
            self._adam.load_state_dict(before[1])
            raise

    def _learn_all(self, n_new: int) -> Row:
        config, began = self.config, time.perf_counter()
        done = min(1.0, self.steps / config.total_steps)
        self._adam.param_groups[0]["lr"] = config.learning_rate + done * (
            config.final_learning_rate - config.learning_rate
        )
        rng = np.random.default_rng([config.seed, self.games, BATCHES])
        n_batches = max(1, round(config.reuse * n_new / config.batch_size))
        sums = np.zeros(3)
        for _ in range(n_batches):
            stop_if_wanted()
            batch = self.replay.draw(config.batch_size, rng)
            sums += learn_from(
                batch, shares_of(batch, 1.0), self._learns, self._adam, config, self._lens
            )
        loss, agreement, error = (sums / (n_batches * config.batch_size)).tolist()
        self.speed.learning += time.perf_counter() - began
        return {"loss": loss, "agreement": agreement, "error": sqrt(error)}

    def _gate(self) -> Row:
        """Replace the playing network with the learning network if the latter is good enough."""
        config = self.config
        # Training from scratch needs no gate: with one, no network passed for a million decisions,
        # because the first ones won 0 to 1% against the untrained network.
        if config.gate_games == 0:
            self._let_in()
            return {}
        n_rivals = config.rules.n_players - 1
        match = play_match(
            [_Stoppable(NetworkAgent(self._learns, config.rules)), *[self.agent] * n_rivals],
            ["learns", *["plays"] * n_rivals],
            config.rules,
            config.gate_games,
            seed=seed_of(Stream.GATE, config.seed, self.games),
            stream=Stream.GATE,
        )
        won = match.standings[0].win_rate.value
        # Equally strong networks win 1 / n_players of the games.
        is_in = won * config.rules.n_players / 2 >= config.gate_win_rate
        if is_in:
            self._let_in()
        return {"accepted": float(is_in), "accepted_rate": won}

    def _let_in(self) -> None:
        self._plays.load_state_dict(self._learns.state_dict())

    def close(self) -> None:
        """End the processes that play."""
        self._games.close()

    # Saving and restoring the run.

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Return both networks, the latest games, and the state of an interrupted update."""
        learns = {
            LEARNS + name.removeprefix(NETWORK): array
            for name, array in network_arrays(self._learns).items()
        }
        arrays = network_arrays(self._plays) | learns | adam_arrays(self._adam)
        return {"games": self.games, "row": self._row}, arrays | self.replay.save()

    def restore(self, path: str | os.PathLike[str], meta: dict[str, Any], arrays: Arrays) -> None:
        """Restore the result of :meth:`state`."""
        load_network(path, self._plays, arrays)
        learns = {
            NETWORK + name.removeprefix(LEARNS): array
            for name, array in arrays.items()
            if name.startswith(LEARNS)
        }
        load_network(path, self._learns, learns)
        super().restore(path, meta, arrays)
        restore_adam(self._adam, arrays)
        self.replay.restore(arrays)
        self.games, self._row = int(meta["games"]), dict(meta.get("row", {}))
