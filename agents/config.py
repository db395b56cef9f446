"""Settings of a training run, each with a default; ``configs`` has files of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from carc_env.envs.rewards import SCHEMES, EngineScheme, Projected, Reward
from carc_env.rules import Rules

from .settings import RunSettings, Settings, Share, check_eval_games

IMITATION, ZERO = "imitation", "zero"
"""The kinds of a checkpoint that is not one of PPO."""


Precision = Literal["float32", "bfloat16"]
Size = Annotated[int, Field(ge=1, le=4096)]


@dataclass(frozen=True)
class NetworkConfig(Settings):
    """Which network, and how large."""

    extractor: Literal["turned", "light", "residual", "attention"] = "turned"
    """"turned": a convolution where the tile may lie, turned with it, the quickest to learn on a
    CPU; "light": a few on all cells; "residual": blocks of them, for GPUs; "attention"."""
    channels: Size = 16
    """Features of a cell."""
    blocks: Size = 1
    """Layers of "turned" or a transformer, 3x3 convolutions of "light", or residual blocks."""
    hidden: Size = 128
    """Width of the layers behind the map."""


SHIPPED = NetworkConfig("residual", channels=64, blocks=2, hidden=256)
"""The networks for the base game that come with the package."""


@dataclass(frozen=True)
class PPOConfig(RunSettings):
    """Settings that all training runs with PPO share, for any library."""

    rules: Rules = field(default_factory=lambda: Rules(view=20))
    """What is played; a narrow view is quicker to learn on."""
    total_steps: PositiveInt = 1_000_000
    """Decisions of the learner, all games together, those before a checkpoint included."""
    opponents: tuple[str, ...] = ("random",)
    """Whom to train against: names (docs/ladder.md) or checkpoints."""
    n_envs: PositiveInt = 64
    """Games at once."""
    n_steps: PositiveInt = 32
    """Decisions in each game between two updates."""
    batch_size: PositiveInt = 512
    """Decisions in a gradient step."""

    reward: Reward = "projected"
    """"outcome", "score_delta", "margin", or "projected": the margin if the game were over now."""
    rival_weight: float = 0.3
    """With "projected": what a point of the best rival costs. 1 is the margin, 0 the own score."""
    reward_scale: PositiveFloat = 0.1
    """Rewards are multiplied by this, so that returns stay near 1."""

    n_epochs: PositiveInt = 3
    """Passes over the decisions of an update."""
    learning_rate: PositiveFloat = 1e-3
    """Of Adam."""
    gamma: float = 0.98
    """Discount of rewards, for each decision of a player."""
    gae_lambda: float = 0.9
    """Between one-step (0) and complete (1) returns."""
    clip_range: float = 0.2
    """How far an update may move a probability."""
    entropy_weight: float = 0.005
    """Weight of the policy's entropy in the objective: a larger weight keeps it less certain."""
    value_weight: float = 0.5
    """Weight of the value loss."""
    max_grad_norm: float = 0.5
    """Longer gradients are clipped to this norm."""
    precision: Precision = "float32"
    """Precision of the network's computations; bfloat16 is twice as fast if the processor has
    it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.opponents:
            raise ValueError("opponents must name at least one agent")
        check_eval_games(self.eval_games, self.rules)

    @property
    def scheme(self) -> EngineScheme:
        """The reward scheme of ``reward`` and ``rival_weight``."""
        return Projected(self.rival_weight) if self.reward == "projected" else SCHEMES[self.reward]


@dataclass(frozen=True)
class TrainConfig(PPOConfig):
    """All settings of a run of ``carc-env train ppo``."""

    network: NetworkConfig = field(default_factory=NetworkConfig)
    """Kind and size of the network."""
    init: str = ""
    """The network to begin with: a checkpoint, or ``imitation``, which comes with the package."""
    init_temperature: PositiveFloat = 1.0
    """The logits of ``init`` are divided by this; below 1 it begins closer to its first choices."""

    opponents: tuple[str, ...] = ("random",)
    """Whom to train against: names (docs/ladder.md), "self", "past"; "greedy@0-50" says when."""
    by_rating: bool = False
    """Meet opponents that are seldom beaten more often than others."""
    past_every: PositiveInt = 50_000
    """Steps between two copies of the network for "past"."""
    final_learning_rate: float = 1e-4
    """Final learning rate of Adam; linear in between."""

    device: str = "cpu"
    """Device of torch: "cpu", "cuda", "auto"."""
    keep_checkpoints: bool = False
    """Keep every checkpoint and not just the latest."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n_envs * self.n_steps % self.batch_size:
            raise ValueError(
                f"batch_size must divide n_envs * n_steps = {self.n_envs * self.n_steps}, "
                f"got {self.batch_size}"
            )


