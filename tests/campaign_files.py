"""A small campaign on disk, in the layout of WMT12, and what a command says of a mistake."""

import re

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


def error_line(capsys, command):
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(rf"sklearn-mteval {command}: error: [^\n]+\n", err)
    return err
