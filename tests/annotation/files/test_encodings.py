import codecs
import gzip
import re

import pytest

from annotation.files.cells import BadFile
from annotation.files.look import archives, encodings

TEXT = "编号,问题\n1,什么是托盘？它用来运输货物。\n2,码头在哪里？\n"

#: Encodings in which a line ends in other bytes than a line feed, or does not start anew.
UNLIKE = re.compile("utf-?(7|32)|cp(037|1026|1140|273|424|500|875)|iso-?2022[-_]kr", re.IGNORECASE)


class TestRecognise:
    @pytest.mark.parametrize(
        ("encoded", "name"),
        [
            (TEXT.encode(), "utf-8"),
            (TEXT.encode("utf-8-sig"), "utf-8-sig"),
            (TEXT.encode("utf-16"), "utf-16"),
            (b"\xfe\xff" + TEXT.encode("utf-16-be"), "utf-16"),
            ("id,question\n1,a\n".encode("utf-16-le"), "utf-16-le"),
            ("id,question\n1,a\n".encode("utf-16-be"), "utf-16-be"),
            (TEXT.encode("gb18030"), "gb18030"),
            (b"id,question\n", "utf-8"),
        ],
    )
    def test_knows(self, encoded, name):
        assert encodings.recognise_encoding(encoded, whole=True) == name

    def test_reads_a_head_that_ends_within_a_character(self):
        assert encodings.recognise_encoding(TEXT.encode()[:13], whole=False) == "utf-8"

    @pytest.mark.parametrize("encoding", ["cp949", "euc-kr"])
    def test_never_reads_korean_as_chinese(self, encoding):
        text = "question,answer\n부두란 무엇입니까?,배를 대는 곳입니다.\n"

        found = encodings.look(text.encode(encoding), whole=True)

        assert text.encode(encoding).decode(found.encoding) == text

    @pytest.mark.parametrize(
        ("text", "encoding"),
        [
            ("質問,回答\n埠頭とは何ですか?,船を係留する場所です。\n", "cp932"),
            ("質問,回答\n埠頭とは何ですか?,船を係留する場所です。\n", "euc-jp"),
            ("問題,回答\n什麼是碼頭?,供船隻停靠、裝卸貨物的地方。\n", "big5"),
            ("什么是提单？,收据。\n", "gbk"),
        ],
    )
    def test_takes_what_reads_in_one_way_only(self, text, encoding):
        found = encodings.look(text.encode(encoding), whole=True)

        assert not found.doubtful
        assert text.encode(encoding).decode(found.encoding) == text

    @pytest.mark.parametrize(
        ("text", "encoding"),
        [
            (
                "Frage;Antwort\nWas heißt „Löschen“ im Hafen?;Entladen über die Kaimauer.\n",
                "cp1252",
            ),
            ("question,réponse\nQu’est-ce qu’un quai ?,Un lieu d’amarrage.\n", "mac_roman"),
            ("pytanie,odpowiedź\nCo to jest nabrzeże?,Miejsce do cumowania łodzi.\n", "cp1250"),
            ("вопрос,ответ\nЧто такое причал?,Место для швартовки судов.\n", "cp1251"),
            ("ερώτηση,απάντηση\nΤι είναι προβλήτα;,Μέρος για πρόσδεση.\n", "cp1253"),
            ("שאלה,תשובה\nמהו רציף?,מקום לעגינת אניות.\n", "cp1255"),
        ],
    )
    def test_offers_readings_of_what_is_not_certain(self, text, encoding):
        data = text.encode(encoding)

        found = encodings.look(data, whole=True)

        assert found.doubtful
        assert any(data.decode(one.encoding) == text for one in found.readings)
        with pytest.raises(BadFile, match="encoding_unsure"):
            encodings.recognise_encoding(data, whole=True)
        assert encodings.look(data, whole=True, said=encoding).doubtful is False

    def test_asks_about_very_few_letters(self):
        assert encodings.look("a,b\n부두,c\n".encode("cp949"), whole=True).doubtful

    @pytest.mark.parametrize(
        ("said", "code"),
        [("klingon", "unknown_codec"), ("ascii", "other_encoding"), ("hex", "unknown_codec")],
    )
    def test_refuses_an_encoding_that_is_none(self, said, code):
        with pytest.raises(BadFile, match=code):
            encodings.look("Größe\n".encode("cp1252"), whole=True, said=said)

    @pytest.mark.parametrize(
        "said",
        [
            *("unicode_escape", "raw_unicode_escape", "idna", "punycode", "undefined", "mbcs"),
            *("utf-7", "utf-32", "cp037", "rot13", "base64", "zlib", "bz2", "quopri", "uu"),
            *("\ud800", "utf-8\0", "x" * 5000, " "),
        ],
    )
    def test_refuses_what_is_no_encoding_of_texts(self, said):
        with pytest.raises(BadFile, match="unknown_codec") as refusal:
            encodings.look(b"id,question\n1,\\ud800 +2AA-\n", whole=True, said=said)

        problem = refusal.value.problem
        assert "cp1252, " in problem.facts["known"]
        assert len(problem.found.encode()) <= 40

    def test_never_lets_half_a_character_pass(self, monkeypatch):
        monkeypatch.setattr(encodings, "KNOWN", {"unicode-escape"})

        with pytest.raises(BadFile, match="other_encoding"):
            encodings.look(b"a\n\\ud800\n", whole=True, said="unicode_escape")

    @pytest.mark.parametrize("name", sorted(encodings.KNOWN))
    def test_reads_lines_in_every_known_encoding(self, name):
        data = "id,question\n1,a\n".encode(name)

        found = encodings.look(data, whole=True, said=name)

        assert encodings.known(name) == name
        assert "".join(encodings.DecodedLines([data], found.encoding)) == "id,question\n1,a\n"

    def test_knows_what_the_detector_can_name(self):
        registry = pytest.importorskip("chardet.registry").REGISTRY
        names = {codecs.lookup(name).name for name in registry if not UNLIKE.match(name)}

        assert names <= encodings.KNOWN

    def test_refuses_bytes_that_are_no_text(self):
        with pytest.raises(BadFile, match="not_text"):
            encodings.recognise_encoding(bytes(range(256)) * 4, whole=True)

    def test_leaves_one_bad_place_far_down_to_its_line(self):
        head = TEXT.encode() * 20 + b"x,\xff\n"

        assert encodings.recognise_encoding(head, whole=True) == "utf-8"


