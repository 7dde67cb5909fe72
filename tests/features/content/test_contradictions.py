"""What contradicts the reference's words and roles, by hand: and what only says it otherwise."""

import pandas as pd
import pytest

from sklearn_mteval.features import ContentErrors, content_flags
from sklearn_mteval.features.content._roles import Roles, exchanged_roles

COLUMNS = [
    "opposite_contradicted", "quantifier_contradicted", "date_contradicted", "unit_contradicted",
    "roles_exchanged",
]  # fmt: skip


def counts(hypothesis, *references):
    """Return the contradictions that are counted, by the first word of their column."""
    X = pd.DataFrame({"reference": [list(references)], "hypothesis": [hypothesis]})
    found = ContentErrors(features=COLUMNS).fit_transform(X)[0]
    return {n.partition("_")[0]: c for n, c in zip(COLUMNS, found, strict=True) if c}


@pytest.mark.parametrize(
    ("reference", "hypothesis", "kind"),
    [
        ("Prices rose sharply in the spring.", "Prices fell sharply in the spring.", "opposite"),
        ("The company bought the shares.", "The company sold the shares.", "opposite"),
        ("Smoking is forbidden in the hall.", "Smoking is allowed in the hall.", "opposite"),
        ("It was cheaper than the old one.", "It was more expensive than the old one.", "opposite"),
        ("All of the pupils passed.", "Some of the pupils passed.", "quantifier"),
        ("At least ten of them died.", "At most ten of them died.", "quantifier"),
        ("You must pay the fee.", "You may pay the fee.", "quantifier"),
        ("They saw only three of the men.", "They saw three of the men.", "quantifier"),
        ("He nearly won the race.", "He won the race.", "quantifier"),
        ("The talks begin on Monday.", "The talks begin on Tuesday.", "date"),
        ("It was on May 3 or June 5.", "It was on May 3 or July 5.", "date"),
        ("It is 5 km to the sea.", "It is 5 miles to the sea.", "unit"),
        ("It rose by 3 percent in May.", "It rose by 3 percentage points in May.", "unit"),
        ("They paid 20 dollars for it.", "They paid 20 euros for it.", "unit"),
        ("Die Preise sind deutlich gestiegen.", "Die Preise sind deutlich gefallen.", "opposite"),
        ("Das Treffen ist am Montag.", "Das Treffen ist am Dienstag.", "date"),
        ("Ceny se na jaře zvýšily.", "Ceny se na jaře snížily.", "opposite"),
        ("The bank sued the customer.", "The customer sued the bank.", "roles"),
        ("The bank sued the customer.", "The bank was sued by the customer.", "roles"),
        ("The bank was sued by the customer.", "The bank sued the customer.", "roles"),
        ("She gave him the keys.", "He gave her the keys.", "roles"),
        ("They invited us to dinner.", "We invited them to dinner.", "roles"),
        ("A stray dog bit the postman twice.", "The postman bit a stray dog twice.", "roles"),
        ("The bank has threatened to sue the firm.", "The firm has threatened to sue the bank.",
         "roles"),
        ("The nurse had to calm the surgeon.", "The surgeon had to calm the nurse.", "roles"),
        ("London is bigger than Paris.", "Paris is bigger than London.", "roles"),
        ("He flew from Rome to the city.", "He flew from the city to Rome.", "roles"),
        ("The train left before the bus arrived.", "The bus left before the train arrived.",
         "roles"),
    ],
)  # fmt: skip
def test_a_contradiction_is_counted_once_in_either_direction(reference, hypothesis, kind):
    assert counts(hypothesis, reference) == counts(reference, hypothesis) == {kind: 1}
    assert not counts(reference, reference)
    assert not counts(hypothesis, reference, hypothesis)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # A negation undoes it.
        ("Smoking is forbidden in the hall.", "Smoking is not allowed in the hall."),
        ("Das ist auch hier verboten.", "Das ist auch hier nicht erlaubt."),
        # One has both sides, or the side in another place, too.
        ("Prices rose, then fell again.", "Prices fell again after the spring."),
        ("They met on Monday and on Friday.", "They met on Friday."),
        # Other surroundings.
        ("It is good that the men came.", "The weather was bad, but all of them were there."),
        # More of one, but not the other way round: "fewer" of something else.
        ("He is a year younger than me.", "I am a year older than he is."),
        ("This is longer than the first of them.", "It is shorter than the second of them."),
        # Voice undone, or no roles.
        ("The bank sued the customer.", "The customer was sued by the bank."),
        ("The customer was finally sued by the bank.", "The bank finally sued the customer."),
        ("Mary met the queen.", "The queen met Mary."),
        ("The work of the experts was hard.", "The hard work by the experts."),
        ("cats and dogs in the house", "dogs and cats in the house"),
        ("The price was reduced by 9 percent.", "The price reduced 9 percent of the cost."),
        ("from Rome to the city and back", "to the city from Rome and back"),
        # A language that is not known, and no words at all.
        ("Hinnat nousivat keväällä.", "Hinnat laskivat keväällä."),
        ("", "Prices rose in the spring."),
    ],
)
def test_the_same_in_other_words_is_no_contradiction(one, other):
    assert not counts(one, other)
    assert not counts(other, one)


def test_without_being_asked_for_contradictions_are_no_columns():
    X = pd.DataFrame({"reference": ["It is on Monday."], "hypothesis": ["It is on Friday."]})
    usual, every = ContentErrors().fit(X), ContentErrors(features="all").fit(X)
    names = every.get_feature_names_out().tolist()
    assert [*usual.get_feature_names_out(), *COLUMNS, "flagged"] == names
    assert every.transform(X)[0, names.index("date_contradicted")] == 1
    with pytest.raises(ValueError, match="found 'date_contradicted'"):
        ContentErrors(features=["date_contradicted"], use_references=False).fit(X)


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("The CEO fired the bank's lawyer.", "The bank's lawyer fired the CEO.",
         [("CEO fired the bank's lawyer", "lawyer fired the CEO")]),
        ("Tom praised Ann.", "Ann was praised by Tom.", []),
        ("Tom praised Ann, Ann praised Tom.", "Ann praised Tom.", []),
        ("Tom praised Ann.", "", []),
    ],
)  # fmt: skip
def test_roles_say_what_was_compared(one, other, said):
    one, other = Roles.of(one), Roles.of(other)
    assert exchanged_roles(one, other) == said
    assert exchanged_roles(other, one) == [pair[::-1] for pair in said]


def test_what_is_flagged():
    texts = [("The bank sold 3 cars.", "The bank bought 4 cars."), ("It is so.", "It is so.")]
    X = pd.DataFrame(texts, columns=["reference", "hypothesis"])
    flagged = ContentErrors(features=["flagged"]).fit_transform(X)
    assert flagged.ravel().tolist() == [1, 0]
    assert content_flags(X).map(len).tolist() == [2, 0]
