"""Soft alignment of words between the texts of lists: each text is tokenised and looked up once."""

import numpy as np

from sklearn_mteval.features.base import unordered_pairs
from sklearn_mteval.features.embeddings.word_alignment import units_of
from sklearn_mteval.text.tokens import TokenInterner, flatten


class AlignmentWithinLists:
    """F of ``WordVectorAlignment`` between texts, all words weighing the same.

    A text with more than twice the words of the other is marked down by how much it has more: a
    word may be aligned to any number of others, and saying everything ten times would cost nothing.
    """

    def __init__(self, lists, vectors):
        tokens = TokenInterner("13a", lowercase=True)
        self._flat, self._bounds = flatten([tokens(text) for texts in lists for text in texts])
        self._units = units_of(tokens.words, vectors)
        self._weights = np.ones(len(self._units))

    def cells(self, hypotheses, references):
        """Score pairs of texts, given by their numbers, in [0, 1]: shape (n_pairs,)."""
        from sklearn_mteval.features.embeddings._alignment_kernel import align

        # F is the same, to the bit, whichever of two texts is the reference: align them once.
        first, second, place = unordered_pairs(hypotheses, references)
        ones, group_bounds = np.unique(first, return_index=True)
        sides = *self._texts(second), *self._texts(ones)
        group_bounds, set_bounds = np.append(group_bounds, len(first)), np.arange(len(ones) + 1)
        f = align(*sides, group_bounds, set_bounds, self._units, self._weights)[:, 2]
        lengths = np.diff(self._bounds)[np.stack([first, second])]
        shorter, longer = lengths.min(axis=0), lengths.max(axis=0)
        return (f * np.minimum(1, 2 * shorter / np.maximum(longer, 1)))[place]

    def _texts(self, numbers):
        """Concatenate the words of texts, and say where each begins."""
        lengths = np.diff(self._bounds)[numbers]
        bounds = np.concatenate([[0], np.cumsum(lengths)])
        shifts = np.repeat(self._bounds[numbers] - bounds[:-1], lengths)
        return self._flat[np.arange(bounds[-1]) + shifts], bounds
