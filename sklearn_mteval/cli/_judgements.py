"""Human judgements that a command is given, all of it derived from the registry of formats."""

import os

from sklearn_mteval._project import page
from sklearn_mteval.cli._documents import DOCUMENTS, lines_of_documents, wrong_length
from sklearn_mteval.cli._options import add, add_option, add_shared, target_of
from sklearn_mteval.cli._output import Finished, say, write
from sklearn_mteval.cli._parser import JUDGEMENTS
from sklearn_mteval.datasets.formats._registry import FORMATS, OWN, format_of, formats_with
from sklearn_mteval.report.summaries.phrases import listed

# Groups of formats' options: whether they are of tables alone, and rarely needed.
_GROUPS = {
    (False, False): JUDGEMENTS,
    (False, True): {"title": "campaigns and tools", "rare": True},
    (True, False): {
        "title": "a table of your own judgements",
        "description": page("own_judgements"),
    },
    (True, True): {"title": "how your own table is written", "rare": True},
}


def add_arguments(parser, without=()):
    """Declare where human judgements come from, and the options of their formats."""
    judgements = parser.add_argument_group(**JUDGEMENTS)
    judgements.add_argument(
        "file",
        metavar="FILE",
        help="a table of your own, a campaign's folder, or what a tool for annotation wrote ('-': "
        "a table on standard input)",
    )
    add_shared(parser, "--format")
    add_options(parser, without)
    if "documents" not in without:
        add(judgements, "--documents FILE",
            f"{DOCUMENTS} (default: what FILE says)")  # fmt: skip
    add(judgements, "--dry-run",
        "say what FILE was taken for, with its first judgement, and compute nothing")  # fmt: skip


def add_options(parser, without=()):
    """Declare the options of all formats but those named; what is not given is None."""
    for name, option in _options().items():
        if name in without:
            continue
        formats = formats_with(name)
        group = _GROUPS[OWN in formats, option.rare]
        before = "" if OWN in formats else f"with {listed(formats)}: "
        add_option(parser.add_argument_group(**group), option, before=before)


def _options():
    """Map the names of all formats' options to these."""
    return {option.name: option for entry in FORMATS.values() for option in entry.options}


def named_format(path, format):
    """Return the format of a file or folder, given or found ("own" of any table), and say it."""
    from sklearn_mteval.datasets.formats._registry import find_format

    if format is not None:
        return format
    found = find_format(path)
    if found != OWN:
        say(f"{path}: taken for --format {found}\n")
    return found


def check_options(formats, given):
    """Raise for an option of judgements that are of another format, or one that is missing."""
    entries = [format_of(format) for format in formats]
    taken = {option.name for entry in entries for option in entry.options}
    for name, option in _options().items():
        if name not in taken and given.get(name) not in (None, []) and name != "lang_pair":
            kinds = formats_with(name)
            own = ["a table of your own judgements, FILE"]
            campaigns = [kind for kind in kinds if kind != OWN]
            of = " or ".join(
                [f"--format {listed(campaigns)}"] * bool(campaigns) + own * (OWN in kinds)
            )
            raise ValueError(f"{option.flag} belongs to {of}.")
    for entry in entries:
        for option in entry.options:
            if option.required and not given[option.name]:
                raise ValueError(f"--format {entry.name} needs {option.flag}.")


def paths_read(path, given):
    """List the files and the folders that judgements and their options name."""
    read = {"file": [], "folder": []}
    read["folder" if os.path.isdir(path) else "file"].append(path)
    if given.get("documents") is not None:
        read["file"].append(given["documents"])
    for name, option in _options().items():
        value = given.get(name)
        if option.reads and value is not None:
            read[option.reads] += [value] if isinstance(value, str) else value
    return read["file"], read["folder"]


def load_judged(path, format, given):
    """Load judgements of any format, and say what for; of ``given`` options None is not given."""
    from sklearn_mteval._helpers.progress import working
    from sklearn_mteval.cli._wording import OF_TABLES, as_options
    from sklearn_mteval.datasets.judgements import load_judgements
    from sklearn_mteval.datasets.suspicious.findings import warn_of_texts

    entry = format_of(format)
    options = {option.name: given.get(option.name) for option in entry.options}
    try:
        with working("reading judgements"):
            judged = load_judgements(path, format, **entry.from_command(options))
    except (TypeError, ValueError) as error:
        if entry.name != OWN:
            raise
        raise ValueError(as_options(str(error), OF_TABLES)) from None
    if given.get("lang_pair") and not judged.target_language:
        judged = judged._replace(target_language=target_of(given["lang_pair"]))
    if given.get("documents") is not None:
        judged = judged._replace(documents=_read_documents(given["documents"], judged))
    warn_of_texts(judged.translations, given.get("lang_pair") or f"-{judged.target_language}")
    if format == OWN or (given.get("dry_run") and entry.name == OWN):
        say(f"{path}: taken for --format {judged.format}. {judged.DESCR}\n")
    elif judged.warning:
        say(f"{judged.warning}\n")
    if given.get("dry_run"):
        write(summary_of(judged.X, judged.y, judged.judges, judged.better), "-")
        raise Finished
    return judged


def _read_documents(path, judged):
    """Read the document of each row, from a file with a line for each segment of the test set."""
    import pandas as pd

    from sklearn_mteval.exceptions import DataFileError

    lines = lines_of_documents(path)
    segments = judged.X.index.get_level_values("segment")
    n = judged.n_segments or len(lines)
    if len(lines) != n:
        raise wrong_length(path, n, len(lines))
    labels = pd.Series(lines, range(1, n + 1))
    unknown = segments[~segments.isin(labels.index)]
    if len(unknown):
        raise DataFileError(
            path,
            f"line k is the document of segment k, and segment {unknown.tolist()[0]!r} is none of "
            f"the {n} lines: number the segments from 1.",
        )
    return pd.Series(labels.loc[segments].to_numpy(), judged.X.index, name="documents")


def summary_of(X, y, judges=None, better=""):
    """Say in lines what was understood of judgements; ``better`` as the file has them."""
    levels = [name for name in X.index.names if name != "system"]
    groups = y.groupby([X.index.get_level_values(name) for name in levels], sort=False)
    counts = {
        "judged translations": len(X),
        "segments": X.index.unique("segment").size,
        "rankings": groups.ngroups,
        "tied translations": int(y.groupby([*levels, y]).transform("size").gt(1).sum()),
    }
    systems = sorted(map(str, X.index.unique("system")))
    lines = [f"{name}: {n}" for name, n in counts.items()]
    lines.append(f"systems: {len(systems)} ({', '.join(systems[:10])}{' …' * (len(systems) > 10)})")
    if judges is not None and judges.ne("").any():
        lines.append(f"judges: {judges[judges.ne('')].nunique()}")
    lines.append(f"texts: {', '.join(X.columns) or 'none'}")
    best = f"{-y.iloc[0] + 0:g}" if better == "higher" else f"{y.iloc[0]:g}"
    where = ", ".join(
        f"{name} {label}" for name, label in zip(X.index.names, X.index[0], strict=True)
    )
    lines.append(f"first judgement: {where}: {best}, {better or 'lower'} is better")
    lines += [f"  {name}: {str(X[name].iloc[0])[:200]}" for name in X.columns]
    return "\n".join(lines) + "\n"
