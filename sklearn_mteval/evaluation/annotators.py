"""What the annotators of a campaign did: how much, in what time, with what care and agreement."""

import numpy as np
import pandas as pd

from sklearn_mteval.evaluation.audit import audit_judges

_AGREEMENT = [
    "pairs_with_others", "agreement_with_others", "scores_with_others", "correlation", "difference",
]  # fmt: skip


def annotators_of(judgements):
    """Return a table as of ``Leaderboard.annotators``; None where no tool logged any."""
    if judgements.annotators is None:
        return None
    are_scores = judgements.ratings is not None
    y, judges = judgements.ratings if are_scores else judgements.y, judgements.judges
    if judgements.selection is not None:  # a campaign of ours, in which equal texts were shown once
        is_copy = _are_copies(judgements.translations, y.index)
        if not are_scores:
            is_copy = is_copy.groupby(level="ranking").transform("any")
            judges = judges[~is_copy]
        y = y[~is_copy]
    if are_scores:
        counts = y.groupby(level="rater").size()
        y = y.groupby(level=["segment", "rater", "system"]).mean()
        y.index = y.index.set_names("ranking", level="rater")
        judges = y.index.get_level_values("ranking").to_numpy(dtype=object)
    if (np.asarray(judges, dtype=object) == "").any():
        return None  # nobody knows who some are
    if not are_scores:  # a comparison of two is one judgement
        counts = judges[~y.index.droplevel("system").duplicated()].value_counts()
    audit = audit_judges(y, judges, scores=are_scores).reindex(columns=["judgements", *_AGREEMENT])
    audit["judgements"] = counts
    found = judgements.annotators.join(audit, how="outer").sort_index()
    found["judgements"] = found["judgements"].fillna(0).astype(int)
    columns = ["judgements", "minutes", "asked", "passed", *_AGREEMENT]
    return found[columns].rename_axis("judge")


def _are_copies(translations, index):
    """Tell of rows whether another system has the same translation, and comes before."""
    repeated = translations.reset_index().duplicated(["segment", "hypothesis"])
    of_rows = pd.MultiIndex.from_arrays([index.get_level_values(n) for n in ("segment", "system")])
    return pd.Series(of_rows.isin(translations.index[repeated]), index)
