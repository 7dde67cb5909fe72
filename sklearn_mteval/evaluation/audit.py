"""Which judges can be relied on: one table, one row for each judge."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.numbers import as_numbers
from sklearn_mteval._helpers.options import check_boolean
from sklearn_mteval.candidates import check_ranks
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.annotators import judged_pairs
from sklearn_mteval.metrics.core.aligned import check_index, expected
from sklearn_mteval.metrics.core.correlations import correlations
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.metrics.core.units import student_interval
from sklearn_mteval.metrics.paired_comparisons.comparisons import comparisons_of
from sklearn_mteval.metrics.paired_comparisons.inference import estimate_strengths

_TRANSLATION = ["segment", "system"]
_FEWEST = 3  # translations that a correlation needs: two are always correlated
_OWN = (["judge", "cell"], ["judge", "cell", "outcome"])  # verdicts of a judge, that are alike
_CHECKS = ("judge", "damaged", "original")


def audit_judges(
    y: pd.Series, judges: ArrayLike, *, checks: pd.DataFrame | None = None,
    seconds: ArrayLike | None = None, scores: bool = True
) -> pd.DataFrame:  # fmt: skip
    """Measure how far each judge of a campaign agrees with the others, and how consistent each is.

    Parameters
    ----------
    y : Series of length n_judgements
        Judgements, lower is better, indexed by (segment, ranking, system): rankings, or scores
        with their sign changed, as :func:`~sklearn_mteval.datasets.load_wmt`,
        :func:`~sklearn_mteval.datasets.load_esa` and
        :func:`~sklearn_mteval.datasets.load_pearmut` return them.
    judges : array-like of length n_judgements
        Who judged; a Series has the index of y.
    checks : DataFrame with the columns judge, damaged, original, optional
        Scores of damaged translations and of what they were before, as ``load_esa`` returns them;
        higher is better, NaN is missing.
    seconds : array-like of length n_judgements, optional
        Time that each judgement took; NaN is unknown. A Series has the index of y.
    scores : bool, default=True
        Whether judgements of different rankings can be compared, as scores can and ranks cannot.
        If not, the columns of scores are left out.

    Returns
    -------
    DataFrame of shape (n_judges, n_columns)
        Indexed by judge, sorted. NaN is undefined. Columns:

        - ``judgements``: how many.
        - ``pairs_with_others``, ``agreement_with_others``: comparisons of the judge's verdicts on
          two translations of a segment (better, tied, worse) with others' on the same two, and the
          proportion that says the same, in [0, 1].
        - ``repeated_pairs``, ``self_agreement``: the same of the judge's own verdicts.
        - ``ties``: proportion of tied ones among the judge's verdicts.
        - ``discrimination``: how much a difference of two systems sways the judge's verdicts, of
          geometric mean 1 (:func:`~sklearn_mteval.evaluation.leaderboard`), with the 95 % interval
          ``discrimination_low`` to ``discrimination_high``: 0 for answers at random, less for the
          wrong way round. NaN where comparisons do not connect the systems, or all verdicts tie.
        - ``scores_with_others``: translations that others have scored, too. ``correlation``:
          Pearson's, of the judge's scores with the means of others', in [-1, 1], of three
          translations or more (and so ``self_correlation``). ``difference``:
          by how much the judge's are higher, on average; a severe judge has less than 0.
        - ``repeated_scores``: pairs of scores of one translation. ``self_correlation``: Fisher's
          intraclass correlation of them, at most 1. ``self_difference``: mean absolute difference.
        - ``mean``, ``sd`` (which divides by n), ``lowest``, ``highest``: of the judge's scores.
          ``distinct``: how many different ones.
          ``most_used``: proportion of the most frequent one.
        - ``damaged``: damaged translations scored. ``noticed``: proportion of them scored below
          the original. ``noticed_p``: probability of noticing as many by chance (one-sided sign
          test). With ``checks``.
        - ``seconds``: median. With ``seconds``.

    Raises
    ------
    CandidateError
        If y is no such Series, lengths or indices differ, a judge is missing or unknown (""), or
        ``checks`` has other columns.

    References
    ----------
    Bojar et al. 2013, section 3.2 (agreement); Chen et al. 2013, "Pairwise ranking aggregation in
    a crowdsourced setting" (discrimination); Graham et al. 2013, "Continuous Measurement Scales
    in Human Evaluation of Machine Translation" (damaged translations).

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.evaluation import audit_judges
    >>> index = pd.MultiIndex.from_product(
    ...     [[1, 2], ["u", "v"], ["A", "B"]], names=["segment", "ranking", "system"])
    >>> y = -pd.Series([90, 60, 80, 70, 50, 55, 70, 40], index=index)
    >>> audit_judges(y, index.get_level_values("ranking"))["difference"].to_dict()
    {'u': -1.25, 'v': 1.25}
    """
    check_boolean(scores=scores)
    ranked = judged_pairs.rankings(y)
    codes = judged_pairs.labels_of_rows("judges", judges, y)
    labels = np.asarray(judges, dtype=object)
    if isinstance(judges, str) or any(not isinstance(x, str) or not x.strip() for x in labels):
        raise CandidateError("judges must be names, found one that is empty: who judged there?")
    names = pd.Series(labels).groupby(codes).first()
    table = pd.DataFrame({"judgements": np.bincount(codes)}, index=names.index)
    table = table.join(_verdicts(ranked, codes)).join(_discriminations(y, labels, names))
    if scores:
        values = pd.DataFrame({"judge": codes, "score": 0.0 - check_ranks(y, y.to_frame())})
        for level in _TRANSLATION:
            values[level] = pd.factorize(y.index.get_level_values(level))[0]
        # Sorted, lest the last bit of a mean depend on the order of rows.
        values = values.sort_values("score", kind="stable")
        table = table.join([_with_others(values), _repeated(values), _scale(values)])
    if checks is not None:
        table = table.join(_noticed(checks, names))
    if seconds is not None:
        check_index("y", y, "seconds", seconds)
        with expected("seconds must be numbers"):
            times = as_numbers(seconds)
        if times.shape != codes.shape:
            raise CandidateError(f"seconds has {times.shape}, expected one for each of {len(y)}.")
        table["seconds"] = pd.Series(times).groupby(codes).median()
    return table.set_axis(pd.Index(names, name="judge")).sort_index()


def _verdicts(ranked, codes):
    """Compare verdicts on the same two translations: by others, and by the judge again."""
    ranked = judged_pairs.one_row_each(ranked)
    first, second, cells, outcomes = judged_pairs.outcomes_of_cells(ranked)
    apart = ranked.items[first] != ranked.items[second]
    verdicts = pd.DataFrame(
        {"judge": codes[ranked.rows[first]], "cell": cells, "outcome": outcomes}
    )[apart]
    own = [verdicts.groupby(keys)["outcome"].transform("size") for keys in _OWN]
    every = [verdicts.groupby(keys[1:])["outcome"].transform("size") for keys in _OWN]
    counts = pd.DataFrame({  # of pairs of the judge's own: of each of two, twice
        "judge": verdicts["judge"], "others": every[0] - own[0], "alike": every[1] - own[1],
        "again": own[0] - 1, "alike_again": own[1] - 1, "n": 1,
        "tied": verdicts["outcome"] == judged_pairs.TIED,
    })  # fmt: skip
    sums = counts.groupby("judge").sum().reindex(range(codes.max(initial=-1) + 1), fill_value=0)
    of = {name: column.to_numpy() for name, column in sums.items()}
    columns = {
        "pairs_with_others": of["others"],
        "agreement_with_others": ratio(of["alike"], of["others"]),
        "repeated_pairs": of["again"] // 2, "self_agreement": ratio(of["alike_again"], of["again"]),
        "ties": ratio(of["tied"], of["n"]),
    }  # fmt: skip
    return pd.DataFrame(columns, sums.index)


def _discriminations(y, labels, names):
    """Estimate how much systems' differences sway each judge."""
    columns = ["discrimination", "discrimination_low", "discrimination_high"]
    table = pd.DataFrame(np.nan, names.index, columns)
    # Verdicts are of two translations that one judge compared.
    judged = y.to_frame().set_index(pd.Index(labels, name="judge"), append=True)
    judged = judged.reorder_levels(["judge", *y.index.names])
    try:
        compared = comparisons_of(judged, judged.iloc[:, 0].to_numpy(), judges=labels)
        found = estimate_strengths(
            compared, ties=False, confidence=0.95, n_resamples=1, discrimination=True,
            rng=np.random.RandomState(0),
        )  # fmt: skip
    except CandidateError:
        return table
    if found.judges is None:
        return table
    judging = compared.judges[found.judging]
    value, errors = found.judges.discriminations, found.judges.errors
    bounds = student_interval(value, errors, found.judges.n_segments - 1, 0.95)
    found = pd.DataFrame(np.column_stack([value, bounds]), judging, columns).reindex(
        names.to_numpy()
    )
    return found.set_axis(names.index, axis=0)


