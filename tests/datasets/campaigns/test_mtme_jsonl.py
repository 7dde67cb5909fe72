"""Test sets whose texts stand in JSON lines, as WMT24++ and later ones have them."""

import gzip
import json

import pandas as pd
import pytest
from campaign_files import make_mtme

from sklearn_mteval.datasets import load_judgements, load_mtme
from sklearn_mteval.evaluation import evaluate_metrics
from sklearn_mteval.exceptions import DataFileError

PAIR = "en-de_DE"
SOURCE, OUTPUT = f"sources/{PAIR}.jsonl", f"system-outputs/{PAIR}/system2.jsonl"
REFERENCE = f"references/{PAIR}.refA.jsonl"


def records_of(file, root):
    """What a text file's lines are as objects, beside what wmt24pp says of a segment."""
    field = {"sources": "source", "references": "target"}.get(
        file.relative_to(root).parts[0], "hypothesis"
    )
    lines = file.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    records = [{field: text} for text in lines]
    if field == "source":
        for k, record in enumerate(records):
            record |= {"lp": PAIR, "domain": "news", "document_id": f"d{k // 5}", "segment_id": k}
            record |= {"is_bad_source": k == 3}
    return records


def dump(path, records):
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")


@pytest.fixture
def plain(tmp_path):
    make_mtme(tmp_path / "plain", [PAIR])
    return tmp_path / "plain"


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "jsonl"
    make_mtme(root, [PAIR])
    for file in root.rglob("*.txt"):
        dump(file.with_suffix(".jsonl"), records_of(file, root))
        file.unlink()
    return root


def test_the_same_as_text_files(root, plain):
    ours, expected = (load_mtme(folder, PAIR, metric_scores=True) for folder in (root, plain))
    pd.testing.assert_frame_equal(ours.X, expected.X)
    pd.testing.assert_series_equal(ours.y, expected.y)
    pd.testing.assert_frame_equal(ours.translations, expected.translations)
    for name in ("documents", "domains", "judges"):
        pd.testing.assert_series_equal(ours[name], expected[name])
    assert (ours.references, ours.other_systems) == (expected.references, expected.other_systems)
    tables = [
        evaluate_metrics(found.y, found.scores, n_permutations=50, n_resamples=20).table
        for found in (load_judgements(folder, lang_pair=PAIR) for folder in (root, plain))
    ]
    pd.testing.assert_frame_equal(*tables)


def test_some_files_of_each_kind(root, plain):
    expected = load_mtme(plain, PAIR)
    (root / OUTPUT).unlink()
    name = OUTPUT.replace(".jsonl", ".txt")
    (root / name).write_bytes((plain / name).read_bytes())
    file = root / REFERENCE
    file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
    file.unlink()
    pd.testing.assert_frame_equal(load_mtme(root, PAIR).X, expected.X)


def test_documents_are_those_of_the_sources_without_a_file_of_them(root):
    expected = load_mtme(root, PAIR).documents
    (root / "documents" / f"{PAIR}.docs").unlink()
    found = load_mtme(root, PAIR)
    pd.testing.assert_series_equal(found.documents, expected)
    assert set(found.domains) == {"news"}


def test_metadata(root, plain):
    assert load_mtme(plain, PAIR).metadata is None
    found = load_mtme(root, PAIR)
    assert found.metadata.index.equals(found.X.index)
    assert found.metadata[4, "system1"] == {
        "lp": PAIR, "domain": "news", "document_id": "d0", "segment_id": 3, "is_bad_source": True
    }  # fmt: skip
    bad = found.metadata.map(lambda said: said["is_bad_source"])
    assert set(bad[bad].index.get_level_values("segment")) == {4}
    for folder, records in ((root, [{"model": "x", "segment_id": -k} for k in range(20)]),
                            (plain, [{"model": "x"}] * 20)):  # fmt: skip
        (folder / "metadata" / PAIR).mkdir(parents=True)
        dump(folder / "metadata" / PAIR / "system2.jsonl", records)
    found = load_mtme(root, PAIR).metadata
    assert (found[2, "system2"]["model"], found[2, "system2"]["segment_id"]) == ("x", -1)
    assert "model" not in found[2, "system1"]
    found = load_mtme(plain, PAIR).metadata
    assert (found[1, "system2"], found[1, "system1"]) == ({"model": "x"}, {})


