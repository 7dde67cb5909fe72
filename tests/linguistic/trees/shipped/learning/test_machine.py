"""The compiled machine against one in plain Python: features, search, likelihoods."""

import itertools
from collections import defaultdict

import numpy as np
import pytest
from machine_by_loops import State, beam_search, derivations, feature, states

from sklearn_mteval.linguistic.trees.shipped.learning import _kernel
from sklearn_mteval.linguistic.trees.shipped.learning.machine import (
    Action,
    Machine,
    action_arrays,
    slots_of,
)
from sklearn_mteval.linguistic.trees.shipped.learning.templates import (
    CELL_ATTRIBUTES,
    PLACES,
    compile_templates,
)

ARCS = [Action("shift"), *(Action(kind, label) for kind in ("left", "right") for label in "ab")]
PHRASES = [
    Action("shift", ""), Action("shift", "X"), Action("left", "A"), Action("left", "A", True),
    Action("right", "A"), Action("right", "A", True), Action("left", "B", True),
    Action("right", "B"),
]  # fmt: skip
COLUMNS = ["word", "tag"]
# The distance of heads is that of an item on the stack from the one below it.
ATTRIBUTES = [
    *(f"{place}.{column}" for place in PLACES for column in COLUMNS),
    *(
        f"{place}.{name}"
        for place in PLACES
        for name in CELL_ATTRIBUTES
        if name != "dist" or place in ("s0", "s1", "s2")
    ),
]
TEMPLATES = [
    *ATTRIBUTES, "s0.word s1.tag", "s0.tag s1.word", "s1.word s0.tag", "s0.label s0.label",
    "s0.tag q0.word q1.tag s1.rset", "s0.dist s1.size s0lc.tag",
]  # fmt: skip


def drawn(n, actions, rng):
    """A legal derivation, drawn."""
    state, found = State(n), []
    while len(found) < 2 * n - 1:
        found.append(int(rng.choice(state.legal(actions))))
        state = state.after(actions[found[-1]])
    return found


def sentences(sizes, rng, n_values=4):
    """Units, their bounds and their columns as lists."""
    units = rng.integers(0, n_values, size=(sum(sizes), len(COLUMNS))).astype(np.int32)
    bounds = np.cumsum([0, *sizes])
    named = [
        {name: units[start:end, k].tolist() for k, name in enumerate(COLUMNS)}
        for start, end in itertools.pairwise(bounds)
    ]
    return units, bounds, named


def keys_of(units, bounds, derived, templates, actions):
    """The keys of the features of all states of a derivation of each sentence."""
    gold = np.array([k for of_sentence in derived for k in of_sentence], dtype=np.int64)
    gold_bounds = np.cumsum([0, *map(len, derived)])
    features = compile_templates(templates, COLUMNS)
    arrays = action_arrays(actions, False)
    return _kernel.collect_keys(units, bounds, gold, gold_bounds, features, arrays)


@pytest.mark.parametrize("actions", [ARCS, PHRASES], ids=["arcs", "phrases"])
def test_features(actions):
    """Two states have the same key of a template if and only if its plain values are the same."""
    rng = np.random.default_rng(0)
    sizes = [1, 2, 3, *rng.integers(1, 9, size=60), 30]
    units, bounds, named = sentences(sizes, rng)
    derived = [drawn(n, actions, rng) for n in sizes]
    keys = keys_of(units, bounds, derived, TEMPLATES, actions)
    of_states = [
        (state, columns)
        for n, own, columns in zip(sizes, derived, named, strict=True)
        for state in states(n, actions, own)
    ]
    assert len(keys) == len(of_states) and keys.dtype == np.uint32 and (keys > 0).all()
    informative = set()
    all_keys = set()
    for template, column in zip(TEMPLATES, keys.T.tolist(), strict=True):
        plain = [feature(state, template, columns) for state, columns in of_states]
        assert len(set(zip(plain, column, strict=True))) == len(set(plain)) == len(set(column)), (
            template
        )
        if len(set(plain)) > 1:
            informative.add(template)
        assert all_keys.isdisjoint(column), template
        all_keys.update(column)
    seen = {f"{place}.{name}" for place in ("s0", "s1", "s2") for name in CELL_ATTRIBUTES}
    seen |= {f"{place}.{column}" for place in PLACES for column in COLUMNS}
    assert seen <= informative


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("", "one to 4 atoms"),
        ("s0.tag s1.tag s2.tag q0.tag q1.tag", "to 4 atoms"),
        ("s3.tag", r"no atom 's3.tag'"),
        ("s0.colour", r"no atom 's0.colour'"),
        ("s0", r"no atom 's0'"),
        ("s0.tag s0.tag.word", "no atom 's0.tag.word'"),
        ("s0.tag,s1.tag", "no atom"),
    ],
)
def test_templates_that_are_none(template, problem):
    with pytest.raises(ValueError, match=problem):
        compile_templates(["s0.tag", template], COLUMNS)


