import os
import pickle
import re
import shutil
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from language_tools import (
    Dictionary,
    WordDropper,
    frame,
    needs_diction,
    needs_english,
    needs_german,
    output,
)

from sklearn_mteval import load_model, save_model
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import LanguageCheck
from sklearn_mteval.linguistic.quality_estimation._programs import (
    GRADES,
    diction_numbers,
    find_dictionary,
    readability_grades,
    run_program,
    spelling_numbers,
    style_numbers,
)


def test_misspelt_words_by_hand():
    known = Dictionary("the", "cat", "don't", "well-known")
    texts = [
        "the cat, teh cat",  # 4 words, one of them wrong
        "“the” — don’t ‘cat’.",  # quotes and dashes are not the word's
        "well-known 3.14 !",  # no word but the first
        "",
        "... 12",
        "teh Teh the\x00 cat\ud800",  # the last two cannot be looked up
    ]
    expected = [[1, 1 / 4], [0, 0], [0, 0], [0, 0], [0, 0], [4, 1]]
    np.testing.assert_allclose(spelling_numbers(texts, known), expected)
    assert not [word for word in known.asked if not word.isprintable()]


def test_each_word_is_looked_up_once():
    known = Dictionary("the")
    found = spelling_numbers(["the cat sat", "the cat", "the cat sat"], known)
    assert found[:, 0].tolist() == [2, 1, 2]
    assert sorted(known.asked) == ["cat", "sat", "the"]


@needs_english
@needs_german
def test_spelling_of_both_languages():
    X = frame(
        "The colour of teh house.",
        "Das Haus ist schön.",
        source=["Die Äußerung wäre möglich.", "Die Äuserung ist flasch."],
    )
    check = LanguageCheck("en_US", source_language="de_DE", checks=["spelling"], ratios=True)
    found = output(check, X)
    assert list(found) == [
        "source_misspelt_words",
        "source_misspelt_proportion",
        "hypothesis_misspelt_words",
        "hypothesis_misspelt_proportion",
        "misspelt_words_ratio",
        "misspelt_proportion_ratio",
    ]
    assert found["source_misspelt_words"].tolist() == [0, 2]
    assert found["hypothesis_misspelt_words"].tolist() == [2, 4]  # American; "ist", "schön" …
    assert found["misspelt_words_ratio"].tolist() == [2, 2]
    assert set(check.providers_) == {"source", "hypothesis"}


@needs_english
def test_the_provider_does_not_depend_on_the_users_order(tmp_path):
    """Debian's own order asks aspell first for en_US; a user's file may say anything."""
    (tmp_path / "enchant.ordering").write_text("*:aspell,hunspell\nen_US:aspell,hunspell\n")
    module = "sklearn_mteval.linguistic.quality_estimation._programs"
    script = f"from {module} import find_dictionary as f; print(f('en_US')[1])"
    run = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "ENCHANT_CONFIG_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    import enchant

    broker = enchant.Broker()
    broker.set_ordering("en_US", "hunspell")  # then the others, if it has no such dictionary
    assert run.stdout.strip() == broker.request_dict("en_US").provider.name


@needs_english
@pytest.mark.parametrize("provider", ["hunspell", "aspell"])
def test_a_provider_that_is_named_is_the_one(provider):
    found = find_dictionary("en_US", provider)
    if found is None:
        pytest.skip(f"no English dictionary of {provider}")
    dictionary, name = found
    assert name == dictionary.provider.name == provider
    assert spelling_numbers(["The color of teh house"], dictionary).tolist() == [[1, 1 / 5]]


@needs_english
def test_a_country_that_is_not_there_is_not_another_one():
    assert find_dictionary("en_XX") is None
    with pytest.raises(
        ValueError, match="no dictionary of 'en_XX': apt-get install hunspell-en-xx"
    ):
        LanguageCheck("en_XX", checks=["spelling"]).fit(frame("a"))


# Style and diction


