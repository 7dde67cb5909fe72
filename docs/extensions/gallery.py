"""How the examples look: plots of dark ink on no ground, in the order of their index, as notebooks.

``site.css`` turns light and dark round on a dark page; colours keep their hue. conf.py names the
style and the order in ``sphinx_gallery_conf``.
"""

import re
from pathlib import Path

import matplotlib
from sphinx_gallery import notebook, scrapers

from sklearn_mteval._project import SITE, page
from sklearn_mteval.plots._base import GREY, INK

__all__ = ["Order", "set_style", "setup"]

_DOCS = Path(__file__).parent.parent
_STYLE = {
    "axes.edgecolor": GREY,
    "axes.facecolor": "none",
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": "small",
    "figure.facecolor": "none",
    "figure.figsize": (4.6, 3.2),  # letters that can be read on the gallery's small pictures
    "figure.titlesize": "small",
    "savefig.facecolor": "none",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


def set_style(gallery_conf, name):
    """Set matplotlib's style, which each example begins with."""
    matplotlib.rcParams.update(_STYLE)


class Order:
    """The order in which README.rst names the examples of a folder."""

    def __init__(self, folder):
        self._index = Path(folder, "README.rst")

    def __call__(self, name):
        """Return the place of an example."""
        return self._index.read_text(encoding="utf-8").index(f"/{Path(name).stem}>")


def _described(figure, titles):
    """Describe a figure for those who do not see it: titles, axes or their names, curves."""
    parts = [titles]
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis) if ax.axison else ():
            names = [text.get_text() for text in axis.get_ticklabels()]
            words = [name for name in names if any(map(str.isalpha, name)) and name[0] != "$"]
            parts += filter(None, [axis.get_label().get_text(), ", ".join(words)])
        for legend in filter(None, [ax.get_legend(), *figure.legends]):
            parts.append(", ".join(text.get_text() for text in legend.get_texts()))
    return ". ".join(dict.fromkeys(parts))


def _title(name):
    """Return the title of a page, or its name: Sphinx warns of one that is missing."""
    path = _DOCS / f"{name}.md"
    text = path.read_text(encoding="utf-8") if path.exists() else f"# {name}"
    return re.search("^# (.*)", text, re.MULTILINE)[1]


def _without_roles(text):
    """Write names as code, pages as where they are: notebooks do not know Sphinx's roles."""
    text = re.sub(r":(?:func|class):`~?(?:\w+\.)*(\w+)`", r"``\1``", text)
    return re.sub(":doc:`/([^`]+)`", lambda name: _where(name[1]), text)


def _where(name):
    """Return a link to a page or, as long as there is no site, its title and its file."""
    return f"`{_title(name)} <{page(name)}>`_" if SITE else f"{_title(name)} (``{page(name)}``)"


def setup(app):
    """Connect it to the writers of notebooks and of texts for figures, which have no hooks."""
    to_markdown, titles = notebook.rst2md, scrapers._matplotlib_fig_titles
    notebook.rst2md = lambda text, *options: to_markdown(_without_roles(text), *options)
    scrapers._matplotlib_fig_titles = lambda figure: _described(figure, titles(figure))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
