"""The Flying Machines."""
