"""Where systems do well and badly: scores and win rates by kind of segment, and spoilt texts."""

from collections import Counter
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval.candidates import check_candidates, check_texts, segment_codes
from sklearn_mteval.evaluation.system import human_systems, kind_of_scores
from sklearn_mteval.metrics.core.ratios import mean_of_known, ratio
from sklearn_mteval.metrics.system.tables import score_table
from sklearn_mteval.metrics.system.wins import win_counts
from sklearn_mteval.text.tokenizers import parts_by_length, words_of

FAULTS = ("untranslated", "doubled", "truncated", "empty")
HUMAN = "annotators"

_QUARTERS = 4
_MOST_DOCUMENTS = 20
_Z = 1.959964  # of an interval of 95 %
_DIFFICULTY = {
    2: ("the harder half", "the easier half"),
    3: ("the hardest third", "the middle", "the easiest third"),
    4: ("the hardest quarter", "rather hard", "rather easy", "the easiest quarter"),
}
# Top n-gram counts of Raunak, Menezes and Junczys-Dowmunt 2021, "The curious case of hallucinations
# in neural machine translation"; the numbers are those of Guerreiro, Voita and Martins 2023,
# "Looking for a needle in a haystack".
_LOOP, _MORE_OFTEN = 4, 2
_HALF = 2  # words at least that are said twice
_SHORT = 0.5  # of the reference's words
_ENOUGH = 6  # words of a text that can be truncated


class Theme(NamedTuple):
    """Scores of systems by kinds of segments or translations."""

    title: str
    note: str
    # By scoring, kind, system: n, score with low and high (95 % of a normal mean), win_rate.
    table: pd.DataFrame


class _Scoring(NamedTuple):
    """Of each segment and system, (n_segments, n_systems)."""

    scores: np.ndarray  # higher is better, NaN is missing
    beaten: np.ndarray  # how many translations it was better than, ties counting half
    met: np.ndarray  # how many it was compared with


class _Table(NamedTuple):
    """The rows of a candidate table, of each translation the first one."""

    rows: np.ndarray
    segments: np.ndarray  # codes
    systems: np.ndarray  # codes
    segment_names: pd.Index
    system_names: pd.Index

    def spread(self, values, otherwise):
        """Return values of all rows as an array (n_segments, n_systems)."""
        table = np.full((len(self.segment_names), len(self.system_names)), otherwise)
        table[self.segments, self.systems] = np.asarray(values)[self.rows]
        return table

    def of(self, frame):
        """Return a table of these segments and systems, of one that may have others."""
        return frame.reindex(index=self.segment_names, columns=self.system_names)

    def of_segments(self, values):
        """Return, of values of all rows, those of each segment's first one."""
        return np.asarray(values)[self.rows[np.unique(self.segments, return_index=True)[1]]]


def themes_of(X, scores, y=None, *, documents=None, domains=None, flags=None):
    """Score systems by length, difficulty, document, domain and flags: a list of Themes.

    ``scores`` (higher is better, NaN is missing) are indexed by segment and system; ``y`` are
    judgements, a Series; ``documents``, ``domains`` ("" is unknown) and ``flags`` (lists) of X.
    """
    check_candidates(X)
    table = _table_of(X)
    scorings = {name: _of_scores(column, table) for name, column in dict(scores).items()}
    if y is not None:
        scorings[HUMAN] = _of_judgements(y, table)
    kinds = [
        ("Length", *_by_length(X, table)),
        ("Difficulty", *_by_difficulty(scorings, y)),
        ("Document", *_by_label(documents, table, "documents", _MOST_DOCUMENTS)),
        ("Domain", *_by_label(domains, table, "domains", None)),
        ("Flags", *_by_flags(flags, table)),
    ]
    return [
        Theme(title, note, _scored(scorings, masks, table.system_names))
        for title, note, masks in kinds
        if len(masks) > 1
    ]


def _table_of(X):
    """Find the first row of each translation."""
    segments = segment_codes(X)
    systems, names = pd.factorize(X.index.get_level_values("system"), sort=True)
    labels = X.index.get_level_values("segment")[np.unique(segments, return_index=True)[1]]
    rows = np.unique(segments * len(names) + systems, return_index=True)[1]
    return _Table(rows, segments[rows], systems[rows], labels, names)


