"""Carcassonne for verifiers: the text tasks, and positions and games to learn from.

    from carc_env.envs.text.verifiers import load_environment

    env = load_environment(task="text-endgames-v1")

On the command line, the taskset is called ``carc-env-text``. Whole games have several turns, with
the opponents inside the environment; endgames and questions have one, unless an answer is illegal.
Install it with ``pip install 'carc_env[verifiers]'``.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from carc_env.envs.text.tasks import TEXT_TASKS, Item, reward_of, text_task
from carc_env.extras import extras_named

with extras_named():
    import verifiers.v1 as vf
    from verifiers.v1.utils import loaders

ID = "carc-env-text"
"""The name of the module that exports the classes to verifiers."""


class TextConfig(vf.TasksetConfig):  # type: ignore[misc]
    """The task, and whether its items are those of the evaluation or others to learn from."""

    text_task: str = next(iter(TEXT_TASKS))
    learn: bool = False


class TextData(vf.TaskData):  # type: ignore[misc]
    """An item of a task."""

    text_task: str
    learn: bool
    number: int


class TextTask(vf.Task[TextData, vf.State, vf.TaskConfig]):  # type: ignore[misc]
    """A conversation about an item."""


class TextTaskset(vf.Taskset[TextTask, TextConfig]):  # type: ignore[misc]
    """All items of a task, in order."""

    @property
    def bounded(self) -> bool:
        """Whether there is a last item; games to learn from never end."""
        is_endless = self.config.learn and text_task(self.config.text_task).kind == "games"
        return not is_endless if self._bounded is None else bool(self._bounded)

    def load(self) -> Iterator[TextTask]:
        """Yield the items."""
        name, learn = self.config.text_task, self.config.learn
        for number, item in enumerate(_items(name, learn)):
            session = item.start()
            data = TextData(
                name=item.name,
                prompt=session.prompt(remembers=True),
                system_prompt=session.system,
                text_task=name,
                learn=learn,
                number=number,
            )
            yield TextTask(data, self.config.task)


def _items(name: str, learn: bool) -> Iterator[Item]:
    task = text_task(name)
    return task.lessons() if learn else iter(task.items())


class TextEnvConfig(vf.EnvConfig):  # type: ignore[misc]
    """The model that is asked: a plain chat without tools, which needs no container."""

    player: vf.AgentConfig = vf.AgentConfig(
        harness=vf.HarnessConfig(id="null"), runtime=vf.SubprocessConfig()
    )


class TextEnv(vf.Env[TextEnvConfig]):  # type: ignore[misc]
    """Asks a model until the session is over; the reward is :func:`reward_of` its result."""

    async def run(self, task: TextTask, agents: vf.Agents) -> None:
        """Hold one conversation."""
        data = task.data
        item = next(islice(_items(data.text_task, data.learn), data.number, None))
        session = item.start()
        session.prompt(remembers=True)  # the prompt of the task
        async with agents.player.interaction(task) as interaction:
            segment = await interaction.turn()
            while not segment.terminated:
                session.answer(segment.last_reply)
                if session.is_over:
                    break
                segment = await interaction.turn(session.prompt(remembers=True))
        trace = interaction.trace
        result = session.result() if session.is_over else {}
        trace.record_reward("reward", reward_of(result) if result else 0.0, 1.0)
        for name, value in result.items():
            trace.record_metric(name, float(value))


def load_environment(task: str = next(iter(TEXT_TASKS)), learn: bool = False) -> TextEnv:
    """Return the environment for a text task.

    Parameters
    ----------
    task : str
        The task's name.
    learn : bool
        Yield other positions and games than those of the evaluation, to learn from.

    Raises
    ------
    ValueError
        There is no such task.
    """
    text_task(task)
    config = TextEnvConfig(taskset=TextConfig(id=ID, text_task=task, learn=learn))
    env: TextEnv = loaders.load_environment(config)
    return env
