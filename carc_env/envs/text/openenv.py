"""Carcassonne as an OpenEnv environment, for clients and containers.

    python -m carc_env.envs.text.openenv --port 8000

An episode is an item of a text task, or one of the positions and games to learn from. Install it
with ``pip install 'carc_env[openenv]'``.
"""

from __future__ import annotations

from itertools import islice
from typing import Any
from uuid import uuid4

from pydantic import Field

from carc_env.envs.text.tasks import TEXT_TASKS, Session, reward_of, text_task
from carc_env.extras import extras_named

with extras_named():
    from openenv.core.env_server.http_server import create_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, Observation, State

MAX_SESSIONS = 16
"""Episodes at the same time."""


class TextAction(Action):  # type: ignore[misc]
    """An answer in words, with an action in double square brackets."""

    text: str = Field(description="The answer")


class TextObservation(Observation):  # type: ignore[misc]
    """What is asked; when the episode is over, the result."""

    system: str = Field(default="", description="The rules, in the first observation")
    prompt: str = Field(default="", description="The question")
    result: dict[str, float] = Field(default_factory=dict)


class TextEnvironment(Environment):  # type: ignore[misc]
    """An episode about an item of a text task.

    Parameters
    ----------
    task : str
        The task's name.
    learn : bool
        Other positions and games than those of the evaluation, to learn from.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, task: str = next(iter(TEXT_TASKS)), learn: bool = False) -> None:
        super().__init__()
        self.task, self.learn = text_task(task), learn
        self._state = State(episode_id=None, step_count=0)
        self._session: Session | None = None

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **_: Any
    ) -> TextObservation:
        """Begin with an item; the seed is its number, counted from 0."""
        number = seed or 0
        items = self.task.lessons() if self.learn else iter(self.task.items())
        if not self.learn:
            number %= self.task.n_items
        self._session = next(islice(items, number, None)).start()
        self._state = State(episode_id=episode_id or str(uuid4()), step_count=0)
        return TextObservation(
            system=self._session.system, prompt=self._session.prompt(True), done=False, reward=None
        )

    def step(self, action: TextAction, timeout_s: float | None = None, **_: Any) -> TextObservation:
        """Take an answer.

        Raises
        ------
        ValueError
            No episode is in progress.
        """
        if self._session is None or self._session.is_over:
            raise ValueError("no episode is in progress: call reset() first")
        self._session.answer(action.text)
        self._state.step_count += 1
        if not self._session.is_over:
            return TextObservation(prompt=self._session.prompt(True), done=False, reward=0.0)
        result = self._session.result()
        return TextObservation(result=result, done=True, reward=reward_of(result))

    @property
    def state(self) -> State:
        """The number of the episode's answers."""
        return self._state


app = create_app(
    TextEnvironment,
    TextAction,
    TextObservation,
    env_name="carc_env",
    max_concurrent_envs=MAX_SESSIONS,
)
"""The server's application."""

if __name__ == "__main__":
    import tyro
    import uvicorn

    def serve(host: str = "127.0.0.1", port: int = 8000) -> None:
        """Serve the environment."""
        uvicorn.run(app, host=host, port=port)

    tyro.cli(serve, description=__doc__)
