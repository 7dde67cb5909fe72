"""Explanations of one segment: what a reader must find in them, and what they must add up to."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from sklearn_mteval import BLEUComp, GroupRanker, RankRecomposer, make_ranking_pipeline
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.models import explain, load_pretrained, rank
from sklearn_mteval.models.explanations.families import families_of
from sklearn_mteval.models.explanations.words import unmatched_words
from sklearn_mteval.text import load_word_vectors

SOURCE = "Der Patient darf das Mittel nicht vor 15 Uhr nehmen."
REFERENCE = "The patient must not take the medicine before 3 pm."
GOOD = "The patient must not take the drug before 3 pm."


class OfGroups(LinearRegression):
    """Take groups as boosted rankers do; what is learnt of relevance is linear."""

    def fit(self, X, y, group):
        return super().fit(X, y)


def explained(bad, model="static-en", **options):
    """Explain why a good translation beats a bad one."""
    return explain(SOURCE, {"good": GOOD, "bad": bad}, REFERENCE, model=model, **options)


@pytest.fixture(scope="module")
def train():
    return load_sample(return_X_y=True)


@pytest.mark.parametrize(
    ("bad", "family", "flag"),
    [
        (GOOD.replace("3 pm", "7 pm"), "numbers", "number 15 in the source, 7 pm here"),
        (GOOD.replace(" not", ""), "negation", "negation: not take in the reference, take here"),
    ],
)
def test_an_error_of_content_is_what_speaks_against(bad, family, flag):
    found = explained(bad)
    values = found.families["value"].loc[("good", "bad")]
    assert values[family] > 0.3 and flag in found.flags["bad"] and not found.flags["good"]
    assert found.pairs["probability"].item() > 0.5
    assert f"{family} +" in str(found) and flag in str(found)


def test_an_empty_translation_lacks_all_words():
    found = explained("")
    assert found.words.loc["bad", "missing"] == REFERENCE.removesuffix(".").split()
    assert found.words.loc["bad", "own"] == []
    assert str(found).startswith("good beats bad (probability ")


def test_values_add_up_and_turn_with_the_pair():
    found, turned = (explained("Patient takes drug.", pair=pair)
                     for pair in (("good", "bad"), ("bad", "good")))  # fmt: skip
    decision = found.pairs["decision"].item()
    for table in (found.families, found.columns):
        assert table["value"].sum() == pytest.approx(decision)
    assert turned.pairs["decision"].item() == -decision
    assert turned.families["value"].to_numpy() == pytest.approx(-found.families["value"].to_numpy())
    table = rank([SOURCE], {"good": [GOOD], "bad": ["Patient takes drug."]}, [REFERENCE],
                 model="static-en")  # fmt: skip
    probability = found.pairs["probability"].item()  # of two, soft strengths are +p and -p
    assert table["strength"].tolist() == pytest.approx([probability, -probability])


def test_a_linear_model_is_split_by_its_coefficients(train):
    ranker = RankRecomposer(LogisticRegression())
    model = make_ranking_pipeline(BLEUComp(), StandardScaler(), ranker)
    found = explained("Patient takes drug.", model.fit(*train))
    coef = model[-1].estimator_.coef_[0]
    half = len(coef) // 2
    # Both directions of a pair are averaged.
    coef = (coef[:half] - coef[half:]) / 2
    columns = found.columns
    assert columns["value"].to_numpy() == pytest.approx(
        coef * (columns["of_first"] - columns["of_second"]).to_numpy(), abs=1e-12
    )
    assert found.families.index.unique("family").tolist() == ["phrases in common (BLEU)"]


@pytest.mark.parametrize(
    ("ranker", "probable"),
    [
        (RankRecomposer(GaussianNB()), True),
        (RankRecomposer(LinearSVC(), recomposition="hard"), False),
        (GroupRanker(OfGroups()), False),
    ],
)
def test_any_ranker_of_numbers(train, ranker, probable):
    model = make_ranking_pipeline(BLEUComp(), StandardScaler(), ranker).fit(*train)
    found = explained("Patient takes drug.", model)
    assert found.families["value"].sum() == pytest.approx(found.pairs["decision"].item())
    assert found.pairs["probability"].notna().item() == probable


def test_words_are_those_of_the_nearest_reference():
    texts = {"good": GOOD, "bad": "Nobody sings."}
    found = explain(SOURCE, texts, ["Nobody sings.", REFERENCE], model="static-en")
    assert found.words.loc["good"].tolist() == [["medicine"], ["drug"]]
    assert found.words.loc["bad"].tolist() == [[], []]


def test_equal_translations_are_equal_to_the_model():
    found = explained(GOOD)
    assert "good and bad are equal to the model." in str(found)
    assert not found.families["value"].any()


def test_the_best_is_compared_with_each_other_one():
    texts = {"C": "", "A": GOOD, "B": "The patient takes medicine."}
    found = explain(SOURCE, texts, REFERENCE, model="static-en")
    assert found.pairs.index.tolist() == [("A", "C"), ("A", "B")]
    assert found.ranks.index.tolist() == ["C", "A", "B"]


def test_every_column_of_ready_made_models_has_a_family_in_words():
    for name in ("static-en", "any"):
        model = load_pretrained(name, windows=False)
        families = set(families_of(model, model[-1].feature_names_in_))
        assert 9 <= len(families) <= 14 and all(" " in f or f.islower() for f in families)
        assert not {f for f in families if "_" in f or f == "lexicalfeatures"}


def test_words_by_hand():
    vectors = load_word_vectors("english")
    doctor, physician = "The doctor came at 9.", "The physician came at 7 today."
    missing, own = unmatched_words(doctor, physician, vectors)
    assert missing == ["9"] and own == ["7", "today"]
    # One counterpart each: the second "the" has none.
    assert unmatched_words("the cat the", "The cat", None) == [["the"], []]
    assert unmatched_words("3,742 homes", "3.742 homes", None) == [[], []]
    assert unmatched_words("", "", None) == [[], []]
    assert unmatched_words("Häuser", "Häusern", None) == [[], []]  # by spelling


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((None, ["a", "b"], "c"), CandidateError, "two texts or more"),
        ((None, {"A": "a"}, "c"), CandidateError, "two texts or more"),
        ((None, {"A": "a", "B": ["b"]}, "c"), CandidateError, "one segment is explained"),
        ((None, {"A": "a", "B": None}, "c"), CandidateError, "must be one text, found NoneType"),
        ((["s"], {"A": "a", "B": "b"}, "c"), CandidateError, "Column 'source', row 0"),
        ((None, {"A": "a", "B": "b"}), ValueError, "references"),
    ],
)
def test_wrong_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        explain(*arguments)


@pytest.mark.parametrize("pair", [("A", "A"), ("A", "C"), ("A",), "AB?"])
def test_pairs_that_are_none(pair):
    with pytest.raises(ValueError, match="must be two of the translations"):
        explain(None, {"A": "a", "B": "b"}, "c", model="static-en", pair=pair)


def test_numbers_are_float64(train):
    found = explained("Patient takes drug.")
    assert found.columns.dtypes.eq(np.float64).all()


def test_the_guide_shows_what_is_printed():
    page = Path(__file__).parents[3] / "docs" / "rank_and_score.md"
    _, code, after = re.split(
        r"```python\n(?=from sklearn_mteval.models import explain\n)(.*?)```\n",
        page.read_text(encoding="utf-8"),
        flags=re.DOTALL,
    )
    program = {}
    exec(code.replace("print(found)\n", ""), program)
    assert f"```\n{program['found']}\n```\n" in after


def test_windows_weigh_by_the_length_of_their_sentences():
    """By hand: each decides as if it stood alone; what has no counterpart counts as surely bad."""
    reference = [
        "The patient must not take the medicine before the evening meal.",
        "The doctor will visit the old man again on Monday morning.",
        "A nurse has brought the new glasses and a cup of warm tea.",
    ]
    good = [text.replace("medicine", "drug") for text in reference]
    wrong = [("not ", ""), ("Monday", "Friday"), ("new glasses", "glass")]
    bad = [text.replace(*pair) for text, pair in zip(good, wrong, strict=True)]
    more = "Nobody has ever seen such colourful fish in these wild mountain rivers."
    texts = {"good": " ".join(good), "bad": " ".join([*bad, more])}
    found = explain(None, texts, " ".join(reference), model="static-en")
    alone = [
        explain(None, {"good": a, "bad": b}, text, model="static-en").pairs["decision"].item()
        for a, b, text in zip(good, bad, reference, strict=True)
    ]
    lengths = np.array([*map(len, reference), len(more)])
    shares = lengths / lengths.sum()
    np.testing.assert_allclose(found.windows["value"], shares[:3] * alone, rtol=1e-6)
    lost = found.families["value"].loc[("good", "bad", "sentences without counterpart")]
    assert lost == pytest.approx(np.log(0.98 / 0.02) * shares[3])
    assert found.pairs["decision"].item() == pytest.approx(shares[:3] @ alone + lost)
    texts["good"] += f" {more}"  # now both have it, and neither is the worse for it
    both = explain(None, texts, " ".join(reference), model="static-en")
    assert "sentences without counterpart" not in both.families.index.get_level_values("family")
