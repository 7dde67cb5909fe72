"""What no translation is: characters decoded wrongly, HTML, no capitals, another language."""

import re

from sklearn_mteval.text.answers import is_refusal, wrapper
from sklearn_mteval.text.languages import identify, is_known, same_language

_ENTITY = re.compile(r"&(?:[A-Za-z]{2,8}|#\d{2,6}|#x[0-9A-Fa-f]{2,5});")
# UTF-8 read as Windows-1252: a first byte, then the bytes that go on.
_DECODED = re.compile(
    "[\u00c2-\u00f4][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc"
    "\u2013-\u203a\u20ac\u2122]{1,3}"
)
_FEWEST_LETTERS = 20  # of a text without capitals
_FEWEST_BYTES = 40  # of a text whose language is told


def garbled(text, others):
    """Say how a text is garbled, given the texts of its source and references."""
    found = []
    for pattern, meant in ((_ENTITY, lambda entity: entity), (_DECODED, _meant)):
        for match in pattern.finditer(text):
            written = match[0]
            if meant(written) and not any(written in other for other in others):
                found.append(f"text: {written} is in neither source nor reference")
                break
    small = text.lstrip()[:1].islower() and _has_no_capitals(text)
    if small and any(other[:1].isupper() and not _has_no_capitals(other) for other in others):
        found.append("text: no capital letters here")
    around = wrapper(text)
    if around and not any(map(wrapper, others)):
        found.append(f"text: “{around}” is no part of a translation")
    if is_refusal(text) and not any(map(is_refusal, others)):
        found.append("text: a refusal to translate")
    return found


def _meant(written):
    """Return the character that was decoded wrongly; "" if it was not."""
    try:
        return written.encode("cp1252").decode()
    except UnicodeError:
        return ""


def _has_no_capitals(text):
    """Tell whether a text of some letters has none that is a capital, but could have."""
    return text == text.lower() != text.upper() and sum(map(str.isalpha, text)) >= _FEWEST_LETTERS


def other_languages(texts, language):
    """Say of each text in which language it is, if it is certainly another than the given one."""
    if not is_known(language.replace("_", "-").partition("-")[0]):
        raise ValueError(
            "language must be a code that the model of the extra 'languages' knows, as 'de' or "
            f"'zh_TW', found {language!r}."
        )
    long = [text if len(text.encode(errors="replace")) >= _FEWEST_BYTES else "" for text in texts]
    return [
        [] if same_language(code, language) else [f"language: {code}, not {language}"]
        for code, _ in identify(long)
    ]
