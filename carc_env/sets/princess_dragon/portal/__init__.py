"""Magic portals."""
