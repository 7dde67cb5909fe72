"""BLEU's components as features ("BLEUcomp" of Guzmán et al. 2015), and sentence BLEU from them."""

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.options import LONGEST_NGRAM, check_boolean, check_order
from sklearn_mteval._helpers.restored import is_count
from sklearn_mteval.features.base import (
    first_best,
    flatten_sets,
    ngram_totals,
    warn_of_tokenizer,
    work_on_pairs,
)
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.text.tokens import TokenInterner, load_tokenizer
from sklearn_mteval.text.transformer import TextTransformer


class BLEUComp(TextTransformer):
    """Components of sentence BLEU for each candidate translation.

    Counts equal sacreBLEU's to the last integer.

    Parameters
    ----------
    max_ngram_order : int, default=4
        Longest n-gram, N; at most 100.
    tokenize : str, default="13a"
        A sacreBLEU tokeniser. A warning says which suits references in Chinese, Japanese, Korean
        and other scripts that 13a is not for.
    lowercase : bool, default=False
        Whether to lowercase hypotheses and references first.
    n_jobs : int or None, default=None
        Processes; the result does not depend on it.

    Notes
    -----
    The 3N + 4 output columns, all finite and not negative:

    - ``bleu_matches_n``: clipped n-gram matches (a count);
    - ``bleu_total_n``: n-grams of the hypothesis (a count);
    - ``bleu_precision_n``: matches / total in [0, 1], 0 where there is no n-gram, unsmoothed;
    - ``bleu_hypothesis_length``, ``bleu_reference_length``: in tokens; of several references
      the closest in length, the shorter if two are equally close;
    - ``bleu_length_ratio``: hypothesis / reference length, 0 for an empty reference;
    - ``bleu_brevity_penalty``: in [0, 1], exp(1 − reference / hypothesis length) if shorter.

    Of an empty hypothesis the brevity penalty is 0, against a non-empty reference.

    References
    ----------
    Papineni et al. 2002; Post 2018 (sacreBLEU); Guzmán et al. 2015, 2017.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval import BLEUComp
    >>> X = pd.DataFrame({"hypothesis": ["a b a b"], "reference": ["a b c"]})
    >>> features = BLEUComp().set_output(transform="pandas").fit_transform(X)
    >>> features[["bleu_matches_1", "bleu_precision_1", "bleu_length_ratio"]]
       bleu_matches_1  bleu_precision_1  bleu_length_ratio
    0             2.0               0.5           1.333333
    """

    def __init__(
        self, *, max_ngram_order: int = 4, tokenize: str = "13a", lowercase: bool = False,
        n_jobs: int | None = None
    ):  # fmt: skip
        self.max_ngram_order = max_ngram_order
        self.tokenize = tokenize
        self.lowercase = lowercase
        self.n_jobs = n_jobs

    def _fit(self, X):
        check_order("max_ngram_order", self.max_ngram_order)
        prepare_bleu((), tokenize=self.tokenize, lowercase=self.lowercase)
        self._remember_table(X)
        warn_of_tokenizer(X, self.tokenize)

    def _is_whole(self):
        return is_count(self.max_ngram_order, 1, LONGEST_NGRAM)

    def _transform(self, X):
        counts = work_on_pairs(bleu_counts, X, n_jobs=self.n_jobs, **self._options())
        matches, lengths = counts[:, :-2], counts[:, -2:]
        hypothesis, reference = lengths.T
        totals = ngram_totals(hypothesis, self.max_ngram_order)
        others = ratio(hypothesis, reference, 0.0), _brevity_penalty(hypothesis, reference)
        return np.column_stack([matches, totals, ratio(matches, totals, 0.0), lengths, *others])

    def _output_names(self):
        names = [
            f"{part}_{n}"
            for part in ("matches", "total", "precision")
            for n in range(1, self.max_ngram_order + 1)
        ]
        names += ["hypothesis_length", "reference_length", "length_ratio", "brevity_penalty"]
        return [f"bleu_{name}" for name in names]


def sentence_bleu(
    X: pd.DataFrame, *, tokenize: str = "13a", lowercase: bool = False, n_jobs: int | None = None
) -> np.ndarray:
    """Sentence BLEU of each candidate translation, as sacreBLEU computes it.

    N-grams up to 4, effective order, exponential smoothing.

    Parameters
    ----------
    X : DataFrame of shape (n_candidates, n_columns)
        With the columns ``hypothesis`` and ``reference``.
    tokenize, lowercase, n_jobs : see BLEUComp
        The same.

    Returns
    -------
    ndarray of shape (n_candidates,)
        Scores in [0, 100], higher is better.

    References
    ----------
    Papineni et al. 2002; Chen and Cherry 2014, smoothing 3; Post 2018 (sacreBLEU).

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.features import sentence_bleu
    >>> X = pd.DataFrame({"hypothesis": ["a b c d", ""], "reference": ["a b c d", "a"]})
    >>> sentence_bleu(X).round(6)
    array([100.,   0.])
    """
    warn_of_tokenizer(X, tokenize)
    return work_on_pairs(bleu_scores, X, n_jobs=n_jobs, tokenize=tokenize, lowercase=lowercase)


def prepare_bleu(references, *, tokenize="13a", lowercase=False):
    """Check BLEU's options, and return what ``bleu_scores`` is called with."""
    load_tokenizer(tokenize)
    check_boolean(lowercase=lowercase)
    return {"tokenize": tokenize, "lowercase": lowercase}


def bleu_scores(sets, *, tokenize, lowercase):
    """Sentence BLEU of the distinct pairs of ``work_on_pairs``: shape (n_pairs,), in [0, 100]."""
    counts = bleu_counts(sets, max_ngram_order=4, tokenize=tokenize, lowercase=lowercase)
    return bleu_of_counts(counts[:, :-2], counts[:, -2], counts[:, -1])


def bleu_of_counts(matches, hypothesis, reference):
    """Compute sentence BLEU in [0, 100] from matches, (n_pairs, 4), and both lengths in tokens."""
    totals = ngram_totals(hypothesis, matches.shape[1])
    used = totals > 0
    # The k-th order without a match has precision 1 / (2^k total).
    missed = used & (matches == 0)
    smoothed = np.where(missed, 0.5 ** np.cumsum(missed, axis=1), matches)
    mean_log = np.log(ratio(smoothed, totals, 1.0)).sum(axis=1) / np.maximum(used.sum(axis=1), 1)
    scores = 100 * _brevity_penalty(hypothesis, reference) * np.exp(mean_log)
    return np.where(matches.any(axis=1), scores, 0.0)


def bleu_counts(sets, *, max_ngram_order, tokenize, lowercase):
    """Count clipped matches by length, and tokens of both sides: (n_pairs, max_ngram_order + 2)."""
    from sklearn_mteval.features.overlap._ngrams import count_matches

    flat = flatten_sets(sets, TokenInterner(tokenize, lowercase))
    matches, hypothesis = count_matches(*flat, max_ngram_order), flat.hypothesis_lengths()
    row, number = flat.pairs()
    reference = np.diff(flat.ref_bounds)[number]
    closest = first_best(row, np.abs(reference - hypothesis[row]), reference)  # or the shorter
    return np.column_stack([matches, hypothesis, reference[closest]])


def _brevity_penalty(hypothesis, reference):
    """Compute BLEU's brevity penalty from lengths; 0 of an empty hypothesis, as in sacreBLEU."""
    short = hypothesis < reference
    penalty = np.where(short, np.exp(1 - ratio(reference, hypothesis, 1.0)), 1.0)
    return np.where(short & (hypothesis == 0), 0.0, penalty)
