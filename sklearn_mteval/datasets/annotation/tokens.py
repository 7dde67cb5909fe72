"""Names of translations where annotators see them: of each segment others, signed by the texts."""

import hashlib

# No vowels, lest there be words, nor digits, lest spreadsheets take them for numbers.
_LETTERS = str.maketrans("0123456789abcdef", "bcdfghjkmnpqrstv")
_NAME, _SIGNATURE = 12, 4  # letters


def with_own_tokens(campaign):
    """Give each translation of a campaign a token of its own, the same for all annotators.

    The system's token, which nobody sees any more, is the secret that they are made of. The
    tutorial is left out, and checks are put into the documents of their segments.
    """
    items, documents = campaign.items, campaign.documents
    items = items[items["kind"] != "tutorial"]
    if documents is not None:
        items = items.assign(document=[str(documents[label]) for label in items["segment"]])
    tokens = [
        _letters(_NAME, row.token, str(row.segment))
        + signature(row.hypothesis, row.source, row.reference)
        for row in items.itertuples()
    ]
    return campaign._replace(items=items.assign(token=tokens))


def signature(*texts):
    """Sign texts, whatever white space is in them; None and empty texts do not count."""
    words = [text.split() for text in texts if isinstance(text, str)]
    return _letters(_SIGNATURE, *(" ".join(each) for each in words if each))


def is_signed(token, *texts):
    """Tell whether a token is of these texts."""
    return token[_NAME:] == signature(*texts)


def _letters(n, *parts):
    """Digest texts to letters."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:n].translate(_LETTERS)
