"""Little Buildings: tokens on tiles that make more of all that is scored there."""
