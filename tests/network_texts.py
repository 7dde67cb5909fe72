"""Candidates whose texts a network encodes, and their pair table by loops."""

import numpy as np
import pandas as pd

WORDS = ["the", "cat", "sat", "on", "a", "mat", "dog", "ran"]
VECTORS = {word: np.random.default_rng(k).uniform(-1, 1, 3) for k, word in enumerate(WORDS[:6])}


def candidates(n_segments=8):
    rng = np.random.default_rng(1)
    index = pd.MultiIndex.from_product(
        [range(n_segments), list("abc")], names=["segment", "system"]
    )
    hypotheses, references, ranks = [], [], []
    for _ in range(n_segments):
        reference = list(rng.choice(WORDS, 6))
        for _ in range(3):
            kept = rng.random(6) < rng.random()
            words = [w if k else rng.choice(WORDS) for w, k in zip(reference, kept, strict=True)]
            hypotheses.append(" ".join(words[: rng.integers(1, 7)]))
            references.append(" ".join(reference))
            ranks.append(6 - kept.sum())
    hypotheses[4] = ""
    X = pd.DataFrame({"hypothesis": hypotheses, "reference": references}, index=index)
    return X, pd.Series(ranks, index=index)


def pairs(X=None, y=None):
    """The pair table of the candidates, and labels, through loops."""
    X, y = candidates() if X is None else (X, y)
    rows, labels, index = [], [], []
    for segment in X.index.unique("segment"):
        own, ranks = X.loc[segment], y.loc[segment]
        for i in range(3):
            for j in range(3):
                if i != j:
                    rows.append([*own.iloc[i], *own.iloc[j]])
                    labels.append(int(ranks.iloc[i] < ranks.iloc[j]))
                    index.append((segment, i, j))
    names = [f"{half}__{name}" for half in ("t1", "t2") for name in X.columns]
    levels = pd.MultiIndex.from_tuples(index, names=["segment", "one", "two"])
    return pd.DataFrame(rows, columns=names, index=levels), np.array(labels)
