"""RelatedTrees: Figure 1 by hand, structures, several references, hostile input."""

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.kernels import RelatedTrees
from sklearn_mteval.linguistic.kernels.related import closest_reference, mark, word_key
from sklearn_mteval.linguistic.trees.brackets import read_brackets
from sklearn_mteval.trees import ShallowParser

# The 2014 paper, Figure 1, without its marks.
HYPOTHESIS = """(DIS:ELABORATION
  (EDU:NUCLEUS (VP (RB not) (TO to) (VB give)) (NP (PRP them)) (NP (DT the) (NN time)))
  (EDU:SATELLITE (VP (TO to) (VB think)) (o (. .)) (o ('' "))))"""
REFERENCE = """(DIS:ELABORATION
  (EDU:NUCLEUS (VP (TO to) (`` ") (VB give)) (NP (PRP them)) (NP (DT no) (NN time)))
  (EDU:SATELLITE (VP (TO to) (VB think)) (o (. .)) (o ('' "))))"""
MARKED_HYPOTHESIS = """(DIS:ELABORATION
  (EDU:NUCLEUS (VP (RB not) (TO-REL to) (VB-REL give)) (NP-REL (PRP-REL them))
    (NP (DT the) (NN-REL time)))
  (EDU:SATELLITE-REL (VP-REL (TO-REL to) (VB-REL think)) (o-REL (.-REL .)) (o-REL (''-REL "))))"""
MARKED_REFERENCE = """(DIS:ELABORATION
  (EDU:NUCLEUS (VP-REL (TO-REL to) (``-REL ") (VB-REL give)) (NP-REL (PRP-REL them))
    (NP (DT no) (NN-REL time)))
  (EDU:SATELLITE-REL (VP-REL (TO-REL to) (VB-REL think)) (o-REL (.-REL .)) (o-REL (''-REL "))))"""


@pytest.mark.parametrize(
    ("hypothesis", "references"),
    [
        ("a b c d", ["a", "a b c x y"]),  # neither precision nor
        ("a", ["a b c d e", "x a"]),  # recall alone
        ("STRASSE x", ["no y", "straße y"]),
        ("Straße x", ["no y", "STRASSE y"]),
    ],
)
def test_the_closest_reference_shares_most(hypothesis, references):
    assert closest_reference(hypothesis, references) == references[1]


def test_words_match_whatever_their_case():
    key = word_key("lower")
    assert key("Straße", "NN") == key("STRASSE", "NN") != key("Strasze", "NN")


def tree(text):
    [found] = read_brackets(text)
    return found


def lines(text):
    return " ".join(text.split())


def test_figure_1():
    """The hypothesis as printed; in the reference the opening quote matches the closing one."""
    key = word_key("lower")
    found = mark(tree(HYPOTHESIS), tree(REFERENCE), "DIS+SYN", key)
    assert found == lines(MARKED_HYPOTHESIS)
    found = mark(tree(REFERENCE), tree(HYPOTHESIS), "DIS+SYN", key)
    assert found == lines(MARKED_REFERENCE)


def test_a_root_is_marked_where_all_is():
    key = word_key("lower")
    assert mark(tree("(S (A b) (C d))"), tree("(X (Y D) (Z B))"), "SYN", key) == (
        "(S-REL (A-REL b) (C-REL d))"
    )
    assert mark(tree("()"), tree("(A b)"), "SYN", key) == "()"
    assert mark(tree("(A b)"), tree("()"), "SYN", key) == "(A b)"


def table(hypotheses, references):
    index = pd.MultiIndex.from_product([range(len(hypotheses)), ["a"]], names=["segment", "system"])
    return pd.DataFrame({"hypothesis": hypotheses, "reference": references}, index=index)


SENTENCES = table(
    ["He said that it works.", "", "Works it", "The cat sat."],
    ["It works, he said.", "It works.", "", ["A dog ran.", "the cat sits here"]],
)


