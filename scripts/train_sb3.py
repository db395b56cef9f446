"""The shortest way to train with Stable-Baselines3: MaskablePPO on the vector environment.

    python scripts/train_sb3.py --steps 400000 --opponent random
    python scripts/train_sb3.py --steps 800000 --load runs/sb3.ckpt                go on with it
    python scripts/evaluate.py runs/sb3.ckpt greedy                                see how it plays

Tells how much of the time the environment takes, and how often the result wins. Ctrl-C or SIGTERM
ends the training and saves. Runs that go on exactly where they were, learning curves and all
settings: train_ppo.py.
"""

import signal
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are loaded

import tyro
from carc_env.agents.cpu import prepare_cpu
from carc_env.agents.interrupt import Interruption, end_quietly

if __name__ == "__main__":
    prepare_cpu()  # before torch is imported

import torch
from carc_env.agents.config import NetworkConfig
from carc_env.agents.learned import Learned, check_target
from carc_env.agents.policy import BoardPolicy
from carc_env.agents.sb3_env import CarcassonneVecEnv
from carc_env.agents.training_env import TrainingEnv
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.callbacks import BaseCallback

from carc_env import Rules
from carc_env.envs.rewards import Projected
from carc_env.envs.vector import CarcassonneVectorEnv


@dataclass
class Settings:
    """Settings of the recipe."""

    steps: int = 200_000
    """Decisions of the learner, all games together, those before ``load`` included."""
    opponent: str = "random"
    """Who plays the other seat: an agent by name, see docs/arena.md."""
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
    load: Path | None = None
    """Go on from this checkpoint: parameters, optimiser and steps, new games."""
    save: Path = Path("runs/sb3.ckpt")
    """Write a checkpoint to this file at the end."""
    overwrite: bool = False
    """Replace the file at ``save`` although it is another one than ``load``."""


class TimedVecEnv(CarcassonneVecEnv):
    """Counts the seconds in which games are played."""

    seconds = 0.0

    def step_wait(self) -> Any:
        """Carry out a step of all games."""
        started = time.perf_counter()
        result = super().step_wait()
        self.seconds += time.perf_counter() - started
        return result


class Watch(BaseCallback):
    """Counts the decisions that are learned from, and ends the training on a signal."""

    def __init__(self, learned: Learned, stop: Interruption) -> None:
        super().__init__()
        self.learned, self.stop = learned, stop

    def _on_rollout_end(self) -> None:
        self.learned.steps = self.num_timesteps

    def _on_step(self) -> bool:
        return not self.stop.wanted


def make_learner(settings: Settings) -> tuple[MaskablePPO, Learned]:
    """Stable-Baselines3's learner around its games, and what of it is saved and loaded.

    Raises
    ------
    ValueError, OSError
        The checkpoint is refused, or cannot be read.
    """
    rules, network = Rules(view=settings.view), NetworkConfig()
    # CarcassonneVectorEnv does as well; rewards times 0.1 keep returns near 1.
    games = TrainingEnv(settings.num_envs, rules, [settings.opponent], Projected(0.3), 0.1)
    learner = MaskablePPO(
        BoardPolicy,
        TimedVecEnv(games),
        policy_kwargs={"rules": rules, "network": network},
        **{"learning_rate": 1e-3, "gamma": 0.98, "gae_lambda": 0.9, "ent_coef": 0.005},
        **{"n_steps": settings.n_steps, "batch_size": 512, "n_epochs": 3},
        **{"seed": settings.seed, "device": "cpu", "verbose": 1},
    )
    fixed = {"rules": rules.to_dict(), "network": asdict(network)}
    learned = Learned("train_sb3.py", fixed, learner.policy.network, learner.policy.optimizer)
    if settings.load is not None:
        learned.load(settings.load)
        learner.num_timesteps = learned.steps
        learner.env.seed(learned.seed_of_games(settings.seed))
    return learner, learned


def train(learner: MaskablePPO, learned: Learned, settings: Settings) -> int:
    """Learn and save; returns 0, or the exit status for the signal that ended it."""
    first, started = learned.steps, time.perf_counter()
    with Interruption() as stop:
        learner.learn(settings.steps - first, Watch(learned, stop), reset_num_timesteps=False)
        learned.save(settings.save)
    seconds, steps = time.perf_counter() - started, learned.steps - first
    share = learner.env.seconds / seconds
    print(f"{steps} steps, {steps / seconds:,.0f} a second, the environment takes {share:.1%}")
    print(f"Saved; see how it plays: python scripts/evaluate.py {settings.save} greedy")
    if learned.steps < settings.steps:
        print(f"The same command goes on with: --load {settings.save} --save {settings.save}")
    return stop.status


def evaluate(learner: MaskablePPO, settings: Settings) -> None:
    """Tell how often the result wins."""
    rules = Rules(view=settings.view)
    arena = CarcassonneVectorEnv(8, rules, settings.opponent, autoreset_mode="SameStep")
    arena.reset(seed=1_000_003 + settings.seed)
    returns, _ = evaluate_policy(
        learner, CarcassonneVecEnv(arena), settings.games, return_episode_rewards=True
    )
    won = sum(result > 0 for result in returns) / settings.games
    print(f"{settings.games} games against {settings.opponent}: {won:.1%} won")


def main() -> int:
    """Run the command line; returns the exit status."""
    settings = tyro.cli(Settings, description=__doc__)
    torch.distributions.Distribution.set_default_validate_args(False)  # it takes a quarter
    status = 0
    try:
        learner, learned = make_learner(settings)
        if learned.steps < settings.steps:
            check_target(settings.save, settings.load, overwrite=settings.overwrite)
            status = train(learner, learned, settings)
    except (ValueError, OSError) as error:
        print(f"error: {error}")
        return 1
    if not status:
        evaluate(learner, settings)
    return status


if __name__ == "__main__":
    end_quietly()
    sys.exit(main())
