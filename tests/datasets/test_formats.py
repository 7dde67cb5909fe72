"""Formats of judgements: told where they are certain, and only there; all derived from entries."""

import os
from pathlib import Path

import pandas as pd
import pytest
from campaign_files import make_campaign, make_mtme

from sklearn_mteval.candidates import check_candidates, check_ranks
from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_judgements, load_rankings, load_wmt, to_long
from sklearn_mteval.datasets.campaigns.wmt import load_wmt_translations
from sklearn_mteval.datasets.formats._registry import FORMATS, find_format, format_names, format_of
from sklearn_mteval.evaluation import collect_scores
from sklearn_mteval.exceptions import DataFileError

MQM = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
FILES = {
    "mqm": MQM + "\nA\td\t1\t1\tr\ts\tt\tNo-error\tNo-error\n",
    "esa": "j1,A,3,TGT,eng,ces,80,doc,False,[],1.0,2.0\n",
    "pearmut": '{"user_id": "u", "item_i": 1, "item": [], "annotation": []}\n',
    "mlqe": "source\ttranslation\tvotes\tcritical\na\tb\t[0]\t0\n",
    "own": "segment,system,rank\n1,A,1\n",
}
OTHERS = ["", "\n", '{"segment": 1}', "{", "[1]", "{" * 9000, "\ufeffsegment\tsystem", "j,A,3,xyz,"]


@pytest.mark.parametrize("format", FILES)
def test_files(format, tmp_path):
    (tmp_path / "file").write_text(FILES[format])
    assert find_format(tmp_path / "file") == format
    (tmp_path / "file").write_text("\ufeff" + FILES[format].replace("\n", "\r\n"), newline="")
    assert find_format(str(tmp_path / "file")) == format  # with a byte order mark, CRLF


@pytest.mark.parametrize("text", OTHERS)
def test_what_is_read_as_a_table_and_refused_there(text, tmp_path):
    (tmp_path / "file").write_text(text)
    assert find_format(tmp_path / "file") == "own"
    assert find_format(tmp_path / "none") == find_format("-") == find_format("a\0b") == "own"


def test_folders(tmp_path):
    with pytest.raises(DataFileError, match=r"human-scores/ \(mtme\) or rankings/"):
        find_format(tmp_path)
    (tmp_path / "rankings").mkdir()
    assert find_format(tmp_path) == "wmt"
    (tmp_path / "human-scores").mkdir()
    with pytest.raises(DataFileError, match="--format mtme or wmt"):
        find_format(tmp_path)
    (tmp_path / "rankings").rmdir()
    assert find_format(tmp_path) == "mtme"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_pipe_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert find_format(tmp_path / "pipe") == "own"


@pytest.mark.parametrize(
    ("name", "language"),
    [("critical.en-cs.dev.tsv", "cs"), ("eng-zho.x.tsv.gz", "zh"), ("mine.tsv", ""), ("a-b", "")],
)
def test_target_language_of_a_file(name, language, tmp_path):
    (tmp_path / name).write_text(FILES["mlqe"])
    assert load_judgements(tmp_path / name).target_language == language


@pytest.mark.parametrize(("pair", "language"), [(None, "cs"), ("eng-ces", "cs")])
def test_target_language_of_an_export(pair, language, tmp_path):
    (tmp_path / "esa.csv").write_text(FILES["esa"])
    assert load_judgements(tmp_path / "esa.csv", lang_pair=pair).target_language == language


def test_target_language_of_a_test_set(tmp_path):
    root = make_mtme(tmp_path, ["en-zh_TW"])
    assert load_judgements(root, lang_pair="en-zh_TW").target_language == "zh"


@pytest.mark.slow
def test_real_data(data_dir):
    found = {path: find_format(data_dir / path) for path in (
        "wmt12", "wmt15", "wmt23", "mqm/mqm_ted_zhen.tsv", "mlqe/en-de.dev.tsv.gz",
        "mlqe/critical.en-de.dev.tsv.gz", "wmt24/esa/esa_generalMT2024_wave2.csv"
    )}  # fmt: skip
    assert list(found.values()) == ["wmt", "wmt", "mtme", "mqm", "mlqe", "mlqe", "esa"]


@pytest.mark.parametrize("name", FORMATS)
def test_an_entry_is_complete(name):
    entry = FORMATS[name]
    assert entry.name == name and entry.what and callable(entry.read)
    assert {*entry.texts_by} <= {"source", "reference", "hypothesis"}
    assert all(option.help and option.flag.startswith("--") for option in entry.options)
    asked = entry.layouts or (name,)
    assert all(format_of(layout) is entry for layout in asked) and {*asked} <= {*format_names()}


