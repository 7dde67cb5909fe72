import pickle
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tree import Tree

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.linguistic.trees.brackets import as_tree, escape_word, unescape_word
from sklearn_mteval.trees import BracketTree, read_brackets

WORDS = st.text("ab-=.,'$", min_size=1, max_size=4)
TREES = st.recursive(
    st.builds(lambda tag, word: f"({tag} {word})", WORDS, WORDS),
    lambda inner: st.builds(
        lambda label, parts: f"({label} {' '.join(parts)})",
        WORDS,
        st.lists(inner | WORDS, min_size=1, max_size=4),
    ),
    max_leaves=12,
)


def test_by_hand():
    [tree] = read_brackets("(S (NP-SBJ (DT The)\n  (NN cat)) (VP (VBZ is) (-LRB- -LRB-) x))")
    assert tree.labels == (
        "S", "NP-SBJ", "DT", "The", "NN", "cat", "VP", "VBZ", "is", "-LRB-", "-LRB-", "x",
    )  # fmt: skip
    assert tree.parents == (-1, 0, 1, 2, 1, 4, 0, 6, 7, 6, 9, 6)
    assert tree.children[:3] == ((1, 6), (2, 4), (3,))
    assert tree.constituents() == ["S", "NP-SBJ", "VP"]
    words = [("DT", "The"), ("NN", "cat"), ("VBZ", "is"), ("-LRB-", "("), ("VP", "x")]
    assert tree.tagged_words() == words
    assert str(tree) == "(S (NP-SBJ (DT The) (NN cat)) (VP (VBZ is) (-LRB- -LRB-) x))"


def test_a_tree_of_one_node():
    """Its only label stands in a bracket, and has no tag above it."""
    alone = BracketTree(("x",), (-1,))
    assert str(alone) == "(x)" and alone.tagged_words() == []


def test_a_root_without_label_is_kept_over_several_trees():
    [tree] = read_brackets("( (A b) (C d))")
    assert tree.labels == ("", "A", "b", "C", "d") and tree.parents == (-1, 0, 1, 0, 3)


@pytest.mark.parametrize("parents", [(-1, 1), (-1, 2, 0), (-1, -1), (0, 0), (-1,)])
def test_parents_that_make_no_tree(parents):
    labels = ("a", "b", "c")[: max(2, len(parents))]
    with pytest.raises(CandidateError, match="the root first and"):
        as_tree(BracketTree(labels, parents))


def test_traces_are_no_words():
    [tree] = read_brackets("(S (NP (-NONE- *)) (VP (VB go)))")
    assert tree.tagged_words() == [("VB", "go")]


@pytest.mark.parametrize("text", ["( (S (NN x)))", "((S (NN x)) )", "(((S\t(NN x))))"])
def test_outer_bracket_without_label(text):
    assert read_brackets(text) == read_brackets("(S (NN x))")


@pytest.mark.parametrize("text", ["()", "(())", "( ( ) )"])
def test_no_parse(text):
    assert read_brackets(text) == [BracketTree(("",), (-1,))]
    assert read_brackets(text)[0].tagged_words() == []


def test_several_and_none():
    assert [str(tree) for tree in read_brackets("(A b)(C d)\n\n(E\nf)")] == [
        "(A b)",
        "(C d)",
        "(E f)",
    ]
    assert read_brackets(" \n") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(S (NN a)\n  (VP (V b)", r"not closed, line 2, column 3"),
        ("(S (NN a)))", r"not opened, line 1, column 11"),
        ("(S a)\nword (S b)", r"found 'word', line 2, column 1"),
        ("(S (NP) (VP x))", r"\(NP\) holds no words, line 1, column 4"),
    ],
)
def test_errors_say_where(text, message):
    with pytest.raises(ValueError, match=message):
        read_brackets(text)


@given(st.lists(TREES, max_size=3))
def test_as_nltk_reads_them(texts):
    expected = [" ".join(str(Tree.fromstring(text)).split()) for text in texts]
    trees = read_brackets("\n".join(texts))
    assert [str(tree) for tree in trees] == expected
    for tree, text in zip(trees, texts, strict=True):
        assert [tree.labels[k] for k, c in enumerate(tree.children) if not c] == Tree.fromstring(
            text
        ).leaves()


def test_deeper_than_recursion_goes():
    depth = 20 * sys.getrecursionlimit()
    text = "(S " * depth + "x" + ")" * depth
    [tree] = read_brackets(text)
    assert str(tree) == text and tree.constituents() == ["S"] * (depth - 1)
    assert pickle.loads(pickle.dumps(tree)) == tree and hash(tree) == hash(tree)
    assert len(read_brackets("(" * depth + "S x" + ")" * depth)) == 1


def test_treebank(data_dir):
    folder = data_dir / "gum" / "const"
    for file in sorted(folder.glob("*.ptb"))[:10]:
        text = file.read_text(encoding="utf-8")
        expected = [" ".join(str(tree).split()) for tree in Tree.fromstring(f"(X {text})")]
        assert [str(tree) for tree in read_brackets(text)] == expected


@pytest.mark.parametrize("text", ["(x ())", "(x (()))", "(S (NP a) (() ()))"])
def test_nodes_without_label_are_written(text):
    trees = read_brackets(text)
    assert read_brackets(" ".join(map(str, trees))) == trees


def test_escapes_by_hand():
    pairs = {
        "(": "-LRB-",
        ")": "-RRB-",
        "[": "[",
        "Spouse(s)": "Spouse-LRB-s-RRB-",
        "10 000": "10-U+0020-000",
        "10\u00a0000": "10-U+00A0-000",
        "-LRB-": "-U+002D-LRB-",
        "well-known": "well-known",
        "-LRB": "-LRB",
        "-LRB(": "-U+002D-LRB-LRB-",
    }
    for word, label in pairs.items():
        assert (escape_word(word), unescape_word(label)) == (label, word)
    assert unescape_word("-LSB-") == "["
    assert unescape_word("-LCB-") == "{"


@given(st.text(st.sampled_from("-LRSB()U+0020D \t\u3000a"), max_size=30) | st.text(max_size=8))
def test_every_word_has_an_escape_of_its_own(word):
    label = escape_word(word)
    assert unescape_word(label) == word
    assert not re.search(r"[()\s]", label)
    if label:
        assert read_brackets(f"(X {label})") == [BracketTree(("X", label), (-1, 0))]
