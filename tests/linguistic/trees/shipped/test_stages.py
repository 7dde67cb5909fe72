"""Training from the command line on a small treebank, and the quality against plain loops."""

import re
import shutil
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from nltk import Tree
from nltk.chunk import conlltags2tree
from small_treebank import NAMES, small_model, small_settings, write_treebank

from sklearn_mteval.cli import main
from sklearn_mteval.linguistic.trees.shipped import stages, words
from sklearn_mteval.linguistic.trees.shipped.analysis import Analysis
from sklearn_mteval.linguistic.trees.shipped.grammars.chunks import chunk_tags
from sklearn_mteval.linguistic.trees.shipped.model import load_model_folder
from sklearn_mteval.linguistic.trees.shipped.quality import parser_quality
from sklearn_mteval.linguistic.trees.shipped.words import WordColumns, hash_text
from sklearn_mteval.linguistic.trees.treebanks.corpus import (
    chosen_documents,
    document_names,
    read_document,
)
from sklearn_mteval.trees import (
    ConstituencyParser,
    DependencyParser,
    ShallowParser,
    Trees,
    dependencies,
    read_brackets,
)

FILE = "model.safetensors"


@pytest.fixture
def corpus(tmp_path):
    write_treebank(tmp_path / "corpus", NAMES)
    return tmp_path / "corpus"


@pytest.fixture
def small(monkeypatch):
    small_settings(monkeypatch)


def run(corpus, folder, *options):
    assert main(["treebank", "train", str(corpus), "-o", str(folder), *options]) == 0
    return (Path(folder) / FILE).read_bytes()


def assert_refused(problem, capsys, corpus, folder, *options):
    """The command ends with one line that names the problem, and leaves no folder behind."""
    assert main(["treebank", "train", str(corpus), "-o", str(folder), *options]) == 1
    said = capsys.readouterr().err
    assert re.search(problem, said) and "Traceback" not in said, said
    assert not Path(folder).exists()


def test_equal_corpora_give_equal_bytes(corpus, small, tmp_path, capsys):
    first = run(corpus, tmp_path / "one", "--no-classes")
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("5 documents: ") and said[1] == "tags: training on 15 sentences"
    moved = tmp_path / "elsewhere" / "moved"
    shutil.copytree(corpus, moved)
    for path in sorted(moved.rglob("*.*"), reverse=True):
        path.touch()
    assert run(moved, tmp_path / "two", "--no-classes") == first
    assert (small_model() / FILE).read_bytes() == first  # as another test has trained it
    assert run(corpus, tmp_path / "all", "--no-classes", "--documents", "all") != first


def test_what_was_trained_parses(corpus, small, tmp_path):
    run(corpus, tmp_path / "model", "--no-classes")
    model = tmp_path / "model"
    text = "He said that the horse sings because it rained."
    [line] = ShallowParser(parser_model=model).parse([text])
    assert line == (
        "(DIS:attribution (EDU:SATELLITE (NP (PRP He)) (VP (VBD said))) (DIS:causal (EDU:NUCLEUS "
        "(SBAR (IN that)) (NP (DT the) (NN horse)) (VP (VBZ sings))) (EDU:SATELLITE (SBAR (IN "
        "because)) (NP (PRP it)) (VP (VBD rained)) (O (. .)))))"
    )
    [tree] = read_brackets(DependencyParser(parser_model=model).parse([text])[0])
    assert dependencies(tree)[2] == (2, 0, 6, 5, 6, 2, 9, 9, 6, 2)
    [line] = ConstituencyParser(parser_model=model).parse([text])
    assert line.startswith("(ROOT (S (NP (PRP He)) (VP (VBD said) (SBAR (IN that) (S (NP (DT the)")
    found = Trees("shallow", ["hypothesis"], parser_model=model).fit_transform(
        pd.DataFrame({"hypothesis": [text]})
    )
    assert found["hypothesis_tree"].tolist() == ShallowParser("shallow", parser_model=model).parse(
        [text]
    )


