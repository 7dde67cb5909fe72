"""How many mistakes in files ``suspicious_texts`` notices, and what it says of sound files.

Samples of 20, 100 and 500 lines that follow each other, of all sets at hand, are damaged as people
do by mistake. A damage is noticed if something is said that is not said of the sound sample.
"""

import argparse
import warnings
from collections import defaultdict

import numpy as np
import pandas as pd
from suspicious_sets import sets

from sklearn_mteval.datasets import suspicious_texts

SIZES = (20, 100, 500)
SYSTEMS = 4  # of a sample at most
MORE = 3  # lines that a sample is longer by, which take the places of others
FOREIGN = ("de", "cs", "fr", "fi", "ru", "en", "zh")


def samples(X, size, n, rng):
    """Yield samples of lines, somewhat longer ones: of source, reference if any, and systems."""
    X = X.droplevel([name for name in X.index.names if name not in ("segment", "system")])
    wide = X[~X.index.duplicated()]["hypothesis"].unstack("system")  # noqa: PD010
    first = X.groupby(level="segment", sort=False).first().loc[wide.index]
    for _ in range(n if len(wide) > size + MORE else 0):
        start = rng.integers(len(wide) - size - MORE)
        rows = slice(start, start + size + MORE)
        texts = wide.iloc[rows]
        full = [name for name in wide if texts[name].map(bool).all() and texts[name].notna().all()]
        if full:
            some = rng.permutation(np.array(full, dtype=object))[:SYSTEMS]
            lines = {
                letter: texts[name].tolist() for letter, name in zip("ABCD", some, strict=False)
            }
            for column in ("source", "reference"):
                if column in first:
                    cells = first[column].iloc[rows]
                    lines[column] = [c if isinstance(c, str) else " ".join(c) for c in cells]
            yield lines


def table(lines, size):
    """Make a candidate table."""
    systems = [name for name in lines if name not in ("source", "reference")]
    rows = pd.MultiIndex.from_product([range(1, size + 1), systems], names=["segment", "system"])
    hypotheses = [lines[name][k] for k in range(size) for name in systems]
    X = pd.DataFrame({"hypothesis": hypotheses}, rows, dtype=object)
    for column in {"source", "reference"} & lines.keys():
        X[column] = [lines[column][k] for k in range(size) for _ in systems]
    return X


def rolled(lines, size, rng):
    k = int(rng.integers(1, 4))
    return lines[k:] + lines[:k] if rng.random() < 0.5 else lines[:size][-k:] + lines[: size - k]


def shifted_in_the_middle(lines, size, rng):
    k = size // 2
    return lines[:k] + (lines[k + 1 :] if rng.random() < 0.5 else ["", *lines[k:]])


def shuffled(lines, size, rng):
    return [lines[k] for k in rng.permutation(size)]


def numbered(lines, size, rng):
    form = rng.choice(["{}\t{}", "{}. {}", "{}) {}", "[{}] {}", "{} ||| {}"])
    return [form.format(k, line) for k, line in enumerate(lines, int(rng.integers(2)))]


def wrapped(lines, size, rng):
    forms = ["Translation: {}", '"{}"', "```{}```", "**{}**", "Sure! Here is the translation: {}"]
    form = rng.choice([*forms, "Übersetzung: {}", "<s> {} </s>", "译文\uff1a{}", "- {}"])
    return [form.format(line) if rng.random() < 0.8 else line for line in lines]


def preambles(lines, size, rng):
    forms = ["Sure! {}", "Here is the translation: {}", "Translation: {}", "Of course. {}"]
    return [rng.choice(forms).format(line) for line in lines]


OF_ONE_FILE = {
    "rolled by one to three lines": rolled,
    "shifted by a line from the middle on": shifted_in_the_middle,
    "in another order": shuffled,
    "with line numbers": numbered,
    "with a wrapper on 80 % of the lines": wrapped,
    "with different preambles": preambles,
}


def damaged(lines, size, text, pair, rng):
    """Yield (kind, damaged lines, language pair); ``text`` is of another language."""
    systems = [name for name in lines if name not in ("source", "reference")]
    source, system = lines["source"], lines["A"]
    for kind, damage in OF_ONE_FILE.items():
        for name, part in (("a system", "A"), ("the source", "source")):
            yield f"{name} {kind}", lines | {part: damage(lines[part], size, rng)}, None
    alone = len(systems) == 1 and "reference" not in lines
    yield "a system in another language", lines | {"A": text}, pair if alone else None
    yield "the source in another language", lines | {"source": text}, pair
    half = source[: size // 2] + text
    yield "half of the source in another language", lines | {"source": half}, None
    yield "a translation as the source", lines | {"source": lines[systems[-1]]}, None
    if len(systems) > 1:
        yield "source and one of several systems exchanged", _exchanged(lines, "source", "A"), None
    if "reference" in lines:
        references = lines["reference"]
        for kind, part in (("", 1.0), (" in three of four lines", 0.75)):
            copied = [
                r if rng.random() < part else h for r, h in zip(references, system, strict=True)
            ]
            yield f"the reference as a system{kind}", lines | {"A": copied}, None
        yield "source and reference exchanged", _exchanged(lines, "source", "reference"), None
        single = {name: lines[name] for name in ("A", "source", "reference")}
        yield "source and only system exchanged", _exchanged(single, "source", "A"), None
        rolls = rolled(references, size, rng)
        yield "the reference rolled by one to three lines", lines | {"reference": rolls}, None


def _exchanged(lines, one, other):
    return lines | {one: lines[other], other: lines[one]}


def texts_by_language(tables):
    """Map languages to some lines."""
    found = defaultdict(list)
    for _, pair, X in tables:
        for language, column in zip(pair.split("-"), ("source", "hypothesis"), strict=True):
            if language in FOREIGN and len(found[language]) < 3000:
                found[language] += X[column].drop_duplicates().tolist()[:1500]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1, help="of each set and size")
    parser.add_argument("--missed", action="store_true", help="list what is missed")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    noticed, sound = defaultdict(list), defaultdict(list)  # (kind, size), size -> entries
    tables = list(sets())
    others = texts_by_language(tables)
    for name, pair, X in tables:
        told = suspicious_texts(X, pair)
        print(*(f"{name}: {text}" for text in told), sep="\n", end="\n" * bool(told))
        for size in SIZES:
            for lines in samples(X, size, arguments.samples, rng):
                before = suspicious_texts(table(lines, size), pair)
                sound[size].append([f"{name}: {text}" for text in before])
                language = rng.choice([code for code in others if code not in pair.split("-")])
                start = rng.integers(len(others[language]) - size - MORE)
                text = others[language][start : start + size + MORE]
                for kind, changed, known in damaged(lines, size, text, pair, rng):
                    said = set(suspicious_texts(table(changed, size), known)) - set(before)
                    noticed[kind, size].append(bool(said))
                    if arguments.missed and not said:
                        print("missed:", kind, size, name)
    print("| mistake | " + " | ".join(f"{size} lines" for size in SIZES) + " |\n|---|---|---|---|")
    for kind in dict.fromkeys(kind for kind, _ in noticed):
        cells = [noticed[kind, size] for size in SIZES]
        print(f"| {kind} | {' | '.join(f'{sum(c)} of {len(c)}' for c in cells)} |")
    for size, found in sound.items():
        said = [text for texts in found for text in texts]
        print(
            f"{len(said)} findings in {len(found)} sound samples of {size} lines", *said, sep="\n  "
        )


if __name__ == "__main__":
    main()
