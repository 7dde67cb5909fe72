import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.features import ParserStatistics
from sklearn_mteval.linguistic.trees.parses import TIMEOUT
from sklearn_mteval.trees import BracketedTrees, LinkGrammar, Parses

NAMES = [
    "parses", "log_likelihood", "confidence", "mean_confidence", "noun_phrases", "verb_phrases",
    "prepositional_phrases", "sentences", "subordinate_clauses", "nouns", "verbs", "punctuation",
    "skipped_words", "parsed",
]  # fmt: skip
PENN = (
    "( (S (NP-SBJ (NP (DT The) (NN cat)) (PP-LOC (IN in) (NP (NNP Rome) (POS 's) (NNS parks))))"
    " (VP (VBZ says) (, ,) (`` ``) (SBAR (-NONE- 0) (S (NP (PRP it)) (VP (MD can)"
    " (VP (VB sleep) (-LRB- -LRB-) (NFP :-\\)) (-RRB- -RRB-)))))) (. .)) )"
)
TIGER = (
    "(CS (S-CJ (NP-SB (ART Die) (NN-NK Katze)) (VAFIN hat) (VP-OC (PP (APPR in) (NE Rom))"
    " (VVPP geschlafen))) (KON und) (S-CJ (VMFIN kann) (VP (VVINF gehen))) ($. .))"
)
LINK = (
    "(S (NP (X the) (CAPITALIZED-WORDS Bundestag) (n-u war)) (VP (q-d said) (j-n and) (v is)"
    " (NULL NOUN) (v-fill and) (SBAR (j-c that) (S (NP (PL-CAPITALIZED-WORDS Xs) (p we)"
    " (l Rome)) (VP (w be) (g going))))) (, ,) (NULL .))"
)


def texts(*hypotheses):
    return pd.DataFrame({"hypothesis": hypotheses})


def table(parser, X, **options):
    return ParserStatistics(parser, **options).set_output(transform="pandas").fit_transform(X)


@pytest.mark.parametrize(
    ("tree", "counts"),
    [
        # NP VP PP S SBAR nouns verbs punctuation
        (PENN.replace("\\)", ""), [4, 3, 1, 2, 1, 3, 2, 6]),
        (TIGER, [1, 2, 1, 2, 0, 2, 4, 1]),
        (LINK, [2, 2, 0, 2, 1, 4, 4, 2]),
        ("(ROOT (SQ (AUX is) (NOUN x) (SINV (NP-TMP=2 (PROPN y)))))", [1, 0, 0, 2, 0, 2, 1, 0]),
        ("(NN x)", [0, 0, 0, 0, 0, 1, 0, 0]),
    ],
)
def test_counts_by_hand(tree, counts):
    found = table(BracketedTrees({"x": tree}), texts("x"))
    assert list(found) == [f"hypothesis_{name}" for name in NAMES]
    assert found.iloc[0].tolist() == [1, 0, 0, 0, *counts, 0, 1]


def test_scores_by_hand():
    """Probabilities 0.5, 0.25 and 0.05 given the sentence, times 0.2: of the three, 10/16 …"""
    trees = [(np.log(p / 5), "(S (NN x))") for p in (0.25, 0.5, 0.05)]
    found = table(BracketedTrees({"x": trees}), texts("x")).iloc[0]
    shares = np.array([10, 5, 1]) / 16
    expected = [3, np.log(0.1), np.log(shares[0]), np.log(shares).mean()]
    np.testing.assert_allclose(found.iloc[:4], expected, rtol=1e-12)
    two = table(BracketedTrees({"x": trees}), texts("x"), n_best=2).iloc[0]
    np.testing.assert_allclose(two.iloc[:3], [2, np.log(0.1), np.log(2 / 3)], rtol=1e-12)


def test_confidence_of_scores_far_apart():
    trees = [(-1e5, "(S x)"), (0.0, "(S x)")]
    found = table(BracketedTrees({"x": trees}), texts("x")).iloc[0]
    assert found.iloc[:4].tolist() == [2, 0, 0, -5e4]


class Stopped:
    """Stopped at "timeout", failed at anything with "fail"."""

    signature = "stopped"
    n_asked = 0

    def parse_nbest(self, sentences, n):
        trees = {"a": [(-1, "(S x)")], "b": [(-2, "(S (NP x))")] * 3, "c": [(-6, "(S (NP x))")] * 4}
        for sentence in sentences:
            self.n_asked += 1
            if sentence == "timeout":
                yield Parses(TIMEOUT, 0, np.zeros(0), "")
            else:
                yield from BracketedTrees(trees).parse_nbest([sentence], n)


def test_failures_have_the_median_of_the_training_texts():
    parser = ParserStatistics(Stopped()).set_output(transform="pandas")
    X = texts("a", "b", "c", "a", "a", "timeout", "fails", "fails")
    found = parser.fit(X).transform(X)
    failed = found.iloc[5:]
    assert (failed == failed.iloc[0]).all(axis=None)
    assert (
        failed.iloc[0, :2].tolist() == [3, -2] and failed["hypothesis_parsed"].tolist() == [0] * 3
    )
    assert found["hypothesis_parsed"].tolist() == [1] * 5 + [0] * 3
    assert parser.n_failed_ == {"hypothesis": 2} and parser.n_timeouts_ == {"hypothesis": 1}
    alone = parser.transform(texts("never seen"))
    assert alone.iloc[0].tolist() == failed.iloc[0].tolist()
    assert parser.failure_values_["hypothesis"].tolist() == alone.iloc[0].tolist()


