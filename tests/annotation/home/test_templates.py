import pytest
from django.urls import reverse

from annotation import models
from annotation.bank import checklists
from annotation.bank.checklists import ChecklistLine
from annotation.domains.models import Difficulty
from annotation.home import operations as templates
from annotation.home import queries as reads
from annotation.people import operations as people
from annotation.rubrics import queries as rubric_reads
from annotation.rubrics import rules as rubrics
from evalsite import errors
from tests import make

pytestmark = pytest.mark.django_db
KEYS = [one.key for one in reads.list_templates()]


def starter() -> models.User:
    user = make.user("lena")
    models.User.objects.filter(pk=user.pk).update(may_start_projects=True)
    return user


def started(key: str) -> models.Project:
    return start(by=starter(), slug=f"from-{key}", template=key)


def start(*, by: models.User, slug: str = "new", template: str = "") -> models.Project:
    return templates.start_project(template=template, slug=slug, name="New", by=by, now=make.NOW)


class TestStartProject:
    def test_is_for_owners_of_a_project_and_whom_an_operator_lets(self) -> None:
        make.project()

        assert start(by=make.user("northport-owner"), slug="one").pk
        assert start(by=starter(), slug="two").pk

    def test_is_for_nobody_else(self) -> None:
        somebody = make.member(models.Role.CURATOR)

        with pytest.raises(templates.MayNotStart, match="Ask an owner"):
            start(by=somebody)

        assert not models.Project.objects.filter(slug="new").exists()

    def test_is_lost_with_the_last_project_that_one_owned(self) -> None:
        home = make.project()
        owner = make.user("northport-owner")
        other = make.member(models.Role.OWNER, username="other")
        people.revoke(project=home, user=owner, role=models.Role.OWNER, by=other, now=make.NOW)

        with pytest.raises(templates.MayNotStart):
            start(by=owner)

    def test_follows_the_setting(self, settings) -> None:
        settings.PROJECT_STARTERS = "operators"
        operator = make.user("op")
        models.User.objects.filter(pk=operator.pk).update(is_superuser=True)
        operator.refresh_from_db()

        assert start(by=operator).pk
        with pytest.raises(templates.MayNotStart, match="Only operators"):
            start(by=starter(), slug="two")

        settings.PROJECT_STARTERS = "everybody"
        assert start(by=make.user("anybody"), slug="two").pk

    def test_keeps_short_names_that_the_operator_has_listed_for_operators(self, settings) -> None:
        settings.ENDPOINT_KEYS = ["HOUSE@models.example@new"]

        with pytest.raises(templates.NameReserved) as refused:
            start(by=starter())

        assert refused.value.fields.keys() == {"slug"}

    def test_keeps_them_in_capitals_too(self, settings) -> None:
        settings.ENDPOINT_NETWORKS = ["10.0.0.0/8@new"]

        with pytest.raises(templates.NameReserved):
            start(by=starter(), slug="NEW")

    def test_refuses_a_short_name_that_differs_from_another_in_capitals_alone(self) -> None:
        owner = starter()
        start(by=owner, slug="harbour")

        with pytest.raises(errors.NameTaken):
            start(by=owner, slug="Harbour")

    def test_has_a_limit_a_day(self) -> None:
        owner = starter()
        for n in range(templates.MOST_A_DAY):
            start(by=owner, slug=f"p{n}")

        with pytest.raises(templates.TooMany):
            start(by=owner)


class TestATemplate:
    def test_is_there_for_logistics_customer_service_and_in_general(self) -> None:
        assert KEYS == ["generic", "customer-service", "logistics"]

    @pytest.mark.parametrize("key", KEYS)
    def test_can_be_used_at_once(self, key: str) -> None:
        home = started(key)

        found = reads.find(key)
        assert found is not None
        assert home.domains.count() == len(found.areas)
        assert home.capabilities.count() == len(found.capabilities)
        for one in home.capabilities.all():
            assert one.definition
            assert one.rubric is not None
            assert all(each.definition and each.example for each in one.described), one.name
        assert sum(home.plan_cells.values_list("wanted", flat=True)) == found.n_wanted > 0
        assert set(home.plan_cells.values_list("difficulty", flat=True)) == set(Difficulty.values)

    @pytest.mark.parametrize("key", KEYS)
    def test_has_rubrics_that_describe_every_level(self, key: str) -> None:
        home = started(key)

        versions = models.RubricVersion.objects.filter(rubric__project=home)
        assert versions
        for one in versions:
            assert rubrics.problems(rubric_reads.wording(one)) == {}
            for criterion in one.criteria.all():
                levels = {level.value for level in criterion.levels.all() if level.description}
                assert levels == set(criterion.scale.levels())

    @pytest.mark.parametrize("key", KEYS)
    def test_has_a_checklist_that_can_be_used(self, key: str) -> None:
        found = reads.find(key)
        assert found is not None
        lines = [ChecklistLine(*one) for one in found.body["checklist"]]

        home = started(key)

        assert not lines or checklists.line_problems(lines) == {}
        newest = home.checklists.first()
        assert (newest.lines if newest else []) == checklists.rows(lines)

    def test_that_is_not_there_leaves_no_project(self) -> None:
        with pytest.raises(templates.NoSuchTemplate):
            started("nothing")

        assert not models.Project.objects.exists()


class TestThePage:
    def test_shows_what_is_in_them_and_starts_from_one(self, client) -> None:
        client.force_login(starter())

        page = client.get(reverse("project_new")).content.decode()
        client.post(
            reverse("project_new"), {"name": "Shop", "slug": "shop", "template": "customer-service"}
        )

        assert "Returns and refunds" in page
        home = models.Project.objects.get(slug="shop")
        assert home.capabilities.filter(name="Returns and refunds").exists()
        assert models.Membership.objects.get(project=home).role == "OWNER"

    def test_starts_empty_where_nothing_is_chosen(self, client) -> None:
        client.force_login(starter())

        client.post(reverse("project_new"), {"name": "Shop", "slug": "shop"})

        assert not models.Project.objects.get(slug="shop").capabilities.exists()

    def test_refuses_a_template_that_is_not_offered(self, client) -> None:
        client.force_login(starter())

        given = {"name": "Shop", "slug": "shop", "template": "other"}

        assert client.post(reverse("project_new"), given).status_code == 422
