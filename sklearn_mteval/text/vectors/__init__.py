"""Word vectors: files, mappings, gensim's `KeyedVectors`."""
