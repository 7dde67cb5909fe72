"""Agreement at system level, and human scores of systems."""
