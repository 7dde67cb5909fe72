from sklearn_mteval.features.content.content_errors import ContentErrors as ContentErrors
from sklearn_mteval.features.content.flags import content_flags as content_flags
from sklearn_mteval.features.content.surface_errors import SurfaceErrors as SurfaceErrors
from sklearn_mteval.features.embeddings.averages import EmbeddingAverager as EmbeddingAverager
from sklearn_mteval.features.embeddings.cross_encoder import CrossEncoder as CrossEncoder
from sklearn_mteval.features.embeddings.error_marker import ErrorMarker as ErrorMarker
from sklearn_mteval.features.embeddings.learned_alignment import (
    LearnedTokenAlignment as LearnedTokenAlignment,
)
from sklearn_mteval.features.embeddings.sentence_encoder import SentenceEncoder as SentenceEncoder
from sklearn_mteval.features.embeddings.token_alignment import TokenAlignment as TokenAlignment
from sklearn_mteval.features.embeddings.word_alignment import (
    WordVectorAlignment as WordVectorAlignment,
)
from sklearn_mteval.features.lexical.lexical_features import LexicalFeatures as LexicalFeatures
from sklearn_mteval.features.normalization import NormalizeText as NormalizeText
from sklearn_mteval.features.overlap.bleu import BLEUComp as BLEUComp
from sklearn_mteval.features.overlap.bleu import sentence_bleu as sentence_bleu
from sklearn_mteval.features.overlap.chrf import ChrFComp as ChrFComp
from sklearn_mteval.features.overlap.meteor import METEORComp as METEORComp
from sklearn_mteval.features.overlap.metric_scores import MetricScores as MetricScores
from sklearn_mteval.features.overlap.nist import NISTScore as NISTScore
from sklearn_mteval.features.overlap.ter import TERComp as TERComp
from sklearn_mteval.features.recommendation import recommended as recommended
from sklearn_mteval.features.scores import ScoreColumn as ScoreColumn
from sklearn_mteval.linguistic.quality_estimation.contrastive import (
    ContrastiveScore as ContrastiveScore,
)
from sklearn_mteval.linguistic.quality_estimation.feature_sets import feature_set as feature_set
from sklearn_mteval.linguistic.quality_estimation.language_check import (
    LanguageCheck as LanguageCheck,
)
from sklearn_mteval.linguistic.quality_estimation.language_model import (
    LanguageModelScore as LanguageModelScore,
)
from sklearn_mteval.linguistic.quality_estimation.parser_statistics import (
    ParserStatistics as ParserStatistics,
)
from sklearn_mteval.linguistic.quality_estimation.surface import SurfaceCounts as SurfaceCounts
from sklearn_mteval.linguistic.reval.reval_score import ReValScore as ReValScore
from sklearn_mteval.linguistic.syntactic.syntactic_vectors import (
    SyntacticVectors as SyntacticVectors,
)
from sklearn_mteval.stacking.cross_fit import CrossFitScore as CrossFitScore
