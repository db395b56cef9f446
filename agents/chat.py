"""Models that answer prompts: servers that speak the chat protocol, and agents that read views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from carc_env.envs.naming import parse_agent
from carc_env.envs.opponents import Opponent, act
from carc_env.envs.text import read_view
from carc_env.extras import extras_named
from carc_env.rules import Rules

Messages = Sequence[Mapping[str, str]]
"""A conversation: ``{"role": ..., "content": ...}`` for each message."""
RETRIES = 6
"""Times that a request is repeated if the server is busy or fails, with growing pauses."""
NO_KEY = "none"
"""Sent as the key if there is none: local servers don't ask for one."""


@dataclass(frozen=True)
class Reply:
    """A model's answer, and the tokens that it took, as the server counts them."""

    text: str
    tokens_in: int = 0
    tokens_out: int = 0


class Model(Protocol):
    """Anything that answers a conversation; several threads may ask at the same time."""

    name: str

    def reply(self, messages: Messages) -> Reply:
        """Return the answer to the last message."""


@dataclass
class ChatModel:
    """A model on a server that speaks the chat protocol of OpenAI.

    Attributes
    ----------
    name : str
        The model's name on the server.
    base_url : str
        The address of the server, such as ``http://localhost:8000/v1``.
    key : str
        The key that the server asks for.
    seconds : float
        Time limit for an answer.
    options : mapping
        Further fields of each request, such as ``temperature`` and ``max_tokens``.

    Raises
    ------
    ImportError
        The library that speaks the protocol is not installed.
    """

    name: str
    base_url: str
    key: str = NO_KEY
    seconds: float = 600.0
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        with extras_named():
            import openai
        self._errors = openai.OpenAIError
        self._client = openai.OpenAI(
            api_key=self.key, base_url=self.base_url, timeout=self.seconds, max_retries=RETRIES
        )

    def reply(self, messages: Messages) -> Reply:
        """Return the answer to the last message.

        Raises
        ------
        ConnectionError
            The server does not answer, even after retries, or refuses the request.
        """
        try:
            done = self._client.chat.completions.create(
                model=self.name, messages=[*messages], **self.options
            )
        except (self._errors, ValueError) as error:  # an answer that is no JSON is a ValueError
            raise ConnectionError(f"{self.base_url}: {error}") from error
        if not getattr(done, "choices", None):
            raise ConnectionError(
                f"{self.base_url} does not speak the chat protocol (does the address end in /v1?), "
                f"or refuses to answer: {str(done)[:300]}"
            )
        text = done.choices[0].message.content
        used = done.usage
        return Reply(text or "", *((used.prompt_tokens, used.completion_tokens) if used else ()))


@dataclass
class AgentModel:
    """An agent that plays through the text: it knows nothing but the views.

    Attributes
    ----------
    name : str
        The agent spec.
    """

    name: str

    def __post_init__(self) -> None:
        self._spec = parse_agent(self.name)
        self._made: dict[Rules, Opponent] = {}

    def reply(self, messages: Messages) -> Reply:
        """Return the agent's action in the position of the view.

        Raises
        ------
        ValueError
            The prompt contains no position with a decision.
        """
        seed = len(messages[-1]["content"])
        game = read_view(messages[-1]["content"], seed)
        if game.rules not in self._made:
            self._made[game.rules] = self._spec.make(game.rules, seed=0)
        return Reply(f"[[{game.name(act(self._made[game.rules], game))}]]")
