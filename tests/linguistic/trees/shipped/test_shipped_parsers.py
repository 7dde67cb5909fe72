"""The shipped parsers: a whole tree for any text, in any company, and the contract of parsers."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from sklearn_mteval import load_model, save_model
from sklearn_mteval.features import ParserStatistics
from sklearn_mteval.linguistic.trees.parses import PARSED
from sklearn_mteval.linguistic.trees.shipped.kinds import KINDS
from sklearn_mteval.linguistic.trees.shipped.parsers import parser_of
from sklearn_mteval.linguistic.trees.tokenizer import treebank_words
from sklearn_mteval.trees import (
    ConstituencyParser,
    DependencyParser,
    ShallowParser,
    Trees,
    dependencies,
    read_brackets,
)

PARSERS = {kind: parser_of(kind) for kind in KINDS}
CHUNKS = {"NP", "VP", "PP", "ADJP", "ADVP", "SBAR", "PRT", "O"}
SENTENCES = [
    "The cat sleeps.",
    "He said that he would not come because it rained, but I doubt it.",
    "",
    "Which (of the two) is better?",
    "x",
    "To be, or not to be: that is the question which he asked after he had died .",
    "...",
    "Yesterday, in Brno, 3,000 people protested against the 5% cut; police were called.",
    "If you go, I'll stay.",
    "colorless green ideas sleep furiously although the the of and",
]
HOSTILE = [
    *SENTENCES,
    " \t\n\u3000",
    "(",
    ")",
    "((()))[]{}",
    "-LRB- -RRB- -U+0028-",
    "\x00\x01\x1b[0m\x7f",
    "a\x1cb\x85c\u2028d\xa0e",
    "\ud800 a\udfff \udcff\ud83d",
    "日本語のテキスト。 中文 한국어",
    "שלום עולם مرحبا \u202eabc\u202c",
    "🙂👩\u200d👩\u200d👧🏴\u200d☠️",
    "zero\u200bwidth\ufeff \u200b \u2060",
    "ﬁne İSTANBUL ǅ ß e\u0301\u0301\u0301",
    "\U00010ffff \uffff",
    "''' `` \" “quoted” — – …",
    "word" * 2000,
    "(NP (DT the))",
    "#1 nsubj#2 root#3",
    "$( $, $.",
    "+ A+B ++",
]
TEXTS = st.text(
    st.one_of(st.characters(), st.sampled_from(" aeThis()[]{}.,-'\"\u200b\x00\ud800\udc00🙂א"))
)


def words_of(text):
    """The words; what no encoding writes is a question mark."""
    return treebank_words("".join("?" if "\ud800" <= c <= "\udfff" else c for c in text))


def check_tree(kind, line, words):
    """The tree has the words, in order, and the shape of its kind."""
    assert ("\n" not in line and line.isascii()) or "\n" not in line
    [tree] = read_brackets(line)
    assert str(tree) == line
    if not words:
        assert line == "()"
        return
    assert [word for _, word in tree.tagged_words()] == words
    labels, children = tree.labels, tree.children
    leaves = {node for node, below in enumerate(children) if not below}
    tags = {node for node, below in enumerate(children) if leaves.issuperset(below) and below}
    assert all(len(children[node]) == 1 for node in tags)
    if kind == "dependency":
        check_dependencies(tree, words)
    elif kind == "constituency":
        assert labels[0] == "ROOT" and labels.count("ROOT") == 1
        assert all(labels)
    elif kind == "shallow":
        assert labels[0] == "S"
        assert {labels[node] for node in children[0]} <= CHUNKS
        assert all(set(children[node]) <= tags for node in children[0])
    else:
        check_discourse(tree, tags, chunked=kind == "shallow+discourse")


def check_dependencies(tree, words):
    found, _, heads, relations = dependencies(tree)
    assert list(found) == words
    assert heads.count(0) == 1 and relations[heads.index(0)] == tree.labels[0]
    arcs = [tuple(sorted(arc)) for arc in enumerate(heads, 1)]
    if len(words) <= 60:
        assert not any(a < c < b < d for a, b in arcs for c, d in arcs)
    for word in range(1, len(words) + 1):  # each leads to the root
        steps = 0
        while word:
            word, steps = heads[word - 1], steps + 1
            assert steps <= len(words)


def check_discourse(tree, tags, *, chunked):
    labels, children = tree.labels, tree.children
    waiting = [(0, True)]
    n_edus = 0
    while waiting:
        node, is_top = waiting.pop()
        if labels[node].startswith("DIS:"):
            assert len(labels[node]) > 4 and len(children[node]) == 2
            parts = [labels[part] for part in children[node]]
            assert "EDU:SATELLITE" not in parts or parts.count("EDU:SATELLITE") == 1
            waiting += [(part, False) for part in children[node]]
            continue
        n_edus += 1
        assert labels[node] in ("EDU:NUCLEUS", "EDU:SATELLITE")
        assert not is_top or labels[node] == "EDU:NUCLEUS"
        below = children[node]
        if chunked:
            assert {labels[part] for part in below} <= CHUNKS
            below = [part for chunk in below for part in children[chunk]]
        assert set(below) <= tags
    assert n_edus == sum(label.startswith("EDU:") for label in labels)
    assert n_edus - 1 == sum(label.startswith("DIS:") for label in labels)


@pytest.mark.parametrize("kind", KINDS)
def test_a_whole_tree_for_hostile_texts(kind):
    for text, line in zip(HOSTILE, PARSERS[kind].parse(HOSTILE), strict=True):
        check_tree(kind, line, words_of(text))


@given(st.lists(TEXTS, max_size=4))
@settings(max_examples=60)
def test_a_whole_tree_for_any_text(texts):
    for kind, parser in PARSERS.items():
        lines = parser.parse(texts)
        for text, line in zip(texts, lines, strict=True):
            check_tree(kind, line, words_of(text))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "text",
    [
        "a " * 3000,
        "( " * 3000,
        ". " * 3000,
        "the cat that saw " * 750,
        "and because " * 1500,
    ],
    ids=["a", "brackets", "dots", "clauses", "conjunctions"],
)
def test_three_thousand_words(kind, text):
    """Deeper than Python's recursion goes, and searched in a number of steps linear in them."""
    [line] = PARSERS[kind].parse([text])
    check_tree(kind, line, text.split())


