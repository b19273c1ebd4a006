"""State × life × act × person × door: what the rules allow is done, and nothing else changes anything.

The cells come from the tables of annotation/bank/rules.py. A new state, life or act is in
them as soon as it is in the rules; an act that a door has no deed for fails.
"""

import itertools
from collections.abc import Mapping
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.db import models as db
from django.db.models import ProtectedError, RestrictedError

from annotation import models
from annotation.bank import questions as standing
from annotation.bank import reading as inspections
from annotation.bank import rules
from annotation.bank.rules import Act, Life, VersionState
from annotation.files.models import ImportKind
from annotation.imports import operations as applying
from annotation.inspection import operations as inspecting
from annotation.people.models import Role
from tests import imports, make
from tests.question_doors import DOORS, Attempt, decided_by

INSPECTED = "SUBMITTED, inspected once"
STATES = (*(one.value for one in VersionState), INSPECTED)
LIVES = tuple(one.value for one in Life)
STRANGER, NOBODY, AUTHOR, WRITER = "stranger", "nobody", "author", "writer of the version before"
WHO = (AUTHOR, WRITER, *(role.value for role in Role), STRANGER, NOBODY)
#: Programs do not come without a name.
NAMELESS = {"operations"}
CELLS = list(itertools.product(DOORS, STATES, LIVES))
#: A page takes a while: in every run the operations, and each page and address once or twice.
QUICK = [
    (door, state, life)
    for door, state, life in CELLS
    if (door == "operations" and (life == Life.LIVE or state == VersionState.ACCEPTED))
    or (door == "api" and (state, life) == (VersionState.DRAFT, Life.LIVE))
]
#: Before every change every door in every state.
USUAL = [cell for cell in CELLS if cell not in QUICK and cell[2] == Life.LIVE]


class Undo(Exception):
    """Takes back what was done."""


def question_in(state: str, life: str) -> models.QuestionVersion:
    """Return the second version of a question of the core domain, which wants two inspectors.

    A curator wrote it, who may write and inspect alike, after somebody else's first version. What
    inspection found in that one is answered.
    """
    home = make.project()
    core = make.domain("Core", priority="P0")
    writer = make.member(Role.CURATOR, username="writer")
    author = make.member(Role.CURATOR, username="author")
    first = make.question_version(
        "RETURNED", author=writer, text=make.question_text(domain_id=core.pk), external_id="D1"
    )
    version = models.QuestionVersion.objects.create(
        question=first.question,
        number=2,
        author=author,
        turns=first.turns,
        answer=first.answer,
        capability=first.capability,
        domain=core,
        difficulty=first.difficulty,
        created_at=make.NOW,
        saved_at=make.NOW,
    )
    cited = first.citations.get().source_version
    models.Citation.objects.create(version=version, source_version=cited, locator="p. 3")
    version.replies = dict.fromkeys(inspections.to_answer(version), "It is mended.")
    version.save(update_fields=["replies"])
    wanted = "SUBMITTED" if state == INSPECTED else state
    version = make.taken_to(wanted, version, inspector=make.member(Role.INSPECTOR, username="one"))
    if state == INSPECTED:
        inspecting.inspect(
            version=version,
            verdict="ACCEPT",
            checked=make.checked(home),
            by=make.member(Role.INSPECTOR, username="one"),
            now=make.NOW,
        )
    models.Question.everything.filter(pk=version.question_id).update(state=life)
    return fresh(version)


def fresh(version: models.QuestionVersion) -> models.QuestionVersion:
    found = models.QuestionVersion.objects.select_related("question__project").get(pk=version.pk)
    assert found.question.project.slug
    return found


def person(who: str) -> models.User | None:
    home = make.project()
    if who == NOBODY:
        return None
    if who == AUTHOR:
        return models.User.objects.get(username="author")
    if who == WRITER:
        return models.User.objects.get(username="writer")
    if who == STRANGER:
        return make.member(Role.OWNER, in_=make.project("southgate"))
    if who == Role.OWNER:
        return home.memberships.get(role=Role.OWNER).user
    return make.member(Role(who))


