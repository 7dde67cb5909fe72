"""What is said of texts that are hardly what was meant, and that nothing is said of sound ones."""

import subprocess
import sys
import warnings

import pandas as pd
import pytest
from suspicious_tables import SAMPLE, Y, table

from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_translations, suspicious_texts
from sklearn_mteval.datasets.campaigns.wmt import load_wmt_translations
from sklearn_mteval.exceptions import CandidateError

LINES = ["one and two", "three", "four or five", "six"]
OTHERS = ["1 and 2", "3", "4 or 5", "6"]


def test_empty_lines_are_counted():
    X = table({"A": ["a", " ", "c", "\t"], "B": OTHERS, "C": [""] * 4}, source=["", *LINES[1:]])
    assert suspicious_texts(X) == [
        "Empty lines: 2 of 4 of 'A', all 4 of 'C', 1 of 4 of the sources."
    ]
    X = table({"A": OTHERS}, reference=[["a", ""], ["", ""], ["", "c"], ["d", "d"]])
    assert suspicious_texts(X) == ["Empty lines: 1 of 4 of the references."]


def test_lines_that_are_empty_everywhere_do_not_count():
    """As campaigns have them where nobody judged."""
    gaps = [["", "a", "", "b"], ["", "c", "", ""]]
    X = table(
        {"A": gaps[0], "B": gaps[1]}, source=["", "x", "", "y"], reference=["", "r", " ", "s"]
    )
    assert suspicious_texts(X) == ["Empty lines: 1 of 2 of 'B'."]


def test_systems_that_say_the_same():
    same = {"A": LINES, "B": OTHERS, "twin": LINES, "third": LINES, "other": OTHERS}
    found = suspicious_texts(table(same))
    assert found == [
        "Line by line the same: 'A' = 'third' = 'twin' (all 4), 'B' = 'other' (all 4)."
    ]
    assert suspicious_texts(table({"A": LINES, "B": [*LINES[:3], "seven"]})) == []
    few = ["yes", "no", "yes", "no"]
    assert suspicious_texts(table({"A": few, "B": few})) == []
    apart = table({"A": LINES, "B": LINES})[[True, False] * 3 + [False, True]]
    assert suspicious_texts(apart) == []


@pytest.mark.parametrize("n_equal", [1, 2, 3, 4])
def test_what_is_mostly_a_copy_of_the_source(n_equal):
    copied = [*LINES[:n_equal], *OTHERS[n_equal:]]
    X = table({"A": copied, "B": OTHERS}, source=LINES)
    number = "all 4" if n_equal == 4 else "3 of 4"
    expected = [f"Line by line equal to the source: {number} of 'A'."] if n_equal > 2 else []
    assert suspicious_texts(X) == expected
    found = suspicious_texts(table({"B": OTHERS}, source=LINES, reference=copied))
    assert found == [text.replace("'A'", "the references") for text in expected]


def swapped(X):
    return X.rename(columns={"source": "reference", "reference": "source"})


ANOTHER = "The references seem to be of another language than the translations"


def test_references_of_another_language():
    """The sample is translated from German into English."""
    assert suspicious_texts(SAMPLE) == []
    guess = ", and the sources of theirs: are sources and references swapped?"
    assert suspicious_texts(swapped(SAMPLE)) == [ANOTHER + guess]
    assert suspicious_texts(swapped(SAMPLE).drop(columns="source")) == [ANOTHER + "."]
    twice = swapped(SAMPLE).drop(columns="source")
    twice["reference"] = [[cell, cell] for cell in twice["reference"]]
    assert suspicious_texts(twice) == [ANOTHER + "."]


def test_one_system_of_another_language():
    X = SAMPLE.copy()
    neural = X.index.get_level_values("system") == "neural"
    X.loc[neural, "hypothesis"] = X.loc[neural, "source"] + "!"
    found = suspicious_texts(X)
    said = "Of another language than the references (en), as it seems: 'neural' (de)."
    assert found == [said]
    # A copy of the source is said to be one, and nothing else.
    X.loc[neural, "hypothesis"] = X.loc[neural, "source"]
    assert suspicious_texts(X) == ["Line by line equal to the source: all 128 of 'neural'."]


def test_a_line_without_end_is_not_the_whole_text():
    X = SAMPLE.copy()
    X.iloc[0, X.columns.get_loc("hypothesis")] = "zu viel " * 20000
    assert suspicious_texts(X) == []


def test_a_language_without_spaces():
    line, other = "東京の天気は今日も晴れです", "大阪では明日から雨が降るでしょう"
    pairs = [(f"{k}年に{line}。", f"{k}年から{other}。") for k in range(150)]
    X = table(
        {"A": [a for a, _ in pairs]}, reference=[a.replace("今日", "きょう") for a, _ in pairs]
    )
    assert suspicious_texts(X) == []
    english = X.assign(reference="it is fine in Tokyo today")
    assert suspicious_texts(english) == [ANOTHER + "."]
    english = english.rename(columns={"hypothesis": "reference", "reference": "hypothesis"})
    assert suspicious_texts(english) == [ANOTHER + "."]


def test_neither_order_of_rows_nor_several_judgements_matter():
    X = swapped(SAMPLE).copy()
    X.iloc[:7, X.columns.get_loc("hypothesis")] = ""
    found = suspicious_texts(X)
    assert len(found) == 2 and found[0].startswith("Empty lines: 1 of 128 of 'hybrid', 2 of 128")
    assert suspicious_texts(X.sample(frac=1, random_state=0)) == found
    labels = X.index.to_frame(index=False)
    judged = [X.set_axis(pd.MultiIndex.from_frame(labels.assign(ranking=k))) for k in range(3)]
    assert suspicious_texts(pd.concat(judged)) == found


