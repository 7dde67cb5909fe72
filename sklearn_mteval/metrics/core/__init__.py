"""What every statistic of agreement stands on: checked rows, counts of pairs, the registry."""
