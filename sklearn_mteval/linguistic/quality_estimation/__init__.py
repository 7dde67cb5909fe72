"""Features that need no reference: counts, language models, parses, checks, competitors."""
