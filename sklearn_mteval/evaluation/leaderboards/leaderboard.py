"""Leaderboards: from comparisons or rankings of any source to a table of systems."""

from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from sklearn_mteval._helpers.options import check_one_of
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.evaluation.leaderboards.board import Inference, Leaderboard
from sklearn_mteval.evaluation.leaderboards.means import means
from sklearn_mteval.evaluation.leaderboards.strengths import strengths
from sklearn_mteval.evaluation.leaderboards.win_rates import win_rates
from sklearn_mteval.evaluation.option_values import BY
from sklearn_mteval.segments import documents_of_segments

# An estimand is one function: the options that it takes are those of the leaderboard, too.
ESTIMANDS = dict(zip(BY, (strengths, means, win_rates), strict=True))
_KINDS = {  # of options, by the estimands that take them
    ("strength",): "the model of by='strength'",
    ("mean", "win-rate"): "means over segments, by='mean' and by='win-rate'",
    ("strength", "win-rate"): "comparisons, by='strength' and by='win-rate'",
}


def leaderboard(
    X: pd.DataFrame, y: ArrayLike, *, by: str = "strength",
    documents: ArrayLike | pd.Series | None = None, selection: pd.DataFrame | None = None,
    question: str = "texts", confidence: float = 0.95, n_resamples: int = 1000,
    alpha: float = 0.05, random_state: Seed = 0, **options: Any
) -> Leaderboard:  # fmt: skip
    """Score systems by judgements of their outputs, and test which of them differ.

    ``by="strength"``: how often does a system win against one of the same strength as all others,
    as odds? ``by="win-rate"``: which proportion of its comparisons does it win? ``by="mean"``: how
    good are its translations on average, 0 - y? Means of systems that were judged on different
    segments are of all segments, adjusted for these.

    Judgements of one segment depend on each other, and so do segments of one document, in which a
    topic and a style are easy or hard for a system throughout. So what varies as a whole are
    ``documents``, where they are given, else segments: these are resampled, and errors are
    clustered by them. Segments of documents taken for independent make intervals too narrow: of
    95 %, 75 to 80 contain the truth. Neither the order of rows nor names change a bit.

    Parameters
    ----------
    X : DataFrame of shape (n_candidates, n_columns)
        Candidates: the index says segment, optionally ranking, and system. Only covariates are
        looked at.
    y : array-like of shape (n_candidates,)
        Ranks, or scores with their sign changed, lower is better.
    by : {"strength", "mean", "win-rate"}, default="strength"
        What the score is.
    documents : array-like of shape (n_candidates,), or Series indexed by segment, optional
        Labels of the document of each row, or segment; one without a label ("") is by itself.
    selection : DataFrame, optional
        Which segments of the test set were chosen, and with which probabilities, as
        :func:`select_segments` returns it. Scores are then of what judgements of *all* its
        segments would say (Hájek's means), with the help of ``scores``, which must be of all. In a
        strength, comparisons count 1 / probability.
    question : {"texts", "test-set"}, default="texts"
        Of a selection: which system is better on texts like these, of which the test set is a
        sample itself, or on this test set? As more of it is judged, the second is answered for
        certain, the first is not. Strengths answer the first only.
    confidence : float, default=0.95
        Coverage of both kinds of intervals, between 0 and 1.
    n_resamples : int, default=1000
        Bootstrap resamples of documents, or segments. With fewer than ten of them, bounds are
        Student's.
    alpha : float, default=0.05
        Level of the tests, above 0, at most 0.5.
    random_state : int, default=0
        Seed of the resamples.
    **options : dict
        Of all: ``judges``, array-like of shape (n_candidates,), names of who judged (a Series has
        the index of X), where one of the following asks for them; ``automatic_judges``, iterable of
        str, judges that are models or metrics, whose judgements help to estimate what annotators
        would say of all that these judged. In strengths they are only marked in the table of
        judges, with a ``judge_model``.

        Of strengths and win rates: ``both_bad``, array-like of bool of shape (n_candidates,), rows
        of equal rank that the annotator found bad. Both True, a comparison was judged "both bad":
        that is no tie, says nothing of an order, and is only counted. None: they are ties.

        Of means and win rates: ``scores``, DataFrame of shape (n_translations, n_metrics) or
        mapping of str to Series, indexed by (segment, system): scores of metrics, higher is better,
        of the judged translations and of others, which help as automatic judges do.

        Of strengths: ``judge_model``, "alike" (default) or "discrimination", where P(i beats j) =
        1 / (1 + exp(g (s_j - s_i))), g, of geometric mean 1, being the judge's, and covariates sway
        each judge differently; ``judge_weights``, mapping of str to float, what a comparison of a
        judge counts, above 0, else 1; ``ties``, "half" (default) a win for each, or "model",
        Davidson's parameter of ties; ``covariates``, iterable of str, columns of numbers that may
        sway annotators, which scores are controlled for ("length", if X has no such column, is
        log(1 + characters of ``hypothesis``)); ``scale``, "log-odds" (default) of mean 0, or "elo",
        points of mean 1000, 400 of which are odds of ten to one.

    Returns
    -------
    Leaderboard
        ``table``, ``win_rates``, ``pairs``, ``signature`` and more.

    Raises
    ------
    CandidateError
        For bad tables; for systems that no comparison, or no segment, connects; where nothing is
        decided, or there is one segment; for covariates that are no finite numbers, or whose
        effects cannot be told from the systems'; for means of ranks (whole numbers from 1 on); for
        judged segments that the selection did not choose; for judges without name.
    ValueError
        For options of another estimand or that do not go together, and weights of judges who did
        not judge.

    References
    ----------
    Hesterberg 2015, "What teachers should know about the bootstrap"; Hall 1988, "Theoretical
    comparison of bootstrap confidence intervals"; Cameron and Miller 2015, "A practitioner's guide
    to cluster-robust inference"; Hájek 1964; Rao and Wu 1988, "Resampling inference with complex
    survey data". Those of each estimand stand with it.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.evaluation import leaderboard
    >>> index = pd.MultiIndex.from_product([range(4), ["A", "B"]], names=["segment", "system"])
    >>> X, y = pd.DataFrame(index=index), [-90, -80, -70, -75, -95, -60, -88, -71]
    >>> leaderboard(X, y, by="mean").table["score"].to_dict()
    {'A': 85.75, 'B': 71.5}
    """
    check_one_of("by", by, BY)
    documents = documents_of_segments(documents, X)
    inference = Inference(confidence, n_resamples, alpha, random_state, documents, question)
    inference.check()
    if selection is None and question == "test-set":
        raise ValueError("question='test-set' needs the selection that the segments are of.")
    return ESTIMANDS[by](X, y, inference, selection=selection, **_own(by, options))


def _own(by, options):
    """Return the options that an estimand takes; raise for others that ask for something."""
    defaults = {name: _defaults(function) for name, function in ESTIMANDS.items()}
    own = {}
    for name, value in options.items():
        takers = tuple(other for other in BY if name in defaults[other])
        if not takers:
            raise TypeError(f"leaderboard() got an unexpected keyword argument {name!r}")
        if by in takers:
            own[name] = value
        elif _asks(name, value, defaults[takers[0]][name]):
            shown = f"{name}={value!r}" if isinstance(value, str | tuple | list) else name
            raise ValueError(f"{shown} is of {_KINDS[takers]}, found by={by!r}.")
    return own


def _defaults(function):
    """Return the keyword options of an estimand."""
    given = signature(function).parameters.values()
    return {option.name: option.default for option in given if option.kind is option.KEYWORD_ONLY}


def _asks(name, value, default):
    """Tell whether the value of an option asks for something, which the default does not."""
    if name == "both_bad":
        return value is not None and np.any(value)
    is_plain = isinstance(value, str | tuple | list)
    return value is not None and not (is_plain and value in (default, list(default or ())))
