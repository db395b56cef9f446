"""Batches of deciders' observations from the games of a data set, in any encoding.

Many games are replayed in parallel, and a batch takes at most one decision from each of them. So
batches mix different games and stages, and no observations need to be stored. A batch has single
decisions, or *transitions* from a seat's decision to its next one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from carc_env.choices import check_choice
from carc_env.envs.illegal import IGNORED_ACTION
from carc_env.envs.rewards import Ledger, RewardLike
from carc_env.game.table import Table
from carc_env.layout.encodings import Arrays, Encoding, EncodingLike, make_encoding
from carc_env.layout.screens import Screen
from carc_env.rules import Rules

from .arena import first_places
from .dataset import SPLITS, Dataset, Games, Split, check_end, forced, read_games, split_of
from .transitions import Seen, Step, Transitions

Part = tuple[Games, int, int, int]
"""Part of a game: the games of its file, its index among them, first decision, end."""


class Episode(NamedTuple):
    """The decisions of a seat in a game."""

    game: int
    """Number of the game."""
    player: int
    """The seat's number among the agents of the recipe."""
    steps: list[Step]


class Positions:
    """The decisions of one split of a data set.

    Parameters
    ----------
    folders : sequence of path
        Folders written by ``scripts/make_dataset.py``, all with the same rules.
    split : {"train", "validation", "test"}
        The split.
    size : int
        Decisions per batch; the last batch of an epoch may be smaller.
    encoding : EncodingLike
        The observation encoding, see :mod:`carc_env.layout.encodings`. An encoding object
        determines whether legal actions are a mask or a list; names and classes give a mask.
    legal_list : bool
        Whether names and classes also give the list of legal actions.
    seed : int
        Seed of the order.
    side_by_side : int, optional
        Number of games replayed in parallel. Default: twice the batch size.

    Raises
    ------
    ValueError
        The data, or an argument, is refused.

    Attributes
    ----------
    rules : Rules
        The rules of all games.
    """

    def __init__(
        self,
        folders: Sequence[str | os.PathLike[str]],
        split: Split = "train",
        *,
        size: int = 256,
        encoding: EncodingLike = "planes",
        legal_list: bool = False,
        seed: int = 0,
        side_by_side: int | None = None,
    ) -> None:
        data = Dataset(folders)
        self.rules, self.files = data.rules, data.files
        self.split: Split = check_choice("split", split, SPLITS)
        self.size, self.seed = size, seed
        self.side_by_side = 2 * size if side_by_side is None else side_by_side
        if min(size, self.side_by_side) < 1:
            raise ValueError("size and side_by_side must be 1 or more")
        if not isinstance(encoding, Encoding):
            encoding = make_encoding(self.rules, encoding, action_mask=True, legal_list=legal_list)
        self.encoding = make_encoding(self.rules, encoding)

    def epoch(self, number: int = 0, share: tuple[int, int] = (0, 1)) -> Iterator[Arrays]:
        """Yield every decision once, in an order that depends on the seed and the epoch's number.

        Parameters
        ----------
        number : int
            Number of the epoch.
        share : (int, int)
            Index of the part and number of parts, for workers that divide an epoch's files among
            them.

        Yields
        ------
        dict of ndarray
            The encoding's arrays by name, with one row per decision, and

            - ``action``, int64 (n,): the recorded action,
        - ``seat``, int64 (n,): the decider,
        - ``player``, int64 (n,): the decider's number among the agents of the recipe,
        - ``game``, int64 (n,): number of the game,
        - ``scores``, int32 (n, players): final points of all seats,
        - ``margin``, float32 (n,): the decider's final margin over the best opponent,
        - ``outcome``, float32 (n,): the decider's share of first place, 0 to 1.

        Raises
        ------
        ValueError
            A file is damaged, or a game is not valid under the rules.
        """
        rng = np.random.default_rng([self.seed, number, *share])
        parts = self._parts(rng, share)
        live = [self._begin(part) for part in islice(parts, self.side_by_side)]
        while live:
            batch, n = self._buffers(), 0
            while live and n < self.size:
                chosen = rng.choice(len(live), min(len(live), self.size - n), replace=False)
                for k in chosen.tolist():
                    live[k].write(batch, n)
                    n += 1
                live = [game for game in live if not game.is_done]
                new = islice(parts, self.side_by_side - len(live))
                live += [self._begin(part) for part in new]
            yield {name: rows[:n] for name, rows in batch.items()}

    def transitions(
        self, number: int = 0, share: tuple[int, int] = (0, 1), *, reward: RewardLike = "margin"
    ) -> Iterator[Transitions]:
        """Yield a transition for every decision, in an order like that of :meth:`epoch`.

        A transition ends at the next decision of the same seat, or at the end of the game.

        Parameters
        ----------
        number, share
            As for :meth:`epoch`.
        reward : RewardLike
            The reward scheme. A seat's rewards add up to its return.

        Raises
        ------
        ValueError
            A file is damaged, a game is not valid under the rules, or there is no such scheme.
        """
        rng = np.random.default_rng([self.seed, number, *share])
        parts = self._parts(rng, share)
        live = [self._steps(part, reward) for part in islice(parts, self.side_by_side)]
        batch: list[Step] = []
        while live:
            chosen = rng.choice(len(live), min(len(live), self.size - len(batch)), replace=False)
            found = [next(live[k], None) for k in chosen.tolist()]
            batch += [step for step in found if step is not None]
            if ended := {k for k, step in zip(chosen, found, strict=True) if step is None}:
                live = [one for k, one in enumerate(live) if k not in ended]
                new = islice(parts, self.side_by_side - len(live))
                live += [self._steps(part, reward) for part in new]
            if len(batch) == self.size or (batch and not live):
                yield Transitions.of(batch)
                batch = []

    def episodes(self, reward: RewardLike = "margin") -> Iterator[Episode]:
        """Yield the decisions of each seat in each game, in the order of the files.

        Parameters
        ----------
        reward : RewardLike
            The reward scheme.

        Raises
        ------
        ValueError
            As for :meth:`transitions`.
        """
        for file in self.files:
            games = read_games(file)
            for k in range(games.n):
                if split_of(number := int(games.numbers[k])) != self.split:
                    continue
                seats: dict[int, list[Step]] = {}
                for step in self._steps((games, k, 0, int(games.lengths[k])), reward):
                    seats.setdefault(step.seat, []).append(step)
                for seat in sorted(seats):
                    yield Episode(number, int(games.players[k, seat]), seats[seat])

    def _steps(self, part: Part, reward: RewardLike) -> Iterator[Step]:
        """Yield the transitions that begin in part of a game, in the order in which they end."""
        games, k, first, end = part
        table, screen = Table(self.rules, seed=int(games.seeds[k])), Screen(self.encoding)
        ledger, owed = Ledger(reward, self.rules.n_players), np.zeros(self.rules.n_players)
        scores = table.scores
        forced(table)
        ledger.open(table, scores)
        waiting: dict[int, tuple[Seen, int]] = {}
        have_decided = set()

        def shown(seat: int) -> Seen:
            table.show(screen, seat)
            if table.is_over:
                screen.show_one(0, IGNORED_ACTION)
            return Seen(screen.copy(), screen.mask.copy())

        for number, action in enumerate(games.actions_of(k)):
            seat = table.decider
            if number >= end and not waiting:
                return
            if seat in waiting or first <= number < end:
                now = shown(seat)
                if seat in waiting:
                    yield Step(seat, *waiting.pop(seat), float(owed[seat]), now, False)
                if number < end:
                    waiting[seat] = now, action
            if seat in have_decided:
                owed[seat] = 0.0
            have_decided.add(seat)
            table.step(action)
            forced(table)
            owed += ledger.give(table)
        check_end(table, games, k)
        for seat, before in waiting.items():
            yield Step(seat, *before, float(owed[seat]), shown(seat), True)

    def _parts(self, rng: np.random.Generator, share: tuple[int, int]) -> Iterator[Part]:
        """Yield all games in random order; the first ones start midway, with openings later.

        This keeps batches from progressing from openings to endgames during an epoch.
        """
        files = rng.permutation(len(self.files))[share[0] :: share[1]]
        openings: list[Part] = []
        n = 0
        for file in files:
            games = read_games(self.files[file])
            for k in rng.permutation(games.n).tolist():
                if split_of(int(games.numbers[k])) != self.split or not (m := games.lengths[k]):
                    continue
                cut = int(rng.integers(m)) if n < self.side_by_side else 0
                n += 1
                yield games, k, cut, int(m)
                if cut:
                    openings.append((games, k, 0, cut))
                if openings and rng.random() < len(openings) / (2 * self.side_by_side):
                    yield openings.pop(int(rng.integers(len(openings))))
        rng.shuffle(openings)
        yield from openings

    def _begin(self, part: Part) -> _Replay:
        return _Replay(self.rules, self.encoding, part)

    def _buffers(self) -> Arrays:
        """Return arrays for a batch, with axes in the engine's memory order."""
        seen = Screen(self.encoding).seen
        batch = {
            name: np.empty_like(rows, shape=(self.size, *rows.shape[1:]))
            for name, rows in seen.items()
        }
        whole, real = ("action", "seat", "player", "game"), ("margin", "outcome")
        batch |= {name: np.empty(self.size, np.int64) for name in whole}
        batch |= {name: np.empty(self.size, np.float32) for name in real}
        return batch | {"scores": np.empty((self.size, self.rules.n_players), np.int32)}


