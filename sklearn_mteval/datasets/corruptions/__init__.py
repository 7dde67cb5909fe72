"""Corrupted translations as data: how each kind is made, and a registry of the kinds."""
