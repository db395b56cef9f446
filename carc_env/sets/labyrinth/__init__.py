"""The Labyrinth."""
