"""The checks that every text transformer must pass, for those of other packages too.

scikit-learn's ``check_estimator`` passes vacuously on estimators of texts.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_union

from sklearn_mteval.datasets import load_sample
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import BLEUComp
from sklearn_mteval.testing._cases import demand, named, refused, restored, types_to_trust

# Pairs of hypothesis and reference(s) that have broken tools before.
_HOSTILE = [
    ("", ""), ("", "a"), ("a", ""), (" ", "a b"), ("\t\n", "\u200b"), ("a", ["", "a"]),
    ("word", ["word", "word", "other"]), ("... !!! ???", ", ; :"),
    ("日本語のテキスト。", "日本の文章。"),
    ("שלום עולם", "مرحبا بالعالم"), ("e\u0301te\u0301", "été"), ("\u0301\u0301", "\u0301"),
    ("a\x00b\x1b[0m\x07", "a\x00b"), ("\ud800", "\udfff lone surrogates"), ("🙂👩‍👩‍👧", "🙂"),
    ("a" * 3000, "a" * 2999 + "b"), ("line\nfeed\rreturn\u2028separator", "line feed"),
    ("&quot;x&amp;<skipped>-\n", '"x&-')
]  # fmt: skip


def check_text_transformer(
    transformer: BaseEstimator, X: pd.DataFrame | None = None, *,
    columns: Sequence[str] | None = None, row_by_row: bool = True,
    trusted: Iterable[str] | None = None
) -> None:  # fmt: skip
    """Raise unless a transformer of texts keeps what the package relies on.

    Parameters
    ----------
    transformer : transformer
        An instance, which is cloned: from a candidate table with the columns ``source``,
        ``hypothesis`` and ``reference`` to one row of numbers for each row.
    X : DataFrame of shape (n_candidates, 3), optional
        A table to try it on, some dozens of rows for which its output differs; None: the
        beginning of the bundled sample.
    columns : list or tuple of str, optional
        The text columns that it reads, cells of which it must check. None: its parameter
        ``columns`` if it has one, else ``hypothesis`` and ``reference``.
    row_by_row : bool, default=True
        Whether a row's output is a matter of its texts alone. False for a transformer that looks
        at the other rows of a segment, the competing systems: then rows are neither repeated nor
        taken alone, and all have an index.
    trusted : iterable of str, optional
        Full names of the types that are needed to load it again, besides the package's own. None:
        its own type.

    Raises
    ------
    AssertionError
        Naming the first check that fails, what it demands and what was found.

    Examples
    --------
    >>> from sklearn_mteval.features import ChrFComp, ContrastiveScore
    >>> from sklearn_mteval.testing import check_text_transformer
    >>> check_text_transformer(ChrFComp(char_order=2))
    >>> check_text_transformer(ContrastiveScore(), columns=["hypothesis"], row_by_row=False)
    """
    options = {"columns": columns, "row_by_row": row_by_row, "trusted": trusted}
    for _, check in text_transformer_checks(transformer, X, **options):
        check()


def text_transformer_checks(
    transformer: BaseEstimator, X: pd.DataFrame | None = None, *,
    columns: Sequence[str] | None = None, row_by_row: bool = True,
    trusted: Iterable[str] | None = None
) -> Iterator[tuple[str, Callable]]:  # fmt: skip
    """Yield the checks that belong to a transformer, for parametrised tests.

    Parameters
    ----------
    transformer, X, columns, row_by_row, trusted : see :func:`check_text_transformer`
        The same.

    Yields
    ------
    name : str
        Such as "row_order".
    check : callable
        Without arguments; raises AssertionError if the check fails.
    """
    parameters = transformer.get_params(deep=False)
    if X is None:
        X = load_sample(return_X_y=True)[0].iloc[:60]
    if columns is None:
        columns = parameters.get("columns", ("hypothesis", "reference"))
    case = _Case(transformer, X, columns, row_by_row, types_to_trust(transformer, trusted))
    checks = [*_CHECKS, *(_ROW_BY_ROW_CHECKS if row_by_row else ())]
    yield from named([*checks, check_n_jobs] if "n_jobs" in parameters else checks, case)


@dataclass
class _Case:
    """A transformer, and the table that it is tried on."""

    estimator: object
    X: pd.DataFrame
    columns: Sequence
    row_by_row: bool
    trusted: list

    def new(self):
        estimator = clone(self.estimator)
        if hasattr(estimator, "set_output"):  # else the check of that name fails, and says why
            estimator.set_output(transform="default")
        return estimator

    @cached_property
    def fitted(self):
        """One that is fitted on the table; checks only call its transform."""
        return self.new().fit(self.X.copy())

    @cached_property
    def expected(self):
        return self.fitted.transform(self.X.copy())

    def table(self, pairs):
        """Make a table of hypotheses and references: systems of one segment."""
        hypotheses, references = zip(*pairs, strict=True)
        # Competing systems translate one source; elsewhere sources may be as hostile.
        sources = hypotheses if self.row_by_row else ["source"] * len(pairs)
        columns = {"source": sources, "hypothesis": hypotheses, "reference": references}
        rows = [(0, str(row)) for row in range(len(pairs))]
        index = pd.MultiIndex.from_tuples(rows, names=["segment", "system"])
        return pd.DataFrame(columns, index=index, dtype=object)


def _finite(found, n_rows):
    demand(len(found) == n_rows, f"Found {len(found)} rows for {n_rows}.")
    bad = np.flatnonzero(~np.isfinite(found).all(axis=1))
    demand(not len(bad), f"Found NaN or infinity in the rows {bad.tolist()}.")


def _same_rows(case, rows):
    found = case.fitted.transform(case.X.iloc[rows])
    np.testing.assert_array_equal(found, case.expected[rows])


def check_set_output(case):
    """It must have get_feature_names_out, without which scikit-learn gives it no set_output."""
    demand(hasattr(case.estimator, "get_feature_names_out"), "Found no get_feature_names_out.")
    demand(hasattr(case.estimator, "set_output"), "Found no set_output: inherit TransformerMixin.")


def check_output(case):
    """The output must be a float64 array of finite numbers that are not the same in all rows."""
    found = case.expected
    demand(isinstance(found, np.ndarray), f"Found {type(found).__name__}.")
    demand(found.dtype == np.float64 and found.ndim == 2, f"Found {found.dtype}, {found.ndim}-D.")
    _finite(found, len(case.X))
    demand(found.std(axis=0).any(), "All rows are the same: the other checks would show nothing.")


def check_fit_transform(case):
    """Calling fit_transform must give what fit and transform give, each time."""
    for found in (case.new().fit_transform(case.X), case.fitted.transform(case.X)):
        np.testing.assert_array_equal(found, case.expected)


def check_names(case):
    """Names must be different strings, one for each output column."""
    names = list(case.fitted.get_feature_names_out())
    width = case.expected.shape[1]
    demand(len(set(names)) == len(names) == width, f"Found {names} of {width} columns.")
    demand(all(isinstance(name, str) for name in names), f"Found {names}.")


def check_index(case):
    """As a DataFrame the output must have the index of the table and the names as columns."""
    found = case.new().set_output(transform="pandas").fit_transform(case.X)
    pd.testing.assert_index_equal(found.index, case.X.index)
    demand(list(found) == list(case.fitted.get_feature_names_out()), f"Found {list(found)}.")
    np.testing.assert_array_equal(found, case.expected)


def check_table_is_remembered(case):
    """After fit, n_features_in_ and feature_names_in_ must tell the columns of the table."""
    demand(case.fitted.n_features_in_ == case.X.shape[1], f"Found {case.fitted.n_features_in_}.")
    names = list(case.fitted.feature_names_in_)
    demand(names == list(case.X), f"Found {names}.")


def check_row_order(case):
    """Rows in another order must give the same bits, in fit and in transform."""
    _same_rows(case, np.random.default_rng(0).permutation(len(case.X)))
    again = case.new().fit(case.X.iloc[::-1])
    np.testing.assert_array_equal(again.transform(case.X), case.expected)


def check_repeated_rows(case):
    """Rows that are there several times must give the same bits each time."""
    _same_rows(case, np.random.default_rng(0).integers(len(case.X), size=200))


def check_other_rows(case):
    """A row alone must give the same bits as among other rows."""
    for row in range(min(6, len(case.X))):
        _same_rows(case, [row])


def check_without_index(case):
    """A table that is not indexed by segment and system must give the same numbers."""
    found = case.new().fit_transform(case.X.reset_index(drop=True))
    np.testing.assert_array_equal(found, case.expected)


def check_n_jobs(case):
    """Two processes must give the same bits as one."""
    for X in (case.X.iloc[:1], case.X):
        one, two = (case.new().set_params(n_jobs=n).fit_transform(X) for n in (None, 2))
        np.testing.assert_array_equal(two, one)


def check_input_is_not_changed(case):
    """The table must be left as it was."""
    X = case.X.copy(deep=True)
    case.new().fit_transform(X)
    pd.testing.assert_frame_equal(X, case.X)


def check_parameters_are_not_changed(case):
    """The parameters must be left as they were given."""
    new = case.new()
    before = new.get_params(deep=False)
    shown = repr(before)
    new.fit_transform(case.X)
    after = new.get_params(deep=False)
    changed = [name for name in before if after[name] is not before[name]]
    demand(not changed, f"Others are now {changed}.")
    demand(repr(after) == shown, "Their contents are others now.")


def check_hostile_texts(case):
    """Empty texts, other scripts, control characters … must give finite numbers, in any order."""
    X = case.table(_HOSTILE)
    _finite(case.new().fit_transform(X), len(X))
    found = case.fitted.transform(X)
    _finite(found, len(X))
    np.testing.assert_array_equal(case.fitted.transform(X.iloc[::-1])[::-1], found)


def check_long_texts(case):
    """Texts of 2,000 words must give finite numbers."""
    words = sorted({word for text in case.X["hypothesis"] for word in text.split()})[:200]
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(words, size=size)) for size in (2000, 2000, 1)]
    X = case.table([(hypothesis, reference) for hypothesis in texts for reference in texts])
    with warnings.catch_warnings(action="ignore"):  # of what it does not read to the end
        _finite(case.new().fit_transform(X), len(X))


def check_several_references(case):
    """A list, tuple or array of one reference must be like that one; of several it is legal."""
    for make in (lambda t: [t], lambda t: (t,), lambda t: np.array([t], dtype=object)):
        X = case.X.assign(reference=[make(text) for text in case.X["reference"]])
        np.testing.assert_array_equal(case.new().fit_transform(X), case.expected)
    X = case.X.assign(reference=[[text, "another one"] for text in case.X["reference"]])
    _finite(case.new().fit_transform(X), len(X))


def check_empty_table(case):
    """A table without rows must give no rows, of the usual width."""
    found = case.fitted.transform(case.X.iloc[:0])
    demand(found.shape == (0, case.expected.shape[1]), f"Found an array of shape {found.shape}.")


def check_clone(case):
    """A clone must be unfitted, and give the same when it is fitted."""
    np.testing.assert_array_equal(clone(case.fitted).fit_transform(case.X), case.expected)


def check_pickle(case):
    """A fitted transformer must be the same after pickling."""
    _same(restored(case, "pickle"), case)


def check_saving(case):
    """A fitted transformer must be the same after save_model and load_model."""
    _same(restored(case, "saving"), case)


def _same(again, case):
    np.testing.assert_array_equal(again.transform(case.X), case.expected)
    names = list(again.get_feature_names_out())
    demand(names == list(case.fitted.get_feature_names_out()), f"Its names are {names}.")


def check_union(case):
    """In a union with another transformer it must keep index, columns and names."""
    union = make_union(case.new(), BLEUComp()).set_output(transform="pandas")
    found = union.fit_transform(case.X)
    pd.testing.assert_index_equal(found.index, case.X.index)
    width = case.expected.shape[1]
    np.testing.assert_array_equal(found.iloc[:, :width], case.expected)
    names = list(union.get_feature_names_out())
    demand(names == list(found), f"Found {names}.")


def check_bad_tables(case):
    """A missing column, or a cell that is no text, must be a CandidateError that names it."""
    X = case.X
    for column in case.columns:
        cells = X[column].tolist()
        first_is_none = pd.Series([None, *cells[1:]], index=X.index, dtype=object)
        lists = [[]] * len(X) if column == "reference" else [["a"]] * len(X)
        bad = {
            "a list of texts": ("DataFrame", cells),
            f"a table without {column!r}": (repr(column), X.drop(columns=column)),
            f"numbers in {column!r}": (repr(column), X.assign(**{column: 1.0})),
            f"None in {column!r}": (repr(column), X.assign(**{column: first_is_none})),
            f"{lists[0]} in {column!r}": (repr(column), X.assign(**{column: lists})),
        }
        for what, (word, table) in bad.items():
            for method in (case.new().fit, case.fitted.transform):
                found = refused(CandidateError, method, table)
                demand(found is not None, f"Given {what}, {method.__name__} raises nothing.")
                demand(word in found, f"Given {what}, {method.__name__} says: {found}")


def check_before_fit(case):
    """Before fit, transform and get_feature_names_out must raise NotFittedError."""
    for ask in (lambda: case.new().transform(case.X), lambda: case.new().get_feature_names_out()):
        demand(refused(NotFittedError, ask) is not None, "Found no error.")


_CHECKS = (
    check_set_output, check_output, check_fit_transform, check_names, check_index,
    check_table_is_remembered,
    check_row_order, check_input_is_not_changed, check_parameters_are_not_changed,
    check_hostile_texts, check_long_texts, check_several_references, check_empty_table,
    check_clone, check_pickle, check_saving, check_union, check_bad_tables, check_before_fit,
)  # fmt: skip
_ROW_BY_ROW_CHECKS = (check_repeated_rows, check_other_rows, check_without_index)
