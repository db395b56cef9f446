"""The shortest way to train with Stable-Baselines3: MaskablePPO on the vector environment.

    python scripts/train_sb3.py --steps 400000 --opponent random

Tells how much of the time the environment takes, and how often the result wins. Checkpoints that
go on exactly where they were, learning curves and all settings: train_ppo.py.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import tyro

from agents.cpu import prepare_cpu

prepare_cpu()  # before torch is imported

import torch  # noqa: E402
from sb3_contrib import MaskablePPO  # noqa: E402
from sb3_contrib.common.maskable.evaluation import evaluate_policy  # noqa: E402

from agents.config import NetworkConfig  # noqa: E402
from agents.policy import BoardPolicy  # noqa: E402
from agents.sb3_env import CarcassonneVecEnv  # noqa: E402
from agents.training_env import TrainingEnv  # noqa: E402
from carc_env import Rules  # noqa: E402
from carc_env.vector import CarcassonneVectorEnv  # noqa: E402


@dataclass
class Settings:
    """Settings of the recipe."""

    steps: int = 200_000
    """Decisions of the learner, all games together."""
    opponent: Literal["random", "greedy"] = "random"
    """Who plays the other seat."""
    num_envs: int = 64
    """Games at once."""
    n_steps: int = 32
    """Decisions in each game between two updates."""
    view: int = 20
    """Cells along each side of the board; a narrow view is quicker to learn on."""
    games: int = 200
    """Games of the evaluation."""
    seed: int = 0
    """Of the games and of the network."""
    save: Path | None = None
    """Where Stable-Baselines3 writes its .zip."""


class TimedVecEnv(CarcassonneVecEnv):
    """Counts the seconds in which games are played."""

    seconds = 0.0

    def step_wait(self) -> Any:
        """Carry out a step of all games."""
        started = time.perf_counter()
        result = super().step_wait()
        self.seconds += time.perf_counter() - started
        return result


def main(settings: Settings) -> None:
    """Train, evaluate, save."""
    torch.distributions.Distribution.set_default_validate_args(False)  # it takes a quarter
    rules = Rules(view=settings.view)
    # CarcassonneVectorEnv does as well; the projected reward of TrainingEnv learns quicker.
    games = TrainingEnv(settings.num_envs, rules, [settings.opponent], "projected", 0.1, 0.3)
    env = TimedVecEnv(games)
    learner = MaskablePPO(
        BoardPolicy,
        env,
        policy_kwargs={"rules": rules, "network": NetworkConfig()},
        **{"learning_rate": 1e-3, "gamma": 0.98, "gae_lambda": 0.9, "ent_coef": 0.005},
        **{"n_steps": settings.n_steps, "batch_size": 512, "n_epochs": 3},
        **{"seed": settings.seed, "device": "cpu", "verbose": 1},
    )
    started = time.perf_counter()
    learner.learn(settings.steps)
    seconds, steps = time.perf_counter() - started, learner.num_timesteps
    share = env.seconds / seconds
    print(f"{steps} steps, {steps / seconds:,.0f} a second, the environment takes {share:.1%}")
    arena = CarcassonneVectorEnv(8, rules, settings.opponent, autoreset_mode="SameStep")
    arena.reset(seed=1_000_003 + settings.seed)
    returns, _ = evaluate_policy(
        learner, CarcassonneVecEnv(arena), settings.games, return_episode_rewards=True
    )
    won = sum(result > 0 for result in returns) / settings.games
    print(f"{settings.games} games against {settings.opponent}: {won:.1%} won")
    if settings.save is not None:
        learner.save(settings.save)


if __name__ == "__main__":
    main(tyro.cli(Settings, description=__doc__))
