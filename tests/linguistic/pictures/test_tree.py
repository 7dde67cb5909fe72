"""Trees that are drawn: nothing overlaps, and what matches is marked."""

import warnings
from itertools import combinations, pairwise

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot as plt
from stand_in_parser import stand_in  # noqa: F401

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.linguistic.trees.treebanks.dependency import dependency_tree
from sklearn_mteval.plots import TreeDisplay
from sklearn_mteval.trees import BracketTree, read_brackets

SHORT = "(S (NP (DT The) (NN cat)) (VP (VBZ sleeps) (PP (IN on) (NP (NN it)))) (. .))"
DEPENDENCIES = (
    "(root (nsubj (det (DT The)) (NN cat)) (VBZ sleeps) (obl (case (IN on)) (NN it)) (punct (. .)))"
)
# Figure 1 of the 2014 paper.
HYPOTHESIS = (
    "(DIS:elaboration"
    " (EDU:NUCLEUS (VP (RB not) (TO to) (VB give)) (NP (PRP them)) (NP (DT the) (NN time)))"
    " (EDU:SATELLITE (VP (TO to) (VB think)) (o (. .)) (o ('' ''))))"
)
REFERENCE = (
    "(DIS:elaboration"
    " (EDU:NUCLEUS (VP (TO To) (`` ``) (VB GIVE)) (NP (PRP them)) (NP (DT no) (NN time)))"
    " (EDU:SATELLITE (VP (TO to) (VB think)) (o (. .)) (o ('' ''))))"
)
WORDS = ["a", "I", "cats", "(", "internationalisation", ".", ",", "W" * 12, "日本", "-", "été"]
LABELS = ["S", "NP", "VP", "EDU:NUCLEUS", "DIS:elaboration", "NNP", "X", "SBAR-NOM=2"]


def random_tree(seed, n_words=12):
    """Join random neighbours until one node is left."""
    rng = np.random.default_rng(seed)
    escapes = {"(": "-LRB-"}
    words = [escapes.get(word, word) for word in rng.choice(WORDS, n_words)]
    nodes = [f"({rng.choice(LABELS)} {word})" if rng.random() < 0.9 else word for word in words]
    while len(nodes) > 1 or nodes[0][0] != "(" or rng.random() < 0.2:
        width = int(rng.integers(1, 4))
        start = int(rng.integers(max(1, len(nodes) - width + 1)))
        nodes[start : start + width] = [
            f"({rng.choice(LABELS)} {' '.join(nodes[start : start + width])})"
        ]
    return nodes[0]


def random_dependencies(seed, n_words=12):
    """Attach each word to one before it in a random order, projectively or not."""
    rng = np.random.default_rng(seed)
    words = rng.choice([word for word in WORDS if word != "("], n_words).tolist()
    order = rng.permutation(n_words) if seed % 2 else np.arange(n_words)
    heads = [0] * n_words
    for k in range(1, n_words):
        near = order[k - 1] if rng.random() < 0.7 else order[rng.integers(k)]
        heads[order[k]] = int(near) + 1
    relations = rng.choice(["det", "nsubj", "compound:prt", "x"], n_words).tolist()
    return str(dependency_tree(words, ["NN"] * n_words, heads, relations))


def boxes_of(display):
    """The boxes of all labels, titles too, as they are drawn: left, bottom, right, top."""
    display.figure_.canvas.draw()
    return [text.get_window_extent() for text in display.ax_.texts if text.get_text()]


def assert_apart(boxes, slack=0):
    for one, other in combinations(boxes, 2):
        across = min(one.x1, other.x1) - max(one.x0, other.x0)
        up = min(one.y1, other.y1) - max(one.y0, other.y0)
        assert across <= slack or up <= slack, (one, other)


def draw_quietly(tree, *arguments, arcs=False, **options):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        display = TreeDisplay(tree, *arguments, arcs=arcs).plot(**options)
        display.figure_.canvas.draw()
    return display


