"""What decision tables and marked errors say, in whole sentences."""

import numpy as np

from sklearn_mteval.report.cells import percent, written
from sklearn_mteval.report.summaries.phrases import counted, few_segments, listed, name_of


def summary_of_decisions(found):
    """Say which difference of scores is needed for annotators to agree."""
    counts, metric = found.counts, name_of(found.options["metric"])
    what = "systems" if found.options["level"] == "system" else "translations"
    said = [
        f"Differences of {metric} were compared with what annotators preferred, in "
        f"{counted(counts['pairs'], 'pair')} of {what} ({counted(counts['segments'], 'segment')}, "
        f"{counted(counts['systems'], 'system')})."
    ]
    for agreement, row in found.needed.iterrows():
        if np.isfinite(row["difference"]):
            beyond = "" if row["observed"] else ", which is more than any pair here differs by"
            said.append(
                f"Annotators agree in {percent(agreement)} % of pairs that differ by "
                f"{written(row['difference'], '.3g')} [{written(row['low'], '.3g')}, "
                f"{written(row['high'], '.3g')}]{beyond}."
            )
        else:
            said.append(f"No difference is enough for an agreement of {percent(agreement)} %.")
    return said


def warnings_of_decisions(found):
    """Warn of few segments, and of differences that nobody has seen."""
    needed = found.needed
    beyond = needed.index[~needed["observed"] & np.isfinite(needed["difference"])]
    extrapolated = [
        f"Agreement of {listed(map(percent, beyond))} % needs more than any pair here differs by: "
        "it is extrapolated."
    ]
    return few_segments(found.counts["segments"]) + extrapolated * bool(len(beyond))


def summary_of_marked_errors(found):
    """Say which metric marks errors best, and which tells error-free translations best."""
    counts, said = found.counts, []
    if found.spans is not None:
        best = found.spans["f_score"].idxmax() if found.spans["f_score"].notna().any() else None
        said.append(
            f"Errors that {listed(found.spans.index)} marked were compared with "
            f"{counted(counts['errors'], 'error')} that annotators marked in "
            f"{counted(counts['translations'], 'translation')}."
        )
        if best is not None:
            said.append(_best("F", found.spans.loc[best], "f_score", best, "marks errors best"))
    if found.error_free is not None:
        values = found.error_free["average_precision"]
        asked = counted(counts["rows"], "translation")
        said.append(
            f"Scores of {listed(values.index)} were asked which of {asked} are without error: "
            f"{counts['error_free']:,} are ({found.rule})."
        )
        if values.notna().any():
            best = values.idxmax()
            row = found.error_free.loc[best]
            said.append(_best("average precision", row, "average_precision", best,
                              "finds them best"))  # fmt: skip
    return said


def _best(label, row, name, best, what):
    """Say which metric is best, and by how much."""
    low, high = (percent(row[f"{name}{end}"]) for end in ("_low", "_high"))
    return f"{name_of(best)} {what}: {label} {percent(row[name])} [{low}, {high}] (x 100)."


def warnings_of_marked_errors(found):
    """Warn of few translations."""
    n = found.counts.get("translations", found.counts.get("rows", 0))
    return [] if n >= 100 else [f"There are only {counted(n, 'translation')}: intervals are wide."]
