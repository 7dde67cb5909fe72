"""The English parsers that come with the package: one machine, its grammars, its model."""
