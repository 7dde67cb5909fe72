"""Train a ranker on a WMT campaign and save it.

Holds a fifth of the segments out, tunes on the others by cross-validation, prints how the
result compares with BLEU on the segments held out, and saves that very model.
"""

from sklearn_mteval.pairwise.recomposition import RECOMPOSITIONS

__all__ = ["add_arguments", "run"]


def add_arguments(parser):
    """Declare the arguments."""
    parser.add_argument(
        "--wmt",
        required=True,
        metavar="DIR",
        help="the campaign's folder: rankings/, sources/, references/, system-outputs/",
    )
    parser.add_argument(
        "--lang-pair",
        required=True,
        nargs="+",
        metavar="SRC-TRG",
        help="one or more language pairs, e.g. de-en",
    )
    parser.add_argument(
        "-o", "--output", required=True, metavar="MODEL", help="folder to save the model in"
    )
    parser.add_argument(
        "--recomposition",
        default="soft",
        choices=list(RECOMPOSITIONS),
        help="how pair decisions become ranks (default: soft)",
    )
    parser.add_argument(
        "--held-out",
        type=float,
        default=0.2,
        help="proportion of segments to test on (default: 0.2)",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the held-out choice (default: 0)")
    parser.add_argument("--n-jobs", type=int, default=2, help="threads (default: 2)")
    parser.add_argument("--no-progress", action="store_true", help="show no progress bar")


def run(arguments):
    """Train and save."""
    from sklearn_mteval.models import load_campaign, train_on_campaign
    from sklearn_mteval.persistence import check_model_folder, save_model
    from sklearn_mteval.report import agreement_report

    check_model_folder(arguments.output)  # before the work, not after it
    X, y = load_campaign(arguments.wmt, arguments.lang_pair)
    model, table, train, scores = train_on_campaign(
        X,
        y,
        recomposition=arguments.recomposition,
        held_out=arguments.held_out,
        random_state=arguments.seed,
        n_jobs=arguments.n_jobs,
        progress=not arguments.no_progress,
    )
    print(f"\nTrained on {len(train)} of {len(X)} translations; on the segments held out:\n")
    print(agreement_report(table))
    save_model(model, arguments.output, X=X.iloc[train], y=y.iloc[train], scores=scores)
    print(f"Saved: {arguments.output}")
