"""Texts parted into sentences, long sentences into pieces, and the width of a text.

The rules are of all languages at once; whether a mark ends a sentence depends on the words next to
it only, so that one sentence more changes no other cut. All takes time linear in the length.
"""

# ruff: noqa: RUF001, SIM905 - marks are what this is about; a table of words is one string
import re
from bisect import bisect_left, bisect_right
from itertools import accumulate
from unicodedata import category

from sklearn_mteval._helpers.memo import Memo

# Unicode's property Sentence_Terminal, of scripts in use. Soft marks end a sentence before
# whitespace and what may begin one, hard ones end it before nearly anything.
SOFT = ".!?…․‥‼‽⁇⁈⁉"
HARD = (
    "。！？．｡︒︕︖﹒﹖﹗։؝؞؟۔܀܁܂߹࠷࠹࠽࠾।॥၊။።፧፨᙮᜵᜶។៕᠃᠉᥄᥅᪨᪩᪪᪫᭎᭏᭚᭛᭞᭟᭽᭾᭿᰻᰼᱾᱿"
    "⳹⳺⳻⸮⸼⹓⹔꓿꘎꘏꛳꛷꡶꡷꣎꣏꤯꧈꧉꩝꩞꩟꫰꫱꯫𑅁𑅂𑅃"
).replace("၊", "")  # the little section is Burmese's comma
CLOSING = "\"'’”»›)\\]}」』】）》〉〕］｝〗〙＂＇｣"
OPENING = "\"'‘“„‚«‹»›([{¿¡「『【（《〈〔［｛〖〘｢–—―•·*\\-"
IDEOGRAPHS = "\u2e80-\u3000\u3003-\ua4cf\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af"

# Abbreviations with a point behind which a sentence goes on, whatever follows: as written, …
TITLES = frozenset(
    "Mr Mrs Ms Messrs Dr Drs Prof St Ste Sr Sra Srta Mme Mlle Hr Fr Gen Col Lt Capt Cpt Cmdr Sgt "
    "Maj Adm Rev Hon Gov Sen Rep Pres Supt Det Insp Mt Ft Ing Mgr Bc MUDr JUDr PhDr RNDr Doc Dipl "
    "Dra Dña Sig Dott Avv Mons Msgr Exmo Dhr Mevr Doç Sn Bros Ltda".split()
)
# … and in any case: English, German, Czech, French, Spanish, Dutch, Finnish, Polish, Russian, …
ABBREVIATIONS = frozenset(
    "vs viz cf approx e.g i.e eg ie dr prof "
    "bzw vgl ca evtl ggf sog z.b d.h z.t u.u i.d.r inkl exkl zzgl bspw insb hrsg mio mrd geb "
    "např pozn tj tzv resp popř příp čp nám ul sv kpt mjr plk npor doc judr mudr cca tis "
    "p.ex ex env c.-à-d p.ej ej ud uds vd aprox bijv bv mevr dhr drs d.w.z o.a m.b.t i.p.v t.o.v "
    "esim mm ns ks vrt tri toht huom puh np tzn tzw inż hab zob św sig dott avv "
    "bl.a t.ex f.eks dvs pl kb ún bkz örn т.е т.н т.к напр см ул проф акад тов "
    "обл".split()
)
# Those behind which a number goes on, and months, which a day follows.
BEFORE_NUMBERS = frozenset(
    "no nos nr nro num núm p pp pg pag pág págs ss fig figs abb tab eq eqs sec sect ch chap kap "
    "bd vol vols art arts abs ziff rn para ed str tř obr odst blz klo kl cap ст стр рис табл гл "
    "пп тел руб jan feb mar apr jun jul aug sep sept oct nov dec ap lk max min op div".split()
)
# A capital letter behind which one of these stands is no initial ("Plan B. The …").
STARTERS = frozenset(
    "The This That These Those There They Then He She It Its His Her We You Our My If In On At As "
    "An A I And But For From When While With What Who Where Why How Not So Some After Before "
    "Although However Also To By Since Both Most Many Such One All "
    "Der Die Das Dem Ein Eine Er Sie Es Wir Ich Und Aber Im Am Auf Mit Nach Bei Für Wenn Als Auch "
    "Les Un Une Il Elle Ils Nous Mais Et Dans En Ce Cette Pour Après Los Las Una Pero Se Por Para "
    "Con Según В Во На Но И Он Она Они Это По Как Если Для Мы Вы Я Ale To Je Hän Mutta Ja Het Een "
    "Hij Zij Maar".split()
)
# "am 3. Mai", "die 5. Ausgabe": what makes a number of one or two digits an ordinal.
BEFORE_ORDINALS = frozenset(
    "der die das den dem des am im vom zum zur beim ab bis seit ein eine einen einem einer "
    "an sein seine seinem seinen seiner ihr ihre ihrem ihren ihrer meinem diesem dieser".split()
)
MONTHS = frozenset(
    "Januar Jänner Februar März April Mai Juni Juli August September Oktober November "
    "Dezember".split()
)