def test_nothing_parsed():
    found = table(BracketedTrees({}), texts("x", "y"))
    assert (found == 0).all(axis=None)


def test_fit_transform_parses_once():
    X = texts("a", "b", "timeout", "a")
    once, twice = Stopped(), Stopped()
    found = ParserStatistics(once).fit_transform(X)
    np.testing.assert_array_equal(found, ParserStatistics(twice).fit(X).transform(X))
    assert (once.n_asked, twice.n_asked) == (3, 6)


def test_source_and_ratios():
    X = pd.DataFrame({"source": ["q"], "hypothesis": ["t"]})
    target = BracketedTrees({"t": "(S (NP (NN a)) (NP (NN b)))"})
    source = BracketedTrees({"q": "(S (NP (NN a)) (VP (VVFIN b)))"})
    found = table(target, X, source_parser=source, ratios=True).iloc[0]
    assert found["source_noun_phrases"] == 1 and found["hypothesis_noun_phrases"] == 2
    assert found["noun_phrases_ratio"] == 2 and found["verb_phrases_ratio"] == 0
    some = ["source_verbs", "noun_phrases_ratio"]
    assert list(table(target, X, source_parser=source, features=some)) == some
    with pytest.raises(ValueError, match="ratios=True needs source"):
        ParserStatistics(target, ratios=True).fit(X)


def test_columns_of_trees():
    X = pd.DataFrame(
        {"source": ["q", "q"], "hypothesis": ["a", "b"], "tree": ["(S (NP x))", "(())"],
         "source_tree": ["(S (VP (V x)))"] * 2}
    )  # fmt: skip
    found = table("tree", X, source_parser="source_tree")
    assert found["hypothesis_parsed"].tolist() == [1, 0]
    assert found["source_verb_phrases"].tolist() == [1, 1]
    fitted = ParserStatistics("tree").fit(X)
    other = pd.DataFrame({"hypothesis": ["c"], "tree": ["(S (PP (P x)))"]})
    assert fitted.transform(other)[0, NAMES.index("prepositional_phrases")] == 1
    with pytest.raises(ValueError, match="row 1: another tree than before of the same source"):
        ParserStatistics("tree", source_parser="tree").fit(X)
    with pytest.raises(ValueError, match="one column 'nowhere', found 0"):
        ParserStatistics("nowhere").fit(X)


def test_cache_and_progress(tmp_path, capsys):
    X = texts("a", "b", "timeout")
    parser = Stopped()
    expected = ParserStatistics(Stopped(), progress=True).fit_transform(X)
    assert capsys.readouterr().err.count("3 of 3") == 1
    for _ in range(2):
        found = ParserStatistics(parser, cache=tmp_path, progress=True).fit_transform(X)
        np.testing.assert_array_equal(found, expected)
    assert parser.n_asked == 3
    assert capsys.readouterr().err.count("3 of 3") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"parser": 3}, "parser must be a parser"),
        ({"source_parser": 3}, "source_parser must be a parser"),
        ({"n_best": 0}, "n_best must be an integer >= 1"),
        ({"features": ["source_parses"]}, "features must be of"),
    ],
)
def test_wrong_options(options, message):
    X = pd.DataFrame({"source": ["q"], "hypothesis": ["t"]})
    with pytest.raises(ValueError, match=message):
        ParserStatistics(**{"parser": BracketedTrees({}), **options}).fit(X)


class Scripted:
    """Gives what it was told, whatever it is asked."""

    signature = "scripted"

    def __init__(self, *parses):
        self.parses = parses

    def parse_nbest(self, sentences, n):
        yield from self.parses


ONE = Parses("parsed", 1, np.zeros(1), "(S (NN a))")


@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize(
    ("parses", "message"),
    [
        ([ONE], "shorter|fewer parses than the 2 sentences"),
        ([ONE, ONE._replace(scores=np.array([np.nan]))], r"scores must be finite, found \[nan\]"),
        ([ONE, ONE._replace(scores=np.array([-np.inf]))], r"must be finite, found \[-inf\]"),
    ],
)
def test_a_parser_that_breaks_its_contract(parses, message, cached, tmp_path):
    statistics = ParserStatistics(Scripted(*parses), cache=tmp_path if cached else None)
    with pytest.raises(ValueError, match=message):
        statistics.fit(texts("a", "b"))


def test_with_link_grammar():
    """Numbers of the tree (S (NP this.p) (VP is.v (NP a test.n)) .) and of costs 0, 0, 3, 3."""
    try:
        assert LinkGrammar().signature
    except ImportError as error:
        pytest.skip(str(error))
    found = table(LinkGrammar(), texts("This is a test.")).iloc[0]
    log_total = np.log(2 + 2 * np.exp(-3))
    expected = [4, 0, -log_total, -1.5 - log_total, 2, 1, 0, 1, 0, 1, 1, 1, 0, 1]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
