"""Which comparisons to ask for next, given those that a leaderboard rests on."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.options import check_integer, check_number, check_one_of
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.candidates import check_texts, segment_labels
from sklearn_mteval.evaluation.option_values import NEXT_GOALS
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.paired_comparisons.comparisons import comparisons_of
from sklearn_mteval.metrics.paired_comparisons.next_pairs import Pairs, knowledge_of
from sklearn_mteval.metrics.system.tables import score_table


def select_comparisons(
    X: pd.DataFrame, y: ArrayLike, n: int, *, candidates: pd.DataFrame | None = None,
    goal: str = "tiers", both_bad: ArrayLike | None = None, alpha: float = 0.05,
    random_state: Seed = 0
) -> pd.DataFrame:  # fmt: skip
    """Choose the comparisons to have judged next: those that tell most about the order of systems.

    The model is Bradley and Terry's with a wide normal prior (standard deviation 2), and errors
    clustered by segment; systems may be new, unbeaten or not connected. Pairs are chosen one after
    the other, each as if those before it had been judged.

    Parameters
    ----------
    X : DataFrame of shape (n_judged, n_columns)
        What has been judged: the index says segment, optionally ranking, and system.
    y : array-like of shape (n_judged,)
        Ranks, lower is better.
    n : int
        How many comparisons to choose, at least 1: what is asked for before judgements are looked
        at again.
    candidates : DataFrame of shape (n_candidates, n_columns), optional
        Translations at hand, indexed by segment and system. Comparisons then have a segment: the
        one least judged in which both systems are there and the two were not compared; with a
        column ``hypothesis``, their texts must differ. Systems of which nothing was judged are
        chosen, too. None: any two systems can be compared, and segments are not chosen.
    goal : {"tiers", "intervals"}, default="tiers"
        What is to be gained: the expected number of pairs of systems that tests tell apart, or the
        mean variance of the differences of all pairs.
    both_bad : array-like of bool of shape (n_judged,), optional
        As for :func:`leaderboard`.
    alpha : float, default=0.05
        Level of the tests, above 0, at most 0.5, with Holm's correction.
    random_state : int, default=0
        Seed of the choice between segments that are judged alike often.

    Returns
    -------
    DataFrame of shape (at most n, 3 or 4)
        A row for each comparison, the most telling first: ``segment`` (given candidates),
        ``system``, ``against``, and ``gain``, how many more pairs it tells apart (0 where none is
        left), or by how much the mean variance falls; at least 0. Fewer than n rows where
        candidates have no more. Which of the two is shown first is not said: deal that by lot.

    Raises
    ------
    CandidateError
        For bad tables, as :func:`leaderboard`, and candidates that leave nothing to compare.

    Notes
    -----
    The maximum of the likelihood is none the worse for what is chosen by outcomes, but a campaign
    that stops as soon as a test says so has tests that say so too often.

    References
    ----------
    Atkinson, Donev and Tobias 2007, "Optimum Experimental Designs, with SAS"; Chen et al. 2013,
    "Pairwise ranking aggregation in a crowdsourced setting"; Chiang et al. 2024, "Chatbot Arena",
    section 5 (sampling by the reduction of intervals).

    Examples
    --------
    >>> from sklearn_mteval.datasets import load_sample
    >>> from sklearn_mteval.evaluation import select_comparisons
    >>> X, y = load_sample(return_X_y=True)
    >>> select_comparisons(X, y, 3).shape
    (3, 3)
    """
    check_integer("n", n, minimum=1)
    check_one_of("goal", goal, NEXT_GOALS)
    check_number("alpha", alpha, above=0, maximum=0.5)
    check_integer("random_state", random_state, minimum=0)
    compared = comparisons_of(X, y, both_bad, connected=False)
    labels = compared.systems
    board = None
    if candidates is not None:
        board = _Board(candidates, compared, check_random_state(random_state))
        labels = board.systems
    pairs = Pairs(knowledge_of(compared, len(labels)), n, goal=goal, alpha=alpha)
    rows = []
    while len(rows) < n and (best := pairs.best()) is not None:
        i, j, gain = best
        if board is not None:
            segment = board.take(i, j)
            if segment is None:
                pairs.forbid(i, j)
                continue
        pairs.compare(i, j)
        one, other = sorted((labels[i], labels[j]), key=ascii)
        rows.append((None if board is None else segment, one, other, gain))
    if not rows:
        raise CandidateError(
            "There is nothing to compare: in no segment of the candidates are two systems whose "
            "translations differ and were not compared."
        )
    segments, systems, against, gains = zip(*rows, strict=True)
    columns = {} if board is None else {"segment": pd.Index(segments, dtype=board.segments.dtype)}
    # Labels keep their type; texts may hold what pandas' own texts may not.
    columns |= {"system": pd.Index(systems, dtype=labels.dtype)}
    columns |= {"against": pd.Index(against, dtype=labels.dtype), "gain": gains}
    return pd.DataFrame(columns)


class _Board:
    """Segments in which systems can be compared; those taken count as judged."""

    def __init__(self, candidates, compared, rng):
        cells = _cells(candidates)
        known = compared.systems
        new = cells.columns[~cells.columns.isin(known)]
        self.systems = known.append(new[_by_label(new)]) if len(new) else known
        # In a fixed order, and then in that of the seed.
        segments = cells.index[_by_label(cells.index)]
        self.segments = segments[rng.permutation(len(segments))]
        self.texts = cells.reindex(index=self.segments, columns=self.systems).to_numpy()
        place = self.segments.get_indexer(compared.segments)[compared.segment]
        there = place >= 0
        self.n_judged = np.bincount(place[there], minlength=len(segments))
        self.done = set(
            zip(place[there], compared.first[there], compared.second[there], strict=True)
        )

    def take(self, i, j):
        """Take the least judged segment in which systems i < j can be compared; None: none is."""
        one, other = self.texts[:, i], self.texts[:, j]
        free = np.flatnonzero((one >= 0) & (other >= 0) & (one != other))
        for place in free[np.argsort(self.n_judged[free], kind="stable")]:
            if (place, i, j) not in self.done:
                self.done.add((place, i, j))
                self.n_judged[place] += 1
                return self.segments[place]
        return None


def _by_label(labels):
    """Return positions of labels of any kind, in an order that only these decide."""
    return np.argsort([ascii(label) for label in labels.tolist()], kind="stable")


def _cells(candidates):
    """Return codes of texts (n_segments, n_systems), NaN where a system has none."""
    segments = segment_labels(candidates)
    systems = candidates.index.get_level_values("system")
    if "hypothesis" in candidates:
        codes = pd.factorize(np.array(check_texts(candidates, "hypothesis"), dtype=object))[0]
    else:
        codes = np.arange(len(candidates))
    index = pd.MultiIndex.from_arrays([segments, systems], names=["segment", "system"])
    if index.has_duplicates:
        row = int(index.duplicated().argmax())
        raise CandidateError(
            f"candidates has {index[row]} twice (row {row}): give each translation once, indexed "
            "by segment and system."
        )
    return score_table(codes, segments, systems)
