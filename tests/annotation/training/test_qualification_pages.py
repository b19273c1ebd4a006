import pytest
from django.urls import reverse

from annotation.domains.models import Capability
from annotation.people.models import Role
from annotation.qualification import queries as qualifications
from annotation.qualification.models import Expertise, Qualification, QualificationRule
from tests import make
from tests.annotation import qualified

pytestmark = pytest.mark.django_db


def url(name="pool", *args):
    return reverse(name, args=["northport", *args])


RULE = {
    "statistic": "KAPPA",
    "reference_at": "0.7",
    "peers_at": "",
    "n_least": "20",
    "practice_at": "0.5",
    "most_failures": "2",
}


class TestPool:
    def test_says_where_everybody_stands(self, client, curator):
        qualified.qualified(qualified.annotator("ann-1"))
        qualified.annotator("ann-2")

        page = client.get(url()).content.decode()

        assert 'class="state ok">qualified' in page
        assert "Ann-2" in page

    def test_leads_to_the_capabilities_where_there_are_none(self, client, curator):
        qualified.annotator("ann-1")

        page = client.get(url()).content.decode()

        assert "Capabilities</a>" in page
        assert reverse("trial_new", args=["northport"]) not in page

    def test_keeps_its_action_where_a_filter_fits_nobody(self, client, curator):
        make.capability()
        qualified.annotator("ann-1")

        page = client.get(url() + "?state=SUSPENDED").content.decode()

        assert "Nothing matches" in page
        assert reverse("trial_new", args=["northport"]) in page

    def test_can_be_asked_for_those_who_stand_somewhere(self, client, curator):
        qualified.qualified(qualified.annotator("ann-1"))
        qualified.annotator("ann-2")

        page = client.get(url() + f"?state=QUALIFIED&capability={make.capability().pk}")

        assert "Ann-1" in page.content.decode()
        assert "Ann-2" not in page.content.decode()
        assert "Nothing matches" in client.get(url() + "?state=SUSPENDED").content.decode()


class TestPerson:
    def address(self, rater, *more):
        return url("pool_say" if more else "pool_person", make.account(rater).public_id, *more)

    def test_shows_the_history_with_reasons(self, client, curator):
        rater = qualified.qualified(qualified.annotator())
        Capability.objects.create(project=make.project(), name="Not begun")

        page = client.get(self.address(rater)).content.decode()

        assert "Not begun" in page

        assert "was let in by an owner" in page
        assert "A test." in page

    def test_takes_what_somebody_knows_about(self, client, curator):
        rater = qualified.annotator()

        client.post(self.address(rater), {"tags": "Reefers, Customs"})

        assert list(Expertise.objects.values_list("tag", flat=True)) == ["Customs", "Reefers"]

    def test_lets_a_curator_send_somebody_back_but_not_let_in(self, client, curator):
        rater, about = qualified.qualified(qualified.annotator()), make.capability()
        address = self.address(rater, about.pk)

        refused = client.post(address, {"event": "ALLOWED", "reason": "I know her."})
        client.post(address, {"event": "LAPSED", "reason": "Gold was missed."})

        assert refused.status_code == 422
        assert Qualification.objects.first().state == "RETRAINING"

    def test_lets_an_owner_let_somebody_in_with_a_reason(self, client):
        client.force_login(qualified.owner(make.project()))
        rater, about = qualified.annotator(), make.capability()

        client.post(self.address(rater, about.pk), {"event": "ALLOWED", "reason": "Taught it."})

        assert qualifications.is_qualified(rater, about)
        assert Qualification.objects.get().reason == "Taught it."

    def test_is_nobody_who_does_not_grade(self, client, curator):
        other = make.member(Role.DESIGNER)

        assert client.get(url("pool_person", other.public_id)).status_code == 404


class TestRules:
    def test_are_set_for_the_project_and_for_a_capability(self, client, curator):
        about = make.capability()

        client.post(url("pool_rules"), {**RULE, "asked_always": "on"})
        client.post(url("pool_rule", about.pk), {**RULE, "reference_at": "0.9"})

        assert qualifications.is_asked(make.project())
        assert qualifications.threshold_of(make.project(), about).reference_at == 0.9
        assert QualificationRule.objects.count() == 2
        assert "0.9 on 20 grades" in client.get(url("pool_rules")).content.decode()

    def test_keep_what_was_typed_and_say_what_is_wrong(self, client, curator):
        answer = client.post(url("pool_rules"), {**RULE, "reference_at": "75"})

        assert answer.status_code == 422
        assert 'value="75"' in answer.content.decode()
        assert not QualificationRule.objects.exists()
