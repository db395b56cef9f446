"""Settings of a training run, each with a default; ``configs`` contains settings files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field, PositiveFloat, PositiveInt

from carc_env.envs.rewards import SCHEMES, EngineScheme, Projected, Reward
from carc_env.rules import Rules

from .settings import RunSettings, Settings, check_eval_games

Precision = Literal["float32", "bfloat16"]
Size = Annotated[int, Field(ge=1, le=4096)]


@dataclass(frozen=True)
class NetworkConfig(Settings):
    """Kind and size of the network."""

    extractor: Literal["turned", "light", "residual"] = "turned"
    """"turned": one convolution at each possible placement, rotated with the tile; learns fastest
    on a CPU. "light": a few convolutions over all cells. "residual": residual blocks, for GPUs."""
    channels: Size = 16
    """Features per cell."""
    blocks: Size = 1
    """Number of layers ("turned"), 3x3 convolutions ("light") or residual blocks."""
    hidden: Size = 128
    """Width of the layers after the extractor."""


@dataclass(frozen=True)
class TrainConfig(RunSettings):
    """All settings of a ``carc-env train maskable-ppo`` run."""

    rules: Rules = field(default_factory=lambda: Rules(view=20))
    """Rules to play; learning is faster with a narrow view."""
    network: NetworkConfig = field(default_factory=NetworkConfig)
    """Kind and size of the network."""
    init: str = ""
    """Initial network: a checkpoint, or ``imitation``, which comes with the package."""
    init_temperature: PositiveFloat = 1.0
    """Divides the logits of ``init``; values below 1 favour its first choices more strongly."""
    total_steps: PositiveInt = 1_000_000
    """The learner's decisions over all games, including those before a checkpoint."""
    n_envs: PositiveInt = 64
    """Games in parallel."""
    n_steps: PositiveInt = 32
    """Decisions per game between updates."""
    batch_size: PositiveInt = 512
    """Decisions per gradient step."""

    opponents: tuple[str, ...] = ("random",)
    """Training opponents: names (docs/ladder.md), "self", "past"; "greedy@0-50": only in the first
    half."""
    by_rating: bool = False
    """Play more often against opponents that the learner seldom beats."""
    past_every: PositiveInt = 50_000
    """Steps between copies of the network for "past"."""

    reward: Reward = "projected"
    """"outcome", "score_delta", "margin", or "projected": the margin if the game were over now."""
    rival_weight: float = 0.3
    """With "projected": weight of the best opponent's points. 1 gives the margin, 0 your own
    score."""
    reward_scale: PositiveFloat = 0.1
    """Rewards are multiplied by this, so that returns stay near 1."""

    n_epochs: PositiveInt = 3
    """Passes over each update's decisions."""
    learning_rate: PositiveFloat = 1e-3
    """Adam's initial learning rate."""
    final_learning_rate: float = 1e-4
    """Adam's final learning rate; the rate changes linearly."""
    gamma: float = 0.98
    """Discount factor per decision of a player."""
    gae_lambda: float = 0.9
    """Lambda of GAE: from one-step (0) to complete (1) returns."""
    clip_range: float = 0.2
    """Limit on how far an update may move a probability."""
    entropy_weight: float = 0.005
    """Weight of the entropy bonus: larger values keep the policy less certain."""
    value_weight: float = 0.5
    """Weight of the value loss."""
    max_grad_norm: float = 0.5
    """Longer gradients are clipped to this norm."""
    precision: Precision = "float32"
    """Precision of the network's computations; bfloat16 is twice as fast on processors that support
    it."""
    device: str = "cpu"
    """Torch device: "cpu", "cuda", "auto"."""
    keep_checkpoints: bool = False
    """Keep every checkpoint, not just the latest."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.opponents:
            raise ValueError("opponents must name at least one agent")
        check_eval_games(self.eval_games, self.rules)
        if self.n_envs * self.n_steps % self.batch_size:
            raise ValueError(
                f"batch_size must divide n_envs * n_steps = {self.n_envs * self.n_steps}, "
                f"got {self.batch_size}"
            )

    @property
    def scheme(self) -> EngineScheme:
        """The reward scheme of ``reward`` and ``rival_weight``."""
        return Projected(self.rival_weight) if self.reward == "projected" else SCHEMES[self.reward]
