import pytest

from sklearn_mteval.candidates import check_candidates
from sklearn_mteval.datasets import load_translations
from sklearn_mteval.exceptions import CandidateError, DataFileError

FILES = {
    "src": "eins\nzwei\n",
    "ref": "one\ntwo\n",
    "ref2": "1\n2\n",
    "a": "A one\n\n",  # an empty translation is legal
    "b": "B one\nB\u2028two",
    "c": "\ufeffC one\r\nC two\r\n",
}


@pytest.fixture
def files(tmp_path):
    paths = {}
    for name, text in FILES.items():
        paths[name] = tmp_path / name
        paths[name].write_bytes(text.encode())
    return paths


@pytest.mark.filterwarnings("ignore:Empty lines")
def test_translations_without_source_and_reference(files):
    X = load_translations([files["b"], str(files["a"]), files["c"]])
    check_candidates(X, columns=["hypothesis"])
    assert list(X.columns) == ["hypothesis"]
    assert X["hypothesis"].to_dict() == {
        (1, "b"): "B one",
        (1, "a"): "A one",
        (1, "c"): "C one",
        (2, "b"): "B\u2028two",
        (2, "a"): "",
        (2, "c"): "C two",
    }


@pytest.mark.filterwarnings("ignore:Empty lines")
def test_source_and_one_reference_are_texts(files):
    X = load_translations([files["a"], files["b"]], files["src"], [files["ref"]])
    assert (
        X[["source", "reference"]].to_numpy().tolist()
        == [["eins", "one"]] * 2 + [["zwei", "two"]] * 2
    )


@pytest.mark.filterwarnings("ignore:Empty lines")
def test_several_references_are_lists(files):
    X = load_translations([files["a"], files["b"]], references=[files["ref"], files["ref2"]])
    assert X["reference"].tolist() == [["one", "1"]] * 2 + [["two", "2"]] * 2
    assert "source" not in X


def test_one_segment(tmp_path, files):
    for name in "ab":
        files[name].write_text("only\n")
    X = load_translations([files["a"], files["b"]])
    assert X.index.tolist() == [(1, "a"), (1, "b")]


def test_systems_with_files_of_one_name_are_told_apart_by_their_folders(tmp_path):
    paths = [tmp_path / folder / "out.txt" for folder in "xy"]
    for path in paths:
        path.parent.mkdir()
        path.write_text("text\n")
    X = load_translations(paths)
    assert X.index.unique("system").tolist() == [str(path) for path in paths]


@pytest.mark.parametrize("names", [[], ["a"]])
def test_fewer_than_two_systems(files, names):
    with pytest.raises(CandidateError, match=f"two or more systems, found {len(names)}"):
        load_translations([files[name] for name in names])


def test_one_system_where_one_will_do(files):
    X = load_translations([files["a"]], min_systems=1)
    assert X.index.tolist() == [(1, "a"), (2, "a")]
    with pytest.raises(CandidateError, match="one or more systems, found 0"):
        load_translations([], min_systems=1)


def test_a_system_given_twice(files):
    with pytest.raises(CandidateError, match="a is given twice"):
        load_translations([files["a"], files["b"], files["a"].parent / "." / "a"])


def test_a_reference_given_as_a_system(files):
    with pytest.raises(CandidateError, match=r"reference is not ranked.*-r only"):
        load_translations([files["a"], files["ref"]], references=[files["ref2"], files["ref"]])


def test_a_copy_of_the_reference_is_recognised_by_many_lines(tmp_path):
    for n_lines, refused in [(19, False), (20, True)]:
        for name in ("ref", "copy", "other"):
            text = "".join(f"{name == 'other'} line {k}\n" for k in range(n_lines))
            (tmp_path / name).write_text(text)
        paths = [tmp_path / "copy", tmp_path / "other"]
        if refused:
            with pytest.raises(CandidateError, match="same lines as the reference"):
                load_translations(paths, references=[tmp_path / "ref"])
        else:  # short files can be perfect translations
            assert len(load_translations(paths, references=[tmp_path / "ref"])) == 2 * n_lines


def test_a_system_name_that_would_break_a_table(files):
    odd = files["a"].with_name("tab\there")
    odd.write_text(FILES["a"])
    with pytest.raises(CandidateError, match=r"'tab\\there'.*rename the file"):
        load_translations([odd, files["b"]])


@pytest.mark.parametrize("wrong", ["src", "ref", "a", "b"])
@pytest.mark.parametrize(("text", "line"), [("one\n", 2), ("1\n2\n3\n", 3)])
def test_files_of_unequal_length(files, wrong, text, line):
    files[wrong].write_text(text)
    with pytest.raises(DataFileError, match=rf"line {line}: has \d lines, but .* has \d") as caught:
        load_translations([files["a"], files["b"]], files["src"], [files["ref"]])
    assert str(files[wrong]) in str(caught.value)


def test_empty_files(files):
    for path in files.values():
        path.write_text("")
    with pytest.raises(DataFileError, match="the file is empty"):
        load_translations([files["a"], files["b"]])


def test_a_missing_file(files):
    with pytest.raises(DataFileError, match=r"nothing: cannot be read \(No such file"):
        load_translations([files["a"], files["a"].with_name("nothing")])


def test_bytes_that_are_not_utf_8(files):
    files["b"].write_bytes(b"one\nt\xfco\n")
    with pytest.raises(DataFileError, match=r"b, line 2: expected UTF-8, found the byte 0xfc"):
        load_translations([files["a"], files["b"]])


def test_a_path_with_nul(tmp_path):
    (tmp_path / "b").write_text("text\n")
    with pytest.raises(DataFileError, match=r"null (byte|character)"):
        load_translations([f"{tmp_path}/a\0b", tmp_path / "b"])
