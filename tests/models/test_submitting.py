"""Answers to WMT's tasks: of every line, in order, by the model that the line's texts allow."""

import pytest
from word_marker import WordMarker

from sklearn_mteval.datasets import make_rankings
from sklearn_mteval.datasets.submissions.form import Item
from sklearn_mteval.models import bleu_pipeline, submitting
from sklearn_mteval.models.submitting import answers_in_order

GOOD, BAD = "the dog barks", "a doggy😀 barks"


def item(line, text, reference=GOOD, target="en", source="der Hund bellt"):
    return Item(line, {}, target, source, reference, {"A": text})


def answers(items, task, model, **options):
    found = list(answers_in_order(items, task, model, **options))
    assert [one for one, _ in found] == items
    return [answer for _, of in found for answer in of]


class SourceMarker(WordMarker):
    """Marks words that the source has not."""

    def mark_and_judge(self, X):
        assert "reference" not in X
        return super().mark_and_judge(X.rename(columns={"source": "reference"}))

    def mark(self, X):
        return super().mark(X)


@pytest.fixture(scope="module")
def model():
    X, y = make_rankings(20, 3, random_state=0)
    return bleu_pipeline().fit(X, y)


def test_spans_of_every_line():
    items = [item(9, BAD), item(2, ""), item(3, GOOD), item(4, BAD)]
    marked = [(0, 1, "minor"), (2, 8, "major")]
    assert answers(items, "spans", WordMarker()) == [marked, [], [], marked]


def test_error_free_by_marks_reads_no_reference():
    items = [item(k, text) for k, text in enumerate(["der Hund", "der Hund x", "x y der"])]
    items.append(item(9, "", "", source=" "))
    assert answers(items, "error-free", SourceMarker()) == [1, 0, 0, 1]
    assert answers(items, "error-free", SourceMarker(), threshold=0.3) == [1, 1, 0, 1]


@pytest.mark.parametrize("threshold", [None, 0, 0.1, 0.25, 1 / 3, 0.7, 1])
def test_no_submission_marks_what_another_calls_error_free(threshold):
    texts = ["der", "der x", "x y Hund", "x y z"]
    items = [item(k, text, reference="") for k, text in enumerate(texts)]
    options = {"threshold": threshold}
    free = answers(items, "error-free", SourceMarker(), **options)
    spans = answers(items, "spans", SourceMarker(), **options)
    assert [bool(of) for of in spans] == [not one for one in free]
    assert free == [int(1 / (1 + 2 * n) >= (0.5 if threshold is None else threshold))
                    for n in range(4)]  # fmt: skip


def test_scores_are_between_0_and_100_whatever_the_order_and_number_of_lines(model, monkeypatch):
    items = [item(k, text) for k, text in enumerate([GOOD, "the dog", BAD, "zz"])]
    items.append(item(9, " ", "", source=""))
    found = answers(items, "scores", model)
    assert 100 >= found[0] > found[1] > found[2] > found[3] >= 0 and found[4] == 100
    assert answers(items[::-1], "scores", model) == found[::-1]
    monkeypatch.setattr(submitting, "_AT_ONCE", 2)
    assert answers(items, "scores", model) == found
    several = [Item(1, {}, "en", "", GOOD, {"A": GOOD, "B": "the dog", "C": BAD}), items[3]]
    assert answers(several, "scores", model) == found[:4]


def test_without_a_model_each_language_and_row_has_the_one_that_fits(model, monkeypatch):
    asked = []

    def recommended(X, *, language):
        asked.append((language, "reference" in X, X.index.get_level_values(0).tolist()))
        return "there"

    monkeypatch.setattr(submitting, "recommended_model", recommended)
    monkeypatch.setattr(submitting, "open_model", {"there": model}.__getitem__)
    items = [
        item(1, GOOD), item(2, BAD, target="eng_Latn"), item(3, BAD, target="de_DE"), item(4, GOOD)
    ]  # fmt: skip
    found = answers(items, "scores", None)
    assert found == answers(items, "scores", model)
    assert sorted(asked) == [("de", True, [3]), ("en", True, [1, 4]), ("en", True, [2])]


def test_what_a_model_cannot_do_is_told(model):
    items = [item(7, GOOD, "")]
    with pytest.raises(ValueError, match=r"line 7 has no reference, which Ranking\w* needs: name"):
        answers(items, "scores", model)
    with pytest.raises(ValueError, match=r"line 7 .* or must not be read"):
        answers([item(7, GOOD)], "error-free", model, threshold=50)
    with pytest.raises(ValueError, match="marks no errors"):
        answers(items, "spans", "static-en")
    with pytest.raises(ValueError, match=r"from which score on, 0 to 100"):
        answers(items, "error-free", model)
    with pytest.raises(ValueError, match="gives no scores"):
        answers(items, "scores", WordMarker())


def test_a_model_for_other_languages_is_warned_of():
    with pytest.warns(UserWarning, match="static-en was made for translations into en: .* de "):
        found = answers([item(1, GOOD, target="de_DE"), item(2, BAD)], "scores", "static-en")
    assert found[0] > found[1]
