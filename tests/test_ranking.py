import json

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.candidates import check_candidates
from sklearn_mteval.exceptions import CandidateError, DataFileError
from sklearn_mteval.ranking import (
    load_translations,
    rank_candidates,
    rank_systems,
    segment_lines,
)
from sklearn_mteval.workflow import bleu_pipeline

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


@pytest.fixture
def ranked():
    """Three systems on two segments; a and c tie on the second."""
    return pd.DataFrame(
        {"rank": [1, 3, 2, 2, 1, 2], "strength": [2.0, -1.25, 0.5, -1 / 3, 3.0, -1 / 3]},
        index=pd.MultiIndex.from_product([[1, 2], ["a", "b", "ç"]], names=["segment", "system"]),
    )


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


def test_source_and_one_reference_are_texts(files):
    X = load_translations([files["a"], files["b"]], files["src"], [files["ref"]])
    assert (
        X[["source", "reference"]].to_numpy().tolist()
        == [["eins", "one"]] * 2 + [["zwei", "two"]] * 2
    )


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


@pytest.mark.parametrize("recomposition", ["hard", "soft", "expected", "bradley-terry", "absolute"])
def test_candidates_are_ranked_as_the_model_predicts(rankings, recomposition):
    X, y = rankings
    model = bleu_pipeline(recomposition).fit(X, y)
    shuffled = X.sample(frac=1, random_state=0)
    ranked = rank_candidates(model, shuffled)
    assert ranked.index.equals(shuffled.index)
    assert list(ranked.columns) == ["rank", "strength"]
    assert ranked["rank"].tolist() == model.predict(shuffled).tolist()
    assert ranked["rank"].dtype == np.int64
    assert ranked["strength"].tolist() == model.decision_function(shuffled).tolist()


def test_ranking_needs_the_index(rankings):
    X, y = rankings
    model = bleu_pipeline().fit(X, y)
    with pytest.raises(CandidateError, match="MultiIndex"):
        rank_candidates(model, X.reset_index(drop=True))


def test_systems_are_summarised_by_hand(ranked):
    systems = rank_systems(ranked)
    expected = pd.DataFrame(
        {
            "mean_rank": [1.5, 2.0, 2.0],
            "mean_strength": [(2 - 1 / 3) / 2, 0.875, (0.5 - 1 / 3) / 2],
            "best": [0.5, 0.5, 0.0],
            "segments": [2, 2, 2],
        },
        index=pd.Index(["a", "b", "ç"], name="system"),
    )
    pd.testing.assert_frame_equal(systems, expected)


def test_equal_mean_ranks_are_ordered_by_strength(ranked):
    ranked["rank"] = 1
    assert rank_systems(ranked).index.tolist() == ["b", "a", "ç"]


def test_systems_with_different_numbers_of_segments(ranked):
    systems = rank_systems(ranked.drop(index=(2, "a")))
    assert systems["segments"].to_dict() == {"a": 1, "b": 2, "ç": 2}
    assert systems.loc["a", "mean_rank"] == 1


def test_lines_of_tab_separated_values(ranked):
    assert list(segment_lines(ranked, "tsv")) == [
        "segment\tsystem\trank\tstrength",
        "1\ta\t1\t2.000000",
        "1\tb\t3\t-1.250000",
        "1\tç\t2\t0.500000",
        "2\ta\t2\t-0.333333",
        "2\tb\t1\t3.000000",
        "2\tç\t2\t-0.333333",
    ]


def test_lines_of_json(ranked):
    lines = list(segment_lines(ranked, "jsonl"))
    assert [json.loads(line)["segment"] for line in lines] == [1, 2]
    assert "ç" in lines[0] and "\n" not in lines[0]
    assert json.loads(lines[0])["translations"] == [
        {"system": "a", "rank": 1, "strength": 2.0},
        {"system": "ç", "rank": 2, "strength": 0.5},
        {"system": "b", "rank": 3, "strength": -1.25},
    ]
    assert [entry["system"] for entry in json.loads(lines[1])["translations"]] == ["b", "a", "ç"]
    assert json.loads(lines[1])["translations"][1]["strength"] == -0.333333


def test_json_lines_do_not_need_segments_in_a_row(ranked):
    shuffled = ranked.iloc[[5, 0, 3, 2, 4, 1]]
    entries = {
        json.loads(line)["segment"]: json.loads(line)["translations"]
        for line in segment_lines(shuffled, "jsonl")
    }
    assert [entry["system"] for entry in entries[1]] == ["a", "ç", "b"]
    assert entries[2][0] == {"system": "b", "rank": 1, "strength": 3.0}
