"""Running a check: what it demands stands in its docstring, what was found in the error."""

__all__ = ["demand", "run"]


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
