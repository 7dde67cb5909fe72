"""Languages: the packaged sample is translated from German into English."""

import pytest
from refused_imports import run_refusing
from suspicious_tables import of_lines, sample_lines, table

from sklearn_mteval.datasets import suspicious_texts

LINES = sample_lines()
CZECH = [
    "Vláda včera rozhodla, že v příštím roce sníží daně pro malé podniky.",
    "Nikdo nevěděl, kam se ta žena poděla, a tak ji začali hledat.",
    "Podle odborníků bude letošní zima mnohem chladnější než ta minulá.",
    "Město plánuje postavit nový most přes řeku, který má být hotov za dva roky.",
    "Cestující si stěžovali, že vlak přijel o hodinu později a nikdo jim nic neřekl.",
]


def exchanged(lines, one, other):
    return lines | {one: lines[other], other: lines[one]}


@pytest.mark.parametrize("n", [20, 100])
def test_source_and_translations_exchanged(n):
    lines = sample_lines(n)
    one = of_lines(exchanged(lines, "source", "rule"), without=["hybrid", "neural"])
    assert suspicious_texts(one) == [
        "The references seem to be of another language than the translations. That of the sources "
        "is the references': are sources and translations swapped?"
    ]
    without = of_lines(exchanged(lines, "source", "rule"), without=["reference"])
    said = "Of another language than the other translations, as it seems: 'rule' (de). Their "
    assert suspicious_texts(without) == [
        said + "language is the sources': are sources and translations swapped?"
    ]
    two = of_lines(exchanged(lines, "source", "reference"))
    (found,) = suspicious_texts(two)
    assert found.endswith("are sources and references swapped?")


def test_sources_that_are_translations():
    lines = LINES | {"source": [f"{line} " for line in LINES["reference"]]}
    said = "The sources seem to be of the same language as the references (en)."
    assert suspicious_texts(of_lines(lines)) == [said]
    said = said.replace("references", "translations")
    assert suspicious_texts(of_lines(lines, without=["reference"])) == [said]


def test_the_pair_is_known():
    X = of_lines(LINES)
    for pair in ("de-en", "de-en_US", "mul-en", "xx-yy", "deu-eng", "en", ""):
        assert suspicious_texts(X, pair) == []
    assert suspicious_texts(X, "cs-en") == [
        "Not of the language cs, as it seems: the sources (de)."
    ]
    names = ", ".join(f"'{name}' (en)" for name in ("hybrid", "neural", "rule"))
    said = f"Not of the language fr, as it seems: {names}, the references (en)."
    assert suspicious_texts(X, "de-fr") == [said]


def test_lines_of_several_languages():
    sources = LINES["source"][:100] + 6 * CZECH
    (found,) = suspicious_texts(of_lines(sample_lines(128) | {"source": sources[:128]}))
    assert found.startswith("Lines of the sources are of several languages: ")
    assert found.endswith(" cs.") and " de and " in found
    quoted = LINES["source"][:-3] + CZECH[:3]
    assert suspicious_texts(of_lines(LINES | {"source": quoted})) == []


def test_without_the_extra_words_in_common_tell():
    code = """
from suspicious_tables import of_lines, sample_lines
from sklearn_mteval.datasets import suspicious_texts
lines = sample_lines(40)
swapped = lines | {"source": lines["reference"], "reference": lines["source"]}
print(suspicious_texts(of_lines(swapped)))
print(suspicious_texts(of_lines(lines | {"rule": lines["source"][1:] + ["Ach."]})))
print(suspicious_texts(of_lines(lines), "cs-en"))
"""
    found = run_refusing(["py3langid"], code).stdout.splitlines()
    assert found[0].endswith("are sources and references swapped?']")
    assert "as it seems: 'rule'." in found[1]
    assert found[2] == "[]"


@pytest.mark.parametrize("lines", [["12", "13"] * 40, ["Yes."] * 80, [""] * 9, ["Obama"] * 80])
def test_what_is_of_no_language(lines):
    X = table(
        {"A": lines, "B": [f"{line} " for line in lines]}, source=LINES["source"][: len(lines)]
    )
    assert not [said for said in suspicious_texts(X, "de-en") if "anguage" in said]
