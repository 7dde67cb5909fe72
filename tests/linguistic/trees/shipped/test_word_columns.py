"""Columns that machines look at: of words, clauses and discourse units, against plain loops."""

import zlib
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_mteval.linguistic.trees.shipped.analysis import TOKEN_COLUMNS, Tokens
from sklearn_mteval.linguistic.trees.shipped.clause_columns import (
    CLAUSE_COLUMNS,
    clause_columns,
    role_of,
)
from sklearn_mteval.linguistic.trees.shipped.grammars.chunks import chunk_tags
from sklearn_mteval.linguistic.trees.shipped.grammars.discourse import EDU_COLUMNS, edu_columns
from sklearn_mteval.linguistic.trees.shipped.words import WORD_COLUMNS, WordColumns, hash_text
from sklearn_mteval.linguistic.trees.treebanks.corpus import document_names, read_document

FINITE = {"VBD", "VBZ", "VBP", "MD"}
NO_MARK, SUBORDINATOR = 0, 2
ROLES = {
    "the": 0, "'": 0, "-": 0, "%": 0, "$": 0, "3": 0, "é": 0, "日本": 0, "n't": 0,
    ",": 1, ".": 1, ";": 1, "…": 1, "#": 1, "🙂": 1, "": 1,
    "who": 2, "because": 2, "than": 2, "to": 2,
    "(": 3, "[": 3, ")": 4, "]": 4, '"': 5, "“": 5, "''": 5,
}  # fmt: skip


@pytest.mark.parametrize(("word", "role"), ROLES.items())
def test_roles(word, role):
    assert role_of(word) == role


class Clauses:
    """What surrounds the words of a sentence, each asked for by itself."""

    def __init__(self, words, roles, tags, chunks):
        self.words, self.roles, self.tags, self.chunks = words, roles, tags, chunks
        self.n = len(words)

    def marks(self, start, end):
        return [k for k in range(start, end) if self.roles[k] not in (NO_MARK, SUBORDINATOR)]

    def verbs(self, start, end):
        found = range(start, end)
        return [k for k in found if self.tags[k] in FINITE or self.tags[k].startswith("V")]

    def finite(self, start, end):
        return sum(self.tags[k] in FINITE for k in range(start, end))

    def part_of(self, word):
        """The first word behind the last mark before a word."""
        return max([mark + 1 for mark in self.marks(0, word)], default=0)

    def columns(self, word):
        """Numbers, or words and tags as texts, in the order of the columns; None for none."""
        name = lambda k: None if k is None else self.words[k]  # noqa: E731
        tag = lambda k: None if k is None else self.tags[k]  # noqa: E731
        after = next(iter(self.verbs(word, self.n)), None)
        before = next(iter(self.verbs(0, word)[::-1]), None)
        mark = next(iter(self.marks(word, self.n)), None)
        to_mark = self.n if mark is None else mark
        part = self.part_of(word)
        following = next(
            (m + 1 for m in self.marks(word, self.n - 1) if not self.marks(m + 1, m + 2)), None
        )
        # Where parts with words have begun; what stood before the mark must be words, too.
        last = None
        for begin in range(1, word + 1):
            if self.marks(begin - 1, begin) and not self.marks(begin, begin + 1):
                previous = self.part_of(begin - 1)
                last = previous if previous < begin - 1 else last
        subs = [k for k in range(1, word) if self.roles[k] == SUBORDINATOR]
        sub = subs[-1] if subs else None
        depth = quotes = 0
        for k in range(word):
            depth = max(0, depth + (self.roles[k] == 3) - (self.roles[k] == 4))
            quotes += self.roles[k] == 5
        return [
            tag(after), 0 if after is None else min(after - word, 6) + 1, name(after),
            tag(before), 0 if before is None else min(word - before, 6), name(before),
            name(mark),
            min(self.finite(word, to_mark), 3) + 4 * bool(self.verbs(word, to_mark)),
            min(self.finite(part, word), 2) + 4 * bool(self.verbs(part, word)),
            name(part), name(following), name(last),
            name(sub),
            0 if sub is None else min(self.finite(sub + 1, word), 2) + 4 * min(word - sub, 4),
            min(depth, 3), quotes % 2, min(self.finite(0, word), 3),
            self.back(word), self.ahead(word),
        ]  # fmt: skip

    def back(self, word):
        """Chunks before a word, the nearest first: up to four, or to that of a verb."""
        found = []
        for k in range(word - 1, -1, -1):
            if len(found) == 4:
                break
            begin, kind = not self.chunks[k].startswith("I"), self.chunks[k].partition("-")[2]
            if begin:
                found.append(kind or self.tags[k])
            if kind == "VP":
                break
        return tuple(found)

    def ahead(self, word):
        kinds = [chunk.partition("-")[2] for chunk in self.chunks[word : word + 4]]
        return (self.tags[word - 1] if word else None, *kinds)


