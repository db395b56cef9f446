"""The Wind Roses."""
