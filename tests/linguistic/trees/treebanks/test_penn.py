import pytest
from nltk.tree import Tree

from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.trees import read_penn

TWO = """(ROOT (S (NP-SBJ (PRP It))
    (VP (VBZ works))))

( (FRAG (-LRB- -LRB-) (UH d-LRB-ə-RRB-h) (-RRB- -RRB-)) )
"""


def test_labels_stay_as_they_are(tmp_path):
    path = tmp_path / "two.ptb"
    path.write_text(TWO, encoding="utf-8")
    works, interjection = read_penn(path)
    assert works.labels == ("ROOT", "S", "NP-SBJ", "PRP", "It", "VP", "VBZ", "works")
    assert works.parents == (-1, 0, 1, 2, 3, 1, 5, 6)
    assert interjection.labels[0] == "FRAG"
    words = [("-LRB-", "("), ("UH", "d(ə)h"), ("-RRB-", ")")]
    assert interjection.tagged_words() == words


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("(S (X y))\n\n(S (X y)", 3, "not closed"),
        ("(S (X y)))", 1, "closed that was not opened"),
        ("(S (X y))\n(S\n (X))", 3, "holds no words"),
        ("(S (X y))\nword", 2, "before a tree"),
    ],
)
def test_errors_name_the_line(tmp_path, text, line, problem):
    path = tmp_path / "bad.ptb"
    path.write_text(text)
    with pytest.raises(DataFileError, match=problem) as found:
        read_penn(path)
    assert found.value.line == line
    assert str(found.value).count(", line ") == 1 and "column" in str(found.value)


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "bad.ptb"
    path.write_bytes(b"(S (X y))\n(S (X \xff))\n")
    with pytest.raises(DataFileError, match="UTF-8") as found:
        read_penn(path)
    assert found.value.line == 2


@pytest.mark.slow
def test_gum(data_dir):
    paths = sorted((data_dir / "gum" / "const").glob("*.ptb"))
    assert len(paths) == 108
    for path in paths:
        trees = read_penn(path)
        assert len(trees) == path.read_text(encoding="utf-8").count("(ROOT")
    # Of the last document, against another reader.
    theirs = Tree.fromstring("(ALL " + path.read_text(encoding="utf-8") + ")")
    assert [" ".join(str(tree).split()) for tree in theirs] == list(map(str, trees))