@pytest.mark.parametrize("orientation", ["down", "right"])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("fontsize", [5, 10, 23])
@pytest.mark.filterwarnings("ignore:Glyph .* missing from font")
def test_labels_and_edges_do_not_overlap(seed, orientation, fontsize):
    trees = random_tree(seed), random_tree(seed + 100)
    display = draw_quietly(*trees, fontsize=fontsize, orientation=orientation)
    boxes = boxes_of(display)
    assert len(boxes) == sum(len(read_brackets(tree)[0].labels) for tree in trees) + 2
    assert_apart(boxes)
    sizes = {text.get_fontsize() / fontsize for text in display.ax_.texts}
    assert sizes <= {1.0, 0.85, 1.1}
    to_pixels = display.ax_.transData.transform
    for edges in display.edges_:
        for segment in edges.get_segments():
            corners = to_pixels(segment)
            for start, end in pairwise(corners):
                for x, y in np.linspace(start, end, 30):
                    inside = [b for b in boxes if b.x0 < x < b.x1 and b.y0 < y < b.y1]
                    assert not inside, (x, y, inside)


@pytest.mark.parametrize("orientation", ["down", "right"])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("fontsize", [5, 10, 23])
@pytest.mark.filterwarnings("ignore:Glyph .* missing from font")
def test_labels_of_arcs_do_not_overlap(seed, orientation, fontsize):
    tree = random_dependencies(seed)
    display = draw_quietly(tree, arcs=True, fontsize=fontsize, orientation=orientation)
    boxes = boxes_of(display)
    assert len(boxes) == 3 * 12
    assert_apart(boxes)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.filterwarnings("ignore:Glyph .* missing from font")
def test_words_stand_in_order_on_one_line_and_parents_above_their_children(seed):
    given = random_tree(seed)
    [tree] = read_brackets(given)
    display = draw_quietly(given, orientation="down")
    at = [text.get_position() for text in display.texts_[0]]
    leaves = [node for node, children in enumerate(tree.children) if not children]
    assert len({at[leaf][1] for leaf in leaves}) == 1
    assert np.all(np.diff([at[leaf][0] for leaf in leaves]) > 0)
    for node, children in enumerate(tree.children):
        if children:
            assert all(at[node][1] > at[child][1] for child in children)
    across = draw_quietly(given, orientation="right")
    at = [text.get_position() for text in across.texts_[0]]
    assert len({at[leaf][0] for leaf in leaves}) == 1
    assert np.all(np.diff([at[leaf][1] for leaf in leaves]) < 0)


def test_a_parent_is_centred_above_its_children():
    display = TreeDisplay(SHORT).plot(orientation="down")
    x = {text.get_text(): text.get_position()[0] for text in display.texts_[0]}
    assert x["VP"] == pytest.approx((x["VBZ"] + x["PP"]) / 2)
    assert x["VBZ"] == pytest.approx(x["sleeps"])


def marked_labels(display, k):
    return [
        text.get_text() for text, marked in zip(display.texts_[k], display.marked_[k], strict=True)
        if marked
    ]  # fmt: skip


def test_figure_1_of_the_2014_paper():
    """What has -REL in it, from left to right within a row, from the words up."""
    display = TreeDisplay(HYPOTHESIS, REFERENCE).plot()
    tags = ["TO", "to", "VB", "give", "NP", "PRP", "them", "NN", "time"]
    satellite = ["EDU:SATELLITE", "VP", "TO", "to", "VB", "think", "o", ".", ".", "o", "''", "''"]
    assert marked_labels(display, 0) == [*tags, *satellite]
    tags[1], tags[3] = "To", "GIVE"
    assert marked_labels(display, 1) == [*tags, *satellite]
    for k in (0, 1):
        for text, marked in zip(display.texts_[k], display.marked_[k], strict=True):
            assert (text.get_weight() == "bold") == marked
            assert (text.get_color() == "#0072B2") == marked
        plain, thick = display.edges_[2 * k : 2 * k + 2]
        assert thick.get_linewidths()[0] > 2 * plain.get_linewidths()[0]
        # All nodes but the root and the ten words below their tags have an edge above them.
        n_edges = len(plain.get_segments()) + len(thick.get_segments())
        assert n_edges == len(display.texts_[k]) - 11


