import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.datasets.annotation.key import key_text, read_key
from sklearn_mteval.datasets.annotation.pearmut import as_pearmut
from sklearn_mteval.evaluation.annotation.assignment import deal
from sklearn_mteval.evaluation.annotation.campaign import annotation_campaign
from sklearn_mteval.evaluation.annotation.checks import check_pairs
from sklearn_mteval.exceptions import CandidateError, DataFileError

SYSTEMS = ["Alpha", "Beta", "Gamma"]


def candidates(n_segments=40, *, reference=True):
    index = pd.MultiIndex.from_product(
        [range(1, n_segments + 1), SYSTEMS], names=["segment", "system"]
    )
    sentence = "a small house by the old river was sold to one young family last week"
    texts = [
        " ".join(np.random.RandomState(7 * s + ord(name[0])).permutation(sentence.split())[:10])
        + f" {s}"
        for s, name in index
    ]
    X = pd.DataFrame({"hypothesis": texts}, index)
    X["source"] = [f"Quelle {s}" for s, _ in index]
    if reference:
        X["reference"] = [f"the {s} references are long enough to be spoilt here" for s, _ in index]
    return X


def documents(n_segments=40, size=4):
    return pd.Series({s: f"d{(s - 1) // size}" for s in range(1, n_segments + 1)})


@pytest.mark.parametrize("overlap", [0, 0.1, 0.5, 1])
@pytest.mark.parametrize("n_annotators", [2, 5])
def test_documents_are_dealt_evenly(n_annotators, overlap):
    sizes = np.random.RandomState(3).randint(1, 12, size=60)
    tasks = deal(sizes, n_annotators, overlap, np.random.RandomState(0))
    given = [document for task in tasks for document in task]
    counts = np.bincount(given, minlength=60)
    assert set(counts) <= {1, 2}
    assert abs(sizes[counts == 2].sum() - overlap * sizes.sum()) <= sizes.max() / 2
    for task in tasks:
        assert len(set(task)) == len(task)
    loads = [sizes[task].sum() for task in tasks]
    assert max(loads) - min(loads) <= 2 * sizes.max()


def test_what_two_judge_fits_the_budget():
    tasks = deal([5, 5, 1, 5], 3, 0.1, np.random.RandomState(0), budget=19)
    assert sorted(document for task in tasks for document in task) == [0, 1, 2, 2, 3]
    tasks = deal([5, 5, 5], 2, 0.5, np.random.RandomState(0), budget=19)
    assert sorted(document for task in tasks for document in task) == [0, 1, 2]


def of_sizes(*sizes):
    """Return documents of so many segments."""
    labels = np.repeat([f"d{k}" for k in range(len(sizes))], sizes)
    return pd.Series(labels, range(1, len(labels) + 1))


LENGTHS = [4, 1, 9, 2, 2, 7, 1, 3, 5, 1, 3, 2]  # of documents of 40 segments
DOCUMENTS = [None, documents(), of_sizes(*LENGTHS), of_sizes(1, 39), of_sizes(*[1] * 25, 15)]


@pytest.mark.parametrize("of", DOCUMENTS, ids=["none", "four", "any", "two", "one is large"])
@pytest.mark.parametrize("n_annotators", [1, 2, 3])
def test_a_budget_is_never_exceeded(of, n_annotators):
    rng, X = np.random.RandomState(n_annotators), candidates()
    largest = 1 if of is None else of.value_counts().max()
    for budget in [n_annotators, 4, 7, 13, 26, 39, 40, 41, 60]:
        overlap, seed = rng.choice([0, 0.02, 0.1, 0.3, 1]), rng.randint(100)
        options = {"documents": of, "annotators": n_annotators, "overlap": overlap, "checks": 0}
        options |= {"random_state": seed}
        if budget < largest:
            with pytest.raises(ValueError, match="too small"):
                annotation_campaign(X, budget, **options)
            continue
        items = annotation_campaign(X, budget, **options).items
        who = items.groupby("segment")["annotator"].nunique()
        assert who.sum() <= budget
        assert of is not None or (who.max() == 2) == (overlap > 0 and n_annotators > 1)
        if of is None and budget <= 40 and n_annotators == 1:
            assert who.sum() == budget


