"""Checks of options that estimators and functions share."""

import numbers
import sys

import numpy as np

from sklearn_mteval._helpers.restored import is_count

LONGEST_NGRAM = 100
_MOST_DRAWS = 10_000_000  # 80 MB for each statistic


def check_one_of(name, value, allowed):
    """Raise unless an option has one of the values allowed."""
    # An array, say, would compare with each.
    if not isinstance(value, str | int | float | type(None)) or value not in tuple(allowed):
        raise ValueError(f"{name} must be one of {sorted(allowed, key=str)}, found {value!r}.")


def check_boolean(**options):
    """Raise unless options are True or False, naming the first that is neither."""
    for name, value in options.items():
        if not isinstance(value, bool | np.bool_):
            raise ValueError(f"{name} must be True or False, found {value!r}.")


def check_integer(name, value, *, minimum, maximum=np.inf):
    """Raise unless an option is an integer within bounds; True and False are none."""
    if not is_count(value, minimum, maximum):
        end = "" if maximum == np.inf else f" and <= {maximum}"
        raise ValueError(f"{name} must be an integer >= {minimum}{end}, found {value!r}.")


def check_order(name, value, *, minimum=1):
    """Raise unless an option is a length of n-grams; time and memory grow with it."""
    check_integer(name, value, minimum=minimum, maximum=LONGEST_NGRAM)


def check_draws(name, value):
    """Raise unless an option is a number of random draws, as many as memory holds."""
    check_integer(name, value, minimum=1, maximum=_MOST_DRAWS)


def check_n_jobs(n_jobs, name="n_jobs"):
    """Raise unless it is a number of processes or threads as joblib counts them."""
    if n_jobs is not None and (not is_count(n_jobs, -np.inf, np.inf) or n_jobs == 0):
        raise ValueError(f"{name} must be None or an integer other than 0, found {n_jobs!r}.")


def check_number(name, value, *, above, maximum=np.inf):
    """Raise unless an option is a number that is larger than one bound and at most the other."""
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not number or not above < value <= maximum:
        end = "" if maximum == np.inf else f" and <= {maximum}"
        raise ValueError(f"{name} must be a number > {above:g}{end}, found {value!r}.")


def check_within(name, value, low, high=sys.float_info.max):
    """Raise unless an option is a finite number from one bound to the other, both included."""
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not number or not low <= value <= high:
        raise ValueError(f"{name} must be a number from {low} to {high:g}, found {value!r}.")


def check_proportion(name, value):
    """Raise unless an option lies between 0 and 1, both excluded."""
    if not isinstance(value, numbers.Real) or not 0 < value < 1:
        raise ValueError(f"{name} must lie between 0 and 1, found {value!r}.")


def names_of(option, names):
    """Return an option that lists names as a tuple; ValueError for a string, or a name twice."""
    if isinstance(names, str):
        raise ValueError(f"{option} must be a list of names, found the string {names!r}.")
    names = tuple(names)
    for k, name in enumerate(names):
        if name in names[:k]:
            raise ValueError(f"{option} names {name!r} twice.")
    return names
