"""Lines that belong to others; the packaged sample has systems "hybrid", "neural" and "rule"."""

import re

import pytest
from suspicious_tables import of_lines, sample_lines, table

from sklearn_mteval.datasets import suspicious_texts
from sklearn_mteval.datasets.suspicious.findings import Findings

LINES = sample_lines()
N = len(LINES["source"])


def rolled(lines, k):
    return lines[k:] + lines[:k]


@pytest.mark.parametrize("n", [20, N])
@pytest.mark.parametrize("offset", [-3, -2, -1, 1, 2, 3])
@pytest.mark.parametrize("without", ["reference", "source"])
def test_a_system_that_is_rolled(n, offset, without):
    lines = sample_lines(n)
    lines["rule"] = rolled(lines["rule"], offset)
    (found,) = suspicious_texts(of_lines(lines, without=[without]))
    given = {"reference": "sources", "source": "references"}[without]
    way = "ahead of" if offset > 0 else "behind"
    n_lines = f"{abs(offset)} line{'s' * (abs(offset) > 1)}"
    assert found == f"Shifted lines: 'rule' is {n_lines} {way} the {given} from line 1 on."


@pytest.mark.parametrize("without", [(), ("source",), ("reference",)])
def test_a_shift_that_begins_in_the_middle_is_named_with_its_line(without):
    more = [*LINES["rule"][:60], "A line too many.", *LINES["rule"][60:-1]]
    (found,) = suspicious_texts(of_lines(LINES | {"rule": more}, without=without))
    assert found.startswith("Shifted lines: 'rule' is 1 line behind the ")
    first = int(found.removesuffix(" on.").rpartition(" ")[2])
    assert abs(first - 61) <= 3
    # A line was lost, and 40 lines further down one was added.
    mended = LINES["rule"][:40] + LINES["rule"][41:81] + ["Another line."] + LINES["rule"][81:]
    (found,) = suspicious_texts(of_lines(LINES | {"rule": mended}, without=without))
    _, first, last = map(int, re.findall(r"\d+", found))
    assert " is 1 line ahead of the " in found and abs(first - 41) <= 3 and abs(last - 80) <= 3


def test_who_is_to_blame():
    """What all others contradict."""
    references = LINES | {"reference": rolled(LINES["reference"], 1)}
    said = ["Shifted lines: the references are 1 line ahead of the translations from line 1 on."]
    assert suspicious_texts(of_lines(references)) == said
    assert suspicious_texts(of_lines(references, without=["source"])) == said
    alone = of_lines(references, without=["hybrid", "neural"])
    assert suspicious_texts(alone) == said
    sources = LINES | {"source": rolled(LINES["source"], 2)}
    said = ["Shifted lines: the sources are 2 lines ahead of the references from line 1 on."]
    assert suspicious_texts(of_lines(sources)) == said
    said = [said[0].replace("the references", "the translations")]
    assert suspicious_texts(of_lines(sources, without=["reference"])) == said


def test_lines_in_another_order():
    lines = LINES | {"neural": sorted(LINES["neural"])}
    (found,) = suspicious_texts(of_lines(lines))
    assert found == "Lines that belong to none of those beside them: 'neural' and the references."


def test_neither_order_of_rows_nor_blocks_hide_a_shift():
    X = of_lines(LINES | {"rule": rolled(LINES["rule"], 1)})
    found = suspicious_texts(X)
    assert suspicious_texts(X.sample(frac=1, random_state=0)) == found
    labels = [(f"doc:{segment}", system) for segment, system in X.index]
    X.index = X.index.set_levels([f"doc:{k}" for k in X.index.levels[0]], level=0)
    assert X.index.tolist() == labels
    named = [found[0].replace("line 1 on", "segment doc:1 on")]
    assert suspicious_texts(X) == suspicious_texts(X.sample(frac=1, random_state=1)) == named
    findings = Findings()
    for rows in (slice(0, 192), slice(192, None)):
        findings.add(X.iloc[rows])
    assert findings.said() == named


def numbers(n):
    return [f"{k}" for k in range(n)]


@pytest.mark.parametrize(
    "lines",
    [
        *[["The same sentence everywhere."] * 100, [""] * 100, numbers(100), ["A line."]],
        *[["Yes.", "No."] * 50, [f"Chapter {k}" for k in range(100)], [f"x{k}" for k in range(12)]],
        [f"{k}. We saw {k * k} dogs and {k * k * k} cats." for k in range(100)],
    ],
)
def test_hostile_files_that_are_not_shifted(lines):
    X = table({"A": lines, "B": [f"{line} " for line in lines]}, source=lines, reference=lines)
    assert not [said for said in suspicious_texts(X) if "hifted" in said or "belong" in said]
    constant = table({"A": lines}, reference=["Nothing else is said here."] * len(lines))
    assert not [said for said in suspicious_texts(constant) if "hifted" in said]
