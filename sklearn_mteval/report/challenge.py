"""Reports of models that were asked about corrupted translations."""

from sklearn_mteval.evaluation.challenges import SETTINGS
from sklearn_mteval.report.cells import percent, plain
from sklearn_mteval.report.formats import Report, Table, write

_LEGEND = {
    "alone": "by scores, which see one translation only",
    "two": "by strengths, in a segment of these two",
    "many": "by strengths, among all systems of the segment",
}


def challenge_report(found, format="text"):
    """Write how often a model and metrics prefer sound translations, one row for each kind.

    ``found`` is what :func:`~sklearn_mteval.evaluation.challenge` returns; formats are those of
    :func:`evaluation_report`. "tsv" has a line for each kind, setting and judge, with counts and
    bounds.
    """
    return write(report_of_challenge(found), format)


def report_of_challenge(found):
    """Return the report of a challenge."""
    table, metrics = found.table, found.metrics
    kinds = table.index.unique("kind")
    settings = [setting for setting in SETTINGS if (kinds[0], setting, found.model) in table.index]
    rows = []
    for kind in kinds:
        cells = [_interval(table.loc[(kind, setting, found.model)]) for setting in settings]
        cells += [percent(table.loc[(kind, "alone", metric), "proportion"]) for metric in metrics]
        rows.append([kind, str(table.loc[(kind, settings[0], found.model), "n"]), *cells])
    title = f"{found.model}: sound translations preferred to corrupted ones, % of segments"
    shown = Table(title, ["kind", "n", *settings, *metrics], rows, names="kind")
    notes = _notes(found, kinds, settings)
    return Report([shown], notes, found.signature, table, _record(found))


def _interval(row):
    """Write a proportion and its bounds x 100, these without decimals."""
    return f"{percent(row['proportion'])} [{100 * row['low']:.0f}, {100 * row['high']:.0f}]"


def _notes(found, kinds, settings):
    """Say what the columns and rows mean."""
    legend = "; ".join(f"{setting}: {_LEGEND[setting]}" for setting in settings)
    notes = [
        f"{legend}. In brackets {100 * found.confidence:g} % intervals. n: segments, of each of "
        "which one translation is compared; a tie is not won."
    ]
    if "alone" not in settings:
        notes.append("The model can rank only: it tells how far systems agree, many of them.")
    if any(kind.startswith("reference_") for kind in kinds):
        notes.append(
            "reference_number, reference_name, reference_negation: the sound translation of a "
            "system against the reference with one number, name or negation changed; otherwise "
            "a translation against its own corruption."
        )
    return notes


def _record(found):
    """Return what JSON holds."""
    rows = found.table.reset_index().to_dict("records")
    rows = [{k: v if isinstance(v, str) else plain(v) for k, v in row.items()} for row in rows]
    return {
        "model": found.model,
        "metrics": list(found.metrics),
        "confidence": found.confidence,
        "results": rows,
    }
