"""The pairwise neural network, classifier of pairs."""
