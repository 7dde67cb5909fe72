"""One's own judgements: three layouts by hand, in four kinds of files, and campaigns read back."""

import gzip
import io
import itertools
import json

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval import kendall_tau
from sklearn_mteval.datasets import load_rankings, load_sample, load_wmt, to_long

LONG = """\
segment,system,rank,annotator,source,reference,hypothesis
1,A,1,ann,s1,r1,a1
1,B,2,ann,s1,r1,b1
1,B,1,bob,s1,r1,b1
1,A,1,bob,s1,r1,a1
2,C,3,ann,s2,r2,"c,2"
"""
PAIRS = """\
segment,system_a,system_b,winner,judge
1,A,B,A,ann
1,C,A,tie,ann
7,B,C,both bad,
7,B,C,C,bob
"""
WIDE = """\
segment,rank_A,rank_B,rank_C,translation_A,translation_B,translation_C
1,1,2,,a1,b1,
1,2,1,2,a1,b1,c1
3,1,,1,a3,,c3
"""


@pytest.fixture
def write(tmp_path):
    def write(text, name="mine.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def judged(loaded):
    """Tell what was judged, without the labels of rankings: {{(segment, system, y), …}, …}."""
    groups = loaded.y.groupby(level=["segment", "ranking"], sort=False)
    return sorted(
        (segment, sorted((key[2], value) for key, value in group.items()))
        for (segment, _), group in groups
    )


def test_long(write):
    loaded = load_rankings(write(LONG), better="lower")
    assert loaded.y.index.tolist() == [
        (1, "mine:1", "A"), (1, "mine:1", "B"), (1, "mine:2", "B"), (1, "mine:2", "A"),
        (2, "mine:3", "C"),
    ]  # fmt: skip
    assert loaded.y.tolist() == [1, 2, 1, 1, 3] and loaded.y.dtype == np.int64
    assert loaded.judges.tolist() == ["ann", "ann", "bob", "bob", "ann"]
    assert list(loaded.X) == ["source", "reference", "hypothesis"]
    assert loaded.X["hypothesis"].tolist() == ["a1", "b1", "b1", "a1", "c,2"]
    assert loaded.X["source"].iloc[0] is loaded.X["source"].iloc[3]
    assert not loaded.both_bad.any() and loaded.n_contradictions == 0
    assert (loaded.format, loaded.n_segments) == ("long", None)
    for column in (loaded.y, loaded.judges, loaded.both_bad):
        assert column.index.equals(loaded.X.index)
    X, y = load_rankings(write(LONG), better="lower", return_X_y=True)
    assert X.equals(loaded.X) and y.equals(loaded.y)


def test_a_score_becomes_a_rank(write):
    path = write("segment,system,score\n1,A,0.5\n1,B,-2\n1,C,0\n")
    assert load_rankings(path, better="higher").y.tolist() == [-0.5, 2, 0]
    with pytest.warns(UserWarning, match="its name says that higher is better"):
        assert load_rankings(path, better="lower").y.tolist() == [0.5, -2, 0]


def test_pairwise(write):
    loaded = load_rankings(write(PAIRS))
    assert loaded.y.index.tolist() == [
        (1, "mine:2", "A"), (1, "mine:2", "B"), (1, "mine:3", "C"), (1, "mine:3", "A"),
        (7, "mine:4", "B"), (7, "mine:4", "C"), (7, "mine:5", "B"), (7, "mine:5", "C"),
    ]  # fmt: skip
    assert loaded.y.tolist() == [1, 2, 1, 1, 1, 1, 2, 1]
    assert loaded.both_bad.tolist() == [False] * 4 + [True] * 2 + [False] * 2
    assert loaded.judges.tolist() == ["ann"] * 4 + [""] * 2 + ["bob"] * 2
    assert loaded.n_contradictions == 0 and loaded.X.shape == (8, 0)


def test_wide(write):
    loaded = load_rankings(write(WIDE), better="lower")
    assert judged(loaded) == [
        (1, [("A", 1), ("B", 2)]), (1, [("A", 2), ("B", 1), ("C", 2)]), (3, [("A", 1), ("C", 1)])
    ]  # fmt: skip
    assert loaded.X["hypothesis"].tolist() == ["a1", "b1", "a1", "b1", "c1", "a3", "c3"]
    assert loaded.n_contradictions == 1  # A and B in segment 1


def test_a_frame_keeps_its_labels():
    X, y = load_sample(return_X_y=True)
    loaded = load_rankings(to_long(X, y), better="lower")
    assert loaded.X.droplevel("ranking").equals(X)
    assert loaded.y.droplevel("ranking").equals(y)
    again = to_long(loaded.X, loaded.y, judges=loaded.judges)
    twice = load_rankings(again, better="lower")
    assert twice.X.equals(loaded.X) and twice.y.equals(loaded.y)
    of_index = load_rankings(again.set_index(["segment", "ranking", "system"]), better="lower")
    assert of_index.X.equals(loaded.X)


KINDS = {
    "csv": lambda frame: frame.to_csv(index=False).encode(),
    "tsv": lambda frame: frame.to_csv(index=False, sep="\t").encode(),
    "csv.gz": lambda frame: gzip.compress(frame.to_csv(index=False).encode()),
    "jsonl": lambda frame: frame.to_json(orient="records", lines=True).encode(),
    "parquet": lambda frame: _parquet(frame),
    "crlf.csv": lambda frame: b"\xef\xbb\xbf" + frame.to_csv(index=False, lineterminator="\r\n")
    .encode(),
}  # fmt: skip


def _parquet(frame):
    file = io.BytesIO()
    frame.to_parquet(file, index=False)
    return file.getvalue()


HOSTILE_TEXTS = [
    'say "hi", you',
    "tab\there",
    "line\nend",
    "",
    " ",
    "None",
    "NaN",
    "日本語 🙂",
    "1",
]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_file_has_the_same_texts(kind, write):
    rows = [
        (k, system, score, f"j{k % 2}", f"source {k}", text)
        for k, text in enumerate(HOSTILE_TEXTS, 1)
        for score, system in ((1.5, "A"), (-2.0, "é b"))
    ]
    frame = pd.DataFrame(
        rows, columns=["segment", "system", "score", "judge", "source", "hypothesis"]
    )
    path = write(KINDS[kind](frame), f"mine.{kind}")
    options = {"quoted": True} if kind == "tsv" else {}  # one cell has a tab, one a line end
    loaded = load_rankings(path, better="higher", **options)
    expected = load_rankings(frame, better="higher")
    assert loaded.X.droplevel("ranking").equals(expected.X.droplevel("ranking"))
    assert loaded.X["hypothesis"].tolist() == list(np.repeat(HOSTILE_TEXTS, 2))
    assert loaded.y.tolist() == expected.y.tolist() == [-1.5, 2] * len(HOSTILE_TEXTS)
    assert loaded.judges.tolist() == expected.judges.tolist()
    stem = "mine.crlf:" if kind == "crlf.csv" else "mine:"
    assert all(label.startswith(stem) for label in loaded.X.index.unique("ranking"))


def test_a_table_without_quotes(write):
    text = 'segment\tsystem\trank\thypothesis\n1\tA\t1\t"Hi" he said\n1\tB\t2\t"Hello"\n'
    X, _ = load_rankings(write(text), better="lower", quoted=False, return_X_y=True)
    assert X["hypothesis"].tolist() == ['"Hi" he said', '"Hello"']


def test_columns_of_other_names(write):
    text = (
        "id,left,right,choice,who,note\n1,A,B,L,x,\n2,B,A,R,x,\n3,A,B,same,y,\n4,A,B,neither,y,\n"
    )
    verdicts = {"L": "a", "R": "b", "same": "tie", "neither": "both_bad"}
    loaded = load_rankings(
        write(text), format="pairwise", segment="id", system=["left", "right"], judgement="choice",
        judge="who", verdicts=verdicts,
    )  # fmt: skip
    assert loaded.y.tolist() == [1, 2, 2, 1, 1, 1, 1, 1]
    assert loaded.both_bad.tolist() == [False] * 6 + [True] * 2
    assert loaded.judges.unique().tolist() == ["x", "y"]
    unread = load_rankings(
        write(text), format="pairwise", segment=False, system=("left", "right"),
        judgement="choice", verdicts=verdicts,
    )  # fmt: skip
    assert unread.X.index.unique("segment").tolist() == [1, 2, 3, 4]
    assert set(unread.judges) == {""}


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("A", (1, 2)), ("B", (2, 1)), ("model_a", (1, 2)), ("b", (2, 1)), ("System B", (2, 1)),
        ("Tie", (1, 1)), ("tie (bothbad)", (1, 1)), ("both_bad", (1, 1)), (" both bad", (1, 1)),
    ],
)  # fmt: skip
def test_words_of_outcomes(write, word, expected):
    loaded = load_rankings(write(f"question_id,model_a,model_b,winner\n9,A,B,{word}\n"))
    assert tuple(loaded.y) == expected
    assert set(loaded.both_bad) == {"bad" in word}


