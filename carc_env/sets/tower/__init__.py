"""The Tower."""
