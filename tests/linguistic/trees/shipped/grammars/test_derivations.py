"""Trees as actions: every gold tree is rebuilt, by legal actions only; printed trees."""

import re
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from discourse_trees import discourse_tree
from hypothesis import assume, given
from hypothesis import strategies as st
from machine_by_loops import State
from nltk import Tree

from sklearn_mteval.linguistic.trees.shipped.grammars.constituency import (
    constituency_derivation,
    constituent_spans,
)
from sklearn_mteval.linguistic.trees.shipped.grammars.dependency import (
    built_dependencies,
    dependency_derivation,
    projective_heads,
    supertags,
)
from sklearn_mteval.linguistic.trees.shipped.grammars.discourse import (
    discourse_derivation,
    discourse_spans,
    merges_of,
)
from sklearn_mteval.linguistic.trees.shipped.learning.machine import Action
from sklearn_mteval.linguistic.trees.shipped.printing import bracket_line
from sklearn_mteval.linguistic.trees.treebanks.conllu import conllu_sentences
from sklearn_mteval.linguistic.trees.treebanks.corpus import document_names, read_document
from sklearn_mteval.linguistic.trees.treebanks.dependency import dependency_tree
from sklearn_mteval.linguistic.trees.treebanks.discourse import DiscourseMerge
from sklearn_mteval.trees import dependencies, read_brackets

QUICK = 3  # documents


