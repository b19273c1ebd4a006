import re

import pytest
from django.urls import reverse

from annotation import models
from annotation.people.models import Role
from tests import make
from tests.doors.api import API
from tests.who_may import ROWS
from tests.who_may_world import World

pytestmark = pytest.mark.django_db


def form(**changes) -> dict[str, object]:
    plain = {"name": "Terms", "kind": "DOMAIN", "question_type": "FACTUAL", "weight": "1"}
    return {**plain, **changes}


class TestCapabilities:
    def test_shows_the_tree_with_counts(self, client, curator):
        top = make.capability()
        part = models.Capability.objects.create(project=make.project(), name="Terms", parent=top)
        make.imported("Q1", capability_=part)

        page = client.get(reverse("capabilities", args=["northport"])).content.decode()

        assert page.index("Factuality") < page.index("Terms")
        assert "1 below" in page

    def test_count_what_their_links_lead_to(self, client, curator):
        made = make.capability()
        for name in ("Q1", "Q2", "Q3"):
            make.imported(name, capability_=made)
        for name in ("Q1", "B1"):
            version = make.question_version(external_id=name)
            models.QuestionVersion.objects.filter(pk=version.pk).update(capability=made)
        make.item("put out", capability_=made)

        page = client.get(reverse("capabilities", args=["northport"])).content.decode()
        listed = client.get(reverse("questions", args=["northport"]), {"capability": made.pk})

        (said,) = re.findall(rf"capability={made.pk}\"\s*>(\d+)<", page)
        assert int(said) == listed.context["page"].n == 4


class TestCapability:
    def test_is_added_with_its_rubric_and_difficulties(self, client, curator):
        rubric = make.rubric_version().rubric

        client.post(
            reverse("capability_new", args=["northport"]),
            form(rubric=rubric.pk, simple="One word.", simple_example="Cat?", weight="0.5"),
        )

        made = models.Capability.objects.get()
        assert made.rubric == rubric
        assert made.difficulties == {"SIMPLE": {"definition": "One word.", "example": "Cat?"}}

    def test_cannot_be_put_below_itself(self, client, curator):
        made = make.capability()

        answer = client.post(
            reverse("capability", args=["northport", made.pk]), form(parent=made.pk)
        )

        assert answer.status_code == 422

    def test_is_not_taken_from_another_project(self, client, curator):
        other = make.capability(in_=make.project("southgate"))

        answer = client.get(reverse("capability", args=["northport", other.pk]))

        assert answer.status_code == 404

    def test_stays_while_questions_belong_to_it_and_says_so(self, client, curator):
        made = make.capability()
        make.item(capability_=made)

        page = client.post(
            reverse("capability_remove", args=["northport", made.pk]), follow=True
        ).content.decode()

        assert "1 question belongs to Factuality" in page
        assert models.Capability.objects.exists()

    def test_is_shown_to_a_designer_without_a_form(self, client):
        client.force_login(make.member(Role.DESIGNER))
        made = make.capability()

        page = client.get(reverse("capability", args=["northport", made.pk])).content.decode()

        assert 'name="weight"' not in page


class TestCapabilityMove:
    def test_moves_by_a_button_and_returns_to_the_line(self, client, curator):
        make.capability("One")
        two = make.capability("Two")
        models.Capability.objects.filter(pk=two.pk).update(position=1)

        answer = client.post(reverse("capability_move", args=["northport", two.pk]), {"step": "up"})

        assert answer["Location"].endswith(f"#node-{two.pk}")
        assert [one.name for one in models.Capability.objects.all()] == ["Two", "One"]

    def test_says_why_it_did_not_move(self, client, curator):
        one = make.capability("One")

        page = client.post(
            reverse("capability_move", args=["northport", one.pk]), {"step": "up"}, follow=True
        )

        assert "cannot be moved that way" in page.content.decode()


class TestCapabilityHelp:
    def url(self) -> str:
        return reverse("capability_help", args=["northport"])

    def test_tells_what_a_capability_and_its_difficulties_mean(self, client, curator):
        made = make.capability()
        made.definition = "Whether it is true."
        made.difficulties = {"SIMPLE": {"definition": "One fact.", "example": "A pallet?"}}
        made.save()

        chosen = {"capability": made.pk, "difficulty": "SIMPLE"}
        page = client.get(self.url(), chosen).content.decode()

        assert all(text in page for text in ("Whether it is true.", "One fact.", "A pallet?"))
        assert page.count('aria-current="true"') == 2

    @pytest.mark.parametrize("asked", ["", "x", "999999"])
    def test_without_a_capability_says_to_choose_one(self, client, curator, asked):
        page = client.get(self.url(), {"capability": asked}).content.decode()

        assert "Choose a capability" in page


#: Pages that write a capability itself.
WRITES_ONE = {"capability", "capability_new"}
CHOOSES = re.compile(
    r'<(?:select|input)[^>]* name="(?:capability(?:-\d+)?|capabilities|difficulty)"'
)


class TestHelp:
    def test_tells_of_all_of_them_at_once(self, client):
        make.capability("Factuality")
        make.capability("Reasoning")
        client.force_login(make.member(Role.DESIGNER))

        page = client.get("/p/northport/capabilities/help/?all=1").content.decode()

        assert "Factuality" in page
        assert "Reasoning" in page

    @pytest.mark.nightly
    def test_stands_wherever_a_capability_or_difficulty_is_chosen(self, client):
        world = World()
        world.item.pk, world.submitted.pk, world.draft.pk  # noqa: B018  what pages show
        draft = make.question_version("DRAFT", author=world.people[Role.CURATOR])
        client.force_login(world.people[Role.CURATOR])
        choosing, without = set(), set()
        for name, row in ROWS.items():
            if name in API or name in WRITES_ONE or Role.CURATOR not in row.see or not row.got:
                continue
            given = dict(row.kwargs(world))
            if name == "question_edit":
                given["pk"] = draft.question_id
            answer = client.get(reverse(name, kwargs=given))
            if answer.status_code != 200 or "html" not in answer["Content-Type"]:
                continue
            page = answer.content.decode()
            if CHOOSES.search(page):
                choosing.add(name)
                if "capability-help" not in page and "data-helps" not in page:
                    without.add(name)

        assert without == set()
        assert choosing >= {"question_edit", "questions", "inspections", "round_draw"}
