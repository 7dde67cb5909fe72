"""Which segments a campaign has: as many as may be, and never more than its budget."""

import numpy as np
import pandas as pd

from sklearn_mteval.evaluation.selection.sampling import highest_cost
from sklearn_mteval.evaluation.selection.select import select_segments


def draw_within(budget, index, scores, documents, before, overlap, seed):
    """Draw segments, or whole documents, that leave room for the overlap; return the selection.

    ``before`` is the selection of the batches before, or None. Of documents of different sizes
    chance would draw more than was expected, so that fewer are expected: as many as cost no more
    than the budget whatever is drawn. Probabilities then do not depend on what is drawn.
    """
    table = pd.DataFrame({"none": 0.0}, index) if scores is None else scores
    segments = index.unique("segment")
    # How many were expected, whatever chance made of it.
    n_before = 0 if before is None else round(before["probability"].sum())
    most = budget - (overlap > 0 and documents is None)  # one at least is judged twice

    def draw(expected):
        return select_segments(
            table, min(n_before + expected, len(segments)), documents=documents,
            method="random" if scores is None else "spread", whole_documents=documents is not None,
            judged=() if before is None else before, random_state=seed,
        )  # fmt: skip

    high = max(1, min(round(budget / (1 + overlap)), most, len(segments) - n_before))
    found, low, tried = None, 0, high
    while tried > low:
        drawn = draw(tried)
        if _highest(drawn, before, documents) <= most:
            found, low = drawn, tried
        else:
            high = tried - 1
        tried = (low + high + 1) // 2
    if found is None:
        raise ValueError(
            f"The budget of {budget} segments is too small: documents are judged as a whole, and "
            f"the largest has {documents[segments].value_counts().max()} segments. Give a larger "
            "budget, or smaller documents."
        )
    if not (found["chosen"] if before is None else found["chosen"] & ~before["chosen"]).any():
        raise ValueError("No document was drawn: give a larger budget, or another seed.")
    return found


def _highest(selection, before, documents):
    """Return how many segments may have been drawn in addition to those of before."""
    probability = selection["probability"]
    if before is not None:
        # In either draw with 1 - (1 - p) (1 - q): what the first lacks was drawn with q.
        free = ~before["chosen"]
        probability = 1 - (1 - probability[free]) / (1 - before["probability"][free])
    unit = probability.index if documents is None else documents[probability.index]
    groups = probability.groupby(np.asarray(unit, dtype=object))
    return round(highest_cost(groups.first().to_numpy(), groups.size().to_numpy(dtype=float)))
