"""``LexicalFeatures`` by loops over plain lists, from what its docstring says."""

import math
from collections import Counter
from functools import cache
from itertools import pairwise
from statistics import fmean
from zlib import crc32

import numpy as np

from sklearn_mteval.text.tokens import load_tokenizer

MOST_WORDS = 1000
SIDES = ("precision", "recall", "f")
TOKENIZER = load_tokenizer("13a")


def words_of(text, lowercase=True):
    return TOKENIZER((text.lower() if lowercase else text).rstrip()).split()[:MOST_WORDS]


def listed(cell):
    return [cell] if isinstance(cell, str) else list(cell)


class Loops:
    """What ``LexicalFeatures`` says it computes; ``rows`` are dicts with segment and texts.

    NaN is a column that rounding may change by much.
    """

    def __init__(self, vectors=None, *, use_references=True, weights="idf", lowercase=True):
        self.vectors, self.use_references, self.weights = vectors, use_references, weights
        self.lowercase = lowercase
        for name in ("vector", "cosine", "weight"):  # remembered, of these vectors
            setattr(self, name, cache(getattr(self, name)))

    def fit(self, rows):
        texts = [
            text
            for row in rows
            for text in (listed(row["reference"]) if self.use_references else [row["hypothesis"]])
        ]
        self.weight.cache_clear()
        self.documents = {tuple(words_of(text, self.lowercase)) for text in texts}
        kept = {}
        for row, values in zip(rows, map(self.columns, rows, [rows] * len(rows)), strict=True):
            if values[0]["competitors"]:
                kept[row["segment"], row["hypothesis"]] = values[0]
        names = [] if not kept else next(iter(kept.values()))
        self.means = {name: fmean(values[name] for values in kept.values()) for name in names}
        return self

    def transform(self, rows):
        """List for each row its possible values, dicts: several where references tie."""
        found = []
        for row in rows:
            found.append(self.columns(row, rows))
            for values in found[-1]:
                if not values["competitors"]:
                    lone = [name for name in values if name.startswith("competing_")]
                    values.update({name: self.means.get(name, 0.0) for name in lone})
        return found

    # Words

    def vector(self, word):
        if self.vectors is not None and word in self.vectors:
            return [float(np.float32(x)) for x in self.vectors[word]]
        pieces = self.pieces(word)
        if pieces:
            columns = zip(*(self.vectors[piece] for piece in pieces), strict=True)
            return [fmean(column) for column in columns]
        n_dimensions = 128 if self.vectors is None else len(next(iter(self.vectors.values())))
        vector, marked = [0.0] * n_dimensions, f"^{word}$"
        for n in (2, 3, 4):
            for start in range(len(marked) - n + 1):
                ngram = marked[start : start + n].encode("utf-32-le", "surrogatepass")
                value = crc32(ngram)
                vector[value % n_dimensions] += 1 if value >= 2**31 else -1
        return vector

    def pieces(self, word):
        if self.vectors is None or not any(known.startswith("##") for known in self.vectors):
            return []
        found, rest, mark = [], word, ""
        while rest:
            fitting = [k for k in range(1, len(rest) + 1) if mark + rest[:k] in self.vectors]
            if not fitting:
                return []
            found.append(mark + rest[: max(fitting)])
            rest, mark = rest[max(fitting) :], "##"
        return found

    def cosine(self, one, other):
        if one == other:
            return 1.0
        a, b = self.vector(one), self.vector(other)
        lengths = math.hypot(*a) * math.hypot(*b)
        dot = math.fsum(x * y for x, y in zip(a, b, strict=True))
        return min(max(dot / lengths, 0.0), 1.0) if lengths else 0.0

    def weight(self, word):
        if self.weights == "length":
            return min(math.hypot(*self.vector(word)), 1.0) if word in self.vectors else 1.0
        frequency = sum(word in document for document in self.documents)
        n = len(self.documents)
        return math.log((n + 1) / (frequency + 1)) / math.log(n + 1) if n else 1.0

    # Two texts

    def compare(self, hypothesis, reference):
        """Columns of ``alignment`` and ``order``, and first and last."""
        names = [
            *(f"{kind}{side}" for kind in ("", "weighted_", "common_") for side in SIDES),
            *(f"{kind}position_{side}" for kind in ("", "weighted_") for side in SIDES),
            *("similarity", "pairs_f", "context_f", "monotone", "adjacent", "first", "last"),
        ]
        out = dict.fromkeys(names, 0.0)
        if not hypothesis or not reference:
            return out
        n, m = len(hypothesis), len(reference)
        different = {(a, b) for a in hypothesis for b in reference}
        cosines = {pair: self.cosine(*pair) for pair in different}
        c = [[cosines[a, b] for b in reference] for a in hypothesis]
        heavy = [self.weight(word) for word in hypothesis]
        heavy_there = [self.weight(word) for word in reference]

        def means(table, kind, weights=None, weights_there=None):
            if not table or not table[0]:
                return
            forth = [max(max(row), 0.0) for row in table]
            back = [max(max(column), 0.0) for column in zip(*table, strict=True)]
            p, r = weighted(forth, weights), weighted(back, weights_there)
            f = 2 * p * r / (p + r) if p + r else 0.0
            for side, value in zip(SIDES, (p, r, f), strict=True):
                if kind + side in out:
                    out[kind + side] = value

        def weighted(values, weights):
            if weights is None or sum(weights) < 1e-9:
                return fmean(values)
            return math.fsum(v * w for v, w in zip(values, weights, strict=True)) / sum(weights)

        light, light_there = ([1 - w for w in side] for side in (heavy, heavy_there))
        near = [
            [c[i][j] - abs((2 * i + 1) * m - (2 * j + 1) * n) / (4 * n * m) for j in range(m)]
            for i in range(n)
        ]
        means(c, "")
        means(c, "weighted_", heavy, heavy_there)
        means(c, "common_", light, light_there)
        means(near, "position_")
        means(near, "weighted_position_", heavy, heavy_there)
        means(
            [[(c[i][j] + c[i + 1][j + 1]) / 2 for j in range(m - 1)] for i in range(n - 1)],
            "pairs_",
        )

        def at(i, j):
            return c[i][j] if 0 <= i < n and 0 <= j < m else 0.0

        means(
            [
                [(c[i][j] + at(i - 1, j - 1) / 2 + at(i + 1, j + 1) / 2) / 2 for j in range(m)]
                for i in range(n)
            ],
            "context_",
        )
        out["similarity"] = self.similarity(hypothesis, reference)
        places = [-1, *(row.index(max(row)) for row in near)]
        out["monotone"] = fmean(b > a for a, b in pairwise(places))
        out["adjacent"] = fmean(b == a + 1 for a, b in pairwise(places))
        if any(
            near[i][j] > near[i][place] - 1e-6 and reference[j] != reference[place]
            for i, place in enumerate(places[1:])
            for j in range(m)
        ):  # rounding decides which is the counterpart
            out["monotone"] = out["adjacent"] = math.nan
        out["first"], out["last"] = c[0][0], c[-1][-1]
        return out

    def similarity(self, one, other):
        def dot(left, right):
            left, right = Counter(left), Counter(right)
            return math.fsum(
                k * self.weight(a) * n * self.weight(b) * self.cosine(a, b)
                for a, k in left.items()
                for b, n in right.items()
            )

        norms = math.sqrt(dot(one, one) * dot(other, other))
        return min(dot(one, other) / norms, 1.0) if norms > 1e-12 else 0.0

    # A row

    def columns(self, row, rows):
        """List the possible values of a row's columns."""
        split = lambda text: words_of(text, self.lowercase)  # noqa: E731
        references = listed(row["reference"]) if self.use_references else []
        competitors = sorted(
            {
                other["hypothesis"]
                for other in rows
                if other["segment"] == row["segment"]
                and (not self.use_references or listed(other["reference"]) == references)
            }
            - {row["hypothesis"]}
        )
        hypothesis, source = split(row["hypothesis"]), split(row["source"])
        others = list(map(split, competitors))
        against = [(self.compare(hypothesis, split(text)), split(text)) for text in references]
        highest = max((values["f"] for values, _ in against), default=0.0)
        return [
            {
                **values,
                **self.counts(hypothesis, reference, source, others),
                **self.competing(hypothesis, others),
                "competitors": len(others),
            }
            for values, reference in against or [({"f": 0.0}, [])]
            if values["f"] > highest - 1e-6  # which of these is the highest, rounding decides
        ]

    def counts(self, hypothesis, reference, source, others):
        n, known, there = len(hypothesis), self.vectors, reference

        def proportion(condition):
            return sum(map(condition, hypothesis)) / max(n, 1)

        def unknown(word):
            return known is not None and any(map(str.isalpha, word)) and word not in known

        def copied(word):
            return len(word) > 3 and all(map(str.isalpha, word)) and word in source

        def repetition(words):
            return 1 - len(set(words)) / len(words) if words else 0.0

        def length(one, other):
            return math.log(max(len(one), 1) / max(len(other), 1))

        def digit(word):
            return any(map(str.isdigit, word))

        def punctuation(word):
            return not any(map(str.isalnum, word))

        def surplus(one, other, kind):
            left = Counter(filter(kind, one))
            left.subtract(filter(kind, other))
            return sum(map(abs, left.values()))

        out = {
            "unknown": proportion(unknown),
            "source_copied": proportion(copied),
            "copied": proportion(lambda word: copied(word) and word not in there),
            "unknown_copied": proportion(
                lambda word: unknown(word) and word in source and word not in there
            ),
            "repetition": repetition(hypothesis) - repetition(there),
            "digits": surplus(hypothesis, there, digit) / max(len(there), 1),
            "punctuation": surplus(hypothesis, there, punctuation) / max(len(there), 1),
            "length": length(hypothesis, there),
            "source_length": length(hypothesis, source) if source else 0.0,
            "source_digits": surplus(hypothesis, source, digit) / max(n, 1) if source else 0.0,
            "source_punctuation": surplus(hypothesis, source, punctuation) / max(n, 1)
            if source
            else 0.0,
        }
        out["length_difference"] = abs(out["length"])
        out["source_length_difference"] = abs(out["source_length"])
        for k in (1, 2, 3, 4):
            mine, theirs = ngrams(hypothesis, k), ngrams(there, k)
            shared = sum((Counter(mine) & Counter(theirs)).values())
            out[f"{k}gram_precision"] = shared / max(len(mine), 1)
            out[f"{k}gram_recall"] = shared / max(len(theirs), 1)
        if not others:
            names = ("unsupported", "missed", "length", "length_difference", "first")
            return out | dict.fromkeys([f"competing_{name}" for name in names], 0.0)
        out["competing_unsupported"] = proportion(
            lambda word: word not in there and not any(word in other for other in others)
        )
        missed = [
            fmean(word in other for other in others) if word not in hypothesis else 0.0
            for word in there
        ]
        out["competing_missed"] = fmean(missed) if missed else 0.0
        out["competing_length"] = fmean(length(hypothesis, other) for other in others)
        out["competing_length_difference"] = abs(out["competing_length"])
        out["competing_first"] = fmean(
            bool(hypothesis and other) and hypothesis[0] == other[0] for other in others
        )
        return out

    def competing(self, hypothesis, others):
        out = {}
        for k in (1, 2, 3, 4):
            mine = ngrams(hypothesis, k)
            held = [fmean(g in ngrams(other, k) for g in mine) if mine else 0.0 for other in others]
            out[f"competing_{k}gram_support"] = fmean(held) if held else 0.0
        compared = [self.compare(hypothesis, other) for other in others]
        names = set(self.compare([], [])) - {"first", "last"}
        for name in names:
            values = [values[name] for values in compared]
            out[f"competing_{name}"] = fmean(values) if values else 0.0
        return out


def ngrams(words, n):
    return [tuple(words[k : k + n]) for k in range(len(words) - n + 1)]
