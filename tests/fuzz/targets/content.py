"""What translations contradict: of hostile texts, each row by itself, as sentences and counts."""

import json

import pandas as pd

from fuzz import call, check, target
from fuzz.targets.transformers import same_bits
from sklearn_mteval.features import ContentErrors, content_flags
from sklearn_mteval.report.formats import write
from sklearn_mteval.report.scores import as_scores

PIECES = """
    1 9 10 1,000 1.000,5 3.5 7:30 21:00 am p.m. % $ € £ million Mio. bn two hundred and one first
    not n't isn't no never only Obama Mr. U.S. US İstanbul ΣΑΣ'Α ß iPhone A320 XIV Praha both noon
    Monday Friday rose fell the of all some km miles sued by was before than she him
    October 3.10. impossible possible a the ... ! " - ' ٩ ² ½ 日本 : / ,
"""
PIECES = [*PIECES.split(), "e\u0301", "\u200b", "\ud800", "\u2028", "\u00a0", "\t", "9" * 400]


@target(weight=6)
def flags(draw):
    X = draw.texts(8)
    several = not all(isinstance(cell, str) for cell in X["reference"])
    if draw.chance(0.8):
        text = lambda: "".join(  # noqa: E731
            piece + draw.one([" ", "", " "]) for piece in draw.some(PIECES, draw.integer(0, 30))
        )
        columns = {name: [text() for _ in range(len(X))] for name in X}
        several = draw.chance(0.3)
        if several:
            columns["reference"] = [[text(), cell] for cell in columns["reference"]]
        X = pd.DataFrame(columns, index=X.index, dtype=object)
    counted = call(ContentErrors(features="all").fit_transform, X, legal=True)
    check((counted >= 0).all() and (counted % 1 == 0).all(), X, counted)
    found = call(content_flags, X, legal=True)
    check(found.index.equals(X.index), X)
    for said, row in zip(found, counted, strict=True):
        check(all(type(sentence) is str and sentence for sentence in said), said)
        counts = [sentence for sentence in said if not sentence.startswith("text:")]
        check(row.any() or not counts or several, said, row)
    order = draw.rng.permutation(len(X))
    check(call(content_flags, X.iloc[order]).tolist() == found.iloc[order].tolist(), X)
    alone = call(content_flags, X.iloc[:1], legal=True)
    check(alone.tolist() == found.iloc[:1].tolist(), "alone", X)
    again = call(ContentErrors(features="all").fit_transform, X.iloc[order], legal=True)
    check(same_bits(again, counted[order]), "order", X)
    same = X.assign(reference=X["hypothesis"].astype(object))
    nothing = call(ContentErrors(features="all").fit_transform, same.assign(source=""), legal=True)
    check(not nothing.any(), "a copy of the reference", X, nothing)
    rows = pd.MultiIndex.from_product([range(len(X)), ["s"]], names=["segment", "system"])
    lengths = pd.Series(found.map(len).to_numpy(float), rows)
    text = call(write, as_scores(lengths, found.set_axis(rows)), "jsonl", "scores", legal=True)
    # json's own line ends only: sentences may have others.
    said = [json.loads(line)["translations"][0]["flags"] for line in text.split("\n")[:-1]]
    check(said == found.tolist(), text)


@target(weight=2)
def flags_of_spoiled_tables(draw):
    X = draw.spoiled_texts(draw.texts())
    call(content_flags, X)
    call(content_flags, X.drop(columns=draw.one(list(X.columns))))
