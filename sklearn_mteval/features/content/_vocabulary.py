"""Words of English, and of other languages' sources, that say numbers, negate or name nothing."""

_split = str.split

_ONES = _split(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
_TENS = _split("twenty thirty forty fifty sixty seventy eighty ninety")
SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
VALUES = {word: value for value, word in enumerate(_ONES)}
VALUES |= {word: 10 * value for value, word in enumerate(_TENS, start=2)}
_FOLD = {word + "fold": (str(value),) for word, value in VALUES.items()}
_FIRST = _split("zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh")
_NTH = dict(enumerate([*_FIRST, "twelfth"])) | {k: _ONES[k] + "th" for k in range(13, 20)}
VALUES |= {word: value for value, word in _NTH.items()}
VALUES |= {word[:-1] + "ieth": 10 * value for value, word in enumerate(_TENS, start=2)}
NUMBER_STARTS = frozenset([*VALUES, *SCALES, "hundred"])
NUMBER_WORDS = NUMBER_STARTS - {"one", "first", "second"}  # these mean more than numbers
SMALL_NUMBERS = frozenset(map(str, range(13)))
ROUND_NUMBERS = SMALL_NUMBERS | frozenset(map(str, [*range(20, 101, 10), 1000]))  # often in words

# Words that may stand for a number but need not: they excuse one that is missing elsewhere.
_MONTHS = _split(
    "january february march april may june july august september october november december"
)
MEANINGS: dict[str, tuple[str, ...]] = {}
MEANINGS |= {month: (str(k),) for k, month in enumerate(_MONTHS, start=1)}
MEANINGS |= {month[:3]: number for month, number in MEANINGS.items()}
MEANINGS |= {
    **dict.fromkeys(_split("one once first single a an"), ("1",)),
    **dict.fromkeys(_split("both couple pair second twice double two halves"), ("2",)),
    **dict.fromkeys(_split("triple thrice third thirds three"), ("3",)),
    **dict.fromkeys(_split("noon midday midnight dozen"), ("12", "t12:00", "0", "24", "t0:00")),
    **dict.fromkeys(_split("no nil none without"), ("0",)),
    "half": ("2", "0.5", "50", "30"), "quarter": ("4", "25"), "quarters": ("4", "75"),
    "dozens": ("12",), "decade": ("10",), "decades": ("10",), "century": ("100",),
    "hundreds": ("100",), "thousands": ("1000",), "millions": ("1000000",),
    "fortnight": ("14", "2"), "weekend": ("2",),
}  # fmt: skip
MEANINGS |= _FOLD
MEANINGS |= {word[:-1] + "ies": (str(10 * k), f"19{k}0") for k, word in enumerate(_TENS, start=2)}
_ELSEWHERE = (  # German, French, Spanish and Czech, from 1 on
    "ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn"
    " sechzehn siebzehn achtzehn neunzehn zwanzig",
    "un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
    "un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince"
    " dieciséis diecisiete dieciocho diecinueve veinte",
    "jeden dva tři čtyři pět šest sedm osm devět deset jedenáct dvanáct třináct čtrnáct patnáct"
    " šestnáct sedmnáct osmnáct devatenáct dvacet",
)
for _words in _ELSEWHERE:
    for _k, _word in enumerate(_split(_words), start=1):
        MEANINGS[_word] = (*MEANINGS.get(_word, ()), str(_k))

UNITS = {
    **dict.fromkeys(_split("% percent percentage pct cent"), "percent"),
    **dict.fromkeys(_split("$ dollar dollars usd"), "dollar"),
    **dict.fromkeys(_split("€ euro euros eur"), "euro"),
    **dict.fromkeys(_split("£ pound pounds gbp"), "pound"),
}

NEGATIONS = frozenset(
    _split(
        "not no never none nobody nothing nowhere neither nor cannot without t dont doesnt didnt"
        " isnt wasnt cant wont couldnt wouldnt"
    )
)
# Words that say of themselves what others say with a negation.
IMPLIED_NEGATIONS = frozenset(
    _split(
        "hardly barely scarcely rarely seldom unable fail fails failed failing failure lack lacks"
        " lacked lacking refuse refuses refused avoid avoids avoided deny denies denied reject"
        " rejects rejected prevent prevents prevented unless until few little less least instead"
        " rather far free absence absent impossible except exclude excluded stop stopped against"
        " despite beyond unlikely unclear unknown only still longer otherwise miss missing"
        " afraid ban banned forbidden latest maximum"
    )
)
NEGATING_ELSEWHERE = NEGATIONS | frozenset(
    _split(
        "nicht kein keine keinen keiner keinem nie niemals ohne ne n pas jamais sans aucun aucune"
        " nunca sin ni není nejsou nebyl nebyla nebylo nikdy bez nelze не нет ни без никогда"
    )
)
NEGATING_PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non")

# Frequent words of German that are none of English, nor parts of names as "von" is.
GERMAN = frozenset(
    _split("der das und dem ist nicht ein eine einen einer für zu sich auch wird werden im mit auf")
)
NO_NAMES = frozenset(
    _split(
        "i i'm mr mrs ms miss dr sir the a an and or but of in on at to for from by with as is was"
        " it he she we you they his her our their its this that these those there not no yes if"
        " when what who how why where which than then so am pm"
    )
)

# Names of one thing, without marks on letters; what has the same number is the same.
SAME_NAMES = {
    name: number
    for number, names in enumerate(
        (
            "uk britain british grossbritannien britannien britisch britische britischen england"
            " vereinigteskonigreich unitedkingdom greatbritain london royaume velkabritanie",
            "us usa america american americans american usamerikanische amerika amerikanische"
            " unitedstates states vereinigtestaaten washington etatsunis",
            "gop republican republicans republikaner republikanische",
            "democrats democratic demokraten demokratische",
            "eu europe european europa europaische europeanunion brussels",
            "russia russian moscow kremlin russland moskau",
            "china chinese prc beijing peking",
            "holland dutch netherlands niederlande",
            "burma myanmar",
            "rmb renminbi yuan cny",
            "covid corona coronavirus sars",
            "dprk northkorea pyongyang",
            "un unitednations uno",
            "christmas xmas",
        )
    )
    for name in names.split()
}
