import re
from pathlib import Path

import pytest
from django.core.files.base import ContentFile

from evalsite import env
from evalsite.web import static

SHEETS = env.BASE_DIR / "static" / "css"


class TestStorage:
    def test_hashes_what_our_modules_import(self, tmp_path):
        storage = static.Storage(location=tmp_path, base_url="/static/")
        storage.save("js/lib/a.js", ContentFile(b"export const a = 1;\n"))
        storage.save("js/pages/b.js", ContentFile(b'import { a } from "../lib/a.js";\n'))
        storage.save("vendor/v.js", ContentFile(b'import { x } from "./missing.js";\n'))

        problems = [
            done
            for _name, _hashed, done in storage.post_process(
                {path: (storage, path) for path in ("js/lib/a.js", "js/pages/b.js", "vendor/v.js")}
            )
            if isinstance(done, Exception)
        ]

        assert problems == []
        page = (tmp_path / storage.hashed_files["js/pages/b.js"]).read_text()
        assert storage.hashed_files["js/lib/a.js"].removeprefix("js/lib/") in page

    def test_joins_the_sheets_that_a_sheet_lists(self, tmp_path):
        storage = collected(
            tmp_path,
            {
                "css/page.css": b'/* a list */\n@import "site.css";\n@import "more.css";\n',
                "css/site.css": b'@import "base.css";\n',
                "css/base.css": b'p { background: url("../img/a.svg"); }\n',
                "css/more.css": b"b { color: red; }\n",
                "img/a.svg": b"<svg/>",
            },
        )

        page = (tmp_path / storage.hashed_files["css/page.css"]).read_text()
        assert "@import" not in page
        assert page.index("p {") < page.index("b {")
        assert storage.hashed_files["img/a.svg"] in page

    def test_names_a_joined_sheet_by_what_its_parts_hold(self, tmp_path):
        listed = {"css/site.css": b'@import "base.css";\n'}

        one = collected(tmp_path / "one", {**listed, "css/base.css": b"p { color: red; }\n"})
        two = collected(tmp_path / "two", {**listed, "css/base.css": b"p { color: blue; }\n"})

        assert one.hashed_files["css/site.css"] != two.hashed_files["css/site.css"]

    def test_refuses_a_list_of_what_does_not_exist(self, tmp_path):
        with pytest.raises(ValueError, match=r"css/site\.css lists css/base\.css"):
            collected(tmp_path, {"css/site.css": b'@import "base.css";\n'})


class TestSheets:
    def test_every_sheet_is_listed_or_a_page_s_own(self):
        pages = (env.BASE_DIR / "templates").rglob("*.html")
        own = {
            name for page in pages for name in re.findall(r"css/([\w-]+\.css)", page.read_text())
        }
        starts = (env.BASE_DIR / "scoring" / "kinds").rglob("start.py")
        own |= {
            f"{name}.css"
            for start in starts
            for name in re.findall(r'^    style\b.* = "([\w-]+)"', start.read_text(), re.MULTILINE)
        }
        lists = "".join((SHEETS / name).read_text() for name in ("site.css", "desk.css"))

        assert [
            one.name for one in SHEETS.glob("*.css") if one.name not in own | listed(lists)
        ] == []


def listed(text: str) -> set[str]:
    return set(re.findall(r'@import "(.+)";', text))


def collected(folder: Path, files: dict[str, bytes]) -> static.Storage:
    storage = static.Storage(location=folder, base_url="/static/")
    for name, content in files.items():
        storage.save(name, ContentFile(content))
    done = list(storage.post_process({name: (storage, name) for name in files}))
    assert [problem for *_names, problem in done if isinstance(problem, Exception)] == []
    return storage
