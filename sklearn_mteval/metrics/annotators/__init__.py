"""How well annotators agree with each other and themselves."""
