"""The ceiling that annotators set for models, from judgements as the commands load them."""

from sklearn_mteval.metrics.annotators.majority import (
    PREFERENCE_STATISTICS,
    ceiling_if_repeated,
)

_FEWEST = 20  # pairs judged more than once: of one or two that agree the ceiling would be 1 [1, 1]


def ceiling_of_judgements(judgements, *, statistic, **drawn):
    """Estimate the ceiling of a model; None where too little says how far annotators agree."""
    X, y, judges = judgements.X, judgements.y, judgements.judges
    if statistic not in PREFERENCE_STATISTICS or set(y.index.names) <= {"segment", "system"}:
        return None
    texts = X.get("hypothesis")
    known = {
        name: None if labels is None or labels.isna().any() else labels
        for name, labels in (("texts", texts), ("annotators", judges))
    }
    if known["annotators"] is not None and (judges == "").any():
        known["annotators"] = None
    found = ceiling_if_repeated(y, statistic=statistic, **known, **drawn)
    return None if found is None or found.n_pairs < _FEWEST else found
