"""Trade goods."""
