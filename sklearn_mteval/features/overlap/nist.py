"""NIST's score: n-gram matches weighed by the information they carry (Doddington 2002)."""

import math

import numpy as np

from sklearn_mteval._helpers.options import check_boolean, check_order
from sklearn_mteval.features.base import (
    flatten_sets,
    ngram_totals,
    warn_of_tokenizer,
    work_on_pairs,
)
from sklearn_mteval.features.overlap._nist_weights import NISTWeights, fit_nist_weights
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.text.tokens import TokenInterner, load_tokenizer
from sklearn_mteval.text.transformer import TextTransformer, text_cells

# The brevity penalty is 1/2 for a hypothesis of 2/3 of the reference's length.
_BETA = math.log(0.5) / math.log(1.5) ** 2


class NISTScore(TextTransformer):
    """NIST score of each candidate translation, with weights learnt from the references in ``fit``.

    Parameters
    ----------
    max_ngram_order : int, default=5
        Longest n-gram, N; at most 100.
    lowercase : bool, default=True
        Whether to lowercase texts first, as NIST's script does unless told otherwise.
    tokenize, n_jobs : see BLEUComp
        The same; NIST's own script has the tokeniser 13a.

    Attributes
    ----------
    weights_ : NISTWeights
        Counts of n-grams in the references.

    Notes
    -----
    The N + 2 output columns, all finite, not negative, higher is better:

    - ``nist_score``: the sum of the next N columns times the brevity penalty;
    - ``nist_information_n``: information of the matching n-grams in bits / n-grams of the
      hypothesis, 0 where there is none; matches are clipped as BLEU's are, at the n-gram's
      highest count in one reference;
    - ``nist_brevity_penalty``: in [0, 1], exp(β log² min(hypothesis / reference length, 1)),
      1/2 at 2/3; of several references the average length. An empty hypothesis against a
      reference has 0.

    An n-gram's information is log2(count of the n-gram without its last word / count of it), for
    single words of all words of the corpus. **An n-gram that the corpus has not is taken as seen
    once**, so that the references to score need not be those of fit. 100,000 sentences of 21 words
    take 27 MB (while fitting, 300 MB).

    **Each distinct reference text counts once** in fit, however many rows it has. Fit on as many
    references as there are: of a handful all n-grams are rare.

    NIST's own script counts a sentence that is the reference of two segments twice, lowercases A
    to Z only, and divides the count of a bigram that begins with "0" by all words.

    References
    ----------
    Doddington 2002, "Automatic evaluation of machine translation quality using n-gram
    co-occurrence statistics", equations 2 and 3; NIST's mteval-v13a.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.features import NISTScore
    >>> X = pd.DataFrame({"hypothesis": ["a b c", "a d"], "reference": ["a b d", "a c e e"]})
    >>> NISTScore(max_ngram_order=2).set_output(transform="pandas").fit_transform(X)
       nist_score  nist_information_1  nist_information_2  nist_brevity_penalty
    0    2.038237            1.538237                 0.5              1.000000
    1    0.119200            0.903677                 0.0              0.131905
    """

    def __init__(
        self, *, max_ngram_order: int = 5, tokenize: str = "13a", lowercase: bool = True,
        n_jobs: int | None = None
    ):  # fmt: skip
        self.max_ngram_order = max_ngram_order
        self.tokenize = tokenize
        self.lowercase = lowercase
        self.n_jobs = n_jobs

    def _fit(self, X):
        self._remember_table(X)
        references = (text for cell in text_cells(X, "reference") for text in cell)
        self.weights_ = prepare_nist(references, **self._options())["weights"]
        warn_of_tokenizer(X, self.tokenize)

    def _is_whole(self):
        return isinstance(self.weights_, NISTWeights)

    def _transform(self, X):
        counts = work_on_pairs(nist_counts, X, n_jobs=self.n_jobs, weights=self.weights_)
        information, penalty = _parts(counts)
        return np.column_stack([_score(information, penalty), information, penalty])

    def _output_names(self):
        orders = range(1, self.weights_.max_ngram_order + 1)
        names = [f"nist_information_{n}" for n in orders]
        return ["nist_score", *names, "nist_brevity_penalty"]


def prepare_nist(references, *, max_ngram_order=5, tokenize="13a", lowercase=True):
    """Check NIST's options, and learn the weights that ``nist_scores`` is called with."""
    check_order("max_ngram_order", max_ngram_order)
    load_tokenizer(tokenize)
    check_boolean(lowercase=lowercase)
    return {"weights": fit_nist_weights(references, max_ngram_order, tokenize, lowercase)}


def nist_scores(sets, *, weights):
    """Score distinct pairs, 0 or more; a perfect translation has the information of its words."""
    return _score(*_parts(nist_counts(sets, weights=weights)))


def nist_counts(sets, *, weights):
    """Add up matching bits and n-grams by length, and words: (n_pairs, 2 * max_ngram_order + 2)."""
    # Sums of these rows over the segments of a test set make NIST's score of a system.
    from sklearn_mteval.features.overlap._ngrams import sum_information

    order = weights.max_ngram_order
    interner = TokenInterner(weights.tokenize, weights.lowercase)
    flat = flatten_sets(sets, interner)
    known_words = {word: number for number, word in enumerate(weights.words)}
    known = np.array([known_words.get(word, -1) for word in interner.words], dtype=np.int64)
    trie = weights.counts, weights.first_child, weights.tokens
    information = sum_information(*flat, order, known, *trie)
    lengths = flat.hypothesis_lengths()
    reference_lengths = flat.mean_reference_lengths()
    return np.column_stack([information, ngram_totals(lengths, order), lengths, reference_lengths])


def _parts(counts):
    """Compute information for each n-gram by length, and the brevity penalty."""
    order = counts.shape[1] // 2 - 1
    information, totals = counts[:, :order], counts[:, order : 2 * order]
    hypothesis, reference = counts[:, -2], counts[:, -1]
    short = np.where(hypothesis < reference, ratio(hypothesis, reference, 0.0), 1.0)
    exponent = _BETA * np.log(short, where=short > 0, out=np.full(len(counts), -np.inf)) ** 2
    return ratio(information, totals, 0.0), np.exp(exponent)


def _score(information, penalty):
    """Add the parts up, one after another: the order of ``sum`` depends on the rows' number."""
    return np.cumsum(information, axis=1)[:, -1] * penalty
