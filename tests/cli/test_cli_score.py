"""The command score, and models that are named or not: outputs read back, errors on one line."""

import csv
import io
import json
import re
from pathlib import Path

import pandas as pd
import pytest

from sklearn_mteval import load_model, save_model
from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_scores, load_translations, make_rankings
from sklearn_mteval.features import ChrFComp
from sklearn_mteval.models import bleu_pipeline, rank_candidates, score_candidates, score_systems

TEXTS = {
    "src": "hal\ntlew\nzwee\n",
    "ref": "hello there old friend of mine\nthe world is round\nit is not so\n",
    "ref2": "hi there my old friend\nround is the world\nno , it is not\n",
    "good": "hello there old friend of mine !\nthe world is round\nit is not like that\n",
    "twin": "hello there old friend of mine !\nthe world is round\nit is not like that\n",
    "bad": "hello\nso what is it then\nit\n",
    "short": "hello\n",
    "empty": "",
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A working folder with texts and a model."""
    monkeypatch.chdir(tmp_path)
    for name, text in TEXTS.items():
        Path(name).write_text(text)
    X, y = make_rankings(20, 3, random_state=0)
    save_model(bleu_pipeline().fit(X, y), "model")
    save_model(ChrFComp().fit(X), "chrf")
    header = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
    rows = [
        f"{s}\td\t1\t{k}\tr\tsrc {k}\t{s} {k}\tStyle/Awkward\t{severity}"
        for k in (1, 2, 3)
        for s, severity in (("good", "Minor"), ("bad", "Major"))
    ]
    Path("mqm.tsv").write_text("\n".join([header, *rows, ""]))
    return tmp_path


SCORE = ["score", "model", "-r", "ref", "-t"]


def output(capsys, arguments):
    assert main(arguments) == 0
    return capsys.readouterr()


def error_of(capsys, arguments):
    assert main(arguments) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(rf"sklearn-mteval {arguments[0]}: error: [^\n]+\n", err)
    return err


@pytest.mark.filterwarnings("ignore:Line by line the same")
@pytest.mark.parametrize("systems", [["good"], ["good", "bad", "twin"]])
@pytest.mark.parametrize("form", ["seg", "tsv"])
def test_scores_are_read_back_as_they_are(capsys, systems, form):
    out, err = output(capsys, [*SCORE, *systems, "-f", form])
    Path("m.seg.score").write_text(out)
    X = load_translations(systems, None, ["ref"], min_systems=1)
    expected = score_candidates(load_model("model"), X)
    found = load_scores("m.seg.score", systems, 3).iloc[:, 0]
    assert found[expected.index].tolist() == expected.tolist()
    table = [line.split() for line in err.splitlines() if line.split(" ")[0] in systems]
    table = table[-len(systems) :]  # below the answer
    means = expected.groupby(level="system").mean()
    assert {row[0]: float(row[1]) for row in table} == pytest.approx(means.to_dict(), abs=1e-4)
    assert [row[-1] for row in table] == ["3"] * len(systems)


def test_several_references_json_and_files(capsys):
    command = ["score", "model", "-s", "src", "-r", "ref", "ref2", "-t", "bad", "good"]
    more = ["-f", "jsonl", "-o", "out", "--systems", "systems", "--seed", "5"]
    out, err = output(capsys, [*command, *more, "--resamples", "50", "--confidence", "0.5"])
    assert out == "" and err.startswith("good cannot be told apart from bad: the difference is ")
    assert err.count("\n") == 1
    X = load_translations(["bad", "good"], "src", ["ref", "ref2"])
    expected = score_candidates(load_model("model"), X)
    for line in Path("out").read_text().splitlines():
        segment, entries = json.loads(line).values()
        assert {e["system"]: e["score"] for e in entries} == expected.loc[segment].to_dict()
        assert [e["system"] for e in entries] == ["good", "bad"]
    table = pd.read_csv("systems", sep="\t", index_col="system")
    systems = score_systems(expected, n_resamples=50, confidence=0.5, random_state=5)
    pd.testing.assert_frame_equal(table, systems)


def test_one_segment_has_no_interval(capsys):
    Path("one").write_text("hello\n")
    command = ["score", "model", "-r", "short", "-t", "one", "-o", "out"]
    _, err = output(capsys, command)
    assert err.splitlines()[2].split()[2:] == ["\N{EN DASH}", "1"]
    output(capsys, [*command, "--systems", "systems"])
    (row,) = csv.DictReader(io.StringIO(Path("systems").read_text()), delimiter="\t")
    assert (row["low"], row["high"], row["segments"]) == ("", "", "1")


def test_what_is_scored_can_be_evaluated(capsys):
    output(capsys, [*SCORE, "good", "bad", "-o", "m.seg.score"])
    command = [
        "evaluate",
        "mqm.tsv",
        "--format",
        "mqm",
        "--scores",
        "m.seg.score",
        "--resamples",
        "5",
    ]
    found = json.loads(output(capsys, [*command, "-f", "json"]).out)
    X = load_translations(["good", "bad"], None, ["ref"])
    expected = score_candidates(load_model("model"), X)
    for system in found["system_scores"]:
        mean = expected.xs(system["name"], level="system").mean()
        assert system["metrics"]["m"] == pytest.approx(mean)


@pytest.mark.filterwarnings("ignore:Line by line the same")
def test_a_copy_of_a_system_does_not_move_it(capsys):
    rank = ["rank", "model", "-r", "ref", "-t", "good", "bad"]
    alone, before = output(capsys, rank)
    both, after = output(capsys, [*rank, "twin"])
    assert set(alone.splitlines()) < set(both.splitlines())
    assert set(before.splitlines()[1:]) < set(after.splitlines())  # below the answer
    rows = [line.split() for line in after.splitlines()[2:7]]
    assert {row[0]: row[1:] for row in rows}["twin"] == {row[0]: row[1:] for row in rows}["good"]


def test_rank_and_score_tell_the_same_scores_and_intervals(capsys):
    given = ["model", "-s", "src", "-r", "ref", "-f", "tsv", "--seed", "2", "--resamples", "40"]
    given += ["--confidence", "0.6", "--systems", "systems", "-t", "good", "bad"]
    texts, tables = {}, {}
    for command in ("rank", "score"):
        texts[command] = pd.read_csv(io.StringIO(output(capsys, [command, *given]).out), sep="\t")
        tables[command] = pd.read_csv("systems", sep="\t", index_col="system")
    both = ["segment", "system", "score"]
    pd.testing.assert_frame_equal(texts["rank"][both], texts["score"][both], check_exact=True)
    numbers = ["score", "low", "high", "letters", "segments"]
    pd.testing.assert_frame_equal(tables["rank"][numbers], tables["score"], check_exact=True)


@pytest.mark.parametrize("model", ["model", "static-en"])
@pytest.mark.filterwarnings("ignore:Empty lines", "ignore:Line by line")
def test_no_other_file_changes_a_score(capsys, model):
    """Garbage, an empty file, a copy, another order: a file keeps its scores to the last bit."""
    Path("garb").write_text("xyzzy qwert\nfoo\n!!!\n")
    Path("nothing").write_text("\n\n\n")

    def scores(command, *systems):
        given = [command, model, "-s", "src", "-r", "ref", "-f", "tsv", "-t", *systems]
        rows = csv.DictReader(io.StringIO(output(capsys, given).out), delimiter="\t")
        return {row["segment"]: row["score"] for row in rows if row["system"] == "good"}

    alone = scores("score", "good")
    assert len(set(alone.values())) == 3
    for others in (["bad"], ["garb", "nothing"], ["twin", "bad", "garb"]):
        for command in ("rank", "score"):
            assert scores(command, *others, "good") == scores(command, "good", *others) == alone


def not_there(name):
    raise ValueError("not on this machine")


@pytest.mark.parametrize("command", ["rank", "score"])
def test_a_ready_made_model_needs_neither_training_nor_source(capsys, monkeypatch, command):
    monkeypatch.setattr("sklearn_mteval.models.opening.find_encoder", not_there)
    arguments = ["-r", "ref", "-t", "good", "bad"]
    out, err = output(capsys, [command, *arguments])
    unnoticed = "no -s: words that were left untranslated are not noticed\n"
    assert err.startswith(f"model: static-en\n{unnoticed}")
    named = output(capsys, [command, "static-en", *arguments])
    assert (named.out, f"model: static-en\n{named.err}") == (out, err)
    sourced = output(capsys, [command, "static-en", "-s", "src", *arguments])
    assert unnoticed not in sourced.err
    error = error_of(capsys, [command, "static-en", "-s", "src", "-t", "good", "bad"])
    assert "there are no references, which a metric or a model reads: give -r" in error


@pytest.mark.parametrize("command", ["rank", "score"])
def test_without_a_model_the_best_one_is_taken(capsys, monkeypatch, command):
    arguments = ["-r", "ref", "-t", "good", "bad"]
    asked = []
    monkeypatch.setattr(
        "sklearn_mteval.models.opening.recommended_model",
        lambda X, **_: asked.append(list(X)) or "model",
    )
    out, err = output(capsys, [command, *arguments])
    assert asked == [["reference", "hypothesis"]]
    named = output(capsys, [command, "model", *arguments])
    assert (out, err) == (named.out, f"model: model\n{named.err}")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["score", "model", "-t", "good"],
            "there are no references, which a metric or a model reads: give -r",
        ),
        ([*SCORE, "good", "short"], "short, line 2: has 1 lines, but ref has 3"),
        ([*SCORE, "good", "-s", "short"], "ref, line 2: has 3 lines, but short has 1"),
        ([*SCORE, "empty"], "empty, line 1: has 0 lines, but ref has 3"),
        (["score", "model", "-t", "empty"], "empty: the file is empty"),
        ([*SCORE, "ref"], "a reference is not ranked"),
        ([*SCORE, "good", "good"], "good is given twice"),
        ([*SCORE, "nothing"], "nothing: cannot be read"),
        (
            ["score", "nothing", "-r", "ref", "-t", "good"],
            "there is no folder 'nothing', nor a ready-made model",
        ),
        (["score", "chrf", "-r", "ref", "-t", "good"], "chrf is no ranker: expected a RankRecom"),
        (["rank", "chrf", "-t", "good", "bad"], "chrf is no ranker"),
        (["evaluate", "mqm.tsv", "--format", "mqm", "--model", "x=chrf"], "chrf is no ranker"),
        ([*SCORE, "good", "-o", "ref"], "an input of this command, which would be lost"),
        ([*SCORE, "good", "-o", "x", "--systems", "x"], "-o and --systems are one file"),
        ([*SCORE, "good", "--confidence", "1"], "confidence must lie between 0 and 1"),
        ([*SCORE, "good", "--resamples", "0"], "--resamples must be an integer >= 1"),
        ([*SCORE, "good", "--seed", "-1"], "--seed must be an integer >= 0"),
        ([*SCORE, "good", "--flags", "-f", "seg"], "seg has no place for flags: choose -f tsv"),
        (["score", "model", "-t", "good", "--flags"], "with a source or a reference: give -s or"),
        ([*SCORE, " good"], "the system's name ' good' cannot stand in lines"),
    ],
)
def test_what_a_user_may_get_wrong(capsys, arguments, message):
    Path(" good").write_text(TEXTS["good"])
    assert message in error_of(capsys, arguments)
    assert Path("ref").read_text() == TEXTS["ref"]


@pytest.mark.parametrize("command", ["rank", "score"])
def test_flags_say_what_is_contradicted(capsys, command):
    Path("ref").write_text("hello friend\nthe world is 9 years old\nit is not round\n")
    Path("good").write_text("hello my friend\nthe world is nine years old\nit isn't round\n")
    Path("bad").write_text("hello friend\nthe world is 7 years old\nit is round\n")
    said = {
        2: ["number 9 in the reference, 7 here"],
        3: ["negation: not round in the reference, round here"],
    }
    given = [command, "model", "-r", "ref", "-t", "good", "bad"]
    without = output(capsys, [*given, "-f", "tsv"]).out
    out, err = output(capsys, [*given, "--flags"])
    found = pd.read_csv(io.StringIO(out), sep="\t", keep_default_na=False)
    bad = found[found["system"] == "bad"].set_index("segment")["flags"]
    assert bad.to_dict() == {1: "", **{k: "; ".join(found) for k, found in said.items()}}
    assert not found.loc[found["system"] == "good", "flags"].any()
    assert [line.rpartition("\t")[0] for line in out.splitlines()] == without.splitlines()
    rows = {line.split()[0]: line.split()[-1] for line in err.splitlines() if line}
    assert (rows["system"], rows["good"], rows["bad"]) == ("flagged", "0", "2")
    assert "\nFlagged counts segments that contradict" in err
    lines = output(capsys, [*given, "--flags", "-f", "jsonl", "--systems", "systems"]).out
    for line in map(json.loads, lines.splitlines()):
        expected = {"good": [], "bad": said.get(line["segment"], [])}
        assert {t["system"]: t["flags"] for t in line["translations"]} == expected
    table = pd.read_csv("systems", sep="\t", index_col="system")
    assert table["flagged"].to_dict() == {"good": 0, "bad": 2}
    assert "flag" not in output(capsys, given).err
    lost = pd.read_csv(
        io.StringIO(output(capsys, [*given, "--flagged-lose", "-f", "tsv"]).out), sep="\t"
    )
    bad = lost["system"].eq("bad") & lost["segment"].isin(said)
    assert (lost["score"][bad] <= -0.5).all() and "flags" not in lost
    usual = pd.read_csv(io.StringIO(without), sep="\t")
    pd.testing.assert_series_equal(lost["score"][~bad], usual["score"][~bad])
    assert "--flagged-lose does not go" in error_of(
        capsys, [*given, "--flagged-lose", "--partitions", "folder"]
    )
    assert "--flagged-lose compares" in error_of(
        capsys, [command, "model", "-t", "good", "bad", "--flagged-lose"]
    )


def test_the_language_is_flagged(capsys):
    Path("ref").write_text("The committee will decide on the proposal in the coming weeks.\n")
    Path("en").write_text("The committee is to decide on the proposal in weeks to come.\n")
    Path("fi").write_text("Valiokunta päättää ehdotuksesta tulevien viikkojen aikana.\n")
    given = ["score", "model", "-r", "ref", "-t", "en", "fi", "--to", "en"]
    out = output(capsys, [*given, "--flags", "-f", "tsv"]).out
    found = pd.read_csv(io.StringIO(out), sep="\t", keep_default_na=False)
    assert found["flags"].tolist() == ["", "language: fi, not en"]
    assert "--to is for flags" in error_of(capsys, given)


def test_flags_beside_scores_can_be_evaluated(capsys):
    output(capsys, [*SCORE, "good", "bad", "--flags", "-o", "m.tsv"])
    command = [
        "evaluate",
        "mqm.tsv",
        "--format",
        "mqm",
        "--scores",
        "m.tsv",
        "--resamples",
        "5",
        "-f",
        "json",
    ]
    with_flags = json.loads(output(capsys, command).out)["system_scores"]
    output(capsys, [*SCORE, "good", "bad", "-f", "tsv", "-o", "m.tsv"])
    assert json.loads(output(capsys, command).out)["system_scores"] == with_flags != []


def test_ranks_and_scores_are_those_of_the_functions(capsys):
    X = load_translations(["good", "bad"], None, ["ref"])
    ranked = rank_candidates(load_model("model"), X)
    assert score_candidates(load_model("model"), X).tolist() == ranked["score"].tolist()
    rank = output(capsys, ["rank", "model", "-r", "ref", "-t", "good", "bad"]).err
    score = output(capsys, [*SCORE, "good", "bad"]).err
    first, second = (
        {line.split()[0]: line.split()[1] for line in table.splitlines()[4:6]}
        for table in (rank, score)
    )
    assert first == second
