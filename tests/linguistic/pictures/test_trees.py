"""Trees as text, by hand and read back."""

import re

import pytest

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.linguistic.pictures.text import tree_report
from sklearn_mteval.trees import BracketTree, read_brackets


def test_by_hand():
    tree = (
        "(ROOT (S (NP (DT The) (NN cat)) (VP (VBZ sleeps) (PP (IN on) (NP (-LRB- -LRB-) (NN it)))) "
        "(. .) bare))"
    )
    assert tree_report(tree) == (
        "ROOT\n"
        "└─ S\n"
        "   ├─ NP  The/DT cat/NN\n"
        "   ├─ VP\n"
        "   │  ├─ sleeps/VBZ\n"
        "   │  └─ PP\n"
        "   │     ├─ on/IN\n"
        "   │     └─ NP  (/-LRB- it/NN\n"
        "   ├─ ./.\n"
        "   └─ bare\n"
    )


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        ("()", "()\n"),
        ("(NN cat)", "cat/NN\n"),
        ("(EDU:NUCLEUS some words)", "EDU:NUCLEUS  some words\n"),
        (BracketTree(("x",), (-1,)), "x\n"),
        (BracketTree(("S", "X", "a\x1b\n"), (-1, 0, 1)), "S  a\ufffd\ufffd/X\n"),
    ],
)
def test_small_trees(tree, text):
    assert tree_report(tree) == text


def comb(depth):
    """A tree that goes on to the right, level by level."""
    return "".join(f"(S (A a{k}) " for k in range(depth)) + "(B b) (C c)" + ")" * depth


@pytest.mark.parametrize("depth", [40, 41, 42, 5000])
def test_deep_trees_end_in_brackets(depth):
    lines = tree_report(comb(depth)).splitlines()
    assert max(map(len, lines[:-1])) < 200
    if depth <= 41:
        assert len(lines) == 2 * (depth - 1) + 1
        assert lines[-1].endswith(f"S  a{depth - 1}/A b/B c/C")
    else:
        rest = re.sub("^ *└─ ", "", lines[-1])
        [tree] = read_brackets(rest)
        assert str(tree) == comb(depth)[len("".join(f"(S (A a{k}) " for k in range(40))) : -40]
    words = re.findall(r"a\d+", "\n".join(lines))
    assert words == [f"a{k}" for k in range(depth)]


@pytest.mark.parametrize("tree", ["cat", "", "(S (NN a)) (S (NN b))", None])
def test_what_is_no_tree(tree):
    with pytest.raises(CandidateError, match="tree must be"):
        tree_report(tree)