def test_tags_with_brackets_are_printed_so_that_they_are_read():
    """The treebank's tag of brackets is "(", as TIGER's is "$("."""
    for parser in (ShallowParser, DependencyParser, ConstituencyParser):
        [line] = parser(parser_model=small_model()).parse(["Old cat ( sees 5 )"])
        [tree] = read_brackets(line)
        assert [word for _, word in tree.tagged_words()] == ["Old", "cat", "(", "sees", "5", ")"]
        assert "-RRB-" in {tag for tag, _ in tree.tagged_words()}


def test_classes_of_words(corpus, small, tmp_path, monkeypatch):
    classes = {"cat": (1, 2, 3, 4), "horse": (1, 2, 3, 65535)}
    monkeypatch.setattr(
        "sklearn_mteval.linguistic.trees.shipped.words.word_classes", lambda: classes
    )
    run(corpus, tmp_path / "model")
    found = load_model_folder(tmp_path / "model")
    assert found.classes == {hash_text(word): numbers for word, numbers in classes.items()}
    assert load_model_folder(small_model()).classes == {}


def test_documents_of_a_choice(corpus):
    names = [*NAMES, "GUM_bio_x", "GUM_voyage_y", "other"]
    shutil.rmtree(corpus)
    write_treebank(corpus, names)
    (corpus / "dep" / "GUM_news_z.conllu").write_text("")  # in one folder only
    assert document_names(corpus) == sorted(names)
    chosen = {choice: chosen_documents(corpus, choice) for choice in
              ("all", "held-out", "shipped", "others", "all-but-held-out")}  # fmt: skip
    assert chosen == {
        "all": sorted(names),
        "held-out": ["GUM_news_e"],
        "shipped": [name for name in NAMES if name != "GUM_news_e"],
        "others": ["GUM_bio_x", "GUM_voyage_y", "other"],
        "all-but-held-out": sorted({*names} - {"GUM_news_e"}),
    }


def test_a_folder_without_documents(tmp_path, capsys):
    model = tmp_path / "model"
    assert_refused(r"expected documents as dep/NAME\.conllu", capsys, tmp_path, model)
    assert_refused("expected documents", capsys, tmp_path / "nowhere", model)


def test_no_documents_of_the_choice(tmp_path, capsys):
    corpus, model = tmp_path / "corpus", tmp_path / "model"
    write_treebank(corpus, ["mine", "yours"])
    for choice in ("shipped", "held-out"):
        problem = f"no documents of the choice '{choice}'"
        assert_refused(problem, capsys, corpus, model, "--documents", choice)
    assert chosen_documents(tmp_path / "corpus", "all") == ["mine", "yours"]


@pytest.mark.parametrize(
    ("part", "old", "new", "problem"),
    [
        ("const/GUM_news_b.ptb", "old-timer", "new-timer", r"b\.ptb: has other words than dep/"),
        ("const/GUM_news_b.ptb", "(ROOT (S", "(ROOT (S (UH Oh)", "has other words than dep/"),
        ("const/GUM_news_c.ptb", "(ROOT (NP", "((((ROOT (NP", r"c\.ptb, line 3: .*not closed"),
        ("dep/GUM_news_a.conllu", "\troot\t", "\troot", r"a\.conllu, line 3: "),
        ("dep/GUM_news_a.conllu", "\t0\troot", "\t9\troot", r"a\.conllu, line \d: .*head"),
        ("rst/GUM_news_d.dis", "said", "sang", r"d\.dis: sentences: expected.*the text"),
        ("rst/GUM_news_d.dis", "Satellite", "Other", r"d\.dis, line \d+: "),
    ],
)
def test_files_that_do_not_fit_are_named(corpus, small, tmp_path, capsys, part, old, new, problem):
    path = corpus / part
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert_refused(problem, capsys, corpus, tmp_path / "model", "--no-classes")


