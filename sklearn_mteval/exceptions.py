"""Errors and warnings of this package: each says what was expected, what was found, and where."""

__all__ = ["CandidateError", "DataFileError", "ModelFolderError", "SegmentLeakWarning"]


class CandidateError(ValueError):
    """A table or a target that breaks the candidate table's contract."""


class DataFileError(ValueError):
    """A data file that cannot be read as its format demands.

    Parameters
    ----------
    path : path-like
        The file at fault.
    problem : str
        What was expected, what was found, what to do.
    line : int, optional
        1-based line number.
    """

    def __init__(self, path, problem, line=None):
        self.path = path
        self.problem = problem
        self.line = line
        name = str(path)
        if not name.strip() or not name.isprintable():
            name = repr(name)
        where = name if line is None else f"{name}, line {line}"
        super().__init__(f"{where}: {problem}")

    def __reduce__(self):  # from one process to another
        return type(self), (self.path, self.problem, self.line)


class ModelFolderError(ValueError):
    """A folder that does not hold a model this package may load."""


class SegmentLeakWarning(UserWarning):
    """Segments that a model has seen in training are predicted, or will be in an inner split."""
