"""The table of systems that a leaderboard is, whatever the scores are."""

from dataclasses import dataclass

import pandas as pd

from sklearn_mteval._helpers.shown import ShownTables
from sklearn_mteval.metrics.significance.ranks import cluster_numbers


@dataclass(frozen=True, repr=False)
class Leaderboard(ShownTables):
    """Systems by their scores, best first.

    Attributes
    ----------
    table : DataFrame of shape (n_systems, 15)
        Indexed by system. ``score``: a strength, a mean or a win rate, higher is better; ``low``
        and ``high``: interval by bootstrap over segments; ``standard_error``, ``sandwich_low``,
        ``sandwich_high``: by linearised errors, of strengths the sandwich covariance; ``tier``,
        from 1; ``rank_low`` and ``rank_high``: best and worst rank that the tests leave;
        ``win_rate``: of its comparisons, a tie half a win; ``wins``, ``losses``, ``ties``,
        ``both_bad``: comparisons, of means those of mean scores of translations of a segment;
        ``segments`` in which annotators judged it.
    win_rates : DataFrame of shape (n_systems, n_systems)
        Of the comparisons of row and column the proportion that the row won, a tie half a win; NaN
        where there are none. In the order of the table.
    comparisons : DataFrame of shape (n_systems, n_systems), int
        How many there are, without those judged "both bad".
    p_values : DataFrame of shape (n_systems, n_systems)
        Of the two-sided tests whether two systems are equally good, corrected by Holm's method,
        where the row stands above the column; NaN elsewhere, and where too little is in common.
    effects : DataFrame of shape (n_covariates, 7)
        Indexed by covariate: ``effect`` on the log-odds of a difference of one ``deviation``, the
        root mean square of the differences; ``low``, ``high``, ``standard_error``,
        ``sandwich_low``, ``sandwich_high`` as above.
    tie_proportion : float or None
        With ``ties="model"``, the probability that two equally strong systems tie.
    counts : dict of str to int
        ``comparisons``, ``ties``, ``both_bad``, ``segments``, ``systems``; of means ``judgements``
        and ``translations`` that annotators judged. With automatic judges, ``worth``: how many
        translations (comparisons) they would have to judge for means as sure without these, and
        ``worth_of_differences``, for differences of two systems as sure. Of a selection,
        ``of_segments`` that there are, and ``not_judged`` of those chosen.
    options : dict
        What was asked for.
    signature : str
        On one line, how the numbers were made.
    judges : DataFrame of shape (n_judges, n_columns), or None
        Indexed by judge, the most discriminating first, where judges were given: ``comparisons``;
        ``weight`` of each; whether ``automatic``, where such are named. With a model of judges also
        ``discrimination``, ``low``, ``high`` and ``standard_error``; less than 0: answers the wrong
        way round. Then for each covariate NAME its effect on this judge: ``bias_NAME``,
        ``bias_NAME_low`` and ``bias_NAME_high``.
    automatic : DataFrame of shape (n_automatic, 2 or 3), or None
        Of each automatic judge or metric its coefficient, by how much its scores move the means (of
        means two, ``of_segments`` and ``of_differences``), and how many
        translations or comparisons it ``scored``.
    """

    table: pd.DataFrame
    win_rates: pd.DataFrame
    comparisons: pd.DataFrame
    p_values: pd.DataFrame
    effects: pd.DataFrame
    tie_proportion: float | None
    counts: dict
    options: dict
    signature: str
    judges: pd.DataFrame | None = None
    automatic: pd.DataFrame | None = None


def places(better):
    """Return tiers and ranks, given who is significantly better (n, n), the best first."""
    return {
        "tier": cluster_numbers(better),
        "rank_low": 1 + better.sum(axis=0),
        "rank_high": len(better) - better.sum(axis=1),
    }
