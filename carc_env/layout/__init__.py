"""How actions and observations are laid out under some rules, and the record of a new game."""