@dataclass(frozen=True)
class ImitationConfig(RunSettings):
    """All settings of a run that imitates."""

    folder: str = "runs/imitation"
    """Folder for checkpoints, curve and logs."""
    data: tuple[str, ...] = ("data/base",)
    """Folders that ``make_dataset.py`` wrote; the network plays their rules."""
    network: NetworkConfig = field(default_factory=lambda: SHIPPED)
    """Which network, and how large."""
    total_steps: PositiveInt = 2_000_000
    """Decisions that are learned from, each as often as it comes up."""
    batch_size: PositiveInt = 512
    """Decisions in a gradient step."""
    learning_rate: PositiveFloat = 2e-3
    """Of Adam, at the beginning; it falls like a cosine."""
    final_learning_rate: float = 2e-5
    """Of Adam, at the end."""
    temperature: PositiveFloat = 0.5
    """Points by which a move is worse for the teacher that is to have 1/e of the chance."""
    value_weight: float = 0.1
    """Weight of the value loss."""
    max_grad_norm: float = 1.0
    """Longer gradients are clipped to this norm."""
    precision: Precision = "float32"
    """Precision of the network's computations; bfloat16 is twice as fast if the processor has
    it."""
    device: str = "cpu"
    """Device of torch: "cpu", "cuda", "auto"."""
    eval_every: int = 250_000
    """Steps between evaluations; one comes before the first step, one after the last."""
    eval_against: tuple[str, ...] = ("greedy",)
    """Whom to evaluate against: names (docs/ladder.md) or checkpoints."""

    MARK: ClassVar[dict[str, Any]] = {"kind": IMITATION}
    NO_MARK: ClassVar[str] = "not a checkpoint of carc-env train imitation"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.data:
            raise ValueError("data must name at least one folder")


@dataclass(frozen=True)
class ZeroConfig(RunSettings):
    """All settings of a run that learns from its own searches."""

    folder: str = "runs/zero"
    """Folder for checkpoints and curve."""
    rules: Rules = field(default_factory=lambda: Rules(view=20))
    """What is played; a narrow view is quicker to learn on."""
    total_steps: PositiveInt = 100_000
    """Decisions that are searched in self-play; the games of the last round are finished."""
    init: str = ""
    """The initial network: a checkpoint, or ``imitation``, which comes with the package."""
    network: NetworkConfig = field(default_factory=lambda: SHIPPED)
    """Kind and size of the network."""

    n_envs: PositiveInt = 32
    """Games side by side, in each worker, or with --ray in each task."""
    workers: PositiveInt = 1
    """Processes that play the games of a round, each on one thread; with 1 this one plays them."""
    round_games: PositiveInt = 32
    """Games that are played by the same network before it is learned from them."""
    sims: PositiveInt = 16
    """Positions that the network is asked about for a decision."""
    considered: PositiveInt = 8
    """Actions that a search looks at, at most."""
    temperature: PositiveFloat = 0.6
    """Points by which an action is worse to the search that is to have 1/e of the chance."""

    replay_size: PositiveInt = 50_000
    """Decisions of the latest games that are learned from."""
    reuse: PositiveFloat = 2.0
    """How often a decision is learned from, about."""
    batch_size: PositiveInt = 256
    """Decisions in a gradient step."""
    learning_rate: PositiveFloat = 1e-4
    """Of Adam, at the beginning."""
    final_learning_rate: float = 3e-5
    """Final learning rate of Adam; linear in between."""
    value_weight: float = 0.5
    """Weight of the value loss."""
    root_weight: Share = 0.5
    """What the value learns: between the final margin (0) and what the search expects (1)."""
    max_grad_norm: float = 1.0
    """Longer gradients are clipped to this norm."""

    gate_every: PositiveInt = 10_000
    """Steps between two matches of the network that learns against the one that plays."""
    gate_games: NonNegativeInt = 0
    """Games of such a match; 0: it takes the other's place without one, as it must from nothing."""
    gate_win_rate: Share = 0.5
    """How much of them it must win to take the other's place; 0.5 only keeps worse ones out."""

    precision: Precision = "float32"
    """Precision of the network's computations; bfloat16 is twice as fast if the processor has
    it."""
    device: str = "cpu"
    """Device of torch: "cpu", "cuda", "auto"."""
    threads: int = 2
    """CPU threads of torch; with --ray also the CPUs of a task."""
    checkpoint_every: int = 20_000
    """Steps between checkpoints."""
    eval_every: int = 20_000
    """Steps between evaluations, which use the network that plays, without search."""
    eval_against: tuple[str, ...] = ("greedy",)
    """Whom to evaluate against: names (docs/ladder.md) or checkpoints."""

    MARK: ClassVar[dict[str, Any]] = {"kind": ZERO}
    NO_MARK: ClassVar[str] = "not a checkpoint of carc-env train zero: begin with it by --init"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_eval_games(self.eval_games, self.rules)
        if self.round_games < self.n_envs * self.workers and self.workers > 1:
            raise ValueError(
                f"round_games must be at least n_envs * workers = {self.n_envs * self.workers}, "
                f"or a worker has nothing to play, got {self.round_games}"
            )
        if self.gate_games % self.rules.n_players:
            raise ValueError(
                f"gate_games must be 0 or a multiple of rules.n_players = {self.rules.n_players}, "
                f"got {self.gate_games}: every deck is played once from each seat"
            )
