"""BLEU's components as features, and sentence BLEU from them.

"BLEUcomp" of Guzmán et al. 2015 and 2017 (section 5.3): the decomposed BLEU lets a learner
weigh matches, lengths and precisions by itself, which beats their fixed combination.
"""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sklearn_mteval._helpers.options import check_boolean, check_integer
from sklearn_mteval.features.base import TextTransformer, flatten_sets, ratio, work_on_pairs
from sklearn_mteval.text.tokens import TokenInterner, load_tokenizer

__all__ = ["BLEUComp", "sentence_bleu"]


class BLEUComp(TextTransformer):
    """Components of sentence BLEU for each candidate translation.

    Counts equal sacreBLEU's to the last integer. Each distinct text is tokenised once,
    each distinct pair of hypothesis and references is counted once.

    Parameters
    ----------
    max_ngram_order : int, default=4
        Longest n-gram, N.
    tokenize : str, default="13a"
        A sacreBLEU tokeniser.
    lowercase : bool, default=False
        Whether to lowercase hypotheses and references first.
    n_jobs : int or None, default=None
        Processes; the result does not depend on it.

    Attributes
    ----------
    n_features_in_ : int
        Columns of the table seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names.

    See Also
    --------
    sentence_bleu : The score itself.

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

    An empty hypothesis is legal: counts, precisions and (beside a reference) brevity
    penalty are 0. Only the columns ``hypothesis`` and ``reference`` are read; a cell of
    ``reference`` may be a list of several references.

    References
    ----------
    Papineni et al. 2002; Post 2018 (sacreBLEU); Guzmán et al. 2015, 2017.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval import BLEUComp
    >>> X = pd.DataFrame({"hypothesis": ["a b a b"], "reference": ["a b c"]})
    >>> BLEUComp(max_ngram_order=2).set_output(transform="pandas").fit_transform(X).T
                                     0
    bleu_matches_1            2.000000
    bleu_matches_2            1.000000
    bleu_total_1              4.000000
    bleu_total_2              3.000000
    bleu_precision_1          0.500000
    bleu_precision_2          0.333333
    bleu_hypothesis_length    4.000000
    bleu_reference_length     3.000000
    bleu_length_ratio         1.333333
    bleu_brevity_penalty      1.000000
    """

    def __init__(self, *, max_ngram_order=4, tokenize="13a", lowercase=False, n_jobs=None):
        self.max_ngram_order = max_ngram_order
        self.tokenize = tokenize
        self.lowercase = lowercase
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        """Check the table and the parameters; nothing is learnt.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            With the columns ``hypothesis`` and ``reference``.
        y : None
            Ignored.

        Returns
        -------
        BLEUComp
            The transformer itself.
        """
        check_integer("max_ngram_order", self.max_ngram_order, minimum=1)
        check_bleu_options(tokenize=self.tokenize, lowercase=self.lowercase)
        self._remember_table(X)
        return self

    def transform(self, X):
        """Compute the components.

        Parameters
        ----------
        X : DataFrame of shape (n_candidates, n_columns)
            With the columns ``hypothesis`` and ``reference``.

        Returns
        -------
        ndarray of shape (n_candidates, 3 * max_ngram_order + 4), float64
            See Notes of the class; a DataFrame under ``set_output(transform="pandas")``.
        """
        check_is_fitted(self)
        counts = work_on_pairs(
            bleu_counts,
            X,
            n_jobs=self.n_jobs,
            max_ngram_order=self.max_ngram_order,
            tokenize=self.tokenize,
            lowercase=self.lowercase,
        )
        matches, lengths = counts[:, :-2], counts[:, -2:]
        totals = _totals(lengths[:, 0], self.max_ngram_order)
        precisions = ratio(matches, totals)
        hypothesis, reference = lengths.T
        return np.column_stack(
            [
                matches,
                totals,
                precisions,
                lengths,
                ratio(hypothesis, reference),
                _brevity_penalty(hypothesis, reference),
            ]
        )

    def _output_names(self):
        names = [
            f"{part}_{n}"
            for part in ("matches", "total", "precision")
            for n in range(1, self.max_ngram_order + 1)
        ]
        names += ["hypothesis_length", "reference_length", "length_ratio", "brevity_penalty"]
        return [f"bleu_{name}" for name in names]


