"""Judgements of texts of several sentences, made of judgements of single ones, to train on."""

import re

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.options import check_integer, check_proportion
from sklearn_mteval.candidates import (
    TEXT_COLUMNS,
    as_texts,
    check_candidates,
    check_ranks,
    check_texts,
    group_codes,
    segment_codes,
    segment_labels,
)

_FEWEST, _SYSTEMS = 2, 2  # segments of a joined one, systems that all of them must have
# Characters of Chinese and Japanese, and their marks, beside which sentences stand without a blank.
_WITHOUT_BLANKS = re.compile("[\u3001-\u30ff\u3400-\u9fff\uff01-\uff9f\U00020000-\U000323af]")
_NUMBERED = re.compile(r"(.*?)(\d+)", re.DOTALL)  # what a label begins with, and its number


def joined_judgements(X, y, *, proportion=0.25, longest=8, random_state=0):
    """Join neighbouring segments to longer ones, of the systems that all of them have.

    Neighbours are segments whose labels begin alike and end in numbers between which X has none,
    such as "wmt15.de-en:17" and "wmt15.de-en:19"; of labels that end in no number, segments that
    follow each other in X. ``proportion`` is how many are made for each segment, at most; of how
    many, between 2 and ``longest``, is drawn. Returned are a table like X; y, of each system the
    mean of its mean ranks in them; and the rows of X that each row is made of, (n_candidates,
    longest), the last one repeated where there are fewer.
    """
    check_candidates(X)
    ranks = check_ranks(y, X)
    check_proportion("proportion", proportion)
    check_integer("longest", longest, minimum=_FEWEST)
    rng = check_random_state(random_state)
    runs, first = _runs(X)
    mean, row_of = _by_system(X, ranks)
    taken = set(map(str, segment_labels(X).unique()))
    labels, rows, means = [], [], []
    for number in range(int(np.ceil(proportion * len(first)))):
        run, systems = _drawn(runs, row_of, longest, rng)
        if len(systems) < _SYSTEMS:
            continue
        label = f"{segment_labels(X)[first[run[0]]]}#joined#{number}"
        while label in taken:
            label += "#"
        taken.add(label)
        for system in systems:
            labels.append((label, system))
            rows.append([row_of[segment][system] for segment in run])
            means.append(np.mean([mean[row] for row in rows[-1]]))
    segments, systems = zip(*labels, strict=True) if labels else ((), ())
    levels = {"segment": segments, "system": systems}
    index = pd.MultiIndex.from_arrays(
        [levels.get(name, ["joined"] * len(rows)) for name in X.index.names], names=X.index.names
    )
    return (
        pd.DataFrame(_texts(X, rows), index),
        pd.Series(means, index, dtype=np.float64, name=getattr(y, "name", None)),
        np.array([(own + own[-1:] * longest)[:longest] for own in rows], np.int64).reshape(
            -1, longest
        ),
    )


def _runs(X):
    """List the segments (numbers) of each neighbourhood in their order; the first row of each."""
    segments = segment_labels(X)
    first = np.flatnonzero(~pd.Series(group_codes(segments, len(X))).duplicated())
    runs = {}
    for place, label in enumerate(segments[first]):
        found = _NUMBERED.fullmatch(str(label))
        start, number = (found[1], int(found[2])) if found else (None, place)
        runs.setdefault(start, []).append((number, str(label), place))
    return [[place for *_, place in sorted(run)] for _, run in sorted(runs.items(), key=str)], first


def _by_system(X, ranks):
    """Return each row's mean rank of its system in its segment; the first row of these."""
    codes = segment_codes(X)
    systems = X.index.get_level_values("system")
    mean = pd.Series(ranks).groupby([codes, systems.to_numpy()]).transform("mean").to_numpy()
    row_of = [{} for _ in range(codes.max(initial=-1) + 1)]
    for row, (segment, system) in enumerate(zip(codes, systems, strict=True)):
        row_of[segment].setdefault(system, row)
    return mean, row_of


def _drawn(runs, row_of, longest, rng):
    """Draw neighbours, fewer while too few systems have them all, and list these systems."""
    sizes = np.array([len(run) for run in runs])
    place = int(rng.randint(sizes.sum()))
    run = int(np.searchsorted(np.cumsum(sizes), place, side="right"))
    n = int(rng.randint(_FEWEST, longest + 1))
    start = max(0, min(place - int(sizes[:run].sum()), len(runs[run]) - n))
    found = runs[run][start : start + n]
    while len(found) >= _FEWEST:
        common = set.intersection(*(set(row_of[segment]) for segment in found))
        if len(common) >= _SYSTEMS:
            return found, sorted(common, key=str)
        found = found[:-1]
    return found, []


def _texts(X, rows):
    """Join the texts of rows, column by column; of references as many as all of them have."""
    made = {}
    for column in (name for name in X if name in TEXT_COLUMNS):
        cells = check_texts(X, column, several=column == "reference")
        together = (zip(*(as_texts(cells[row]) for row in own), strict=False) for own in rows)
        found = [[_joined(parts) for parts in texts] for texts in together]
        made[column] = [texts[0] if len(texts) == 1 else texts for texts in found]
    return made


def _joined(parts):
    """Join texts that are not empty."""
    joined = ""
    for part in filter(None, map(str.strip, parts)):
        beside = joined[-1:] + part[0]
        joined += ("" if not joined or _WITHOUT_BLANKS.search(beside) else " ") + part
    return joined
