"""Language models: worked by hand, a plain-Python Kneser-Ney, kenlm as the oracle of queries."""

import gzip
import itertools
import math
import pickle
import re
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_mteval.datasets import load_sample
from sklearn_mteval.linguistic.language_models.file_model import FileModel
from sklearn_mteval.linguistic.language_models.model import NgramModel
from sklearn_mteval.text import estimate, write_arpa
from sklearn_mteval.text.tokens import load_tokenizer

SAMPLE = load_sample(return_X_y=True)[0]
REFERENCES = list(dict.fromkeys(SAMPLE["reference"]))
HYPOTHESES = list(dict.fromkeys(SAMPLE["hypothesis"]))
ODD = [
    "",
    " \t\n",
    "<s> a </s> <unk> <UNK>",
    "a\0b c",
    "\ud800 x",
    "日本 語",
    "a\u2028b\x1cc",
    "a b " * 900,
]


class Textbook:
    """Modified Kneser-Ney by the formulas of Chen and Goodman, with dictionaries."""

    def __init__(self, sentences, order):
        self.order = order
        raw = Counter()
        for sentence in sentences:
            padded = ["<s>", *sentence.split(), "</s>"]
            for n in range(1, order + 1):
                raw.update(tuple(padded[i : i + n]) for i in range(len(padded) - n + 1))
        self.vocabulary = {g[0] for g in raw if len(g) == 1} - {"<s>"} | {"<unk>"}
        before = defaultdict(set)
        for gram in raw:
            if len(gram) > 1:
                before[gram[1:]].add(gram[0])
        self.counts = {
            g: c if len(g) == order or g[0] == "<s>" else len(before[g])
            for g, c in raw.items()
            if g != ("<s>",)
        }
        self.discounts = [self._discounts(n) for n in range(1, order + 1)]
        self.after = defaultdict(dict)
        for gram, count in self.counts.items():
            self.after[gram[:-1]][gram[-1]] = count

    def _discounts(self, n):
        t = Counter(c for g, c in self.counts.items() if len(g) == n)
        if not (t[1] and t[2] and t[3]):
            return (0.5, 1.0, 1.5)
        y = t[1] / (t[1] + 2 * t[2])
        d = (1 - 2 * y * t[2] / t[1], 2 - 3 * y * t[3] / t[2], 3 - 4 * y * t[4] / t[3])
        return d if all(0 < x <= k for k, x in enumerate(d, 1)) else (0.5, 1.0, 1.5)

    def probability(self, word, context):
        """P(word | at most order - 1 words before it)."""
        context = tuple(context)[max(len(context) - self.order + 1, 0) :]
        if context == ():
            lower = 1 / len(self.vocabulary)
        else:
            lower = self.probability(word, context[1:])
        followers = self.after.get(context)
        if not followers:
            return lower
        discount = self.discounts[len(context)]
        total = sum(followers.values())
        taken = sum(discount[min(c, 3) - 1] for c in followers.values())
        c = followers.get(word, 0)
        own = (c - discount[min(c, 3) - 1]) / total if c else 0.0
        return own + taken / total * lower


def probability(model, word, context):
    """P(word | sentence beginning and context), by the model."""
    text = " ".join([*context, word])
    return 10 ** model.word_scores(text)[len(context)][1]


CORPORA = {
    "two sentences": ["a b", "a c"],
    "discounts found": [
        "a b a c a b d",
        "b a d a a b",
        "c a b b a",
        "d a b",
        "e f a b a",
        "a e",
        "f",
    ],
}
rng = np.random.default_rng(0)
CORPORA["random"] = [
    " ".join(rng.choice(list("abcdefghijklmnop"), size=rng.integers(1, 9), p=None))
    for _ in range(60)
]


