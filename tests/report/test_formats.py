"""Each format of reports, of one small report written by hand."""

import io
import json

import pandas as pd
import pytest

from sklearn_mteval._helpers.spreadsheets import as_cell
from sklearn_mteval.metrics.core.statistics import STATISTICS
from sklearn_mteval.metrics.system.statistics import SYSTEM_STATISTICS
from sklearn_mteval.report.formats import FORMATS, Report, Table, formats_of, write
from sklearn_mteval.report.metrics import heading
from sklearn_mteval.report.scores import as_ranks


@pytest.fixture
def report():
    index = pd.Index(["a_b", "[c]"], name="metric")
    table = Table(
        "Title",
        ["metric", "tau"],
        [["a_b", "9.1 [-1.0, 10.0]"], ["[c]", "-2"]],
        frozenset([(0, 1)]),
    )
    values = pd.DataFrame({"tau": [0.0912345678901234, float("nan")]}, index=index)
    record = {"metrics": [{"name": "a_b", "tau": None}]}
    return Report([table], ["A note of 50 %."], "level:both|seed:0", values, record)


EXPECTED = {
    "text": """Title

metric               tau
------  ----------------
a_b     9.1 [-1.0, 10.0]
[c]                   -2

A note of 50 %.

level:both|seed:0
""",
    "tsv": """metric\ttau\tsignature
a_b\t0.0912345678901234\tlevel:both|seed:0
[c]\t\tlevel:both|seed:0
""",
    "json": """{
  "metrics": [
    {
      "name": "a_b",
      "tau": null
    }
  ],
  "signature": "level:both|seed:0"
}
""",
    "latex": r"""% Title
\begin{tabular}{lr}
\toprule
metric & tau \\
\midrule
a\_b & \textbf{9.1 [$-$1.0, 10.0]} \\
{}[c] & $-$2 \\
\bottomrule
\end{tabular}

% A note of 50 %.
% level:both|seed:0
""",
    "markdown": """Title

| metric | tau |
| --- | ---: |
| a_b | 9.1 [-1.0, 10.0] |
| \\[c] | -2 |

A note of 50 %.

`level:both|seed:0`
""",
}


@pytest.mark.parametrize("form", formats_of("report"))
def test_formats(report, form):
    assert write(report, form) == EXPECTED[form]


def test_json_refuses_what_is_no_json(report):
    with pytest.raises(ValueError, match="not JSON compliant"):
        write(Report([], [], "", report.values, {"tau": float("nan")}), "json")


def test_what_latex_and_markdown_take_for_commands_is_escaped(report):
    table = Table("", ["metric"], [[r"50 % & {x} ~ ^ \ # $ <0.1|>"]])
    odd = Report([table], [], "", report.values, json.loads("{}"))
    escaped = r"50 \% \& \{x\} \textasciitilde{} \textasciicircum{} \textbackslash{} \# \$"
    assert f"{escaped} $<$0.1|$>$ \\\\" in write(odd, "latex")
    assert r"| 50 % & {x} ~ ^ \\ # $ &lt;0.1\|&gt; |" in write(odd, "markdown")


def test_unknown_format(report):
    with pytest.raises(ValueError, match=r"one of \['text', .*\], found 'html'"):
        write(report, "html")


def test_a_new_format_is_one_entry(report, monkeypatch):
    monkeypatch.setitem(FORMATS, "titles", {"report": lambda r: r.tables[0].title})
    assert write(report, "titles") == "Title"


def test_headings_are_the_registries():
    assert (heading("wmt12"), heading("tau-b"), heading("acc_eq")) == (
        "tau (wmt12)",
        "tau-b",
        "acc_eq",
    )
    assert (heading("pearson"), heading("system_spa")) == ("Pearson", "SPA")
    headings = [heading(name) for name in STATISTICS]
    headings += [heading(f"system_{name}") for name in SYSTEM_STATISTICS]
    assert all(headings)


ODD_NAMES = ["#1", "a#b", 'so "called"', '"', "it's", "a,b", " padded ", "\\t", "ü"]


@pytest.mark.parametrize("comment", [None, "#"])
def test_pandas_reads_the_tab_separated_values_as_they_are(report, comment):
    index = pd.Index(ODD_NAMES, name="metric")
    values = pd.DataFrame(
        {"tau": [0.1 + k for k in range(9)], "rows": range(9), "p_better_than_#1": 0.5}, index=index
    )
    values.iloc[2, 0] = float("nan")
    signature = "negated:a#b|seed:0"
    text = write(Report([], [], signature, values, {}), "tsv")
    found = pd.read_csv(io.StringIO(text), sep="\t", comment=comment, index_col="metric")
    assert set(found.pop("signature")) == {signature}
    pd.testing.assert_frame_equal(found, values)


@pytest.mark.parametrize("comment", [None, "#"])
def test_ranks_of_oddly_named_systems_read_back(comment):
    index = pd.MultiIndex.from_product([[1, 2], ODD_NAMES], names=["segment", "system"])
    ranked = {"rank": range(18), "strength": 0.25, "score": 0.5}
    ranked = pd.DataFrame(ranked, index=index)
    text = write(as_ranks(ranked), "tsv", "ranks")
    found = pd.read_csv(io.StringIO(text), sep="\t", comment=comment, index_col=[0, 1])
    pd.testing.assert_frame_equal(found, ranked)


def test_cells():
    assert [as_cell(x) for x in ("a", 1, 0.1, float("nan"), "a\tb", 'a"b', "a\nb", "#")] == [
        "a", "1", "0.1", "", '"a\tb"', '"a""b"', '"a\nb"', '"#"',
    ]  # fmt: skip