def world(question: int) -> dict[str, Any]:
    """Return all that is stored of a question."""
    versions = models.QuestionVersion.objects.filter(question=question)
    return {
        "question": list(models.Question.everything.filter(pk=question).values()),
        "versions": list(versions.order_by("pk").values()),
        "citations": list(models.Citation.objects.filter(version__in=versions).values()),
        "inspections": list(models.Inspection.objects.filter(version__in=versions).values()),
        "comments": list(models.QuestionComment.objects.filter(question=question).values()),
        "changes": list(models.QuestionChange.objects.filter(question=question).values()),
    }


def wrongs(door: str, version: models.QuestionVersion) -> list[str]:
    """Return the cells that are not as the rules say, each with what happened instead."""
    before = world(version.question_id)
    found = []
    for who in WHO:
        somebody = person(who)
        if somebody is None and door in NAMELESS:
            continue
        where = standing.standing_of(version, somebody) if somebody else None
        deeds = DOORS[door](Attempt(version, somebody))
        for act in Act:
            by = decided_by(door, act)
            allowed = where is not None and any(rules.allows(one, where) for one in by)
            answer = None
            try:
                with transaction.atomic():
                    answer = deeds[act]()
                    happened = world(version.question_id) != before
                    raise Undo
            except Undo:
                pass
            if getattr(answer, "status_code", 0) >= 500:
                found.append(f"{act} by {who}: {answer}")
            elif happened != allowed:
                found.append(f"{act} by {who}: {'done' if happened else 'refused'}, {answer}")
    return found


class TestTheTable:
    @pytest.mark.django_db
    @pytest.mark.parametrize("door", DOORS)
    def test_has_a_deed_for_every_act(self, door):
        version = question_in("DRAFT", "LIVE")

        assert set(DOORS[door](Attempt(version, version.author))) == set(Act)

    def test_has_the_states_of_the_database(self):
        assert {one.value for one in VersionState} == set(models.QuestionVersion.State.values)
        assert {one.value for one in Life} == set(models.Question.State.values)


@pytest.mark.django_db
class TestEveryDoor:
    @pytest.mark.parametrize(("door", "state", "life"), QUICK)
    def test_does_what_the_rules_allow_and_nothing_else(self, door, state, life):
        assert wrongs(door, question_in(state, life)) == []

    @pytest.mark.nightly
    @pytest.mark.timeout(300)
    @pytest.mark.parametrize(("door", "state", "life"), USUAL)
    def test_does_the_same_at_every_door(self, door, state, life):
        assert wrongs(door, question_in(state, life)) == []

    @pytest.mark.nightly
    @pytest.mark.parametrize(
        ("door", "state", "life"), [cell for cell in CELLS if cell not in [*QUICK, *USUAL]]
    )
    def test_does_the_same_out_of_use(self, door, state, life):
        assert wrongs(door, question_in(state, life)) == []


@pytest.fixture
def used(db: object) -> models.QuestionVersion:
    """Return a question that an open round has drawn from the bank."""
    version = make.question_version("ACCEPTED", external_id="Q01")
    for name in make.SYSTEMS[:2]:
        make.response(version.item, make.release(name))
    make.open_round(n_items=1)
    assert models.RoundItem.objects.get().item == version.item
    return version


def rows_used(version: models.QuestionVersion) -> list[db.Model]:
    """Return a row of everything that a round uses of a question."""
    item = version.item
    rubric = models.RoundItem.objects.get(item=item).rubric_version
    assert rubric is not None
    inspection = version.inspections.earliest("pk")
    criterion = rubric.criteria.earliest("pk")
    return [
        version.question,
        version,
        item,
        version.citations.get(),
        version.citations.get().source_version,
        inspection,
        inspection.findings.earliest("pk"),
        inspection.checklist,
        rubric,
        criterion,
        criterion.levels.earliest("pk"),
        item.responses.earliest("pk"),
    ]


FILED = "what it is filed under, for lists and strata; the round's manifest says what it was"
BORN = "the import or the moment that brought it; nothing is shown or counted by it"
#: What may change of a row though a round uses it, and why nothing is lost by it.
LOOSE: Mapping[str, Mapping[str, str]] = {
    "Question": {
        "state": "its life goes on; every change is recorded beside it",
        "created_at": BORN,
        "batch_id": BORN,
        "stands_for_id": BORN,
    },
    "QuestionVersion": {"batch_id": BORN},
    "Item": {
        "capability_id": FILED,
        "domain_id": FILED,
        "difficulty": FILED,
        "question_type": FILED,
        "group": FILED,
        "batch_id": BORN,
        "created_at": BORN,
        "published_at": BORN,
    },
    "Response": {"batch_id": BORN},
    "RubricVersion": {"created_by_id": BORN, "created_at": BORN},
}


