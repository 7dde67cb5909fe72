from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.evaluation import evaluate_metrics, metrics_task
from sklearn_mteval.exceptions import CandidateError

METRICS = ["a", "b", "c"]


def campaign(n_segments, n_systems, seed):
    rng = np.random.default_rng(seed)
    rows = pd.MultiIndex.from_product(
        [range(1, n_segments + 1), [f"s{k}" for k in range(n_systems)]],
        names=["segment", "system"],
    )
    y = pd.Series(rng.integers(0, 6, len(rows)).astype(float), index=rows)
    noise = rng.normal(size=(len(rows), 3)) * [0.5, 1, 4]
    return y, pd.DataFrame(noise - y.to_numpy()[:, None], rows, METRICS)


@pytest.fixture(scope="module")
def campaigns():
    return {"de-en": campaign(40, 4, 0), "en-de": campaign(30, 5, 1)}


def test_values_are_those_of_an_evaluation(campaigns):
    found = metrics_task(campaigns, n_permutations=200)
    assert found.tasks == tuple(product(["de-en", "en-de"], ["system_spa", "acc_eq"]))
    for name, (y, scores) in campaigns.items():
        alone = evaluate_metrics(y, scores, statistic="acc_eq", n_permutations=200, n_resamples=2)
        for statistic in ("system_spa", "acc_eq"):
            column = found.table[f"{name}_{statistic}"]
            assert column.to_dict() == pytest.approx(alone.table[statistic].to_dict())
    columns = ["_".join(task) for task in found.tasks]
    assert found.table["average"].to_list() == pytest.approx(found.table[columns].mean(axis=1))
    ranks = found.table[[f"{column}_cluster" for column in columns]].mean(axis=1)
    assert found.table["average_rank"].to_list() == ranks.to_list()
    assert found.table["average"].is_monotonic_decreasing
    assert found.table.index[0] == "a"
    assert found.table["cluster"]["c"] > found.table["cluster"]["a"]
    assert found.p_values.loc["a", "c"] < 0.05
    assert np.isnan(found.p_values.loc["c", "a"])


def pearson(x, y):
    return np.corrcoef(x, y)[0, 1]


def by_hand(campaigns, order, units):
    """Test all exchanges of units, numbers of all translations: {pair: p} of the average."""
    arrays = []
    for y, scores in campaigns.values():
        shape = len(y.index.unique("segment")), -1
        human = -y.to_numpy().reshape(shape)
        arrays.append((human, {m: scores[m].to_numpy().reshape(human.shape) for m in order}))

    def average(tables):
        values = []
        for (human, _), table in zip(arrays, tables, strict=True):
            values.append(pearson(human.mean(axis=0), table.mean(axis=0)))
            values.append(np.mean([pearson(h, t) for h, t in zip(human, table, strict=True)]))
        return np.mean(values)

    p_values = {}
    for one, other in combinations(order, 2):
        standard = [[(t[m] - t[m].mean()) / t[m].std() for m in (one, other)] for _, t in arrays]
        n_cells = [human.size for human, _ in arrays]
        differences = []
        for signs in product([True, False], repeat=units.max() + 1):
            parts = np.split(np.array(signs)[units], np.cumsum(n_cells)[:-1])
            exchanged = [
                (np.where(s.reshape(a.shape), a, b), np.where(s.reshape(a.shape), b, a))
                for s, (a, b) in zip(parts, standard, strict=True)
            ]
            differences.append(
                average([a for a, _ in exchanged]) - average([b for _, b in exchanged])
            )
        differences = np.array(differences)
        p_values[one, other] = (differences >= differences[0] - 1e-10).mean()
        p_values[other, one] = (differences <= differences[0] + 1e-10).mean()
    return p_values


