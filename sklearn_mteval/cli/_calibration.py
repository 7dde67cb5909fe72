"""Whether the probabilities of models are true of judgements: one plot of all models."""

import numpy as np

from sklearn_mteval.report.plots_of_results import Plot

_MOST = 2000  # segments that models are asked about: their pairs are tens of thousands


def calibration_on(judgements, models, scores):
    """Ask models, by name, about the pairs of judgements; return a list of a plot, if there is any.

    Of more than 2,000 judged segments those are taken which a seed of 0 draws. ``scores`` are those
    of metrics by name, which some models read. Models see all systems of a segment that are at
    hand, as in an evaluation. Pairs of texts that are judged in windows are left out.
    """
    from sklearn_mteval.pairwise.judged import Judged

    X, y = _some_segments(judgements.X, judgements.y)
    levels = judgements.translations.index.names
    labels = X.index.droplevel([level for level in X.index.names if level not in levels])
    labels = labels.reorder_levels(levels)
    at_hand = judgements.translations
    at_hand = at_hand[at_hand.index.isin(labels.unique("segment"), level="segment")]
    asked = {}
    for name, model in models.items():
        table = _with_scores(model, at_hand, scores)
        judged = Judged(model, table)
        place = table.index.get_indexer(labels)
        there = place >= 0  # of some, a model misses a score
        there[there] = ~judged.parted[place[there]]
        rows = judged.of_rows.iloc[place[there]].set_axis(X.index[there])
        asked[name] = judged.ranker, rows, y[there]
    return calibration_of(asked)


def calibration_of(asked):
    """List the plot of models by name, each a ranker, candidates and their ranks, if it has any."""
    from matplotlib.figure import Figure
    from sklearn.pipeline import Pipeline

    from sklearn_mteval._helpers.fitting import unwrapped
    from sklearn_mteval.exceptions import CandidateError
    from sklearn_mteval.plots import PairCalibrationDisplay

    displays = []
    for name, (model, X, y) in asked.items():
        model = unwrapped(model)
        ranker = model[-1] if isinstance(model, Pipeline) else model
        if not hasattr(getattr(ranker, "estimator_", None), "predict_proba"):
            continue
        own = Figure().add_subplot()  # thrown away: it is drawn with the others
        try:
            display = PairCalibrationDisplay.from_estimator(model, X, y, name=name, ax=own)
        except CandidateError:
            continue
        displays.append(display)
    plot = Plot(
        "calibration",
        "Are the probabilities of pairs true?",
        "For each model, the proportion of pairs in which annotators found the first translation "
        "better, by the probability that the model gave; true ones lie on the diagonal.",
        _Together(displays),
    )
    return [plot] if displays else []


class _Together:
    """Displays on one axes."""

    def __init__(self, displays):
        self._displays = displays

    def plot(self, ax=None):
        for display in self._displays:
            ax = display.plot(ax).ax_
        return self._displays[-1]


def _some_segments(X, y):
    """Return the judgements of no more segments than are asked about."""
    segments = X.index.unique("segment")
    if len(segments) <= _MOST:
        return X, y
    chosen = np.random.RandomState(0).permutation(len(segments))[:_MOST]
    there = X.index.isin(segments[np.sort(chosen)], level="segment")
    return X[there], y[there]


def _with_scores(model, X, scores):
    """Join the metrics' scores that a model reads, if any; leave out what misses one."""
    from sklearn_mteval.features.scores import columns_of_scores

    needed = columns_of_scores(model)
    if not needed:
        return X
    return X.assign(**{name: scores[name].reindex(X.index) for name in needed}).dropna(
        subset=list(needed)
    )
