import gzip
import json

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.candidates import check_candidates
from sklearn_mteval.datasets import load_pearmut
from sklearn_mteval.exceptions import DataFileError

LONG = ", and so on; and so on, and so on, and so on"
SPAN = {"start_i": 8, "end_i": 42, "category": None, "severity": "minor"}


def entry(user, place, *segments, **changed):
    """Write what a user said of a document, as pearmut does; segments are {model: score}."""

    def judged(score):
        return {"score": score, "error_spans": [SPAN] * (score == 70), "textfield": None}

    made = {
        "annotation": [{m: judged(score) for m, score in said.items()} for said in segments],
        "actions": [
            {"time": 1000.5, "action": "load"},
            {"time": 1010.5, "action": "score", "index": 0, "value": 3},
            {"time": 9000.0, "action": "submit"},
        ],
        "item": [
            {
                "item_id": f"doc{place}-{k}",
                "src": f"source {place} {k}",
                "tgt": {model: f"{model}'s {place} {k}{LONG}" for model in said},
            }
            for k, said in enumerate(segments)
        ],
        "user_id": user,
        "item_i": place,
    }
    return made | changed


LOG = [
    entry("ann", 0, {"X": 70, "Y": 90}, {"X": 20.5, "Y": 30}),
    entry("bob", 0, {"X": 80, "Y": 60}, {"X": None, "Y": 30}),
    entry("bob", 1, {"Y": 10}, actions=[]),
    entry("ann", "welcome_0", {"X": 1, "Y": 2}),
    entry("cid", 2, {"X": 5, "Y": 5}),
    entry("cid", 3, {"X": 4, "Y": 5}),
    {"annotation": "__RESET__", "user_id": "cid"},  # of whatever cid said
    entry("ann", 3, {"X": 5, "Y": 5}),
    entry("ann", 3, {"X": 6, "Y": 7}),  # submitted again
    entry("ann", 4, {"X": 5}) | {"annotation": [None]},  # skipped
    {
        "annotation": ["Czech"],
        "item": [{"text": "What do you speak?", "form": "string"}],
        "user_id": "ann",
        "item_i": 5,
    },
]
EXPECTED = {
    ("doc0-0", "ann", "X"): -70,
    ("doc0-0", "ann", "Y"): -90,
    ("doc0-1", "ann", "X"): -20.5,
    ("doc0-1", "ann", "Y"): -30,
    ("doc0-0", "bob", "X"): -80,
    ("doc0-0", "bob", "Y"): -60,
    ("doc0-1", "bob", "Y"): -30,
    ("doc1-0", "bob", "Y"): -10,
    ("doc3-0", "ann", "X"): -6,
    ("doc3-0", "ann", "Y"): -7,
}


def dumped(log):
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in log)


@pytest.fixture
def save(tmp_path):
    def write(content, name="campaign.jsonl"):
        path = tmp_path / name
        content = dumped(content) if isinstance(content, list) else content
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def by_judge(pearmut):
    return {
        (segment, judge, system): value
        for (segment, _, system), judge, value in zip(
            pearmut.y.index, pearmut.judges, pearmut.y, strict=True
        )
    }


def test_what_is_read(save):
    pearmut = load_pearmut(save(LOG))
    check_candidates(pearmut.X, columns=["source", "hypothesis"])
    assert list(pearmut.X.columns) == ["source", "hypothesis"]
    assert by_judge(pearmut) == EXPECTED
    first = pearmut.X.xs("doc0-1", level="segment").xs("Y", level="system")
    assert set(first.itertuples(index=False, name=None)) == {("source 0 1", f"Y's 0 1{LONG}")}
    assert sum(map(len, pearmut.spans)) == 1
    assert pearmut.spans.iloc[0] == [(8, 43, "minor", "", "translation")]  # the end excluded
    of_ann = pearmut.seconds[pearmut.judges == "ann"]
    assert of_ann.xs("doc0-0", level="segment").tolist() == [70 / 4] * 2  # pauses: a minute
    assert np.isnan(pearmut.seconds.xs("doc1-0", level="segment")).all()
    assert (pearmut.n_repeated, pearmut.n_contradictions) == (0, 0)
    assert "1 translations without 'score'" in pearmut.DESCR


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("campaign.jsonl.gz", gzip.compress(dumped(LOG).encode())),
        ("annotations.json", json.dumps({"campaign": LOG})),
        ("annotations.json", json.dumps({"campaign": LOG}, indent=2)),
        ("log", dumped(LOG).replace("\n", "\r\n\r\n")),
        ("log", "\ufeff" + dumped(LOG)),
    ],
)
def test_other_forms_of_the_same(save, name, content):
    assert by_judge(load_pearmut(save(content, name))) == EXPECTED


