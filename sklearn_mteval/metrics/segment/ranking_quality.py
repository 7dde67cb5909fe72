"""Quality of a metric's ranking of each segment: NDCG, MRR, ERR, best system selected."""

from numpy.typing import ArrayLike

from sklearn_mteval.metrics.core.agreement import agreement


def ndcg(
    y_true: ArrayLike, y_score: ArrayLike, *, groups: ArrayLike | None, missing: str = "error"
) -> float:
    """Compute the normalised discounted cumulative gain, as a mean over groups.

    The gain of a translation is the worst judgement of its group less its own, so that the worst
    gains nothing; place k counts 1 / log2(k + 1). Divided by what the human's own order gains. A
    random order reaches much more than 0.

    Parameters
    ----------
    y_true, y_score, groups, missing : see :func:`kendall_tau`
        The same. Rows of one group are ranked together, those with equal scores in random order:
        the value is the expectation, computed exactly. Rows left out are missing from the human's
        ranking too.

    Returns
    -------
    float
        In (0, 1], higher is better; 1 if the orders are the same. Groups whose judgements are all
        equal, as of one row, are left out; NaN, with a warning, if there is no other.

    References
    ----------
    Järvelin and Kekäläinen 2002; of equal scores: McSherry and Najork 2008.

    Examples
    --------
    >>> from sklearn_mteval.metrics import ndcg
    >>> round(ndcg([1, 2, 3], [.7, .8, .1], groups=[0, 0, 0]), 4)
    0.8597
    """
    return agreement("ndcg", y_true, y_score, groups, missing)


def mrr(
    y_true: ArrayLike, y_score: ArrayLike, *, groups: ArrayLike | None, missing: str = "error"
) -> float:
    """Compute the mean reciprocal rank of the first translation that the annotator ranked best.

    Parameters
    ----------
    y_true, y_score, groups, missing : see :func:`ndcg`
        The same.

    Returns
    -------
    float
        In (0, 1], higher is better; groups are left out as by :func:`ndcg`.

    References
    ----------
    Voorhees 1999, "The TREC-8 question answering track report".

    Examples
    --------
    >>> from sklearn_mteval.metrics import mrr
    >>> mrr([1, 2, 3], [.7, .8, .1], groups=[0, 0, 0])
    0.5
    """
    return agreement("mrr", y_true, y_score, groups, missing)


def err(
    y_true: ArrayLike, y_score: ArrayLike, *, groups: ArrayLike | None, missing: str = "error"
) -> float:
    """Compute the expected reciprocal rank, as a mean over groups.

    Of a reader who goes through the metric's order and stops at a translation of grade g with
    probability (2^g − 1) / 2^g_max: how early is that. g is the worst judgement of the group less
    the translation's, g_max that of the best.

    Parameters
    ----------
    y_true, y_score, groups, missing : see :func:`ndcg`
        The same.

    Returns
    -------
    float
        In (0, 1), higher is better; the human's own order does not reach 1. Groups are left out
        as by :func:`ndcg`.

    References
    ----------
    Chapelle et al. 2009, section 5.

    Examples
    --------
    >>> from sklearn_mteval.metrics import err
    >>> err([1, 2, 3], [.7, .8, .1], groups=[0, 0, 0])
    0.53125
    """
    return agreement("err", y_true, y_score, groups, missing)


def best_system_rate(
    y_true: ArrayLike, y_score: ArrayLike, *, groups: ArrayLike | None, missing: str = "error"
) -> float:
    """Compute how often the metric's best translation is one that the annotator ranked best.

    Parameters
    ----------
    y_true, y_score, groups, missing : see :func:`ndcg`
        The same. Of several with the highest score, the proportion that is best counts.

    Returns
    -------
    float
        In [0, 1], higher is better; groups are left out as by :func:`ndcg`.

    Examples
    --------
    >>> from sklearn_mteval.metrics import best_system_rate
    >>> best_system_rate([1, 2, 1, 2], [.7, .8, .1, .1], groups=[0, 0, 1, 1])
    0.25
    """
    return agreement("best_system_rate", y_true, y_score, groups, missing)