def other(field: Any, value: Any) -> Any:
    """Return another value that a field could have."""
    if field.is_relation:
        return None if value is not None else _any_of(field.related_model)
    if isinstance(field, db.BooleanField):
        return not value
    if isinstance(field, db.JSONField):
        return ["other"] if value != ["other"] else []
    if isinstance(field, db.DateTimeField):
        return make.at(999)
    if isinstance(field, db.DateField):
        return make.at(99999).date()
    if isinstance(field, db.IntegerField | db.DecimalField):
        return (value or 0) + 1
    if field.choices:
        return next(code for code, _name in field.choices if code != value)
    return "other"


def _any_of(model: type[db.Model]) -> Any:
    return model._default_manager.values_list("pk", flat=True).first()


def is_refused(row: db.Model, name: str, value: Any) -> bool:
    try:
        with transaction.atomic():
            type(row)._base_manager.filter(pk=row.pk).update(**{name: value})
            connection.check_constraints()
            raise Undo
    except Undo:
        return False
    except (DatabaseError, ProtectedError, RestrictedError):
        return True


class TestDirectSaves:
    def test_change_nothing_that_a_round_has_used(self, used):
        changed = {
            f"{type(row).__name__}.{field.attname}"
            for row in rows_used(used)
            for field in type(row)._meta.concrete_fields
            if not field.primary_key
            and not is_refused(row, field.attname, other(field, getattr(row, field.attname)))
        }

        named = {f"{model}.{name}" for model, names in LOOSE.items() for name in names}
        assert sorted(changed) == sorted(named)


def stored(version: models.QuestionVersion) -> list[dict[str, Any]]:
    """Return every row that a round uses of a question, column by column."""
    return [type(row)._base_manager.filter(pk=row.pk).values().get() for row in rows_used(version)]


#: A file of every kind that says something else of the question Q01; none: it names no question.
FILES: Mapping[str, str | None] = {
    ImportKind.ANSWERS: "id,question,standard_answer,system,response\nQ01,Other?,Other.,Kestrel,Other.\n",
    ImportKind.QUESTIONS: (
        "id,question,answer,capability,difficulty,source\nQ01,Other?,Other.,Factuality,difficult,Handbook\n"
    ),
    ImportKind.GRADES: None,
    ImportKind.SCORES: None,
    ImportKind.FIGURES: None,
    ImportKind.PAIRS: (
        "question_id,question,system_a,system_b,answer_a,answer_b,winner,annotator\n"
        "Q01,Other?,Kestrel,Harbour,Other.,Third.,system_a,ann\n"
    ),
    ImportKind.CHOICES: "id,question,A,B,answer\nQ01,Other?,a rope,a bell,B\n",
}


class TestImports:
    def test_are_all_here(self):
        assert set(FILES) == set(ImportKind)

    def test_of_answers_change_nothing_that_a_round_has_used(self, used):
        before = stored(used)

        imports.apply(imports.answers(FILES[ImportKind.ANSWERS] or ""))

        assert stored(used) == before

    def test_of_multiple_choice_change_nothing_that_a_round_has_used(self, used):
        before = stored(used)

        imports.apply(imports.choices(FILES[ImportKind.CHOICES] or ""))

        assert stored(used) == before

    def test_of_preferences_change_nothing_that_a_round_has_used(self, used):
        before = stored(used)

        imports.apply(imports.pairs(FILES[ImportKind.PAIRS] or ""))

        assert stored(used) == before

    def test_of_questions_are_refused_or_bring_a_draft_beside_what_a_round_has_used(self, used):
        before = stored(used)
        file = FILES[ImportKind.QUESTIONS] or ""

        with pytest.raises(applying.HasProblems):
            imports.apply(imports.questions(file))
        imports.apply(imports.questions(file, new_versions=True))

        assert stored(used) == before
        newest = models.QuestionVersion.objects.newest().get(question=used.question_id)
        assert (newest.number, newest.state, newest.answer) == (2, "DRAFT", "Other.")
