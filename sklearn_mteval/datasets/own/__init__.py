"""One's own judgements, in tables of three layouts; and back."""
