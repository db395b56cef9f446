"""Everything that plays: agents, matches between them, and the training of networks.

Torch is needed by agents from checkpoints and by training alone, and imported first there.
"""

from agents.arena import MatchResult, Standing, play_game, play_match
from agents.checkpoint import CheckpointError, read_checkpoint, write_checkpoint
from agents.config import NetworkConfig, TrainConfig
from agents.players import Agent, make_agent
from carc_env.envs.opponents import BatchOpponent as BatchAgent
from carc_env.envs.opponents import act_many

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
