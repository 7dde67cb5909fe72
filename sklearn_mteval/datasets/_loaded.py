"""What loaders return."""

from sklearn.utils import Bunch

from sklearn_mteval._helpers.shown import Shown


class Loaded(Shown, Bunch):
    """A Bunch that notebooks show: counts, first rows, description."""
