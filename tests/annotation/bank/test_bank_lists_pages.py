import pytest
from django.urls import reverse

from annotation.bank import keeping as lists
from annotation.bank.models import QuestionVersion, SavedFilter
from annotation.domains.models import Capability
from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db
URL = "/p/northport/bank/"


def codes(page):
    return [str(one) for one in page.context["asked"].columns]


class TestTheListAsAsked:
    def test_by_a_saved_filter(self, client, designer):
        make.question_version("DRAFT", author=designer, external_id="A")
        make.question_version("SUBMITTED", author=designer, external_id="B")
        make.question_version("DRAFT", author=designer, external_id="C")
        saved = make.saved_filter()

        page = client.get(f"{URL}?saved={saved.pk}")

        ids = [line.version.question.external_id for line in page.context["lines"]]
        assert ids == ["A", "C"]  # drafts alone, the oldest first
        assert codes(page) == ["id", "state", "tags"]
        assert not page.context["asked"].is_changed

    def test_by_the_address_once_it_says_anything(self, client, designer):
        make.question_version("SUBMITTED", author=designer)
        saved = make.saved_filter()

        page = client.get(f"{URL}?saved={saved.pk}&state=SUBMITTED")

        assert len(page.context["lines"]) == 1
        assert page.context["asked"].is_changed

    def test_says_what_of_a_saved_filter_is_gone(self, client, designer):
        make.question_version("DRAFT", author=designer)
        gone = Capability.objects.create(project=make.project(), name="Gone")
        saved = make.saved_filter()
        SavedFilter.objects.update(
            query={"state": "DRAFT", "capability": str(gone.pk), "colour": "red"},
            order="loudest",
            columns=["id", "shape"],
        )
        gone.delete()

        page = client.get(f"{URL}?saved={saved.pk}")

        [note] = page.context["asked"].notes
        assert "Capability, a filter that is unknown, Order, Columns" in note
        assert len(page.context["lines"]) == 1

    @pytest.mark.parametrize("stored", [[], "x", 7, None, {"state": ["DRAFT"]}, {"domain": {}}])
    def test_stands_whatever_was_stored(self, client, designer, stored):
        make.question_version("DRAFT", author=designer)
        saved = make.saved_filter()
        SavedFilter.objects.update(query=stored or {}, columns=stored or [])

        assert client.get(f"{URL}?saved={saved.pk}").status_code == 200

    @pytest.mark.parametrize("number", ["0", "999999", "x", "-1"])
    def test_shows_all_when_a_saved_filter_is_gone(self, client, designer, number):
        make.question_version("DRAFT", author=designer)

        page = client.get(f"{URL}?saved={number}")

        assert len(page.context["lines"]) == 1
        assert "is gone" in page.context["asked"].notes[0]

    def test_shows_nobody_elses_filter(self, client, designer):
        saved = make.saved_filter(shared=False)

        assert client.get(f"{URL}?saved={saved.pk}").context["asked"].saved is None

    @pytest.mark.parametrize(
        ("order", "ids"), [("", "CBA"), ("oldest", "ABC"), ("id", "ABC"), ("loudest", "CBA")]
    )
    def test_stands_in_order(self, client, designer, order, ids):
        for one in "ABC":
            make.question_version("DRAFT", author=designer, external_id=one)

        page = client.get(f"{URL}?order={order}")

        found = [line.version.question.external_id for line in page.context["lines"]]
        assert "".join(found) == ids

    def test_goes_through_all_pages_in_the_order_of_ids(self, client, designer):
        for place in range(60):
            make.question_version("DRAFT", author=designer, external_id=f"Z{place:02}")

        first = client.get(f"{URL}?order=id")
        second = client.get(URL + first.context["next_url"])

        ids = [
            line.version.question.external_id
            for page in (first, second)
            for line in page.context["lines"]
        ]
        assert ids == [f"Z{place:02}" for place in range(60)]
        # A key of another order begins at the first page.
        assert client.get(f"{URL}{first.context['next_url']}&order=oldest").status_code == 200