@pytest.mark.parametrize("kind", KINDS)
def test_company_order_and_repetition_change_nothing(kind, monkeypatch):
    parser = PARSERS[kind]
    texts = [text for text in HOSTILE if len(text) < 999]
    alone = [parser.parse([text])[0] for text in texts]
    assert parser.parse(texts) == alone
    assert parser.parse(iter(texts[::-1])) == alone[::-1]
    assert parser.parse(texts + texts) == alone + alone
    assert [found.tree for found in parser.parse_nbest(texts, 3)] == alone
    assert clone(parser).parse(texts) == alone
    monkeypatch.setattr("sklearn_mteval.linguistic.trees.shipped.parsers._BATCH", 3)
    monkeypatch.setattr(
        "sklearn_mteval.linguistic.trees.shipped.parsers._MOST_WORDS", 5
    )  # forgotten at each batch
    assert parser.parse(texts) == alone


@pytest.mark.slow
def test_another_process_gives_the_same():
    code = """if True:
        import sys
        from sklearn_mteval.linguistic.trees.shipped.parsers import parser_of
        texts = sys.stdin.buffer.read().decode("utf-8", "surrogatepass").split("\\n\\n")
        for kind in sys.argv[1:]:
            for line in parser_of(kind).parse(texts):
                sys.stdout.buffer.write(line.encode() + b"\\n")
    """
    texts = [text for text in HOSTILE if "\n" not in text and len(text) < 999]
    run = subprocess.run(
        [sys.executable, "-c", code, *KINDS],
        input="\n\n".join(texts).encode("utf-8", "surrogatepass"),
        capture_output=True,
        check=True,
    )
    here = [line for parser in PARSERS.values() for line in parser.parse(texts)]
    assert run.stdout.decode().split("\n")[:-1] == here