def documents(data_dir, every):
    names = document_names(data_dir / "gum")
    assert len(names) == 108
    for name in names if every else names[:: len(names) // QUICK][:QUICK]:
        yield read_document(data_dir / "gum", name)


every = pytest.mark.parametrize(
    "every", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["three", "all"]
)


def check_legal(actions, n):
    """Each action may follow on those before it, by the rules of the machine in plain Python."""
    state = State(n)
    for action in actions:
        assert state.may(action), (action, actions)
        state = state.after(action)
    assert state.place == n and len(state.stack) == min(n, 1)
    assert len(actions) == max(2 * n - 1, 0)


# Dependencies


def is_projective(heads):
    """No two arcs cross, nor an arc the root."""
    arcs = [(min(k, head), max(k, head)) for k, head in enumerate(heads)]  # the root's from -1
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


def rebuilt(actions):
    """Heads and relations, with a stack of words."""
    n = sum(action.kind == "shift" for action in actions)
    heads, relations, stack, place = [-1] * n, ["root"] * n, [], 0
    for action in actions:
        if action.kind == "shift":
            stack.append(place)
            place += 1
            continue
        two, one = stack.pop(), stack.pop()
        head, dependent = (one, two) if action.kind == "left" else (two, one)
        heads[dependent], relations[dependent] = head, action.label
        stack.append(head)
    return heads, relations


@st.composite
def any_heads(draw, most=9):
    """Heads of a tree, mostly not projective."""
    n = draw(st.integers(1, most))
    order = draw(st.permutations(range(n)))
    heads = [-1] * n
    for k in range(1, n):
        heads[order[k]] = order[draw(st.integers(0, k - 1))]
    return heads


def check_dependencies(heads, relations):
    lifted = projective_heads(heads)
    assert is_projective(lifted)
    assert (lifted == list(heads)) == is_projective(heads)
    assert [k for k, head in enumerate(lifted) if head < 0] == [
        k for k, head in enumerate(heads) if head < 0
    ]
    for k, head in enumerate(heads):  # lifted: to one that was above it before
        above = [head]
        while above[-1] >= 0:
            above.append(heads[above[-1]])
        assert lifted[k] in above
    actions = dependency_derivation(lifted, relations)
    check_legal(actions, len(heads))
    found, labels = rebuilt(actions)
    assert found == lifted
    assert all(a == b for a, b, head in zip(labels, relations, lifted, strict=True) if head >= 0)
    return lifted, actions


@given(any_heads())
def test_any_dependency_tree(heads):
    check_dependencies(heads, [f"r{k}" for k in range(len(heads))])


@every
def test_dependencies_of_a_treebank(data_dir, every):
    n_projective = n = 0
    for document in documents(data_dir, every):
        for sentence in document.sentences:
            heads = [head - 1 for head in sentence.heads]
            lifted, _ = check_dependencies(heads, sentence.relations)
            n, n_projective = n + 1, n_projective + (lifted == heads)
    assert 0.9 * n < n_projective < n


def test_words_are_joined_as_soon_as_they_can_be():
    heads = [1, -1, 3, 1, 1]  # He saw a cat .
    actions = dependency_derivation(heads, ["nsubj", "root", "det", "obj", "punct"])
    assert " ".join(f"{kind[0]}{label}" for kind, label, _ in actions) == (
        "s s rnsubj s s rdet lobj s lpunct"
    )


@pytest.mark.parametrize(
    ("heads", "lifted"),
    [
        ([2, 3, -1, 2], [2, 2, -1, 2]),  # 1 → 3 crosses 0 → 2 and the root's arc
        ([-1, 3, 0, 0], [-1, 0, 0, 0]),  # 1 → 3 over 2; 2 → 0 is over what depends on 0
        ([-1, 0, 0, 1], [-1, 0, 0, 0]),  # 3 → 1 over 2 → 0
    ],
)
def test_lifting_by_hand(heads, lifted):
    assert is_projective(lifted)
    assert projective_heads(heads) == lifted


@given(any_heads())
def test_dependencies_read_from_derivations(heads):
    heads = projective_heads(heads)
    relations = ["root" if head < 0 else "abc"[k % 3] for k, head in enumerate(heads)]
    found, labels, spans = built_dependencies(dependency_derivation(heads, relations))
    assert found == heads and labels == relations
    below = [{k} for k in range(len(heads))]  # each word, and all that depends on it
    for k in range(len(heads)):
        above = k
        while above >= 0:
            below[above].add(k)
            above = heads[above]
    expected = [(min(own), max(own) + 1, relations[k]) for k, own in enumerate(below)]
    assert Counter(spans) == Counter(expected)
    for k, (start, end, _) in enumerate(spans):  # parts before wholes
        assert not any(a <= start and end <= b and (a, b) != (start, end) for a, b, _ in spans[:k])


@given(any_heads(), st.data())
def test_dependencies_are_printed_as_trees_are(heads, data):
    heads = projective_heads(heads)
    label = st.sampled_from(["nsubj", "acl:relcl", "x y", "(", "é"])
    relations = data.draw(st.lists(label, min_size=len(heads), max_size=len(heads)))
    relations[heads.index(-1)] = "root"  # as the machine has it, which does not label it
    words = data.draw(
        st.lists(
            st.text(st.sampled_from("a-LRB()[é\u200b"), min_size=1),
            min_size=len(heads),
            max_size=len(heads),
        )
    )
    tags = data.draw(
        st.lists(st.sampled_from(["NN", "$(", "."]), min_size=len(heads), max_size=len(heads))
    )
    _, _, spans = built_dependencies(dependency_derivation(heads, relations))
    line = bracket_line(words, tags, spans)
    tree = dependency_tree(words, tags, [head + 1 for head in heads], relations)
    assert line == str(tree)
    assert dependencies(read_brackets(line)[0])[0] == tuple(words)


@pytest.mark.parametrize(
    ("heads", "relations", "expected"),
    [
        ([1, -1, 3, 1, 1], "nsubj root det obj punct", "nsubj> root0LR det> obj<L punct<"),
        ([-1], "root", "root0"),
        ([-1, 0, 1], "root a b", "root0R a<R b<"),
        ([1, 2, -1], "a b root", "a> b>L root0L"),
        ([], "", ""),
    ],
)
def test_supertags(heads, relations, expected):
    assert supertags(heads, relations.split()) == expected.split()


# Constituents


def plain_spans(tree):
    """Constituents by nltk's reading: (start, end, label), no ROOT, none under its like alone."""
    found, place = Counter(), 0

    def walk(node, above):
        nonlocal place
        if not isinstance(node[0], Tree):
            place += 1
            return
        label = re.split("[-=|]", node.label())[0]
        start = place
        for child in node:
            walk(child, label if len(node) == 1 else None)
        if label != "ROOT" and above != label:
            found[start, place, label] += 1

    walk(Tree.fromstring(str(tree)), None)
    return found


def check_constituents(tree):
    words = tree.tagged_words()
    actions = constituency_derivation(tree)
    check_legal(actions, len(words))
    spans = constituent_spans(actions)
    assert Counter(spans) == plain_spans(tree)
    for k, (start, end, _) in enumerate(spans):  # parts before wholes
        assert not any(a <= start and end <= b and (a, b) != (start, end) for a, b, _ in spans[:k])
    line = bracket_line(
        [word for _, word in words], [tag for tag, _ in words], [*spans, (0, len(words), "ROOT")]
    )
    assert plain_spans(line) == plain_spans(tree)
    return line


@every
def test_constituents_of_a_treebank(data_dir, every):
    n = 0
    for document in documents(data_dir, every):
        for tree in document.constituents:
            check_constituents(tree)
            n += 1
    assert n > 100


LABELS = ["S", "NP", "VP", "NP-SBJ", "PP=2", "SBAR", "FRAG", "NP|X", "NAC", "QP", "PRN"]
TAGS = ["DT", "NN", "VBZ", ".", "IN", "-LRB-", "POS", "CD", "``"]
LEAVES = st.builds("({} {})".format, st.sampled_from(TAGS), st.sampled_from(["a", "b", "-LRB-"]))


def node(children):
    return st.builds(
        lambda label, parts: f"({label} {' '.join(parts)})",
        st.sampled_from(LABELS),
        st.lists(children, min_size=1, max_size=4),
    )


TREES = st.recursive(LEAVES, node, max_leaves=12)


@given(TREES)
def test_any_constituency_tree(text):
    [tree] = read_brackets(f"(ROOT {text})")
    check_constituents(tree)


@given(st.lists(TREES, min_size=1, max_size=4))
def test_roots_of_several_children(texts):
    [tree] = read_brackets(f"(ROOT {' '.join(texts)})")
    check_constituents(tree)


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("(ROOT (NN a))", "s"),
        ("(ROOT (FRAG (NP-SBJ (NN a))))", "sFRAG+NP"),
        ("(ROOT (NP (NP (NN a))))", "sNP"),
        ("(S (NP (DT a) (NN b)) (VP (VBZ c)))", "s s rNP sVP rS"),
        ("(S (S (NP (NNP a)) (VP (VBZ b) (NP (NN c)) (PP (IN d)))))",
         "sNP s sNP lVP* sPP lVP rS"),
        ("(ROOT (NP (DT a) (JJ b) (NN c) (PP (IN d))))", "s s s sPP lNP* rNP* rNP"),
        ("(ROOT (X (SYM a) (. b)))", "s s lX"),
    ],
)  # fmt: skip
def test_constituents_by_hand(text, actions):
    [tree] = read_brackets(text)
    found = constituency_derivation(tree)
    assert [f"{kind[0]}{label}{'*' * is_open}" for kind, label, is_open in found] == actions.split()


