"""The table of every route in docs/api.md, made from the document."""

from evalsite.contract.document import document
from evalsite.contract.groups import GROUPS

BEGIN, END = "<!-- routes: made by manage.py api_table -->", "<!-- routes end -->"


class NoPlace(ValueError):
    """The text has no place for the table."""


def table() -> str:
    """Return every route as Markdown, group by group: method, address, who, and what it does."""
    rows: dict[str, list[str]] = {title: [] for title in GROUPS}
    for address, methods in document()["paths"].items():
        for method, told in methods.items():
            roles = told["x-roles"]
            who = "everybody" if roles is None else ", ".join(one.lower() for one in roles)
            rows[told["tags"][0]].append(
                f"| {method.upper()} | `{address.removeprefix('/api/v1')}` | {who} | {told['summary']} |"
            )
    head = "| method | below `/api/v1` | who may | what it does |\n|---|---|---|---|\n"
    return "\n\n".join(
        f"### {title}\n\n{head}" + "\n".join(found) for title, found in rows.items() if found
    )


def written_into(text: str) -> str:
    """Return a text with the table between its two marks.

    Raises:
        NoPlace: it lacks one of the marks.
    """
    before, begin, rest = text.partition(BEGIN)
    _old, end, after = rest.partition(END)
    if not (begin and end):
        raise NoPlace(f"The text needs the lines {BEGIN} and {END}.")
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"
