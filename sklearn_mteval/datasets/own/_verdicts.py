"""What verdicts say of several translations: "B", "A is slightly better", "viel besser", "-1"."""

import re
from itertools import takewhile

import numpy as np

from sklearn_mteval.datasets._score_lines import number
from sklearn_mteval.datasets.own import VERDICTS
from sklearn_mteval.datasets.own._direction import plain, words_of
from sklearn_mteval.datasets.own._judged_rows import is_missing
from sklearn_mteval.datasets.own._names import bare, places
from sklearn_mteval.datasets.own._tables import texts_of

TIE, BOTH_BAD = 98, 99  # the others are places
_UNKNOWN = -1


def place_said(word, own, k):
    """Return what a word says of k systems, whatever their names are; None if nothing."""
    word = word.strip()
    value = number(word)
    if word in own or (value is not None and {"+", "-"} & set(own)):
        said = own.get(word) or own.get("-" if value < 0 else "+" if value > 0 else "", "tie")
        return {"tie": TIE, "both_bad": BOTH_BAD}.get(said, ord(said[0]) - ord("a"))
    whole = re.sub("^(system|model)(?=[a-l]$)", "", _without_weak([word]))
    if whole in places():
        return places()[whole]
    kind, who = _parsed(word)
    if kind in (TIE, BOTH_BAD):
        return None if who else kind
    place = None if kind is None else places().get(who, None if who else 0)
    if kind == "worse":
        return None if k > 2 or place is None else 1 - place
    return place


def system_said(word, labels):
    """Return which label a word names as the better or worse one, and which of both; None, None."""
    kind, who = _parsed(word)
    found = [k for k, label in enumerate(labels) if who and bare(label) == who]
    return (found[0], kind) if kind in ("better", "worse") and len(found) == 1 else (None, None)


def _parsed(word):
    """Return what kind of verdict a word is, and of whom it is."""
    words = words_of("verdicts")
    text = plain(word)
    for phrase in (w for kind in ("better", "worse") for w in words[kind][0] if "_" in w):
        text = text.replace(phrase.replace("_", " "), phrase)
    tokens = re.findall(r"[^\s,;:()=<>]+|[<>=]+", text)
    if bare(word) in words["both_bad"][0]:
        return BOTH_BAD, ""
    if bare(word) in words["tie"][0] or word.strip() in ("=", "=="):
        return TIE, ""
    tokens = list(takewhile(lambda token: token not in words["than"][0], tokens))
    for kind in ("better", "worse", "tie"):
        for k, token in enumerate(tokens):
            if token in words[kind][0]:
                end = k if token[0] in "<>" else None  # A > B
                rest = [*tokens[:k], *tokens[k + 1 :]][:end]
                if kind == "tie":
                    rest = [t for t in rest if bare(t) not in places() and t not in _AND]
                return TIE if kind == "tie" else kind, _without_weak(rest)
    return None, ""


_AND = ("and", "und", "et", "y", "&")


def _without_weak(tokens):
    """Join what is left of some words without those that say how much, or nothing."""
    text = f"_{bare(' '.join(tokens))}_"
    for weak in sorted(words_of("verdicts")["weak"][0], key=len, reverse=True):
        text = text.replace(f"_{weak}_", "_")
    return text.strip("_")


def own_words(verdicts):
    """Return the words of the table that the caller explains."""
    return {} if verdicts in (None, "names", "positions") else dict(verdicts)


def unanswered(table, name, systems, verdicts):
    """Return a mask of the rows whose verdict is missing: no name of a system, no own word."""
    codes, words = texts_of(table, name, default="")
    known = {*(() if systems is None else systems[1]), *own_words(verdicts)}
    return np.array([is_missing(w) and w.strip() not in known for w in words], dtype=bool)[codes]


