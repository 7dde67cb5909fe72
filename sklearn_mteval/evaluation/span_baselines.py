"""What an F of marked errors is worth: what is reached without a metric, and by annotators."""

from collections import Counter
from itertools import permutations

import pandas as pd

NOTHING, EVERYTHING = "nothing marked", "everything marked"
ANNOTATORS = "annotators with each other"
BASELINES = NOTHING, EVERYTHING, ANNOTATORS


def baseline_spans(people, texts=None):
    """Map baselines to the errors of each row, a Series like ``people``, those of annotators.

    Everything is marked where there are texts: each as one error of the most frequent severity.
    """
    severities = Counter(span.severity for spans in people for span in spans)
    [(severity, _)] = severities.most_common(1) or [("major", 0)]
    found = {NOTHING: [[] for _ in people]}
    if texts is not None:
        found[EVERYTHING] = [[(0, len(text), severity)] if text else [] for text in texts]
    return {name: pd.Series(rows, people.index, dtype=object) for name, rows in found.items()}


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
    index = judgements.y.index[there]
    if judgements.rater_spans is not None:
        return dict(zip(index, judgements.rater_spans[there], strict=True))
    found, first = {}, {}
    if judgements.judges is not None:
        translations = zip(*map(index.get_level_values, ("segment", "system")), strict=True)
        rows = zip(
            index, translations, judgements.judges[there], judgements.spans[there], strict=True
        )
        for label, translation, judge, spans in rows:
            of_all = found.setdefault(first.setdefault(translation, label), {})
            of_all.setdefault(judge, spans)  # what was judged again counts once
    return found
