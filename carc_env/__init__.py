"""Carcassonne with its expansions as a reinforcement-learning environment."""
