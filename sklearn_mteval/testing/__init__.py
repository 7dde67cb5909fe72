"""Checks of text transformers, classifiers of pairs and fits, of other packages too."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "check_fit_is_all_or_nothing": "whole_fits",
        "check_pair_classifier": "pair_classifiers",
        "check_text_transformer": "text_transformers",
        "pair_classifier_checks": "pair_classifiers",
        "text_transformer_checks": "text_transformers",
    },
)
