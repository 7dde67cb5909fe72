"""Lists of candidates in files, whole and mutated; choices among hostile texts."""

import gzip
import json

import numpy as np

from fuzz import call, check, target
from fuzz.draw import is_utf8
from fuzz.files import mutated, put
from sklearn_mteval.datasets import load_translations
from sklearn_mteval.models import rerank
from sklearn_mteval.models.reranking.option_values import APPROXIMATIONS, UTILITIES

FAST = [name for name in UTILITIES if name not in ("ter", "meteor")]


def lists_of(draw, text):
    """Draw a few lists of texts, some of them repeated."""
    pool = [text() for _ in range(draw.integer(1, 5))]
    return [[draw.one(pool) for _ in range(draw.integer(1, 6))] for _ in range(draw.integer(1, 4))]


@target(weight=5)
def nbest_files(draw):
    """What was written is read; what is damaged is refused, or read as it stands."""

    def text():
        found = draw.text().replace("|", "/").replace("\0", " ").encode("utf-8", "ignore").decode()
        return " ".join(found.split())

    lists, scored, moses = lists_of(draw, text), draw.chance(), draw.chance()
    scores = [[float(draw.integer(-9, 9)) for _ in texts] for texts in lists]
    if moses:
        lines = [
            f"{k} ||| {t} ||| f= 1 ||| {s}" if scored else f"{k} ||| {t}"
            for k, (texts, numbers) in enumerate(zip(lists, scores, strict=True))
            for t, s in zip(texts, numbers, strict=True)
        ]
    else:
        lines = [
            json.dumps(
                {
                    "translations": [
                        {"text": t, "score": s} if scored else t
                        for t, s in zip(texts, numbers, strict=True)
                    ]
                },
                ensure_ascii=draw.chance(),
            )
            for texts, numbers in zip(lists, scores, strict=True)
        ]
    content = "".join(f"{line}\n" for line in lines).encode()
    hostile = mutated(draw, content, draw.one([0, 0, 1, 3]))
    packed = gzip.compress(hostile) if draw.chance(0.2) else hostile
    path = put(draw, draw.folder / "lists", packed)
    whole = hostile == content and path.is_file() and path.stat().st_size == len(packed)
    X = call(load_translations, [path], nbest=True, legal=whole)
    sizes = X.groupby(level="segment", sort=False).size()
    check((sizes > 0).all() and X["hypothesis"].map(type).eq(str).all(), X)
    for column in {"score", "weight"} & set(X):
        check(np.isfinite(X[column]).all(), X)
    if whole:
        check(X["hypothesis"].tolist() == [t for texts in lists for t in texts], X, lists)
        check(sizes.tolist() == list(map(len, lists)), X, lists)
        if scored:
            check(X["score"].tolist() == [s for numbers in scores for s in numbers], X, scores)


@target(weight=2)
def choices(draw):
    """One of each list is chosen, and copies, order and other lists change nothing."""
    lists = lists_of(draw, draw.text)
    if not is_utf8([text for texts in lists for text in texts]):
        return
    utility = draw.one([[draw.one(FAST)], draw.some(FAST, 3) or ["chrf"]])
    options = {"utility": list(dict.fromkeys(utility))}
    if draw.chance():
        options["approximation"] = draw.one([n for n in APPROXIMATIONS if n != "sparse"])
    means = {"chrf", "chrf++", "bleu", "vectors"}
    legal = options.get("approximation") != "aggregate" or means >= set(options["utility"])
    found = call(rerank, lists, legal=legal, **options)
    check((found["chosen"].groupby(level="segment").sum() == 1).all(), found)
    check((found.loc[found["chosen"], "rank"] == 1).all(), found)
    k = draw.integer(1, len(lists))
    texts, of_list = lists[k - 1], found.loc[k]
    for text in set(texts):
        alike = of_list[[other == text for other in texts]]
        check(alike["rank"].nunique() == 1, text, found)
    alone = call(rerank, [texts], legal=True, **options)
    check(alone.loc[1].equals(of_list), alone, found)
    turned = call(rerank, [texts[::-1]], legal=True, **options).loc[1]
    check(turned["rank"].tolist() == of_list["rank"].tolist()[::-1], turned, of_list)
