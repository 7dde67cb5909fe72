"""Texts to words as the treebank has them: clitics, hyphens and punctuation on their own."""

import re

_ABBREVIATIONS_TEXT = """
a.m. p.m. mr. mrs. ms. dr. prof. st. jr. sr. co. corp. inc. ltd. vs. etc. e.g. i.e. no. vol.
fig. figs. al. cf. gen. sen. rep. gov. capt. col. lt. sgt. rev. hon. u.s. u.k. u.n. d.c. ph.d.
jan. feb. mar. apr. jun. jul. aug. sep. sept. oct. nov. dec. approx. dept. est. ave. blvd. mt.
bros. pp. ed. eds.
"""
_ABBREVIATIONS = frozenset(_ABBREVIATIONS_TEXT.split())
# What stays whole, tried in this order at each place; what fits nothing is a token by itself.
# Quantifiers that never give back (++), and the longest name of mail, keep time linear.
_PIECE = re.compile(
    r"""
    (?:https?://|www\.)[^\s<>"()]*[^\s<>"().,;:!?']          # addresses
    | [\w.+-]{1,64}+@[\w-]+(?:\.[\w-]+)+                      # of mail
    | -[LR][RSC]B-                                            # escaped brackets
    | \.{2,} | …  | -{2,} | [!?]{2,} | ``|'' | ,,
    | (?i:non|pro|anti|cross|semi|re|e|co|pre|post|multi|ex|inter|intra|sub|ultra|neo|un)-[^\W\d_]+
    | \d++(?:[.,:]\d++)*+(?:st|nd|rd|th|s|[°º])?(?![^\W_])     # numbers, times, ordinals, 1990s
    | (?:[^\W\d_]\.){2,}                                      # U.S., e.g.
    | [#@]\w+
    | [\u2019'](?:s|S|m|M|d|D|ll|LL|re|RE|ve|VE)(?!\w)              # clitics that stand alone
    | (?:\d++[.,:](?=\d))*+[^\W_]+(?:[.&][^\W_]+)*(?:[\u2019'](?=[^\W_])[^\W_]+)*
                                                              # words, Secunia.com, AT&T, 1.5x
    | \w | \S
    """,
    re.VERBOSE,
)
_CLITIC = re.compile(r"(?i)(.+?)(n[\u2019']t|[\u2019'](?:s|m|d|ll|re|ve))$")
_JOINED = {
    "cannot": 3, "gonna": 3, "gotta": 3, "wanna": 3, "lemme": 3, "gimme": 3, "dunno": 2,
}  # fmt: skip
_PLAIN = re.compile(r"[^\W\d_]+")  # most words


def treebank_words(text):
    """Split a text into words and marks as GUM and the Penn Treebank, losing only white space."""
    words = []
    pieces = text.split()
    for place, piece in enumerate(pieces):
        if _PLAIN.fullmatch(piece) and piece.lower() not in _JOINED:
            words.append(piece)
        else:
            _split(piece, place == len(pieces) - 1, words)
    return words


def _split(piece, is_last, words):
    """Append the words of what stands between two spaces."""
    start = 0
    while start < len(piece):
        found = _PIECE.match(piece, start).group()
        end = start + len(found)
        if piece[end : end + 1] == "." and _keeps_dot(found, piece[end + 1 :], is_last):
            found += "."
        elif found.lower() in _JOINED:
            cut = _JOINED[found.lower()]
            words.append(found[:cut])
            found = found[cut:]
        else:
            clitic = _CLITIC.match(found)
            if clitic and found[0].isalpha():
                words.append(clitic.group(1))
                found = clitic.group(2)
        words.append(found)
        start = end + (found[-1] == "." and found[:-1] == piece[start:end])


def _keeps_dot(word, rest, is_last):
    """Tell whether the dot behind a word belongs to an abbreviation."""
    if word.lower() + "." in _ABBREVIATIONS:
        return True
    return len(word) == 1 and word.isalpha() and word.isupper() and not (is_last and not rest)
