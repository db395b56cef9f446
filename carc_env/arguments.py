"""Command-line argument types for ``tyro.cli``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from tyro.constructors import PrimitiveConstructorSpec

from carc_env.files import user_path

UserPath = Annotated[
    Path,
    PrimitiveConstructorSpec(
        nargs=1,
        metavar="PATH",
        instance_from_str=lambda words: user_path(words[0]),
        is_instance=lambda value: isinstance(value, Path),
        str_from_instance=lambda path: [str(path)],
    ),
]
"""A path in which ``~`` is expanded, which shells do not do in ``--folder=~/runs``."""
