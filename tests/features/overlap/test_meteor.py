import io
import pickle
import time
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nltk.translate.meteor_score import align_words, meteor_score

from sklearn_mteval import load_model, save_model
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import METEORComp
from sklearn_mteval.features.overlap._meteor_alignment import count_stages
from sklearn_mteval.features.overlap.meteor import meteor_scores, prepare_meteor
from sklearn_mteval.text.stems import porter_stemmer
from sklearn_mteval.text.tokens import load_tokenizer
from sklearn_mteval.text.wordnet import WordNet, find_wordnet

DEBIAN = Path("/usr/share/wordnet")
NAMES = [
    "exact_matches", "stem_matches", "synonym_matches", "chunks", "hypothesis_length",
    "reference_length", "fragmentation", "precision", "recall", "f_mean", "penalty", "score",
]  # fmt: skip


class NoSynonyms:
    """A WordNet for nltk with nothing in it."""

    def synsets(self, word):
        return []


@pytest.fixture(scope="module")
def nltks_wordnet():
    """nltk's own reader of Debian's WordNet, with the help that it needs, or a visible skip."""
    if not (DEBIAN / "data.noun").is_file():
        pytest.skip("no WordNet: apt-get install wordnet-base")
    from nltk.corpus.reader.wordnet import WordNetCorpusReader
    from nltk.data import path

    class Reader(WordNetCorpusReader):
        def open(self, file):
            if file == "lexnames":  # not in Debian's package, and without use here
                return io.StringIO("".join(f"{i} name 0\n" for i in range(45)))
            return super().open(file)

        def map_wn(self, version="wordnet"):
            """Look for no other version."""

    path.append(str(DEBIAN))  # nltk opens files of these folders only
    reader = Reader(str(DEBIAN), omw_reader=NoSynonyms())
    yield reader
    for file in reader._data_file_map.values():
        file.close()
    path.remove(str(DEBIAN))


def write_wordnet(folder, nouns, *, exceptions=""):
    """Write a WordNet of some sets of nouns, each a string of synonyms, in wndb(5WN)'s format."""
    folder.mkdir(parents=True)
    data, offsets = "  1 a licence\n", {}
    for members in nouns:
        for word in members.split():
            offsets.setdefault(word.lower().partition("(")[0], []).append(len(data))
        words = " ".join(f"{word} 0" for word in members.split())
        data += f"{len(data):08d} 03 n {len(members.split()):02x} {words} 000 | a gloss of it\n"
    index = "  1 a licence\n" + "".join(
        f"{word} n {len(sets)} 1 @ {len(sets)} 0 {' '.join(f'{o:08d}' for o in sets)}  \n"
        for word, sets in sorted(offsets.items())
    )
    for part in ("noun", "verb", "adj", "adv"):
        own = part == "noun"
        (folder / f"index.{part}").write_text(index if own else "  1 a licence\n")
        (folder / f"data.{part}").write_text(data if own else "  1 a licence\n")
        (folder / f"{part}.exc").write_text(exceptions if own else "")
    return folder


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    nouns = ["car auto(ip) automobile motor_car", "car railcar", "man adult_male", "Paris"]
    return write_wordnet(
        tmp_path_factory.mktemp("wordnet") / "dict", nouns, exceptions="mice mouse\n"
    )


def frame(pairs):
    hypotheses, references = zip(*pairs, strict=True)
    return pd.DataFrame({"hypothesis": hypotheses, "reference": references}, dtype=object)


def components(hypothesis, reference, **options):
    X = frame([(hypothesis, reference)])
    options = {"wordnet": None, "tokenize": "none", **options}
    found = METEORComp(**options).set_output(transform="pandas").fit_transform(X).iloc[0]
    return found.rename(lambda name: name.removeprefix("meteor_"))


def tokenised(text, tokenize, lowercase):
    return load_tokenizer(tokenize)((text.lower() if lowercase else text).rstrip()).split()


def theirs(pairs, wordnet, *, tokenize="13a", lowercase=True, **parameters):
    """nltk's scores."""
    return [
        meteor_score(
            [tokenised(reference, tokenize, lowercase) for reference in references],
            tokenised(hypothesis, tokenize, lowercase),
            preprocess=str.lower if lowercase else str,
            wordnet=wordnet,
            **parameters,
        )
        for hypothesis, references in pairs
    ]


