"""
What does a model look at?
==========================

A model prefers one translation to another. Did it notice the wrong number, or
does it only prefer the longer text? :func:`~sklearn_mteval.models.explain`
splits the decision over families of columns.
"""

# %%
# A segment with a wrong number
# -----------------------------
#
# One translation has breakfast served until ten in the evening. It was ranked
# last, although it has nearly all words of the reference.

from sklearn_mteval.datasets import load_sample

X, y = load_sample(return_X_y=True)
segment = X.loc[2]
print(segment["reference"].iloc[0])
print(segment.loc["online", "hypothesis"])
print(segment.loc["rule", "hypothesis"])
print(y.loc[2].to_dict())

# %%
# Why it decides so
# -----------------
#
# A family's value is its contribution to the model's decision, in log-odds:
# the values add up to the decision (Shapley 1953). They tell what the *model*
# looked at, not what is wrong with a text.

from sklearn_mteval.models import explain

found = explain(
    segment["source"].iloc[0],
    segment["hypothesis"].to_dict(),
    segment["reference"].iloc[0],
    model="static-en",
    pair=("rule", "online"),
)
found

# %%
# The wrong number outweighs what speaks for the fluent translation: its words
# and their order.

import matplotlib.pyplot as plt

values = found.families["value"].loc[("rule", "online")]
values = values[values != 0].sort_values()
figure, ax = plt.subplots(layout="constrained")
ax.barh(
    values.index,
    values,
    color=["#0072B2" if value > 0 else "#B84A00" for value in values],
)
ax.axvline(0, color="#5F5F5F", linewidth=0.8)
ax.set_xlabel("log-odds for the translation of “rule”")
_ = figure.suptitle(
    "What speaks for the translation of “rule”,\nand what for that of “online”"
)

# %%
# **Read next:** :doc:`/rank_and_score`, :doc:`/ready_made`.
