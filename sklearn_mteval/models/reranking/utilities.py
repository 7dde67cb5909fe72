"""Utilities: how well one text of a list would serve if another one were the reference.

What is made of an entry of :data:`UTILITIES` for the lists at hand has ``cells(hypotheses,
references)``: positions of texts in, a number for each pair out, higher is better. One that is
linear in the references also has ``aggregated(weights)``: each text against its list's mean.
"""

from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from sklearn_mteval.features.embeddings.averages import EmbeddingAverager
from sklearn_mteval.features.embeddings.word_alignment import AlignmentWithinLists
from sklearn_mteval.features.overlap.registry import METRICS
from sklearn_mteval.features.overlap.within_lists import BLEUWithinLists, ChrFWithinLists
from sklearn_mteval.models.opening import open_model, with_source
from sklearn_mteval.models.scoring import score_all
from sklearn_mteval.pairwise.recomposition import numbers_or_nan
from sklearn_mteval.text import load_word_vectors

_WORST_TER = -100.0  # as good as the empty text


class _Pairs:
    """A utility by a function of a table of pairs, with hypothesis, reference and source."""

    def __init__(self, function, lists):
        self._function, self._table = function, lists.table

    def cells(self, hypotheses, references):
        """Score pairs of texts."""
        texts = self._table["hypothesis"].to_numpy(dtype=object)
        columns = {"hypothesis": texts[hypotheses], "reference": texts[references]}
        if "source" in self._table.columns:
            columns["source"] = self._table["source"].to_numpy(dtype=object)[hypotheses]
        rows = np.arange(len(hypotheses))
        index = pd.MultiIndex.from_arrays([rows, rows], names=["segment", "system"])
        return _checked(self._function(pd.DataFrame(columns, index)), len(rows))


class _Sets:
    """A utility by a function of reference sets and their hypotheses, as ``work_on_pairs`` has."""

    def __init__(self, function, lists):
        self._function = function
        self._texts = lists.table["hypothesis"].tolist()

    def cells(self, hypotheses, references):
        """Score pairs of texts; neighbours of one reference are one set."""
        if not len(references):
            return np.zeros(0)
        bounds = np.flatnonzero(np.diff(references, prepend=-1, append=-1))
        sets = [
            ((self._texts[references[a]],), [self._texts[h] for h in hypotheses[a:b]])
            for a, b in pairwise(bounds)
        ]
        return self._function(sets)


class _Vectors:
    """The cosine of vectors of texts, which is linear in the reference's: the mean is exact."""

    def __init__(self, transformer, lists):
        found = transformer.transform(lists.table[["hypothesis"]])
        vectors = np.ascontiguousarray(found, dtype=np.float64)
        norms = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, np.newaxis]
        # A text without any known word is like nothing, itself included.
        self._units = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
        self._starts, self._sizes = lists.starts, lists.sizes

    def cells(self, hypotheses, references):
        """Compute the cosines of pairs."""
        return np.einsum("ij,ij->i", self._units[hypotheses], self._units[references])

    def aggregated(self, weights):
        """Compute the expected cosines."""
        means = np.add.reduceat(weights[:, np.newaxis] * self._units, self._starts, axis=0)
        return np.einsum("ij,ij->i", self._units, np.repeat(means, self._sizes, axis=0))


def _metric(name, lists):
    """Score by a metric of the package."""
    metric = METRICS[name]
    return _Sets(partial(metric.scores, **metric.prepare((), {})), lists)


def _ter(lists):
    """Score by TER, which is 1 at most here: that of many words too much has no bound."""
    metric = METRICS["ter"]
    scores = partial(metric.scores, **metric.prepare((), {}))
    return _Sets(lambda sets: np.maximum(scores(sets), _WORST_TER), lists)


def _within(kind, lists, **options):
    """Score by what compares the texts within lists."""
    return kind(lists.texts(), **options)


def _alignment(lists):
    """Score by the F of a soft alignment of words, by the package's English vectors."""
    return AlignmentWithinLists(lists.texts(), load_word_vectors("english"))


def _vectors(lists):
    """Compare means of the package's English word vectors."""
    averager = EmbeddingAverager("english", columns=["hypothesis"])
    return _Vectors(averager.fit(lists.table[["hypothesis"]]), lists)


UTILITIES = {  # from names to what makes a utility of lists
    "chrf": partial(_within, ChrFWithinLists, word_order=0),
    "chrf++": partial(_within, ChrFWithinLists, word_order=2),
    "bleu": partial(_within, BLEUWithinLists),
    "ter": _ter,
    "meteor": partial(_metric, "meteor"),
    "alignment": _alignment,
    "vectors": _vectors,
}


def find_utility(utility):
    """Return what makes a utility of lists, of a name, a model, a transformer or a function."""
    if isinstance(utility, str) and utility in UTILITIES:
        return UTILITIES[utility]
    name = utility
    if not hasattr(utility, "transform") and not callable(utility):
        try:
            utility = utility if hasattr(utility, "decision_function") else open_model(utility)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"utility must be one of {list(UTILITIES)}, a model's name or folder, a fitted "
                f"model or transformer, or a function, found {name!r}: {error}"
            ) from None
    if hasattr(utility, "decision_function"):
        return partial(_Pairs, partial(_by_model, utility, name))
    if isinstance(utility, type):
        raise ValueError(f"utility must be an instance, found the class {utility.__name__}.")
    if not hasattr(utility, "transform"):
        return partial(_Pairs, partial(_by_function, utility))
    check_is_fitted(utility)
    if list(getattr(utility, "columns", ())) == ["hypothesis"]:
        return partial(_Vectors, utility)
    return partial(_Pairs, partial(_by_transformer, utility))


def _by_model(model, name, table):
    """Score by a fitted model."""
    return score_all(model, with_source(table, name)).to_numpy()


def _by_function(function, table):
    """Score by a function of lists of hypotheses and of references."""
    return function(table["hypothesis"].tolist(), table["reference"].tolist())


def _by_transformer(transformer, table):
    """Score by a transformer's only column."""
    found = np.asarray(transformer.transform(table))
    if found.ndim == 2 and found.shape[1] != 1:
        names = list(transformer.get_feature_names_out())
        raise ValueError(
            "utility: expected a transformer with one column, or one of vectors of the hypothesis "
            f"(columns=['hypothesis']), found the {len(names)} columns {names[:8]}. Give a "
            "function that takes one of them."
        )
    return found.ravel()


def _checked(values, n):
    """Return a utility's numbers; raise ValueError unless there are n, all finite."""
    found = numbers_or_nan(values)
    if found.shape != (n,) or not np.isfinite(found).all():
        raise ValueError(
            f"utility must give a finite number for each of {n} pairs, found shape {found.shape} "
            f"with {int((~np.isfinite(found)).sum())} NaN or infinite."
        )
    return found
