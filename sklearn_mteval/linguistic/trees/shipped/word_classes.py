"""Classes of words: clusters of the package's word vectors, the same on every machine.

All of it is whole numbers, which float64 holds exactly, so that no order of adding, and no
library for linear algebra, changes a class.
"""

import numpy as np

from sklearn_mteval.linguistic.trees.shipped.words import hash_text
from sklearn_mteval.text.vectors.shipped import in_8_bits, read_shipped

_SIZES = (32, 128, 512, 2048)
_LENGTH = 8192  # of a vector, which is then rounded
_ROUNDS = 12
_BLOCK = 4096  # words whose distances are computed at once


def word_classes(vectors="english", sizes=_SIZES):
    """Map words of the package's vectors to tuples of classes in clusterings of these sizes."""
    words, matrix, _ = read_shipped(vectors)
    kept = [k for k, word in enumerate(words) if not word.startswith(("##", "[unused"))]
    codes = in_8_bits(matrix[kept])[0].astype(np.float64)
    codes = np.rint(codes * (_LENGTH / np.sqrt((codes**2).sum(axis=1, keepdims=True)).clip(1)))
    codes -= np.rint(codes.sum(axis=0) / len(codes))
    columns = [cluster(codes, size) for size in sizes]
    rows = np.column_stack(columns).tolist()
    return {words[k]: tuple(row) for k, row in zip(kept, rows, strict=True)}


def hashed_classes():
    """Map hashes of words to their classes, as :class:`Model` has them."""
    return {hash_text(word): numbers for word, numbers in word_classes().items()}


def cluster(codes, size):
    """Divide rows of whole numbers among clusters: k-means from evenly spread first means."""
    means = codes[np.linspace(0, len(codes) - 1, min(size, len(codes))).astype(int)]
    for _ in range(_ROUNDS):
        nearest = _nearest(codes, means)
        sums = np.zeros_like(means)
        np.add.at(sums, nearest, codes)
        counts = np.bincount(nearest, minlength=len(means))[:, np.newaxis]
        means = np.where(counts > 0, np.rint(sums / np.maximum(counts, 1)), means)
    return _nearest(codes, means)


def _nearest(codes, means):
    """Find the nearest mean of each row, the first of several."""
    halves = (means**2).sum(axis=1)
    blocks = (codes[k : k + _BLOCK] for k in range(0, len(codes), _BLOCK))
    # |c - m|² = |c|² - 2 c·m + |m|², and |c|² is the same for all means.
    return np.concatenate([(halves - 2 * (block @ means.T)).argmin(axis=1) for block in blocks])
