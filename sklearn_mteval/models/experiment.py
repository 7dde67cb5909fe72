"""The simplest pipeline that learns to rank."""

from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from sklearn_mteval.features import BLEUComp
from sklearn_mteval.pairwise.difference import PairDifference
from sklearn_mteval.pairwise.ranker import RankRecomposer
from sklearn_mteval.pairwise.ranking_pipeline import RankingPipeline


def bleu_pipeline(recomposition: str = "soft", C: float = 1.0) -> RankingPipeline:
    """Build the simplest pipeline: BLEU's components, scaled, logistic regression.

    Parameters
    ----------
    recomposition : str, default="soft"
        How pair decisions become ranks.
    C : float, default=1.0
        Inverse strength of the regularisation.

    Returns
    -------
    RankingPipeline
        Not fitted; features keep the index.
    """
    classifier = make_pipeline(PairDifference(), LogisticRegression(C=C, max_iter=1000))
    ranker = RankRecomposer(classifier, recomposition=recomposition)
    steps = [("features", BLEUComp()), ("scale", MinMaxScaler((-1, 1))), ("rank", ranker)]
    return RankingPipeline(steps).set_output(transform="pandas")
