"""The Watchtowers."""
