"""The log that the annotation tool pearmut writes: JSON lines, one for each submitted document."""

import math
from itertools import pairwise

import pandas as pd

from sklearn_mteval._helpers.files import read_text
from sklearn_mteval.datasets._files import Place, lines_of
from sklearn_mteval.datasets._json import are_objects, is_number, parse_json
from sklearn_mteval.exceptions import DataFileError

_RESET = "__RESET__"  # what the user said before does not count
_EXTRA = ("welcome_", "random_", "goodbye_")  # documents in addition to the campaign's own
_IDLE = 60  # seconds after which pearmut itself takes a user to do something else
_CUT_OFF = (
    "If pearmut was stopped while it wrote the line, take out what is cut off, the line or its "
    "part up to the next '{\"annotation\"': that document is not judged, and all others are whole."
)


class PearmutLog:
    """What the entries of a log say together."""

    def __init__(self, path, max_bytes):
        self.n_left_out = 0  # items
        self._submitted = {}  # what counts, by user and document, lists of entries and places
        self._comments, self._answers, self._seconds = {}, {}, {}
        self._known = set()  # hashes: of a log that was put together with itself time counts once
        for at, entry in _entries(path, max_bytes):
            self._add(at, entry)

    def _add(self, at, entry):
        """Add an entry."""
        counts, n_items = _checked(at, entry)
        user, place = entry["user_id"], entry.get("item_i")
        seconds, content = seconds_of(at, entry.get("actions")), hash(repr(entry))
        if content not in self._known:
            self._known.add(content)
            self._seconds.setdefault(user, []).append(seconds)
        if entry["annotation"] == _RESET:
            for said in (self._submitted, self._comments, self._answers):
                for key in [key for key in said if key[0] == user]:
                    gone = said.pop(key)
                    if said is self._submitted:
                        self.n_left_out += sum(len(old["item"]) for _, old in gone)
            return
        comment = entry.get("comment")
        if comment is not None and not isinstance(comment, str):
            raise at.error(f"a comment must be text, found {comment!r}.")
        self._comments.pop((user, str(place)), None)  # the page shows it again
        if comment:
            self._comments[user, str(place)] = comment
        if counts:
            kept = []
            for where, old in self._submitted.get((user, place), ()):
                left = _without(old, entry["item"])
                kept += [(where, left)] * (left is not None)
                self.n_left_out += len(old["item"]) * (left is not old)
            self._submitted[user, place] = [*kept, (at, entry)]
            return
        self.n_left_out += n_items
        for item, answer in zip(entry["item"], entry["annotation"], strict=True):
            if "form" in item:
                self._answers[user, str(item.get("text"))] = answer

    def entries(self):
        """List what counts: user, place and entry."""
        of_users = self._submitted.items()
        return [(user, at, entry) for (user, _), said in of_users for at, entry in said]

    def minutes(self):
        """Return a table of the time of each judge of whom any was logged."""
        known = {user: [x for x in given if x == x] for user, given in self._seconds.items()}
        sums = {user: math.fsum(given) / 60 for user, given in known.items() if given}
        return pd.DataFrame({"minutes": pd.Series(sums, dtype=float)}).rename_axis("judge")

    def said(self):
        """Return what judges said beside judgements, by name."""
        return {
            "comments": _by_judge(self._comments, "document"),
            "answers": _by_judge(self._answers, "question"),
        }

    def checks(self):
        """Return what pearmut itself says of checks, if anything, by name."""
        rows = []
        for _, at, entry in self.entries():
            passed = entry.get("validations") or []
            if not isinstance(passed, list) or not all(isinstance(one, bool) for one in passed):
                raise at.error(f"validations must be a list of true and false, found {passed!r}.")
            rows += [(entry["user_id"], one) for one in passed]
        table = pd.DataFrame(rows, columns=["judge", "passed"]).astype({"passed": bool})
        counts = table.groupby("judge")["passed"].agg(asked="size", passed="sum")
        return {"checks": counts} if rows else {}