@pytest.mark.parametrize("kind", ["shallow+discourse", "constituency"])
def test_columns_of_trees_with_two_processes(kind, monkeypatch):
    monkeypatch.setattr("sklearn_mteval.linguistic.trees.transformer._BATCH", 4)
    texts = [text for text in SENTENCES for _ in range(2)]
    X = pd.DataFrame({"hypothesis": texts, "reference": texts[::-1]})
    one, two = (Trees(kind, n_jobs=n).fit_transform(X) for n in (None, 2))
    pd.testing.assert_frame_equal(one, two)
    assert two["hypothesis_tree"].tolist() == PARSERS[kind].parse(texts)


@pytest.mark.parametrize("kind", KINDS)
def test_the_contract_of_parsers(kind):
    parser = PARSERS[kind]
    for n in (1, 3, 100):
        found = list(parser.parse_nbest(SENTENCES, n))
        assert len(found) == len(SENTENCES)
        for text, parses in zip(SENTENCES, found, strict=True):
            assert parses.status == PARSED and parses.skipped_words == 0
            assert 1 <= parses.count <= n
            assert parses.scores.dtype == np.float64 and np.isfinite(parses.scores).all()
            assert (parses.scores <= 0).all() and len(parses.scores) <= parses.count
            # In the order of the search: none is a thousandth as likely as the tree's own.
            assert (parses.scores >= parses.scores[:1] - np.log(1000)).all()
            assert parses.tree == parser.parse([text])[0]
    assert "\n" not in parser.signature and type(parser).__name__ in parser.signature
    assert parser.signature == clone(parser).signature


def test_signatures_tell_parsers_apart():
    parsers = [*PARSERS.values(), ConstituencyParser(beam=2), DependencyParser(beam=2)]
    assert len({parser.signature for parser in parsers}) == len(parsers)


def test_several_best_trees():
    parser = ConstituencyParser(beam=16)
    asked = [text for text in SENTENCES if text]
    many = list(parser.parse_nbest(asked, 1000))
    assert max(parses.count for parses in many) > 1
    assert max(parses.count for parses in many) <= 16
    for parses in many:
        assert len(parses.scores) == parses.count
        assert np.exp(parses.scores).sum() <= 1 + 1e-9  # distinct trees, one derivation each
    for n in (1, 2, 5):
        for few, parses in zip(parser.parse_nbest(asked, n), many, strict=True):
            assert few.count == min(n, parses.count)
            assert np.array_equal(few.scores, parses.scores[:n])
            assert few.tree == parses.tree
    [found] = ConstituencyParser(beam=1).parse_nbest(["The cat sleeps."], 5)
    assert found.count == 1
    [empty] = parser.parse_nbest([""], 5)
    assert (empty.count, empty.scores.tolist(), empty.tree) == (1, [0.0], "()")


def test_parses_are_made_as_they_are_asked_for(monkeypatch):
    monkeypatch.setattr("sklearn_mteval.linguistic.trees.shipped.parsers._BATCH", 2)
    given = []

    def texts():
        for text in ["a", "b", "c", "d", "e"]:
            given.append(text)
            yield text

    parses = ShallowParser().parse_nbest(texts(), 1)
    assert given == []
    next(parses)
    assert given == ["a", "b"]


def test_what_a_larger_beam_keeps():
    """Chunks and taggers look at one state only: nothing but the deep parsers has a beam."""
    texts = [text for text in HOSTILE if len(text) < 999]
    for kind, parser in (("constituency", ConstituencyParser), ("dependency", DependencyParser)):
        for beam in (1, 3):
            for text, line in zip(texts, parser(beam=beam).parse(texts), strict=True):
                check_tree(kind, line, words_of(text))


