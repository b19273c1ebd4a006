import re

import pytest
from django.urls import reverse

from annotation import models
from annotation.people.models import Role
from annotation.rubrics import operations as rubrics
from tests import make
from tests.pages import squeezed

pytestmark = pytest.mark.django_db


def fields_of(page: str) -> dict[str, str]:
    """Return what a browser would send of the editor: names and values of its fields."""
    editor = page[page.index('class="editor"') :]
    found = {}
    for tag in re.findall(r"<input [^>]*>", editor):
        name, value = re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)
        if name and ('type="checkbox"' not in tag or " checked" in tag):
            found[name[1]] = value[1] if value else ""
    for name, value in re.findall(r'<textarea name="([^"]*)"[^>]*>([^<]*)</textarea>', editor):
        found[name] = value.strip()
    return found


class TestRubrics:
    def test_offers_the_examples_when_there_are_none(self, client, curator):
        page = client.get(reverse("rubrics", args=["northport"])).content.decode()

        assert reverse("rubric_examples", args=["northport"]) in page

    def test_takes_the_examples_with_one_press(self, client, curator):
        client.post(reverse("rubric_examples", args=["northport"]))

        assert models.Rubric.objects.count() == 18

    def test_takes_the_example_that_was_chosen(self, client, curator):
        there = reverse("rubric_examples", args=["northport"])

        page = client.post(there, {"key": "overall_quality"}, follow=True).content.decode()

        assert list(models.Rubric.objects.values_list("key", flat=True)) == ["overall_quality"]
        assert 'value="overall_quality"' not in page
        assert 'value="acceptable"' in page


class TestPassMarks:
    def saved(self, client, **more):
        """Write a rubric from the empty editor, with other values in some of its fields."""
        url = reverse("rubric_new", args=["northport"])
        fields = fields_of(client.get(url).content.decode())
        fields |= {"head-name": "Manners", "c0-name": "Tone", **more}
        fields |= {f"c0l{n}-label": f"Level {n}" for n in range(3)}
        return url, fields

    def test_at_the_lowest_grade_are_saved_and_warned_of(self, client, curator):
        url, fields = self.saved(client, **{"c0-pass_at": "0"})

        page = client.post(url, {**fields, "act": "save"}, follow=True).content.decode()

        assert models.Criterion.objects.get().pass_at == 0
        assert "Tone: every grade passes, from 0, the lowest." in page
        assert "The upper half begins at 1." in page

    def test_are_warned_of_while_they_are_written(self, client, curator):
        url, fields = self.saved(client, **{"c0-pass_at": "0"})

        page = client.post(url, {**fields, "act": "preview"}).content.decode()

        assert "Tone: every grade passes" in page
        assert not models.Rubric.objects.exists()

    def test_above_it_are_not_warned_of(self, client, curator):
        url, fields = self.saved(client)

        page = client.post(url, {**fields, "act": "save"}, follow=True).content.decode()

        assert "every grade passes" not in page

    def test_of_the_upper_half_are_filled_in_by_a_button(self, client, curator):
        url, fields = self.saved(client, **{"c0-minimum": "1", "c0-maximum": "5"})

        page = client.post(url, {**fields, "act": "upper_half:0"}).content.decode()

        assert fields_of(page)["c0-pass_at"] == "3"
        assert "Upper half passes" in page

    def test_of_a_scale_that_cannot_be_stay_as_they_are(self, client, curator):
        url, fields = self.saved(client, **{"c0-maximum": "high", "c0-pass_at": "1"})

        page = client.post(url, {**fields, "act": "upper_half:0"}).content.decode()

        assert fields_of(page)["c0-pass_at"] == "1"


class TestRubric:
    def test_shows_levels_as_an_annotator_sees_them(self, client, curator):
        make.rubric_version()

        page = client.get(reverse("rubric", args=["northport", "factuality"])).content.decode()

        assert "Level 2" in page
        assert "Wrong is 0." in page
        assert "1 or more passes" in page

    def test_is_not_found_by_a_key_that_is_none(self, client, curator):
        for key in ("nothing",):
            assert client.get(reverse("rubric", args=["northport", key])).status_code == 404


