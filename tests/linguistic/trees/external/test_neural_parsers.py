"""Fakes with the interface of stanza 1.15 and benepar 0.2, whose models are hundreds of MB."""

import sys
from types import SimpleNamespace

import pytest
from nltk.tree import Tree

from sklearn_mteval.linguistic.trees.external import neural_parsers
from sklearn_mteval.linguistic.trees.parses import FAILED, PARSED
from sklearn_mteval.trees import BeneparParser, StanzaParser


class FakePipeline:
    """One tree over the words; as stanza's, called with a text, gives a document."""

    def __init__(self, lang, *, processors, download_method, tokenize_no_ssplit, verbose, dir="-"):
        assert (processors, download_method) == ("tokenize,pos,constituency", None)
        assert tokenize_no_ssplit is True and verbose is False
        if lang == "xx":
            raise FileNotFoundError(f"Could not find the model file in {dir}")

    def __call__(self, text):
        assert text and text == " ".join(text.split())
        tree = Tree("ROOT", [Tree("S", [Tree("NN", [word]) for word in text.split()])])
        return SimpleNamespace(sentences=[SimpleNamespace(constituency=tree)])


class FakeBenepar(SimpleNamespace):
    def InputSentence(self, *, escaped_words):
        return SimpleNamespace(escaped_words=escaped_words)

    def Parser(self, name):
        if name == "missing":
            raise LookupError("Resource missing not found.")
        return SimpleNamespace(
            parse=lambda sentence: Tree(
                "TOP", [Tree("S", [Tree("NN", [word]) for word in sentence.escaped_words])]
            )
        )


@pytest.fixture
def fakes(monkeypatch):
    for cached in (neural_parsers._pipeline, neural_parsers._load):
        cached.cache_clear()
    stanza = SimpleNamespace(Pipeline=FakePipeline, __version__="1.15.0")
    monkeypatch.setitem(sys.modules, "stanza", stanza)
    monkeypatch.setitem(sys.modules, "benepar", FakeBenepar())
    monkeypatch.setattr(neural_parsers, "version", lambda name: "0.2.0")
    yield
    for cached in (neural_parsers._pipeline, neural_parsers._load):
        cached.cache_clear()


@pytest.mark.usefixtures("fakes")
@pytest.mark.parametrize(
    ("parser", "root", "signature"),
    [
        (StanzaParser("de"), "ROOT", "stanza 1.15.0 de "),
        (StanzaParser("de", model_folder="m"), "ROOT", "stanza 1.15.0 de m"),
        (BeneparParser(), "TOP", "benepar 0.2.0 benepar_en3"),
    ],
)
def test_trees(parser, root, signature):
    assert parser.signature == signature
    found = list(parser.parse_nbest(["It works", "", "\n \t", "x" * 90 + "\n\ny", "\ud800"], 10))
    assert [p.status for p in found] == [PARSED, FAILED, FAILED, PARSED, PARSED]
    assert found[0].tree.split() == f"({root} (S (NN It) (NN works)))".split()
    assert [p.count for p in found] == [1, 0, 0, 1, 1]
    assert all(len(p.scores) == 0 for p in found)


@pytest.mark.usefixtures("fakes")
def test_brackets_in_words_are_escaped():
    [parses] = BeneparParser().parse_nbest(['He ("x") left.'], 1)
    assert "(NN -LRB-) (NN ``) (NN x) (NN '') (NN -RRB-)" in parses.tree


@pytest.mark.usefixtures("fakes")
@pytest.mark.parametrize("parser", [StanzaParser("xx"), BeneparParser("missing")])
def test_missing_models_are_named(parser):
    with pytest.raises(ImportError, match=r"no .*model .*Get it with .*\.download"):
        next(parser.parse_nbest(["x"], 1))


@pytest.mark.parametrize("parser", [StanzaParser(), BeneparParser()])
def test_missing_packages_are_named(parser, monkeypatch):
    for cached in (neural_parsers._pipeline, neural_parsers._load):
        cached.cache_clear()
    for name in ("stanza", "benepar"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"needs .*: pip install"):
        next(parser.parse_nbest(["x"], 1))
