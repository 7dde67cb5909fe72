"""Decision tables against loops over pairs, and what must not change them."""

import json
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.datasets import Judgements, load_judgements, load_sample
from sklearn_mteval.evaluation import decision_table
from sklearn_mteval.evaluation.decisions import pairs as pairs_of
from sklearn_mteval.evaluation.decisions.curves import CurveLikelihood
from sklearn_mteval.evaluation.decisions.files import read_decision_table
from sklearn_mteval.evaluation.join import join_common
from sklearn_mteval.exceptions import CandidateError, DataFileError
from sklearn_mteval.report import report_text

LEVELS = ["system", "segment"]


def campaign(seed=0, n_segments=40, n_systems=8):
    """Penalties of some systems, and the scores of a metric that sees them through noise."""
    rng = np.random.default_rng(seed)
    rows = pd.MultiIndex.from_product(
        [range(1, n_segments + 1), [f"s{k}" for k in range(n_systems)]],
        names=["segment", "system"],
    )
    quality = np.tile(rng.normal(size=n_systems), n_segments) + rng.normal(size=len(rows))
    y = pd.Series(np.round(np.maximum(0, 2 - 2 * quality)), rows)
    return y, pd.Series(np.round(10 * quality + 15 * rng.normal(size=len(rows))), rows, name="m")


def by_loops(y, scores, level):
    """List (difference, outcome) of all pairs that the metric does not tie."""
    if level == "system":
        human = (-y).groupby("system").mean()
        means = scores.groupby("system").mean()
        compared = [
            (means[a] - means[b], human[a] - human[b]) for a, b in combinations(means.index, 2)
        ]
    else:
        compared = []
        for _, rows in y.groupby("segment"):
            for a, b in combinations(rows.index, 2):
                compared.append((scores[a] - scores[b], y[b] - y[a]))
    return [(abs(d), int(np.sign(d) * np.sign(h))) for d, h in compared if d]


@pytest.mark.parametrize("ties", ["drop", "half"])
@pytest.mark.parametrize("level", LEVELS)
def test_counts_and_bins_by_loops(level, ties):
    y, scores = campaign()
    found = decision_table(scores, y, level=level, ties=ties, n_bins=3)
    pairs = by_loops(y, scores, level)
    decided = [(d, (1 + o) / 2) for d, o in pairs if o or ties == "half"]
    assert found.counts["pairs"] == len(decided)
    assert found.counts["human_ties"] == sum(o == 0 for _, o in pairs)
    n_all = 28 * (1 if level == "system" else 40)
    assert found.counts["metric_ties"] == n_all - len(pairs)
    assert found.bins["pairs"].sum() == len(decided)
    for row in found.bins.itertuples():
        low, high = row[1], row[2]
        inside = [(d, a) for d, a in decided if low - 1e-12 <= d <= high + 1e-12]
        assert row.pairs == len(inside)
        assert row.agreement == pytest.approx(np.mean([a for _, a in inside]))
        assert row.difference == pytest.approx(np.mean([d for d, _ in inside]))
        assert row.expected == pytest.approx(
            np.mean([found.curve.agreement(d) for d, _ in inside]), abs=1e-9
        )
        tied = [o == 0 for d, o in pairs if low - 1e-12 <= d <= high + 1e-12]
        assert row.ties == pytest.approx(np.mean(tied))
    for difference, row in found.table.iterrows():
        assert row["pairs"] == sum(d >= difference for d, _ in decided)
        assert row["agreement"] == found.curve.agreement(difference)
        assert row["low"] <= row["agreement"] <= row["high"]
    apart = found.bins["expected"] - found.bins["agreement"]
    assert found.calibration["bias"] == pytest.approx(
        np.average(apart, weights=found.bins["pairs"])
    )
    assert found.calibration["error"] == pytest.approx(
        np.average(abs(apart), weights=found.bins["pairs"])
    )


def test_a_difference_at_which_annotators_always_tie_joins_a_bin():
    rows = pd.MultiIndex.from_product([[1, 2, 3], ["A", "B"]], names=["segment", "system"])
    y = pd.Series([1.0, 2, 1, 1, 2, 1], rows)
    scores = pd.Series([3.0, 2, 4, 0, 7, 8], rows)  # +1 agrees, +4 ties, -1 agrees
    found = decision_table(scores, y, level="segment")
    assert found.bins[["from", "to", "pairs"]].values.tolist() == [[1, 4, 2]]
    assert found.bins["ties"].tolist() == [pytest.approx(1 / 3)]
    assert np.isfinite(list(found.calibration.values())).all()


