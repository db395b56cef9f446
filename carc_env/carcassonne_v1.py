"""The game's PettingZoo module: ``carcassonne_v1.env()`` and ``raw_env()``.

Both return the same environment. It checks turn order and legality itself, so you do not need the
usual stack of wrappers, which costs more than the game.
"""

from carc_env.envs.aec import CarcassonneAEC as env
from carc_env.envs.aec import CarcassonneAEC as raw_env

__all__ = ["env", "raw_env"]
