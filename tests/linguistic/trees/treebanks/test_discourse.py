import pytest
from discourse_trees import discourse_tree
from hypothesis import given
from hypothesis import strategies as st

from sklearn_mteval.linguistic.trees.treebanks.conllu import conllu_sentences
from sklearn_mteval.linguistic.trees.treebanks.discourse import (
    DiscourseMerge,
    discourse_merges,
    sentence_discourse,
)
from sklearn_mteval.trees import BracketTree, read_brackets, read_penn, read_rst

# A list of three, one of them with a purpose; a unit that an attribute interrupts.
DOCUMENT = (
    "(Root (Nucleus:span (Nucleus:joint-list He sings ,) (Nucleus:joint-list dances) "
    "(Nucleus:joint-list (Nucleus:span and works) (Satellite:purpose-goal to live .))) "
    "(Satellite:elaboration-additional (Nucleus:same-unit (Nucleus:span Songs) "
    "(Satellite:elaboration-attribute -LRB- he wrote -RRB-)) (Nucleus:same-unit sell .)))"
)
PURPOSE = (2, 3, 4, "NS", "purpose")
JOINT = [(1, 2, 4, "NN", "joint"), (0, 1, 4, "NN", "joint")]
UNIT = [(0, 1, 2, "NS", "elaboration"), (0, 2, 3, "NN", "same-unit")]
SENTENCES = ["He sings , dances and works to live .", "Songs -LRB- he wrote -RRB- sell ."]


def tree_of(text):
    [tree] = read_brackets(text)
    return tree


def split(sentences):
    return [sentence.split() for sentence in sentences]


def test_a_document_by_hand():
    expected = [
        PURPOSE,
        *JOINT,
        (4, 5, 6, "NS", "elaboration"),
        (4, 6, 7, "NN", "same-unit"),
        (0, 4, 7, "NS", "elaboration"),
    ]
    assert discourse_merges(tree_of(DOCUMENT)) == expected


def test_sentences_by_hand():
    first, second = sentence_discourse(tree_of(DOCUMENT), split(SENTENCES))
    assert first == ((3, 1, 2, 3), (PURPOSE, *JOINT), True)
    assert second == ((1, 4, 2), tuple(UNIT), True)


def test_trees_by_hand():
    edus = [[tree_of("(NP (PRP He))"), tree_of("(V sings)")], ["(", "x"], ["and works"], ["y"]]
    assert str(discourse_tree(edus, [DiscourseMerge(*m) for m in (*JOINT, PURPOSE)])) == (
        "(DIS:joint (EDU:NUCLEUS (NP (PRP He)) (V sings)) (DIS:joint (EDU:NUCLEUS -LRB- x) "
        "(DIS:purpose (EDU:NUCLEUS and-U+0020-works) (EDU:SATELLITE y))))"
    )
    backwards = DiscourseMerge(0, 1, 2, "SN", "attribution")
    assert str(discourse_tree(["a", "b"], [backwards])) == (
        "(DIS:attribution (EDU:SATELLITE a) (EDU:NUCLEUS b))"
    )
    assert str(discourse_tree(["ab"], [])) == "(EDU:NUCLEUS a b)"
    assert discourse_tree([], []) == BracketTree(("",), (-1,))


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        # Satellites keep their relations: the nearer first, right ones before left ones.
        (
            "(Satellite:a w) (Satellite:b w) (Nucleus:span w) (Satellite:c w) (Satellite:d w)",
            [
                (2, 3, 4, "NS", "c"),
                (2, 4, 5, "NS", "d"),
                (1, 2, 5, "SN", "b"),
                (0, 1, 5, "SN", "a"),
            ],
        ),
        # One between nuclei belongs to the nucleus before it, one behind the last to all.
        (
            "(Nucleus:list w) (Satellite:a w) (Nucleus:list w) (Satellite:b w)",
            [(0, 1, 2, "NS", "a"), (0, 2, 3, "NN", "list"), (0, 3, 4, "NS", "b")],
        ),
        ("(Nucleus:span w) (Nucleus:list-x w)", [(0, 1, 2, "NN", "list")]),
        ("(Nucleus:span w)", []),
        ("(Nucleus:span (Nucleus:span (Nucleus:x w) (Nucleus:x w)))", [(0, 1, 2, "NN", "x")]),
        ("(Nucleus:Same-Unit w) (Nucleus:Same-Unit w)", [(0, 1, 2, "NN", "Same-Unit")]),
        ("(Nucleus:-x w) (Nucleus:-x w)", [(0, 1, 2, "NN", "-x")]),
    ],
)
def test_nodes_of_other_treebanks(parts, expected):
    assert discourse_merges(tree_of(f"(Root {parts})")) == expected


def test_incomplete_sentences():
    tree = tree_of(
        "(Root (Nucleus:span a) (Satellite:x (Nucleus:span (Nucleus:y b) (Nucleus:y c)) "
        "(Satellite:z d)))"
    )
    assert sentence_discourse(tree, split(["a b", "c d"])) == [
        ((1, 1), ((0, 1, 2, "NS", "x"),), False),
        ((1, 1), ((0, 1, 2, "NS", "z"),), False),
    ]


def test_edus_over_boundaries_are_cut():
    tree = tree_of("(Root (Nucleus:span a b) (Satellite:x c d))")
    found = sentence_discourse(tree, split(["a", "b c", "", "d"]))
    assert found == [
        ((1,), (), False),
        ((1, 1), ((0, 1, 2, "NS", "x"),), False),
        ((), (), True),
        ((1,), (), False),
    ]


