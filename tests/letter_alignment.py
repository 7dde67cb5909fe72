"""Texts of letters that are tokens, and annotators who look at some of them."""

import numpy as np
import pandas as pd

from sklearn_mteval.features import LearnedTokenAlignment

LETTERS = "abcdefgh "


def letters(texts):
    """Each letter another direction, and each a bit of one that all have."""
    vectors = np.eye(len(LETTERS) + 1)[: len(LETTERS)]
    vectors[:, -1] = 0.3
    return [vectors[np.array([LETTERS.find(c) for c in text], dtype=int)] for text in texts]


def initials(texts):
    """The same of the first letter of each word."""
    return letters(["".join(word[0] for word in text.split()) for text in texts])


def table(rows):
    """Make a table and its ranks from (segment, ranking, system, hypothesis, reference, rank)."""
    segments, rankings, systems, hypotheses, references, ranks = zip(*rows, strict=True)
    index = pd.MultiIndex.from_arrays(
        [segments, rankings, systems], names=["segment", "ranking", "system"]
    )
    X = pd.DataFrame({"hypothesis": hypotheses, "reference": references}, index=index, dtype=object)
    return X, pd.Series(ranks, index=index, dtype=float)


def judged_by_a_and_b(n_segments=40, seed=0):
    """References of six letters, of which only a and b count for the annotator."""
    rng = np.random.default_rng(seed)
    rows = []
    for segment in range(n_segments):
        reference = "ab" + "".join(rng.choice(list("cdef"), size=4))
        for system in "wxyz":
            kept = rng.random(6) < 0.6
            text = "".join(
                letter if k else rng.choice(list("gh"))
                for letter, k in zip(reference, kept, strict=True)
            )
            rows.append((segment, 0, system, text, reference, -int(kept[:2].sum())))
    return table(rows)


def learner(model=letters, **options):
    given = {"n_dimensions": 10, "max_epochs": 4, "learning_rate": 0.01, "cv": 2, **options}
    return LearnedTokenAlignment(model, **given)


def by_loops(h, r, projection, w, coefficients):
    """Score two texts from their tokens as the class says it does."""
    sides = [[projection.astype(float) @ token for token in side] for side in (h, r)]
    sides = [[u / max(np.sqrt(u @ u), 1e-12) for u in side] for side in sides]
    weights = [[np.log(1 + np.exp(u @ w)) for u in side] for side in sides]
    means, parts = [], []
    for side, other, part in zip(sides, sides[::-1], weights, strict=True):
        best = [max(u @ v for v in other) for u in side]
        parts.append(sum(b * x for b, x in zip(best, part, strict=True)) / sum(part))
        means.append(sum(u * x for u, x in zip(side, part, strict=True)))
    parts.append(means[0] @ means[1] / np.linalg.norm(means[0]) / np.linalg.norm(means[1]))
    return np.array([coefficients @ parts, *parts])


def units(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
