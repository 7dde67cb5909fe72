"""Word vectors, language models, trees and caches, from whole and from mutated files."""

import gzip
import struct

import numpy as np

from fuzz import call, check, target
from fuzz.draw import WORDS
from fuzz.files import mutated, put
from sklearn_mteval.linguistic.language_models.file_model import FileModel
from sklearn_mteval.text import estimate, load_word_vectors, write_arpa
from sklearn_mteval.text.record_cache import RecordCache
from sklearn_mteval.trees import BracketedTrees, CachedParser, read_brackets

PLAIN = [word for word in WORDS if word.isprintable() and not any(c.isspace() for c in word)]
PLAIN = [word for word in PLAIN if word.encode("utf-8", "ignore").decode() == word]


@target(weight=10)
def word_vectors(draw):
    d, words = draw.integer(1, 4), list(dict.fromkeys(draw.some(PLAIN, 8))) or ["a"]
    matrix = draw.rng.normal(size=(len(words), d)).astype(np.float32)
    header = f"{len(words)} {d}\n".encode()
    binary = draw.chance()
    if binary:
        end = draw.one([b"\n", b""])
        rows = [
            w.encode() + b" " + row.astype("<f4").tobytes() + end
            for w, row in zip(words, matrix, strict=True)
        ]
        content = header + b"".join(rows)
    else:
        rows = [
            f"{w} {' '.join(map(repr, map(float, row)))}\n".encode()
            for w, row in zip(words, matrix, strict=True)
        ]
        content = (header if draw.chance() else b"") + b"".join(rows)
    hostile = mutated(draw, content, draw.one([0, 0, 2]))
    if binary and draw.chance(0.2):  # a header that promises, numbers that are none
        hostile = draw.one([
            content.replace(header, b"%d %d\n" % (draw.one([10**17, 10**12, 0, -1, 3]),
                                                  draw.one([d, 10**9, 0, 2**40]))),
            content.replace(rows[0][-4:], struct.pack("<f", draw.one([np.nan, np.inf]))),
        ])  # fmt: skip
    packed = gzip.compress(hostile) if draw.chance(0.2) else hostile
    path = put(
        draw,
        draw.folder / draw.one(["v.bin", "v.bin.gz"] if binary else ["v.txt", "v.vec"]),
        packed,
    )
    found = call(
        load_word_vectors,
        path,
        legal=hostile == content and path.is_file() and path.stat().st_size == len(packed),
    )
    check(len(set(found.words)) == len(found.words) == len(found.matrix), found.words)
    check(np.isfinite(found.matrix).all() and found.matrix.dtype == np.float32, found.matrix)
    if hostile == content:
        check(
            found.words == words and found.matrix.tobytes() == matrix.tobytes(),
            found.words,
            found.matrix,
            words,
            matrix,
        )
    elif not binary and not hostile.startswith(b"\x1f\x8b"):
        width = found.matrix.shape[1]
        shown = [
            line.rstrip(" \r").rsplit(" ", width)
            for line in hostile.decode("utf-8-sig").split("\n")
        ]
        shown = {cells[0]: cells[1:] for cells in reversed(shown) if len(cells) == width + 1}
        for word, row in zip(found.words, found.matrix, strict=True):
            check(
                word in shown
                and np.array(shown[word], dtype=float).astype(np.float32).tobytes()
                == row.tobytes(),
                word,
                row,
                shown,
            )
    limit, wanted = draw.integer(0, 4), draw.some([*words, "zzz"], 3)
    some = call(load_word_vectors, path, limit=limit, vocabulary=wanted, legal=True)
    expected = [word for k, word in enumerate(found.words) if k < limit or word in wanted]
    check(some.words == expected, some.words, expected) if hostile == content else None


@target(weight=4)
def vectors_in_memory(draw):
    d = draw.integer(1, 3)
    vectors = {word: draw.numbers(d, ["normal", "ties"]) for word in draw.some(WORDS, 5)}
    if draw.chance(0.7):
        vectors |= {draw.one(["a", 1, None, b"a", (1,), "\ud800"]): draw.one([
            [np.nan] * d, [1.0] * (d + 1), [], None, "abc"[:d], 5, ["1"] * d, [1e39] * d, [1j] * d,
            [[1.0]] * d, [True] * d,
            np.ones(d, dtype=np.float16), [10**400] * d, [None] * d, {1: 2}, np.ones((d, 1)),
            [1.0] * d])}  # fmt: skip
    given = draw.one([vectors, vectors, vectors, list(vectors), None, 5, vectors.items(), ""])
    options = draw.one(
        [{}, {}, {"limit": draw.option([1, 0])[0]}, {"vocabulary": draw.option([["a"]])[0]}]
    )
    found = call(load_word_vectors, given, **options)
    check(
        np.isfinite(found.matrix).all() and all(isinstance(word, str) for word in found.words),
        found.words,
    )
    for word, row in zip(found.words, found.matrix, strict=True):
        check(np.array_equal(row, np.array(vectors[word], dtype=np.float32)), word, row, vectors)


