import gzip
import json
from shutil import copytree

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.candidates import check_candidates
from sklearn_mteval.datasets import load_mtme
from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.metrics import calibrate_ties

SOURCES = ["eins", "zwei", "drei"]
REFERENCES = {"refA": ["one", "two", "three"], "refB": ["1", "2", "3"]}
OUTPUTS = {"sys-A": ["one", "", 'th"ree\tx'], "B.1": ["on", "tow", "three"]}
MQM = {"sys-A": ["-1.5", "None", "0"], "B.1": ["-0.0", "-25", "None"], "refA": ["-2", "-3", "-4"]}
COMET = {"sys-A": ["0.5", "1e-3", "None"], "B.1": [".25", "-1", "7"], "refB": ["1", "1", "1"]}


def lines(path, texts):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(f"{text}\n" for text in texts).encode())


def score_lines(scores):
    return [f"{system}\t{score}" for system, column in scores.items() for score in column]


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "wmt99"
    lines(root / "sources" / "de-en.txt", SOURCES)
    lines(root / "sources" / "en-de.txt", ["another pair"])
    lines(root / "documents" / "de-en.docs", ["news\ta.1", "news a.1", "chat\tb c"])
    for name, texts in REFERENCES.items():
        lines(root / "references" / f"de-en.{name}.txt", texts)
        lines(root / "system-outputs" / "de-en" / f"{name}.txt", texts)
    lines(root / "references" / "de-en.synthetic_ref.txt", ["s"] * 3)
    lines(root / "system-outputs" / "de-en" / "synthetic_ref.txt", ["s"] * 3)
    for name, texts in OUTPUTS.items():
        lines(root / "system-outputs" / "de-en" / f"{name}.txt", texts)
    lines(root / "human-scores" / "de-en.mqm.seg.score", score_lines(MQM))
    lines(root / "human-scores" / "de-en.mqm.sys.score", ["sys-A\t-0.75"])
    metrics = root / "metric-scores" / "de-en"
    lines(metrics / "COMET-refA.seg.score", score_lines(COMET))
    lines(metrics / "QE-9-src.seg.score", score_lines(COMET))
    lines(metrics / "COMET-refA.sys.score", ["sys-A\t0.3"])
    return root


def test_what_is_read(root):
    mtme = load_mtme(root, "de-en", metric_scores=True)
    check_candidates(mtme.X, columns=["source", "reference", "hypothesis"])
    assert mtme.y.to_dict() == {
        (1, "sys-A"): 1.5,
        (1, "B.1"): 0.0,
        (2, "B.1"): 25.0,
        (3, "sys-A"): 0.0,
    }
    assert not np.signbit(mtme.y).any()
    assert mtme.y.index.equals(mtme.X.index)
    assert {key: tuple(row) for key, *row in mtme.X.iloc[:, :3].itertuples(name=None)} == {
        (1, "sys-A"): ("eins", "one", "one"),
        (1, "B.1"): ("eins", "one", "on"),
        (2, "B.1"): ("zwei", "two", "tow"),
        (3, "sys-A"): ("drei", "three", 'th"ree\tx'),
    }
    assert mtme.metrics == ["COMET", "QE-9"]
    assert mtme.X[mtme.metrics].dtypes.tolist() == [np.float64] * 2
    comet = {(1, "sys-A"): 0.5, (1, "B.1"): 0.25, (2, "B.1"): -1, (3, "sys-A"): np.nan}
    assert mtme.X["COMET"].to_dict() == pytest.approx(comet, nan_ok=True)
    assert mtme.documents.to_dict() == {
        (1, "sys-A"): "a.1",
        (1, "B.1"): "a.1",
        (2, "B.1"): "a.1",
        (3, "sys-A"): "b c",
    }
    assert set(mtme.domains) == {"news", "chat"}
    assert set(mtme.judges) == {""}
    assert mtme.spans is None
    assert mtme.references == ("refA",)  # that which the metrics read
    assert set(mtme.other_systems) == {"refA", "refB", "synthetic_ref"}
    assert mtme.n_segments == 3
    assert mtme.translations.shape == (6, 5)
    assert mtme.translations.loc[(2, "sys-A"), "hypothesis"] == ""
    assert "mqm" in mtme.DESCR
    X, y = load_mtme(root, "de-en", return_X_y=True)
    pd.testing.assert_frame_equal(X, mtme.X.drop(columns=mtme.metrics))
    pd.testing.assert_series_equal(y, mtme.y)