_MARK = re.compile(f"[{SOFT}{HARD}](?![{SOFT}{HARD}])")  # the last of a run
# What follows a mark: closing quotes, German and French ones too, notes ([1]); the next word.
_AFTER_SOFT = re.compile(
    rf"[{CLOSING}“‘«‹]*(?:\s+[»›”](?=\s)|(?:\s*\[\d{{1,3}}\])+)?"
    rf"(\s*)([{OPENING}\s]*)((?:[^\W_]{{1,12}}|\S)?)"
)
_AFTER_HARD = re.compile(rf"([{CLOSING}]*)(\s*)((?:って|という|\S)?)")
_IDEOGRAPH = re.compile(f"[{IDEOGRAPHS}]")
_GOES_ON = frozenset(",;:)]}%&/=+<>|،؛，、；：）" + SOFT + HARD)

# J, J.-P, U.S, p.m, Ph.D; Roman numbers, I aside
_INITIALS = re.compile(r"[^\W\d_]|[^\W\d_]{1,2}(?:\.-?[^\W\d_]{1,3})+|[IVXL]{2,6}")
_BEFORE_ITEMS = frozenset(SOFT + HARD + ";:；：)）")  # what an item of a list follows
_BACKWARDS = re.compile(rf"[^\s(\[{{–—「『【（《〈；：，、」』】）》〉{HARD}]*")
_NUMBER = re.compile(r"\d{1,3}|\d{1,2}(?:\.\d{1,2})+")
_REACH = 32  # characters before a mark that are looked at

# Where a long sentence may be parted, and how well; 0 is any whitespace. A point within a
# sentence is one of an abbreviation, or of a text without capitals.
_RANKS = {
    **dict.fromkeys(";:—–；：;؛" + SOFT.replace(".", ""), 3),
    **dict.fromkeys(",،，、､", 2),
    **dict.fromkeys("." + CLOSING.replace("\\", ""), 1),
}
_CUT = re.compile("([；：，、､」』】）》〉〕］…](?![\\s…])|(?<!\\s)(?=\\s)|\u200b)")
_BLANKS = re.compile(r"\s*")
_RUN = re.compile(r"\s\s+")
_WORD = re.compile(r"\s*(\w{0,40})")
# What stands with the character before it, marks (category M) aside, and behind what all does:
# joiners, Indic signs that make one letter of two.
_JOINED = re.compile(
    "[\u200c\u200d\u0e33\u0eb3\u1160-\u11ff\uff9e\uff9f🏻-🏿\U000e0020-\U000e007f]"
)
_JOINING = frozenset("\u200d\u094d\u09cd\u0a4d\u0acd\u0b4d\u0c4d\u0d4d\u1039\u17d2")
# Tenths of the width of a Latin letter, by ranges of code points: so wide that parallel texts of
# WMT23 (zh, he) and WMT24 (ja) are as wide as their English; Arabic and Hangul are estimates.
_RANGES = (
    (0x0590, 0x05FF, 16), (0x0600, 0x08FF, 13), (0x2E80, 0x2FFF, 40), (0x3040, 0x30FF, 16),
    (0x31F0, 0x31FF, 16), (0x3400, 0x9FFF, 40), (0xAC00, 0xD7A3, 22), (0xF900, 0xFAFF, 40),
    (0xFF66, 0xFF9F, 16), (0x20000, 0x323AF, 40)
)  # fmt: skip
_USUAL, WIDEST = 10, 40
_MARK_WIDTH = 1  # of accents and what is not seen; vowel signs from India to Cambodia are letters


