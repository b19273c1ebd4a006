"""Names from right to left keep the sentence around them in its place, in messages, refusals and paths."""

import pytest
from django.template import Context, Template
from django.urls import reverse

from annotation import models
from annotation.common.fields import NamePath, StoredName, path_of
from annotation.common.sentences import gettext, ngettext
from annotation.common.trees import TreeStep
from annotation.domains import operations as areas
from annotation.domains import queries
from annotation.people.models import Person, Role
from tests import make

DAVID = "דוד"
APART = f"\u2068{DAVID}\u2069"


class TestASentence:
    def test_keeps_a_name_apart(self):
        assert gettext("%(name)s: %(n)d left") % {"name": DAVID, "n": 3} == f"{APART}: 3 left"
        assert gettext("%s and %s") % (StoredName(DAVID), "Lena") == f"{APART} and Lena"
        assert gettext("Hello %s") % DAVID == f"Hello {APART}"

    def test_about_many_does_so_too(self):
        said = ngettext("%(name)s has %(n)d seat", "%(name)s has %(n)d seats", 2)

        assert said % {"name": DAVID, "n": 2} == f"{APART} has 2 seats"

    def test_stays_as_it_is_with_other_names(self):
        assert gettext("%(name)s is removed.") % {"name": "Zoë"} == "Zoë is removed."

    def test_sets_nothing_apart_twice(self):
        assert gettext("For %(names)s") % {"names": f"{APART}, Lena"} == f"For {APART}, Lena"


class TestAPath:
    def test_keeps_each_name_apart_on_a_page_and_in_a_sentence(self):
        path = path_of([DAVID, "Ports"])

        assert Template("{{ p }}").render(Context({"p": path})) == f"{APART} › Ports"
        assert gettext("%(p)s goes") % {"p": path} == f"{APART} › Ports goes"

    def test_is_plain_for_programs(self):
        assert str(path_of([DAVID, "Ports"])) == f"{DAVID} › Ports"
        assert type(path_of(["Harbours", "Ports"])) is str


@pytest.mark.django_db
class TestPagesOfOwnersAndCurators:
    def test_tell_what_was_done_to_somebody(self, client):
        client.force_login(make.member(Role.OWNER))
        user = make.user("dvd")
        Person.objects.filter(user=user).update(name=DAVID)

        form = {"username": "dvd", "roles": ["ANALYST"]}
        page = client.post(reverse("person_add", args=["northport"]), form, follow=True)

        assert f"{APART} belongs to the project." in page.content.decode()

    def test_tell_what_was_removed(self, client):
        user = make.member(Role.CURATOR)
        client.force_login(user)
        area = models.Domain.objects.create(project=make.project(), name=DAVID)

        url = reverse("domain_remove", args=["northport", area.pk])
        page = client.post(url, follow=True).content.decode()

        assert f"{APART} is removed." in page

    def test_refuse_in_sentences_that_stay_in_order(self):
        user = make.member(Role.CURATOR)
        area = models.Domain.objects.create(project=make.project(), name=DAVID)

        with pytest.raises(areas.NoSuchStep) as refused:
            areas.step(node=area, step=TreeStep.UP, by=user, now=make.NOW)

        assert refused.value.message.startswith(f"{APART} cannot be moved")

    def test_lead_to_an_area_by_its_path(self):
        above = models.Domain.objects.create(project=make.project(), name=DAVID)
        models.Domain.objects.create(project=make.project(), name="Ports", parent=above)

        assert NamePath(f"{DAVID} › Ports") in queries.domain_paths(make.project()).values()