class TestLines:
    @pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gb18030"])
    def test_reads_text_cut_anywhere(self, encoding):
        encoded = TEXT.encode(encoding)
        chunks = [encoded[place : place + 3] for place in range(0, len(encoded), 3)]

        assert "".join(encodings.DecodedLines(chunks, encoding)) == TEXT

    def test_notes_the_line_that_is_no_text(self):
        lines = encodings.DecodedLines([b"a\nb\xff\nc\n"], "utf-8")

        assert list(lines) == ["a\n", "b�\n", "c\n"]
        assert lines.flaw(2, 2) == "undecodable"
        assert not lines.flaw(3, 3)

    def test_notes_half_a_character_in_utf_16(self):
        lines = encodings.DecodedLines(
            ["a\nb".encode("utf-16-le") + b"\x00\xd8" + b"\n\x00"], "utf-16-le"
        )
        list(lines)

        assert lines.undecodable == {2}

    def test_survives_a_line_without_end(self):
        piece = b"x" * (1024 * 1024)
        lines = encodings.DecodedLines([b"a\n", *[piece] * 20, b"\nb\n"], "utf-8")

        assert list(lines) == ["a\n", "\n", "b\n"]
        assert lines.flaw(2, 2) == "line_too_long"

    def test_ends_lines_with_a_carriage_return_in_old_files(self):
        assert encodings.newline_of(b"a\rb\r") == b"\r"
        assert encodings.newline_of(b"a\r\nb") == b"\n"


class TestUnzip:
    def test_unpacks(self):
        packed = gzip.compress(TEXT.encode()) + gzip.compress(b"more")

        assert b"".join(archives.unzip([packed[:10], packed[10:]])) == TEXT.encode() + b"more"

    def test_refuses_a_damaged_archive(self):
        with pytest.raises(BadFile, match="damaged_archive"):
            list(archives.unzip([b"\x1f\x8b rubbish rubbish"]))

    def test_refuses_a_file_whose_end_is_missing(self):
        packed = gzip.compress(TEXT.encode() * 100)

        with pytest.raises(BadFile, match="damaged_archive"):
            list(archives.unzip([packed[:-1]]))

    def test_refuses_a_file_of_very_many_empty_parts(self):
        part = gzip.compress(b"")
        megabyte = part * (1024**2 // len(part))

        with pytest.raises(BadFile, match="damaged_archive"):
            list(archives.unzip([gzip.compress(b"a,b\n"), *[megabyte] * 3]))
