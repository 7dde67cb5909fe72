"""Estimating an n-gram model: interpolated modified Kneser-Ney smoothing.

Chen and Goodman 1998, section 3.6 and equation 26, as Heafield et al. 2013 give it in sections 3.2
to 3.4 and their program lmplz computes it.
"""

from collections.abc import Iterable
from itertools import accumulate, pairwise

import numpy as np

from sklearn_mteval._helpers.options import check_boolean, check_integer
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.linguistic.language_models.corpus import number_corpus
from sklearn_mteval.linguistic.language_models.model import NgramModel

MAX_ORDER = 6  # what kenlm's builds read
FALLBACK_DISCOUNTS = (0.5, 1.0, 1.5)  # lmplz --discount_fallback
_UNKNOWN, _START = 0, 1
_MOST_NODES = 2**31 - 2


def estimate(
    sentences: PathLike | Iterable[str], *, order: int = 5, tokenize: str = "13a",
    lowercase: bool = True, max_bytes: int | None = None
) -> NgramModel:  # fmt: skip
    """Estimate an n-gram model by interpolated modified Kneser-Ney smoothing.

    Parameters
    ----------
    sentences : path-like or iterable of str
        The corpus: a text file (UTF-8, plain or gzip, a sentence in each line), or sentences.
        Sentences without a word do not count.
    order : int, default=5
        Length of the longest n-grams, 1 to 6.
    tokenize : str, default="13a"
        A sacreBLEU tokeniser; "none" for text that is tokenised. The model asks it, too.
    lowercase : bool, default=True
        Whether to lowercase first; likewise.
    max_bytes : int, optional
        The most that a file may hold, decompressed, and a line of it. None: 64 GiB, of a gzip file
        50 times its size (or 16 MiB, if that is more), and 16 MiB a line.

    Returns
    -------
    NgramModel
        The model, unpruned. ``score(texts)`` gives three arrays, of each text as a sentence: log10
        of its probability, at most 0; the number of its tokens; how many of them are unknown.

    Raises
    ------
    ValueError
        If an option is out of range or the corpus has no word.
    DataFileError
        If the file cannot be read, is too large or not UTF-8.

    Notes
    -----
    Numbers are those of lmplz with ``--discount_fallback`` and ``--skip_symbols`` but for discounts
    of tiny corpora: lmplz takes 0 for a discount, and the last n-gram of each order goes into its
    discounts with the raw count. ``fallback_orders`` of the model says where discounts could not be
    estimated.

    References
    ----------
    Chen and Goodman 1998; Heafield et al. 2013.

    Examples
    --------
    >>> from sklearn_mteval.text import estimate
    >>> model = estimate(["the cat sleeps", "the dog sleeps"], order=2)
    >>> log_probability, n_tokens, n_unknown = model.score(["the cat sleeps", "the sleeps bat"])
    >>> log_probability.round(3)
    array([-1.149, -3.296])
    >>> n_unknown
    array([0, 1])
    """
    check_integer("order", order, minimum=1, maximum=MAX_ORDER)
    check_boolean(lowercase=lowercase)
    options = {"tokenize": tokenize, "lowercase": bool(lowercase)}
    flat, words = number_corpus(sentences, max_bytes=max_bytes, **options)
    tries = _count(flat, len(words), int(order))
    log_probability, back_off, discounts, fallback = _smooth(tries, len(words))
    # The n-grams that begin with each shorter one follow one another, in all orders' numbering.
    children = [
        np.bincount(longer["parent"], minlength=len(shorter["count"]))
        for shorter, longer in pairwise(tries)
    ]
    sizes = [len(trie["count"]) for trie in tries]
    starts = accumulate(sizes, initial=0)
    longer = zip(tries[1:], starts, strict=False)
    suffixes = (trie["suffix"] + np.int32(start) for trie, start in longer)
    return NgramModel(
        words=words, sizes=sizes, log_probability=np.concatenate(log_probability),
        back_off=np.concatenate([*back_off, np.empty(0, dtype=np.float32)]),
        next_words=np.concatenate([_NO_NODES, *(trie["word"] for trie in tries[1:])]),
        suffixes=np.concatenate([_NO_NODES, *suffixes]),
        first_children=np.cumsum(np.concatenate([[len(words)], *children])).astype(np.int32),
        discounts=np.array(discounts), fallback_orders=fallback, **options
    )  # fmt: skip


_NO_NODES = np.empty(0, dtype=np.int32)


