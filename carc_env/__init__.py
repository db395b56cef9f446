"""Carcassonne with its expansions as a reinforcement-learning environment."""

from carc_env.envs.registration import register_gymnasium
from carc_env.game.game import Game
from carc_env.game.table import Table
from carc_env.rules import Rules

__version__ = "0.1.0"
__all__ = ["Game", "Rules", "Table", "register_gymnasium"]

register_gymnasium()
