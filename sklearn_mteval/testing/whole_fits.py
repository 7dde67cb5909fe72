"""The check that a fit is all or nothing, for estimators of other packages too."""

import sys
import warnings
from collections import Counter
from inspect import CO_GENERATOR

import joblib
import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone

from sklearn_mteval.testing._cases import demand

_FITS = ("fit", "partial_fit", "fit_transform")


def check_fit_is_all_or_nothing(
    estimator: BaseEstimator, first: tuple, second: tuple, *, n_steps: int = 20
) -> None:
    """Raise unless an estimator keeps what it has learnt when a second fit fails or is interrupted.

    Steps of the second fit are made to raise an error and, in another run, KeyboardInterrupt, as
    Ctrl-C does. A step is a call of a function of the estimator's own package or, of any package,
    of one that fits: each function's first call and its last.

    Parameters
    ----------
    estimator : estimator
        An instance, which is cloned. It must be possible to pickle it; ``random_state`` is no
        object that a fit changes.
    first, second : tuple
        What ``fit`` is given, such as ``(X, y)``, of unlike data; the second also what
        ``partial_fit`` and a ``fit_transform`` of its own are given.
    n_steps : int, default=20
        Steps of each of these at most, evenly spread over those that there are.

    Raises
    ------
    AssertionError
        Naming the step, and the attributes that are no longer what they were.

    Examples
    --------
    >>> from sklearn_mteval import RankRecomposer
    >>> from sklearn_mteval.datasets import load_sample
    >>> from sklearn_mteval.testing import check_fit_is_all_or_nothing
    >>> X, y = load_sample(return_X_y=True)
    >>> X = X[["hypothesis"]].map(len)
    >>> check_fit_is_all_or_nothing(RankRecomposer(), (X[:40], y[:40]), (X[40:90], y[40:90]))
    """
    with warnings.catch_warnings(action="ignore"):
        for name in _FITS:
            method = getattr(type(estimator), name, TransformerMixin.fit_transform)
            if hasattr(estimator, name) and method is not TransformerMixin.fit_transform:
                _check_method(estimator, name, first, second, n_steps)


def _check_method(estimator, name, first, second, n_steps):
    """Check one of the methods that fit."""
    fitted, seen = clone(estimator).fit(*first), _Calls(estimator)
    with seen:
        getattr(fitted, name)(*second)
    steps = seen.steps()
    chosen = np.linspace(0, len(steps) - 1, min(n_steps, len(steps))).astype(int)
    fitted = None
    for step in [steps[k] for k in chosen]:
        for error in (_Failure, KeyboardInterrupt):
            if fitted is None:
                fitted = clone(estimator).fit(*first)
                before = _state(fitted)
            calls = _Calls(estimator, step, error)
            try:
                with calls:
                    getattr(fitted, name)(*second)
            except BaseException:
                if not calls.raised:
                    raise
                now = _state(fitted)
                changed = sorted(k for k in now | before if now.get(k) != before.get(k))
                found = f"after {error.__name__} in {step[0].co_qualname} changed were {changed}."
                demand(not changed, f"{type(fitted).__name__}.{name}: {found}")
            else:
                fitted = None  # the step was not reached, or its error caught: a whole fit


def _state(estimator):
    """Return a hash of each attribute."""
    return {name: joblib.hash(value) for name, value in vars(estimator).items()}


class _Failure(Exception):
    """What a step is made to fail with."""


class _Calls:
    """Counts calls of functions, and raises an error in the call that is asked for."""

    def __init__(self, estimator, step=None, error=None):
        self._package = type(estimator).__module__.partition(".")[0]
        self._step, self._error = step, error
        self._counts, self._calls, self.raised = Counter(), [], False

    def steps(self):
        """List the first call of each function and the last, as (code, number), in their order."""
        ends = {(code, number) for code, n in self._counts.items() for number in (1, n)}
        return [call for call in self._calls if call in ends]

    def __enter__(self):
        self._previous = sys.getprofile()
        sys.setprofile(self._note)

    def __exit__(self, *_):
        sys.setprofile(self._previous)

    def _note(self, frame, event, _):
        code, package = frame.f_code, str(frame.f_globals.get("__name__")).partition(".")[0]
        is_step = package == self._package or code.co_name in _FITS
        # A generator that is thrown away is called once more, and no error then reaches its caller.
        left_out = code.co_flags & CO_GENERATOR or frame.f_globals is globals()
        if event != "call" or left_out or not is_step:
            return
        self._counts[code] += 1
        self._calls.append((code, self._counts[code]))
        if self._calls[-1] == self._step:
            self.raised = True
            raise self._error
