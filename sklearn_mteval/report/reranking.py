"""What was chosen of lists of candidates, as ``rerank`` gives it, and what there was to choose."""

from collections import Counter

import numpy as np

from sklearn_mteval.report.translations import Translations

_FEW = 3  # of two texts each agrees with the other as much
_TWICE = 2  # the length of others


def as_choices(ranked, texts):
    """Make what can be written of what ``rerank`` returns, with the texts of the same rows."""
    columns = ranked[["rank", "value"]].assign(chosen=ranked["chosen"].astype(int))
    columns = columns.assign(suspicious=ranked["suspicious"], text=texts)
    return Translations(columns, {"value": 6}, ascending=True)


class ChoiceCounts:
    """Counts of lists and choices, of one table after another."""

    def __init__(self):
        self.n_lists = self.n_kept = self.n_few = self.n_candidates = self.n_different = 0
        self.n_compared = self.n_intransitive = self.n_triples = 0
        self.smallest, self.largest, self.has_triples = np.inf, 0, False
        self.n_odd, self.first_odd = 0, None
        self.suspicious = Counter()

    def add(self, ranked, texts):
        """Count in what ``rerank`` returns of a table of lists, and the texts of its rows."""
        found = ranked.assign(text=texts, row=np.arange(len(ranked)))
        self.suspicious.update(ranked["suspicious"][ranked["suspicious"] != ""])
        lists = found.groupby(level="segment", sort=False)
        sizes, different = lists.size(), lists["text"].nunique()
        self.n_lists += len(sizes)
        self.n_candidates += int(sizes.sum())
        self.n_different += int(different.sum())
        self.n_few += int((different < _FEW).sum())
        self.smallest = min(self.smallest, int(sizes.min()))
        self.largest = max(self.largest, int(sizes.max()))
        chosen = found[found["chosen"]].droplevel("system")["text"]
        self.n_kept += int((chosen.loc[sizes.index] == lists["text"].first()).sum())
        self.n_compared += int(lists["compared"].first().sum())
        # What repeats itself wins by recall; what says nothing agrees with its like.
        usual = found["text"].str.len().groupby(level="segment", sort=False).median()
        ratio = chosen.loc[sizes.index].str.len() / usual.clip(lower=1)
        odd = ratio.index[(sizes >= _FEW) & ((ratio > _TWICE) | (ratio < 1 / _TWICE))]
        self.n_odd += len(odd)
        if self.first_odd is None and len(odd):
            self.first_odd = odd.tolist()[0]
        if "intransitive" in ranked:
            triples = lists["intransitive"].first()
            self.has_triples |= bool(triples.notna().any())
            self.n_intransitive += int(triples.sum())
            self.n_triples += int((triples > 0).sum())

    def report(self, *, by_agreement):
        """Say what there was, in a few lines; ``by_agreement``: of candidates with each other."""
        if not self.n_lists:
            return "no list\n"
        n = self.n_lists
        lines = [
            f"lists: {n:,}, of {self.smallest:,} to {self.largest:,} candidates, "
            f"{self.n_candidates / n:.1f} on average, {self.n_different / n:.1f} of them different",
            f"the first candidate was kept: {self.n_kept:,} times ({self.n_kept / n:.1%})",
        ]
        if self.n_compared:
            lines.append(f"comparisons: {self.n_compared:,}")
        if self.has_triples:
            lines.append(
                f"intransitive triples (A beats B, B beats C, C beats A): {self.n_intransitive:,}; "
                f"lists with any: {self.n_triples:,}"
            )
        if self.suspicious:
            said = ", ".join(f"{reason} {n:,}" for reason, n in sorted(self.suspicious.items()))
            lines.append(f"candidates that are hardly translations: {said}")
        if self.n_few and by_agreement:
            lines.append(
                f"lists with fewer than {_FEW} different candidates: {self.n_few:,}; how they "
                "agree says next to nothing of them"
            )
        if self.n_odd:
            lines.append(
                "look at what was chosen: it has more than twice, or less than half, the median "
                f"length of its list in {self.n_odd:,} lists, the first of which is "
                f"{self.first_odd!r}"
            )
        return "".join(f"{line}\n" for line in lines)
