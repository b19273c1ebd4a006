from django.core.files.base import ContentFile

from evalsite import static


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
