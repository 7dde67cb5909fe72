"""Numbers of a text, in digits or English words, as keys that are equal iff the values are.

A key is a text, so that a number may have any length: "2500000" of "2.5 million", "3.5" of "3,50",
"t19:30" of a time, "p7:30" of "7.30 pm". A number is (key, other keys that mean it, as written).
"""

import re
import unicodedata
from collections import Counter
from functools import lru_cache

from sklearn_mteval.features.content._vocabulary import (
    MEANINGS,
    NUMBER_STARTS,
    NUMBER_WORDS,
    SCALES,
    VALUES,
)

# Scripts without spaces, where a number stands beside letters; elsewhere a currency may.
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_DIGITS = re.compile(
    rf"(?:(?<![^\W{_UNSPACED}])|(?<=\b(?:usd|rmb|eur|gbp|hkd|cny|jpy|inr|chf)))(?<!\d[.,])"
    r"(?:\d{1,3}(?:[ \u00a0\u202f'\u2019]\d{3})+(?![\d.,]\d|\d)"
    r"|\d{1,2}: [0-5]\d(?![\d:])|\d+(?:[.,:/]\d+)*)"
)
# What follows a number: half of the day, or a power of ten; in the commonest languages of sources.
_AFTER = re.compile(
    r"[\s\u00a0-]?(?:(?P<a>a\.? ?m\b)|(?P<p>p\.? ?m\b)"
    r"|(?P<one>decades?\b|jahrzehnt|dekade|d[ée]cennie|d[ée]cada|desetilet|десятилет)"
    r"|(?P<two>hundred\b)"
    r"|(?P<three>k\b|thousand|tausend|tsd\b|tis[ií]c|tys\b|mil\b(?!\.| millones)|mille\b|тыс)"
    r"|(?P<twelve>trillion|billionen|bilion|billon)"
    r"|(?P<nine>billion|milliard|miliard|mrd\b|md\b|bn\b|mil millones|млрд|миллиард)"
    r"|(?P<six>million|mili[oó]n|millon|mio\b|mil\.|mln\b|(?<=\d)m\b|млн|миллион)"
    r"|(?P<signs>[十百千]?[万萬만]?[亿億兆억조]|[十百千]?[万萬만]|[百千](?![克米瓦卡])))"
)
_AFTER_BEGINS = frozenset("aphktmbdjтмд十百千万萬亿億兆만억조")
_POWERS_OF_SIGNS = dict(
    zip("十百千万萬만亿億억兆조", (1, 2, 3, 4, 4, 4, 8, 8, 8, 12, 12), strict=True)
)
_FRACTIONS = str.maketrans({"½": ".5", "¼": ".25", "¾": ".75", "·": "."})
_SPOKEN_MINUTES = {("half", "past"): 30, ("quarter", "past"): 15, ("quarter", "to"): -15}
_GAPS = re.compile(r"[ \u00a0\u202f'\u2019]")
_DATE = re.compile(r"[0-3]?\d\.[01]?\d")  # before a dot and more: "3.10. um", "3.10.2010"
_POWERS = {"one": 1, "two": 2, "three": 3, "six": 6, "nine": 9, "twelve": 12}

_LETTERS_BEFORE = re.compile(r"(?<=[^\W\d_])\d+")
ROMAN = re.compile(r"(?!I\Z)[IVXLC]{1,12}e?")
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}


def digit_numbers(text):
    """List the numbers that a lower-case text has in digits."""
    found = []
    if not text.isascii():
        text = re.sub(r"(?<=\d) (?=[½¼¾])", "", text).translate(_FRACTIONS)
    for match in _DIGITS.finditer(text):
        written = match.group()
        digits = _GAPS.sub("", written if written.isascii() else _ascii(written))
        keys = _keys_of(digits)
        ahead = text[match.end() : match.end() + 3]
        if ahead[:1] == "." and ahead[1:].strip() and _DATE.fullmatch(digits):
            keys = [key.lstrip("0") or "0" for key in digits.split(".")]
        after = None
        if len(keys) == 1 and ahead.lstrip(" \u00a0-")[:1] in _AFTER_BEGINS:
            after = _AFTER.match(text, match.end())
        meant = after and _with_unit(keys[0], digits, after)
        if meant:
            found.append((*meant, " ".join(text[match.start() : after.end()].split())))
        else:
            found += [(key, _loose(key), key if len(keys) > 1 else written) for key in keys]
    return found


