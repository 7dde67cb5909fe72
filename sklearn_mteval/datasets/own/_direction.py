"""What the name of a column says of its direction: of ranks the lower is better, of scores not."""

import json
import re
import unicodedata
from functools import cache
from importlib import resources


def plain(text):
    """Write a text without case, accents and other forms of the same letters."""
    parts = unicodedata.normalize("NFKD", text).casefold().replace("\u0131", "i")
    return unicodedata.normalize("NFC", "".join(c for c in parts if not unicodedata.combining(c)))


@cache
def words_of(name):
    """Read a file of words: of each key, lists; "_" is within words of several parts."""
    path = resources.files("sklearn_mteval.datasets") / "data" / f"{name}.json"
    return {k: [each.split() for each in v] for k, v in json.loads(path.read_text("utf-8")).items()}


# Words of many languages that leave no doubt, each with what is better. "Grade", "mark" and "note"
# are none: 1 is the best of them in Germany, the worst in France.
_KNOWN = {
    plain(word): better
    for better, lines in words_of("directions").items()
    for words in lines
    for word in words
}


def words_apart(name):
    """Write blanks between words that only capitals tell apart."""
    return re.sub(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)


def better_by_name(name):
    """Tell whether "lower" or "higher" is better of what is called so; None: it does not say."""
    name = plain(words_apart(name))
    words = re.findall(r"[^\W\d_]+", name)
    said = {
        better
        for known, better in _KNOWN.items()
        if known in words
        or (known > "\u0900" and known in name)  # no blanks part words there
        or ((len(known) > 6 or known == "score") and any(word.endswith(known) for word in words))
    }
    return said.pop() if len(said) == 1 and said != {"unclear"} else None


def turned(columns, judged, better):
    """List the sentence that judgements are read upside down, by the names of their columns."""
    other = {"lower": "higher", "higher": "lower"}.get(better)
    named = [columns.judgement] if isinstance(columns.judgement, str) else columns.judgement
    systems = columns.names if columns.names and len(columns.names) == len(named) else named
    pairs = zip(named, systems, strict=True)
    said = {better_by_name(name.replace(system, "", name != system)) for name, system in pairs}
    # Ranks and penalties with a minus are scores.
    if better is None or said != {other} or (other == "lower" and (judged.y >= 0).all()):
        return []
    return [
        f"column {named[0]!r} is read with better={better!r}, and its name says that {other} is "
        f"better: then the best translations would count as the worst. Pass better={other!r}; or, "
        f"if {better} is better after all, rename the column."
    ]