def test_winners_by_name_or_by_position(write):
    """A system may be named as the other position is: the file as a whole says what is meant."""
    by_name = "segment,system_a,system_b,winner\n1,B,A,A\n1,A,C,C\n"
    assert load_rankings(write(by_name)).y.tolist() == [2, 1, 2, 1]
    by_place = "segment,system_a,system_b,winner\n1,B,A,A\n1,A,C,b\n"
    assert load_rankings(write(by_place)).y.tolist() == [1, 2, 2, 1]
    either = "segment,system_a,system_b,winner\n1,B,A,A\n1,B,A,tie\n"
    with pytest.raises(ValueError, match="line 2: column 'winner': 'A' is the name of a system"):
        load_rankings(write(either))
    assert load_rankings(write(either), verdicts="names").y.tolist() == [2, 1, 1, 1]
    assert load_rankings(write(either), verdicts="positions").y.tolist() == [1, 2, 1, 1]
    own = load_rankings(write(either), verdicts={"A": "both_bad"})
    assert own.both_bad.tolist() == [True, True, False, False]


def test_texts_alone(write):
    text = "prompt,response_a,response_b,winner\nq,x,y,a\nq,y,z,b\nother,x,x,tie\nq,y,x,tie\n"
    loaded = load_rankings(write(text))
    assert list(loaded.X) == ["source", "hypothesis"]
    systems = dict(zip(loaded.X.index.droplevel("ranking"), loaded.X["hypothesis"], strict=True))
    assert systems == {
        (1, "1/1"): "x", (1, "1/2"): "y", (1, "1/3"): "z", (2, "2/1"): "x", (2, "2/2"): "x"
    }  # fmt: skip
    assert loaded.y.tolist() == [1, 2, 2, 1, 1, 1, 1, 1]
    assert loaded.n_contradictions == 1  # x and y of q
    assert "each text of a segment is a system of its own" in loaded.DESCR


