"""Small tables and vectors to describe by words."""

import pandas as pd

from sklearn_mteval.features import LexicalFeatures


def table(rows):
    """Make a candidate table of (segment, system, source, reference, hypothesis)."""
    segments, systems, *texts = zip(*rows, strict=True)
    index = pd.MultiIndex.from_arrays([segments, systems], names=["segment", "system"])
    names = ("source", "reference", "hypothesis")
    return pd.DataFrame(dict(zip(names, texts, strict=True)), index=index, dtype=object)


def records(X):
    return [
        {"segment": segment, **row}
        for segment, row in zip(X.index.get_level_values(0), X.to_dict("records"), strict=True)
    ]


def lexical(X, *args, fitted_on=None, **options):
    """Fit and transform to a DataFrame."""
    transformer = LexicalFeatures(*args, **options).set_output(transform="pandas")
    return transformer.fit(X if fitted_on is None else fitted_on).transform(X)


PLANE = {"a": [1.0, 0.0, 0.0], "b": [0.0, 3.0, 0.0], "the": [1.6, 1.2, 0.0], "d": [0.0, 0.0, 0.5]}
REFERENCES = table(
    [(k, "x", "", text, "") for k, text in enumerate(["the b", "the d", "the", "the"])]
)
