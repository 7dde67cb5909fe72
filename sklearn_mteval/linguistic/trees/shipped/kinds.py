"""The kinds of trees that the shipped parsers make, and the documents that they learn them from."""

KINDS = ("shallow", "discourse", "shallow+discourse", "constituency", "dependency")
DOCUMENTS = ("shipped", "held-out", "others", "all", "all-but-held-out")
