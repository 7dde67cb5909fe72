"""What surrounds a word in its clause: verbs, marks and conjunctions near it, from tags and chunks.

Boundaries of elementary discourse units are mostly those of clauses. These columns tell so much of
clauses as can be told without a parser.
"""

import numpy as np

from sklearn_mteval._helpers.compiled import compiled

CLAUSE_COLUMNS = (
    "nv", "nvd", "nvw", "pv", "pvd", "pvw",  # next and previous verb: tag, distance, word
    "np", "v2p", "vfp",  # next mark; verbs before it, and since the mark before
    "seg", "segn", "segp",  # first word between marks: here, in the next and in the last part
    "sub", "subv",  # the last subordinating word; verbs and words since
    "par", "quo", "nfin",  # depth of brackets, in quotes or not, finite verbs before
    "back", "ahead",  # chunks back to the verb; the next four
)  # fmt: skip
NONE, MARK, SUBORDINATOR, OPENING, CLOSING, QUOTE = ROLES = range(6)
_SUBORDINATORS_TEXT = """
who which that when where while if because as although though since until before after whether
what how why unless so whom whose to for by without than once like
"""
_SUBORDINATORS = frozenset(_SUBORDINATORS_TEXT.split())
_NO_MARKS = frozenset("'-%$\u2019")
_QUOTES = frozenset(['"', "“", "”", "``", "''"])
_FINITE, _VERB = 2, 1
_OTHER, _OUTSIDE, _VERBS = 0, 1, 2


def role_of(lower):
    """Return which of :data:`ROLES` a lower-case word has."""
    if lower in _SUBORDINATORS:
        return SUBORDINATOR
    if lower in _NO_MARKS or any(map(str.isalnum, lower)):
        return NONE
    if lower in _QUOTES:
        return QUOTE
    return {"(": OPENING, "[": OPENING, ")": CLOSING, "]": CLOSING}.get(lower, MARK)


def clause_columns(lowers, roles, tags, tag_names, chunks, chunk_names, bounds):
    """Return the columns of :data:`CLAUSE_COLUMNS`, (n_words, n_columns), int32."""
    verbs = [
        _FINITE if tag in ("VBD", "VBZ", "VBP", "MD") else _VERB * tag.startswith("V")
        for tag in tag_names
    ]
    kinds = [name.partition("-")[2] for name in chunk_names]
    numbers = {kind: k for k, kind in enumerate(dict.fromkeys(["other", "", "VP", *kinds]))}
    marks = (roles != NONE) & (roles != SUBORDINATOR)
    return _clause_columns(
        lowers.astype(np.int64), roles.astype(np.int64), marks, tags.astype(np.int64),
        np.array(verbs, dtype=np.int64), chunks.astype(np.int64),
        np.array([numbers[kind] for kind in kinds], dtype=np.int64),
        np.array([name.startswith("I") for name in chunk_names]), bounds,
    )  # fmt: skip


@compiled
def _clause_columns(lowers, roles, marks, tags, verb_of_tag, chunks, kind_of_chunk, inside, bounds):
    """See ``clause_columns``."""
    found = np.zeros((len(lowers), 19), dtype=np.int32)
    stops = np.empty(len(lowers), dtype=np.int64)  # see _chunks_back
    of_tag, kinds = verb_of_tag[tags], kind_of_chunk[chunks]
    for k in range(len(bounds) - 1):
        start, end = bounds[k], bounds[k + 1]
        _from_the_left(found, start, end, lowers, roles, marks, tags, of_tag)
        for word in range(start, end):
            found[word, 17] = _chunks_back(word, start, chunks, tags, kind_of_chunk, inside, stops)
            stops[word] = word
            if inside[chunks[word]] and kinds[word] != _VERBS:
                stops[word] = stops[word - 1] if word > start else start - 1
        _from_the_right(found, start, end, lowers, marks, tags, of_tag, kinds)
    return found


@compiled
def _from_the_left(found, start, end, lowers, roles, marks, tags, of_tag):
    """Fill the columns of what was before each word of a sentence."""
    verb, part, last_part, sub = -1, start, -1, -1
    in_part = in_sub = finite = brackets = quoted = 0
    for word in range(start, end):
        if word > start and marks[word - 1]:
            if not marks[word] and part < word - 1:
                last_part = part
            part, in_part = word, 0
        row = found[word]
        if verb >= 0:
            row[3], row[5] = tags[verb] + 1, lowers[verb]
            row[4] = min(word - verb, 6)
        row[8] = min(in_part & 15, 2) + 4 * (in_part > 15)
        row[9] = lowers[part]
        row[11] = lowers[last_part] if last_part >= 0 else 0
        if sub >= 0:
            row[12] = lowers[sub]
            row[13] = min(in_sub, 2) + 4 * min(word - sub, 4)
        row[14], row[15], row[16] = min(brackets, 3), quoted, min(finite, 3)
        if of_tag[word]:
            verb = word
            in_part |= 16
        if of_tag[word] == _FINITE:
            finite += 1
            in_sub += 1
            in_part += (in_part & 15) < 3
        role = roles[word]
        if role == SUBORDINATOR and word > start:
            sub, in_sub = word, 0
        brackets = max(0, brackets + (role == OPENING) - (role == CLOSING))
        quoted ^= role == QUOTE


@compiled
def _from_the_right(found, start, end, lowers, marks, tags, of_tag, kinds):
    """Fill the columns of what follows each word of a sentence."""
    verb, mark, part = -1, -1, -1
    finite = verbs = 0
    for word in range(end - 1, start - 1, -1):
        row = found[word]
        if of_tag[word]:
            verb = word
        if marks[word]:
            if word + 1 < end and not marks[word + 1]:
                part = word + 1
            mark, finite, verbs = word, 0, 0
        else:
            finite += of_tag[word] == _FINITE
            verbs += of_tag[word] > 0
        if verb >= 0:
            row[0], row[2] = tags[verb] + 1, lowers[verb]
            row[1] = min(verb - word, 6) + 1
        row[6] = lowers[mark] if mark >= 0 else 0
        row[7] = min(finite, 3) + 4 * (verbs > 0)
        row[10] = lowers[part] if part >= 0 else 0
        ahead = tags[word - 1] if word > start else -1
        for other in range(word, min(word + 4, end)):
            ahead = ahead * 31 + kinds[other]
        row[18] = ahead


@compiled
def _chunks_back(word, start, chunks, tags, kind_of_chunk, inside, stops):
    """Hash the kinds of up to four chunks before a word, back to a verb's, by their ``stops``."""
    code, n_chunks, other = np.int64(7), 0, word - 1
    while other >= start and n_chunks < 4:
        other = stops[other]
        if other < start:
            break
        kind = kind_of_chunk[chunks[other]]
        if not inside[chunks[other]]:
            code = (code * 1009 + (kind if kind != _OUTSIDE else 100 + tags[other])) % 2147483647
            n_chunks += 1
        if kind == _VERBS:
            break
        other -= 1
    return code
