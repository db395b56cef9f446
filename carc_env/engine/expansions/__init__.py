"""A room for each expansion: what is its own in decisions and scoring."""
