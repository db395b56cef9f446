"""The dragon."""