def sentences(text):
    """Part a text into sentences: ranges ``(start, end)`` without whitespace around, in order."""
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    if start >= end:
        return []
    ranges = []
    # The last character ends the last sentence in any case: most short texts have no other mark.
    for mark in _MARK.finditer(text, start, end - 1):
        cut = _cut(text, mark.start())
        if cut is not None and cut[1] < end:
            ranges.append((start, cut[0]))
            start = cut[1]
    ranges.append((start, end))
    return ranges


def _cut(text, at):
    """Say where the sentence of a mark ends and the next one begins; None if it goes on."""
    if text[at] not in SOFT:
        return _hard_cut(text, at)
    follows = text[at + 1]
    if follows.isascii() and follows.isalnum():  # 3.14, example.org
        return None
    after = _AFTER_SOFT.match(text, at + 1)
    if not (after[3] and _begins(text, at, after)):
        return None
    if text[at] == "." and text[at - 1 : at] not in SOFT and _is_abbreviation(text, at, after):
        return None
    return after.span(1)


def _begins(text, at, after):
    """Tell whether the word after a mark may begin a sentence."""
    word = after[3]
    if after[1]:
        # Small as eBay is not, and as all of Georgian is.
        small = word[0].islower() and word.islower() and not "ა" <= word[0] <= "ჿ"
        return word[0] not in _GOES_ON and not small
    # Chinese and Japanese with western marks have no blanks.
    joined = _IDEOGRAPH.match(word) and text[at] in ".!?"
    return joined and not (text[at] == "." and text[at - 1 : at].isdecimal())


def _hard_cut(text, at):
    """Do the work of ``_cut`` for a mark that hardly needs one more sign."""
    after = _AFTER_HARD.match(text, at + 1)
    if not after[3] or after[3] in _GOES_ON:
        return None
    if after[1] and (len(after[3]) > 1 or after[3] == "と"):  # 「…。」と言った: said so
        return None
    if text[at] == "．" and after[3].isdigit() and text[at - 1 : at].isdigit():
        return None
    return after.span(2)


def _is_abbreviation(text, at, after):
    """Tell whether a point belongs to the word before it, given what stands behind it."""
    earliest = max(at - _REACH, 0)
    word = text[max(text.rfind(" ", earliest, at) + 1, earliest) : at]
    if word.isalpha():  # the usual case, to be fast
        begin = at - len(word)
    else:
        word = _BACKWARDS.match(text[earliest:at][::-1])[0][::-1]
        begin, word = at - len(word), word.lstrip(OPENING)
    lower, following = word.lower(), after[3]
    if word in TITLES or lower in ABBREVIATIONS:
        return True
    if lower in BEFORE_NUMBERS and following[0].isdigit():
        return True
    if _NUMBER.fullmatch(word):
        return _is_ordinal(text, begin, following)
    if _INITIALS.fullmatch(word):
        # "A" and "I" may be initials themselves.
        return following not in STARTERS or text.startswith(".", after.end())
    return False


