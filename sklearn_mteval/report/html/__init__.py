"""Results to look at: one HTML file with a segment browser, and what notebooks show.

Both are made of plain dicts, which tests look at, by templates that escape whatever they are given.
"""
