"""A treebank in the layout of GUM, small enough to train a model on in seconds."""

import tempfile
from functools import cache
from pathlib import Path

import pytest

from sklearn_mteval.cli import main
from sklearn_mteval.linguistic.trees.shipped import stages

# Word, tag, head, relation; the tree; EDUs. N and V stand for a noun and a verb.
_SENTENCES = [
    (
        "The DT 2 det|N NN 3 nsubj|V VBZ 0 root|. . 3 punct",
        "(ROOT (S (NP-SBJ (DT The) (NN N)) (VP (VBZ V)) (. .)))",
        ["The N V ."],
    ),
    (
        "He PRP 2 nsubj|said VBD 0 root|that IN 6 mark|the DT 5 det|N NN 6 nsubj|V VBZ 2 ccomp|"
        "because IN 9 mark|it PRP 9 nsubj|rained VBD 6 advcl|. . 2 punct",
        "(ROOT (S (NP-SBJ (PRP He)) (VP (VBD said) (SBAR (IN that) (S (NP-SBJ (DT the) (NN N)) "
        "(VP (VBZ V) (SBAR-PRP (IN because) (S (NP-SBJ (PRP it)) (VP (VBD rained)))))))) (. .)))",
        ["He said", "that the N V", "because it rained ."],
    ),
    (
        "Old JJ 2 amod|N NN 0 root|( ( 5 punct|V VB 5 goeswith|5 CD 2 dep|) ) 5 punct",
        "(ROOT (NP (NP (JJ Old) (NN N)) (PRN (-LRB- -LRB-) (QP (VB V) (CD 5)) (-RRB- -RRB-))))",
        ["Old N ( V 5 )"],
    ),
]
_NOUNS = ["cat", "old-timer", "horse", "King", "ship", "day"]
_VERBS = ["sleeps", "sees", "goes", "dies", "sings", "ends"]


def write_treebank(folder, names):
    """Write a document of three sentences for each name."""
    for part in ("dep", "const", "rst"):
        Path(folder, part).mkdir(parents=True)
    for number, name in enumerate(names):

        def filled(text, number=number):
            parts = (text, _NOUNS[number % 6], _VERBS[(number // 6 + number) % 6])
            return parts[0].replace("N ", f"{parts[1]} ").replace("V ", f"{parts[2]} ")

        rows, lines, edus = [], [], []
        for words, tree, of_sentence in _SENTENCES:
            for k, line in enumerate(words.split("|"), 1):
                word, tag, head, relation = line.split()
                word = filled(f"{word} ").strip()
                rows.append(
                    "\t".join([str(k), *[word] * 2, "X", tag, "_", head, relation, "_", "_"])
                )
            rows.append("")
            tree = tree.replace("N)", f"{filled('N ').strip()})")
            lines.append(tree.replace("V)", f"{filled('V ').strip()})"))
            edus += [filled(f"{edu} ").strip() for edu in of_sentence]
        Path(folder, "dep", f"{name}.conllu").write_text("\n".join(rows) + "\n", encoding="utf-8")
        Path(folder, "const", f"{name}.ptb").write_text("\n".join(lines), encoding="utf-8")
        first, said, that, because, old = (f"(text _!{edu}_!)" for edu in edus)
        text = f"""(Root (span 1 5)
          (Nucleus (leaf 1) (rel2par span) {first})
          (Satellite (span 2 5) (rel2par elaboration-attribute)
            (Nucleus (span 2 4) (rel2par span)
              (Satellite (leaf 2) (rel2par attribution-positive) {said})
              (Nucleus (span 3 4) (rel2par span)
                (Nucleus (leaf 3) (rel2par span) {that})
                (Satellite (leaf 4) (rel2par causal-cause) {because})))
            (Satellite (leaf 5) (rel2par context-background) {old})))"""
        Path(folder, "rst", f"{name}.dis").write_text(text, encoding="utf-8")


def small_settings(monkeypatch):
    """Make training short."""
    monkeypatch.setattr(stages, "_FOLDS", 2)
    small = {
        name: {**settings, "n_epochs": 4, "n_runs": 1, "min_count": 1}
        for name, settings in stages._SETTINGS.items()
    }
    monkeypatch.setattr(stages, "_SETTINGS", small)


NAMES = [f"GUM_news_{k}" for k in "abcdef"]


@cache
def small_model():
    """Train once; return the folder of the model, which holds till the process ends."""
    holder = tempfile.TemporaryDirectory()
    _HELD.append(holder)
    corpus, folder = Path(holder.name, "corpus"), Path(holder.name, "model")
    write_treebank(corpus, NAMES)
    with pytest.MonkeyPatch.context() as patch:
        small_settings(patch)
        assert main(["treebank", "train", str(corpus), "-o", str(folder), "--no-classes"]) == 0
    return folder


_HELD = []
