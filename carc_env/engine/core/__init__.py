"""The record of a game and what every rule builds on: tiles, board, features, figures, points."""