def test_worked_by_hand():
    """Corpus "a b", "a c": bigrams <s>a:2, ab, ac, b</s>, c</s>; fallback discounts at order 2.

    Adjusted unigram counts (different words before): a 1, b 1, c 1, </s> 2; their sum is 5. There
    is no count of 3, so that the discounts are 0.5, 1 and 1.5: taken are 3 * 0.5 + 1 = 2.5, half
    the mass. The vocabulary is a, b, c, </s>, <unk>, so that P(a) = 0.5 / 5 + 0.5 / 5 = 0.2,
    P(</s>) = 1 / 5 + 0.5 / 5 = 0.3, P(<unk>) = 0.1. P(a | <s>) = (2 - 1) / 2 + 1 / 2 * 0.2 = 0.6.
    P(b | a) = (1 - 0.5) / 2 + (0.5 + 0.5) / 2 * 0.2 = 0.35. P(</s> | b) = 0.5 + 0.5 * 0.3 = 0.65.
    """
    model = estimate(CORPORA["two sentences"], order=2)
    assert model.fallback_orders == [1, 2]
    assert probability(model, "a", []) == pytest.approx(0.6)
    found = model.word_scores("a b")
    assert [word for word, _, _ in found] == ["a", "b", "</s>"]
    assert [10**score for _, score, _ in found] == pytest.approx([0.6, 0.35, 0.65])
    assert [length for *_, length in found] == [2, 2, 2]
    # x is unknown: the weight of <s> (0.5) and P(<unk>); after it, no context.
    found = model.word_scores("x b")
    assert [10**score for _, score, _ in found] == pytest.approx([0.5 * 0.1, 0.2, 0.65])
    assert [length for *_, length in found] == [1, 1, 2]
    log_probability, n_tokens, n_unknown = model.score(["a b", "x b", ""])
    expected = [0.6 * 0.35 * 0.65, 0.05 * 0.2 * 0.65, 0.5 * 0.3]
    np.testing.assert_allclose(10**log_probability, expected, rtol=1e-6)
    np.testing.assert_array_equal([n_tokens, n_unknown], [[2, 2, 0], [0, 1, 0]])


def test_discounts_worked_by_hand():
    """Of counts 1, 1, 1, 1, 2, 2, 3, 4: Y = 4/8, D1 = 1 - 2/2 * 2/4 = 0.5, D2 = 2 - 3/2 * 1/2, ….

    Unigrams alone, so that counts are raw; </s> is the word that occurs 4 times.
    """
    model = estimate(["a b c", "d e e", "f f g", "g g"], order=1)
    np.testing.assert_allclose(model.discounts, [[0.5, 2 - 1.5 * 0.5, 3 - 2.0 * 1 / 1]])
    assert model.fallback_orders == []


@pytest.mark.parametrize("order", [1, 2, 3, 5, 6])
@pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA)
def test_textbook(corpus, order):
    model, textbook = estimate(corpus, order=order), Textbook(corpus, order)
    np.testing.assert_allclose(model.discounts, textbook.discounts)
    words = sorted(textbook.vocabulary - {"</s>", "<unk>"})
    rng = np.random.default_rng(1)
    for _ in range(40):
        text = rng.choice([*words, "unseen"], size=rng.integers(0, 9)).tolist()
        names = ["<unk>" if word == "unseen" else word for word in text]
        padded = ["<s>", *names, "</s>"]
        expected = [textbook.probability(padded[k], padded[:k]) for k in range(1, len(padded))]
        found = [10**score for _, score, _ in model.word_scores(" ".join(text))]
        assert found == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_probabilities_sum_to_one(order):
    model = estimate(REFERENCES, order=order)
    words = model.words[3:]
    rng = np.random.default_rng(0)
    contexts = [[], *(REFERENCES[k].lower().split()[:n] for k, n in [(0, 1), (1, 2), (2, 6)])]
    contexts += [["unseen-word", words[0]], rng.choice(words, size=3).tolist()]
    for context in contexts:
        prefix = " ".join(context)
        at = len(model.word_scores(prefix)) - 1
        total = sum(
            10 ** model.word_scores(f"{prefix} {w}")[at][1] for w in [*words, "unseen-word"]
        )
        total += 10 ** model.word_scores(prefix)[-1][1]
        assert total == pytest.approx(1, abs=2e-5)


def read_arpa(path):
    """Probability and back-off of each n-gram of a file, and the sizes it announces."""
    text = path.read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.split("\n") if "\t" in line]
    sizes = [int(size) for size in re.findall(r"^ngram \d=(\d+)$", text, flags=re.M)]
    return {ngram: list(map(float, [score, *rest])) for score, ngram, *rest in rows}, sizes


def test_arpa_file(tmp_path):
    """Each n-gram once, back-offs but for the longest, numbers to the last bit."""
    model = estimate(CORPORA["random"], order=3)
    write_arpa(model, tmp_path / "x.arpa")
    ngrams, sizes = read_arpa(tmp_path / "x.arpa")
    assert sizes == model.sizes == [sum(len(g.split()) == n for g in ngrams) for n in (1, 2, 3)]
    assert ngrams["<s>"][0] == 0 and ngrams["</s>"][1] == 0
    assert [len(numbers) for numbers in ngrams.values()] == [2] * sum(sizes[:2]) + [1] * sizes[2]
    written = [numbers[0] for numbers in ngrams.values()]
    np.testing.assert_array_equal(np.array(written, dtype=np.float32), model.log_probability)
    textbook = Textbook(CORPORA["random"], 3)
    for ngram, (score, *_) in itertools.islice(ngrams.items(), 3, None):
        *context, word = ngram.split()
        assert 10**score == pytest.approx(textbook.probability(word, context), rel=1e-5)