def test_the_needed_difference_is_the_inverse():
    y, scores = campaign()
    found = decision_table(scores, y, agreements=[0.6, 0.75], differences=[1, 2.5])
    for agreement, row in found.needed.iterrows():
        assert found.curve.agreement(row["difference"]) == pytest.approx(agreement)
        assert row["low"] <= row["difference"] <= row["high"]
    assert found.table.index.tolist() == [1, 2.5]
    largest = max(d for d, _ in by_loops(y, scores, "system"))
    assert found.needed["observed"].tolist() == (found.needed["difference"] <= largest).tolist()


def test_counts_of_units_by_loops():
    y, scores = campaign(n_segments=5, n_systems=4)
    documents = pd.Series(["a", "a", "", "b", "b"], range(1, 6))
    joined = join_common(y, {"m": scores})
    compared = pairs_of.compared_pairs(joined, "m", "segment", 1.0, documents)
    codes, cells = pairs_of.cells_of(compared.differences)
    of_systems, of_clusters = pairs_of.counts_of_units([compared], [codes], len(cells))
    expected = np.zeros((4, len(cells), 3)), np.zeros((3, len(cells), 3))
    for k, cell in enumerate(codes):
        for side in (0, 1):
            expected[0][compared.systems[side][k], cell, compared.outcomes[k]] += 1
        expected[1][compared.clusters[k], cell, compared.outcomes[k]] += 1
    np.testing.assert_array_equal(of_systems, expected[0])
    np.testing.assert_array_equal(of_clusters, expected[1])
    counts = pairs_of.counts_of(compared.outcomes, codes, len(cells))[0]
    np.testing.assert_array_equal(counts, of_clusters.sum(axis=0))
    # Clusters are the documents: of as many pairs as their segments have.
    sizes = dict.fromkeys("abc", 0)
    for segment, rows in y.groupby("segment"):
        differ = [scores[one] != scores[other] for one, other in combinations(rows.index, 2)]
        sizes["aacbb"[segment - 1]] += sum(differ)
    assert sorted(of_clusters.sum(axis=(1, 2))) == sorted(sizes.values())


def test_cells_keep_few_differences_apart_and_join_many():
    codes, cells = pairs_of.cells_of(np.array([3.0, 1, 1, 2, 3]))
    assert codes.tolist() == [2, 0, 0, 1, 2] and cells.tolist() == [1, 2, 3]
    many = np.random.default_rng(0).random(5000)
    codes, cells = pairs_of.cells_of(many)
    assert len(cells) == 100 and (np.diff(cells) > 0).all()
    assert np.bincount(codes).min() >= 45
    order = np.argsort(many)
    assert (np.diff(codes[order]) >= 0).all()
    for k in (0, 50, 99):
        assert cells[k] == pytest.approx(many[codes == k].mean())


def same(one, other):
    for name in ("table", "needed", "bins", "band"):
        pd.testing.assert_frame_equal(getattr(one, name), getattr(other, name), check_exact=True)
    assert one.curve == other.curve and one.counts == other.counts


@pytest.mark.parametrize("level", LEVELS)
def test_neither_order_nor_names_change_a_bit(level):
    y, scores = campaign()
    found = decision_table(scores, y, level=level)
    order = np.random.default_rng(1).permutation(len(y))
    names = {f"s{k}": f"x{(k * 5) % 8}" for k in range(8)}
    segments = {k: 41 - k for k in range(1, 41)}
    turned = [
        part.iloc[order].rename(index=names, level="system").rename(index=segments, level="segment")
        for part in (y, scores)
    ]
    same(found, decision_table(turned[1], turned[0], level=level))


@pytest.mark.parametrize("level", LEVELS)
def test_pooled_campaigns_whatever_they_are_called(level):
    (y, scores), (z, others) = campaign(0), campaign(1, n_systems=4)
    given = {"a": scores, "b": others}
    found = decision_table(given, {"a": y, "b": z}, level=level)
    same(found, decision_table({"b": scores, "a": others}, {"a": z, "b": y}, level=level))
    pairs = [pair for part in ((y, scores), (z, others)) for pair in by_loops(*part, level)]
    assert found.counts["pairs"] == sum(o != 0 for _, o in pairs)
    assert found.counts["campaigns"] == 2 and found.counts["systems"] == 12


