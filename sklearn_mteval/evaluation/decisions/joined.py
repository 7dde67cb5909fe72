"""Judgements and a metric's scores of campaigns, by what users name them."""

from collections.abc import Mapping

from sklearn_mteval.datasets import Judgements
from sklearn_mteval.evaluation.collected_scores import collect_scores
from sklearn_mteval.evaluation.join import join_common
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features.overlap.registry import METRICS
from sklearn_mteval.segments import documents_of_segments


def joined_campaigns(metric, judgements, documents, given):
    """Return the metric's name, and each campaign's judgements and scores, and documents."""
    several = isinstance(judgements, Mapping)
    if several and not judgements:
        raise CandidateError("judgements maps no campaign to judgements.")
    if isinstance(metric, Mapping) != several and not isinstance(metric, str):
        raise CandidateError(
            "metric must be a name, or be mapped to campaigns as judgements are: found "
            f"{type(metric).__name__} of scores and {type(judgements).__name__} of judgements."
        )
    name, found, labels = None, [], []
    for campaign, judged in (judgements if several else {"": judgements}).items():
        scores = _scores_of(metric, campaign)
        if isinstance(scores, str):
            name, scores = scores, _named_scores(scores, judged)
        y = judged.y if isinstance(judged, Judgements) else judged
        name = _name_of(scores) if name is None else name
        found.append(join_common(y, {name: scores}, **given))
        of_rows = documents.get(campaign) if isinstance(documents, Mapping) else documents
        if of_rows is None and isinstance(judged, Judgements):
            of_rows = judged.documents
        labels.append(documents_of_segments(of_rows, y.to_frame()))
    return name, found, labels


def _scores_of(metric, campaign):
    """Return what is given as scores of a campaign."""
    if not isinstance(metric, Mapping):
        return metric
    if campaign not in metric:
        raise CandidateError(f"metric has no scores of the campaign {campaign!r}.")
    return metric[campaign]


def _name_of(scores):
    """Return the name that scores have, or "metric"."""
    name = getattr(scores, "name", None)
    return name if isinstance(name, str) and name.strip() else "metric"


def _named_scores(name, judged):
    """Look up, or compute, the scores of a metric by name."""
    if not isinstance(judged, Judgements):
        raise CandidateError(
            f"metric={name!r} is looked up in Judgements, found {type(judged).__name__}: give "
            "scores, a Series."
        )
    held = () if judged.scores is None else tuple(judged.scores)
    computed = [name] if name not in held and name in METRICS else []
    scores = collect_scores(judged, metrics=computed)
    if name not in scores:
        raise CandidateError(
            f"There is no metric {name!r}: the judgements hold {list(held)}, and "
            f"{list(METRICS)} are computed."
        )
    return scores[name]
