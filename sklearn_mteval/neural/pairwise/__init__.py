"""The pairwise neural network, a classifier of pairs."""
