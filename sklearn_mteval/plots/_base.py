"""What all displays share: matplotlib on use, colours, checks of what is to be drawn."""

import numpy as np

from sklearn_mteval.exceptions import CandidateError

__all__ = [
    "BLUE",
    "GREY",
    "INK",
    "PALE",
    "VERMILION",
    "axes_for",
    "axis_label",
    "borders_of",
    "check_interval",
    "check_names",
    "check_numbers",
    "draw_legend",
    "next_colour",
]

# Okabe and Ito's colours, which colour-blind readers tell apart.
BLUE, VERMILION = "#0072B2", "#B84A00"
_CURVES = (BLUE, VERMILION, "#009E73", "#E69F00", "#56B4E9", "#CC79A7", "#000000")
INK, GREY, PALE = "#222222", "#5F5F5F", "#E3E3E3"

_TIMES_100 = "{} × 100"  # noqa: RUF001
_LABELS = {
    **{name: f"Kendall's tau ({name})" for name in ("wmt12", "wmt13", "wmt14", "darr", "eq")},
    "tau-b": "Kendall's tau-b",
    "tau-c": "Kendall's tau-c",
    "acc_eq": "Pairwise accuracy with ties (acc_eq)",
    "pearson": "Pearson's correlation",
    "spearman": "Spearman's correlation",
}


def axis_label(statistic):
    """Return how an axis is named.

    Parameters
    ----------
    statistic : str
        Of ``metrics.figures.STATISTICS``, or any other name.

    Returns
    -------
    str
        The measure with its unit.
    """
    return _TIMES_100.format(_LABELS.get(statistic, statistic))


def axes_for(display, ax, size):
    """Return the axes to draw on, new ones if there are none.

    Parameters
    ----------
    display : object
        Who draws, for the error.
    ax : Axes or None
        What the caller gave.
    size : (float, float)
        Width and height of a new figure, in inches.

    Returns
    -------
    Axes
        Given or new.
    """
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            f"{type(display).__name__}.plot needs matplotlib ({error}): pip install "
            "'sklearn-mteval[plots]'."
        ) from None
    if ax is None:
        _, ax = pyplot.subplots(figsize=size, layout="constrained")
    return ax


def next_colour(ax, curves):
    """Return a colour that none of the curves before has.

    Parameters
    ----------
    ax : Axes
        Where the next curve will be.
    curves : str
        The ``gid`` of such curves.

    Returns
    -------
    str
        From the eighth curve on colours come again.
    """
    return _CURVES[sum(line.get_gid() == curves for line in ax.lines) % len(_CURVES)]


def borders_of(labels, what):
    """Return the positions at which a label differs from the one before.

    Parameters
    ----------
    labels : list
        Of clusters, in the order drawn.
    what : str
        What they are, for the error.

    Returns
    -------
    list of int
        One fewer than there are clusters.
    """
    borders = [k for k in range(1, len(labels)) if labels[k] != labels[k - 1]]
    if len(borders) >= len(set(labels)):
        raise CandidateError(f"{what} must stand together, found {labels}.")
    return borders


def draw_legend(ax, place):
    """Draw a legend in which names are not read as formulas.

    Parameters
    ----------
    ax : Axes
        With labelled curves.
    place : str
        As ``Axes.legend`` names it.
    """
    for text in ax.legend(frameon=False, loc=place).get_texts():
        text.set_parse_math(False)


def check_names(names, what="names"):
    """Return names as strings.

    Parameters
    ----------
    names : sequence
        Names of metrics or systems.
    what : str, default="names"
        What they are, for the error.

    Returns
    -------
    list of str
        At least one, all different.
    """
    if isinstance(names, str):
        raise CandidateError(f"{what} must be a sequence of names, found the string {names!r}.")
    names = [str(name) for name in names]
    if not names:
        raise CandidateError(f"{what} is empty: there is nothing to draw.")
    for k, name in enumerate(names):
        if name in names[:k]:
            raise CandidateError(f"{what} has {name!r} twice: names must differ.")
    return names


def check_numbers(name, values, shape, *, allow_nan=False, low=-np.inf, high=np.inf):
    """Return numbers as floats of a shape.

    Parameters
    ----------
    name : str
        What they are, for the error.
    values : array-like
        Numbers.
    shape : tuple of int
        What is expected.
    allow_nan : bool, default=False
        Whether NaN may stand among them.
    low, high : float
        Bounds, infinite ones excluded.

    Returns
    -------
    ndarray
        A copy, float64.
    """
    try:
        values = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise CandidateError(f"{name} must be numbers: {error}") from None
    if values.shape != shape:
        raise CandidateError(f"{name} must have shape {shape}, found {values.shape}.")
    bad = np.isinf(values) | (values < low) | (values > high)
    if not allow_nan:
        bad |= np.isnan(values)
    if bad.any():
        limits = "" if low == -np.inf else f" between {low:g} and {high:g}"
        expected = f"finite numbers{limits}{' or NaN' if allow_nan else ''}"
        where = tuple(int(k) for k in np.argwhere(bad)[0])
        found = values[where]
        place = f" at position {', '.join(map(str, where))}" if where else ""
        raise CandidateError(f"{name} must be {expected}, found {found}{place}.")
    return values


def check_interval(name, bounds, n):
    """Return lower and upper bounds, or None if there are none.

    Parameters
    ----------
    name : str
        What they are, for the error.
    bounds : array-like of shape (n, 2) or None
        Both bounds NaN where there is no interval.
    n : int
        How many there must be.

    Returns
    -------
    ndarray of shape (n, 2) or None
        Lower bound, upper bound.
    """
    if bounds is None:
        return None
    bounds = check_numbers(name, bounds, (n, 2), allow_nan=True)
    low, high = bounds.T
    bad = (np.isnan(low) != np.isnan(high)) | (low > high)
    if bad.any():
        k = int(bad.argmax())
        raise CandidateError(
            f"{name} must be lower and upper bounds, both NaN where there are none; found "
            f"{low[k]} and {high[k]} at position {k}."
        )
    return bounds