def assert_equal_to_nltk(pairs, wordnet, **options):
    ours = None if isinstance(wordnet, NoSynonyms) else DEBIAN
    transformer = METEORComp(wordnet=ours, **options)
    found = transformer.set_output(transform="pandas").fit_transform(frame(pairs))
    np.testing.assert_array_equal(found["meteor_score"], theirs(pairs, wordnet, **options))
    return found


# Two stages and more compete for most pairs of these.
FAMILIES = (
    "car cars automobile automobiles auto railcar | good goods well better best | be is are was "
    "being | say says said state states stated | big bigger large larger | the The THE a | mice "
    "mouse mouses | men man | don't | do | : , . | guard guards guarding protect protection | "
    "happy happiness felicity | die dying died | sky skies | USA usa U.S. | x_y | of in"
)
WORDS = st.sampled_from(FAMILIES.replace("|", "").split())
WORD_TEXTS = st.lists(WORDS, max_size=12).map(" ".join)
ODD = [*"aeiyysİıßΣσς.,'-_ \t\n\x00\u200b\ud800e\u0301日", "ing", "ies", "ational", "&quot;"]
ODD_TEXTS = st.lists(st.sampled_from(ODD), max_size=12).map("".join)


def test_chunks_and_penalty_of_the_paper():
    # Banerjee and Lavie 2005, section 2.2: two chunks, "the president" and "spoke to the
    # audience". P = 1, R = 6/7, F mean = 10 P R / (R + 9 P) = 20/23, penalty 0.5 (2/6)^3.
    found = components(
        "the president spoke to the audience", "the president then spoke to the audience"
    )
    expected = [6, 0, 0, 2, 6, 7, 1 / 3, 1, 6 / 7, 20 / 23, 1 / 54, 20 / 23 * 53 / 54]
    assert list(found.index) == NAMES
    np.testing.assert_allclose(found, expected, rtol=1e-15)


def test_parameters_by_hand():
    # P = 2/4, R = 2/3, two chunks of two matches: fragmentation 1.
    options = {"alpha": 0.25, "beta": 7, "gamma": 0.4}
    found = components("a x b y", "a q b", **options)
    f_mean = (1 / 3) / (0.25 * 0.5 + 0.75 * 2 / 3)
    np.testing.assert_allclose(found[["f_mean", "penalty", "score"]], [f_mean, 0.4, 0.6 * f_mean])
    assert components("a b", "a c d", alpha=0)["f_mean"] == 1 / 2
    assert components("a b", "a c d", alpha=1)["f_mean"] == 1 / 3
    assert (
        components("a b c", "a b x c", gamma=0)["score"] == components("a b c", "a b x c")["f_mean"]
    )
    assert components("a b c", "a b x c", beta=0)["penalty"] == 0.5
    assert components("a", "b", beta=0)["penalty"] == 0


def test_stages_by_hand(small):
    # "cars" is stemmed, "auto" and "railcar" are synonyms of "car" in different sets; the
    # last word of the hypothesis chooses first, and takes the last that is free.
    found = components("cars car car go", "going car auto railcar", wordnet=small)
    assert found[["exact_matches", "stem_matches", "synonym_matches"]].tolist() == [1, 1, 2]
    # alignment: cars–auto (2), car–railcar (3), car–car (1), go–going (0)
    assert found["chunks"] == 3
    found = components("cars car car go", "going car auto railcar")
    assert found["synonym_matches"] == 0 and found["score"] < 0.6


def test_synonyms_are_looked_up_by_stem_and_only_for_the_hypothesis(small):
    def matches(a, b):
        return components(a, b, wordnet=small)["synonym_matches"]

    assert matches("automobile", "car") == 0  # the stem "automobil" is not in WordNet
    assert matches("car", "automobile") == 0  # nor is it a synonym of "car"
    assert matches("car", "auto") == matches("auto", "car") == 1
    assert matches("railcar", "auto") == 0  # no common set


def test_synonyms_of_a_small_wordnet(small):
    synonyms = WordNet(small).synonyms
    assert synonyms("car") == {"car", "auto", "automobile", "railcar"}  # no collocation
    assert synonyms("railcars") == {"car", "railcar"}
    assert synonyms("men") == {"man"}
    assert synonyms("paris") == {"Paris"}
    assert synonyms("motor_car") == {"car", "auto", "automobile"}
    assert synonyms("mice") == synonyms("bus") == synonyms("") == synonyms("s") == set()


