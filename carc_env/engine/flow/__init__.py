"""The turn in rulebook order, what may be done in it, and what it is worth so far."""
