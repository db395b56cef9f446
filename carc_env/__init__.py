"""Carcassonne with its expansions as a reinforcement-learning environment.

The names in this module are public: every change to them is listed in the changelog. The modules
``carc_env.tasks`` (tasks for comparing results), ``carc_env.carcassonne_v1`` (PettingZoo) and
``carc_env.render`` (pictures) are also public. All other modules are internal, and their names may
move.

- Games: :class:`Game`, :class:`Table`, :class:`Rules`.
- Details of a game: :class:`Move`, :class:`Score`, :class:`Choice`, and the codes :class:`Phase`,
  :class:`Figure`, :class:`Kind`, :class:`Good`, :class:`Spot`.
- Many rules: :class:`Layout`, :class:`RulesDistribution`, :class:`Everything`, :class:`OneOf`,
  :class:`Subsets`, :class:`Switches`.
- Observations: :class:`Encoding`.
- Positions and records: :class:`Position`, :func:`parse_position`, :func:`format_position`,
  :func:`read_record`, :func:`write_record`, :func:`load_record`, :func:`format_record`,
  :class:`NotationError`.
- Search: :func:`afterstates`, :class:`Afterstates`, :func:`rollouts`; for networks, many games at
  once: :class:`AfterstateEncoder`, :class:`AfterstateBatch`.
- Gymnasium: :func:`register_gymnasium`, which importing carc_env has already called.
"""

from carc_env import own_tasks, tasks
from carc_env.engine.core.codes import Figure, Good, Kind, Phase, Spot
from carc_env.envs.distributions import Everything, OneOf, RulesDistribution, Subsets, Switches
from carc_env.envs.registration import register_gymnasium
from carc_env.game.afterstates import AfterstateBatch, AfterstateEncoder
from carc_env.game.game import Game, Move, Score
from carc_env.game.notation import format_position, parse_position
from carc_env.game.records import format_record, load_record, read_record, write_record
from carc_env.game.search import Afterstates, afterstates, rollouts
from carc_env.game.table import Table
from carc_env.layout.encodings import Encoding
from carc_env.position import Position
from carc_env.rules import Layout, Rules
from carc_env.systems.declaring import Choice
from carc_env.words import NotationError

__version__ = "0.3.0"
__all__ = [
    "AfterstateBatch",
    "AfterstateEncoder",
    "Afterstates",
    "Choice",
    "Encoding",
    "Everything",
    "Figure",
    "Game",
    "Good",
    "Kind",
    "Layout",
    "Move",
    "NotationError",
    "OneOf",
    "Phase",
    "Position",
    "Rules",
    "RulesDistribution",
    "Score",
    "Spot",
    "Subsets",
    "Switches",
    "Table",
    "afterstates",
    "format_position",
    "format_record",
    "load_record",
    "parse_position",
    "read_record",
    "register_gymnasium",
    "rollouts",
    "write_record",
]

register_gymnasium()
tasks.register_tasks()
tasks.READERS[tasks.FILE_SUFFIX] = own_tasks.read
