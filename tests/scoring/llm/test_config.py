import pytest

from scoring.llm import config
from scoring.llm.config import EndpointConfig, NotABase, ReplyForm


def found(**values):
    return {name: {"value": value, "how": "seen"} for name, value in values.items()}


class TestBaseUrl:
    @pytest.mark.parametrize(
        ("given", "kept"),
        [
            (" https://models.example/v1/ ", "https://models.example/v1"),
            ("https://models.example/v1/chat/completions", "https://models.example/v1"),
            ("http://Models.Example:8080/v1/models", "http://models.example:8080/v1"),
            ("https://models.example", "https://models.example"),
        ],
    )
    def test_keeps_what_comes_before_the_address_of_a_request(self, given, kept):
        assert config.base_url(given) == kept

    @pytest.mark.parametrize(
        ("given", "code"),
        [
            ("", "scheme"),
            ("models.example/v1", "scheme"),
            ("file:///etc/passwd", "scheme"),
            ("https://", "host"),
            ("https://models.example:0/v1", "host"),
            ("https://mod els.example/v1", "host"),
            ("https://ada@models.example/v1", "user"),
            ("https://models.example/v1?key=1", "query"),
            ("https://models.example/v1#top", "query"),
            ("https://[::1/v1", "broken"),
            ("https://models.example:port/v1", "broken"),
        ],
    )
    def test_refuses_what_is_no_base(self, given, code):
        with pytest.raises(NotABase) as refused:
            config.base_url(given)

        assert refused.value.code == code


class TestForm:
    def test_is_the_strictest_that_is_known_to_work(self):
        both = found(json_schema=True, json_object=True)

        assert EndpointConfig(found=both).form is ReplyForm.JSON_SCHEMA
        assert EndpointConfig(found=found(json_schema=False, json_object=True)).form is (
            ReplyForm.JSON_OBJECT
        )

    def test_is_text_where_nothing_is_known(self):
        assert EndpointConfig().form is ReplyForm.TEXT
        assert EndpointConfig(found={"json_schema": "yes"}).form is ReplyForm.TEXT


class TestEndpointConfig:
    def test_shows_no_key(self):
        assert "canary" not in repr(EndpointConfig(key="canary-4711"))
