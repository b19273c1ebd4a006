"""Pictures of answers, asked for at a server on this machine."""

import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.cache import caches
from django.urls import reverse

from annotation.people.models import Role
from evalsite.outside import pictures
from evalsite.text import markdown
from tests import make

PNG = b"\x89PNG\r\n\x1a\n" + bytes(60)
HERE = ("127.0.0.0/8",)


@pytest.fixture(autouse=True)
def nothing_kept():
    caches["pictures"].clear()


@contextmanager
def serving(answers):
    """Serve (status, headers, body) by path; yields host and port, and the requests that came."""
    came = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            came.append((self.path, dict(self.headers)))
            status, headers, body = answers[urlsplit(self.path).path]
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            for piece in body if isinstance(body, list) else [body]:
                self.wfile.write(piece)
                time.sleep(0.05 if isinstance(body, list) else 0)

        def log_message(self, *_):
            """Say nothing."""

        def handle(self):
            try:
                super().handle()
            except OSError:
                return  # the other side hung up, as it may

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}", came
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def link_of(text, *hosts, user=7):
    """Return the link to the picture that stands in a text as it is shown; None without one."""
    page = pictures.shown(markdown.render(text), slug="northport", hosts=hosts, user=user)
    _before, is_there, after = page.partition('<img src="')
    return after.partition('"')[0].replace("&amp;", "&") if is_there else None


def got(link, *hosts, user=7, networks=HERE):
    query = {name: one[0] for name, one in parse_qs(urlsplit(link).query).items()}
    return pictures.fetched(query, slug="northport", hosts=hosts, user=user, networks=networks)


class TestAText:
    def test_keeps_its_words_and_gets_the_pictures_of_named_hosts(self):
        made = markdown.render(
            "A ![quay <9>](https://a.example/q.png?s=1&t=2) B ![x](https://b.example/x)"
        )
        page = pictures.shown(made, slug="northport", hosts=["a.example"], user=7)

        assert page.count("<img ") == 1
        assert (
            page.replace(page[page.index("<img ") : page.index(">", page.index("<img ")) + 1], "")
            == made
        )

    @pytest.mark.parametrize(
        "address",
        [
            "https://a.example.evil.example/x",
            "https://a.example:8443/x",
            "https://someone@a.example/x",
            "ftp://a.example/x",
            "//a.example/x",
            "data:image/png;base64,AAAA",
            "https://a.ex███ple/x",
        ],
    )
    def test_shows_none_of_another_place(self, address):
        assert link_of(f"![x]({address})", "a.example") is None

    def test_shows_the_pictures_of_messages_and_of_old_pages_alike(self):
        assert link_of("![x](http://a.example/x.png)", "a.example") is not None
        assert link_of("![x](http://a.example/x.png)") is None


class TestHosts:
    def test_are_read_from_whole_addresses_too(self):
        lines = [
            "Images.Example.org",
            "https://a.example/some/x.png",
            "a.example",
            "127.0.0.1:9000",
        ]

        assert pictures.read_hosts(lines) == ["images.example.org", "a.example", "127.0.0.1:9000"]

    @pytest.mark.parametrize("line", ["two words", "ftp://a.example", "*", "a.example/x?y=1"])
    def test_refuse_what_is_none(self, line):
        with pytest.raises(pictures.BadHosts, match="is no host"):
            pictures.read_hosts([line])


