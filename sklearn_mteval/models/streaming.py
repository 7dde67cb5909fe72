"""What a model says of candidate tables that come one after the other, in their order."""

from functools import partial

from sklearn_mteval._helpers.workers import in_order
from sklearn_mteval.features import content_flags
from sklearn_mteval.models.explanations.all_pairs import values_of_pairs
from sklearn_mteval.models.flagged import put_flagged_last
from sklearn_mteval.models.marks import marks_of, open_marker
from sklearn_mteval.models.opening import open_ranker
from sklearn_mteval.models.ranking import ranked_block
from sklearn_mteval.models.scoring import scored_block
from sklearn_mteval.pairwise.consensus import refuse_scores

# What is found of whole segments, and Competitors to be added up, or None.
BLOCK_FUNCTIONS = {"ranks": ranked_block, "scores": scored_block}


def found_in_order(
    model, tables, found, *, flags=False, flagged_lose=False, language=None, marker=None,
    explained=False, n_jobs=None
):  # fmt: skip
    """Yield of each candidate table what is to be ``found``, Competitors or None, flags, Marks of a
    ``marker``, if there is one, and PairValues, if decisions are to be ``explained`` and can be.
    """
    flagging = partial(content_flags, language=language) if flags or flagged_lose else None
    asking = partial(_asking, model, found, flagging, flagged_lose, marker, explained)
    return in_order(asking, tables, n_jobs)


def _asking(model, found, flagging, flagged_lose, marker, explained):
    """Make the function of a table that a process needs, with models of its own."""
    model = model if hasattr(model, "fit") else open_ranker(model)
    marker = None if marker is None else open_marker(marker)
    if found == "scores":
        refuse_scores(model)
    ask = partial(BLOCK_FUNCTIONS[found], model)

    def answer(X):
        pairs = []
        noting = {"noting": lambda *of: pairs.append(values_of_pairs(model, *of))}
        result, competitors = ask(X, **(noting if explained else {}))
        flagged = None if flagging is None else flagging(X)
        if flagged_lose:
            result = put_flagged_last(result, X, flagged)
        marks = None if marker is None else marks_of(marker, X)
        return result, competitors, flagged, marks, next(iter(pairs), None)

    return answer
