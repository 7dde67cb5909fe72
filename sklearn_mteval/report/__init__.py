"""Write results as text, TSV, JSON, LaTeX, Markdown or one HTML page.

``formats`` has one function for each form.
"""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