def test_next_batches_keep_to_their_budgets(tmp_path):
    X, of = candidates(), of_sizes(*LENGTHS)
    spread = pd.DataFrame({"metric": np.random.RandomState(0).rand(len(X)) ** 3}, X.index)
    for seed in range(6):
        before = None
        for batch in range(3):
            options = {"documents": of if seed % 2 else None, "scores": spread}
            found = annotation_campaign(
                X, 11, annotators=2, follow=before, random_state=seed, **options
            )
            judged = found.items[found.items["kind"] == "judged"]
            assert judged.groupby("annotator")["segment"].nunique().sum() <= 11
            path = tmp_path / f"{seed}{batch}.key.json"
            path.write_text(key_text(found, path.name), encoding="utf-8")
            before = read_key(path)


def test_a_budget_below_the_largest_document():
    with pytest.raises(ValueError, match=r"The budget of 20 .*too small.*largest has 39 segments"):
        annotation_campaign(candidates(), 20, documents=of_sizes(1, 39))


def test_one_annotator_has_everything_once():
    (task,) = deal([3, 1, 2], 1, 0.5, np.random.RandomState(0))
    assert sorted(task) == [0, 1, 2]


def test_what_is_judged():
    X, of = candidates(), documents()
    found = annotation_campaign(X, 22, documents=of, annotators=3)
    judged = found.items[found.items["kind"] == "judged"]
    assert set(judged["segment"]) == set(found.selection.index[found.selection["chosen"]])
    # All systems of a segment, each in its own words, under names that say nothing.
    for (_, _, segment), rows in judged.groupby(["annotator", "place", "segment"]):
        assert sorted(rows["system"]) == SYSTEMS
        assert rows["hypothesis"].tolist() == X.loc[segment]["hypothesis"][rows["system"]].tolist()
        assert set(rows["source"]) == {f"Quelle {segment}"}
        assert np.allclose(rows["probability"], found.selection["probability"][segment])
    tokens = judged.groupby("system")["token"].unique()
    assert tokens.map(len).eq(1).all()
    assert not any(name.lower() in token for name in SYSTEMS for (token,) in tokens)
    # Whole documents, in their order, at one place.
    for (annotator, place), rows in judged.groupby(["annotator", "place"]):
        (document,) = rows["document"].unique()
        assert rows["segment"].drop_duplicates().tolist() == of.index[of == document].tolist()
        others = judged[(judged["annotator"] == annotator) & (judged["place"] != place)]
        assert document not in set(others["document"])
    assert judged.groupby("annotator")["segment"].nunique().sum() == 20  # documents are of four


def test_checks_are_among_what_is_judged():
    found = annotation_campaign(candidates(), 40, annotators=2, checks=0.2)
    checks = found.items[found.items["kind"] == "check"]
    assert checks.groupby("annotator")["place"].nunique().tolist() == [4, 4]
    for _, rows in checks.groupby(["annotator", "place"]):
        sound = rows["system"] == "sound"
        assert sound.sum() == 1 and len(rows) == 2
        assert rows["hypothesis"][sound].iloc[0].startswith("the ")
        assert rows["hypothesis"].nunique() == 2
    assert found.items["token"].nunique() == 3 + 2 * (8 + 1)
    tutorial = found.items[found.items["annotator"] == 0]
    assert set(tutorial["kind"]) == {"tutorial"}
    none = annotation_campaign(candidates(), 40, annotators=2, checks=0)
    assert set(none.items["kind"]) == {"judged"}


def test_a_seed_gives_the_same_campaign_again():
    X = candidates()
    first = annotation_campaign(X, 12, annotators=2)
    again = annotation_campaign(X, 12, annotators=2)
    pd.testing.assert_frame_equal(first.items, again.items)
    other = annotation_campaign(X, 12, annotators=2, random_state=1)
    assert set(other.items["token"]) != set(first.items["token"])


