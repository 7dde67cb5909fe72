"""The distinct translations of each segment, as the compiled loops take them."""

from typing import NamedTuple

import numpy as np

from sklearn_mteval.candidates import check_sources, check_texts, segment_codes
from sklearn_mteval.features.base import number_within
from sklearn_mteval.text.tokens import TokenInterner, flatten

_MOST_WORDS = 1000  # of a text: aligning two takes time and memory by the product of their lengths


class Segments(NamedTuple):
    """Distinct translations, of segment s (texts from ``segment_bounds[s]`` on) the references,
    then the hypotheses, and its source; text k has the words from ``bounds[k]`` on; ``rows`` have
    texts.
    """

    flat: np.ndarray
    bounds: np.ndarray
    segment_bounds: np.ndarray
    n_references: np.ndarray
    sources: np.ndarray
    source_bounds: np.ndarray
    words: list
    rows: np.ndarray
    texts: list
    source_texts: list

    def target_words(self):
        """List the words of translations, the first ones; the others are in sources only."""
        return self.words[: self.flat.max(initial=-1) + 1]


def distinct_translations(X, *, columns, competing, lowercase):
    """Collect the distinct translations of each segment; without ``competing`` each by itself."""
    n = len(X)
    hypotheses = check_texts(X, "hypothesis")
    references = check_texts(X, "reference", several=True) if "reference" in columns else [()] * n
    sources = check_texts(X, "source") if "source" in columns else [""] * n
    labels = hypotheses
    if competing:
        labels = check_sources(X) if "source" in X.columns else segment_codes(X)
        labels = labels.tolist()
    keys = list(zip(labels, references, sources, strict=True))
    # In one order, so that sums over competitors do not depend on that of the rows.
    segments, rows = number_within(keys, hypotheses, order=sorted)
    all_texts = [text for (_, given, _), texts in segments.items() for text in (*given, *texts)]
    n_references = np.array([len(given) for _, given, _ in segments], dtype=np.int64)
    n_hypotheses = np.array([len(texts) for texts in segments.values()], dtype=np.int64)
    rows += np.repeat(np.cumsum(n_references), n_hypotheses)[rows]  # which stand before
    tokens = TokenInterner("13a", lowercase)
    flat, bounds = flatten([tokens(text)[:_MOST_WORDS] for text in all_texts])
    # After the translations, so that words that only sources have come last.
    source_texts = [text for _, _, text in segments]
    given = [tokens(text)[:_MOST_WORDS] for text in source_texts]
    segment_bounds = np.concatenate([[0], np.cumsum(n_references + n_hypotheses)])
    return Segments(
        flat, bounds, segment_bounds, n_references, *flatten(given), tokens.words, rows, all_texts,
        source_texts,
    )  # fmt: skip