def test_compressed_files_and_a_pair_with_a_script(root, tmp_path):
    plain = load_mtme(root, "de-en", metric_scores=True)
    for file in list(root.rglob("*-*.*")) + list(root.rglob("*.txt")):
        if file.is_file():
            (file.parent / f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
            file.unlink()
    zipped = load_mtme(root, "de-en", metric_scores=True)
    pd.testing.assert_frame_equal(plain.X, zipped.X)
    pd.testing.assert_series_equal(plain.documents, zipped.documents)
    (root / "sources" / "en-zh_TW.txt").write_text("x\n")
    with pytest.raises(DataFileError, match="expected outputs of systems"):
        load_mtme(root, "en-zh_TW")


def test_references(root):
    X, _ = load_mtme(root, "de-en", reference="refB", return_X_y=True)
    assert X["reference"].tolist() == ["1", "1", "2", "3"]
    X, _ = load_mtme(root, "de-en", reference=["refB", "refA"], return_X_y=True)
    assert X["reference"].iloc[0] == ["1", "one"]
    for file in (root / "metric-scores" / "de-en").iterdir():
        file.unlink()
    mtme = load_mtme(root, "de-en", metric_scores=True)
    assert mtme.references == ("refA", "refB")  # all but the synthetic one
    assert mtme.metrics == []
    for file in (root / "references").iterdir():
        file.unlink()
    assert "reference" not in load_mtme(root, "de-en").X


def test_references_that_compete(root):
    mtme = load_mtme(root, "de-en", reference="refB", human_systems=True)
    assert set(mtme.y.index.unique("system")) == {"sys-A", "B.1", "refA"}
    assert mtme.y.xs("refA", level="system").tolist() == [2, 3, 4]
    own = load_mtme(root, "de-en", human_systems=True)  # what metrics read never competes
    assert set(own.y.index.unique("system")) == {"sys-A", "B.1"}


def test_what_nobody_wrote_never_competes(root):
    human = MQM | {"synthetic_ref": ["-1", "-1", "-1"]}
    lines(root / "human-scores" / "de-en.mqm.seg.score", score_lines(human))
    mtme = load_mtme(root, "de-en", reference="refB", human_systems=True)
    assert set(mtme.y.index.unique("system")) == {"sys-A", "B.1", "refA"}


def test_a_reference_is_known_by_its_name_without_its_text(root):
    (root / "references" / "de-en.refB.txt").unlink()
    lines(root / "human-scores" / "de-en.mqm.seg.score", score_lines(MQM | {"refB": [0, 0, 0]}))
    assert set(load_mtme(root, "de-en").y.index.unique("system")) == {"sys-A", "B.1"}
    human = load_mtme(root, "de-en", human_systems=True)
    assert set(human.y.index.unique("system")) == {"sys-A", "B.1", "refB"}


def test_metrics_by_name_and_variants(root):
    lines(root / "metric-scores" / "de-en" / "COMET-refB.seg.score", score_lines(COMET))
    assert load_mtme(root, "de-en", metric_scores=True).metrics == [
        "COMET-refA",
        "COMET-refB",
        "QE-9",
    ]
    chosen = load_mtme(root, "de-en", reference="refB", metric_scores=True)
    assert chosen.metrics == ["COMET", "QE-9"]
    assert load_mtme(root, "de-en", metric_scores="QE-9").metrics == ["QE-9"]
    two = load_mtme(root, "de-en", metric_scores=["COMET-refB", "QE-9-src"])
    assert two.metrics == ["COMET-refB", "QE-9-src"]
    with pytest.raises(DataFileError, match=r"one metric 'COMET', found 2 variants"):
        load_mtme(root, "de-en", metric_scores=["COMET"])
    with pytest.raises(DataFileError, match=r"one metric 'BLEU', found none; there are \["):
        load_mtme(root, "de-en", metric_scores=["BLEU"])
    lines(root / "metric-scores" / "de-en" / "x-all.seg.score", score_lines(COMET))
    assert "x" in load_mtme(root, "de-en", metric_scores=True).metrics
    lines(root / "metric-scores" / "de-en" / "source-src.seg.score", score_lines(COMET))
    found = load_mtme(root, "de-en", metric_scores=True)
    assert "source-src" in found.metrics
    assert found.X.columns.is_unique


def test_a_system_that_a_metric_leaves_out_has_no_score(root):
    lines(
        root / "metric-scores" / "de-en" / "QE-9-src.seg.score",
        score_lines({"B.1": COMET["B.1"]}),
    )
    mtme = load_mtme(root, "de-en", metric_scores=True)
    assert {s for _, s in mtme.X.index[mtme.X["QE-9"].notna()]} == {"B.1"}
    assert {s for _, s in mtme.X.index[mtme.X["QE-9"].isna()]} == {"sys-A"}
    assert "QE-9 of sys-A" in mtme.DESCR


def rating(*errors):
    keys = ("severity", "category", "score")
    return json.dumps({"errors": [dict(zip(keys, error, strict=True)) for error in errors]})


def test_ratings(root):
    file = root / "human-scores" / "de-en.mqm.rater1.seg.rating"
    scored = rating(("minor", "fluency/punctuation", 0.1), ("major", "accuracy/addition", 5))
    unscored = rating(("Minor", "Fluency/Punctuation", None), ("major", None, None))
    rows = [
        f"sys-A\t{scored}\tann\u00e9",
        "sys-A\tNone",
        f"sys-A\t{rating()}",
        f"B.1\t{unscored}",
        "B.1\tNone",
        "B.1\tNone",
    ]
    lines(file, rows)
    mtme = load_mtme(root, "de-en", gold="mqm.rater1")
    found = {(1, "sys-A"): 5.1, (1, "B.1"): 5.1, (3, "sys-A"): 0}
    assert mtme.y.to_dict() == pytest.approx(found)
    assert mtme.judges.to_dict() == {
        (1, "sys-A"): "ann\u00e9",
        (1, "B.1"): "mqm.rater1",
        (3, "sys-A"): "mqm.rater1",
    }
    assert {key: len(spans) for key, spans in mtme.spans.items()} == {
        (1, "sys-A"): 2,
        (1, "B.1"): 2,
        (3, "sys-A"): 0,
    }
    assert {span.place for cell in mtme.spans for span in cell} == {"unknown"}
    lines(file, [row.replace(" 5}", " 0}") for row in rows])  # 0 has no sign
    assert load_mtme(root, "de-en", gold="mqm.rater1").y[1, "sys-A"] == pytest.approx(0.1)
    lines(file, [row.replace("0.1", "-0.1") for row in rows])
    with pytest.raises(DataFileError, match="which is worse"):
        load_mtme(root, "de-en", gold="mqm.rater1")
    lines(file, [row.replace("0.1", "-0.1").replace(" 5}", " -5}") for row in rows])
    assert load_mtme(root, "de-en", gold="mqm.rater1").y.to_dict() == pytest.approx(found)


def errors(**error):
    return "sys-A\t" + json.dumps({"errors": [{"score": 1} | error]})


def test_spans_of_ratings(root):
    file = root / "human-scores" / "de-en.esa.merged.seg.rating"
    rows = [
        errors(start=0, end=3, severity="Minor", category="style/awkward"),
        errors(start=0, end=4, severity="major", is_source_error=True),
        errors(start=5, end=5),  # nothing: an omission
        errors(start=0, end=1, severity="no-error"),
    ]
    lines(
        file, [rows[0], rows[2], rows[3], "B.1\tNone", rows[1].replace("sys-A", "B.1"), "B.1\tNone"]
    )
    spans = load_mtme(root, "de-en", gold="esa.merged").spans.to_dict()
    assert spans == {
        (1, "sys-A"): [(0, 3, "minor", "style/awkward", "translation")],
        (2, "sys-A"): [(0, 0, "", "", "omission")],
        (3, "sys-A"): [],
        (2, "B.1"): [(0, 4, "major", "", "source")],
    }
    lines(file, [errors(start=0, end=4), "sys-A\tNone", "sys-A\tNone"])
    with pytest.raises(DataFileError, match=r"'sys-A' in segment 1 ends at 4, but the translation"):
        load_mtme(root, "de-en", gold="esa.merged")


def test_marks_of_the_raters_of_scores(root):
    """Each rater's file belongs to the scores that its name begins with, and so does one of all."""
    human, nothing = root / "human-scores", ["sys-A\tNone"] * 3 + ["B.1\tNone"] * 3
    assert load_mtme(root, "de-en").marks is None
    wrong = rating(("major", "accuracy/addition", 5)).replace("{", '{"start": 0, "end": 9, ', 2)
    wrong = wrong.replace('{"start": 0, "end": 9, ', "{", 1)  # beyond the text: shown to its end
    lines(human / "de-en.mqm.rater1.seg.rating", [f"sys-A\t{wrong}", *nothing[1:]])
    both = [f"sys-A\t{rating()}\trater2", f"sys-A\t{wrong}\trater1", *nothing[2:]]
    lines(human / "de-en.mqm.merged.seg.rating", both)
    lines(human / "de-en.mqmore.rater1.seg.rating", [f"sys-A\t{rating()}", *nothing[1:]])
    mtme = load_mtme(root, "de-en")
    assert mtme.spans is None  # whether all have been asked nobody knows
    assert mtme.marks.to_dict() == {
        (1, "rater1", "sys-A"): [(0, 9, "major", "accuracy/addition", "translation")],
        (1, "rater2", "sys-A"): [],
    }  # the second segment of this system has no score
    assert mtme.ratings.to_dict() == {(1, "rater1", "sys-A"): 5, (1, "rater2", "sys-A"): 0}
    alone = load_mtme(root, "de-en", gold="mqmore.rater1", human_systems=True)
    assert list(alone.ratings.index) == [(1, "mqmore.rater1", "sys-A")]


def test_the_usual_human_scores_are_taken(root):
    human, scores = root / "human-scores", score_lines(MQM)
    for name in ("da-sqm", "esa", "other"):
        lines(human / f"de-en.{name}.seg.score", scores)
    found = []
    for name in ("mqm", "esa", "da-sqm", "other"):
        found.append(load_mtme(root, "de-en").y.name)
        (human / f"de-en.{name}.seg.score").unlink()
    assert found == ["mqm", "esa", "da-sqm", "other"]
    with pytest.raises(DataFileError, match=r"no human scores 'mqm' of de-en.*one of \[\]"):
        load_mtme(root, "de-en")
    found = rating(("Terrible", "", 3))
    lines(human / "de-en.esa.r.seg.rating", [f"sys-A\t{found}"] + ["sys-A\tNone"] * 2)
    assert load_mtme(root, "de-en", gold="esa.r").ratings is not None
    lines(human / "de-en.esa.seg.score", scores)
    [said] = load_mtme(root, "de-en").ratings
    assert np.isnan(said)  # only MQM says what an error costs


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("sys-A {}", "expected SYSTEM, tab, JSON"),
        ("sys-A\t{}", "a list 'errors'"),
        ('sys-A\t{"errors": [3]}', "a list 'errors'"),
        ('sys-A\t{"errors": [', "expected JSON"),
        ('sys-A\t{"errors": [], "errors": []}', "'errors' is there twice"),
        ('sys-A\t{"errors": [{"score": NaN}]}', "must be finite, found nan"),
        ('sys-A\t{"errors": [{"score": true}]}', "must be finite, found True"),
        ('sys-A\t{"errors": [{"score": "5"}]}', "must be finite, found '5'"),
        ('sys-A\t{"errors": [{"severity": "huge"}]}', "severity must be"),
        ("sys-A\t" + "[" * 100_000, "too deep"),
        (errors(start=3), r"an error's start and end, found \(3, None\)"),
        (errors(start=3, end=2), "0 <= start <= end"),
        (errors(start=True, end=2), "expected whole numbers"),
        (errors(start=0, end=2, is_source_error="no"), "is_source_error must be true or false"),
        (errors(start=0, end=1, category=[]), "must be text"),
        ('sys-A\t{"errors": [{"score": ' + "9" * 5000 + "}]}", "not to be read as JSON"),
    ],
)
def test_bad_ratings(root, bad, message):
    lines(root / "human-scores" / "de-en.r.seg.rating", [f"sys-A\t{rating()}", bad])
    with pytest.raises(DataFileError, match=message) as caught:
        load_mtme(root, "de-en", gold="r")
    assert caught.value.line == 2


