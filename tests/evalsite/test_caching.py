from django.http import HttpResponse

from evalsite.web import middleware as caching


class TestPrivatePages:
    def test_keeps_a_page_private(self, rf):
        answer = caching.PrivatePages(lambda request: HttpResponse())(rf.get("/"))

        assert answer["Cache-Control"] == "private, no-cache"

    def test_leaves_what_a_page_says_itself(self, rf):
        own = HttpResponse(headers={"Cache-Control": "no-store"})

        assert caching.PrivatePages(lambda request: own)(rf.get("/"))["Cache-Control"] == "no-store"