class _Replay:
    """A game, or part of one, that is replayed decision by decision."""

    def __init__(self, rules: Rules, encoding: Encoding, part: Part) -> None:
        self._games, self._k, self._at, self._end = part
        self._actions = self._games.actions_of(self._k)
        self._scores = self._games.scores[self._k]
        rivals = [np.delete(self._scores, seat).max() for seat in range(rules.n_players)]
        self._margins, self._outcomes = self._scores - rivals, first_places(self._scores)
        self._table, self._screen = (
            Table(rules, seed=int(self._games.seeds[self._k])),
            Screen(encoding),
        )
        forced(self._table)
        for action in self._actions[: self._at]:
            self._table.step(action)
            forced(self._table)

    @property
    def is_done(self) -> bool:
        """Whether all decisions of the part have been written."""
        return self._at == self._end

    def write(self, batch: Arrays, row: int) -> None:
        """Write the next decision to a row, then apply it."""
        table, action, seat = self._table, self._actions[self._at], self._table.decider
        table.show(self._screen)
        for name, seen in self._screen.rows.items():
            batch[name][row] = seen
        batch["action"][row], batch["seat"][row] = action, seat
        batch["player"][row] = self._games.players[self._k, seat]
        batch["game"][row], batch["scores"][row] = self._games.numbers[self._k], self._scores
        batch["margin"][row], batch["outcome"][row] = self._margins[seat], self._outcomes[seat]
        table.step(action)
        self._at += 1
        if self._at == len(self._actions):
            check_end(table, self._games, self._k)
        else:
            forced(table)