def _by_judge(said, what):
    """Return a Series indexed by judge and something else."""
    index = pd.MultiIndex.from_tuples(said, names=["judge", what])
    return pd.Series(list(said.values()), index, dtype=object)


def _models(item):
    """Return the models whose translations an item shows."""
    return set(item["tgt"]) if isinstance(item.get("tgt"), dict) else set()


def _without(entry, items):
    """Return an entry without what it says of translations that other ``items``, its own, show
    again; None where nothing is left. Dynamic campaigns show a document again, with other models.
    """
    again = [*map(_models, items), *[set()] * len(entry["item"])]
    left = [_models(item) - models for item, models in zip(entry["item"], again, strict=False)]
    if left == [*map(_models, entry["item"])]:
        return entry if any(left) else None
    said = [
        {model: one for model, one in said.items() if model in models}
        if isinstance(said, dict) else said
        for said, models in zip(entry["annotation"], left, strict=True)
    ]  # fmt: skip
    return entry | {"annotation": said} if any(left) else None


def _entries(path, max_bytes):
    """Yield the entries of a log with their places."""
    text = read_text(path, max_bytes=max_bytes)
    lines = [(k, line) for k, line in enumerate(lines_of(text), 1) if line.strip()]
    if not lines:
        raise DataFileError(path, "expected judgements, found an empty file.")
    start = Place(path, lines[0][0])
    try:
        first = parse_json(path, lines[0][1], start.line)
    except DataFileError:
        if len(lines) == 1 or text.lstrip()[0] not in "{[" or len(lines[0][1].strip()) > 1:
            raise
        first, lines = parse_json(path, text), lines[:1]  # one value on many lines
    if len(lines) == 1 and isinstance(first, dict) and "user_id" not in first:
        log = list(first.values())
        if len(log) != 1 or not isinstance(log[0], list):
            problem = f"expected the entries of one campaign, found {[*first][:20]}: split them."
            raise DataFileError(path, problem)
        yield from ((start, entry) for entry in log[0])
        return
    yield start, first
    for line, text in lines[1:]:
        try:
            entry = parse_json(path, text, line)
        except DataFileError as error:
            raise DataFileError(path, f"{error.problem} {_CUT_OFF}", line) from None
        yield Place(path, line), entry


def _checked(at, entry):
    """Check an entry's form; return whether it says something of systems, and its items."""
    if not isinstance(entry, dict):
        raise at.error(f"expected an object, found {type(entry).__name__}.")
    user, place, said = (entry.get(name) for name in ("user_id", "item_i", "annotation"))
    named = isinstance(user, str) and user.strip() and user.isprintable()
    if named and said == _RESET:  # of all documents of the user
        return True, 0
    if not named or not isinstance(place, int | str):
        raise at.error(f"expected 'user_id' and 'item_i', found {user!r} and {place!r}.")
    items = _items(at, entry)
    form = all("form" in item and "tgt" not in item for item in items)
    return not form and not str(place).startswith(_EXTRA), len(items)


def _items(at, entry):
    """Return the items of an entry, objects, each of which has an annotation."""
    items, said = entry.get("item"), entry.get("annotation")
    if not isinstance(items, list) or not isinstance(said, list) or len(items) != len(said):
        raise at.error(
            "expected lists 'item' and 'annotation' of equal length, as pearmut writes since 1.0, "
            f"found {_shown(items)} and {_shown(said)}."
        )
    for item in items:
        if not isinstance(item, dict):
            raise at.error(f"expected items that are objects, found {item!r}.")
    return items


def _shown(value):
    """Show what stands where a list should."""
    return f"one of {len(value)}" if isinstance(value, list) else type(value).__name__


def seconds_of(at, actions):
    """Add up the time between actions, less pauses; NaN without a log."""
    if not actions:
        return math.nan
    times = [action.get("time") for action in actions] if are_objects(actions) else [None]
    if not all(map(is_number, times)):
        raise at.error("expected actions, a list with a number 'time' each.")
    times = sorted(times)
    return math.fsum(min(later - earlier, _IDLE) for earlier, later in pairwise(times))
