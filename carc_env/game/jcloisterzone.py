"""Games saved by JCloisterZone 5 (``.jcz``), for the sets that are here too.

A save is JSON: the setup, the players, and the messages that they sent. It does not hold the draw
order; that of the tiles which were placed follows from the messages, what was not placed comes
after them. Scores are not saved either: those of the game are the ones of our rules.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from carc_env.engine.core.codes import Figure, Phase, Spot
from carc_env.engine.core.tiles import ABBEY, FACTS, ROWS
from carc_env.game.game import Game
from carc_env.game.notation import format_place
from carc_env.layout.template import bag_of
from carc_env.position import Cell, PlacedTile
from carc_env.rules import MAX_VIEW, Rules

