"""Human judgements of a test set, and the scores of many metrics of its translations."""

from pathlib import Path
from typing import NamedTuple

import pandas as pd

from sklearn_mteval.datasets import (
    load_esa,
    load_mqm,
    load_mtme,
    load_scores,
    load_wmt,
    load_wmt_translations,
    wmt_system_names,
)
from sklearn_mteval.evaluation.join import RankerScores
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import MetricScores
from sklearn_mteval.pairwise.absolute import apply_steps, distinct_rows, scores_among_distinct
from sklearn_mteval.pairwise.answers import strengths
from sklearn_mteval.persistence import load_model

__all__ = [
    "Judgements", "collect_scores", "esa_judgements", "mqm_judgements", "mtme_judgements",
    "own_judgements", "wmt_judgements",
]  # fmt: skip

_TEXTS = ("source", "reference", "hypothesis")


class Judgements(NamedTuple):
    """Human judgements of a test set, and what may be scored there.

    Attributes
    ----------
    X : DataFrame of shape (n_candidates, n_columns)
        The judged translations, a candidate table.
    y : Series of length n_candidates
        Their judgements, lower is better.
    translations : DataFrame of shape (n_translations, n_columns)
        All translations at hand, indexed by (segment, system), judged or not.
    n_segments : int or None
        Of the test set; None where that is not known.
    other_systems : tuple of str
        Systems without judgements which files of scores may name, such as references.
    scores : DataFrame of shape (n_translations, n_metrics), or None
        Scores that the campaign itself has, of ``translations``, higher is better.
    """

    X: pd.DataFrame
    y: pd.Series
    translations: pd.DataFrame
    n_segments: int | None
    other_systems: tuple
    scores: pd.DataFrame | None = None


def wmt_judgements(root, lang_pair):
    """Load the rankings of a WMT campaign, and all its translations.

    Parameters
    ----------
    root, lang_pair : see :func:`~sklearn_mteval.datasets.load_wmt`
        The campaign's folder, and such as "de-en".

    Returns
    -------
    Judgements
        Ranks.
    """
    wmt = load_wmt(root, lang_pair)
    translations = load_wmt_translations(root, lang_pair)
    names = tuple(wmt_system_names(root, lang_pair))
    return Judgements(wmt.X, wmt.y, translations, wmt.n_segments, names)


def mqm_judgements(path, *, reference_system=(), allow_categories=()):
    """Load MQM penalties.

    Parameters
    ----------
    path : path-like
        Annotations as published, as for :func:`~sklearn_mteval.datasets.load_mqm`.
    reference_system : iterable of str, default=()
        Systems that are references; they are not evaluated.
    allow_categories : iterable of str, default=()
        As for :func:`~sklearn_mteval.datasets.load_mqm`.

    Returns
    -------
    Judgements
        Penalties; all translations are judged ones.
    """
    references = list(reference_system)
    X, y = load_mqm(
        path,
        reference_system=references or None,
        allow_categories=allow_categories,
        return_X_y=True,
    )
    return Judgements(X, y, X, None, tuple(references))


def mtme_judgements(
    root, lang_pair, *, gold="mqm", reference=None, human_systems=True, metric_scores=True
):
    """Load human scores of a campaign in mt-metrics-eval's layout, and its metrics' scores.

    Parameters
    ----------
    root, lang_pair, gold, reference : see :func:`~sklearn_mteval.datasets.load_mtme`
        The same.
    human_systems : bool, default=True
        Whether references other than ``reference`` compete, as in the campaigns' own tables.
    metric_scores : bool, str or list of str, default=True
        Which of the folder's metrics to evaluate: all that it has, none, or those named.

    Returns
    -------
    Judgements
        Human scores of systems are means of segments'.
    """
    given = {"gold": gold, "reference": reference, "human_systems": human_systems}
    mtme = load_mtme(root, lang_pair, **given, metric_scores=metric_scores)
    texts = [name for name in _TEXTS if name in mtme.X]
    scores = mtme.translations[mtme.metrics] if mtme.metrics else None
    return Judgements(
        mtme.X[texts], mtme.y, mtme.translations[texts], mtme.n_segments, mtme.other_systems, scores
    )


def esa_judgements(path, lang_pair=None, *, texts=None, reference=None, human_systems=False):
    """Load scores from an export of Appraise, the mean for each translation.

    Parameters
    ----------
    path, lang_pair, texts, reference, human_systems : see :func:`~sklearn_mteval.datasets.load_esa`
        The same.

    Returns
    -------
    Judgements
        Human scores of systems are means of segments'. Without ``texts``, translations are those
        judged, and have no text.
    """
    given = {"texts": texts, "reference": reference, "human_systems": human_systems}
    esa = load_esa(path, lang_pair, **given, average=True)
    translations = esa.X if esa.translations is None else esa.translations
    return Judgements(esa.X, esa.y, translations, esa.n_segments, esa.other_systems)


