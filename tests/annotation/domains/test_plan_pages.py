import csv
import io
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation import models
from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db


def share(cell: models.PlanCell, **values) -> models.PlanShare:
    designer = make.member(Role.DESIGNER)
    return models.PlanShare.objects.create(cell=cell, designer=designer, **{"n": 2, **values})


class TestPlan:
    def url(self) -> str:
        return reverse("plan", args=["northport"])

    def test_shows_wanted_against_accepted(self, client, curator):
        make.question_version()
        make.plan_cell(3)

        page = client.get(self.url()).content.decode()

        assert "3 wanted, 2 missing, 1 accepted." in page

    def test_is_typed_in_place_and_saved(self, client, curator):
        made = make.capability()

        client.post(self.url(), {f"w-{made.pk}-SIMPLE": "4", f"w-{made.pk}-DIFFICULT": ""})

        cell = models.PlanCell.objects.get()
        assert (cell.difficulty, cell.wanted, cell.domain) == ("SIMPLE", 4, None)

    def test_is_written_for_one_area(self, client, curator):
        made, air = make.capability(), make.domain()

        client.post(f"{self.url()}?domain={air.pk}", {f"w-{made.pk}-SIMPLE": "4"})

        assert models.PlanCell.objects.get().domain == air

    @pytest.mark.parametrize("typed", ["four", "-1", "1.5", "999999999"])
    def test_keeps_what_was_typed_and_marks_what_is_no_number(self, client, curator, typed):
        made = make.capability()

        answer = client.post(self.url(), {f"w-{made.pk}-SIMPLE": typed})

        page = answer.content.decode()
        assert answer.status_code == 422
        assert f'value="{typed}"' in page
        assert 'aria-invalid="true"' in page
        assert not models.PlanCell.objects.exists()

    def test_says_why_a_number_cannot_go(self, client, curator):
        cell = make.plan_cell()
        share(cell)

        answer = client.post(self.url(), {f"w-{cell.capability_id}-SIMPLE": "0"})

        assert answer.status_code == 422
        assert "Take that back first" in answer.content.decode()

    def test_has_no_fields_for_a_designer(self, client):
        make.plan_cell()
        client.force_login(make.member(Role.DESIGNER))

        page = client.get(self.url(), {"edit": "1"}).content.decode()

        assert 'inputmode="numeric"' not in page

    def test_tells_what_to_do_first(self, client, curator):
        assert "Write capabilities first." in client.get(self.url()).content.decode()


class TestPlanCell:
    def test_asks_a_designer_until_a_day(self, client, curator):
        cell, designer = make.plan_cell(), make.member(Role.DESIGNER)

        url = reverse("plan_cell", args=["northport", cell.pk])
        page = client.post(
            url, {"designer": designer.pk, "n": "2", "due_on": "2026-04-01"}, follow=True
        ).content.decode()

        assert "is asked for 2." in page
        assert models.PlanShare.objects.get().due_on.isoformat() == "2026-04-01"

    def test_offers_nobody_who_does_not_write(self, client, curator):
        grader = make.member(Role.ANNOTATOR)

        url = reverse("plan_cell", args=["northport", make.plan_cell().pk])
        answer = client.post(url, {"designer": grader.pk, "n": "2"})

        assert answer.status_code == 422

    def test_takes_back_what_was_asked(self, client, curator):
        made = share(make.plan_cell())

        client.post(reverse("plan_release", args=["northport", made.pk]))

        assert not models.PlanShare.objects.exists()


class TestPlanGapsCsv:
    def test_has_a_line_for_every_gap_and_no_formulas(self, client, curator):
        cell = make.plan_cell(3)
        models.Capability.objects.filter(pk=cell.capability_id).update(name="=1+1")
        share(cell)

        answer = client.get(reverse("plan_gaps_csv", args=["northport"]))

        text = b"".join(answer.streaming_content).decode("utf-8-sig")
        [line] = csv.DictReader(io.StringIO(text))
        assert (line["capability"], line["missing"], line["assigned"]) == ("'=1+1", "3", "2")


class TestTasks:
    def home(self, client) -> str:
        client.force_login(make.member(Role.DESIGNER))
        return client.get(reverse("project_home", args=["northport"])).content.decode()

    def test_stand_on_the_home_of_who_was_asked(self, client):
        share(make.plan_cell(), due_on=timezone.localdate() - timedelta(days=1))

        page = self.home(client)

        assert "Your questions to write" in page
        assert "overdue" in page

    def test_are_not_there_for_anybody_else(self, client):
        make.plan_cell()

        assert "Your questions to write" not in self.home(client)
