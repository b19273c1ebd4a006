import pytest

from scoring.kinds.assistants import asking_v1 as asking
from scoring.kinds.assistants.asking_v1 import Config, Kind
from scoring.protocols import untrusted

FENCE = untrusted.Fence("secret", "answers 1–2")


class TestEntailing:
    @pytest.mark.parametrize("language", ["en", "zh"])
    def test_holds_both_texts_and_a_schema(self, language):
        config = Config(Kind.ENTAILMENT, language=language)

        found = asking.entailing(1, ("An answer.", "A text."), config, FENCE, 7, 2)

        assert (found.exchange, found.repeat, found.settings.seed) == (1, 2, 7)
        assert "An answer." in found.messages[1].content
        assert found.schema == asking.SCHEMA


class TestServing:
    def test_keeps_every_sign_of_a_text(self):
        found = asking.serving([("“Ü”\n", "甲")], Config(Kind.SERVED))

        assert found.messages[0].content == '{"premise": "甲", "hypothesis": "“Ü”\\n"}'
