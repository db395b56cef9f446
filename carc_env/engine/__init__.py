"""The rules as compiled kernels over one record; imports nothing from outside this package."""
