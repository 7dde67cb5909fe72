"""What an F of marked errors is worth: what is reached without a metric, and by annotators."""

from collections import Counter
from itertools import permutations

import pandas as pd

NOTHING, EVERYTHING = "nothing marked", "everything marked"
ANNOTATORS = "annotators with each other"
BASELINES = NOTHING, EVERYTHING, ANNOTATORS


def baseline_spans(annotated, texts=None):
    """Map baselines to the errors of each row, a Series like ``annotated``, those of annotators.

    Everything is marked where there are texts: each as one error of the most frequent severity.
    """
    severities = Counter(span.severity for spans in annotated for span in spans)
    [(severity, _)] = severities.most_common(1) or [("major", 0)]
    found = {NOTHING: [[] for _ in annotated]}
    if texts is not None:
        found[EVERYTHING] = [[(0, len(text), severity)] if text else [] for text in texts]
    return {name: pd.Series(rows, annotated.index, dtype=object) for name, rows in found.items()}


def annotator_pairs(judgements, there):
    """Return, as Series of equal index, the errors of one annotator and of another of the same
    translation, of each two and both ways, where it is ``there``; None: no two marked one.
    """
    of_one, of_other, labels = [], [], []
    for label, by_annotator in _by_annotator(judgements, there).items():
        for one, other in permutations(sorted(by_annotator), 2):
            of_one.append(by_annotator[one])
            of_other.append(by_annotator[other])
            labels.append(label)
    if not labels:
        return None
    index = pd.MultiIndex.from_tuples(labels, names=judgements.y.index.names)
    return tuple(pd.Series(rows, index, dtype=object) for rows in (of_one, of_other))


def _by_annotator(judgements, there):
    """Map the first row of each translation to the errors of each annotator, by name."""
    index, first = judgements.y.index[there], {}
    for label, translation in zip(index, _translations(index), strict=True):
        first.setdefault(translation, label)
    if judgements.marks is not None:
        marks, annotators = judgements.marks, judgements.marks.index.get_level_values("rater")
    elif judgements.judges is not None:
        marks, annotators = judgements.spans, judgements.judges
    else:
        return {}
    found = {}
    rows = zip(_translations(marks.index), annotators, marks, strict=True)
    for translation, who, spans in rows:
        if translation in first:  # what was judged again counts once
            found.setdefault(first[translation], {}).setdefault(who, spans)
    return found


def _translations(index):
    """Return the segment and the system of each label."""
    return zip(*map(index.get_level_values, ("segment", "system")), strict=True)