def own_judgements(loaded):
    """Take one's own judgements.

    Parameters
    ----------
    loaded : Bunch
        What :func:`~sklearn_mteval.datasets.load_rankings` or
        :func:`~sklearn_mteval.datasets.load_pearmut` returned.

    Returns
    -------
    Judgements
        Ranks or scores; all translations are judged ones.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.datasets import load_rankings
    >>> from sklearn_mteval.evaluation import own_judgements
    >>> judged = {"segment": [1, 1], "system": ["A", "B"], "score": [80, 60]}
    >>> own_judgements(load_rankings(pd.DataFrame(judged), better="higher")).y.tolist()
    [-80, -60]
    """
    rest = [level for level in loaded.X.index.names if level not in ("segment", "system")]
    translations = loaded.X.droplevel(rest)
    translations = translations[~translations.index.duplicated()]
    return Judgements(loaded.X, loaded.y, translations, loaded.get("n_segments"), ())


def collect_scores(judgements, *, files=(), metrics=(), models=(), judged_only=False, n_jobs=None):
    """Bring the scores of metrics together, as ``evaluate_metrics`` takes them.

    Parameters
    ----------
    judgements : Judgements
        The test set.
    files : iterable of (str or None, path-like)
        Scores by any tool (:func:`~sklearn_mteval.datasets.load_scores`), and what to call
        them: of a table with several columns the name takes one, None takes all under their names.
    metrics : iterable of str
        To be computed, as for :class:`~sklearn_mteval.features.MetricScores`.
    models : iterable of (str or None, path-like or fitted estimator)
        Rankers, saved or not, and what to call them; None: as their folders. They see all systems
        of a segment, judged or not, as far as their features compare systems.
    judged_only : bool, default=False
        Whether metrics are computed for judged translations only, and models asked about judged
        segments only, which is enough for statistics of segment level.
    n_jobs : int or None, default=None
        Processes for the metrics that are computed.

    Returns
    -------
    dict of str to Series or RankerScores
        Scores of each metric, those of the campaign itself among them, indexed by segment and
        system, of translations that are at hand.
        Of a model the strengths of judged rows, by its own recomposition, and scores of all
        translations, as of :func:`~sklearn_mteval.models.score_candidates`.

    Raises
    ------
    ValueError
        Where two metrics have one name, a table has no column of that name, or a fitted model
        has none.
    CandidateError
        Where a judged translation is not among those at hand.
    DataFileError
        For files of scores, naming file and line.
    """
    scores, metrics = {}, list(dict.fromkeys(metrics))
    if judgements.scores is not None:
        _add(scores, dict(judgements.scores.items()))
    for name, path in files:
        _add(scores, _of_file(judgements, name, path))
    if metrics:
        X = judgements.X if judged_only else judgements.translations
        _add(scores, _computed(X, metrics, n_jobs))
    for name, model in models:
        _add(scores, _of_model(judgements, name, model, judged_only))
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


def _of_file(judgements, name, path):
    """Read scores by name from a file."""
    systems = judgements.X.index.unique("system")
    table = load_scores(path, systems, judgements.n_segments, others=judgements.other_systems)
    table = table[table.index.isin(judgements.translations.index)]
    if name is None:
        return dict(table.items())
    if name in table.columns:
        return {name: table[name]}
    if table.shape[1] > 1:
        raise ValueError(
            f"{path} has no column {name!r}, but {', '.join(map(repr, table.columns))}."
        )
    return {name: table.iloc[:, 0]}


def _computed(X, metrics, n_jobs):
    """Compute metrics by name."""
    transformer = MetricScores(metrics, n_jobs=n_jobs).set_output(transform="pandas")
    scores = transformer.fit_transform(X)
    return {name.removesuffix("_score"): column for name, column in scores.items()}


def _of_model(judgements, name, model, judged_only):
    """Ask a ranker about judged rows, and about all translations."""
    if hasattr(model, "decision_function"):
        if name is None:
            raise ValueError(f"a fitted model needs a name, found None for {model!r}.")
    else:
        name, model = name or Path(model).name, load_model(model)
    judged, X = judgements.X.index, judgements.translations
    if judged_only:
        X = X[X.index.isin(judged.unique("segment"), level="segment")]
    table, ranker = apply_steps(model, X)
    first, place = distinct_rows(X, table)
    rest = [level for level in judged.names if level not in X.index.names]
    rows = X.index.get_indexer(judged.droplevel(rest).reorder_levels(X.index.names))
    if (rows < 0).any():
        raise CandidateError(f"{judged[rows < 0][0]} is judged, but not among the translations.")
    own = strengths(ranker, table.iloc[rows].set_axis(judged))
    scores = scores_among_distinct(ranker, table.iloc[first])[place]
    return {name: RankerScores(pd.Series(own, judged), pd.Series(scores, X.index))}