def test_long_lists_are_cut():
    systems = {f"system{k}": ["", "a"] for k in range(8)}
    (found,) = suspicious_texts(table(systems, source=["x", "y"]))
    assert found.endswith("1 of 2 of 'system4' and 3 more.")


def test_tables_without_texts_and_no_tables():
    assert suspicious_texts(SAMPLE.drop(columns="hypothesis")) == []
    assert suspicious_texts(SAMPLE.iloc[:0]) == []
    with pytest.raises(CandidateError, match="MultiIndex"):
        suspicious_texts(SAMPLE.reset_index(drop=True))
    with pytest.raises(CandidateError, match="'hypothesis', row 0"):
        suspicious_texts(SAMPLE.assign(hypothesis=1.5))


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The sample as files, two of three systems the same, the third with an empty line."""
    monkeypatch.chdir(tmp_path)
    columns = {
        name: SAMPLE.xs(name, level="system")["hypothesis"].tolist() for name in ("neural", "rule")
    }
    columns["twin"] = columns["neural"]
    columns["rule"][3] = ""
    columns |= {
        name: SAMPLE[name].groupby(level="segment").first().tolist()
        for name in ("source", "reference")
    }
    for name, lines in columns.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    return tmp_path


SYSTEMS = ["neural", "rule", "twin"]
FOUND = ["Empty lines: 1 of 128 of 'rule'.", "Line by line the same: 'neural' = 'twin' (all 128)."]


def test_files_are_warned_of(files):
    with pytest.warns(UserWarning, match="^(Empty lines|Line by line)") as warned:
        load_translations(SYSTEMS, "source", ["reference"])
    assert [str(one.message) for one in warned] == FOUND
    assert {one.filename for one in warned} == {__file__}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_translations(["neural"], "source", ["reference"], min_systems=1)


def test_commands_say_it_once_each_on_a_line(files, capsys):
    from sklearn_mteval import save_model
    from sklearn_mteval.models import bleu_pipeline

    save_model(bleu_pipeline().fit(SAMPLE.loc[:9], Y.loc[:9]), "model")
    for command, *model in (["rank", "model"], ["score", "model"], ["rerank"]):
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            given = ["-s", "source", "-r", "reference", "-t", *SYSTEMS, "-o", "out"]
            assert main([command, *model, *given]) == 0
        said = [line for line in capsys.readouterr().err.splitlines() if "warning" in line]
        assert said == [f"sklearn-mteval {command}: warning: {text}" for text in FOUND]


@pytest.mark.slow
def test_judgements_are_warned_of(files):
    X = SAMPLE.reset_index().assign(score=-Y.to_numpy())
    rule = X["system"] == "rule"
    X.loc[rule, "hypothesis"] = ["A line too many.", *X.loc[rule, "hypothesis"].iloc[:-1]]
    X.to_csv("own.csv", index=False)
    command = [sys.executable, "-m", "sklearn_mteval"]
    own = ["own.csv", "--better", "higher"]
    evaluate = [*command, "evaluate", *own, "--metrics", "bleu", "--resamples", "5"]
    board = [*command, "leaderboard", *own, "--resamples", "5"]
    train = [*command, "train", *own, "-o", "m", "--features", "bleu", "--classifier", "logreg"]
    train.append("--even-if-worse")
    for run in (evaluate, board, [*train, "--no-progress"]):
        found = subprocess.run(run, capture_output=True, text=True, check=False)
        assert found.returncode == 0, found.stderr
        said = [line for line in found.stderr.splitlines() if "Shifted lines" in line]
        shifted = "Shifted lines: 'rule' is 1 line behind the references from line 1 on."
        assert said == [f"sklearn-mteval {run[3]}: warning: {shifted}"]


PAIRS = [("wmt12", pair) for pair in ("cs-en", "de-en", "en-de")] + [("wmt13", "fr-en")]
PAIRS += [("wmt15", f"{s}-en") for s in ("cs", "de", "fi", "fr", "ru")]
PAIRS += [("wmt15", f"en-{t}") for t in ("cs", "de", "fi", "fr", "ru")]


@pytest.mark.slow
def test_language_pairs_that_are_trained_on_together_are_several(data_dir, tmp_path):
    """Their sources are of two languages, as they should be."""
    data, model = str(data_dir / "wmt12"), str(tmp_path / "m")
    train = [sys.executable, "-m", "sklearn_mteval", "train", data, "--lang-pair", "cs-en", "de-en"]
    train += ["-o", model, "--features", "bleu", "--classifier", "logreg", "--even-if-worse"]
    found = subprocess.run(train, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    assert "languages" not in found.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("campaign", "pair"), PAIRS)
def test_sound_campaigns_raise_no_alarm_and_swapped_files_do(data_dir, campaign, pair):
    X = load_wmt_translations(data_dir / campaign, pair)
    assert suspicious_texts(X) == []
    (found,) = suspicious_texts(swapped(X))
    assert found.startswith(ANOTHER) and found.endswith("are sources and references swapped?")
    (found,) = suspicious_texts(X.assign(reference=X["source"]).drop(columns="source"))
    assert found == ANOTHER + "."
