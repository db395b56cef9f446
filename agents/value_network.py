"""A value with a hidden layer: it begins as the tables of the package and learns by self-play."""

from __future__ import annotations

import numpy as np

from carc_env.rules import Rules
from carc_env.search.evaluation import Evaluation
from carc_env.search.features import N_WEIGHTS
from carc_env.search.hidden_layer import FIRST_SQUARE, HIDDEN, N_PARAMETERS, OUT, learn, network
from carc_env.search.weights import weights_for
from carc_env.seeds import Stream, seed_of

from .value_learner import SelfPlay


class ValueNetwork:
    """The network, which plays one ply ahead against itself and learns from that.

    Parameters
    ----------
    rules : Rules
        What is played; it begins as the tables of the package for them.
    seed : int
        Of the rows that it begins with, and of its games.
    has_rows : bool
        Without, the tables alone learn on, in the same way.
    """

    def __init__(self, rules: Rules, seed: int = 0, *, has_rows: bool = True) -> None:
        self._seed, self._n_games, self._games = seed, 0, SelfPlay(rules)
        weights = np.zeros(N_PARAMETERS, np.float32)
        weights[:N_WEIGHTS] = weights_for(rules).values
        if has_rows:
            random = np.random.default_rng(seed)
            weights[N_WEIGHTS:OUT] = random.normal(size=N_WEIGHTS * HIDDEN, scale=0.05)
        self._squares = np.full(len(weights), FIRST_SQUARE, np.float32)
        self.evaluation = Evaluation("network", network, weights)

    def learn(self, n_games: int, rate: float, trace: float) -> float:
        """Play games and learn from each; returns the root of the mean square error, in points.

        Parameters
        ----------
        n_games : int
            How many.
        rate : float
            Of AdaGrad.
        trace : float
            Lambda of the temporal differences.
        """
        weights, total, n_steps = self.evaluation.weights, 0.0, 0
        for number in range(self._n_games, self._n_games + n_games):
            seed = seed_of(Stream.TRAINING, self._seed, number)
            game = self._games.play(self.evaluation, seed)
            n = len(game.ends)
            total += learn(n, *game, weights, self._squares, rate, trace)
            n_steps += n
        self._n_games += n_games
        return float(np.sqrt(total / max(1, n_steps)))
