"""Pipelines that start from a fitted model: its strengths and features, and what is learnt anew."""

from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_union

from sklearn_mteval.classifiers._prior_ensemble import PriorEnsemble
from sklearn_mteval.features import NormalizeText
from sklearn_mteval.models.short_names import make_features
from sklearn_mteval.pairwise.ranker import RankRecomposer
from sklearn_mteval.pairwise.ranking_pipeline import RankingPipeline
from sklearn_mteval.stacking.model_columns import ModelColumns


def started_from(model, features, normalize, recomposition):
    """Make a pipeline, not fitted, that starts from a fitted one; ``features`` are added."""
    columns = with_features(ModelColumns(FrozenEstimator(model)), features, normalize)
    ranker = RankRecomposer(PriorEnsemble(), recomposition=recomposition)
    steps = [("features", columns), ("rank", ranker)]
    return clone(RankingPipeline(steps)).set_output(transform="pandas")


def with_features(columns, features, normalize):
    """Put features of texts, if any are asked for, beside the columns of another transformer."""
    if features is None:
        return columns
    texts = make_features(features)
    if normalize:  # a model normalises by itself, if it does
        texts = RankingPipeline([("normalize", NormalizeText()), ("features", texts)])
    return make_union(columns, texts)
