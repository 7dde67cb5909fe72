"""
Does my metric notice a wrong number?
=====================================

A translation that says 7 am where the source says 9 am is wrong, although
nearly all of its words are right. Agreement with annotators hardly shows
whether a metric notices that, because such errors are rare in campaigns.
Translations that were made worse on purpose do show it.
"""

# %%
# Translations made worse
# -----------------------
#
# :func:`~sklearn_mteval.datasets.corrupt` changes one number, takes away a
# negation, replaces a content word, and much else. Which of the two
# translations is better is known without asking anybody.

from sklearn_mteval.datasets import corrupt, load_sample

X, y = load_sample(return_X_y=True)
corrupted = corrupt(X, "number")
segment, system, _ = corrupted.index[0]
print(X.loc[(segment, system), "hypothesis"])
print(corrupted["hypothesis"].iloc[0])

# %%
# The challenge
# -------------
#
# :func:`~sklearn_mteval.evaluation.challenge` asks a model and metrics which
# of the two is better. The kinds whose names begin with "reference" are
# harder: there the *reference* is changed in one place, and it is compared
# with a sound translation that uses other words.

from sklearn_mteval.evaluation import challenge
from sklearn_mteval.models import load_pretrained

kinds = ["number", "negation", "reference_number", "reference_negation"]
model = load_pretrained("static-en")
found = challenge(model, X, y, kinds=kinds, n_segments=60, name="static-en")

# %%
# How often the sound translation wins
# ------------------------------------
#
# Each dot is the proportion of segments in which the sound translation gets
# the better score; the dashed line is chance. The model is asked about each
# translation *alone*, about the *two*, and with *many* competing systems. All
# notice that a number was changed in a *translation*. Where it was changed in
# the *reference*, BLEU and chrF count the many words that are left, and prefer
# the wrong text nearly always. The model also compares numbers and negations
# with the source.

from sklearn_mteval.plots import ChallengeDisplay

display = ChallengeDisplay.of(found).plot()
_ = display.figure_.suptitle(
    "Sound translations preferred\nto four kinds of corrupted ones"
)

# %%
# **Read next:** :doc:`/challenges`, :doc:`/content_errors`.
