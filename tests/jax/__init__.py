"""What needs JAX; `make test-jax` runs it in an environment of its own."""
