"""Scores of many metrics of the translations of a test set, brought together."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.progress import working
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.datasets import Judgements
from sklearn_mteval.datasets.scores import named_scores
from sklearn_mteval.evaluation.join import RankerScores
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import MetricScores
from sklearn_mteval.features.scores import columns_of_scores
from sklearn_mteval.pairwise.blocks import in_blocks
from sklearn_mteval.pairwise.consensus import refuse_scores
from sklearn_mteval.pairwise.judged import Judged
from sklearn_mteval.persistence import load_model


def collect_scores(
    judgements: Judgements, *, files: Iterable[tuple[str | None, PathLike]] = (),
    metrics: Iterable[str] = (), models: Iterable[tuple[str | None, Any]] = (),
    stand_alone: bool = False, judged_only: bool = False, n_jobs: int | None = None
) -> dict[str, Any]:  # fmt: skip
    """Collect scores from files, metrics and models, in the form that ``evaluate_metrics`` takes.

    Parameters
    ----------
    judgements : Judgements
        The test set, as :func:`~sklearn_mteval.datasets.load_judgements` returns it.
    files : iterable of (str or None, path-like)
        Scores by any tool (:func:`~sklearn_mteval.datasets.load_scores`), and what to call
        them: of a table with several columns the name takes one, None takes all under their names.
    metrics : iterable of str
        To be computed, as for :class:`~sklearn_mteval.features.MetricScores`, with the tokeniser
        of the judgements' ``target_language``, or where that is not known by the script of the
        references; the signature of an evaluation says which.
    models : iterable of (str or None, path-like or fitted estimator)
        Rankers, saved or not, and what to call them; None: as their folders. They rank the
        different texts of a segment, judged or not, as
        :func:`~sklearn_mteval.models.rank_candidates`. A model of metrics' scores finds these among
        the campaign's and those of ``files``, by name; a translation for which it misses one has no
        score, either.
    stand_alone : bool, default=False
        Whether the scores of models, which look at no competitor, are metrics of their own, too,
        named ``NAME:score``.
    judged_only : bool, default=False
        Whether metrics are computed for judged translations only, and models asked about judged
        segments only, as those that can rank but not score must be.
    n_jobs : int or None, default=None
        Processes for the metrics that are computed.

    Returns
    -------
    dict of str to Series or RankerScores
        Scores of each metric, the campaign's own among them, indexed by segment and system. Of a
        model the strengths of judged rows, and scores of all translations at hand, as of
        :func:`~sklearn_mteval.models.score_candidates`.

    Raises
    ------
    ValueError
        Where two metrics have one name, a table has no column of that name, or a fitted model has
        none; where a model reads a metric that is not there; where a model can rank only, for it
        tells how far systems agree, and scores are asked for.
    CandidateError
        Where a judged translation is not among those at hand.
    DataFileError
        For files of scores, naming file and line.
    """
    metrics = list(dict.fromkeys(metrics))
    scores = all_scores(judgements, files, at_hand=True)
    if metrics:
        X = judgements.X if judged_only else judgements.translations
        _add(scores, _computed(X, metrics, judgements.target_language, n_jobs))
    for name, model in models:
        with working(f"model {name or model}"):
            found = _of_model(judgements, name, model, judged_only, stand_alone, scores, n_jobs)
        _add(scores, found)
        if stand_alone:
            _add(scores, {f"{name}:score": ranker.scores for name, ranker in found.items()})
    return scores


def _add(scores, more):
    """Add metrics, each under a name of its own."""
    for name, column in more.items():
        if name in scores:
            raise ValueError(
                f"two metrics are named {name!r}: name one otherwise, on the command line by "
                "NAME=FILE."
            )
        scores[name] = column


def all_scores(judgements, files, *, at_hand=False):
    """Bring the campaign's scores and files' together; ``at_hand``: of these translations only."""
    scores = {}
    if judgements.scores is not None:
        _add(scores, dict(judgements.scores.items()))
    systems, files = judgements.X.index.unique("system"), list(files)
    names_of = {}
    for name, path in files:
        names_of.setdefault(path, []).append(name)
    found = {
        path: named_scores(path, names, systems, judgements.n_segments, judgements.other_systems)
        for path, names in names_of.items()
    }
    for name, path in files:
        columns = found[path][name]
        if at_hand and columns:
            there = next(iter(columns.values())).index.isin(judgements.translations.index)
            columns = {metric: column[there] for metric, column in columns.items()}
        _add(scores, columns)
    return scores


def _computed(X, metrics, language, n_jobs):
    """Compute metrics by name; the attribute ``tokenizer`` of each says what parted the words."""
    transformer = MetricScores(metrics, language=language or None, n_jobs=n_jobs)
    scores = transformer.set_output(transform="pandas").fit_transform(X)
    found = {}
    for metric, (_, column) in zip(metrics, scores.items(), strict=True):
        found[metric] = column
        column.attrs["tokenizer"] = transformer.tokenizers_.get(metric)
    return found


def _of_model(judgements, name, model, judged_only, stand_alone, known, n_jobs):
    """Ask a ranker about judged rows, and about all translations."""
    if not hasattr(model, "decision_function"):
        name, model = name or Path(model).name, load_model(model)
    if name is None:
        raise ValueError(f"a fitted model needs a name, found None for {model!r}.")
    judged, X = judgements.X.index, judgements.translations
    if stand_alone or not judged_only:
        refuse_scores(model, "evaluate its ranks only (--level segment; judged_only=True)")
    if judged_only:
        X = X[X.index.isin(judged.unique("segment"), level="segment")]
    X, whole = _with_scores(name, model, X, known)
    rest = [level for level in judged.names if level not in X.index.names]
    keys = judged.droplevel(rest).reorder_levels(X.index.names)
    absent = ~keys.isin(X.index)
    if absent.any() and whole:
        raise CandidateError(f"{judged[absent][0]} is judged, but not among the translations.")
    scored = stand_alone or not judged_only
    found = in_blocks(partial(_of_block, model, scored), X, "ranking", n_jobs)[0]
    own = pd.Series(found["strength"].reindex(keys).to_numpy(), judged)
    scores = own if found["score"].isna().all() else found["score"]
    return {name: RankerScores(own, scores, competitors="at-hand")}


def _of_block(model, scored, X):
    """Rank translations as users' are, a text of several systems once; score them if asked."""
    said = Judged(model, X)
    score = np.full(len(said.first), np.nan)
    if scored or not said.only_ranks:  # who asks for scores of what can rank only, is told so
        score = said.scores()
    found = {"strength": said.strengths(), "score": score}
    return pd.DataFrame({k: v[said.place] for k, v in found.items()}, X.index), None


def _with_scores(name, model, X, known):
    """Join scores that a model reads to translations that have them; tell whether all have."""
    needed = columns_of_scores(model)
    if not needed:
        return X, True
    missing = [metric for metric in needed if metric not in known]
    if missing:
        raise ValueError(
            f"{name} reads scores of {', '.join(map(repr, needed))}, but there are none of "
            f"{', '.join(map(repr, missing))}: give --scores {missing[0]}=FILE."
        )
    X = X.assign(**{metric: known[metric].reindex(X.index) for metric in needed})
    there = X[needed].notna().all(axis=1)
    return X[there], bool(there.all())