def test_other_tokens():
    tree = tree_of("(Root (Nucleus:span do n't -LSB-) (Satellite:x - d) (Satellite:y e))")
    found = sentence_discourse(tree, [["don't", "[-", "d e"]])
    # The second EDU begins inside a token of the first, the third inside one of the second.
    assert found == [((2, 1), ((0, 1, 2, "NS", "x"),), False)]


@pytest.mark.parametrize(
    ("sentences", "problem"),
    [
        (["a b"], "behind 'ab' expected 'c', found ''"),
        (["a b", "c d"], "expected '', found 'd'"),
        (["a b", "x"], "expected 'c', found 'x'"),
        ([], "expected 'abc', found ''"),
    ],
)
def test_another_text(sentences, problem):
    with pytest.raises(ValueError, match=problem):
        sentence_discourse(tree_of("(Root (Nucleus:x a b) (Nucleus:x c))"), split(sentences))


def test_bad_arguments():
    tree = tree_of("(Root (Nucleus:x a b) (Nucleus:x c))")
    with pytest.raises(ValueError, match="sentence 2 has a token without a character"):
        sentence_discourse(tree, [["a", "b"], ["c", " "]])


# An oracle by recursion: a node is (left, right, nuclearity, relation), an EDU its text.
RELATIONS = st.sampled_from(["x", "y", "same-unit"])
NODES = st.recursive(
    st.text("ab", min_size=1, max_size=3),
    lambda parts: st.tuples(parts, parts, st.sampled_from(["NS", "SN", "NN"]), RELATIONS),
    max_leaves=9,
)


def printed(node, label="Root"):
    if isinstance(node, str):
        return f"({label} {' '.join(node)})"
    left, right, nuclearity, relation = node
    of_nucleus = relation if nuclearity == "NN" else "span"
    labels = {"S": f"Satellite:{relation}", "N": f"Nucleus:{of_nucleus}"}
    labels = [labels[role] for role in nuclearity]
    return f"({label} {printed(left, labels[0])} {printed(right, labels[1])})"


def leaves(node):
    return [node] if isinstance(node, str) else leaves(node[0]) + leaves(node[1])


def pruned(node, keep, start=0):
    """What is left of a node when only some EDUs are kept, which are numbers then; or None."""
    if isinstance(node, str):
        return start if start in keep else None
    left = pruned(node[0], keep, start)
    right = pruned(node[1], keep, start + len(leaves(node[0])))
    if left is None or right is None:
        return right if left is None else left
    return (left, right, *node[2:])


def merges_of(node, number_of):
    """Postorder, and the numbers of the first EDU and the one behind the last."""
    if isinstance(node, int):
        return [], number_of[node], number_of[node] + 1
    left, start, split_at = merges_of(node[0], number_of)
    right, _, end = merges_of(node[1], number_of)
    return [*left, *right, (start, split_at, end, *node[2:])], start, end


def spans(node, start=0):
    """Characters of all subtrees."""
    length = len("".join(leaves(node)))
    found = {(start, start + length)}
    if not isinstance(node, str):
        middle = len("".join(leaves(node[0])))
        found |= spans(node[0], start) | spans(node[1], start + middle)
    return found


@given(NODES, st.data())
def test_sentences_against_recursion(node, data):
    text = "".join(leaves(node))
    edu_of = [k for k, edu in enumerate(leaves(node)) for _ in edu]
    cut = st.lists(st.sampled_from(["", " ", "\n"]), min_size=len(text), max_size=len(text))
    marks = data.draw(cut)
    lines = "".join(map("".join, zip(text, marks, strict=True))).split("\n")
    sentences = [line.split() for line in lines]
    tree = tree_of(printed(node))
    assert discourse_merges(tree) == merges_of(pruned(node, range(99)), list(range(99)))[0]
    position = 0
    for tokens, found in zip(sentences, sentence_discourse(tree, sentences), strict=True):
        start, owners = position, []
        for token in tokens:
            owners.append(edu_of[position])
            position += len(token)
        own = sorted(set(owners))
        assert found.lengths == tuple(map(owners.count, own))
        number_of = {edu: number for number, edu in enumerate(own)}
        merges = merges_of(pruned(node, own), number_of)[0] if own else []
        assert list(found.merges) == merges
        whole = not own or (
            (start, position) in spans(node) and set(own) == set(edu_of[start:position])
        )
        assert found.complete == whole
        printed_tree = discourse_tree(["w"] * len(own), found.merges)
        assert read_brackets(str(printed_tree)) == [printed_tree]


@pytest.mark.slow
def test_gum(data_dir):
    """Tokens of both treebanks give the same; the counts were made by another program, once."""
    n_many = n_complete = n_edus = 0
    for path in sorted((data_dir / "gum" / "rst").glob("*.dis")):
        tree = read_rst(path)
        words = [
            s.words for s in conllu_sentences(data_dir / "gum" / "dep" / f"{path.stem}.conllu")
        ]
        found = sentence_discourse(tree, words)
        trees = read_penn(data_dir / "gum" / "const" / f"{path.stem}.ptb")
        leaves_of = [[t.labels[k] for k, b in enumerate(t.children) if not b] for t in trees]
        assert sentence_discourse(tree, leaves_of) == found
        for tokens, of_sentence in zip(words, found, strict=True):
            assert sum(of_sentence.lengths) == len(tokens)
            n_edus += len(of_sentence.lengths)
            n_many += len(of_sentence.lengths) > 1
            n_complete += len(of_sentence.lengths) > 1 and of_sentence.complete
    assert (n_edus, n_many, n_complete) == (11581, 2889, 2636)