def test_means(save):
    pearmut = load_pearmut(save(LOG), average_judges=True)
    assert pearmut.y.to_dict()["doc0-0", "X"] == -75
    assert pearmut.n_judgements.to_dict()["doc0-0", "X"] == 2
    assert [len(cell) for cell in pearmut.spans] == [1, *[0] * (len(pearmut.y) - 1)]
    X, y = load_pearmut(save(LOG), average_judges=True, return_X_y=True)
    assert X.index.equals(y.index)


def mark(start, end, **labels):
    return {"start_i": start, "end_i": end, "category": None, "severity": "minor"} | labels


def test_positions_are_those_of_a_browser(save):
    """UTF-16 units, line breaks too, the last unit within; after them the special tokens."""
    log = [entry("ann", 0, {"X": 70, "Y": 90}), entry("bob", 0, {"X": 10, "Y": 90})]
    text = "a😀b\ncd"  # units: a, two of 😀, b, the break, c, d
    for one in log:
        one["item"][0]["tgt"] = {"X": text, "Y": "ok"}
    said = log[0]["annotation"][0]
    said["X"]["error_spans"] = [mark(0, 2), mark(3, 5, severity="Major"), mark(6, 6), mark(7, 7)]
    log[1]["annotation"][0]["X"]["error_spans"] = [mark(8, 8, category="Accuracy/Omission")]
    said["Y"]["error_spans"] = [mark(0, 1, severity=None)]
    spans = load_pearmut(save(log)).spans
    of_x, other = (spans.xs("X", level="system").iloc[k] for k in (0, 1))
    text = log[0]["item"][0]["tgt"]["X"]
    assert [text[s.start : s.end] for s in of_x] == ["a😀", "b\nc", "d", ""]
    assert [s.severity for s in of_x] == ["minor", "major", "minor", "minor"]
    assert [s.place for s in of_x] == ["translation"] * 3 + ["omission"]
    assert other == [(0, 0, "minor", "Accuracy/Omission", "omission")]
    assert spans.xs("Y", level="system").iloc[0] == [(0, 2, "", "", "translation")]
    means = load_pearmut(save(log), average_judges=True).spans
    assert sorted(means["doc0-0", "X"]) == sorted(of_x + other)


@pytest.mark.parametrize("span", [(3, 2), (-1, 2), (0, 9), (6, 9), ("missing", 3), (1.0, 2)])
def test_positions_beyond_the_text(save, span):
    log = [entry("ann", 0, {"X": 70, "Y": 90})]
    log[0]["item"][0]["tgt"]["X"] = "abc"
    log[0]["annotation"][0]["X"]["error_spans"] = [mark(*span)]
    with pytest.raises(DataFileError, match=r"line 1: expected .*start_i"):
        load_pearmut(save(log))


def test_sliders_references_and_checks(save):
    log = [entry("ann", k, {"X": None, "Y": None}) for k in range(3)]
    for one in log:
        for model, judgement in one["annotation"][0].items():
            judgement["sliders"] = {"Fluency": 1 + (model == "Y"), "Adequacy": 50}
        one["item"][0]["ref"] = "the reference"
    log[2]["item"][0]["validation"] = {"X": {"score": [0, 10]}}
    pearmut = load_pearmut(save(log), score="Fluency")
    assert sorted(pearmut.y) == [-2, -2, -1, -1]
    assert set(pearmut.X["reference"]) == {"the reference"}
    with pytest.raises(DataFileError, match=r"no judgement with a 'score'.*4 without"):
        load_pearmut(save(log))


