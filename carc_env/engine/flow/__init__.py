"""The turn in rulebook order, what may be done in it, and what it is worth so far."""

from carc_env.engine.compiler.moments import close_moments

close_moments("kernels", "invariants")  # before the first of these kernels is compiled