@pytest.mark.parametrize("command", ["evaluate", "compare", "leaderboard", "train"])
def test_commands_have_each_format_and_option(command, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help-all"])
    out = capsys.readouterr().out
    assert all(name in out for name in format_names())
    options = {option.flag for entry in FORMATS.values() for option in entry.options}
    if command in ("leaderboard", "train"):
        options -= {"--metric-scores", "--human-systems"}
    assert [option for option in sorted(options) if option not in out] == []


def test_the_table_of_the_guide():
    page = (Path(__file__).parents[2] / "docs" / "own_judgements.md").read_text(encoding="utf-8")
    for name, entry in FORMATS.items():
        if not entry.layouts:
            options = ", ".join(f"`{option.flag}`" for option in entry.options)
            assert f"| `{name}` | {entry.what} | {options} |" in page


def test_formats_and_options_that_there_are_not(tmp_path):
    with pytest.raises(ValueError, match=r"pairwise, .*mqm, .*'xml'"):
        load_judgements(tmp_path, "xml")
    with pytest.raises(TypeError, match="format 'wmt': missing a required argument: 'lang_pair'"):
        load_judgements(tmp_path, "wmt")
    with pytest.raises(TypeError, match="format 'mqm': got an unexpected keyword argument 'gold'"):
        load_judgements(tmp_path, "mqm", gold="esa")


def test_judgements_of_a_campaign(tmp_path):
    make_campaign(tmp_path / "wmt12", ["de-en"])
    found = load_judgements(tmp_path / "wmt12", lang_pair="de-en")
    wmt = load_wmt(tmp_path / "wmt12", "de-en")
    pd.testing.assert_frame_equal(found.X, wmt.X)
    pd.testing.assert_series_equal(found.y, wmt.y)
    pd.testing.assert_series_equal(found.judges, wmt.judges)
    translations = load_wmt_translations(tmp_path / "wmt12", "de-en")
    pd.testing.assert_frame_equal(found.translations, translations)
    assert (found.n_segments, found.format, found.DESCR) == (wmt.n_segments, "wmt", wmt.DESCR)
    assert found.target_language == "en"


def test_judgements_of_mqm(tmp_path):
    header = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
    rows = [
        f"{s}\td\t1\t{k}\tr\tsrc {k}\t{s} {k}\tNo-error\tNo-error" for k in (1, 2) for s in "AB"
    ]
    (tmp_path / "mqm.tsv").write_text("\n".join([header, *rows]) + "\n")
    found = load_judgements(tmp_path / "mqm.tsv")
    assert found.translations is found.X and found.n_segments is None
    assert found.other_systems == () and len(found.y) == 4
    found = load_judgements(tmp_path / "mqm.tsv", reference_system=["B"])
    assert found.other_systems == ("B",)
    assert found.X.index.unique("system").tolist() == ["A"]
    assert found.X["reference"].tolist() == ["B 1", "B 2"]


def test_own_judgements(rankings):
    """What several annotators judged is one translation, and can be scored as such."""
    X, y = rankings
    frame = pd.concat([to_long(X, y, judges=[judge] * len(X)) for judge in ("ann", "bob")])
    judgements = load_judgements(frame, better="lower")
    loaded = load_rankings(frame, better="lower")
    for name in ("X", "y", "judges", "both_bad"):
        assert getattr(judgements, name).equals(loaded[name])
    assert (judgements.format, judgements.DESCR) == ("long", loaded.DESCR)
    assert len(judgements.y) == 2 * len(y) and judgements.n_segments is None
    assert judgements.translations.equals(X)
    [scores] = collect_scores(judgements, metrics=["chrf"]).values()
    assert scores.index.equals(X.index)


def test_contradictions_are_warned_of():
    columns = {"segment": [1, 1], "model_a": "A", "model_b": "B", "winner": ["model_a", "model_b"]}
    found = load_judgements(pd.DataFrame(columns))
    assert found.format == "pairwise" and "1 contradiction(s)" in found.warning
    assert load_judgements(pd.DataFrame(columns).iloc[:1], "pairwise").warning == ""


@pytest.mark.slow
def test_all_formats_make_candidate_tables(data_dir):
    given = {"wmt12": "de-en", "wmt23": "he-en", "mqm/mqm_ted_zhen.tsv": None}
    for path, pair in given.items():
        found = load_judgements(data_dir / path, **({"lang_pair": pair} if pair else {}))
        check_candidates(found.X)
        check_ranks(found.y, found.X)
        assert found.translations.index.is_unique and found.DESCR