@pytest.fixture(scope="module")
def kenlm():
    return pytest.importorskip("kenlm")


def quiet(kenlm, path):
    config = kenlm.Config()
    config.show_progress, config.arpa_complain = False, kenlm.ARPALoadComplain.NONE
    return kenlm.Model(str(path), config)


def agree(kenlm, model, path, texts):
    """The same scores for each word and sentence, up to sums of 32-bit numbers."""
    write_arpa(model, path)
    oracle = quiet(kenlm, path)
    tokenizer = load_tokenizer(model.tokenize)
    tokens = [tokenizer(text.lower().rstrip()).split() for text in texts]
    expected = [oracle.score(" ".join(words)) for words in tokens]
    log_probability, n_tokens, n_unknown = model.score(texts)
    np.testing.assert_allclose(log_probability, expected, rtol=3e-6, atol=1e-5)
    np.testing.assert_array_equal(n_tokens, list(map(len, tokens)))
    np.testing.assert_array_equal(n_unknown, [sum(w not in oracle for w in ws) for ws in tokens])
    for text, words in itertools.islice(zip(texts, tokens, strict=True), 200):
        full = list(oracle.full_scores(" ".join(words)))
        found = model.word_scores(text)
        assert [word for word, *_ in found] == [*words, "</s>"]
        np.testing.assert_allclose([f[1] for f in found], [f[0] for f in full], atol=1e-5)
        # kenlm gives an unknown word the length 0 or 1.
        assert [f[2] for f in found] == [max(f[1], 1) for f in full]


@pytest.mark.parametrize("order", [2, 3, 5, 6])
def test_kenlm_on_the_sample(kenlm, tmp_path, order):
    texts = [*HYPOTHESES[:150], *REFERENCES[:50], "", "unknown wordsx only"]
    agree(kenlm, estimate(REFERENCES, order=order), tmp_path / "x.arpa", texts)


def test_kenlm_on_real_texts(kenlm, tmp_path, data_dir):
    read = lambda name: (data_dir / name).read_text(encoding="utf-8").split("\n")  # noqa: E731
    corpus = [
        line
        for pair in ("csen", "deen")
        for line in read(f"wmt15/references/newstest2015-{pair}-ref.en")
    ]
    texts = read("wmt13/references/newstest2013-ref.en")
    agree(kenlm, estimate(corpus, order=5), tmp_path / "x.arpa", texts)


letters = st.text(st.sampled_from("ab<>&;s/unk \t\n\0\ud800éA.,-1'\u2028日"), max_size=25)


@settings(max_examples=40)
@given(st.lists(letters, min_size=1, max_size=8), st.lists(letters, max_size=4), st.integers(2, 4))
def test_odd_texts(kenlm, tmp_path_factory, corpus, texts, order):
    """Own query and kenlm's on any corpus and text: markers, NUL, surrogates, odd spaces."""
    model = estimate([*corpus, "a word"], order=order, tokenize="none")
    path = tmp_path_factory.getbasetemp() / "odd.arpa"
    write_arpa(model, path)
    oracle = FileModel(path, tokenize="none")
    for found, expected in zip(model.score(texts), oracle.score(texts), strict=True):
        np.testing.assert_allclose(found, expected, rtol=3e-6, atol=1e-5)


@pytest.mark.parametrize("tokenize", ["none", "13a"])
def test_markers_are_unknown_words(kenlm, tmp_path, tokenize):
    model = estimate(["a <s> b </s> <unk> c", *REFERENCES[:50]], order=3, tokenize=tokenize)
    write_arpa(model, tmp_path / "x.arpa")
    for asked in (model, FileModel(tmp_path / "x.arpa", tokenize=tokenize)):
        scores, n_tokens, n_unknown = asked.score(["x y", *ODD])
        assert np.isfinite(scores).all() and (scores <= 0).all() and len(n_tokens) == 9
        if tokenize == "none":
            marked, plain = asked.score(["a <s> b <unk> </s>", "a qq b qq qq"])[0]
            assert marked == plain
            assert n_unknown[3] == 4


def test_forms_of_a_corpus(tmp_path):
    """A list, a generator, a file, with CRLF, BOM, gzip: one model. Empty lines do not count."""
    expected = estimate(REFERENCES, order=3)
    text = "\n\n".join(REFERENCES) + "\n"
    (tmp_path / "plain.txt").write_bytes(text.encode())
    (tmp_path / "dos.txt").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    (tmp_path / "zipped").write_bytes(gzip.compress(text.encode()))
    forms = [
        iter(REFERENCES),
        tmp_path / "plain.txt",
        str(tmp_path / "dos.txt"),
        tmp_path / "zipped",
    ]
    for form in forms:
        found = estimate(form, order=3)
        assert found.words == expected.words
        np.testing.assert_array_equal(found.log_probability, expected.log_probability)


