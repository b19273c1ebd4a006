import pytest
from django.conf import settings

from evalsite.front import incoming
from evalsite.front.incoming import IncomingRequest, RequestNotTaken, Stage

GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


def post(length, *lines):
    head = [b"POST / HTTP/1.1", b"Host: a", b"Content-Length: %d" % length, *lines]
    return b"\r\n".join(head) + b"\r\n\r\n"


def taken(*pieces):
    one = IncomingRequest(0.0)
    for piece in pieces:
        one.take(piece)
    return one


class TestTake:
    @pytest.mark.parametrize("size", [1, 3, 1000])
    def test_gathers_a_request_however_it_is_cut(self, size):
        sent = post(5) + b"hello"
        one = taken(*(sent[at : at + size] for at in range(0, len(sent), size)))

        assert one.stage is Stage.WHOLE
        assert b"".join(one.pieces()) == sent

    def test_leaves_what_is_of_the_next_request(self):
        assert IncomingRequest(0.0).take(GET + b"GET /next") == b"GET /next"
        assert IncomingRequest(0.0).take(post(2) + b"ab" + GET) == GET

    def test_keeps_a_larger_body_in_a_file(self, tmp_path):
        body = bytes(range(256)) * 2048
        one = IncomingRequest(0.0, tmp_path)
        one.take(post(len(body)) + body[:100])
        one.take(body[100:])

        assert b"".join(one.pieces()) == post(len(body)) + body
        one.close()

    def test_is_not_whole_while_bytes_are_missing(self):
        assert taken(b"GET / HTTP/1.1\r\n").stage is Stage.HEAD
        assert taken(post(3), b"ab").stage is Stage.BODY

    def test_leaves_a_length_that_is_none_to_the_parser(self):
        assert taken(b"POST / HTTP/1.1\r\nContent-Length: -4\r\n\r\n").stage is Stage.WHOLE

    @pytest.mark.parametrize(
        ("sent", "status"),
        [
            (b"x" * (incoming.HEAD_MOST + 1), 431),
            (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
            (post(incoming.ANYBODY_MOST + 1), 413),
            (post(10**300), 413),
        ],
    )
    def test_refuses_what_is_not_read(self, sent, status):
        with pytest.raises(RequestNotTaken) as refusal:
            taken(sent)

        assert refusal.value.status == status


class TestALargeBody:
    @pytest.mark.parametrize(
        ("line", "credential"),
        [
            (b"Authorization: Bearer abc", b"Bearer abc"),
            (b"Cookie: csrftoken=1; sessionid=xyz; theme=dark", b"xyz"),
        ],
    )
    def test_is_asked_about_where_somebody_says_who_they_are(self, line, credential):
        one = taken(post(incoming.ANYBODY_MOST + 1, line), b"abc")

        assert (one.stage, one.credential) == (Stage.SIZE, credential)

    def test_goes_on_once_it_is_allowed(self):
        n = incoming.ANYBODY_MOST + 1
        one = taken(post(n, b"Authorization: x"), b"abc")

        one.allow(n)
        one.take(b"d" * (n - 3))

        assert one.stage is Stage.WHOLE
        assert b"".join(one.pieces()).endswith(b"\r\n\r\nabc" + b"d" * (n - 3))
        one.close()

    def test_is_refused_where_it_is_larger_than_allowed(self):
        one = taken(post(incoming.ANYBODY_MOST + 1, b"Authorization: x"))

        with pytest.raises(RequestNotTaken, match="413"):
            one.allow(incoming.ANYBODY_MOST)

    def test_is_told_by_the_cookie_that_the_site_sets(self):
        assert settings.SESSION_COOKIE_NAME == "sessionid"


class TestDeadline:
    def test_of_a_head_is_fixed(self):
        assert taken(b"GET").deadline == incoming.HEAD_SECONDS

    def test_of_a_body_moves_only_as_fast_as_bytes_come(self):
        slow, quick = taken(post(100_000), b"a"), taken(post(100_000), b"a" * 40_960)

        assert slow.deadline < incoming.BODY_SECONDS + 1
        assert quick.deadline == incoming.BODY_SECONDS + 10


class TestCutBody:
    def test_leaves_the_head(self):
        one = taken(post(100) + b"abc")
        one.cut_body()

        assert b"".join(one.pieces()) == post(100)