def test_the_example_of_nltk(nltks_wordnet):
    hypothesis = (
        "It is a guide to action which ensures that the military always obeys the commands of "
        "the party"
    )
    references = [
        "It is a guide to action that ensures that the military will forever heed Party commands",
        "It is the guiding principle which guarantees the military forces always being under "
        "the command of the Party",
        "It is the practical guide for the army always to heed the directions of the party",
    ]
    found = assert_equal_to_nltk([(hypothesis, references)], nltks_wordnet)
    assert found["meteor_score"].round(4).item() == 0.6944
    assert found["meteor_reference_length"].item() == 16


def test_scores_equal_nltks_on_the_sample(sample):
    X = sample[0].drop_duplicates()
    pairs = [(h, [r]) for h, r in zip(X["hypothesis"], X["reference"], strict=True)]
    assert len(pairs) > 500
    assert_equal_to_nltk(pairs, NoSynonyms())


@pytest.mark.slow
def test_synonyms_equal_nltks_on_all_words_of_wmt12(data_dir, nltks_wordnet):
    ours = WordNet(DEBIAN)
    words = set()
    for pair in ("cs-en", "de-en"):
        X, _ = load_wmt(data_dir / "wmt12", pair, return_X_y=True)
        texts = {*X["hypothesis"], *X["reference"]}
        words.update(word for text in texts for word in tokenised(text, "13a", True))
    stem = porter_stemmer()
    words = sorted({*words, *map(stem, words)})
    assert len(words) > 15_000
    for word in words:
        names = (name for synset in nltks_wordnet.synsets(word) for name in synset.lemma_names())
        assert ours.synonyms(word) == {name for name in names if "_" not in name}, word


@pytest.mark.slow
@pytest.mark.parametrize("reader", ["nltks_wordnet", None])
def test_scores_equal_nltks_on_real_data(data_dir, reader, request):
    wordnet = request.getfixturevalue(reader) if reader else NoSynonyms()
    X, _ = load_wmt(data_dir / "wmt12", "de-en", return_X_y=True)
    X = X.drop_duplicates().sample(2000, random_state=0)
    pairs = [(h, [r]) for h, r in zip(X["hypothesis"], X["reference"], strict=True)]
    found = assert_equal_to_nltk(pairs, wordnet)
    assert found["meteor_stem_matches"].sum() > 500
    assert (found["meteor_synonym_matches"].sum() > 500) == bool(reader)
    assert_equal_to_nltk(pairs[:100], wordnet, lowercase=False, alpha=0.6, beta=1.3, gamma=0.2)


def test_several_references_of_real_data(data_dir, nltks_wordnet):
    X, _ = load_wmt(data_dir / "wmt12", "cs-en", return_X_y=True)
    texts = X["hypothesis"].groupby(level="segment").unique().head(100)
    assert_equal_to_nltk([(first, rest) for first, *rest in texts if rest], nltks_wordnet)


@pytest.mark.parametrize("reader", ["nltks_wordnet", None])
@pytest.mark.parametrize("lowercase", [True, False])
def test_scores_equal_nltks_on_families_of_words(reader, lowercase, request):
    wordnet = request.getfixturevalue(reader) if reader else NoSynonyms()

    @settings(max_examples=100, deadline=None)
    @given(
        pairs=st.lists(
            st.tuples(WORD_TEXTS, st.lists(WORD_TEXTS, min_size=1, max_size=3)),
            min_size=1,
            max_size=5,
        ),
        alpha=st.floats(0, 1),
        beta=st.sampled_from([0, 0.5, 1, 2.5, 3.0, 1000.0]),
        gamma=st.floats(0, 1),
    )
    def check(pairs, **parameters):
        options = {"tokenize": "none", "lowercase": lowercase, **parameters}
        found = assert_equal_to_nltk(pairs, wordnet, **options)
        assert found["meteor_score"].between(0, 1).all()

    check()


@settings(max_examples=150, deadline=None)
@example(hypothesis="y" * 3000, reference="ys" * 1500)
@given(hypothesis=ODD_TEXTS, reference=ODD_TEXTS)
def test_scores_equal_nltks_on_odd_texts(hypothesis, reference):
    found = assert_equal_to_nltk([(hypothesis, [reference])], NoSynonyms())
    assert np.isfinite(found).all(axis=None)


@settings(max_examples=60, deadline=None)
@given(hypothesis=WORD_TEXTS, reference=WORD_TEXTS)
def test_matches_and_chunks_equal_nltks_alignment(hypothesis, reference):
    aligned, *_ = align_words(hypothesis.split(), reference.split(), wordnet=NoSynonyms())
    found = components(hypothesis, reference)
    assert found[["exact_matches", "stem_matches", "synonym_matches"]].sum() == len(aligned)
    links = {(i + 1, j + 1) for i, j in aligned}
    assert found["chunks"] == sum(link not in links for link in aligned)