def test_segments_without_a_column_are_sources(write):
    text = "source,system,rank\nx,A,1\ny,A,1\nx,B,2\n"
    assert load_rankings(write(text), better="lower").y.index.tolist() == [
        (1, "mine:1", "A"), (2, "mine:2", "A"), (1, "mine:1", "B")
    ]  # fmt: skip


def test_wide_columns_of_any_name(write):
    text = "task,DeepL,us,us_text,DeepL_text,minutes\n1,80,90,u,d,3\n2,70.5,,,d,3\n"
    loaded = load_rankings(
        write(text), format="wide", better="higher", segment="task", system=["us", "DeepL"],
        hypothesis=["us_text", "DeepL_text"],
    )  # fmt: skip
    assert judged(loaded) == [(1, [("DeepL", -80), ("us", -90)]), (2, [("DeepL", -70.5)])]
    assert loaded.X["hypothesis"].tolist() == ["u", "d", "d"]
    prefixed = "segment,points_A,points_B\n1,2,1\n"
    loaded = load_rankings(write(prefixed), format="wide", better="higher", judgement="points")
    assert judged(loaded) == [(1, [("A", -2), ("B", -1)])]


@pytest.mark.parametrize(
    ("better", "judgements"),
    [("higher", [-1, 1, 2]), ("lower", [-1, 0, 2]), ("lower", [-1, 1.5, 2]), ("higher", [0, 0.5])],
)
def test_scores_of_minus_one_and_of_zero_are_scores(write, better, judgements):
    """Not WMT's sign for what nobody judged, as a -1 among ranks from 1 on; and 0 has no sign."""
    rows = "".join(f"1,{name},{value}\n" for name, value in zip("ABC", judgements, strict=False))
    path = write("segment,system,value\n" + rows)
    found = load_rankings(path, judgement="value", better=better)
    assert (found.y * (1 if better == "lower" else -1)).tolist() == judgements
    assert not np.signbit(found.y[found.y == 0]).any()


