"""One metric's figures of system level, with intervals."""

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_mteval.metrics.significance.intervals import bootstrap_statistics, percentile_interval
from sklearn_mteval.metrics.system.agreement import system_figure_of_weights
from sklearn_mteval.metrics.system.human_scores import human_scores_of_weights, win_counts
from sklearn_mteval.metrics.system.score_tables import means_of_weights, score_table
from sklearn_mteval.metrics.system.soft_accuracy import (
    soft_accuracy_of_weights,
    soft_pairwise_accuracy,
)
from sklearn_mteval.metrics.system.table_order import table_order

__all__ = ["HumanSystems", "human_system_scores", "human_systems", "system_figures"]


class HumanSystems(NamedTuple):
    """What people think of the systems.

    Attributes
    ----------
    kind : str
        "expected-wins" or "mean".
    table : DataFrame of shape (n_segments, n_systems)
        How good each translation is, higher is better; NaN where nobody judged it.
    of_weights : callable
        From labels of segments, judged or not, and of systems to the function that turns
        weights of the segments, of shape (n_draws, n_segments), into scores of the systems, of
        shape (n_draws, n_systems).
    """

    kind: str
    table: pd.DataFrame
    of_weights: Callable


def human_systems(y):
    """Score systems by what people said about their translations.

    Parameters
    ----------
    y : Series of length n_rows
        Judgements, lower is better; a level beside segment and system says that they are ranks.

    Returns
    -------
    HumanSystems
        For rankings, a translation is as good as the share of its rivals that it beats, less
        the share that beats it.
    """
    if y.index.nlevels > len(("segment", "system")):
        return _of_rankings(win_counts(y.to_frame(), y))
    labels = (y.index.get_level_values(level) for level in ("segment", "system"))
    table = score_table(-y.to_numpy(), *labels)

    def _means(segments, systems):
        """Return the function for :class:`HumanSystems`."""
        return means_of_weights(table.reindex(index=segments, columns=systems))

    return HumanSystems("mean", table, _means)


def _of_rankings(counts):
    """Score systems by expected wins, and translations by net wins over rivals."""
    judged = (counts.wins + counts.wins.swapaxes(1, 2) + counts.ties).sum(axis=2)
    net = (counts.wins - counts.wins.swapaxes(1, 2)).sum(axis=2)
    shares = np.divide(net, judged, where=judged > 0, out=np.full(net.shape, np.nan))
    table = pd.DataFrame(shares, index=counts.segments, columns=counts.systems, dtype=np.float64)

    def _wins(segments, systems):
        """Return the function for :class:`HumanSystems`."""
        rows, columns = table.index.get_indexer(segments), table.columns.get_indexer(systems)
        chosen = counts.wins[rows][:, columns][:, :, columns]
        chosen[rows < 0] = 0  # nobody judged it
        return human_scores_of_weights(counts._replace(wins=chosen))

    return HumanSystems("expected-wins", table, _wins)


def human_system_scores(human):
    """Score the systems on all judgements.

    Parameters
    ----------
    human : HumanSystems
        People's opinion.

    Returns
    -------
    Series of length n_systems
        Higher is better, by system; NaN where nobody compared it with another.
    """
    segments, systems = table_order(human.table.to_numpy(), human.table.to_numpy())
    table = human.table.iloc[segments, systems]  # the last bits must not depend on names
    scores = human.of_weights(table.index, table.columns)(np.ones((1, len(table))))[0]
    return pd.Series(scores, index=table.columns, name="human")


def system_figures(human, table, options):
    """Compute one metric's figures of system level.

    Parameters
    ----------
    human : HumanSystems
        People's opinion.
    table : DataFrame of shape (n_segments, n_systems)
        The metric's scores, higher is better; a row for each segment of ``human`` and maybe
        others, the same systems.
    options : Options
        See :func:`evaluate_metrics`.

    Returns
    -------
    figures : dict of str to (float, float, float)
        Value, lower and upper bound of each figure.
    counts : dict of str to int
        ``translations``.
    scores : Series of length n_systems
        The metric's scores, by system.
    """
    judged = human.table.reindex(index=table.index, columns=table.columns)
    # Segments that only other metrics scored would change the draws.
    there = (table.notna() | judged.notna()).any(axis=1)
    table, judged = table[there], judged[there]
    segments, systems = table_order(judged.to_numpy(), table.to_numpy())
    table = table.iloc[segments, systems]
    people, metric = judged.iloc[segments, systems].to_numpy(), table.to_numpy()
    human_scores = human.of_weights(table.index, table.columns)
    ones = np.ones((1, len(table)))
    values, of_weights = [], []
    for name in options.system_statistics:
        if name == "spa":
            with warnings.catch_warnings():  # NaN says it
                warnings.simplefilter("ignore", UndefinedMetricWarning)
                values.append(
                    soft_pairwise_accuracy(
                        people,
                        metric,
                        n_permutations=options.n_permutations,
                        random_state=options.random_state,
                    )
                )
            of_weights.append(soft_accuracy_of_weights(people, metric))
        else:
            of_weights.append(system_figure_of_weights(name, human_scores, metric))
            values.append(float(of_weights[-1](ones)[0]))
    drawn = bootstrap_statistics(
        of_weights,
        len(table),
        n_resamples=options.n_resamples,
        random_state=options.random_state,
    )
    bounds = percentile_interval(drawn, options.confidence)
    figures = {
        f"system_{name}": (value, *map(float, pair))
        for name, value, pair in zip(options.system_statistics, values, bounds, strict=True)
    }
    scores = pd.Series(means_of_weights(metric)(ones)[0], index=table.columns)
    return figures, {"translations": int(np.isfinite(metric).sum())}, scores
