"""Train the parsers' model on a treebank in the layout of GUM.

    python -m sklearn_mteval.trees.train CORPUS FOLDER [--documents shipped]

Equal corpora give equal bytes. The shipped model is that of ``--documents shipped``: the
documents of GUM whose texts are CC BY, but for every tenth, on which its figures are measured.
"""

import argparse
import sys

from sklearn_mteval.trees.corpus import CHOICES, chosen_documents, read_document
from sklearn_mteval.trees.model import save_model_folder
from sklearn_mteval.trees.training import train_model
from sklearn_mteval.trees.word_classes import hashed_classes

__all__ = ["main"]


def main(argv=None):
    """Train and write a model."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("corpus", help="folder with dep/, const/ and rst/")
    parser.add_argument("folder", help="where the model is written")
    parser.add_argument("--documents", choices=CHOICES, default="shipped")
    parser.add_argument(
        "--no-classes", action="store_true",
        help="without classes of English words, for treebanks of other languages",
    )  # fmt: skip
    arguments = parser.parse_args(argv)
    names = chosen_documents(arguments.corpus, arguments.documents)
    documents = [read_document(arguments.corpus, name) for name in names]
    classes = {} if arguments.no_classes else hashed_classes()
    sys.stdout.write(f"{len(names)} documents\n")
    model = train_model(documents, classes, log=_say)
    save_model_folder(model, arguments.folder)


def _say(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
