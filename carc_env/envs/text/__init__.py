"""Carcassonne as text, for language models: views, rules in words, and answers.

::

    from carc_env.agents import make_agent
    from carc_env.envs.text import TextGame

    game = TextGame("inns", {1: make_agent("greedy")}, seed=7)
    while not game.is_over:
        game.answer(model(game.system, game.prompt()))

``docs/text.md`` explains the tasks for language models, and how to evaluate one.
"""

from carc_env.envs.text.answers import Answer, read_answer
from carc_env.envs.text.game import TextGame
from carc_env.envs.text.prompt import rules_text
from carc_env.envs.text.view import read_view, text_view, tiles_in

__all__ = [
    "Answer",
    "TextGame",
    "read_answer",
    "read_view",
    "rules_text",
    "text_view",
    "tiles_in",
]
