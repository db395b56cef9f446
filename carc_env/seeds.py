"""Seeds of games: how the seed of a run becomes the seeds of all its games.

Games are for several things, and each has a *stream* of its own. Number k of a stream is drawn from
``numpy.random.SeedSequence(seed, spawn_key=(PREFIX, stream, k))``, so that

- runs of different seeds share no deck, where ``seed + k`` would share all but a few,
- what is learned from and what is evaluated share none either, whatever their seeds: decks of
  matches come from a stream that nothing else draws from.

Equal numbers of 64 bits are possible, by a chance of one in 2**64 for each two games.
"""

from __future__ import annotations

from enum import IntEnum
from typing import SupportsIndex

import numpy as np

from carc_env.choices import whole_seed

PREFIX = 0x63617263
"""Begins all spawn keys, so that nobody else's ``SeedSequence(seed).spawn(n)`` gives the same."""
DECKS = 1
"""The version of all this: raised when a seed comes to mean other decks.

Runs, tournaments and data sets keep it, and do not go on with those of another version.
"""


class Stream(IntEnum):
    """What games are for."""

    VECTOR = 0
    """Row k of a vector environment, which goes on from game to game by itself."""
    TRAINING = 1
    """Games that are learned from outside of environments: self-play, data sets, fits."""
    EVALUATION = 2
    """Decks of matches, tournaments, and evaluations during a training."""
    GATE = 3
    """Decks of matches by which a training decides how it goes on."""
    TASKS = 4
    """Decks that agents are judged on in the tasks of :mod:`carc_env.tasks`."""


def seed_of(stream: Stream, seed: SupportsIndex, *numbers: int) -> int:
    """The seed of a game, or of what draws its games by itself.

    Parameters
    ----------
    stream : Stream
        What the game is for.
    seed : int
        Of the whole run, 0 or more.
    numbers : int
        Which game it is, each number 0 or more.

    Returns
    -------
    int
        0 to 2**64 - 1.

    Raises
    ------
    TypeError
        The seed is not an integer.
    ValueError
        The seed is negative.
    """
    sequence = np.random.SeedSequence(whole_seed(seed), spawn_key=(PREFIX, stream, *numbers))
    return int(sequence.generate_state(1, np.uint64)[0])


def seeds_of(seed: SupportsIndex, n: int) -> list[int]:
    """The seeds of the games of a vector environment that is reset with a seed.

    Game i is that of a single environment after ``reset(seed=seeds_of(seed, n)[i])``. A longer list
    begins with the shorter one.

    Raises
    ------
    TypeError
        The seed is not an integer.
    ValueError
        The seed is negative.
    """
    return [seed_of(Stream.VECTOR, seed, i) for i in range(n)]
