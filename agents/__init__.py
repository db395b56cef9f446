"""Everything that plays: agents, matches between them, and the training of networks.

Torch is needed by agents from checkpoints and by training alone, and imported first there.
"""

from carc_env.envs.opponents import BatchOpponent as BatchAgent
from carc_env.envs.opponents import act_many

from .arena import MatchResult, Standing, play_game, play_match
from .checkpoint import CheckpointError, read_checkpoint, write_checkpoint
from .config import NetworkConfig, TrainConfig
from .players import Agent, make_agent

__all__ = [
    "Agent",
    "BatchAgent",
    "CheckpointError",
    "MatchResult",
    "NetworkConfig",
    "Standing",
    "TrainConfig",
    "act_many",
    "make_agent",
    "play_game",
    "play_match",
    "read_checkpoint",
    "write_checkpoint",
]
