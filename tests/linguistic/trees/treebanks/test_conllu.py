import gzip
import random

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.linguistic.trees.treebanks.conllu import conllu_sentences, format_conllu
from sklearn_mteval.linguistic.trees.treebanks.dependency import dependency_tree, head_fault
from sklearn_mteval.trees import BracketTree, dependencies, read_brackets, read_conllu

EMPTY = BracketTree(("",), (-1,))


def row(name, word="x", head="_", relation="_", *, xpos="X", upos="U", misc="_"):
    return "\t".join([name, word, "_", upos, xpos, "_", head, relation, "_", misc])


def words_of(*heads):
    return [row(str(k), f"w{k}", str(head), "r") for k, head in enumerate(heads, 1)]


def file_of(tmp_path, *lines):
    path = tmp_path / "trees.conllu"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


DU = [
    "# newdoc",
    "# text_en = of the",
    "# text = Vámonos al (mar) ya.",
    row("1-2", "Vámonos"),
    row("1", "Vamos", "0", "root", xpos="VB", upos="VERB"),
    row("2", "nos", "1", "obj", xpos="PP", upos="PRON"),
    row("2.1", "copy"),
    row("2.2", "copy"),
    row("3-4", "al"),
    row("3", "a", "5", "case", xpos="IN", upos="ADP"),
    row("4", "el", "5", "det", xpos="DT", upos="DET"),
    row("5", "(mar)", "1", "obl", xpos="NN", upos="NOUN"),
    row("6", "ya", "1", "advmod", xpos="RB", upos="ADV", misc="Lang=es|SpaceAfter=No"),
    row("7", ".", "1", "punct", xpos=".", upos="PUNCT"),
    row("7.1", "copy"),
    "",
]


def test_by_hand(tmp_path):
    path = file_of(tmp_path, *DU)
    [sentence] = conllu_sentences(path)
    assert sentence.words == ("Vamos", "nos", "a", "el", "(mar)", "ya", ".")
    assert sentence.tags == ("VB", "PP", "IN", "DT", "NN", "RB", ".")
    assert sentence.heads == (0, 1, 5, 5, 1, 1, 1)
    assert sentence.relations == ("root", "obj", "case", "det", "obl", "advmod", "punct")
    assert sentence.text == "Vámonos al (mar) ya."
    [tree] = read_conllu(path)
    assert str(tree) == (
        "(root (VB Vamos) (obj (PP nos)) (obl (case (IN a)) (det (DT el)) (NN -LRB-mar-RRB-)) "
        "(advmod (RB ya)) (punct (. .)))"
    )
    [universal] = read_conllu(path, tags="upos")
    assert universal.labels[:3] == ("root", "VERB", "Vamos")


def test_text_is_rebuilt_from_ranges_and_spaces(tmp_path):
    lines = [line for line in DU if not line.startswith("#")]
    [sentence] = conllu_sentences(file_of(tmp_path, *lines))
    assert sentence.text == "Vámonos al (mar) ya."


def test_space_after_a_range_is_its_own(tmp_path):
    lines = [
        row("1-2", "don't", misc="SpaceAfter=No"),
        row("1", "do", "0", "root"),
        row("2", "n't", "1", "advmod"),
        row("3", "!", "1", "punct", misc="NoSpaceAfter=No"),
        row("4", "So", "1", "advmod"),
    ]
    [sentence] = conllu_sentences(file_of(tmp_path, *lines))
    assert sentence.text == "don't! So"


def test_bytes_around_lines_do_not_matter(tmp_path):
    expected = list(conllu_sentences(file_of(tmp_path, *DU, *DU)))
    text = "\n".join([*DU, *DU])
    variants = [
        text.rstrip("\n").encode(),  # no empty line at the end
        text.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + text.encode() + b"\n\n\n",
        gzip.compress(text.encode()),
    ]
    for content in variants:
        path = tmp_path / "variant"
        path.write_bytes(content)
        assert list(conllu_sentences(path)) == expected


