import re

import pytest
from django.urls import get_resolver, reverse

from annotation.people.models import Role
from evalsite.web import guides
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader(client):
    client.force_login(make.member(Role.ANNOTATOR))
    return client


def anchors(slug):
    return {one.anchor for one in guides.shown(slug).parts}


class TestTheList:
    def test_names_every_guide_and_each_is_there(self, reader):
        page = reader.get(reverse("help")).content.decode()

        slugs = [slug for _title, slugs in guides.GROUPS for slug in slugs]
        assert all((guides.folder() / f"{slug}.md").is_file() for slug in slugs)
        assert all(f'href="{guides.guides()[slug].url}"' in page for slug in slugs)


class TestASearch:
    def test_finds_the_part_whose_title_has_the_words_first(self, reader):
        page = reader.get(reverse("help"), {"q": "review desk"}).content.decode()

        first = re.search(r'<ol class="hits found">\s*<li><a href="([^"]+)"', page)
        assert first[1] == f"{guides.guides()['curator'].url}#the-review-desk"

    def test_says_so_where_nothing_is_found(self, reader):
        page = reader.get(reverse("help"), {"q": "zeppelin harpsichord"}).content.decode()

        assert "Nothing found" in page

    def test_shows_what_was_typed_as_text(self, reader):
        page = reader.get(reverse("help"), {"q": '"><b>x'}).content.decode()

        assert "<b>x" not in page


class TestAGuide:
    @pytest.mark.parametrize("slug", sorted(guides.guides()))
    def test_has_links_that_lead_somewhere(self, slug):
        links = re.findall(r'<a href="([^"]*)"', guides.shown(slug).html)

        for link in links:
            path, _hash, anchor = link.partition("#")
            if link.startswith("http"):
                continue
            there = path.removeprefix("/help/").strip("/") or slug
            assert there in guides.guides(), link
            assert not anchor or anchor in anchors(there), link

    def test_has_no_comment_and_no_picture(self, reader):
        page = reader.get(reverse("help_page", args=["tutorials/owner"])).content.decode()

        assert "do: click" not in page
        assert "<img" not in page

    def test_is_not_found_outside_of_the_list(self, reader):
        assert reader.get("/help/adding/").status_code == 404
        assert reader.get("/help/../manage/").status_code == 404


class TestTheMark:
    @pytest.mark.parametrize("place", sorted(set(guides.EXPLAINED.values())))
    def test_leads_to_a_heading_that_is_there(self, place):
        slug, _hash, anchor = place.partition("#")

        assert not anchor or anchor in anchors(slug)

    def test_knows_pages_that_are_there(self):
        names = [name for name in get_resolver().reverse_dict if isinstance(name, str)]

        unused = [
            one for one in guides.EXPLAINED if not any(name.startswith(one) for name in names)
        ]
        assert unused == []

    def test_stands_on_a_page(self, reader):
        page = reader.get("/p/northport/grade/").content.decode()

        assert f'href="{guides.guides()["annotator"].url}#your-list"' in page
