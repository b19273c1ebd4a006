from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection

from annotation.people import operations as people
from annotation.people import setting_up
from annotation.people.models import AuditEvent, SetUpLink, User
from tests import make

pytestmark = pytest.mark.django_db


def use(token, username="ines", now=make.NOW, password=make.PASSWORD):
    return setting_up.make_first_owner(
        token=token, username=username, name="Ines", password=password, now=now
    )


class TestMakeLink:
    def test_is_kept_as_a_hash_only(self):
        token = setting_up.make_link(now=make.NOW)

        assert token not in str(SetUpLink.objects.values().get())

    def test_takes_the_place_of_the_one_before(self):
        first, second = (setting_up.make_link(now=make.NOW) for _n in range(2))

        assert not setting_up.works(token=first, now=make.NOW)
        assert setting_up.works(token=second, now=make.NOW)

    def test_is_refused_once_somebody_has_an_account(self):
        make.user("lena")

        with pytest.raises(setting_up.AlreadySetUp):
            setting_up.make_link(now=make.NOW)


class TestMakeFirstOwner:
    def test_makes_an_account_that_starts_projects(self):
        user = use(setting_up.make_link(now=make.NOW))

        assert (user.username, user.display_name) == ("ines", "Ines")
        assert not user.is_superuser
        people.create_project(slug="first", name="First", by=user, now=make.NOW)
        assert AuditEvent.objects.filter(verb="site.set_up").count() == 1
        assert not SetUpLink.objects.exists()

    def test_works_once(self):
        token = setting_up.make_link(now=make.NOW)
        use(token)

        with pytest.raises(setting_up.SetupLinkIsOver):
            use(token, "max")
        assert User.objects.count() == 1

    def test_works_for_a_week_only(self):
        token = setting_up.make_link(now=make.NOW)

        with pytest.raises(setting_up.SetupLinkIsOver):
            use(token, now=make.NOW + timedelta(days=7))

    def test_works_no_more_once_an_account_was_made_in_another_way(self):
        token = setting_up.make_link(now=make.NOW)
        make.user("lena")

        with pytest.raises(setting_up.SetupLinkIsOver):
            use(token)

    @pytest.mark.parametrize("token", ["", "guessed", "x" * 300])
    def test_lets_nobody_in_who_guesses(self, token):
        setting_up.make_link(now=make.NOW)

        with pytest.raises(setting_up.SetupLinkIsOver):
            use(token)

    def test_keeps_the_link_where_the_password_is_weak(self):
        token = setting_up.make_link(now=make.NOW)

        with pytest.raises(people.WeakPassword):
            use(token, password="short")

        assert setting_up.works(token=token, now=make.NOW)


@pytest.mark.django_db(transaction=True)
class TestTwoAtOnce:
    def test_make_one_account(self):
        token = setting_up.make_link(now=make.NOW)

        def go(n: int) -> bool:
            try:
                use(token, f"ines-{n}")
            except setting_up.SetupLinkIsOver:
                return False
            finally:
                connection.close()
            return True

        with ThreadPoolExecutor(8) as pool:
            made = list(pool.map(go, range(8)))

        assert sum(made) == User.objects.count() == 1
