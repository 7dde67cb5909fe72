"""Running a check: what it demands stands in its docstring, what was found in the error."""

import pickle
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from sklearn_mteval.persistence import load_model, save_model


def named(checks, case):
    """Yield names of checks, and the checks as functions without arguments."""
    for check in checks:
        name = check.__name__.removeprefix("check_")
        yield name, partial(run, name, check, case)


def types_to_trust(estimator, trusted):
    """List the full names of types that loading needs: those that are given, or the estimator's."""
    kind = type(estimator)
    return [f"{kind.__module__}.{kind.__qualname__}"] if trusted is None else list(trusted)


def run(name, check, case):
    """Run a check; whatever goes wrong is an AssertionError that says what was demanded."""
    try:
        check(case)
    except Exception as error:
        found = str(error).strip() if isinstance(error, AssertionError) else repr(error)
        raise AssertionError(
            f"{type(case.estimator).__name__} fails the check {name!r}. {check.__doc__}\n{found}"
        ) from error


def demand(condition, found):
    """Raise AssertionError that tells what was found instead."""
    if not condition:
        raise AssertionError(found)


def refused(kind, ask, *arguments):
    """Return what the error says that a call must raise; None if it raises nothing."""
    try:
        ask(*arguments)
    except kind as error:
        return str(error)


def restored(case, how):
    """Return what a case has fitted, as it is after "pickle" or "saving"."""
    if how == "pickle":
        return pickle.loads(pickle.dumps(case.fitted))
    with TemporaryDirectory() as folder:
        save_model(case.fitted, Path(folder) / "model", trusted=case.trusted)
        return load_model(Path(folder) / "model", trusted=case.trusted)
