"""Which layers of an encoder its tokens are taken from, and running no layer above them."""

from sklearn_mteval._helpers.restored import is_count

# The best of each encoder on WMT13 and WMT15, by (architecture, dimensions, number of layers).
_BEST_LAYERS = {
    ("bert", 384, 6): (3, 4, 5, 6),  # all-MiniLM-L6-v2
    ("mpnet", 768, 12): (7,),  # all-mpnet-base-v2
}
_BEST_DEPTH = 7 / 12  # of the encoders that the table does not have


def check_layers(layers):
    """Raise unless it is "auto", "last", a layer's number, or a list of different ones."""
    if isinstance(layers, str) and layers in ("auto", "last"):
        return
    given = layers if isinstance(layers, list | tuple) else [layers]
    if not given or not all(map(is_count, given)) or len(set(given)) < len(given):
        raise ValueError(
            "layers must be 'auto', 'last', the number of a layer (0: the embeddings below the "
            f"first) or a list of different ones, found {layers!r}."
        )


def resolve_layers(model, layers):
    """Return the numbers of the layers that are meant, in order; () is what the model gives."""
    if layers == "last":
        return ()
    n_layers = len(layer_list(model))
    if layers == "auto":
        by_depth = (max(1, round(_BEST_DEPTH * n_layers)),) if n_layers else ()
        return _BEST_LAYERS.get(_kind_of(model), by_depth)
    given = layers if isinstance(layers, list | tuple) else [layers]
    if max(given) > n_layers:
        known = f"the model has {n_layers}" if n_layers else "those of the model cannot be told"
        raise ValueError(f"layers: {known}, found {layers!r}; 'last' is what the model gives.")
    return tuple(sorted(int(n) for n in given))


def has_known_layers(model):
    """Tell whether the best layers of an encoder stand in the table."""
    return _kind_of(model) in _BEST_LAYERS


def _kind_of(model):
    """Return architecture, dimensions and number of layers."""
    config = getattr(transformer_of(model), "config", None)
    kind, width = getattr(config, "model_type", None), getattr(config, "hidden_size", None)
    return kind, width, len(layer_list(model))


def hidden_states(model, features, layers):
    """Return the outputs of some layers, 0: their input; those above the highest do not run."""
    stack = layer_list(model)
    if layers[-1] > len(stack):
        raise ValueError(f"model has {len(stack)} layers: there is no layer {layers[-1]}.")
    found, handles = {}, []

    def keep_input(module, arguments, options):
        found[0] = arguments[0] if arguments else options["hidden_states"]
        if layers[-1] == 0:
            raise _EnoughError

    def keep_output(number):
        def keep(module, arguments, output):
            found[number] = output[0] if isinstance(output, tuple) else output
            if number == layers[-1]:
                raise _EnoughError

        return keep

    try:
        if layers[0] == 0:
            handles.append(stack[0].register_forward_pre_hook(keep_input, with_kwargs=True))
        handles += [  # that of the last layer may be normalised after it: what the encoder gives
            stack[n - 1].register_forward_hook(keep_output(n)) for n in layers if 0 < n < len(stack)
        ]
        found[len(stack)] = model[0](features)["token_embeddings"]
    except _EnoughError:  # leaves the encoder's loop over its layers
        pass
    finally:
        for handle in handles:
            handle.remove()
    return [found[n] for n in layers]


def combine_layers(states, joined):
    """Average vectors (or join them), each scaled to length 1; scale the result to length 1."""
    import torch

    units = [torch.nn.functional.normalize(state.float(), dim=-1) for state in states]
    if joined:
        return torch.cat(units, dim=-1) / len(units) ** 0.5
    if len(units) == 1:
        return units[0]
    return torch.nn.functional.normalize(torch.stack(units).sum(dim=0), dim=-1)


class _EnoughError(Exception):
    """The highest layer that is wanted has run."""


def transformer_of(model):
    """Return transformers' model within one of sentence-transformers, None if it has none."""
    return getattr(model[0], "auto_model", None)


def layer_list(model):
    """Return the encoder's list of layers; an empty one where it cannot be told."""
    import torch

    encoder = transformer_of(model)
    n_layers = getattr(getattr(encoder, "config", None), "num_hidden_layers", None)
    if not n_layers:
        return []
    lists = (part for part in encoder.modules() if isinstance(part, torch.nn.ModuleList))
    return next((part for part in lists if len(part) == n_layers), [])


def layers_to_tune(model, layers, n_layers):
    """Return ``n_layers`` layers below the highest of ``layers``; None: all that it depends on."""
    stack = list(layer_list(model))
    highest = layers[-1] if layers else len(stack)
    if n_layers is not None:
        if n_layers > highest:
            raise ValueError(
                f"n_top_layers must be {highest} at most, the highest layer that is used, found "
                f"{n_layers}."
            )
        return stack[highest - n_layers : highest]
    above = {id(part) for layer in stack[highest:] for part in layer.parameters()}
    return [part for part in transformer_of(model).parameters() if id(part) not in above]