def test_what_else_annotators_leave(save):
    """All the time, the last remark on each document, what was typed, and pearmut's own checks."""
    log = [
        entry("ann", "welcome_0", {"X": 1, "Y": 2}, comment="what is this?"),
        entry("ann", 0, {"X": 70, "Y": 90}, comment="too long"),
        entry("ann", 0, {"X": 71, "Y": 90}, validations=[True, False]),  # the remark taken back
        entry("bob", 0, {"X": 70, "Y": 90}, comment="reset"),
        {"annotation": "__RESET__", "user_id": "bob"},
        entry("bob", 0, {"X": 30, "Y": 40}, comment="too short", validations=[True]),
        entry("cid", 0, {"X": 30, "Y": 40}, actions=[]),
        LOG[10],
    ]
    log[2]["annotation"][0]["Y"]["textfield"] = "Better so."
    found = load_pearmut(save(log))
    assert found.comments.to_dict() == {
        ("ann", "welcome_0"): "what is this?",
        ("bob", "0"): "too short",
    }
    assert "Comments: 2. Answers: 1." in found.DESCR
    assert found.answers.to_dict() == {("ann", "What do you speak?"): "Czech"}
    assert found.textfields.dropna().tolist() == ["Better so."]
    assert found.textfields.dropna().index[0][2] == "Y"
    assert found.checks.to_dict("index") == {
        "ann": {"asked": 2, "passed": 1},
        "bob": {"asked": 1, "passed": 1},
    }
    # 10 seconds and a pause of a minute each.
    minutes = {"ann": 3 * 70 / 60, "bob": 2 * 70 / 60}
    assert found.annotators["minutes"].dropna().to_dict() == pytest.approx(minutes)
    plain = load_pearmut(save(LOG))
    assert "textfields" not in plain and "checks" not in plain and plain.comments.empty


def test_a_log_that_was_saved_twice_says_the_same(save):
    once, twice = load_pearmut(save(LOG)), load_pearmut(save(LOG + LOG))
    pd.testing.assert_series_equal(once.y, twice.y)
    pd.testing.assert_frame_equal(once.annotators, twice.annotators)


def test_a_document_shown_again_with_other_models(save):
    """pearmut's dynamic campaigns do so; of a translation judged again the last score counts."""
    log = [
        entry("ann", 0, {"X": 1, "Y": 2}),
        entry("ann", 0, {"V": 3, "W": 4}),
        entry("ann", 0, {"Y": 5, "Z": 6}),
    ]
    found = load_pearmut(save(log))
    assert by_judge(found) == {
        ("doc0-0", "ann", system): -score
        for system, score in {"V": 3, "W": 4, "X": 1, "Y": 5, "Z": 6}.items()
    }
    assert "left out: 1 items" in found.DESCR


def test_a_log_twice_in_a_row_is_the_log(save):
    once, twice = load_pearmut(save(LOG)), load_pearmut(save(dumped(LOG) * 2))
    pd.testing.assert_series_equal(once.y, twice.y)


def test_items_without_a_name(save):
    log = [entry("ann", 0, {"X": 1}, {"X": 2}), entry("bob", 5, {"X": 3}, {"X": 4})]
    log.append(entry("ann", 1, {"X": 5}, {"X": 6}))
    for one in log:
        for item in one["item"]:
            del item["item_id"]
            item["src"] = "Yes."
    for one in log[:2]:
        one["item"][1]["src"] = "No."
        one["item"][0]["tgt"] = {"X": "Ano."}
        one["item"][1]["tgt"] = {"X": "Ne."}
    y = load_pearmut(save(log)).y
    assert y.groupby("segment").apply(lambda s: sorted(-s)).to_dict() == {
        1: [1, 3],
        2: [2, 4],
        3: [5],
        4: [6],
    }


def test_a_translation_judged_again_in_another_document(save):
    log = [entry("ann", 0, {"X": 50, "Y": 60}), entry("ann", 9, {"X": 40, "Y": 60})]
    log[1]["item"] = log[0]["item"]
    pearmut = load_pearmut(save(log))
    assert (pearmut.n_repeated, pearmut.n_contradictions) == (2, 1)
    assert pearmut.y.groupby(level=["segment", "ranking"]).size().tolist() == [2, 2]


def after_the_first(model, item):
    """Write a log whose second entry is about one item."""
    return [LOG[0], entry("bob", 9, {model: 1}) | {"item": [item]}]


def changed(**parts):
    return [LOG[0], LOG[1] | parts]


