import pytest

from annotation.people.models import AuditEvent, Role, SettingsVersion
from annotation.review.models import ReviewRule
from scoring.results import queries as asked
from tests import make

pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/northport/settings/"


@pytest.fixture
def curator(client):
    client.force_login(make.member(Role.CURATOR))
    return client


def post(client, section, **body):
    return client.post(f"{URL}{section}/", body, content_type="application/json")


class TestDisputes:
    def test_are_told_before_anybody_has_set_them(self, curator):
        assert curator.get(f"{URL}disputes/").json() == {"version": 0, **asked.DISPUTES}

    def test_changes_what_is_named_and_keeps_the_rest(self, curator):
        first = post(curator, "disputes", base=0, question="range", span="3").json()
        then = post(curator, "disputes", base=1, w1="2/3").json()

        assert (first["version"], then["version"]) == (1, 2)
        assert (then["question"], then["span"], then["w1"]) == ("range", "3", "2/3")
        assert asked.of_disputes({}, make.project()).typed["question"] == "range"
        assert AuditEvent.objects.filter(verb="settings.changed").count() == 2

    @pytest.mark.parametrize(
        ("body", "status", "code"),
        [
            ({"rater": "the-moody"}, 400, "invalid"),
            ({"share": "2"}, 422, "bad_setting"),
            ({"w1": "much"}, 422, "bad_setting"),
        ],
    )
    def test_says_what_cannot_be_used(self, curator, body, status, code):
        answer = post(curator, "disputes", base=0, **body)

        assert (answer.status_code, answer.json()["code"]) == (status, code)
        assert not SettingsVersion.objects.exists()

    def test_refuses_what_somebody_else_has_changed_meanwhile(self, curator):
        post(curator, "disputes", base=0, span="3")

        answer = post(curator, "disputes", base=0, span="4")

        assert (answer.status_code, answer.json()["code"]) == (409, "settings_changed_meanwhile")


class TestReviews:
    def test_change_what_is_named_and_keep_the_rest(self, curator):
        before = curator.get(f"{URL}reviews/").json()
        after = post(curator, "reviews", n_reviewers=2).json()

        assert before == {"n_reviewers": 1, "hide_people": False}
        assert after == {"n_reviewers": 2, "hide_people": False}

    def test_write_nothing_where_this_holds_already(self, curator):
        post(curator, "reviews", hide_people=True)
        post(curator, "reviews", hide_people=True)

        assert ReviewRule.objects.count() == 1

    @pytest.mark.parametrize("n", [0, 3, "two"])
    def test_want_one_reviewer_or_two(self, curator, n):
        answer = post(curator, "reviews", n_reviewers=n)

        assert (answer.status_code, list(answer.json()["fields"])) == (400, ["n_reviewers"])
