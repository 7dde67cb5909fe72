"""What stands below a leaderboard: which question it answers, and how to read its columns."""

import math

from sklearn_mteval.metrics.core.units import FEW_CLUSTERS
from sklearn_mteval.report.cells import INFINITY, UNDEFINED, percent

# Which question is answered: systems rank otherwise by others.
_QUESTIONS = {
    "strength": "score: how often a system is preferred, as odds, not by how much; by mean, "
    "systems may rank otherwise.",
    "mean": "mean: how good a system's translations are, 0 - y; a few bad ones count as much as "
    "they are bad. By how often they are preferred (strength, win rate), systems may rank "
    "otherwise.",
    "win-rate": "score: which proportion of its comparisons a system won, a tie half, against the "
    "opponents that it had; not by how much. By mean, systems may rank otherwise.",
}


def notes_on(found):
    """Say what the columns mean."""
    options, by = found.options, found.options["by"]
    notes = [
        _QUESTIONS[by],
        _note_on_intervals(found.counts),
        *_notes_on_samples(found),
    ]
    notes.append(
        "letters: systems that share one are not told apart; ranks: what the tests of all pairs "
        f"leave (p <= {options['alpha']:g}, Holm's correction)."
    )
    if found.tie_proportion is not None:
        notes.append(f"two equally strong systems tie in {percent(found.tie_proportion)} %.")
    if found.judges is not None and "discrimination" in found.judges:
        notes.append(
            "discrimination: by how much a difference of two systems sways the judge; 0: answers "
            "at random; below: the wrong way round."
        )
        wrong = found.judges.index[found.judges["high"] < 0]
        if len(wrong):
            notes.append(f"answer the wrong way round: {', '.join(map(str, wrong))}.")
    if options["covariates"]:
        notes.append(f"scores are of translations alike in: {', '.join(options['covariates'])}.")
    if found.counts.get("both_bad"):
        notes.append("both bad: comparisons judged so; they are no ties, and not compared.")
    if not found.table["score"].map(math.isfinite).all():
        notes.append(
            f"{INFINITY}: won, or lost, all against the rest; {UNDEFINED}: nothing to compare with."
        )
    return notes


def _note_on_intervals(counts):
    """Say what varies as a whole, and what that means for the intervals."""
    unit = "document" if "documents" in counts else "segment"
    n = counts[f"{unit}s"]
    note = (
        f"bootstrap, sandwich: intervals by resampled {unit}s, and by a covariance clustered by "
        f"{unit}"
    )
    if n < FEW_CLUSTERS:
        note += f"; of {n} {unit}s both are Student's t intervals"
    if unit == "segment":
        note += (
            ". Which document a segment is of is not known: where several are of one, intervals "
            "are too narrow (--documents)"
        )
    return f"{note}."


def _notes_on_samples(found):
    """Say what scores are means of, and what automatic judges are worth."""
    counts, notes = found.counts, []
    if is_sample(found):
        notes.append(
            f"scores estimate what judgements of all {counts['of_segments']} segments of the test "
            f"set would say; {counts['segments']} are judged."
        )
    if is_sample(found) and counts["not_judged"]:
        notes.append(
            f"{counts['not_judged']} chosen segments are not judged: scores are right if it is "
            "chance which are."
        )
    if found.automatic is not None:
        unit = "translations" if "translations" in counts else "comparisons"
        notes.append(
            "scores are what annotators would say, with the help of "
            f"{', '.join(found.automatic.index)}: {counts[unit]} {unit} that they judged are "
            f"worth {counts['worth']} without that help "
            f"(of differences between systems {counts['worth_of_differences']})."
        )
    return notes + adjusted(counts)


def adjusted(counts):
    """Say of systems judged on different segments what their means are of; a list."""
    if not counts.get("missing"):
        return []
    return [
        f"Systems were judged on different segments: means are of all {counts['segments']:,}, "
        "adjusted for which of them a system was judged on (a two-way fit of systems and segments)."
    ]


def is_sample(found):
    """Tell whether a part of the segments was drawn to be judged."""
    return "of_segments" in found.counts
