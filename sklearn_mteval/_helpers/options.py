"""Checks of options that estimators and functions share."""

import numbers

import numpy as np

__all__ = ["check_boolean", "check_integer", "check_number", "check_share"]


def check_boolean(**options):
    """Raise unless options are True or False.

    Parameters
    ----------
    **options : dict
        Names of options and their values.

    Raises
    ------
    ValueError
        Naming the first that is neither.
    """
    for name, value in options.items():
        if not isinstance(value, bool | np.bool_):
            raise ValueError(f"{name} must be True or False, found {value!r}.")


def check_integer(name, value, *, minimum):
    """Raise unless an option is an integer that is large enough.

    Parameters
    ----------
    name : str
        Name of the option.
    value : object
        Its value.
    minimum : int
        The smallest value allowed.

    Raises
    ------
    ValueError
        Naming the option, what was expected and what was found.
    """
    integer = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not integer or value < minimum:
        raise ValueError(f"{name} must be an integer >= {minimum}, found {value!r}.")


def check_number(name, value, *, above, maximum=np.inf):
    """Raise unless an option is a number in range.

    Parameters
    ----------
    name : str
        Name of the option.
    value : object
        Its value.
    above : float
        It must be larger than this.
    maximum : float, default=inf
        And at most this.

    Raises
    ------
    ValueError
        Naming the option, what was expected and what was found.
    """
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not number or not above < value <= maximum:
        end = "" if maximum == np.inf else f" and <= {maximum}"
        raise ValueError(f"{name} must be a number > {above:g}{end}, found {value!r}.")


def check_share(name, value):
    """Raise unless an option lies between 0 and 1.

    Parameters
    ----------
    name : str
        Name of the option.
    value : object
        Its value.

    Raises
    ------
    ValueError
        Naming the option, what was expected and what was found.
    """
    if not isinstance(value, numbers.Real) or not 0 < value < 1:
        raise ValueError(f"{name} must lie between 0 and 1, found {value!r}.")
