"""One transition machine with a linear scorer: what all parsers and taggers learn with."""
