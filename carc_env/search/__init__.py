"""Search and evaluations on top of the engine, which does not know them."""