def _of_scores(column, table):
    """Make a scoring of a metric's scores."""
    levels = [column.index.get_level_values(level) for level in ("segment", "system")]
    scores = table.of(score_table(column.to_numpy(), *levels, missing="skip"))
    met = scores.notna().sum(axis=1).to_numpy()[:, np.newaxis] - 1
    # A middle rank counts the worse ones, half of the equal ones, and itself.
    beaten = scores.rank(axis=1).to_numpy() - 1
    there = scores.notna().to_numpy()
    return _Scoring(scores.to_numpy(), np.where(there, beaten, 0), np.where(there, met, 0))


def _of_judgements(y, table):
    """Make a scoring of judgements."""
    if kind_of_scores(y) != "expected-wins":
        return _of_scores(-y, table)
    counts = win_counts(y.to_frame(), y)
    wins, losses, ties = (
        table.of(pd.DataFrame(part, counts.segments, counts.systems)).fillna(0).to_numpy()
        for part in counts.by_segment()
    )
    scores = table.of(human_systems(y).table).to_numpy()
    return _Scoring(scores, wins + ties / 2, wins + losses + ties)


def _scored(scorings, masks, systems):
    """Score systems by kinds, each a mask (n_segments, n_systems)."""
    rows = []
    for name, scoring in scorings.items():
        for kind, mask in masks.items():
            there = mask & ~np.isnan(scoring.scores)
            n, values = there.sum(axis=0), np.where(there, scoring.scores, 0.0)
            means = ratio(values.sum(axis=0), n)
            squares = np.where(there, (values - means) ** 2, 0.0).sum(axis=0)
            half = _Z * np.sqrt(ratio(squares, n * (n - 1.0)))
            beaten, met = (np.where(mask, part, 0).sum(axis=0) for part in scoring[1:])
            columns = n, means, means - half, means + half, ratio(beaten, met)
            rows += [(name, kind, *one) for one in zip(systems, *columns, strict=True)]
    levels = ["scoring", "kind", "system"]
    columns = [*levels, "n", "score", "low", "high", "win_rate"]
    # Not of pandas' own type of texts, which lone surrogates would not be of.
    found = pd.DataFrame(rows, columns=columns, dtype=object).set_index(levels)
    return found.astype(dict.fromkeys(found, float) | {"n": int})


def _by_length(X, table):
    """Part segments by the words of the reference, or the source."""
    column = next((name for name in ("reference", "source") if name in X), None)
    if column is None:
        return "", {}
    cells = check_texts(X.iloc[table.of_segments(np.arange(len(X)))], column, several=True)
    words = words_of([text for cell in cells for text in cell])
    lengths = [round(np.mean([len(words(text)) for text in cell] or [0])) for cell in cells]
    masks = parts_by_length(lengths, _QUARTERS)
    masks = {kind: mask[:, np.newaxis] for kind, mask in masks.items()}
    return f"Segments by the words of the {column}.", masks


def _by_difficulty(scorings, y):
    """Part segments by the mean judgement, or the mean score of the first metric."""
    judged = y is not None and kind_of_scores(y) != "expected-wins"
    if judged:  # ranks have the same best one in each segment
        best = y.groupby(level="segment").min()
        judged = best.min() < best.max()
    if not judged and next(iter(scorings), HUMAN) == HUMAN:
        return "", {}
    name = HUMAN if judged else next(iter(scorings))
    numbers = _quarters(mean_of_known(scorings[name].scores, 1))
    n = numbers.max(initial=-1) + 1
    note = f"Segments by the mean {'judgement' if judged else f'{name} score'} of all systems."
    if y is not None and not judged:
        note += " Ranks do not say how hard a segment is."
    return note, {
        _DIFFICULTY[n][k]: (numbers == k)[:, np.newaxis] for k in range(n)
    } if n > 1 else {}


def _quarters(values):
    """Number the quarter of each value from 0, equal values alike; -1 for NaN."""
    there = ~np.isnan(values)
    edges = np.quantile(values[there], np.arange(1, _QUARTERS) / _QUARTERS) if there.any() else []
    numbers = np.where(there, np.searchsorted(edges, values), -1)
    return np.unique(np.append(numbers, -1), return_inverse=True)[1][:-1] - 1


