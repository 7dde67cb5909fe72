"""Encoders that pip can fetch: packages of a registry that bundle a model's weights."""
