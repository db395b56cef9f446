"""The game record and what every rule builds on: tiles, board, features, figures and points."""
