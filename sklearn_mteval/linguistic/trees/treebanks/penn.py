"""Files of bracketed trees, as the Penn Treebank has them."""

import re

from sklearn_mteval._helpers.files import read_text
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.linguistic.trees.brackets import BracketTree, read_brackets

_POSITION = re.compile(r", line (\d+), (column \d+)\.$")


def read_penn(path: PathLike, *, max_bytes: int | None = None) -> list[BracketTree]:
    r"""Read a file of bracketed trees.

    Parameters
    ----------
    path : path-like
        UTF-8 text: ``(ROOT (S (NP (PRP It)) (VP (VBZ works))))`` and so on, a tree on one line or
        on several.
    max_bytes : int, optional
        The most that it may hold. None: 1 GiB.

    Returns
    -------
    list of BracketTree
        With the labels that the file has, function tags, ``ROOT`` and ``-LRB-`` too; an outer
        bracket without a label is dropped.

    Raises
    ------
    DataFileError
        If brackets are not balanced, hold no words, or words stand outside of them.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sklearn_mteval.trees import read_penn
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "trees.ptb")
    ...     _ = file.write_text("(ROOT (S (NP (PRP It))\n  (VP (VBZ works))))")
    ...     print(*read_penn(file))
    (ROOT (S (NP (PRP It)) (VP (VBZ works))))
    """
    text = read_text(path, max_bytes=max_bytes)
    try:
        return read_brackets(text)
    except ValueError as error:
        line, column = _POSITION.search(str(error)).groups()
        problem = _POSITION.sub(f" ({column}).", str(error))
        raise DataFileError(path, f"expected bracketed trees: {problem}", int(line)) from None
