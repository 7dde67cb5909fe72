"""GNU style and diction, asked about many texts by one process.

Both read a document and print the sentences they object to, each with the number of its line. So
each text becomes one line that holds nothing the programs could take for the end of a line, a
directive or a mark of their own, and that begins and ends a sentence.
"""

import re
import shutil
import unicodedata

import numpy as np

from sklearn_mteval.features.reference_free._programs import run_program
from sklearn_mteval.features.reference_free._readability import GRADES, readability_grades

STYLE_LANGUAGES = ("en", "de")
STYLE_NAMES = ("passive_sentences", "nominal_sentences", *GRADES)
DICTION_NAMES = ("wordy_phrases",)

_BATCH = 5000  # texts for one process
_LISTED = re.compile(r"\(stdin\):(\d+)[^ ]*: (.*)")
_LETTER = re.compile(r"[^\W\d_]")
# Quotes and dashes have ASCII's shape; "[" and "]" are diction's own marks.
_PLAIN = str.maketrans("\u2018\u2019\u201c\u201d\u201e\u2013\u2014[]", '\'\'"""--()')


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
        raise FileNotFoundError(f"The program {name} is missing: apt-get install diction.")
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
