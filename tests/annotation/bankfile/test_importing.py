import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, connection

from annotation import models
from annotation.bankfile import exporting, records
from annotation.bankfile import importing as working
from annotation.bankfile import operations as files
from annotation.bankfile.models import BankFile
from annotation.common.texts import canonical
from annotation.people.models import Role
from evalsite import errors
from tests import make
from tests.annotation.bankfile import stocked

pytestmark = pytest.mark.django_db
State = BankFile.State


def clock() -> Any:
    return make.at(60)


def exported(home: models.Project, *, named: bool = False) -> tuple[bytes, dict[str, Any]]:
    kept = io.BytesIO()
    manifest = exporting.write(home, kept, named=named)
    return kept.getvalue(), manifest


def handed_in(home: models.Project, data: bytes) -> BankFile:
    owner = make.user(f"{home.slug}-owner")
    made = files.receive(project=home, name="bank.zip", pieces=[data], by=owner, now=make.at(30))
    return worked(made)


def worked(file: BankFile) -> BankFile:
    working.work(file=BankFile.objects.get(pk=file.pk), clock=clock)
    return BankFile.objects.get(pk=file.pk)


def brought_in(home: models.Project, data: bytes, *, keep_own: bool = False) -> BankFile:
    file = handed_in(home, data)
    assert file.state == State.READY, (file.said, file.report)
    files.confirm(file=file, keep_own=keep_own, by=file.by, now=make.at(40))
    return worked(file)


def altered(data: bytes, part: str, change: Callable[[list[dict[str, Any]]], None]) -> bytes:
    """Return a bank file whose records of a part are others, with checksums that fit."""
    old = zipfile.ZipFile(io.BytesIO(data))
    texts = {name: old.read(name) for name in old.namelist()}
    rows = [json.loads(line) for line in texts[f"{part}.jsonl"].splitlines()]
    change(rows)
    texts[f"{part}.jsonl"] = b"".join(canonical(one) + b"\n" for one in rows)
    manifest = json.loads(texts["manifest.json"])
    manifest["files"][f"{part}.jsonl"] |= {
        "records": len(rows),
        "sha256": hashlib.sha256(texts[f"{part}.jsonl"]).hexdigest(),
    }
    texts["manifest.json"] = json.dumps(manifest).encode()
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            archive.writestr(name, text)
    return made.getvalue()


def lines(data: bytes, name: str) -> list[Any]:
    return [json.loads(one) for one in zipfile.ZipFile(io.BytesIO(data)).read(name).splitlines()]


def holds(now: Any, then: Any) -> bool:
    """Return whether a record says all that it said then; it may say more today."""
    if isinstance(then, dict):
        return all(holds(now.get(name), value) for name, value in then.items())
    if isinstance(then, list):
        return len(now) == len(then) and all(map(holds, now, then))
    return bool(now == then)


def totals() -> dict[str, int]:
    """Return how many rows each table of a bank has."""
    kinds = (
        models.Question,
        models.QuestionVersion,
        models.Citation,
        models.Inspection,
        models.Finding,
        models.Source,
        models.SourceVersion,
        models.SourceCheck,
        models.Rubric,
        models.RubricVersion,
        models.Level,
        models.Domain,
        models.Capability,
        models.Checklist,
        models.PlanCell,
        models.PlanShare,
        models.QuestionComment,
        models.QuestionChange,
        models.User,
    )
    return {kind.__name__: kind._default_manager.count() for kind in kinds}


