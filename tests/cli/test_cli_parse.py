"""The command parse, with a parser that stands in for the shipped ones."""

import io
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from stand_in_parser import StandInParser, stand_in  # noqa: F401

from sklearn_mteval.cli import main
from sklearn_mteval.trees import dependencies, read_conllu

TEXTS = {
    "hyp": "the cat (sleeps)\n\nno time to think\n",
    "ref": "The cat\n\ntime to rest\n",
    "one": "a b\n",
    "other": "A c\n",
    "short": "a\nb\n",
    "empty": "",
    "latin": "caf\xe9\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch, stand_in):  # noqa: F811
    """A working folder with texts, and the stand-in."""
    monkeypatch.chdir(tmp_path)
    for name, text in TEXTS.items():
        Path(name).write_text(text, encoding="latin-1")
    Path("pictures").mkdir()
    return tmp_path


def output(capsys, *arguments):
    assert main(["parse", *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def error_of(capsys, *arguments):
    assert main(["parse", *arguments]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"sklearn-mteval parse: error: [^\n]+\n", err)
    return err


BRACKETS = [
    "({} (X the) (X cat) (X -LRB-sleeps-RRB-))",
    "()",
    "({} (X no) (X time) (X to) (X think))",
]


@pytest.mark.parametrize(
    ("kind", "label"), [([], "EDU:NUCLEUS"), (["--kind", "constituency"], "S")]
)
def test_one_line_of_brackets_for_each_line(capsys, kind, label):
    out = output(capsys, "hyp", "-f", "brackets", *kind)
    assert out.splitlines() == [line.format(label) for line in BRACKETS]


def test_text_for_a_terminal(capsys):
    assert output(capsys, "hyp") == (
        "EDU:NUCLEUS  the/X cat/X (sleeps)/X\n\n()\n\nEDU:NUCLEUS  no/X time/X to/X think/X\n"
    )
    assert output(capsys, "one", "--kind", "dependency") == "root\n├─ a/X\n└─ dep  b/X\n"


def test_kind_and_model_reach_the_parser(capsys, monkeypatch):
    given = []
    monkeypatch.setattr(
        "sklearn_mteval.linguistic.trees.shipped.parsers.parser_of",
        lambda *a: given.append(a) or StandInParser(*a),
    )
    for arguments in (
        [],
        ["--kind", "shallow", "--model", "mine"],
        ["-f", "conllu"],
        ["-f", "conllu", "--kind", "dependency"],
    ):
        output(capsys, "one", *arguments)
    kinds = ["shallow+discourse", "shallow", "dependency", "dependency"]
    assert given == list(zip(kinds, [None, "mine", None, None], strict=True))


def test_conllu_is_read_back(capsys, stand_in):  # noqa: F811
    output(capsys, "hyp", "-f", "conllu", "-o", "out.conllu")
    trees = read_conllu("out.conllu")
    words = [dependencies(tree)[0] for tree in trees]
    assert words == [tuple(line.split()) for line in TEXTS["hyp"].splitlines()]
    assert [str(tree) for tree in trees] == StandInParser("dependency").parse(
        TEXTS["hyp"].splitlines()
    )


def test_each_distinct_sentence_is_parsed_once(capsys, stand_in):  # noqa: F811
    Path("many").write_text("a\nb\na\na\n")
    assert len(output(capsys, "many", "-f", "brackets").splitlines()) == 4
    assert sorted(stand_in) == ["a", "b"]


def test_standard_input_and_a_file(capsys, monkeypatch):
    expected = output(capsys, "hyp", "-f", "brackets")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXTS["hyp"].encode())))
    assert output(capsys, "-", "-f", "brackets", "-o", "out") == ""
    assert Path("out").read_text() == expected


def comments(picture):
    """The texts of an SVG file, which matplotlib names before it draws their letters."""
    ElementTree.fromstring(picture)  # well-formed
    return [text.strip() for text in re.findall("<!--(.*?)-->", picture)]


def test_a_picture_of_one_sentence(capsys):
    picture = output(capsys, "one", "-f", "svg")
    assert comments(picture) == ["EDU:NUCLEUS", "X", "a", "X", "b"]
    assert output(capsys, "one", "-f", "svg") == picture  # to the byte
    assert output(capsys, "one", "-f", "svg", "-o", "tree.svg") == ""
    assert Path("tree.svg").read_text() == picture
    assert output(capsys, "one", "-f", "svg", "-o", "pictures") == ""
    assert Path("pictures", "1.svg").read_text() == picture


