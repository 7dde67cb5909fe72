"""Leaderboards by strength: Bradley and Terry's model of comparisons."""

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from sklearn_mteval.candidates import check_ranks
from sklearn_mteval.evaluation.leaderboards.automatic import with_automatic
from sklearn_mteval.evaluation.leaderboards.board import Leaderboard, places
from sklearn_mteval.evaluation.leaderboards.content import hash_of
from sklearn_mteval.evaluation.leaderboards.covariates import covariate_values, in_deviations
from sklearn_mteval.evaluation.leaderboards.judging import judge_table, weights_of
from sklearn_mteval.evaluation.leaderboards.sampling import sample_of
from sklearn_mteval.evaluation.leaderboards.tallies import square, tally_of
from sklearn_mteval.evaluation.signature import signature_line
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.paired_comparisons.comparisons import comparisons_of
from sklearn_mteval.metrics.paired_comparisons.inference import estimate_strengths
from sklearn_mteval.metrics.significance.multiple_comparisons import holm

_DIGITS = 9  # log-odds that agree to so many decimals share their rank
# What a log-odds of 1 is on a scale, and the mean; in points, odds of ten to one are 400.
_SCALES = {"log-odds": (1.0, 0.0), "elo": (400 / np.log(10), 1000.0)}


def leaderboard_by_strength(X, y, options, *, both_bad, judges=None, selection=None):
    """Score systems by what maximises the likelihood of the comparisons."""
    ties, confidence, scale = (options[name] for name in ("ties", "confidence", "scale"))
    values = covariate_values(X, options["covariates"])
    compared, deviations = in_deviations(
        comparisons_of(X, y, both_bad, values, judges), options["covariates"]
    )
    sample = sample_of(selection, compared.segments)
    weights = _counted(weights_of(compared, options["judge_weights"]), compared, sample)
    drawn = {
        "n_resamples": options["n_resamples"],
        "rng": check_random_state(options["random_state"]),
    }
    found = estimate_strengths(
        compared, ties=ties == "model", confidence=confidence, weights=weights,
        discrimination=options["judge_model"] == "discrimination", **drawn,
    )  # fmt: skip
    order = _order(compared.systems, found)
    labels = compared.systems[order].rename("system")
    earlier = np.triu(np.ones((len(order), len(order)), dtype=bool), 1)
    p_values = holm(np.where(earlier, found.p_values[np.ix_(order, order)], np.nan))
    tally = tally_of(compared).in_order(order)
    factor, mean = _SCALES[scale]
    columns = {
        "score": mean + factor * found.strengths[order],
        **_uncertainty(found, order, factor, mean),
        **places(p_values <= options["alpha"]),
        **tally.columns(),
    }
    effects = {
        "effect": found.effects,
        **_uncertainty(found, slice(len(order), None)),
        "deviation": deviations,
    }
    covariates = pd.Index(options["covariates"], name="covariate", dtype=object)
    counts = {
        "comparisons": len(compared.outcome),
        "ties": int((compared.outcome == 0).sum()),
        "both_bad": int(compared.both_bad.sum()) // 2,
        "segments": int(compared.segment[-1]) + 1,
        "systems": len(order),
        **sample.counts(),
    }
    of_judges = None
    if judges is not None:
        counts["judges"] = len(compared.judges)
        of_judges = judge_table(compared, found, options)
        of_judges = with_automatic(of_judges, options["automatic_judges"])
    nu = np.exp(found.log_nu)
    return Leaderboard(
        pd.DataFrame(columns, index=labels),
        *tally.squares(labels),
        square(p_values, labels),
        pd.DataFrame(effects, index=covariates),
        float(nu / (2 + nu)) if ties == "model" else None,
        counts,
        options,
        _signature(X, y, both_bad, values, judges, sample, counts, options),
        of_judges,
    )


def _counted(weights, compared, sample):
    """Return what each comparison counts: of a sample, 1 / the probability of its segment, too."""
    if sample.probability is None:
        return weights
    if len(np.unique(sample.documents)) < len(sample.documents):
        raise CandidateError(
            "selection drew whole documents, and errors of strengths are clustered by segment: use "
            "by='mean' or by='win-rate'."
        )
    of_segments = 1 / sample.probability[sample.labels.get_indexer(compared.segments)]
    counted = of_segments[compared.segment]
    counted = counted / counted.mean()
    return counted if weights is None else weights * counted


def _order(systems, found):
    """Return positions of systems, the strongest first, of equal ones the first label."""
    strengths = np.nan_to_num(found.strengths.round(_DIGITS), posinf=0.0, neginf=0.0)
    # Infinite ones, too, stand over one another: how many there are is the order.
    return np.lexsort((pd.factorize(systems, sort=True)[0], -strengths, -found.net))


def _uncertainty(found, part, factor=1.0, mean=0.0):
    """Return columns of bounds and errors of some parameters, on a scale."""
    low, high = mean + factor * found.bootstrap[part].T
    sandwich_low, sandwich_high = mean + factor * found.sandwich[part].T
    return {
        "low": low,
        "high": high,
        "standard_error": factor * found.errors[part],
        "sandwich_low": sandwich_low,
        "sandwich_high": sandwich_high,
    }


def _signature(X, y, both_bad, values, judges, sample, counts, options):
    """Say on one line how the numbers were made."""
    parts = {"model": "bradley-terry" if options["ties"] == "half" else "davidson"}
    names = options["covariates"]
    if judges is not None:
        weights = options["judge_weights"] or {}
        weights = ",".join(f"{name}={weight:g}" for name, weight in sorted(weights.items()))
        parts |= {"judge_model": options["judge_model"], "judge_weights": weights or None}
    parts |= {"covariates": ",".join(names) if names else None, "scale": options["scale"]}
    parts |= {**counts, "interval": f"{options['confidence']:g}", "clusters": "segments"}
    parts |= {"resamples": options["n_resamples"], "test": "wald", "correction": "holm"}
    parts |= {"alpha": f"{options['alpha']:g}", "selection": sample.mark}
    flags = np.zeros(len(X)) if both_bad is None else np.asarray(both_bad, dtype=float)
    columns = [check_ranks(y, X), flags, *([] if values is None else values.T)]
    if judges is not None:
        columns.append(np.array([ascii(name) for name in judges], dtype=object))
    return signature_line(parts, options["random_state"], hash_of(X.index, columns))
