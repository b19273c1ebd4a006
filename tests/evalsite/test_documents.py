import io
import zipfile
import zlib

import docx
import pypdf
import pytest

from evalsite import documents


def pdf(*pages):
    """Return a PDF with these lines on its pages, in a standard font."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>"
        % (b" ".join(b"%d 0 R" % (4 + 2 * n) for n in range(len(pages))), len(pages)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for n, lines in enumerate(pages):
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % (5 + 2 * n)
        )
        said = b"".join(b"(%s) Tj T* " % one.encode() for one in lines)
        stream = b"BT /F1 12 Tf 14 TL 50 800 Td " + said + b"ET"
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    made = b"%PDF-1.4\n"
    places = []
    for number, one in enumerate(objects, start=1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % one for one in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    tail = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (
        len(objects) + 1,
        len(made),
    )
    return made + head + table + tail


def word(*paragraphs, table=()):
    made = docx.Document()
    made.core_properties.title = "Handbook"
    for one in paragraphs:
        made.add_paragraph(one)
    if table:
        grid = made.add_table(len(table), len(table[0]))
        for row, cells in enumerate(table):
            for column, text in enumerate(cells):
                grid.cell(row, column).text = text
    data = io.BytesIO()
    made.save(data)
    return data.getvalue()


def refused(data, name="file.txt"):
    with pytest.raises(documents.UnreadableDocument) as raised:
        documents.read_document(data, name)
    assert list(raised.value.fields) == ["file"]
    return raised.value.message


class TestRead:
    def test_reads_pages_of_a_pdf(self):
        data = pdf(["The first page says this", "and goes on."], ["The second page."])

        found = documents.read_document(data, "guide.pdf")

        assert (found.format, found.n_pages, found.silent) == ("PDF", 2, ())
        assert found.text == "The first page says this and goes on.\fThe second page."

    def test_says_which_pages_are_silent(self):
        assert documents.read_document(pdf(["One."], [], ["Three."]), "a.pdf").silent == (2,)

    def test_refuses_a_scan(self):
        assert "text recognition" in refused(pdf([], []), "scan.pdf")

    def test_refuses_a_pdf_with_a_password(self):
        writer = pypdf.PdfWriter(io.BytesIO(pdf(["One."])))
        writer.encrypt("secret", algorithm="RC4-128")
        data = io.BytesIO()
        writer.write(data)

        assert "password" in refused(data.getvalue(), "locked.pdf")

    def test_reads_paragraphs_and_tables_of_a_word_file(self):
        found = documents.read_document(
            word("One.", "", "Two.", table=[["a", "b"], ["c", "d"]]), "x.docx"
        )

        assert found.text == "One.\n\nTwo.\n\na | b\nc | d"
        assert (found.title, found.n_pages) == ("Handbook", 0)

    def test_reads_what_a_page_of_the_web_says(self):
        page = "<!doctype html><title>T &amp; C</title><script>x()</script><p>One <b>bold</b>.<ul><li>Two</ul>"

        found = documents.read_document(page.encode(), "page")

        assert (found.text, found.title, found.format) == ("One bold.\n\nTwo", "T & C", "HTML")

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
    def test_reads_text_in_the_known_encodings(self, encoding):
        text = "# 集装箱\n\n滞期费在码头内收取。"

        found = documents.read_document(text.encode(encoding), "a.md")

        assert (found.text, found.format) == (text, "MARKDOWN")

    @pytest.mark.parametrize(
        ("data", "name", "said"),
        [
            (b"", "a.txt", "empty"),
            (b" \n ", "a.txt", "No text"),
            (b"\x00\x01\x02" * 99, "a.bin", "none of the formats"),
            (b"MZ looks like text", "a.exe", "none of the formats"),
            (b"\xff\xfe\x00\xd8", "a.txt", "encoding"),
            (b"\xd0\xcf\x11\xe0" + b"x" * 99, "a.doc", "old kind"),
            (b"%PDF-1.4\nnothing", "a.pdf", "damaged"),
            (b"no pdf at all", "a.pdf", "damaged"),
            (b"PK\x03\x04 cut", "a.docx", "damaged"),
            (b"x" * (documents.MOST_BYTES + 1), "a.txt", "larger than 20 MB"),
            (b"x" * 2_000_001, "a.txt", "more than 2000000 characters"),
        ],
    )
    def test_says_what_is_wrong_with_the_others(self, data, name, said):
        assert said in refused(data, name)

    def test_opens_no_other_packed_file(self):
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w") as packed:
            packed.writestr("a.txt", "text")

        assert "none of the formats" in refused(data.getvalue(), "a.zip")

    def test_opens_no_bomb(self):
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("word/document.xml", b"\0" * (70 * 1024 * 1024))

        assert len(data.getvalue()) < 100_000
        assert "64 MB" in refused(data.getvalue(), "bomb.docx")

    def test_survives_a_stream_that_unpacks_without_end(self):
        stream = zlib.compress(b"0" * (400 * 1024 * 1024), 9)
        head, _mark, tail = pdf(["One."]).partition(b"<< /Length ")
        body = tail.partition(b"endstream")[2]
        bomb = b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (
            len(stream),
            stream,
        )

        said = refused(head + bomb + body, "bomb.pdf")

        assert any(word in said for word in ("memory", "long", "Page 1", "damaged", "No text"))


class TestFormats:
    def test_are_what_a_browser_is_offered(self):
        assert {".pdf", ".docx", ".md"} <= set(documents.FORMATS.split(","))
