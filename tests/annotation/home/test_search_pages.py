import pytest
from django.urls import reverse

from annotation import models
from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db


def hits(client, words: str = "", project: str = "northport") -> list[dict[str, str]]:
    answer = client.get(reverse("search_json", args=[project]), {"q": words})
    assert answer.status_code == 200
    return answer.json()["hits"]


def labels(client, words: str = "") -> list[str]:
    return [hit["label"] for hit in hits(client, words)]


@pytest.fixture
def bank():
    item = make.item("LG-0412", question="A reefer is plugged in at the quay.")
    make.response(item, make.release("Kestrel"))
    make.rubric_version()
    return item


class TestSearch:
    def test_lists_the_pages_somebody_has_when_nothing_is_asked(self, client, bank):
        client.force_login(make.member(Role.DESIGNER))

        assert {"Sources", "Rubrics", "Your account"} <= set(labels(client))
        assert not {"Systems", "People", "New round"} & set(labels(client))

    @pytest.mark.parametrize("words", ["LG-0412", "lg-04", "reefer is", "QUAY"])
    def test_finds_an_item_by_its_id_and_by_its_words(self, client, bank, words):
        client.force_login(make.member(Role.INSPECTOR))

        [hit] = hits(client, words)

        assert (hit["label"], hit["url"]) == (
            "LG-0412",
            reverse("item", args=["northport", bank.pk]),
        )

    @pytest.mark.parametrize("words", ["B-77", "b-7", "demurrage is", "滞期", "期", "QUAY rent"])
    def test_finds_a_question_of_the_bank_by_its_id_and_by_its_words(self, client, words):
        text = make.question_text("What is demurrage (滞期费)?", "Demurrage is no quay rent.")
        version = make.question_version("DRAFT", external_id="B-77", text=text)
        make.question_version("DRAFT", external_id="C-1")
        client.force_login(make.member(Role.ANALYST))

        [hit] = hits(client, words)

        assert (hit["label"], hit["kind"], hit["hint"]) == (
            "B-77",
            "Question",
            "What is demurrage (滞期费)?",
        )
        assert hit["url"] == reverse("question", args=["northport", version.question_id])

    def test_finds_a_question_once_though_a_round_can_draw_it(self, client):
        make.question_version("ACCEPTED", external_id="B-77")
        client.force_login(make.member(Role.CURATOR))

        assert [hit["kind"] for hit in hits(client, "B-77")] == ["Question"]

    @pytest.mark.parametrize("role", Role)
    def test_names_questions_to_those_who_may_open_them(self, client, role):
        version = make.question_version("ACCEPTED", external_id="B-77")
        client.force_login(make.member(role, username=f"a-{role.lower()}"))

        finds = "B-77" in labels(client, "B-77")

        page = client.get(reverse("question", args=["northport", version.question_id]))
        assert finds is (page.status_code == 200)
        assert finds is (role != Role.ANNOTATOR)

    def test_finds_no_question_of_another_project(self, client):
        make.question_version("DRAFT", external_id="B-77", in_=make.project("southgate"))
        client.force_login(make.member(Role.CURATOR))

        assert hits(client, "B-77") == []

    @pytest.mark.parametrize(
        ("role", "finds"),
        [
            (Role.OWNER, True),
            (Role.CURATOR, True),
            (Role.ANALYST, True),
            (Role.DESIGNER, False),
            (Role.INSPECTOR, False),
            (Role.ANNOTATOR, False),
        ],
    )
    def test_names_systems_only_to_those_who_may_know_them(self, client, bank, role, finds):
        client.force_login(make.member(role))

        assert ("Kestrel" in labels(client, "kest")) is finds

    def test_finds_people_for_an_owner_only(self, client, bank):
        make.member(Role.ANALYST, username="noor-h")
        owner = models.User.objects.get(username="northport-owner")
        client.force_login(owner)
        of_owner = [hit["kind"] for hit in hits(client, "noor-h")]
        client.force_login(make.member(Role.CURATOR))

        assert of_owner == ["Person"]
        assert hits(client, "noor-h") == []

    def test_finds_an_annotators_own_rounds_and_nothing_of_the_bank(self, client):
        round_ = make.open_round()
        client.force_login(models.User.objects.get(username="ann-1"))

        [hit] = hits(client, "round")

        assert hit["url"] == reverse("grade_sheet", args=["northport", round_.number])
        assert hits(client, "Q01") == []

    def test_finds_nothing_of_another_project(self, client, bank):
        make.item("LG-0999", in_=make.project("southgate"))
        client.force_login(make.member(Role.CURATOR))

        assert hits(client, "LG-0999") == []
        assert client.get(reverse("search_json", args=["southgate"])).status_code == 404

    def test_leads_to_another_project_of_the_same_person(self, client, bank):
        user = make.member(Role.CURATOR)
        south = make.project("southgate")
        models.Membership.objects.create(
            project=south, user=user, role=Role.ANALYST, created_at=make.NOW
        )
        client.force_login(user)

        assert [hit["url"] for hit in hits(client, "southg")] == ["/p/southgate/"]

    def test_returns_at_most_twenty(self, client):
        for place in range(30):
            make.item(f"LG-{place:04}")
            make.release(f"LG system {place}")
            models.Rubric.objects.create(
                project=make.project(), key=f"lg-{place}", name=f"LG {place}", created_at=make.NOW
            )
        client.force_login(make.member(Role.OWNER, username="boss"))

        assert 10 <= len(hits(client, "lg")) <= 20

    @pytest.mark.parametrize("words", ["\0", "%", "_" * 300, "'; drop", "\\", "漢字", "9" * 40])
    def test_bears_any_words(self, client, bank, words):
        client.force_login(make.member(Role.OWNER, username="boss"))

        assert len(hits(client, words)) <= 20

    def test_is_a_page_without_a_script(self, client, bank):
        client.force_login(make.member(Role.CURATOR))

        page = client.get(reverse("search", args=["northport"]), {"q": "LG-0412"}).content.decode()

        assert reverse("item", args=["northport", bank.pk]) in page
        assert 'value="LG-0412"' in page

    def test_says_what_to_do_when_nothing_is_found(self, client, bank):
        client.force_login(make.member(Role.CURATOR))

        page = client.get(reverse("search", args=["northport"]), {"q": "zzz"}).content.decode()

        assert "Try fewer letters" in page