def brute_marks(tree, other):
    """What the docstring says, by recursion."""

    def words(node):
        children = tree.children[node]
        return [node] if not children else [leaf for c in children for leaf in words(c)]

    known = {
        label.lower()
        for label, below in zip(other.labels, other.children, strict=True)
        if not below
    }
    return tuple(
        all(tree.labels[leaf].lower() in known for leaf in words(node))
        for node in range(len(tree.labels))
    )


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.filterwarnings("ignore:Glyph .* missing from font")
def test_marks_by_brute_force(seed):
    first, second = (read_brackets(random_tree(s, 7))[0] for s in (seed, seed + 50))
    display = draw_quietly(first, second)
    assert display.marked_ == [brute_marks(first, second), brute_marks(second, first)]


def test_one_tree_has_no_marks_and_no_title():
    display = TreeDisplay(SHORT).plot()
    assert display.marked_ == [(False,) * 17]
    assert len(display.ax_.texts) == 17
    assert display.edges_[1].get_segments() == []


def sides(display):
    """Boxes around the two trees."""
    display.figure_.canvas.draw()
    return [
        matplotlib.transforms.Bbox.union([text.get_window_extent() for text in texts])
        for texts in display.texts_
    ]


def test_two_trees_beside_each_other_or_where_wide_one_below_the_other():
    left, right = sides(TreeDisplay(SHORT, SHORT).plot())
    assert left.x1 < right.x0 and left.y0 == right.y0
    long = "(S " + " ".join(["(NN word)"] * 18) + ")"
    upper, lower = sides(TreeDisplay(long, long).plot())
    assert upper.y0 > lower.y1 and upper.x0 == lower.x0
    longer = "(S " + " ".join(["(NN word)"] * 40) + ")"
    left, right = sides(TreeDisplay(longer, SHORT).plot())  # words below each other in both
    assert left.x1 < right.x0 and left.height > left.width
    names = [
        text.get_text() for text in TreeDisplay(SHORT, SHORT, names=("a", "b")).plot().ax_.texts
    ]
    assert names[17] == "a" and names[-1] == "b"


