"""Values of the options of reranking, each with what it is: ``--help`` lists them, loading nothing.

What computes each stands in the registry of its name, which a test compares with these.
"""

DECISIONS = {
    "mbr": "the highest expected utility, the candidates being each other's references",
    "strength": "the strongest in a tournament by a model of pairs",
    "score": "the highest score by a model, each candidate judged by itself",
}
UTILITIES = {
    "chrf": "chrF, of characters; any language",
    "chrf++": "chrF++, of characters and words",
    "bleu": "sentence BLEU",
    "ter": "TER, its sign changed; slow",
    "meteor": "METEOR without synonyms; slow",
    "alignment": "words aligned by the package's vectors; English",
    "vectors": "cosine of the means of these vectors; English",
}
APPROXIMATIONS = {
    "aggregate": "mbr: against the mean of the list (chrf, chrf++, bleu, vectors)",
    "prune": "mbr: drop candidates that hardly win when few references are known",
    "low-rank": "mbr: ask for a part of the utilities, complete the others",
    "sparse": "strength: ask about a part of the pairs",
}
WEIGHTS = {
    "count": "each candidate the same",
    "softmax": "softmax of the scores in the lists",
    "given": "the weights in the lists",
}
