import pytest

from tests import cases


class TestFolder:
    def test_skips_where_none_is_named(self, monkeypatch):
        monkeypatch.delenv("EVALSITE_CASES", raising=False)

        with pytest.raises(pytest.skip.Exception):
            cases.folder()

    def test_fails_where_the_named_one_is_gone(self, monkeypatch, tmp_path):
        monkeypatch.setenv("EVALSITE_CASES", str(tmp_path / "gone"))

        with pytest.raises(pytest.fail.Exception):
            cases.folder()

    def test_is_the_one_named(self, monkeypatch, tmp_path):
        (tmp_path / "files").mkdir()
        monkeypatch.setenv("EVALSITE_CASES", str(tmp_path))

        assert cases.folder() == tmp_path / "files"
