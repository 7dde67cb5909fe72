"""What features of pairs of texts share: distinct pairs, jobs, texts as flat arrays."""

import warnings
from itertools import chain, count, pairwise
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from sklearn_mteval._helpers.options import check_n_jobs
from sklearn_mteval._helpers.progress import tracked
from sklearn_mteval.candidates import check_texts
from sklearn_mteval.text.tokenizers import PARTS_AT_SPACES, language_of, tokenizer_of
from sklearn_mteval.text.tokens import flatten


def work_on_pairs(function, X, *, n_jobs=None, **options):
    """Compute a row of numbers for each candidate, each distinct pair of texts worked on once.

    ``function(sets, **options)``, found by its name, makes of a list of (tuple of references, list
    of hypotheses) an array of shape (n_pairs, n_columns) or (n_pairs,); also of no sets.
    """
    hypotheses = check_texts(X, "hypothesis")
    distinct, rows = number_within(check_texts(X, "reference", several=True), hypotheses)
    sets = [(texts, list(group)) for texts, group in distinct.items()]
    check_n_jobs(n_jobs)
    n_chunks = min(effective_n_jobs(n_jobs), len(sets)) if len(sets) > 1 else 1
    if n_chunks > 1:  # functions treat pairs independently, so that chunks change no bit
        bounds = np.linspace(0, len(sets), n_chunks + 1).astype(int)
        parts = Parallel(n_jobs=n_chunks, return_as="generator")(
            delayed(function)(sets[start:end], **options) for start, end in pairwise(bounds)
        )
        results = np.concatenate(list(tracked(parts, "chunks", "chunks", total=n_chunks)))
    else:
        results = function(sets, **options)
    return results[rows]


def language_of_references(X):
    """Tell the language of references by their script, as ``language_of`` does."""
    return language_of(chain.from_iterable(check_texts(X, "reference", several=True)))


def warn_of_tokenizer(X, tokenize):
    """Warn where a tokeniser parts words at spaces, and the references' script needs another."""
    language = language_of_references(X) if tokenize in PARTS_AT_SPACES else ""
    if language:
        warnings.warn(
            f"tokenize={tokenize!r} is not for the references, which by their script are in "
            f"{language!r}: use tokenize={tokenizer_of(language)!r}.",
            stacklevel=4,
        )


def number_within(groups, items, order=list):
    """Number the distinct items of each group, in ``order``: {group: {item: number}}, and rows'."""
    numbers_of = {}
    for group, item in zip(groups, items, strict=True):
        numbers_of.setdefault(group, {})[item] = 0
    numbers = count()
    for group, distinct in numbers_of.items():
        numbers_of[group] = dict(zip(order(distinct), numbers, strict=False))
    rows = [numbers_of[group][item] for group, item in zip(groups, items, strict=True)]
    return numbers_of, np.array(rows, dtype=np.int64)


class FlatSets(NamedTuple):
    """The texts of distinct pairs as integers, as the compiled loops take them.

    Text k of a side has the tokens ``bounds[k]`` to ``bounds[k + 1] - 1`` of its array; set s has
    the references ``set_bounds[s]`` to ``set_bounds[s + 1] - 1``. ``set_of`` says the set of each
    hypothesis, never falling, so that what is built for a set is built once.
    """

    hypotheses: np.ndarray
    hyp_bounds: np.ndarray
    references: np.ndarray
    ref_bounds: np.ndarray
    set_of: np.ndarray
    set_bounds: np.ndarray

    def hypothesis_lengths(self):
        """Count the tokens of each hypothesis."""
        return np.diff(self.hyp_bounds)

    def pairs(self):
        """Pair each hypothesis with all its references: the numbers of both, neighbours."""
        n_references = np.diff(self.set_bounds)[self.set_of]
        row = np.repeat(np.arange(len(n_references)), n_references)
        firsts = np.cumsum(n_references) - n_references  # of each hypothesis's pairs
        return row, np.arange(len(row)) + (self.set_bounds[self.set_of] - firsts)[row]

    def mean_reference_lengths(self):
        """Average the numbers of tokens of each hypothesis's references."""
        means = np.diff(self.ref_bounds[self.set_bounds]) / np.diff(self.set_bounds)
        return means[self.set_of]


def flatten_sets(sets, tokens):
    """Turn the sets of :func:`work_on_pairs` into ``FlatSets``; ``tokens``: text → token ids."""
    hypotheses, hyp_bounds = flatten([tokens(text) for _, group in sets for text in group])
    references, ref_bounds = flatten([tokens(text) for texts, _ in sets for text in texts])
    n_hypotheses = np.array([len(group) for _, group in sets], dtype=np.int64)
    n_references = np.array([len(texts) for texts, _ in sets], dtype=np.int64)
    set_of = np.repeat(np.arange(len(sets)), n_hypotheses)
    set_bounds = np.concatenate([[0], np.cumsum(n_references)])
    return FlatSets(hypotheses, hyp_bounds, references, ref_bounds, set_of, set_bounds)


def ngram_totals(lengths, order):
    """Count the n-grams of texts from their numbers of tokens: shape (n_texts, order)."""
    return np.maximum(lengths[:, np.newaxis] - np.arange(order), 0)


def unordered_pairs(one, other):
    """Find the distinct unordered pairs of numbers >= 0, sorted, and the place of each given."""
    n = 1 + max(one.max(initial=0), other.max(initial=0))
    pairs, place = np.unique(
        np.minimum(one, other) * n + np.maximum(one, other), return_inverse=True
    )
    return *np.divmod(pairs, n), place


def first_best(owners, *keys):
    """Find the row of each owner with the lowest key, ties to the next key, then the first."""
    order = np.lexsort((*reversed(keys), owners))  # stable
    return order[np.unique(owners[order], return_index=True)[1]]
