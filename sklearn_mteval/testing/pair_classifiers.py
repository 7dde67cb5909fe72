"""The checks that a classifier of pairs must pass, for those of other packages too.

scikit-learn's checks mostly give odd numbers of columns: here each table stands next to its square.
Where an estimator's tags say that it reads texts, it is given texts, and none of scikit-learn's.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial, wraps
from unittest import SkipTest

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import (
    check_dataframe_column_names_consistency,
    estimator_checks_generator,
)
from sklearn.utils.metaestimators import available_if

from sklearn_mteval.candidates import comparable_groups
from sklearn_mteval.pair_classifiers import PairClassifier, declares
from sklearn_mteval.pairwise import RankRecomposer
from sklearn_mteval.pairwise.pairs import group_order, labelled_pairs, pair_table
from sklearn_mteval.testing._cases import demand, named, refused, restored, run, types_to_trust

# Of scikit-learn's checks those that find the number of columns in errors.
_COUNT_COLUMNS = "check_n_features_in_after_fitting", "check_estimators_partial_fit_n_features"
_LABELS = {
    2: (["no", "yes"], [False, True], [-1.0, 1.0]),
    3: (["a", "b", "c"], [-1, 0, 1], [-1.0, 0.0, 1.0]),
}
_CLOSE = {"rtol": 1e-4, "atol": 1e-6}


def check_pair_classifier(
    estimator: BaseEstimator, *, n_classes: int = 2, trusted: Iterable[str] | None = None,
    expected_failed_checks: dict | None = None
) -> None:  # fmt: skip
    """Raise unless a classifier of pairs keeps what the package relies on.

    Parameters
    ----------
    estimator : classifier
        An instance, which is cloned: of pair tables of numbers, t1's features, then t2's; or, if
        its tags name strings and no numbers as input, of texts: source, reference, hypothesis.
    n_classes : {2, 3}, default=2
        Labels that it learns: t1 is worse or better; or t1 is worse, both tie, t1 is better.
    trusted : iterable of str, optional
        Full names of the types that are needed to load it again, besides the package's own. None:
        its own type.
    expected_failed_checks : dict, optional
        Names of checks to leave out, with the reason, as scikit-learn's ``check_estimator`` takes
        them.

    Raises
    ------
    AssertionError
        Naming the first check that fails, what it demands and what was found.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn_mteval.testing import check_pair_classifier
    >>> check_pair_classifier(LogisticRegression())
    """
    for name, check in pair_classifier_checks(estimator, n_classes=n_classes, trusted=trusted):
        if name not in (expected_failed_checks or {}):
            check()


def pair_classifier_checks(
    estimator: BaseEstimator, *, n_classes: int = 2, trusted: Iterable[str] | None = None
) -> Iterator[tuple[str, Callable]]:
    """Yield the checks that belong to a classifier of pairs, for parametrised tests.

    Parameters
    ----------
    estimator, n_classes, trusted : see :func:`check_pair_classifier`
        The same.

    Yields
    ------
    name : str
        Such as "antisymmetry", or the name of one of scikit-learn's checks.
    check : callable
        Without arguments; raises AssertionError if the check fails.
    """
    case = _Case(estimator, n_classes, types_to_trust(estimator, trusted))
    yield from named(_CHECKS, case)
    if case.of_texts:
        return  # scikit-learn's checks are of tables of numbers
    for subject, check in estimator_checks_generator(estimator):
        name = check.func.__name__
        if name not in _COUNT_COLUMNS:
            subject = _beside_squares(type(subject), n_classes)(**subject.get_params(deep=False))
        whole_name = name + "".join(f"-{key}={value}" for key, value in check.keywords.items())
        yield whole_name, partial(run, whole_name, _scikit_learns(check, subject), case)


def _scikit_learns(check, subject):
    """Make one of scikit-learn's checks one of ours."""

    def ask(_):
        """scikit-learn's check of this name must pass."""
        with warnings.catch_warnings(action="ignore"):
            try:
                check(subject)
            except (AssertionError, SkipTest) as error:
                if not isinstance(error.__cause__ or error, SkipTest):
                    raise

    return ask


def _beside_squares(kind, n_classes):
    """Derive a class that puts a table of an odd number of columns next to its square."""

    class Paired(kind):
        def __reduce__(self):
            return _restored, (kind, n_classes, self.__getstate__())

    def asked(name):
        @wraps(getattr(kind, name))
        def method(self, X, *args, **options):
            if n_classes == 3 and args and len(np.unique(np.asarray(args[0]))) not in (1, 3):
                raise SkipTest("It learns three labels, and is given two or four.")
            if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] % 2:
                X = np.hstack([X, np.square(X)])
            return getattr(super(Paired, self), name)(X, *args, **options)

        return available_if(lambda self: hasattr(super(Paired, self), name))(method)

    for name in ("fit", "partial_fit", "predict", "predict_proba", "decision_function"):
        if hasattr(kind, name):
            setattr(Paired, name, asked(name))
    return Paired


