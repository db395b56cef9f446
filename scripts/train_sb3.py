"""The shortest way to train with Stable-Baselines3: MaskablePPO on the vector environment.

    python scripts/train_sb3.py --total-steps 400000 --opponents random
    python scripts/train_sb3.py runs/sb3/latest.ckpt --total-steps 800000          continue it
    carc-env evaluate runs/sb3/latest.ckpt greedy                         see how it plays
    python scripts/train_sb3.py --help                                             all settings

Prints the environment's share of the time. The folder of the run receives ``latest.ckpt``,
``best.ckpt``, ``config.yaml``, ``curve.csv``, ``curve.png`` and logs for TensorBoard. Ctrl-C or
SIGTERM ends the run after the update in progress, with a checkpoint from which it continues
exactly. For changing opponents, schedules and large networks, use ``carc-env train ppo``.
"""

from __future__ import annotations

import signal
import sys
import time
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are being imported

from carc_env.agents.commands import training
from carc_env.agents.config import NetworkConfig, PPOConfig
from carc_env.agents.cpu import prepare_cpu
from carc_env.agents.curve import Row
from carc_env.agents.interrupt import end_quietly

from carc_env.extras import check_installed

if __name__ == "__main__":
    prepare_cpu()  # before torch is imported
    check_installed("sb3_contrib")

import numpy as np
from carc_env.agents.checkpoint import Arrays
from carc_env.agents.device import device_called
from carc_env.agents.network_agent import NetworkAgent
from carc_env.agents.policy import maskable_ppo
from carc_env.agents.recipe import Recipe, prepare_torch
from carc_env.agents.sb3_env import CarcassonneVecEnv, losses_of
from carc_env.agents.training_env import TrainingEnv


@dataclass(frozen=True)
class Settings(PPOConfig):
    """All settings; inherited ones are in ``agents/config.py``."""

    folder: str = "runs/sb3"
    """Folder for checkpoints, the learning curve and logs."""
    network: NetworkConfig = field(default_factory=NetworkConfig)
    """Kind and size of the network."""
    total_steps: int = 200_000
    """The learner's decisions over all games, including those before a checkpoint."""
    device: str = "cpu"
    """Torch device: "cpu", "cuda", "auto"."""

    MARK: ClassVar[dict[str, Any]] = {"recipe": "train_sb3.py"}
    NO_MARK: ClassVar[str] = "not a checkpoint of train_sb3.py"


class TimedVecEnv(CarcassonneVecEnv):
    """Adds up the seconds spent playing games."""

    seconds = 0.0

    def step_wait(self) -> Any:
        """Step all games."""
        started = time.perf_counter()
        result = super().step_wait()
        self.seconds += time.perf_counter() - started
        return result


class Learner(Recipe[Settings]):
    """Stable-Baselines3's learner with its games."""

    SETTINGS = Settings

    def __init__(self, config: Settings) -> None:
        device = device_called(config.device)
        prepare_torch(config)
        # CarcassonneVectorEnv also works if games need not be saved.
        self.games = TrainingEnv(
            config.n_envs,
            config.rules,
            config.opponents,
            config.scheme,
            config.reward_scale,
            num_threads=config.threads,
        )
        self.env = TimedVecEnv(self.games)
        self.ppo = maskable_ppo(config, config.network, self.env, config.learning_rate, device)
        policy = self.ppo.policy
        agent = NetworkAgent(policy.network, config.rules)
        super().__init__(config, policy.network, policy.optimizer, agent)
        self.seconds = 0.0

    def learn(self) -> Row:
        """Play ``n_steps`` decisions in every game and learn from them."""
        started = time.perf_counter()
        self.ppo.learn(self.config.n_envs * self.config.n_steps, reset_num_timesteps=False)
        self.seconds += time.perf_counter() - started
        self.steps = self.ppo.num_timesteps
        return losses_of(self.ppo)

    def save_games(self) -> tuple[dict[str, Any], Arrays]:
        """Return the games in progress, if there are any yet."""
        if self.ppo._last_obs is None:
            return {}, {}
        games, rest = self.games.save()
        meta = {"envs": rest, "starts": self.ppo._last_episode_starts.tolist()}
        return meta, {"games": np.stack([np.frombuffer(game, np.uint8) for game in games])}

    def restore_games(self, meta: dict[str, Any], arrays: Arrays) -> None:
        """Continue games in progress."""
        self.ppo.num_timesteps = self.steps
        if meta:
            games = [game.tobytes() for game in arrays["games"]]
            self.ppo._last_obs = self.env.keep(self.games.restore(games, meta["envs"]))
            self.ppo._last_episode_starts = np.array(meta["starts"], bool)

    def close(self) -> None:
        """End the threads that run the games."""
        self.env.close()


def share(learner: Learner) -> str:
    """Return the environment's share of the time, excluding evaluations, as text."""
    if not learner.seconds:
        return ""
    return f"The environment takes {learner.env.seconds / learner.seconds:.1%}."


SCRIPT = training.recipe(Learner, outro=share)
train = partial(training.train, SCRIPT)
main = partial(training.carry_out, SCRIPT, __doc__)

if __name__ == "__main__":
    end_quietly()
    sys.exit(main(sys.argv[1:]))
