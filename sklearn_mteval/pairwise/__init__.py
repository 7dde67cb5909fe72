"""From ranked candidates to pairs and back: decompose, decide, recompose, score."""
