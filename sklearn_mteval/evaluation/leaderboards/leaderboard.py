"""Leaderboards: from comparisons or rankings of any source to a table of systems."""

from collections.abc import Iterable, Mapping

import pandas as pd
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.options import (
    check_draws,
    check_integer,
    check_number,
    check_one_of,
    check_proportion,
    names_of,
)
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.evaluation.leaderboards.board import Leaderboard
from sklearn_mteval.evaluation.leaderboards.judging import check_judging
from sklearn_mteval.evaluation.leaderboards.means import leaderboard_by_mean
from sklearn_mteval.evaluation.leaderboards.strengths import leaderboard_by_strength
from sklearn_mteval.evaluation.leaderboards.together import check_together
from sklearn_mteval.evaluation.leaderboards.win_rates import leaderboard_by_win_rate
from sklearn_mteval.evaluation.option_values import BY, JUDGE_MODELS, SCALES, TIES


def leaderboard(
    X: pd.DataFrame, y: ArrayLike, *, by: str = "strength", both_bad: ArrayLike | None = None,
    judges: ArrayLike | None = None, judge_model: str = "alike",
    judge_weights: Mapping[str, float] | None = None, automatic_judges: Iterable[str] = (),
    scores: pd.DataFrame | Mapping[str, pd.Series] | None = None,
    selection: pd.DataFrame | None = None, ties: str = "half",
    covariates: Iterable[str] = (), scale: str = "log-odds", confidence: float = 0.95,
    n_resamples: int = 1000, alpha: float = 0.05, random_state: Seed = 0
) -> Leaderboard:  # fmt: skip
    """Score systems by judgements of their outputs, and test which of them differ.

    There are three questions. ``by="strength"``: how often does a system win against one of the
    same strength as all others? Each pair of rows that y compares, of one segment (and ranking), is
    a comparison; strengths are Bradley and Terry's, by maximum likelihood: P(i beats j) = 1 / (1 +
    exp(s_j - s_i)). ``by="win-rate"``: which proportion of its comparisons does it win, against
    the opponents that it had? Neither asks by how much. ``by="mean"``: how good are its
    translations on average, 0 - y? There a few bad ones count as much as they are bad.

    Judgements of one segment depend on each other: the bootstrap resamples segments, and the other
    intervals are by errors clustered by segment (of strengths, the sandwich covariance) and
    Student's t. Neither the order of rows nor names change a bit.

    Parameters
    ----------
    X : DataFrame of shape (n_candidates, n_columns)
        Candidates: the index says segment, optionally ranking, and system. Only covariates are
        looked at.
    y : array-like of shape (n_candidates,)
        Ranks, or scores with their sign changed, lower is better.
    by : {"strength", "mean", "win-rate"}, default="strength"
        What the score is. "mean": a translation that was judged several times counts once, by the
        mean; then the mean over the system's segments. Two systems are tested on the segments that
        both were judged on, whatever their means on other segments are. Ranks are refused. "win-
        rate": of the system's comparisons the proportion that it won, in [0, 1], a tie half a win.
    both_bad : array-like of bool of shape (n_candidates,), optional
        Rows of equal rank that the annotator found bad, both True for a comparison judged "both
        bad": that says nothing of the two systems' order, is no tie, and only counted. None: such
        comparisons are ties.
    judges : array-like of shape (n_candidates,), optional
        Who judged, names; a Series has the index of X. Given for ``judge_model``,
        ``judge_weights`` or ``automatic_judges``.
    judge_model : {"alike", "discrimination"}, default="alike"
        Judges are taken for alike, or each discriminates differently: P(i beats j) =
        1 / (1 + exp(g (s_j - s_i))), where g, of geometric mean 1, is the judge's. Covariates then
        sway each judge differently, too.
    judge_weights : mapping of str to float, optional
        What a comparison of each judge counts, above 0, by name; 1 for those not named. Of
        strengths, as ``judge_model``.
    automatic_judges : iterable of str, default=()
        Judges that are models or metrics: their judgements help to estimate what annotators would
        say of all that these judged. Only annotators' judgements are counted; see Notes. With a
        ``judge_model`` (of strengths), they are only marked in the table of judges.
    scores : DataFrame of shape (n_translations, n_metrics), or mapping of str to Series, optional
        Scores of metrics, indexed by (segment, system), of the judged translations and of others:
        automatic judges as well; of two translations the one with the higher score wins.
    selection : DataFrame, optional
        Which segments of the test set were chosen to be judged, and with which probabilities, as
        :func:`select_segments` returns it. Scores are then of what judgements of *all* its
        segments would say (Hájek's means; intervals know how much of all was judged), with the
        help of ``scores``, which must be of all. In a strength, comparisons count 1 / probability,
        and intervals are as wide as if the test set were larger.
    ties : {"half", "model"}, default="half"
        A tie is half a win for each, or Davidson's model gives ties a parameter of their own.
    covariates : iterable of str, default=()
        Columns of X with numbers that may sway annotators whatever the system, such as the length;
        "length", if X has no such column, is log(1 + characters of ``hypothesis``). Scores are then
        those of translations alike in all of them. Of strengths only, as ``ties`` and ``scale``.
    scale : {"log-odds", "elo"}, default="log-odds"
        Log-odds with mean zero, or points with mean 1000, 400 of which are odds of ten to one.
    confidence : float, default=0.95
        Coverage of both kinds of intervals, between 0 and 1.
    n_resamples : int, default=1000
        Bootstrap resamples of segments.
    alpha : float, default=0.05
        Level of the tests, above 0, at most 0.5.
    random_state : int, default=0
        Seed of the resamples.

    Returns
    -------
    Leaderboard
        ``table``, ``win_rates``, ``p_values``, ``signature`` and more. A tier begins where each
        system above is significantly better than each below: two systems that cannot be told apart
        stand in one tier. A system that never lost to the rest has the strength infinity, and a
        lower bound: where winning as it did is less probable than the tail, a segment's comparisons
        counting as one; a system that never won, likewise, minus infinity. So are bounds of win
        rates of 1 and 0.

    Raises
    ------
    CandidateError
        For bad tables; for systems that no comparison connects; where nothing is decided, or there
        is one segment; for covariates that are no finite numbers, or whose effects cannot be told
        from the systems'; for means of ranks (whole numbers from 1 on); for judged segments that
        the selection did not choose; for judges without name.
    ValueError
        For options that do not go together, and weights of judges who did not judge.

    Notes
    -----
    With automatic judges and metrics a_k, of all translations, the mean is mean(v) - Σ λ_k (mean of
    judged a_k - mean of all a_k), v being annotators' values; λ makes the variance least
    ("prediction-powered", Angelopoulos et al. 2023). So it is about right however wrong they are,
    if what annotators judged is not another kind of segments than the rest. Of means each has two
    λ, one of the segment's mean over systems, one of the difference from it. Of win rates each pair
    of translations then counts once.

    References
    ----------
    Bradley and Terry 1952; Davidson 1970; Liang and Zeger 1986, "Longitudinal data analysis using
    generalized linear models"; Chiang et al. 2024, "Chatbot Arena"; Hesterberg 2015, "What teachers
    should know about the bootstrap"; Chen et al. 2013, "Pairwise ranking aggregation in a
    crowdsourced setting", and Xu et al. 2026, arXiv 2601.21817 (judges); Lindsay 1988, "Composite
    likelihood methods" (weights); Hájek 1964; Angelopoulos et al. 2023, "PPI++: Efficient
    prediction-powered inference"; Rao and Wu 1988, "Resampling inference with complex survey data".

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.evaluation import leaderboard
    >>> index = pd.MultiIndex.from_product([range(4), ["A", "B"]], names=["segment", "system"])
    >>> X, y = pd.DataFrame(index=index), [-90, -80, -70, -75, -95, -60, -88, -71]
    >>> leaderboard(X, y, by="mean").table["score"].to_dict()
    {'A': 85.75, 'B': 71.5}
    >>> leaderboard(X, y, by="win-rate").table["score"].to_dict()
    {'A': 0.75, 'B': 0.25}
    >>> leaderboard(X, y).table["score"].round(2).to_dict()
    {'A': 0.55, 'B': -0.55}
    """
    check_one_of("by", by, BY)
    check_one_of("ties", ties, TIES)
    check_one_of("scale", scale, SCALES)
    check_proportion("confidence", confidence)
    check_draws("n_resamples", n_resamples)
    check_number("alpha", alpha, above=0, maximum=0.5)
    check_integer("random_state", random_state, minimum=0)
    check_one_of("judge_model", judge_model, JUDGE_MODELS)
    if by == "strength":
        check_judging(judges, judge_model, judge_weights, ties)
    options = {
        "by": by, "judge_model": judge_model,
        "judge_weights": None if judge_weights is None else dict(judge_weights),
        "automatic_judges": names_of("automatic_judges", automatic_judges), "ties": ties,
        "covariates": names_of("covariates", covariates), "scale": scale, "confidence": confidence,
        "n_resamples": n_resamples, "alpha": alpha, "random_state": random_state,
    }  # fmt: skip
    given = {"judges": judges, "scores": scores, "selection": selection}
    check_together(options, given, both_bad)
    if by == "mean":
        return leaderboard_by_mean(X, y, options, **given)
    if by == "win-rate":
        return leaderboard_by_win_rate(X, y, options, both_bad=both_bad, **given)
    return leaderboard_by_strength(
        X, y, options, both_bad=both_bad, judges=judges, selection=selection
    )