def test_several_references(write):
    text = "segment,system,rank,one,two\n1,A,1,r,s\n1,B,2,r,s\n2,A,1,,t\n"
    loaded = load_rankings(write(text), better="lower", reference=["one", "two"])
    assert loaded.X["reference"].tolist() == [["r", "s"], ["r", "s"], ["t"]]
    lines = [{"segment": 1, "system": "A", "rank": 1, "reference": ["r", "s"]}]
    loaded = load_rankings(write("\n".join(map(json.dumps, lines)), "x.jsonl"), better="lower")
    assert loaded.X["reference"].tolist() == [["r", "s"]]


def test_texts_of_lines(write, tmp_path):
    for name, lines in {"src": "s1 s2", "ref": "r1 r2", "ref2": "q1 q2", "A.txt": "a1 a2",
                        "B.txt": "b1 b2", "unjudged": "u1 u2"}.items():  # fmt: skip
        write(lines.replace(" ", "\n") + "\n", name)
    table = write("segment,system,rank\n2,A,1\n2,B,2\n1,B,1\n")
    systems = [tmp_path / name for name in ("A.txt", "B.txt", "unjudged")]
    texts = {"source": tmp_path / "src", "reference": str(tmp_path / "ref"), "hypothesis": systems}
    loaded = load_rankings(table, better="lower", texts=texts)
    assert loaded.X.to_numpy().tolist() == [
        ["s2", "r2", "a2"], ["s2", "r2", "b2"], ["s1", "r1", "b1"]
    ]  # fmt: skip
    assert loaded.n_segments == 2
    texts["reference"] = [tmp_path / "ref", tmp_path / "ref2"]
    texts["hypothesis"] = {"A": tmp_path / "A.txt", "B": tmp_path / "unjudged"}
    loaded = load_rankings(table, better="lower", texts=texts)
    assert loaded.X["reference"].tolist() == [["r2", "q2"], ["r2", "q2"], ["r1", "q1"]]
    assert loaded.X["hypothesis"].tolist() == ["a2", "u2", "u1"]


def test_repeated_judgements_are_kept_and_contradictions_counted(write):
    rows = ["1,A,1,ann", "1,B,2,ann", "1,A,3,ann", "1,B,2,ann", "1,A,9,bob", "2,A,1,ann"]
    header = "segment,system,rank,judge\n"
    loaded = load_rankings(write(header + "\n".join(rows)), better="lower")
    assert loaded.n_contradictions == 1 and "1 contradiction(s)" in loaded.DESCR
    assert sorted(loaded.y) == [1, 1, 2, 2, 3, 9]
    first = judged(loaded)
    assert len(first) == 4 and [group for group in first if len(group[1]) == 1] == [
        (1, [("A", 9)]),
        (2, [("A", 1)]),
    ]
    for order in itertools.permutations(rows):  # what is compared does not depend on it
        assert judged(load_rankings(write(header + "\n".join(order)), better="lower")) == first


def test_which_repeated_judgement_comes_first_is_not_decided_by_which_is_better(write):
    """A has two ranks in each of 200 tasks, B one: A's better one is compared half of the time."""
    rows = ["segment,system,rank,judge"]
    for k in range(1, 201):
        rows += [f"{k},A,{k},x", f"{k},A,{k + 400},x", f"{k},B,{k + 200},x"]
    loaded = load_rankings(write("\n".join(rows)), better="lower")
    wins = sum(group[0][1] < group[1][1] for _, group in judged(loaded) if len(group) == 2)
    assert 70 <= wins <= 130 and len(judged(loaded)) == 400


def test_contradictions_of_comparisons(write):
    rows = "1,A,B,A,x\n1,B,A,B,x\n1,A,B,A,x\n1,A,B,B,y\n2,A,B,B,x\n3,A,B,tie,x\n3,A,B,both bad,x\n"
    path = write("segment,system_a,system_b,winner,judge\n" + rows)
    loaded = load_rankings(path, verdicts="names")
    assert loaded.n_contradictions == 2  # x of segments 1 and 3
    assert len(loaded.y) == 14
    assert load_rankings(path, verdicts="names", judge=False).n_contradictions == 2


