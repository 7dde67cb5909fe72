"""Results that show themselves in a notebook.

What draws them, ``report/html``, stands far above; this module alone reaches upward, by name, and
only when something is shown.
"""

import weakref
from importlib import import_module
from unicodedata import category

_RENDERER = "sklearn_mteval.report.html.fragment"


class Shown:
    """For classes whose objects notebooks show as what ``report/html`` makes of them."""

    __slots__ = ()

    def _repr_mimebundle_(self, **kwargs):
        """Return all forms by their type, as IPython asks for them."""
        return import_module(getattr(self, "_renderer", _RENDERER)).bundle_of(self)

    def _repr_html_(self):
        """Return HTML, for programs that ask for nothing else."""
        return self._repr_mimebundle_().get("text/html")

    def _repr_markdown_(self):
        """Return Markdown, where there is any."""
        return self._repr_mimebundle_().get("text/markdown")


class ShownTables(Shown):
    """For results that are tables: at the terminal they are the text of their report."""

    __slots__ = ()

    def __repr__(self):
        return import_module(_RENDERER).text_of(self)


def show_segments(found, X):
    """Let a notebook show texts with this very object, which is returned; not with copies."""
    labels, this, n_rows = X.index.get_level_values("segment"), weakref.ref(found), len(X)
    rows = labels.isin(labels[:200].unique()[:5]).nonzero()[0][:200]
    names = [name for name in ("source", "reference", "hypothesis") if name in X.columns]
    part, texts = found.iloc[rows], X.iloc[rows][names]

    def _repr_html_():
        now = this()  # None: the object is gone, as where it was shown without a name
        if now is None or (len(now) == n_rows and now.iloc[rows].equals(part)):
            return import_module(_RENDERER).html_of_segments(part, texts, n_rows)
        plain = getattr(type(now), "_repr_html_", None)
        return None if plain is None else plain(now)

    object.__setattr__(found, "_repr_html_", _repr_html_)
    return found


def printable(text, longest=40):
    """Replace what does not print, cut what is too long."""
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    # Soft hyphens, joiners and marks of direction (Cf) have no width of their own.
    return "".join(c if c.isprintable() else "" if category(c) == "Cf" else "\ufffd" for c in text)
