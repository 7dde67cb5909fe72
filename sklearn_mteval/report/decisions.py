"""Reports of decision tables."""

import pandas as pd

from sklearn_mteval.report.cells import (
    aligned,
    estimates,
    percent,
    plain,
    records,
    written,
)
from sklearn_mteval.report.formats import Report, Table
from sklearn_mteval.report.summaries.phrases import UNKNOWN_DOCUMENTS

_BETWEEN = {"system": "systems", "segment": "translations of a segment"}


def report_of_decisions(found):
    """Return the report of a decision table."""
    tables = [_agreement(found), _needed(found), _bins(found)]
    return Report(tables, _notes(found), found.signature, _values(found), _record(found))


def _agreement(found):
    """Return the table of agreement at differences."""
    options, table = found.options, found.table
    confidence = f"{100 * options['confidence']:g} % intervals"
    columns = {
        "difference": [f"+{difference:g}" for difference in table.index],
        "agree": estimates(table, "agreement"),
        "pairs that differ as much": [str(n) for n in table["pairs"]],
    }
    title = (
        f"How often annotators agree with a difference of {options['metric']} between "
        f"{_BETWEEN[options['level']]}, x 100 with {confidence}"
    )
    return Table.of_columns(title, columns, names="difference")


def _needed(found):
    """Return the table of differences that an agreement needs."""
    table = found.needed
    columns = {
        "agreement": [percent(agreement) for agreement in table.index],
        "needs": estimates(table, "difference", form=lambda x: written(x, ".3g")),
        "observed": ["yes" if there else "no" for there in table["observed"]],
    }
    return Table.of_columns("Which difference is needed", columns, names="agreement")


def _bins(found):
    """Return the table of what was observed."""
    table = found.bins
    ends = [[f"{x:.3g}" for x in table[name]] for name in ("from", "to")]
    columns = {
        "differences": aligned("{} to {}", *ends),
        "pairs": [str(n) for n in table["pairs"]],
        "observed": estimates(table, "agreement"),
        "expected": [percent(x) for x in table["expected"]],
        "annotators tie": [percent(x) for x in table["ties"]],
    }
    title = f"Observed on {'other' if found.options['fitted'] else 'these'} judgements, x 100"
    return Table.of_columns(title, columns, names="differences")


def _notes(found):
    """Say what the columns mean."""
    options, counts, bias = found.options, found.counts, found.calibration["bias"]
    of_pairs = (
        "proportion of the pairs that annotators decide"
        if options["ties"] == "drop"
        else "proportion of all pairs, one that annotators tie being half an agreement,"
    )
    notes = [
        f"Agreement is the {of_pairs} in which they prefer what has the higher score, estimated by "
        f"a curve ({found.curve.name}). Verdicts are those of these annotators, with their noise.",
        "Where the column observed says no, no pair of the judgements differs as much, so that the "
        f"figure is extrapolated; {written(float('inf'), 'g')} means that no difference is enough.",
        _note_on_intervals(options["clusters"], counts),
    ]
    notes.append(
        f"Expected less observed agreement is {percent(bias)}, and their mean distance over bins "
        f"{percent(found.calibration['error'])}"
        + (", of judgements that the curve was not fitted to." if options["fitted"] else ".")
    )
    return notes


def _note_on_intervals(clusters, counts):
    """Say what hangs together, and what that means for the intervals."""
    units = clusters.split("+")
    shared = " or ".join(f"a {unit.removesuffix('s')}" for unit in reversed(units))
    note = (
        f"Intervals allow that pairs that share {shared} hang together: they hold the curves "
        "that the likelihood, divided by the design effect, does not refute, and are Wilson's of "
        f"what is observed. {counts['systems']} systems make {counts['pairs']:,} pairs"
    )
    if "segments" in units:
        note += f". {UNKNOWN_DOCUMENTS}"
    return f"{note}."


def _values(found):
    """Return all three tables as one, all digits."""
    parts = {
        "agreement": found.table.reset_index(),
        "needed": found.needed.reset_index().astype({"observed": int}),
        "bin": found.bins,
    }
    frames = [part.assign(table=name) for name, part in parts.items()]
    values = pd.concat(frames, ignore_index=True).set_index("table")
    return values.convert_dtypes().astype(object).where(values.notna(), "")


def _record(found):
    """Return what JSON holds, which ``decision-table --fitted`` reads."""
    curve = found.curve
    return {
        **found.options,
        "counts": found.counts,
        "curve": {
            "name": curve.name, "steepness": plain(curve.steepness), "plateau": plain(curve.plateau)
        },
        "calibration": {name: plain(value) for name, value in found.calibration.items()},
        "table": records(found.table.reset_index()),
        "needed": records(found.needed.reset_index()),
        "bins": records(found.bins),
        "band": records(found.band.reset_index()),
    }  # fmt: skip