class TestRoundTrip:
    @pytest.mark.parametrize("named", [False, True])
    def test_loses_nothing(self, named: bool) -> None:
        data, manifest = exported(stocked.bank(), named=named)
        there = make.project("elsewhere")

        file = brought_in(there, data)

        assert file.state == State.APPLIED, file.said
        again, told = exported(there, named=named)
        assert told["sha256"] == manifest["sha256"]
        assert told["files"] == manifest["files"]
        assert told["files"]["questions.jsonl"]["records"] == 5
        assert told["files"]["sources.jsonl"]["records"] == 1
        assert all(one["records"] for n, one in told["files"].items() if n != "collections.jsonl")
        assert zipfile.ZipFile(io.BytesIO(again)).read("questions.jsonl") == zipfile.ZipFile(
            io.BytesIO(data)
        ).read("questions.jsonl")

    def test_takes_a_file_that_an_earlier_version_of_the_site_wrote(self) -> None:
        data = (Path(__file__).parent / "recorded.zip").read_bytes()
        there = make.project("elsewhere")
        make.user("elsewhere-owner")

        brought_in(there, data)

        again = exported(there, named=True)[0]
        for part in records.PARTS:
            assert holds(lines(again, f"{part}.jsonl"), lines(data, f"{part}.jsonl")), part

    def test_brings_the_same_file_in_once(self) -> None:
        data, _manifest = exported(stocked.bank())
        there = make.project("elsewhere")
        brought_in(there, data)
        before = totals()

        file = brought_in(there, data)

        assert file.state == State.APPLIED
        assert totals() == before
        counts = file.report["counts"]["questions"]
        assert (counts["same"], counts["new"], counts["differs"]) == (5, 0, 0)

    def test_changes_nothing_where_it_came_from(self) -> None:
        home = stocked.bank()
        data, _manifest = exported(home)
        before = totals()

        brought_in(home, data)

        assert totals() == before

    def test_goes_on_where_the_project_ended(self) -> None:
        home = stocked.bank()
        early = altered(exported(home)[0], "questions", lambda rows: _cut(rows, "q-4"))
        there = make.project("elsewhere")
        brought_in(there, early)

        file = brought_in(there, exported(home)[0])

        assert file.report["counts"]["questions"]["more"] == 1
        assert exported(there)[1]["sha256"] == exported(home)[1]["sha256"]

    def test_lets_accepted_questions_be_drawn(self) -> None:
        there = make.project("elsewhere")

        brought_in(there, exported(stocked.bank())[0])

        versions = models.QuestionVersion.objects.filter(question__project=there)
        assert versions.filter(state="ACCEPTED", item__isnull=False).count() == 2
        assert list(versions.drawable().values_list("question__external_id", flat=True)) == ["q-4"]

    def test_keeps_what_was_handed_in_immutable(self) -> None:
        there = make.project("elsewhere")
        brought_in(there, exported(stocked.bank())[0])
        accepted = models.QuestionVersion.objects.filter(question__project=there, state="ACCEPTED")

        with pytest.raises(IntegrityError), connection.cursor() as cursor:
            cursor.execute(
                "UPDATE annotation_questionversion SET answer = 'x' WHERE id = %s",
                [accepted.values_list("pk", flat=True)[0]],
            )


class TestPeople:
    def test_travel_without_a_name_unless_the_exporter_wishes(self) -> None:
        home = stocked.bank()

        hidden, shown = exported(home)[0], exported(home, named=True)[0]

        names = [zipfile.ZipFile(io.BytesIO(one)).read("people.jsonl") for one in (hidden, shown)]
        assert b"Northport-Designer" not in names[0]
        assert b"Northport-Designer" in names[1]
        every = b"".join(
            zipfile.ZipFile(io.BytesIO(hidden)).read(name)
            for name in zipfile.ZipFile(io.BytesIO(hidden)).namelist()
        )
        for one in models.User.objects.all():
            assert one.username.encode() not in every or one.username == "northport"
            assert str(one.public_id).encode() not in every

    def test_become_accounts_that_nobody_signs_in_with(self) -> None:
        there = make.project("elsewhere")

        brought_in(there, exported(stocked.bank())[0])

        made = models.User.objects.filter(username__startswith="bank:")
        assert made.count() == 3
        assert not any(one.is_active or one.has_usable_password() for one in made)

    def test_are_known_again_where_they_belong_to_the_project(self) -> None:
        home = stocked.bank()
        there = make.project("elsewhere")
        designer = make.user("northport-designer")
        make.member(Role.DESIGNER, in_=there, username="northport-designer")

        brought_in(there, exported(home)[0])

        authors = models.QuestionVersion.objects.filter(question__project=there)
        assert {one.author_id for one in authors} == {designer.pk}


