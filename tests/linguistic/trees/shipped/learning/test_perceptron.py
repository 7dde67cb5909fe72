"""Training of machines: against a perceptron in plain loops, what is learnt, what is kept."""

import itertools

import numpy as np
import pytest
from machine_by_loops import State, feature, states

from sklearn_mteval.linguistic.trees.shipped.learning import _kernel
from sklearn_mteval.linguistic.trees.shipped.learning.machine import (
    Action,
    _pruned,
    action_arrays,
    train_machine,
)
from sklearn_mteval.linguistic.trees.shipped.learning.templates import compile_templates

COLUMNS = ["word", "tag"]
ARCS = [Action("shift"), *(Action(kind, label) for kind in ("left", "right") for label in "ab")]
TEMPLATES = ["s0.tag", "s0.tag s1.tag", "s0.word q0.word", "s1.rset s0.dist", "q0.tag q1.tag"]


def corpus(sizes, actions, seed, *, tagging=False):
    """Units of drawn values and drawn derivations of them."""
    rng = np.random.default_rng(seed)
    bounds = np.cumsum([0, *sizes])
    units = rng.integers(0, 3, size=(bounds[-1], 2)).astype(np.int32)
    derived = []
    for n in sizes:
        state, own = State(n), []
        while len(own) < (n if tagging else 2 * n - 1):
            own.append(actions[int(rng.choice(state.legal(actions, tagging)))])
            state = state.after(own[-1])
        derived.append(own)
    return units, bounds, derived


def parts(machine):
    return machine.keys, machine.bounds, machine.classes, machine.weights


def dense(machine):
    """The weights by key, a row each."""
    rows = np.zeros((len(machine.keys), len(machine.actions)), dtype=int)
    for row, start, end in zip(rows, machine.bounds[:-1], machine.bounds[1:], strict=True):
        row[machine.classes[start:end]] = machine.weights[start:end]
    return rows


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("beam", [1, 3])
def test_weights_are_those_of_plain_loops(beam, seed):
    sizes = [2, 3, 1, 4, 3, 5]
    actions = sorted(ARCS)
    units, bounds, derived = corpus(sizes, ARCS, seed)
    n_epochs = 2
    machine = train_machine(
        units, bounds, derived, TEMPLATES, COLUMNS, beam=beam, n_epochs=n_epochs
    )
    assert machine.actions == sorted({action for own in derived for action in own})
    actions = machine.actions
    named = [
        {name: units[start:end, k].tolist() for k, name in enumerate(COLUMNS)}
        for start, end in itertools.pairwise(bounds)
    ]

    def seen(state, columns):
        return [(template, feature(state, template, columns)) for template in TEMPLATES]

    golds = [[actions.index(action) for action in own] for own in derived]
    known = {
        f
        for n, own, columns in zip(sizes, golds, named, strict=True)
        for state in states(n, actions, own)
        for f in seen(state, columns)
    }
    weights = {f: np.zeros(len(actions)) for f in known}
    snapshots = [{f: w.copy() for f, w in weights.items()}]
    order = np.random.RandomState(0)
    for _ in range(n_epochs):
        for k in order.permutation(len(sizes)):
            n, own, columns = sizes[k], golds[k], named[k]

            def scores(state, columns=columns):
                return sum(weights[f] for f in seen(state, columns) if f in known) + np.zeros(
                    len(actions)
                )

            best = prefixes(n, actions, scores, beam)
            gold_scores = np.cumsum(
                [scores(s)[a] for s, a in zip(states(n, actions, own), own, strict=True)]
            )
            worst, wrong = 0, None
            for (score, prefix), gold_score in zip(best, gold_scores, strict=True):
                if prefix != own[: len(prefix)] and score - gold_score >= worst:
                    worst, wrong = score - gold_score, prefix
            if wrong:
                for sign, prefix in ((-1, wrong), (1, own[: len(wrong)])):
                    for state, a in zip(states(n, actions, prefix), prefix, strict=True):
                        for f in seen(state, columns):
                            if f in known:
                                weights[f][a] += sign
            snapshots.append({f: w.copy() for f, w in weights.items()})
    mean = {f: np.mean([w[f] for w in snapshots], axis=0) for f in known}
    largest = max(np.abs(w).max() for w in mean.values())
    assert largest > 0
    key_of = keys_by_feature(units, bounds, machine, golds, seen, named)
    found = dict(zip(machine.keys.tolist(), dense(machine), strict=True))
    for f, values in mean.items():
        of_feature = found.pop(key_of[f], np.zeros(len(actions)))
        assert np.abs(values * 127 / max(largest, 1) - of_feature).max() < 0.5 + 1e-3, f
    assert not found


def keys_by_feature(units, bounds, machine, golds, seen, named):
    """The key of each feature of the gold states; test_machine.py shows that each has its own."""
    keys = _kernel.collect_keys(
        units, bounds, np.concatenate(golds), np.cumsum([0, *map(len, golds)]),
        compile_templates(TEMPLATES, COLUMNS), action_arrays(machine.actions, False),
    )  # fmt: skip
    features = [
        seen(state, columns)
        for own, columns in zip(golds, named, strict=True)
        for state in states(len(columns["word"]), machine.actions, own)
    ]
    return {
        f: key
        for of_state, row in zip(features, keys.tolist(), strict=True)
        for f, key in zip(of_state, row, strict=True)
    }