class TestListColumns:
    def test_are_remembered(self, client, designer):
        make.question_version("DRAFT", author=designer)

        answer = client.post(f"{URL}columns/", {"columns": ["tags", "id"], "back": "state=DRAFT"})

        assert answer.url == f"{URL}?state=DRAFT"
        assert codes(client.get(answer.url)) == ["id", "tags"]

    def test_stand_in_the_address_beside_a_saved_filter(self, client, designer):
        saved = make.saved_filter()

        answer = client.post(f"{URL}columns/", {"columns": ["age"], "back": f"saved={saved.pk}"})

        assert answer.url == f"{URL}?saved={saved.pk}&columns=age"
        assert codes(client.get(answer.url)) == ["age"]

    def test_are_the_usual_ones_again(self, client, designer):
        client.post(f"{URL}columns/", {"columns": ["tags"]})

        client.post(f"{URL}columns/", {"columns": ["tags"], "usual": "1"})

        assert "capability" in codes(client.get(URL))

    def test_refuse_an_unknown_one(self, client, designer):
        answer = client.post(f"{URL}columns/", {"columns": ["colour"]}, follow=True)

        assert "no column “colour”" in answer.content.decode()

    def test_lead_nowhere_else(self, client, designer):
        answer = client.post(f"{URL}columns/", {"columns": ["id"], "back": "//evil.example/?x=1"})

        assert answer.url.startswith(f"{URL}?")


class TestSavedFilters:
    def test_keep_what_the_list_shows(self, client, designer):
        answer = client.post(
            f"{URL}filters/",
            {"name": "Mine", "back": "state=DRAFT&order=id&columns=id&difficulty=nonsense"},
        )

        made = SavedFilter.objects.get()
        assert answer.url == f"{URL}?saved={made.pk}"
        assert (made.query, made.order, made.columns) == ({"state": "DRAFT"}, "id", ["id"])

    def test_refuse_a_taken_name_at_the_field_and_keep_the_rest(self, client, designer):
        client.post(f"{URL}filters/", {"name": "Mine", "back": "state=DRAFT"})

        answer = client.post(f"{URL}filters/", {"name": "Mine", "back": "life=RETIRED"})

        assert answer.status_code == 422
        page = answer.content.decode()
        assert "already" in page
        assert 'name="back" value="life=RETIRED"' in page

    def test_are_listed_with_those_that_are_shared(self, client, designer):
        make.saved_filter("Ours")
        make.saved_filter("Theirs", shared=False)

        page = client.get(f"{URL}filters/").content.decode()

        assert "Ours" in page
        assert "Theirs" not in page


class TestSavedFilter:
    def post(self, client, saved, **data):
        return client.post(reverse("saved_filter", args=["northport", saved.pk]), data)

    def test_is_renamed_shared_replaced_and_deleted(self, client):
        curator = make.member(Role.CURATOR)
        client.force_login(curator)
        saved = make.saved_filter(shared=False)

        self.post(client, saved, act="rename", name="Better")
        self.post(client, saved, act="share")
        self.post(client, saved, act="replace", back="life=RETIRED")

        saved.refresh_from_db()
        assert (saved.name, saved.is_shared, saved.query) == ("Better", True, {"life": "RETIRED"})
        self.post(client, saved, act="keep")
        self.post(client, saved, act="delete")
        assert not SavedFilter.objects.exists()

    def test_is_not_for_others_to_change(self, client, designer):
        saved = make.saved_filter()

        answer = self.post(client, saved, act="delete")

        assert answer.status_code == 403
        assert SavedFilter.objects.exists()

    def test_is_not_there_for_others_unless_it_is_shared(self, client, designer):
        saved = make.saved_filter(shared=False)

        assert self.post(client, saved, act="delete").status_code == 404

    def test_is_kept_with_its_owner(self, client, designer):
        """A person of another project knows nothing of it."""
        saved = make.saved_filter()
        client.force_login(make.member(Role.OWNER, in_=make.project("southgate")))

        assert self.post(client, saved, act="delete").status_code == 404

    def test_stands_on_the_list_as_one_of_its_links(self, client, designer):
        make.question_version("DRAFT", author=designer)
        mine = lists.save_filter(
            project=make.project(), name="Mine", look=lists.FilterLook(), by=designer, now=make.NOW
        )

        page = client.get(URL).content.decode()

        assert f'href="?saved={mine.pk}"' in page
        assert QuestionVersion.objects.count() == 1