def test_not_projective():
    words, tags, relations = "abcd", "ABCD", ("p", "q", "root", "s")
    tree = dependency_tree(words, tags, [3, 4, 0, 1], relations)
    assert str(tree) == "(root#3 (p#1 (A a) (s#4 (q#2 (B b)) (D d))) (C c))"
    assert dependencies(tree) == (tuple("abcd"), tuple("ABCD"), (3, 4, 0, 1), relations)


def test_a_relation_that_looks_marked_is_marked():
    tree = dependency_tree("ab", "AB", [2, 0], ["x#2", "root"])
    assert str(tree) == "(root#2 (x#2#1 (A a)) (B b))"
    assert dependencies(tree)[3] == ("x#2", "root")


def test_no_words():
    assert dependency_tree([], [], [], []) == EMPTY
    assert dependencies(EMPTY) == ((), (), (), ())


def test_the_empty_text_comes_back(tmp_path):
    path = tmp_path / "out.conllu"
    tree = dependency_tree("a", "A", [0], ["root"])
    path.write_text("".join(map(format_conllu, [EMPTY, tree, EMPTY])))
    assert read_conllu(path) == [EMPTY, tree, EMPTY]
    assert read_conllu(file_of(tmp_path, "# a header", "", *words_of(0))) == [
        dependency_tree(["w1"], ["X"], [0], ["r"])
    ]


def random_heads(n, rng):
    """Any tree: each word but the first of a random order hangs on one before it."""
    order = rng.sample(range(1, n + 1), n)
    heads = dict.fromkeys(order, 0)
    for k in range(1, n):
        heads[order[k]] = order[rng.randrange(k)]
    return tuple(heads[word] for word in range(1, n + 1))


def is_projective(heads):
    """Every word between a word and its head is below that head."""

    def above(word):
        while word:
            word = heads[word - 1]
            yield word

    return all(
        head in above(between)
        for word, head in enumerate(heads, 1)
        for between in range(min(word, head) + 1, max(word, head))
    )


@given(st.integers(1, 9), st.randoms(use_true_random=False), st.data())
def test_trees_come_back(tmp_path_factory, n, rng, data):
    texts = st.text(st.characters(codec="utf-8", exclude_characters="\t\n"), min_size=1, max_size=5)
    texts |= st.sampled_from(["(", "-LRB-", "a b", "x#1", "#2", "_"])
    column = st.lists(texts, min_size=n, max_size=n).map(tuple)
    words, tags, relations = data.draw(column), data.draw(column), data.draw(column)
    heads = random_heads(n, rng)
    tree = dependency_tree(words, tags, heads, relations)
    assert dependencies(tree) == (words, tags, heads, relations)
    assert read_brackets(str(tree)) == [tree]
    path = tmp_path_factory.mktemp("trees") / "out.conllu"
    path.write_bytes(2 * format_conllu(tree).encode())
    assert read_conllu(path) == [tree, tree]
    plain = dependency_tree(words, tags, heads, ["r"] * n)
    assert is_projective(heads) == (plain.labels[0] == "r")


def is_tree(heads):
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(len(heads) + 1))
    graph.add_edges_from((head, word) for word, head in enumerate(heads, 1))
    return networkx.is_arborescence(graph) and sum(head == 0 for head in heads) == 1


@given(st.integers(1, 7).flatmap(lambda n: st.lists(st.integers(0, n), min_size=n, max_size=n)))
def test_cycles_against_networkx(heads):
    columns = ["w"] * len(heads), ["T"] * len(heads), heads, ["r"] * len(heads)
    if is_tree(heads):
        assert head_fault(heads) is None
        assert dependencies(dependency_tree(*columns))[2] == tuple(heads)
    else:
        word, problem = head_fault(heads)
        assert 1 <= word <= len(heads) and ("root" in problem or "cycle" in problem)


@pytest.mark.parametrize(
    "heads",
    [
        range(10_000),  # each word hangs on the one before it
        [*range(2, 10_001), 0],
        [0] + [1] * 9_999,
        random_heads(10_000, random.Random(5)),
    ],
    ids=["chain", "backwards", "star", "random"],
)
def test_ten_thousand_words(tmp_path, heads):
    columns = tuple(f"w{k}" for k in heads), ("T",) * 10_000, tuple(heads), ("r",) * 10_000
    tree = dependency_tree(*columns)
    path = tmp_path / "long.conllu"
    path.write_text(format_conllu(tree))
    assert [dependencies(found) for found in read_conllu(path)] == [columns]