def test_templates_as_arrays():
    atoms, compiled = compile_templates(["s0.tag", "q0.word s0.tag", "s0.dist"], COLUMNS)
    assert [(PLACES[a], [*COLUMNS, *CELL_ATTRIBUTES][b]) for a, b in atoms] == [
        ("s0", "tag"), ("q0", "word"), ("s0", "dist"),
    ]  # fmt: skip
    assert compiled.tolist() == [[0, -1, -1, -1], [1, 0, -1, -1], [2, -1, -1, -1]]
    atoms, compiled = compile_templates([], COLUMNS)
    assert atoms.shape == (0, 2) and compiled.shape == (0, 4)


SEEN = ["s0.tag", "s0.tag s1.tag", "s0.label q0.word", "s0.lset s0.rset", "s0.dist", "s1.label"]


class Scored:
    """A machine with drawn weights of features, and what it should say of a state."""

    def __init__(self, actions, n, seed, *, tagging=False, most=3):
        rng = np.random.default_rng(seed)
        self.actions, self.n, self.tagging = actions, n, tagging
        self.units, self.bounds, [self.columns] = sentences([n], rng, n_values=3)
        # The states that there are, each with its keys: by derivations that lead to them.
        self.key_of = {}
        if tagging:
            derived = list(itertools.product(range(len(actions)), repeat=n))
        else:
            derived = list(derivations(n, actions))
        self.derived = [list(own) for own in derived]
        units = np.tile(self.units, (len(derived), 1))
        bounds = np.arange(len(derived) + 1) * n
        keys = keys_of(units, bounds, self.derived, SEEN, actions).tolist()
        for own in self.derived:
            for state, of_state in zip(states(n, actions, own), keys[: len(own)], strict=True):
                self.key_of.update(zip(self.features(state), of_state, strict=True))
            keys = keys[len(own) :]
        known = sorted({key for key in self.key_of.values() if rng.random() < 0.7})
        rows = [
            {k: w for k in range(len(actions)) if (w := int(rng.integers(-most, most + 1)))}
            for _ in known
        ]
        self.weights = dict(zip(known, rows, strict=True))
        self.machine = Machine(
            actions, SEEN, COLUMNS, tagging, np.array(known, dtype=np.uint32),
            np.cumsum([0, *map(len, rows)]),
            np.array([k for row in rows for k in row], dtype=np.uint16),
            np.array([w for row in rows for w in row.values()], dtype=np.int8),
        )  # fmt: skip

    def features(self, state):
        return [(template, feature(state, template, self.columns)) for template in SEEN]

    def scores(self, state):
        found = [0.0] * len(self.actions)
        for of_template in self.features(state):
            for k, weight in self.weights.get(self.key_of[of_template], {}).items():
                found[k] += weight
        return found

    def total(self, derivation):
        of_states = states(self.n, self.actions, derivation)
        return sum(self.scores(s)[k] for s, k in zip(of_states, derivation, strict=True))

    def is_orderly(self, derivation):
        of_states = states(self.n, self.actions, derivation)
        return all(
            state.may(self.actions[k]) for state, k in zip(of_states, derivation, strict=True)
        )

    def best(self, beam, n_best):
        derived, [count] = self.machine.predict(self.units, self.bounds, beam=beam, n_best=n_best)
        return derived.reshape(count, -1).tolist()


def softmax(values):
    values = np.exp(np.array(values) - max(values))
    return values / values.sum()


@pytest.mark.parametrize(("actions", "n", "count"), [(ARCS, 3, 32), (ARCS, 4, 320)])
def test_how_many_derivations_there_are(actions, n, count):
    """Binary trees over n words, and four joins at each of n - 1 nodes."""
    assert len(list(derivations(n, actions))) == count


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("actions", "n"), [(ARCS, 1), (ARCS, 4), (PHRASES, 2), (PHRASES, 3)])
def test_a_beam_of_all_states_finds_the_best(actions, n, seed):
    scored = Scored(actions, n, seed)
    # While other states go on, none is kept whose open items fit nothing.
    whole = [own for own in scored.derived if scored.is_orderly(own)]
    assert (len(whole) < len(scored.derived)) == (actions == PHRASES and n == 3)
    totals = sorted(map(scored.total, whole), reverse=True)
    n_best = min(7, len(totals))
    found = scored.best(len(totals) * len(actions), n_best)
    assert [scored.total(own) for own in found] == totals[:n_best]
    assert len(set(map(tuple, found))) == n_best
    assert all(own in whole for own in found)


@pytest.mark.parametrize("beam", [1, 2, 3, 5])
@pytest.mark.parametrize(
    ("actions", "n", "tagging"), [(ARCS, 4, False), (PHRASES, 3, False), (PHRASES[:2], 6, True)]
)
def test_a_small_beam_is_searched_as_by_hand(actions, n, tagging, beam):
    for seed in range(4):
        scored = Scored(actions, n, seed, tagging=tagging)
        expected = beam_search(n, actions, scored.scores, beam, tagging)
        assert scored.best(beam, beam) == [own for _, own in expected]
        assert scored.best(1, beam) == scored.best(beam, beam)  # a beam of n_best at least
        assert scored.best(beam, 1) == [expected[0][1]]


