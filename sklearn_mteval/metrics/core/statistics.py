"""From counts of pairs to a figure: the variants of Kendall's tau, each a row of one table."""

import numpy as np

from sklearn_mteval._helpers.options import check_one_of

__all__ = ["COUNTED", "RATIOS", "VARIANTS", "figure_of_counts"]

# Kinds of pairs in the order of TauCounts: the two orders agree, oppose; only the metric
# ties, only the human, both. First row: numerator, second row: denominator.
RATIOS = {
    "wmt12": ((1, -1, -1, 0, 0), (1, 1, 1, 0, 0)),  # Callison-Burch et al. 2012
    "wmt13": ((1, -1, 0, 0, 0), (1, 1, 0, 0, 0)),  # Macháček and Bojar 2013
    "wmt14": ((1, -1, 0, 0, 0), (1, 1, 1, 0, 0)),  # Macháček and Bojar 2014; also 2015, 2016
    "darr": ((1, -1, -1, 0, 0), (1, 1, 1, 0, 0)),  # Bojar et al. 2017; with a threshold
    "eq": ((1, -1, -1, -1, 1), (1, 1, 1, 1, 1)),  # Deutsch et al. 2023: 2 acc_eq - 1
    "acc_eq": ((1, 0, 0, 0, 1), (1, 1, 1, 1, 1)),  # Deutsch et al. 2023, an accuracy
}
VARIANTS = ("wmt12", "wmt13", "wmt14", "darr", "eq", "tau-b", "tau-c")
COUNTED = (*VARIANTS, "acc_eq")


def figure_of_counts(counts, variant, *, rows=None, classes=None):
    """Compute tau, or the accuracy, from counts of pairs.

    Parameters
    ----------
    counts : array-like of shape (..., 5)
        In the order of TauCounts.
    variant : str
        One of ``COUNTED``.
    rows, classes : array-like of shape (...), optional
        For "tau-c": how many rows were paired, and how many different values the judgement or
        the metric has, whichever has fewer.

    Returns
    -------
    ndarray of shape (...), float64
        NaN where no pair counts.

    References
    ----------
    Kendall 1945 (tau-b); Stuart 1953 (tau-c); the others: see the table.
    """
    check_one_of("variant", variant, COUNTED)
    counts = np.asarray(counts)
    if variant in RATIOS:
        top, bottom = (counts @ np.array(weights, dtype=float) for weights in RATIOS[variant])
    else:
        concordant, discordant, tied_metric, tied_human, _ = np.moveaxis(counts, -1, 0)
        decided = concordant + discordant
        human, metric = decided + tied_metric, decided + tied_human
        top = (concordant - discordant).astype(float)
        if variant == "tau-b":
            bottom = np.sqrt(human) * np.sqrt(metric)
        else:
            classes = np.asarray(classes)
            shrink = np.divide(classes - 1, classes, where=classes > 1, out=np.zeros(classes.shape))
            bottom = np.where((human > 0) & (metric > 0), np.square(rows) * shrink / 2, 0)
    return np.divide(top, bottom, where=bottom > 0, out=np.full(np.shape(top), np.nan))
