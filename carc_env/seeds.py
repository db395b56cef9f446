"""Game seeds: how a run's seed determines the seeds of all its games.

Games serve different purposes, and each purpose has its own *stream*. Number k in a stream is drawn
from ``numpy.random.SeedSequence(seed, spawn_key=(PREFIX, stream, k))``, so that

- runs with different seeds share no deck, whereas with ``seed + k`` they would share all but a few,
- training and evaluation share no deck either, whatever the seeds: match decks come from a stream
  that is used for nothing else.

Two games can get the same 64-bit number by chance, with a probability of 2**-64.
"""

from __future__ import annotations

from enum import IntEnum
from typing import SupportsIndex

import numpy as np

from carc_env.choices import whole_seed

PREFIX = 0x63617263
"""Starts all spawn keys, so that other ``SeedSequence(seed).spawn(n)`` calls give different
numbers."""
DECKS = 1
"""The version of the seed scheme: it is raised when seeds come to mean different decks.

Runs, tournaments and data sets store it, and those from another version cannot be continued.
"""


class Stream(IntEnum):
    """The purpose of a game."""

    VECTOR = 0
    """Row k of a vector environment, which continues from game to game on its own."""
    TRAINING = 1
    """Training games outside environments: self-play, data sets, fitting."""
    EVALUATION = 2
    """Decks for matches, tournaments, and evaluations during training."""
    TASKS = 4
    """Evaluation decks for the tasks in :mod:`carc_env.tasks`."""


def seed_of(stream: Stream, seed: SupportsIndex, *numbers: int) -> int:
    """Return the seed of a game, or of something that derives its own games' seeds.

    Parameters
    ----------
    stream : Stream
        The purpose of the game.
    seed : int
        The seed of the whole run, 0 or more.
    numbers : int
        The numbers that identify the game, each 0 or more.

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
    """Return the seeds of a vector environment's games when it is reset with a seed.

    Game i is the same as in a single environment after ``reset(seed=seeds_of(seed, n)[i])``. A
    longer list begins with the shorter one.

    Raises
    ------
    TypeError
        The seed is not an integer.
    ValueError
        The seed is negative.
    """
    return [seed_of(Stream.VECTOR, seed, i) for i in range(n)]
