"""The kinds of trees that the shipped parsers make."""

__all__ = ["KINDS"]

KINDS = ("shallow", "discourse", "shallow+discourse", "constituency", "dependency")