@pytest.mark.parametrize(
    ("lines", "line", "problem"),
    [
        (["# text = x", "1 x"], 2, "10 columns"),
        ([*words_of(0), row("2", "y", "1", "r") + "\t_"], 2, "found 11"),
        ([row("1", "", "0", "r")], 1, "some empty"),
        ([*words_of(0), "# text = y", *words_of(0)], 2, "10 columns"),
        ([row("2", "x", "0", "r")], 1, "expected word 1"),
        ([row("01", "x", "0", "r")], 1, "expected word 1"),
        ([row("1" * 5000, "x", "0", "r")], 1, "expected word 1"),
        ([*words_of(0, 1), row("2", "x", "1", "r")], 3, "expected word 3"),
        (words_of(0, 3), 2, "head from 0 to 2, found 3"),
        (words_of(0, "-1"), 2, "as a head, found '-1'"),
        (words_of(0, "_"), 2, "as a head"),
        (words_of(0, "1.5"), 2, "as a head"),
        (words_of(0, "٣"), 2, "as a head"),
        (words_of(0, "9" * 5000), 2, "as a head"),
        (words_of(0, 3, 2), 2, "cycle"),
        (words_of(0, 2), 2, "cycle"),
        (["# text = x", *words_of(2, 3, 1)], 2, "expected one root"),
        (words_of(0, 1, 0), 3, "second root, after word 1"),
        ([row("1-2"), *words_of(0)], 1, "the sentence has 1"),
        ([row("2-1"), *words_of(0, 1)], 1, "found the id '2-1'"),
        ([*words_of(0), row("2-1"), *words_of(0, 1)[1:]], 2, "found the id"),
        ([row("2-3"), *words_of(0, 1, 1)], 1, "found the id"),
        ([row("1-2"), words_of(0)[0], row("2-3"), *words_of(0, 1, 1)[1:]], 3, "found the id"),
        ([row("1-3"), row("1-2"), *words_of(0, 1, 1)], 2, "found the id"),
        ([row("1-"), *words_of(0)], 1, "found the id"),
        ([row("2.1"), *words_of(0)], 1, "found the id"),
        ([*words_of(0), row("1.2")], 2, "empty node 1.1"),
        ([*words_of(0), row("1.")], 2, "found the id"),
        ([*words_of(0), row("1.0")], 2, "found the id"),
        ([*words_of(0), row("1.1"), row("1.1")], 3, "empty node 1.2"),
        (["", "# text = x", "", *words_of(0)], 2, "without words"),
        ([row("0.1")], 1, "without words"),
    ],
)
def test_errors_name_the_line(tmp_path, lines, line, problem):
    path = file_of(tmp_path, *words_of(0), "", *lines)
    with pytest.raises(DataFileError, match=problem) as found:
        read_conllu(path)
    assert found.value.line == 2 + line


@pytest.mark.parametrize("line", ["no columns", row("2"), row("1", head="x")])
def test_a_wrong_line_is_refused_before_the_next_is_read(tmp_path, line):
    """A file that is none of CoNLL-U has no empty lines, and may be as long as it likes."""
    path = tmp_path / "trees.conllu"
    path.write_bytes(f"# a comment\n{line}\n".encode() + b"\xff\n")
    with pytest.raises(DataFileError, match="line 2: expected"):
        next(conllu_sentences(path))


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "bad.conllu"
    path.write_bytes("\n".join(DU).encode() + b"\n1\t\xff\n")
    with pytest.raises(DataFileError, match="UTF-8") as found:
        read_conllu(path)
    assert found.value.line == len(DU) + 1


def test_unknown_tags(tmp_path):
    for call in (read_conllu, conllu_sentences):
        with pytest.raises(ValueError, match=r"tags .*found "):
            list(call(file_of(tmp_path, *DU), tags="pos"))


@pytest.mark.parametrize("head", [3, -1, float("nan")])
def test_heads_out_of_range(head):
    word, problem = head_fault([head, 0])
    assert word == 1 and problem.startswith("expected a head from 0 to 2")


