"""A single game: played at a table, logged with named moves, as text, and in files."""