@pytest.mark.parametrize("beam", [1, 2, 8])
def test_open_items_that_fit_nothing_are_joined_anyhow(beam):
    """No action closes a constituent: the last step has no legal action ever."""
    actions = [Action("shift"), Action("left", "A", True), Action("left", "B", True)]
    for n, seed in itertools.product([2, 3, 4, 5], range(3)):
        scored = Scored(actions, n, seed)
        found = scored.best(beam, beam)
        assert found == [own for _, own in beam_search(n, actions, scored.scores, beam)]
        for own in found:
            assert len(own) == 2 * n - 1 and own.count(0) == n
            last = State(n)
            for k in own:
                last = last.after(actions[k])
            assert len(last.stack) == 1 and last.place == n


def test_sentences_do_not_touch_each_other():
    rng = np.random.default_rng(1)
    scored = Scored(ARCS, 4, 5)
    sizes = [3, 0, 4, 1, 2, 0, 4]
    units, bounds, _ = sentences(sizes, rng, n_values=3)
    together, counts = scored.machine.predict(units, bounds, beam=2, n_best=2)
    alone = [
        scored.machine.predict(units[start:end], np.array([0, end - start]), beam=2, n_best=2)
        for start, end in itertools.pairwise(bounds)
    ]
    assert together.tolist() == [k for derived, _ in alone for k in derived]
    assert counts.tolist() == [count for _, [count] in alone]
    assert [bool(count) for count in counts] == [bool(n) for n in sizes]


def likelihoods(scored, derived, temperature=1.0):
    scored.machine.temperature = temperature
    flat = np.array([k for own in derived for k in own])
    bounds = np.cumsum([0, *map(len, derived)])
    of = np.zeros(len(derived), dtype=np.int64)
    return scored.machine.log_likelihoods(scored.units, scored.bounds, flat, bounds, of)


@pytest.mark.parametrize("temperature", [1.0, 0.3, 20.0])
@pytest.mark.parametrize(
    ("actions", "n"),
    [(ARCS, 1), (ARCS, 4), (PHRASES, 3), ([Action("shift"), Action("left", "A", True)], 4)],
)
def test_probabilities_of_all_derivations_sum_to_one(actions, n, temperature):
    scored = Scored(actions, n, 3)
    found = likelihoods(scored, scored.derived, temperature)
    assert np.exp(found).sum() == pytest.approx(1, abs=1e-9)
    for own, given in list(zip(scored.derived, found, strict=True))[::7]:
        expected = 0
        for state, k in zip(states(n, actions, own), own, strict=True):
            legal = state.legal(actions)
            scores = [scored.scores(state)[j] / temperature for j in legal]
            expected += np.log(softmax(scores)[legal.index(k)])
        assert given == pytest.approx(expected, abs=1e-9)


def test_probabilities_of_tags():
    scored = Scored(PHRASES[:2], 4, 2, tagging=True)
    found = likelihoods(scored, scored.derived)
    assert len(found) == 16 and np.exp(found).sum() == pytest.approx(1, abs=1e-9)


def test_keys_that_share_a_slot():
    """All keys end alike, so that each is looked for behind the others."""
    rng = np.random.default_rng(4)
    keys = np.array([(k << 8) + 1 for k in range(1, 60)], dtype=np.uint32)
    sizes = rng.integers(0, 256, size=len(keys))
    starts = np.cumsum([0, *sizes])[:-1]
    slots = np.zeros((128, 2), dtype=np.uint32)
    _kernel.fill_slots(keys, starts, sizes, slots)
    found = {int(key): (int(packed) >> 8, int(packed) & 255) for key, packed in slots if key}
    assert found == {
        int(key): (start, size)
        for key, start, size in zip(keys, starts.tolist(), sizes.tolist(), strict=True)
    }


def test_more_weights_than_a_slot_can_point_at():
    keys, sizes = np.array([1, 2], dtype=np.uint32), np.ones(2, dtype=np.int64)
    assert slots_of(keys, np.array([0, 2**24 - 1]), sizes)[2].tolist() == [
        2,
        ((2**24 - 1) << 8) + 1,
    ]
    with pytest.raises(ValueError, match=r"at most 2\^24"):
        slots_of(keys, np.array([0, 2**24]), sizes)


def test_a_stack_of_labels_is_counted_in_sets():
    counts = defaultdict(set)
    n = 5
    units = np.zeros((n, 2), dtype=np.int32)
    for own in derivations(n, ARCS[:3]):
        keys = keys_of(units, np.array([0, n]), [own], ["s0.rset"], ARCS[:3])[:, 0]
        for state, key in zip(states(n, ARCS[:3], own), keys.tolist(), strict=True):
            right = state.stack[-1].right if state.stack else []
            counts[tuple(label for label, _ in right)].add(key)
    assert len(counts) == 1 + 2 + 4 + 8  # sequences of up to three labels, before the last join
    assert all(len(keys) == 1 for keys in counts.values())