def _by_label(labels, table, what, most):
    """Part segments by label, the most frequent first."""
    if labels is None:
        return "", {}
    labels = list(map(str, pd.Series(labels, dtype=object).fillna("")))
    labels = table.of_segments(np.array(labels, dtype=object))
    sizes = Counter(label for label in labels if label)
    chosen = [label for label, _ in sizes.most_common(most)]  # of equal ones the first
    more = len(sizes) - len(chosen)
    note = f"The {len(chosen)} largest of {len(sizes)} {what}." if more else f"All {what}."
    return note, {label: (labels == label)[:, np.newaxis] for label in chosen}


def _by_flags(flags, table):
    """Part translations by whether they have flags."""
    if flags is None:
        return "", {}
    flagged = table.spread(np.array([bool(len(some)) for some in flags]), False)
    there = table.spread(np.ones(len(flags), dtype=bool), False)
    if not flagged.any():
        return "", {}
    note = "Translations that contradict a number, name or negation, or have untranslated words."
    return note, {"with flags": flagged, "without flags": there & ~flagged}


def spoilt_texts(X):
    """Count each system's translations that are hardly any: a DataFrame by system.

    Columns are ``translations`` and the counts of

    - ``untranslated``: equal to the source, and to no reference;
    - ``doubled``: of two equal halves of two words or more, which neither source nor reference has;
      or the most frequent four words in a row are there twice more often than in these;
    - ``truncated``: of fewer than half the words of each reference, if these have six or more;
      without references, of the median translation of the segment;
    - ``empty``: without text, though the source, a reference or another translation has some.
    """
    check_candidates(X)
    table = _table_of(X)
    rows = X.iloc[table.rows]
    texts = check_texts(rows, "hypothesis")
    sources, references = (
        check_texts(rows, column, several=True) if column in X else [()] * len(rows)
        for column in ("source", "reference")
    )
    words = words_of(texts)
    repeated = cache(lambda text: _repeated(words(text)))
    lengths = np.array([len(words(text)) for text in texts], dtype=np.int64)
    there = np.array([bool(text.strip()) for text in texts], dtype=bool)
    lengths_there = pd.Series(np.where(there, lengths, np.nan))
    medians = lengths_there.groupby(table.segments).transform("median")
    found = []
    of_rows = zip(texts, sources, references, lengths, medians, strict=True)
    for text, of_source, of_reference, n, median in of_rows:
        others = *of_source, *of_reference
        if not text.strip():  # it is nothing else, and empty only beside some text
            found.append((False, False, False, median > 0 or any(map(str.strip, others))))
            continue
        limit = min((len(words(x)) for x in of_reference), default=median)
        same = [text.strip() == other.strip() for other in others]
        copied = any(same[: len(of_source)]) and not any(same[len(of_source) :])
        truncated = limit >= _ENOUGH and n < _SHORT * limit
        found.append((copied, _is_doubled(text, others, repeated), truncated, False))
    columns = np.array(found, dtype=np.int64).reshape(-1, len(FAULTS)).T
    codes, n = table.systems, len(table.system_names)
    counts = {"translations": np.bincount(codes, minlength=n)}
    for fault, column in zip(FAULTS, columns, strict=True):
        counts[fault] = np.bincount(codes, column, minlength=n).astype(np.int64)
    return pd.DataFrame(counts, index=table.system_names.rename("system"))


def _is_doubled(text, others, repeated):
    """Tell whether a text repeats itself as source and references do not."""
    doubled, most = repeated(text)
    known = [repeated(other) for other in others]
    once = max((often for _, often in known), default=1)
    return (doubled and not any(twice for twice, _ in known)) or most >= once + _MORE_OFTEN


def _repeated(words):
    """Tell whether a text is one half twice, and how often its most frequent four words occur."""
    half = len(words) // 2
    doubled = half >= _HALF and words[:half] == words[-half:] and len(words) - 2 * half == 0
    runs = Counter(zip(*(words[k:] for k in range(_LOOP)), strict=False))
    return doubled, max(runs.values(), default=1)