def test_the_unit_and_the_sign_of_scores():
    y, scores = campaign()
    found = decision_table(scores, y, differences=[1, 2])
    larger = decision_table(scores, y, differences=[100, 200], factor=100)
    columns = ["agreement", "low", "high"]
    np.testing.assert_allclose(larger.table[columns], found.table[columns], atol=1e-6)
    np.testing.assert_allclose(
        larger.needed["difference"], 100 * found.needed["difference"], rtol=1e-5
    )
    negated = decision_table(-scores, y, differences=[1, 2], lower_is_better=["m"])
    np.testing.assert_allclose(negated.table[columns], found.table[columns])
    against = decision_table(-scores, y, level="segment")
    assert (against.table["agreement"] < 0.5).all()
    assert np.isinf(against.needed["difference"]).all() and not against.needed["observed"].any()


def test_a_better_metric_needs_less():
    y, scores = campaign(n_segments=100)
    good = decision_table((-y).rename("m") + scores / 100, y, level="segment")
    poor = decision_table(scores / scores.std() * y.std(), y, level="segment")
    assert (good.curve.agreement(1.0)) > poor.curve.agreement(1.0)
    assert (good.needed["difference"] <= poor.needed["difference"]).all()


@pytest.mark.parametrize("level", LEVELS)
def test_a_curve_of_other_judgements(level):
    y, scores = campaign(0)
    z, others = campaign(1)
    first = decision_table(scores, y, level=level)
    found = decision_table(others, z, level=level, fitted=first)
    own = decision_table(others, z, level=level)
    assert found.curve == first.curve
    pd.testing.assert_frame_equal(found.table, first.table)
    observed = ["from", "to", "difference", "pairs", "ties", "agreement", "low", "high"]
    pd.testing.assert_frame_equal(found.bins[observed], own.bins[observed])
    assert first.signature.rpartition(":")[2] in found.signature.partition("fitted_on:")[2]
    with pytest.raises(ValueError, match="fitted is of ties='drop'"):
        decision_table(others, z, level=level, fitted=first, ties="half")
    with pytest.raises(ValueError, match="fitted is of the metric 'm', found 'other'"):
        decision_table(others.rename("other"), z, level=level, fitted=first)
    with pytest.raises(ValueError, match="give one of them"):
        decision_table(others, z, level=level, fitted=first, curve="plateau")


def test_few_systems():
    y, scores = campaign(n_systems=7)
    with pytest.raises(CandidateError, match=r"expected 8 systems or more .* found 7: pool"):
        decision_table(scores, y)
    more = campaign(1)
    fitted = decision_table(more[1], more[0])
    found = decision_table(scores, y, fitted=fitted)  # a check needs no curve of its own
    assert found.curve == fitted.curve
    assert ((found.bins["high"] - found.bins["low"]) > 0.2).all()
    y, scores = campaign(n_systems=2)
    segments = decision_table(scores, y, level="segment")
    assert segments.options["clusters"] == "segments"
    assert segments.table[["low", "high"]].notna().all(axis=None)
    assert "Which document a segment is of is not known" in report_text(segments)


def test_the_likelihood_by_a_grid():
    """An interval holds what curves say that are at most so much less likely than the likeliest."""
    rng = np.random.default_rng(0)
    differences = np.sort(rng.random(30)) * 5
    total = rng.integers(1, 9, 30).astype(float)
    agreeing = rng.binomial(total.astype(int), 1 / (1 + np.exp(-differences))).astype(float)
    x, middle = differences, differences[np.searchsorted(np.cumsum(total), total.sum() / 2)]
    for name, plateaus in (("logistic", [1.0]), ("plateau", np.linspace(-1, 1, 201))):
        likelihood = CurveLikelihood(name, differences, agreeing, total)
        curve, loss = likelihood.fit(), 1.7
        steepness = np.geomspace(1e-2, 1e2, 1001)[:, np.newaxis, np.newaxis] / middle
        plateau = np.reshape(plateaus, (1, -1, 1))
        p = (1 + plateau * np.tanh(steepness * np.append(x, middle) / 2)) / 2
        a, n = np.append(agreeing, 0.5), np.append(total, 1)
        values = np.log(np.clip(p, 1e-15, 1)) @ a + np.log(np.clip(1 - p, 1e-15, 1)) @ (n - a)
        said = (1 + plateau * np.tanh(steepness * 1.3 / 2))[..., 0] / 2
        values, said = values.ravel(), said.ravel()
        assert curve.agreement(1.3) == pytest.approx(said[values.argmax()], abs=3e-3)
        accepted = likelihood.accepted(curve, loss).agreement(np.array([1.3]))
        inside = said[values >= values.max() - loss]
        assert accepted.min() == pytest.approx(inside.min(), abs=6e-3)
        assert accepted.max() == pytest.approx(inside.max(), abs=6e-3)


