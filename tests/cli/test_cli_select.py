"""The command select: the file that it writes is what the function says."""

from io import StringIO

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_rankings, load_scores, load_translations
from sklearn_mteval.datasets.selections import read_selection
from sklearn_mteval.evaluation import select_comparisons, select_segments
from sklearn_mteval.features import MetricScores

# All lines of the files here are alike.
pytestmark = pytest.mark.filterwarnings("ignore:Wrapped lines")


def output(capsys, *arguments):
    assert main(list(map(str, arguments))) == 0
    return capsys.readouterr()


def problem(capsys, *arguments):
    assert main(list(map(str, arguments))) == 1
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith(f"sklearn-mteval {arguments[0]}: error: ")
    return said.err


@pytest.fixture
def outputs(tmp_path):
    """Texts of three systems, a reference and documents: twelve lines."""
    rng = np.random.default_rng(1)
    words = np.array(["the", "cat", "sat", "on", "a", "mat", "and", "slept", "all", "day", "long"])
    texts = {name: [] for name in ("ref", "one", "two", "three")}
    for _ in range(12):
        reference = rng.choice(words, 8)
        for noise, (_, lines) in enumerate(texts.items()):
            kept = np.where(rng.random(8) < noise * 0.2, rng.choice(words, 8), reference)
            lines.append(" ".join(kept))
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    (tmp_path / "source").write_text("".join(f"{' '.join('x' * 8)} {k}\n" for k in range(12)))
    (tmp_path / "docs").write_text("a\n" * 6 + "b\n" * 6)
    (tmp_path / "done").write_text("1\n7\n")
    lines = [f"{name}\t{k % 5}\n" for name in ("one", "two", "three") for k in range(12)]
    (tmp_path / "odd.seg.score").write_text("".join(lines))
    return tmp_path


@pytest.fixture
def systems(outputs):
    return [outputs / name for name in ("one", "two", "three")]


@pytest.fixture
def given(outputs, systems):
    return ["select", "-t", *systems, "-r", outputs / "ref"]


@pytest.fixture
def scores(outputs, systems):
    X = load_translations(systems, references=[outputs / "ref"])
    return MetricScores(["bleu", "chrf"]).set_output(transform="pandas").fit_transform(X)


def test_the_file_is_what_the_function_returns(outputs, given, scores, capsys):
    file = outputs / "chosen.tsv"
    said = output(capsys, *given, "-o", file)
    assert "(random) serves means, unbiased" in said.err and said.out == ""
    assert "6 segments to judge." in said.err and "overlap metrics say little" in said.err
    expected = select_segments(scores, method="random")
    pd.testing.assert_frame_equal(read_selection(file), expected, check_index_type=False)
    assert read_selection(file).attrs["signature"] == (
        f"sklearn-mteval select {expected.attrs['signature']}"
    )
    documents = pd.Series(["a"] * 6 + ["b"] * 6, range(1, 13))
    options = {"documents": documents, "judged": [1, 7], "random_state": 4, "method": "random"}
    more = ["--documents", outputs / "docs", "--judged", outputs / "done", "-n", "6", "--seed", 4]
    output(capsys, *given, *more, "-o", file)
    expected = select_segments(scores, 6, **options)
    pd.testing.assert_frame_equal(read_selection(file), expected, check_index_type=False)
    output(capsys, *given, *more, "--whole-documents", "-n", "8", "-o", file)
    expected = select_segments(scores, 8, whole_documents=True, **options)
    pd.testing.assert_frame_equal(read_selection(file), expected, check_index_type=False)


def test_lines_are_those_still_to_judge(outputs, given, scores, capsys):
    more = ["--lines", "--judged", outputs / "done", "-n", "6"]
    printed = output(capsys, *given, *more).out.split()
    found = select_segments(scores, 6, judged=[1, 7], method="random")
    assert list(map(int, printed)) == sorted(set(found.index[found["chosen"]]) - {1, 7})
    more = ["--lines", "--metrics", "chrf", "--method", "variance", "-n", "0.25"]
    said = output(capsys, *given, *more)
    found = select_segments(scores[["chrf_score"]], 0.25, method="variance")
    assert list(map(int, said.out.split())) == found.index[found["chosen"]].tolist()
    assert "(variance) serves the order of systems by mean" in said.err


