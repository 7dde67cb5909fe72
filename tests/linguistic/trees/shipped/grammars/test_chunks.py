"""Chunks and heads of constituency trees: by hand, and as nltk reads the tags."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.chunk import conlltags2tree, tree2conlltags

from sklearn_mteval.linguistic.trees.shipped.grammars.chunks import CHUNKS, chunk_spans, chunk_tags
from sklearn_mteval.linguistic.trees.shipped.grammars.heads import category, head_child
from sklearn_mteval.linguistic.trees.treebanks.corpus import document_names
from sklearn_mteval.linguistic.trees.treebanks.penn import read_penn
from sklearn_mteval.trees import read_brackets

# Trees, and their chunks as CoNLL-2000 would have them; what stands outside is in none.
BY_HAND = {
    "a noun phrase and a verb": (
        "(S (NP-SBJ (DT The) (JJ old) (NN man)) (VP (VBZ sleeps)) (. .))",
        "[NP The old man] [VP sleeps] .",
    ),
    "prepositional phrases": (
        "(S (NP (NP (DT the) (NN man)) (PP (IN with) (NP (DT a) (NN hat)))) (VP (VBD sat) "
        "(PP (IN on) (NP (PRP it)))))",
        "[NP the man] [PP with] [NP a hat] [VP sat] [PP on] [NP it]",
    ),
    "a possessive": (
        "(S (NP (NP (DT the) (NN dog) (POS 's)) (JJ old) (NN bowl)) (VP (VBD broke)))",
        "[NP the dog] [NP 's old bowl] [VP broke]",
    ),
    "auxiliaries and an adverb between them": (
        "(S (NP (PRP He)) (VP (MD would) (ADVP (RB never)) (VP (VB have) (VP (VBN come)))))",
        "[NP He] [VP would never have come]",
    ),
    "a negation": (
        "(S (NP (PRP He)) (VP (VBD did) (RB n't) (VP (VB come))))",
        "[NP He] [VP did n't come]",
    ),
    "a negation behind the verb": (
        "(S (NP (PRP It)) (VP (VBZ is) (RB not) (ADJP (RB very) (JJ good))))",
        "[NP It] [VP is not] [ADJP very good]",
    ),
    "an infinitive behind its verb": (
        "(S (NP (PRP He)) (VP (VBZ wants) (S (VP (TO to) (VP (VB go) (ADVP (RB home)))))))",
        "[NP He] [VP wants to go] [ADVP home]",
    ),
    "an infinitive behind an object": (
        "(S (NP (PRP He)) (VP (VBD told) (NP (PRP her)) (S (VP (TO to) (VP (VB go))))))",
        "[NP He] [VP told] [NP her] [VP to go]",
    ),
    "subordinate clauses": (
        "(S (NP (PRP He)) (VP (VBD said) (SBAR (IN that) (S (NP (PRP it)) (VP (VBD rained))))))",
        "[NP He] [VP said] [SBAR that] [NP it] [VP rained]",
    ),
    "a relative clause": (
        "(NP (NP (DT the) (NN man)) (SBAR (WHNP (WP who)) (S (VP (VBD came)))))",
        "[NP the man] [NP who] [VP came]",
    ),
    "a particle": (
        "(S (NP (PRP He)) (VP (VBD gave) (PRT (RP up)) (NP (DT the) (NN job))))",
        "[NP He] [VP gave] [PRT up] [NP the job]",
    ),
    "coordinated nouns": (
        "(NP (NNS cats) (CC and) (NNS dogs))",
        "[NP cats and dogs]",
    ),
    "coordinated noun phrases": (
        "(NP (NP (DT a) (NN cat)) (CC and) (NP (DT a) (NN dog)))",
        "[NP a cat] and [NP a dog]",
    ),
    "coordinated verb phrases": (
        "(S (NP (PRP He)) (VP (VP (VBD came)) (CC and) (VP (VBD went))))",
        "[NP He] [VP came] and [VP went]",
    ),
    "quantities": (
        "(NP (QP (RB about) (CD 3) (CD million)) (NNS people))",
        "[NP about 3 million people]",
    ),
    "money": (
        "(NP (QP ($ $) (CD 3) (CD million)))",
        "[NP $ 3 million]",
    ),
    "adverbs": (
        "(S (ADVP (RB Then)) (NP (PRP he)) (VP (ADVP (RB slowly)) (VBD left) (ADVP (RB very) "
        "(RB quickly))))",
        "[ADVP Then] [NP he] [ADVP slowly] [VP left] [ADVP very quickly]",
    ),
    "adjectives before a noun": (
        "(NP (DT a) (ADJP (RB very) (JJ old)) (NN man))",
        "[NP a very old man]",
    ),
    "a preposition with an adverb": (
        "(PP (ADVP (RB just)) (IN before) (NP (NN dawn)))",
        "[PP just before] [NP dawn]",
    ),
    "punctuation inside": (
        "(NP (DT the) (JJ old) (, ,) (JJ grey) (NN man))",
        "[NP the old , grey man]",
    ),
    "quotes in front": (
        "(S (NP (`` ``) (NN War) ('' '')) (VP (VBD ended)))",
        "`` [NP War] '' [VP ended]",
    ),
    "an interjection": ("(S (INTJ (UH Oh)) (, ,) (NP (PRP he)) (VP (VBD left)))",
                        "Oh , [NP he] [VP left]"),
    "one word": ("(ROOT (NP (NN Rain)))", "[NP Rain]"),
    "no phrase": ("(ROOT (UH Oh))", "Oh"),
}  # fmt: skip


def shown(words, tags):
    """Write chunks in square brackets."""
    parts = []
    for start, end, kind in chunk_spans(tags):
        text = " ".join(words[start:end])
        parts.append(text if kind == "O" else f"[{kind} {text}]")
    return " ".join(parts)


@pytest.mark.parametrize("name", BY_HAND)
def test_by_hand(name):
    text, expected = BY_HAND[name]
    [tree] = read_brackets(text)
    assert shown([word for _, word in tree.tagged_words()], chunk_tags(tree)) == expected
    [plain] = read_brackets(text.replace("-SBJ", ""))
    assert chunk_tags(plain) == chunk_tags(tree)


def test_words_beside_others():
    [tree] = read_brackets("(NP (DT the) man)")
    with pytest.raises(ValueError, match="each word alone under its tag"):
        chunk_tags(tree)


@pytest.mark.parametrize("every", [50, pytest.param(1, marks=pytest.mark.slow)])
def test_tags_are_those_that_nltk_reads(data_dir, every):
    n = 0
    for name in document_names(data_dir / "gum")[::every]:
        for tree in read_penn(data_dir / "gum" / "const" / f"{name}.ptb"):
            tags = chunk_tags(tree)
            rows = [(w, t, tag) for (t, w), tag in zip(tree.tagged_words(), tags, strict=True)]
            theirs = conlltags2tree(rows, strict=True)  # raises for an I that continues nothing
            assert tree2conlltags(theirs) == rows
            chunks, place = [], 0
            for part in theirs:
                size = 1 if isinstance(part, tuple) else len(part)
                if size > 1 or not isinstance(part, tuple):
                    chunks.append((place, place + size, part.label()))
                place += size
            assert [span for span in chunk_spans(tags) if span[2] != "O"] == chunks
            assert {kind for _, _, kind in chunks} <= set(CHUNKS)
            n += len(chunks)
    assert n > 1000


@given(st.lists(st.sampled_from(["B-NP", "I-NP", "B-VP", "I-VP", "O", "I-PP", "B-PRT"])))
def test_any_tags_are_spans(tags):
    spans = chunk_spans(tags)
    assert [k for start, end, _ in spans for k in range(start, end)] == list(range(len(tags)))
    for start, end, kind in spans:
        assert all((tag.partition("-")[2] or "O") == kind for tag in tags[start:end])
        assert not any(tag[0] == "B" for tag in tags[start + 1 : end])
    for (*_, before), (start, _, kind) in pairwise(spans):
        assert before != kind or tags[start][0] == "B"


@pytest.mark.parametrize(
    ("label", "children", "head"),
    [
        ("S", "NP VP .", "VP"),
        ("S", "NP ADJP", "NP ADJP#first"),
        ("SQ", "VBZ NP VP", "VP"),
        ("SINV", "VP NP", "VP"),
        ("NP", "DT JJ NN", "NN"),
        ("NP", "NN NN", "NN#last"),
        ("NP", "NP PP", "NP"),
        ("NP", "NP CC NP", "NP#first"),
        ("NP", "NP POS NN", "NN"),
        ("NP", "DT JJ", "JJ"),
        ("NP", "DT", "DT"),
        ("NP", "NN SBAR", "NN"),
        ("WHNP", "WDT NN", "NN"),
        ("VP", "MD VP", "VP"),
        ("VP", "VBD NP PP", "VBD"),
        ("VP", "TO VP", "VP"),
        ("VP", "VP CC VP", "VP#first"),
        ("VP", "MD RB", "MD"),
        ("PP", "ADVP IN NP", "IN"),
        ("WHPP", "IN WHNP", "IN"),
        ("SBAR", "IN S", "IN"),
        ("SBAR", "WHNP S", "WHNP"),
        ("SBAR", "S", "S"),
        ("SBARQ", "WHNP SQ .", "SQ"),
        ("ADJP", "RB JJ PP", "JJ"),
        ("ADJP", "JJ CC JJ", "JJ#last"),
        ("ADVP", "RB RB", "RB#last"),
        ("PRT", "RP", "RP"),
        ("ROOT", "NP VP S", "NP#first"),
        ("PRN", "-LRB- NP -RRB-", "NP"),
        ("X", ", . :", ","),
        ("X", "`` SYM", "SYM"),
    ],
)
def test_heads_by_hand(label, children, head):
    children = children.split()
    head, _, which = head.split()[0].partition("#")
    places = [k for k, child in enumerate(children) if child == head]
    assert head_child(label, children) == places[-1 if which == "last" else 0]


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("NP", "NP"), ("NP-SBJ", "NP"), ("NP-SBJ-1", "NP"), ("NP=2", "NP"), ("NP|X", "NP"),
        ("-LRB-", "-LRB-"), ("-NONE-", "-NONE-"), ("", ""), (":", ":"),
    ],
)  # fmt: skip
def test_categories(label, expected):
    assert category(label) == expected
