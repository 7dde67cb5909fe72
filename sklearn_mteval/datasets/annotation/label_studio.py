"""A campaign of annotation as Label Studio imports it: tasks, and the view that shows them.

Texts are in the tasks alone, and its tag ``Text`` shows them letter by letter. ``Repeater`` repeats
what is asked of a translation, however many a task has.
"""

# The documented tags: https://labelstud.io/tags
_SHOWN = '  <Header value="{0}"/>\n  <Text name="{1}" value="${1}_text" valueType="text"/>\n'
_TRANSLATION = (
    '    <Text name="translation_{{idx}}" value="$translations[{{idx}}].text" valueType="text"/>\n'
)
_ERRORS = """\
    <Labels name="errors_{{idx}}" toName="translation_{{idx}}">
      <Label value="minor" background="#e6b800"/>
      <Label value="major" background="#d4380d"/>
    </Labels>
"""
_SCORE = """\
    <Header value="Score, from 0 (nonsense) to 100 (perfect)"/>
    <Number name="score_{{idx}}" toName="translation_{{idx}}" min="0" max="100" required="true"/>
"""
_TYPES = ("Accuracy", "Fluency", "Terminology", "Style", "Locale convention", "Other")  # of MQM


def as_label_studio(campaign, protocol, errors=None):
    """Return the list of tasks of a campaign, and the XML of the labelling interface.

    ``campaign`` is an AnnotationCampaign whose translations have tokens of their own. With "cesa" a
    task has all translations of a segment, otherwise one. ``errors``, by segment and system, are
    lists of dicts with ``start``, ``end`` and ``severity``.
    """
    items = campaign.items
    texts = [name for name in ("source", "reference") if items[name].notna().any()]
    # Tokens are random, and so is their order, which says nothing of systems.
    groups = [
        part.sort_values("token")
        for _, part in items.groupby(["annotator", "place", "segment"], sort=False)
    ]
    if protocol != "cesa":
        groups = [part.iloc[[k]] for part in groups for k in range(len(part))]
    return [_task(rows, texts, errors or {}) for rows in groups], _view(protocol, texts)


def _view(protocol, texts):
    """Write the XML: no text of the campaign is in it."""
    parts = [_SHOWN.format(name.capitalize(), name) for name in texts]
    asked = '    <Header value="Translation"/>\n'
    asked += _TRANSLATION if protocol == "da" else _ERRORS + _TRANSLATION
    if protocol == "mqm":
        choices = "".join(f'      <Choice value="{name}"/>\n' for name in _TYPES)
        asked += (
            '    <Choices name="category_{{idx}}" toName="translation_{{idx}}" perRegion="true"\n'
            '             showInline="true">\n'
            f"{choices}    </Choices>\n"
        )
    repeated = f'  <Repeater on="$translations" indexFlag="{{{{idx}}}}">\n{asked}{_SCORE}'
    return f"<View>\n{''.join(parts)}{repeated}  </Repeater>\n</View>\n"


def _task(rows, texts, errors):
    """Return the dict of a task."""
    first = rows.iloc[0]
    data = {"for_annotator": int(first["annotator"]), "document": first["document"]}
    data["segment"] = str(first["segment"])
    # Of "$source" Label Studio 1.23 shows the whole task.
    data |= {f"{name}_text": first[name] or "" for name in texts}
    pairs = zip(rows["token"], rows["hypothesis"], strict=True)
    data["translations"] = [{"token": token, "text": text} for token, text in pairs]
    marked = [
        _region(place, row.hypothesis, span)
        for place, row in enumerate(rows.itertuples())
        for span in errors.get((row.segment, row.system), ())
        if span["end"] > span["start"]
    ]
    task = {"data": data}
    if marked:
        for k, region in enumerate(marked, 1):
            region["id"] = f"error{k}"
        task["predictions"] = [{"model_version": "marked errors", "result": marked}]
    return task


def _region(place, text, span):
    """Return a marked error; Label Studio counts characters as Python does."""
    start, end = int(span["start"]), int(span["end"])
    value = {"start": start, "end": end, "text": text[start:end], "labels": [span["severity"]]}
    return {
        "from_name": f"errors_{place}",
        "to_name": f"translation_{place}",
        "type": "labels",
        "value": value,
    }