def test_costs_and_strata(outputs, given, scores, capsys):
    costs = [1, 2, 3, 4, 5, 6] * 2
    (outputs / "minutes").write_text("".join(f"{cost}\n" for cost in costs))
    file = outputs / "chosen.tsv"
    more = ["--costs", outputs / "minutes", "--strata", outputs / "docs", "-n", "20.5"]
    said = output(capsys, *given, *more, "-o", file).err
    labels = pd.Series(["a"] * 6 + ["b"] * 6, range(1, 13))
    costs = pd.Series(costs, range(1, 13), dtype=float)
    expected = select_segments(scores, 20.5, costs=costs, strata=labels, method="random")
    pd.testing.assert_frame_equal(read_selection(file), expected, check_index_type=False)
    assert f"of the cost {costs[expected['chosen']].sum():g} of 42" in said
    # Nine words in each line of the source.
    more = ["-s", outputs / "source", "--costs", "words", "-n", "54"]
    assert "of the cost 54 of 108" in output(capsys, *given, *more).err


def test_scores_of_other_tools_and_scores_saved(outputs, given, systems, scores, capsys):
    other = ["select", "-t", *systems, "--lines", "--scores", outputs / "odd.seg.score"]
    saved = outputs / "saved.tsv"
    twice = [outputs / "odd.seg.score", "--save-scores", saved]  # one metric by two names
    assert len(output(capsys, *other, *twice, "-n", "3").out.split()) == 3
    names = saved.read_text().split("\n")[0].split("\t")
    assert names == ["segment", "system", "odd", f"{outputs / 'odd.seg.score'}:odd"]
    with open(outputs / "odd.seg.score", "a") as file:  # of a system that is not chosen for
        file.write("refA\t1\n" * 12)
    more = ["--metrics", "bleu", "-r", outputs / "ref", "--method", "disagreement"]
    assert len(output(capsys, *other, *more).out.split()) == 6
    output(capsys, *given, "-s", outputs / "source", "--save-scores", saved)
    found = load_scores(saved, ["one", "two", "three"], 12)
    assert list(found) == ["bleu_score", "chrf_score", "source_words"]
    assert (found["source_words"] == 9).all()
    columns = found[["bleu_score", "chrf_score"]].sort_index()
    pd.testing.assert_frame_equal(columns, scores.sort_index(), check_index_type=False)


def test_without_references(outputs, systems, capsys):
    for method in ("random", "diversity"):
        printed = output(capsys, "select", "-t", *systems, "--method", method, "--lines")
        assert len(printed.out.split()) == 6
    more = ["--method", "diversity", "--similarity", "unigram", "--lines"]
    X = load_translations(systems)
    none = pd.DataFrame({"none": 0.0}, X.index)
    found = select_segments(none, method="diversity", similarity="unigram", translations=X)
    printed = output(capsys, "select", "-t", *systems, *more).out.split()
    assert list(map(int, printed)) == found.index[found["chosen"]].tolist()


def test_nothing_but_translations_draws_at_random(outputs, systems, capsys, tmp_path):
    said = output(capsys, "select", "-t", *systems)
    rows = [line.split("\t") for line in said.out.splitlines() if not line.startswith("#")]
    chosen, probability = (rows[0].index(name) for name in ("chosen", "probability"))
    assert sum(row[chosen] == "1" for row in rows[1:]) == 6
    assert {float(row[probability]) for row in rows[1:]} == {0.5}  # alike for all
    assert "No scores of a learned metric are given" in said.err
    assert said.out == output(capsys, "select", "-t", *systems, "--method", "random").out
    saved = tmp_path / "lengths.tsv"
    output(capsys, "select", "-t", *systems, "-s", outputs / "source", "--save-scores", saved)
    names = saved.read_text().split("\n")[0].split("\t")
    assert names == ["segment", "system", "source_words"]  # and no score that nobody has made
    found = problem(capsys, "select", "-t", *systems, "--save-scores", saved)
    assert "there are no scores to write: give -r, --scores or -s" in found
    for method in ("spread", "balanced", "variance", "average", "consistency", "disagreement"):
        found = problem(capsys, "select", "-t", *systems, "--method", method)
        assert f"--method {method} needs scores of metrics: give -r" in found
        assert "or --scores" in found