def test_long_sentences_fit_on_a_page():
    words = 45
    long = "(S " + " ".join(["(NP (DT the) (NN house))"] * (words // 2)) + " (. .))"
    width, height = TreeDisplay(long).plot().figure_.get_size_inches()
    assert width < 12 and height < 12
    assert TreeDisplay(long).plot(orientation="down").figure_.get_size_inches()[0] > 12


def test_on_the_callers_axes_letters_become_smaller(ax):
    display = TreeDisplay(HYPOTHESIS, REFERENCE).plot(ax)
    boxes = boxes_of(display)
    assert_apart(boxes, slack=1)  # boxes of tiny letters are rounded up to pixels
    frame = ax.get_window_extent()
    assert all(frame.x0 - 1 <= b.x0 and b.x1 <= frame.x1 + 1 for b in boxes)
    assert max(text.get_fontsize() for text in display.texts_[0]) < 10
    figure, large = plt.subplots(figsize=(30, 20))
    display = TreeDisplay(SHORT).plot(large)
    assert max(text.get_fontsize() for text in display.texts_[0]) == 10
    small = figure.add_axes([0, 0, 0.001, 0.001])
    with pytest.raises(CandidateError, match=r"cannot be read on axes of .* by .*: give larger"):
        TreeDisplay(SHORT).plot(small)


def test_words_are_shown_as_themselves():
    strange = r"(S (NN $\frac$) (NN x_b^$) (-LRB- -LRB-) (NN -RRB-) (X \$) (NN %) (NN a&b))"
    display = TreeDisplay(strange).plot()
    display.figure_.canvas.draw()
    words = [text.get_text() for text in display.texts_[0][2::2]]
    assert words == [r"$\frac$", "x_b^$", "(", ")", r"\$", "%", "a&b"]


@pytest.mark.filterwarnings("ignore:Glyph .* missing from font")
def test_hostile_words():
    words = [
        "\ud800x",
        "a\0b",
        "\x1b[0m",
        "soft\xadhyphen",
        "日本語",
        "🙂",
        "\u202eabc",
        "e" * 5000,
    ]
    labels = ("S", *(label for word in words for label in ("NN", word)))
    parents = (-1, *(k for n in range(len(words)) for k in (0, 2 * n + 1)))
    display = draw_quietly(BracketTree(labels, parents))
    shown = [text.get_text() for text in display.texts_[0][2::2]]
    expected = ["\ufffdx", "a\ufffdb", "\ufffd[0m", "softhyphen", "日本語", "🙂", "abc"]
    assert shown[:-1] == expected
    assert shown[-1] == "e" * 39 + "…"
    assert_apart(boxes_of(display))
    with matplotlib.rc_context({"text.usetex": True}):  # TeX would take & for its own
        TreeDisplay(r"(S (NN &) (NN \x))").plot().figure_.canvas.draw()


@pytest.mark.parametrize("arcs", [False, True])
@pytest.mark.parametrize("against", [(), ("()",), (DEPENDENCIES,)])
def test_the_empty_tree(arcs, against):
    display = TreeDisplay("()", *against, arcs=arcs).plot()
    assert [text.get_text() for text in display.texts_[0]] == ["()"]
    assert_apart(boxes_of(display))
    assert not any(any(marked) for marked in display.marked_)


def chain(n):
    return BracketTree((*["S"] * n, "x"), (-1, *range(n)))


@pytest.mark.parametrize("orientation", [None, "down", "right"])
@pytest.mark.parametrize(
    "tree",
    [
        chain(2_000),
        chain(10_000),
        "(S " + "(NN word) " * 3000 + ")",
        "(root (NN a) " + "(dep (NN word)) " * 3000 + ")",
    ],
    ids=["deep", "very deep", "wide", "dependencies"],
)
@pytest.mark.parametrize("arcs", [False, True])
def test_what_is_too_large_is_refused(tree, orientation, arcs):
    if arcs and "dep" not in str(tree)[:40]:
        return
    display = TreeDisplay(tree, arcs=arcs)
    with pytest.raises(CandidateError, match=r"inches large, but at most 200 .* draw a part of it"):
        display.plot(orientation=orientation)
    assert not plt.get_fignums()


def test_a_smaller_font_makes_room():
    wide = "(S " + "(NN word) " * 1500 + ")"
    with pytest.raises(CandidateError, match="with fontsize= less than 10"):
        TreeDisplay(wide).plot()
    assert TreeDisplay(wide).plot(fontsize=3).figure_.get_size_inches().max() < 200


def test_arcs_lie_above_the_words():
    display = TreeDisplay(DEPENDENCIES, arcs=True).plot()
    at = {text.get_text(): text.get_position() for text in display.texts_[0]}
    words = ["The", "cat", "sleeps", "on", "it"]
    assert np.all(np.diff([at[word][0] for word in words]) > 0)
    assert len({at[word][1] for word in words}) == 1
    assert at["DT"] == (pytest.approx(at["The"][0]), pytest.approx(at["IN"][1]))
    assert at["DT"][1] < at["The"][1] < at["det"][1] < at["punct"][1] < at["root"][1]
    assert at["The"][0] < at["det"][0] < at["cat"][0] < at["nsubj"][0] < at["sleeps"][0]
    assert at["root"][0] == pytest.approx(at["sleeps"][0], abs=10)
    heads = [c.get_offsets() for c in display.ax_.collections if c not in display.edges_]
    heads = np.vstack(heads)
    assert len(heads) == 6 and len(set(heads[:, 1])) == 1
    for word in ["The", "cat", "on", "it"]:  # an arrow points at each
        assert np.abs(heads[:, 0] - at[word][0]).min() < 12


def test_arcs_of_matching_words():
    other = DEPENDENCIES.replace("cat", "dog")
    display = TreeDisplay(DEPENDENCIES, other, arcs=True).plot()
    bold = [text.get_text() for text in display.texts_[0] if text.get_weight() == "bold"]
    tags = ["DT", "The", "VBZ", "sleeps", "IN", "on", "NN", "it", ".", "."]
    assert sorted(bold) == sorted([*tags, "det", "obl", "case", "punct"])


def test_a_tree_that_is_not_projective():
    """Word 1 hangs on word 3, word 2, the root, on nothing, word 3 on 4, word 4 on 2."""
    tree = dependency_tree(["a", "b", "c", "d"], ["X"] * 4, [3, 0, 4, 2], ["p", "q", "r", "s"])
    assert "p#1" in str(tree)
    display = TreeDisplay(tree, arcs=True).plot()
    at = {text.get_text(): text.get_position()[0] for text in display.texts_[0]}
    assert at["a"] < at["b"] < at["c"] < at["d"]
    assert at["a"] < at["p"] < at["c"] < at["r"] < at["d"] and at["b"] < at["s"] < at["d"]


@pytest.mark.parametrize("tree", [SHORT, "(X x)", "(root (X a) (X b))", "(root a b)"])
def test_what_is_no_dependency_tree(tree):
    with pytest.raises(ValueError, match="expected a dependency tree"):
        TreeDisplay(tree, arcs=True).plot()


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (["The cat"], {}, "tree must be a tree in brackets: Expected '.' before a tree"),
        (["(S (NN x)"], {}, "A bracket is not closed, line 1, column 1"),
        ([""], {}, "one tree in brackets, found 0"),
        ([SHORT, SHORT * 2], {}, "against must be one tree in brackets, found 2"),
        ([None], {}, "tree must be a BracketTree or a line of brackets, found NoneType"),
        ([SHORT, 5], {}, "against must be a BracketTree or a line"),
        ([BracketTree(("a", "b"), (-1, 1))], {}, "parents before children, found 2 labels"),
        ([BracketTree((), ())], {}, "must have a label, a text, and a parent for each node"),
        ([BracketTree(("a",), (0,))], {}, "the root first"),
        ([BracketTree(("a", 1), (-1, 0))], {}, "must have a label, a text"),
        ([BracketTree(("a", "b"), (-1, "0"))], {}, "parents before children"),
        ([SHORT], {"names": "ab"}, "names must be two names"),
        ([SHORT], {"names": ("a",)}, "names must be two names"),
        ([SHORT], {"arcs": 1}, "arcs must be True or False"),
    ],
)
def test_bad_input(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        TreeDisplay(*arguments, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fontsize": 0}, "fontsize must be a number > 1"),
        ({"orientation": "up"}, r"orientation .*found "),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        TreeDisplay(SHORT).plot(**options)
    assert not plt.get_fignums()


def test_of_texts(stand_in, ax):  # noqa: F811
    display = TreeDisplay.from_texts("a b", "A c", ax=ax, fontsize=6)
    assert stand_in == ["a b", "A c"] and display.ax_ is ax
    assert marked_labels(display, 0) == ["X", "a"]
    assert display.texts_[0][0].get_text() == "EDU:NUCLEUS" and not display.arcs
    assert TreeDisplay.from_texts("a b", kind="dependency").arcs
    assert len(TreeDisplay.from_texts("", kind="dependency").texts_) == 1
    with pytest.raises(ValueError, match=r"kind .*found "):
        TreeDisplay.from_texts("a", kind="x")
    with pytest.raises(CandidateError, match="Expected a text, found int"):
        TreeDisplay.from_texts("a", 5)


def test_options_of_labels():
    display = TreeDisplay(SHORT).plot(family="monospace")
    assert {text.get_family()[0] for text in display.ax_.texts} == {"monospace"}
    assert_apart(boxes_of(display))
