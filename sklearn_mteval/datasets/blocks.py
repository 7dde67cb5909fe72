"""Candidate tables that come in blocks of whole segments, for what does not fit into memory."""

from sklearn_mteval.datasets.suspicious.findings import Findings

BLOCK = 1 << 13  # candidates that are read, and worked on, at once


class Blocks:
    """Candidate tables, read one after the other; each has whole segments that no other has.

    What is read from a pipe can be read once only. ``n_candidates`` are there in all, None where
    that is known at the end only; ``tables()`` is an iterator that warns of nothing.
    """

    def __init__(self, tables, n_candidates=None):
        self.tables, self.n_candidates = tables, n_candidates

    def __iter__(self):
        findings, last = Findings(), None
        for table in self.tables():
            findings.add(table)
            if last is not None:
                yield last
            last = table
        findings.warn()  # before the last block, which mostly is the only one, is worked on
        if last is not None:
            yield last