def prefixes(n, actions, scores, beam):
    """The best state after each step: its score and the actions to it."""
    best = [(0.0, [], State(n))]
    found = []
    for _ in range(2 * n - 1):
        following = [
            (score + scores(state)[k], [*done, k], state.after(action))
            for score, done, state in best
            for k, action in enumerate(actions)
            if state.may(action)
        ]
        best = sorted(following, key=lambda one: -one[0])[:beam]
        found.append(best[0][:2])
    return found


def test_what_can_be_told_is_learnt():
    """Heads are the words with the largest value: of each pair, the label says which side."""
    rng = np.random.default_rng(1)
    sizes = rng.integers(1, 7, size=40)
    bounds = np.cumsum([0, *sizes])
    units = rng.integers(0, 5, size=(bounds[-1], 2)).astype(np.int32)
    derived = []
    for start, end in itertools.pairwise(bounds):
        tags, stack, own = units[start:end, 1].tolist(), [], []
        for tag in tags:
            own.append(Action("shift"))
            stack.append(tag)
            if len(stack) == 2:
                left = stack[0] >= stack[1]
                own.append(Action("left", "big") if left else Action("right", "small"))
                stack = [max(stack)]
        derived.append(own)
    templates = ["s0.tag s1.tag", "s1.tag s0.nl", "s1.size"]
    machine = train_machine(units, bounds, derived, templates, COLUMNS, beam=2, n_epochs=10)
    found, counts = machine.predict(units, bounds, beam=2)
    assert (counts == 1).all()
    assert [machine.actions[k] for k in found] == [action for own in derived for action in own]


def test_tags_are_learnt():
    rng = np.random.default_rng(2)
    bounds = np.cumsum([0, *rng.integers(0, 9, size=30)])
    units = rng.integers(0, 6, size=(bounds[-1], 2)).astype(np.int32)
    derived = [
        [Action("shift", "abcdef"[k]) for k in units[start:end, 0]]
        for start, end in itertools.pairwise(bounds)
    ]
    machine = train_machine(units, bounds, derived, ["q0.word"], COLUMNS, tagging=True, beam=1)
    assert [machine.labels[k] for k in machine.tag(units, bounds)] == [
        "abcdef"[k] for k in units[:, 0]
    ]


def test_equal_input_gives_equal_bytes():
    given = corpus([4, 3, 5, 2, 6], ARCS, 3)
    options = {"beam": 2, "n_epochs": 2, "n_runs": 2}
    first, second = (train_machine(*given, TEMPLATES, COLUMNS, **options) for _ in range(2))
    assert [a.tobytes() for a in parts(first)] == [a.tobytes() for a in parts(second)]
    other = train_machine(*given, TEMPLATES, COLUMNS, **options | {"n_runs": 1})
    assert [a.tobytes() for a in parts(first)] != [a.tobytes() for a in parts(other)]


def test_the_largest_weights_are_kept():
    given = corpus([4, 3, 5, 2, 6, 7, 3], ARCS, 4)
    everything = train_machine(*given, TEMPLATES, COLUMNS, n_epochs=3)
    all_weights = np.abs(everything.weights.astype(int))
    assert np.abs(everything.weights).max() == 127 and all_weights.min() > 0
    for most in (len(all_weights), len(all_weights) // 2, 10, 1, 0):
        machine = train_machine(*given, TEMPLATES, COLUMNS, n_epochs=3, max_entries=most)
        kept = np.sort(np.abs(machine.weights.astype(int)))
        assert len(kept) <= most
        # All that are as large as the smallest kept; the next lower value would be too many.
        assert kept.tolist() == np.sort(all_weights)[len(all_weights) - len(kept) :].tolist()
        dropped = np.sort(all_weights)[: len(all_weights) - len(kept)]
        if len(dropped):
            assert not len(kept) or dropped[-1] < kept[0]
            assert len(kept) + (dropped == dropped[-1]).sum() > most
        assert set(machine.keys) <= set(everything.keys)
        assert (np.diff(machine.bounds) > 0).all() and machine.bounds[-1] == len(kept)


def test_rare_features_are_left_out():
    """Word 1 is y three times, word 2 z once; of x, which wins ties, nothing needs learning."""
    units = np.array([[1, 0], [1, 0], [2, 0], [1, 0], [3, 0]], dtype=np.int32)
    derived = [[Action("shift", label) for label in labels] for labels in ("yy", "zy", "x")]
    given = units, np.array([0, 2, 4, 5]), derived, ["q0.word"], COLUMNS
    seen = [
        len(train_machine(*given, tagging=True, beam=1, min_count=k).keys) for k in (1, 2, 3, 4)
    ]
    assert seen == [2, 1, 1, 0]


def test_of_a_feature_as_many_weights_as_a_byte_counts():
    weights = np.zeros((3, 300), dtype=np.float32)
    weights[0] = np.random.default_rng(0).permutation(300) - 150
    weights[1, :255] = -3
    weights[2, 7] = 90
    keys, bounds, classes, whole = _pruned(np.array([5, 6, 9], np.uint32), weights, None)
    assert keys.tolist() == [5, 6, 9]
    assert bounds.tolist() == [0, 255, 510, 511]
    assert set(np.abs(weights[0, classes[:255]])) == set(range(22, 151))  # two of each but 150
    assert np.array_equal(classes[255:], [*range(255), 7])
    assert whole.min() == -127 and whole[-1] == 76  # 90 of 150


def test_sentences_of_one_unit_teach_no_tree():
    with pytest.raises(ValueError, match="one unit each, expected some with more"):
        train_machine(
            np.zeros((2, 2), np.int32), np.arange(3), [[Action("shift")]] * 2, TEMPLATES, COLUMNS
        )
