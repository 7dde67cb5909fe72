"""Precision, recall and F-score of errors that a metric marks, against those of annotators."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.error_spans import UNKNOWN, error_spans_of, rows_with_marks
from sklearn_mteval._helpers.options import check_one_of, check_proportion, check_within
from sklearn_mteval.candidates import group_codes
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.aligned import check_index
from sklearn_mteval.metrics.core.correlations import add_up
from sklearn_mteval.metrics.core.proportions import interval_of_units
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.metrics.marked_errors.span_matching import MEASURES, f_of

SPAN_AVERAGES = ("micro", "macro")
_STATISTICS = ("precision", "recall", "f_score")


def span_agreement(
    y_true: Sequence[Any] | pd.Series, y_pred: Sequence[Any] | pd.Series | pd.DataFrame, *,
    measure: str = "mpp", average: str = "micro", severity_credit: float = 1.0,
    segments: ArrayLike | None = None, confidence: float = 0.95
) -> pd.DataFrame:  # fmt: skip
    """Measure how well marked errors agree with those that annotators marked.

    Parameters
    ----------
    y_true, y_pred : Series or sequence of length n_translations
        The errors of each translation, by annotators and by what is evaluated: lists, empty where
        there is none. An error is a tuple (start, end, severity), characters counted from 0, the
        end excluded; with None for both it is an omission. ``spans`` of judgements are of this
        form, and so is a dict with these names and "category" and "place". ``y_pred`` may also be a
        table of marks, as of :func:`~sklearn_mteval.models.score`, where ``y_true`` is a Series
        whose index has the levels of the table's: who has no row there, has no marks.
    measure : {"mpp", "characters"}, default="mpp"
        "mpp": errors are matched one to one, so that the F-score of the translation is highest;
        one that is matched earns the proportion of its characters that both share. All errors weigh
        alike. "characters": common ones of all marked characters; long errors weigh more.
    average : {"micro", "macro"}, default="micro"
        Divide the sums over all translations, or average over translations. Where nothing is marked
        precision (or recall) is 1; with "macro" one may thus score by marking hardly anything.
    severity_credit : float, default=1.0
        What a match is worth whose severities differ, from 0 to 1; 0.5 in the shared tasks of
        quality estimation. Below 1 all errors need a severity.
    segments : array-like of length n_translations, optional
        What varies as a whole: segments, or better documents. None takes the level "segment" of a
        Series, else each translation by itself.
    confidence : float, default=0.95
        Of the intervals: Wilson's, of as many errors as would tell as much if they were
        independent (by the jackknife over segments).

    Returns
    -------
    DataFrame of shape (3, 3)
        Rows "precision", "recall" and "f_score", each from 0 to 1, higher is better; columns
        "value", and "low" and "high" of its interval, NaN where nothing is marked.

    Raises
    ------
    CandidateError
        Naming the translation: for what is no list of errors, an error whose place is not known,
        or, with ``severity_credit`` below 1, that has no severity; for unequal lengths or indices.

    Notes
    -----
    Errors of source and translation never match. An omission matches any other one entirely. Of
    translations with too many matchings it is the one of highest precision + recall.

    References
    ----------
    Perrella et al. 2026, who recommend MPP with micro-averaging; Blain et al. 2023 (characters).

    Examples
    --------
    >>> from sklearn_mteval.metrics import span_agreement
    >>> annotators = [[(0, 4, "major"), (10, 20, "minor")], []]
    >>> metric = [[(0, 8, "major")], [(3, 5, "minor")]]
    >>> span_agreement(annotators, metric)["value"].to_dict()
    {'precision': 0.25, 'recall': 0.5, 'f_score': 0.3333333333333333}
    """
    check_one_of("measure", measure, MEASURES)
    check_one_of("average", average, SPAN_AVERAGES)
    check_within("severity_credit", severity_credit, 0, 1)
    check_proportion("confidence", confidence)
    if isinstance(y_pred, pd.DataFrame):
        y_pred = _of_table(y_true, y_pred)
    check_index("y_true", y_true, "y_pred", y_pred)
    true, predicted = (
        _spans(name, cells, severity_credit < 1)
        for name, cells in (("y_true", y_true), ("y_pred", y_pred))
    )
    if len(true) != len(predicted):
        raise CandidateError(f"y_true has {len(true)} translations, y_pred {len(predicted)}.")
    compare = MEASURES[measure]
    parts = [compare(*cells, severity_credit) for cells in zip(true, predicted, strict=True)]
    sums = np.array(parts, dtype=np.float64).reshape(-1, 4)
    codes = np.arange(len(sums))
    if segments is None and isinstance(y_true, pd.Series) and "segment" in y_true.index.names:
        segments = y_true.index.get_level_values("segment")
    if segments is not None:
        codes = group_codes(segments, len(sums))
    if average == "macro":
        sums = np.column_stack([_ratios(sums), np.ones(len(sums))])
    # Sorted by content, so that the order of rows changes no bit of a sum.
    order = np.lexsort((*sums.T, codes))
    by_segment = add_up(sums[order], codes[order], int(codes.max(initial=-1)) + 1)
    # Means have their number in the last column.
    of_sums = _ratios if average == "micro" else lambda sums: ratio(sums[..., :3], sums[..., 3:])
    values = of_sums(np.array([math.fsum(column) for column in sums.T]))
    by_segment = by_segment[np.lexsort(by_segment.T)]
    # What is a trial: an error that is marked, by one, by the other, by either; a translation.
    one, other = by_segment[:, 1], by_segment[:, 3]
    sizes = [one, other, one + other] if average == "micro" else [other] * 3
    left_out = of_sums(by_segment.sum(axis=0) - by_segment)
    bounds = [
        # Of a proportion, this is what the hits of a unit differ by from their expectation.
        interval_of_units(value, (value - left) * (n.sum() - n), n, confidence)
        for value, left, n in zip(values, left_out.T, sizes, strict=True)
    ]
    return pd.DataFrame(
        np.column_stack([values, bounds]),
        pd.Index(_STATISTICS, name="statistic"),
        ["value", "low", "high"],
    )


def _of_table(y_true, marks):
    """List the errors that a table of marks has of each row of ``y_true``."""
    missing = [name for name in ("start", "end", "severity") if name not in marks]
    if missing or not isinstance(y_true, pd.Series):
        raise CandidateError(
            "a table of marks, y_pred, needs the columns start, end and severity, and y_true must "
            f"be a Series; found {list(marks.columns)}, and a {type(y_true).__name__}."
        )
    try:
        rows = rows_with_marks(y_true.index, marks[["start", "end", "severity"]])
    except ValueError as error:
        raise CandidateError(f"y_pred, a table of marks, for y_true: {error}.") from None
    return pd.Series(rows, y_true.index, dtype=object)


def _spans(name, cells, needs_severity):
    """Check the errors of all translations."""
    if isinstance(cells, str | dict) or not hasattr(cells, "__iter__"):
        raise CandidateError(
            f"{name} must have a list of errors for each translation, found {cells!r}."
        )
    found = []
    for row, cell in enumerate(cells):
        where = f"{name}, translation {cells.index[row] if isinstance(cells, pd.Series) else row}"
        try:
            spans = error_spans_of(cell)
        except ValueError as error:
            raise CandidateError(f"{where}: {error}.") from None
        for span in spans:
            if span.place == UNKNOWN:
                raise CandidateError(f"{where}: an error has no place, {tuple(span)}.")
            if needs_severity and not span.severity:
                raise CandidateError(
                    f"{where}: an error has no severity, {tuple(span)}, and severity_credit is "
                    "below 1: add it, or leave severities aside (severity_credit=1)."
                )
        found.append(spans)
    return found


def _ratios(sums):
    """Return precision, recall and F-score of credits and numbers (..., 4); 1 of no errors."""
    one, n_one, other, n_other = np.moveaxis(np.asarray(sums), -1, 0)
    precision, recall = ratio(one, n_one, 1.0), ratio(other, n_other, 1.0)
    return np.stack([precision, recall, f_of(precision, recall)], axis=-1)
