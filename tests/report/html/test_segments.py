"""Samples of segments: all where there is room, else those of interest and a random part."""

import json

import numpy as np
import pytest

from sklearn_mteval.report.html.segments import SegmentSample


def entry(k, n=2):
    return {"id": f"s{k}", "translations": [{"system": f"S{i}", "text": "t"} for i in range(n)]}


def shown(sample, **options):
    data = sample.data(["m"], **options)
    return json.loads("".join(data["data"])), data["notes"]


def test_all_are_there_where_there_is_room():
    lines = []
    sample = SegmentSample(20, lines.append)
    for k in range(10):
        sample.add(entry(k), k)
    data, notes = shown(sample, judged="people")
    assert [s["id"] for s in data["segments"]] == [f"s{k}" for k in range(10)]
    assert data["systems"] == ["S0", "S1"] and data["judged"] == "people"
    assert notes == [] and lines == []


@pytest.mark.parametrize("seed", range(4))
def test_of_too_many_half_are_of_interest_whatever_the_order(seed):
    rng = np.random.default_rng(seed)
    order = rng.permutation(500)
    sample = SegmentSample(100)
    for k in order:
        sample.add(entry(k), float(k))
    data, (note, other) = shown(sample, interest="disagreement")
    assert other.startswith("No file has the others")
    kept = {int(s["id"][1:]) for s in data["segments"]}
    assert len(kept) == 50 and set(range(475, 500)) <= kept
    assert [s["id"] for s in data["segments"]] == [f"s{k}" for k in order if k in kept]
    same = SegmentSample(100)
    for k in range(500):
        same.add(entry(k), float(k))
    assert {int(s["id"][1:]) for s in shown(same)[0]["segments"]} == kept
    assert "50 of 500 segments, 100 of 1,000 translations" in note and "disagreement" in note
    others = np.array(sorted(kept - set(range(475, 500))))
    assert 120 < others.mean() < 355  # of 0 to 474, by chance


@pytest.mark.parametrize("seed", range(4))
def test_segments_of_many_sizes_are_those_of_any_order(seed):
    """What finds no room must not make any for others, whenever it comes."""
    rng = np.random.default_rng(seed)
    sizes, interests = rng.integers(1, 9, size=200), rng.integers(0, 50, size=200)
    kept = []
    for order in (range(200), rng.permutation(200), rng.permutation(200)):
        sample = SegmentSample(30)
        for k in order:
            sample.add(entry(k, sizes[k]), float(interests[k]))
        kept.append({s["id"] for s in shown(sample)[0]["segments"]})
        assert sum(sizes[int(name[1:])] for name in kept[-1]) <= 30
    assert kept[0] == kept[1] == kept[2]


class Lines(list):
    """The file next to a page."""

    name = "x.segments.jsonl.gz"
    __call__ = list.append


def test_memory_is_bounded_and_all_segments_stand_beside():
    lines = Lines()
    sample = SegmentSample(100, lines)
    for k in range(5000):
        sample.add(entry(k), None if k % 2 else float("nan"))
        assert sample._n_kept <= 202
    assert [json.loads(line)["id"] for line in lines] == [f"s{k}" for k in range(5000)]
    data, notes = shown(sample)
    assert len(data["segments"]) == 50 and "x.segments.jsonl.gz" in notes[1]


def test_explanations_are_added_to_their_segments():
    sample = SegmentSample()
    for k in range(3):
        sample.add(entry(k))
    sample.add(entry(3), why={"of": [0]})
    sample.explain({"s1": lambda entry: entry["id"], "gone": None})
    data, _ = shown(sample)
    assert [s.get("why") for s in data["segments"]] == [None, "s1", None, {"of": [0]}]
    assert all("translations" in s for s in data["segments"])


def test_one_segment_that_is_too_large_for_all():
    sample = SegmentSample(4)
    for k in range(3):
        sample.add(entry(k, 9))
    assert shown(sample)[0]["segments"] == []
