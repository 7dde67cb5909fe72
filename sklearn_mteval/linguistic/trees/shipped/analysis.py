"""From words to tags, chunks, dependencies, EDUs and trees: stages for many sentences at once."""

from functools import cached_property
from itertools import pairwise

import numpy as np

from sklearn_mteval.linguistic.trees.shipped.clause_columns import CLAUSE_COLUMNS, clause_columns
from sklearn_mteval.linguistic.trees.shipped.grammars.discourse import edu_columns
from sklearn_mteval.linguistic.trees.shipped.words import WORD_COLUMNS

TOKEN_COLUMNS = (*WORD_COLUMNS, "tag", "chunk", "stag", *CLAUSE_COLUMNS)
_DISCOURSE_BEAM = 4
_FIRST_OF_CLAUSE = TOKEN_COLUMNS.index(CLAUSE_COLUMNS[0])
# Tagging machines, and the columns that they fill for those behind them.
_TAGGERS = {"tags": "tag", "chunks": "chunk", "supertags": "stag"}


class Tokens:
    """The words of sentences one behind another, with their columns, (n_words, n_columns)."""

    def __init__(self, sentences, columns_of_words):
        self.bounds = np.cumsum([0, *map(len, sentences)])
        self.words = [word for sentence in sentences for word in sentence]
        self.columns = np.full((len(self.words), len(TOKEN_COLUMNS)), -7, dtype=np.int32)
        self.columns[:, : len(WORD_COLUMNS)] = columns_of_words(self.words)

    def put(self, name, numbers):
        """Fill a column."""
        self.columns[:, TOKEN_COLUMNS.index(name)] = numbers

    def put_clauses(self, machines):
        """Fill the columns of clauses from the tags and chunks of these machines."""
        lowers, roles, tags, chunks = (
            self.columns[:, TOKEN_COLUMNS.index(name)] for name in ("lower", "role", "tag", "chunk")
        )
        tag_names, chunk_names = machines["tags"].labels, machines["chunks"].labels
        self.columns[:, _FIRST_OF_CLAUSE:] = clause_columns(
            lowers, roles, tags, tag_names, chunks, chunk_names, self.bounds
        )


class Analysis:
    """What a model says of some sentences, each stage worked out when it is first asked for."""

    def __init__(self, model, sentences, columns_of_words, *, beam=1):
        self._machines = model.machines
        self._beam = beam
        self.tokens = Tokens(sentences, columns_of_words)
        self.bounds = self.tokens.bounds
        self._names = {}

    def names(self, last):
        """Run the tagging machines up to the last, unless that is done; list its words' labels."""
        for name, column in _TAGGERS.items():
            if last in self._names:
                break
            machine = self._machines[name]
            if name not in self._names:
                found = machine.tag(self.tokens.columns, self.bounds)
                self.tokens.put(column, found)
                self._names[name] = [machine.labels[k] for k in found.tolist()]
        return self._names[last]

    def by_sentence(self, *columns):
        """Return words and tags of each sentence, and its part of other values of all words."""
        columns = self.tokens.words, self.names("tags"), *columns
        ends = pairwise(self.bounds.tolist())
        return [tuple(column[start:end] for column in columns) for start, end in ends]

    def derive(self, name):
        """Return the best derivations by the machine of dependencies or of constituents."""
        self.names("supertags")
        return self._machines[name].derive(self.tokens.columns, self.bounds, beam=self._beam)

    def score_constituents(self, n_best):
        """Generate (sentence, actions, log-probability) of the n best derivations of each."""
        self.names("supertags")
        machine, given = self._machines["constituents"], (self.tokens.columns, self.bounds)
        derived, counts = machine.predict(*given, beam=self._beam, n_best=n_best)
        sentences = np.repeat(np.arange(len(counts)), counts)
        steps = 2 * np.diff(self.bounds)[sentences] - 1
        scores = machine.log_likelihoods(*given, derived, np.cumsum([0, *steps]), sentences)
        return zip(sentences.tolist(), machine.divide(derived, steps), scores, strict=True)

    @cached_property
    def edu_bounds(self):
        """The first words of all EDUs, and the end."""
        self.names("chunks")
        self.tokens.put_clauses(self._machines)
        machine = self._machines["boundaries"]
        found = machine.tag(self.tokens.columns, self.bounds)
        begins = np.array([label == "B" for label in machine.labels])[found]
        begins[self.bounds[:-1][np.diff(self.bounds) > 0]] = True
        return np.append(np.flatnonzero(begins), len(begins))

    @cached_property
    def discourse(self):
        """First words of all EDUs and the end; actions of each sentence's tree; EDUs before it."""
        self.names("chunks")
        machine = self._machines["discourse"]
        of_sentence = np.searchsorted(self.edu_bounds, self.bounds)
        units = edu_columns(self.tokens.columns, TOKEN_COLUMNS, self.bounds, self.edu_bounds)
        trees = machine.derive(units, of_sentence, beam=_DISCOURSE_BEAM)
        return self.edu_bounds.tolist(), trees, of_sentence.tolist()
