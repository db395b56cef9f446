"""Search and evaluations beside the engine, which does not know them."""
