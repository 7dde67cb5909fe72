"""The standard experiment as Python functions, and what a trained model is asked for."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "Agreement": "agreement",
        "READY_MADE": "ready_made",
        "bleu_pipeline": "experiment",
        "cross_validated_experiment": "experiment",
        "grid_search": "experiment",
        "held_out_agreement": "agreement",
        "join_tables": "campaigns",
        "load_campaign": "campaigns",
        "load_campaigns": "campaigns",
        "load_pretrained": "ready_made",
        "measure_agreement": "agreement",
        "open_model": "opening",
        "rank_candidates": "ranking",
        "rank_systems": "ranking",
        "recommended_model": "opening",
        "score_candidates": "scoring",
        "score_systems": "scoring",
        "train_on_campaign": "campaign_training",
    },
)
