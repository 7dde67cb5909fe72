"""How the plots of the examples look: dark ink on no ground.

``site.css`` turns light and dark round on a dark page; colours keep their hue. Named in
``sphinx_gallery_conf`` of conf.py, which sphinx-gallery calls before each example.
"""

import matplotlib

from sklearn_mteval.plots._base import GREY, INK

__all__ = ["set_style"]

_STYLE = {
    "axes.edgecolor": GREY,
    "axes.facecolor": "none",
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.facecolor": "none",
    "figure.titlesize": "medium",
    "axes.titlesize": "medium",
    "savefig.facecolor": "none",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


def set_style(gallery_conf, name):
    """Set matplotlib's style, which each example begins with."""
    matplotlib.rcParams.update(_STYLE)
