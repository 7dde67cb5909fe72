"""Whether a model, and metrics, prefer sound translations to corrupted ones."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from sklearn_mteval._helpers.options import check_integer, check_proportion
from sklearn_mteval._helpers.shown import ShownTables
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.candidates import comparable_groups
from sklearn_mteval.evaluation.challenge_pairs import as_kinds, pairs_of, tables_of, translations
from sklearn_mteval.evaluation.signature import names, signature_line
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import MetricScores
from sklearn_mteval.metrics.core.proportions import interval_of_proportion
from sklearn_mteval.pairwise.consensus import Competitors
from sklearn_mteval.pairwise.judged import Judged
from sklearn_mteval.persistence import data_hash
from sklearn_mteval.segments import document_codes, documents_of_segments

SETTINGS = ("alone", "two", "many")


@dataclass(frozen=True, repr=False)
class Challenge(ShownTables):
    """How often a model, and metrics, prefer sound translations to corrupted ones.

    Attributes
    ----------
    table : DataFrame of shape (n_rows, 6)
        Indexed by ``kind``, ``setting`` ("alone", "two", "many") and ``judge`` (the model, then the
        metrics, which are "alone" always). Columns: ``won`` and ``tied``, numbers of segments;
        ``n``, of how many; ``proportion``, won / n, in [0, 1]; ``low`` and ``high``, the bounds of
        its interval. There is no row of kinds that apply nowhere.
    pairs : DataFrame of shape (n_pairs, n_columns)
        What they were asked, indexed by ``kind`` and ``segment``: ``system`` of the sound
        translation, its text ``sound``, and ``corrupted``. Then for each judge and setting
        (``JUDGE_SETTING``) by how much the sound one is better; negative: it lost, 0: they tie.
    model : str
        What the model is called.
    metrics : tuple of str
        The other judges.
    confidence : float
        Of the intervals.
    signature : str
        On one line, how the numbers were made.
    clusters : {"documents", "segments"}
        What varies as a whole.
    """

    table: pd.DataFrame
    pairs: pd.DataFrame
    model: str
    metrics: tuple
    confidence: float
    signature: str
    clusters: str = "segments"


def challenge(
    model: BaseEstimator, X: pd.DataFrame, y: ArrayLike | None = None, *,
    kinds: str | Sequence[str] | None = None, metrics: Iterable[str] | None = None,
    n_segments: int | None = 200, name: str = "model",
    documents: ArrayLike | pd.Series | None = None, confidence: float = 0.95,
    random_state: Seed = 0
) -> Challenge:  # fmt: skip
    """Test how often a model, and metrics, prefer sound translations to corrupted ones.

    Of each segment and kind, one translation is compared with its corruption
    (:func:`~sklearn_mteval.datasets.corrupt`), in three settings: *alone*, by scores; *two*, by the
    strengths of both in a segment of these two; *many*, by their strengths among all systems of the
    segment. ``reference_number``, ``reference_name`` and ``reference_negation`` compare it with the
    *reference* in which one was changed that the translation has right. A tie is not won.

    Parameters
    ----------
    model : fitted estimator
        With ``decision_function``; a pipeline mostly, that ends in a ``RankRecomposer``.
    X : DataFrame of shape (n_candidates, n_columns)
        Candidate table of sound translations, with the columns that the model reads. Ranking tasks
        are joined: a segment has all systems that any of its rows has.
    y : array-like of shape (n_candidates,), optional
        Ranks, lower is better: the best judged translation that a kind applies to is taken; without
        them content decides.
    kinds : str, sequence of str or None, default=None
        Which corruptions; None: all that the columns of X allow.
    metrics : iterable of str or None, default=None
        Compared with the model, as for :class:`~sklearn_mteval.features.MetricScores`; None: "bleu"
        and "chrf" if there are references, else none.
    n_segments : int or None, default=200
        At most so many of each kind; None: all. The model is asked about (2 + systems + 1)
        translations for each kind and segment.
    name : str, default="model"
        What to call the model.
    documents : array-like of shape (n_candidates,), or Series indexed by segment, optional
        Labels of the document of each row, or segment: what varies as a whole; one without a label
        ("") is by itself. None: segments are independent.
    confidence : float, default=0.95
        Of the intervals: Wilson's, with documents of as many segments as would tell as much if they
        were independent.
    random_state : int, RandomState or None, default=0
        Seed of what is made and chosen; neither depends on labels or the order of rows.

    Returns
    -------
    Challenge
        With ``table`` and ``pairs``. A model that can rank only, by agreement among systems, has
        rows "many" alone.

    Raises
    ------
    CandidateError
        If X breaks the contract, a needed column is missing, there are different texts of one
        segment and system, or no kind applies to any translation.
    TypeError
        If the model is no ranker.
    ValueError
        If a kind or metric is unknown or named twice, a metric has the model's name, or the model
        can rank only and no segment has three translations.

    References
    ----------
    Wilson 1927, "Probable inference, the law of succession, and statistical inference".

    Examples
    --------
    >>> from sklearn_mteval.datasets import load_sample
    >>> from sklearn_mteval.evaluation import challenge
    >>> from sklearn_mteval.models import bleu_pipeline
    >>> X, y = load_sample(return_X_y=True)
    >>> model = bleu_pipeline().fit(X, y)
    >>> found = challenge(model, X, y, kinds=["empty", "reference_number"], n_segments=20)
    >>> found.table["proportion"].xs("empty").to_dict()[("alone", "model")]
    1.0
    >>> bool(found.table["proportion"].xs("reference_number").max() < 0.5)
    True
    """
    check_proportion("confidence", confidence)
    if n_segments is not None:
        check_integer("n_segments", n_segments, minimum=1)
    own, of_references = as_kinds(kinds, getattr(X, "columns", ()))
    table, ranks = translations(X, y)
    if metrics is None:
        metrics = ("bleu", "chrf") if "reference" in X.columns else ()
    metrics = tuple(metrics)
    if name in metrics:
        raise ValueError(f"a metric has the model's name, {name!r}: give it another.")
    chosen = {"n_segments": n_segments, "random_state": random_state}
    pairs = pairs_of(table, ranks, own, of_references, **chosen)
    if not len(pairs):
        raise CandidateError(
            f"no kind of {', '.join([*own, *of_references])} applies to any translation of X: they "
            "are empty, or have no number, name or word that could be changed. Choose other kinds."
        )
    margins, tokenizers = _margins(model, table, pairs, metrics, name)
    labels = table.index[pairs["row"]]
    of_segments = documents_of_segments(documents, X)
    known = of_segments is not None and of_segments.ne("").any()
    clusters = "documents" if known else "segments"
    index = pd.MultiIndex.from_arrays(
        [pairs["kind"], labels.get_level_values("segment")], names=["kind", "segment"]
    )
    texts = {
        "system": labels.get_level_values("system").to_numpy(),
        "sound": table["hypothesis"].to_numpy(dtype=object)[pairs["row"]],
        "corrupted": pairs["corrupted"].to_numpy(),
    }
    shown = pd.DataFrame(texts, index, dtype=object)
    for (setting, judge), margin in margins.items():
        shown[f"{judge}_{setting}"] = margin.astype(np.float64)
    parts = {
        "sound": "by-content" if y is None else "best-judged", "kinds": pairs["kind"].nunique(),
        "at_most": n_segments, "interval": f"{confidence:g}", "clusters": clusters,
        "tok": names(tokenizers.values()),
    }  # fmt: skip
    seed = random_state if isinstance(random_state, int | np.integer) else None
    signature = signature_line(parts, seed, data_hash(X, y)[:12])
    of_pairs = np.arange(len(pairs))
    if known:
        of_pairs = document_codes(of_segments.loc[labels.get_level_values("segment")])
    counted = _counted(pairs["kind"], margins, of_pairs, confidence)
    return Challenge(counted, shown, name, metrics, confidence, signature, clusters)


def _margins(model, X, pairs, metrics, name):
    """Return by how much sound translations are better, and what parts words of metrics."""
    (two, sound, corrupted), (many, sound_many, corrupted_many) = tables_of(X, pairs)
    both = pd.concat([two, many])
    judged = Judged(model, both)
    first, place = judged.first, judged.place
    if judged.only_ranks:
        distinct = both.iloc[first[place[len(two) :].min() :]]
        competitors = Competitors.of(comparable_groups(distinct))
        competitors.check()
        competitors.warn()
    found, strength = {}, judged.strengths()[place]
    if not judged.only_ranks:
        score = judged.scores(first[place[: len(two)]])
        found["alone", name] = score[sound] - score[corrupted]
        found["two", name] = strength[sound] - strength[corrupted]
    strength = strength[len(two) :]
    found["many", name] = strength[sound_many] - strength[corrupted_many]
    tokenizers = {}
    if metrics:
        transformer = MetricScores(list(metrics)).set_output(transform="default")
        scores = transformer.fit_transform(two)
        tokenizers = transformer.tokenizers_
        for metric, score in zip(metrics, scores.T, strict=True):
            found["alone", metric] = score[sound] - score[corrupted]
    return found, tokenizers


def _counted(kinds, margins, documents, confidence):
    """Count won and tied pairs of each kind, setting and judge, with intervals."""
    rows = {}
    for kind in dict.fromkeys(kinds):
        codes = documents[kinds == kind]
        sizes = np.bincount(codes)
        for (setting, judge), margin in margins.items():
            margin_ = margin[kinds == kind]
            won, n = int((margin_ > 0).sum()), len(margin_)
            hits = np.bincount(codes, margin_ > 0)
            low, high = interval_of_proportion(hits, sizes, confidence)
            counts = (won, int((margin_ == 0).sum()), n)
            rows[kind, setting, judge] = (*counts, won / n, low, high)
    columns = ["won", "tied", "n", "proportion", "low", "high"]
    found = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    return found.set_axis(pd.MultiIndex.from_tuples(rows, names=["kind", "setting", "judge"]))
