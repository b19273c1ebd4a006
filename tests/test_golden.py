import pytest

from tests import golden


class TestFolder:
    def test_skips_where_none_is_named(self, monkeypatch):
        monkeypatch.delenv("EVALSITE_GOLDEN", raising=False)

        with pytest.raises(pytest.skip.Exception):
            golden.folder()

    def test_fails_where_the_named_one_is_gone(self, monkeypatch, tmp_path):
        monkeypatch.setenv("EVALSITE_GOLDEN", str(tmp_path / "gone"))

        with pytest.raises(pytest.fail.Exception):
            golden.folder()

    def test_is_the_one_named(self, monkeypatch, tmp_path):
        monkeypatch.setenv("EVALSITE_GOLDEN", str(tmp_path))

        assert golden.folder() == tmp_path
