"""What differs between two translations, in words: errors that are named, then words."""

from collections import Counter

from sklearn_mteval.candidates import check_texts

_MOST = 8  # words that are listed


def differences_of(X, words, marks, flags, worse, better):
    """Say what only the ``worse`` of two rows of a candidate table has against it, as sentences.

    First what it contradicts, by ``flags``, then ``words`` of the reference without counterpart and
    its own, then words in another order, by ``marks``; each only where the other row has it not.
    """
    text, other = (str(X["hypothesis"].iloc[k]) for k in (worse, better))
    if not text.strip() and other.strip():
        return ["it is empty"]
    found = [flag for flag in flags.iloc[worse] if flag not in flags.iloc[better]]
    missing, own = (
        _surplus(words[column].iloc[worse], words[column].iloc[better])
        for column in ("missing", "own")
    )
    found += _of_words(missing, own)
    if not (missing or own):
        moved = [_cut(X, k, marks[k].moved) for k in (worse, better)]
        found += _said("{} stands elsewhere than in the reference", _surplus(*moved))
    return found or _of_forms(X, worse, better)


def _cut(X, k, ranges):
    """Return the words at ranges of a hypothesis."""
    text = X["hypothesis"].iloc[k]
    return [text[start:end] for start, end in ranges]


def _surplus(words, others):
    """List the words that the others have less often, in lower case."""
    left = Counter(map(str.lower, others))
    found = []
    for word in words:
        if left[word.lower()]:
            left[word.lower()] -= 1
        else:
            found.append(word)
    return found


def _of_words(missing, own):
    """Say which words of the reference are missing, and which stand in their place."""
    if missing and own:
        return [f"{_quoted(own)} in place of the reference's {_quoted(missing)}"]
    return _said("{} of the reference is missing", missing) + _said("{} is added", own)


def _said(sentence, words):
    return [sentence.format(_quoted(words))] if words else []


def _quoted(words):
    """Write words in quotation marks; of many, the first."""
    some = ", ".join(f"“{word}”" for word in words[:_MOST])
    return f"{some} and {len(words) - _MOST} more" if len(words) > _MOST else some


def _of_forms(X, worse, better):
    """Say that only capitals or marks differ from the reference, if so."""
    text, other = (X["hypothesis"].iloc[k] for k in (worse, better))
    if "reference" not in X or text == other:
        return []
    references = [*check_texts(X, "reference", several=True)[worse]]
    if other in references and text.lower() == other.lower():
        return ["capitals differ from the reference's"]
    if _letters(text) == _letters(other):
        return ["marks or spaces differ"]
    return []


def _letters(text):
    return [character for character in text.lower() if character.isalnum()]