def test_blocks_make_no_difference(monkeypatch):
    expected = estimate(REFERENCES, order=3)
    monkeypatch.setattr("sklearn_mteval.linguistic.language_models.corpus._BLOCK", 7)
    found = estimate(REFERENCES, order=3)
    assert sorted(found.words) == sorted(expected.words)
    np.testing.assert_array_equal(found.score(HYPOTHESES), expected.score(HYPOTHESES))


def test_bad_corpora(tmp_path):
    latin = tmp_path / "latin.txt"
    latin.write_bytes("one\ntwo\ncaf\u00e9\n".encode("latin-1"))
    with pytest.raises(ValueError, match=r"latin\.txt, line 3: expected UTF-8"):
        estimate(latin)
    damaged = tmp_path / "cut.gz"
    damaged.write_bytes(gzip.compress(b"some text " * 99)[:-9])
    with pytest.raises(ValueError, match="damaged gzip"):
        estimate(damaged)
    (tmp_path / "blank").write_text("\n \n\n")
    for corpus in ([], ["", "  "], tmp_path / "blank", ["<s> </s>"]):
        with pytest.raises(ValueError, match="no word"):
            estimate(corpus, tokenize="none")
    with pytest.raises(ValueError, match="sentence 1, found None"):
        estimate(["a", None])
    with pytest.raises(ValueError, match="lowercase must be True or False, found 'no'"):
        estimate(["a"], lowercase="no")
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(ValueError, match="cannot be read"):
            estimate(path)
    for order in (0, 7, True, 2.0, None):
        with pytest.raises(ValueError, match="order must be an integer >= 1 and <= 6"):
            estimate(["a"], order=order)


@pytest.fixture(scope="module")
def arpa(tmp_path_factory):
    path = tmp_path_factory.mktemp("arpa") / "good.arpa"
    write_arpa(estimate(REFERENCES, order=3), path)
    return path.read_bytes()


DAMAGES = {
    "cut short": lambda good: good[: len(good) // 2],
    "without its end": lambda good: good[:-6],
    "empty": lambda good: b"",
    "prose": lambda good: b"It was a dark and stormy night.\n" * 50,
    "zeros": lambda good: bytes(500),
    "wrong count": lambda good: re.sub(rb"ngram 2=(\d+)", rb"ngram 2=\g<1>9", good),
    "other version": lambda good: (
        b"mmap lm http://kheafield.com/code format version 4\n\0" + bytes(500)
    ),
    "header only": lambda good: b"mmap lm http://kheafield.com/code format version 5\n\0",
    "unigrams": lambda good: (
        b"\\data\\\nngram 1=3\n\n\\1-grams:\n-1 <unk>\n-1 <s>\n-1 </s>\n\n\\end\\\n"
    ),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_bad_model_files(kenlm, arpa, damage, tmp_path, capfd):
    (tmp_path / "bad.arpa").write_bytes(damage(arpa))
    with pytest.raises(ValueError, match=r"bad\.arpa: kenlm cannot read it"):
        FileModel(tmp_path / "bad.arpa")
    assert capfd.readouterr().err == ""


def test_infinite_numbers_in_a_file(kenlm, arpa, tmp_path):
    bad = re.sub(rb"\n\S+\t<unk>", b"\n-inf\t<unk>", arpa)
    (tmp_path / "bad.arpa").write_bytes(bad)
    with pytest.raises(ValueError, match="not finite"):
        FileModel(tmp_path / "bad.arpa").score(["zzzz"])


def test_a_file_that_is_gone_or_different(kenlm, arpa, tmp_path):
    path = tmp_path / "x.arpa"
    for place in (path, tmp_path):
        with pytest.raises(ValueError, match="cannot be read"):
            FileModel(place)
    path.write_bytes(arpa)
    pickled = pickle.dumps(FileModel(path))
    assert len(pickled) < 1000
    assert pickle.loads(pickled).order == 3
    from sklearn_mteval.linguistic.language_models import file_model

    file_model._open.cache_clear()
    path.write_bytes(arpa + b"\n")
    with pytest.raises(ValueError, match="not the language model of the fit"):
        pickle.loads(pickled).score(["a"])
    path.unlink()
    with pytest.raises(ValueError, match="cannot be read"):
        pickle.loads(pickled).score(["a"])


def test_pickle():
    model = estimate(REFERENCES, order=3)
    again = pickle.loads(pickle.dumps(model))
    assert isinstance(again, NgramModel) and again.words == model.words and again.order == 3
    np.testing.assert_array_equal(again.score(HYPOTHESES), model.score(HYPOTHESES))
    assert math.isfinite(again.score([""])[0][0])
