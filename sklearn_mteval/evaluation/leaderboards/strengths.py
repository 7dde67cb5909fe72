"""Leaderboards by strength: Bradley and Terry's model of comparisons."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.numbers import as_numbers
from sklearn_mteval._helpers.options import check_number, check_one_of, names_of
from sklearn_mteval.candidates import check_columns, check_ranks, check_texts
from sklearn_mteval.evaluation.leaderboards.automatic import check_known
from sklearn_mteval.evaluation.leaderboards.board import (
    Leaderboard,
    hash_of,
    places,
    signed,
    uncertainty,
)
from sklearn_mteval.evaluation.leaderboards.sampling import sample_of
from sklearn_mteval.evaluation.leaderboards.tallies import counts_of, tally_of
from sklearn_mteval.evaluation.option_values import JUDGE_MODELS, SCALES, TIES
from sklearn_mteval.evaluation.signature import signature_line
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.aligned import expected
from sklearn_mteval.metrics.core.units import student_interval
from sklearn_mteval.metrics.paired_comparisons.comparisons import comparisons_of, in_clusters
from sklearn_mteval.metrics.paired_comparisons.inference import estimate_strengths
from sklearn_mteval.metrics.system.paired import pairs_of

# Log-odds that agree to so many decimals share their rank; discriminations stand by name.
_DIGITS = 9
_LEAST, _MOST = 1e-9, 1e9  # weights: beyond, sums of comparisons lose their digits
# What a log-odds of 1 is on a scale, and the mean; in points, odds of ten to one are 400.
_SCALES = dict(zip(SCALES, ((1.0, 0.0), (400 / np.log(10), 1000.0)), strict=True))


def strengths(
    X, y, inference, *, selection=None, both_bad=None, judges=None, judge_model="alike",
    judge_weights=None, automatic_judges=(), ties="half", covariates=(), scale="log-odds"
):  # fmt: skip
    """Score systems by what maximises the likelihood of the comparisons.

    P(i beats j) = 1 / (1 + exp(s_j - s_i)) (Bradley and Terry 1952; ties: Davidson 1970; judges:
    Chen et al. 2013, Xu et al. 2026, arXiv 2601.21817; weights: Lindsay 1988; covariates: Chiang et
    al. 2024), with sandwich errors (Liang and Zeger 1986). Of who never lost, or never won, against
    the rest one bound is finite: where that is less probable than the tail.
    """
    check_one_of("ties", ties, TIES)
    check_one_of("scale", scale, SCALES)
    check_one_of("judge_model", judge_model, JUDGE_MODELS)
    _check_judging(judges, judge_model, judge_weights, ties)
    if inference.question == "test-set":
        raise ValueError(
            "question='test-set' is of means over segments, by='mean' and by='win-rate': errors of "
            "strengths do not know how much of a test set is judged."
        )
    options = inference.with_options(
        "strength", judge_model=judge_model,
        judge_weights=None if judge_weights is None else dict(judge_weights),
        automatic_judges=names_of("automatic_judges", automatic_judges), ties=ties,
        covariates=names_of("covariates", covariates), scale=scale,
    )  # fmt: skip
    if options["automatic_judges"] and judge_model == "alike":
        raise ValueError(
            f"automatic_judges={options['automatic_judges']!r} is of means over segments, "
            "by='mean' and by='win-rate'; strengths are not estimated so. There, "
            "judge_model='discrimination' tells judges apart."
        )
    given = _covariate_values(X, options["covariates"])
    compared = comparisons_of(X, y, both_bad, given, judges)
    deviations = np.sqrt(np.mean(compared.covariates**2, axis=0))
    if not deviations.all():
        name = options["covariates"][int((deviations == 0).argmax())]
        raise CandidateError(f"Covariate {name!r} never differs between translations compared.")
    compared = compared._replace(covariates=compared.covariates / deviations)
    sample = sample_of(selection, compared.segments, inference, {})
    weights = _counted(_weights_of(compared, judge_weights), compared, sample)
    clusters = sample.clusters[sample.labels.get_indexer(compared.segments)]
    clustered, rows = in_clusters(compared, clusters)
    found = estimate_strengths(
        clustered, ties=ties == "model", confidence=inference.confidence,
        weights=None if weights is None else weights[rows],
        discrimination=judge_model == "discrimination", n_resamples=inference.n_resamples,
        rng=check_random_state(inference.random_state),
    )  # fmt: skip
    # Infinite ones, too, stand over one another: how many is the order. Equal ones: by label.
    values = np.nan_to_num(found.strengths.round(_DIGITS), posinf=0.0, neginf=0.0)
    order = np.lexsort((pd.factorize(compared.systems, sort=True)[0], -values, -found.net))
    labels = compared.systems[order].rename("system")
    tally = tally_of(compared).in_order(order)
    factor, mean = _SCALES[scale]
    pairs = _pairs(found, labels, order, factor, inference)
    columns = {
        "score": mean + factor * found.strengths[order],
        **_uncertainty(found, order, factor, mean),
        **places(pairs),
        **tally.columns(),
    }
    effects = {"effect": found.effects, **_uncertainty(found, slice(len(order), None))}
    effects["deviation"] = deviations
    covariates = pd.Index(options["covariates"], name="covariate", dtype=object)
    counts = {**counts_of(compared), "systems": len(order), **sample.counts(compared.segments)}
    of_judges = None
    if judges is not None:
        counts["judges"] = len(compared.judges)
        of_judges = _judge_table(compared, found, options)
        if options["automatic_judges"]:
            check_known(options["automatic_judges"], of_judges.index)
            of_judges["automatic"] = of_judges.index.isin(options["automatic_judges"])
    nu = np.exp(found.log_nu)
    return Leaderboard(
        pd.DataFrame(columns, index=labels), *tally.squares(labels), pairs,
        pd.DataFrame(effects, index=covariates),
        float(nu / (2 + nu)) if ties == "model" else None, counts, options,
        _signature(_data(X, y, both_bad, given, judges), judges, sample, counts, options),
        of_judges,
    )  # fmt: skip


def _pairs(found, labels, order, factor, inference):
    """Compare each two systems by the difference of their strengths, on a scale."""
    square, values = np.ix_(order, order), found.strengths
    with np.errstate(invalid="ignore"):  # of two that are infinite there is none
        differences = factor * (values[:, np.newaxis] - values)[square]
    return pairs_of(
        labels, differences, factor**2 * found.variances[square],
        np.full(differences.shape, found.degrees + 1), p=found.p_values[square],
        confidence=inference.confidence, alpha=inference.alpha,
    )  # fmt: skip


def _covariate_values(X, names):
    """Return the values of covariates (n_candidates, n_covariates), None without."""
    columns = []
    for name in names:
        if name == "length" and isinstance(X, pd.DataFrame) and name not in X:
            columns.append(np.log1p([len(text) for text in check_texts(X, "hypothesis")]))
            continue
        check_columns(X, [name])
        with expected(f"Covariate {name!r} must be numbers"):
            columns.append(as_numbers(X[name]))
        bad = ~np.isfinite(columns[-1])
        if bad.any():
            raise CandidateError(
                f"Covariate {name!r} must be finite numbers, found {columns[-1][bad][0]} in row "
                f"{int(bad.argmax())}."
            )
    return np.column_stack(columns) if columns else None


def _counted(weights, compared, sample):
    """Return what each comparison counts: of a sample, 1 / the probability of its segment, too."""
    if sample.probability is None:
        return weights
    of_segments = 1 / sample.probability[sample.labels.get_indexer(compared.segments)]
    counted = of_segments[compared.segment]
    counted = counted / counted.mean()
    return counted if weights is None else weights * counted


def _uncertainty(found, part, factor=1.0, mean=0.0):
    """Return columns of bounds and errors of some parameters, on a scale."""
    bootstrap, sandwich = (mean + factor * ends[part] for ends in (found.bootstrap, found.sandwich))
    return uncertainty(bootstrap, factor * found.errors[part], sandwich)


def _signature(data, judges, sample, counts, options):
    """Say on one line how the numbers were made."""
    parts = {"model": "bradley-terry" if options["ties"] == "half" else "davidson"}
    if judges is not None:
        weights = sorted((options["judge_weights"] or {}).items())
        weights = ",".join(f"{name}={weight:g}" for name, weight in weights)
        parts |= {"judge_model": options["judge_model"], "judge_weights": weights or None}
    parts |= {"covariates": ",".join(options["covariates"]) or None, "scale": options["scale"]}
    parts |= counts | signed(options, sample, "wald") | {"selection": sample.mark}
    return signature_line(parts, options["random_state"], data)


def _data(X, y, both_bad, values, judges):
    """Hash what the numbers were made of."""
    flags = np.zeros(len(X)) if both_bad is None else np.asarray(both_bad, dtype=float)
    columns = [check_ranks(y, X), flags, *([] if values is None else values.T)]
    if judges is not None:
        columns.append(np.array([ascii(name) for name in judges], dtype=object))
    return hash_of(X.index, columns)


def _check_judging(judges, judge_model, judge_weights, ties):
    """Raise ValueError for options of judges that do not go together."""
    modelled = judge_model != "alike"
    if judges is None:
        for name, given in (("judge_model", modelled), ("judge_weights", judge_weights)):
            if given:
                raise ValueError(f"{name} needs judges, who judged each row.")
        return
    if not modelled and judge_weights is None:
        raise ValueError(
            "judges are given, and nothing reads them: choose judge_model='discrimination', or "
            "give judge_weights. With automatic_judges, take by='win-rate' or by='mean'."
        )
    if modelled and ties == "model":
        raise ValueError(
            "judge_model='discrimination' counts a tie as half a win: ties must be 'half'."
        )
    if not isinstance(judge_weights, Mapping | None):
        raise ValueError(
            f"judge_weights must map names of judges to numbers, found {type(judge_weights)}."
        )
    for name, weight in (judge_weights or {}).items():
        check_number(f"judge_weights[{name!r}]", weight, above=_LEAST, maximum=_MOST)


def _weights_of(compared, judge_weights):
    """Return what each comparison counts (n_comparisons,), None for all alike."""
    if judge_weights is None:
        return None
    for name in judge_weights:
        if name not in compared.judges:
            some = ", ".join(map(repr, sorted(compared.judges)[:5]))
            raise ValueError(
                f"judge_weights names {name!r}, who judged no comparison; judges are {some}"
                f"{', …' if len(compared.judges) > 5 else ''}."
            )
    weights = np.array([float(judge_weights.get(name, 1.0)) for name in compared.judges])
    return weights[compared.judge]


def _judge_table(compared, found, options):
    """Return the table of judges."""
    n, names = len(compared.judges), compared.judges
    weights = options["judge_weights"] or {}
    counted = {
        "comparisons": np.bincount(compared.judge, minlength=n),
        "weight": [float(weights.get(name, 1.0)) for name in names],
    }
    by_name = np.argsort(np.argsort(names.to_numpy()))
    if options["judge_model"] == "alike":
        return pd.DataFrame(counted, index=names).iloc[np.argsort(by_name)]
    # Of discriminations, then of the bias of each covariate; NaN where there are none.
    values, errors = np.full((2, 1 + len(options["covariates"]), n), np.nan)
    degrees, its = 1, found.judges
    if its is not None:
        degrees = its.n_segments - 1
        values[:, found.judging] = np.vstack([its.discriminations, its.biases.T])
        errors[:, found.judging] = np.vstack([its.errors, its.bias_errors.T])
    columns = {}
    for k, name in enumerate(["discrimination", *(f"bias_{x}" for x in options["covariates"])]):
        prefix = f"{name}_" if k else ""
        low, high = student_interval(values[k], errors[k], degrees, options["confidence"]).T
        columns |= {name: values[k], f"{prefix}low": low, f"{prefix}high": high}
        columns |= {} if k else {"standard_error": errors[0], **counted}
    first = -columns["discrimination"].round(_DIGITS)
    return pd.DataFrame(columns, index=names).iloc[np.lexsort((by_name, first))]