def test_each_document_is_tagged_by_machines_of_other_folds(corpus, small, monkeypatch):
    """Which must be no better than on new texts."""
    seen = []
    real = stages.train_machine

    def watched(units, bounds, derivations, templates, columns, **options):
        seen.append((len(derivations), options))
        return real(units, bounds, derivations, templates, columns, **options)

    monkeypatch.setattr(stages, "train_machine", watched)
    documents = [read_document(corpus, name) for name in NAMES]
    stages.train_model(documents, {}, log=lambda line: None)
    sizes = [size for size, _ in seen]
    # Three taggers, each on all of 18 sentences and on 9 of either fold; then constituents, and
    # again without a fold; dependencies; boundaries; discourse.
    assert sizes == [18, 9, 9] * 3 + [18, 9, 18, 18, 18]


def plain_f1(gold, found):
    both = sum((Counter(a) & Counter(b)).total() for a, b in zip(gold, found, strict=True))
    precision = both / sum(Counter(b).total() for b in found)
    recall = both / sum(Counter(a).total() for a in gold)
    return 200 * precision * recall / (precision + recall)


def constituents_of(line):
    """Spans of nodes above tags, no ROOT, none alone under its like."""
    found, place = [], 0

    def walk(node, above):
        nonlocal place
        if not isinstance(node[0], Tree):
            place += 1
            return
        label = node.label().split("-")[0].split("=")[0]
        start = place
        for child in node:
            walk(child, label if len(node) == 1 else None)
        if label not in ("ROOT", above):
            found.append((start, place, label))

    walk(Tree.fromstring(line), None)
    return found


def chunks_of(tags):
    tree = conlltags2tree([("w", "T", tag) for tag in tags], strict=False)
    found, place = [], 0
    for part in tree:
        if isinstance(part, Tree):
            found.append((place, place + len(part), part.label()))
            place += len(part)
        else:
            place += 1
    return found


def test_quality_is_those_of_plain_loops(data_dir):
    """From the files, and from what the parsers print for the treebank's words."""
    corpus = data_dir / "gum"
    names = document_names(corpus)[20:80:40]
    model = load_model_folder()
    documents = [read_document(corpus, name) for name in names]
    found = parser_quality(model, documents, beam=4)
    rows, lines = [[]], []
    for name in names:
        for line in (corpus / "dep" / f"{name}.conllu").read_text(encoding="utf-8").split("\n"):
            fields = line.split("\t")
            if len(fields) == 10 and fields[0].isdigit():
                rows[-1].append(fields)
            elif not line and rows[-1]:
                rows.append([])
        text = (corpus / "const" / f"{name}.ptb").read_text(encoding="utf-8")
        lines += [str(tree) for tree in Tree.fromstring(f"(ALL {text})")]
    rows = [row for row in rows if row]
    words = [[fields[1] for fields in row] for row in rows]
    assert len(words) == len(lines) > 50

    def parsed(parser):
        """Trees of the treebank's words, whatever the tokeniser would make of them."""
        analysis = Analysis(model, words, WordColumns(model.classes), beam=4)
        return [read_brackets(line)[0] for line in parser._trees(analysis)]

    trees = parsed(DependencyParser(beam=4))
    own = [dependencies(tree) for tree in trees]
    n = head = both = tag = 0
    for row, tree, (_, _, heads, relations) in zip(rows, trees, own, strict=True):
        tags = [label for label, _ in tree.tagged_words()]
        for fields, of_tag, of_head, relation in zip(row, tags, heads, relations, strict=True):
            n += 1
            tag += fields[4] == of_tag
            head += int(fields[6]) == of_head
            both += int(fields[6]) == of_head and fields[7] == relation
    assert found["part of speech"] == pytest.approx(100 * tag / n)
    assert found["dependencies, UAS"] == pytest.approx(100 * head / n)
    assert found["dependencies, LAS"] == pytest.approx(100 * both / n)
    gold = [constituents_of(line) for line in lines]
    printed = [constituents_of(str(tree)) for tree in parsed(ConstituencyParser(beam=4))]
    assert found["constituents, labelled F1"] == pytest.approx(plain_f1(gold, printed))
    gold = [chunks_of(chunk_tags(read_brackets(line)[0])) for line in lines]
    analysis = Analysis(model, words, WordColumns(model.classes), beam=4)
    bounds = np.cumsum([0, *map(len, words)])
    tags = [chunks_of(analysis.names("chunks")[a:b]) for a, b in pairwise(bounds)]
    assert found["chunks, F1"] == pytest.approx(plain_f1(gold, tags))
    # Boundaries inside sentences: where an EDU of a printed tree begins, but the first.
    gold, printed = [], []
    discourse = [s for document in documents for s in document.discourse]
    for k, tree in enumerate(parsed(ShallowParser("discourse"))):
        gold += [(k, end) for end in np.cumsum(discourse[k].lengths)[:-1].tolist()]
        place, starts = 0, []
        for node, below in enumerate(tree.children):
            if tree.labels[node].startswith("EDU:"):
                starts.append(place)
                place += len(below)
        printed += [(k, start) for start in starts[1:]]
    assert found["EDU boundaries, F1"] == pytest.approx(plain_f1([gold], [printed]))
    assert all(0 < value <= 100 for value in found.values())


