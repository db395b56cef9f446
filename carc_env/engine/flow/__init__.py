"""The turn in rulebook order, its legal actions, and the value of the current position."""

from carc_env.engine.compiler.moments import close_moments

close_moments("kernels", "invariants")  # before the first kernel of this package is compiled
