"""Which segments to judge, so that judgements of a part say of the systems what all would say."""

import numbers
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.options import check_boolean, check_one_of
from sklearn_mteval._helpers.order import table_order
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.datasets.selections import check_selection
from sklearn_mteval.evaluation.option_values import SELECTIONS
from sklearn_mteval.evaluation.selection.balance import balanced, deviations_of
from sklearn_mteval.evaluation.selection.criteria import CRITERIA
from sklearn_mteval.evaluation.selection.diversity import diversity_of
from sklearn_mteval.evaluation.selection.sampling import Sample, draw_more, draw_sample, spread_of
from sklearn_mteval.evaluation.selection.tables import (
    costs_of,
    judged_mask,
    labels_of,
    score_tables,
    standardise,
    target_cost,
)
from sklearn_mteval.evaluation.signature import bytes_of, short_hash, signature_line
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.ratios import mean_of_known as mean

_UNIFORM = 0.5  # of a segment's probability, the part that does not depend on the metrics
_CHANCE = ("spread", "random")  # methods whose probabilities are known


class _Segments(NamedTuple):
    """What is known of segments, in the order of their content."""

    scores: np.ndarray  # (n_metrics, n_segments, n_systems), standardised
    is_judged: np.ndarray
    costs: np.ndarray
    documents: np.ndarray  # codes
    domains: np.ndarray  # codes
    earlier: Sample | None = None  # of which those that are judged are

    def sample(self, sizes, budget, whole, rng):
        """Draw from those that are not judged."""
        free = ~self.is_judged
        keys = np.nan_to_num(mean(mean(self.scores, 2), 0))
        return draw_sample(
            sizes[free], self.costs[free], budget, self.documents[free], self.domains[free],
            keys[free], whole, rng,
        )  # fmt: skip


