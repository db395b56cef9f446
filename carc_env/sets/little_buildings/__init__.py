"""Little Buildings: tokens on tiles that increase all points scored there."""
