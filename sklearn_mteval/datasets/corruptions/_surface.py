"""Corruptions of how a text is written, not of what it says."""

from sklearn_mteval.datasets.corruptions._words import pick

_WRAPPERS = (
    "Translation: {}",
    "Here is the translation: {}",
    "Sure! Here is the translation: {}",
    "{} Let me know if you need anything else!",
    "```{}```",
    "<translation>{}</translation>",
    "{} (Note: This is a literal translation.)",
)


def lowercased(row, rng, others):
    """Write all letters small."""
    return row.text.lower()


def wrapped(row, rng, others):
    """Add what language models say around a translation."""
    return pick(rng, _WRAPPERS).format(row.text)


def entities(row, rng, others):
    """Write spaces as entities of HTML, which a reader sees as they are."""
    return row.text.replace(" ", "&nbsp;") if " " in row.text else None


def mojibake(row, rng, others):
    """Read the bytes of UTF-8 as characters of Windows-1252; of texts that are not ASCII."""
    if row.text.isascii():
        return None
    return row.text.encode("utf-8", "replace").decode("cp1252", "replace")
