"""Nothing that a round has used changes or vanishes (state × act × person: test_question_doors.py)."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import ProtectedError, RestrictedError

from annotation import models
from annotation.bank import operations as bank
from annotation.bank.rules import Act
from annotation.people.models import Role
from evalsite.web import operators
from tests import make


class Undo(Exception):
    """Takes back what was done."""


class TestOperatorsDesk:
    def test_opens_nothing_of_the_bank_or_of_rounds(self):
        operators.routes("operators")
        opened = {
            model for model, rows in operators.site._registry.items() if getattr(rows, "opened", ())
        }

        assert opened == {models.User}


@pytest.fixture
def used(db):
    """Return a question that an open round puts before raters, with a newer draft beside it."""
    version = make.question_version("ACCEPTED")
    models.Response.objects.filter(item=version.item).delete()
    make.response(version.item, make.release())
    round_ = make.open_round(n_items=1, n_releases=1)
    place = round_.items.get()
    models.RoundItem.objects.filter(pk=place.pk).update(item=version.item)
    models.RoundResponse.objects.filter(round_item=place).update(
        response=version.item.responses.get()
    )
    return version


def rows_used(version) -> dict[str, Any]:
    item = version.item
    rubric = models.RoundItem.objects.get(item=item).rubric_version
    criterion = rubric.criteria.first()
    cited = version.citations.get()
    return {
        "question": version.question,
        "version": version,
        "item": item,
        "citation": cited,
        "source version": cited.source_version,
        "source": cited.source_version.source,
        "inspection": version.inspections.first(),
        "finding": version.inspections.first().findings.first(),
        "checklist": version.inspections.first().checklist,
        "rubric": rubric.rubric,
        "rubric version": rubric,
        "criterion": criterion,
        "level": criterion.levels.first(),
        "response": item.responses.get(),
    }


#: What can be changed of a row that a round uses, by its name above.
CHANGES: dict[str, dict[str, Any]] = {
    "question": {"external_id": "other"},
    "version": {"answer": "Other."},
    "item": {"reference": "Other.", "extra": {"principle": "Other."}, "as_of": "2001"},
    "citation": {"locator": "elsewhere"},
    "source version": {"text": "Other."},
    "inspection": {"verdict": "RETURN"},
    "finding": {"outcome": "FAIL", "reason": "wrong"},
    "checklist": {"lines": []},
    "rubric version": {"principle": "Other.", "frozen_at": None},
    "criterion": {"maximum": 9, "pass_at": 2},
    "level": {"label": "Other", "description": "Other."},
    "response": {"messages": [], "content_sha": "0" * 64},
}
REFUSED = (DatabaseError, ProtectedError, RestrictedError)


def is_refused(deed: Callable[[], object]) -> bool:
    """Say whether the database refuses a deed, at once or when it would be kept."""
    try:
        with transaction.atomic():
            deed()
            connection.check_constraints()
            raise Undo
    except Undo:
        return False
    except REFUSED:
        return True


def erase(row: Any) -> None:
    with connection.cursor() as cursor:
        table = type(row)._meta.db_table
        cursor.execute(f"DELETE FROM {table} WHERE id = %s", [row.pk])  # noqa: S608


class TestWhatARoundHasUsed:
    def test_is_never_deleted(self, used):
        rows = rows_used(used)

        through_models = [name for name, row in rows.items() if not is_refused(row.delete)]
        by_hand = [name for name, row in rows.items() if not is_refused(partial(erase, row))]

        assert (through_models, by_hand) == ([], [])

    def test_is_never_changed(self, used):
        rows = rows_used(used)
        done = []
        for name, changes in CHANGES.items():
            for field, value in changes.items():
                row = type(rows[name]).objects.get(pk=rows[name].pk)
                setattr(row, field, value)
                same = type(row).objects.filter(pk=row.pk)
                if not is_refused(row.save):
                    done.append(f"{field} of the {name}, by a save")
                if not is_refused(partial(same.update, **{field: value})):
                    done.append(f"{field} of the {name}, by an update")

        assert done == []

    def test_gains_nothing_either(self, used):
        rows = rows_used(used)
        more = (
            lambda: models.Citation.objects.create(
                version=used, source_version=rows["source version"], locator="more"
            ),
            lambda: models.Criterion.objects.create(
                rubric_version=rows["rubric version"], key="more", name="More", maximum=1
            ),
            lambda: models.Level.objects.create(criterion=rows["criterion"], value=9, label="More"),
        )

        assert all(is_refused(one) for one in more)

    def test_is_left_alone_by_a_new_version(self, used):
        before = (used.item.reference, used.item.content_sha)

        newer = bank.revise(version=used, by=used.author, now=make.NOW)
        text = make.question_text(answer="Other.", meaning_changed=True)
        bank.save_draft(version=newer, text=text, base_rev=0, by=used.author, now=make.NOW)
        newer.refresh_from_db()
        make.taken_to("ACCEPTED", newer)

        used.item.refresh_from_db()
        assert (used.item.reference, used.item.content_sha) == before
        assert models.RoundItem.objects.filter(item=used.item).count() == 1

    def test_is_left_alone_when_it_is_taken_out_of_use(self, used):
        bank.change_life(
            question=used.question,
            act=Act.INVALIDATE,
            reason="It is disputed.",
            by=make.member(Role.CURATOR),
            now=make.NOW,
        )

        assert models.RoundItem.objects.filter(item=used.item).count() == 1
        assert used.question.changes.count() == 1