HUMAN, METRIC = "human-scores/de-en.mqm.seg.score", "metric-scores/de-en/COMET-refA.seg.score"
OUTPUT = "system-outputs/de-en/B.1.txt"
BAD_FILES = {
    "a doubled system": (HUMAN, "sys-A\t1\n" * 6, "score number 4 of 'sys-A'"),
    "too few scores": (HUMAN, "sys-A\t1\n" * 2, r"2 score\(s\) of 'sys-A', expected 3"),
    "an unknown system": (HUMAN, "C\t1\n" * 3, "line 1: the system 'C' has no output in"),
    "no score of a system": (HUMAN, "refB\t1\n" * 3, "only of references or none"),
    "None alone": (HUMAN, "sys-A\tNone\n" * 3, "only of references or none"),
    "NaN": (HUMAN, "sys-A\t1\nsys-A\tnan\nsys-A\t1\n", "line 2: expected a system and a finite"),
    "infinity": (METRIC, "sys-A\t1\nsys-A\t1e999\n", "line 2: expected a system and a finite"),
    "a word": (METRIC, "sys-A\tgood\n", "expected a system and a finite score, found"),
    "a header": (HUMAN, "system\tscore\nsys-A\t1\n", "line 1: expected a system and a finite"),
    "numbers alone": (METRIC, "1\n2\n3\n", "expected lines 'SYSTEM SCORE'"),
    "nothing": (METRIC, "", "expected scores, found an empty file"),
    "a line too few": (OUTPUT, "a\nb\n", "has 2 lines, but .* has 3"),
    "a line too many": (OUTPUT, "a\nb\nc\nd\n", "has 4 lines, but .* has 3"),
    "a reference too short": ("references/de-en.refA.txt", "a\n", "has 1 lines"),
    "no source": ("sources/de-en.txt", "", "the file is empty"),
    "documents too short": ("documents/de-en.docs", "news\ta\n", "has 1 lines"),
    "no document": (
        "documents/de-en.docs",
        "news\ta\nnews\nnews\ta\n",
        "line 2: expected a",
    ),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files_are_named(root, case):
    name, content, message = BAD_FILES[case]
    (root / name).write_text(content)
    with pytest.raises(DataFileError, match=message) as caught:
        load_mtme(root, "de-en", metric_scores=True)
    assert str(root) in str(caught.value)


@pytest.mark.parametrize("name", [HUMAN, METRIC, OUTPUT, "sources/de-en.txt"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda b: b.decode().encode("utf-16"), "looks like UTF-16 text"),
        (lambda b: gzip.compress(b)[:-6], "damaged gzip file"),
        (lambda b: gzip.compress(b * 3_000_000), "decompressed, the file holds more than"),
        (lambda b: b[:5] + b"\0" + b[5:], "NUL byte"),
        (lambda b: b[:5] + b"\xff" + b[5:], "expected UTF-8"),
        (lambda b: b"PK\x03\x04" + b, "looks like a zip file"),
    ],
)
def test_bytes_that_are_no_text(root, name, change, message):
    file = root / name
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises(DataFileError, match=message):
        load_mtme(root, "de-en", metric_scores=True)


