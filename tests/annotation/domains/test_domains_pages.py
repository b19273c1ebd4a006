import pytest
from django.urls import reverse

from annotation import models
from evalsite import panels
from tests import make

pytestmark = pytest.mark.django_db


def area(name: str, parent: models.Domain | None = None, **values) -> models.Domain:
    return models.Domain.objects.create(project=make.project(), name=name, parent=parent, **values)


class TestDomains:
    def url(self) -> str:
        return reverse("domains", args=["northport"])

    def test_shows_accepted_questions_with_all_parts_and_the_plan(self, client, curator):
        version = make.question_version()
        make.plan_cell(3, domain_=version.domain)

        page = client.get(self.url()).content.decode()

        assert "1 of 3" in page

    def test_warns_of_names_that_overlap(self, client, curator):
        area("Customs clearance")
        area("Clearing of customs")

        page = client.get(self.url()).content.decode()

        assert "Similar names" in page

    def test_shows_the_chosen_area_with_its_note_and_neighbours(self, client, curator):
        sea = area("Sea", definition="Ships.")
        air = area("Air", completeness_note="Cargo and mail are all.")
        mail = area("Mail", air)

        page = client.get(self.url(), {"area": air.pk}).content.decode()

        assert "Cargo and mail are all." in page
        assert "Ships." in page
        aside = page.partition('id="area"')[2]  # on a phone it stands below the whole tree
        assert f'href="?area={sea.pk}#area"' in aside
        assert f'href="?area={mail.pk}#area"' in aside

    def test_leaves_out_what_is_out_of_scope_when_asked(self, client, curator):
        area("Air")
        area("Travel", in_scope=False)

        page = client.get(self.url(), {"left_out": "hide"}).content.decode()

        assert "Travel" not in page.partition("<aside")[0].partition("<tbody>")[2]

    def test_says_what_to_do_while_there_are_none(self, client, curator):
        assert "No areas yet" in client.get(self.url()).content.decode()


class TestDomainsPicture:
    def url(self) -> str:
        return reverse("domains_picture", args=["northport"])

    def test_draws_every_area_and_says_the_same_in_a_table(self, client, curator):
        area("Air & <space>")

        page = client.get(self.url()).content.decode()

        assert page.count("Air &amp; &lt;space&gt;") == 3
        assert '<svg class="treepic"' in page

    def test_shows_scores_that_others_know(self, client, curator):
        air = area("Air")
        panels.load({"domain_scores": {"test": lambda scope: {air.pk: "62"}}})

        page = client.get(self.url()).content.decode()
        panels.load({"domain_scores": {"test": lambda scope: None}})

        assert page.count("62</") == 3  # in the key, the picture and the table


class TestDomain:
    def test_is_added_and_removed(self, client, curator):
        client.post(
            reverse("domain_new", args=["northport"]),
            {"name": "Air", "priority": "P0", "completeness_note": "All of it."},
        )
        made = models.Domain.objects.get()
        assert (made.priority, made.in_scope) == ("P0", False)
        assert made.completeness_note == "All of it."

        client.post(reverse("domain_remove", args=["northport", made.pk]))

        assert not models.Domain.objects.exists()

    def test_is_written_with_what_stands_beside_it_in_sight(self, client, curator):
        air = area("Air")
        area("Sea", definition="Ships and ports.", completeness_note="Three kinds of ships.")

        page = client.get(reverse("domain", args=["northport", air.pk])).content.decode()

        assert "Ships and ports." in page
        assert "Three kinds of ships." in page

    def test_begins_below_the_area_it_is_to_be_part_of(self, client, curator):
        air = area("Air")

        page = client.get(reverse("domain_new", args=["northport"]), {"below": air.pk})

        assert f'<option value="{air.pk}" selected>' in page.content.decode()


class TestDomainMove:
    def move(self, client, node, **data):
        return client.post(reverse("domain_move", args=["northport", node.pk]), data, follow=True)

    def test_goes_where_it_was_dragged(self, client, curator):
        air, sea = area("Air"), area("Sea", position=1)

        self.move(client, sea, parent="", before=air.pk)

        assert [one.name for one in models.Domain.objects.all()] == ["Sea", "Air"]

    def test_does_not_go_into_another_project(self, client, curator):
        elsewhere = models.Domain.objects.create(project=make.project("southgate"), name="Air")

        assert self.move(client, area("Sea"), parent=elsewhere.pk).status_code == 404

    def test_says_that_it_needs_a_place(self, client, curator):
        page = self.move(client, area("Air"), step="sideways").content.decode()

        assert "Nothing was moved" in page