def test_a_deep_tree():
    """Deeper than Python's recursion goes."""
    depth = 5000
    [tree] = read_brackets("(S (X a) " * depth + "(X b)" + ")" * depth)
    assert len(constituent_spans(constituency_derivation(tree))) == depth
    [tree] = read_brackets("(S (NP " * depth + "(X b)" + "))" * depth)
    assert len(constituent_spans(constituency_derivation(tree))) == 2 * depth


# Discourse


@st.composite
def merges(draw, relations=("elaboration", "same-unit", "a:b")):
    """A binary tree over some EDUs, parts before wholes, left before right."""
    n = draw(st.integers(1, 8))

    def over(start, end):
        if end - start < 2:
            return []
        split = draw(st.integers(start + 1, end - 1))
        own = draw(st.sampled_from(["NS", "SN", "NN"])), draw(st.sampled_from(relations))
        return [*over(start, split), *over(split, end), DiscourseMerge(start, split, end, *own)]

    return n, over(0, n)


def check_discourse(n, given):
    actions = discourse_derivation(n, given)
    check_legal(actions, n)
    found = merges_of(actions)
    assert sorted(found) == sorted(given)
    for k, whole in enumerate(found):
        for part in found[k + 1 :]:
            assert not (whole.start <= part.start and part.end <= whole.end)
    return actions


@given(merges(), st.randoms())
def test_any_discourse_tree(drawn, random):
    n, given = drawn
    random.shuffle(given)
    actions = check_discourse(n, given)
    sizes = [random.randint(1, 3) for _ in range(n)]
    cuts = np.cumsum([0, *sizes]).tolist()
    words = [f"w{k}" for k in range(cuts[-1])]
    line = bracket_line(words, ["X"] * len(words), discourse_spans(actions, cuts))
    assume(n > 1)
    edus = [read_brackets(" ".join(f"(X {w})" for w in words[a:b])) for a, b in pairwise(cuts)]
    assert line == str(discourse_tree(edus, given))


def test_one_edu_is_a_nucleus():
    line = bracket_line(["a", "b"], ["X", "X"], discourse_spans([Action("shift")], [0, 2]))
    assert line == "(EDU:NUCLEUS (X a) (X b))"


@every
def test_discourse_of_a_treebank(data_dir, every):
    n = 0
    for document in documents(data_dir, every):
        for found in document.discourse:
            check_discourse(len(found.lengths), found.merges)
            n += len(found.merges)
    assert n > 50


def test_no_words():
    assert bracket_line([], [], []) == "()"
    assert built_dependencies([])[:2] == ([], [])


def test_sentences_are_those_of_the_dependency_file(data_dir):
    [document] = list(documents(data_dir, False))[:1]
    path = data_dir / "gum" / "dep" / f"{document.name}.conllu"
    assert document.sentences == list(conllu_sentences(path))