@pytest.mark.parametrize("exchanged", ["translations", "segments", "documents"])
def test_the_test_of_the_average_against_all_exchanges_by_hand(exchanged):
    small = {"x": campaign(2, 3, 3), "y": campaign(1, 4, 5)}
    cells = {"translations": np.arange(10)}
    if exchanged == "segments":
        small = {"x": campaign(5, 3, 3), "y": campaign(4, 4, 5)}
        cells["segments"] = np.append(np.repeat(np.arange(5), 3), np.repeat(np.arange(5, 9), 4))
    if exchanged == "documents":
        small = {"x": campaign(5, 3, 3), "y": campaign(4, 4, 5)}
        y, scores = small["x"]
        small["x"] = y, scores, pd.Series(["b", "a", "", "a", "b"], range(1, 6))
        of_x = np.repeat([0, 1, 2, 1, 0], 3)
        cells["documents"] = np.append(of_x, np.repeat(np.arange(3, 7), 4))
    given = {"system_statistic": "pearson", "segment_statistic": "pearson"}
    given["exchanged"] = "translations" if exchanged == "translations" else "documents"
    found = metrics_task(small, **given, n_permutations=1024)
    assert found.comparison.n_permutations == 2 ** (cells[exchanged].max() + 1)
    said = {"documents": "documents+segments", "segments": "segments+segments"}
    assert f"|alternative:greater|exchanged:{said.get(exchanged, exchanged)}|" in found.signature
    names = found.comparison.names
    small = {name: campaign[:2] for name, campaign in small.items()}
    for (one, other), p in by_hand(small, METRICS, cells[exchanged]).items():
        place = names.index(one), names.index(other)
        assert found.comparison.p_values[place] == pytest.approx(p)


def test_neither_order_nor_names_nor_threads_change_a_bit(campaigns):
    given = {"n_permutations": 300, "random_state": 3}
    found = metrics_task(campaigns, **given)
    turned = {}
    for name, (y, scores) in campaigns.items():
        order = np.random.default_rng(1).permutation(len(y))
        names = {f"s{k}": f"x{9 - k}" for k in range(9)}
        parts = y, scores[["c", "a", "b"]]
        turned[name] = [part.iloc[order].rename(index=names, level="system") for part in parts]
    other = metrics_task(turned, **given, n_jobs=2)
    pd.testing.assert_frame_equal(found.table, other.table, check_exact=True)
    pd.testing.assert_frame_equal(found.p_values, other.p_values, check_exact=True)


def test_options(campaigns):
    ranks = metrics_task(campaigns, sort_by="ranks", n_permutations=100)
    assert ranks.table["average_rank"].is_monotonic_increasing
    one = metrics_task(campaigns, system_statistic=None, n_permutations=100)
    assert [statistic for _, statistic in one.tasks] == ["acc_eq"] * 2
    two = metrics_task(campaigns, segment_statistic=None, n_permutations=100)
    assert [statistic for _, statistic in two.tasks] == ["system_spa"] * 2
    holm = metrics_task(campaigns, correction="holm", n_permutations=100)
    plain = metrics_task(campaigns, n_permutations=100)
    assert (holm.p_values.fillna(1) >= plain.p_values.fillna(1)).all(axis=None)
    negated = {name: (y, scores.assign(b=-scores["b"])) for name, (y, scores) in campaigns.items()}
    same = metrics_task(negated, lower_is_better=["b"], n_permutations=100)
    pd.testing.assert_frame_equal(same.table, plain.table)
    assert "negated:b" in same.signature
    for part in ("tasks:de-en_system_spa+de-en_acc_eq+", "permutations:100", "alpha:0.05"):
        assert part in plain.signature


def test_metrics_that_not_all_campaigns_have(campaigns):
    y, scores = campaigns["de-en"]
    partly = campaigns | {"de-en": (y, scores.assign(only=scores["a"]))}
    found = metrics_task(partly, n_permutations=50)
    assert found.left_out == ("only",)
    assert list(found.table.index.sort_values()) == METRICS


