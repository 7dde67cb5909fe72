"""The language of texts, told by py3langid's model of 139 languages (Lui and Baldwin, 2012)."""

from collections.abc import Iterable, Sequence
from functools import lru_cache, partial

from sklearn_mteval._helpers.extras import import_extra
from sklearn_mteval._helpers.memo import Memo

# On 50,000 lines in 18 languages of WMT12 to WMT24, MLQE and other sets, 0.01 % of those of 40
# characters and more are told wrongly with more confidence than this, and 5 % have less.
SURE = 0.8
_FEWEST_BYTES = 20  # a name, or two characters of Chinese, are of many languages
_ENOUGH = 2000  # characters of many lines, which are as good as all of them
# Hardly or not told apart by the model, or one language by two names; the first names them all.
_ALIKE = ("no nb nn da", "hr sr bs", "zh wuu yue", "id ms", "en pcm", "ar arz ary")
_GROUPS = {code: codes.split()[0] for codes in _ALIKE for code in codes.split()}


@lru_cache
def _identifier():
    """Load the model."""
    langid = import_extra("py3langid.langid", "languages", "Telling the language of a text")
    return langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)


def identify(texts: Iterable[str]) -> list[tuple[str, float]]:
    """Tell the language of each text by itself: ISO 639-1 codes and confidences, from 0 to 1.

    The code is "" where the model (langid.py, Lui and Baldwin 2012) is not sure: of names, numbers,
    most texts of a few words, and languages that have no code of two letters. Of languages that are
    hardly told apart (see :func:`same_language`), the confidence is that it is one of them.
    MissingExtraError without the extra ``languages``.

    >>> from sklearn_mteval.text.languages import identify
    >>> [code for code, confidence in identify(["Das ist nicht ihr Hund.", "12:30"])]
    ['de', '']
    """
    told = Memo(partial(_told, _identifier()))
    return [told[text] for text in texts]


def _told(identifier, text):
    """Return the code and the confidence of one text."""
    text = " ".join(text.split())
    if len(text.encode(errors="replace")) < _FEWEST_BYTES:
        return "", 0.0
    totals = {}
    for code, probability in identifier.rank(text):
        group = _GROUPS.get(code, code)
        best, total = totals.get(group, (code, 0.0))
        totals[group] = (best if len(best) == 2 else group), total + probability
    code, confidence = max(totals.values(), key=lambda entry: entry[1])
    return (code if confidence >= SURE and len(code) == 2 else ""), min(confidence, 1.0)


def language_of(lines: Sequence[str]) -> tuple[str, float]:
    """Tell the language of a file or a system, as :func:`identify`, of lines evenly spread, joined.

    Their order matters only where they are so many that some suffice.
    """
    lines = [line[:200] for line in lines if line.strip()]
    step = max(1, sum(map(len, lines)) // _ENOUGH)
    return identify(["\n".join(lines[::step])])[0]


def same_language(one: str, other: str) -> bool:
    """Tell whether two codes may be of one language.

    Codes may name a region (zh-TW, pt_BR). Danish and both forms of Norwegian, or Croatian, Serbian
    and Bosnian, or Indonesian and Malay, are hardly told apart and so taken for one; "", which is
    unknown, may be any.
    """
    codes = [code.replace("_", "-").partition("-")[0].lower() for code in (one, other)]
    return "" in codes or len({_GROUPS.get(code, code) for code in codes}) == 1


def is_known(code: str) -> bool:
    """Tell whether a code is one of those that :func:`identify` may return."""
    return len(code) == 2 and any(same_language(code, known) for known in _identifier().labels)