class TestRefusal:
    @pytest.mark.parametrize(
        ("part", "change", "code"),
        [
            ("questions", lambda rows: rows.append(rows[0]), "twice"),
            ("questions", lambda rows: rows[0].pop("by"), "missing"),
            ("questions", lambda rows: rows[0].update(more=1), "unknown_field"),
            ("questions", lambda rows: rows[0].update(state="STAGED"), "no_choice"),
            (
                "questions",
                lambda rows: rows[0]["versions"][0].update(answer="\x00"),
                "bad_characters",
            ),
            (
                "questions",
                lambda rows: rows[1]["versions"][0].update(state="DRAFT", number=0),
                "no_number",
            ),
            (
                "questions",
                lambda rows: rows[0]["versions"][0].update(state="ACCEPTED"),
                "dates_and_state",
            ),
            ("sources", lambda rows: rows[0]["versions"][0].update(text="other"), "other_sha"),
            ("sources", lambda rows: rows.clear(), "nowhere"),
            ("people", lambda rows: rows.clear(), "nowhere"),
            ("domains", lambda rows: rows.reverse(), "nowhere"),
            ("capabilities", lambda rows: rows[0].update(weight="1e400"), "no_decimal"),
            (
                "rubrics",
                lambda rows: rows[0]["versions"][0]["criteria"][0].update(maximum="0"),
                "bad_range",
            ),
        ],
    )
    def test_says_what_is_wrong_and_writes_nothing(
        self, part: str, change: Callable[[list[Any]], None], code: str
    ) -> None:
        data = altered(exported(stocked.bank())[0], part, change)
        there = make.project("elsewhere")
        before = totals()

        file = handed_in(there, data)

        assert file.state == State.REFUSED
        assert code in {one["code"] for one in file.report["problems"]}
        assert all(one["said"] for one in file.report["problems"])
        assert totals() == before

    def test_warns_of_a_rubric_by_which_everything_passes_and_takes_it_all_the_same(self) -> None:
        def lower(rows: list[Any]) -> None:
            rows[0]["versions"][-1]["criteria"][0].update(pass_at="0")

        there = make.project("elsewhere")
        file = handed_in(there, altered(exported(stocked.bank())[0], "rubrics", lower))

        assert file.state == State.READY
        (said,) = file.report["warnings"]
        assert said.startswith("Facts › ")
        assert "every grade passes" in said

    def test_finds_a_part_that_was_changed_on_the_way(self) -> None:
        data = exported(stocked.bank())[0]
        changed = altered(data, "questions", lambda rows: rows[0].update(state="RETIRED"))
        mixed = io.BytesIO()
        with zipfile.ZipFile(mixed, "w") as archive:
            for name in zipfile.ZipFile(io.BytesIO(data)).namelist():
                source = changed if name == "questions.jsonl" else data
                archive.writestr(name, zipfile.ZipFile(io.BytesIO(source)).read(name))

        file = handed_in(make.project("elsewhere"), mixed.getvalue())

        assert (file.state, "questions" in file.said) == (State.REFUSED, True)

    def test_of_what_differs_here_until_told_that_it_stays(self) -> None:
        home = stocked.bank()
        there = make.project("elsewhere")
        brought_in(there, exported(home)[0])

        def reword(rows: list[Any]) -> None:
            rows[2]["versions"][0]["answer"] = "7 m"
            rows.append({**rows[4], "external_id": "q-6"})

        file = handed_in(there, altered(exported(home)[0], "questions", reword))
        with pytest.raises(errors.NotNow):
            files.confirm(file=file, keep_own=False, by=file.by, now=make.at(50))
        assert file.report["differing"] == [{"part": "questions", "name": "q-3"}]

        files.confirm(file=file, keep_own=True, by=file.by, now=make.at(50))

        assert worked(file).state == State.APPLIED
        version = models.QuestionVersion.objects.get(
            question__project=there, question__external_id="q-3"
        )
        assert version.answer == "6.06 m"
        assert models.Question.objects.filter(project=there, external_id="q-6").exists()

    def test_writes_nothing_when_something_changed_after_the_check(self) -> None:
        home = stocked.bank()
        there = make.project("elsewhere")
        file = handed_in(there, exported(home)[0])
        models.Domain.objects.create(project=there, name="Freight / sea", definition="ours")
        before = totals()

        files.confirm(file=file, keep_own=False, by=file.by, now=make.at(50))

        assert worked(file).state == State.FAILED
        assert totals() == before


class TestTwice:
    def test_a_worker_that_comes_again_changes_nothing(self) -> None:
        there = make.project("elsewhere")
        file = brought_in(there, exported(stocked.bank())[0])
        before = totals()

        assert worked(file).state == State.APPLIED
        assert totals() == before


def _cut(rows: list[dict[str, Any]], name: str) -> None:
    """Leave out all versions of a question but its first."""
    for one in rows:
        if one["external_id"] == name:
            del one["versions"][1:]