def test_files_that_are_there_twice(root):
    for name in (HUMAN, METRIC, OUTPUT, "sources/de-en.txt", "references/de-en.refA.txt"):
        copy = root / f"{name}.gz"
        copy.write_bytes(gzip.compress((root / name).read_bytes()))
        with pytest.raises(DataFileError, match="is there twice"):
            load_mtme(root, "de-en")
        copy.unlink()


def test_what_is_not_there(root):
    with pytest.raises(DataFileError, match=r"no such file: there are \['de-en', 'en-de'\]"):
        load_mtme(root, "fr-en")
    with pytest.raises(DataFileError, match="root must be one test set"):
        load_mtme(root.parent, "de-en")
    with pytest.raises(DataFileError, match=r"no human scores 'esa'.*one of \['mqm'\]"):
        load_mtme(root, "de-en", gold="esa")
    with pytest.raises(DataFileError, match=r"no reference 'refC' of de-en; there are"):
        load_mtme(root, "de-en", reference="refC")
    (root / "metric-scores" / "de-en" / "my-metric.seg.score").write_text("")
    with pytest.raises(DataFileError, match=r"expected METRIC-REF.seg.score, REF being 'src'"):
        load_mtme(root, "de-en")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"lang_pair": "../de-en"}, "lang_pair must be like"),
        ({"lang_pair": None}, "lang_pair must be like"),
        ({"gold": 3}, "gold must name human scores"),
        ({"reference": 3}, "reference must be a name or a list of names"),
        ({"metric_scores": {"COMET": 1}}, "metric_scores must be a name or a list"),
        ({"human_systems": "yes"}, "human_systems must be True or False"),
    ],
)
def test_bad_options(root, given, message):
    with pytest.raises(ValueError, match=message):
        load_mtme(**{"root": root, "lang_pair": "de-en"} | given)


