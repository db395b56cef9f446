"""Layouts of actions and observations under some rules, and the record of a new game."""