def test_of_a_small_test_set_all_is_judged():
    items = annotation_campaign(candidates(6), 50, annotators=2, overlap=0).items
    assert items[items["kind"] == "judged"]["segment"].value_counts().tolist() == [3] * 6


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"budget": 1, "annotators": 2}, ValueError),
        ({"overlap": 1.5}, ValueError),
        ({"checks": -1}, ValueError),
        ({"annotators": 0}, ValueError),
    ],
)
def test_bad_options(options, error):
    with pytest.raises(error):
        annotation_campaign(candidates(), **{"budget": 10} | options)
    with pytest.raises(CandidateError, match="hypothesis"):
        annotation_campaign(candidates().drop(columns="hypothesis"), 10)


def test_checks_without_references():
    pairs = check_pairs(candidates(reference=False), 12, np.random.RandomState(0))
    assert len(pairs) == 12 and pairs.index.is_unique
    assert (pairs["sound"] != pairs["corrupted"]).all()
    assert pairs["kind"].nunique() == 4
    nothing = candidates().assign(hypothesis="", reference="")
    assert len(check_pairs(nothing, 3, np.random.RandomState(0))) == 0


def test_the_file_of_pearmut():
    X = candidates(8)
    X.loc[(3, "Beta"), "hypothesis"] = "<img src=x onerror=alert(1)> 😀 wrong"
    marked = {(3, "Beta"): [{"start": 31, "end": 36, "severity": "major"}]}
    campaign = annotation_campaign(X, 8, annotators=2, overlap=0.25, checks=0.3)
    made = as_pearmut(campaign, "trial", "esa", marked)
    assert made["info"] == {"assignment": "task-based", "protocol": "ESA", "shuffle": False}
    assert len(made["data"]) == 2
    documents = [document for task in made["data"] for document in task]
    tokens = dict(zip(campaign.items["token"], campaign.items["system"], strict=True))
    for item in (item for document in documents for item in document):
        if "validation" in item:
            ((sound, rule),) = item["validation"].items()
            assert tokens[sound] == "sound" and tokens[rule["score_greaterthan"]] != "sound"
            assert "ref" not in item and "warning" not in rule
            continue
        assert {tokens[token] for token in item["tgt"]} == set(SYSTEMS)
        assert 0 < item["probability"] <= 1
        if item["item_id"] == "3":
            (token,) = (token for token in item["tgt"] if tokens[token] == "Beta")
            text = item["tgt"][token]
            assert text.startswith(" <img")  # no medium of the page
            (span,) = item["error_spans"][token]
            units = text.encode("utf-16-le")
            start, end = 2 * span["start_i"], 2 * span["end_i"] + 2
            assert units[start:end].decode("utf-16-le") == "wrong"
    ((welcome,),) = made["data_welcome"]
    assert welcome["skippable"] and welcome["instructions"]


def test_the_order_of_translations_in_pearmut_says_nothing():
    campaign = annotation_campaign(candidates(), 40, documents=documents(), checks=0.5)
    systems = dict(zip(campaign.items["token"], campaign.items["system"], strict=True))
    orders, checks = set(), set()
    for document in as_pearmut(campaign, "trial", "cesa")["data"][0]:
        shown = {tuple(systems[token] for token in item["tgt"]) for item in document}
        assert len(shown) == 1  # the same in all of a document
        (checks if "sound" in next(iter(shown)) else orders).update(shown)
    assert len(orders) > 3
    assert {order.index("sound") for order in checks} == {0, 1}


def test_the_key_comes_back(tmp_path):
    campaign = annotation_campaign(candidates(), 12, documents=documents(), annotators=2)
    path = tmp_path / "trial.key.json"
    path.write_text(key_text(campaign, "trial"), encoding="utf-8")
    for named in (path, tmp_path / "trial.json"):
        key = read_key(named)
        assert sorted(key.systems.values()) == SYSTEMS
        assert key.documents.tolist() == documents().tolist()
        pd.testing.assert_frame_equal(key.selection, campaign.selection, check_names=False)
        assert key.segments["7"] == 7
        assert len(key.checks) == 3
    for text, said in [
        ("{}", "expected the key"),
        ("[1", "expected JSON"),
        (key_text(campaign, "trial").replace('"systems"', '"other"'), "damaged"),
        (key_text(campaign, "trial").replace("true", "3", 1), "damaged"),
    ]:
        path.write_text(text, encoding="utf-8")
        with pytest.raises(DataFileError, match=said):
            read_key(path)
