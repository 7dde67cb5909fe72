"""What texts are made of: tokens, word vectors, language models, parses."""