def _restored(kind, n_classes, state):
    """Read a pickle of such a class."""
    made = _beside_squares(kind, n_classes)
    one = made.__new__(made)
    one.__setstate__(state)
    return one


@dataclass
class _Case:
    """A classifier, and the rankings that it is tried on."""

    estimator: object
    n_classes: int
    trusted: list

    def new(self):
        """Return an unfitted one."""
        return clone(self.estimator)

    @property
    def of_texts(self):
        """Whether it reads texts, by its tags, and no numbers."""
        tags = get_tags(self.estimator).input_tags
        return tags.string and not tags.two_d_array

    @cached_property
    def candidates(self):
        """Candidates of three features, or of three texts, and their ranks, with ties."""
        rng = np.random.default_rng(0)
        names = [[f"line {k}" for k in range(16)], ["a", "b", "c", "d"]]
        index = pd.MultiIndex.from_product(names, names=["segment", "system"])
        X = pd.DataFrame(rng.uniform(-1, 1, (len(index), 3)), index, ["u", "v", "w"])
        quality = 2 * (X["u"] + X["v"])
        ranks = -np.round(quality + rng.normal(scale=0.3, size=len(X)))
        if self.of_texts:
            line = X.index.get_level_values("segment").to_series(X.index)
            praise = [int(n) * " good" if n > 0 else int(-n) * " bad" for n in quality.round()]
            X = pd.DataFrame(
                {"source": line + ".", "reference": line + " good", "hypothesis": line + praise}
            )
        return X, ranks

    @cached_property
    def pairs(self):
        """All ordered pairs of comparable candidates, and labels from 0 on."""
        X, ranks = self.candidates
        ranks, ties = ranks.to_numpy(), self.n_classes == 3
        order = group_order(comparable_groups(X), X, ranks)
        i, j, labels, _ = labelled_pairs(ranks, order, item_level="system", ties=ties)
        return pair_table(X, i, j, item_level="system"), labels

    @cached_property
    def fitted(self):
        """One that is fitted on all pairs; checks only ask it."""
        return self.new().fit(*self.pairs)

    def ranker(self, estimator):
        """Put an unfitted classifier into a ranker that it will do for."""
        recomposition = "soft" if hasattr(self.fitted, "predict_proba") else "hard"
        ties = "model" if self.n_classes == 3 else "drop"
        return RankRecomposer(estimator, recomposition=recomposition, ties=ties)


def _certainties(model, table):
    """Ask for numbers, by the method's name."""
    methods = [name for name in ("predict_proba", "decision_function") if hasattr(model, name)]
    return {name: getattr(model, name)(table) for name in methods}


def _answers(model, table):
    """Ask all that a classifier can be asked, by the method's name."""
    return {**_certainties(model, table), "predict": model.predict(table)}


def _same(found, expected, rtol=0, atol=0):
    """Compare answers."""
    demand(found.keys() == expected.keys(), f"Found answers to {list(found)}.")
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol, atol, err_msg=name)


def _turned(table):
    """Exchange t1 and t2."""
    half = table.shape[1] // 2
    values = np.hstack([table.iloc[:, half:], table.iloc[:, :half]])
    return pd.DataFrame(values, table.index, table.columns)


def check_labels(case):
    """Labels must be of any type: the larger one means that t1 is better, predict tells labels."""
    table, codes = case.pairs
    decided = case.fitted.predict(table)
    for labels in map(np.array, _LABELS[case.n_classes]):
        model = case.new().fit(table, labels[codes])
        demand(list(model.classes_) == list(labels), f"Found classes_ {model.classes_}.")
        np.testing.assert_array_equal(model.predict(table), labels[decided])


def check_probabilities(case):
    """Columns must be in the order of classes_ and add up to 1; the likeliest must be decided."""
    table, codes = case.pairs
    decided = case.fitted.predict(table)
    demand((decided == codes).mean() > 0.5, "It tells no more pairs right than chance does.")
    found = _answers(case.fitted, table)
    if "decision_function" in found and case.n_classes == 2:
        margin = found["decision_function"]
        demand(margin.shape == (len(table),), f"Found margins of shape {margin.shape}.")
        clear = np.abs(margin) > 1e-6
        demand(((margin > 0) == decided)[clear].all(), "Signs of margins are not the decisions.")
    if "predict_proba" in found:
        chances = found["predict_proba"]
        demand(chances.shape == (len(table), case.n_classes), f"Found shape {chances.shape}.")
        demand(((chances >= 0) & (chances <= 1)).all(), f"Found {chances.min()}, {chances.max()}.")
        np.testing.assert_allclose(chances.sum(axis=1), 1, rtol=1e-6)
        clear = np.diff(np.sort(chances, axis=1)[:, -2:])[:, 0] > 1e-6
        demand((chances.argmax(axis=1) == decided)[clear].all(), "Another one is decided.")