def test_hidden_files_are_no_systems(root):
    (root / "system-outputs" / "de-en" / "._B.1.txt").write_bytes(b"\0")
    assert "._B.1" not in load_mtme(root, "de-en").translations.index.unique("system")


def test_the_order_of_systems_changes_no_number(root, tmp_path):
    turned = tmp_path / "turned"
    copytree(root, turned)
    for name in (HUMAN, METRIC):
        scores = MQM if name == HUMAN else COMET
        lines(turned / name, score_lines(dict(reversed(scores.items()))))
    one, other = (load_mtme(r, "de-en", metric_scores=True) for r in (root, turned))
    pd.testing.assert_frame_equal(one.X, other.X)
    pd.testing.assert_series_equal(one.y, other.y)


@pytest.mark.parametrize(
    ("lang_pair", "expected"),
    [
        ("zh-en", {"XCOMET-Ensemble": 0.543, "MetricX-23": 0.531, "BLEU": 0.472}),
        ("he-en", {"XCOMET-Ensemble": 0.586, "MetricX-23": 0.577, "BLEU": 0.442}),
    ],
)
def test_the_campaigns_own_figures(data_dir, lang_pair, expected):
    given = {"human_systems": True, "metric_scores": list(expected)}
    mtme = load_mtme(data_dir / "wmt23", lang_pair, **given)
    segments = mtme.X.index.get_level_values("segment")
    for name, accuracy in expected.items():
        found = calibrate_ties(mtme.y, mtme.X[name], groups=segments, average="groups").accuracy
        assert round(found, 3) == accuracy
    of_systems = pd.read_csv(
        data_dir / "wmt23" / "human-scores" / f"{lang_pair}.mqm.sys.score",
        sep="\t",
        header=None,
        index_col=0,
    )[1]
    means = -mtme.y.groupby("system").mean()
    assert means.to_dict() == pytest.approx(of_systems[means.index].to_dict())


def test_other_human_scores_of_the_campaign(data_dir):
    mqm = load_mtme(data_dir / "wmt23", "zh-en")
    assert len(mqm.X) == 17655
    assert not {"refA", "synthetic_ref"} & set(mqm.X.index.unique("system"))
    sqm = load_mtme(data_dir / "wmt23", "zh-en", gold="da-sqm")
    assert sqm.y.min() >= -100
    rater = load_mtme(data_dir / "wmt23", "zh-en", gold="mqm.rater1")
    alone = mqm.y.reindex(rater.y.index)
    assert (alone == rater.y).mean() > 0.6  # where nobody else judged
