"""Misspelt words by hunspell or aspell through enchant; what GNU style and diction object to.

The latter print the sentences they object to, each with the number of its line. So each text
becomes one line that begins and ends a sentence and holds nothing like a mark of their own.
"""

import os
import re
import shutil
import subprocess
import unicodedata

import numpy as np

from sklearn_mteval._helpers.platforms import end_group
from sklearn_mteval.metrics.core.ratios import ratio
from sklearn_mteval.text.tokens import sums_by_text, word_ids

SPELLING_NAMES = ("misspelt_words", "misspelt_proportion")
GRADES = ("kincaid", "ari", "coleman_liau", "flesch", "fog", "lix", "smog")

STYLE_LANGUAGES = ("en", "de")
STYLE_NAMES = ("passive_sentences", "nominal_sentences", *GRADES)
DICTION_NAMES = ("wordy_phrases",)

HOW_TO_INSTALL = "apt-get install diction, or brew install diction; there is none for Windows"

_BATCH = 5000  # texts for one process
_LISTED = re.compile(r"\(stdin\):(\d+)[^ ]*: (.*)")
_LETTER = re.compile(r"[^\W\d_]")
# Quotes and dashes have ASCII's shape; "[" and "]" are diction's own marks.
_PLAIN = str.maketrans("\u2018\u2019\u201c\u201d\u201e\u2013\u2014[]", '\'\'"""--()')

# Messages and character classes as the programs' authors wrote them, whatever the user's language.
_LOCALE = {"LC_ALL": "C", "LC_CTYPE": "C", "LC_MESSAGES": "C", "LANG": "C"}
# A word or a number, and the character after it, at which neither can start. Of English words
# an apostrophe before s is a part.
_WORDS = {
    "en": re.compile(r"([A-Za-z](?:[A-Za-z-]|'(?=s))*).?|(\d(?:\d|[.,](?=\d))*).?"),
    "de": re.compile(r"([A-Za-z][A-Za-z-]*).?|(\d(?:\d|[.,](?=\d))*).?"),
}
_OPEN = re.compile("[aeiouy][^aeiouy]")
_CLOSED = re.compile("[^aeiouy][aeiouy]")
_OPEN_OR_FINAL_E = re.compile("[aeiouy][^aeiouy]|(?<=[^aeiouy])e$")


def find_dictionary(language, provider=None):
    """Return the ``enchant.Dict`` of a language such as "en_US" and its provider, or None."""
    import enchant

    for name in ("hunspell", "aspell") if provider is None else (provider,):
        broker = enchant.Broker()
        if language not in broker.list_languages():  # aspell would take "en" for "en_XX"
            return None
        broker.set_ordering("*", name)
        broker.set_ordering(language, name)
        try:
            dictionary = broker.request_dict(language)
        except enchant.errors.DictNotFoundError:
            continue
        if dictionary.provider.name == name:  # enchant falls back on those that are not named
            return dictionary, name
    return None


def add_up_words(texts, of_word):
    """Add up ``of_word`` of each text's tokens with a letter; return sums and their numbers."""
    flat, bounds, tokens = word_ids(texts, lowercase=False)
    numbers = np.zeros((len(tokens), 2))
    for k, token in enumerate(tokens):
        if any(map(str.isalpha, token)):
            numbers[k] = of_word(token), 1
    return sums_by_text(numbers, flat, bounds).T


def spelling_numbers(texts, dictionary):
    """Compute ``SPELLING_NAMES`` by ``dictionary.check(word)``, each distinct word once."""

    def is_misspelt(token):
        if not token.isprintable():  # NUL, half a surrogate pair: enchant could not even be asked
            return True
        letters = [k for k, character in enumerate(token) if character.isalnum()]
        word = token[letters[0] : letters[-1] + 1]  # without the quotes and dashes around it
        return not dictionary.check(word.replace("\u2019", "'"))

    misspelt, words = add_up_words(texts, is_misspelt)
    return np.column_stack([misspelt, ratio(misspelt, words, 0.0)])


def style_numbers(texts, language, *, timeout):
    """Compute ``STYLE_NAMES`` of texts in English or German; errors of ``run_program``."""
    lines = [_in_ascii(_one_line(text)) for text in texts]
    everything, passive, nominal = (
        _ask("style", ["-L", language, *options], lines, b"readability grades:", timeout)
        for options in (["-r", "-1000000"], ["-p"], ["-N"])
    )
    counts = [[len(sentences) for sentences in listed] for listed in (passive, nominal)]
    return np.column_stack([*counts, readability_grades(everything, language)])


def diction_numbers(texts, language, *, timeout):
    """Count what diction marks: phrases that are wordy or misused, and doubled words; (n, 1)."""
    # Its German phrases are in Latin-1. It sees no capital but in ASCII, so the first is made one.
    lines = [_change_first_letter(_one_line(text), _in_ascii) for text in texts]
    marked = _ask("diction", ["-L", language], lines, b" found.", timeout)
    return np.array([[sum(s.count("[") for s in found)] for found in marked], float).reshape(-1, 1)


