"""Preferences between two answers: Chatbot Arena and MT-Bench by people, PandaLM, and pairs for training (DPO).

They are told by name, and nothing of them is brought in.
"""

import re
from typing import Final

from annotation.files import messages, shapes
from annotation.files.shapes import Sample, Shape

_SIDES: Final = (("a", "b"), ("1", "2"), ("left", "right"))
_CALLED: Final = ("model", "system", "generator", "assistant")
_CHOSEN: Final = frozenset(
    ("winner", "preference", "preferred", "better", "choice", "vote", "verdict", "label")
)
_ANNOTATOR: Final = re.compile(r"annotator[_ ]?\d+")


def _is_arena(sample: Sample) -> bool:
    talks = sample.has("conversation_a", "conversation_b", "winner")
    texts = sample.has("prompt", "response_a", "response_b", "winner_model_a", "winner_model_b")
    return sample.has("model_a", "model_b") and (talks or texts)


def _is_table(sample: Sample) -> bool:
    """Say whether columns are called after two systems, and another one after which was preferred."""
    named = {shapes.fold(name) for name in sample.columns}
    forms = [f for called in _CALLED for f in (f"{called}_{{}}", f"{{}}_{called}", f"{called}{{}}")]
    pairs = [{form.format(side) for side in sides} for form in forms for sides in _SIDES]
    return bool(named & _CHOSEN) and any(pair <= named for pair in pairs)


def _is_pandalm(sample: Sample) -> bool:
    return sample.has("cmp_key", "instruction", "response1", "response2") and any(
        _ANNOTATOR.fullmatch(name) for name in sample.columns
    )


def _is_dpo(sample: Sample) -> bool:
    return sample.has("chosen", "rejected") and all(
        _is_said(one.get("chosen")) and _is_said(one.get("rejected")) for one in sample.records
    )


def _is_said(value: object) -> bool:
    """Say whether a cell holds words or messages, and no figure."""
    if isinstance(value, str):
        return any(sign.isalpha() for sign in value)
    return isinstance(value, list) and bool(value) and all(map(messages.is_message, value))


SHAPES: Final = (
    Shape("arena", "Chatbot Arena, votes on pairs", shapes.PREFERENCES, _is_arena),
    Shape("pairs", "Pairs of systems, with which was preferred", shapes.PREFERENCES, _is_table),
    Shape("pandalm", "PandaLM, human annotations", shapes.PREFERENCES, _is_pandalm),
    Shape("dpo", "Pairs of a chosen and a rejected answer", shapes.PREFERENCES, _is_dpo),
)