def test_a_picture_of_two_sentences(capsys):
    found = comments(output(capsys, "one", "--against", "other", "-f", "svg"))
    label = "EDU:NUCLEUS"
    assert found == [
        label,
        "X",
        "a",
        "X",
        "b",
        "hypothesis",
        label,
        "X",
        "A",
        "X",
        "c",
        "reference",
    ]


def test_pictures_of_dependencies_have_arcs(capsys):
    found = comments(output(capsys, "one", "--kind", "dependency", "-f", "svg"))
    assert sorted(found) == ["X", "X", "a", "b", "dep", "root"]


@pytest.mark.parametrize("output_folder", ["pictures", "new/folder"])
def test_pictures_of_many_sentences_go_into_a_folder(capsys, output_folder):
    Path("many").write_text("a\n" * 9 + "b\n\n")
    assert output(capsys, "many", "-f", "svg", "-o", output_folder) == ""
    names = sorted(path.name for path in Path(output_folder).iterdir())
    assert names == [f"{k:02}.svg" for k in range(1, 12)]
    shown = [comments(Path(output_folder, name).read_text())[-1] for name in names]
    assert shown == ["a"] * 9 + ["b", "()"]


def test_pairs_of_lines(capsys):
    output(capsys, "hyp", "--against", "ref", "-f", "svg", "-o", "pictures")
    found = comments(Path("pictures", "3.svg").read_text())
    assert [word for word in found if word not in ("X", "EDU:NUCLEUS")] == [
        "no", "time", "to", "think", "hypothesis", "time", "to", "rest", "reference",
    ]  # fmt: skip
    assert comments(Path("pictures", "2.svg").read_text()) == [
        "()", "hypothesis", "()", "reference",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["hyp", "-f", "svg"], "hyp has 3 lines, and each has a drawing of its own: name a folder"),
        (
            ["hyp", "-f", "svg", "-o", "one"],
            "-o one: expected a folder for the drawings of 3 lines",
        ),
        (["hyp", "--against", "short", "-f", "svg", "-o", "x"], "short, line 3: has 2 lines, but"),
        (["empty", "-f", "svg"], "empty: the file is empty: there is nothing to draw"),
        (["one", "--against", "other"], "--against is for drawings: add -f svg"),
        (
            ["one", "--kind", "shallow", "-f", "conllu"],
            "-f conllu holds dependencies, found --kind",
        ),
        (["-", "--against", "-", "-f", "svg"], 'standard input, "-", is given twice'),
        (["nothing"], "nothing: cannot be read"),
        (["latin"], "latin, line 1: expected UTF-8"),
        (["one", "-o", "one"], "-o one: an input of this command, which would be lost"),
        (["one", "-o", "pictures"], "-o pictures: expected a file, found a folder"),
        (["one", "-o", "none/x"], "-o none/x: No such folder to write into"),
        (["wide", "-f", "svg"], "wide, line 1: The tree would be"),
    ],
)
def test_what_a_user_may_get_wrong(capsys, arguments, message):
    Path("wide").write_text("word " * 10_000)
    assert message in error_of(capsys, *arguments)
    assert Path("one").read_text() == TEXTS["one"]


def test_a_picture_does_not_replace_an_input(capsys):
    Path("pictures", "2.svg").write_text("a\nb\nc\n")
    message = error_of(capsys, "pictures/2.svg", "-f", "svg", "-o", "pictures")
    assert "pictures/2.svg: an input of this command" in message
    assert Path("pictures", "2.svg").read_text() == "a\nb\nc\n"


def test_control_characters_reach_no_terminal(capsys):
    Path("bad").write_bytes(b"\x1b[31mred \xef\xbf\xbd\x07\n")
    assert output(capsys, "bad") == "EDU:NUCLEUS  \ufffd[31mred/X \ufffd\ufffd/X\n"


@pytest.mark.parametrize("kind", ["tree", ""])
def test_an_unknown_kind(capsys, kind):
    with pytest.raises(SystemExit):
        main(["parse", "one", "--kind", kind])
    assert "invalid choice" in capsys.readouterr().err


def test_without_matplotlib(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["parse", "one", "-f", "svg"]) == 1
    assert "error: -f svg needs matplotlib" in capsys.readouterr().err
