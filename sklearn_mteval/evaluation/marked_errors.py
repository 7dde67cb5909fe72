"""How metrics fare where annotators marked errors: the spans they mark, and what has none."""

from dataclasses import dataclass

import pandas as pd

from sklearn_mteval._helpers.error_spans import UNKNOWN
from sklearn_mteval._helpers.shown import ShownTables
from sklearn_mteval.evaluation.join import RankerScores, join_common
from sklearn_mteval.evaluation.signature import (
    hash_of,
    names,
    of_intervals,
    short_hash,
    signature_line,
)
from sklearn_mteval.evaluation.span_baselines import ANNOTATORS, annotator_pairs, baseline_spans
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.marked_errors.error_free import error_free_detection
from sklearn_mteval.metrics.marked_errors.span_agreement import span_agreement

_LEAST_SCORE = 85  # of ESA: "very good"
_FOLDS = 5


@dataclass(frozen=True, repr=False)
class MarkedErrors(ShownTables):
    """How metrics, by which tables are indexed, fare where annotators marked errors."""

    # Each statistic of span_agreement, with _low and _high; below them those of BASELINES.
    spans: pd.DataFrame | None
    # The same of error_free_detection, n_accepted and threshold.
    error_free: pd.DataFrame | None
    # Translations, segments, error-free ones; groups that were held out, and what these and the
    # clusters of intervals are (held_out: documents or segments).
    counts: dict
    rule: str  # what an error-free translation is
    options: dict
    signature: str


def error_free_labels(judgements, min_score=None):
    """Tell which judged translations are error-free, a Series of bool, and say by which rule."""
    score = 0.0 - judgements.y
    penalties = bool((score <= 0).all())
    if min_score is None:
        min_score = 0 if penalties else _LEAST_SCORE
    found = score >= min_score
    rule = f"a score of {min_score:g} or more"
    if penalties:
        rule = f"a penalty of {-min_score + 0.0:g} or less"
    if judgements.spans is not None:
        found &= judgements.spans.map(len) == 0
        rule += ", and no error marked"
    return found, rule


def evaluate_marked_errors(
    judgements, scores, spans, *, min_score=None, lower_is_better=(), missing="error",
    precision=0.9, calibration="isotonic", measure="mpp", average="micro", severity_credit=1.0,
    confidence=0.95, n_resamples=1000, random_state=0
):  # fmt: skip
    """Evaluate scores (mapping of str to Series or RankerScores) and spans (str to Series)."""
    labels, rule = error_free_labels(judgements, min_score)
    counts = {"rows": len(labels), "segments": labels.index.unique("segment").size}
    clusters = _clusters(judgements)
    counts["held_out"] = "segments" if clusters.str.startswith("segment ").all() else "documents"
    of_spans = of_scores = None
    parts, hashes = {}, []
    if spans:
        given = {"measure": measure, "average": average, "severity_credit": severity_credit}
        of_spans, found, content = _of_spans(
            judgements, spans, clusters, **given, confidence=confidence
        )
        counts |= found
        hashes.append(content)
        parts |= given | {"severity_credit": f"{severity_credit:g}"}
    if scores:
        columns = {
            name: column.scores if isinstance(column, RankerScores) else column
            for name, column in scores.items()
        }
        signs = {"lower_is_better": lower_is_better, "missing": missing}
        joined = join_common(judgements.y, columns, **signs)
        given = {"precision": precision, "calibration": calibration}
        labels = labels.loc[joined.y.index]
        of_scores, found = _of_scores(
            joined, labels, clusters, **given, confidence=confidence, n_resamples=n_resamples,
            random_state=random_state,
        )  # fmt: skip
        counts |= found
        hashes.append(hash_of(joined))
        parts |= {"error_free": rule.replace(" ", "_"), "wanted_precision": f"{precision:g}"}
        parts |= {"calibration": calibration, "missing": missing}
        parts["negated"] = names(lower_is_better)
    if of_spans is None and of_scores is None:
        raise CandidateError("expected scores or spans of metrics, found neither.")
    options = {"precision": precision, "confidence": confidence, "average": average}
    drawn = confidence, None if of_scores is None else n_resamples
    parts |= {"rows": counts["rows"], **of_intervals(*drawn, clusters=counts["held_out"])}
    signature = signature_line(parts, random_state, "+".join(hashes))
    return MarkedErrors(of_spans, of_scores, counts, rule, options, signature)


def _clusters(judgements):
    """Name what varies as a whole, of each judged row: its document, or else its segment."""
    index = judgements.y.index
    segments = pd.Series(index.get_level_values("segment"), index).map(lambda s: f"segment {s}")
    if judgements.documents is None:
        return segments
    documents = judgements.documents.loc[index].map(lambda name: name and f"document {name}")
    return documents.where(documents != "", segments)


def _of_spans(judgements, spans, clusters, **options):
    """Compare marked spans with annotators': return the table, counts, and a hash of the spans."""
    placed = judgements.spans.map(lambda spans: all(span.place != UNKNOWN for span in spans))
    there = pd.DataFrame(spans).notna().all(axis=1) & placed
    annotated = judgements.spans[there]

    def agreement(of_people, marked):
        return _flat(
            span_agreement(of_people, marked, segments=clusters.loc[of_people.index], **options)
        )

    found = {name: agreement(annotated, marked[there]) for name, marked in spans.items()}
    table = pd.DataFrame(found).T.sort_values("f_score", ascending=False, kind="stable")
    X = judgements.X[there]
    baselines = baseline_spans(annotated, X.get("hypothesis"))
    found = {name: agreement(annotated, marked) for name, marked in baselines.items()}
    pairs = annotator_pairs(judgements, there)
    if pairs is not None:
        found[ANNOTATORS] = agreement(*pairs)
    table = pd.concat([table, pd.DataFrame(found).T])
    counts = {"translations": int(there.sum()), "errors": int(annotated.map(len).sum())}
    counts |= {"clusters": int(clusters.loc[annotated.index].nunique())}
    counts |= {"without_place": int((~placed).sum()), "baselines": len(found)}
    content = [
        (name, sorted(map(repr, marked[there].items()))) for name, marked in sorted(spans.items())
    ]
    return table, counts, short_hash(repr((content, sorted(map(repr, annotated.items())))))


def _of_scores(joined, labels, clusters, **options):
    """Ask scores which translations are error-free: return the table, and counts."""
    groups = clusters.loc[joined.y.index]
    n_groups = int(groups.nunique())
    counts = {"rows": len(labels), "error_free": int(labels.sum())}
    counts |= {"groups": n_groups, "folds": max(2, min(_FOLDS, n_groups))}
    given = {"groups": groups, "n_folds": counts["folds"], **options}
    found = {
        name: error_free_detection(labels, column, **given) for name, column in joined.rows.items()
    }
    table = pd.DataFrame({name: _flat(one.table) for name, one in found.items()}).T
    table["n_accepted"] = [int(one.accepted.sum()) for one in found.values()]
    table["threshold"] = [one.threshold for one in found.values()]
    return table.sort_values("average_precision", ascending=False, kind="stable"), counts


def _flat(table):
    """Return a table of values and bounds as one row."""
    return {
        f"{name}{end}": row[column]
        for name, row in table.iterrows()
        for column, end in (("value", ""), ("low", "_low"), ("high", "_high"))
    }
