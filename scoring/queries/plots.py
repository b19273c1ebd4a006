"""Puts names and colours into the plots that the worker drew without knowing any."""

import html
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from scoring.charts import palette
from scoring.queries.names import Name

CONFIG: Mapping[str, Any] = {
    "displayModeBar": False,
    "displaylogo": False,
    "modeBarButtons": [["toImage"]],
    "responsive": True,
}
Figure = Mapping[str, Any]


def named(figure: Figure, names: Sequence[Name], title: Callable[[str], str]) -> dict[str, Any]:
    """Return the figure with every release named and wearing its mark.

    Args:
        figure: what `computing` stored: `release:1` and `capability:2` stand for names.
        names: of the releases that take part.
        title: the name of a capability by its key.
    """
    known = {f"release:{name.release}": name for name in names}
    layout = {key: _relabelled(part, known) for key, part in figure["layout"].items()}
    layout["annotations"] = [
        {**one, "text": _panel(str(one["text"]), title)} for one in layout.get("annotations", [])
    ]
    return {
        "data": [_trace(trace, known) for trace in figure["data"] if trace["name"] in known],
        "layout": _axis_titles(layout),
    }


def _panel(text: str, title: Callable[[str], str]) -> str:
    kind, _colon, key = text.partition(":")
    if text == "overall":
        return html.escape(_("Overall"))  # no <b>: plotly would write a style, which is forbidden
    return html.escape(title(key)) if kind == "capability" else text


def _trace(trace: Mapping[str, Any], known: Mapping[str, Name]) -> dict[str, Any]:
    name = known[trace["name"]]
    look = palette.LIGHT.look(name.mark)
    marker = {
        **trace["marker"],
        "color": look.colour,
        "symbol": look.symbol,
        "size": look.size,
    }
    whisker = {**trace["error_x"], "color": look.colour}
    return {**trace, "name": html.escape(name.text), "marker": marker, "error_x": whisker}


def _relabelled(part: Any, known: Mapping[str, Name]) -> Any:
    if not (isinstance(part, dict) and "ticktext" in part):
        return part
    texts = [known[text].text if text in known else text for text in part["ticktext"]]
    return {**part, "ticktext": [html.escape(text) for text in texts]}


def _axis_titles(layout: dict[str, Any]) -> dict[str, Any]:
    said = _("Score (%)")
    for key, part in layout.items():
        if key.startswith("xaxis") and part.get("title"):
            layout[key] = {**part, "title": {**part["title"], "text": said}}
    return layout
