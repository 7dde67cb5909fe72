"""Ranks and scores of partitions: texts are dealt to a folder, in which results stay."""

from pathlib import Path

from sklearn_mteval.cli._options import add, target_of
from sklearn_mteval.cli._output import say

_TEXTS = "candidates"


def add_arguments(parser, output):
    """Declare the arguments; ``output`` is "scores" or "ranks"."""
    title = "partitions: work that goes on after an interruption, on several machines"
    group = parser.add_argument_group(title, rare=True)
    add(group, "--partitions FOLDER",
        f"deal the segments to parquet files in FOLDER/{_TEXTS}, and write {output} of each file "
        f"into FOLDER/{output}; called again with the folder alone, go on where it "
        "ended")  # fmt: skip
    engine = group.add_mutually_exclusive_group()
    add(engine, "--scheduler ADDRESS",
        "of a Dask cluster, as tcp://HOST:8786, whose workers see the same folders")  # fmt: skip
    add(engine, "--workers N", "so many Dask workers on this machine; --jobs works without Dask",
        type=int)  # fmt: skip


def check(arguments, found, given):
    """Raise for options that do not go with partitions; ``given``: texts are."""
    if arguments.partitions is None:
        for name in ("scheduler", "workers"):
            if getattr(arguments, name) is not None:
                raise ValueError(f"--{name} is for partitions: give --partitions FOLDER.")
        return
    for name in ("flags", "flagged-lose", "marks", "scores", "documents"):
        if getattr(arguments, name.replace("-", "_")):
            raise ValueError(f"--{name} does not go with --partitions.")
    if arguments.n_jobs != 1 and (arguments.scheduler, arguments.workers) != (None, None):
        raise ValueError("--jobs is for this machine without Dask: leave it or the workers out.")
    there = Path(arguments.partitions, _TEXTS, "partitions.json").exists()
    if given and there:
        raise ValueError(
            f"--partitions {arguments.partitions}: there are candidates in it already. Leave out "
            "-s, -r, -t and --candidates to go on with them, or choose a new folder."
        )
    if arguments.model is None and Path(arguments.partitions, found, "task.json").exists():
        raise ValueError(
            f"--partitions {arguments.partitions}: there are {found} in it already: name the model "
            "that they are by."
        )
    if not given and not there:
        raise ValueError(
            f"--partitions {arguments.partitions}: there are no candidates in it yet: give them "
            "with -t or --candidates."
        )


def run(arguments, found, blocks):
    """Deal ``blocks`` of candidates, if any, and work on what is not done; return the results."""
    from sklearn_mteval.models.opening import open_model, recommended_model
    from sklearn_mteval.scale import Partitions, map_partitions, write_partitions
    from sklearn_mteval.scale.engines import open_client

    texts = Path(arguments.partitions, _TEXTS)
    jobs = None if arguments.n_jobs == 1 else arguments.n_jobs
    with open_client(arguments.scheduler, arguments.workers) as client:
        if blocks is not None:
            write_partitions(blocks, texts)
        if arguments.model is None:
            arguments.model = recommended_model(
                Partitions(texts)[0][0], language=target_of(arguments.lang_pair)
            )
            say(f"model: {arguments.model}\n")
        options = {"what": found.removesuffix("s"), "client": client, "n_jobs": jobs}
        model = arguments.model
        if not arguments.windows:
            model = open_model(model, windows=False)
        return map_partitions(model, texts, Path(arguments.partitions, found), **options)
