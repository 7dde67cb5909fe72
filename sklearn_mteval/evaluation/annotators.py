"""What the annotators of a campaign did: how much, in what time, with what care and agreement."""

import numpy as np

from sklearn_mteval.evaluation.audit import audit_judges

_AGREEMENT = [
    "pairs_with_others", "agreement_with_others", "scores_with_others", "correlation", "difference",
]  # fmt: skip


def annotators_of(judgements):
    """Return a table as of ``Leaderboard.annotators``; None where no tool logged any."""
    if judgements.annotators is None:
        return None
    y, judges, counts = judgements.y, judgements.judges, None
    are_scores = judgements.ratings is not None
    if are_scores:
        counts = judgements.ratings.groupby(level="rater").size()
        y = judgements.ratings.groupby(level=["segment", "rater", "system"]).mean()
        y.index = y.index.set_names("ranking", level="rater")
        judges = y.index.get_level_values("ranking").to_numpy(dtype=object)
    if (np.asarray(judges, dtype=object) == "").any():
        return None  # nobody knows who some are
    audit = audit_judges(y, judges, scores=are_scores).reindex(columns=["judgements", *_AGREEMENT])
    if counts is not None:
        audit["judgements"] = counts
    found = judgements.annotators.join(audit, how="outer").sort_index()
    found["judgements"] = found["judgements"].fillna(0).astype(int)
    columns = ["judgements", "minutes", "asked", "passed", *_AGREEMENT]
    return found[columns].rename_axis("judge")
