"""NormalizeText: texts of a candidate table in one spelling, in front of any features."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import pandas as pd

from sklearn_mteval.candidates import TEXT_COLUMNS, check_columns, check_texts, column_cells
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.text.normalization import normalize_text
from sklearn_mteval.text.transformer import TableTransformer, check_names


class NormalizeText(TableTransformer):
    """Unify entities, quotes, dashes, ellipses and white space of a table's texts.

    Parameters
    ----------
    columns : list or tuple of str or None, default=None
        The text columns; None: those of ``source``, ``reference`` and ``hypothesis`` that a table
        has.

    Attributes
    ----------
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : ndarray of shape (``n_features_in_``,)
        Their names.

    Notes
    -----
    It stands first in a pipeline; where some features must see the texts as they are (sacreBLEU's
    scores are of raw ones), within a union:
    ``make_union(BLEUComp(), make_pipeline(NormalizeText(), TokenAlignment(...)))``.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.features import NormalizeText
    >>> X = pd.DataFrame({"hypothesis": ["&quot;No&quot;"], "reference": [["“No”", "‘No’"]]})
    >>> NormalizeText().fit_transform(X)
      hypothesis     reference
    0       "No"  ["No", 'No']
    """

    def __init__(self, columns: Sequence[str] | None = None):
        self.columns = columns

    def _transform(self, X):
        of = cache(normalize_text)  # each distinct text once
        found = {}
        for column in self._found_columns(X):
            check_texts(X, column, several=column == "reference")
            cells = column_cells(X, column)
            cells = (of(c) if isinstance(c, str) else list(map(of, c)) for c in cells)
            found[column] = np.fromiter(cells, dtype=object, count=len(X))
        if set(found) == set(X.columns):  # in one piece, as a service asks of one translation
            cells = np.column_stack([found[column] for column in X.columns])
            return pd.DataFrame(cells, X.index, X.columns, dtype=object, copy=False)
        return X.assign(**{name: pd.Series(c, X.index, dtype=object) for name, c in found.items()})

    def _fit(self, X):
        self._remember_table(X, self._found_columns(X))

    def _found_columns(self, X):
        """Return the columns to normalise, at least one."""
        if self.columns is not None:
            check_names("columns", self.columns)
            check_columns(X, self.columns)
            return list(self.columns)
        check_columns(X, ())
        found = [column for column in TEXT_COLUMNS if column in X.columns]
        if not found:
            raise CandidateError(
                f"Expected one of the columns {list(TEXT_COLUMNS)}, found {list(X.columns)}: "
                "there is no text to normalise. Name others with columns=[...]."
            )
        return found

    def _output_names(self):
        return list(self.feature_names_in_)
