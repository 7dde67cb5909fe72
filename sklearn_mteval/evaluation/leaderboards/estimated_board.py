"""From estimated means to the table of systems."""

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.order import hash_rows
from sklearn_mteval.evaluation.leaderboards.automatic import table_of_coefficients
from sklearn_mteval.evaluation.leaderboards.board import Leaderboard, places
from sklearn_mteval.evaluation.leaderboards.content import hash_of
from sklearn_mteval.evaluation.leaderboards.estimated import order_of
from sklearn_mteval.evaluation.leaderboards.tallies import square
from sklearn_mteval.evaluation.signature import short_hash, signature_line
from sklearn_mteval.metrics.significance.multiple_comparisons import holm


def board_of(
    systems, estimated, units, differences, p_values, tally, *, automatic, sample, counts, options,
    data
):  # fmt: skip
    """Return the leaderboard; arrays are in the order of ``systems``, ``data`` is the index and y.

    ``automatic`` are the names of judges and metrics, ``counts`` begin those of the leaderboard.
    """
    order = order_of(estimated.scores, systems)
    cells, labels = np.ix_(order, order), systems[order].rename("system")
    earlier = np.triu(np.ones((len(order), len(order)), dtype=bool), 1)
    p_values = holm(np.where(earlier, p_values[cells], np.nan))
    significant, ahead = p_values <= options["alpha"], differences[cells] > 0
    # Of systems judged on different segments, the lower one may be better on those of both.
    tally = tally.in_order(order)
    low, high = estimated.bootstrap[order].T
    sandwich_low, sandwich_high = estimated.sandwich[order].T
    columns = {
        "score": estimated.scores[order],
        "low": low,
        "high": high,
        "standard_error": estimated.errors[order],
        "sandwich_low": sandwich_low,
        "sandwich_high": sandwich_high,
        **places((significant & ahead) | (significant & ~ahead).T),
        **tally.columns(),
    }
    counts = {**counts, "systems": len(order), **sample.counts()}
    if automatic:
        n_judged = counts.get("translations", counts.get("comparisons"))
        counts["worth"] = round(n_judged * estimated.gain)
        counts["worth_of_differences"] = round(n_judged * estimated.gain_of_differences)
    return Leaderboard(
        pd.DataFrame(columns, index=labels),
        *tally.squares(labels),
        square(p_values, labels),
        pd.DataFrame(index=pd.Index([], name="covariate", dtype=object)),
        None,
        counts,
        options,
        _signature(units, automatic, sample, counts, options, data),
        automatic=table_of_coefficients(automatic, estimated, units, options["by"])
        if automatic
        else None,
    )


def _signature(units, automatic, sample, counts, options, data):
    """Say on one line how the numbers were made."""
    whole = len(np.unique(sample.documents)) == len(sample.documents)
    parts = {"by": options["by"], "automatic": ",".join(automatic) or None, **counts}
    parts |= {"interval": f"{options['confidence']:g}"}
    parts |= {"clusters": "segments" if whole else "documents"}
    parts |= {"resamples": options["n_resamples"], "test": "t", "correction": "holm"}
    parts |= {"alpha": f"{options['alpha']:g}"}
    if automatic:
        rows = np.sort(
            hash_rows([units.target.astype(float), *units.automatic.T], len(units.target))
        )
        parts["scores"] = short_hash("", rows.astype("<u8").tobytes())
    parts["selection"] = sample.mark
    index, y = data
    return signature_line(parts, options["random_state"], hash_of(index, [y]))
