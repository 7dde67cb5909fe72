"""Feature transformers: one row of numbers per candidate translation."""

from sklearn_mteval.features.alignment import WordVectorAlignment
from sklearn_mteval.features.bleu import BLEUComp, sentence_bleu
from sklearn_mteval.features.chrf import ChrFComp
from sklearn_mteval.features.contrastive import ContrastiveScore
from sklearn_mteval.features.embeddings import EmbeddingAverager
from sklearn_mteval.features.encoders import SentenceEncoder
from sklearn_mteval.features.language_check import LanguageCheck
from sklearn_mteval.features.language_model import LanguageModelScore
from sklearn_mteval.features.meteor import METEORComp
from sklearn_mteval.features.metric_scores import MetricScores
from sklearn_mteval.features.nist import NISTScore
from sklearn_mteval.features.parser_statistics import ParserStatistics
from sklearn_mteval.features.quality_estimation import FEATURE_SETS, feature_set
from sklearn_mteval.features.score_column import ScoreColumn
from sklearn_mteval.features.surface import SurfaceCounts
from sklearn_mteval.features.ter import TERComp
from sklearn_mteval.features.token_alignment import TokenAlignment

__all__ = [
    "FEATURE_SETS",
    "BLEUComp",
    "ChrFComp",
    "ContrastiveScore",
    "EmbeddingAverager",
    "LanguageCheck",
    "LanguageModelScore",
    "METEORComp",
    "MetricScores",
    "NISTScore",
    "ParserStatistics",
    "ScoreColumn",
    "SentenceEncoder",
    "SurfaceCounts",
    "TERComp",
    "TokenAlignment",
    "WordVectorAlignment",
    "feature_set",
    "sentence_bleu",
]