def outcomes(table, name, rows, systems, verdicts, k=2):
    """Read verdicts of some rows as places, TIE or BOTH_BAD; all name systems, or all places."""
    codes, words = texts_of(table, name, default="")
    codes, words = codes[rows], [word.strip() for word in words]
    own = own_words(verdicts)
    said = [place_said(word, own, k) for word in words]
    said = [_UNKNOWN if s is None or k <= s < TIE else s for s in said]
    outcome = by_word = np.array(said, dtype=np.int64)[codes]
    if systems is not None and verdicts != "positions":
        by_name = _by_name(systems, codes, words, k)
        fixed = np.array([word in own for word in words], dtype=bool)[codes]
        outcome = np.where(fixed | ((by_name < 0) & (by_word >= TIE)), by_word, by_name)
        if verdicts != "names":
            outcome = _either(table, name, rows, words, codes, by_word, outcome)
    unknown = outcome < 0
    if not unknown.any():
        return outcome
    row = int(unknown.argmax())
    there = ""
    if systems is not None:
        there = ", ".join(repr(systems[1][codes[row]]) for codes in systems[0]) + ", "
    known = f"{', '.join(map(repr, VERDICTS[:-1]))} or {VERDICTS[-1]!r}"
    raise table.error(
        f"column {name!r}: unknown outcome {words[codes[row]][:60]!r}. Expected {there}{known}, "
        f"the same way in all rows. {_proposed(words, codes, unknown)}",
        int(rows[row]),
    )


def _by_name(systems, codes, words, k):
    """Read verdicts that name the system that won, or lost against the only other one."""
    labels = systems[1].tolist()
    exact = {label: (code, "better") for code, label in enumerate(labels)}
    found = [exact.get(word) or system_said(word, labels) for word in words]
    named = np.array([_UNKNOWN if code is None else code for code, _ in found])[codes]
    worse = np.array([kind == "worse" for _, kind in found])[codes]
    place = np.full(len(codes), _UNKNOWN)
    for at, of_row in enumerate(systems[0]):
        place[(named == of_row) & (named >= 0)] = at
    swapped = worse & (place >= 0)
    return np.where(swapped, 1 - place if k == 2 else _UNKNOWN, place)


def _either(table, name, rows, words, codes, by_word, by_name):
    """Return the reading of the words in all rows that leaves fewer unknown."""
    differ = (by_word >= 0) & (by_name >= 0) & (by_word != by_name)
    n_unknown = [(reading < 0).sum() for reading in (by_word, by_name)]
    if differ.any() and n_unknown.count(0) != 1:
        row = int(differ.argmax())
        raise table.error(
            f"column {name!r}: {words[codes[row]]!r} is the name of a system here, and may be a "
            "position or a word as well. Pass verdicts='names' or verdicts='positions'.",
            int(rows[row]),
        )
    return by_word if n_unknown[0] <= n_unknown[1] else by_name


def _proposed(words, codes, unknown):
    """Say how words could be explained: numbers on a scale, or anything else."""
    there = [words[code] for code in np.unique(codes)]
    values = sorted({number(word) for word in there} - {None})
    if len(values) < len(there):
        asked = {words[code][:60]: "|".join(VERDICTS) for code in np.unique(codes[unknown])[:9]}
        return f"Say which of these each word is: verdicts={asked}."
    top = values[-1] + 1 - values[-1] % 2
    middle = (1 + top) / 2  # of a scale, a tie
    if values[0] < 0:
        when, one = "numbers below 0 prefer the first", {"-": "a", "+": "b"}
    elif set(values) <= set(range(1, 10)) and top > 3:
        when = f"1 is the best for the first and {top:g} for the second"
        values = range(1, int(top) + 1)
        one = {f"{v:g}": "a" if v < middle else "b" if v > middle else "tie" for v in values}
    else:
        when = "1 is the first"
        one = {f"{v:g}": {1: "a", 2: "b"}.get(v, "tie") for v in values}
    other = {word: {"a": "b", "b": "a"}.get(said, said) for word, said in one.items()}
    return f"Pass verdicts={one} if {when}, verdicts={other} if it is the other way round."
