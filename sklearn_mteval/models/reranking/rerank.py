"""Reranking: of each list of candidates the best."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from sklearn_mteval._helpers.options import (
    check_boolean,
    check_integer,
    check_number,
    check_one_of,
    check_within,
)
from sklearn_mteval._helpers.progress import working
from sklearn_mteval._helpers.types import PathLike, Seed
from sklearn_mteval.candidates import comparable_groups
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.models.lists import check_lists, is_list
from sklearn_mteval.models.opening import open_model, recommended_model, with_source
from sklearn_mteval.models.reranking.decisions import DECISIONS, SPARSE
from sklearn_mteval.models.reranking.distinct_lists import WEIGHTS, distinct_lists
from sklearn_mteval.models.reranking.suspicious_candidates import EMPTY, reasons
from sklearn_mteval.models.reranking.utilities import find_utility
from sklearn_mteval.pairwise.consensus import is_consensus
from sklearn_mteval.pairwise.recomposition import (
    find_recomposition,
    ranks_from_strengths,
    snap_ties,
)

BLOCK = 1 << 17  # pairs of candidates of the lists that are worked on together


def rerank(
    candidates: pd.DataFrame | Sequence[Sequence[str]], sources: Sequence[str] | None = None,
    references: Sequence | None = None, *, decision: str = "mbr", utility: Any = None,
    model: PathLike | BaseEstimator | None = None, recomposition: str | Callable | None = None,
    weights: str = "count", scale: float = 1.0, approximation: str | None = None,
    proportion: float = 1 / 3, drop_suspicious: bool = True, random_state: Seed = 0
) -> pd.DataFrame:  # fmt: skip
    """Choose the best of each list of translations, such as an n-best list.

    Equal texts of a list are one candidate. A list of one candidate chooses it.

    Parameters
    ----------
    candidates : DataFrame of shape (n_candidates, n_columns), or sequence of sequences of str
        A candidate table, in which rows that agree on all index levels but ``system`` are a list,
        as ``load_translations`` makes of n-best lists; or the lists themselves.
    sources, references : sequence of length n_lists, optional
        Of lists: what was translated; a reference or a list of several. Those of a table are
        columns.
    decision : {"mbr", "strength", "score"}, default="mbr"
        - "mbr", minimum Bayes risk: the candidate with the highest expected ``utility`` if the
          reference is one of the candidates, each as probable as ``weights`` say;
        - "strength": the strongest in a tournament, by a model's comparisons of all pairs;
        - "score": the one with the highest score by a model, each judged by itself.
    utility : str, path-like, estimator, callable or list of such, default="chrf"
        Of "mbr": "chrf", "chrf++", "bleu", "ter", "meteor"; "alignment" or "vectors" by the
        package's English word vectors; a model's name or folder, or a fitted model, whose score it
        is; a fitted transformer with one column, or of vectors of the hypothesis
        (``columns=["hypothesis"]``), whose cosine it is; a function: n hypotheses, n references → n
        numbers, higher is better. Of several, candidates are ranked by their mean place.
    model : path-like or fitted estimator, optional
        Of "strength" and "score", as for :func:`open_model`; None: the best one that can be used.
    recomposition : str or callable, optional
        Of "strength", in place of the model's own; see ``RankRecomposer``.
    weights : {"count", "softmax", "given"}, default="count"
        How probable a candidate is: each the same; the softmax of ``scale`` times the column
        ``score``; the column ``weight``. Between candidates of equal rank the heavier one is
        chosen, then the first.
    scale : float, default=1
        Of the scores, more than 0 and at most 1e6: the smaller, the more equal the weights.
    approximation : str, optional
        None: exact. Of "mbr": "aggregate" compares with the mean of a list ("chrf", "chrf++",
        "bleu", "vectors"); "prune" drops candidates that hardly win when few references are known;
        "low-rank" asks for a ``proportion`` of the utilities and completes the rest. Of "strength":
        "sparse" asks about a ``proportion`` of the pairs and takes Bradley-Terry strengths.
    proportion : float, default=1/3
        Of what "low-rank" and "sparse" ask for, from 0.01 to 1.
    drop_suspicious : bool, default=True
        Whether candidates that are hardly translations are left out where another one remains:
        refusals, what language models say around translations, the source itself, texts in another
        script than most of a list or a third or three times as long as its median, without any of
        three numbers of the source, and answers to three different sources of a block of lists.
        Empty candidates are always left out.
    random_state : int, default=0
        Seed of what approximations draw; a list's draws depend on nothing but its texts.

    Returns
    -------
    DataFrame of shape (n_candidates, 5) or (n_candidates, 6)
        With the index of the table, or, of lists, segment and system counted from 1: ``rank`` (1 is
        best; of different texts), ``value`` (expected utility, mean place in [0, 1], strength or
        score; higher is better within a list; NaN of what was pruned), ``chosen`` (bool, one of
        each list), ``compared`` (pairs of texts of the list), of "strength" ``intransitive``
        (triples, A beats B beats C beats A; NaN of a model without probabilities), and
        ``suspicious``: why a candidate is hardly a translation, "" if nothing tells. What was left
        out has the last rank and no value.

    Raises
    ------
    CandidateError
        For tables that break the contract, an empty list, weights or scores that are no finite
        numbers.
    ValueError
        For options that do not go together, a model that cannot be used.

    Notes
    -----
    With one or two different candidates a utility says next to nothing: each is as near to the
    other. What most candidates have in common wins, right or wrong. Memory is bounded by a block of
    lists: some 130,000 pairs of candidates, or one list.

    References
    ----------
    Kumar and Byrne 2004, "Minimum Bayes-risk decoding for statistical machine translation";
    aggregation: DeNero, Chiang and Knight 2009, Vamvas and Sennrich 2024; pruning: Cheng and
    Vlachos 2023; completion: Trabelsi et al. 2024; several utilities: Kovacs, Deutsch and Freitag
    2024.

    Examples
    --------
    >>> from sklearn_mteval.models import rerank
    >>> found = rerank([["a dog barks", "the dog barks", "the dog barked"], ["one"]])
    >>> found[found["chosen"]].index.tolist()
    [(1, 2), (2, 1)]
    """
    if isinstance(candidates, pd.DataFrame):
        if sources is not None or references is not None:
            raise CandidateError(
                "sources and references are for lists of texts; a table has them as the columns "
                "'source' and 'reference'."
            )
        X = candidates
    else:
        X = _table_of_lists(candidates, sources, references)
    reranker = Reranker(
        decision=decision, utility=utility, model=model, recomposition=recomposition,
        weights=weights, scale=scale, approximation=approximation, proportion=proportion,
        drop_suspicious=drop_suspicious, random_state=random_state,
    )  # fmt: skip
    groups = comparable_groups(X)
    sizes = np.bincount(groups)
    block = ((np.cumsum(sizes**2) - sizes**2) // BLOCK)[groups]
    rows = np.argsort(block, kind="stable")
    parts = np.split(rows, np.flatnonzero(np.diff(block[rows])) + 1)
    with working("reranking", len(sizes), "lists") as step:
        found = []
        for part in parts:
            found.append(reranker.ranked(X.iloc[part]))
            step.advance(len(np.unique(groups[part])))
    return pd.concat(found).iloc[np.argsort(rows)]


class Reranker:
    """What :func:`rerank` does, of one table of whole lists after another; options are the same."""

    def __init__(
        self, *, decision="mbr", utility=None, model=None, recomposition=None, weights="count",
        scale=1.0, approximation=None, proportion=1 / 3, drop_suspicious=True, random_state=0
    ):  # fmt: skip
        check_one_of("decision", decision, DECISIONS)
        check_one_of("weights", weights, WEIGHTS)
        check_number("scale", scale, above=0, maximum=1e6)
        check_within("proportion", proportion, 0.01, 1)
        check_integer("random_state", random_state, minimum=0, maximum=2**32 - 1)
        check_boolean(drop_suspicious=drop_suspicious)
        self._drop_suspicious = drop_suspicious
        self._decision = DECISIONS[decision]
        _check_together(self._decision, utility, model, recomposition, approximation)
        utilities = utility if isinstance(utility, list | tuple) else [utility or "chrf"]
        if not utilities:
            raise ValueError("utility must name at least one, found an empty list.")
        self._given, self._weights = model, (weights, scale)
        self.recommended = None  # the model that was taken where none was named
        self.model = None  # fitted, of decisions that need one
        self.language = None  # of candidates, where it is told
        # Functions from lists to utilities of them, of "mbr".
        self.utilities = [] if self._decision.needs_model else list(map(find_utility, utilities))
        self.approximation, self.proportion = approximation, proportion
        self.recomposition, self.random_state = recomposition, random_state

    def ranked(self, X):
        """Rank the candidates of whole lists, as :func:`rerank` returns them."""
        suspicious, groups = reasons(X), comparable_groups(X)
        left_out = suspicious != "" if self._drop_suspicious else suspicious == EMPTY
        left_out &= (np.bincount(groups, ~left_out) > 0)[groups]
        rows = np.flatnonzero(~left_out)
        kept = self._ranked(X.iloc[rows])
        if left_out.any():
            # As many rows as before; those left out come after the last of their list.
            first = pd.Series(np.arange(len(rows))).groupby(groups[rows]).first()
            of_list = first.loc[groups].to_numpy()
            found = kept.iloc[of_list].set_axis(X.index)
            last = kept["rank"].groupby(groups[rows]).max().loc[groups].to_numpy()
            found = found.assign(rank=last + 1, value=np.nan, chosen=False)
            for column in kept:
                values = found[column].to_numpy(copy=True)
                values[rows] = kept[column].to_numpy()
                found[column] = values
            kept = found
        return kept.assign(suspicious=suspicious)

    def _ranked(self, X):
        """Rank candidates of which all are looked at."""
        if self._decision.needs_model:
            X = self._for_model(X)
        lists = distinct_lists(X, *self._weights)
        values, compared, triples = self._decision.function(lists, self)
        # What was pruned is below all that was not.
        lowest = np.repeat(np.fmin.reduceat(values, lists.starts) - 1, lists.sizes)
        snapped = snap_ties(np.where(np.isnan(values), lowest, values), lists.starts)
        ranks = ranks_from_strengths(snapped, lists.starts)
        of_row = np.repeat(np.arange(len(lists.sizes)), lists.sizes)[lists.place]
        found = pd.DataFrame({"rank": ranks[lists.place], "value": values[lists.place]}, X.index)
        order = np.lexsort((-lists.weights[lists.place], found["rank"], of_row))
        first = order[np.unique(of_row[order], return_index=True)[1]]
        chosen = np.zeros(len(X), dtype=bool)
        chosen[first] = True
        found = found.assign(chosen=chosen, compared=compared[of_row])
        return found if triples is None else found.assign(intransitive=triples[of_row])

    @property
    def by_agreement(self):
        """Whether candidates are judged by how they agree with each other, and nothing else."""
        return not self._decision.needs_model or is_consensus(self.model)

    def _for_model(self, X):
        """Open the model, once, and complete the table for it."""
        name = self._given
        if name is None:
            name = self._given = self.recommended = recommended_model(X, language=self.language)
        if self.model is None:
            self.model = name if isinstance(name, BaseEstimator) else open_model(name)
        return with_source(X, name) if isinstance(name, str) else X


def _check_together(decision, utility, model, recomposition, approximation):
    """Raise unless the decision has these options."""
    if approximation is not None and approximation not in decision.approximations:
        raise ValueError(
            f"approximation must be None or one of {list(decision.approximations)} where "
            f"decision={decision.name!r}, found {approximation!r}."
        )
    if recomposition is not None:
        find_recomposition(recomposition)
        if decision.name != "strength" or approximation == SPARSE:
            raise ValueError(
                f"recomposition={recomposition!r} is for decision='strength', in which "
                f"approximation={SPARSE!r} has Bradley and Terry's."
            )
    if not decision.needs_model and model is not None:
        raise ValueError(
            f"model={model!r} is not asked where decision={decision.name!r}: give it as utility=, "
            f"or choose one of the decisions "
            f"{[name for name, entry in DECISIONS.items() if entry.needs_model]}."
        )
    if decision.needs_model and utility is not None:
        raise ValueError(f"utility={utility!r} is for decision='mbr', found {decision.name!r}.")


def _check_candidates(candidates):
    """Raise unless there are lists of texts, none of them empty."""
    if not len(candidates):
        raise CandidateError("candidates has no list.")
    for k, texts in enumerate(candidates, 1):
        if not is_list(texts) or not len(texts):
            found = "an empty one" if is_list(texts) else repr(texts)
            raise CandidateError(f"candidates, list {k}: expected a list of texts, found {found}.")


def _table_of_lists(candidates, sources, references):
    """Make a candidate table of lists of texts."""
    lists = {"sources": sources, "references": references}
    lists = {name: given for name, given in lists.items() if given is not None}
    check_lists({"candidates": candidates} | lists)
    _check_candidates(candidates)
    sizes = [len(texts) for texts in candidates]
    labels = [(k, n) for k, size in enumerate(sizes, 1) for n in range(1, size + 1)]
    columns = {"hypothesis": [text for texts in candidates for text in texts]}
    for column, given in (("source", sources), ("reference", references)):
        if given is not None:
            cells = zip(list(given), sizes, strict=True)
            columns[column] = [cell for cell, size in cells for _ in range(size)]
    index = pd.MultiIndex.from_tuples(labels, names=["segment", "system"])
    return pd.DataFrame(columns, index, dtype=object)