@pytest.mark.parametrize(
    "text",
    [
        "(NN cat)",
        "(S (NP (DT The) (NN cat)))",
        "(root cat)",
        "(root (NN cat) (NN mat))",
        "(root (NN cat) mat)",
        "(root (x (NN cat)))",
        "(root ())",
        "(root#2 (NN cat))",
        "(root#1 (x (NN cat)) (NN mat))",
        "(root (x#1 (NN cat)) (NN mat))",
        "(root#1 (x#1 (NN cat)) (NN mat))",
        "(#1 (NN cat))",
    ],
)
def test_trees_that_are_no_dependency_trees(text):
    [tree] = read_brackets(text)
    with pytest.raises(ValueError, match="found"):
        dependencies(tree)


@pytest.mark.parametrize("word", ["a\tb", "a\nb"])
def test_what_conllu_cannot_hold(word):
    tree = dependency_tree([word, "b"], "AB", [0, 1], "rr")
    with pytest.raises(ValueError, match="no tab"):
        format_conllu(tree)


def test_columns_of_what_is_written():
    tree = dependency_tree(["It", "works"], ["PRP", "VBZ"], [2, 0], ["nsubj", "root"])
    assert format_conllu(tree) == (
        "# text = It works\n"
        "1\tIt\t_\t_\tPRP\t_\t2\tnsubj\t_\t_\n"
        "2\tworks\t_\t_\tVBZ\t_\t0\troot\t_\t_\n\n"
    )


BASE = "\n".join([*DU, *words_of(0, 1, 4, 1), ""]).encode()
PIECES = st.sampled_from([b"\t", b"\n", b"-", b".", b"0", b"7", b"#", b"\r", b"\xff", b"_", b"1-2"])


@given(st.lists(st.tuples(st.integers(0, len(BASE)), st.integers(0, 9), PIECES), max_size=4))
def test_a_damaged_file_gives_trees_or_a_named_error(tmp_path_factory, edits):
    content = BASE
    for place, n_lost, piece in edits:
        content = content[:place] + piece + content[place + n_lost :]
    path = tmp_path_factory.mktemp("trees") / "damaged.conllu"
    path.write_bytes(content)
    try:
        sentences = list(conllu_sentences(path))
    except DataFileError as error:
        sentences = None
        found = error.path, error.line in range(1, content.count(b"\n") + 2)
    if sentences is None:
        assert found == (path, True)
        return
    for words, tags, heads, relations, _ in sentences:
        assert not words or is_tree(heads)
        assert dependencies(dependency_tree(words, tags, heads, relations))[2] == heads


@pytest.mark.slow
def test_gum(data_dir, tmp_path):
    paths = sorted((data_dir / "gum" / "dep").glob("*.conllu"))
    assert len(paths) == 108
    out = tmp_path / "out.conllu"
    n_crossed = 0
    for path in paths:
        trees = read_conllu(path)
        out.write_text("".join(map(format_conllu, trees)), encoding="utf-8")
        assert read_conllu(out) == trees
        blocks = path.read_text(encoding="utf-8").strip().split("\n\n")
        n_crossed += sum("#" in tree.labels[0] for tree in trees)
        for tree, sentence, block in zip(trees, conllu_sentences(path), blocks, strict=True):
            rows = [line.split("\t") for line in block.split("\n")]
            rows = [columns for columns in rows if columns[0].isdigit()]
            expected = tuple(zip(*[(c[1], c[4], int(c[6]), c[7]) for c in rows], strict=True))
            assert sentence[:4] == expected
            assert dependencies(tree) == expected
            assert f"\n# text = {sentence.text}\n" in block
    assert n_crossed == 189  # counted by a loop over pairs of arcs


def test_gum_texts_are_rebuilt(data_dir, tmp_path):
    path = data_dir / "gum" / "dep" / "GUM_news_warhol.conllu"
    lines = path.read_text(encoding="utf-8").split("\n")
    bare = file_of(tmp_path, *(line for line in lines if not line.startswith("# text =")))
    texts = [sentence.text for sentence in conllu_sentences(path)]
    assert [sentence.text for sentence in conllu_sentences(bare)] == texts
    assert "# text = " + texts[3] in lines
