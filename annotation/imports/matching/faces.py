"""What the match page shows of a file: its title, what is to be answered, and what was found, in words."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.common import diffs
from annotation.files import asked, wording
from annotation.files import stored as files
from annotation.files.asked import AskedFile, Option
from annotation.files.asks import KIND, FileAsk
from annotation.files.cells import FileProblem
from annotation.files.models import ImportKind, Upload
from annotation.imports.found import FoundBy
from annotation.rubrics.rules import CHOICES

Report = Mapping[str, Any]

#: The fields in which a fault of a mapping is mended, by its code.
FIELDS: Final = {
    "no_system_column": ("system",),
    "no_rater_column": ("rater",),
    "no_criterion_column": ("criterion",),
    "no_machine_column": ("rater",),
    "no_figure_column": ("figure",),
    "no_criterion_name": ("criterion",),
    "no_system_a": ("system_a",),
    "no_system_b": ("system_b",),
    "no_chooser": ("rater",),
    "no_round_name": ("round_name",),
    "no_rubric_name": ("new_name",),
    "no_choice_rubric": ("rubric", "new_rubric"),
    "rubric_of_marks": ("rubric",),
    "word_no_choice": ("words",),
    "no_choice": ("words",),
    "bad_scale": ("rubric", "minimum", "maximum", "step"),
    "no_scale": ("minimum", "maximum", "step"),
    "word_off_scale": ("words",),
    "no_dataset": ("dataset",),
    "which_release": ("release",),
}
#: Names that stand in one line.
IN_A_LINE: Final = 8

TITLES: Final[dict[str, Promise]] = {
    ImportKind.ANSWERS: gettext_lazy("Answers of systems"),
    ImportKind.QUESTIONS: gettext_lazy("Questions for the bank"),
    ImportKind.GRADES: gettext_lazy("Grades given by people"),
    ImportKind.SCORES: gettext_lazy("Scores of judges and metrics"),
    ImportKind.CHOICES: gettext_lazy("Questions of multiple choice"),
    ImportKind.FIGURES: gettext_lazy("Other benchmarks"),
    ImportKind.PAIRS: gettext_lazy("Preferences of people"),
}


@dataclass(frozen=True, slots=True)
class MatchLine:
    """One thing that was found; `notes` are to be looked at."""

    title: str
    texts: Sequence[str] = ()
    notes: Sequence[str] = ()
    differences: Sequence["TextDifference"] = ()

    @property
    def is_clear(self) -> bool:
        return not self.notes


@dataclass(frozen=True, slots=True)
class TextDifference:
    """A question whose text in the file is another one than here."""

    name: str
    runs: tuple[diffs.DiffRun, ...]


@dataclass(frozen=True, slots=True)
class MatchCard:
    """Something to answer, or to check where a suggestion is taken.

    `part` is the template that draws it; `of` is what it draws: a question in words, the form of a column,
    fields, or the row of a judge.
    """

    part: str
    title: str
    text: str = ""
    of: Any = None
    is_open: bool = False
    differences: Sequence[TextDifference] = field(default_factory=tuple)


def title(upload: Upload) -> str:
    """Return in words what a file is, as far as that is known."""
    if not upload.kind:
        return _("What is in it?")
    report = upload.report or {}
    if report.get("counts") and (words := _TITLES.get(upload.kind)):
        return words(report)
    return str(TITLES[upload.kind])


def asks_of(upload: Upload, kinds: Sequence[ImportKind]) -> list[FileAsk]:
    """Return all that may be asked of a file by now, in the order in which it is answered.

    Args:
        kinds: those that somebody may bring in.
    """
    layout = files.layout_of(upload)
    found = []
    if len(kinds) > 1:
        options = tuple(str(kind) for kind in kinds)
        found.append(FileAsk(KIND, KIND, options, upload.kind))
    if layout.readings:
        options = tuple(one.encoding for one in layout.readings)
        suggested = "" if layout.doubtful else layout.encoding
        found.append(FileAsk(asked.ENCODING, asked.ENCODING, options, suggested))
    asks = (upload.report or {}).get("asks", ())
    return [*found, *layout.asks, *(FileAsk.from_dict(one) for one in asks)]


def cards_of(upload: Upload, kinds: Sequence[ImportKind]) -> list[MatchCard]:
    """Return a card for each question that is open, or whose suggestion is taken."""
    differences = tuple(_differences((upload.report or {}).get("found", {})))
    return [
        MatchCard(
            "choice",
            one.title,
            one.text,
            one,
            one.is_open,
            _differences_of(one.key, differences),
        )
        for one in (_asked(upload, ask) for ask in asks_of(upload, kinds))
    ]


def _differences_of(key: str, differences: Sequence[TextDifference]) -> Sequence[TextDifference]:
    """Return what is shown beside a question about texts that differ: all, or those of one question."""
    about, _sign, name = key.partition(":")
    if about != "differing_questions":
        return ()
    return [one for one in differences if not name or one.name == name]


def _asked(upload: Upload, ask: FileAsk) -> AskedFile:
    if ask.code == KIND:
        return _asked_kind(upload, ask)
    if ask.code == asked.ENCODING:
        return asked.of_encoding(files.layout_of(upload), upload.told)
    return asked.worded(ask, upload.told)


def _asked_kind(upload: Upload, ask: FileAsk) -> AskedFile:
    options = [Option(one, str(TITLES[one]), one == upload.kind) for one in ask.options]
    text = _("Told by its columns.") if upload.kind else _("Its columns do not tell.")
    said = bool(upload.told.get(KIND))
    return AskedFile(ask.key, _("What is in it?"), text, options, upload.kind, said)


def _differences(found: Mapping[str, Any]) -> Iterator[TextDifference]:
    for one in found.get("differences", ()):
        yield TextDifference(one["id"], diffs.between(one["ours"], one["theirs"]))


# What was found


def lines(upload: Upload) -> list[MatchLine]:
    """Return what the check found, a line a kind of thing."""
    report = upload.report or {}
    if not report.get("counts"):
        return []
    made = _LINES[upload.kind](report)
    return [one for one in [*made, *_given_away(report), *_left_out(report)] if one is not None]


def plain(upload: Upload) -> dict[str, Any]:
    """Return what the check found, for programs: in numbers, in lines as people read them, with what is asked."""
    report = upload.report or {}
    problems = [FileProblem.from_dict(one) for one in report.get("problems", ())]
    open_ones = asked.of_file(files.layout_of(upload), report.get("asks", ()), upload.told)
    return {
        "file": upload.name,
        "rows": report.get("n_rows", 0),
        "ok": report.get("ok", False),
        "left_out": report.get("n_left_out", 0),
        "counts": report.get("counts", {}),
        "found": [
            {"title": one.title, "texts": list(one.texts), "notes": list(one.notes)}
            for one in lines(upload)
        ],
        "asks": [one.as_dict() for one in open_ones],
        "problems": [
            {"code": one.code, "line": one.line, "column": one.column, "warning": one.warning}
            | {"message": wording.sentence(one)}
            for one in problems
        ],
    }


def _answer_lines(report: Report) -> Iterator[MatchLine | None]:
    found = report.get("found", {})
    yield _questions(found)
    yield _systems(found)
    counts = report["counts"]
    texts = [_n_new_and_known(counts["new_responses"], counts["known_responses"])]
    if counts["empty_cells"]:
        texts.append(_empty(counts["empty_cells"]))
    yield MatchLine(
        _("Answers: %(n)s") % {"n": sum(_pick(counts, "new_responses", "known_responses"))}, texts
    )
    if marks := report.get("marks"):
        title = _("Marks beside the answers: %(names)s") % {"names": ", ".join(marks[:IN_A_LINE])}
        note = _("Kept with the answers, not counted. To count them, import as grades or scores.")
        yield MatchLine(title, notes=[note])
    yield from _to_be_made(report)


def _questions(found: Mapping[str, Any]) -> MatchLine | None:
    by = found.get("questions", {})
    n_new, n = by.get(FoundBy.NEW, 0), sum(by.values())
    n_found, unknown = n - n_new, found.get("unknown_items", [])
    if not n and not unknown:
        return None
    if n_new and not n_found:
        said = ngettext("Questions: %(n)s new", "Questions: %(n)s new", n_new) % {"n": n_new}
    elif n_new:
        said = _("Questions: %(n)s found, %(new)s new") % {"n": n_found, "new": n_new}
    else:
        of = n + found.get("n_unknown_items", 0)
        said = _("Questions: %(n)s of %(of)s found") % {"n": n_found, "of": of}
    parts = [
        (_("%(n)s by id and text"), by.get(FoundBy.BOTH, 0)),
        (_("%(n)s by text"), by.get(FoundBy.TEXT, 0)),
        (_("%(n)s by id"), by.get(FoundBy.ID, 0)),
        (_("%(n)s by id, with another text"), by.get(FoundBy.DIFFERS, 0)),
    ]
    texts = [", ".join(words % {"n": number} for words, number in parts if number)]
    return MatchLine(
        said, [one for one in texts if one], _unknown(unknown, _("Not here: %(names)s."))
    )


def _systems(found: Mapping[str, Any]) -> MatchLine | None:
    return _names(
        found.get("systems", {}),
        found.get("unknown_systems", []),
        (
            _("Systems: %(n)s known"),
            _("Systems: %(new)s new"),
            _("Systems: %(n)s known, %(new)s new"),
        ),
    )


def _people(found: Mapping[str, Any]) -> MatchLine | None:
    return _names(
        found.get("raters", {}),
        [],
        (_("People: %(n)s known"), _("People: %(new)s new"), _("People: %(n)s known, %(new)s new")),
    )


def _names(
    said: Mapping[str, Any], unknown: Sequence[Any], words: Sequence[str]
) -> MatchLine | None:
    """Return the line of names: words for known ones alone, for new ones alone, and for both."""
    known, new = said.get("known", []), said.get("new", [])
    numbers = {"n": said.get("n_known", 0), "new": said.get("n_new", 0)}
    if not (known or new or unknown):
        return None
    only = 2 if known and new else 1 if new else 0
    texts = [", ".join(_some([*known, *(one["name"] for one in new)]))]
    notes = [
        _("“%(name)s” is new. Is it %(near)s? Then name it so in the file.") % one
        for one in new
        if one["near"]
    ]
    return MatchLine(
        words[only] % numbers,
        [one for one in texts if one],
        [*notes, *_unknown(unknown, _("Not here: %(names)s."))],
    )


def _unknown(found: Sequence[Mapping[str, Any]], words: str) -> list[str]:
    if not found:
        return []
    names = [_("%(name)s (%(near)s?)") % one if one["near"] else str(one["name"]) for one in found]
    return [words % {"names": ", ".join(_some(names))}]


def _some(names: Sequence[str]) -> list[str]:
    more = len(names) - IN_A_LINE
    return [*names[:IN_A_LINE], *([_("and %(n)s more") % {"n": more}] if more > 0 else [])]


def _grade_lines(report: Report) -> Iterator[MatchLine | None]:
    found, counts = report.get("found", {}), report["counts"]
    yield _questions(found)
    yield _systems(found)
    yield _people(found)
    yield _marks(_("Grades: %(n)s of %(of)s fit the scale"), _("Grades: %(n)s"), report)
    for name, of in report.get("made", {}).items():
        words = _("Labels of %(name)s: %(n)s") % {"name": name, "n": len(of["labels"])}
        yield MatchLine(words, [", ".join(_some(of["labels"]))])
    if counts.get("comments"):
        yield MatchLine(_("Comments: %(n)s") % {"n": counts["comments"]})


def _score_lines(report: Report) -> Iterator[MatchLine | None]:
    found, counts = report.get("found", {}), report["counts"]
    yield _questions(found)
    yield _systems(found)
    yield _marks(_("Scores: %(n)s of %(of)s fit their range"), _("Scores: %(n)s"), report)
    for one in report.get("machines", ()):
        yield MatchLine(f"{_what(one)} {one['name']}", [_seen(one)])
    if counts.get("unscored"):
        text = _("Kept with their reasons, not counted.")
        yield MatchLine(_("Unscored: %(n)s") % {"n": counts["unscored"]}, [text])


def _marks(some: str, all_: str, report: Report) -> MatchLine:
    """Return how many marks fit; the values of the others are told, most frequent first."""
    counts, found = report["counts"], report.get("found", {})
    n = counts.get("grades", counts.get("scores", 0))
    outside = found.get("n_outside", 0)
    values = [
        _("%(value)s (%(n)s×)") % {"value": value, "n": times}
        for value, times in found.get("outside", {}).items()
    ]
    notes = [_("Outside: %(values)s.") % {"values": ", ".join(_some(values))}] if values else []
    said = some if outside else all_
    about = ngettext("On %(items)s question", "On %(items)s questions", counts["items"])
    systems = ngettext("and %(systems)s system.", "and %(systems)s systems.", counts["systems"])
    texts = [f"{about} {systems}" % counts]
    if criteria := report.get("criteria"):
        names = criteria if isinstance(criteria, list) else []
        texts += [_("Criteria: %(names)s.") % {"names": ", ".join(_some(names))}] if names else []
    if counts.get("known"):
        texts.append(_("%(n)s here already.") % {"n": counts["known"]})
    if counts.get("empty_cells"):
        texts.append(_empty(counts["empty_cells"]))
    return MatchLine(said % {"n": n, "of": n + outside}, texts, notes)


def _what(machine: Mapping[str, Any]) -> str:
    return _("Judge") if machine["kind"] == "JUDGE" else _("Metric")


def _seen(one: Mapping[str, Any]) -> str:
    if not one["n"]:
        return _("%(range)s, no scores") % one
    facts = {**one, "low": f"{one['low']:.6g}", "high": f"{one['high']:.6g}"}
    return _("%(range)s; %(n)s scores, from %(low)s to %(high)s") % facts


def _question_lines(report: Report) -> Iterator[MatchLine | None]:
    counts = report["counts"]
    texts = []
    if counts["new_versions"]:
        words = _("%(n)s become drafts of a next version.")
        texts.append(words % {"n": counts["new_versions"]})
    notes = []
    if counts["near_duplicates"]:
        words = _("%(n)s resemble others: see the warnings.")
        notes.append(words % {"n": counts["near_duplicates"]})
    said = _("Questions: %(new)s new, %(same)s unchanged")
    yield MatchLine(
        said % {"new": counts["new_questions"], "same": counts["unchanged"]}, texts, notes
    )
    if counts["without_source"]:
        text = _("Needed before submitting for review.")
        yield MatchLine(_("Without a source: %(n)s") % {"n": counts["without_source"]}, [text])
    yield from _to_be_made(report)


def _choice_lines(report: Report) -> Iterator[MatchLine | None]:
    counts = report["counts"]
    yield MatchLine(
        _("Questions: %(new)s new, %(known)s known")
        % {"new": counts["new_items"], "known": counts["known_items"]}
    )
    if subjects := report.get("subjects"):
        names = [f"{subject} ({n})" for subject, n in subjects.items()]
        yield MatchLine(_("Subjects: %(n)s") % {"n": len(subjects)}, [", ".join(_some(names))])


def _figure_lines(report: Report) -> Iterator[MatchLine | None]:
    counts = report["counts"]
    texts = [_n_new_and_known(counts["figures"], counts["known"])]
    if counts.get("empty_cells"):
        texts.append(_empty(counts["empty_cells"]))
    yield MatchLine(_("Figures: %(n)s") % {"n": sum(_pick(counts, "figures", "known"))}, texts)
    for one in report.get("names", ()):
        facts = {**one, "low": f"{one['low']:.6g}", "high": f"{one['high']:.6g}"}
        yield MatchLine(one["name"], [_("%(n)s values, from %(low)s to %(high)s") % facts])


def _pair_lines(report: Report) -> Iterator[MatchLine | None]:
    found, counts = report.get("found", {}), report["counts"]
    yield _questions(found)
    yield _systems(found)
    if counts["new_responses"] or counts["known_responses"]:
        known = _n_new_and_known(counts["new_responses"], counts["known_responses"])
        n = sum(_pick(counts, "new_responses", "known_responses"))
        yield MatchLine(_("Answers: %(n)s") % {"n": n}, [known])
    yield _people(found)
    named = [(str(CHOICES[int(value)]), n) for value, n in report.get("chosen", {}).items()]
    texts = [", ".join(_("%(value)s (%(n)s×)") % {"value": word, "n": n} for word, n in named)]
    pairs = ngettext("%(n)s pair", "%(n)s pairs", report["n_pairs"]) % {"n": report["n_pairs"]}
    texts.append(_("On %(pairs)s of answers.") % {"pairs": pairs})
    if criteria := report.get("criteria"):
        texts.append(_("Criteria: %(names)s.") % {"names": ", ".join(_some(criteria))})
    if counts["empty_cells"]:
        texts.append(_empty(counts["empty_cells"]))
    yield MatchLine(
        _("Preferences: %(n)s") % {"n": counts["choices"]}, [one for one in texts if one]
    )
    if counts["machine_choices"]:
        said = _("By machines, left out: %(n)s") % {"n": counts["machine_choices"]}
        yield MatchLine(said, [_("Questions and answers of these rows come in.")])
    if counts["comments"]:
        yield MatchLine(_("Comments: %(n)s") % {"n": counts["comments"]})
    yield from _to_be_made(report)


def _to_be_made(report: Report) -> Iterator[MatchLine]:
    """Yield what is made along with the rows because the project has none of it."""
    new = tuple(f"{one} · " for one in report.get("new_systems") or ())
    releases = [one for one in report.get("new_releases") or () if not one.startswith(new)]
    made = [
        (_("New releases: %(n)s"), releases),
        (_("New capabilities: %(n)s"), report.get("new_capabilities") or []),
        (_("New subject areas: %(n)s"), report.get("new_domains") or []),
        (_("New sources: %(n)s"), report.get("new_sources") or []),
    ]
    for words, names in made:
        if names:
            yield MatchLine(words % {"n": len(names)}, [", ".join(_some(names))])


#: Problems that are told as lines of what was found.
GIVEN_AWAY: Final = frozenset({"shared_opening", "system_prompt"})


def _given_away(report: Report) -> Iterator[MatchLine]:
    """Yield what tells annotators whose answer they read."""
    for stored in report.get("problems", ()):
        if stored["code"] in GIVEN_AWAY:
            said = wording.worded(FileProblem.from_dict(stored))
            yield MatchLine(said.message, [], [said.remedy])


def _left_out(report: Report) -> Iterator[MatchLine]:
    if n := report.get("n_left_out"):
        said = ngettext("Left out: %(n)s row", "Left out: %(n)s rows", n)
        yield MatchLine(said % {"n": n})


def _n_new_and_known(new: int, known: int) -> str:
    if not known:
        return _("All of them are new.")
    return _("%(new)s new, %(known)s known.") % {"new": new, "known": known}


def _empty(n: int) -> str:
    return ngettext("%(n)s cell is empty.", "%(n)s cells are empty.", n) % {"n": n}


def _pick(counts: Mapping[str, int], *names: str) -> Iterable[int]:
    return [counts[name] for name in names]


_LINES: Final[dict[str, Callable[[Report], Iterable[MatchLine | None]]]] = {
    ImportKind.ANSWERS: _answer_lines,
    ImportKind.QUESTIONS: _question_lines,
    ImportKind.GRADES: _grade_lines,
    ImportKind.SCORES: _score_lines,
    ImportKind.CHOICES: _choice_lines,
    ImportKind.FIGURES: _figure_lines,
    ImportKind.PAIRS: _pair_lines,
}


# The title, and the button


def waits_for(report: Report) -> int:
    """Return how many questions must come in before any answer of the file can: 0 if none must."""
    found = report.get("found", {})
    return 0 if sum(found.get("questions", {}).values()) else found.get("n_unknown_items", 0)


def _title_of_answers(report: Report) -> str:
    by = report.get("found", {}).get("questions", {})
    n_new, n = by.get(FoundBy.NEW, 0), sum(by.values())
    if unknown := waits_for(report):
        said = ngettext(
            "Answers without their question",
            "Answers for %(n)s questions that are not here",
            unknown,
        )
        return said % {"n": unknown}
    if not n:
        return str(TITLES[ImportKind.ANSWERS])
    if not sum(_pick(report["counts"], "new_responses", "known_responses")):
        return ngettext("%(n)s question without answers", "%(n)s questions without answers", n) % {
            "n": n
        }
    return _("Answers of %(systems)s, for %(questions)s") % {
        "systems": _these_systems(report["found"]["systems"]),
        "questions": _these_questions(n, n_new),
    }


def _these_systems(said: Mapping[str, Any]) -> str:
    known, new = said["n_known"], said["n_new"]
    if not known:
        return ngettext("one new system", "%(n)s new systems", new) % {"n": new}
    if new:
        return _("%(n)s systems, %(new)s of them new") % {"n": known + new, "new": new}
    if known == 1:
        return str(said["known"][0])
    return _("%(n)s systems you already have") % {"n": known}


def _these_questions(n: int, n_new: int) -> str:
    if not n_new:
        return ngettext("one question you already have", "%(n)s questions you already have", n) % {
            "n": n
        }
    if n_new == n:
        return ngettext("one new question", "%(n)s new questions", n) % {"n": n}
    return _("%(n)s questions, %(new)s of them new") % {"n": n, "new": n_new}


def _title_of_grades(report: Report) -> str:
    n, people = report["counts"]["grades"], len(report.get("raters", ()))
    by = ngettext("one person", "%(n)s people", people) % {"n": people}
    return ngettext("%(n)s grade by %(people)s", "%(n)s grades by %(people)s", n) % {
        "n": n,
        "people": by,
    }


def _title_of_scores(report: Report) -> str:
    machines = {one["name"] for one in report.get("seen", ())}
    n = report["counts"]["scores"]
    if len(machines) == 1:
        said = ngettext("%(n)s score of %(name)s", "%(n)s scores of %(name)s", n)
        return said % {"n": n, "name": next(iter(machines))}
    return _("%(n)s scores of %(m)s judges and metrics") % {"n": n, "m": len(machines)}


def _title_of_questions(report: Report) -> str:
    counts = report["counts"]
    n_new = counts["new_questions"]
    n = n_new + counts["new_versions"] + counts["unchanged"]
    said = ngettext("%(n)s question for the bank", "%(n)s questions for the bank", n) % {"n": n}
    return said if n_new == n else _("%(said)s, %(new)s of them new") % {"said": said, "new": n_new}


def _title_of_choices(report: Report) -> str:
    n = sum(_pick(report["counts"], "new_items", "known_items"))
    said = ngettext("%(n)s question of multiple choice", "%(n)s questions of multiple choice", n)
    return said % {"n": n}


def _title_of_figures(report: Report) -> str:
    n = sum(_pick(report["counts"], "figures", "known"))
    return ngettext("%(n)s figure of another benchmark", "%(n)s figures of other benchmarks", n) % {
        "n": n
    }


def _title_of_pairs(report: Report) -> str:
    counts, people = report["counts"], len(report.get("raters", ()))
    if not (n := counts["choices"]):
        return _title_of_machines_pairs(counts.get("machine_choices", 0))
    by = ngettext("one person", "%(n)s people", people) % {"n": people}
    said = ngettext("%(n)s preference of %(people)s", "%(n)s preferences of %(people)s", n)
    return said % {"n": n, "people": by}


def _title_of_machines_pairs(n: int) -> str:
    """Return what a file is in which no person preferred anything: `n` times, a machine did."""
    said = ngettext("%(n)s preference of machines", "%(n)s preferences of machines", n)
    return said % {"n": n} if n else str(TITLES[ImportKind.PAIRS])


_TITLES: Final[dict[str, Callable[[Report], str]]] = {
    ImportKind.ANSWERS: _title_of_answers,
    ImportKind.QUESTIONS: _title_of_questions,
    ImportKind.GRADES: _title_of_grades,
    ImportKind.SCORES: _title_of_scores,
    ImportKind.CHOICES: _title_of_choices,
    ImportKind.FIGURES: _title_of_figures,
    ImportKind.PAIRS: _title_of_pairs,
}


def button(upload: Upload) -> str:
    """Return what the button says that brings a file in."""
    counts = (upload.report or {}).get("counts", {})
    n = next((counts[name] for name in _BROUGHT.get(upload.kind, ()) if counts.get(name)), 0)
    if not n:
        return _("Import")
    name = next(name for name in _BROUGHT[upload.kind] if counts.get(name))
    return _n_of(name, n)


#: What a file of each kind brings, the most telling first.
_BROUGHT: Final[dict[str, tuple[str, ...]]] = {
    ImportKind.ANSWERS: ("new_responses", "new_items"),
    ImportKind.QUESTIONS: ("new_questions", "new_versions"),
    ImportKind.GRADES: ("grades",),
    ImportKind.SCORES: ("scores", "unscored"),
    ImportKind.CHOICES: ("new_items",),
    ImportKind.FIGURES: ("figures",),
    ImportKind.PAIRS: ("choices",),
}


def _n_of(name: str, n: int) -> str:
    words = {
        "new_responses": ngettext("Import %(n)s answer", "Import %(n)s answers", n),
        "grades": ngettext("Import %(n)s grade", "Import %(n)s grades", n),
        "scores": ngettext("Import %(n)s score", "Import %(n)s scores", n),
        "unscored": ngettext("Import %(n)s row", "Import %(n)s rows", n),
        "choices": ngettext("Import %(n)s preference", "Import %(n)s preferences", n),
        "figures": ngettext("Import %(n)s figure", "Import %(n)s figures", n),
        "new_versions": ngettext("Import %(n)s version", "Import %(n)s versions", n),
    }
    questions = ngettext("Import %(n)s question", "Import %(n)s questions", n)
    return words.get(name, questions) % {"n": n}
