"""Carcassonne with its expansions as a reinforcement-learning environment."""

from carc_env.game import Game
from carc_env.registration import register_gymnasium
from carc_env.rules import Rules
from carc_env.table import Table

__version__ = "0.1.0"
__all__ = ["Game", "Rules", "Table", "register_gymnasium"]

register_gymnasium()
