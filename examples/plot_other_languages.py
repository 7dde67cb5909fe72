"""
Which metric can I use for another language than English?
=========================================================

The model ``static-en`` knows English words. The model ``any`` compares
spelling, and so can score translations into any language. This example
compares both, BLEU and chrF on German sentences.
"""

# %%
# German translations with known damage
# -------------------------------------
#
# No judged translations into German come with the package. Instead, German
# sentences of the sample are damaged in three ways, each worse than the one
# before: two words get another ending, two words are replaced by words of
# another sentence, or two words are replaced and the order is changed. The
# ranks follow from how they were made. This shows that a metric *works* in a
# language. Only judgements in that language can tell how well it agrees with
# annotators.

import numpy as np
import pandas as pd

from sklearn_mteval.datasets import load_sample

sample, _ = load_sample(return_X_y=True)
texts = sample.groupby(level="segment").first()
references, sources = (
    texts["source"],
    texts["reference"],
)  # the sample turned round
rng = np.random.default_rng(0)
words = np.array(
    [word for text in references for word in text.split() if word.isalpha()]
)


def damaged(text, way):
    """Return a sentence with two damaged words, or in another order, too."""
    found = text.split()
    for k in rng.choice(len(found), 2, replace=False):
        found[k] = (
            found[k].rstrip("enrst.,") + "em"
            if way == "endings"
            else rng.choice(words)
        )
    if way == "order":
        half = len(found) // 2
        found = found[half:] + found[:half]
    return " ".join(found)


ways = ["endings", "words", "order"]
index = pd.MultiIndex.from_product(
    [references.index, ways], names=["segment", "system"]
)
X = pd.DataFrame(index=index).join(
    pd.DataFrame({"source": sources, "reference": references})
)
X["hypothesis"] = [damaged(references[segment], way) for segment, way in index]
y = pd.Series([ways.index(way) + 1 for _, way in index], index)
print(references[2], *X.loc[2, "hypothesis"], sep="\n")

# %%
# Scores
# ------
#
# ``static-en`` warns that it knows few of these words. The warning is right,
# and is ignored here only for the comparison.

import warnings

from sklearn_mteval.features import MetricScores
from sklearn_mteval.models import load_pretrained, score_candidates

scores = (
    MetricScores(("bleu", "chrf"))
    .set_output(transform="pandas")
    .fit_transform(X)
)
scores.columns = ["BLEU", "chrF"]
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for name in ("any", "static-en"):
        scores[name] = score_candidates(load_pretrained(name), X)

# %%
# Do the scores fall as the damage grows?
# ---------------------------------------
#
# Kendall's tau is 100 where all pairs of damaged sentences are in the right
# order, and 0 for chance. BLEU counts words that are the same: another ending
# and another word are alike to it. The model ``any`` is the best of the four,
# because it sees that a word with another ending is nearly right.

from sklearn_mteval.plots import AgreementDisplay

display = AgreementDisplay.from_predictions(
    y,
    scores,
    groups=X.index.droplevel("system"),
    documents=X.index.get_level_values("segment"),
)
_ = display.figure_.suptitle(
    "Agreement of four metrics with the damage done to German sentences"
)

# %%
# **Read next:** :doc:`/howto/other_languages`, :doc:`/ready_made`.