@pytest.mark.parametrize(
    "nothing", [None, "[No translation supplied]", "[No translation supplied] "]
)
def test_what_was_not_supplied(root, plain, nothing):
    for folder in (root, plain):
        file = folder / OUTPUT if folder == root else folder / OUTPUT.replace(".jsonl", ".txt")
        if folder == plain and nothing is None:
            continue
        if folder == root:
            dump(file, [{"hypothesis": nothing if k == 1 else "y"} for k in range(20)])
        else:
            file.write_text("".join(f"{nothing if k == 1 else 'y'}\n" for k in range(20)))
        found = load_mtme(folder, PAIR)
        assert found.X.loc[(2, "system2"), "hypothesis"] == ""
        assert (2, "system2") in found.y.index  # who judged an empty output judged it
        assert "not supplied, and are empty: 1." in found.DESCR
    records = [{"target": nothing if k == 2 else "y"} for k in range(20)]
    dump(root / REFERENCE, records)
    with pytest.raises(
        DataFileError, match=r"line 3: expected a reference, found none. Name other"
    ):
        load_mtme(root, PAIR)
    assert "reference" in load_mtme(root, PAIR, reference="refB").X
    dump(root / SOURCE, [{"source": nothing if k == 2 else "y"} for k in range(20)])
    with pytest.raises(DataFileError, match="line 3: expected a source, found none"):
        load_mtme(root, PAIR)


LINE = '{"%s": "x"}\n'
BAD = {
    "too few lines": (OUTPUT, LINE % "hypothesis" * 19, "has 19 lines, but .* has 20"),
    "too many lines": (OUTPUT, LINE % "hypothesis" * 21, "line 21: has 21 lines, but .* has 20"),
    "no such key": (OUTPUT, LINE % "target" * 20, r"line 1: .*'hypothesis'.* the names \['target'"),
    "no key of a source": (SOURCE, "{}\n" * 20, r"line 1: .*a text 'source'.*the names \[\]"),
    "a number": (OUTPUT, '{"hypothesis": 1}\n' * 20, "line 1: .* 'hypothesis' is no text"),
    "a list": (REFERENCE, '{"target": ["a"]}\n' * 20, "line 1: .* 'target' is no text"),
    "no object": (OUTPUT, '"x"\n' * 20, "line 1: expected one JSON object a line, found str"),
    "no JSON": (OUTPUT, LINE % "hypothesis" * 2 + "plain text\n", "line 3: expected JSON"),
    "a blank line": (OUTPUT, LINE % "hypothesis" + "\n", "line 2: expected JSON"),
    "a key twice": (OUTPUT, '{"hypothesis": "a", "hypothesis": "b"}\n', "line 1: .*there twice"),
    "half a character": (SOURCE, '{"source": "\\ud800"}\n', "line 1: a text has half a character"),
    "not UTF-8": (OUTPUT, b'{"hypothesis": "\xff"}\n', "expected UTF-8"),
    "nothing": (SOURCE, "", "the file is empty"),
    "a document that is no name": (SOURCE, '{"source": "x", "document_id": 3}\n' * 20, "line 1: d"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_named(root, case):
    name, content, message = BAD[case]
    (root / name).write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(DataFileError, match=message) as caught:
        load_mtme(root, PAIR)
    assert name in str(caught.value)


@pytest.mark.parametrize("name", [SOURCE, OUTPUT, REFERENCE])
def test_both_kinds_of_one_file(root, name):
    (root / name.replace(".jsonl", ".txt")).write_text("x\n" * 20)
    with pytest.raises(
        DataFileError, match=r"is there twice, as .*\.txt and .*\.jsonl: remove one"
    ):
        load_mtme(root, PAIR)


def test_bad_metadata(root):
    (root / "metadata" / PAIR).mkdir(parents=True)
    file = root / "metadata" / PAIR / "system2.jsonl"
    for content, message in (("{}\n" * 3, "has 3 lines"), ("[]\n" * 20, "found list")):
        file.write_text(content)
        with pytest.raises(DataFileError, match=message):
            load_mtme(root, PAIR)
