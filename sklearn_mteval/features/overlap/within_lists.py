"""chrF, chrF++ and BLEU of the texts of lists against each other, and against a list's mean.

Scores of two texts are, to the bit, those of :mod:`chrf` and :mod:`bleu`.
"""

import numpy as np

from sklearn_mteval.features.base import ngram_totals, unordered_pairs
from sklearn_mteval.features.overlap.bleu import bleu_of_counts
from sklearn_mteval.features.overlap.chrf import f_scores, joined_counts, prepare_chrf, units_of
from sklearn_mteval.text.tokens import TokenInterner, flatten


class _CountedLists:
    """The n-grams of one unit, characters or words, of the texts of lists; ``lists``: texts."""

    def __init__(self, tokens, bounds, order, lists):
        from sklearn_mteval.features.overlap import _list_kernel

        self._kernel = _list_kernel
        self.list_bounds = np.cumsum([0, *map(len, lists)])
        counted = _list_kernel.count_lists(tokens, bounds, self.list_bounds, order)
        *self._counts, self._sizes = counted
        self.lengths = np.diff(bounds)
        self.totals = ngram_totals(self.lengths, order)

    def matches(self, hypotheses, references):
        """Count what pairs of texts have in common, shape (n_pairs, order)."""
        # As many whichever is the reference.
        first, second, place = unordered_pairs(hypotheses, references)
        size = self._sizes.max(initial=1)
        return self._kernel.pair_matches(second, first, *self._counts, size)[place]

    def tempered(self, weights):
        """Let a text over twice as long as its list's median weigh less: it would be the mean."""
        sizes = np.diff(self.list_bounds)
        medians = np.array(
            [np.median(some) for some in np.split(self.lengths, self.list_bounds[1:-1])]
        )
        of_list = np.repeat(medians, sizes)
        weights = weights * np.minimum(1, 2 * np.maximum(of_list, 1) / np.maximum(self.lengths, 1))
        return weights / np.repeat(np.add.reduceat(weights, self.list_bounds[:-1]), sizes)

    def expected(self, weights):
        """Match texts with the weighted mean of their list; return that mean's totals, too."""
        matches = self._kernel.expected_matches(
            self.list_bounds, weights, *self._counts, self._sizes
        )
        return matches, self.mean(self.totals, weights)

    def mean(self, values, weights):
        """Average values of texts, (n_texts, k), over each list; a row for each of its texts."""
        values = weights[:, np.newaxis] * values
        sums = np.add.reduceat(values, self.list_bounds[:-1], axis=0)
        return np.repeat(sums, np.diff(self.list_bounds), axis=0)


class ChrFWithinLists:
    """chrF between the texts of each list; texts are numbered through, list after list."""

    def __init__(self, lists, **options):
        options = prepare_chrf((), **options)
        texts = [text for texts in lists for text in texts]
        self._f = {name: options.pop(name) for name in ("beta", "eps_smoothing")}
        self._units = [_CountedLists(*unit, lists) for unit in units_of(texts, **options)]

    def cells(self, hypotheses, references):
        """Score pairs of texts, given by their numbers, in [0, 100]: shape (n_pairs,)."""
        parts = [
            (unit.matches(hypotheses, references), unit.totals[hypotheses], unit.totals[references])
            for unit in self._units
        ]
        return f_scores(joined_counts(parts), **self._f)

    def aggregated(self, weights):
        """Score all texts against the mean counts of their list, in [0, 100]: (n_texts,)."""
        parts, weights = [], self._units[0].tempered(weights)
        for unit in self._units:
            matches, totals = unit.expected(weights)
            parts.append((matches, unit.totals, totals))
        return f_scores(joined_counts(parts), **self._f)


class BLEUWithinLists:
    """Sentence BLEU between the texts of each list; texts are numbered through."""

    def __init__(self, lists, *, tokenize="13a", lowercase=False):
        tokens = TokenInterner(tokenize, lowercase)
        flat, bounds = flatten([tokens(text) for texts in lists for text in texts])
        self._words = _CountedLists(flat, bounds, 4, lists)

    def cells(self, hypotheses, references):
        """Score pairs of texts, given by their numbers, in [0, 100]: shape (n_pairs,)."""
        matches, lengths = self._words.matches(hypotheses, references), self._words.lengths
        return bleu_of_counts(matches, lengths[hypotheses], lengths[references])

    def aggregated(self, weights):
        """Score all texts against the mean counts and length of their list, in [0, 100]."""
        words = self._words
        weights = words.tempered(weights)
        matches, _ = words.expected(weights)
        lengths = words.mean(words.lengths[:, np.newaxis].astype(float), weights)[:, 0]
        return bleu_of_counts(matches, words.lengths, lengths)