def select_segments(
    scores: pd.DataFrame, size: float = 0.5, *, method: str = "spread",
    documents: pd.Series | None = None, whole_documents: bool = False,
    strata: pd.Series | None = None, costs: pd.Series | None = None,
    translations: pd.DataFrame | None = None, similarity: Any = "chrf",
    judged: Iterable | pd.DataFrame = (), random_state: Seed = 0
) -> pd.DataFrame:  # fmt: skip
    """Choose segments to judge that tell about the systems what judging all segments would tell.

    Parameters
    ----------
    scores : DataFrame of shape (n_translations, n_metrics)
        Indexed by (segment, system), higher is better; NaN is missing. A metric counts by its
        standardised scores.
    size : float or int, default=0.5
        How many segments there are to be, those judged already included: a proportion of all,
        above 0 and below 1, or a number. Given ``costs``, a proportion of their sum, or an amount.
    method : {"spread", "random", "balanced", "variance", "average", "consistency", \
"disagreement", "diversity"}, default="spread"
        "spread" and "random" draw with the probabilities that are returned: judgements weighted by
        1 / probability are unbiased for means of systems. "random": alike for all; "spread": half
        is alike for all, half in proportion to the standard deviation of scores over systems.
        "balanced": a random sample, improved by exchanging segments until the metrics score the
        systems on it as on all segments; its probabilities are not known. The others take segments
        on which systems may rank otherwise than on all: whose scores vary most ("variance") or are
        lowest ("average"), order systems as all segments do (tau-c, "consistency"), on which
        metrics correlate least ("disagreement"), whose translations are least alike ("diversity").
    documents : Series, optional
        Of each segment, its index, the document: a label. "spread", "random" and "balanced" take
        about the same proportion of each.
    whole_documents : bool, default=False
        Draw documents as a whole ("spread" and "random" only), for annotators who need the context.
    strata : Series, optional
        Of each segment a label such as its domain, of each of which about the same proportion is
        drawn ("spread" and "random" only).
    costs : Series, optional
        Of each segment what judging it costs, a positive number ("spread" and "random" only).
        Probabilities are divided by the square root of it (Neyman 1934), and the *expected* cost is
        what ``size`` says.
    translations : DataFrame, optional
        A candidate table with the column ``hypothesis``, which "diversity" reads.
    similarity : {"chrf", "unigram"} or transformer, default="chrf"
        What "diversity" compares translations by: chrF, the F score of words, or the dot product
        of the vectors that a transformer such as ``SentenceEncoder`` makes of ``hypothesis``.
    judged : iterable or DataFrame, default=()
        Labels of segments that are judged already: chosen with probability 1, which leaves means
        unbiased however they were chosen, but lets each of them stand for itself alone. Or the
        selection that they were drawn by, as returned here ("spread" and "random" only, without
        strata): probabilities are then of being in either draw, so that all judgements count alike;
        ``size`` and ``scores`` must not depend on the judgements.
    random_state : int, RandomState or None, default=0
        Seed of what is drawn by chance, with a selection ``judged`` by chance of its own. Neither
        the order of rows nor names change the choice.

    Returns
    -------
    DataFrame of shape (n_segments, 2 to 4)
        Indexed by all segments: ``chosen`` (bool), ``probability`` in (0, 1] of being chosen, NaN
        for methods that have none; ``document`` where they were drawn whole, ``stratum``, of two
        draws or more, a number from 1 on, where there are several: "" and 0 for segments judged
        already. ``attrs["signature"]`` says how it was made.

    Raises
    ------
    CandidateError
        For a table of scores that breaks the contract, or has infinite scores; for documents,
        strata or costs that are missing, costs that are not positive.
    ValueError
        For a size that leaves nothing to choose, labels in ``judged`` that are no segments,
        "disagreement" of one metric, "diversity" without translations, options that a method does
        not have.

    Notes
    -----
    Samples are systematic, of a whole number of units in each stratum, in random order within
    documents (Hartley and Rao 1962). Time and memory are linear in scores, but for "consistency",
    quadratic in systems, and "balanced".

    References
    ----------
    Hansen and Hurwitz 1943, "On the theory of sampling from finite populations"; Neyman 1934, "On
    the two different aspects of the representative method"; Hartley and Rao 1962, "Sampling with
    unequal probabilities and without replacement"; Deville and Tillé 2004, "Efficient balanced
    sampling"; Zouhar et al. 2025, "How to select datapoints for efficient human evaluation of NLG
    models?".

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.evaluation import select_segments
    >>> rows = pd.MultiIndex.from_product([range(1, 5), ["A", "B"]], names=["segment", "system"])
    >>> scores = pd.DataFrame({"chrf": [9, 1, 5, 5, 5, 5, 1, 9]}, index=rows)
    >>> select_segments(scores)
             chosen  probability
    segment                     
    1          True         0.75
    2         False         0.25
    3         False         0.25
    4          True         0.75
    """  # noqa: W291
    check_one_of("method", method, SELECTIONS)
    check_boolean(whole_documents=whole_documents)
    _check_options(method, documents, whole_documents, strata, costs)
    tables, labels = score_tables(scores)
    # From here on segments and systems stand in the order of their content.
    order, systems = table_order(*tables)
    labels_there = labels[order]
    standard, content_hash = _standardised(tables, order, systems)
    earlier = _earlier(judged, labels_there, method, whole_documents, strata)
    is_judged = judged_mask(judged, labels_there) if earlier is None else earlier.chosen
    segments = _Segments(
        standard, is_judged, costs_of(costs, labels_there),
        labels_of("documents", documents, labels_there),
        labels_of("strata", strata, labels_there), earlier,
    )  # fmt: skip
    n_judged = int(is_judged.sum())
    budget = target_cost(size, segments.costs, costs is not None)
    # Of an earlier draw what it was expected to cost, lest chance in it change probabilities here.
    budget -= segments.costs @ (is_judged if earlier is None else earlier.probabilities)
    if budget <= 0 or n_judged == len(order):
        raise ValueError(f"size {size!r} leaves nothing to choose: {n_judged} are judged.")
    rng = check_random_state(random_state)
    if earlier is not None and isinstance(random_state, numbers.Integral):
        # The same numbers again would make this draw depend on the one before.
        rng = np.random.RandomState([int(random_state), n_judged])
    if method in _CHANCE:
        found = _by_chance(segments, method, budget, whole_documents, rng)
    elif method == "balanced":
        found = _by_exchanges(segments, budget, rng)
    else:
        values = (
            diversity_of(translations, similarity, labels_there)
            if method == "diversity"
            else CRITERIA[method](standard)
        )
        values = np.nan_to_num(values[~segments.is_judged], nan=-np.inf)  # the highest first
        chosen = np.zeros(len(values), dtype=bool)
        chosen[np.argsort(-values, kind="stable")[: int(budget)]] = True
        found = _as_chosen(segments, chosen)
    if whole_documents:
        names = documents.reindex(labels_there).astype(str).to_numpy()
        by_itself = segments.is_judged & (earlier is None)
        found["document"] = np.where(by_itself, "", names)
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    found = found.iloc[back].set_axis(labels.rename("segment"))
    before = "judged" if earlier is None else "earlier"
    given = {"strata": strata, "costs": costs, before: n_judged or None}
    parts = {
        "method": method, "size": f"{size:g}", "segments": len(order),
        "chosen": int(found["chosen"].sum()),
        "documents": None if documents is None else "whole" if whole_documents else "shared",
        "given": "+".join(name for name, value in given.items() if value is not None) or None,
    }  # fmt: skip
    seed = random_state if method in (*_CHANCE, "balanced") else None
    found.attrs["signature"] = signature_line(parts, seed, content_hash)
    return found


