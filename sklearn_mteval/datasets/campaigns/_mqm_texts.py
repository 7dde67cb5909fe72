"""One text for what raters were shown: published rows hold a rater's mend, or a text twice."""

from collections import defaultdict
from typing import NamedTuple

from sklearn_mteval._helpers.error_spans import SOURCE, TRANSLATION, UNKNOWN


class Agreed(NamedTuple):
    """Texts that most raters have, and what became of marks in others."""

    sources: dict  # by segment
    targets: dict  # by (segment, system)
    n_other: int  # rows that have another translation
    n_moved: int  # marks in these, moved to the same words
    n_lost: int  # marks whose words are not there, or there twice: at an unknown place

    def said(self):
        """Say it in a sentence; "" where all rows agree."""
        if not self.n_other:
            return ""
        return (
            f" {self.n_other} rows have another text than most raters' of the same translation, a "
            f"rater's own mend or the translation twice: that of most is taken, {self.n_moved} "
            f"marks were moved to it, {self.n_lost} fit nowhere."
        )


def agree_on_texts(rows, labels):
    """Find each text that most raters have; move, in the rows' lists, marks that fit there."""
    sources, targets = (defaultdict(lambda: defaultdict(set)) for _ in range(2))
    for row, label in zip(rows, labels, strict=True):
        sources[label][row.source].add((row.system, row.rater))
        targets[label, row.system][row.target].add(row.rater)
    sources = {key: _of_most(texts) for key, texts in sources.items()}
    targets = {key: _of_most(texts) for key, texts in targets.items()}
    n_other, moved = 0, []
    for row, label in zip(rows, labels, strict=True):
        source, target = sources[label], targets[label, row.system]
        n_other += row.target != target
        for k, error in enumerate(row.errors):
            mine = {TRANSLATION: row.target, SOURCE: row.source}.get(error.place)
            agreed = source if error.place == SOURCE else target
            if mine is not None and mine != agreed:
                row.errors[k] = _moved(error, mine, agreed)
                moved.append(row.errors[k].place != UNKNOWN)
    return Agreed(sources, targets, n_other, sum(moved), len(moved) - sum(moved))


def _of_most(texts):
    """Return the text of most raters; of several the shortest, for some rows have a text twice."""
    return min(texts, key=lambda text: (-len(texts[text]), len(text), text))


def _moved(error, mine, agreed):
    """Return an error at the same, or only such, words of another text, or at an unknown place."""
    words = mine[error.start : error.end]
    if agreed[error.start : error.end] == words:
        return error
    if agreed.count(words) == 1:
        start = agreed.index(words)
        return error._replace(start=start, end=start + len(words))
    return error._replace(start=0, end=0, place=UNKNOWN)
