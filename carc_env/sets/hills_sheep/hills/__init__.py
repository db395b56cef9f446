"""Hills and vineyards."""
