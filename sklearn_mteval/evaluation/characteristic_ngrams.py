"""Which words one system says more often than another: Monroe, Colaresi and Quinn 2008.

*Fightin' words: lexical feature selection and evaluation for identifying the content of political
conflict*, Political Analysis 16(4), equations 16, 18 and 22.
"""

import numpy as np
import pandas as pd

from sklearn_mteval.candidates import check_candidates, check_texts, label_index, segment_codes
from sklearn_mteval.text.tokenizers import words_of
from sklearn_mteval.text.tokens import flatten

_LONGEST = 3  # words


def characteristic_ngrams(X, first, second, n_each=20):
    """Rank n-grams of 1 to 3 words by how much more often one of two systems says them.

    Log-odds, among n-grams of one length, of the first less the second, on the segments of both,
    are smoothed by a Dirichlet prior: the counts of all systems, scaled to a mean system; divided
    by the standard deviation they are z. Those with punctuation, or within a longer one that is
    characteristic and as often there, are left out. Up to ``n_each`` of each system, a DataFrame by
    ``ngram`` with ``of_first``, ``of_second`` (counts), ``log_odds``, ``z``, both positive for the
    first.
    """
    texts, codes, names = _texts_of_both(X, first, second)
    pair = names.get_indexer(label_index([first, second]))
    found = [
        _compared(ngrams, of_texts, codes, pair, len(names)) for ngrams, of_texts in _ngrams(texts)
    ]
    ngrams = [ngram for some, _ in found for ngram in some]
    values = np.vstack([np.empty((0, len(_COLUMNS))), *(values for _, values in found)])
    order = np.argsort(-values[:, -1], kind="stable")
    ahead, behind = (order[values[order, -1] > 0], order[values[order, -1] < 0][::-1])
    ahead, behind = (_without_parts(ngrams, values, side, n_each) for side in (ahead, behind))
    kept = [*ahead, *behind[::-1]]
    # Not of pandas' own type of texts, which lone surrogates would not be of.
    index = pd.Index([ngrams[k] for k in kept], name="ngram", dtype=object)
    table = pd.DataFrame(values[kept], index, _COLUMNS)
    return table.astype(dict.fromkeys(_COLUMNS[:2], np.int64))


def _texts_of_both(X, first, second):
    """Return texts of segments that two systems have translated, systems' codes, and names."""
    check_candidates(X)
    systems = X.index.get_level_values("system")
    for name in (first, second):
        if name not in systems:
            raise ValueError(f"There is no system {name!r}, only {list(systems.unique())}.")
    segments = segment_codes(X)
    codes, names = pd.factorize(systems)
    rows = np.unique(segments * len(names) + codes, return_index=True)[1]
    codes, segments = codes[rows], segments[rows]
    of_each = (segments[codes == code] for code in names.get_indexer(label_index([first, second])))
    kept = np.isin(segments, np.intersect1d(*of_each))
    texts = check_texts(X.iloc[rows], "hypothesis")
    return [texts[k] for k in np.flatnonzero(kept)], codes[kept], names


_COLUMNS = ["of_first", "of_second", "log_odds", "z"]


def _ngrams(texts):
    """Yield for each length the n-grams, as texts, and for each of their places (ngram, text)."""
    tokens = words_of(texts)
    flat, bounds = flatten([tokens(text) for text in texts])
    words = tokens.words
    is_word = np.array([any(map(str.isalnum, word)) for word in words], dtype=bool)
    of_text = np.repeat(np.arange(len(texts)), np.diff(bounds))
    ends = bounds[of_text + 1]
    places, numbers, starts = np.arange(len(flat)), np.zeros(len(flat), dtype=np.int64), [""]
    for n in range(_LONGEST):  # words before the last one
        kept = places + n < ends[places]
        kept[kept] = is_word[flat[places[kept] + n]]
        places, numbers = places[kept], numbers[kept]
        if not len(places):
            return
        keys = numbers * len(words) + flat[places + n]
        distinct, numbers = np.unique(keys, return_inverse=True)
        joined = zip(*np.divmod(distinct, len(words)), strict=True)
        names = [starts[before] + words[last] for before, last in joined]
        yield names, (numbers, of_text[places])
        starts = [f"{name} " for name in names]


def _compared(ngrams, places, codes, pair, n_systems):
    """Compare two systems' counts of n-grams of one length."""
    numbers, texts = places
    counts = np.zeros((len(ngrams), n_systems))
    np.add.at(counts, (numbers, codes[texts]), 1)
    prior = counts.sum(axis=1) / len(np.unique(codes))
    smoothed = counts[:, pair] + prior[:, np.newaxis]
    rest = smoothed.sum(axis=0) - smoothed
    # Of the only n-gram that there is, the rest is nothing.
    with np.errstate(divide="ignore", invalid="ignore"):
        log_odds = -np.diff(np.log(smoothed) - np.log(rest), axis=1)[:, 0]
    log_odds = np.where((rest > 0).all(axis=1), log_odds, 0.0)
    z = log_odds / np.sqrt((1 / smoothed).sum(axis=1))
    said = np.flatnonzero(counts[:, pair].any(axis=1))
    return [ngrams[k] for k in said], np.column_stack([counts[:, pair], log_odds, z])[said]


def _without_parts(ngrams, values, rows, n_each):
    """Keep the first n-grams, each in place of its parts that are as often there."""
    rows, kept = rows[: 4 * n_each], []
    for row in rows:
        around = (
            other for other in rows
            if (values[other, :2] == values[row, :2]).all()
            and len(ngrams[other]) > len(ngrams[row])
            and f" {ngrams[row]} " in f" {ngrams[other]} "
        )  # fmt: skip
        if next(around, None) is None:
            kept.append(row)
    return kept[:n_each]
