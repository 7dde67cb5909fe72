"""What the names of columns say: the role, in several languages, and perhaps of which system."""

import re
from functools import cache
from typing import NamedTuple

from sklearn_mteval.datasets.own._direction import plain, words_apart, words_of

JUDGEMENTS = ("rank", "score", "winner")
# Of two roles in one name, such as "mt score" and "reference translation", the first is meant.
_ROLES = (*JUDGEMENTS, "source", "reference", "judge", "segment", "hypothesis", "system")
_NUMBERS = {"id", "ids", "nr", "no", "num", "number", "nummer", "numero", "index", "key"}
_GAP = re.compile(r"[\s_:()\[\]/.\u2013-]+|(?<=[^\W\d_])(?=[0-9])|(?<=[^\W\d_A-Z])(?=[A-Z])")
_SCALE = re.compile(r"[0-9]+ *(-|\u2013|to|bis|à|a) *[0-9]+|%|max.*|.*(better|best).*|[0-9]{2,}")


class Names(NamedTuple):
    """The columns of a table by what their names say."""

    alone: dict  # of each role two lists of columns: of customary names, and of others
    of: dict  # of each role, the column of each system, or of each annotator or reference
    free: list  # columns that have names of other kinds
    more: list  # of one role and system where another column is


@cache
def _vocabulary():
    """Map each word to the roles that it may have: 0 where it is customary, 1, 2 in parts only."""
    found = {}
    for role, tiers in words_of("columns").items():
        for tier, words in enumerate(tiers):
            for word in words:
                found.setdefault(word, {}).setdefault(role, tier)
    return found


@cache
def places():
    """Map the words for the first of several, the second, and so on, to 0, 1, …."""
    return {word: k for k, words in enumerate(words_of("verdicts")["places"]) for word in words}


def bare(name):
    """Take from a name what differs from tool to tool: case, accents, what is between words."""
    return re.sub(r"[\W_]+", "_", plain(name)).strip("_")


def place_of(name):
    """Return 0 for "A", "left" or "1", 1 for "B", and so on; None for what is no place."""
    weak = words_of("verdicts")["weak"][0]
    words = [word for word in bare(name).split("_") if word not in weak]
    word = words[0] if words else ""
    return int(word) - 1 if re.fullmatch("[1-9]", word) else places().get(word)


def roles_of(name, last_tier=1):
    """Map the roles that a name may have to 0 if it is customary there, else 1."""
    found = _vocabulary().get(bare(name)) or _vocabulary().get(bare(words_apart(name)), {})
    return {role: tier for role, tier in found.items() if tier <= last_tier}


def parted(name):
    """Return role and rest of a name such as "rank_A", "A (score)" and "MT 1"; None, ""."""
    for word, gap, other in _in_two(name.strip()):
        roles = [role for role in roles_of(word, 2) if role in _ROLES]
        if roles and other:
            if roles[0] in ("rank", "score") and gap == "_":
                return roles[0], other  # as we write it, whatever the system is called
            more = [role for role in roles_of(other) if role in _ROLES]
            role = min([*roles, *more], key=_ROLES.index)
            if role in ("source", "reference", "hypothesis") and bare(other) in _NUMBERS:
                return "segment", ""  # prompt_id is no prompt
            return role, "" if more or _SCALE.fullmatch(other.casefold()) else other
    return None, ""


def rest_after(name, word):
    """Return what a name has before or after a word; "" where it is not there."""
    return next((other for part, _, other in _in_two(name) if bare(part) == bare(word)), "")


def _in_two(name):
    """Yield what stands on one side of each gap, the gap if that is before it, and the rest."""
    for gap in _GAP.finditer(name):
        front, rest = name[: gap.start()], name[gap.end() :].rstrip(" )]")
        yield front, gap[0], rest
        yield rest, "", front


def names_of(columns):
    """Tell by their names what columns hold."""
    alone = {role: ([], []) for role in words_of("columns")}
    found = Names(alone, {role: {} for role in alone}, [], [])
    for name in columns:
        roles = roles_of(name)
        role, rest = (None, "") if roles else parted(name)
        if role is not None and not rest:
            roles = {role: 1}
        for each, tier in roles.items():
            alone[each][tier].append(name)
        if not roles and role in (None, "segment"):
            found.free.append(name)
        elif not roles and found.of[role].setdefault(rest, name) != name:
            found.more.append((role, rest, name))
    return found


def is_summary(text):
    """Tell whether a row or column that is called so sums up others."""
    short = len(text) < 30 and not text[:1].isdigit()
    return short and bare(text) in words_of("verdicts")["summary"][0]


def customary(*roles):
    """List the customary names of roles."""
    return [word for role in roles for word in words_of("columns")[role][0]]


def listed(name):
    """List the columns of a name, of several, or of none."""
    return [name] if isinstance(name, str) else list(name or ())
