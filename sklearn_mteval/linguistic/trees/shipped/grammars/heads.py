"""Which child of a constituent is its head (after Collins 1999, appendix A, much shortened)."""

import re

_FUNCTION = re.compile(r"(?<=[A-Z])[-=|].+")
_NOUNS = {"NN", "NNS", "NNP", "NNPS", "NML", "NX"}
_NOMINAL = {
    "CD", "JJ", "JJR", "JJS", "VBG", "PRP", "EX", "WP", "DT", "WDT", "RB", "FW", "SYM", "ADD",
    "QP", "ADJP",
}  # fmt: skip
_CLAUSES = {"S", "SQ", "SINV", "SBAR", "SBARQ"}
# Whether the head is sought from the right, and in which classes of children, one after another.
_RULES = {
    "VP": (False, {"VP"}, {"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"}, {"MD", "TO"}),
    "PP": (False, {"IN", "TO", "VBG", "VBN", "RP", "FW", "RB"}, {"PP"}),
    "SBAR": (False, {"WHNP", "WHPP", "WHADVP", "WHADJP", "IN", "DT", "RB"}, _CLAUSES),
    "S": (
        False, {"VP"}, {"VB", "VBD", "VBP", "VBZ", "MD"}, _CLAUSES, {"ADJP", "NP"},
    ),
    "SBARQ": (False, {"SQ", "S", "SINV", "SBARQ"}),
    "ADJP": (True, {"JJ", "JJR", "JJS", "VBN", "VBG", "ADJP"}, {"NN", "CD", "RB"}),
    "ADVP": (True, {"RB", "RBR", "RBS", "WRB", "FW", "ADVP", "IN", "TO", "NN", "JJ"}),
    "PRT": (False, {"RP", "IN", "RB"}),
    "ROOT": (False, {"S", "SINV", "SQ", "SBARQ", "NP", "VP", "FRAG"}),
}  # fmt: skip
_LIKE = {
    "WHPP": "PP", "SINV": "S", "SQ": "S", "WHADJP": "ADJP", "WHADVP": "ADVP",
}  # fmt: skip
_NOUN_PHRASES = {"NP", "NX", "NML", "WHNP", "NAC", "QP", "UCP", "LST", "INTJ"}


def category(label):
    """Leave out function tags and indices: ``NP-SBJ=2`` → ``NP``."""
    return _FUNCTION.sub("", label)


def head_child(label, children):
    """Return the position of the head among a constituent's children."""
    if label in _NOUN_PHRASES:
        nouns = _NOUNS.intersection(children)
        if "NP" in children and not nouns:
            from_right, classes = "POS" in children[:-1], ({"NP"},)
        else:
            from_right, classes = True, (_NOUNS if nouns else _NOMINAL,)
    else:
        from_right, *classes = _RULES.get(_LIKE.get(label, label), (False,))
    order = range(len(children) - 1, -1, -1) if from_right else range(len(children))
    for wanted in classes:
        for k in order:
            if children[k] in wanted:
                return k
    return next((k for k, child in enumerate(children) if child[:1].isalpha()), 0)