def _is_ordinal(text, begin, following):
    """Tell whether a number with a point counts a month, a thing or an item of a list."""
    if following in MONTHS:
        return True
    while begin and text[begin - 1].isspace():
        begin -= 1
    if not begin:
        return True
    before = text[max(begin - _REACH, 0) : begin].split()[-1]
    if before[:-1].lower() in BEFORE_NUMBERS:  # p. 5.
        return False
    return before.lower() in BEFORE_ORDINALS or before[-1] in _BEFORE_ITEMS


def width(text):
    """Return the width of a text, in tenths of a Latin letter; a run of whitespace is one blank."""
    text = " ".join(text.split())
    if text.isascii():
        return _USUAL * len(text)
    return sum(map(_WIDTHS.__getitem__, text))


def _width_of(char):
    """Return the width of a character."""
    code = ord(char)
    if category(char) in ("Mn", "Me", "Cf") and not 0x0900 <= code < 0x1AB0:
        return _MARK_WIDTH
    return next((value for low, high, value in _RANGES if low <= code <= high), _USUAL)


_WIDTHS = Memo(_width_of)


def pieces(text, longest):
    """Part a text into sentences, those wider than ``longest`` at their strongest marks: ranges."""
    if longest < 2 * WIDEST:
        raise ValueError(f"longest must be at least {2 * WIDEST}, found {longest}.")
    ranges, ascii_only = [], text.isascii()
    for start, end in sentences(text):
        most = (end - start) * (_USUAL if ascii_only else WIDEST)
        if most <= longest or width(text[start:end]) <= longest:
            ranges.append((start, end))
        else:
            ranges.extend(_parts(text, start, end, longest))
    return ranges


def _parts(text, start, end, longest):
    """Part one sentence, from the left."""
    # The width of what stands before each character; of a run of whitespace the first counts.
    widths = list(map(_WIDTHS.__getitem__, text[start:end]))
    for run in _RUN.finditer(text, start, end):
        widths[run.start() + 1 - start : run.end() - start] = [0] * (len(run[0]) - 1)
    before = list(accumulate(widths, initial=0))
    origin, first = start, start
    while before[end - origin] - before[first - origin] > longest:
        done = before[first - origin]
        # A piece may end at any of low to high.
        low = origin + bisect_left(before, done + longest // 2)
        high = origin + bisect_right(before, done + longest) - 1
        cut = _best_cut(text, first, low, high)
        yield first, cut[0]
        first = cut[1]
    yield first, end


def _best_cut(text, first, low, high):
    """Choose where a piece that begins at ``first`` ends, and the next one begins."""
    cuts = [found.end(1) for found in _CUT.finditer(text, low - 1, high + 1)]
    cuts = [cut for cut in cuts if low <= cut <= high]
    if cuts:  # the strongest; of equals the one before the longest word, then the first
        ranks = [_RANKS.get(text[cut - 1], 0) for cut in cuts]
        strongest = max(ranks)
        cuts = [cut for cut, rank in zip(cuts, ranks, strict=True) if rank == strongest]
        cut = (
            cuts[0] if len(cuts) == 1 else max(cuts, key=lambda cut: len(_WORD.match(text, cut)[1]))
        )
    elif before := [found.end(1) for found in _CUT.finditer(text, first + 1, low)]:
        cut = before[-1]
    else:  # by the characters, too, so that two copies of a text are soon cut alike again
        cuts = list(_between_clusters(text, first, low, high))
        return (max(cuts, key=text.__getitem__, default=high),) * 2
    return cut, _BLANKS.match(text, cut).end()


def _between_clusters(text, first, low, high):
    """Go through the positions from low to high that part no character from its marks."""
    paired = False
    for at in range(first + 1, high + 1):
        previous, char = text[at - 1], text[at]
        paired = not paired and "🇦" <= previous <= "🇿" and "🇦" <= char <= "🇿"
        joined = paired or category(char)[0] == "M" or _JOINED.match(char) or previous in _JOINING
        if at >= low and not joined:
            yield at
