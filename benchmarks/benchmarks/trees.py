"""The shipped parsers against nltk's tagger and Link Grammar, on translations of WMT."""

import random

import pandas as pd

from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.linguistic.trees.shipped import model as model_files
from sklearn_mteval.linguistic.trees.tokenizer import treebank_words
from sklearn_mteval.linguistic.trees.treebanks.conllu import conllu_sentences
from sklearn_mteval.trees import (
    ConstituencyParser,
    DependencyParser,
    LinkGrammar,
    ShallowParser,
    Trees,
)

from .common import data_dir, seconds

_PARSERS = {
    "shallow": ShallowParser("shallow"),
    "shallow+discourse": ShallowParser(),
    "dependency": DependencyParser(),
    "constituency": ConstituencyParser(),
}


def _texts(n_texts):
    """Return distinct hypotheses of WMT15, a mixture of all language pairs."""
    pairs = ("cs-en", "de-en", "fi-en", "fr-en", "ru-en")
    tables = [load_wmt(data_dir() / "wmt15", pair, return_X_y=True)[0] for pair in pairs]
    texts = pd.concat(tables)["hypothesis"].drop_duplicates()
    return texts[texts != ""].sample(n_texts, random_state=0).tolist()


class RealTexts:
    """2,000 distinct hypotheses of WMT15, none of them seen before."""

    unit = "sentences a second"
    params = tuple(_PARSERS)
    param_names = ("kind",)

    def setup_cache(self):
        return _texts(2000)

    def track_sentences_a_second(self, texts, kind):
        parser = _PARSERS[kind]
        return len(texts) / seconds(lambda: parser.parse(texts), repeat=2)

    def track_sentences_a_second_as_columns(self, texts, kind):
        X = pd.DataFrame({"hypothesis": texts})
        transformer = Trees(kind, ["hypothesis"]).fit(X)
        return len(texts) / seconds(lambda: transformer.transform(X), repeat=2)


class Peers:
    """Chunks and discourse against what others do alone."""

    unit = "times as fast"

    def setup_cache(self):
        from nltk.tag import PerceptronTagger

        random.seed(0)
        tagger = PerceptronTagger(load=False)
        folder = data_dir() / "gum" / "dep"
        sentences = [
            list(zip(sentence.words, sentence.tags, strict=True))
            for file in sorted(folder.glob("GUM_news_*.conllu"))
            for sentence in conllu_sentences(file)
        ]
        tagger.train(sentences, nr_iter=3)
        return _texts(2000), tagger

    def track_ratio_to_tagging_by_nltk(self, found):
        texts, tagger = found
        words = [treebank_words(text) for text in texts]
        peer = seconds(lambda: [tagger.tag(of_text) for of_text in words], repeat=1)
        return peer / seconds(lambda: _PARSERS["shallow+discourse"].parse(texts))

    def track_ratio_of_constituents_to_link_grammar(self, found):
        texts = found[0][:100]
        grammar = LinkGrammar()
        peer = seconds(lambda: list(grammar.parse_nbest(texts, 1)), repeat=1)
        return peer / seconds(lambda: _PARSERS["constituency"].parse(texts))


class Loading:
    """Reading the shipped model, the kernels compiled before."""

    unit = "seconds"

    def track_seconds(self):
        return seconds(lambda: (model_files._load.cache_clear(), model_files.load_model_folder()))


class Growth:
    """Time for each word must not grow with the length of a text."""

    unit = "microseconds for each word"
    params = (tuple(_PARSERS), (100, 1_000, 10_000))
    param_names = ("kind", "n_words")

    def setup_cache(self):
        return " ".join(_texts(1000)).split()

    def track_time_for_each(self, words, kind, n_words):
        text = " ".join(words[:n_words])
        return 1e6 * seconds(lambda: _PARSERS[kind].parse([text]), repeat=1) / n_words
