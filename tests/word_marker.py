"""A marker by a rule that one can check by eye: words that the reference has not are errors."""

import re

import pandas as pd
from sklearn.base import BaseEstimator


class WordMarker(BaseEstimator):
    """Marks words that are not in the reference, major if they have more than four characters."""

    def fit(self, X=None, y=None):
        return self

    def mark(self, X):
        rows, labels = [], []
        for label, text, reference in zip(X.index, X["hypothesis"], X["reference"], strict=True):
            for word in re.finditer(r"\S+", text):
                if word[0] not in reference.split():
                    size = len(word[0])
                    severity = "major" if size > 4 else "minor"
                    rows.append((*word.span(), severity, size / (size + 1)))
                    labels.append(label)
        index = X.index[X.index.get_indexer(labels)] if labels else X.index[:0]
        return pd.DataFrame(rows, index, ["start", "end", "severity", "probability"])

    def mark_and_judge(self, X):
        marks, levels = self.mark(X), list(range(X.index.nlevels))
        n_marks = marks.groupby(level=levels).size().reindex(X.index, fill_value=0)
        return marks, 1 / (1 + 2 * n_marks)
