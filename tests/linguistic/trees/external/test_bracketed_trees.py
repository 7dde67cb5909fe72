import pytest
from sklearn.base import clone

from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.linguistic.trees.parses import FAILED, PARSED
from sklearn_mteval.trees import BracketedTrees

WORKS = "(S (NP (PRP It)) (VP (VBZ works)) (. .))"


def parse(trees, sentences, n=10):
    parses = list(BracketedTrees(trees).parse_nbest(sentences, n))
    return [(p.status, p.count, p.scores.tolist(), p.tree, p.skipped_words) for p in parses]


FAILURE = (FAILED, 0, [], "", 0)


def test_mapping():
    trees = {"It works.": WORKS, "Nothing.": "(())", "No list.": []}
    assert parse(trees, ["It works.", "it works.", "Nothing.", "No list.", "\ud800"]) == [
        (PARSED, 1, [], WORKS, 0),
        *[FAILURE] * 4,
    ]


def test_n_best():
    trees = {"x": [(-3, "(A x)"), (-1.5, "(B x)"), (-2, "(C x)")]}
    assert parse(trees, ["x"]) == [(PARSED, 3, [-1.5, -2, -3], "(B x)", 0)]
    assert parse(trees, ["x"], n=2) == [(PARSED, 2, [-1.5, -2], "(B x)", 0)]


def test_slashes_and_stars_as_the_penn_treebank_writes_them(tmp_path):
    file = tmp_path / "trees.mrg"
    file.write_text("(S (NP (PRP It)) (VP (VBZ is) (CD 1\\/2) (CD 3\\/4*)) (SYM \\*\\*))\n")
    assert [status for status, *_ in parse(file, ["It is 1/2 3/4* **"])] == [PARSED]


def test_file_on_several_lines(tmp_path):
    file = tmp_path / "trees.mrg"
    file.write_text(
        "( (S (`` ``) (NP (PRP It))\n   (VP (VBZ works)) ('' '') (-LRB- -LRB-) (NN yes)\n"
        "     (-RRB- -RRB-) (-NONE- *T*)) )\n\n(())\n(X (S (NP Ünï)))\n(Y (S (NP Ünï)))\n",
        encoding="utf-8-sig",
    )
    found = parse(file, ['"It works" (yes)', "“It works” ( yes )", "Ünï", "other", ""])
    assert [status for status, *_ in found] == [PARSED] * 3 + [FAILED] * 2
    assert found[0] == found[1] and found[2][3] == "(X (S (NP Ünï)))"


def test_file_that_changes_is_read_again(tmp_path):
    file = tmp_path / "trees"
    signatures = set()
    for label in "AB":
        file.write_text(f"({label} x)")
        assert parse(file, ["x"])[0][3] == f"({label} x)"
        signatures.add(BracketedTrees(file).signature)
    assert len(signatures) == 2


def test_signature_of_a_mapping():
    assert BracketedTrees({"a": "(A a)", "b": "(B b)"}).signature == (
        clone(BracketedTrees({"b": "(B b)", "a": "(A a)"})).signature
    )
    assert BracketedTrees({"a": "(A a)"}).signature != BracketedTrees({"a": "(B a)"}).signature
    assert BracketedTrees({"\ud800": "(A \ud800)"}).signature


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ("(S (NP x)", "not closed, line 1, column 1"),
        ("(S x) (S y)", "expected one tree, found 2"),
        ("", "expected one tree, found 0"),
        ([(float("nan"), "(S x)")], "not finite"),
        ([("x", "(S x)")], "could not convert"),
        (3, "not iterable"),
    ],
)
def test_wrong_trees_of_a_mapping(tree, message):
    with pytest.raises(ValueError, match=f"(?s)for 'It.': .*{message}"):
        parse({"It.": tree}, ["It."])


def test_wrong_files(tmp_path):
    file = tmp_path / "trees"
    with pytest.raises(DataFileError, match="cannot be read"):
        parse(file, ["x"])
    file.write_text("(S x)\n(S (NP y)")
    with pytest.raises(DataFileError, match="not closed, line 2, column 1"):
        parse(file, ["x"])
    file.write_bytes(b"(S \xff)")
    with pytest.raises(DataFileError, match="line 1: expected UTF-8, found the byte 0xff"):
        parse(file, ["x"])
    with pytest.raises(ValueError, match="found int"):
        parse(3, ["x"])
