"""Models as features of other models, cross-fitted; public as names of ``features``."""

from sklearn_mteval._helpers.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__, {"CrossFitScore": "cross_fit", "ReValScore": "reval_score"}
)
