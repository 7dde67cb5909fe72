"""Reasons are what differs: 30 cases written by hand, of one sound translation and one error."""

from pathlib import Path

import pandas as pd
import pytest

from sklearn_mteval.models import explain, load_pretrained
from sklearn_mteval.models.explanations.families import in_order

CASES = pd.read_csv(
    Path(__file__).with_name("reasons.tsv"), sep="\t", quoting=3, keep_default_na=False
)


@pytest.fixture(scope="module", params=["static-en", "any"])
def explained(request):
    model = load_pretrained(request.param)
    return [
        explain(case.source, {"good": case.good, "bad": case.bad}, case.reference, model=model,
                pair=("good", "bad"))
        for case in CASES.itertuples()
    ]  # fmt: skip


def test_the_first_reason_is_the_error(explained):
    reasons = [found.differences["against_second"].item() for found in explained]
    wrong = [
        (reason, of_case[:1])
        for reason, of_case in zip(CASES["reason"], reasons, strict=True)
        if not (of_case and reason in of_case[0])
    ]
    assert len(CASES) == 30 and len(wrong) <= 3, wrong


def test_a_sound_translation_is_flagged_for_nothing(explained):
    assert sum(bool(found.flags["good"]) for found in explained) <= 1


def test_the_reason_is_said_before_any_number(explained):
    for found in explained:
        lines = str(found).splitlines()
        decision = found.pairs["decision"].item()
        against = found.differences[["against_first", "against_second"]].iloc[0]
        loser = against.iloc[1 if decision > 0 else 0]
        if loser:
            assert loser[0] in lines[1] and lines[1].startswith("  Against ")


def test_likeness_in_wording_is_last_and_what_opposes_apart():
    values = pd.Series(
        {"likeness to the other translations": 9.0, "phrases of the reference": 3.0,
         "negation": 0.1, "numbers": 0.2, "characters in common (chrF)": 4.0, "names": -2.0}
    )  # fmt: skip
    speaks_for, against = in_order(values)
    assert speaks_for.index.tolist() == [
        "numbers", "negation", "characters in common (chrF)", "phrases of the reference",
        "likeness to the other translations",
    ]  # fmt: skip
    assert against.to_dict() == {"names": -2.0}
