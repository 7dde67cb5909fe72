"""What is flagged loses: ranks and scores in which contradictions stand below all else."""

from functools import partial

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.options import check_boolean, check_n_jobs
from sklearn_mteval.candidates import comparable_groups
from sklearn_mteval.features import content_flags
from sklearn_mteval.pairwise.blocks import in_blocks

HIGHEST_OF_FLAGGED = -0.5  # score


def asked_in_blocks(ask, X, what, n_jobs, flagged_lose):
    """Ask for ranks or scores in blocks, what is flagged being last if it is to lose; see below."""
    check_n_jobs(n_jobs)
    check_boolean(flagged_lose=flagged_lose)
    return in_blocks(partial(_with_flagged_last, ask) if flagged_lose else ask, X, what, n_jobs)


def _with_flagged_last(ask, X):
    """Ask about a block, and put what is flagged last."""
    found, competitors = ask(X)
    return put_flagged_last(found, X, content_flags(X)), competitors


def put_flagged_last(found, X, flags):
    """Return ranks or scores, as of ``rank_candidates`` and ``score_candidates``, with flagged
    translations below those without a flag.

    Among each other, flagged translations keep their order. Their strengths are lowered by the
    range of their group and 1, and a score s becomes (s - 3) / 4, which is in [-1, -0.5].
    """
    flagged = flags.map(bool).to_numpy()
    if found.ndim == 1:
        return found.mask(flagged, _lowered(found))
    groups = comparable_groups(X)
    rows = pd.DataFrame(
        {"group": groups, "text": X["hypothesis"].to_numpy(), "flagged": flagged},
    )
    rows["key"] = found["rank"].to_numpy() + flagged * (len(found) + 1)
    distinct = rows.drop_duplicates(["group", "text"])
    ranks = distinct.groupby("group")["key"].rank(method="min").astype(np.int64)
    by_text = pd.Series(ranks.to_numpy(), pd.MultiIndex.from_frame(distinct[["group", "text"]]))
    strengths = pd.Series(found["strength"].to_numpy()).groupby(groups)
    spread = (strengths.transform("max") - strengths.transform("min") + 1).to_numpy()
    return found.assign(
        rank=by_text[pd.MultiIndex.from_frame(rows[["group", "text"]])].to_numpy(),
        strength=found["strength"] - flagged * spread,
        score=found["score"].mask(flagged, _lowered(found["score"])),
    )


def _lowered(scores):
    """Bring scores in [-1, 1] below the highest of what is flagged, in their order."""
    return (scores + 1) * (HIGHEST_OF_FLAGGED + 1) / 2 - 1