def _one_line(text):
    """Put a text into one line, its first letter a capital, as both programs want of sentences."""
    text = unicodedata.normalize("NFC", text).translate(_PLAIN)
    text = "".join(character if character.isprintable() else " " for character in text)
    return _change_first_letter(text, str.capitalize)


def _change_first_letter(text, change):
    """Replace the first letter of a text, if there is one."""
    return _LETTER.sub(lambda found: change(found[0]), text, count=1)


def _in_ascii(text):
    """Drop accents, so that letters stay letters; other scripts become spaces."""
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    return "".join(c if c.isascii() else " " for c in parts if not unicodedata.combining(c))


def _ask(name, options, lines, ending, timeout):
    """Return the sentences that a program lists of each line."""
    program = shutil.which(name)
    if program is None:
        raise FileNotFoundError(f"The program {name} is missing: {HOW_TO_INSTALL}.")
    listed = [[] for _ in lines]
    for start in range(0, len(lines), _BATCH):
        batch = lines[start : start + _BATCH]
        # A space first, as "#" begins a directive; the "!" ends a sentence whatever came before.
        content = "".join(f" {line} !\n" for line in batch).encode("latin-1", "replace")
        output = run_program([program, *options], content, timeout=timeout)
        if ending not in output and b"No sentences found." not in output:
            raise RuntimeError(
                f"{program} does not answer as GNU {name} does: it printed {output[:100]!r}. Is it "
                "another program of that name?"
            )
        for line in output.decode("latin-1").split("\n"):
            found = _LISTED.fullmatch(line)
            if found and 1 <= int(found[1]) <= len(batch):
                listed[start + int(found[1]) - 1].append(found[2])
    return listed


def run_program(arguments, content, *, timeout):
    """Run a program on bytes and return its output; after ``timeout`` seconds, TimeoutError."""
    name = os.path.basename(arguments[0])
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    env = {**os.environ, **_LOCALE}
    with subprocess.Popen(arguments, **pipes, env=env, start_new_session=True) as process:
        try:
            output, complaints = process.communicate(content, timeout=timeout)
        except BaseException as error:  # an interrupt leaves nothing running either
            end_group(process)
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            raise TimeoutError(
                f"{name} did not finish within timeout={timeout} seconds and was stopped: does it "
                "hang, or is the machine slow? If so, raise timeout."
            ) from None
    if process.returncode:
        said = complaints.decode("utf-8", "replace").strip()[:200]
        raise RuntimeError(f"{name} failed with exit status {process.returncode}: {said!r}.")
    return output


def readability_grades(sentences_of, language):
    """Compute ``GRADES`` of texts given as lists of sentences in ASCII; 0 without a sentence."""
    known = {}
    counts = [_counts(sentences, language, known) for sentences in sentences_of]
    counts = np.array(counts, dtype=np.float64).reshape(-1, 6)
    sentences, words, characters, syllables, long_words, big_words = counts.T
    per_sentence, length = ratio(words, sentences, 0.0), ratio(characters, words, 0.0)
    syllables, long_words, big_share = (
        ratio(number, words, 0.0) for number in (syllables, long_words, big_words)
    )
    grades = np.column_stack(
        [
            11.8 * syllables + 0.39 * per_sentence - 15.59,
            4.71 * length + 0.5 * per_sentence - 21.43,
            5.879851 * length - 29.587280 * ratio(sentences, words, 0.0) - 15.800804,
            206.835 - 84.6 * syllables - 1.015 * per_sentence,
            0.4 * (per_sentence + 100 * big_share),
            per_sentence + 100 * long_words,
            np.sqrt(30 * ratio(big_words, sentences, 0.0)) + (-2 if language == "de" else 3),
        ]
    )
    return np.where(words[:, np.newaxis] > 0, grades, 0.0)


def _counts(sentences, language, known):
    """Count sentences, words, characters, syllables, words of 7 letters or more, of 3 syllables."""
    total = [len(sentences), 0, 0, 0, 0, 0]
    for sentence in sentences:
        for word, number in _WORDS[language].findall(sentence):
            key = word or number
            if key not in known:
                syllables = _syllables(word, language) if word else 1
                known[key] = (1, len(key), syllables, bool(word[6:]), syllables >= 3)
            for k, count in enumerate(known[key], start=1):
                total[k] += count
    return total


def _syllables(word, language):
    """Count the syllables of a word."""
    if language == "en":
        return max(len(_OPEN.findall(word.removesuffix("ed"))), 1)
    pattern = _OPEN_OR_FINAL_E if word[0] in "aeiouy" else _CLOSED
    return max(len(pattern.findall(word)), 1)
