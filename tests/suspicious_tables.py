"""Candidate tables of lines, as files are read: of the packaged sample, which is sound."""

import pandas as pd

from sklearn_mteval.datasets import load_sample

SAMPLE, Y = load_sample(return_X_y=True)
SYSTEMS = ["hybrid", "neural", "rule"]  # three of five
GIVEN = ("source", "reference")


def table(systems, first=0, **columns):
    """A candidate table of systems' lines, and further columns of lines."""
    n_lines = len(next(iter(systems.values())))
    segments = range(first, first + n_lines)
    rows = pd.MultiIndex.from_product([segments, systems], names=["segment", "system"])
    texts = {"hypothesis": [lines[k] for k in range(n_lines) for lines in systems.values()]}
    for name, lines in columns.items():
        texts[name] = [line for line in lines for _ in systems]
    return pd.DataFrame(texts, rows, dtype=object)


def sample_lines(n=None):
    """The lines of the sample: of systems, source and reference."""
    lines = {name: SAMPLE.xs(name, level="system")["hypothesis"].tolist() for name in SYSTEMS}
    one = SAMPLE.xs(SYSTEMS[0], level="system")
    return {name: some[:n] for name, some in (lines | {c: one[c].tolist() for c in GIVEN}).items()}


def of_lines(lines, *, without=()):
    """A table of such lines, counted from 1."""
    columns = {name: lines[name] for name in GIVEN if name not in without}
    systems = {name: some for name, some in lines.items() if name not in GIVEN}
    return table({name: systems[name] for name in systems if name not in without}, 1, **columns)
