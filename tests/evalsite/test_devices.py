from django.http import HttpResponse

from evalsite.web import devices


def kept(rf, *names, cookie=""):
    for name in names:
        asked = rf.get("/")
        if cookie:
            asked.COOKIES[devices.COOKIE] = cookie
        answer = HttpResponse()
        devices.remember(asked, answer, name)
        cookie = answer.cookies[devices.COOKIE].value
    return cookie


def known(rf, cookie, name):
    asked = rf.get("/")
    asked.COOKIES[devices.COOKIE] = cookie
    return devices.known(asked, name)


class TestKnown:
    def test_is_a_device_on_which_the_account_has_signed_in(self, rf):
        cookie = kept(rf, "lena")

        assert known(rf, cookie, " Lena ")
        assert not known(rf, cookie, "ravi")
        assert not devices.known(rf.get("/"), "lena")

    def test_is_the_same_for_all_who_share_it(self, rf):
        cookie = kept(rf, "lena", "ravi")

        assert known(rf, cookie, "lena") == known(rf, cookie, "ravi") != ""

    def test_is_forgotten_where_many_came_since(self, rf):
        cookie = kept(rf, "lena", *(f"somebody-{n}" for n in range(devices.MOST)))

        assert not known(rf, cookie, "lena")

    def test_is_no_device_whose_cookie_was_made_up(self, rf, settings):
        cookie = kept(rf, "lena")

        assert not known(rf, f"{cookie}x", "lena")
        assert not known(rf, "no cookie of ours", "lena")
        settings.SECRET_KEY = "another " * 8
        assert not known(rf, cookie, "lena")


class TestRemember:
    def test_keeps_the_cookie_from_scripts_and_other_sites(self, rf, settings):
        settings.SESSION_COOKIE_SECURE = True
        answer = HttpResponse()

        devices.remember(rf.get("/"), answer, "lena")

        morsel = answer.cookies[devices.COOKIE]
        assert (morsel["httponly"], morsel["samesite"], morsel["secure"]) == (True, "Lax", True)
        assert "lena" not in morsel.value