@target(weight=5)
def language_models(draw):
    """A corpus in a file is one in memory; kenlm reads what is written, and says the same."""
    sentences = [
        "".join(c for c in draw.text() if c not in "\r\n") for _ in range(draw.integer(0, 6))
    ]
    sentences = [s.encode("utf-8", "ignore").decode() for s in sentences]
    content = "".join(f"{s}\n" for s in sentences).encode()
    hostile = mutated(draw, content, draw.one([0, 0, 1]))
    path = put(
        draw, draw.folder / "corpus.txt", gzip.compress(hostile) if draw.chance(0.2) else hostile
    )
    options = {"order": draw.option([1, 2, 3, 6])[0], "tokenize": draw.one(["13a", "none", "char"])}
    model = call(estimate, path, **options)
    texts = [draw.text() for _ in range(3)] + sentences
    scores, n_tokens, n_unknown = call(model.score, texts, legal=True)
    check(
        np.isfinite(scores).all() and (scores <= 0).all() and (n_unknown <= n_tokens).all(), scores
    )
    if hostile == content and not content.startswith(b"\xef\xbb\xbf"):
        other = call(estimate, sentences, **options, legal=True)
        check(other.score(texts)[0].tobytes() == scores.tobytes(), scores)
    # All words and the end share a probability of 1 after any beginning.
    words = [word for word in model.words if word not in ("<s>",)]
    if (
        options["tokenize"] == "none"
        and not any(c in word for word in words for c in "<&\n")
        and len(words) < 60
    ):
        totals = [
            sum(
                10 ** model.word_scores(word)[0][1]
                for word in words
                if word not in ("</s>", "<unk>")
            )
        ]
        check(totals[0] <= 1 + 1e-4, totals, words)
    if model.order > 1:
        arpa = draw.folder / "model.arpa"
        write_arpa(model, arpa)
        theirs = call(FileModel(arpa, tokenize=options["tokenize"]).score, texts, legal=True)
        check(
            np.allclose(theirs[0], scores, rtol=1e-3, atol=1e-3),
            theirs[0],
            scores,
            sentences,
            texts,
        )


@target(weight=3)
def arpa_files(draw):
    write_arpa(
        estimate(["the cat sat", "a cat", "the dog"], order=draw.integer(2, 3)),
        draw.folder / "whole",
    )
    content = (draw.folder / "whole").read_bytes()
    model = call(FileModel, put(draw, draw.folder / "hostile.arpa", mutated(draw, content, 2)))
    scores = call(model.score, ["the cat", "x", ""])[0]
    check(np.isfinite(scores).all() and (scores <= 0).all(), scores)


@target(weight=6)
def bracketed_trees(draw):
    labels = draw.one([["S", "NP", "x"], PLAIN])
    labels = [label for label in labels if not set("()") & set(label)]

    def grow(depth):
        children = [grow(depth - 1) for _ in range(draw.integer(1, 2))] if depth else ["x"]
        return f"({draw.one(labels)} {' '.join(children)})"

    text = draw.one(
        [
            grow(3),
            "( (S (NN a)) )",
            "(())",
            "(" * 3000 + ")" * 3000,
            "((((",
            "a b",
            "(S" * 2000 + " x" + ")" * 2000,
            "",
        ]
    )
    hostile = mutated(draw, text.encode(), 2).decode(
        "utf-8", draw.one(["replace", "surrogateescape"])
    )
    trees = call(read_brackets, hostile)
    again = call(read_brackets, " ".join(map(str, trees)), legal=True)
    check(again == trees, trees, again)
    for tree in trees:
        words = [
            label for label, parent in zip(tree.labels, tree.parents, strict=True) if parent >= 0
        ]
        check(
            all(-1 <= parent < k for k, parent in enumerate(tree.parents))
            and len(tree.tagged_words()) <= len(words),
            tree,
        )
    file = put(draw, draw.folder / "trees", mutated(draw, text.encode(), draw.one([0, 2])))
    parser = BracketedTrees(file)
    parses = call(lambda: list(parser.parse_nbest([draw.text(), "x", ""], n=2)))
    check(len(parses) == 3, parses)
    again = call(
        lambda: list(CachedParser(parser, draw.folder / "cache").parse_nbest(["x", "x"], n=2)),
        legal=True,
    )
    check([p.tree for p in again] == [parses[1].tree] * 2, again)


@target(weight=4)
def caches(draw):
    """A damaged cache is refused, or what it lost is computed anew: never another record."""
    file, records = draw.folder / "cache", {draw.text(): draw.rng.bytes(20) for _ in range(4)}
    with RecordCache(file, "identity") as cache:
        cache.put(records)
    file.write_bytes(mutated(draw, file.read_bytes(), 2))

    def read():
        with RecordCache(file, "identity") as cache:
            return {text: cache.get(text) for text in records}

    found = call(read)
    check(all(found[text] in (None, record) for text, record in records.items()), found, records)
