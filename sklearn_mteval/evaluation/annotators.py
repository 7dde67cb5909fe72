"""What the annotators of a campaign did: how much, in what time, with what care and agreement."""

from sklearn_mteval.evaluation.audit import audit_judges

_AGREEMENT = [
    "pairs_with_others", "agreement_with_others", "scores_with_others", "correlation", "difference",
]  # fmt: skip


def annotators_of(judgements):
    """Return a table as of ``Leaderboard.annotators``; None where no tool logged any."""
    if judgements.annotators is None or judgements.ratings is None:
        return None
    ratings = judgements.ratings
    counts = ratings.groupby(level="rater").size().rename("judgements")
    means = ratings.groupby(level=["segment", "rater", "system"]).mean()
    means.index = means.index.set_names("ranking", level="rater")
    audit = audit_judges(means, means.index.get_level_values("ranking").to_numpy(dtype=object))
    found = judgements.annotators.join([counts, audit[_AGREEMENT]], how="outer").sort_index()
    found["judgements"] = found["judgements"].fillna(0).astype(int)
    columns = ["judgements", "minutes", "asked", "passed", *_AGREEMENT]
    return found[columns].rename_axis("judge")