def test_words_of_the_target_language(outputs, capsys):
    rng = np.random.default_rng(0)
    for name in ("ref", "one", "two"):
        lines = ["".join(rng.choice(list("我你他们是不在有"), 9)) for _ in range(12)]
        (outputs / name).write_text("".join(f"{line}\n" for line in lines))
    systems = [outputs / "one", outputs / "two"]
    X = load_translations(systems, references=[outputs / "ref"])
    for language in (["--lang-pair", "en-zh"], []):  # told, or by script
        saved = outputs / "saved.tsv"
        more = ["--metrics", "bleu", "--save-scores", saved, *language]
        output(capsys, "select", "-t", *systems, "-r", outputs / "ref", *more)
        expected = MetricScores(["bleu"], language="zh").set_output(transform="pandas")
        expected = expected.fit_transform(X).sort_index()
        found = load_scores(saved, ["one", "two"], 12).sort_index()
        pd.testing.assert_frame_equal(found, expected, check_index_type=False)


def test_what_is_wrong(outputs, systems, given, capsys):
    assert "give -r" in problem(capsys, "select", "-t", *systems, "--metrics", "chrf")
    assert "give -s" in problem(capsys, *given, "--costs", "words")
    said = problem(capsys, *given, "--costs", outputs / "docs")
    assert "line 1" in said and "expected a number, found 'a'" in said
    said = problem(capsys, *given, "--whole-documents")
    assert "--whole-documents needs --documents" in said
    said = problem(capsys, *given, "--strata", outputs / "docs", "--method", "balanced")
    assert "strata is for the methods 'spread' and 'random'" in said
    (outputs / "docs").write_text("a\n")
    said = problem(capsys, *given, "--documents", outputs / "docs")
    assert "expected a line for each segment, 12, found 1" in said
    (outputs / "done").write_text("1\nx\n")
    said = problem(capsys, *given, "--judged", outputs / "done")
    assert "line 2" in said and "expected the number of a line, found 'x'" in said
    (outputs / "done").write_text("13\n")
    assert "judged has 13" in problem(capsys, *given, "--judged", outputs / "done")
    assert "only 12 segments" in problem(capsys, *given, "-n", "13")


def test_next_comparisons(tmp_path, capsys):
    rng = np.random.default_rng(0)
    names = np.array(["a.txt", "b.txt", "c.txt"])
    one = rng.integers(3, size=80)
    other = (one + 1 + rng.integers(2, size=80)) % 3
    winner = rng.choice(["model_a", "model_b", "tie"], 80)
    battles = tmp_path / "battles.csv"
    table = {"segment": rng.integers(1, 5, 80), "model_a": names[one], "model_b": names[other]}
    pd.DataFrame(table | {"winner": winner}).to_csv(battles, index=False)
    loaded = load_rankings(battles)
    given = ["next", battles, "--columns", "segment=segment"]
    assert main(list(map(str, given))) == 0
    said = pd.read_csv(StringIO(capsys.readouterr().out), sep="\t")
    pd.testing.assert_frame_equal(said, select_comparisons(loaded.X, loaded.y, 100))
    paths = [tmp_path / name for name in (*names, "new.txt")]
    for path in paths:
        path.write_text("".join(f"{path.name} {k}\n" for k in range(8)))
    more = ["-n", 7, "--goal", "intervals", "--alpha", 0.1, "--seed", 3, "-t", *paths]
    assert main(list(map(str, [*given, *more]))) == 0
    said = pd.read_csv(StringIO(capsys.readouterr().out), sep="\t")
    candidates = load_translations(paths)
    options = {"goal": "intervals", "alpha": 0.1, "random_state": 3, "candidates": candidates}
    pd.testing.assert_frame_equal(said, select_comparisons(loaded.X, loaded.y, 7, **options))
    assert list(said.columns) == ["segment", "system", "against", "gain"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["next", "x.csv", "--method", "random"], "there is no option --method"),
        (["next", "x.csv", "-n", "0.25"], "argument -n/--size: invalid int value: '0.25'"),
        (["select", "--goal", "intervals", "-t", "a", "b"], "there is no option --goal"),
        (["select", "-n", "3"], "the following arguments are required: -t/--translations"),
    ],
)
def test_options_of_the_other_choice_are_refused(words, message, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(words)
    assert message in capsys.readouterr().err
