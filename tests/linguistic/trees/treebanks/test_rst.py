import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.linguistic.trees.treebanks.rst import edus
from sklearn_mteval.trees import BracketTree, read_brackets, read_rst

DOCUMENT = """( Root (span 1 4)
  ( Satellite (leaf 1) (rel2par organization-heading) (text _!Cats_!) )
  ( Nucleus (span 2 4) (rel2par span)
    ( Nucleus (span 2 3) (rel2par joint-list)
      ( Nucleus (leaf 2) (rel2par span) (text _!They ( all ) sleep ,_!) )
      ( Satellite (leaf 3) (rel2par attribution-positive) (text _!they say_!) )
    )
    ( Nucleus (leaf 4) (rel2par joint-list) (text _!and purr :)_!) )
  )
)
"""
PRINTED = (
    "(Root (Satellite:organization-heading Cats) (Nucleus:span (Nucleus:joint-list (Nucleus:span "
    "They -LRB- all -RRB- sleep ,) (Satellite:attribution-positive they say)) "
    "(Nucleus:joint-list and purr :-RRB-)))"
)


def file_of(tmp_path, text):
    path = tmp_path / "document.dis"
    path.write_text(text, encoding="utf-8")
    return path


def test_by_hand(tmp_path):
    tree = read_rst(file_of(tmp_path, DOCUMENT))
    assert str(tree) == PRINTED
    assert read_brackets(PRINTED) == [tree]
    assert edus(tree) == [
        ["Cats"],
        ["They", "(", "all", ")", "sleep", ","],
        ["they", "say"],
        ["and", "purr", ":)"],
    ]


def test_white_space_does_not_matter(tmp_path):
    expected = read_rst(file_of(tmp_path, DOCUMENT))
    squeezed = re.sub(r"\s+", " ", DOCUMENT)
    tight = squeezed.replace("( ", "(").replace(") )", "))").replace(") (", ")(")
    tight = tight.replace("They (all )", "They ( all )")
    for text in (squeezed, DOCUMENT.replace(" ", "\n"), DOCUMENT.replace("\n", "\r\n"), tight):
        assert text != DOCUMENT
        assert read_rst(file_of(tmp_path, text)) == expected


@pytest.mark.parametrize("text", ["It works <P>", "It works<P>", " It\nworks ", "It works"])
def test_one_edu_and_the_mark_of_a_paragraph(tmp_path, text):
    tree = read_rst(file_of(tmp_path, f"( Root (leaf 1) (text _!{text}_!) )"))
    assert str(tree) == "(Root It works)"


def test_the_mark_inside_a_text(tmp_path):
    path = file_of(tmp_path, "( Root (leaf 1) (text _!a _! b_!c ) (leaf 2)_!) )")
    assert edus(read_rst(path)) == [["a", "_!", "b_!c", ")", "(leaf", "2)"]]


