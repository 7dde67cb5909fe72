"""Trees, their parsers and treebanks; public as names of ``sklearn_mteval.trees``."""
