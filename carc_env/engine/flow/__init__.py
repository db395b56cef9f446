"""The turn in rulebook order, its legal actions, and its current value."""

from carc_env.engine.compiler.moments import close_moments

close_moments("kernels", "invariants")  # before the first of these kernels is compiled
