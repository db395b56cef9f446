"""The Russian promos."""
