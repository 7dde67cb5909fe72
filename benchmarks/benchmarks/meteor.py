"""METEOR against nltk's single_meteor_score."""

import io
from time import perf_counter

import pandas as pd

from sklearn_mteval import kendall_tau
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import METEORComp
from sklearn_mteval.text.stems import porter_stemmer
from sklearn_mteval.text.wordnet import find_wordnet, open_wordnet

from .common import data_dir, seconds


def nltks_wordnet(folder):
    """Open a WordNet folder with nltk's reader, which needs some help to read Debian's."""
    from nltk.corpus.reader.wordnet import WordNetCorpusReader
    from nltk.data import path

    class Reader(WordNetCorpusReader):
        def open(self, file):
            if file == "lexnames":
                return io.StringIO("".join(f"{i} name 0\n" for i in range(45)))
            return super().open(file)

        def map_wn(self, version="wordnet"):
            """Look for no other version."""

    path.append(folder)
    return Reader(folder, omw_reader=folder)


class _NoSynonyms:
    """What nltk is given in the place of WordNet."""

    def synsets(self, word):
        return []


class RealTexts:
    """20,000 distinct hypotheses of WMT15; nltk gets the first 2,000."""

    params = ("with synonyms", "without")
    param_names = ("wordnet",)

    def setup_cache(self):
        if find_wordnet("auto") is None:
            raise NotImplementedError("no WordNet: apt-get install wordnet-base")
        tables = [
            load_wmt(data_dir() / "wmt15", pair, return_X_y=True)[0]
            for pair in ("cs-en", "de-en", "fi-en", "fr-en", "ru-en")
        ]
        return pd.concat(tables).drop_duplicates("hypothesis").sample(20000, random_state=0)

    def track_segments_a_second(self, X, wordnet):
        return len(X) / seconds(self._transform(X, wordnet))

    track_segments_a_second.unit = "segments a second, no word seen before"

    def track_segments_a_second_again(self, X, wordnet):
        transformer = self._transformer(X, wordnet)
        return len(X) / seconds(lambda: transformer.transform(X))

    track_segments_a_second_again.unit = "segments a second, words seen before"

    def track_ratio_to_nltk(self, X, wordnet):
        theirs = self._nltk_seconds(X[:2000], wordnet) / 2000
        return theirs / (seconds(self._transform(X, wordnet)) / len(X))

    track_ratio_to_nltk.unit = "times as fast a segment, WordNet open, no word seen before"

    def track_ratio_of_two_jobs_to_one(self, X, wordnet):
        one, two = self._transformer(X, wordnet), self._transformer(X, wordnet, n_jobs=2)
        return seconds(lambda: one.transform(X)) / seconds(lambda: two.transform(X))

    track_ratio_of_two_jobs_to_one.unit = "times as fast"

    def _transformer(self, X, wordnet, **options):
        folder = find_wordnet("auto") if wordnet == "with synonyms" else None
        return METEORComp(wordnet=folder, **options).fit(X)

    def _transform(self, X, wordnet):
        transformer = self._transformer(X, wordnet)

        def call():
            porter_stemmer.cache_clear()
            transformer.transform(X)

        return call

    def _nltk_seconds(self, X, wordnet):
        """Time nltk's loop once; its tokens are given, ours are made."""
        from nltk.translate.meteor_score import single_meteor_score

        from sklearn_mteval.text.tokens import load_tokenizer

        tokenizer = load_tokenizer("13a")
        pairs = [
            [tokenizer(text.lower()).split() for text in texts]
            for texts in zip(X["reference"], X["hypothesis"], strict=True)
        ]
        synonyms = wordnet == "with synonyms"
        reader = nltks_wordnet(find_wordnet("auto")) if synonyms else _NoSynonyms()

        def loop():
            if synonyms:
                reader._synset_offset_cache.clear()
            for reference, hypothesis in pairs:
                single_meteor_score(reference, hypothesis, wordnet=reader)

        return seconds(loop, repeat=1)


class Start:
    """What a process pays once."""

    unit = "milliseconds"

    def setup(self):
        if find_wordnet("auto") is None:
            raise NotImplementedError("no WordNet: apt-get install wordnet-base")
        X = load_wmt(data_dir() / "wmt12", "de-en").X
        words = dict.fromkeys(" ".join(X["reference"]).lower().split())
        self.words = list(words)[:1000]

    def track_opening_wordnet(self):
        folder = find_wordnet("auto")

        def call():
            open_wordnet.cache_clear()
            open_wordnet(folder)

        return 1e3 * seconds(call)

    def track_opening_nltks_wordnet(self):
        folder = find_wordnet("auto")
        return 1e3 * seconds(lambda: nltks_wordnet(folder))

    def track_synonyms_of_1000_words(self):
        return 1e3 * self._seconds_of_words(open_wordnet(find_wordnet("auto")).synonyms)

    def track_nltks_synsets_of_1000_words(self):
        return 1e3 * self._seconds_of_words(nltks_wordnet(find_wordnet("auto")).synsets)

    def _seconds_of_words(self, look_up):
        began = perf_counter()
        for word in self.words:
            look_up(word)
        return perf_counter() - began


class Quality:
    """Tau on WMT12 with synonyms and without, nothing learnt."""

    unit = "tau x 100, strict"
    params = ("cs-en", "de-en")
    param_names = ("lang_pair",)

    def _tau(self, lang_pair, wordnet):
        X, y = load_wmt(data_dir() / "wmt12", lang_pair, return_X_y=True)
        scores = METEORComp(wordnet=wordnet).fit_transform(X)[:, -1]
        return 100 * kendall_tau(y, scores, groups=X.index.droplevel("system"))

    def track_tau_with_synonyms(self, lang_pair):
        if find_wordnet("auto") is None:
            raise NotImplementedError("no WordNet: apt-get install wordnet-base")
        return self._tau(lang_pair, "auto")

    def track_tau_without(self, lang_pair):
        return self._tau(lang_pair, None)
