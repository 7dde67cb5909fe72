"""Train the network of syntactic vectors on a treebank in the layout of GUM.

    python benchmarks/train_syntactic_vectors.py CORPUS FOLDER [--documents shipped]

Equal corpora give equal bytes. The shipped network is that of ``--documents shipped``: the
documents of GUM whose texts are CC BY, but for every tenth. Alternative trees are those of the
parser that comes with the package, or of ``--parser``.
"""

import argparse
import sys
from itertools import chain
from pathlib import Path

import numpy as np

from sklearn_mteval.linguistic.syntactic._margin_training import (
    initial_network,
    train_network,
    with_alternatives,
)
from sklearn_mteval.linguistic.syntactic._network import save_network
from sklearn_mteval.linguistic.trees.shipped.kinds import DOCUMENTS
from sklearn_mteval.linguistic.trees.treebanks.corpus import chosen_documents
from sklearn_mteval.linguistic.trees.treebanks.penn import read_penn
from sklearn_mteval.text.vectors.word_vectors import load_word_vectors

__all__ = ["main"]


def main(argv=None):
    """Train and write a network."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("corpus", help="folder with dep/, const/ and rst/")
    parser.add_argument("folder", help="where the network is written")
    parser.add_argument("--documents", choices=DOCUMENTS, default="shipped")
    parser.add_argument("--vectors", default="english", help="word vectors (default: english)")
    parser.add_argument("--parser", metavar="FOLDER", help="model of the parser of alternatives")
    parser.add_argument("--epochs", type=int, default=6)
    arguments = parser.parse_args(argv)
    names = chosen_documents(arguments.corpus, arguments.documents)
    paths = [Path(arguments.corpus, "const", f"{name}.ptb") for name in names]
    trees = list(chain.from_iterable(map(read_penn, paths)))
    groups = with_alternatives(trees, parser_model=arguments.parser)
    vectors = load_word_vectors(arguments.vectors)
    rng = np.random.RandomState(0)
    start = initial_network([group[0] for group in groups], vectors, rng)
    network, losses = train_network(groups, start, vectors, rng, max_epochs=arguments.epochs)
    save_network(network, arguments.folder)
    sys.stdout.write(
        f"{len(names)} documents, {len(groups)} sentences, {sum(map(len, groups))} trees, "
        f"{len(network.matrices)} matrices, loss {losses[0]:.3f} to {losses[-1]:.3f}\n"
    )


if __name__ == "__main__":
    main()
