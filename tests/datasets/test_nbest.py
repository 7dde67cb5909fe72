"""Lists of candidates in files: what is read, what is refused and where."""

import gzip
import json

import pytest

from sklearn_mteval.datasets import load_translations
from sklearn_mteval.datasets.nbest import candidate_tables
from sklearn_mteval.exceptions import CandidateError, DataFileError

MOSES = """\
0 ||| the cat sat ||| lm= -3 tm= 0.1 0.2 ||| -1.5 ||| 0-0 1-1
0 |||  ||| lm= -3 ||| -2e1
1 ||| a dog ||| lm= 1 ||| 0
"""
JSON = [
    {"translations": ["the cat", {"text": "cat", "score": -2, "weight": 0.25}], "segment": "x"},
    {"translations": ["dog"], "segment": "y", "source": "Hund", "reference": ["dog", "hound"]},
]


@pytest.fixture
def put(tmp_path):
    def put(name, content):
        path = tmp_path / name
        if isinstance(content, list):
            content = "".join(json.dumps(line) + "\n" for line in content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put


def test_moses_lists(put):
    X = load_translations([put("a.nbest", MOSES)], nbest=True)
    assert X.index.tolist() == [(0, 1), (0, 2), (1, 1)]
    assert X["hypothesis"].tolist() == ["the cat sat", "", "a dog"]
    assert X["score"].tolist() == [-1.5, -20.0, 0.0]
    packed = put("b.gz", gzip.compress(("\ufeff" + MOSES.replace("\n", "\r\n\n")).encode()))
    assert load_translations([packed], nbest=True).equals(X)
    plain = put("c", "1 ||| a\n1 ||| b\n2 ||| c")  # from 1, without features and scores
    X = load_translations([plain], put("s", "s1\ns2\n"), [put("r", "r1\nr2\n")], nbest=True)
    assert X.index.tolist() == [(1, 1), (1, 2), (2, 1)]
    assert X["source"].tolist() == ["s1", "s1", "s2"]
    assert X["reference"].tolist() == ["r1", "r1", "r2"]
    scored = load_translations([put("d", "0 ||| a ||| -1\n")], nbest=True)
    assert scored["score"].tolist() == [-1.0]


def test_json_lists(put):
    X = load_translations([put("a.jsonl", JSON)], nbest=True)
    assert X.index.tolist() == [("x", 1), ("x", 2), ("y", 1)]
    assert list(X) == ["hypothesis"]  # what only some have is left out
    whole = [{**line, "source": "s", "reference": "r"} for line in JSON]
    X = load_translations([put("b.jsonl", whole)], references=[put("r", "p\nq\n")], nbest=True)
    assert X["source"].tolist() == ["s"] * 3
    assert X["reference"].tolist() == [["r", "p"]] * 2 + [["r", "q"]]
    numbered = [{"translations": [{"text": "a", "weight": 1}]}] * 3
    X = load_translations([put("c.jsonl", numbered)], nbest=True)
    assert X.index.tolist() == [(1, 1), (2, 1), (3, 1)]
    assert X["weight"].tolist() == [1.0] * 3


def test_lists_of_several_files_are_one(put):
    one, lines = put("a.nbest", MOSES), put("sys.en.gz", gzip.compress(b"mine\nyours\n"))
    other = put("b.jsonl", [{"translations": ["t"]}, {"translations": ["u", "v"]}])
    (X,) = candidate_tables([one, other], [lines])
    assert X.index.tolist() == [
        (0, "a.nbest:1"), (0, "a.nbest:2"), (0, "b.jsonl:1"), (0, "sys.en"),
        (1, "a.nbest:1"), (1, "b.jsonl:1"), (1, "b.jsonl:2"), (1, "sys.en"),
    ]  # fmt: skip
    assert X["hypothesis"].tolist() == ["the cat sat", "", "t", "mine", "a dog", "u", "v", "yours"]
    assert "score" not in X
    (X,) = candidate_tables([], [lines])
    assert X.index.tolist() == [(1, "sys.en"), (2, "sys.en")]


@pytest.mark.parametrize("n_pairs", [1, 4, 5, 9, 10, 1000])
def test_tables_end_where_lists_end(put, n_pairs):
    sizes = [1, 2, 3, 1, 1, 2]
    lines = [f"{k} ||| {k} {n} ||| -1\n" for k, size in enumerate(sizes) for n in range(size)]
    path = put("a", "".join(lines))
    tables = list(candidate_tables([path], n_pairs=n_pairs))
    for X in tables:
        of_list = X.groupby(level="segment").size()
        assert of_list.tolist() == [sizes[k] for k in of_list.index]
        assert (of_list**2).sum() <= n_pairs or len(of_list) == 1
    rows = [label for X in tables for label in X.index]
    assert rows == load_translations([path], nbest=True).index.tolist()


def test_nothing_is_read_before_it_is_wanted(put):
    path = put("a", "0 ||| a\n1 ||| b\n2 ||| c\nnonsense\n")
    tables = candidate_tables([path], n_pairs=1)
    assert next(tables)["hypothesis"].tolist() == ["a"]
    with pytest.raises(DataFileError, match="line 4"):
        list(tables)


BAD = {
    "no list": ("plain text\n", "line 1: expected 'id .* with -t"),
    "no text": ("0\n", "line 1: expected 'id"),
    "an id": ("x ||| a\n", "line 1: expected 'id"),
    "a negative id": ("-1 ||| a\n", "line 1: expected 'id"),
    "first id": ("7 ||| a\n", "line 1: expected the list 0, or 1, first, found 7"),
    "a gap": ("0 ||| a\n2 ||| b\n", "line 2: expected the list 0 to go on, or 1 to begin, found 2"),
    "not sorted": ("0 ||| a\n1 ||| b\n0 ||| c\n", "line 3: .* found 0: .*sort -s"),
    "NaN": ("0 ||| a ||| f ||| nan\n", "line 1: expected a finite score, found 'nan'"),
    "infinity": ("0 ||| a ||| -inf\n", "line 1: expected a finite score"),
    "a word": ("0 ||| a ||| lm= 1\n", "line 1: expected a finite score, found 'lm= 1'"),
    "digits": ("0 ||| a ||| 1_0\n", "expected a finite score"),
    "some scores": ("0 ||| a ||| f ||| 1\n0 ||| b\n", "line 2: expected a score in all"),
    "empty": ("", "the file is empty"),
    "blank": ("\n \n", "the file is empty"),
    "NUL": (b"0 ||| a\0\n", "line 1: expected text, found a NUL"),
    "latin1": (b"0 ||| a\n1 ||| caf\xe9\n", "line 2: expected UTF-8"),
    "no JSON": ('{"translations": ["a"]}\n{"translations"\n', "line 2: expected JSON"),
    "no translations": ('{"candidates": ["a"]}\n', "line 1: expected an object with a list"),
    "an empty list": ('{"translations": []}\n', "line 1: .* one candidate or more"),
    "a number": ('{"translations": [1]}\n', "line 1: expected a text, or an object"),
    "no text in JSON": ('{"translations": [{"score": 1}]}\n', "expected a text, or an object"),
    "JSON's NaN": ('{"translations": [{"text": "a", "score": NaN}]}\n', "finite number as 'score'"),
    "a weight": ('{"translations": [{"text": "a", "weight": "1"}]}\n', "number as 'weight'"),
    "a segment": ('{"translations": ["a"], "segment": [1]}\n', "as 'segment'"),
    "a source": ('{"translations": ["a"], "source": 1}\n', "a text as 'source'"),
    "references": ('{"translations": ["a"], "reference": []}\n', "a text as 'reference'"),
    "twice": ('{"translations": ["a"], "segment": 1}\n' * 2, "line 2: segment 1 has been before"),
    "some segments": (
        '{"translations": ["a"], "segment": 1}\n{"translations": ["a"]}\n', "line 2: .*in none",
    ),
    "an array": ('{"translations": ["a"]}\n["a"]\n', "line 2: expected an object"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_list_is_refused_where_it_stands(put, case):
    content, message = BAD[case]
    with pytest.raises(DataFileError, match=message):
        load_translations([put("bad", content)], nbest=True)


def test_files_that_do_not_go_together(put):
    path, short = put("a.nbest", MOSES), put("short", "one\n")
    for given in ({"source": short}, {"references": [short]}):
        with pytest.raises(DataFileError, match=r"short: ends after 1 segment.*a.nbest has more"):
            load_translations([path], nbest=True, **given)
    with pytest.raises(DataFileError, match=r"a.nbest: ends after 2 .* A segment needs a list"):
        load_translations([path], put("long", "1\n2\n3\n"), nbest=True)
    with pytest.raises(DataFileError, match=r"list 1 is of segment 'x', in .*a.nbest of 0"):
        load_translations([path, put("b", JSON)], nbest=True)
    with pytest.raises(CandidateError, match="given twice"):
        load_translations([path, path], nbest=True)
    sources = [{**line, "source": "s"} for line in JSON]
    with pytest.raises(DataFileError, match="segment 1 has two sources"):
        load_translations([put("c", sources)], put("s", "t\nt\n"), nbest=True)
    with pytest.raises(DataFileError, match="no-such"):
        load_translations([path.with_name("no-such")], nbest=True)
    with pytest.raises(DataFileError, match="more than 10 bytes"):
        load_translations([path], nbest=True, max_bytes=10)
