"""Everything that plays: agents, matches between them, and training.

Only training and agents loaded from checkpoints need torch, which is imported on first use.
"""

from carc_env.envs.naming import make_agent, register_agent
from carc_env.envs.opponents import BatchOpponent as BatchAgent
from carc_env.envs.opponents import act_many

from .arena import Agent, AgentError, MatchResult, Standing, play_game, play_match
from .checkpoint import CheckpointError, read_checkpoint, write_checkpoint

__all__ = [
    "Agent",
    "AgentError",
    "BatchAgent",
    "CheckpointError",
    "MatchResult",
    "Standing",
    "act_many",
    "make_agent",
    "play_game",
    "play_match",
    "read_checkpoint",
    "register_agent",
    "write_checkpoint",
]
