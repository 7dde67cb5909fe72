"""Pairs and candidates drawn at random, for ensembles of classifiers of pairs."""

import numpy as np
import pandas as pd
from scipy.special import expit


def drawn(n_segments=60, n_systems=4, d=3, seed=0):
    """Pairs of candidates of several segments in one direction, an interaction among the reasons.

    Returned are the pair table, indexed by segment and both systems, and the labels.
    """
    rng = np.random.default_rng(seed)
    rows, labels, index = [], [], []
    for segment in range(n_segments):
        x = rng.normal(size=(n_systems, d)) + rng.normal(size=d)
        for i in range(n_systems):
            for j in range(i):
                difference = x[i] - x[j]
                log_odds = difference[0] + 2 * difference[1] * (difference[2] > 1)
                log_odds -= 2 * difference[1] * (difference[2] < -1)
                rows.append([*x[i], *x[j]])
                labels.append(int(rng.random() < expit(log_odds)))
                index.append((segment, f"s{i}", f"s{j}"))
    names = ["segment", "system_1", "system_2"]
    index = pd.MultiIndex.from_tuples(index, names=names)
    columns = [f"{t}__{c}" for t in ("t1", "t2") for c in "abcdefgh"[:d]]
    return pd.DataFrame(rows, index=index, columns=columns), np.array(labels)


def plain(X):
    return X.to_numpy()


def candidates_of(n_segments, n_tasks=1):
    """Ranked candidates; tasks of one segment have no system in common."""
    rng = np.random.default_rng(0)
    index = [
        (segment, task, f"s{task}{k}")
        for segment in range(n_segments) for task in range(n_tasks) for k in range(3)
    ]  # fmt: skip
    names = ["segment", "ranking", "system"]
    X = pd.DataFrame(
        rng.normal(size=(len(index), 2)),
        index=pd.MultiIndex.from_tuples(index, names=names),
        columns=["a", "b"],
    )
    return X, pd.Series(-(X["a"] + rng.normal(size=len(X))), index=X.index)