def _with_others(values):
    """Compare scores with the means of other judges' scores of the same translations."""
    own = values.groupby(["judge", *_TRANSLATION])["score"].agg(["sum", "size"])
    every = own.groupby(_TRANSLATION).transform("sum")
    n_others = every["size"] - own["size"]
    pairs = pd.DataFrame({"one": own["sum"] / own["size"]})
    pairs["other"] = ratio((every["sum"] - own["sum"]).to_numpy(), n_others.to_numpy())
    found = _compared(values, pairs[n_others > 0].reset_index())
    return found.set_axis(["scores_with_others", "correlation", "difference"], axis=1)


def _repeated(values):
    """Compare the scores that a judge gave to one translation."""
    rows = values.reset_index()
    pairs = rows.merge(rows, on=["judge", *_TRANSLATION])
    pairs = pairs[pairs["index_x"] != pairs["index_y"]]  # each of two, in both orders
    found = _compared(values, pairs.rename(columns={"score_x": "one", "score_y": "other"}), abs)
    found = found.set_axis(["repeated_scores", "self_correlation", "self_difference"], axis=1)
    return found.assign(repeated_scores=found["repeated_scores"] // 2)


def _compared(values, pairs, distance=np.positive):
    """Count each judge's pairs of scores; correlate them by Pearson, and average their distance."""
    judge = pairs["judge"]
    n_pairs = judge.value_counts().reindex(values["judge"].drop_duplicates(), fill_value=0)
    mean_distance = distance(pairs["one"] - pairs["other"]).groupby(judge).mean()
    pairs = pairs.sort_values(["judge", "one", "other"])
    n_translations = pairs.drop_duplicates(["judge", *_TRANSLATION]).groupby("judge").size()
    # The first column would be ranks, lower is better.
    columns = (0 - pairs["one"].to_numpy(), pairs["other"].to_numpy(), pairs["judge"].to_numpy())
    correlation = pd.Series(correlations("pearson", *columns), n_translations.index)
    correlation = correlation.where(n_translations >= _FEWEST)
    return pd.concat([n_pairs, correlation, mean_distance], axis=1)


def _scale(values):
    """Say how judges use the scale."""
    groups = values.groupby("judge")["score"]
    return pd.DataFrame({
        "mean": groups.mean(), "sd": groups.std(ddof=0), "lowest": groups.min(),
        "highest": groups.max(), "distinct": groups.nunique(),
        "most_used": groups.agg(lambda scores: scores.value_counts(normalize=True).iloc[0]),
    })  # fmt: skip


def _noticed(checks, names):
    """Say how many damaged translations judges score below the originals."""
    from scipy.stats import binom

    if not isinstance(checks, pd.DataFrame) or any(name not in checks for name in _CHECKS):
        raise CandidateError(f"checks must be a DataFrame with the columns {list(_CHECKS)}.")
    with expected("checks must hold numbers"):
        damaged, original = (as_numbers(checks[name]) for name in ("damaged", "original"))
    there = ~np.isnan(damaged) & ~np.isnan(original)
    judges = pd.Series(checks["judge"].to_numpy(dtype=object))[there]
    counts = pd.DataFrame(
        {"damaged": 1, "below": (damaged < original)[there], "other": (damaged != original)[there]}
    )
    sums = counts.set_axis(judges.index).groupby(judges).sum()
    sums = sums.reindex(names.to_numpy(), fill_value=0).set_axis(names.index)
    below, other = sums["below"].to_numpy(), sums["other"].to_numpy()
    p = np.where(other > 0, binom.sf(below - 1, other, 0.5), np.nan)
    noticed = ratio(below, sums["damaged"].to_numpy())
    return pd.DataFrame({"damaged": sums["damaged"], "noticed": noticed, "noticed_p": p})