def _with_unit(key, digits, after):
    """Return key and other keys of a number before a power of ten, am or pm; None if it is none."""
    kind = after.lastgroup
    if kind in ("a", "p"):
        return _half_of_day(digits, kind)
    power = _POWERS[kind] if kind in _POWERS else sum(map(_POWERS_OF_SIGNS.get, after[kind]))
    # "41.662 billion" may be 41,662 billion.
    whole, mark, fraction = digits.rpartition("." if "." in digits else ",")
    other = _shifted(_decimal(whole, fraction), power) if mark and whole.isdigit() else key
    return _shifted(key, power), (key, other)


def _ascii(text):
    """Write digits of other scripts as ASCII's."""
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)


def _keys_of(digits):
    """Return the keys of a token of digits and marks: one number, or several (a date, a score)."""
    if digits.isdigit():
        return [digits.lstrip("0") or "0"]
    groups = re.split(r"\D", digits)
    marks = set(re.findall(r"\D", digits))
    if _is_in_thousands(groups, marks):
        return ["".join(groups).lstrip("0")]
    if marks == {":"} and len(groups) == 2 and len(groups[1]) == 2 and len(groups[0]) <= 2:
        return [f"t{groups[0].lstrip('0') or '0'}:{groups[1]}"]
    if _has_fraction(digits, groups, marks):
        return [_decimal("".join(groups[:-1]), groups[-1])]
    return [group.lstrip("0") or "0" for group in groups]


def _is_in_thousands(groups, marks):
    """Tell whether one mark parts groups of three digits, and may do so."""
    if len(marks) != 1 or marks & set(":/"):
        return False
    first, *others = groups
    return len(first) <= 3 and bool(first.strip("0")) and all(len(group) == 3 for group in others)


def _has_fraction(digits, groups, marks):
    """Tell whether the last group is a fraction: its mark is there once, others part thousands."""
    last = re.search(r"[.,](\d+)$", digits)
    if last is None or not marks <= set(".,") or digits.count(last.group()[0]) != 1:
        return False
    return len(groups) == 2 or all(len(group) == 3 for group in groups[1:-1])


def _decimal(whole, fraction):
    """Write a number without needless zeros."""
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole


def _shifted(key, power):
    """Multiply a number by a power of ten."""
    if key[0] == "t":
        return key
    whole, _, fraction = key.partition(".")
    fraction = fraction.ljust(power, "0")
    return _decimal(whole + fraction[:power], fraction[power:])


def _half_of_day(digits, kind):
    """Return key and other keys of a time with am or pm, None if it is none."""
    time = re.fullmatch(r"(\d{1,2})(?:[.:](\d\d))?", digits)
    if time is None or not int(time[1]) <= 12:
        return None
    hour, minutes = int(time[1]), time[2] or "00"
    by_24 = hour % 12 + 12 * (kind == "p")
    loose = [f"t{h}:{minutes}" for h in (hour, by_24)]
    loose += [_decimal(str(h), minutes) for h in (hour, by_24)]
    return f"{kind}{hour}:{minutes}", tuple(loose)


def _loose(key):
    """Return other keys of a number: a time's hour, a year's last two digits."""
    if key[0] == "t":
        hour, minutes = key[1:].split(":")
        later = (_decimal(str(int(hour) + 12), minutes),) if int(hour) <= 12 else ()
        return _decimal(hour, minutes), *later
    if len(key) == 4 and key.isdigit() and key[:2] in ("19", "20"):
        return (key[2:].lstrip("0"),)
    return ()


def word_numbers(words):
    """List the numbers that English words say, but for one, first and second, which mean more."""
    found, at = [], 0
    while at < len(words):
        word = words[at]
        time = _spoken_time(words[at : at + 3])
        is_scale = word in SCALES or word == "hundred"
        if time is not None:
            found.append((*time, " ".join(words[at : at + 3])))
            at += 3
        elif word in NUMBER_STARTS and not (is_scale and at and words[at - 1][-1:].isdigit()):
            value, end = _read(words, at)
            if end > at + 1 or word in NUMBER_WORDS:
                key = str(value)
                found.append((key, _loose(key), " ".join(words[at:end])))
            at = end
        else:
            at += 1
    return found


