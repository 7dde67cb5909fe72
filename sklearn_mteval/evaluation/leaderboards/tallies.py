"""Who won how often: what a leaderboard shows in addition to its scores."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval.metrics.core.ratios import ratio


class Tally(NamedTuple):
    """Comparisons of systems, in any one order of these."""

    wins: np.ndarray  # (n_systems, n_systems) of int: the row won against the column
    ties: np.ndarray  # (n_systems, n_systems) of int, symmetric
    both_bad: np.ndarray  # (n_systems,) of int: judged so
    segments: np.ndarray  # (n_systems,) of int, in which the system was judged

    def in_order(self, order):
        """Return the same with the systems at these positions."""
        square = np.ix_(order, order)
        wins, ties = self.wins[square], self.ties[square]
        return Tally(wins, ties, self.both_bad[order], self.segments[order])

    def columns(self):
        """Return columns of a leaderboard's table."""
        wins, ties = self.wins, self.ties
        judged = wins + wins.T + ties
        return {
            "win_rate": ratio((wins + ties / 2).sum(axis=1), judged.sum(axis=1)),
            "wins": wins.sum(axis=1), "losses": wins.sum(axis=0), "ties": ties.sum(axis=1),
            "both_bad": self.both_bad, "segments": self.segments,
        }  # fmt: skip

    def squares(self, labels):
        """Return win rates and numbers of comparisons of row and column, with labels."""
        judged = self.wins + self.wins.T + self.ties
        rates = ratio(self.wins + self.ties / 2, judged)
        return square(rates, labels), square(judged, labels)


def square(cells, labels):
    """Return a table of systems against systems."""
    return pd.DataFrame(cells, index=labels, columns=labels.rename("against"))


def tally_of(compared):
    """Count the outcomes of comparisons."""
    n, (first, second) = len(compared.systems), (compared.first, compared.second)
    better = np.where(compared.outcome > 0, first, second)
    worse = np.where(compared.outcome > 0, second, first)
    tied = compared.outcome == 0
    wins, ties = (
        np.bincount(better[kind] * n + worse[kind], minlength=n * n).reshape(n, n)
        for kind in (~tied, tied)
    )
    cells = np.unique(np.concatenate([compared.segment * n + end for end in (first, second)]))
    segments = np.bincount(cells % n, minlength=n)
    return Tally(wins, ties + ties.T, compared.both_bad.sum(axis=1), segments)


def counts_of(compared):
    """Count the comparisons, ties and segments."""
    return {
        "comparisons": len(compared.outcome),
        "ties": int((compared.outcome == 0).sum()),
        "both_bad": int(compared.both_bad.sum()) // 2,
        "segments": len(compared.segments),
    }