def test_a_missing_score(campaigns):
    y, scores = campaigns["de-en"]
    scores = scores.copy()
    scores.iloc[3, 0] = np.nan
    partly = campaigns | {"de-en": (y, scores)}
    with pytest.raises(CandidateError, match="has no score of 1 of 160 judged rows"):
        metrics_task(partly)
    found = metrics_task(partly, missing="skip", n_permutations=50)
    kept = scores.notna().all(axis=1)
    whole = campaigns | {"de-en": (y[kept], scores[kept])}
    expected = metrics_task(whole, n_permutations=50).table
    pd.testing.assert_frame_equal(found.table, expected)


def test_an_undefined_statistic_is_named(campaigns):
    y, scores = campaigns["de-en"]
    flat = campaigns | {"de-en": (y, scores.assign(b=1.0))}
    found = metrics_task(flat, n_permutations=50)
    assert np.isnan(found.table.loc["b", "average"])
    assert found.table.loc["b", "cluster"] == 0
    assert found.table.index[-1] == "b"


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"campaigns": {}}, CandidateError, "at least one"),
        ({"campaigns": [1]}, CandidateError, "campaigns must map names"),
        ({"campaigns": {"": 1}}, CandidateError, "name must be a printable string"),
        ({"campaigns": {"a": 1}}, CandidateError, r"campaigns\['a'\] must be Judgements"),
        ({"campaigns": {"a": (1, 2)}}, CandidateError, "The scores of 'a' must be"),
        ({"system_statistic": "wmt12"}, ValueError, r"system_statistic .*found "),
        ({"segment_statistic": "spa"}, ValueError, r"segment_statistic .*found "),
        ({"sort_by": "mean"}, ValueError, r"sort_by .*found "),
        ({"exchanged": "segments"}, ValueError, r"exchanged .*found "),
        ({"correction": "none"}, ValueError, r"correction .*found "),
        ({"alpha": 0}, ValueError, "alpha must be"),
        ({"n_permutations": 0}, ValueError, "n_permutations must be"),
        ({"random_state": -1}, ValueError, "random_state must be"),
        ({"system_statistic": None, "segment_statistic": None}, ValueError, "there is no task"),
    ],
)
def test_what_is_refused(campaigns, given, error, message):
    with pytest.raises(error, match=message):
        metrics_task(**{"campaigns": campaigns} | given)


def test_one_metric_is_no_task(campaigns):
    y, scores = campaigns["de-en"]
    with pytest.raises(CandidateError, match="two metrics or more that all campaigns have"):
        metrics_task(campaigns | {"de-en": (y, scores[["a"]])})


def test_ranks_of_both_rules(campaigns):
    # a > c only: with the metrics tasks' rule c is second, since a clears it; b does not.
    near = {}
    for name, (y, scores) in campaigns.items():
        near[name] = y, scores.assign(b=(scores["a"] + scores["c"] / 3))
    found = metrics_task(near, n_permutations=200)
    whole = metrics_task(near, n_permutations=200, ranks="clusters")
    assert (found.ranks, whole.ranks) == ("metrics-task", "clusters")
    assert "|ranks:metrics-task|" in found.signature
    assert "|ranks:clusters|" in whole.signature
    numbers = [name for name in found.table if name.endswith("cluster")]
    assert (found.table[numbers] >= whole.table[numbers]).all(axis=None)
    # By the definition, of the published p-values.
    p, expected, start = found.p_values.to_numpy(), [1], 0
    for place in range(1, 3):
        beaten = (p[start:place, place] <= 0.05).any()
        start = place if beaten else start
        expected.append(expected[-1] + beaten)
    assert found.table["cluster"].to_list() == expected
    ranks = found.table[numbers[1:]].mean(axis=1)
    assert found.table["average_rank"].to_list() == ranks.to_list()
    with pytest.raises(ValueError, match=r"ranks .*found "):
        metrics_task(near, ranks="tiers")