def _spoken_time(words):
    """Return key and other keys of "half past five" or "quarter to six"; None of other words."""
    minutes, hour = _SPOKEN_MINUTES.get(tuple(words[:2])), VALUES.get(words[-1], 0)
    if minutes is None or len(words) < 3 or not 1 <= hour <= 12:
        return None
    hour = hour if minutes > 0 else (hour + 10) % 12 + 1
    times = [f"t{h}:{minutes % 60}" for h in (hour, hour + 12)]
    return times[0], (times[1], *_loose(times[0]))


def _read(words, start):
    """Read the number that begins at a word: its value and the place of the next word."""
    total, current, scale, at = 0, None, 99, start
    while at < len(words):
        word = words[at]
        more = _with_word(current, word)
        if more is not None:
            current = more
        elif SCALES.get(word, scale) < scale:
            scale = SCALES[word]
            total += (1 if current is None else current) * 10**scale
            current = None
        elif word != "and" or not _goes_on(current, words[at + 1 : at + 2]):
            break
        at += 1
    return total + (current or 0), at


def _with_word(number, word):
    """Return a number said so far, None before the first word, with the next; None if none is."""
    value = VALUES.get(word, -1)
    if value >= 0 and (number is None or 0 < value < _room(number)):
        return (number or 0) + value
    if word == "hundred" and (number is None or 0 < number < 100):
        return 100 * (number or 1)
    return None


def _goes_on(number, following):
    """Tell whether a number said so far may go on behind "and"."""
    return (number or 100) % 100 == 0 and any(word in VALUES for word in following)


def _room(number):
    """Return what may be added to a number said so far: less than 100, 10 or nothing."""
    if number % 100 == 0:
        return 100 if number else 0
    return 10 if number % 10 == 0 and number % 100 >= 20 else 0


def further_keys(one, other):
    """Collect keys of numbers that a text may mean by words that another has not."""
    keys = {key for word in one.words - other.words for key in _keys_of_word(word)}
    keys.update(
        _roman(word) for word in one.capitalised - other.capitalised if ROMAN.fullmatch(word)
    )
    return keys


@lru_cache(1 << 16)
def _keys_of_word(word):
    """List the numbers that a word may mean, and that digits behind letters in it are."""
    digits = map(_ascii, _LETTERS_BEFORE.findall(word))
    return *MEANINGS.get(word, ()), *(_keys_of(some)[0] for some in digits)


def _roman(numeral):
    """Write a Roman numeral as a key."""
    values = [_ROMAN_VALUES[letter] for letter in numeral.rstrip("e")]
    signs = (-1 if a < b else 1 for a, b in zip(values, [*values[1:], 0], strict=True))
    return str(sum(sign * value for sign, value in zip(signs, values, strict=True)))


def compare_numbers(one, wanted, other, found, said=()):
    """List numbers wanted that another text has not (nor ``said``), and those found only there."""
    missing = [number[0] for number in wanted]
    extra = [number[0] for number in found]
    if missing == extra or Counter(missing) == Counter(extra):
        return [], []
    missing, extra = Counter(missing), Counter(extra)
    missing, extra = missing - extra, extra - missing
    of_one = {number[0]: number for number in wanted}
    of_other = {number[0]: number for number in found}
    means = {key: number[0] for number in found for key in number[1] if number[0] in extra}
    for key in missing:  # what means the same
        for like in (means.get(key), *of_one[key][1]):
            n_common = min(missing[key], extra[like])
            missing[key] -= n_common
            extra[like] -= n_common
    missing, extra = +missing, +extra
    of_both = set(), set()
    if not (missing and extra):  # else a number that is there once more stands for another
        of_both = all_keys(found), all_keys(wanted)
    lacking = missing and _without(
        missing, of_one, further_keys(other, one) | of_both[0] | all_keys(said)
    )
    surplus = extra and _without(extra, of_other, further_keys(one, other) | of_both[1])
    return lacking, surplus


def all_keys(numbers):
    """Collect the keys of numbers, the others that mean them too."""
    return {key for first, others, _ in numbers for key in (first, *others)}


def _without(counts, numbers, keys):
    """List the numbers, as often as counted, that mean none of these keys."""
    return [
        numbers[key]
        for key, count in counts.items()
        if keys.isdisjoint((key, *numbers[key][1]))
        for _ in range(count)
    ]
