import pytest

from annotation.people.models import AuditEvent, SettingsVersion
from annotation.review.models import ReviewRule
from scoring.results import asked
from tests import make

pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/northport/settings/"


def post(client, section, **body):
    return client.post(f"{URL}{section}/", body, content_type="application/json")


class TestDisputes:
    def test_are_told_before_anybody_has_set_them(self, as_curator):
        assert as_curator.get(f"{URL}disputes/").json() == {"version": 0, **asked.DISPUTES}

    def test_changes_what_is_named_and_keeps_the_rest(self, as_curator):
        first = post(as_curator, "disputes", base=0, question="range", span="3").json()
        then = post(as_curator, "disputes", base=1, w1="2/3").json()

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
    def test_says_what_cannot_be_used(self, as_curator, body, status, code):
        answer = post(as_curator, "disputes", base=0, **body)

        assert (answer.status_code, answer.json()["code"]) == (status, code)
        assert not SettingsVersion.objects.exists()

    def test_refuses_what_somebody_else_has_changed_meanwhile(self, as_curator):
        post(as_curator, "disputes", base=0, span="3")

        answer = post(as_curator, "disputes", base=0, span="4")

        assert (answer.status_code, answer.json()["code"]) == (409, "settings_changed_meanwhile")


class TestReviews:
    def test_change_what_is_named_and_keep_the_rest(self, as_curator):
        before = as_curator.get(f"{URL}reviews/").json()
        after = post(as_curator, "reviews", n_reviewers=2).json()

        assert before == {"n_reviewers": 1, "hide_people": False}
        assert after == {"n_reviewers": 2, "hide_people": False}

    def test_write_nothing_where_this_holds_already(self, as_curator):
        post(as_curator, "reviews", hide_people=True)
        post(as_curator, "reviews", hide_people=True)

        assert ReviewRule.objects.count() == 1

    @pytest.mark.parametrize("n", [0, 3, "two"])
    def test_want_one_reviewer_or_two(self, as_curator, n):
        answer = post(as_curator, "reviews", n_reviewers=n)

        assert (answer.status_code, list(answer.json()["fields"])) == (400, ["n_reviewers"])
