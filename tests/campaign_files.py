"""Small campaigns on disk, in several layouts, and what a command says of a mistake."""

import re

import numpy as np

from sklearn_mteval.datasets import make_rankings

SYSTEMS = ["system1", "system2", "system3"]


def write(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def make_campaign(root, pairs):
    """Write synthetic rankings as a campaign in the layout of WMT12."""
    X, y = make_rankings(20, 3, mean_length=8, random_state=1)
    first = X.xs("system1", level="system")
    ids = ",".join(f"system{k}Id" for k in (1, 2, 3))
    rows = [f"srcIndex,judgeId,{ids},system1rank,system2rank,system3rank"]
    for segment, ranks in y.groupby(level="segment"):
        rows.append(",".join(map(str, [segment, "judge", *SYSTEMS, *ranks])))
    write(root / "references" / "newstest2012-ref.en", first["reference"])
    for pair in pairs:
        write(root / "sources" / f"newstest2012-src.{pair[:2]}", first["source"])
        write(root / "rankings" / f"wmt12.{pair}.csv", rows)
        for system in SYSTEMS:
            file = root / "system-outputs" / "newstest2012" / pair / f"newstest2012.{pair}.{system}"
            write(file, X.xs(system, level="system")["hypothesis"])
    return str(root)


def make_mtme(root, pairs, metrics=("good", "bad"), seed=0, n_systems=3):
    """Write synthetic scores as a test set in mt-metrics-eval's layout; refB competes."""
    X, y = make_rankings(20, n_systems, mean_length=8, random_state=1)
    rng, systems = np.random.default_rng(seed), [f"system{k + 1}" for k in range(n_systems)]
    first = X.xs("system1", level="system")
    texts = {name: X.xs(name, level="system")["hypothesis"] for name in systems}
    texts |= dict.fromkeys(("refA", "refB"), first["reference"])
    for pair in pairs:
        write(root / "sources" / f"{pair}.txt", first["source"])
        write(root / "documents" / f"{pair}.docs", [f"news\td{k // 5}" for k in range(20)])
        for name, column in texts.items():
            write(root / "system-outputs" / pair / f"{name}.txt", column)
            if name.startswith("ref"):
                write(root / "references" / f"{pair}.{name}.txt", column)
        human = {name: -5.0 * y.xs(name, level="system") for name in systems}
        human["refB"] = 0.0 * human["system1"]
        human = {name: np.array(column) for name, column in human.items()}
        lines = [f"{name}\t{x}" for name, column in human.items() for x in column]
        write(root / "human-scores" / f"{pair}.mqm.seg.score", lines)
        for k, metric in enumerate(metrics):
            noise = {name: column + 4**k * rng.normal(size=20) for name, column in human.items()}
            lines = [f"{name}\t{x}" for name, column in noise.items() for x in column]
            write(root / "metric-scores" / pair / f"{metric}-refA.seg.score", lines)
    return str(root)


def error_line(capsys, command):
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(rf"sklearn-mteval {command}: error: [^\n]+\n", err)
    return err