def words_of_style(text, language, *options, program="style"):
    """Run the tool by hand on one text that needs no preparation."""
    run = subprocess.run(
        [program, "-L", language, *options],
        input=text + "\n",
        capture_output=True,
        text=True,
        encoding="latin-1",
        env={"LC_ALL": "C", "PATH": os.environ["PATH"]},
        check=True,
    )
    return run.stdout


def simple(texts):
    """Texts that style reads as they are: ASCII, from a capital to a full stop."""
    pattern = re.compile(r"[A-Z][A-Za-z0-9 ,.'?!\-]*[a-z]{5,}\.")
    return [t for t in dict.fromkeys(texts) if pattern.fullmatch(t) and ".." not in t]


@pytest.mark.slow
@needs_diction
@pytest.mark.parametrize(("language", "column"), [("en", "hypothesis"), ("de", "source")])
def test_numbers_are_those_of_the_tools_sentence_by_sentence(language, column, data_dir):
    X = load_wmt(data_dir / "wmt12", "de-en", return_X_y=True)[0]
    texts = simple(X[column])[:150]
    assert len(texts) > 80
    found = style_numbers(texts, language, timeout=60)
    phrases = diction_numbers(texts, language, timeout=60)[:, 0]
    names = ["Kincaid", "ARI", "Coleman-Liau", "Flesch Index", "Fog Index", "Lix", "SMOG-Grading"]
    for text, numbers, n_phrases in zip(texts, found, phrases, strict=True):
        report = words_of_style(text, language)
        passive = re.search(r"\((\d+)\) passive sentences", report)
        assert numbers[0] == int(passive[1])
        listed = words_of_style(text, language, "-N").count("(stdin):")
        assert numbers[1] == listed
        grades = [float(re.search(rf"{name}: (-?[\d.]+)", report)[1]) for name in names]
        np.testing.assert_allclose(numbers[2:], grades, atol=0.0501)  # printed with one decimal
        assert n_phrases == words_of_style(text, language, program="diction").count("[")
    assert (found.std(axis=0) > 0).all() and phrases.any()


def test_grades_by_hand():
    # 2 sentences, 7 words of 35 letters; "remarkable" has 3 syllables by style's count
    # (em, ar, ab: a vowel and a consonant), "utilization" 5.
    sentences = ["The cat has utilization.", "She is remarkable."]
    found = dict(zip(GRADES, readability_grades([sentences, []], "en").T, strict=True))
    length, per_sentence = 35 / 7, 7 / 2
    assert found["ari"][0] == pytest.approx(4.71 * length + 0.5 * per_sentence - 21.43)
    assert found["lix"][0] == pytest.approx(per_sentence + 100 * 2 / 7)
    assert found["fog"][0] == pytest.approx(0.4 * (per_sentence + 100 * 2 / 7))
    assert found["smog"][0] == pytest.approx(30**0.5 + 3)
    syllables = (1 + 1 + 1 + 5 + 1 + 1 + 3) / 7
    assert found["kincaid"][0] == pytest.approx(11.8 * syllables + 0.39 * per_sentence - 15.59)
    assert found["flesch"][0] == pytest.approx(206.835 - 84.6 * syllables - 1.015 * per_sentence)
    assert not any(grade[1] for grade in found.values())


@needs_diction
def test_style_and_diction_by_hand():
    X = frame(
        "it was written by me. At this point in time we go in order to see",
        "He saw the the cat.",
        "The utilization is documentation. Information helps.",
        "",
        "日本語のテキスト。",
    )
    found = output(LanguageCheck("en", checks=["diction", "style"]), X)
    assert found["hypothesis_passive_sentences"].tolist() == [1, 0, 1, 0, 0]
    assert found["hypothesis_nominal_sentences"].tolist() == [0, 0, 2, 0, 0]
    phrases = words_of_style("Information helps. Utilization.", "en", program="diction").count("[")
    assert found["hypothesis_wordy_phrases"].tolist()[:2] == [2, 1]
    assert found["hypothesis_wordy_phrases"][2] >= phrases
    assert not found.iloc[3:].to_numpy().any()


