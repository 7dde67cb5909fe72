"""Texts encoded on the fly, as a part of a network."""
