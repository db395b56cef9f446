"""Carcassonne with its expansions as a reinforcement-learning environment."""

from carc_env.game import Game
from carc_env.rules import Rules

__all__ = ["Game", "Rules"]
