"""All metric scores at once against a loop over the libraries' own calls for one sentence."""

import tracemalloc

import pandas as pd

from sklearn_mteval import BLEUComp
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import MetricScores
from sklearn_mteval.text.wordnet import find_wordnet

from .common import data_dir, seconds
from .meteor import nltks_wordnet

N_CANDIDATES = 40_000  # a campaign
N_PEER = 1_000  # the loop takes some three milliseconds for each
SYNONYMS = {"meteor": {"wordnet": "auto"}}  # as in nltk's loop


def _loop(X, wordnet):
    """Score each pair with sacreBLEU and nltk, as one writes it down."""
    from nltk.stem import PorterStemmer
    from nltk.translate.meteor_score import single_meteor_score
    from nltk.translate.nist_score import sentence_nist
    from sacrebleu.metrics import BLEU, CHRF, TER

    metrics = [BLEU(effective_order=True), TER(), CHRF(), CHRF(word_order=2)]
    tokenize, stemmer = metrics[0].tokenizer, PorterStemmer()
    for hypothesis, reference in zip(X["hypothesis"], X["reference"], strict=True):
        for metric in metrics:
            metric.sentence_score(hypothesis, [reference])
        ours, theirs = tokenize(hypothesis).split(), tokenize(reference).split()
        single_meteor_score(theirs, ours, stemmer=stemmer, wordnet=wordnet)
        if ours:  # nltk divides by zero for a text shorter than n
            sentence_nist([theirs], ours, n=min(5, len(ours)))


class Campaign:
    """40,000 distinct hypotheses of WMT13 and WMT15; the loop gets the first 1,000."""

    timeout = 600

    def setup_cache(self):
        folders = [("wmt13", "fr-en")]
        folders += [("wmt15", pair) for pair in ("cs-en", "de-en", "fi-en", "fr-en", "ru-en")]
        tables = [load_wmt(data_dir() / campaign, pair).X for campaign, pair in folders]
        X = pd.concat(tables).drop_duplicates("hypothesis")
        return X.sample(N_CANDIDATES, random_state=0)

    def setup(self, X):
        folder = find_wordnet("auto")
        if folder is None:
            raise NotImplementedError("no WordNet: apt-get install wordnet-base")
        self.wordnet = nltks_wordnet(folder)
        self.fitted = MetricScores(options=SYNONYMS).fit(X)

    def track_seconds_with_bleu_components(self, X):
        transformers = [BLEUComp().fit(X), self.fitted]
        return seconds(lambda: [t.transform(X) for t in transformers], repeat=1)

    track_seconds_with_bleu_components.unit = "seconds for 40,000 candidates, BLEUComp as well"

    def track_seconds_of_fit(self, X):
        return seconds(lambda: MetricScores(options=SYNONYMS).fit(X), repeat=1)

    track_seconds_of_fit.unit = "seconds for 40,000 candidates"

    def track_ratio_to_the_loop(self, X):
        loop = seconds(lambda: _loop(X[:N_PEER], self.wordnet), repeat=1) / N_PEER
        return loop / (seconds(lambda: self.fitted.transform(X), repeat=1) / len(X))

    track_ratio_to_the_loop.unit = "times as fast"

    def track_ratio_of_two_jobs_to_one(self, X):
        two = MetricScores(options=SYNONYMS, n_jobs=2).fit(X)
        one = seconds(lambda: self.fitted.transform(X), repeat=1)
        return one / seconds(lambda: two.transform(X), repeat=1)

    track_ratio_of_two_jobs_to_one.unit = "times as fast"

    def track_peak_memory(self, X):
        tracemalloc.start()
        self.fitted.transform(X)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak / 2**20

    track_peak_memory.unit = "MiB besides the table, 40,000 candidates"