BAD_LOGS = {
    "no JSON": ("{'a': 1}\n", "expected JSON"),
    "a list": ([[1]], "expected an object, found list"),
    "no user": (changed(user_id=None), "expected 'user_id' and 'item_i'"),
    "no place": (changed(item_i=None), "expected 'user_id' and 'item_i'"),
    "no items": (changed(item=None), "expected lists 'item' and 'annotation' of equal length"),
    "an old log": (changed(annotation={"X": {"score": 1}}), "found one of 2 and dict"),
    "too few items": (changed(annotation=[{}]), "found one of 2 and one of 1"),
    "items that are texts": (changed(item=["a", "b"]), "expected items that are objects"),
    "a text for models": (
        changed(item=[{"src": "a", "tgt": "b"}] * 2),
        "expected 'tgt' and the annotation to be objects",
    ),
    "another model": (
        changed(annotation=[{"Z": {"score": 1}}, None]),
        "model 'Z' is judged, but 'tgt' has",
    ),
    "a score that is text": (changed(annotation=[{"X": {"score": "9"}}, None]), "found '9'"),
    "a score of NaN": (changed(annotation=[{"X": {"score": float("nan")}}, None]), "found nan"),
    "infinity": (changed(annotation=[{"X": {"score": float("inf")}}, None]), "found inf"),
    "True": (changed(annotation=[{"X": {"score": True}}, None]), "found True"),
    "a bare score": (changed(annotation=[{"X": 5}, None]), "expected a judgement, found 5"),
    "spans": (
        changed(annotation=[{"X": {"score": 5, "error_spans": {"a": 1}}}, None]),
        "error_spans must be a list",
    ),
    "times": (changed(actions=[{"time": "soon"}]), "a list with a number 'time'"),
    "a doubled model": (
        dumped(LOG[:1]) + dumped(LOG[1:2]).replace('"X": {"score": 80', '"Y": {"score": 80', 1),
        "the name 'Y' is there twice",
    ),
    "half a character": (
        dumped(LOG[:1]) + dumped(LOG[1:2]).replace("source", "\\ud800", 1),
        "half",
    ),
    "too deep": (dumped(LOG[:1]) + "[" * 99_999, "too deep"),
    "cut off": (dumped(LOG[:2])[:-30], r"line 2: expected JSON.* If pearmut was stopped"),
    "cut off and gone on": (
        dumped(LOG[:2])[:-30] + dumped(LOG[2:]),
        r"line 2: expected JSON.* take out what is cut off",
    ),
    "a comment": (changed(comment=5), "a comment must be text"),
    "checks": (changed(validations=[1]), "validations must be a list of true and false"),
    "a textfield": (
        changed(annotation=[{"X": {"score": 5, "textfield": 5}}, None]),
        "textfield must be text",
    ),
    "two campaigns": (json.dumps({"a": LOG, "b": LOG}), r"found \['a', 'b'\]"),
    "another text": (
        after_the_first("X", {"item_id": "doc0-0", "src": "source 0 0", "tgt": {"X": "!"}}),
        "has another text here",
    ),
    "another source": (
        after_the_first("Z", {"item_id": "doc0-0", "src": "!", "tgt": {"Z": "!"}}),
        "has another text here",
    ),
    "some without a name": (
        after_the_first("X", {"src": "!", "tgt": {"X": "!"}}),
        "some items have an item_id",
    ),
    "no text": (after_the_first("X", {"item_id": "a", "tgt": {"X": 3}}), "of 'X' is no string"),
    "a name that is none": (
        after_the_first("X", {"item_id": [1], "tgt": {"X": "a"}}),
        "item_id must be a name",
    ),
    "nothing": ("\n\n", "found an empty file"),
    "no judgement": (LOG[10:], "no judgement with a 'score'"),
    "UTF-16": (dumped(LOG).encode("utf-16"), "looks like UTF-16 text"),
    "gzip cut short": (gzip.compress(dumped(LOG).encode())[:-3], "damaged gzip file"),
    "a bomb": (gzip.compress(dumped(LOG).encode() * 30_000), "the file holds more than"),
}


@pytest.mark.parametrize("case", BAD_LOGS)
def test_bad_logs_are_named(save, case):
    content, message = BAD_LOGS[case]
    with pytest.raises(DataFileError, match=message):
        load_pearmut(save(content))


def test_a_whole_number_of_any_size_is_a_float(save):
    y = load_pearmut(save([entry("ann", 0, {"X": 2**100, "Y": 1})])).y
    assert y.dtype == np.float64
    with pytest.raises(DataFileError, match="that float64 holds, found 1000000"):
        load_pearmut(save([entry("ann", 0, {"X": 10**30, "Y": 1})]))


def test_bad_options(save):
    with pytest.raises(ValueError, match="score must be the name"):
        load_pearmut(save(LOG), score=3)
    with pytest.raises(ValueError, match="average_judges must be True or False"):
        load_pearmut(save(LOG), average_judges="yes")


def test_users_in_another_order(save):
    one = load_pearmut(save(LOG))
    other = load_pearmut(save(LOG[1:3] + LOG[:1] + LOG[3:]))
    pd.testing.assert_series_equal(one.y, other.y)
