"""Choosing the layers of ``train``'s encoder."""

from sklearn_mteval.cli._output import show


def with_layers(features, options, X, y, lines, names):
    """Give features of these names the encoder's layers, unless the user did.

    Printed is how well each agrees.
    """
    from sklearn_mteval.models.encoder_layers import choose_layers
    from sklearn_mteval.report.agreement import agreement_report

    encoder, given = options["encoder"], options["encoder_layers"]
    ours = [part for part in features if isinstance(part, dict) and part.get("name") in names]
    ours = [part for part in ours if part.get("encoder") == encoder]
    if encoder is None or given not in (None, "choose") or not ours:
        return features
    layers, table = choose_layers(
        encoder, X, y, segments=lines, held_out=options["held_out"],
        random_state=options["seed"], always=given == "choose",
    )  # fmt: skip
    if table:
        chosen = ", ".join(map(str, layers))
        show(f"\nThe encoder's layers, nothing learnt, on segments of the training; {chosen}:\n")
        show(agreement_report(table, note=False))
    return [{"layers": layers} | part if part in ours else part for part in features]