@pytest.mark.parametrize(
    ("parser", "problem"),
    [
        (ShallowParser("constituency"), r"structure .*'shallow'"),
        (ShallowParser(None), "structure"),
        (ShallowParser(["shallow"]), "structure"),
        (DependencyParser(beam=0), "beam must be an integer >= 1 and <= 1024, found 0"),
        (DependencyParser(beam=2.0), "beam must be an integer"),
        (DependencyParser(beam=True), "beam must be an integer"),
        (ConstituencyParser(beam="8"), "beam must be an integer"),
        (ConstituencyParser(beam=10**30), "beam must be an integer >= 1 and <= 1024"),
        (ConstituencyParser(beam=None), "beam must be an integer"),
    ],
)
def test_parameters_that_are_wrong(parser, problem):
    with pytest.raises(ValueError, match=problem):
        parser.parse(["It works."])
    with pytest.raises(ValueError, match=problem):
        list(parser.parse_nbest(["It works."], 1))


@pytest.mark.parametrize("parser", PARSERS.values(), ids=PARSERS)
def test_what_are_no_texts(parser):
    with pytest.raises(TypeError, match=r"list of texts, found one, .It works\."):
        parser.parse("It works.")
    for text in (None, 5, b"a", ["a"]):
        with pytest.raises(TypeError, match=f"must be a str, found {type(text).__name__}"):
            parser.parse(["a", text])
    for folder in (5, [], b"folder", float("nan")):
        with pytest.raises(TypeError, match="parser_model must be a folder or None, found"):
            clone(parser).set_params(parser_model=folder).parse(["a"])


@pytest.mark.parametrize("n", [0, -1, 1.5, None, "2"])
def test_how_many_parses(n):
    with pytest.raises(ValueError, match="n must be an integer >= 1"):
        list(ConstituencyParser().parse_nbest(["It works."], n))


def test_there_is_no_such_kind():
    for kind in ("chunks", None, 5):
        with pytest.raises(ValueError, match=r"kind .*found "):
            parser_of(kind)
    assert [type(parser_of(kind)) for kind in KINDS] == [
        ShallowParser, ShallowParser, ShallowParser, ConstituencyParser, DependencyParser,
    ]  # fmt: skip
    assert parser_of("shallow", "folder").parser_model == "folder"


def test_pipelines_with_parsers_are_saved(tmp_path):
    X = pd.DataFrame({"hypothesis": SENTENCES, "reference": SENTENCES[::-1]})
    trees = make_pipeline(Trees("shallow"), Trees("dependency", ["hypothesis"], parser_model=None))
    trees.steps[1] = ("statistics", ParserStatistics("hypothesis_tree", n_best=5))
    statistics = make_pipeline(ParserStatistics(ConstituencyParser(beam=4), n_best=5))
    for name, pipeline in (("trees", trees), ("statistics", statistics)):
        before = pipeline.fit(X).transform(X)
        assert np.isfinite(before).all() and np.ptp(before, axis=0).any()
        save_model(pipeline, tmp_path / name)
        again = load_model(tmp_path / name)
        assert np.array_equal(again.transform(X), before)


def test_trivial_sentences():
    """What any parser of English that has learnt something says."""
    assert (
        ShallowParser("shallow").parse(["The cat sat ."])[0].startswith("(S (NP (DT The) (NN cat))")
    )
    [tree] = read_brackets(DependencyParser().parse(["He saw the cat ."])[0])
    words, _, heads, relations = dependencies(tree)
    assert [words[head - 1] for head in heads[:1]] == ["saw"] and heads[2:4] == (4, 2)
    assert relations[:4] == ("nsubj", "root", "det", "obj")
    [line] = ConstituencyParser().parse(["He saw the cat ."])
    assert "(NP (DT the) (NN cat))" in line and line.startswith(
        "(ROOT (S (NP (PRP He)) (VP (VBD saw)"
    )


@pytest.mark.slow
def test_all_hypotheses_of_a_campaign(data_dir):
    """Any text of ten treebank documents and their words in reverse: a whole tree."""
    paths = sorted((data_dir / "gum" / "dep").glob("*.conllu"))[::10]
    texts = [
        line.removeprefix("# text = ").strip()
        for path in paths
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("# text = ")
    ]
    assert len(texts) > 300
    texts += [" ".join(text.split()[::-1]) for text in texts]
    for kind, parser in PARSERS.items():
        for text, line in zip(texts, parser.parse(texts), strict=True):
            check_tree(kind, line, words_of(text))