def test_a_column_of_rankings(write):
    """A task may be of several annotators, and an annotator may have several tasks."""
    text = (
        "segment,ranking,judge,system,rank\n1,t,x,A,1\n1,t,y,A,2\n1,t,y,B,1\n1,u,x,A,3\n2,t,x,A,1\n"
    )
    loaded = load_rankings(write(text), better="lower")
    assert judged(loaded) == [
        (1, [("A", 1)]), (1, [("A", 2), ("B", 1)]), (1, [("A", 3)]), (2, [("A", 1)])
    ]  # fmt: skip
    plain = "segment,ranking,system,rank\n1,t,A,1\n1,t,B,2\n2,t,A,1\n1,u,A,1\n"
    loaded = load_rankings(write(plain), better="lower")
    assert loaded.X.index.get_level_values("ranking").tolist() == ["mine:t"] * 3 + ["mine:u"]


def test_missing_judgements(write):
    text = "segment,system,rank\n1,A,1\n1,B,\n1,C,NA\n1,D,None\n1,E,nan\n1,F,2\n"
    with pytest.raises(ValueError, match=r"line 3: column 'rank': no judgement here, nor in 3"):
        load_rankings(write(text), better="lower")
    loaded = load_rankings(write(text), better="lower", missing="skip")
    assert loaded.y.droplevel([0, 1]).to_dict() == {"A": 1, "F": 2}


def test_labels_that_are_no_numbers(write):
    text = "segment,system,rank\n007,A,1\n1,A,1\n"
    labels = load_rankings(write(text), better="lower").X.index.unique("segment").tolist()
    assert labels == ["007", "1"]


@pytest.mark.slow
@pytest.mark.parametrize(("campaign", "pair"), [("wmt12", "de-en"), ("wmt15", "cs-en")])
def test_a_campaign_read_back_from_each_layout(data_dir, campaign, pair, tmp_path):
    wmt = load_wmt(data_dir / campaign, pair)
    long = to_long(wmt.X, wmt.y, judges=wmt.judges)
    long.to_csv(tmp_path / "long.csv", index=False)
    tasks = long.groupby(["segment", "ranking"], sort=False)
    rows = []
    for (segment, _), task in tasks:
        for a, b in itertools.combinations(task.to_dict("records"), 2):
            names = {1: b["system"], 0: "tie", -1: a["system"]}
            winner = names[int(np.sign(a["rank"] - b["rank"]))]
            rows.append([segment, a["judge"], a["system"], b["system"], winner, a["source"],
                         a["reference"], a["hypothesis"], b["hypothesis"]])  # fmt: skip
    columns = ["segment", "judge", "system_a", "system_b", "winner", "source", "reference",
               "hypothesis_a", "hypothesis_b"]  # fmt: skip
    pd.DataFrame(rows, columns=columns).to_csv(tmp_path / "pairs.csv", index=False)
    keys = ["segment", "ranking", "judge", "source", "reference"]
    values = ["rank", "hypothesis"]
    wide = long.pivot_table(values, keys, "system", aggfunc="first")
    wide.columns = ["_".join(names) for names in wide.columns]
    wide.reset_index().drop(columns="ranking").to_csv(tmp_path / "wide.csv", index=False)

    def tau(X, y):
        lengths = X["hypothesis"].str.len()
        return kendall_tau(y, lengths, groups=X.index.droplevel("system"))

    expected = tau(wmt.X, wmt.y)
    loaded = load_rankings(tmp_path / "long.csv", better="lower")
    assert loaded.X.reset_index(drop=True).equals(wmt.X.reset_index(drop=True))
    assert loaded.y.tolist() == wmt.y.tolist() and loaded.judges.tolist() == wmt.judges.tolist()
    for file, options in (("pairs.csv", {}), ("wide.csv", {"better": "lower"})):
        loaded = load_rankings(tmp_path / file, **options)
        assert tau(loaded.X, loaded.y) == expected, file
    assert len(loaded.y) == len(wmt.y)


def test_battles_say_which_system_they_name_first():
    battles = pd.DataFrame(
        {"segment": [1, 2], "model_a": ["A", "B"], "model_b": ["B", "A"], "winner": ["A", "tie"]}
    )
    found = load_rankings(battles, format="pairwise")
    first = found.X.index.get_level_values("system")[found.shown_first]
    assert first.tolist() == ["A", "B"]
    ranks = pd.DataFrame({"segment": [1, 1], "system": ["A", "B"], "rank": [1, 2]})
    assert load_rankings(ranks, format="long", better="lower").shown_first is None
