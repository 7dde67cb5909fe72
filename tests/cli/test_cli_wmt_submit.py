"""The command wmt-submit: the same answers as score gives, and files that its own check accepts."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from campaign_files import make_mtme, write
from word_marker import WordMarker

from sklearn_mteval.cli import main
from sklearn_mteval.models import marks

REFERENCE = ["the dog barks loudly", "the cat sleeps", "it said “no” to 3 men", "a house"]
SYSTEM = ["the dog 😀 barks", "", "it said yes to 4 men", "a house"]
HEADER = [
    "doc_id",
    "segment_id",
    "source_lang",
    "target_lang",
    "set_id",
    "system_id",
    "source_segment",
    "hypothesis_segment",
    "reference_segment",
    "domain_name",
    "method",
]
TASKS = ["spans", "scores", "error-free"]

pytestmark = pytest.mark.filterwarnings("ignore:Empty lines")


class Marker(WordMarker):
    """Marks words that the reference has not, or else the source."""

    def mark(self, X):
        return super().mark(X if "reference" in X else X.assign(reference=X["source"]))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A working folder with a test set in both forms, and its texts in files of lines."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(marks, "load_pretrained", {marks.MARKER: Marker()}.__getitem__)
    texts = list(zip(REFERENCE, SYSTEM, strict=True))
    rows = [
        ["d", str(k), "de", "en", "official", "hyp", "ein Satz", text, reference, "news", "ESA"]
        for k, (reference, text) in enumerate(texts, 1)
    ]
    Path("test.tsv").write_text("".join("\t".join(row) + "\n" for row in [HEADER, *rows]))
    items = [
        {"item_id": f"official_###_deu_Latn_###_eng_Latn_###_news_###_d_###_{k}",
         "src": "ein Satz", "ref": {"text": reference, "type": "human"}, "hyps": {"hyp": text}}
        for k, (reference, text) in enumerate(texts, 1)
    ]  # fmt: skip
    Path("test.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    for name, lines in {"hyp": SYSTEM, "ref": REFERENCE, "src": ["ein Satz"] * 4}.items():
        Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def test_scores_are_those_of_score(capsys):
    assert main(["score", "static-en", "-s", "src", "-r", "ref", "-t", "hyp", "-o", "seg"]) == 0
    said = [50 * (1 + float(line.split("\t")[1])) for line in Path("seg").read_text().splitlines()]
    words = ["wmt-submit", "test.tsv", "--task", "scores", "--model", "static-en"]
    assert main([*words, "-o", "out.tsv"]) == 0
    found = pd.read_csv("out.tsv", sep="\t")
    assert list(found) == [*HEADER[:6], *HEADER[9:], "overall"]
    assert found["overall"].tolist() == pytest.approx(said, abs=1e-4)
    assert found["overall"].idxmax() == 3 and found["overall"][1] < 1  # the reference; nothing
    words[1] = "test.jsonl"
    assert main([*words, "--jobs", "2", "-o", "out.jsonl"]) == 0
    lines = map(json.loads, Path("out.jsonl").read_text().splitlines())
    assert [line["task2_pred"]["hyp"] for line in lines] == found["overall"].tolist()


def test_spans_are_those_of_marks(capsys):
    words = ["score", "static-en", "-s", "src", "-r", "ref", "-t", "hyp", "--marks", "-f", "tsv"]
    assert main([*words, "-o", "marks.tsv"]) == 0
    table = pd.read_csv("marks.tsv", sep="\t")
    marked = [[e["words"] for e in json.loads(cell)["errors"]] for cell in table["errors"]]
    assert marked == [["😀"], [], ["yes", "4"], []]
    assert main(["wmt-submit", "test.tsv", "--task", "spans", "-o", "out.tsv"]) == 0
    found = pd.read_csv("out.tsv", sep="\t", keep_default_na=False)
    assert list(found)[:11] == HEADER
    assert found[HEADER].equals(pd.read_csv("test.tsv", sep="\t", keep_default_na=False))
    read = [
        [text[int(a) : int(b)] for a, b in zip(starts.split(), ends.split(), strict=True)]
        for text, starts, ends in found[
            ["hypothesis_segment", "start_indices", "end_indices"]
        ].itertuples(index=False)
    ]
    assert read == [["😀"], [""], ["yes", "4"], [""]]
    assert found["error_types"].tolist()[1] == "no-error"


@pytest.mark.parametrize("form", ["tsv", "jsonl"])
@pytest.mark.parametrize("task", TASKS)
def test_its_own_check_accepts_what_it_writes_and_nothing_else(task, form, capsys):
    words = ["wmt-submit", f"test.{form}", "--task", task]
    model = ["--model", "static-en"] if task == "scores" else []
    assert main([*words, *model, "-o", "out"]) == 0
    assert main([*words, "--check", "out"]) == 0
    assert main(["wmt-submit", "--task", task, "--check", "out"]) == 0
    assert capsys.readouterr().out == 2 * "out is of the form of the task.\n"
    lines = Path("out").read_text(encoding="utf-8").splitlines(keepends=True)
    swapped = [*lines[:-2], lines[-1], lines[-2]]
    for wrong in (lines[:-1], [*lines, lines[-1]], swapped, lines[1:], [*lines[:-1], "x\n"]):
        Path("wrong").write_text("".join(wrong), encoding="utf-8")
        assert main([*words, "--check", "wrong"]) == 1
        out, err = capsys.readouterr()
        assert out.startswith("line ") and "not to be submitted" in err
    for other in {*TASKS} - {task}:
        assert main(["wmt-submit", "--task", other, "--check", "out"]) == 1


def test_errors_measures_spans_as_those_of_any_other_form(capsys):
    make_mtme(Path("wmt23"), ["zh-en"], n_systems=3)
    rows = [(k, n, [(0, 3, "minor"), (4, 5, "major")][: (k + n) % 3]) for k in (1, 2, 3)
            for n in range(1, 21)]  # fmt: skip
    write(Path("marked"), [f"system{k}\t{errors_of(spans)}" for k, _, spans in rows])
    write(Path("wmt23/human-scores/zh-en.esa.seg.rating"),
          [f"system{k}\t{errors_of(spans[:1])}" for k, _, spans in rows])  # fmt: skip
    lines = ["segment_id\tsystem_id\tstart_indices\tend_indices\terror_types"]
    for k, n, spans in rows[::-1]:
        cells = [" ".join(map(str, of)) for of in zip(*spans, strict=True)]
        lines.append("\t".join([str(n), f"system{k}", *(cells or ["-1", "-1", "no-error"])]))
    write(Path("submitted"), lines)
    words = ["errors", "wmt23", "--lang-pair", "zh-en", "--gold", "esa", "--spans"]
    assert main([*words, "mine=marked"]) == 0
    expected = capsys.readouterr().out
    assert main([*words, "mine=submitted"]) == 0
    assert capsys.readouterr().out == expected and "mine" in expected
    items = {
        f"official_###_zh_###_en_###_news_###_d_###_{n}": {
            f"system{k}": json.loads(errors_of(spans)) | {"omission": None}
            for k, segment, spans in rows if segment == n
        }
        for n in range(20, 0, -1)
    }  # fmt: skip
    write(Path("submitted"), [submitted(name, answer) for name, answer in items.items()])
    assert main([*words, "mine=submitted"]) == 0
    assert capsys.readouterr().out == expected


def submitted(item, answer):
    return json.dumps({"item_id": item, "task1_pred": answer})


HEAD = "segment_id\tsystem_id\tstart_indices\tend_indices\terror_types"
NONE = {"errors": [], "omission": None}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([HEAD, "1\tsystem1\t0 2\t1\tminor"], "line 2: expected as many of each"),
        ([HEAD, "1\tsystem1\t0\tx\tminor"], "line 2: expected whole numbers"),
        ([HEAD, "0\tsystem1\t-1\t-1\tno-error"], "line 2: the segment is '0', but .* 1 to 20"),
        ([submitted("1", {"system1": NONE}), "{"], "line 2: expected JSON"),
        ([submitted("1", {"system1": NONE}), '{"segment": 2}'], "expected a text 'item_id'"),
        (['{"item_id": "1", "task2_pred": {"system1": 9}}'], "an object 'task1_pred'"),
        ([submitted("1", [NONE])], "an object 'task1_pred'"),
        ([submitted("1", {"system1": []})], "expected an object with a list 'errors'"),
        ([submitted("1", {"system1": {"errors": [{"start": 3, "end": 1}]}})], "0 <= start <= end"),
        ([submitted("1", {"system1": {"errors": [{"start": 0, "end": 9999}]}})], "ends at 9999"),
        ([submitted("1", {"system1": NONE | {"omission": True}})], "omission must be null or"),
        ([submitted("a_###_1", {"nobody": NONE})], "nobody"),
        ([submitted("a_###_21", {"system1": NONE})], "the segment is '21', but .* 1 to 20"),
        ([submitted("a_###_1", {"system1": NONE})], "1 of 'system2' was judged, but has no"),
        ([submitted(f"{name}_###_1", {"system1": NONE}) for name in "ab"],
         "line 2: a second list of errors of 'system1' in 1: keep one language pair"),
    ],
)  # fmt: skip
def test_errors_tells_what_is_wrong_with_a_submission(lines, message, capsys):
    make_mtme(Path("wmt23"), ["zh-en"])
    write(Path("wmt23/human-scores/zh-en.esa.seg.rating"),
          [f"system{k}\t{errors_of([])}" for k in (1, 2, 3) for _ in range(20)])  # fmt: skip
    write(Path("submitted"), lines)
    words = ["errors", "wmt23", "--lang-pair", "zh-en", "--gold", "esa", "--spans", "submitted"]
    assert main(words) == 1
    assert re.search(f"submitted.*{message}", capsys.readouterr().err)


def test_an_omission_that_was_submitted_is_an_omission(capsys):
    make_mtme(Path("wmt23"), ["zh-en"])
    said = [errors_of([(0, 0, "major")] if n == 7 else []) for n in range(20)]
    write(Path("wmt23/human-scores/zh-en.esa.seg.rating"),
          [f"system{k}\t{rating}" for k in (1, 2, 3) for rating in said])  # fmt: skip
    lines = [
        submitted(f"a_###_{n + 1}", {f"system{k}": NONE | {"omission": "major"} if n == 7 else NONE
                                     for k in (1, 2, 3)})
        for n in range(20)
    ]  # fmt: skip
    write(Path("submitted"), lines)
    words = ["errors", "wmt23", "--lang-pair", "zh-en", "--gold", "esa", "--spans", "submitted"]
    assert main([*words, "-f", "json"]) == 0
    found = {row["name"]: row for row in json.loads(capsys.readouterr().out)["spans"]}
    assert found["submitted"]["f_score"] == 1 > found["everything marked"]["f_score"]


def errors_of(spans):
    names = ("start", "end", "severity")
    return json.dumps({"errors": [dict(zip(names, span, strict=True)) for span in spans]})


def test_nothing_is_written_when_something_is_wrong(capsys):
    text = Path("test.tsv").read_text(encoding="utf-8")
    Path("out").write_text("before")
    Path("test.tsv").write_text(text + "one cell\n", encoding="utf-8")
    words = ["wmt-submit", "test.tsv", "--task", "spans", "-o"]
    assert main([*words, "out"]) == 1
    assert Path("out").read_text() == "before"
    assert "test.tsv, line 6: expected 11 cells" in capsys.readouterr().err
    assert main([*words, "test.tsv"]) == 1
    assert "would be lost" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["wmt-submit", "--task", "spans"])