@needs_diction
def test_a_text_that_looks_like_a_directive():
    """Both programs obey cpp's lines that begin with "#" and skip the rest."""
    texts = ["# it was so", '#line 7 "x" it was so', "It was so."]
    assert style_numbers(texts, "en", timeout=60)[:, 0].tolist() == [1, 1, 1]


@needs_diction
def test_german_umlauts():
    X = frame("Überaus große Äußerungen sind größer wie wir", "Wir gehen.")
    found = output(LanguageCheck("de_DE", checks=["diction", "style"]), X)
    listed = words_of_style("Sie sind größer wie wir.", "de", program="diction")
    assert listed.count("[") == 1  # the tool reads Latin-1
    assert found["hypothesis_wordy_phrases"].tolist() == [1, 0]
    # 7 words: an umlaut is no gap between two
    plain = output(
        LanguageCheck("de_DE", checks=["style"]),
        frame("Uberaus grosse Ausserungen sind grosser wie wir"),
    )
    assert found["hypothesis_lix"][0] == plain["hypothesis_lix"][0] == 7 + 100 * 3 / 7


ODD = st.lists(
    st.sampled_from(["A", "was", "...", ".", "!", "?", ":", '"', "'s", "#", "\x00", "\ud800", "Ä"])
    | st.sampled_from(
        ["ß", "日本", "½", "3.14", "Mr.", "[", "]", "`id`", "$(rm)", ";|&", "e\u0301"]
    )
    | st.sampled_from(["the the", "in order to", '#line 3 "x"', "\n", "et al.", "\x1b[0m"])
    | st.sampled_from(["\u2028", "(stdin):1: Foo", "Information", "readability grades:"]),
    max_size=8,
).map(" ".join)


@needs_diction
@needs_english
@settings(max_examples=15, deadline=None)
@given(st.lists(ODD, min_size=1, max_size=6), st.sampled_from(["en_US", "de_DE"]))
@example(['#line 1 "x"', "It was so.", "# no directive, it was", "Et al.", "He came"], "en_US")
def test_a_batch_is_its_texts_one_by_one(texts, language):
    for function in (style_numbers, diction_numbers):
        together = function(texts, language[:2], timeout=60)
        assert np.isfinite(together).all()
        alone = [function([text], language[:2], timeout=60)[0] for text in texts]
        np.testing.assert_array_equal(together, alone)


@needs_diction
def test_several_processes_are_as_one(monkeypatch):
    texts = [f"It was text {k} in order to be the the information." * (k % 3) for k in range(20)]
    expected = style_numbers(texts, "en", timeout=60), diction_numbers(texts, "en", timeout=60)
    monkeypatch.setattr("sklearn_mteval.linguistic.quality_estimation._programs._BATCH", 3)
    found = style_numbers(texts, "en", timeout=60), diction_numbers(texts, "en", timeout=60)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)
        assert ours.any()


@needs_diction
def test_one_process_for_many_texts(monkeypatch):
    started = []
    popen = subprocess.Popen
    monkeypatch.setattr(
        subprocess, "Popen", lambda *a, **k: (started.append(a[0]), popen(*a, **k))[1]
    )
    diction_numbers([f"Text number {k}." for k in range(500)], "en", timeout=60)
    style_numbers([f"Text number {k}." for k in range(500)], "en", timeout=60)
    assert [os.path.basename(arguments[0]) for arguments in started] == ["diction"] + ["style"] * 3