def check_clauses(sentences, tag_names, chunk_names, seen):
    """Compare; ``seen`` collects what stands for what in hashed columns."""
    flat = [[value for s in sentences for value in s[k]] for k in range(4)]
    bounds = np.cumsum([0, *(len(s[0]) for s in sentences)])
    codes = np.array([hash_text(word) for word in flat[0]], dtype=np.int32)
    found = clause_columns(
        codes, np.array(flat[1], dtype=np.int32),
        np.array([tag_names.index(tag) for tag in flat[2]], dtype=np.int32), tag_names,
        np.array([chunk_names.index(chunk) for chunk in flat[3]], dtype=np.int32), chunk_names,
        bounds,
    )  # fmt: skip
    assert found.shape == (bounds[-1], len(CLAUSE_COLUMNS)) and found.dtype == np.int32
    for sentence, start in zip(sentences, bounds[:-1], strict=True):
        plain = Clauses(*sentence)
        for word in range(plain.n):
            row = found[start + word].tolist()
            for name, expected, value in zip(CLAUSE_COLUMNS, plain.columns(word), row, strict=True):
                if name in ("back", "ahead"):
                    assert seen.setdefault((name, expected), value) == value
                elif name in ("nv", "pv"):
                    assert value == (0 if expected is None else tag_names.index(expected) + 1)
                elif isinstance(expected, int):
                    assert value == expected, (name, sentence, word)
                else:
                    code = 0 if expected is None else hash_text(expected)
                    assert value == code, (name, sentence, word)


def check_distinct(seen):
    # Ahead at the ends of sentences a few numbers are those of others.
    for name, most in (("back", 0.0), ("ahead", 0.05)):
        values = [value for (column, _), value in seen.items() if column == name]
        assert len(values) > 50 and 1 - len(set(values)) / len(values) <= most


def test_clauses_of_drawn_tags():
    tag_names = ["NN", "VBD", "VB", "MD", "IN", ",", "VBZ", "VBN", "VERB"]
    chunk_names = ["B-NP", "I-NP", "B-VP", "I-VP", "O", "B-PP", "B-SBAR", "I-SBAR"]
    rng = np.random.default_rng(0)
    words = [*"abcdefg", ",", ".", "(", ")", '"', "who", "because"]
    seen = {}
    for _ in range(40):
        sentences = []
        for n in rng.integers(0, 14, size=4):
            chosen = rng.choice(words, size=n).tolist()
            roles = [role_of(word) for word in chosen]
            tags = rng.choice(tag_names, size=n, p=rng.dirichlet(np.full(9, 0.5))).tolist()
            chunks = rng.choice(chunk_names, size=n, p=rng.dirichlet(np.full(8, 0.7))).tolist()
            sentences.append((chosen, roles, tags, chunks))
        check_clauses(sentences, tag_names, chunk_names, seen)
    check_distinct(seen)


def test_clauses_of_a_treebank(data_dir):
    seen = {}
    for name in document_names(data_dir / "gum")[3::40]:
        document = read_document(data_dir / "gum", name)
        sentences = []
        for s, tree in zip(document.sentences, document.constituents, strict=True):
            lowers = [word.lower() for word in s.words]
            sentences.append((lowers, [*map(role_of, lowers)], list(s.tags), chunk_tags(tree)))
        tag_names = sorted({tag for s in sentences for tag in s[2]})
        chunk_names = sorted({chunk for s in sentences for chunk in s[3]})
        check_clauses(sentences, tag_names, chunk_names, {})
        seen.update({(tag,): 1 for tag in tag_names})
    assert len(seen) > 20


def test_a_chunk_without_end():
    """Whose beginning was sought anew from each of its words: an hour, not a moment."""
    n = 300_000
    codes = np.zeros(n, dtype=np.int32)
    inside = clause_columns(codes, codes, codes, ["NN"], codes, ["I-NP"], np.array([0, n]))
    assert len(set(inside[:, CLAUSE_COLUMNS.index("back")].tolist())) == 1


# Discourse units


