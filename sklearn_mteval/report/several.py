"""Reports of the same kind, of several language pairs, as one text of the same format."""

import json

NAME = "lang_pair"


def join_reports(texts, output_format):
    """Join texts of reports, by language pair, in their format.

    Parameters
    ----------
    texts : dict of str
        What was written of each language pair.
    output_format : str
        Any that reports have: tables of TSV get a first column, ``lang_pair``, and all columns that
        any of them has; JSON is an object with an entry for each pair; the others have headings.

    Returns
    -------
    text : str
    """
    return _JOINED[output_format](texts)


def _tsv(texts):
    """Put rows below each other; a column that a pair has not is empty there."""
    tables = {
        pair: [line.split("\t") for line in text.removesuffix("\n").split("\n")]
        for pair, text in texts.items()
    }
    names = list(dict.fromkeys(name for header, *_ in tables.values() for name in header))
    lines = [[NAME, *names]]
    for pair, (header, *rows) in tables.items():
        cells = (dict(zip(header, row, strict=True)) for row in rows)
        lines += [[pair, *(row.get(name, "") for name in names)] for row in cells]
    return "".join("\t".join(line) + "\n" for line in lines)


def _json(texts):
    """Map language pairs to what was written of them."""
    found = {pair: json.loads(text) for pair, text in texts.items()}
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"


def _with_headings(heading):
    """Return what puts a heading before each text."""
    return lambda texts: "\n".join(f"{heading(pair)}\n\n{text}" for pair, text in texts.items())


_JOINED = {
    "text": _with_headings(lambda pair: f"{pair}\n{'=' * len(pair)}"),
    "tsv": _tsv,
    "json": _json,
    "latex": _with_headings(lambda pair: f"% {pair}"),
    "markdown": _with_headings(lambda pair: f"## {pair}"),
}
