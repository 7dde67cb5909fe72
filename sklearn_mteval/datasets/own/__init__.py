"""Your own judgements, read from tables of three layouts and written to them."""
