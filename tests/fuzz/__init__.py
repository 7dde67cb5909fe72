"""A fuzzer of the package: seeded hostile cases, each with an oracle, each given a verdict.

A *target* is a function of one argument, decorated with ``@target``. From ``draw`` (fuzz/draw.py)
it takes what to call with; ``call`` makes the call and judges what it raises; ``check`` compares
what it returns with what the target itself knows, by brute force, another library or a property. To
add one, write into a module of ``fuzz/targets`` (a new module is found by its being there)::

    @target
    def holm_keeps_the_order(draw):
        p_values = draw.numbers(draw.integer(0, 9), ["probability", "ties"])
        found = call(holm, p_values, legal=max(p_values, default=0) <= 1)
        order = sorted(range(len(p_values)), key=p_values.__getitem__)
        check(sorted(found[order]) == list(found[order]), p_values, found)

``call(…, legal=True)`` says that the arguments keep the contract, so that a refusal is wrong.
``check`` takes anything more to be shown. A case is made again from (target, seed, number) alone:
take chance from ``draw`` only, and files into ``draw.folder`` only.

    python -m fuzz                                         20,000 cases, counted in a table
    python -m fuzz --only NAME [--seed S] [--number K]     one target; one case, in this process
"""

from fuzz.judge import Judged, call, check, judge
from fuzz.registry import TARGETS, load_targets, target

__all__ = ["TARGETS", "Judged", "call", "check", "judge", "load_targets", "target"]
