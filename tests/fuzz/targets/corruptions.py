"""Corruptions of hostile texts, and what a judge says of them who knows which are sound."""

import numpy as np
from sklearn.base import BaseEstimator

from fuzz import call, check, target
from sklearn_mteval.datasets import corrupt
from sklearn_mteval.datasets.corruptions.registry import CORRUPTIONS
from sklearn_mteval.evaluation import challenge
from sklearn_mteval.evaluation.challenge_pairs import KINDS
from sklearn_mteval.report import report_text
from sklearn_mteval.report.formats import formats_of


class Knows(BaseEstimator):
    """A ranker who knows the sound translations."""

    def __init__(self, texts, sign=1):
        self.texts, self.sign = texts, sign

    def decision_function(self, X):
        return np.array([self.sign * (text in self.texts) for text in X["hypothesis"]], float)


@target(weight=3)
def corrupted(draw):
    """Rows by their texts alone, never the sound text or a reference."""
    X = draw.texts()
    if draw.chance(0.2):
        call(corrupt, draw.spoiled_texts(X), draw.option([None, *CORRUPTIONS])[0])
        return
    seed = draw.integer(0, 9)
    found = call(corrupt, X, random_state=seed, legal=True)
    check(found.index.names == [*X.index.names, "corruption"] and found.index.is_unique, X, found)
    check(list(found.columns) == list(X.columns), X, found)
    rows = X.index.get_indexer(found.index.droplevel("corruption"))
    for row, text in zip(rows, found["hypothesis"], strict=True):
        references = X["reference"].iloc[row]
        references = [references] if isinstance(references, str) else list(references)
        sound = [X["hypothesis"].iloc[row], *(one for one in references if one.strip())]
        check(isinstance(text, str) and text.split() not in [one.split() for one in sound], X, text)
    blank = [not text.strip() for text in X["hypothesis"]]
    check(not np.array(blank)[rows].any(), X, found)
    order = draw.rng.permutation(len(X))
    again = call(corrupt, X.iloc[order], random_state=seed, legal=True)
    back = np.argsort(order)[rows]  # where the same rows stand now
    check(len(again) == len(found), X, found, again)
    texts = dict(zip(again.index, again["hypothesis"], strict=True))
    check(
        all(texts[k] == t for k, t in zip(found.index, found["hypothesis"], strict=True)), X, back
    )
    kind = draw.one(CORRUPTIONS)
    one = call(corrupt, X, kind, random_state=seed, legal=True)
    same = found[found.index.get_level_values("corruption") == kind]
    check(list(one["hypothesis"]) == list(same["hypothesis"]), X, kind, one, same)


@target(weight=2)
def challenged(draw):
    """Who knows the sound translations of few kinds wins all, its opposite none."""
    X = draw.texts()
    kinds, legal = draw.option(["empty", "garbage", "doubled", ["shuffled", "number"]])
    if not legal:
        call(challenge, Knows(set()), X, kinds=kinds, metrics=())
        return
    if draw.chance(0.2):
        call(challenge, Knows(set()), draw.spoiled_texts(X), kinds=kinds)
        return
    sign = draw.one([1, -1])
    judge = Knows(set(X["hypothesis"]), sign)
    options = {"n_segments": draw.one([None, 1, 3]), "random_state": draw.integer(0, 9)}
    found = call(challenge, judge, X, kinds=kinds, metrics=draw.one([(), ("chrf",)]), **options)
    of_model = found.table.xs("model", level="judge")
    check((of_model["n"] <= (options["n_segments"] or 99)).all(), X, of_model)
    check(set(of_model.index.unique("kind")) <= set(KINDS), of_model)
    # Where a corruption of one translation is another's text, the judge takes it for sound.
    fresh = ~found.pairs["corrupted"].isin(judge.texts)
    margins = found.pairs.loc[fresh, ["model_alone", "model_two", "model_many"]]
    check((np.sign(margins) == sign).all(axis=None), X, found.pairs)
    call(report_text, found, draw.one(formats_of("report")), legal=True)
