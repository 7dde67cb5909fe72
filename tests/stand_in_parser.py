"""A parser that stands in for the shipped ones: flat trees of words between spaces."""

from typing import ClassVar

import pytest

from sklearn_mteval.linguistic.trees.brackets import escape_word
from sklearn_mteval.linguistic.trees.parses import FAILED, PARSED, BaseParser
from sklearn_mteval.linguistic.trees.shipped import parsers
from sklearn_mteval.trees import Parses


class StandInParser(BaseParser):
    """Make flat trees of a kind; ``asked`` lists all that was to be parsed, by any of them."""

    asked: ClassVar = []

    def __init__(self, kind="shallow", parser_model=None):
        self.kind = kind
        self.parser_model = parser_model

    def _signature(self):
        return f"stand-in {self.kind} {self.parser_model}"

    def _parse(self, sentences, n):
        for sentence in sentences:
            self.asked.append(sentence)
            if sentence == "fails":
                yield Parses(FAILED)
            else:
                yield Parses(PARSED, 1, tree=flat_tree(sentence, self.kind))

    def parse(self, texts):
        """As the shipped parsers do."""
        return [flat_tree(text, self.kind) for text in texts]


def flat_tree(text, kind):
    words = [f"(X {escape_word(word)})" for word in text.split()]
    if not words:
        return "()"
    if kind == "dependency":
        return " ".join([f"(root {words[0]}", *(f"(dep {word})" for word in words[1:])]) + ")"
    label = {"discourse": "EDU:NUCLEUS", "shallow+discourse": "EDU:NUCLEUS"}.get(kind, "S")
    return f"({label} {' '.join(words)})"


@pytest.fixture
def stand_in(monkeypatch):
    """Put it into the place of the shipped parsers; return what is asked of it from now on."""
    monkeypatch.setattr(parsers, "parser_of", StandInParser)
    monkeypatch.setattr(StandInParser, "asked", [])
    return StandInParser.asked
