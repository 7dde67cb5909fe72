"""Choosing the best of a list of translations: by a tournament, by scores or by minimum risk."""