def _count(flat, n_words, order):
    """Number the distinct n-grams of each order, in the order of their words."""
    # For each order n: the *adjusted* count of each n-gram, its last word, its parent (without the
    # last word) and its suffix (without the first), as numbers among those of order n - 1.
    tries = [{"count": np.bincount(flat, minlength=n_words)}]
    places = np.arange(len(flat))  # where an n-gram of this order begins
    numbers = flat  # which one it is
    ends = np.append(flat == _START, True)  # where the sentence before has ended
    n_nodes = n_words
    for n in range(2, order + 1):
        # One is longer by a word unless its last word is the last of a sentence.
        longer = ~ends[places + n - 1]
        parents = numbers[longer].astype(np.int64)
        followed = np.flatnonzero(longer)
        places = places[longer]
        keys = parents * n_words + flat[places + n - 1]
        del parents
        # Its suffix begins a word later. As all lies within a sentence, that is the next n-gram of
        # order n - 1 in the corpus, and no look-up is needed.
        suffix_of = numbers[followed + 1]
        distinct, at, numbers, count = _distinct(keys)
        parent, word = np.divmod(distinct, n_words)
        suffix = suffix_of[at]
        n_nodes += len(distinct)
        if n_nodes > _MOST_NODES:
            raise ValueError(
                f"The corpus has more than {_MOST_NODES} different n-grams: choose a smaller "
                "order or corpus."
            )
        # Shorter n-grams count the different words before them, but for those of a sentence's
        # beginning, which nothing can stand before.
        shorter = tries[-1]
        before = np.bincount(suffix, minlength=len(shorter["count"]))
        shorter["count"] = np.where(before > 0, before, shorter["count"])
        links = {"word": word, "parent": parent, "suffix": suffix}
        links = {name: numbers_of.astype(np.int32) for name, numbers_of in links.items()}
        tries.append({"count": count, **links})
    tries[0]["count"][[_UNKNOWN, _START]] = 0
    return tries


def _distinct(keys):
    """Return the distinct keys in order, a place of each, which one each key is, their counts."""
    # As numpy.unique does, in half the time and two thirds of the memory.
    order = np.argsort(keys)
    ordered = keys[order]
    new = np.ones(len(keys), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    starts = np.flatnonzero(new)
    which = np.empty(len(keys), dtype=np.int32)
    which[order] = np.cumsum(new, dtype=np.int32) - 1
    return ordered[starts], order[starts], which, np.diff(starts, append=len(keys))


def _smooth(tries, n_words):
    """Compute log10 probabilities of each order, back-offs of all but the last, and discounts."""
    log_probability, back_off, discounts, fallback = [], [], [], []
    lower = np.array([1 / (n_words - 1)])  # all words are equally likely, but for <s>
    for n, trie in enumerate(tries, start=1):
        count = trie["count"]
        found = _discounts(count)
        if found is None:
            fallback.append(n)
            found = FALLBACK_DISCOUNTS
        discounts.append(found)
        discount = np.array([0.0, *found])[np.minimum(count, 3)]
        if n == 1:  # the empty context
            kept_mass = (count - discount) / count.sum()
            probability = kept_mass + discount.sum() / count.sum() * lower[0]
            probability[_START] = 1.0  # a convention of lmplz; nothing ever asks for it
        else:
            n_contexts = len(lower)
            parent = trie["parent"]
            total = np.bincount(parent, weights=count, minlength=n_contexts)
            taken = np.bincount(parent, weights=discount, minlength=n_contexts)
            # What the discounts D take from the counts a is handed down to the shorter context:
            # p(w | c) = (a(cw) - D(a(cw))) / Σ a(cx) + weight(c) p(w | c without its first word),
            # weight(c) = Σ D(a(cx)) / Σ a(cx). Of no context (ends in </s>, or is <unk>): 1.
            weight = np.divide(taken, total, where=total > 0, out=np.ones(n_contexts))
            handed_down = weight[parent] * lower[trie["suffix"]]
            probability = (count - discount) / total[parent] + handed_down
            back_off.append(_log10(weight))
        log_probability.append(_log10(probability))
        lower = probability
    return log_probability, back_off, discounts, fallback


def _discounts(count):
    """Estimate what to take from counts of 1, 2 and more; None if that is impossible."""
    times = np.bincount(np.minimum(count, 5), minlength=6).astype(float)
    if not times[1:4].all():
        return None
    y = times[1] / (times[1] + 2 * times[2])  # D(k) = k - (k + 1) y t(k + 1) / t(k), equation 26
    found = tuple(float(k - (k + 1) * y * times[k + 1] / times[k]) for k in (1, 2, 3))
    # A discount of 0 could leave a context without anything to hand down.
    return found if all(0 < d <= k for k, d in enumerate(found, start=1)) else None


def _log10(probability):
    """Take logarithms, at most 0 in spite of rounding, and never -0."""
    return np.minimum(np.log10(probability), 0).astype(np.float32) + np.float32(0)