def test_documents_hang_together():
    """Segments that are copies of one another tell as little as one of each document does."""
    y, scores = campaign(n_segments=200, n_systems=2)
    copies = []
    for part in (y, scores):
        frames = [part.rename(lambda k, n=n: k + 200 * n, level="segment") for n in range(4)]
        copies.append(pd.concat(frames))
    labels = [(k - 1) % 200 for k in copies[0].index.get_level_values("segment")]
    given = {"level": "segment", "differences": [5.0]}
    once = decision_table(scores, y, **given).table
    by_segment = decision_table(copies[1], copies[0], **given)
    found = decision_table(copies[1], copies[0], documents=labels, **given)
    widths = [float((t["high"] - t["low"]).iloc[0]) for t in (once, by_segment.table, found.table)]
    assert widths[1] < 0.9 * widths[0]
    assert widths[2] == pytest.approx(widths[0], rel=0.1)
    assert found.options["clusters"] == "documents" and found.counts["documents"] == 200
    assert "clusters:documents|" in found.signature
    assert "pairs that share a document hang together" in " ".join(report_text(found).split())
    segment = y.index.get_level_values("segment")
    for labels, clusters in ((segment // 20, "documents"), (segment * 0, "segments")):
        documents = pd.Series([f"d{k}" for k in labels], y.index)  # one of all says nothing
        judged = Judgements(y.to_frame(), y, y.to_frame(), documents=documents)
        of_judgements = decision_table(scores, judged, **given)
        assert of_judgements.options["clusters"] == clusters
        assert ("documents" in of_judgements.counts) == (clusters == "documents")


def test_a_difference_that_was_not_seen_warns():
    y, scores = campaign()
    with pytest.warns(UserWarning, match=r"difference of 1000 is asked for, .*extrapolated"):
        decision_table(scores, y, differences=[1, 1000])


@pytest.mark.slow
def test_coverage_of_few_systems():
    """Systems from a known curve: of intervals of 95 % about so many hold what it says."""
    rng = np.random.default_rng(0)
    covariance = np.array([[1.0, 0.8], [0.8, 1.0]])

    def drawn(n):
        human, metric = rng.multivariate_normal([0, 0], covariance, n).T
        rows = pd.MultiIndex.from_product([[1], range(n)], names=["segment", "system"])
        return pd.Series(metric, rows, name="m"), pd.Series(-human, rows)

    truth = decision_table(*drawn(1200), differences=[0.9]).table["agreement"].iloc[0]
    inside = []
    for _ in range(200):
        row = decision_table(*drawn(10), differences=[0.9]).table.iloc[0]
        inside.append(row["low"] <= truth <= row["high"])
    assert np.mean(inside) >= 0.93


def test_rankings_and_named_metrics():
    X, y = load_sample(return_X_y=True)
    judged = Judgements(X, y, X)
    found = decision_table("chrf", judged, level="segment", factor=100)
    assert found.options["metric"] == "chrf" and found.counts["pairs"] > 0
    # Of rankings systems are scored by expected wins, as in an evaluation.
    rows = pd.MultiIndex.from_tuples(
        [(s, r, k) for s in (1, 2) for r in (1, 2) for k in "ABC"],
        names=["segment", "ranking", "system"],
    )
    ranks = pd.Series([1.0, 2, 3, 1, 3, 2, 2, 1, 3, 1, 1, 2], rows)
    scores = pd.Series([3.0, 2, 0, 5, 1, 2], rows.droplevel("ranking").unique().sort_values())
    more = campaign()
    fitted = decision_table(more[1].rename("metric"), more[0])
    ranked = decision_table(scores, ranks, fitted=fitted)
    assert ranked.counts["pairs"] == 3 and ranked.bins["agreement"].mean() == 1
    pairs = decision_table(scores, ranks, level="segment")
    assert pairs.counts["pairs"] + pairs.counts["human_ties"] == 12
    with pytest.raises(CandidateError, match="There is no metric 'comet'"):
        decision_table("comet", judged)
    with pytest.raises(CandidateError, match="looked up in Judgements"):
        decision_table("chrf", y)


@pytest.mark.parametrize("level", LEVELS)
def test_json_is_read_back(level, tmp_path):
    found = decision_table(campaign()[1], campaign()[0], level=level)
    path = tmp_path / "found.json"
    path.write_text(report_text(found, "json"))
    again = read_decision_table(path)
    same(found, again)
    assert again.signature == found.signature and again.options == found.options
    z, others = campaign(1)
    fitted = [decision_table(others, z, level=level, fitted=f) for f in (found, again)]
    same(*fitted)
    assert report_text(fitted[0]) == report_text(fitted[1])


@pytest.mark.parametrize(
    "change",
    [
        lambda given: given.pop("curve"),
        lambda given: given["curve"].update(name="cubic"),
        lambda given: given["curve"].update(steepness="1"),
        lambda given: given["curve"].update(plateau=2),
        lambda given: given["curve"].update(steepness=None),
        lambda given: given.update(level="word"),
        lambda given: given.update(table=3),
        lambda given: given["table"].append({}),
        lambda given: given.update(needed=[]),
        lambda given: given.update(metric=5),
        lambda given: given.update(signature=None),
        lambda given: given.update(counts=[1]),
        lambda given: given["bins"][0].update(pairs=None),
    ],
)
def test_damaged_json(change, tmp_path):
    y, scores = campaign()
    given = json.loads(report_text(decision_table(scores, y), "json"))
    change(given)
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(given))
    with pytest.raises(DataFileError, match="decision-table"):
        read_decision_table(path)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "[" * 100_000, '"x"', "null", "{}"])