class TestRubricNew:
    def url(self) -> str:
        return reverse("rubric_new", args=["northport"])

    def test_starts_from_an_example_and_saves_it(self, client, curator):
        fields = fields_of(client.get(self.url(), {"from": "factuality"}).content.decode())

        answer = client.post(self.url(), {**fields, "act": "save"})

        assert answer.status_code == 302
        version = models.RubricVersion.objects.get()
        assert (version.rubric.key, version.criteria.get().levels.count()) == ("factuality", 4)

    def test_adds_and_drops_criteria_and_levels_by_buttons(self, client, curator):
        page = client.get(self.url()).content.decode()
        for act in ("add_criterion", "add_level:1", "drop_level:1:0", "drop_criterion:0"):
            page = client.post(self.url(), {**fields_of(page), "act": act}).content.decode()

        fields = fields_of(page)
        assert (fields["criteria-count"], fields["c0-levels-count"]) == ("1", "3")
        assert [fields[f"c0l{rank}-value"] for rank in range(3)] == ["1", "2", ""]

    def test_fills_in_a_level_for_every_value(self, client, curator):
        fields = fields_of(client.get(self.url()).content.decode())
        fields |= {"c0-maximum": "4", "c0l1-label": "Half"}

        page = client.post(self.url(), {**fields, "act": "fill_levels:0"}).content.decode()

        filled = fields_of(page)
        assert [filled[f"c0l{rank}-value"] for rank in range(5)] == list("01234")
        assert filled["c0l1-label"] == "Half"

    def test_puts_errors_beside_their_fields_and_keeps_what_was_typed(self, client, curator):
        fields = fields_of(client.get(self.url()).content.decode())
        fields |= {"head-name": "Facts", "c0-name": "Grade", "c0-step": "0.7"}
        fields |= {f"c0l{rank}-label": f"Level {rank}" for rank in range(3)}

        answer = client.post(self.url(), {**fields, "act": "save"})

        page = answer.content.decode()
        assert answer.status_code == 422
        assert 'href="#id_c0-step"' in page
        assert fields_of(page)["c0-step"] == "0.7"
        assert not models.Rubric.objects.exists()

    def test_says_above_in_which_criterion_and_level_an_error_is(self, client, curator):
        url = self.url()
        sent = fields_of(client.get(url, {"from": "factuality"}).content.decode())
        sent |= {"c0-name": "Truth & sources", "c0l1-label": "x" * 121, "c0-weight": "-1"}

        page = squeezed(client.post(url, sent | {"act": "save"}).content.decode())
        unnamed = squeezed(client.post(url, sent | {"act": "save", "c0-name": ""}).content.decode())

        within = "Criterion 1 “Truth &amp; sources”"
        assert (
            f'{within}, level 2 · <a href="#id_c0l1-label">Level</a>: Ensure this value has at most 120'
            in page
        )
        assert f'{within} · <a href="#id_c0-weight">Weight</a>:' in page
        assert 'Criterion 1 · <a href="#id_c0-name">Criterion</a>: This field' in unnamed
        assert "Criterion 1, level 2 · <a" in unnamed

    def test_says_in_which_criterion_a_scale_cannot_be_used(self, client, curator):
        url = self.url()
        sent = fields_of(client.get(url, {"from": "factuality"}).content.decode())

        page = client.post(url, sent | {"act": "save", "c0-maximum": "-5"}).content.decode()

        assert "Not saved." in page
        errors = page.partition('id="form-errors"')[2].partition("</ul>")[0]
        assert errors.count("<li>") == errors.count("<li>Criterion 1 “") > 0

    @pytest.mark.parametrize("act", ["drop_criterion:99", "add_level", "x:y:z", "drop_level:0:99"])
    def test_ignores_buttons_that_do_not_exist(self, client, curator, act):
        fields = fields_of(client.get(self.url()).content.decode())

        page = client.post(self.url(), {**fields, "act": act}).content.decode()

        assert fields_of(page) == fields | {
            name: value for name, value in fields_of(page).items() if "csrf" in name
        }


