"""Sentence parting by own rules and by libraries: ``python benchmarks/sentence_parting.py``.

Libraries are asked where they are installed (pysbd, syntok, sentencex, pyicu, blingfire). One line
for each: F1 of the boundaries of GUM's documents, whose sentences are joined by blanks; for each
language of WMT's lines, 20 of which are joined, the proportion of line ends behind a mark that are
found (%), and the cuts inside lines (for 100 lines, right ones, too); sentences a second.
"""

# ruff: noqa: RUF001 - marks are what this is about
import os
import time
from importlib import import_module, metadata
from itertools import accumulate, pairwise
from pathlib import Path

from sklearn_mteval.text.sentences import sentences

DATA = Path(os.environ["SKLEARN_MTEVAL_DATA"])
BLOCK = 20  # lines joined
N_LINES = 1000
LINES = {
    "en": "wmt15/sources/newstest2015-encs-src.en",
    "cs": "wmt15/sources/newstest2015-csen-src.cs",
    "de": "wmt15/sources/newstest2015-deen-src.de",
    "fi": "wmt15/sources/newstest2015-fien-src.fi",
    "fr": "wmt15/sources/newstest2015-fren-src.fr",
    "ru": "wmt15/sources/newstest2015-ruen-src.ru",
    "es": "wmt16it/references/it-test2016-enes-ref.es",
    "nl": "wmt16it/references/it-test2016-ennl-ref.nl",
    "zh": "wmt23/sources/zh-en.txt",
    "ja": "wmt24/references/en-ja.refA.txt",
    "he": "wmt23/sources/he-en.txt",
}
MARKS = tuple(".!?…。！？")


def _own(language):
    return lambda text: [text[start:end] for start, end in sentences(text)]


def _pysbd(language):
    known = import_module("pysbd.languages").LANGUAGE_CODES
    part = import_module("pysbd").Segmenter(language=language if language in known else "en")
    return part.segment


def _syntok(language):
    analyze = import_module("syntok.segmenter").analyze

    def part(text):
        starts = [sentence[0].offset for block in analyze(text) for sentence in block if sentence]
        return [text[i:j] for i, j in pairwise([0, *starts[1:], len(text)])]

    return part


def _sentencex(language):
    part = import_module("sentencex").segment
    return lambda text: part(language, text)


def _pyicu(language):
    icu = import_module("icu")
    breaks = icu.BreakIterator.createSentenceInstance(icu.Locale(language))

    def part(text):
        breaks.setText(text)  # astral characters count twice
        units = text.encode("utf-16-le")
        edges = [0, *breaks]
        return [units[2 * i : 2 * j].decode("utf-16-le") for i, j in pairwise(edges)]

    return part


def _blingfire(language):
    part = import_module("blingfire").text_to_sentences
    return lambda text: part(text).split("\n")


PARTERS = {
    "own rules": _own,
    "sentencex": _sentencex,
    "pysbd": _pysbd,
    "syntok": _syntok,
    "pyicu": _pyicu,
    "blingfire": _blingfire,
}


def ends(parts):
    """Return the boundaries between parts, counted in characters that are no whitespace."""
    return set(accumulate(len("".join(part.split())) for part in parts if part.strip()))


def gum():
    """Return the sentences of each document."""
    documents = []
    for path in sorted((DATA / "gum" / "dep").glob("*.conllu")):
        lines = path.read_text(encoding="utf-8").splitlines()
        documents.append([line[9:] for line in lines if line.startswith("# text = ")])
    return documents


def on_gum(part, documents):
    """Return precision, recall, F1, and recall of the boundaries behind a mark."""
    n_right = n_found = n_true = n_marked = n_marked_right = 0
    for document in documents:
        true, found = ends(document), ends(part(" ".join(document)))
        marked = {
            end
            for end, text in zip(sorted(true), document, strict=True)
            if text.rstrip("\"'”’)").endswith(MARKS)
        }
        last = {max(true)}
        true, found, marked = true - last, found - last, marked - last
        n_right += len(true & found)
        n_found, n_true = n_found + len(found), n_true + len(true)
        n_marked, n_marked_right = n_marked + len(marked), n_marked_right + len(marked & found)
    precision, recall = n_right / n_found, n_right / n_true
    f1 = 2 * precision * recall / (precision + recall)
    return precision, recall, f1, n_marked_right / n_marked


def on_lines(part, lines, blank):
    """Return the proportion of line ends found, the cuts inside lines for 100 lines."""
    n_true = n_right = n_inside = 0
    for begin in range(0, len(lines), BLOCK):
        block = lines[begin : begin + BLOCK]
        edges = ends(block)
        found = ends(part(blank.join(block)))
        true = {
            edge
            for edge, line in zip(sorted(edges), block[:-1], strict=False)
            if line.endswith(MARKS)
        }
        n_true, n_right = n_true + len(true), n_right + len(true & found)
        n_inside += len(found - edges)
    return n_right / n_true, 100 * n_inside / len(lines)


def main():
    documents = gum()
    texts = {}
    for language, name in LINES.items():
        lines = (DATA / name).read_text(encoding="utf-8").splitlines()
        texts[language] = [line.strip() for line in lines if line.strip()][:N_LINES]
    print(
        "| parter | GUM: precision | recall | F1 | marked | " + " | ".join(texts) + " | a second |"
    )
    for name, make in PARTERS.items():
        try:
            version = "" if make is _own else " " + metadata.version(name)
            make("en")
        except ImportError:
            print(f"| {name} | not installed |")
            continue
        shares = [f"{share:.3f}" for share in on_gum(make("en"), documents)]
        began = time.process_time()
        for document in documents:
            make("en")(" ".join(document))
        speed = sum(map(len, documents)) / (time.process_time() - began)
        for language, lines in texts.items():
            blank = "" if language in ("zh", "ja") else " "
            found, inside = on_lines(make(language), lines, blank)
            shares.append(f"{100 * found:.1f} / {inside:.0f}")
        print(f"| {name}{version} | {' | '.join(shares)} | {speed:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