def test_the_best_reference_and_the_first_of_equal_ones():
    found = components("a b c d", ["a b c x", "a b c d", "d c b a"])
    assert found[["exact_matches", "chunks", "score"]].tolist() == [4, 1, 1 - 0.5 / 64]
    assert components("a b", ["x", "y z q"])["reference_length"] == 1  # all score 0
    assert components("a b", ["a x y", "q w b"])["reference_length"] == 3
    assert components("a b", ["a b", "b a"])["chunks"] == 1


def test_empty_texts():
    X = frame([("", ""), ("", "a"), ("a", ""), (" ", "a b"), ("a", ["", "a"])])
    found = METEORComp(wordnet=None).fit_transform(X)
    assert found[:, 4:6].tolist() == [[0, 0], [0, 1], [1, 0], [0, 2], [1, 1]]
    assert not found[:4, [0, 1, 2, 3, 6, 7, 8, 9, 10, 11]].any()
    assert found[4, -1] == 0.5


def test_the_compiled_aligner_is_its_python_self():
    rng = np.random.default_rng(0)
    hypotheses, references = rng.integers(12, size=(2, 60))
    bounds = np.array([0, 0, 7, 20, 40, 60])
    pairs = np.argwhere(np.ones((5, 5), dtype=bool))
    stems = np.arange(12) // 2
    arguments = (hypotheses, bounds, references, bounds, pairs, stems)
    arguments += (np.array([3, 5, 0, 4]), np.array([0, 2, 2, 3, 3, 4, 4]))
    found = count_stages(*arguments)
    np.testing.assert_array_equal(found, count_stages.py_func(*arguments))
    assert (found.max(axis=0) > 1).all()


def test_scores_are_those_of_the_transformer(sample):
    X = sample[0].iloc[:20].drop_duplicates()
    sets = [((row.reference,), [row.hypothesis]) for row in X.itertuples()]
    found = METEORComp(wordnet=None).fit_transform(X)[:, -1]
    np.testing.assert_array_equal(meteor_scores(sets, **prepare_meteor(())), found)
    assert found.std() > 0


def test_names_do_not_depend_on_wordnet(sample, small):
    X = sample[0].iloc[:10]
    for wordnet in (None, small):
        fitted = METEORComp(wordnet=wordnet).fit(X)
        assert list(fitted.get_feature_names_out()) == [f"meteor_{name}" for name in NAMES]