class TestFetching:
    def test_gives_what_the_server_gave_and_asks_once(self):
        with serving({"/q.png": (200, {"Content-Type": "text/html"}, PNG)}) as (host, came):
            link = link_of(f"![q](http://{host}/q.png?size=2)", host)

            assert [got(link, host) for _ in range(2)] == [
                pictures.FetchedPicture("image/png", PNG)
            ] * 2
            assert [path for path, _headers in came] == ["/q.png?size=2"]
            assert set(came[0][1]) == {
                "Host",
                "Accept",
                "Accept-Encoding",
                "User-Agent",
                "Connection",
            }

    @pytest.mark.parametrize(
        "answer",
        [
            (200, {"Content-Type": "image/svg+xml"}, b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
            (200, {"Content-Type": "image/png"}, b"<!doctype html>"),
            (404, {}, PNG),
            (200, {}, PNG + bytes(pictures.MAX_BYTES)),
        ],
    )
    def test_refuses_what_is_no_image_or_too_large_and_does_not_ask_again_at_once(self, answer):
        with serving({"/q": answer}) as (host, came):
            link = link_of(f"![q](http://{host}/q)", host)
            for _turn in range(2):
                with pytest.raises(pictures.NoPicture):
                    got(link, host)

        assert len(came) == 1

    def test_follows_a_redirect_to_a_named_host_only(self):
        with serving({"/q.png": (200, {}, PNG)}) as (other, reached):
            answers = {"/old": (302, {"Location": f"http://{other}/q.png"}, b"")}
            with serving(answers) as (host, _came):
                link = link_of(f"![q](http://{host}/old)", host)
                with pytest.raises(pictures.NoPicture):
                    got(link, host)
                assert reached == []
                caches["pictures"].clear()

                assert got(link, host, other).data == PNG

    def test_gives_up_a_ring_of_redirects(self):
        with (
            serving({"/q": (302, {"Location": "/q"}, b"")}) as (host, came),
            pytest.raises(pictures.NoPicture),
        ):
            got(link_of(f"![q](http://{host}/q)", host), host)

        assert len(came) == pictures.MAX_REDIRECTS + 1

    def test_stays_out_of_private_networks_that_the_operator_did_not_open(self):
        with serving({"/q": (200, {}, PNG)}) as (host, came):
            link = link_of(f"![q](http://{host}/q)", host)
            with pytest.raises(pictures.NoPicture, match="AddressNotAllowed"):
                got(link, host, networks=())

        assert came == []

    def test_waits_no_longer_than_it_should_for_a_server_that_dawdles(self, monkeypatch):
        monkeypatch.setattr(pictures, "PATIENCE", 0.3)
        with serving({"/q": (200, {}, [PNG, *[b"x"] * 100])}) as (host, _came):
            begun = time.monotonic()
            with pytest.raises(pictures.NoPicture):
                got(link_of(f"![q](http://{host}/q)", host), host)

        assert time.monotonic() - begun < 4

    def test_gives_nobody_the_picture_of_another_link(self):
        with serving({"/q": (200, {}, PNG)}) as (host, came):
            link = link_of(f"![q](http://{host}/q)", host)
            for given in (
                {"link": link, "user": 8},
                {"link": link.replace("q", "r", 1)},
                {"link": f"{link}x"},
            ):
                with pytest.raises(pictures.NoPicture):
                    got(given["link"], host, user=given.get("user", 7))
            with pytest.raises(pictures.NoPicture, match="host"):
                got(link)

        assert came == []


@pytest.mark.django_db
class TestADesk:
    @pytest.fixture
    def seat(self):
        return make.claim(make.open_round(n_items=1))

    def sit(self, client, seat):
        client.force_login(make.account(make.holder(seat)))
        return client.get(
            reverse("grade", args=[seat.round.project.slug, seat.token])
        ).content.decode()

    def with_picture(self, seat, host):
        html = markdown.render(f"![q](http://{host}/q.png)")
        for one in seat.round.items.get().responses.all():
            one.display.html = html
            one.display.save(update_fields=["html"])

    def test_shows_the_pictures_of_an_allowed_host(self, client, seat, settings):
        settings.ENDPOINT_NETWORKS = [*HERE]
        project = seat.round.project
        with serving({"/q.png": (200, {}, PNG)}) as (host, came):
            self.with_picture(seat, host)
            assert "<img src" not in self.sit(client, seat)
            client.force_login(make.user("northport-owner"))
            sent = {"name": project.name, "picture_hosts": f"http://{host}/"}
            assert (
                client.post(reverse("project_settings", args=[project.slug]), sent).status_code
                == 302
            )

            link = self.sit(client, seat).partition('<img src="')[2].partition('"')[0]
            answer = client.get(link.replace("&amp;", "&"))
            assert (answer.status_code, answer["Content-Type"], answer.content) == (
                200,
                "image/png",
                PNG,
            )
            assert answer["Cache-Control"] == "private, max-age=86400"
            assert answer["X-Content-Type-Options"] == "nosniff"

            client.force_login(make.member(Role.ANNOTATOR, in_=project, username="another"))
            assert client.get(link.replace("&amp;", "&")).status_code == 404
            assert len(came) == 1

    def test_refuses_settings_with_a_host_that_is_none(self, client, seat):
        client.force_login(make.user("northport-owner"))
        sent = {"name": "North", "picture_hosts": "two words"}
        answer = client.post(reverse("project_settings", args=["northport"]), sent)

        assert answer.status_code == 422
        assert "is no host" in answer.content.decode()
        seat.round.project.refresh_from_db()
        assert (seat.round.project.picture_hosts, seat.round.project.name) == ([], "Northport")
