"""The public battery lets sound classifiers of pairs pass; each check stops one broken in it."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from sklearn_mteval.candidates import check_texts
from sklearn_mteval.pair_classifiers import PairClassifier, learn_classes
from sklearn_mteval.testing import check_pair_classifier, pair_classifier_checks, pair_classifiers


class Regression(LogisticRegression):
    """A sound one, which another package may have."""


class Votes(ClassifierMixin, BaseEstimator):
    """Another one: features, of the weight that their differences were right in training."""

    antisymmetric = antisymmetric_ = True

    def __init__(self, unit=1.0):
        self.unit = unit

    def fit(self, X, y):
        X, y = validate_data(self, X, y)
        check_classification_targets(y)
        if X.shape[1] % 2:
            raise ValueError(f"n_features = {X.shape[1]} is odd.")
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) != 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass; "
                f"found {len(self.classes_)} class(es)."
            )
        self.coef_ = self.learnt(self.differences(X), 2.0 * codes - 1)
        return self

    def learnt(self, differences, signs):
        return (np.sign(differences) * signs[:, np.newaxis]).mean(axis=0)

    def differences(self, X):
        half = X.shape[1] // 2
        return X[:, :half] - X[:, half:]

    def decision_function(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)
        return (np.sign(self.differences(X)) * self.coef_).sum(axis=1) / self.unit

    def predict(self, X):
        better = self.decision_function(X) > 0
        return self.classes_[better.astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class CountsWords(PairClassifier):
    """A sound one of texts: a good word is worth what it was in training."""

    antisymmetric = antisymmetric_ = True

    def fit(self, X, y):
        differences = self.differences(X)
        validate_data(self, X, skip_check_array=True)
        self.classes_, better = learn_classes(y)
        self.worth_ = float((np.sign(differences) * (2 * better - 1)).mean())
        return self

    def differences(self, X):
        first, second = (check_texts(X, f"{side}__hypothesis") for side in ("t1", "t2"))
        return np.array(list(map(self.praise, first))) - list(map(self.praise, second))

    def praise(self, text):
        return text.count("good") - text.count("bad")

    def decision_function(self, X):
        check_is_fitted(self)
        validate_data(self, X, reset=False, skip_check_array=True)
        return self.worth_ * self.differences(X)

    def _is_whole(self, n_features):
        return isinstance(self.worth_, float)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        return tags


class TakesOtherNames(CountsWords):
    def decision_function(self, X):
        return super().decision_function(X.set_axis(self.feature_names_in_, axis=1))


class TakesNoTextForOne(CountsWords):
    def differences(self, X):
        return super().differences(X.fillna(""))


class KnowsNoWord(CountsWords):
    def praise(self, text):
        return 0


class AnswersWithNumbers(Votes):
    def predict(self, X):
        return (self.decision_function(X) > 0).astype(int)


class SmallerLabelIsBetter(Votes):
    def decision_function(self, X):
        return -super().decision_function(X)


class SaysOneDecidesAnother(Votes):
    def predict(self, X):
        return super().predict(-X)


class ColumnsTheWrongWayRound(Regression):
    def predict_proba(self, X):
        return super().predict_proba(X)[:, ::-1]


class Halves(Regression):
    def predict_proba(self, X):
        return super().predict_proba(X) / 2


class DeclaresTooMuch(Regression):
    """Its intercept is the same in both directions."""

    antisymmetric_ = True

    def fit(self, X, y):
        super().fit(X, y).intercept_ += 1
        return self


class DeclaresAWord(Votes):
    antisymmetric = "yes"


class ForgetsOnceFitted(Votes):
    antisymmetric_ = False


class LooksAtTheFirstOnly(Votes):
    """Antisymmetric, but each direction teaches something else."""

    def learnt(self, differences, signs):
        return super().learnt(np.maximum(differences, 0), signs)


class ForgetsNames(Votes):
    def fit(self, X, y):
        super().fit(np.asarray(X), y)
        return self

    def decision_function(self, X):
        return super().decision_function(np.asarray(X))


class ReadsTheIndex(Votes):
    def decision_function(self, X):
        found = super().decision_function(X)
        return 2 * found if hasattr(X, "index") and X.index.nlevels > 1 else found


class TellsCopiesApart(Votes):
    antisymmetric = antisymmetric_ = False

    def decision_function(self, X):
        return super().decision_function(X) + 3 * (np.arange(len(X)) % 2)


class ForgetsTheNamesItReads(ForgetsNames):
    reads_names = True


class TakesNaN(Votes):
    def fit(self, X, y):
        return super().fit(X.fillna(0.0) if hasattr(X, "fillna") else X, y)


class Kept:
    """A type that nobody trusts."""


class KeepsAnotherType(Votes):
    def learnt(self, differences, signs):
        self.kept_ = Kept()
        return super().learnt(differences, signs)


class LearnsThree(Votes):
    """Silently takes the third label for the second."""

    def fit(self, X, y):
        classes = np.unique(y)
        return super().fit(X, np.where(y == classes[0], y, classes[-1]))


class ChangesAParameter(Votes):
    def learnt(self, differences, signs):
        self.unit = 2.0
        return super().learnt(differences, signs)


BROKEN = [
    ("labels", AnswersWithNumbers()),
    ("probabilities", SmallerLabelIsBetter()),
    ("probabilities", SaysOneDecidesAnother()),
    ("probabilities", ColumnsTheWrongWayRound()),
    ("probabilities", Halves()),
    ("antisymmetry", DeclaresTooMuch()),
    ("antisymmetry", DeclaresAWord()),
    ("antisymmetry", ForgetsOnceFitted()),
    ("antisymmetry", LooksAtTheFirstOnly()),
    ("names", ForgetsNames()),
    ("names", ReadsTheIndex()),
    ("numbers", TakesNaN()),
    ("ranker", TellsCopiesApart()),
    ("ranker", ForgetsTheNamesItReads()),
    ("saving", KeepsAnotherType()),
    ("probabilities", KnowsNoWord()),
    ("names", TakesOtherNames()),
    ("numbers", TakesNoTextForOne()),
    ("check_classifier_not_supporting_multiclass", LearnsThree()),
    ("check_dont_overwrite_parameters", ChangesAParameter()),
]


@pytest.mark.parametrize("classifier", [Regression(), Votes(), CountsWords()])
def test_sound_classifiers_pass(classifier):
    check_pair_classifier(classifier)


@pytest.mark.parametrize(
    ("name", "classifier"), BROKEN, ids=lambda x: x if isinstance(x, str) else type(x).__name__
)
def test_a_broken_classifier_fails(name, classifier):
    check = dict(pair_classifier_checks(classifier))[name]
    ours = getattr(pair_classifiers, f"check_{name}", None)
    demand = ours.__doc__ if ours else "scikit-learn's check of this name must pass."
    with pytest.raises(AssertionError) as error:
        check()
    message, found = str(error.value).split("\n", maxsplit=1)
    assert message == f"{type(classifier).__name__} fails the check {name!r}. {demand}"
    assert " must " in demand and found.strip()


def test_each_check_of_ours_can_fail():
    ours = [name for name, _ in pair_classifier_checks(Votes()) if not name.startswith("check_")]
    assert {name for name, _ in BROKEN if not name.startswith("check_")} == set(ours)


def test_checks_can_be_left_out():
    broken = ChangesAParameter()
    with pytest.raises(AssertionError, match="fails the check"):
        check_pair_classifier(broken)
    failing = {}
    for name, check in pair_classifier_checks(broken):
        try:
            check()
        except AssertionError:
            failing[name] = "a parameter is changed"
    assert "check_dont_overwrite_parameters" in failing
    check_pair_classifier(broken, expected_failed_checks=failing)


def test_scikit_learns_checks_are_given_an_even_number_of_columns():
    """Those that would give an odd one: else they fail, or pass for that error's sake."""
    odd = []

    class Counts(Votes):
        def fit(self, X, y):
            if getattr(X, "ndim", 0) == 2 and X.shape[1] % 2:
                odd.append(X.shape)
            return super().fit(X, y)

    for name, check in pair_classifier_checks(Counts()):
        if name.startswith("check_"):
            odd.clear()
            try:
                check()
            except AssertionError:  # a local class cannot be pickled
                assert "pickle" in name, name
            assert not odd or "partial_fit" in name or "sparse" in name, (name, odd)