def test_where_auto_looks(small, tmp_path, monkeypatch):
    for name in ("WNHOME", "WNSEARCHDIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("nltk.data.path", [str(tmp_path)])
    fallback = str(DEBIAN) if (DEBIAN / "data.noun").is_file() else None
    assert find_wordnet("auto") == fallback
    monkeypatch.setenv("WNHOME", str(tmp_path))  # without WordNet in it
    assert find_wordnet("auto") == fallback
    monkeypatch.setenv("WNHOME", str(small.parent))
    assert find_wordnet("auto") == str(small)
    other = write_wordnet(tmp_path / "other", ["a b"])
    monkeypatch.setenv("WNSEARCHDIR", str(other))
    assert find_wordnet("auto") == str(other)
    assert find_wordnet(None) is None and find_wordnet(False) is None


def test_nltks_folder_and_zip_file(tmp_path, monkeypatch):
    for name in ("WNHOME", "WNSEARCHDIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("nltk.data.path", [str(tmp_path / "no"), str(tmp_path)])
    usual = ("sklearn_mteval.text.wordnet._DEBIAN", tmp_path / "no")
    monkeypatch.setattr(*usual)
    assert find_wordnet("auto") is None
    (tmp_path / "corpora").mkdir()
    source = write_wordnet(tmp_path / "source", ["big great"])
    with zipfile.ZipFile(tmp_path / "corpora" / "wordnet.zip", "w") as archive:
        for file in source.iterdir():
            archive.write(file, f"wordnet/{file.name}")
    assert find_wordnet("auto") == str(tmp_path / "corpora" / "wordnet.zip")
    assert components("big", "great", wordnet="auto")["synonym_matches"] == 1
    write_wordnet(tmp_path / "corpora" / "wordnet", ["big good"])
    assert find_wordnet("auto") == str(tmp_path / "corpora" / "wordnet")


def test_a_model_with_synonyms_is_not_used_without(sample, tmp_path):
    X = sample[0].iloc[:5]
    folder = write_wordnet(tmp_path / "dict", ["car auto"])
    fitted = METEORComp(wordnet=str(folder)).fit(X)
    assert fitted.wordnet_ == str(folder)
    save_model(fitted, tmp_path / "model")
    folder.rename(tmp_path / "away")
    for model in (fitted, load_model(tmp_path / "model"), pickle.loads(pickle.dumps(fitted))):
        for part in (X, X.iloc[:0]):
            with pytest.raises(ValueError, match=r"dict' is no folder of WordNet.*wordnet-base"):
                model.transform(part)
    without = METEORComp().fit(X)  # by default, whatever is installed here
    assert without.wordnet_ is None
    without.transform(X)


def test_a_relative_path_stays_what_it_was(small, sample, tmp_path, monkeypatch):
    monkeypatch.chdir(small.parent)
    fitted = METEORComp(wordnet="dict").fit(sample[0].iloc[:5])
    monkeypatch.chdir(tmp_path)
    assert fitted.transform(sample[0].iloc[:5]).shape == (5, 12)


def test_a_damaged_wordnet(tmp_path):
    folder = write_wordnet(tmp_path / "dict", ["car auto"])
    data = folder / "data.noun"
    data.write_text("x" + data.read_text())
    with pytest.raises(ValueError, match="dict' is damaged: no synonym set at offset 00000014"):
        components("car", "auto", wordnet=folder)


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("index.noun", lambda text: b"", "index.noun is empty or cut"),
        ("data.adv", lambda text: b"", "data.adv is empty or cut"),
        ("index.noun", lambda text: text[:-20], "index.noun is empty or cut"),
        ("data.noun", lambda text: text[:-30], "data.noun is empty or cut"),
        ("index.noun", lambda text: b"\x80" + text, "index.noun is not UTF-8"),
        ("data.noun", lambda text: b"\x80" + text, "no synonym set at offset 00000014"),
        ("data.noun", lambda text: b"\x80" * 90 + b"\n", "no synonym set at offset 00000014"),
        ("data.noun", lambda text: text.replace(b"|", b" "), "no synonym set at offset 00000014"),
        ("index.noun", lambda text: b"car n many\n", "no synonym sets in 'n many'"),
        ("index.noun", lambda text: b"car\n", "no synonym sets in ''"),
    ],
)
def test_a_wordnet_that_is_cut_or_garbled(tmp_path, name, damage, message):
    path = write_wordnet(tmp_path / "dict", ["car auto"]) / name
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ValueError, match=f"dict' is damaged: {message}"):
        components("car", "auto", wordnet=path.parent)


def test_work_grows_with_the_number_of_words_not_its_square():
    n = 40_000
    words, bounds = np.arange(2 * n), np.array([0, n])
    empty = np.zeros(0, dtype=np.int64)
    no_synonyms = empty, np.zeros(2 * n + 1, dtype=np.int64)
    pair = np.zeros((1, 2), dtype=np.int64)
    # Compiled with a pair of two empty texts.
    count_stages(empty, bounds * 0, empty, bounds * 0, pair, words, *no_synonyms)
    start = time.process_time()
    counts = count_stages(words[:n], bounds, words[n:], bounds, pair, words, *no_synonyms)
    assert time.process_time() - start < 1  # comparing all words takes several seconds
    assert counts.tolist() == [[0, 0, 0, 0]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tokenize": "14a"}, r"tokenize .*'13a'"),
        ({"alpha": 1.1}, "alpha must be a number from 0 to 1, found 1.1"),
        ({"alpha": True}, "alpha must be"),
        ({"beta": -1}, "beta must be a number from 0 to .*, found -1"),
        ({"beta": np.inf}, "beta must be"),
        ({"gamma": np.nan}, "gamma must be"),
        ({"gamma": "0.5"}, "gamma must be"),
        ({"wordnet": True}, "wordnet must be 'auto', None or the path"),
        ({"wordnet": 3.0}, "wordnet must be"),
        (
            {"wordnet": "no/such/folder"},
            "such/folder' is no folder of WordNet.*missing are index.noun",
        ),
    ],
)
def test_bad_options(sample, options, message):
    with pytest.raises(ValueError, match=message):
        METEORComp(**options).fit(sample[0])
    with pytest.raises(ValueError, match=message):
        prepare_meteor((), **options)


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_a_folder_that_no_system_has_is_none(sample, name):
    with pytest.raises(ValueError, match="wordnet must be"):
        METEORComp(wordnet=name).fit(sample[0][:5])
