"""Reports of metrics where annotators marked errors."""

import pandas as pd

from sklearn_mteval.evaluation.span_baselines import ANNOTATORS
from sklearn_mteval.metrics.core.units import FEW_CLUSTERS
from sklearn_mteval.report.cells import UNDEFINED, best_cells, entries, estimates, percent, written
from sklearn_mteval.report.formats import Report, Table
from sklearn_mteval.report.summaries.phrases import UNKNOWN_DOCUMENTS, counted

_SPANS = {"precision": "precision", "recall": "recall", "f_score": "F"}
_SCORES = {
    "average_precision": "average precision", "brier": "Brier",
    "calibration_error": "calibration error", "precision": "precision", "recall": "recall",
    "accepted": "accepted"
}  # fmt: skip


def report_of_marked_errors(found):
    """Return the report of marked errors."""
    tables, notes, parts = [], [], []
    level = f"x 100 with {100 * found.options['confidence']:g} % intervals"
    counts = found.counts
    if found.spans is not None:
        best = best_cells(found.spans.iloc[: -counts["baselines"]], _SPANS, 1)
        tables.append(_table(f"Marked errors, {level}", found.spans, _SPANS, best=best))
        notes.append(
            "Precision is the credit of the errors that the metric marked, and recall that of the "
            f"{counts['errors']:,} that annotators marked in {counts['translations']:,} "
            "translations, for the characters that both have in common."
        )
        notes += _notes_on_baselines(found.spans.index, counts)
        parts.append(found.spans.add_prefix("span_"))
    if found.error_free is not None:
        table = found.error_free
        best = best_cells(table.assign(brier=-table["brier"]), ["average_precision", "brier"], 1)
        title = f"Error-free translations, {level}"
        more = {
            "n accepted": [f"{n:,.0f}" for n in table["n_accepted"]],
            "threshold": [written(x, ".4g") for x in table["threshold"]],
        }
        tables.append(_table(title, table, _SCORES, more, best=best))
        chance, constant = (
            percent(table[name].iloc[0]) for name in ("error_free", "brier_of_proportion")
        )
        n, of_all = (f"{counts[name]:,}" for name in ("error_free", "rows"))
        held_out, wanted = counts["held_out"], percent(found.options["precision"])
        notes += [
            f"Error-free are translations with {found.rule}: {n} of {of_all}, or {chance} %, which "
            "is the average precision of guessing. One probability for all has a Brier score of "
            f"{constant}.",
            "Brier score and calibration error are of probabilities; lower is better. Precision "
            "and recall are of what is accepted at thresholds that had a precision of "
            f"{wanted} on other {held_out}, which are held out in {counts['folds']} folds.",
            "The threshold is that of all translations, to be used for new ones.",
        ]
        if table["precision"].isna().any():
            notes.append(f"{UNDEFINED} means that nothing is accepted.")
        parts.append(table)
    notes.append(_note_on_intervals(counts))
    values = pd.concat(parts, axis=1).rename_axis("metric")
    return Report(tables, notes, found.signature, values, _record(found))


def _notes_on_baselines(names, counts):
    """Say what the last rows are, and which translations are left out."""
    notes = [
        "The rows of nothing marked and everything marked show what is reached without a metric, "
        "each translation being no error or one."
    ]
    if ANNOTATORS in names:
        notes.append(
            f"The row of {ANNOTATORS} compares each one's errors with those of each other one of "
            "the same translation."
        )
    if counts["without_place"]:
        notes.append(
            f"{counted(counts['without_place'], 'translation')} "
            f"{'is' if counts['without_place'] == 1 else 'are'} left out, because an annotator did "
            "not say where an error is."
        )
    return notes


def _note_on_intervals(counts):
    """Say what varies as a whole, and what that means for the intervals."""
    clusters = counts["held_out"]
    note = (
        "Intervals of precision, recall, F and what is accepted are Wilson's, of as many as would "
        f"tell as much if those of a {clusters.removesuffix('s')} were independent"
    )
    if "clusters" in counts:
        note += f" (marked errors are of {counts['clusters']} {clusters})"
    if "groups" in counts:
        few = counts["groups"] < FEW_CLUSTERS
        note += f"; other intervals are by {clusters}, of which there are {counts['groups']}, with "
        note += "Student's t" if few else "resampling"
    if clusters == "segments":
        note += f". {UNKNOWN_DOCUMENTS}"
    return f"{note}."


def _table(title, table, names, more=None, **options):
    """Make a table of statistics with their intervals."""
    columns = {"metric": list(map(str, table.index))}
    for name, heading in names.items():
        columns[heading] = estimates(table, name, f"{name}_")
    return Table.of_columns(title, columns | (more or {}), **options)


def _record(found):
    """Return what JSON holds."""
    record = {**found.counts, "error_free_rule": found.rule}
    for key, table in (("spans", found.spans), ("error_free_detection", found.error_free)):
        if table is not None:
            record[key] = entries(table)
    return record
