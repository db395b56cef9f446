"""How kernels are compiled, kept and linked; imports nothing of the rules."""