def replaced(old, new):
    assert DOCUMENT.count(old) == 1
    return DOCUMENT.replace(old, new)


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", 1, "empty file"),
        ("\n\n", 1, "empty file"),
        ("# header\n" + DOCUMENT, 1, "found '# header"),
        ("\n( Nucleus (leaf 1) (text _!a_!) )", 2, "one Root"),
        ("(leaf 1)", 1, "one Root"),
        (")", 1, "one Root"),
        (DOCUMENT + DOCUMENT, 11, "the end behind the root"),
        (DOCUMENT + "\n)\n", 12, "the end behind the root"),
        (DOCUMENT + "x", 11, "found 'x'"),
        (DOCUMENT[:-2], 1, "this Root is not closed"),
        (replaced("    )\n", ""), 4, "expected (span 2 4)"),
        (replaced("Satellite (leaf 1)", "Root (leaf 1)"), 2, "one Root"),
        (replaced("Satellite (leaf 1)", "Moon (leaf 1)"), 2, "found '( Moon"),
        (replaced("(leaf 3)", "(leaf x)"), 6, "found '(leaf x)"),
        (replaced("(leaf 3)", "(leaf 4)"), 6, "expected (leaf 3), found 4"),
        (replaced("(leaf 3)", f"(leaf {'3' * 5000})"), 6, "found '(leaf 333"),
        (replaced("(leaf 3) ", ""), 6, "found neither"),
        (replaced("(leaf 3)", "(span 3 3)"), 6, "a text only below a leaf"),
        (replaced("(leaf 3)", "(leaf 3) (span 3 3)"), 6, "found both"),
        (replaced("(leaf 3)", "(leaf 3) (leaf 3)"), 6, "a second (leaf"),
        (replaced("(span 2 3) ", ""), 4, "found neither"),
        (
            replaced("(span 2 3)", "(span 2 4)"),
            4,
            "expected (span 2 3), the leaves below it; found 2 4",
        ),
        (replaced("(span 2 3)", "(span 1 3)"), 4, "expected (span 2 3"),
        (replaced("(span 1 4)", "(span 1 5)"), 1, "expected (span 1 4"),
        (replaced("(span 2 3)", "(leaf 2)"), 4, "a text below a leaf, found 2 nodes"),
        (replaced("(span 1 4)", "(span 1 4) (rel2par span)"), 1, "no relation of the root"),
        (replaced("(rel2par attribution-positive) ", ""), 6, "expected (rel2par RELATION)"),
        (replaced("attribution-positive", "a b"), 6, "found '(rel2par a b"),
        (replaced("attribution-positive", ""), 6, "found '(rel2par "),
        (replaced(" (text _!they say_!)", ""), 6, "with words"),
        (replaced("they say", " "), 6, "with words"),
        (replaced("they say", "<P>"), 6, "with words"),
        (replaced("they say_!", "they say"), 6, "expected _!) behind the text"),
        (replaced("and purr :)_!", "and purr :)"), 8, "found '(text"),
        (replaced("Nucleus (leaf 2)", "Satellite (leaf 2)"), 4, "found 2 satellites"),
    ],
)
def test_errors_name_the_line(tmp_path, text, line, problem):
    with pytest.raises(DataFileError, match=re.escape(problem)) as found:
        read_rst(file_of(tmp_path, text))
    assert found.value.line == line


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "bad.dis"
    path.write_bytes(DOCUMENT.replace("purr", "p\udc80").encode("utf-8", "surrogateescape"))
    with pytest.raises(DataFileError, match="UTF-8") as found:
        read_rst(path)
    assert found.value.line == 8


def test_a_deep_document(tmp_path):
    n = 2000
    lines = [f"(Root (span 1 {n})"]
    for k in range(1, n):
        lines.append(f"(Nucleus (leaf {k}) (rel2par joint) (text _!w{k}_!))")
        lines.append(f"(Nucleus (span {k + 1} {n}) (rel2par joint)")
    lines[-1] = f"(Nucleus (leaf {n}) (rel2par joint) (text _!w{n}_!)"
    tree = read_rst(file_of(tmp_path, "\n".join(lines) + ")" * n))
    assert edus(tree) == [[f"w{k}"] for k in range(1, n + 1)]


PIECES = st.sampled_from(["(", ")", "_!", "Root", "1", " ", "span", "text", "\u00a0", "\n", "\0"])


@given(st.lists(st.tuples(st.integers(0, len(DOCUMENT)), st.integers(0, 12), PIECES), max_size=4))
def test_a_damaged_file_gives_a_tree_or_a_named_error(tmp_path_factory, edits):
    text = DOCUMENT
    for place, n_lost, piece in edits:
        text = text[:place] + piece + text[place + n_lost :]
    folder = tmp_path_factory.mktemp("trees")
    path = file_of(folder, text)
    try:
        tree = read_rst(path)
    except DataFileError as error:
        found = error.path, error.line in range(1, text.count("\n") + 2)
        tree = None
    if tree is None:
        assert found == (path, True)
        return
    assert isinstance(tree, BracketTree)
    assert read_brackets(str(tree)) == [tree]
    n_leaves = len(re.findall(r"\(\s*leaf", text))
    assert len(edus(tree)) == n_leaves or "_!" in "".join(map("".join, edus(tree)))


@pytest.mark.slow
def test_gum(data_dir):
    paths = sorted((data_dir / "gum" / "rst").glob("*.dis"))
    assert len(paths) == 108
    for path in paths:
        tree = read_rst(path)
        text = path.read_text(encoding="utf-8")
        assert edus(tree) == [line.split() for line in re.findall(r"_!(.*)_!", text)]
        labels = re.findall(r"\( (Nucleus|Satellite) .*?\(rel2par (.*?)\)", text)
        inner = [label for label, below in zip(tree.labels, tree.children, strict=True) if below]
        assert inner == ["Root", *map(":".join, labels)]
