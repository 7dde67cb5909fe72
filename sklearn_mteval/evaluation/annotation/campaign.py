"""A campaign of annotation: segments chosen, dealt to annotators, and checked, as one table."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from sklearn_mteval._helpers.options import check_boolean, check_integer, check_within
from sklearn_mteval._helpers.types import Seed
from sklearn_mteval.candidates import check_candidates, check_texts
from sklearn_mteval.datasets.annotation.key import CampaignKey, tokens_of
from sklearn_mteval.evaluation.annotation.assignment import deal
from sklearn_mteval.evaluation.annotation.checks import check_pairs
from sklearn_mteval.evaluation.annotation.drawing import draw_within
from sklearn_mteval.evaluation.annotation.following import earlier_selection, first_texts, texts_of

_LETTERS = "bcdfghjkmnpqrstvwxz"  # no vowels: no words
_TOKEN_LENGTH = 6


class AnnotationCampaign(NamedTuple):
    """What annotators are to judge, and what the results are read with.

    Attributes
    ----------
    items : DataFrame of shape (n_shown, 11)
        A row for each translation that is shown: ``annotator`` and ``place`` of the document in
        the annotator's task, from 1 on (annotator 0: the tutorial, which all see); ``document``;
        ``kind``: "judged", "check" or "tutorial"; ``segment``; ``system``, of a check "sound" or
        the kind of corruption; ``token``, the name that annotators may see; ``hypothesis``,
        ``source`` and ``reference`` (None where there is none); ``probability`` of the segment.
    selection : DataFrame
        As of :func:`select_segments`: all segments, which were chosen, how likely, in this batch or
        an earlier one.
    documents : Series or None
        Of all segments the document.
    texts : dict
        Of the translations of each system, the source and the reference a hash.
    equal : dict
        Of each segment that is shown and has equal translations, lists of the systems that have one
        text, but for white space at its ends: the first of them is shown, and stands for all.
    earlier : CampaignKey or None
        The key of the batch before.
    """

    items: pd.DataFrame
    selection: pd.DataFrame
    documents: pd.Series | None
    texts: dict
    equal: dict
    earlier: CampaignKey | None = None


def annotation_campaign(
    X: pd.DataFrame, budget: int, *, scores: pd.DataFrame | None = None,
    documents: pd.Series | None = None, annotators: int = 1, overlap: float = 0.1,
    checks: float = 0.05, tutorial: bool = True, follow: CampaignKey | None = None,
    random_state: Seed = 0
) -> AnnotationCampaign:  # fmt: skip
    """Plan what annotators judge: chosen segments, all systems of a segment together.

    Equal translations of a segment are shown once, and what is said of one is said of all.

    Parameters
    ----------
    X : DataFrame of shape (n_translations, n_columns)
        Candidate table with ``hypothesis`` and, of use to annotators, ``source`` and ``reference``.
    budget : int
        How many segments are judged at most, those judged by two annotators counted twice, checks
        and the tutorial not counted; of a smaller test set all.
    scores : DataFrame, optional
        Of learned metrics, as for :func:`select_segments`: segments in which systems differ more
        are chosen more often. None: all segments alike.
    documents : Series, optional
        Of each segment the document: documents are chosen and judged as a whole, in their order.
        None: each segment by itself.
    annotators : int, default=1
        Among how many the work is divided; if fewer documents are drawn, some have none.
    overlap : float, default=0.1
        Proportion of the segments that two annotators judge, for their agreement: one document at
        least, unless it is 0 or the budget leaves no room.
    checks : float, default=0.05
        Checks of attention per segment, one for each annotator at least; 0: none. A check shows a
        sound translation, the reference if there is one, and a corruption of it.
    tutorial : bool, default=True
        Whether one check, explained, stands first.
    follow : CampaignKey, optional
        The key of a campaign of the same translations: this is its next batch. What was chosen
        before is not chosen again, systems keep their tokens, and a segment's probability is that
        of being in any batch, so that all judgements together are one sample; for that, neither
        ``budget`` nor ``scores`` may depend on what was said of segments before. Nor, strictly,
        may whether there is a next batch: if there is one until systems differ, differences come
        out too large, and intervals cover less often than they say.
    random_state : int, RandomState or None, default=0
        Seed of what is drawn by chance.

    Returns
    -------
    AnnotationCampaign

    Raises
    ------
    CandidateError
        For a table that is no candidate table of one row for each translation, without
        ``hypothesis``; for what :func:`select_segments` refuses.
    ValueError
        For a budget of less than a segment for each annotator or than the largest document, and
        for options out of their range; with ``follow``, for other segments, systems, texts or
        documents than before, and if no segment is left or was drawn.
    """
    check_candidates(X, columns=["hypothesis"])
    check_integer("annotators", annotators, minimum=1)
    check_integer("budget", budget, minimum=annotators)
    check_within("overlap", overlap, low=0, high=1)
    check_within("checks", checks, low=0, high=1)
    check_boolean(tutorial=tutorial)
    rng = check_random_state(random_state)
    overlap = overlap if annotators > 1 else 0.0
    texts = texts_of(X)
    before = None if follow is None else earlier_selection(follow, X, texts, documents)
    selection = draw_within(
        budget, X.index, scores, documents, before, overlap, int(rng.randint(2**31 - 1))
    )
    new = selection["chosen"] if before is None else selection["chosen"] & ~before["chosen"]
    groups = _documents(selection.index[new], documents)
    sizes = [len(segments) for _, segments in groups]
    tasks = deal(sizes, annotators, overlap, rng, budget)
    n_checks = [int(np.ceil(checks * sum(sizes[k] for k in task))) for task in tasks]
    shown = _Shown(X, check_pairs(X, sum(n_checks) + tutorial, rng), rng, follow)
    if tutorial and checks:
        shown.add_check(0, "tutorial")
    for annotator, (task, n) in enumerate(zip(tasks, n_checks, strict=True), 1):
        # Checks stand behind documents drawn by chance.
        behind = np.bincount(rng.randint(len(task), size=n), minlength=len(task))
        for k, more in zip(task, behind, strict=True):
            shown.add_document(annotator, *groups[k])
            for _ in range(more):
                shown.add_check(annotator, "check")
    items = shown.table(X, selection)
    return AnnotationCampaign(items, selection, documents, texts, shown.equal, follow)


def _documents(chosen, documents):
    """List names of documents with their chosen segments, in the order of the segments."""
    groups = {}
    for segment in chosen:
        name = segment if documents is None else documents[segment]
        groups.setdefault(str(name), []).append(segment)
    return list(groups.items())


class _Shown:
    """The rows of what is shown, added one document after the other."""

    def __init__(self, X, pairs, rng, earlier):
        self._rng, self._pairs, self._rows = rng, pairs.itertuples(), []
        self._places, self._translations, self.equal = {}, {}, {}
        self._tokens = set() if earlier is None else tokens_of(earlier)
        known = {} if earlier is None else {v: k for k, v in earlier.systems.items()}
        if earlier is not None and len(known) < len(earlier.systems):
            known = {}  # each translation had a token of its own
        segments, systems = (X.index.get_level_values(name) for name in ("segment", "system"))
        texts = check_texts(X, "hypothesis")
        for segment, system, text in zip(segments, systems, texts, strict=True):
            self._translations.setdefault(segment, []).append((system, text))
        self._systems = {name: known.get(str(name)) or self._token() for name in systems.unique()}

    def _token(self):
        """Make a name that says nothing, and that no other has."""
        while True:
            letters = self._rng.randint(len(_LETTERS), size=_TOKEN_LENGTH)
            token = "".join(_LETTERS[k] for k in letters)
            if token not in self._tokens:
                self._tokens.add(token)
                return token

    def add_document(self, annotator, document, segments):
        """Add the translations of the segments of a document, equal ones of a segment once."""
        rows = []
        for segment in segments:
            alike = {}
            for system, text in self._translations[segment]:
                alike.setdefault(text.strip(), []).append((system, text))
            for systems in alike.values():
                system, text = systems[0]
                rows.append((segment, system, self._systems[system], text))
            groups = [[name for name, _ in systems] for systems in alike.values()]
            if several := [group for group in groups if len(group) > 1]:
                self.equal[segment] = several
        self._add(annotator, document, "judged", rows)

    def add_check(self, annotator, kind):
        """Add a sound translation and a corruption of it, if there is one left."""
        pair = next(self._pairs, None)
        if pair is not None:
            both = [("sound", pair.sound), (pair.kind, pair.corrupted)]
            rows = [(pair.Index, name, self._token(), text) for name, text in both]
            self._add(annotator, "", kind, rows)

    def _add(self, annotator, document, kind, rows):
        """Add rows at the annotator's next place."""
        place = self._places[annotator] = self._places.get(annotator, 0) + 1
        self._rows += [(annotator, place, document, kind, *row) for row in rows]

    def table(self, X, selection):
        """Return the rows, with what is known of their segments."""
        names = ["annotator", "place", "document", "kind", "segment", "system", "token"]
        found = pd.DataFrame(self._rows, columns=[*names, "hypothesis"])
        for column in ("source", "reference"):
            found[column] = found["segment"].map(first_texts(X, column).get)
        return found.assign(probability=found["segment"].map(selection["probability"]))
