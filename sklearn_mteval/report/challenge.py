"""Reports of models that were asked about corrupted translations."""

from sklearn_mteval.evaluation.challenges import SETTINGS
from sklearn_mteval.report.cells import percent, records
from sklearn_mteval.report.formats import Report, Table
from sklearn_mteval.report.summaries.phrases import UNKNOWN_DOCUMENTS

_LEGEND = {
    "alone": "by scores, which see one translation only",
    "two": "by strengths, in a segment of these two",
    "many": "by strengths, among all systems of the segment",
}


def report_of_challenge(found):
    """Return the report of a challenge."""
    table, metrics = found.table, found.metrics
    kinds = table.index.unique("kind")
    settings = [setting for setting in SETTINGS if (kinds[0], setting, found.model) in table.index]
    rows = []
    for kind in kinds:
        cells = []
        for row in (table.loc[(kind, setting, found.model)] for setting in settings):
            bounds = f"[{100 * row['low']:.0f}, {100 * row['high']:.0f}]"
            cells.append(f"{percent(row['proportion'])} {bounds}")
        cells += [percent(table.loc[(kind, "alone", metric), "proportion"]) for metric in metrics]
        rows.append([kind, str(table.loc[(kind, settings[0], found.model), "n"]), *cells])
    title = f"{found.model}: sound translations preferred to corrupted ones, % of segments"
    shown = Table(title, ["kind", "n", *settings, *metrics], rows, names="kind")
    notes = _notes(found, kinds, settings)
    return Report([shown], notes, found.signature, table, _record(found))


def _notes(found, kinds, settings):
    """Say what the columns and rows mean."""
    legend = "; ".join(f"{setting}: {_LEGEND[setting]}" for setting in settings)
    notes = [
        f"Columns say how translations were compared ({legend}). Brackets hold "
        f"{100 * found.confidence:g} % intervals; n counts segments, of each of which one "
        "translation is compared. A tie is not won.",
        "Intervals are Wilson's, of as many segments as would tell as much if those of a document "
        "were independent."
        if found.clusters == "documents"
        else f"Intervals are Wilson's, by segment. {UNKNOWN_DOCUMENTS}.",
    ]
    if "alone" not in settings:
        notes.append(
            "The model can rank only: it measures how far the systems of a segment agree, and "
            "needs many of them."
        )
    if any(kind.startswith("reference_") for kind in kinds):
        notes.append(
            "Kinds whose name begins with reference_ compare the sound translation of a system "
            "with the reference in which one thing is changed; all others compare a translation "
            "with its own corruption."
        )
    return notes


def _record(found):
    """Return what JSON holds."""
    return {
        "model": found.model, "metrics": list(found.metrics), "confidence": found.confidence,
        "clusters": found.clusters, "results": records(found.table.reset_index())
    }  # fmt: skip
