"""One metric's statistics of system level, with intervals."""

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_mteval._helpers.order import table_order
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.metrics.system.paired import in_clusters
from sklearn_mteval.metrics.system.resampled import intervals_of_systems
from sklearn_mteval.metrics.system.soft_accuracy import soft_pairwise_accuracy
from sklearn_mteval.metrics.system.statistics import SYSTEM_STATISTICS, means_of_weights
from sklearn_mteval.metrics.system.tables import score_table, units_of_segments
from sklearn_mteval.metrics.system.wins import human_scores_of_weights, in_content_order, win_counts


class HumanSystems(NamedTuple):
    """What annotators say of the systems; higher is better."""

    table: pd.DataFrame  # of translations, (n_segments, n_systems); NaN where nobody judged
    # From labels of segments, judged or not, and of systems to a function from weights
    # (n_resamples, n_segments) to system scores (n_resamples, n_systems).
    of_weights: Callable

    def scores(self):
        """Score the systems on all judgements: a Series, NaN where none was compared."""
        values = self.table.to_numpy()
        segments, systems = table_order(values, values)
        table = self.table.iloc[segments, systems]  # the last bits must not depend on names
        scores = self.of_weights(table.index, table.columns)(np.ones((1, len(table))))[0]
        return pd.Series(scores, index=table.columns, name="human")


def kind_of_scores(y):
    """Tell whether human system scores are expected wins, as of ranks, or means of judgements."""
    return "expected-wins" if y.index.nlevels > 2 else "mean"


def human_systems(y):
    """Score systems by judgements; a level besides segment and system says that they are ranks."""
    if kind_of_scores(y) == "expected-wins":
        return _of_rankings(in_content_order(win_counts(y.to_frame(), y)))
    labels = (y.index.get_level_values(level) for level in ("segment", "system"))
    table = score_table(-y.to_numpy(), *labels)

    def means(segments, systems):
        return means_of_weights(table.reindex(index=segments, columns=systems))

    return HumanSystems(table, means)


def _of_rankings(counts):
    """Score systems by expected wins, translations by (wins - losses) / judgements."""
    # In single precision: the order of segments, on which resamples depend, is that of these bits.
    wins, losses, ties = (table.astype(np.float32) for table in counts.by_segment())
    table = pd.DataFrame(
        ratio(wins - losses, wins + losses + ties), index=counts.segments, columns=counts.systems
    )

    def of_weights(segments, systems):
        # -1: nobody judged it.
        rows, columns = table.index.get_indexer(segments), table.columns.get_indexer(systems)
        return human_scores_of_weights(counts.in_order(rows, columns))

    return HumanSystems(table, of_weights)


def system_statistics(human, table, options, documents=None):
    """Compute {name: (value, low, high)} of systems, counts, and scores, a Series by system."""
    # Segments that are alike in both tables keep the order of win counts, one of their content.
    table = table.reindex(human.table.index.union(table.index, sort=False))
    judged = human.table.reindex(index=table.index, columns=table.columns)
    # Segments that only other metrics scored would change the resamples.
    there = (table.notna() | judged.notna()).any(axis=1)
    table, judged = table[there], judged[there]
    tables = judged.to_numpy(), table.to_numpy()
    segments, systems = table_order(*tables)
    segments, units = in_clusters(segments, tables, units_of_segments(documents, table))
    table = table.iloc[segments, systems]
    # The last bits of products depend on the layout, and that on how the tables were made.
    judged, metric = map(np.ascontiguousarray, (judged.iloc[segments, systems], table))
    human_scores = human.of_weights(table.index, table.columns)
    metric_scores = means_of_weights(metric)
    ones = np.ones((1, len(table)))
    found = {}
    for needs_segments in (False, True):
        chosen = [
            statistic
            for statistic in map(SYSTEM_STATISTICS.get, options.system_statistics)
            if statistic.needs_segments == needs_segments
        ]
        if not chosen:
            continue
        sides = means_of_weights(judged) if needs_segments else human_scores, metric_scores
        functions = [statistic.of_means(judged, metric) for statistic in chosen]
        bounds = intervals_of_systems(chosen, functions, sides, units, options.bootstrap)
        for statistic, function, (low, high) in zip(chosen, functions, bounds, strict=True):
            if needs_segments:
                given = options.of("n_permutations", "random_state")
                with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
                    value = soft_pairwise_accuracy(judged, metric, **given)  # NaN says it
            else:
                value = float(function(*(side(ones)[0] for side in sides)))
            found[statistic.name] = value, float(low), float(high)
    found = {f"system_{name}": found[name] for name in options.system_statistics}
    scores = pd.Series(metric_scores(ones)[0], index=table.columns)
    return found, {"translations": int(np.isfinite(metric).sum())}, scores
