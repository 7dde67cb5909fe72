"""The command rerank: what it writes, what it says, and what it refuses."""

import json

import pytest
from consensus_model import saved_consensus_model

from sklearn_mteval import cli
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.models import rerank

LISTS = [["a dog barks", "the dog barks", "the dog barked"], ["one"], ["x", "y\u2028z"]]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{k} ||| {t} ||| f= 1 ||| -1\n" for k, texts in enumerate(LISTS) for t in texts]
    (tmp_path / "lists").write_text("".join(lines), encoding="utf-8")
    (tmp_path / "lines").write_text("the dogs bark\none\nx\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def run(capsys):
    def run(*words, status=0):
        assert cli.main(["rerank", *map(str, words)]) == status
        return capsys.readouterr()

    return run


def test_the_chosen_lines_in_order(here, run):
    out, err = run("lists")
    assert out == "the dog barks\none\nx\n"
    assert err == (
        "lists: 3, of 1 to 3 candidates, 2.0 on average, 2.0 of them different\n"
        "the first candidate was kept: 2 times (66.7%)\n"
        "comparisons: 14\n"
        "lists with fewer than 3 different candidates: 2; how they agree says next to nothing of "
        "them\n"
    )
    run("lists", "-o", "best")
    assert (here / "best").read_text(encoding="utf-8") == out


def test_all_candidates_ranked(here, run):
    found = rerank(LISTS)
    rows = run("lists", "-f", "tsv").out.removesuffix("\n").split("\n")
    assert rows[0] == "segment\tsystem\trank\tvalue\tchosen\tsuspicious\ttext"
    cells = [row.split("\t") for row in rows[1:]]
    assert [int(row[2]) for row in cells] == found["rank"].tolist()
    assert [float(row[3]) for row in cells] == pytest.approx(found["value"].tolist(), abs=1e-6)
    assert [row[4] == "1" for row in cells] == found["chosen"].tolist()
    objects = [json.loads(line) for line in run("lists", "-f", "jsonl").out.split("\n")[:-1]]
    assert [entry["segment"] for entry in objects] == [0, 1, 2]
    best = [entry["translations"][0] for entry in objects]
    assert [one["text"] for one in best] == ["the dog barks", "one", "x"]
    assert [one["chosen"] for one in best] == [1, 1, 1]
    # What it writes it reads.
    (here / "again").write_text("".join(json.dumps(o) + "\n" for o in objects), encoding="utf-8")
    assert run("again").out == run("lists").out


def test_files_are_joined_and_blocks_change_nothing(here, run, monkeypatch):
    whole = run("lists", "-t", "lines", "-f", "tsv")
    assert "\tlines\t" in whole.out
    monkeypatch.setattr("sklearn_mteval.models.reranking.rerank.BLOCK", 1)
    assert run("lists", "-t", "lines", "-f", "tsv") == whole
    for form in ("text", "jsonl"):
        in_blocks = run("lists", "-f", form).out
        monkeypatch.undo()
        monkeypatch.chdir(here)
        assert run("lists", "-f", form).out == in_blocks


def test_a_candidate_of_two_lines_is_one_line(here, run):
    (here / "two").write_text(json.dumps({"translations": ["a\r\nb\nc"]}) + "\n")
    assert run("two").out == "a b c\n"


@pytest.mark.slow
def test_a_tournament_tells_of_intransitive_triples(here, run):
    X, _ = load_sample(return_X_y=True)
    X = X[X.index.get_level_values("segment") <= 30]
    first = X.groupby(level="segment").first()
    for column in ("source", "reference"):
        (here / column).write_text("".join(f"{t}\n" for t in first[column]), encoding="utf-8")
    names = X.index.unique("system")
    for name in names:
        texts = X.xs(name, level="system")["hypothesis"]
        (here / name).write_text("".join(f"{t}\n" for t in texts), encoding="utf-8")
    words = ["-t", *names, "-s", "source", "-r", "reference"]
    out, err = run(*words, "--decision", "strength", "--model", "static-en")
    found = rerank(X, decision="strength", model="static-en")
    assert out.splitlines() == X["hypothesis"][found["chosen"]].tolist()
    triples = int(found["intransitive"].groupby(level="segment").first().sum())
    assert f"C beats A): {triples}; " in err
    assert "agree says next to nothing" not in err
    assert "\nHow far to believe it: on de-en news of 2012 ranks agree with annotators in " in err
    out, err = run(
        "-t", *names, "--decision", "strength", "--model", saved_consensus_model("agreeing")
    )
    assert len(out.splitlines()) == 30 and "How far" not in err
    out, err = run(*words, "--decision", "score")
    assert err.startswith("model: ")


BAD = {
    "nothing": ([], "nothing to choose from"),
    "a folder": (["."], "a folder"),
    "an input": (["lists", "-o", "lists"], "an input of this command"),
    "lines as lists": (["lines"], "Outputs of systems, one translation a line, are given with -t"),
    "no reference": (["lists", "--decision", "strength", "--model", "static-en"], "give -r"),
    "no model": (["lists", "--decision", "score"], "references (-r"),
    "utility": (["lists", "--utility", "comet"], "--utility "),
    "no weights": (["lists", "--weights", "given"], "--weights count"),
    "scale": (["lists", "--scale", "0"], "--scale must be"),
    "approximation": (["lists", "--approximation", "sparse"], "--approximation must be None"),
    "consensus": (
        ["lists", "--decision", "score", "--model", "agreeing"], "can rank, not score",
    ),
    "no scores to compare": (["lists", "-s", "one"], "ends after 1 segment"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_is_one_line(here, run, case):
    words, message = BAD[case]
    (here / "one").write_text("1\n")
    if "agreeing" in words:
        saved_consensus_model("agreeing")
    out, err = run(*words, status=1)
    assert message in err
    assert err.count("\n") == 1
    assert out == ""


def test_half_a_file_is_never_written(here, run):
    with open(here / "lists", "a") as file:
        file.write("7 ||| late\n")
    assert "line 7" in run("lists", "-o", "best", status=1).err
    assert not (here / "best").exists()


@pytest.mark.filterwarnings("ignore:Empty lines. 1 of 2 of 3")
def test_a_chosen_text_of_unusual_length_is_told_of(here, run):
    """Half of the list is garbage, and chrF takes what repeats itself: whoever reads on knows."""
    texts = ["the house is small", "the house is little", "", "the house is small" + " small" * 6]
    rows = [f"0 ||| a {k}" for k in range(4)] + [f"1 ||| {text}" for text in texts]
    (here / "odd").write_text("\n".join(rows) + "\n", encoding="utf-8")
    _, err = run("odd")
    assert "look at what was chosen: " in err and "in 1 lists, the first of which is 1\n" in err
    rows[-1] = "1 ||| the house is very small"
    (here / "sound").write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert "look at what" not in run("sound").err