def test_no_json_of_ours(text, tmp_path):
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(DataFileError, match="decision-table"):
        read_decision_table(path)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"level": "both"}, ValueError, r"level .*found "),
        ({"curve": "isotonic"}, ValueError, r"curve .*found "),
        ({"ties": "wrong"}, ValueError, r"ties .*found "),
        ({"differences": [0]}, ValueError, "differences must be a number > 0"),
        ({"differences": []}, ValueError, "one number or more"),
        ({"differences": 3}, ValueError, "differences must be a sequence"),
        ({"differences": [np.inf]}, ValueError, "must lie between 0 and inf"),
        ({"agreements": [0.5]}, ValueError, "agreements must be a number > 0.5"),
        ({"agreements": [1.0]}, ValueError, "must lie between 0.5 and 1"),
        ({"fitted": 3}, TypeError, "fitted must be a DecisionTable"),
        ({"factor": 0}, ValueError, "factor must be"),
        ({"n_bins": 0}, ValueError, "n_bins must be"),
        ({"confidence": 1}, ValueError, "confidence must"),
        ({"judgements": {}}, CandidateError, "maps no campaign"),
        ({"judgements": {"a": campaign()[0]}}, CandidateError, "mapped to campaigns"),
        ({"metric": {"a": campaign()[1]}}, CandidateError, "mapped to campaigns"),
        (
            {"metric": {"a": 1}, "judgements": {"b": campaign()[0]}},
            CandidateError,
            "no scores of the campaign 'b'",
        ),
        ({"metric": campaign()[1] * 0}, CandidateError, "no pair of systems that 'm' and"),
        ({"metric": campaign()[1].iloc[3:]}, CandidateError, "has no score of 3"),
    ],
)
def test_what_is_refused(given, error, message):
    y, scores = campaign()
    metric, judgements = given.pop("metric", scores), given.pop("judgements", y)
    with pytest.raises(error, match=message):
        decision_table(metric, judgements, **given)


def test_wmt23_and_a_curve_of_another_language_pair(data_dir):
    options = {"human_systems": True, "metric_scores": ["MetricX-23", "chrF"]}
    root = data_dir / "wmt23"
    zh, he = (load_judgements(root, "mtme", lang_pair=p, **options) for p in ("zh-en", "he-en"))
    found = decision_table("chrF", zh)
    assert found.counts["pairs"] == 105 and found.counts["systems"] == 15
    # Large differences are right, small ones hardly better than chance.
    assert found.curve.agreement(0.1) < 0.55 and found.curve.agreement(10) > 0.95
    best = decision_table("MetricX-23", zh, fitted=None)
    assert best.bins["agreement"].mean() > found.bins["agreement"].mean()
    held_out = decision_table("MetricX-23", he, fitted=best)
    assert held_out.calibration["error"] < 0.1 and abs(held_out.calibration["bias"]) < 0.1
