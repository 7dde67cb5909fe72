"""Decision tables: how often annotators agree with a difference of a metric's scores."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.options import (
    check_integer,
    check_number,
    check_one_of,
    check_proportion,
)
from sklearn_mteval._helpers.shown import ShownTables
from sklearn_mteval.evaluation.decisions import frames
from sklearn_mteval.evaluation.decisions.curves import (
    CURVES,
    AgreementCurve,
    CurveLikelihood,
)
from sklearn_mteval.evaluation.decisions.joined import joined_campaigns
from sklearn_mteval.evaluation.decisions.pairs import TIED, compared_pairs
from sklearn_mteval.evaluation.decisions.uncertainty import accepted_loss
from sklearn_mteval.evaluation.option_values import DECISION_LEVELS, DECISION_TIES
from sklearn_mteval.evaluation.signature import hash_of, names, of_intervals, signature_line
from sklearn_mteval.exceptions import CandidateError

_CURVE_OF_LEVEL = {"system": "logistic", "segment": "plateau"}
_BINS_OF_LEVEL = {"system": 5, "segment": 10}
_FEWEST_SYSTEMS = 8  # of fewer, intervals of 95 % held the truth in 27 to 87 %
_LARGEST_DRAWN, _POINTS = 0.99, 101  # quantile and points of the band


@dataclass(frozen=True, repr=False)
class DecisionTable(ShownTables):
    """How often annotators agree with a difference of a metric's scores.

    Attributes
    ----------
    table : DataFrame of shape (n_differences, 4)
        Indexed by ``difference`` of scores, above 0. ``agreement``: estimated proportion of pairs,
        0 to 1, in which annotators prefer what has the higher score; ``low``, ``high``: its
        interval; ``pairs``: how many of the pairs differ by at least as much.
    needed : DataFrame of shape (n_agreements, 4)
        Indexed by ``agreement``. ``difference`` at which it is reached, infinite if it never is;
        ``low``, ``high``: its interval; ``observed``: whether some pair differs as much, so that
        nothing is extrapolated.
    bins : DataFrame of shape (n_bins, 8)
        What was observed, pairs put into bins by difference: ``from``, ``to``, ``difference`` (the
        mean), ``pairs``, ``ties`` (proportion that annotators tie), ``agreement``, and ``low``,
        ``high``: Wilson's interval, of as many pairs as would tell as much if they were
        independent; ``expected`` is what the curve says of these pairs.
    band : DataFrame of shape (n_points, 3)
        The curve for plots: indexed by ``difference`` from 0; ``agreement``, ``low``, ``high``.
    curve : AgreementCurve
        With ``agreement(differences)`` and ``difference(agreement)``.
    calibration : dict of str to float
        ``error``: mean absolute difference of observed and expected agreement over bins, weighted
        by pairs; ``bias``: expected less observed, of all pairs. Of judgements that the curve was
        not fitted to, these say what it is worth.
    counts : dict of str to int
        ``pairs`` of which agreement is a proportion, ``human_ties``, ``metric_ties``, ``segments``,
        ``documents`` of pairs of translations, where they are known, ``systems``, ``campaigns``.
    options : dict
        What was asked for: ``metric``, ``level``, ``ties`` and more.
    signature : str
        On one line, how the numbers were made.
    """

    table: pd.DataFrame
    needed: pd.DataFrame
    bins: pd.DataFrame
    band: pd.DataFrame
    curve: AgreementCurve
    calibration: dict
    counts: dict
    options: dict
    signature: str


def decision_table(
    metric: str | pd.Series | Mapping, judgements: Any, *, level: str = "system",
    curve: str | None = None, ties: str = "drop", differences: Sequence[float] | None = None,
    agreements: Sequence[float] = (0.8, 0.9, 0.95), fitted: DecisionTable | None = None,
    factor: float = 1.0, n_bins: int | None = None, lower_is_better: Iterable[str] = (),
    missing: str = "error", documents: Any = None, confidence: float = 0.95
) -> DecisionTable:  # fmt: skip
    """Tell how often annotators agree with a score difference, and how large it must be for that.

    Of pairs of systems, or of translations of a segment, the proportion in which annotators prefer
    the one with the higher score grows with the difference d: it is estimated by the curve
    (1 + g tanh(b d / 2)) / 2, which is 1/2 at 0 and ends at (1 + g) / 2.

    Parameters
    ----------
    metric : str, Series, or mapping of str to Series
        Scores, higher is better, indexed by segment and system as those of
        :func:`evaluate_metrics`; or the name of a metric that the judgements hold, or that
        :class:`~sklearn_mteval.features.MetricScores` computes. Of several campaigns a name, or
        scores for each.
    judgements : Judgements, Series, or mapping of str to these
        What :func:`~sklearn_mteval.datasets.load_judgements` returns, or y, lower is better; of
        several campaigns, whose pairs are pooled, a mapping.
    level : {"system", "segment"}, default="system"
        Pairs of systems by mean scores, as ``evaluate_metrics`` scores systems; or pairs of
        translations that annotators could compare.
    curve : {"logistic", "plateau"} or None, default=None
        "logistic": g is 1, so that large differences are certain; "plateau": g is fitted. None:
        "logistic" for systems, of which there are few, "plateau" for translations.
    ties : {"drop", "half"}, default="drop"
        Whether agreement is a proportion of the pairs that annotators decide, or of all, a pair
        that they tie being half an agreement.
    differences : sequence of float, optional
        Differences above 0 that the table shows; default: up to seven, chosen by the data.
    agreements : sequence of float, default=(0.8, 0.9, 0.95)
        Between 0.5 and 1: what differences are needed for.
    fitted : DecisionTable, optional
        Of other judgements: its curve is compared with these, and none is fitted. ``table`` and
        ``needed`` are its own, ``bins`` and ``calibration`` of these judgements.
    factor : float, default=1.0
        Scores are multiplied by it: 100 makes points of scores from 0 to 1.
    n_bins : int or None, default=None
        Bins of (nearly) equal size; None: 10, of pairs of systems 5.
    lower_is_better, missing : see :func:`evaluate_metrics`
        The same; a Series has its name, or "metric".
    documents : array-like, Series indexed by segment, or mapping of str to these, optional
        Of pairs of translations: labels of the document of each judgement, or segment, of which
        those of one document hang together. Judgements may have them, too.
    confidence : float, default=0.95
        Of the intervals, between 0 and 1.

    Returns
    -------
    DecisionTable
        ``table``, ``needed``, ``bins``, ``curve``, ``calibration``.

    Raises
    ------
    CandidateError
        As :func:`evaluate_metrics`; for judgements and metric that decide no pair; for fewer than
        eight systems between which a curve is to be fitted.

    Warns
    -----
    UserWarning
        For one of ``differences`` that is larger than all that were seen.

    Notes
    -----
    Annotators' verdicts are those of the campaign, with its noise. Pairs that share a system depend
    on each other, and pairs of translations that share a segment or document do, too. How much is
    seen in the residuals of systems and documents, whose sandwich variance (the infinitesimal
    jackknife's) divides the likelihood. An interval holds what such curves say that are then not
    refuted, by Student's t. Of two systems only segments, or documents, are looked at.

    References
    ----------
    Kocmi et al. 2021, "To Ship or Not to Ship: An Extensive Evaluation of Automatic Metrics for
    Machine Translation"; Kocmi et al. 2024, "Navigating the Metrics Maze: Reconciling Score
    Magnitudes and Accuracies", who tabulate it for many metrics (their curve differs). Likelihood
    of what hangs together: Chandler and Bate 2007, "Inference for clustered data using the
    independence loglikelihood".

    Examples
    --------
    >>> from sklearn_mteval.datasets import load_sample
    >>> from sklearn_mteval.evaluation import decision_table
    >>> from sklearn_mteval.features import MetricScores
    >>> X, y = load_sample(return_X_y=True)
    >>> scores = MetricScores(["chrf"]).set_output(transform="pandas").fit_transform(X)
    >>> chrf = scores["chrf_score"]
    >>> found = decision_table(chrf, y, level="segment", differences=[1, 10])
    >>> found.table.shape, bool(found.table["agreement"].is_monotonic_increasing)
    ((2, 4), True)
    """
    options = {
        "metric": None, "level": level, "ties": ties, "factor": factor, "confidence": confidence,
        "n_bins": _BINS_OF_LEVEL.get(level) if n_bins is None else n_bins, "clusters": None,
        "fitted": None,
    }  # fmt: skip
    given = {"lower_is_better": tuple(lower_is_better), "missing": missing}
    _check_options(options, curve, missing)
    agreements = _numbers("agreements", agreements, 0.5, 1)
    if differences is not None:
        differences = _numbers("differences", differences, 0, np.inf)
    _check_fitted(fitted, level, ties, curve)
    name, joined, labels = joined_campaigns(metric, judgements, documents, given)
    if fitted is not None and fitted.options["metric"] != name:
        raise ValueError(
            f"fitted is of the metric {fitted.options['metric']!r}, found {name!r} here: if they "
            "are the same metric, give its scores as a Series of that name."
        )
    compared = (
        compared_pairs(one, name, level, factor, of_segments)
        for one, of_segments in zip(joined, labels, strict=True)
    )
    campaigns = sorted(compared, key=_content)
    _check_systems(campaigns, options, fitted)
    clusters = _clusters(campaigns, labels, level)
    options |= {"metric": name, "clusters": "+".join(clusters)}
    observed = frames.observe(campaigns, options)
    counts = {"pairs": len(observed.kept), **_counts(campaigns, joined)}
    if "documents" in clusters:
        counts["documents"] = sum(pairs.n_clusters for pairs in campaigns)
    if fitted is None:
        curve = curve or _CURVE_OF_LEVEL[level]
        parts = _fitted(observed, curve, differences, agreements, options)
    else:
        parts = {part: getattr(fitted, part) for part in ("curve", "table", "needed", "band")}
        options["fitted"] = fitted.signature
    bins = frames.bins_frame(parts["curve"], observed, options)
    hashes = [hash_of(one) for one in joined]
    signature = _signature(parts["curve"], fitted, given, options, counts, hashes)
    return DecisionTable(
        **parts, bins=bins, calibration=_calibration(bins), counts=counts, options=options,
        signature=signature,
    )  # fmt: skip


def _clusters(campaigns, labels, level):
    """List what pairs hang together by: documents or segments of translations, and systems."""
    known = any(one is not None and one.ne("").any() for one in labels)
    found = ["documents" if known else "segments"] if level == "segment" else []
    return found + ["systems"] * any(pairs.n_systems > 2 for pairs in campaigns)


def _calibration(bins):
    """Average by how much a curve's agreement differs from that observed."""
    apart = bins["expected"] - bins["agreement"]
    return {
        name: float(np.average(values, weights=bins["pairs"]))
        for name, values in (("error", apart.abs()), ("bias", apart))
    }


def _check_systems(campaigns, options, fitted):
    """Raise for systems that are too few for a curve between them."""
    n_systems = sum(pairs.n_systems for pairs in campaigns)
    if options["level"] == "system" and fitted is None and n_systems < _FEWEST_SYSTEMS:
        raise CandidateError(
            f"expected {_FEWEST_SYSTEMS} systems or more to fit a curve to pairs of systems, found "
            f"{n_systems}: pool campaigns (a mapping of judgements), compare translations of a "
            "segment (level='segment'), or check a table that was fitted elsewhere (fitted=)."
        )


def _check_options(options, curve, missing):
    """Raise ValueError for options that are not allowed."""
    check_one_of("level", options["level"], DECISION_LEVELS)
    check_one_of("curve", curve, (*CURVES, None))
    check_one_of("ties", options["ties"], DECISION_TIES)
    check_one_of("missing", missing, ("error", "skip"))
    check_number("factor", options["factor"], above=0, maximum=1e100)
    check_integer("n_bins", options["n_bins"], minimum=1)
    check_proportion("confidence", options["confidence"])


def _fitted(observed, name, differences, agreements, options):
    """Fit a curve: return it, and the tables that it says."""
    largest = observed.pooled.max()
    if differences is None:
        differences = frames.round_numbers(observed.kept)
    elif differences[-1] > largest:  # below, the curve is tied to 1/2 at 0
        warnings.warn(
            f"a difference of {differences[-1]:g} is asked for, but no pair differs by more than "
            f"{largest:.3g}: beyond that agreement is extrapolated.",
            stacklevel=3,
        )
    cells, counts = observed.cells, (observed.agreeing, observed.total)
    likelihood = CurveLikelihood(name, cells, *counts)
    curve = likelihood.fit()
    loss = accepted_loss(curve, cells, observed.total, observed.shared, options["confidence"])
    accepted = likelihood.accepted(curve, loss)
    points = np.linspace(0, np.quantile(observed.pooled, _LARGEST_DRAWN), _POINTS)
    table = frames.agreement_frame(curve, accepted, differences)
    table["pairs"] = [int((observed.kept >= difference).sum()) for difference in differences]
    return {
        "table": table,
        "needed": frames.needed_frame(curve, accepted, agreements, largest),
        "band": frames.agreement_frame(curve, accepted, points),
        "curve": curve,
    }


def _numbers(name, values, low, high):
    """Return numbers between bounds, both excluded, ascending."""
    if isinstance(values, str) or not np.iterable(values):
        raise ValueError(f"{name} must be a sequence of numbers, found {values!r}.")
    values = list(values)
    for value in values:
        check_number(name, value, above=low)
        if not value < high:
            raise ValueError(f"{name} must lie between {low:g} and {high:g}, found {value!r}.")
    if not values:
        raise ValueError(f"{name} must hold one number or more, found none.")
    return np.unique(np.array(values, dtype=np.float64))


def _check_fitted(fitted, level, ties, curve):
    """Raise for a fitted table that says something else than what is asked here."""
    if fitted is None:
        return
    if not isinstance(fitted, DecisionTable):
        raise TypeError(f"fitted must be a DecisionTable, found {type(fitted).__name__}.")
    if curve is not None:
        raise ValueError("curve is fitted here, fitted= was fitted before: give one of them.")
    for name, value in (("level", level), ("ties", ties)):
        if fitted.options[name] != value:
            raise ValueError(
                f"fitted is of {name}={fitted.options[name]!r}, but {name} is {value!r} here."
            )


def _content(pairs):
    """Return what campaigns are sorted by, whatever they are called."""
    order = np.lexsort((pairs.outcomes, pairs.differences))
    return pairs.differences[order].tobytes(), pairs.outcomes[order].tobytes()


def _counts(campaigns, joined):
    """Count what was compared."""
    return {
        "human_ties": sum(int((pairs.outcomes == TIED).sum()) for pairs in campaigns),
        "metric_ties": sum(pairs.metric_ties for pairs in campaigns),
        "segments": sum(len(one.y.index.unique("segment")) for one in joined),
        "systems": sum(pairs.n_systems for pairs in campaigns),
        "campaigns": len(campaigns),
    }


def _signature(curve, fitted, given, options, counts, hashes):
    """Say on one line how the numbers were made."""
    parts = {name: options[name] for name in ("metric", "level", "ties")}
    parts["factor"] = f"{options['factor']:g}" if options["factor"] != 1 else None
    parts |= {
        "curve": curve.name,
        "fitted_on": None if fitted is None else fitted.signature.rpartition(":")[2],
    }
    parts |= {"negated": names(given["lower_is_better"]), "missing": given["missing"], **counts}
    parts |= of_intervals(options["confidence"], None, clusters=options["clusters"])
    return signature_line(parts, None, "+".join(sorted(hashes)))