class TestPreview:
    url = "/p/northport/rubrics/new/"

    def test_shows_what_annotators_will_see_and_saves_nothing(self, client, curator):
        fields = fields_of(client.get(self.url, {"from": "factuality"}).content.decode())
        fields["c0l0-examples"] = "A first one.\n---\nA second one."

        answer = client.post(self.url, {**fields, "act": "preview"})

        page = answer.content.decode()
        assert answer.status_code == 200
        assert "2 examples" in page
        assert "<blockquote" in page
        assert not models.Rubric.objects.exists()

    def test_says_that_something_is_missing(self, client, curator):
        fields = fields_of(client.get(self.url).content.decode())

        page = client.post(self.url, {**fields, "act": "preview"}).content.decode()

        assert "Incomplete" in page


class TestExamplesOfLevels:
    def test_are_saved_and_shown_with_where_the_rubric_is_used(self, client, curator):
        capability = make.capability()
        url = reverse("rubric_edit", args=["northport", "factuality"])
        fields = fields_of(client.get(url).content.decode())

        client.post(url, {**fields, "c0l0-examples": "Nothing of it.", "act": "save"})

        page = client.get(reverse("rubric", args=["northport", "factuality"])).content.decode()
        assert models.Level.objects.earliest("value").examples == ["Nothing of it."]
        assert "Nothing of it." in page
        assert reverse("capability", args=["northport", capability.pk]) in page


class TestRubricEdit:
    def edit(self, client, **changes):
        url = reverse("rubric_edit", args=["northport", "factuality"])
        fields = fields_of(client.get(url).content.decode())
        return client.post(url, {**fields, **changes, "act": "save"})

    def test_changes_an_unused_version_in_place(self, client, curator):
        make.rubric_version()

        self.edit(client, **{"head-principle": "Wrong is nothing.", "head-name": "Facts"})

        version = models.RubricVersion.objects.get()
        assert (version.principle, version.rubric.name) == ("Wrong is nothing.", "Facts")

    def test_makes_a_version_of_a_frozen_one(self, client, curator):
        rubrics.freeze(version=make.rubric_version(), now=make.NOW)

        self.edit(client, **{"c0-pass_at": "2"})

        page = client.get(reverse("rubric", args=["northport", "factuality"])).content.decode()
        assert "Version 2" in page
        assert "pass_at" in page
        assert models.Criterion.objects.get(rubric_version__number=1).pass_at == 1

    def test_says_that_somebody_was_faster_and_lets_one_save_again(self, client, curator):
        make.rubric_version()

        answer = self.edit(client, base="what it was long ago", **{"head-name": "Facts"})

        assert answer.status_code == 422
        assert "Somebody changed this rubric" in answer.content.decode()
        url = reverse("rubric_edit", args=["northport", "factuality"])
        again = client.post(url, {**fields_of(answer.content.decode()), "act": "save"})
        assert again.status_code == 302


class TestRubricCopy:
    def test_offers_the_rubrics_of_projects_where_one_may_read_them(self, client, curator):
        theirs = make.rubric_version(in_=make.project("southgate"), key="facts")
        make.rubric_version(in_=make.project("eastbay"), key="smuggled")
        make.member(
            Role.ANALYST, in_=theirs.rubric.project, username=make.member(Role.CURATOR).username
        )
        url = reverse("rubric_copy", args=["northport"])

        page = client.get(url).content.decode()
        copied = client.post(url, {"rubric": "southgate/facts", "name": "Facts of theirs"})
        refused = client.post(url, {"rubric": "eastbay/smuggled"})

        assert "southgate/facts" in page
        assert "smuggled" not in page
        assert copied.url == "/p/northport/rubrics/facts/"
        assert refused.status_code == 422
        shown = client.get(copied.url).content.decode()
        assert "Copied from" in shown
        assert (
            reverse("rubric_copy", args=["northport"])
            in client.get(reverse("rubrics", args=["northport"])).content.decode()
        )

    def test_does_not_name_a_project_to_who_may_not_know_of_it(self, client, curator):
        theirs = make.rubric_version(in_=make.project("southgate"), key="facts")
        rubrics.copy_rubric(
            project=make.project(), version=theirs, by=make.member(Role.CURATOR), now=make.NOW
        )

        page = client.get("/p/northport/rubrics/facts/").content.decode()

        assert "Copied from another project." in page
        assert "southgate" not in page.lower()

    def test_says_so_where_there_is_nothing_to_copy(self, client, curator):
        page = client.get(reverse("rubric_copy", args=["northport"])).content.decode()

        assert "No rubrics in other projects." in page
