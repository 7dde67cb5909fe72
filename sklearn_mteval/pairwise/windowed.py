"""Windowed: a ranker that is asked about the sentences of long texts, one after the other."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted

from sklearn_mteval._helpers.options import check_integer, check_one_of
from sklearn_mteval._helpers.restored import check_restored
from sklearn_mteval.pairwise.judged import Judged
from sklearn_mteval.pairwise.ranker_mixin import RankerMixin


class Windowed(RankerMixin, MetaEstimatorMixin, BaseEstimator):
    """Judge texts of several sentences in aligned windows, each as a text of its own.

    Reference (or source) and translation are parted into sentences and aligned in their order, one
    or several with one or several. The ranker inside is asked about each pair of aligned texts, a
    *window*. A text of one sentence is judged as it stands, with the same bits as without windows.

    Parameters
    ----------
    estimator : estimator
        A pipeline from texts to ranks. It is cloned, and fitted on whole texts.
    anchor : {"reference", "source"}, default="reference"
        The column with whose sentences translations are aligned. Tables without it are judged as
        they stand.
    longest : int, default=900
        Width of a window, in letters, at least 300 (a Chinese character counts as four). A sentence
        that is longer is parted, at commas or blanks if it can be, and a warning says how many.

    Attributes
    ----------
    ranker_ : estimator
        The fitted ranker.

    Notes
    -----
    *Score* of a text: the mean of its windows' scores, by the width of the anchor. A sentence
    without counterpart, an omission or an addition, counts as a window with the score -1. The
    score depends on the text's own source, reference and translation alone.

    *Strength* in a segment: the mean of the strengths in windows that translations have in common,
    which end where sentences end in the alignments of all. An empty text stands for an omission; an
    addition counts as a window in which the translation is worse than any other with a probability
    of 0.98.

    Of several references the one counts with which a translation has most in common, of a segment's
    shared windows the one that has most in common with all of them. Time grows in proportion to the
    length of texts.

    References
    ----------
    Gale and Church 1993, "A program for aligning sentences in bilingual corpora"; Thompson and
    Koehn 2019, "Vecalign: improved sentence alignment in linear time and space".

    Examples
    --------
    >>> from sklearn_mteval.datasets import load_sample
    >>> from sklearn_mteval.models import bleu_pipeline, score_candidates
    >>> from sklearn_mteval.pairwise import Windowed
    >>> X, y = load_sample(return_X_y=True)
    >>> model = Windowed(bleu_pipeline()).fit(X, y)
    >>> one = X.loc[[1]].iloc[:1]
    >>> twice = one.assign(reference=one["reference"] + " " + one["reference"])
    >>> bool(score_candidates(model, one).iloc[0] > score_candidates(model, twice).iloc[0])
    True
    """

    item_level = "system"

    def __init__(self, estimator: Any, *, anchor: str = "reference", longest: int = 900):
        self.estimator = estimator
        self.anchor = anchor
        self.longest = longest

    @classmethod
    def of(cls, ranker: Any, **options: Any) -> Self:
        """Put windows around a ranker that is fitted.

        Parameters
        ----------
        ranker : fitted estimator
            A pipeline from texts to ranks.
        **options : dict
            ``anchor`` and ``longest``.

        Returns
        -------
        Windowed
            Fitted.
        """
        model = cls(ranker, **options)
        model._check()
        model.ranker_ = ranker
        return model

    def _fit(self, X, y):
        """Fit the ranker, on whole texts."""
        self._check()
        self.ranker_ = clone(self.estimator).fit(X, y)

    def _found(self, X, *, ranks):
        """Return strengths or ranks in the order of X."""
        check_is_fitted(self)
        judged, rows = Judged(self, X), np.arange(len(X))
        strengths = judged.strengths(rows)
        return judged.ranks(strengths, rows) if ranks else strengths

    def __setstate__(self, state):
        super().__setstate__(state)
        check_restored(self, self._is_whole)

    def _is_whole(self):
        """Tell whether what was loaded can be what a fit leaves."""
        self._check()
        return hasattr(self.ranker_, "decision_function") and not isinstance(self.ranker_, type)

    def _check(self):
        """Check parameters."""
        check_one_of("anchor", self.anchor, ("reference", "source"))
        check_integer("longest", self.longest, minimum=300)
