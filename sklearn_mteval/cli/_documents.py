"""Documents of the segments that ``rank`` and ``score`` judge, block by block."""

from collections import deque


class Documents:
    """The documents of a file's lines or of a column of candidates; they wait for results."""

    def __init__(self, path, column):
        self._path, self._column, self._waiting, self._n = path, column, deque(), 0
        self._lines, self._one = None, False

    def noting(self, tables):
        """Pass tables on, and note the documents of each."""
        from sklearn_mteval.datasets._files import read_lines

        if self._path is not None:
            self._lines = [" ".join(line.split()) for line in read_lines(self._path)]
            self._one = len(set(self._lines)) == 1 < len(self._lines)  # which says nothing
        for X in tables:
            self._waiting.append(self._of(X))
            yield X
        if self._lines is not None and self._n < len(self._lines):
            raise self._wrong(self._n)

    def taken(self):
        """Return the documents of the first table that waits: a Series by segment, or None."""
        return self._waiting.popleft()

    def _of(self, X):
        """Return the documents of a table."""
        import pandas as pd

        from sklearn_mteval.exceptions import CandidateError
        from sklearn_mteval.segments import documents_of_segments

        if self._lines is not None:
            segments = X.index.unique("segment")
            first, self._n = self._n, self._n + len(segments)
            if self._n > len(self._lines):
                raise self._wrong(f"more than {len(self._lines)}")
            if self._one:
                return None
            return pd.Series(self._lines[first : self._n], segments, dtype=object)
        if self._column is None and "document" in X.columns:
            return documents_of_segments(X["document"].to_numpy(), X, part=True)
        if not self._column:  # False: not to be read
            return None
        if self._column not in X.columns:
            raise CandidateError(f"There is no column {self._column!r} (--columns document=).")
        return documents_of_segments(X[self._column].to_numpy(), X, part=True)

    def _wrong(self, n):
        """Return the error of a file that has another number of lines than there are segments."""
        from sklearn_mteval.exceptions import DataFileError

        problem = f"expected a line for each segment, {n}, found {len(self._lines)}."
        return DataFileError(self._path, problem)
