"""What it costs that no translation is both marked and error-free, by the ready-made marker.

``python benchmarks/marks_and_error_free.py --encoder FOLDER`` prints, of three rules, the
differences from marks and probabilities as they are: of F, accuracy and Matthews' correlation, all
x 100, of error-free translations, and of F x 100 of marked characters (half the credit for another
severity), on average of the sets of ``error_marker.py``, with intervals of documents resampled.
``SKLEARN_MTEVAL_DATA`` names the data. Some 60 translations are read a second on an idle core.
"""

import argparse
import os
from pathlib import Path

import numpy as np
import pandas as pd
from error_marker import TESTS, load_set, marked_in, some, wrong
from reader_of_three import MQM

from sklearn_mteval import load_pretrained
from sklearn_mteval.datasets import load_mqm

TRANSLATIONS = 400  # of a set
RESAMPLES = 2000
LIKELY = 0.5


def strongest(spans):
    """Return the probability of the strongest mark."""
    return max((span[3] for span in spans), default=0)


RULES = {  # of the probability of no error and the marks: what is said to be error-free, marks
    "as they are": lambda free, spans: (free >= LIKELY, spans),
    "error-free without marks only": lambda free, spans: (free >= LIKELY and not spans, spans),
    "probability times that of the strongest mark being wrong": lambda free, spans: (
        free * (1 - strongest(spans)) >= LIKELY,
        [] if free * (1 - strongest(spans)) >= LIKELY else spans,
    ),
    "no marks of what is error-free": lambda free, spans: (
        free >= LIKELY,
        [] if free >= LIKELY else spans,
    ),
}


def characters(spans, text):
    """Return of each character 0, 1 in a minor error, 2 in a major one."""
    found = np.zeros(len(text), int)
    for start, end, severity, *_ in spans:
        found[start:end] = np.maximum(found[start:end], 1 + (severity == "major"))
    return found


def counts(free, said, true, marked):
    """Count right and wrong answers of both kinds, and characters: credit, marked, true."""
    both = (marked > 0) & (true > 0)
    credit = both.sum() - (both & (marked != true)).sum() / 2
    answers = (said and free, said and not free, free and not said, not (said or free))
    return *answers, credit, (marked > 0).sum(), (true > 0).sum()


def statistics(sums):
    """Return F, accuracy, Matthews' correlation and F of characters, x 100, of sums (n, 7)."""
    tp, fp, fn, tn, credit, marked, true = sums.T
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return 100 * np.column_stack([
        2 * tp / (2 * tp + fp + fn), (tp + tn) / (tp + fp + fn + tn),
        (tp * tn - fp * fn) / np.sqrt(np.maximum(product, 1)), 2 * credit / (marked + true),
    ])  # fmt: skip


def documents_of(data, name, index):
    """Return the document of each translation."""
    found = load_mqm(data / "mqm" / MQM[name][0]).documents
    labels = [f"{name}:{segment}" for segment in found.index.get_level_values("segment")]
    by_segment = pd.Series(found.to_numpy(), labels).groupby(level=0).first()
    return by_segment[index.get_level_values("segment")].to_numpy()


def measured(data, marker, name, rng):
    """Return statistics (1 + resamples, 4) of each rule on a set, the first of all documents."""
    X, marks, held_out = load_set(data, name)
    X = some(X[held_out], TRANSLATIONS, "m")
    any_error = marks.groupby(level=["segment", "system"]).agg(lambda x: any(map(wrong, x)))
    table, probabilities = marker.mark_and_judge(X)
    spans = {label: [] for label in X.index}
    for label, *span in table[["start", "end", "severity", "probability"]].itertuples():
        spans[label].append(tuple(span))
    codes, documents = pd.factorize(documents_of(data, name, X.index))
    n = len(documents)
    weights = np.vstack([np.ones(n), rng.multinomial(n, np.full(n, 1 / n), RESAMPLES)])
    found = {}
    for rule, apply in RULES.items():
        rows = []
        for label, text, true in zip(X.index, X["hypothesis"], marked_in(marks, X), strict=True):
            said, kept = apply(probabilities[label], spans[label])
            of_text = (characters(true, text), characters(kept, text))
            rows.append(counts(not any_error[label], bool(said), *of_text))
        sums = [np.bincount(codes, column, n) for column in np.array(rows, float).T]
        found[rule] = statistics(weights @ np.array(sums).T)
    return found


def main():
    """Print a line for each rule."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoder", required=True)
    given = parser.parse_args()
    data, rng = Path(os.environ["SKLEARN_MTEVAL_DATA"]), np.random.default_rng(0)
    marker = load_pretrained("error-marker", encoder=given.encoder)
    sets = [measured(data, marker, name, rng) for name in TESTS]
    before = np.mean([found["as they are"] for found in sets], axis=0)
    for rule in RULES:
        values = np.mean([found[rule] for found in sets], axis=0)
        differences = values - before
        low, high = np.percentile(differences[1:], [2.5, 97.5], axis=0)
        cells = [
            f"{value:.1f} ({by:+.1f} [{a:+.1f}, {b:+.1f}])"
            for value, by, a, b in zip(values[0], differences[0], low, high, strict=True)
        ]
        print(f"{rule}: {'; '.join(cells)}")


if __name__ == "__main__":
    main()