def _standardised(tables, order, systems):
    """Return standardised scores in an order, and a hash of the scores before that."""
    content = [table[np.ix_(order, systems)] for table in tables]
    # In the memory of the tables a system's scores stand together: sums over systems are then sums
    # of columns, whatever part of them is added.
    standard = tables.reshape(len(tables), -1, len(order)).swapaxes(1, 2)
    stacked = np.stack(content)
    content_hash = short_hash(repr(stacked.shape), bytes_of(stacked))
    for table, scores_there in zip(content, standard, strict=True):
        scores_there[:] = standardise(table)
    return standard, content_hash


def _check_options(method, documents, whole_documents, strata, costs):
    """Raise for what a method does not have."""
    given = {
        "whole_documents": whole_documents, "strata": strata is not None, "costs": costs is not None
    }  # fmt: skip
    for name, is_given in given.items():
        if is_given and method not in _CHANCE:
            raise ValueError(
                f"{name} is for the methods {' and '.join(map(repr, _CHANCE))}, found "
                f"method={method!r}."
            )
    if whole_documents and documents is None:
        raise ValueError("whole_documents=True needs documents=: the document of each segment.")


def _earlier(judged, labels, method, whole, strata):
    """Return the sample that a selection says, of segments in the order of ``labels``."""
    if not isinstance(judged, pd.DataFrame):
        return None
    check_selection(judged)
    if method not in _CHANCE or strata is not None:
        raise ValueError(
            "judged as a selection is for the methods 'spread' and 'random' without strata: give "
            "the labels of the segments."
        )
    if set(judged.index) != set(labels) or judged["probability"].isna().any():
        raise CandidateError("judged must be a selection of these segments, with probabilities.")
    if ("document" in judged) != whole:
        raise ValueError("whole_documents must be as in the selection that judged is.")
    judged = judged.loc[labels]
    chosen, probability = (judged[name].to_numpy() for name in ("chosen", "probability"))
    return Sample(chosen, probability, np.zeros(len(labels), dtype=np.int64))


def _by_chance(segments, method, budget, whole_documents, rng):
    """Draw with known probabilities; those judged have probability 1, or that of either draw."""
    sizes = np.ones(len(segments.costs))
    if method == "spread":
        sizes = _UNIFORM + (1 - _UNIFORM) * spread_of(segments.scores)
    if segments.earlier is not None:
        found = draw_more(
            sizes, segments.costs, budget, segments.documents, segments.earlier, whole_documents,
            rng,
        )  # fmt: skip
        return pd.DataFrame({"chosen": found.chosen, "probability": found.probabilities})
    sample = segments.sample(sizes, budget, whole_documents, rng)
    free = ~segments.is_judged
    found = _as_chosen(segments, sample.chosen).assign(probability=1.0)
    found.loc[free, "probability"] = sample.probabilities
    if sample.strata.max() > 0:
        found["stratum"] = 0
        found.loc[free, "stratum"] = sample.strata + 1
    return found


def _by_exchanges(segments, budget, rng):
    """Draw at random, and exchange segments until metrics score systems as on all segments."""
    sample = segments.sample(np.ones(len(segments.costs)), budget, False, rng)
    fixed = segments.is_judged
    chosen = np.zeros(len(fixed), dtype=bool)
    chosen[~fixed] = sample.chosen
    chosen = balanced(deviations_of(segments.scores), segments.documents, fixed, chosen)
    return _as_chosen(segments, chosen[~fixed])


def _as_chosen(segments, chosen):
    """Make the table of what is judged or chosen, ``chosen`` being of those that are not judged."""
    found = pd.DataFrame({"chosen": segments.is_judged.copy(), "probability": np.nan})
    found.loc[~segments.is_judged, "chosen"] = chosen
    return found
