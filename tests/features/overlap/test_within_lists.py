"""Metrics within lists: the metrics themselves, pair by pair; means of counts by hand."""

from collections import Counter

import numpy as np
import pytest

from sklearn_mteval._helpers._interpreted import _plain
from sklearn_mteval.features.overlap import _list_kernel
from sklearn_mteval.features.overlap.registry import METRICS
from sklearn_mteval.features.overlap.within_lists import BLEUWithinLists, ChrFWithinLists

LISTS = [
    ["the cat sat on the mat .", "the cat sat on a mat", "cat the the the", "", " "],
    ["a"],
    ["", ""],
    ["aaaaaa", "aaa", "e\u0301 \U0001f600 x", "(word), it's", "a\x85b", "word word word"],
]
OPTIONS = [
    ("chrf", ChrFWithinLists, {}),
    ("chrf++", ChrFWithinLists, {"word_order": 2}),
    ("chrf", ChrFWithinLists, {"beta": 1, "lowercase": True, "whitespace": True}),
    ("chrf", ChrFWithinLists, {"char_order": 0, "word_order": 3, "eps_smoothing": True}),
    ("bleu", BLEUWithinLists, {}),
    ("bleu", BLEUWithinLists, {"tokenize": "char", "lowercase": True}),
]


def all_pairs(lists):
    """Positions of texts numbered through: each against each of its list."""
    start = 0
    for texts in lists:
        yield from ((start + h, start + r) for r in range(len(texts)) for h in range(len(texts)))
        start += len(texts)


@pytest.mark.parametrize(("name", "within", "options"), OPTIONS)
def test_cells_are_the_metric_to_the_bit(name, within, options):
    flat = [text for texts in LISTS for text in texts]
    metric = METRICS[name]
    pairs = np.array(list(all_pairs(LISTS)))
    rng = np.random.default_rng(0)
    for order in (np.arange(len(pairs)), rng.permutation(len(pairs))):
        h, r = pairs[order].T
        found = within(LISTS, **options).cells(h, r)
        given = metric.prepare((), options)
        sets = [((flat[b],), [flat[a]]) for a, b in zip(h, r, strict=True)]
        assert found.tolist() == metric.scores(sets, **given).tolist()


def ngrams(text, order):
    text = "".join(text.split())
    return [Counter(text[k : k + n] for k in range(len(text) - n + 1)) for n in range(1, order + 1)]


def chrf_of_means(texts, weights, beta=2):
    """Vamvas and Sennrich's aggregate chrF, from dictionaries; long outliers weigh less."""
    lengths = [len("".join(text.split())) for text in texts]
    limit = 2 * max(np.median(lengths), 1)
    weights = [w * min(1, limit / max(n, 1)) for w, n in zip(weights, lengths, strict=True)]
    weights = np.array(weights) / sum(weights)
    counts = [ngrams(text, 6) for text in texts]
    scores = []
    for own in counts:
        precisions, recalls = [], []
        for n in range(6):
            mean = Counter()
            for other, weight in zip(counts, weights, strict=True):
                for gram, count in other[n].items():
                    mean[gram] += weight * count
            matches = sum(min(count, mean[gram]) for gram, count in own[n].items())
            if own[n] and mean.total():
                precisions.append(matches / own[n].total())
                recalls.append(matches / mean.total())
        p, r = (sum(values) / max(len(values), 1) for values in (precisions, recalls))
        both = beta**2 * p + r
        scores.append(100 * (1 + beta**2) * p * r / both if both else 0.0)
    return scores


def test_aggregated_chrf_by_dictionaries():
    rng = np.random.default_rng(1)
    weights = [rng.dirichlet(np.ones(len(texts))) for texts in LISTS]
    found = ChrFWithinLists(LISTS).aggregated(np.concatenate(weights))
    expected = [s for t, w in zip(LISTS, weights, strict=True) for s in chrf_of_means(t, w)]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("name", "within", "options"), OPTIONS)
def test_the_mean_of_one_reference_is_that_reference(name, within, options):
    """All weight on one text: the score against it."""
    texts = LISTS[3]
    for k in range(len(texts)):
        weights = np.eye(len(texts))[k]
        found = within([texts], **options).aggregated(weights)
        expected = within([texts], **options).cells(np.arange(len(texts)), np.full(len(texts), k))
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_counts_by_hand():
    tokens = np.array([3, 3, 1, 2, 3, 3, 1, 9, 1], dtype=np.int64)
    bounds, lists = np.array([0, 4, 4, 8, 9]), np.array([0, 3, 4])
    numbers, counts, starts, sizes = _list_kernel.count_lists(tokens, bounds, lists, 3)
    h, r = np.array([0, 2, 0, 1]), np.array([2, 2, 0, 0])
    found = _list_kernel.pair_matches(h, r, numbers, counts, starts, sizes.max())
    assert found.tolist() == [[3, 2, 1], [4, 3, 2], [4, 3, 2], [0, 0, 0]]
    weights = np.array([0.5, 0.25, 0.25, 1.0])
    means = _list_kernel.expected_matches(lists, weights, numbers, counts, starts, sizes)
    assert means[0].tolist() == [2.75, 2.0, 1.25]  # 3 has 1.5 on average, 1 has 0.75, 2 has 0.5
    assert means[3].tolist() == [1.0, 0.0, 0.0]


def test_python_counts_as_machine_code_does():
    """Small lists are counted by the interpreter: the same bits."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(0, 12, 9)
    tokens, bounds = rng.integers(0, 4, lengths.sum()), np.concatenate([[0], np.cumsum(lengths)])
    lists, weights = np.array([0, 4, 5, 9]), rng.random(9)
    h, r = np.divmod(np.arange(16), 4)
    kernels = _list_kernel.count_lists, _list_kernel.pair_matches, _list_kernel.expected_matches
    found = []
    for count, match, expect in (kernels, map(_plain, kernels)):
        with np.errstate(over="ignore"):  # hashes wrap around
            counted = count(tokens, bounds, lists, 3)
            *ngrams, sizes = counted
            matches = match(h, r, *ngrams, sizes.max())
            found.append([*counted, matches, expect(lists, weights, *counted)])
    for compiled, plain in zip(*found, strict=True):
        assert compiled.tobytes() == plain.tobytes()
