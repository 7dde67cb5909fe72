"""Pearson's and Spearman's correlation of groups of rows, and of differences, made of sums."""

import numpy as np

from sklearn_mteval.exceptions import CandidateError

_ROUNDING = 1e-12  # a variance below this proportion of the squares is that of a constant
_SMALL = 1e-100  # differences whose squares may be too small


def correlations(statistic, human, metric, groups):
    """Compute the correlation ("pearson" or "spearman") of each group, agreement positive."""
    if statistic == "pearson":
        check_finite(metric)
    numbers = np.cumsum(np.diff(groups, prepend=groups[:1]) > 0)
    n_groups = numbers.max(initial=-1) + 1
    if statistic == "spearman":
        human, metric = midranks(human, numbers), midranks(metric, numbers)
    return pearson_of_sums(add_up(moments(human, metric, numbers, n_groups), numbers, n_groups))


def check_finite(metric, what="Pearson's correlation"):
    """Raise unless Pearson's correlation can be computed."""
    infinite = np.isinf(metric)
    if infinite.any():
        raise CandidateError(
            f"{what} needs finite scores, found infinity in {int(infinite.sum())} "
            "of them. Leave such rows out (NaN and missing='skip'), or use ranks (Spearman, tau)."
        )


def midranks(values, groups):
    """Rank within groups (not decreasing) from 1 on; equal values share the mean of their ranks."""
    order = np.lexsort((values, groups))
    inside, ordered = groups[order], values[order]
    new_group = np.diff(inside, prepend=-1) > 0
    new = new_group.copy()
    new[1:] |= ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(new)
    ends = np.append(starts[1:], len(values))
    first_row = np.maximum.accumulate(np.where(new_group, np.arange(len(values)), 0))
    # Rows starts to ends - 1 of all, so ranks starts + 1 to ends: their mean, less those before.
    shared = (starts + ends + 1) / 2 - first_row[starts]
    ranks = np.empty(len(values))
    ranks[order] = np.repeat(shared, ends - starts)
    return ranks


def near_one(values):
    """Scale vectors (..., n) by powers of two, which is exact, so that squares can be added up."""
    return np.ldexp(values, -_exponents(np.abs(values).max(axis=-1, initial=0, keepdims=True)))


def _exponents(largest):
    """Return the exponents of powers of two that are hardly larger; 0 for NaN."""
    return np.where(np.isfinite(largest), np.frexp(largest)[1], 0)


def moments(human, metric, groups, n_groups):
    """Return what a row adds to its group's sums of 1, x, y, x², y², xy, about 0: (n_rows, 6)."""
    x, y = (_shifted(values, groups, n_groups) for values in (-human, metric))
    return np.column_stack([np.ones_like(x), x, y, x * x, y * y, x * y])


def _shifted(values, groups, n_groups):
    """Subtract the group's first value, then its mean: exact zeros where it is constant."""
    largest = np.zeros(n_groups)
    np.maximum.at(largest, groups, np.abs(values))
    shifted = _from_first(np.ldexp(values, -_exponents(largest)[groups]), groups, n_groups)
    return _centred(shifted, groups, n_groups)


def _from_first(values, groups, n_groups):
    """Subtract the first value of the group."""
    first = np.full(n_groups, len(values))
    np.minimum.at(first, groups, np.arange(len(values)))
    return values - values[first[groups]]


def _centred(shifted, groups, n_groups):
    """Subtract the group's mean."""
    sums, sizes = np.bincount(groups, shifted, n_groups), np.bincount(groups, minlength=n_groups)
    return shifted - (sums / np.maximum(sizes, 1))[groups]


def sums_of_differences(human, metric, groups):
    """Add up x², y² and xy of the differences of each group's pairs of rows, (n_groups, 3)."""
    check_finite(metric, "The correlation of differences")
    # By content, so that not even the last bit of a sum depends on the order of the rows.
    order = np.lexsort((metric, human, groups))
    numbers = np.cumsum(np.diff(groups, prepend=groups[:1]) > 0)  # groups[order] is groups
    n_groups = numbers.max(initial=-1) + 1
    x, y = (
        _centred(_scaled_from_first(values[order], numbers, n_groups), numbers, n_groups)
        for values in (-human, metric)
    )
    rows = np.column_stack([x * x, y * y, x * y])
    sizes, means = (
        add_up(columns, numbers, n_groups)
        for columns in (np.ones((len(x), 1)), np.column_stack([x, y]))
    )
    # Σ over pairs (x_i - x_j) (y_i - y_j) = n Σ x y - Σ x Σ y; what is left of Σ x is rounding.
    squares = np.column_stack([means * means, means.prod(axis=1)])
    sums = sizes * add_up(rows, numbers, n_groups) - squares
    sums[:, :2] = np.maximum(sums[:, :2], 0)
    return sums


def _scaled_from_first(values, groups, n_groups):
    """Subtract the group's first value, and scale extreme differences by one power of two."""
    with np.errstate(over="ignore"):
        shifted = _from_first(values, groups, n_groups)
    if np.isinf(shifted).any():  # only then: it takes the last bits of the smallest numbers
        shifted = _from_first(np.ldexp(values, -2), groups, n_groups)
    # Others keep their scale: in permutation tests sums of two metrics' scores are exchanged.
    largest = np.abs(shifted).max(initial=0)
    return shifted if _SMALL < largest < 1 / _SMALL else near_one(shifted)


def correlation_of_differences(sums):
    """Compute Pearson's correlation of differences about 0 from sums (..., 3); NaN of constants."""
    xx, yy, xy = np.moveaxis(np.asarray(sums), -1, 0)
    defined = (xx > 0) & (yy > 0)
    roots = np.sqrt(np.where(defined, xx, 1)) * np.sqrt(np.where(defined, yy, 1))
    return np.where(defined, np.clip(xy / roots, -1, 1), np.nan)


def pearson_of_sums(sums):
    """Compute Pearson's correlation from sums (..., 6) as :func:`moments` has them; or NaN."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    n = np.maximum(n, 1)
    # Σ (x - mean)² = Σ x² - (Σ x)² / n, and Σ (x - mean) (y - mean) likewise.
    spread_x, spread_y = xx - x * x / n, yy - y * y / n
    defined = (spread_x > _ROUNDING * xx) & (spread_y > _ROUNDING * yy)
    # The roots are taken one by one: the product of two variances may underflow.
    scale = np.sqrt(spread_x, where=defined, out=np.ones(n.shape))
    scale *= np.sqrt(spread_y, where=defined, out=np.ones(n.shape))
    return np.where(defined, np.clip((xy - x * y / n) / scale, -1, 1), np.nan)


def add_up(rows, codes, n_codes):
    """Sum rows (n_rows, k) of equal codes (from 0): (n_codes, k), zeros for codes without rows."""
    sums = np.empty((n_codes, rows.shape[1]))
    for k, column in enumerate(rows.T):
        sums[:, k] = np.bincount(codes, weights=column, minlength=n_codes)
    return sums
