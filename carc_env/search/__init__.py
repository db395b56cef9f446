"""Searches and evaluations built on the engine, which does not know about them."""
