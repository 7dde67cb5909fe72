"""Feature transformers: one row of numbers per candidate translation.

What makes a feature of a trained model stands in ``stacking``, above the models; its names are
here, too.
"""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "BLEUComp": "overlap.bleu",
        "ChrFComp": "overlap.chrf",
        "ContrastiveScore": "reference_free.contrastive",
        "CrossFitScore": "sklearn_mteval.stacking.cross_fit",
        "EmbeddingAverager": "embeddings.averages",
        "LanguageCheck": "reference_free.language_check",
        "LanguageModelScore": "reference_free.language_model",
        "LearnedTokenAlignment": "embeddings.learned_alignment",
        "METEORComp": "overlap.meteor",
        "MetricScores": "overlap.metric_scores",
        "NISTScore": "overlap.nist",
        "NormalizeText": "normalization",
        "ParserStatistics": "reference_free.parser_statistics",
        "ScoreColumn": "scores",
        "ReValScore": "sklearn_mteval.stacking.reval_score",
        "SentenceEncoder": "embeddings.sentence_encoder",
        "SurfaceCounts": "reference_free.surface",
        "SyntacticVectors": "syntactic.syntactic_vectors",
        "TERComp": "overlap.ter",
        "TokenAlignment": "embeddings.token_alignment",
        "LexicalFeatures": "lexical.lexical_features",
        "WordVectorAlignment": "embeddings.word_alignment",
        "recommended": "recommendation",
        "feature_set": "reference_free.feature_sets",
        "sentence_bleu": "overlap.bleu",
    },
)
