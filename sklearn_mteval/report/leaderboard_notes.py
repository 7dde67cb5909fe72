"""What stands below a leaderboard: which question it answers, and how to read its columns."""

import math

import numpy as np

from sklearn_mteval.metrics.core.units import FEW_CLUSTERS
from sklearn_mteval.report.cells import INFINITY, UNDEFINED, percent
from sklearn_mteval.report.summaries.phrases import UNKNOWN_DOCUMENTS, name_of

MOST_TIMES = 100  # as many as there are: more is as good as never

# Which question is answered: systems rank otherwise by others.
_QUESTIONS = {
    "strength": "The score says how often a system is preferred, as odds, and not by how much; by "
    "mean, systems may rank otherwise.",
    "mean": "The mean says how good a system's translations are (0 - y); a few bad ones count as "
    "much as they are bad. By how often they are preferred (strength, win rate), systems may rank "
    "otherwise.",
    "win-rate": "The score is the proportion of its comparisons that a system won, a tie being "
    "half a win, against the opponents that it had, and not by how much. By mean, systems may rank "
    "otherwise.",
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
        "Systems that share a letter are not told apart; ranks are what the tests of all pairs "
        f"leave (p <= {options['alpha']:g}, Holm's correction)."
    )
    if found.annotators is not None and found.annotators["agreement_with_others"].notna().any():
        notes.append(
            "Annotators put translations of a segment in the same order as others, or tie them, in "
            "so many per cent of pairs; their scores correlate with the means of others', and are "
            "higher by so much."
        )
    notes += _notes_on_more(found)
    if found.tie_proportion is not None:
        notes.append(
            f"Two equally strong systems tie in {percent(found.tie_proportion)} % of comparisons."
        )
    if found.judges is not None and "discrimination" in found.judges:
        notes.append(
            "Discrimination is by how much a difference of two systems sways the judge, who at 0 "
            "answers at random, and below 0 the wrong way round."
        )
        wrong = found.judges.index[found.judges["high"] < 0]
        if len(wrong):
            notes.append(f"These answer the wrong way round: {', '.join(map(str, wrong))}.")
    if options["covariates"]:
        notes.append(
            f"Scores are of translations that are alike in: {', '.join(options['covariates'])}."
        )
    if found.counts.get("both_bad"):
        notes.append(
            "Comparisons in which both translations were judged bad are no ties, and left out."
        )
    if not found.table["score"].map(math.isfinite).all():
        notes.append(
            f"{INFINITY} stands for a system that won, or lost, all against the rest, and "
            f"{UNDEFINED} for one with nothing to compare with."
        )
    return notes


def _note_on_intervals(counts):
    """Say what varies as a whole, and what that means for the intervals."""
    unit = "document" if "documents" in counts else "segment"
    n = counts[f"{unit}s"]
    note = (
        f"Intervals are by resampled {unit}s (bootstrap), and by a covariance clustered by {unit} "
        "(sandwich)"
    )
    if n < FEW_CLUSTERS:
        note += f"; of {n} {unit}s both are Student's t intervals"
    if unit == "segment":
        note += f". {UNKNOWN_DOCUMENTS}"
    return f"{note}."


def _minutes_per_segment(found):
    """Return what a segment cost, all systems and annotators together; NaN: not known."""
    if found.annotators is None:
        return math.nan
    return float(found.annotators["minutes"].sum(min_count=1)) / found.counts["segments"]


def more_judgements(found):
    """Return columns of the table of pairs: how many more segments, and minutes, tell two apart."""
    more, cost = found.pairs["more_segments"], _minutes_per_segment(found)
    columns = {"more segments": [_more(found, x) for x in more]}
    if cost == cost:
        columns["more minutes"] = [_more(found, x, cost) for x in more]
    return columns


def _more(found, segments, cost=1.0):
    """Write how many more; nothing of what is told apart."""
    if segments != segments:
        return ""
    most = MOST_TIMES * found.counts["segments"]
    return f"> {most * cost:,.0f}" if segments > most else f"{segments * cost:,.0f}"


def _notes_on_more(found):
    """Say what judgements cost, and how many more tell apart what is not; a list."""
    more, cost, notes = found.more_segments, _minutes_per_segment(found), []
    if cost == cost:
        minutes, judged = found.annotators["minutes"].sum(), found.annotators["judgements"].sum()
        notes.append(
            f"Annotators took {minutes:,.1f} minutes for {judged:,} judgements, "
            f"{60 * minutes / judged:.1f} seconds each, and {cost:.1f} minutes a segment: "
            "tutorials and checks are included, pauses beyond a minute are not."
        )
    alike = np.flatnonzero(~np.isnan(more[0]))
    if len(alike):
        best, next_one = (name_of(found.table.index[k]) for k in (0, alike[0]))
        segments = more[0, alike[0]]
        if segments > MOST_TIMES * found.counts["segments"]:
            notes.append(
                f"{best} and {next_one} are so nearly alike that no number of judgements is worth "
                "the search for a difference."
            )
        else:
            time = f" ({_more(found, segments, cost)} minutes)" * (cost == cost)
            notes.append(
                f"To tell {best} from {next_one}, about {_more(found, segments)} more segments "
                f"would have to be judged{time}."
            )
    if not np.isnan(more).all():
        notes.append(
            "With so many more segments two systems are told apart with a chance of 80 %, if the "
            "true difference is the one that was found, and segments vary and are judged as these. "
            "The difference is uncertain, and so is the number."
        )
    return notes


def _notes_on_samples(found):
    """Say what scores are means of, and what automatic judges are worth."""
    counts, notes = found.counts, []
    if is_sample(found):
        notes.append(
            f"Scores estimate what judgements of all {counts['of_segments']} segments of the test "
            f"set would say; {counts['segments']} are judged."
        )
    if is_sample(found) and counts["not_judged"]:
        notes.append(
            f"{counts['not_judged']} chosen segments are not judged: scores are right only if it "
            "is chance which ones."
        )
    if found.automatic is not None:
        unit = "translations" if "translations" in counts else "comparisons"
        notes.append(
            "Scores are what annotators would say, with the help of "
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