def test_columns_of_discourse_units():
    rng = np.random.default_rng(1)
    n_seen = 0
    for _ in range(60):
        sizes = rng.integers(1, 7, size=rng.integers(1, 9)).tolist()
        if rng.random() < 0.3:
            sizes[0] = int(rng.integers(7, 20))
        n = sum(sizes)
        tokens = rng.integers(0, 99, size=(n, len(TOKEN_COLUMNS))).astype(np.int32)
        of = {name: tokens[:, k].tolist() for k, name in enumerate(TOKEN_COLUMNS)}
        edus = np.cumsum([0, *sizes])
        # Sentences end behind some of the units; one may have no words.
        ends = sorted({n, *rng.choice(edus[1:], size=2).tolist()})
        bounds = np.array([0, *ends[:1], *ends])
        found = edu_columns(tokens, TOKEN_COLUMNS, bounds, edus)
        assert found.shape == (len(sizes), len(EDU_COLUMNS)) and found.dtype == np.int32
        for row, (start, end) in zip(found.tolist(), pairwise(edus.tolist()), strict=True):
            words = [k for k in range(start, end) if not of["flag"][k] & 16]
            first = words[0] if words else end - 1
            expected = {
                "words": min(end - start, 5) + (end - start > 8) + (end - start > 15),
                "final": int(end in ends),
            }
            for place, at, columns in (
                ("w1", first, ["lower", "tag", "chunk", "c128"]),
                ("w2", first + 1, ["lower", "tag"]),
                ("w3", first + 2, ["lower"]),
                ("wl", end - 1, ["lower", "tag"]),
                ("wk", end - 2, ["lower", "tag"]),
            ):
                for column in columns:
                    there = start <= at < end
                    expected[place + column] = of[column][at] if there else -7
                    n_seen += there
            assert dict(zip(EDU_COLUMNS, row, strict=True)) == expected
    assert n_seen > 1000


# Words


def columns_of(word, classes=None):
    [row] = WordColumns(classes or {})([word])
    return dict(zip(WORD_COLUMNS, row.tolist(), strict=True))


@pytest.mark.parametrize("text", ["", "the", "é", "日本", "\ud800", "\x00"])
def test_hashes_are_checksums(text):
    code = zlib.crc32(text.encode("utf-8", "surrogatepass"))
    assert hash_text(text) % 2**32 == code and -(2**31) <= hash_text(text) < 2**31


@pytest.mark.parametrize(
    ("word", "form", "lower", "shape"),
    [
        ("The", "The", "the", "Xxx"),
        ("McDonald", "McDonald", "mcdonald", "XxXxx"),
        ("1984", "0000", "0000", "00"),
        ("3rd", "0rd", "0rd", "0xx"),
        ("USA", "USA", "usa", "XX"),
        ("n’t", "n't", "n't", "x'x"),
        ("“", '"', '"', '"'),
        ("—", "-", "-", "-"),
        ("Ünïcode", "Ünïcode", "ünïcode", "Xxx"),
        ("日本", "日本", "日本", "日本"),
        ("x-ray", "x-ray", "x-ray", "x-xx"),
    ],
)
def test_forms_of_words(word, form, lower, shape):
    found = columns_of(word)
    assert found["form"] == hash_text(form)
    assert found["lower"] == hash_text(lower)
    assert found["shape"] == hash_text(shape)
    for k in (1, 2, 3):
        assert found[f"p{k}"] == hash_text(lower[:k])
    for k in (1, 2, 3, 4):
        assert found[f"s{k}"] == hash_text(lower[-k:])
    assert found["role"] == role_of(lower)
    assert [found[f"c{size}"] for size in (32, 128, 512, 2048)] == [-1] * 4


@pytest.mark.parametrize(
    ("word", "flag"),
    [("the", 0), ("The", 1), ("USA", 3), ("A", 3), ("3", 4), ("A-3", 1 + 2 + 4 + 8), ("-", 24),
     (".", 16), ("—", 24), ("日本", 0), ("🙂", 16), ("٣", 4)],
)  # fmt: skip
def test_flags(word, flag):
    assert columns_of(word)["flag"] == flag


def test_classes_are_those_of_the_lower_word():
    classes = {hash_text("cat"): (1, 2, 3, 4)}
    for word in ("cat", "Cat", "CAT"):
        found = columns_of(word, classes)
        assert [found[name] for name in ("c32", "c128", "c512", "c2048")] == [1, 2, 3, 4]


@given(st.lists(st.text(min_size=1, max_size=8)))
def test_words_are_looked_at_one_by_one(words):
    together = WordColumns({})
    found = together(words)
    assert found.shape == (len(words), len(WORD_COLUMNS)) and found.dtype == np.int32
    assert together.n_words == len(set(words))
    for word, row in zip(words, found, strict=True):
        assert row.tolist() == list(columns_of(word).values())


def test_many_words():
    columns = WordColumns({})
    words = [
        f"w{chr(97 + k % 26)}{chr(97 + k // 26 % 26)}{chr(97 + k // 676)}" for k in range(5000)
    ]
    found = columns(words)
    assert columns.n_words == len(set(words)) > 2048
    assert np.array_equal(columns(words[::-1]), found[::-1])


def test_tokens_of_sentences():
    tokens = Tokens([["a", "b"], [], ["c"]], WordColumns({}))
    assert tokens.bounds.tolist() == [0, 2, 2, 3] and tokens.words == ["a", "b", "c"]
    assert tokens.columns.shape == (3, len(TOKEN_COLUMNS))
    tokens.put("tag", [4, 5, 6])
    assert tokens.columns[:, TOKEN_COLUMNS.index("tag")].tolist() == [4, 5, 6]
    assert (tokens.columns[:, TOKEN_COLUMNS.index("chunk")] == -7).all()