def check_antisymmetry(case):
    """What is declared must hold: (t2, t1) is the opposite, and one direction teaches as much."""
    for name, value in vars(PairClassifier).items():
        declared = getattr(case.fitted, name, False)
        demand(value is not False or isinstance(declared, bool), f"Found {name} = {declared!r}.")
    before, fitted = declares(case.new(), "antisymmetric"), declares(case.fitted, "antisymmetric_")
    demand(fitted or not before, "antisymmetric is declared, antisymmetric_ is not.")
    table, codes = case.pairs
    if fitted:
        forth, back = (_certainties(case.fitted, each) for each in (table, _turned(table)))
        opposite = {"predict_proba": np.fliplr, "decision_function": np.negative}
        _same(back, {name: opposite[name](values) for name, values in forth.items()}, **_CLOSE)
    if before:
        first = table.index.get_level_values(-2) < table.index.get_level_values(-1)
        one, turned = table[first], _turned(table[first])
        models = (case.new().fit(one, codes[first]),
                  case.new().fit(turned, case.n_classes - 1 - codes[first]))  # fmt: skip
        _same(*(_certainties(model, table) for model in models), **_CLOSE)


def check_names(case):
    """Names of columns must be remembered, others refused; the index must not change answers."""
    table, _ = case.pairs
    names = list(getattr(case.fitted, "feature_names_in_", ()))
    demand(names == list(table), f"Found feature_names_in_ {names}.")
    demand(case.fitted.n_features_in_ == len(names), f"Found {case.fitted.n_features_in_}.")
    _same(_answers(case.fitted, table.reset_index(drop=True)), _answers(case.fitted, table))
    if case.of_texts:
        others = table.add_suffix("_of_others")
        demand(refused(ValueError, case.fitted.predict, others), "Other names are not refused.")
    elif case.n_classes == 2:
        _scikit_learns(partial(check_dataframe_column_names_consistency, "it"), case.estimator)(0)


def check_numbers(case):
    """Whole numbers and single precision must do; NaN must be allowed by its tags or refused."""
    table, codes = case.pairs
    if not case.of_texts:
        whole = (8 * table).round()
        expected = _certainties(case.new().fit(whole, codes), whole)
        for kind in (np.float32, np.int64):
            table_of_kind = whole.astype(kind)
            model = case.new().fit(table_of_kind, codes)
            _same(_certainties(model, table_of_kind), expected, rtol=0.02, atol=0.02)
    if not get_tags(case.estimator).input_tags.allow_nan:
        bad = table.where(table != table.iloc[3, -1])
        for ask in (partial(case.new().fit, y=codes), case.fitted.predict):
            demand(refused(ValueError, ask, bad) is not None, "NaN is not refused.")


def check_ranker(case):
    """In a ranker no order of rows must matter, copies tie, a pipeline hand over names it reads."""
    X, ranks = case.candidates
    model = case.ranker(case.new()).fit(X, ranks)
    found = model.predict(X)
    demand(model.score(X, ranks) > 0.2, "Its ranks do not follow those that it was trained on.")
    order = np.random.default_rng(1).permutation(len(X))
    again = case.ranker(case.new()).fit(X.iloc[order], ranks.iloc[order])
    np.testing.assert_array_equal(again.predict(X), found)
    with warnings.catch_warnings(action="ignore"):  # segments that were trained on
        both = pd.concat([X, X[::4].rename(index={"a": "copy of a"})])
        strengths = model.decision_function(both)
    np.testing.assert_array_equal(strengths[len(X) :], strengths[: len(X) : 4])
    step = FunctionTransformer() if case.of_texts else StandardScaler()
    last = case.ranker(make_pipeline(step, case.new())).fit(X, ranks).estimator_[-1]
    named = hasattr(last, "feature_names_in_")
    demand(named or not declares(last, "reads_names"), "It has no feature_names_in_.")


def check_saving(case):
    """A fitted classifier must be the same when it was pickled, or saved by save_model."""
    expected = _answers(case.fitted, case.pairs[0])
    for how in ("pickle", "saving"):
        _same(_answers(restored(case, how), case.pairs[0]), expected)


_CHECKS = (
    check_labels, check_probabilities, check_antisymmetry, check_names, check_numbers,
    check_ranker, check_saving,
)  # fmt: skip
