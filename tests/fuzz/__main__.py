"""Command line: run many cases and count verdicts, or one again."""

import argparse
import sys
import time
from collections import Counter

from fuzz import TARGETS, judge, load_targets
from fuzz.judge import BAD, GOOD, WRONG
from fuzz.workers import run

ALIKE = 2  # cases of one kind that are shown


def table(counts):
    """Write verdicts by target as Markdown."""
    names = [name for name in TARGETS if any(target == name for target, _ in counts)]
    verdicts = (*GOOD, *BAD[:-1], *(BAD[-1:] if any(v == BAD[-1] for _, v in counts) else ()))
    rows = [["target", "cases", *verdicts], ["---", *["---:"] * (1 + len(verdicts))]]
    for name in [*names, "all"]:
        cells = [
            sum(n for (target, v), n in counts.items() if v == verdict and name in (target, "all"))
            for verdict in verdicts
        ]
        rows.append([name, *(f"{n:,}" for n in (sum(cells), *cells))])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main():
    """Run; the exit status is 1 if a verdict is bad."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="+", metavar="TARGET", choices=list(load_targets()))
    parser.add_argument("--number", type=int, help="of one case, run in this process")
    arguments = parser.parse_args()
    if arguments.number is not None:
        found = judge(TARGETS[arguments.only[0]], arguments.seed, arguments.number)
        print(found.verdict, found.text, sep="\n")
        return int(found.verdict in BAD)
    start, done, kinds = time.monotonic(), 0, Counter()

    def show(found):
        nonlocal done
        done += 1
        lines = found.text.strip().splitlines() or [""]
        kind = found.target, found.verdict, lines[0 if found.verdict == WRONG else -1][:80]
        kinds[kind] += found.verdict in BAD
        if 0 < kinds[kind] <= ALIKE:
            again = f"--only {found.target} --seed {arguments.seed} --number {found.number}"
            print(f"\n{found.verdict.upper()}: PYTHONPATH=tests python -m fuzz {again}")
            print(found.text, flush=True)
        if done % 1000 == 0:
            print(f"{done:,} cases, {done / (time.monotonic() - start):.0f} a second", flush=True)

    options = {"seed": arguments.seed, "jobs": arguments.jobs, "names": arguments.only}
    counts = run(arguments.cases, on_found=show, **options)
    seconds = time.monotonic() - start
    speed = f"in {seconds:.0f} s, {arguments.cases / seconds:.0f} a second"
    print(f"\n{table(counts)}\n\n{arguments.cases:,} cases (seed {arguments.seed}) {speed}")
    return int(any(verdict in BAD for _, verdict in counts))


if __name__ == "__main__":
    sys.exit(main())
