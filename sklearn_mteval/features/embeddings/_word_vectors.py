"""What the transformers on word vectors share: loading, coverage, saving."""

import warnings

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from sklearn_mteval._helpers.restored import is_number
from sklearn_mteval.text.tokens import word_ids
from sklearn_mteval.text.transformer import TextTransformer, text_cells
from sklearn_mteval.text.vectors.word_vectors import WordVectors, load_word_vectors

# English vectors know 18 to 41 % of the running words of German and Czech, 77 to 95 % of those of
# English (benchmarks/word_vectors.py).
_FEW_KNOWN = 0.5
_ENOUGH_WORDS = 1000  # fewer tell little about the vectors


class WordVectorTransformer(TextTransformer):
    """Base of transformers with the parameters ``vectors``, ``lowercase`` and ``limit``."""

    columns = ("hypothesis", "reference")

    def _load_vectors(self, X):
        """Check the table, load the vectors and see how many words they know."""
        self._remember_table(X, self.columns)
        counts = self._count_words(X)
        vocabulary = None if self.limit is None else set().union(*counts.values())
        self.vectors_ = load_word_vectors(self.vectors, limit=self.limit, vocabulary=vocabulary)
        self.n_dimensions_ = self.vectors_.matrix.shape[1]
        table = self._coverage_table(counts)
        self.coverage_ = table["proportion"].to_dict()
        for column, row in table.iterrows():
            known = row["proportion"]
            if known < _FEW_KNOWN and row["words"] >= _ENOUGH_WORDS:
                warnings.warn(
                    f"Of the words in column {column!r}, only {known:.0%} have a vector. "
                    "Do the vectors fit its language and case (lowercase=)? The most frequent "
                    f"words without: {', '.join(row['frequent_unknown'])}.",
                    stacklevel=5,
                )

    def coverage(self, X: pd.DataFrame) -> pd.DataFrame:
        """Count the words that have a vector.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            With the text columns.

        Returns
        -------
        DataFrame
            A row for each text column. ``words``: running words of its distinct texts;
            ``known``: those with a vector; ``proportion``: known / words in [0, 1], 1 without any
            word; ``distinct_words``, ``distinct_known``, ``distinct_proportion``: the same, each
            word counted once; ``frequent_unknown``: at most ten words without a vector, the
            most frequent first.
        """
        check_is_fitted(self)
        return self._coverage_table(self._count_words(X))

    def _count_words(self, X):
        """Count the words of each column's distinct texts: column → word → number."""
        counts = {}
        for column in self.columns:
            texts = {text: None for cell in text_cells(X, column) for text in cell}
            flat, _, words = word_ids(list(texts), lowercase=self.lowercase)
            numbers = np.bincount(flat, minlength=len(words)).tolist()
            counts[column] = dict(zip(words, numbers, strict=True))
        return counts

    def _coverage_table(self, counts):
        """Make the table of :meth:`coverage` from the counted words of each column."""
        rows = {}
        for column, count in counts.items():
            words = list(count)
            times = np.fromiter(count.values(), dtype=np.int64, count=len(count))
            known = self.vectors_.rows(words) >= 0
            unknown = sorted((-int(times[k]), words[k]) for k in np.flatnonzero(~known))
            rows[column] = {
                "words": int(times.sum()),
                "known": int(times[known].sum()),
                "proportion": float(times[known].sum() / times.sum()) if words else 1.0,
                "distinct_words": len(words),
                "distinct_known": int(known.sum()),
                "distinct_proportion": float(known.mean()) if words else 1.0,
                "frequent_unknown": [word for _, word in unknown[:10]],
            }
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("column")

    def _is_whole(self):
        return (
            isinstance(self.vectors_, WordVectors)
            and self.n_dimensions_ == self.vectors_.matrix.shape[1]
            and isinstance(self.lowercase, bool)
            and type(self.coverage_) is dict
            and all(is_number(part, 0, 1) for part in self.coverage_.values())
        )

    def __getstate__(self):
        return with_plain_vectors(super().__getstate__())


def with_plain_vectors(state):
    """Return a state whose ``vectors`` load anywhere: none of gensim's classes, no mapping."""
    if not isinstance(state["vectors"], str):
        vectors, fitted = load_word_vectors(state["vectors"]), state.get("vectors_")
        # Stored once, unless set_params has changed the parameter after fit.
        state["vectors"] = fitted if vectors.equals(fitted) else vectors
    return state
