"""Results as text, TSV, JSON, LaTeX and Markdown: ``formats`` has one function for each."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