@pytest.mark.parametrize("structure", ["SYN", "DIS", "DIS+POS", "DIS+SYN"])
def test_what_stands_in_each_structure(structure):
    found = RelatedTrees(structure).fit_transform(SENTENCES)
    assert list(found) == ["hypothesis_tree", "reference_tree"]
    assert found.index.equals(SENTENCES.index)
    for row, line in enumerate(found["hypothesis_tree"]):
        labels = [label.removesuffix("-REL") for label in tree(line).labels]
        words = SENTENCES["hypothesis"].iloc[row].replace(".", " .").split()
        parsed = tree(line)
        leaves = [k for k in range(len(labels)) if not parsed.children[k] and parsed.labels[k]]
        assert [labels[k] for k in leaves] == words
    first = tree(found["hypothesis_tree"].iloc[0])
    labels = {label.removesuffix("-REL") for label in first.labels}
    assert bool({"NP", "VP"} & labels) == ("SYN" in structure)
    assert ("PRP" in labels) == (structure != "DIS")
    assert any(label.startswith("EDU:") for label in labels) == ("DIS" in structure)
    assert found["hypothesis_tree"].iloc[1] == found["reference_tree"].iloc[2] == "()"


def test_words_of_a_discourse_tree_carry_their_marks():
    """There is no tag to carry them."""
    trees = tree("(EDU:NUCLEUS (PRP It) (VBZ works) (. .))"), tree("(S (X it) (Y .))")
    found = mark(*trees, "DIS", word_key("lower"))
    assert found == "(EDU:NUCLEUS (WORD-REL It) (WORD works) (WORD-REL .))"


def test_the_reference_that_shares_most_words():
    found = RelatedTrees("SYN").fit_transform(SENTENCES)
    assert "sits" in found["reference_tree"].iloc[3]
    assert "cat" in found["hypothesis_tree"].iloc[3]
    assert "(NN-REL cat)" in found["hypothesis_tree"].iloc[3]


def test_stems_and_base_forms(tmp_path):
    X = table(["The dogs ran."], ["A dog runs."])

    def marked(**options):
        line = RelatedTrees("SYN", **options).fit_transform(X)["hypothesis_tree"].iloc[0]
        parsed = tree(line)
        return {
            parsed.labels[k]
            for k in range(len(parsed.labels))
            if not parsed.children[k] and parsed.labels[parsed.parents[k]].endswith("-REL")
        }

    assert marked(match="lower") == {"."}
    assert marked() == marked(match="stem") == {"dogs", "."}
    for name, word in (("noun", "dog"), ("verb", "run"), ("adj", "red"), ("adv", "so")):
        (tmp_path / f"index.{name}").write_text(f"{word} {name[0]} 1 0 1 0 00000000  \n")
        (tmp_path / f"data.{name}").write_text("  licence\n")
        (tmp_path / f"{name}.exc").write_text("ran run\n" if name == "verb" else "")
    assert marked(match="lemma", wordnet=tmp_path) == {"dogs", "ran", "."}
    with pytest.raises(ValueError, match="match='lemma' needs WordNet"):
        marked(match="lemma", wordnet=None)


def test_trees_of_the_parser_come_back_without_marks():
    found = RelatedTrees().fit_transform(SENTENCES)
    parsed = ShallowParser("shallow+discourse").parse(SENTENCES["hypothesis"])
    assert [line.replace("-REL", "") for line in found["hypothesis_tree"]] == parsed


def test_processes_and_cache_change_nothing(tmp_path):
    expected = RelatedTrees().fit_transform(SENTENCES)
    for options in ({"n_jobs": 2}, {"cache": tmp_path / "trees"}, {"cache": tmp_path / "trees"}):
        pd.testing.assert_frame_equal(RelatedTrees(**options).fit_transform(SENTENCES), expected)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"structure": "CFG"}, r"structure .*found "),
        ({"match": "sense"}, r"match .*found "),
        ({"n_jobs": 0}, "n_jobs"),
        ({"match": "lemma", "wordnet": "/nowhere"}, "is no folder of WordNet"),
    ],
)
def test_options_out_of_range(options, problem):
    with pytest.raises(ValueError, match=problem):
        RelatedTrees(**options).fit(SENTENCES)


def test_tables_without_texts():
    with pytest.raises(CandidateError, match="'reference'"):
        RelatedTrees().fit(SENTENCES[["hypothesis"]])
    fitted = RelatedTrees().fit(SENTENCES)
    with pytest.raises(CandidateError, match="row 1"):
        fitted.transform(SENTENCES.assign(hypothesis=["a", np.nan, "b", "c"]))