# Programs that are missing, hang or lie


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Put scripts in the place of programs."""

    def make(**scripts):
        for name, script in scripts.items():
            path = tmp_path / name
            path.write_text(f"#!/bin/sh\n{script}\n")
            path.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")

    return make


@pytest.mark.slow
@pytest.mark.parametrize("check", ["style", "diction"])
def test_a_program_that_hangs_is_stopped_with_its_children(check, fake, tmp_path, monkeypatch):
    pids = tmp_path / "pids"
    fake(**{check: f"sleep 1000 &\necho $! $$ > {pids}.new\nmv {pids}.new {pids}\nwait"})
    when_there(pids, monkeypatch)
    with pytest.raises(TimeoutError, match=rf"{check} did not finish within timeout=0\.5 seconds"):
        LanguageCheck(checks=[check], timeout=0.5).fit(frame("a"))
    for pid in map(int, pids.read_text().split()):
        for _ in range(1000):  # init may need a moment to collect an orphan
            if not is_running(pid):
                break
            time.sleep(0.05)
        assert not is_running(pid)


def when_there(path, monkeypatch, error=None):
    """Count a program's seconds from when it has written a file, or raise an error then."""
    communicate = subprocess.Popen.communicate

    def wait(self, *args, timeout=None, **options):
        while timeout is not None and not path.exists():
            time.sleep(0.01)
        if error is not None and timeout is not None:
            raise error
        return communicate(self, *args, timeout=timeout, **options)

    monkeypatch.setattr(subprocess.Popen, "communicate", wait)


