"""The record of a game and the basis of every rule: tiles, board, features, figures, points."""
