"""The PettingZoo module of the game: ``carcassonne_v1.env()`` and ``raw_env()``.

Both return the same environment: order and legality of actions are checked inside, so that the
usual stack of wrappers, which costs more than the game itself, is not needed.
"""

from carc_env.envs.aec import CarcassonneAEC as env
from carc_env.envs.aec import CarcassonneAEC as raw_env

__all__ = ["env", "raw_env"]
