"""What seats see and earn: planes, globals, lanes and rewards."""

from carc_env.engine.compiler.moments import close_moments
from carc_env.engine.sight import moments  # noqa: F401

close_moments("sight")
