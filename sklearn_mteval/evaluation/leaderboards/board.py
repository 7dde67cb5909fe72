"""The table of systems that a leaderboard is, whatever the scores are."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.options import check_integer, check_number, check_one_of
from sklearn_mteval._helpers.order import hash_cells
from sklearn_mteval._helpers.shown import ShownTables
from sklearn_mteval.evaluation.option_values import QUESTIONS
from sklearn_mteval.evaluation.signature import hash_of_rows, of_intervals
from sklearn_mteval.metrics.core.units import Bootstrap
from sklearn_mteval.metrics.system.paired import SystemPairs


@dataclass(frozen=True, repr=False)
class Leaderboard(ShownTables):
    """Systems by their scores, best first.

    Attributes
    ----------
    table : DataFrame of shape (n_systems, 15)
        Indexed by system. ``score``: a strength, a mean or a win rate, higher is better; ``low``
        and ``high``: interval by bootstrap over segments; ``standard_error``, ``sandwich_low``,
        ``sandwich_high``: by linearised errors, of strengths the sandwich covariance;
        ``letters``: systems that share one are not told apart; ``rank_low`` and ``rank_high``: best
        and worst rank that the tests leave; ``win_rate``: of its comparisons, a tie half a win;
        ``wins``, ``losses``, ``ties``, ``both_bad``: comparisons, of means those of mean scores of
        translations of a segment; ``segments`` in which annotators judged it.
    win_rates : DataFrame of shape (n_systems, n_systems)
        Of the comparisons of row and column the proportion that the row won, a tie half a win; NaN
        where there are none. In the order of the table.
    comparisons : DataFrame of shape (n_systems, n_systems), int
        How many there are, without those judged "both bad".
    paired : SystemPairs
        Each two systems compared by the difference of their scores, as matrices in the order of the
        table: ``differences``, ``low``, ``high``, ``p_values``, ``differ``; ``pairs`` is a table of
        the same.
    effects : DataFrame of shape (n_covariates, 7)
        Indexed by covariate: ``effect`` on the log-odds of a difference of one ``deviation``, the
        root mean square of the differences; ``low``, ``high``, ``standard_error``,
        ``sandwich_low``, ``sandwich_high`` as above.
    tie_proportion : float or None
        With ``ties="model"``, the probability that two equally strong systems tie.
    counts : dict of str to int
        ``comparisons``, ``ties``, ``both_bad``, ``segments``, ``systems``; of means ``judgements``
        and ``translations`` that annotators judged, and, where systems were judged on different
        segments, how many are ``missing``. With automatic judges, ``worth``: how many translations
        (comparisons) they would have to judge for means as sure without these, and
        ``worth_of_differences``, for differences of two systems as sure. Of a selection,
        ``of_segments`` that there are, and ``not_judged`` of those chosen. ``documents``, where
        these are what varies as a whole.
    options : dict
        What was asked for.
    signature : str
        On one line, how the numbers were made.
    judges : DataFrame of shape (n_judges, n_columns), or None
        Indexed by judge, the most discriminating first: ``comparisons``; ``weight`` of each;
        whether ``automatic``, where such are named. With a model of judges also
        ``discrimination``, ``low``, ``high`` and ``standard_error``, and for each covariate its
        effect on this judge: ``bias_NAME``, ``bias_NAME_low`` and ``bias_NAME_high``.
    automatic : DataFrame of shape (n_automatic, 2 or 3), or None
        Of each automatic judge or metric its coefficient (of means two, ``of_segments`` and
        ``of_differences``), and how many translations or comparisons it ``scored``.
    annotators : DataFrame of shape (n_judges, 9), or None
        Where a tool for annotation logged it, of each judge ``judgements``, ``minutes`` (all the
        logged time), checks ``asked`` and ``passed``, and as of :func:`audit_judges`
        ``pairs_with_others``, ``agreement_with_others``, ``scores_with_others``, ``correlation``
        and ``difference``; the command ``leaderboard`` adds it.
    """

    table: pd.DataFrame
    win_rates: pd.DataFrame
    comparisons: pd.DataFrame
    paired: SystemPairs
    effects: pd.DataFrame
    tie_proportion: float | None
    counts: dict
    options: dict
    signature: str
    judges: pd.DataFrame | None = None
    automatic: pd.DataFrame | None = None
    annotators: pd.DataFrame | None = None

    @property
    def more_segments(self):
        """How many more segments would tell two systems apart, (n_systems, n_systems)."""
        return np.ceil((self.paired.needed - 1) * self.counts["segments"])

    @property
    def pairs(self):
        """DataFrame (n_pairs, 7) of each two: ``system``, above ``other``, ``difference`` of
        scores, its own bounds ``low`` and ``high``, two-sided ``p_value``, Holm's, NaN where too
        little is shared; ``more_segments``: how many more, judged as these were, would tell two
        apart that are not, with a chance of 80 %, if the difference stays what it is (z-test,
        Guenther 1981); infinite of a difference of 0, NaN of those told apart.
        """
        above = np.triu_indices(len(self.table), 1)
        return self.paired.table().assign(more_segments=self.more_segments[above])


# What a leaderboard's options say of what its estimand does not take.
_NOT_ASKED = {
    "judge_model": "alike", "judge_weights": None, "automatic_judges": (), "ties": "half",
    "covariates": (), "scale": "log-odds",
}  # fmt: skip


class Inference(NamedTuple):
    """How certain a leaderboard is to be: options of every estimand."""

    confidence: float
    n_resamples: int
    alpha: float
    random_state: int

    documents: pd.Series | None = None  # of segments
    question: str = "texts"

    def check(self):
        """Raise ValueError for what is out of bounds."""
        check_one_of("question", self.question, QUESTIONS)
        Bootstrap(self.confidence, self.n_resamples)
        check_number("alpha", self.alpha, above=0, maximum=0.5)
        check_integer("random_state", self.random_state, minimum=0)

    def with_options(self, by, **own):
        """Return all options of a leaderboard, those of its estimand among them."""
        asked = {name: value for name, value in self._asdict().items() if name != "documents"}
        return {"by": by, **(_NOT_ASKED | own), **asked}


def signed(options, sample, test):
    """Return the parts of a signature that say how intervals and tests were made."""
    clusters = "documents" if sample.by_document else "segments"
    return {
        "question": None if sample.mark is None else options["question"],
        **of_intervals(options["confidence"], options["n_resamples"], clusters=clusters),
        "test": test, "correction": "holm", "alpha": f"{options['alpha']:g}",
    }  # fmt: skip


def uncertainty(bootstrap, errors, sandwich):
    """Return columns of both kinds of bounds (n, 2), and of errors."""
    return {
        "low": bootstrap[:, 0], "high": bootstrap[:, 1], "standard_error": errors,
        "sandwich_low": sandwich[:, 0], "sandwich_high": sandwich[:, 1],
    }  # fmt: skip


def places(pairs):
    """Return letters, and ranks that tests leave, of systems compared, the best first."""
    better = np.triu(pairs.differ)
    low, high = 1 + better.sum(axis=0), len(better) - better.sum(axis=1)
    return {"letters": pairs.letters(), "rank_low": low, "rank_high": high}


def hash_of(index, columns):
    """Hash rows of labels and numbers, whatever their order: 12 hex digits."""
    keys = []
    for labels, codes in zip(index.levels, index.codes, strict=True):
        values = labels.to_numpy()
        if values.dtype.kind not in "iuf":
            values = np.array([ascii(label) for label in labels.tolist()], dtype=object)
        keys.append(hash_cells(values)[codes])
    return hash_of_rows(repr((list(index.names), len(columns))), [*keys, *columns], len(index))
