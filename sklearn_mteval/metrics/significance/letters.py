"""Letters for what cannot be told apart: a compact letter display."""

from string import ascii_letters

import numpy as np
from numpy.typing import ArrayLike


def group_letters(differ: ArrayLike) -> list[str]:
    """Give each system letters: two share one if and only if they are not told apart.

    Tiers cannot show that A and B, B and C, but not A and C are told apart; letters can: "a", "ab",
    "b". ``differ`` (n_systems, n_systems) is symmetric, the best first. Groups are grown greedily,
    and needless ones dropped (Piepho 2004; Gramm et al. 2007, section 3): the fewest take too long.
    """
    alike = ~np.asarray(differ, dtype=bool)
    if alike.ndim != 2 or (alike != alike.T).any():
        raise ValueError(
            f"differ must be a symmetric matrix of bool, found one of shape {alike.shape}"
            f"{'' if alike.ndim != 2 else ' that is not symmetric'}."
        )
    np.fill_diagonal(alike, True)
    groups = _needed(_grown(alike), alike)
    groups.sort(key=lambda group: (group[0], group[-1]))
    letters = [""] * len(alike)
    for number, group in enumerate(groups):
        round_, place = divmod(number, len(ascii_letters))
        for system in group:
            letters[system] += ascii_letters[place] + (str(round_) if round_ else "")
    return letters


def _grown(alike):
    """Return groups, each as large as it gets, in which each two that are alike are together."""
    together, groups = np.zeros_like(alike), []
    for one, other in np.argwhere(np.triu(alike)):
        if together[one, other]:
            continue
        fits, group = alike[one] & alike[other], [one, other]
        # Whom most of those that fit have not yet met comes first; then the better.
        while (rest := np.setdiff1d(np.flatnonzero(fits), group)).size:
            group.append(rest[(~together[np.ix_(rest, group)]).sum(axis=1).argmax()])
            fits &= alike[group[-1]]
        group = np.unique(group)
        together[np.ix_(group, group)] = True
        groups.append(group)
    return groups


def _needed(groups, alike):
    """Return the groups without those whose pairs are all together in others."""
    count = np.zeros(alike.shape, dtype=np.int64)
    for group in groups:
        count[np.ix_(group, group)] += 1
    kept = []
    for group in sorted(groups, key=len):
        square = np.ix_(group, group)
        if (count[square] > 1).all():
            count[square] -= 1
        else:
            kept.append(group)
    return kept
