from sklearn_mteval.linguistic.trees.brackets import BracketTree as BracketTree
from sklearn_mteval.linguistic.trees.brackets import read_brackets as read_brackets
from sklearn_mteval.linguistic.trees.cache import CachedParser as CachedParser
from sklearn_mteval.linguistic.trees.external.bracketed_trees import (
    BracketedTrees as BracketedTrees,
)
from sklearn_mteval.linguistic.trees.external.link_grammar import LinkGrammar as LinkGrammar
from sklearn_mteval.linguistic.trees.parses import Parser as Parser
from sklearn_mteval.linguistic.trees.parses import Parses as Parses
from sklearn_mteval.linguistic.trees.shipped.parsers import ConstituencyParser as ConstituencyParser
from sklearn_mteval.linguistic.trees.shipped.parsers import DependencyParser as DependencyParser
from sklearn_mteval.linguistic.trees.shipped.parsers import ShallowParser as ShallowParser
from sklearn_mteval.linguistic.trees.transformer import Trees as Trees
from sklearn_mteval.linguistic.trees.treebanks.conllu import read_conllu as read_conllu
from sklearn_mteval.linguistic.trees.treebanks.dependency import dependencies as dependencies
from sklearn_mteval.linguistic.trees.treebanks.penn import read_penn as read_penn
from sklearn_mteval.linguistic.trees.treebanks.rst import read_rst as read_rst
