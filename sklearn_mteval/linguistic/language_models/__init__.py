"""N-gram language models: estimated from a corpus, written as ARPA files, queried."""
