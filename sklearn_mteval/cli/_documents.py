"""Documents of the segments that ``rank`` and ``score`` judge, block by block."""

DOCUMENTS = "the document of each segment, a label a line: segments of a document vary together"


def lines_of_documents(path):
    """Read the document of each segment from a file, a label a line."""
    from sklearn_mteval.datasets._files import read_lines

    return [" ".join(line.split()) for line in read_lines(path)]


def documents_of_file(path, segments):
    """Read the document of each of some segments, an Index, as a Series; None without a file."""
    import pandas as pd

    if path is None:
        return None
    lines = lines_of_documents(path)
    if len(lines) != len(segments):
        raise wrong_length(path, len(segments), len(lines))
    return pd.Series(lines, segments, dtype=object)


def wrong_length(path, expected, found):
    """Return the error of a file that has another number of lines than there are segments."""
    from sklearn_mteval.exceptions import DataFileError

    return DataFileError(path, f"expected a line for each segment, {expected}, found {found}.")


class Documents:
    """The documents of a file's lines or of a column of candidates, table after table."""

    def __init__(self, path, column):
        self._path, self._column, self._n = path, column, 0
        self._lines = None if path is None else lines_of_documents(path)
        self._one = path is not None and len(set(self._lines)) == 1 < len(self._lines)

    def check_end(self):
        """Raise if the file has more lines than there were segments."""
        if self._lines is not None and self._n < len(self._lines):
            raise wrong_length(self._path, self._n, len(self._lines))

    def of(self, X):
        """Return the documents of the next table: a Series by segment, or None."""
        import pandas as pd

        from sklearn_mteval.exceptions import CandidateError
        from sklearn_mteval.segments import documents_of_segments

        if self._lines is not None:
            segments = X.index.unique("segment")
            first, self._n = self._n, self._n + len(segments)
            if self._n > len(self._lines):
                n = len(self._lines)
                raise wrong_length(self._path, f"more than {n}", n)
            if self._one:  # which says nothing
                return None
            return pd.Series(self._lines[first : self._n], segments, dtype=object)
        if self._column is None and "document" in X.columns:
            return documents_of_segments(X["document"].to_numpy(), X, part=True)
        if not self._column:  # False: not to be read
            return None
        if self._column not in X.columns:
            raise CandidateError(f"There is no column {self._column!r} (--columns document=).")
        return documents_of_segments(X[self._column].to_numpy(), X, part=True)