def sentence_bleu(X, *, tokenize="13a", lowercase=False, n_jobs=None):
    """Sentence BLEU of each candidate translation, as sacreBLEU computes it.

    N-grams up to 4, effective order, exponential smoothing.

    Parameters
    ----------
    X : DataFrame of shape (n_candidates, n_columns)
        With the columns ``hypothesis`` and ``reference``.
    tokenize : str, default="13a"
        A sacreBLEU tokeniser.
    lowercase : bool, default=False
        Whether to lowercase first.
    n_jobs : int or None, default=None
        Processes; the result does not depend on it.

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
    return work_on_pairs(bleu_scores, X, n_jobs=n_jobs, tokenize=tokenize, lowercase=lowercase)


def check_bleu_options(*, tokenize="13a", lowercase=False):
    """Raise unless BLEU can be computed with these options.

    Parameters
    ----------
    tokenize, lowercase : see :class:`BLEUComp`
        The same.

    Raises
    ------
    ValueError
        If one has no such value.
    """
    load_tokenizer(tokenize)
    check_boolean(lowercase=lowercase)


def bleu_scores(sets, *, tokenize="13a", lowercase=False):
    """Sentence BLEU of distinct pairs; see :func:`sentence_bleu`.

    Parameters
    ----------
    sets : list of (tuple of str, list of str)
        References and the hypotheses beside them, as of ``work_on_pairs``.
    tokenize : str, default="13a"
        A sacreBLEU tokeniser.
    lowercase : bool, default=False
        Whether to lowercase first.

    Returns
    -------
    ndarray of shape (n_pairs,)
        Scores in [0, 100], higher is better.
    """
    order = 4
    counts = bleu_counts(sets, max_ngram_order=order, tokenize=tokenize, lowercase=lowercase)
    matches, hypothesis, reference = counts[:, :order], counts[:, -2], counts[:, -1]
    totals = _totals(hypothesis, order)
    used = totals > 0
    # The k-th order without a match has precision 1 / (2^k total).
    missed = used & (matches == 0)
    smoothed = np.where(missed, 0.5 ** np.cumsum(missed, axis=1), matches)
    logs = np.log(np.divide(smoothed, totals, where=used, out=np.ones(totals.shape)))
    mean_log = logs.sum(axis=1) / np.maximum(used.sum(axis=1), 1)
    scores = 100 * _brevity_penalty(hypothesis, reference) * np.exp(mean_log)
    return np.where(matches.any(axis=1), scores, 0.0)


def bleu_counts(sets, *, max_ngram_order, tokenize, lowercase):
    """Count matches and lengths of distinct pairs.

    Parameters
    ----------
    sets : list of (tuple of str, list of str)
        References and the hypotheses beside them, as of ``work_on_pairs``.
    max_ngram_order, tokenize, lowercase : see :class:`BLEUComp`
        The same.

    Returns
    -------
    ndarray of shape (n_pairs, max_ngram_order + 2), int64
        Clipped n-gram matches; tokens of the hypothesis and of the closest reference.
    """
    from sklearn_mteval.features.overlap._ngrams import count_matches

    arrays = flatten_sets(sets, TokenInterner(tokenize, lowercase))
    _, hyp_bounds, _, ref_bounds, set_of, set_bounds = arrays
    matches = count_matches(*arrays, max_ngram_order)
    hyp_lengths = np.diff(hyp_bounds)
    closest = _closest_lengths(hyp_lengths, np.diff(ref_bounds), set_of, set_bounds)
    return np.column_stack([matches, hyp_lengths, closest])


def _closest_lengths(hyp_lengths, ref_lengths, set_of, set_bounds):
    """Return the reference length closest to each hypothesis, the shorter of two equally close."""
    n_refs = np.diff(set_bounds)[set_of]
    row = np.repeat(np.arange(len(set_of)), n_refs)
    offset = np.arange(len(row)) - np.repeat(np.cumsum(n_refs) - n_refs, n_refs)
    candidates = ref_lengths[set_bounds[set_of[row]] + offset]
    order = np.lexsort((candidates, np.abs(candidates - hyp_lengths[row]), row))
    return candidates[order[np.cumsum(n_refs) - n_refs]]


def _totals(hyp_lengths, order):
    """Count the n-grams of hypotheses from their lengths."""
    return np.maximum(hyp_lengths[:, np.newaxis] - np.arange(order), 0)


def _brevity_penalty(hypothesis, reference):
    """Compute BLEU's brevity penalty from two lengths, as sacreBLEU does for length 0."""
    short = hypothesis < reference
    exponent = np.zeros(len(hypothesis))
    np.divide(reference, hypothesis, where=short & (hypothesis > 0), out=exponent)
    penalty = np.where(short, np.exp(1 - exponent), 1.0)
    return np.where(short & (hypothesis == 0), 0.0, penalty)
