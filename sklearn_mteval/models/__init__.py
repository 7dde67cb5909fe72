"""The standard experiment as Python functions, and what a trained model is asked for."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "Agreement": "agreement",
        "bleu_pipeline": "experiment",
        "held_out_agreement": "agreement",
        "load_pretrained": "ready_made",
        "open_model": "opening",
        "rank_candidates": "ranking",
        "rank_systems": "ranking",
        "recommended_model": "opening",
        "score_candidates": "scoring",
        "score_systems": "scoring",
        "train_on_campaign": "campaign_training",
    },
)
