"""The public battery lets a sound transformer pass; each check stops one that is broken in it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from sklearn_mteval.candidates import check_texts
from sklearn_mteval.testing import (
    check_text_transformer,
    text_transformer_checks,
    text_transformers,
)


class Lengths(TransformerMixin, BaseEstimator):
    """A transformer as another package may have it: lengths of the texts, in characters."""

    def __init__(self, unit=1, n_jobs=None):
        self.unit = unit
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        self.compute(X)
        self.n_features_in_ = X.shape[1]
        self.feature_names_in_ = np.array(X.columns, dtype=object)
        return self

    def transform(self, X):
        check_is_fitted(self)
        return self.compute(X)

    def compute(self, X):
        hypotheses = check_texts(X, "hypothesis")
        references = check_texts(X, "reference", several=True)
        rows = [
            [len(hypothesis), np.mean([len(text) for text in texts])]
            for hypothesis, texts in zip(hypotheses, references, strict=True)
        ]
        return np.array(rows, dtype=np.float64).reshape(-1, 2) / self.unit

    def get_feature_names_out(self, input_features=None):
        check_is_fitted(self)
        return np.array(["hypothesis_length", "reference_length"], dtype=object)


class RelativeLengths(Lengths):
    """A sound one that looks at the competing systems."""

    def compute(self, X):
        found = super().compute(X)
        segments = X.index.get_level_values("segment")
        n_systems = X["hypothesis"].groupby(segments).transform("size").to_numpy(float)
        return found / n_systems[:, np.newaxis]


class GivesIntegers(Lengths):
    def compute(self, X):
        return super().compute(X).astype(int)


class Constant(Lengths):
    def compute(self, X):
        return 0 * super().compute(X)


class FitsOtherwise(Lengths):
    def fit_transform(self, X, y=None):
        return self.fit(X).transform(X) + 1


class ChangesWithEachCall(Lengths):
    def transform(self, X):
        self.n_calls_ = getattr(self, "n_calls_", 0) + 1
        return super().transform(X) + 1e-9 * self.n_calls_


class EqualNames(Lengths):
    def get_feature_names_out(self, input_features=None):
        return super().get_feature_names_out()[[0, 0]]


class TooFewNames(Lengths):
    def get_feature_names_out(self, input_features=None):
        return super().get_feature_names_out()[:1]


class LosesTheIndex(Lengths):
    def transform(self, X):
        return pd.DataFrame(super().transform(X), index=range(1, len(X) + 1))


class ForgetsTheTable(Lengths):
    def fit(self, X, y=None):
        super().fit(X).n_features_in_ = 1
        return self


class NumbersTheRows(Lengths):
    def compute(self, X):
        return super().compute(X) + np.arange(len(X))[:, np.newaxis]


class LearnsFromTheFirstRow(Lengths):
    def fit(self, X, y=None):
        self.first_ = len(X["hypothesis"].iloc[0])
        return super().fit(X)

    def transform(self, X):
        return super().transform(X) + self.first_


class ChangesTheTable(Lengths):
    def fit(self, X, y=None):
        super().fit(X)
        X["hypothesis"] = X["hypothesis"] + " "
        return self


class ReplacesAParameter(Lengths):
    def fit(self, X, y=None):
        self.n_jobs = 1
        return super().fit(X)


class ChangesAParametersContents(Lengths):
    def fit(self, X, y=None):
        self.n_jobs.append(1)
        return super().fit(X)


class DividesByTheLength(Lengths):
    def compute(self, X):
        with np.errstate(divide="ignore"):
            return 1 / super().compute(X)


class OverflowsOnLongTexts(Lengths):
    def compute(self, X):
        found = super().compute(X)
        return np.where(found > 4000, np.inf, found)


class OneReferenceOnly(Lengths):
    def compute(self, X):
        super().compute(X)
        return super().compute(X.assign(reference=X["reference"].map(str)))


class NarrowWithoutRows(Lengths):
    def compute(self, X):
        return super().compute(X) if len(X) else np.zeros((0, 1))


class LearnsIntoAParameter(Lengths):
    def fit(self, X, y=None):
        self.unit = 2 * self.unit
        return super().fit(X)


class PicklesWrongly(Lengths):
    def __getstate__(self):
        return {**super().__getstate__(), "unit": 2}


class Kept:
    """A type that nobody trusts."""


class KeepsAnotherType(Lengths):
    def fit(self, X, y=None):
        self.kept_ = Kept()
        return super().fit(X)


class NamesWithoutInput(Lengths):
    def get_feature_names_out(self):
        return super().get_feature_names_out()


class TakesNoneForEmpty(Lengths):
    def compute(self, X):
        if isinstance(X, pd.DataFrame) and "reference" in X:
            X = X.assign(reference=[cell or "" for cell in X["reference"]])
        return super().compute(X)


class SaysLittle(Lengths):
    def compute(self, X):
        try:
            return super().compute(X)
        except ValueError:
            raise ValueError("bad table") from None


class NeedsNoFit(Lengths):
    def transform(self, X):
        return self.compute(X)


class CountsEqualRows(Lengths):
    def compute(self, X):
        times = X.groupby(list(X)).transform("size") if len(X) else np.zeros(0)
        return super().compute(X) + np.asarray(times).reshape(-1, 1)


class LooksAtOtherRows(Lengths):
    def compute(self, X):
        found = super().compute(X)
        return found + found.max(axis=0, initial=0)


class NeedsAnIndex(Lengths):
    def compute(self, X):
        X.index.get_level_values("segment")
        return super().compute(X)


class DependsOnJobs(Lengths):
    def compute(self, X):
        return super().compute(X) * (1 + 1e-15 * (self.n_jobs or 1))


class HasNoNames(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return np.array([[len(text)] for text in X["hypothesis"]])


BROKEN = [
    ("set_output", HasNoNames()),
    ("output", GivesIntegers()),
    ("output", Constant()),
    ("fit_transform", FitsOtherwise()),
    ("fit_transform", ChangesWithEachCall()),
    ("names", EqualNames()),
    ("names", TooFewNames()),
    ("index", LosesTheIndex()),
    ("table_is_remembered", ForgetsTheTable()),
    ("row_order", NumbersTheRows()),
    ("row_order", LearnsFromTheFirstRow()),
    ("input_is_not_changed", ChangesTheTable()),
    ("parameters_are_not_changed", ReplacesAParameter()),
    ("parameters_are_not_changed", ChangesAParametersContents(n_jobs=[])),
    ("hostile_texts", DividesByTheLength()),
    ("long_texts", OverflowsOnLongTexts()),
    ("several_references", OneReferenceOnly()),
    ("empty_table", NarrowWithoutRows()),
    ("clone", LearnsIntoAParameter()),
    ("pickle", PicklesWrongly()),
    ("saving", PicklesWrongly()),
    ("saving", KeepsAnotherType()),
    ("union", NamesWithoutInput()),
    ("bad_tables", TakesNoneForEmpty()),
    ("bad_tables", SaysLittle()),
    ("before_fit", NeedsNoFit()),
    ("repeated_rows", CountsEqualRows()),
    ("other_rows", LooksAtOtherRows()),
    ("without_index", NeedsAnIndex()),
    ("n_jobs", DependsOnJobs()),
]


def test_sound_transformers_pass():
    check_text_transformer(Lengths())
    check_text_transformer(RelativeLengths(), row_by_row=False)


@pytest.mark.parametrize(
    ("name", "transformer"), BROKEN, ids=lambda x: x if isinstance(x, str) else type(x).__name__
)
def test_a_broken_transformer_fails(name, transformer):
    check = dict(text_transformer_checks(transformer))[name]
    demand = getattr(text_transformers, f"check_{name}").__doc__
    fails = f"{type(transformer).__name__} fails the check "
    with pytest.raises(AssertionError) as error:
        check()
    message, found = str(error.value).split("\n", maxsplit=1)
    assert message == f"{fails}{name!r}. {demand}" and " must " in demand and found.strip()
    with pytest.raises(AssertionError, match=fails):
        check_text_transformer(transformer)


def test_it_is_not_the_dtype_that_is_blamed_for_missing_names():
    with pytest.raises(AssertionError, match=r"'set_output'.*\nFound no get_feature_names_out"):
        check_text_transformer(HasNoNames())


def test_each_check_can_fail():
    assert {name for name, _ in text_transformer_checks(Lengths())} == {name for name, _ in BROKEN}


def test_checks_that_do_not_belong_are_left_out():
    assert "n_jobs" not in dict(text_transformer_checks(NoJobs()))
    names = dict(text_transformer_checks(Lengths()))
    grouped = dict(text_transformer_checks(Lengths(), row_by_row=False))
    assert set(names) - set(grouped) == {"repeated_rows", "other_rows", "without_index"}


class NoJobs(Lengths):
    def __init__(self, unit=1):
        super().__init__(unit)


def test_columns_and_types_are_as_given(sample):
    """Cells are checked of the columns that are read; types of one's own must be trusted."""
    X = sample[0].iloc[100:120]
    with pytest.raises(AssertionError, match=r"'bad_tables'.*\n.*without 'source'.* nothing"):
        check_text_transformer(Lengths(), X, columns=["source"])
    with pytest.raises(AssertionError, match=r"'saving'.*\n.*Lengths"):
        check_text_transformer(Lengths(), X, trusted=())


def test_pytest_is_not_needed():
    for module in Path(text_transformers.__file__).parent.glob("*.py"):
        assert "import pytest" not in module.read_text(encoding="utf-8")
