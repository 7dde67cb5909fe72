"""Results in words: whole sentences that stand above tables, and warnings."""