def is_running(pid):
    """Say whether a process is there and not waiting to be collected."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("cat > /dev/null; echo not me >&2; exit 3", "exit status 3: 'not me'"),
        ("exit 1", "exit status 1"),
        ("cat > /dev/null; printf '\\377\\000garbage'", "does not answer as GNU style does"),
        ("true", "does not answer as GNU style does"),
    ],
)
def test_a_program_that_misbehaves(script, message, fake):
    fake(style=script)
    with pytest.raises(RuntimeError, match=message):
        LanguageCheck(checks=["style"]).fit(frame("a" * 200000))


@pytest.mark.slow
def test_an_interrupt_leaves_nothing_running(fake, tmp_path, monkeypatch):
    pid = tmp_path / "pid"
    fake(style=f"echo $$ > {pid}.new\nmv {pid}.new {pid}\nsleep 1000")
    when_there(pid, monkeypatch, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        run_program([shutil.which("style")], b"", timeout=60)
    assert not is_running(int(pid.read_text()))


def test_texts_never_reach_a_command_line(fake, tmp_path):
    said = tmp_path / "said"
    fake(style=f'echo "$@" >> {said}; cat > /dev/null; echo "No sentences found."')
    LanguageCheck(checks=["style"]).fit_transform(frame("$(touch x); `id` | -L de\n--help"))
    assert set(said.read_text().splitlines()) == {"-L en -r -1000000", "-L en -p", "-L en -N"}


@pytest.fixture
def without_tools(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "enchant", None)


def test_what_is_missing_is_said_once_and_left_out(without_tools):
    check = LanguageCheck(parser=WordDropper())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check.fit(frame("The CAT is HERE."))
    messages = [str(warning.message) for warning in caught]
    assert len(messages) == 3
    assert "apt-get install libenchant-2-2 and pip install" in messages[0]
    assert "The program style is missing: apt-get install diction, or brew" in messages[1]
    assert "The program diction is missing" in messages[2] and "none for Windows" in messages[2]
    assert check.checks_ == ["grammar"]
    assert check.get_feature_names_out().tolist() == ["hypothesis_skipped_words"]


@pytest.mark.parametrize(
    "parameters",
    [{"checks": ["style"]}, {"features": ["hypothesis_lix"]}, {"checks": ["spelling"]}],
)
def test_what_is_asked_for_must_be_there(parameters, without_tools):
    with pytest.raises(ValueError, match="apt-get install"):
        LanguageCheck(**parameters).fit(frame("a"))


@pytest.mark.filterwarnings("ignore:.*left out")
def test_without_any_checker(without_tools):
    with pytest.raises(ValueError, match="Not one of the checkers"):
        LanguageCheck().fit(frame("a"))


@needs_diction
@needs_english
def test_a_saved_model_refuses_to_work_without_its_tools(tmp_path, monkeypatch):
    X = frame("The cat was here.", "Teh cat.")
    for check in ("style", "diction", "spelling"):
        fitted = LanguageCheck(checks=[check]).fit(X)
        save_model(fitted, tmp_path / check)
        again = load_model(tmp_path / check)
        np.testing.assert_array_equal(again.transform(X), fitted.transform(X))
        with monkeypatch.context() as patch:
            patch.setenv("PATH", str(tmp_path))
            patch.setitem(sys.modules, "enchant", None)
            with pytest.raises((OSError, ImportError)):
                again.transform(X)
    again.providers_["hypothesis"] = "nuspell"
    with pytest.raises(ValueError, match="fitted with nuspell's dictionary of 'en_US'"):
        again.transform(X)


# Grammar, and the choice of checks


def test_skipped_words():
    X = frame("The CAT is HERE.", "Is it?", "", "the CAT is HERE .", source=["IT", "?", "a", "b"])
    parsers = {"parser": WordDropper(), "source_parser": WordDropper()}
    check = LanguageCheck(source_language="de", checks=["grammar"], **parsers)
    found = output(check, X)
    assert found["hypothesis_skipped_words"].tolist() == [2, 2, 0, 2]
    assert found["source_skipped_words"].tolist() == [1, 0, 0, 0]
    again = pickle.loads(pickle.dumps(check))
    np.testing.assert_array_equal(again.transform(X), found)
    del parsers["source_parser"]
    with pytest.raises(ValueError, match="needs source_parser"):
        LanguageCheck(source_language="de", checks=["grammar"], **parsers).fit(X)


def test_a_parser_of_one_side_only_is_said_to_be_left_out(without_tools):
    """A parser that was given is not left out without a word."""
    X = frame("The CAT is HERE.")
    for side, other in [("parser", "source_parser"), ("source_parser", "parser")]:
        check = LanguageCheck(source_language="de", **{side: WordDropper()})
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with pytest.raises(ValueError, match="Not one of the checkers"):
                check.fit(X)
        last = str(caught[-1].message)
        assert last == f"The check of grammar needs {other}. Its features are left out."


@needs_diction
def test_features_decide_which_programs_run(monkeypatch):
    monkeypatch.setitem(sys.modules, "enchant", None)  # not needed, so not missed
    names = ["hypothesis_lix", "hypothesis_passive_sentences"]
    check = LanguageCheck(features=names)
    found = output(check, frame("It was here.", "He came."))
    assert check.checks_ == ["style"] and list(found) == names
    assert found["hypothesis_passive_sentences"].tolist() == [1, 0]
    ratios = LanguageCheck(source_language="de", features=["lix_ratio"])
    X = frame("It was here.", source=["Er war es."])
    assert output(ratios, X).shape == (1, 1)
    assert ratios.checks_ == ["style"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"language": "English"}, "language must be a name such as 'en_US', found 'English'"),
        ({"language": None}, "language must be a name"),
        ({"source_language": "-L"}, "source_language must be a name"),
        ({"checks": "style"}, "checks must be a non-empty list or tuple of different names of"),
        ({"checks": []}, "checks must be a non-empty list or tuple of different names of"),
        ({"checks": ["style", "style"]}, "checks must be a non-empty list or tuple of different"),
        ({"checks": ["comma"]}, r"checks must be of \['spelling'.*found 'comma'"),
        ({"parser": "link"}, "parser must have a method parse_nbest"),
        ({"checks": ["grammar"]}, "The check of grammar needs parser"),
        ({"checks": ["style"], "language": "cs_CZ"}, "reads English and German, not 'cs_CZ'"),
        ({"checks": ["diction"], "language": "enm"}, "reads English and German, not 'enm'"),
        ({"timeout": 0}, "timeout must be a number > 0"),
        ({"timeout": float("inf")}, "timeout must be"),
        ({"features": ["hypothesis_lux"]}, "features must be of"),
        ({"parser": WordDropper(), "checks": ["grammar"], "ratios": True}, "ratios=True needs"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        LanguageCheck(**parameters).fit(frame("a"))
