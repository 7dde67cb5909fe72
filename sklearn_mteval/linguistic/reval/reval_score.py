"""ReValScore: the similarity that a ReVal network learns from rankings, as a feature."""

from collections.abc import Mapping

from sklearn.base import clone

from sklearn_mteval.linguistic.reval.regressor import ReValRegressor
from sklearn_mteval.linguistic.reval.similarity import similarity_from_rankings
from sklearn_mteval.linguistic.trees.transformer import Trees
from sklearn_mteval.stacking.cross_fit import CrossFitScore


class ReValScore(CrossFitScore):
    """Similarity of a translation and its reference, learnt from the rankings of ``fit``.

    Rankings become scores (:func:`~sklearn_mteval.datasets.similarity_from_rankings`), on which a
    :class:`~sklearn_mteval.neural.ReValRegressor` is trained. ``fit_transform`` cross-fits, so that
    no training row sees its own label (:class:`CrossFitScore`).

    Parameters
    ----------
    estimator : ReValRegressor or None, default=None
        The regressor; None: ``ReValRegressor(random_state=0)``.
    min_judgements : int, default=1
        Judgements that a translation needs to be trained on. The paper's sets need 3 or 4; where
        rankings are few, all that were judged teach more.
    thresholds : {"computed", "printed"}, mapping or None, default=None
        Variances below which translations are kept, as of ``similarity_from_rankings``.
    cv : int or None, default=5
        Parts of the segments in ``fit_transform``, each scored by a network trained on the others.

    Attributes
    ----------
    estimator_ : ReValRegressor
        The network that was trained on all rows.

    Notes
    -----
    One column, ``reval_score``, in [1, K], higher is more alike. Texts are parsed once where the
    table has no columns of trees.

    References
    ----------
    Gupta, Orăsan and van Genabith 2015.

    Examples
    --------
    >>> from sklearn_mteval.datasets import load_sample
    >>> from sklearn_mteval.features import ReValScore
    >>> from sklearn_mteval.neural import ReValRegressor
    >>> X, y = load_sample(return_X_y=True)
    >>> quick = ReValRegressor(encoder="lstm", n_units=10, max_epochs=1, random_state=0)
    >>> ReValScore(quick, cv=2).fit_transform(X, y).shape
    (640, 1)
    """

    name = "reval_score"

    def __init__(
        self, estimator: ReValRegressor | None = None, *, min_judgements: int = 1,
        thresholds: str | Mapping | None = None, cv: int | None = 5
    ):  # fmt: skip
        self.estimator = estimator
        self.min_judgements = min_judgements
        self.thresholds = thresholds
        self.cv = cv

    def _network(self):
        if self.estimator is None:
            return ReValRegressor(random_state=0)
        if not isinstance(self.estimator, ReValRegressor):
            raise TypeError(
                f"estimator must be a ReValRegressor or None, found {self.estimator!r}."
            )
        return clone(self.estimator)

    def _table(self, X):
        network = self._network()
        missing = [k for k in ("hypothesis", "reference") if f"{k}_tree" not in X.columns]
        if network.encoder != "tree-lstm" or not missing:
            return X
        return Trees("dependency", missing, progress=network.progress).fit_transform(X)

    def _folds(self, X):
        return super()._folds(X[["hypothesis", "reference"]])  # whatever else is there

    def _trained(self, X, y):
        network = self._network()
        options = {"min_judgements": self.min_judgements, "thresholds": self.thresholds}
        X, y = similarity_from_rankings(
            X, y, **options, n_classes=network.n_classes, return_X_y=True
        )
        return network.fit(X, y)
