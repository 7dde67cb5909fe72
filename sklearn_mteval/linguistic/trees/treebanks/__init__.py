"""Readers and writers of treebanks: constituents, dependencies, discourse."""
