"""Texts in spreadsheets: none is taken for a formula, and each comes back as it was."""

#: What a spreadsheet may take for the beginning of a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
SHIELD = "'"


def neutral(text: str) -> str:
    """Return a text with a shield before what would be a formula, or what is shielded already."""
    return SHIELD + text if text.lstrip(SHIELD).startswith(FORMULA) else text


def restored(text: str) -> str:
    """Return a text as it was before `neutral`."""
    shielded = text.startswith(SHIELD) and text.lstrip(SHIELD).startswith(FORMULA)
    return text[1:] if shielded else text
