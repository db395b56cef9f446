"""A single game: at a table, with names and a log, as text, in files."""