def test_discourse_is_measured_on_gold_units(data_dir):
    """Each inner node of a gold tree counts: found at all, with its nucleus, with its relation."""
    corpus = data_dir / "gum"
    model = load_model_folder()
    documents = [read_document(corpus, name) for name in document_names(corpus)[20:80:40]]
    found = parser_quality(model, documents, beam=1)
    sentences = [s for document in documents for s in document.sentences]
    discourse = [s for document in documents for s in document.discourse]
    analysis = Analysis(model, [s.words for s in sentences], WordColumns(model.classes), beam=1)
    analysis.edu_bounds = np.cumsum([0, *(n for s in discourse for n in s.lengths)])
    counts = np.zeros(4)
    for k, gold in enumerate(discourse):
        if not gold.complete or len(gold.lengths) < 2:
            continue
        stack, merges, edu = [], {}, 0
        for kind, label, _ in analysis.discourse[1][k]:
            if kind == "shift":
                stack.append((edu, edu + 1))
                edu += 1
            else:
                right, left = stack.pop(), stack.pop()
                stack.append((left[0], right[1]))
                merges[stack[-1]] = label
        for merge in gold.merges:
            label = merges.get((merge.start, merge.end), "-:-")
            same = label.split(":")[0] == merge.nuclearity
            full = label == f"{merge.nuclearity}:{merge.relation}"
            counts += 1, label != "-:-", label != "-:-" and same, full
    assert counts[0] > 20
    expected = (100 * counts[1:] / counts[0]).tolist()
    names = ["discourse, span", "discourse, nuclearity", "discourse, full"]
    assert [found[name] for name in names] == pytest.approx(expected)


def test_quality_from_the_command_line(corpus, capsys):
    given = ["--model", str(small_model()), "--beam", "2"]
    assert main(["treebank", "evaluate", str(corpus), *given]) == 0
    out, said = capsys.readouterr()
    lines = out.splitlines()
    assert said.rstrip("\n") == "1 documents: GUM_news_e"
    assert len(lines) == 10 and lines[0].startswith("words ")
    assert all(0 <= float(line.split()[-1]) <= 100 for line in lines)


def test_clusters_are_nearest_to_their_means():
    """Against numpy's own distances: the last assignment of k-means."""
    rng = np.random.default_rng(0)
    codes = np.rint(rng.normal(size=(90, 5)) * 50)
    found = words.cluster(codes, 6)
    assert found.shape == (90,) and set(found.tolist()) <= set(range(6))
    apart = np.array([[100.0 * k, -50.0 * k] for k in range(4) for _ in range(5)])
    assert words.cluster(apart, 4).tolist() == [k for k in range(4) for _ in range(5)]
    assert words.cluster(apart[:3], 8).tolist() == [0, 0, 0]  # fewer rows than clusters
    assert np.array_equal(words.cluster(codes, 6), found)
