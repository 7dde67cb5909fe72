"""Agreement at segment level: Kendall's tau, accuracy with ties, correlations, rankings."""
